// OTLP metrics out of JSON. The tree is nlohmann's own type with sorted members, not base's: looking up a member must
// not take longer the more members a sender writes.
#include "fleet/wire/metrics_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ingero::fleet::wire {
namespace {

using Tree = nlohmann::json;

constexpr size_t kMaxNesting = 64;

// The parser has no bound of its own.
bool is_too_deep(std::string_view text) {
  size_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_text) {
      if (text[i] == '\\') ++i;
      if (i < text.size() && text[i] == '"') in_text = false;
    } else if (text[i] == '"') {
      in_text = true;
    } else if (text[i] == '{' || text[i] == '[') {
      if (++depth > kMaxNesting) return true;
    } else if ((text[i] == '}' || text[i] == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

const Tree& member(const Tree& tree, const char* name) {
  static const Tree kNone;
  if (!tree.is_object()) return kNone;
  const auto found = tree.find(name);
  return found == tree.end() ? kNone : *found;
}

// What is there but not of its type: the message is none of the protocol's.
struct Malformed {
  std::string what;
};

// The elements of an array, which are objects; none where there is none.
const Tree& list(const Tree& tree, const char* name) {
  static const Tree kNone = Tree::array();
  const Tree& found = member(tree, name);
  if (found.is_null()) return kNone;
  if (!found.is_array()) throw Malformed{fmt::format("{} is not a list", name)};
  if (!std::ranges::all_of(found, [](const Tree& one) { return one.is_object(); })) {
    throw Malformed{fmt::format("{} has elements other than objects", name)};
  }
  return found;
}

const Tree& object(const Tree& tree, const char* name) {
  const Tree& found = member(tree, name);
  if (!found.is_null() && !found.is_object()) throw Malformed{fmt::format("{} is not an object", name)};
  return found;
}

std::string text(const Tree& tree) { return tree.is_string() ? tree.get<std::string>() : std::string(); }

std::optional<int64_t> whole(const Tree& tree) {
  if (tree.is_string()) return parse_i64(tree.get_ref<const std::string&>());
  if (tree.is_number_unsigned()) {
    const auto number = tree.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (tree.is_number_integer()) return tree.get<int64_t>();
  return std::nullopt;
}

std::optional<uint64_t> unsigned_whole(const Tree& tree) {
  if (tree.is_string()) return parse_u64(tree.get_ref<const std::string&>());
  return tree.is_number_unsigned() ? std::optional(tree.get<uint64_t>()) : std::nullopt;
}

// What `read` makes of a member; where that is nothing although it is there, `fault` says so.
template <typename Read>
auto checked(const Tree& tree, const char* name, Read read, const char* wrong, const char*& fault) {
  const Tree& found = member(tree, name);
  auto value = read(found);
  if (!value && !found.is_null() && fault == nullptr) fault = wrong;
  return value;
}

// A number may be written as text, as those have to be that JSON has not: NaN and the infinite ones.
std::optional<double> real(const Tree& tree) {
  if (tree.is_number()) return tree.get<double>();
  if (!tree.is_string()) return std::nullopt;
  const auto& words = tree.get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
  return error == std::errc() && end == words.data() + words.size() ? std::optional(number) : std::nullopt;
}

constexpr auto kWhole = [](const Tree& tree) { return whole(tree); };
constexpr auto kUnsigned = [](const Tree& tree) { return unsigned_whole(tree); };
constexpr auto kReal = [](const Tree& tree) { return real(tree); };

// As the other encoding gives bytes; either alphabet, padded or not. Nothing: it is not base64.
std::optional<std::string> hex_of_base64(std::string_view words) {
  while (words.ends_with('=')) words.remove_suffix(1);
  std::vector<uint8_t> bytes;
  uint32_t bits = 0, count = 0;
  for (const char one : words) {
    const bool is_letter = (one >= 'A' && one <= 'Z') || (one >= 'a' && one <= 'z');
    uint32_t value = 0;
    if (is_letter) {
      value = static_cast<uint32_t>(one >= 'a' ? one - 'a' + 26 : one - 'A');
    } else if (one >= '0' && one <= '9') {
      value = static_cast<uint32_t>(one - '0' + 52);
    } else if (one == '+' || one == '-') {
      value = 62;
    } else if (one == '/' || one == '_') {
      value = 63;
    } else {
      return std::nullopt;
    }
    bits = bits << 6 | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<uint8_t>(bits >> count));
  }
  if (count >= 6) return std::nullopt;
  return to_hex(bytes.data(), bytes.size());
}

Json read_value(const Tree& value, size_t depth, size_t& left, const char*& fault) {
  constexpr size_t kOfEach = 8;
  if (depth > kMaxDepth) fault = kDeepAttribute;
  const auto pay = [&](size_t bytes) {
    if (bytes > left) fault = kLongAttribute;
    left -= std::min(bytes, left);
    return fault == nullptr;
  };
  if (fault != nullptr || !pay(kOfEach)) return nullptr;
  const auto read = [&](const char* name, auto as) { return checked(value, name, as, kWrongAttribute, fault); };
  const auto as_text = [](const Tree& found) {
    return found.is_string() ? &found.get_ref<const std::string&>() : nullptr;
  };
  if (const auto* words = read("stringValue", as_text)) return pay(words->size()) ? Json(*words) : Json(nullptr);
  if (const auto* words = read("bytesValue", as_text)) {
    const auto bytes = hex_of_base64(*words);
    if (!bytes) fault = kWrongAttribute;
    return bytes && pay(bytes->size()) ? Json(*bytes) : Json(nullptr);
  }
  const auto as_truth = [](const Tree& found) {
    return found.is_boolean() ? std::optional(found.get<bool>()) : std::nullopt;
  };
  if (const auto truth = read("boolValue", as_truth)) return *truth;
  if (const auto number = read("intValue", kWhole)) return *number;
  if (const auto number = read("doubleValue", kReal)) return std::isfinite(*number) ? Json(*number) : Json(nullptr);
  if (const Tree& array = object(value, "arrayValue"); !array.is_null()) {
    Json values = Json::array();
    for (const Tree& one : list(array, "values")) {
      if (fault == nullptr) values.push_back(read_value(one, depth + 1, left, fault));
    }
    return values;
  }
  const Tree& map = object(value, "kvlistValue");
  if (map.is_null()) return nullptr;
  Json members = Json::object();
  if (list(map, "values").size() > kMaxAttributes) fault = kManyAttributes;
  for (const Tree& one : list(map, "values")) {
    if (fault != nullptr) break;
    std::string key = text(member(one, "key"));
    if (key.size() > kMaxKeyBytes) fault = kLongAttribute;
    if (fault == nullptr) members[key] = read_value(object(one, "value"), depth + 1, left, fault);
  }
  return members;
}

Attributes read_attributes(const Tree& holder, const char*& fault) {
  Attributes read;
  const Tree& all = list(holder, "attributes");
  if (all.size() > kMaxAttributes) fault = kManyAttributes;
  for (const Tree& one : all) {
    if (fault != nullptr) break;
    std::string key = text(member(one, "key"));
    if (key.size() > kMaxKeyBytes) fault = kLongAttribute;
    size_t left = kMaxValueBytes + 64;
    if (fault == nullptr) read[std::move(key)] = read_value(object(one, "value"), 0, left, fault);
  }
  return read;
}

RawPoint read_point(const Tree& tree, bool is_distribution) {
  RawPoint point;
  const auto read = [&](const char* name, auto as) { return checked(tree, name, as, kWrongNumber, point.fault); };
  point.start_ns = read("startTimeUnixNano", kUnsigned).value_or(0);
  point.time_ns = read("timeUnixNano", kUnsigned).value_or(0);
  if (is_distribution) {
    point.count = read("count", kUnsigned).value_or(0);
    point.sum = read("sum", kReal);
    point.max = read("max", kReal);
  } else {
    point.value_double = read("asDouble", kReal);
    point.value_int = read("asInt", kWhole);
  }
  point.has_no_value = (read("flags", kUnsigned).value_or(0) & 1) != 0;
  const char* fault = nullptr;
  point.attributes = read_attributes(tree, fault);
  if (point.fault == nullptr) point.fault = fault;
  return point;
}

void read_metric(const Tree& metric, Collector& collector) {
  const std::string name = text(member(metric, "name"));
  for (const char* kind : {"gauge", "sum"}) {
    for (const Tree& point : list(object(metric, kind), "dataPoints")) collector.add(name, read_point(point, false));
  }
  for (const char* kind : {"histogram", "exponentialHistogram", "summary"}) {
    for (const Tree& point : list(object(metric, kind), "dataPoints")) collector.add(name, read_point(point, true));
  }
}

}  // namespace

Status read_json(std::string_view body, Collector& collector) {
  const Tree tree = is_too_deep(body) ? Tree(Tree::value_t::discarded) : Tree::parse(body, nullptr, false);
  if (!tree.is_object()) {
    return Error(Errc::kCorrupt, "the body is not an ExportMetricsServiceRequest in JSON",
                 "send OTLP metrics, and name their encoding in Content-Type and Content-Encoding");
  }
  try {
    for (const Tree& one : list(tree, "resourceMetrics")) {
      const char* fault = nullptr;
      Attributes attributes = read_attributes(object(one, "resource"), fault);
      collector.begin_resource(std::move(attributes), fault);
      for (const Tree& scope : list(one, "scopeMetrics")) {
        const Tree& meter = object(scope, "scope");
        collector.begin_scope(text(member(meter, "name")), text(member(meter, "version")));
        for (const Tree& metric : list(scope, "metrics")) read_metric(metric, collector);
      }
    }
  } catch (const Malformed& found) {
    return Error(Errc::kCorrupt, "the body is not an ExportMetricsServiceRequest in JSON: " + found.what,
                 "send OTLP metrics as the protocol writes them");
  }
  return {};
}

}  // namespace ingero::fleet::wire
