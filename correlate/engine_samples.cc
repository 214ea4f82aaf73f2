// What is not an event: arrivals at collectives, hangs, calls in flight, samples of machine, devices and adapters.
#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "correlate/engine_impl.h"

namespace ingero::correlate {
namespace {

// The first collectives of a communicator wait for ranks that are still starting.
constexpr uint64_t kColdRounds = 3;

std::string list_of(const std::vector<hal::CollectiveHang::Rank>& ranks) {
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
  if (number <= kColdRounds) return;
  if (impl.rounds.size() >= Impl::kMaxRounds) {
    impl.rounds.erase(impl.rounds.begin());
    impl.ledger.add(hal::Loss::engine_forgotten);
  }
  Impl::Round& round = impl.rounds[{comm_id_hash, number}];
  ++round.ranks;
  round.call = event.call;
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

void Engine::Impl::evaluate_arrivals(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found) {
  auto& sums = late.emplace_back(window, std::map<std::pair<uint64_t, uint32_t>, Lateness>{}).second;
  while (late.front().first + kTrailing <= window) late.pop_front();
  std::erase_if(rounds, [&](const auto& entry) {
    const auto& [key, round] = entry;
    const bool complete = round.ranks >= 2 && round.ranks >= comm_ranks[key.first];
    if (round.last_ns / kWindowNs > window) return false;
    if (!complete && round.first_ns / kWindowNs + kTrailing > window) return false;
    if (round.ranks < 2 || round.before_ns == 0) return true;
    Lateness& one = sums[{key.first, round.last_pid}];
    const uint64_t late_ns = round.last_ns - round.before_ns;
    ++one.rounds;
    one.late_ns += late_ns;
    one.call = round.call;
    one.rank = round.last_rank;
    if (late_ns > one.worst_ns) {
      one.worst_ns = late_ns;
      one.worst_at_ns = round.before_ns;
    }
    return true;
  });
  std::map<std::pair<uint64_t, uint32_t>, Lateness> total;
  for (const auto& [at, entries] : late) {
    for (const auto& [key, one] : entries) {
      Lateness& sum = total[key];
      sum.rounds += one.rounds;
      sum.late_ns += one.late_ns;
      sum.call = one.call;
      sum.rank = one.rank;
      if (one.worst_ns > sum.worst_ns) {
        sum.worst_ns = one.worst_ns;
        sum.worst_at_ns = one.worst_at_ns;
      }
    }
  }
  const Rule& its = rule(RuleId::late_rank);
  for (const auto& [key, one] : total) {
    if (one.rounds < its.count || one.late_ns < its.floor_ns || one.late_ns * 100 < kTrailing * kWindowNs * its.share) {
      continue;
    }
    Finding finding;
    finding.rule = RuleId::late_rank;
    finding.lost_ns = one.late_ns;
    const auto now = sums.find(key);
    finding.lost_now_ns = now == sums.end() ? 0 : now->second.late_ns;
    finding.number = one.rounds;
    finding.number_now = now == sums.end() ? 0 : now->second.rounds;
    finding.op = one.call;
    finding.subject = fmt::format("{:016x}", key.first);
    finding.detail = fmt::format("{} was the last to enter {} on communicator {:016x}: {} late in total, at most {}",
                                 one.rank ? fmt::format("rank {}", *one.rank) : fmt::format("pid {}", key.second),
                                 plural(one.rounds, "collective"), key.first, format_duration(one.late_ns),
                                 format_duration(one.worst_ns));
    finding.onset_mono_ns = one.worst_at_ns;
    found.emplace_back(&process_of(key.second), std::move(finding));
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

}  // namespace

void Engine::Impl::evaluate_flights(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found) {
  const uint64_t end = (window + 1) * kWindowNs;
  const Rule& its = rule(RuleId::never_returned);
  for (auto at = flights.begin(); at != flights.end();) {
    const auto& [key, flight] = *at;
    if (flight.end_mono_ns <= end) {
      at = flights.erase(at);
      continue;
    }
    const uint64_t start = key.second;
    if (start + kStuckNs <= end && !calls[flight.call].awaits_events) {
      ProcessState& process = process_of(flight.pid);
      // A call that usually takes as long is not a finding.
      const bool is_long = start + its.floor_ns <= end && usual_of(process, flight.call, nullptr) < its.floor_ns / 2;
      if (is_long || (calls[flight.call].prompt && always_quick(process, flight.call))) {
        Finding finding;
        finding.rule = RuleId::never_returned;
        finding.lost_ns = end - start;
        finding.lost_now_ns = kWindowNs;
        finding.number = 1;
        finding.op = flight.call;
        finding.subject = fmt::format("{}", key.first);
        finding.onset_mono_ns = start;
        finding.confidence = 1;
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
  finding.detail = fmt::format("{}, number {} on communicator {:016x}: {} waiting for {} for {}{}",
                               call.empty() ? "a collective" : printable(call), hang.number, hang.comm_id_hash,
                               list_of(hang.present), list_of(hang.missing), format_duration(hang.waited_ns),
                               hang.is_over ? "; it has since completed or its processes ended" : "");
  finding.onset_mono_ns = hang.entered_mono_ns;
  auto& waiting = impl.hanging[fnv1a(finding.subject)];
  waiting.clear();
  for (const auto& one : hang.present) waiting.push_back(one.pid);
  if (impl.hanging.size() > kMaxIncidents) impl.hanging.erase(impl.hanging.begin());
  if (impl.open_hangs.size() >= kMaxIncidents && !impl.open_hangs.contains(finding.subject)) {
    impl.ledger.add(hal::Loss::engine_forgotten);
    return;
  }
  const uint64_t from = (hang.entered_mono_ns + rule(RuleId::collective_hang).floor_ns) / kWindowNs;
  const uint64_t until = hang.is_over ? (hang.entered_mono_ns + hang.waited_ns) / kWindowNs : ~uint64_t{0};
  const std::string subject = finding.subject;
  impl.open_hangs[subject] = {std::move(finding), from, until};
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
