// How far apart two wall clocks are, from a question and its answer: as NTP computes it (RFC 5905, sections 8 and 10).
// Pure; nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace ingero::fleet::wire {

using ingero::ClockOffset;

// In the server's answers: its wall clock when the request had come, and when the answer left; "RECEIVED ANSWERED".
inline constexpr const char *kTimeHeader = "X-Ingero-Time", *kTimeMetadata = "ingero-time";  // of HTTP, of gRPC
std::string time_header(uint64_t received_wall_ns, uint64_t answered_wall_ns);

// The other clock less ours: asked at `begin_wall_ns`, answered `round_trip_ns` later, of which the other one had it
// for as long as it says. Absent: what it says is not two times of these centuries in order.
std::optional<ClockOffset> clock_offset(uint64_t begin_wall_ns, uint64_t round_trip_ns, int64_t untrusted_received_ns,
                                        int64_t untrusted_answered_ns);
std::optional<ClockOffset> clock_offset(uint64_t begin_wall_ns, uint64_t round_trip_ns,
                                        std::string_view untrusted_header);

// The most certain of the last samples; each is less certain the older it is. A sample that an older one cannot be true
// with says that a clock was set: it begins anew with that. One thread at a time.
class ClockFilter {
 public:
  static constexpr size_t kMaxSamples = 12;

  void add(const ClockOffset& sample, uint64_t mono_ns);
  std::optional<ClockOffset> best(uint64_t mono_ns) const;

 private:
  struct Sample {
    ClockOffset offset;
    uint64_t mono_ns;
    uint64_t within_ns(uint64_t now_ns) const;
  };
  std::deque<Sample> samples_;
};

}  // namespace ingero::fleet::wire
