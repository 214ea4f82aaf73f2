// OTLP metrics out of protobuf, field by field: unknown fields are skipped, as the format wants it.
#include "fleet/wire/protobuf.h"

#include <algorithm>
#include <exception>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "base/text.h"

namespace ingero::fleet::wire {
namespace {

using protozero::pbf_reader;
using Type = protozero::pbf_wire_type;

// A field as it must be: one of another type is skipped like an unknown one (the library reads it as if it were right).
constexpr uint32_t field(uint32_t number, Type type) { return protozero::tag_and_type(number, type); }
constexpr uint32_t message_field(uint32_t number) { return field(number, Type::length_delimited); }

// `left`: bytes that the value may still keep.
Json read_value(pbf_reader value, size_t depth, size_t& left, const char*& fault);

Json read_list(pbf_reader list, size_t depth, size_t& left, const char*& fault) {
  Json array = Json::array();
  while (fault == nullptr && list.next(1, Type::length_delimited))
    array.push_back(read_value(list.get_message(), depth + 1, left, fault));
  return array;
}

void read_key_value(pbf_reader pair, std::string& key, Json& value, size_t depth, size_t& left, const char*& fault) {
  while (pair.next()) {
    if (pair.tag_and_type() == message_field(1)) {
      const auto view = pair.get_view();
      if (view.size() > kMaxKeyBytes) fault = kLongAttribute;
      if (fault == nullptr) key.assign(view.data(), view.size());
    } else if (pair.tag_and_type() == message_field(2)) {
      value = read_value(pair.get_message(), depth, left, fault);
    } else {
      pair.skip();
    }
  }
}

Json read_map(pbf_reader list, size_t depth, size_t& left, const char*& fault) {
  Attributes members;
  while (fault == nullptr && list.next(1, Type::length_delimited)) {
    std::string key;
    Json value;
    read_key_value(list.get_message(), key, value, depth + 1, left, fault);
    members[std::move(key)] = std::move(value);
    if (members.size() > kMaxAttributes) fault = kManyAttributes;
  }
  Json object = Json::object();
  for (auto& [key, value] : members) object[key] = std::move(value);
  return object;
}

Json read_value(pbf_reader value, size_t depth, size_t& left, const char*& fault) {
  constexpr size_t kOfEach = 8;
  Json read;
  if (depth > kMaxDepth) fault = kDeepAttribute;
  const auto pay = [&](size_t bytes) {
    if (bytes > left) fault = kLongAttribute;
    left -= std::min(bytes, left);
    return fault == nullptr;
  };
  if (!pay(kOfEach)) return read;
  while (fault == nullptr && value.next()) {
    switch (value.tag_and_type()) {
      case message_field(1): {
        const auto view = value.get_view();
        if (pay(view.size())) read = std::string(view.data(), view.size());
        break;
      }
      case field(2, Type::varint):
        read = value.get_bool();
        break;
      case field(3, Type::varint):
        read = value.get_int64();
        break;
      case field(4, Type::fixed64):
        read = value.get_double();
        break;
      case message_field(5):
        read = read_list(value.get_message(), depth, left, fault);
        break;
      case message_field(6):
        read = read_map(value.get_message(), depth, left, fault);
        break;
      case message_field(7): {
        const auto view = value.get_view();
        if (pay(2 * view.size())) read = to_hex(reinterpret_cast<const uint8_t*>(view.data()), view.size());
        break;
      }
      default:
        value.skip();
    }
  }
  return read;
}

void read_attribute(pbf_reader pair, Attributes& into, const char*& fault) {
  if (fault != nullptr) return;
  std::string key;
  Json value;
  size_t left = kMaxValueBytes + 64;
  read_key_value(pair, key, value, 0, left, fault);
  if (fault != nullptr) return;
  into[std::move(key)] = std::move(value);
  if (into.size() > kMaxAttributes) fault = kManyAttributes;
}

RawPoint read_number(pbf_reader message) {
  RawPoint point;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case field(2, Type::fixed64):
        point.start_ns = message.get_fixed64();
        break;
      case field(3, Type::fixed64):
        point.time_ns = message.get_fixed64();
        break;
      case field(4, Type::fixed64):
        point.value_double = message.get_double();
        break;
      case field(6, Type::fixed64):
        point.value_int = message.get_sfixed64();
        break;
      case message_field(7):
        read_attribute(message.get_message(), point.attributes, point.fault);
        break;
      case field(8, Type::varint):
        point.has_no_value = (message.get_uint32() & 1) != 0;
        break;
      default:
        message.skip();
    }
  }
  return point;
}

// Where the kinds of distributions have what: the tags of attributes, flags and maximum (0: none).
struct Tags {
  uint32_t attributes, flags, max;
};
constexpr Tags kHistogramTags{9, 10, 12}, kExponentialTags{1, 10, 13}, kSummaryTags{7, 8, 0};

