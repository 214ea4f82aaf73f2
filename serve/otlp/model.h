// What is sent by OTLP: signals, forms, attributes and spans. Plain data; strings may come from traced processes, the
// encoder makes them printable. Unknown is absent. Times are wall nanoseconds since the epoch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ingero::serve::otlp {

enum class Signal : uint8_t { kMetrics, kTraces };
constexpr std::string_view name_of(Signal signal) { return signal == Signal::kMetrics ? "metrics" : "traces"; }

enum class Protocol : uint8_t { kHttpProtobuf, kHttpJson, kGrpc };

using Value = std::variant<std::string, int64_t, double, bool>;
using Attributes = std::vector<std::pair<std::string, Value>>;

struct SpanEvent {
  uint64_t wall_ns = 0;
  std::string name;
  Attributes attributes;
};

struct Span {
  std::array<uint8_t, 16> trace_id{};  // never all zero
  std::array<uint8_t, 8> span_id{};
  std::string name = {};
  uint64_t start_wall_ns = 0, end_wall_ns = 0;
  Attributes attributes = {};
  std::vector<SpanEvent> events = {};
  bool is_error = false;
  std::string status = {};  // of an error, in words
};

// One request, ready to be sent.
struct Payload {
  Signal signal = Signal::kMetrics;
  bool is_gzip = false;
  uint32_t items = 0;  // data points or spans in it
  std::string body;
};

}  // namespace ingero::serve::otlp
