// Adds up the windows of a process, because rules look at several seconds at once.
#include "correlate/window.h"

#include <algorithm>
#include <cstring>

#include "correlate/rules.h"

namespace ingero::correlate {
namespace {

void add_to(KindSum& sum, const KindSum& other) {
  sum.calls += other.calls;
  sum.ns += other.ns;
  sum.bytes += other.bytes;
}

void add_to(hal::OffCpu& sum, const hal::OffCpu& other) {
  sum.preempted_ns += other.preempted_ns;
  sum.runqueue_ns += other.runqueue_ns;
  sum.blocked_ns += other.blocked_ns;
  sum.io_ns += other.io_ns;
}

// Those of the windows that rules look at all fit; an incident's sum, which may be longer, needs none.
void append(Intervals& intervals, const Intervals& other) {
  constexpr size_t kMax = kTrailing * kMaxIntervals;
  const size_t room = kMax - std::min(kMax, intervals.size());
  intervals.insert(intervals.end(), other.begin(),
                   other.begin() + static_cast<std::ptrdiff_t>(std::min(room, other.size())));
}

// Sorted, and those that touch made one.
Intervals joined(Intervals intervals) {
  std::sort(intervals.begin(), intervals.end());
  Intervals out;
  for (const auto& [from, to] : intervals) {
    if (!out.empty() && from <= out.back().second) {
      out.back().second = std::max(out.back().second, to);
    } else {
      out.emplace_back(from, to);
    }
  }
  return out;
}

}  // namespace

Preemptors::Named Preemptors::named(uint32_t own, uint64_t ns) const {
  std::map<std::string, Named> by_name;
  const Named* most = nullptr;
  for (const PreemptedBy& one : list_) {
    if (one.pid == own || one.comm.front() == '\0') continue;
    const std::string name(one.comm.data(), strnlen(one.comm.data(), one.comm.size()));
    Named& its = by_name[name];
    its.name = name;
    its.ns += one.ns;
    its.pids.push_back(one.pid);
  }
  for (const auto& [name, its] : by_name) {
    if (its.ns >= ns && (most == nullptr || its.ns > most->ns)) most = &its;
  }
  return most == nullptr ? Named() : *most;
}

Places::Place* Places::at(uint64_t stack_id) {
  for (Place& one : list_) {
    if (one.stack_id == stack_id) return &one;
  }
  if (list_.size() >= kMax) return nullptr;
  list_.push_back({stack_id, 0, {}});
  return &list_.back();
}

void Places::add(const Places& other) {
  for (const Place& one : other.list_) {
    Place* place = at(one.stack_id);
    if (place == nullptr) continue;
    place->bytes += one.bytes;
    keep_worse(place->largest, one.largest);
  }
}

const Places::Place* Places::most() const {
  const Place* most = nullptr;
  for (const Place& one : list_) {
    if (one.bytes <= 0) continue;
    if (most == nullptr || one.bytes > most->bytes || (one.bytes == most->bytes && one.stack_id < most->stack_id)) {
      most = &one;
    }
  }
  return most;
}

void StreamUsers::add(const User& user) {
  const std::pair key{user.tid, user.device_ref};
  const auto known = all_.find(key);
  if (known != all_.end()) {
    known->second.launches += user.launches;
    known->second.waited_ns += user.waited_ns;
  } else if (all_.size() < kMax) {
    all_.emplace(key, user);
  }
}

void StreamUsers::add(const StreamUsers& other) {
  for (const auto& [key, one] : other.all_) add(one);
}

void ProcessWindow::add(const ProcessWindow& other) {
  calls += other.calls;
  call_ns += other.call_ns;
  failed += other.failed;
  for (KindSum ProcessWindow::*kind :
       {&ProcessWindow::launches, &ProcessWindow::syncs, &ProcessWindow::copies, &ProcessWindow::small_results,
        &ProcessWindow::allocations, &ProcessWindow::frees, &ProcessWindow::collectives, &ProcessWindow::graph_launches,
        &ProcessWindow::captures, &ProcessWindow::reads, &ProcessWindow::writes}) {
    add_to(this->*kind, other.*kind);
  }
  for (uint64_t ProcessWindow::*number :
       {&ProcessWindow::allocated_bytes, &ProcessWindow::freed_bytes, &ProcessWindow::sync_blocked_ns,
        &ProcessWindow::unusual_blocked_ns, &ProcessWindow::switches, &ProcessWindow::other_switches,
        &ProcessWindow::switch_ns, &ProcessWindow::retransmits, &ProcessWindow::page_bytes, &ProcessWindow::page_allocs,
        &ProcessWindow::forks, &ProcessWindow::graph_lost_ns, &ProcessWindow::windows, &ProcessWindow::callers,
        &ProcessWindow::busy_windows, &ProcessWindow::worst_thread_ns, &ProcessWindow::worst_thread_io_ns}) {
    this->*number += other.*number;
  }
  add_to(in_calls, other.in_calls);
  add_to(threads, other.threads);
  add_to(others, other.others);
  places.add(other.places);
  default_stream.add(other.default_stream);
  call_preemptors.add(other.call_preemptors);
  thread_preemptors.add(other.thread_preemptors);
  other_preemptors.add(other.other_preemptors);
  for (Worst ProcessWindow::*worst :
       {&ProcessWindow::worst_cpu, &ProcessWindow::worst_io, &ProcessWindow::worst_blocked, &ProcessWindow::worst_copy,
        &ProcessWindow::worst_graph, &ProcessWindow::first_failed}) {
    (this->*worst).add(*(other.*worst));
  }
  slowest_io_ns = std::max(slowest_io_ns, other.slowest_io_ns);
  append(off, other.off);
  append(io, other.io);
}

uint64_t ProcessWindow::wanted_cpu_ns() const {
  return std::max(in_calls.preempted_ns + in_calls.runqueue_ns, threads.preempted_ns + threads.runqueue_ns);
}
uint64_t ProcessWindow::preempted_ns() const { return std::max(in_calls.preempted_ns, threads.preempted_ns); }
uint64_t ProcessWindow::io_ns() const { return std::max(in_calls.io_ns, threads.io_ns); }
uint64_t ProcessWindow::threads_at_once() const {
  return busy_windows == 0 ? 1 : std::max<uint64_t>(1, (callers + busy_windows - 1) / busy_windows);
}
uint64_t ProcessWindow::thread_wanted_ns() const {
  return std::max(worst_thread_ns, (in_calls.preempted_ns + in_calls.runqueue_ns) / threads_at_once());
}
uint64_t ProcessWindow::thread_io_ns() const {
  return std::max(worst_thread_io_ns, in_calls.io_ns / threads_at_once());
}
const Preemptors& ProcessWindow::preemptors() const {
  return thread_preemptors.total_ns() >= call_preemptors.total_ns() ? thread_preemptors : call_preemptors;
}

uint64_t ProcessWindow::io_overlap_ns() const {
  const Intervals requests = joined(io);
  uint64_t overlap = 0;
  auto request = requests.begin();
  for (const auto& [from, to] : joined(off)) {
    while (request != requests.end() && request->second <= from) ++request;
    for (auto at = request; at != requests.end() && at->first < to; ++at) {
      overlap += std::min(to, at->second) - std::max(from, at->first);
    }
  }
  return overlap;
}

}  // namespace ingero::correlate
