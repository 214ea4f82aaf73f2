// What is not an event: arrivals at collectives, hangs, calls in flight, samples of machine, devices and adapters.
#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "correlate/engine_impl.h"

namespace ingero::correlate {
namespace {

// The first collectives of a communicator wait for ranks that are still starting.
constexpr uint64_t kColdRounds = 3;
constexpr uint64_t kRoundKept = 12;  // windows that a collective waits for ranks that have not come

std::string rank_list(const std::vector<hal::CollectiveHang::Rank>& ranks) {
  std::string list;
  for (const auto& one : ranks) {
    if (!list.empty()) list += ", ";
    list += one.rank ? fmt::format("rank {} (pid {})", *one.rank, one.pid) : fmt::format("pid {}", one.pid);
  }
  return list.empty() ? "a rank that is not on this host" : list;
}

}  // namespace

void Engine::add_arrival(const hal::Event& event, uint64_t comm_id_hash, uint64_t number, std::optional<int32_t> rank) {
  Impl& impl = *impl_;
  if (impl.rounds.size() >= Impl::kMaxRounds) {
    impl.rounds.erase(impl.rounds.begin());
    impl.ledger.add(hal::Loss::engine_forgotten);
  }
  Impl::Round& round = impl.rounds[{comm_id_hash, number}];
  ++round.ranks;
  round.call = event.call;
  round.is_cold = number <= kColdRounds;
  if (impl.submitted.size() >= kMaxProcesses && !impl.submitted.contains(event.pid)) {
    impl.submitted.erase(impl.submitted.begin());
    impl.ledger.add(hal::Loss::engine_forgotten);
  }
  const auto stack = event.has(hal::Has::kStack) ? std::optional(event.stack_id) : std::nullopt;
  push_last(impl.submitted[event.pid],
            {comm_id_hash, number, event.start_mono_ns, event.call, event.tid, whole_ms(event.wall_offset_ns), stack},
            Impl::kMaxSubmitted);
  impl.note_entry(event, round, rank);
  if (impl.comm_pids.size() >= kMaxIncidents && !impl.comm_pids.contains(comm_id_hash)) {
    impl.comm_pids.erase(impl.comm_pids.begin());
  }
  auto& peers = impl.comm_pids[comm_id_hash];
  if (peers.size() < Impl::kMaxPeers && std::find(peers.begin(), peers.end(), event.pid) == peers.end()) {
    peers.push_back(event.pid);
  }
  if (impl.rank_on.size() >= Impl::kMaxRounds) impl.rank_on.clear();
  impl.rank_on[{comm_id_hash, event.pid}] = rank;
  const uint64_t at = event.start_mono_ns;
  round.first_ns = std::min(round.first_ns, at);
  if (at > round.last_ns) {
    round.before_ns = round.last_ns;
    round.last_ns = at;
    round.last_pid = event.pid;
    round.last_rank = rank;
  } else {
    round.before_ns = std::max(round.before_ns, at);
  }
  uint32_t& most = impl.comm_ranks[comm_id_hash];
  most = std::max(most, round.ranks);
}

void Engine::Impl::Lateness::add(const Lateness& other) {
  rounds += other.rounds;
  late_ns += other.late_ns;
  call = other.call;
  rank = other.rank;
  first_at_ns = std::min(first_at_ns, other.first_at_ns);
  if (other.worst_ns <= worst_ns) return;
  worst_ns = other.worst_ns;
  worst_comm = other.worst_comm;
}

// Ranks must call the same collective with the same size at the same place of their communicator's order.
void Engine::Impl::note_entry(const hal::Event& event, Round& round, std::optional<int32_t> rank) {
  const auto bytes = event.has(hal::Has::kBytes) ? std::optional(event.bytes) : std::nullopt;
  bool differs = false;
  if (!round.entries.empty()) {
    const auto sized = std::ranges::find_if(round.entries, [](const auto& one) { return one.bytes.has_value(); });
    differs =
        round.entries.front().call != event.call || (sized != round.entries.end() && bytes && *sized->bytes != *bytes);
  }
  round.differs |= differs;
  const auto stack = event.has(hal::Has::kStack) ? std::optional(event.stack_id) : std::nullopt;
  const Round::Entry entry{
      event.pid, rank, event.call, bytes, event.start_mono_ns, event.tid, whole_ms(event.wall_offset_ns), stack};
  if (round.entries.size() < kMaxEntries) {
    round.entries.push_back(entry);
  } else if (differs) {
    round.entries.back() = entry;
  }
}

void Engine::Impl::evaluate_mismatches(std::vector<std::pair<ProcessState*, Finding>>& found) {
  for (auto& [key, round] : rounds) {
    if (!round.differs || round.is_reported) continue;
    round.is_reported = true;
    if (out_of_step.size() >= kMaxIncidents) out_of_step.clear();
    if (!out_of_step.insert(key.first).second) continue;  // what comes after it is out of step, too
    // The odd one out: whose call the fewest others made; of equals the last to come.
    const bool by_call = std::ranges::any_of(
        round.entries, [&](const Round::Entry& one) { return one.call != round.entries.front().call; });
    std::map<uint64_t, size_t> votes;
    const auto vote_of = [&](const Round::Entry& one) { return by_call ? uint64_t{one.call} : one.bytes.value_or(0); };
    for (const Round::Entry& one : round.entries) ++votes[vote_of(one)];
    const Round::Entry* odd = nullptr;
    std::string list;
    for (const Round::Entry& one : round.entries) {
      const bool has_vote = by_call || one.bytes;  // a size that is not known may be the others'
      if (has_vote && (odd == nullptr || votes[vote_of(one)] <= votes[vote_of(*odd)])) odd = &one;
      list += fmt::format("{}{} (pid {}) {}{}", list.empty() ? "" : ", ",
                          one.rank ? fmt::format("rank {}", *one.rank) : "a rank", one.pid, calls[one.call].op,
                          one.bytes ? " of " + format_bytes(*one.bytes) : "");
    }
    if (const uint64_t unlisted = round.ranks - round.entries.size(); unlisted > 0) {
      list += fmt::format(", and {} more", unlisted);
      ledger.add(hal::Loss::engine_forgotten, unlisted);
    }
    Finding finding;
    finding.rule = RuleId::collective_mismatch;
    finding.number = finding.number_now = 1;
    finding.confidence = 1;
    finding.op = odd->call;
    finding.subject = fmt::format("{:016x}", key.first);
    finding.detail = fmt::format("collective {} of communicator {:016x} differs: {}", key.second, key.first, list);
    finding.onset_mono_ns = round.first_ns;
    found.emplace_back(&process_of(odd->pid), std::move(finding));
  }
}

std::map<uint32_t, std::pair<Engine::Impl::Lateness, uint64_t>> Engine::Impl::lateness() const {
  std::map<uint64_t, std::map<uint32_t, Lateness>> by_communicator;
  for (const auto& [window, entries] : late) {
    for (const auto& [on, one] : entries) by_communicator[on.first][on.second].add(one);
  }
  std::map<uint32_t, std::pair<Lateness, uint64_t>> sums;
  for (const auto& [communicator, ranks] : by_communicator) {
    uint64_t all_ns = 0;
    for (const auto& [pid, one] : ranks) all_ns += one.late_ns;
    for (const auto& [pid, one] : ranks) {
      auto& [own, others_ns] = sums[pid];
      own.add(one);
      others_ns += all_ns - one.late_ns;
    }
  }
  return sums;
}

// How many ranks a collective of the communicator has, as far as has been seen.
uint64_t Engine::Impl::ranks_that_come(uint64_t comm_id_hash) const {
  uint64_t ranks = 0;
  if (const auto most = comm_ranks.find(comm_id_hash); most != comm_ranks.end()) ranks = most->second;
  const auto peers = comm_pids.find(comm_id_hash);
  if (peers == comm_pids.end()) return ranks;
  const auto goes_on = [this](uint32_t pid) {
    const auto process = by_pid.find(pid);
    return process != by_pid.end() && !process->second->ended_mono_ns;
  };
  return std::max<uint64_t>(ranks, static_cast<uint64_t>(std::ranges::count_if(peers->second, goes_on)));
}

void Engine::Impl::evaluate_arrivals(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found) {
  evaluate_mismatches(found);
  auto& sums = late.emplace_back(window, std::map<LateOn, Lateness>{}).second;
  while (late.front().first + kTrailing <= window) late.pop_front();
  struct Complete {
    uint64_t comm;
    Round round;
  };
  std::map<uint64_t, uint64_t> ranks_now;
  const auto ranks_of = [&](uint64_t comm) {
    const auto [at, is_new] = ranks_now.try_emplace(comm, 0);
    if (is_new) at->second = ranks_that_come(comm);
    return at->second;
  };
  std::vector<Complete> complete_rounds;
  std::erase_if(rounds, [&](const auto& entry) {
    const auto& [key, round] = entry;
    if (round.last_ns / kWindowNs > window) return false;
    // Before all have come it is not known who is the last; what lasts longer hangs, which is another rule's.
    if (round.ranks < 2 || round.ranks < ranks_of(key.first)) return round.first_ns / kWindowNs + kRoundKept <= window;
    if (round.before_ns != 0 && !round.is_cold) complete_rounds.push_back({key.first, round});
    return true;
  });
  std::sort(complete_rounds.begin(), complete_rounds.end(), [](const Complete& a, const Complete& b) {
    return a.round.before_ns != b.round.before_ns ? a.round.before_ns < b.round.before_ns : a.comm < b.comm;
  });
  for (const auto& [comm, round] : complete_rounds) {
    Lateness& one = sums[{comm, round.last_pid}];
    uint64_t& until = late_until[round.last_pid];
    const uint64_t from = std::max(round.before_ns, until);
    until = std::max(until, round.last_ns);
    const uint64_t late_ns = round.last_ns > from ? round.last_ns - from : 0;
    one.add({1, late_ns, from, late_ns, comm, round.call, round.last_rank});
    late_in_all[round.last_pid] += late_ns;
  }
  if (late_until.size() > kMaxIncidents) late_until.clear();
  if (late_in_all.size() > kMaxIncidents) late_in_all.clear();
  std::map<uint32_t, Lateness> last;
  for (const auto& [on, one] : sums) last[on.second].add(one);
  const Rule& its = rule(RuleId::late_rank);
  for (const auto& [pid, of_it] : lateness()) {
    const auto& [one, others_ns] = of_it;
    // Where ranks are late in turn, none of them is the cause.
    const uint64_t more_ns = one.late_ns - std::min(one.late_ns, others_ns);
    if (one.rounds < its.count || more_ns < its.floor_ns || more_ns * 100 < kTrailing * kWindowNs * its.share) continue;
    Finding finding;
    finding.rule = RuleId::late_rank;
    finding.lost_ns = one.late_ns;
    const Lateness now = last[pid];
    finding.lost_now_ns = now.late_ns;
    finding.number = one.rounds;
    finding.number_now = now.rounds;
    finding.op = one.call;
    finding.detail = fmt::format("{} (pid {})", one.rank ? fmt::format("rank {}", *one.rank) : "a rank", pid);
    finding.cause = fmt::format("{:016x}", one.worst_comm);
    finding.longest_ns = one.worst_ns;
    finding.onset_mono_ns = one.first_at_ns;
    found.emplace_back(&process_of(pid), std::move(finding));
  }
}

namespace {

bool always_quick(const ProcessState& process, hal::CallId call) {
  uint64_t times = 0;
  for (const Series* series : process.series) {
    if (series->call != call) continue;
    if (series->slowest_ns > kStuckNs / 10) return false;
    times += series->baseline.lifetime();
  }
  return times >= kStuckCalls;
}

Finding never_returned(uint32_t tid, hal::CallId call, uint64_t start_mono_ns, uint64_t lost_ns) {
  Finding finding;
  finding.rule = RuleId::never_returned;
  finding.lost_ns = lost_ns;
  finding.number = 1;
  finding.op = call;
  finding.subject = fmt::format("{}", tid);
  finding.onset_mono_ns = start_mono_ns;
  finding.confidence = 1;
  return finding;
}

}  // namespace

void Engine::Impl::evaluate_flights(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found) {
  const uint64_t end = (window + 1) * kWindowNs;
  const Rule& its = rule(RuleId::never_returned);
  for (auto at = flights.begin(); at != flights.end();) {
    auto& [key, flight] = *at;
    const uint64_t start = key.second;
    if (flight.end_mono_ns <= end) {
      if (flight.is_reported) {
        Finding finding = never_returned(key.first, flight.call, start, flight.end_mono_ns - start);
        finding.has_returned = true;
        found.emplace_back(&process_of(flight.pid), std::move(finding));
      }
      at = flights.erase(at);
      continue;
    }
    if (start + kStuckNs <= end && !calls[flight.call].awaits_events) {
      ProcessState& process = process_of(flight.pid);
      // A call that usually takes as long is not a finding.
      const bool is_long = start + its.floor_ns <= end && usual_of(process, flight.call, nullptr) < its.floor_ns / 2;
      if (is_long || (calls[flight.call].prompt && always_quick(process, flight.call))) {
        Finding finding = never_returned(key.first, flight.call, start, end - start);
        finding.lost_now_ns = kWindowNs;
        Sample sample;
        sample.start_mono_ns = start;
        sample.duration_ns = end - start;
        sample.pid = flight.pid;
        sample.tid = key.first;
        sample.call = flight.call;
        sample.wall_offset_ns = flight.wall_offset_ns;
        sample.has_stack = flight.has_stack;
        sample.stack_id = flight.stack_id;
        finding.sample = sample;
        found.emplace_back(&process, std::move(finding));
        flight.is_reported = true;
      }
    }
    ++at;
  }
}

void Engine::add_hang(const hal::CollectiveHang& hang, std::string_view call) {
  Impl& impl = *impl_;
  Finding finding;
  finding.rule = RuleId::collective_hang;
  finding.number = 1;
  finding.lost_ns = hang.waited_ns;
  finding.confidence = 1;
  finding.subject = fmt::format("{:016x}/{}", hang.comm_id_hash, hang.number);
  finding.detail = fmt::format("{}, number {} on communicator {:016x}: {} waiting for {}{}",
                               call.empty() ? "a collective" : printable(call), hang.number, hang.comm_id_hash,
                               rank_list(hang.present), rank_list(hang.missing),
                               hang.is_over ? "; it has since completed or its processes ended" : "");
  finding.onset_mono_ns = hang.entered_mono_ns;
  finding.lost_now_ns = kWindowNs;  // it goes on
  if (hang.is_over) finding.end_mono_ns = hang.entered_mono_ns + hang.waited_ns;
  auto& waiting = impl.hanging[fnv1a(finding.subject)];
  waiting.clear();
  for (const auto& one : hang.present) waiting.push_back(one.pid);
  for (const auto& one : hang.missing) finding.absent.push_back(one.pid);
  if (impl.hanging.size() > kMaxIncidents) impl.hanging.erase(impl.hanging.begin());
  if (impl.open_hangs.size() >= kMaxIncidents && !impl.open_hangs.contains(finding.subject)) {
    impl.ledger.add(hal::Loss::engine_forgotten);
    return;
  }
  const uint64_t from = (hang.entered_mono_ns + rule(RuleId::collective_hang).floor_ns) / kWindowNs;
  const uint64_t until = hang.is_over ? (hang.entered_mono_ns + hang.waited_ns) / kWindowNs : ~uint64_t{0};
  const std::string subject = finding.subject;
  impl.open_hangs[subject] = {std::move(finding), from, until, hang.comm_id_hash, hang.missing};
}

void Engine::add_snapshot(const hal::SystemSnapshot& snapshot, uint64_t mono_ns) {
  // Its timestamp comes from the wall clock, whose offset is measured every second and varies by nanoseconds: rounded
  // to the millisecond it is the same live and replayed.
  impl_->snapshots.emplace_back(snapshot, whole_ms(mono_ns));
  if (impl_->snapshots.size() > kMaxIncidents) impl_->snapshots.pop_front();
}

void Engine::add_throttling(const hal::Throttling& throttling) {
  impl_->throttling.push_back(throttling);
  if (impl_->throttling.size() > kMaxIncidents) impl_->throttling.pop_front();
}

void Engine::add_affinity(const hal::Affinity& affinity) {
  if (!impl_->affinities.add(affinity)) impl_->ledger.add(hal::Loss::engine_forgotten);
}

void Engine::add_device_error(const hal::DeviceError& error) {
  Finding finding;
  finding.rule = RuleId::device_error;
  finding.number = finding.number_now = 1;
  finding.confidence = 1;
  finding.subject = fmt::format("{} {} {}", error.kind, error.code.value_or(-1), error.pci_address);
  finding.detail = fmt::format("{}{}{}{}", printable(error.kind), error.code ? fmt::format(" {}", *error.code) : "",
                               error.pci_address.empty() ? "" : " on device " + printable(error.pci_address),
                               error.meaning.empty() ? "" : ": " + printable(error.meaning));
  finding.onset_mono_ns = error.mono_ns;
  impl_->pend(error.mono_ns, nullptr, std::move(finding));
}

void Engine::add_device_sample(const hal::DeviceSample& sample, uint64_t mono_ns) {
  for (const hal::Device& device : sample.devices) {
    std::string reasons;
    for (const hal::Reading& reading : device.readings) {
      if (reading.id == hal::ReadingId::memory_free_bytes && reading.value >= 0 && device.parent_uuid.empty()) {
        impl_->free_memory.push_back({mono_ns, static_cast<uint64_t>(reading.value), sample.devices.size()});
        if (impl_->free_memory.size() > kMaxIncidents) impl_->free_memory.pop_front();
      }
      const bool held =
          reading.id == hal::ReadingId::throttle_thermal_active || reading.id == hal::ReadingId::throttle_hw_active;
      if (!held || reading.value <= 0) continue;
      const std::string_view word =
          reading.id == hal::ReadingId::throttle_thermal_active ? "heat" : "hardware slowdown";
      reasons += fmt::format("{}{}", reasons.empty() ? "" : " and ", word);
    }
    if (reasons.empty()) continue;
    Finding finding;
    finding.rule = RuleId::device_throttling;
    finding.number = finding.number_now = 1;
    finding.confidence = 1;
    finding.subject = device.uuid;
    finding.detail =
        fmt::format("{} ({}) is throttling its clocks: {}", device.name.empty() ? "the device" : printable(device.name),
                    printable(device.uuid), reasons);
    finding.onset_mono_ns = mono_ns;
    impl_->pend(mono_ns, nullptr, std::move(finding));
  }
}

void Engine::add_fabric_sample(const hal::FabricSample& sample, uint64_t mono_ns) {
  Impl& impl = *impl_;
  if (impl.wall_offset_ns == 0) impl.wall_offset_ns = whole_ms(static_cast<int64_t>(sample.wall_ns - mono_ns));
  if (!impl.fabric.add(sample, whole_ms(mono_ns))) impl.ledger.add(hal::Loss::engine_forgotten);
}

}  // namespace ingero::correlate
