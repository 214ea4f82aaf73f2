// Sums up collectives, waits and own work by window: see rank_windows.h for the invariants.
#include "correlate/rank_windows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hal/bounded.h"
#include "hal/same_start.h"

namespace ingero::correlate {
namespace {

constexpr uint64_t kChooseEveryNs = 1'000'000'000;
constexpr uint64_t kMaxBehind = 12;  // windows; a clock that was set, or a machine that slept
constexpr uint64_t kMaxAhead = 4;    // windows that have begun and were not given out

// The same on all ranks of a communicator.
uint64_t token_of(uint64_t comm_id_hash, const hal::Event& event) {
  uint64_t x = comm_id_hash ^ (event.call * 0x9e3779b97f4a7c15ULL) ^ (event.bytes * 0xff51afd7ed558ccdULL);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 31);
}

uint64_t median_of(std::vector<uint64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  const uint64_t below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

uint64_t part_of(uint64_t ns, double share) { return static_cast<uint64_t>(static_cast<double>(ns) * share); }

// The latest of what was noted by the end of `window`; nothing before it is needed any more.
std::optional<uint64_t> latest(std::map<uint64_t, uint64_t>& numbers, uint64_t window) {
  std::optional<uint64_t> number;
  while (!numbers.empty() && numbers.begin()->first <= window) {
    number = numbers.begin()->second;
    numbers.erase(numbers.begin());
  }
  return number;
}

// What was off the CPU until the end of `window`, which is not needed any more.
hal::OffCpu take_until(std::map<uint64_t, hal::OffCpu>& off, uint64_t window) {
  hal::OffCpu sum;
  while (!off.empty() && off.begin()->first <= window) {
    const hal::OffCpu& some = off.begin()->second;
    sum.preempted_ns += some.preempted_ns;
    sum.runqueue_ns += some.runqueue_ns;
    sum.blocked_ns += some.blocked_ns;
    sum.io_ns += some.io_ns;
    off.erase(off.begin());
  }
  return sum;
}

}  // namespace

void WaitSpans::add(uint64_t start_ns, uint64_t end_ns) {
  start_ns = std::max(start_ns, forgotten_until_ns_);
  if (end_ns <= start_ns) return;
  auto first = std::lower_bound(spans_.begin(), spans_.end(), start_ns,
                                [](const Span& span, uint64_t ns) { return span.end_ns < ns; });
  auto last = first;
  for (; last != spans_.end() && last->start_ns <= end_ns; ++last) {
    start_ns = std::min(start_ns, last->start_ns);
    end_ns = std::max(end_ns, last->end_ns);
  }
  auto at = spans_.insert(spans_.erase(first, last), {start_ns, end_ns, 0});
  uint64_t before_ns = forgotten_ns_;
  if (at != spans_.begin()) {
    const Span& previous = *std::prev(at);
    before_ns = previous.before_ns + previous.end_ns - previous.start_ns;
  }
  for (; at != spans_.end(); ++at) {
    at->before_ns = before_ns;
    before_ns += at->end_ns - at->start_ns;
  }
  if (spans_.size() <= kMaxSpans) return;
  forgotten_until_ns_ = spans_.front().end_ns;
  forgotten_ns_ += spans_.front().end_ns - spans_.front().start_ns;
  spans_.pop_front();
}

uint64_t WaitSpans::before(uint64_t ns) const {
  const auto next = std::lower_bound(spans_.begin(), spans_.end(), ns,
                                     [](const Span& span, uint64_t at) { return span.start_ns < at; });
  if (next == spans_.begin()) return forgotten_ns_;
  const Span& last = *std::prev(next);
  return last.before_ns + std::min(ns, last.end_ns) - last.start_ns;
}

void RankWindows::Sums::add(const Sums& other) {
  collectives += other.collectives;
  measured += other.measured;
  measured_bytes += other.measured_bytes;
  work_ns += other.work_ns;
  blocked += other.blocked;
  wait_ns += other.wait_ns;
  bytes += other.bytes;
  works.insert(works.end(), other.works.begin(), other.works.end());
}

void RankWindows::know(const hal::Process& process) {
  facts_.erase(process.pid);
  unranked_.erase(process.pid);
  if (process.rank >= kMaxRank) return;
  auto& facts = process.rank >= 0 ? facts_ : unranked_;
  hal::clear_if_full(facts, kMaxFacts, hal::Loss::fleet_forgotten, ledger_);
  const std::string& job = process.slurm_job.empty() ? process.launcher_job : process.slurm_job;
  facts.insert_or_assign(process.pid, Facts{process.rank, job, process.start_mono_ns});
}

void RankWindows::know(const hal::Communicator& communicator) {
  auto found = ranks_.find(communicator.pid);
  if (found == ranks_.end()) {
    if (communicator.ended_mono_ns) return;
    if (ranks_.size() >= kMaxRanks) return ledger_.add(hal::Loss::fleet_forgotten);  // (R4)
    found = ranks_.try_emplace(communicator.pid).first;
  }
  Rank& rank = found->second;
  auto known = rank.communicators.find(communicator.id);
  if (known == rank.communicators.end()) {
    if (communicator.ended_mono_ns) return;
    if (rank.communicators.size() >= kMaxCommunicators) return ledger_.add(hal::Loss::fleet_forgotten);  // (R4)
    known = rank.communicators.try_emplace(communicator.id).first;
    rank.own.reset();
    rank.has_ended = false;  // another process has its number
    rank.exit_wall_ns.reset();
    rank.ended_well = false;
    // 0: it is older than the recording, and so is the work before its first call.
    if (communicator.made_mono_ns != 0) {
      known->second.last_mono_ns = communicator.made_mono_ns;
      known->second.waited_ns = rank.waits.before(communicator.made_mono_ns);
    }
  }
  On& on = known->second;
  const bool ends = communicator.ended_mono_ns && !on.known.ended_mono_ns;
  on.known = communicator;
  rank.most_ranks = std::max(rank.most_ranks, static_cast<uint64_t>(std::max(0, communicator.nranks.value_or(0))));
  if (communicator.numbers_lost) {
    note_number(on, std::nullopt, 0);
    rank.sample.forget(communicator.id);
  }
  if (!ends || !on.has_collectives) return;
  rank.without_work.insert(window_of(*communicator.ended_mono_ns + static_cast<uint64_t>(wall_offset_ns_)));  // (R3)
}

uint64_t RankWindows::window_of(uint64_t wall_ns) const {
  const uint64_t window_ns = wall_ns - wall_ns % kPeriodNs;
  if (window_ns_ == 0) return window_ns;
  return std::clamp(window_ns, window_ns_, window_ns_ + kMaxAhead * kPeriodNs);  // (R1)
}

void RankWindows::take(std::span<const hal::Event> events, Exchanges exchanges, std::span<const CoveredSync> syncs,
                       int64_t wall_offset_ns) {
  wall_offset_ns_ = wall_offset_ns;
  for (const CoveredSync& sync : syncs) take(sync);
  auto next = exchanges.begin();
  for (size_t i = 0; i < events.size(); ++i) {
    const hal::Exchange* exchange = nullptr;
    if (next != exchanges.end() && next->first == i) exchange = &(next++)->second;
    take(events[i], exchange);
  }
  for (const CoveredSync& sync : syncs) leave(sync);  // what they covered has been entered by now
}

void RankWindows::leave(const CoveredSync& sync) {
  const auto found = ranks_.find(sync.pid);
  if (found == ranks_.end()) return;
  const uint64_t wall_ns = sync.end_mono_ns + static_cast<uint64_t>(wall_offset_ns_);
  for (const auto& [id, submitted_ns] : sync.submitted_mono_ns) {
    const auto on = found->second.communicators.find(id);
    if (on != found->second.communicators.end()) on->second.note_left(submitted_ns, wall_ns, window_of(wall_ns));
  }
  for (const auto& [id, number] : sync.numbers) {
    if (number) found->second.sample.leave(id, *number, sync.end_mono_ns + static_cast<uint64_t>(wall_offset_ns_));
  }
}

void RankWindows::take(const CoveredSync& sync) {
  const auto found = ranks_.find(sync.pid);
  if (found == ranks_.end()) return;
  const uint64_t length_ns = sync.end_mono_ns - sync.start_mono_ns;
  const bool has_blocked = length_ns >= kShortestWaitNs;
  if (has_blocked) found->second.waits.add(sync.start_mono_ns, sync.end_mono_ns);
  const uint64_t window = window_of(sync.end_mono_ns + static_cast<uint64_t>(wall_offset_ns_));
  for (const auto& [id, number] : sync.numbers) {
    const auto on = found->second.communicators.find(id);
    if (on == found->second.communicators.end()) continue;
    if (has_blocked) {
      Sums& sums = on->second.sums[window];
      ++sums.blocked;
      sums.wait_ns += length_ns;
    }
    if (number) on->second.left[window] = *number;
  }
}

// (R5)
void RankWindows::note_number(On& on, std::optional<uint64_t> number, uint64_t window) {
  if (number) {
    on.entered[window] = *number;
    return;
  }
  on.entered.clear();
  on.left.clear();
  on.entered_bytes.clear();
  on.last_entered.reset();
  on.last_left.reset();
  on.last_bytes.reset();
}

void RankWindows::note_call(Rank& rank, const hal::Event& event) {
  if (event.tid != rank.tid || event.has(hal::Has::kParent)) return;
  const bool has_returned = event.outcome < hal::Outcome::kInFlight;
  const uint64_t since_ns = event.start_wall_ns() + (has_returned ? event.duration_ns : 0);
  if (rank.activity && since_ns < rank.activity->since_ns) return;
  rank.activity = {has_returned ? Activity::kAfterCall : Activity::kInCall, event.call, event.tid, since_ns,
                   event.has(hal::Has::kStack) ? event.stack_id : 0};
}

// (R6)
void RankWindows::note_failure(On& on, const hal::Event& event, hal::Role role, uint64_t window) {
  const bool is_collective = event.kind == hal::Kind::kCollective && event.outcome == hal::Outcome::kReturned;
  if (role == hal::Role::kAbort || role == hal::Role::kRevoke || (is_collective && event.failed)) {
    on.failed_ns = window;
  } else if (is_collective && !on.known.ended_mono_ns) {
    on.failed_ns.reset();
  }
}

void RankWindows::take(const hal::Event& event, const hal::Exchange* exchange) {
  const auto found = ranks_.find(event.pid);
  if (found == ranks_.end()) {
    // (R2) Neither the communicator nor its process is known.
    const bool is_counted = exchange != nullptr && event.kind == hal::Kind::kCollective && !exchange->is_part &&
                            event.outcome == hal::Outcome::kReturned && !event.failed;
    if (is_counted) ledger_.add(hal::Loss::fleet_unknown);
    return;
  }
  Rank& rank = found->second;
  if (const auto host = calls_.host_op(event.call)) {
    if (*host == hal::HostOp::kExit) {
      rank.exit_wall_ns = event.start_wall_ns() + event.duration_ns;
      rank.ended_well = event.has(hal::Has::kReturnCode) && event.return_code == 0;
    }
    if (*host != hal::HostOp::kSchedSwitch || !event.has(hal::Has::kOffCpu)) return;
    if (!rank.last_mono_ns || !rank.threads.contains(event.tid)) return;
    if (rank.switches.size() >= kMaxSwitches) {
      rank.switches.pop_front();
      ledger_.add(hal::Loss::fleet_forgotten);
    }
    rank.switches.push_back({event.start_mono_ns, event.end_mono_ns(), event.tid, event.off});
    return;
  }
  if (!rank.threads.contains(event.tid) &&
      hal::has_room(rank.threads, kMaxThreads, hal::Loss::fleet_forgotten, ledger_)) {
    rank.threads.insert(event.tid);
  }
  if (rank.threads.contains(event.tid)) rank.active.insert(event.tid);
  if (exchange != nullptr && event.kind == hal::Kind::kCollective) rank.tid = event.tid;
  note_call(rank, event);
  if (exchange == nullptr) return;
  if (event.device_ref != 0) rank.device_ref = event.device_ref;
  const bool is_collective = event.kind == hal::Kind::kCollective && !exchange->is_part;
  const auto on =
      exchange->communicator_id ? rank.communicators.find(*exchange->communicator_id) : rank.communicators.end();
  const bool is_known = on != rank.communicators.end();
  // One that failed is not counted by the library, and of one that was open at the end no more is known.
  const bool is_counted = is_collective && event.outcome != hal::Outcome::kNeverReturned &&
                          (event.outcome != hal::Outcome::kReturned || !event.failed);
  const uint64_t window = window_of(event.start_wall_ns());
  if (is_known) note_failure(on->second, event, exchange->role, window);
  if (is_known && is_counted) {
    note_number(on->second, exchange->number, window);
    on->second.note_entered(event, exchange->number, window);
    if (exchange->number) on->second.entered_bytes[window] = event.has(hal::Has::kBytes) ? event.bytes : 0;
    on->second.call = event.call;
  }
  if (event.outcome == hal::Outcome::kInFlight) return;
  if (is_collective && event.outcome == hal::Outcome::kReturned && !event.failed) {
    if (!is_known) return ledger_.add(hal::Loss::fleet_unknown);
    enter(rank, on->second, event);
    if (exchange->number) sample(rank, on->second, event, *exchange->number);
  }
  if (!event.has(hal::Has::kDuration) || event.duration_ns < kShortestWaitNs) return;
  rank.waits.add(event.start_mono_ns, event.end_mono_ns());
  if (!is_known || exchange->is_part) return;
  Sums& sums = on->second.sums[window_of(event.start_wall_ns() + event.duration_ns)];
  ++sums.blocked;
  sums.wait_ns += event.duration_ns;
}

void RankWindows::enter(Rank& rank, On& on, const hal::Event& event) {
  const uint64_t entry_ns = event.start_mono_ns, window = window_of(event.start_wall_ns());
  Sums& sums = on.sums[window];
  ++sums.collectives;
  if (event.has(hal::Has::kBytes)) sums.bytes += event.bytes;
  const uint64_t waited_ns = rank.waits.before(entry_ns);
  if (on.last_mono_ns && *on.last_mono_ns <= entry_ns) {
    // Waits of other threads that had not ended then are known by now.
    const uint64_t before_ns = rank.waits.knows(*on.last_mono_ns) ? rank.waits.before(*on.last_mono_ns) : on.waited_ns;
    const uint64_t work_ns = entry_ns - *on.last_mono_ns - std::min(entry_ns - *on.last_mono_ns, waited_ns - before_ns);
    ++sums.measured;
    if (event.has(hal::Has::kBytes)) sums.measured_bytes += event.bytes;
    sums.work_ns += work_ns;
    if (hal::has_room(sums.works, kMaxWorks, hal::Loss::fleet_forgotten, ledger_)) sums.works.push_back(work_ns);
  }
  on.last_mono_ns = std::max(on.last_mono_ns.value_or(0), entry_ns);
  on.waited_ns = waited_ns;
  on.call = event.call;
  on.has_collectives = true;
  step(rank, on, event, window);
  settle_switches(rank, entry_ns, window);
  rank.last_mono_ns = entry_ns;
}

// By what all nodes call the communicator, or they would choose differently.
void RankWindows::sample(Rank& rank, const On& on, const hal::Event& event, uint64_t number) {
  const hal::Communicator& known = on.known;
  if (!known.comm_id_hash) return;
  SampledArrival arrival;
  arrival.communicator_id = known.id;
  arrival.number = number;
  arrival.entered_ns = event.start_wall_ns();
  arrival.call = event.call;
  if (event.has(hal::Has::kBytes)) arrival.bytes = event.bytes;
  rank.sample.enter(window_of(event.start_wall_ns()),
                    ArrivalSample::level_of(known.library_hash.value_or(*known.comm_id_hash), number),
                    ArrivalSample::limit_of(rank.most_ranks), arrival);
}

void RankWindows::step(Rank& rank, On& on, const hal::Event& event, uint64_t window) {
  const uint64_t entry_ns = event.start_mono_ns;
  CallFacts facts;
  facts.kind = hal::Kind::kLaunch;  // a token of its own for each communicator, call and size
  BudgetCall call;
  call.start_ns = call.end_ns = entry_ns;
  call.function = token_of(on.known.comm_id_hash.value_or(0), event);
  call.call = event.call;
  rank.finder.add(call, facts);
  if (entry_ns >= rank.chosen_mono_ns + kChooseEveryNs) {
    rank.chosen_mono_ns = entry_ns;
    rank.finder.choose();
  }
  for (const StepBoundary& boundary : rank.finder.take()) {
    const bool is_step = rank.step_mono_ns && !boundary.is_break;
    if (is_step && !rank.waits.knows(*rank.step_mono_ns)) {
      ledger_.add(hal::Loss::fleet_forgotten);  // more waits in it than are kept
    } else if (is_step) {
      const uint64_t length_ns = boundary.mono_ns - std::min(boundary.mono_ns, *rank.step_mono_ns);
      const uint64_t waited_ns = rank.waits.before(boundary.mono_ns) - rank.waits.before(*rank.step_mono_ns);
      auto& steps = rank.steps[window];
      if (hal::has_room(steps, kMaxWorks, hal::Loss::fleet_forgotten, ledger_)) {
        steps.push_back(length_ns - std::min(length_ns, waited_ns));
      }
    }
    rank.step_mono_ns = boundary.mono_ns;
    for (auto& [id, other] : rank.communicators) {
      other.steps[window] = boundary.is_break ? 0 : other.in_step;
      other.in_step = 0;
    }
  }
  ++on.in_step;
}

// Where one of its threads runs, the rank is not waiting for anything: a thread of PyTorch's that computes gradients
// sleeps while the main thread works, and the other way round.
void RankWindows::add_asleep(const Rank& rank, uint64_t mono_ns, hal::OffCpu& sum) {
  struct Change {
    uint64_t ns;
    int threads, in_io;
  };
  std::vector<Change> changes;
  for (const Switch& one : rank.switches) {
    const uint64_t asleep_ns = one.off.blocked_ns + one.off.io_ns;
    if (one.end_ns > mono_ns || asleep_ns == 0 || !rank.active.contains(one.tid)) continue;
    const int in_io = one.off.io_ns > one.off.blocked_ns ? 1 : 0;
    changes.push_back({one.start_ns, 1, in_io});
    changes.push_back({std::min(one.start_ns + asleep_ns, one.end_ns), -1, -in_io});
  }
  std::ranges::sort(changes, {}, [](const Change& change) { return std::pair(change.ns, change.threads); });
  const auto all = static_cast<int>(rank.active.size());
  int asleep = 0, in_io = 0;
  for (size_t i = 0; i + 1 < changes.size(); ++i) {
    asleep += changes[i].threads;
    in_io += changes[i].in_io;
    if (asleep < all) continue;
    const uint64_t from_ns = changes[i].ns, until_ns = changes[i + 1].ns;
    const uint64_t waited_ns = rank.waits.before(until_ns) - rank.waits.before(from_ns);
    (in_io > 0 ? sum.io_ns : sum.blocked_ns) += until_ns - from_ns - std::min(until_ns - from_ns, waited_ns);
  }
}

// What happened to the rank's threads between the last entry and this one, outside of its waits.
void RankWindows::settle_switches(Rank& rank, uint64_t mono_ns, uint64_t window) {
  hal::OffCpu& sum = rank.off[window];
  add_asleep(rank, mono_ns, sum);
  rank.active.clear();
  std::erase_if(rank.switches, [&](const Switch& one) {
    if (one.end_ns > mono_ns) return false;
    const uint64_t length_ns = one.end_ns - one.start_ns;
    if (length_ns == 0) return true;
    const uint64_t waited_ns = rank.waits.before(one.end_ns) - rank.waits.before(one.start_ns);
    const double own = 1 - static_cast<double>(std::min(waited_ns, length_ns)) / static_cast<double>(length_ns);
    sum.preempted_ns += part_of(one.off.preempted_ns, own);
    sum.runqueue_ns += part_of(one.off.runqueue_ns, own);
    return true;
  });
}

void RankWindows::lost(uint32_t pid, uint64_t wall_ns) {
  for (auto& [its, rank] : ranks_) {
    if (pid != 0 && its != pid) continue;
    rank.without_work.insert(window_of(wall_ns - std::min(wall_ns, kLossDelayNs)));  // (R3)
    rank.without_work.insert(window_of(wall_ns));
    for (auto& [id, on] : rank.communicators) {
      on.last_mono_ns.reset();
      on.begin_base();
    }
    rank.step_mono_ns.reset();
  }
}

void RankWindows::process_ended(uint32_t pid, uint64_t start_mono_ns) {
  const Facts* facts = facts_of(pid);
  if (facts != nullptr && !hal::same_start(facts->start_mono_ns, start_mono_ns)) return;
  const auto found = ranks_.find(pid);
  if (found != ranks_.end()) {
    found->second.has_ended = true;  // what is left of it is still to be given out
    return;
  }
  facts_.erase(pid);
  unranked_.erase(pid);
}

const RankWindows::Facts* RankWindows::facts_of(uint32_t pid) const {
  for (const auto* some : {&facts_, &unranked_}) {
    if (const auto found = some->find(pid); found != some->end()) return &found->second;
  }
  return nullptr;
}

// The ranks of a communicator that are on this machine.
struct RankWindows::Group {
  std::map<int32_t, uint32_t> processes;  // by rank
  std::set<uint32_t> members;
  int32_t nranks = 0;
  bool is_odd = false;  // two processes are one rank, or one is two

