// Parses annotations: lines of JSON from traced programs, hostile until every field is checked.
#include "agent/annotations/annotation.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ingero::agent {
namespace {

using SortedJson = nlohmann::json;
using Limits = AnnotationLimits;

Error wrong(std::string what) { return {Errc::kInvalid, "annotation: " + std::move(what)}; }

bool is_key(std::string_view key) {
  return !key.empty() && key.size() <= Limits::kKeyBytes && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  });
}

// Refuses nesting while it parses: what is deep never becomes a tree.
class Flat {
 public:
  bool operator()(int depth, SortedJson::parse_event_t event, SortedJson& /*value*/) {
    using Event = SortedJson::parse_event_t;
    if (event == Event::array_start || (event == Event::object_start && depth > 1)) is_flat_ = false;
    return is_flat_;
  }
  bool is_flat() const { return is_flat_; }

 private:
  bool is_flat_ = true;
};

Result<std::optional<uint64_t>> time_of(const SortedJson& line, const char* name, uint64_t now_wall_ns) {
  const auto found = line.find(name);
  if (found == line.end()) return std::optional<uint64_t>();
  if (!found->is_number_unsigned()) return wrong(fmt::format("{} must be a number: nanoseconds since the epoch", name));
  const auto ns = found->get<uint64_t>();
  const uint64_t apart = ns > now_wall_ns ? ns - now_wall_ns : now_wall_ns - ns;
  if (apart > Limits::kFarNs) {
    return wrong(fmt::format("{} is more than a day from now (give nanoseconds since the epoch)", name));
  }
  return std::optional<uint64_t>(ns);
}

Result<std::string> labels_of(const SortedJson& labels) {
  if (!labels.is_object()) return wrong("labels must be an object");
  if (labels.empty()) return wrong("labels is empty");
  if (labels.size() > Limits::kLabels) return wrong(fmt::format("more than {} labels", Limits::kLabels));
  SortedJson out = SortedJson::object();
  for (const auto& [key, value] : labels.items()) {
    if (!is_key(key)) {
      return wrong(
          fmt::format("the key \"{}\" is not 1 to {} of A-Z a-z 0-9 _ . -", printable(key, 32), Limits::kKeyBytes));
    }
    if (!value.is_string() && !value.is_number() && !value.is_boolean()) {
      return wrong(fmt::format("the value of {} must be a string, a number or a boolean", key));
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.size() > Limits::kValueBytes) {
      return wrong(fmt::format("the value of {} is longer than {} bytes", key, Limits::kValueBytes));
    }
    out[key] = printable(text, text.size());
  }
  return out.dump();
}

}  // namespace

Result<AnnotationLine> parse_annotation(std::string_view line, uint64_t now_wall_ns) {
  if (line.size() > Limits::kLineBytes) return wrong(fmt::format("longer than {} bytes", Limits::kLineBytes));
  Flat flat;
  const SortedJson fields = SortedJson::parse(line, std::ref(flat), false);
  if (!flat.is_flat()) return wrong("nested deeper than labels");
  if (!fields.is_object()) return wrong("no JSON object");
  constexpr std::string_view kFields[] = {"ts", "labels", "pid", "start_time", "span_start", "span_end", "v"};
  for (const auto& [name, value] : fields.items()) {
    if (std::find(std::begin(kFields), std::end(kFields), name) == std::end(kFields)) {
      return wrong(fmt::format("unknown field \"{}\"", printable(name, 32)));
    }
  }
  if (fields.contains("v") && fields["v"] != 1) return wrong("v is not 1");
  AnnotationLine out;
  for (const auto& [name, into] :
       {std::pair("ts", &out.wall_ns), {"span_start", &out.span_start_wall_ns}, {"span_end", &out.span_end_wall_ns}}) {
    auto time = time_of(fields, name, now_wall_ns);
    if (!time.ok()) return time.error();
    *into = *time;
  }
  if (out.span_start_wall_ns.has_value() != out.span_end_wall_ns.has_value()) {
    return wrong("span_start and span_end go together");
  }
  if (out.span_start_wall_ns && *out.span_start_wall_ns > *out.span_end_wall_ns) {
    return wrong("span_end is before span_start");
  }
  if (const auto pid = fields.find("pid"); pid != fields.end()) {
    if (pid->is_string() && *pid == "self") {
      out.is_self = true;
    } else if (pid->is_number_unsigned() && pid->get<uint64_t>() <= INT32_MAX) {
      if (*pid != 0) out.pid = pid->get<uint32_t>();  // 0: the whole machine, as without it
    } else {
      return wrong("pid must be a process id or \"self\"");
    }
  }
  if (const auto start = fields.find("start_time"); start != fields.end()) {
    if (!start->is_number_unsigned()) return wrong("start_time must be a number of clock ticks");
    if (!out.pid && !out.is_self) return wrong("start_time without a pid");
    out.start_time = start->get<uint64_t>();
  }
  if (!fields.contains("labels")) return wrong("labels is missing");
  auto labels = labels_of(fields["labels"]);
  if (!labels.ok()) return labels.error();
  out.labels_json = std::move(*labels);
  return out;
}

Result<std::string> labels_of_words(const std::vector<std::string>& words) {
  SortedJson labels = SortedJson::object();
  for (const std::string& word : words) {
    const size_t at = word.find('=');
    if (at == std::string::npos) {
      return Error(Errc::kInvalid, fmt::format("label \"{}\": write it as KEY=VALUE", printable(word, 64)));
    }
    // Text that is not UTF-8 would not survive as JSON.
    labels[printable(word.substr(0, at), word.size())] = printable(word.substr(at + 1), word.size());
  }
  return labels.dump();
}

}  // namespace ingero::agent
