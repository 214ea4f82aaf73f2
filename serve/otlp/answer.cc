// Parses receivers' answers, in protobuf or JSON, into one form that the exporter can act on.
#include "serve/otlp/answer.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/text.h"

namespace ingero::serve::otlp {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr std::string_view kNotUnderstood = "its answer was not understood";

std::string shown(std::string_view untrusted) { return printable(trim(untrusted)); }

Answer accepted(int64_t untrusted_rejected, std::string_view untrusted_message, uint32_t items) {
  Answer answer{.send_result = SendResult::kAccepted};
  answer.rejected = static_cast<uint64_t>(std::clamp<int64_t>(untrusted_rejected, 0, items));
  answer.message = shown(untrusted_message);
  return answer;
}

// `read` gets one field at a time. False: the bytes are not a protobuf message.
template <typename Read>
bool each_field(std::string_view bytes, Read read) {
  try {
    protozero::pbf_reader message(bytes.data(), bytes.size());
    while (message.next()) {
      if (!read(message)) message.skip();
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

bool is_bytes(const protozero::pbf_reader& message, uint32_t number) {
  return message.tag() == number && message.wire_type() == protozero::pbf_wire_type::length_delimited;
}
bool is_number(const protozero::pbf_reader& message, uint32_t number) {
  return message.tag() == number && message.wire_type() == protozero::pbf_wire_type::varint;
}
std::string_view bytes_of(protozero::pbf_reader& message) {
  const auto view = message.get_view();
  return {view.data(), view.size()};
}

}  // namespace

Answer accepted_protobuf(std::string_view untrusted_body, uint32_t items) {
  int64_t rejected = 0;
  std::string_view partial, message;
  const bool is_good = each_field(untrusted_body,
                                  [&](auto& field) {
                                    if (!is_bytes(field, 1)) return false;
                                    partial = bytes_of(field);
                                    return true;
                                  }) &&
                       each_field(partial, [&](auto& field) {
                         if (is_number(field, 1)) return rejected = field.get_int64(), true;
                         if (is_bytes(field, 2)) return message = bytes_of(field), true;
                         return false;
                       });
  return is_good ? accepted(rejected, message, items) : accepted(0, kNotUnderstood, items);
}

Answer accepted_json(std::string_view untrusted_body, uint32_t items) {
  if (trim(untrusted_body).empty()) return accepted(0, "", items);
  const auto json = nlohmann::json::parse(untrusted_body, nullptr, false);
  if (!json.is_object()) return accepted(0, kNotUnderstood, items);
  const auto partial = json.find("partialSuccess");
  if (partial == json.end() || !partial->is_object()) return accepted(0, "", items);
  int64_t rejected = 0;
  for (const char* name : {"rejectedDataPoints", "rejectedSpans"}) {
    const auto found = partial->find(name);
    if (found == partial->end()) continue;
    if (found->is_string()) rejected = parse_i64(found->get_ref<const std::string&>()).value_or(0);
    if (found->is_number_integer()) rejected = found->get<int64_t>();
  }
  const auto message = partial->find("errorMessage");
  const bool has_message = message != partial->end() && message->is_string();
  return accepted(rejected, has_message ? message->get_ref<const std::string&>() : std::string(), items);
}

std::string status_message(std::string_view untrusted_body) {
  std::string_view message;
  if (trim(untrusted_body).starts_with('{')) {
    const auto json = nlohmann::json::parse(untrusted_body, nullptr, false);
    if (json.is_object() && json.contains("message") && json["message"].is_string()) {
      return shown(json["message"].get_ref<const std::string&>());
    }
    return shown(untrusted_body);
  }
  const bool is_message = each_field(untrusted_body, [&](auto& field) {
    if (!is_bytes(field, 2)) return false;
    message = bytes_of(field);
    return true;
  });
  return shown(is_message && !message.empty() ? message : untrusted_body);
}

std::optional<uint64_t> retry_delay_ns(std::string_view untrusted_status) {
  std::optional<uint64_t> delay;
  const auto duration = [&](std::string_view bytes) {
    int64_t seconds = 0, nanos = 0;
    const bool is_good = each_field(bytes, [&](auto& field) {
      if (is_number(field, 1)) return seconds = field.get_int64(), true;
      if (is_number(field, 2)) return nanos = field.get_int64(), true;
      return false;
    });
    if (!is_good) return;
    const auto most = static_cast<int64_t>(kMaxRetryAfterNs / kSecondNs);
    seconds = std::clamp<int64_t>(seconds, 0, most);
    nanos = std::clamp<int64_t>(nanos, 0, 999'999'999);
    delay = std::min(static_cast<uint64_t>(seconds) * kSecondNs + static_cast<uint64_t>(nanos), kMaxRetryAfterNs);
  };
  const auto detail = [&](std::string_view bytes) {
    std::string_view type, value;
    (void)each_field(bytes, [&](auto& field) {
      if (is_bytes(field, 1)) return type = bytes_of(field), true;
      if (is_bytes(field, 2)) return value = bytes_of(field), true;
      return false;
    });
    if (!type.ends_with("/google.rpc.RetryInfo")) return;
    (void)each_field(value, [&](auto& field) {
      if (!is_bytes(field, 1)) return false;
      duration(bytes_of(field));
      return true;
    });
  };
  (void)each_field(untrusted_status, [&](auto& field) {
    if (!is_bytes(field, 3)) return false;
    detail(bytes_of(field));
    return true;
  });
  return delay;
}

std::optional<uint64_t> parse_retry_after_ns(std::string_view untrusted_header, uint64_t wall_ns) {
  const std::string text(trim(untrusted_header));
  if (text.empty() || text.size() > 64) return std::nullopt;
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    const uint64_t most = kMaxRetryAfterNs / kSecondNs;
    const uint64_t seconds = parse_u64(text).value_or(most);  // more digits than a number has
    return std::min(seconds, most) * kSecondNs;
  }
  std::tm when{};
  const char* end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &when);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const time_t at = ::timegm(&when);
  const auto now = static_cast<time_t>(wall_ns / kSecondNs);
  if (at <= now) return 0;
  return std::min(static_cast<uint64_t>(at - now) * kSecondNs, kMaxRetryAfterNs);
}

}  // namespace ingero::serve::otlp