RawPoint read_distribution(pbf_reader message, const Tags& tags) {
  RawPoint point;
  point.count = 0;
  while (message.next()) {
    const uint32_t found = message.tag_and_type();
    if (found == message_field(tags.attributes)) {
      read_attribute(message.get_message(), point.attributes, point.fault);
    } else if (found == field(tags.flags, Type::varint)) {
      point.has_no_value = (message.get_uint32() & 1) != 0;
    } else if (found == field(2, Type::fixed64)) {
      point.start_ns = message.get_fixed64();
    } else if (found == field(3, Type::fixed64)) {
      point.time_ns = message.get_fixed64();
    } else if (found == field(4, Type::fixed64)) {
      point.count = message.get_fixed64();
    } else if (found == field(5, Type::fixed64)) {
      point.sum = message.get_double();
    } else if (tags.max != 0 && found == field(tags.max, Type::fixed64)) {
      point.max = message.get_double();
    } else {
      message.skip();
    }
  }
  return point;
}

void read_metric(pbf_reader metric, Collector& collector) {
  std::string name;
  for (pbf_reader pass = metric; pass.next();) {
    if (pass.tag_and_type() != message_field(1)) {
      pass.skip();
      continue;
    }
    const auto view = pass.get_view();
    name.assign(view.data(), std::min<size_t>(view.size(), kMaxNameBytes + 1));
  }
  while (metric.next()) {
    const uint32_t kind = metric.wire_type() == Type::length_delimited ? metric.tag() : 0;
    if (kind != 5 && kind != 7 && kind != 9 && kind != 10 && kind != 11) {
      metric.skip();
      continue;
    }
    pbf_reader data = metric.get_message();
    while (data.next()) {
      if (data.tag_and_type() != message_field(1)) {
        data.skip();
      } else if (kind == 5 || kind == 7) {
        collector.add(name, read_number(data.get_message()));
      } else {
        collector.add(name, read_distribution(data.get_message(), kind == 9    ? kHistogramTags
                                                                  : kind == 10 ? kExponentialTags
                                                                               : kSummaryTags));
      }
    }
  }
}

// The scope may stand behind its metrics.
void begin_scope(pbf_reader metrics, Collector& collector) {
  protozero::data_view name, version;
  while (metrics.next()) {
    if (metrics.tag_and_type() != message_field(1)) {
      metrics.skip();
      continue;
    }
    for (pbf_reader scope = metrics.get_message(); scope.next();) {
      if (scope.tag_and_type() == message_field(1)) {
        name = scope.get_view();
      } else if (scope.tag_and_type() == message_field(2)) {
        version = scope.get_view();
      } else {
        scope.skip();
      }
    }
  }
  collector.begin_scope({name.data(), name.size()}, {version.data(), version.size()});
}

void read_resource_metrics(pbf_reader message, Collector& collector) {
  Attributes attributes;
  const char* fault = nullptr;
  // The resource may stand behind what it is the resource of.
  for (pbf_reader pass = message; pass.next();) {
    if (pass.tag_and_type() != message_field(1)) {
      pass.skip();
      continue;
    }
    for (pbf_reader resource = pass.get_message(); resource.next();) {
      if (resource.tag_and_type() == message_field(1)) {
        read_attribute(resource.get_message(), attributes, fault);
      } else {
        resource.skip();
      }
    }
  }
  collector.begin_resource(std::move(attributes), fault);
  while (message.next()) {
    if (message.tag_and_type() != message_field(2)) {
      message.skip();
      continue;
    }
    const pbf_reader metrics = message.get_message();
    begin_scope(metrics, collector);
    for (pbf_reader scope = metrics; scope.next();) {
      if (scope.tag_and_type() == message_field(2)) {
        read_metric(scope.get_message(), collector);
      } else {
        scope.skip();
      }
    }
  }
}

}  // namespace

Status read_protobuf(std::string_view body, Collector& collector) {
  try {
    for (pbf_reader request(body.data(), body.size()); request.next();) {
      if (request.tag_and_type() == message_field(1)) {
        read_resource_metrics(request.get_message(), collector);
      } else {
        request.skip();
      }
    }
  } catch (const std::exception&) {
    return Error(Errc::kCorrupt, "the body is not an ExportMetricsServiceRequest in protobuf",
                 "send OTLP metrics, and name their encoding in Content-Type and Content-Encoding");
  }
  return {};
}

std::string protobuf_answer(uint64_t refused, const std::string& why) {
  std::string partial, out;
  if (refused == 0) return out;
  protozero::pbf_writer inner(partial);
  inner.add_int64(1, static_cast<int64_t>(refused));
  inner.add_string(2, why);
  protozero::pbf_writer(out).add_message(1, partial);
  return out;
}

std::string protobuf_error(int code, const std::string& message, int retry_s) {
  std::string out;
  protozero::pbf_writer status(out);
  status.add_int32(1, code);
  status.add_string(2, message);
  if (retry_s <= 0) return out;
  std::string delay, info, any;
  protozero::pbf_writer(delay).add_int64(1, retry_s);
  protozero::pbf_writer(info).add_message(1, delay);
  protozero::pbf_writer detail(any);
  detail.add_string(1, "type.googleapis.com/google.rpc.RetryInfo");
  detail.add_message(2, info);
  status.add_message(3, any);
  return out;
}

}  // namespace ingero::fleet::wire
