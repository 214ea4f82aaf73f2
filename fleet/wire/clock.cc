// Offsets from round trips: see clock.h.
#include "fleet/wire/clock.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::fleet::wire {
namespace {

constexpr uint64_t kLatest = uint64_t{1} << 62;  // the year 2116: differences of two such fit
bool is_time(int64_t ns) { return ns >= 0 && static_cast<uint64_t>(ns) <= kLatest; }

}  // namespace

std::string time_header(uint64_t received_wall_ns, uint64_t answered_wall_ns) {
  return fmt::format("{} {}", received_wall_ns, answered_wall_ns);
}

std::optional<ClockOffset> clock_offset(uint64_t begin_wall_ns, uint64_t round_trip_ns, int64_t untrusted_received_ns,
                                        int64_t untrusted_answered_ns) {
  if (!is_time(untrusted_received_ns) || !is_time(untrusted_answered_ns)) return std::nullopt;
  if (begin_wall_ns > kLatest || round_trip_ns > kLatest || untrusted_answered_ns < untrusted_received_ns) {
    return std::nullopt;
  }
  // What it says it took can be longer than it was by our clock: then nothing was on the way.
  const uint64_t held_ns = static_cast<uint64_t>(untrusted_answered_ns - untrusted_received_ns);
  const uint64_t way_ns = round_trip_ns > held_ns ? round_trip_ns - held_ns : 0;
  const int64_t middle = untrusted_received_ns + static_cast<int64_t>(held_ns / 2);
  return ClockOffset{middle - static_cast<int64_t>(begin_wall_ns + round_trip_ns / 2), way_ns / 2};
}

std::optional<ClockOffset> clock_offset(uint64_t begin_wall_ns, uint64_t round_trip_ns,
                                        std::string_view untrusted_header) {
  const size_t space = untrusted_header.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto received = parse_i64(untrusted_header.substr(0, space));
  const auto answered = parse_i64(untrusted_header.substr(space + 1));
  if (!received || !answered) return std::nullopt;
  return clock_offset(begin_wall_ns, round_trip_ns, *received, *answered);
}

// Both are true of the same clocks unless one of them was set: then what was measured before says nothing any more.
void ClockFilter::add(const ClockOffset& sample, uint64_t mono_ns) {
  const auto agrees = [&](const Sample& one) {
    const auto [least, most] = std::minmax(one.offset.offset_ns, sample.offset_ns);
    return static_cast<uint64_t>(most) - static_cast<uint64_t>(least) <= one.within_ns(mono_ns) + sample.within_ns;
  };
  if (!std::ranges::all_of(samples_, agrees)) samples_.clear();
  if (samples_.size() >= kMaxSamples) samples_.pop_front();
  samples_.push_back({sample, mono_ns});
}

uint64_t ClockFilter::Sample::within_ns(uint64_t now_ns) const {
  const uint64_t age_ns = now_ns > mono_ns ? now_ns - mono_ns : 0;
  return offset.within_ns + age_ns / 1'000'000 * kClockDrift;
}

std::optional<ClockOffset> ClockFilter::best(uint64_t mono_ns) const {
  std::optional<ClockOffset> best;
  for (const Sample& one : samples_) {
    const uint64_t within_ns = one.within_ns(mono_ns);
    if (!best || within_ns < best->within_ns) best = ClockOffset{one.offset.offset_ns, within_ns};
  }
  return best;
}

}  // namespace ingero::fleet::wire