  bool is_whole() const {
    const auto count = static_cast<size_t>(std::max(0, nranks));
    return !is_odd && nranks >= 2 && processes.size() == count && members.size() == count;
  }
};

// By identity; of communicators of which that, or a rank or the size, is not known under 0, which is odd.
std::map<uint64_t, RankWindows::Group> RankWindows::groups() const {
  std::map<uint64_t, Group> groups;
  for (const auto& [pid, rank] : ranks_) {
    for (const auto& [id, on] : rank.communicators) {
      const hal::Communicator& known = on.known;
      const bool is_known = known.comm_id_hash && known.rank && known.nranks;
      Group& group = groups[is_known ? *known.comm_id_hash : 0];
      group.members.insert(pid);
      group.is_odd = group.is_odd || !is_known;
      if (!is_known) continue;
      group.is_odd = group.is_odd || (group.nranks != 0 && group.nranks != *known.nranks);
      group.nranks = *known.nranks;
      group.is_odd = !group.processes.emplace(*known.rank, pid).second || group.is_odd;
    }
  }
  return groups;
}

// Its members are in no communicator with others: then all that they are is on this machine, and whole.
void RankWindows::find_own_ranks() {
  const auto is_asked = [&](const auto& one) { return !one.second.own && unranked_.contains(one.first); };
  if (std::ranges::none_of(ranks_, is_asked)) return;
  const auto all = groups();
  std::map<uint32_t, std::vector<const Group*>> of_process;
  for (const auto& [identity, group] : all) {
    for (const uint32_t pid : group.members) of_process[pid].push_back(&group);
  }
  for (const auto& [identity, world] : all) {
    const bool is_closed =
        world.is_whole() && std::ranges::all_of(world.members, [&](uint32_t pid) {
          return unranked_.contains(pid) && std::ranges::all_of(of_process[pid], [&](const Group* other) {
                   return other->is_whole() && std::ranges::includes(world.members, other->members);
                 });
        });
    if (!is_closed) continue;
    for (const auto& [rank, pid] : world.processes) {
      auto& own = ranks_.at(pid).own;
      if (own) continue;
      own = unranked_.at(pid);
      own->rank = rank;
      if (own->job.empty()) own->job = fmt::format("localhost:{:016x}", identity);
    }
  }
}

std::vector<RankWindow> RankWindows::advance(uint64_t wall_ns) {
  const uint64_t current_ns = wall_ns - wall_ns % kPeriodNs;
  const bool is_unusable = window_ns_ == 0 || window_ns_ > current_ns + kPeriodNs;  // or the clock was set back
  if (is_unusable) window_ns_ = current_ns;
  if (current_ns > window_ns_ + kMaxBehind * kPeriodNs) window_ns_ = current_ns - kPeriodNs;
  std::vector<RankWindow> out;
  while (window_ns_ < current_ns) {
    auto some = cut(true);
    std::move(some.begin(), some.end(), std::back_inserter(out));
    window_ns_ += kPeriodNs;
  }
  return out;
}

std::vector<RankWindow> RankWindows::finish() {
  if (window_ns_ == 0) return {};
  std::vector<RankWindow> out;
  bool has_more = true;  // at most kMaxAhead windows have begun
  while (has_more) {
    auto some = cut(false);
    std::move(some.begin(), some.end(), std::back_inserter(out));
    window_ns_ += kPeriodNs;
    has_more = std::any_of(ranks_.begin(), ranks_.end(), [](const auto& rank) {
      const auto& all = rank.second.communicators;
      return std::any_of(all.begin(), all.end(), [](const auto& on) { return !on.second.sums.empty(); });
    });
  }
  return out;
}

std::vector<RankWindow> RankWindows::cut(bool with_work) {
  std::vector<RankWindow> out;
  find_own_ranks();
  for (auto at = ranks_.begin(); at != ranks_.end();) {
    auto& [pid, rank] = *at;
    const auto facts = facts_.find(pid);
    cut(facts != facts_.end() ? &facts->second : rank.own ? &*rank.own : nullptr, pid, rank, with_work, out);
    if (!rank.has_ended || !rank.communicators.empty()) {
      ++at;
      continue;
    }
    facts_.erase(pid);
    unranked_.erase(pid);
    at = ranks_.erase(at);
  }
  return out;
}

void RankWindows::On::note_latest(uint64_t window_ns) {
  if (const auto number = latest(entered, window_ns)) last_entered = number;
  if (const auto number = latest(left, window_ns)) last_left = number;
  if (const auto bytes = latest(entered_bytes, window_ns)) last_bytes = bytes;
  if (const auto count = latest(steps, window_ns)) of_step = *count;
  while (!progresses.empty() && progresses.begin()->first <= window_ns) {
    last_progress = std::move(progresses.begin()->second);
    progresses.erase(progresses.begin());
  }
}

// One that has not returned is entered, and what comes next may not have been.
void RankWindows::On::note_entered(const hal::Event& event, std::optional<uint64_t> number, uint64_t window_ns) {
  if (number && progress.base != 0) {  // they are known from here on
    progress = Progress();
    not_left.clear();
  } else if (!number && progress.base == 0) {
    begin_base();
  }
  Progress entered = progress;
  entered.entered = number.value_or(progress.entered + 1);
  entered.recent.emplace_back(event.call, event.has(hal::Has::kBytes) ? event.bytes : 0);
  if (entered.recent.size() > Progress::kMaxRecent) entered.recent.pop_front();
  if (event.outcome == hal::Outcome::kReturned) {
    progress = entered;
    not_left.emplace_back(event.end_mono_ns(), entered.entered);
    if (not_left.size() > kMaxNotLeft) not_left.pop_front();
  }
  progresses[window_ns] = std::move(entered);
}

void RankWindows::On::note_left(uint64_t submitted_mono_ns, uint64_t wall_ns, uint64_t window_ns) {
  bool is_any = false;
  for (; !not_left.empty() && not_left.front().first <= submitted_mono_ns; not_left.pop_front()) {
    progress.left = not_left.front().second;
    is_any = true;
  }
  if (!is_any) return;
  progress.left_ns = wall_ns;
  const auto behind = progresses.upper_bound(window_ns);
  const auto before = behind == progresses.begin() ? last_progress : std::optional(std::prev(behind)->second);
  progresses[window_ns] = before.value_or(progress);
  for (auto at = progresses.find(window_ns); at != progresses.end(); ++at) {
    at->second.left = progress.left;
    at->second.left_ns = wall_ns;
  }
}

// How many were lost is not known.
void RankWindows::On::begin_base() {
  const uint64_t base = last_base = last_base + 1;
  progress = Progress();
  progress.base = base;
  not_left.clear();
  progresses.clear();
  last_progress.reset();
}

// (R6)
bool RankWindows::On::is_over(uint64_t window_ns) const {
  const bool is_said = !failed_ns || window_ns >= *failed_ns + (kFailedWindows - 1) * kPeriodNs;
  return known.ended_mono_ns && is_said;
}

// At the end of a window in which it entered no collective, on no communicator.
std::optional<RankActivity> RankWindows::Rank::activity_of(uint64_t window_ns) const {
  const auto has_none = [&](const auto& on) {
    const auto end = on.second.sums.upper_bound(window_ns);
    return std::all_of(on.second.sums.begin(), end, [](const auto& one) { return one.second.collectives == 0; });
  };
  const bool stands_still = activity && activity->since_ns < window_ns + kPeriodNs &&
                            std::all_of(communicators.begin(), communicators.end(), has_none);
  return stands_still ? activity : std::nullopt;
}

void RankWindows::cut(const Facts* facts, uint32_t pid, Rank& rank, bool with_work, std::vector<RankWindow>& out) {
  std::vector<uint64_t> steps;
  while (!rank.steps.empty() && rank.steps.begin()->first <= window_ns_) {
    auto& some = rank.steps.begin()->second;
    steps.insert(steps.end(), some.begin(), some.end());
    rank.steps.erase(rank.steps.begin());
  }
  const hal::OffCpu off = take_until(rank.off, window_ns_);
  const auto last_without = rank.without_work.upper_bound(window_ns_);
  const bool is_gone = rank.is_gone_by(window_ns_ + kPeriodNs);
  with_work = with_work && !is_gone && last_without == rank.without_work.begin();
  rank.without_work.erase(rank.without_work.begin(), last_without);

  const auto activity = is_gone ? std::nullopt : rank.activity_of(window_ns_);
  std::map<uint64_t, size_t> of_identity;
  for (const auto& [id, on] : rank.communicators) {
    if (on.known.comm_id_hash && on.has_collectives) ++of_identity[*on.known.comm_id_hash];
  }
  for (auto at = rank.communicators.begin(); at != rank.communicators.end();) {
    On& on = at->second;
    Sums sums;
    while (!on.sums.empty() && on.sums.begin()->first <= window_ns_) {  // (R1)
      sums.add(on.sums.begin()->second);
      on.sums.erase(on.sums.begin());
    }
    on.note_latest(window_ns_);
    const hal::Communicator& known = on.known;
    const bool is_over = (on.is_over(window_ns_) || is_gone) && on.sums.empty();
    // A recording that ends leaves no later window for what has not been left.
    auto arrivals = rank.sample.take(known.id, window_ns_, kPeriodNs, is_over || !with_work);
    const int64_t nranks = known.nranks.value_or(0), comm_rank = known.rank.value_or(-1);
    // Two ranks in one process: which of them is the job's rank is not known.
    const bool is_named = facts != nullptr && known.comm_id_hash && of_identity[*known.comm_id_hash] == 1 &&
                          comm_rank >= 0 && comm_rank < nranks && nranks <= kMaxRank;
    if (!is_named) {
      ledger_.add(hal::Loss::fleet_unknown, sums.collectives);  // (R2)
    } else if (on.has_collectives) {
      RankWindow window;
      window.start_ns = window_ns_;
      window.end_ns = window_ns_ + kPeriodNs;
      window.pid = pid;
      window.job = facts->job;
      window.rank = static_cast<uint32_t>(facts->rank);
      window.comm_id_hash = *known.comm_id_hash;
      window.library_hash = known.library_hash;
      window.comm_rank = static_cast<uint32_t>(comm_rank);
      window.nranks = static_cast<uint32_t>(nranks);
      window.collectives = sums.collectives;
      window.blocked = sums.blocked;
      window.wait_ns = sums.wait_ns;
      window.bytes = sums.bytes;
      window.entered = on.last_entered;
      if (on.last_entered) window.left = on.last_left;
      if (on.last_entered) window.entered_bytes = on.last_bytes.value_or(0);
      window.progress = on.last_progress;
      if (is_gone && rank.ended_well) {  // it waited for nothing any more
        window.left = window.entered;
        if (window.progress) window.progress->left = window.progress->entered;
      }
      window.has_failed = on.failed_ns && *on.failed_ns <= window_ns_;
      window.is_gone = is_gone;
      window.call = on.call;
      window.off = off;
      window.device_ref = rank.device_ref;
      window.arrivals = std::move(arrivals);
      window.activity = activity;
      if (with_work && !sums.works.empty()) {
        window.measured = sums.measured;
        window.measured_bytes = sums.measured_bytes;
        window.work_ns = sums.work_ns;
        const bool has_steps = !steps.empty() && on.of_step > 0;
        window.median_ns = has_steps ? median_of(steps) / on.of_step : median_of(std::move(sums.works));
      }
      out.push_back(std::move(window));
    }
    at = is_over ? rank.communicators.erase(at) : std::next(at);
  }
}

}  // namespace ingero::correlate
