// Compares sums of lost time with what a healthy program loses, before any of them is named as a limit.
#include "correlate/limit.h"

#include <algorithm>
#include <array>

namespace ingero::correlate {
namespace {

constexpr uint64_t kShortestNs = 1'000'000'000;
constexpr uint64_t kUnknownPercent = 10;
constexpr uint64_t kWidePercent = 20;       // bounds so far apart say nothing
constexpr uint64_t kHalfPercent = 50;       // likewise
constexpr uint64_t kMuchOfStep = 8;         // a part of what a step submits
constexpr uint64_t kMostlyPercent = 40;     // of the time in waits for the device
constexpr uint64_t kLaunchPercent = 40;     // of the time in submissions
constexpr uint64_t kElsewherePercent = 80;  // of the time in waits that no device ends
constexpr uint64_t kCollectivePercent = 10;
constexpr uint64_t kSyncsOfStep = 20, kSyncsOfSecond = 100;
constexpr uint64_t kShortSyncNs = 50'000;  // most of such a wait is the way to the device and back

uint64_t percent(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : part * 100 / whole; }

// Lost to a wait of which is known neither on what nor for whom: may be an idle server as well as a slow loader. Nor is
// it of one for a thread that looks for work now and then.
struct Unclear {
  uint64_t blocked = 0, poll = 0;
};
Unclear unclear_of(const TimeSums& sums, const Blame& blame) {
  Unclear found;
  found.blocked = sums.of(TimeClass::kBlocked).low;
  uint64_t looks_for_work = 0;
  for (const CauseShare& share : sums.causes) {
    const Cause& cause = blame.cause(share.cause);
    const bool is_unexplained = cause.is == TimeClass::kPoll || cause.is == TimeClass::kOtherWait;
    if (is_unexplained && cause.parent == 0) found.poll += share.low;
    if (is_unexplained && cause.parent != 0 && cause.is_timed_out) looks_for_work += share.low;
  }
  found.poll = std::min(found.poll, sums.of(TimeClass::kPoll).low + sums.of(TimeClass::kOtherWait).low);
  found.poll += looks_for_work;
  return found;
}

// In waits for a thread that rests: it sleeps, or its timer ended its wait.
uint64_t resting_ns(const TimeSums& sums, const Blame& blame) {
  uint64_t found = 0;
  for (const CauseShare& share : sums.causes) {
    const Cause& cause = blame.cause(share.cause);
    if (cause.parent != 0 && (cause.is == TimeClass::kSleep || (is_wait(cause.is) && cause.is_timed_out)))
      found += share.low;
  }
  return found;
}

// Whatever the thread did meanwhile, and whether that is known.
bool always_has_work(const Evaluated& evaluated, uint64_t total) {
  return evaluated.steps > 0 && percent(evaluated.sums.idle_high, total) < kEnterPercent;
}

struct Losses {
  std::array<uint64_t, static_cast<size_t>(Limit::kCount)> low{}, high{};
  void add(Limit one, const ClassTime& time) {
    low[static_cast<size_t>(one)] += time.low;
    high[static_cast<size_t>(one)] += time.high;
  }
};

Losses losses_of(const Evaluated& evaluated, const Unclear& unclear) {
  const TimeSums& sums = evaluated.sums;
  Losses found;
  found.add(Limit::kCopyBound, sums.of(TimeClass::kCopy));
  found.add(Limit::kAllocationBound, sums.of(TimeClass::kAllocate));
  found.add(Limit::kLaunchBound, sums.of(TimeClass::kSubmit));
  found.add(Limit::kStarvedOfCpu, sums.of(TimeClass::kCpuWait));
  found.add(Limit::kThrottled, sums.of(TimeClass::kThrottled));
  for (const TimeClass one : {TimeClass::kHost, TimeClass::kPageFault, TimeClass::kReclaim, TimeClass::kOtherCall}) {
    found.add(Limit::kHostBound, sums.of(one));
  }
  uint64_t waits_low = 0, waits_high = 0;
  for (const TimeClass one :
       {TimeClass::kDisk, TimeClass::kPipe, TimeClass::kSocket, TimeClass::kFutex, TimeClass::kPoll, TimeClass::kChild,
        TimeClass::kSleep, TimeClass::kDriver, TimeClass::kOtherWait}) {
    if (one == TimeClass::kSleep && !evaluated.counts_sleep) continue;
    waits_low += sums.of(one).low;
    waits_high += sums.of(one).high;
  }
  const uint64_t hidden = unclear.poll;
  waits_low -= std::min(waits_low, hidden);
  const uint64_t input = std::min(sums.input_low - std::min(sums.input_low, unclear.blocked + hidden), waits_low);
  found.low[static_cast<size_t>(Limit::kInputBound)] = input;
  found.high[static_cast<size_t>(Limit::kInputBound)] = input;
  found.low[static_cast<size_t>(Limit::kHostBound)] += waits_low - input;
  found.high[static_cast<size_t>(Limit::kHostBound)] += std::max(waits_high, waits_low) - input;
  return found;
}

bool synchronises_often(const Evaluated& evaluated, uint64_t total_ns) {
  if (evaluated.steps > 0) return evaluated.sums.syncs >= kSyncsOfStep * evaluated.steps;
  return evaluated.sums.syncs >= kSyncsOfSecond * std::max<uint64_t>(1, total_ns / 1'000'000'000);
}

// The largest of the losses, which are enough to name one.
LimitResult largest(Losses losses, const Unclear& unclear, uint64_t low, uint64_t total) {
  LimitResult result;
  size_t first = 0, second = 0;
  for (size_t i = 1; i < losses.low.size(); ++i) {
    if (losses.low[i] > losses.low[first]) {
      second = first;
      first = i;
    } else if (i != first && losses.low[i] > losses.low[second]) {
      second = i;
    }
  }
  result.low_ns = losses.low[first];
  result.high_ns = std::max(losses.low[first], losses.high[first]);
  if (unclear.blocked > result.low_ns || unclear.poll > result.low_ns) {
    result.why = unclear.blocked > result.low_ns ? NotKnown::kBlocked : NotKnown::kPoll;
    return result;
  }
  result.limit = static_cast<Limit>(first);
  result.is_high = percent(low, total) >= kHighPercent;
  if (second != first && losses.low[second] * 2 >= losses.low[first] && losses.low[second] > 0) {
    result.second = static_cast<Limit>(second);
  }
  return result;
}

// What a step waits for is of a step before: much more was submitted behind it by then, and the device goes on with
// that.
bool is_pipelined(const TimeSums& sums) {
  return sums.queued_behind * kMuchOfStep >= sums.submissions && sums.queued_behind > 0;
}

// Where the bounds are far apart, who waits for whom: in each step the device was asked for, and was done. What a
// thread does for half of such a step on its own is what the step takes.
std::optional<LimitResult> ahead_of(const Evaluated& evaluated, uint64_t total) {
  constexpr std::pair<Limit, TimeClass> kOwn[] = {{Limit::kHostBound, TimeClass::kHost},
                                                  {Limit::kLaunchBound, TimeClass::kSubmit},
                                                  {Limit::kCopyBound, TimeClass::kCopy},
                                                  {Limit::kAllocationBound, TimeClass::kAllocate}};
  const TimeSums& sums = evaluated.sums;
  const uint64_t waits = sums.of(TimeClass::kDeviceWait).ns + sums.of(TimeClass::kCommunication).ns;
  const bool is_asked = evaluated.steps >= kEnoughSteps && sums.syncs >= evaluated.steps;
  // In a pipeline a wait means that the device was behind by a step.
  if (is_pipelined(sums) && evaluated.waiting_steps * 10 >= evaluated.steps) return std::nullopt;
  if (!is_asked || percent(waits + sums.copy_or_wait_ns, total) >= kEnterPercent) return std::nullopt;
  LimitResult result;
  uint64_t own = 0;
  for (const auto& [limit, is] : kOwn) {
    own += sums.of(is).high;
    if (sums.of(is).high <= result.high_ns) continue;
    result.limit = limit;
    result.high_ns = sums.of(is).high;
  }
  result.device_always_done = true;
  return percent(own, total) >= kHalfPercent ? std::optional(result) : std::nullopt;
}

// Where the device is asked now and then but never waited for, nothing says when it was done. A thread that waits for
// something else, or sleeps, nearly all the time takes as long as that does.
std::optional<LimitResult> elsewhere(const Evaluated& evaluated, uint64_t total) {
  LimitResult result;
  for (const TimeClass one :
       {TimeClass::kDisk, TimeClass::kPipe, TimeClass::kSocket, TimeClass::kChild, TimeClass::kSleep}) {
    if (one == TimeClass::kSleep && !evaluated.counts_sleep) continue;
    result.high_ns += evaluated.sums.of(one).high;
  }
  result.limit = Limit::kHostBound;
  const bool is_nearly_all = evaluated.steps >= kEnoughSteps && percent(result.high_ns, total) >= kElsewherePercent;
  return is_nearly_all ? std::optional(result) : std::nullopt;
}

// Little is known to be lost: healthy, idle, limited by what is not seen as loss, or not known.
LimitResult without_loss(const Evaluated& evaluated, const Unclear& unclear, uint64_t total) {
  const TimeSums& sums = evaluated.sums;
  const uint64_t waits = sums.of(TimeClass::kDeviceWait).ns + sums.of(TimeClass::kCommunication).ns;
  LimitResult result;
  const auto limited = [&](Limit limit, uint64_t ns) {
    result.limit = limit;
    result.high_ns = ns;
    // How much of a submission or an allocation delays is not known here.
    result.is_high = limit == Limit::kCommunicationBound && percent(ns, total) >= kHighPercent;
    return result;
  };
  const auto not_known = [&](NotKnown why) {
    result.why = why;
    return result;
  };
  if (percent(sums.clients_ns, total) >= kHighPercent * 2) return limited(Limit::kIdle, 0);
  if (percent(unclear.blocked, total) >= kEnterPercent) return not_known(NotKnown::kBlocked);
  if (percent(unclear.poll, total) >= kEnterPercent) return not_known(NotKnown::kPoll);
  const uint64_t collective = sums.of(TimeClass::kCommunication).ns, submit = sums.of(TimeClass::kSubmit).ns;
  if (percent(collective, total) >= kCollectivePercent) return limited(Limit::kCommunicationBound, collective);
  if (always_has_work(evaluated, total)) return limited(Limit::kDeviceBound, 0);
  if (percent(submit, total) >= kLaunchPercent && percent(waits, total) < kEnterPercent) {
    return limited(Limit::kLaunchBound, submit);
  }
  const uint64_t allocate = sums.of(TimeClass::kAllocate).ns;
  // A steady program needs none of it; some of them wait for the device themselves.
  if (percent(allocate, total) >= kHighPercent && allocate >= submit && percent(waits, total) < kEnterPercent) {
    return limited(Limit::kAllocationBound, allocate);
  }
  // Small copies return before they are done: what the device did meanwhile is not known, what the thread did is.
  const uint64_t copies = sums.of(TimeClass::kCopy).ns;
  if (percent(copies, total) >= kHalfPercent && sums.copy_or_wait_ns * 4 < copies &&
      percent(waits, total) < kWidePercent)
    return limited(Limit::kCopyBound, copies);
  // Where there are steps, nine of ten of them; a thread that waits for half of its time waits in most, whatever they
  // are.
  const bool is_of_steps = evaluated.steps > 0 && evaluated.waiting_steps * 10 >= evaluated.steps * 9;
  const bool waits_mostly = is_of_steps || percent(waits, total) >= (evaluated.steps > 0 ? kHalfPercent : kHighPercent);
  // Far apart bounds are a pipeline's: device-bound if each step waits for the one before, or the thread has little
  // else to do.
  const bool is_narrow = percent(sums.lost_high(), total) <= kWidePercent;
  const uint64_t device_waits = sums.of(TimeClass::kDeviceWait).ns;
  const bool may_be_idle = percent(sums.idle_high, total) > kWidePercent;
  if (may_be_idle && synchronises_often(evaluated, total) && device_waits < sums.syncs * kShortSyncNs &&
      percent(device_waits, total) >= kHalfPercent) {
    return limited(Limit::kSyncBound, device_waits);
  }
  const bool is_behind = is_narrow || (is_of_steps && is_pipelined(sums));
  // Without steps a thread that waits a lot may lose as much: what was lost, and to what, is then not known.
  const bool is_surely_idle = evaluated.steps == 0 && percent(sums.idle_low, total) >= kHighPercent;
  if (waits_mostly && !is_surely_idle && percent(waits, total) >= (is_behind ? kEnterPercent : kMostlyPercent)) {
    return limited(Limit::kDeviceBound, 0);
  }
  if (!is_narrow && percent(sums.of(TimeClass::kBlocked).high, total) > kWidePercent) {
    return not_known(NotKnown::kBlocked);
  }
  if (percent(sums.of(TimeClass::kSleep).low, total) >= kEnterPercent) return limited(Limit::kIdle, 0);
  if (const auto ahead = is_narrow ? std::nullopt : ahead_of(evaluated, total)) return *ahead;
  if (const auto waits_elsewhere = is_narrow ? std::nullopt : elsewhere(evaluated, total)) return *waits_elsewhere;
  if (percent(sums.copy_or_wait_ns, total) > kUnknownPercent) return not_known(NotKnown::kCopyOrWait);
  const bool is_wide = percent(sums.lost_high(), total) > kWidePercent;
  if (is_wide && sums.unnamed_syncs * 2 > sums.syncs) return not_known(NotKnown::kUnnamedWaits);
  return not_known(is_wide ? NotKnown::kNobodyWaits : NotKnown::kTooShort);
}

}  // namespace

void Evaluated::add(const BudgetStep& step) {
  sums.add(step.sums);
  ++steps;
  if (step.sums.waits > 0) ++waiting_steps;
}

LimitResult evaluate(const Evaluated& evaluated, const Blame& blame, Limit before) {
  const TimeSums& sums = evaluated.sums;
  const uint64_t total = sums.total_ns();
  LimitResult result;
  if (total == 0 || (evaluated.steps < kEnoughSteps && total < kShortestNs)) {
    result.why = NotKnown::kTooShort;
    return result;
  }
  const ClassTime& stopped = sums.of(TimeClass::kStopped);
  if (percent(stopped.ns, total) >= (before == Limit::kStopped ? kLeavePercent : kEnterPercent)) {
    result.limit = Limit::kStopped;
    result.low_ns = stopped.low;
    result.high_ns = stopped.ns;
    result.is_high = percent(stopped.ns, total) >= kHighPercent;
    return result;
  }
  const bool is_unknown = percent(sums.of(TimeClass::kUnknown).ns - sums.copy_or_wait_ns, total) > kUnknownPercent;
  if (is_unknown && !always_has_work(evaluated, total)) {
    result.why = NotKnown::kTimeUnknown;
    return result;
  }
  // Without steps it is a server's thread that waits for requests of its own process, most likely.
  const uint64_t resting = evaluated.steps == 0 ? resting_ns(sums, blame) : 0;
  if (percent(resting, total) >= kHalfPercent) {
    result.limit = Limit::kIdle;
    result.high_ns = resting;
    return result;
  }
  const Unclear unclear = unclear_of(sums, blame);
  Losses losses = losses_of(evaluated, unclear);
  uint64_t low = 0;
  for (const uint64_t one : losses.low) low += one;
  if (percent(low, total) < (is_accusation(before) ? kLeavePercent : kEnterPercent)) {
    return without_loss(evaluated, unclear, total);
  }
  // The gaps behind many small synchronisations are one cause, whatever the thread did in them; but where it mostly
  // allocates, that is: to free memory synchronises.
  const bool allocates = losses.low[static_cast<size_t>(Limit::kAllocationBound)] * 2 > low;
  if (synchronises_often(evaluated, total) && sums.behind_sync_low * 2 > low && !allocates) {
    losses = Losses();
    losses.low[static_cast<size_t>(Limit::kSyncBound)] = sums.behind_sync_low;
    losses.high[static_cast<size_t>(Limit::kSyncBound)] = sums.behind_sync_low;
  }
  return largest(losses, unclear, low, total);
}

}  // namespace ingero::correlate
