// What limits a program, from what its thread's time was lost to. A healthy program gets no accusation; where the
// recording cannot tell, the answer is that it is not known, and why.
//
// Pure; no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "correlate/budget.h"

namespace ingero::correlate {

enum class Limit : uint8_t {
  kNotKnown,
  kDeviceBound,
  kInputBound,
  kHostBound,
  kLaunchBound,
  kSyncBound,
  kCopyBound,
  kAllocationBound,
  kCommunicationBound,
  kStarvedOfCpu,
  kThrottled,
  kStopped,
  kIdle,
  kLateRank,  // other ranks wait for it; found from arrivals (report/time_evidence.cc), never from its own time
  kCount,
};
constexpr std::string_view name_of(Limit one) {
  constexpr std::string_view kNames[] = {
      "not known",  "device-bound",     "input-bound",         "host-bound",     "launch-bound", "sync-bound",
      "copy-bound", "allocation-bound", "communication-bound", "starved of CPU", "throttled",    "stopped",
      "idle",       "late rank"};
  static_assert(std::size(kNames) == static_cast<size_t>(Limit::kCount));
  return kNames[static_cast<size_t>(one)];
}
inline constexpr uint64_t kEnoughSteps = 8;  // with fewer, steps say little
constexpr bool is_accusation(Limit one) {
  return one != Limit::kNotKnown && one != Limit::kDeviceBound && one != Limit::kIdle;
}

// Why it is not known.
enum class NotKnown : uint8_t {
  kNone,
  kTooShort,
  kTimeUnknown,
  kBlocked,
  kNobodyWaits,
  kPoll,
  kCopyOrWait,
  kUnnamedWaits
};

struct LimitResult {
  Limit limit = Limit::kNotKnown;
  std::optional<Limit> second;
  NotKnown why = NotKnown::kNone;
  bool is_high = false;  // a fifth of the time or more
  // The device was done whenever the thread waited for it: a step takes as long as the thread, whatever is known of how
  // long the device had nothing to do.
  bool device_always_done = false;
  uint64_t low_ns = 0, high_ns = 0;  // what was lost to it; of kIdle, waits for a thread that rested
};

// What was evaluated.
struct Evaluated {
  TimeSums sums;
  uint64_t steps = 0;          // 0: by seconds
  uint64_t waiting_steps = 0;  // those in which the device was waited for
  uint64_t seconds = 0;
  bool counts_sleep = false;  // in each step; a pause now and then may be the end of a burst
  void add(const BudgetStep& step);
};

inline constexpr uint64_t kEnterPercent = 5, kLeavePercent = 3, kHighPercent = 20;

// `before`: what it was; it is left later than it is entered.
LimitResult evaluate(const Evaluated& evaluated, const Blame& blame, Limit before = Limit::kNotKnown);

}  // namespace ingero::correlate
