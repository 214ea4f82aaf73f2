// A made-up program and its device: threads that submit, wait and compute, a device that works in order on each stream
// and writes down when it was busy. What the budget says is compared with that.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "correlate/budget.h"
#include "correlate/budget_summary.h"
#include "numbers.h"

namespace ingero::correlate::testing {

inline constexpr uint64_t kUs = 1000, kSec = 1'000'000'000;

enum BudgetCallId : hal::CallId {
  kDoLaunch,
  kDoStreamSync,
  kDoDeviceSync,
  kDoCopy,  // returns when it is done
  kDoCopyAsync,
  kDoRecord,  // a marker
  kDoEventSync,
  kDoQuery,  // of a stream
  kDoAlloc,
  kDoSwitch,
  kDoExit,
};

inline void describe(Budget& budget) {
  const auto gpu = [&](BudgetCallId id, std::string_view name, hal::Kind kind, bool synchronising = false,
                       bool async = false) {
    budget.set_call(id, make_facts(name, name, "RUNTIME", "acme", kind, synchronising, false, async));
  };
  gpu(kDoLaunch, "acmeLaunch", hal::Kind::kLaunch);
  gpu(kDoStreamSync, "acmeStreamSynchronize", hal::Kind::kSync, true);
  gpu(kDoDeviceSync, "acmeDeviceSynchronize", hal::Kind::kSync, true);
  gpu(kDoCopy, "acmeMemcpy", hal::Kind::kMemcpy, true);
  gpu(kDoCopyAsync, "acmeMemcpyAsync", hal::Kind::kMemcpy, false, true);
  gpu(kDoRecord, "acmeEventRecord", hal::Kind::kEvent);
  gpu(kDoEventSync, "acmeEventSynchronize", hal::Kind::kSync, true);
  gpu(kDoQuery, "acmeStreamQuery", hal::Kind::kStream);
  gpu(kDoAlloc, "acmeMalloc", hal::Kind::kAlloc);
  budget.set_call(kDoSwitch, make_facts("sched_switch", "sched_switch", "HOST", "host", hal::Kind::kHost, false));
  budget.set_call(kDoExit, make_facts("process_exit", "process_exit", "HOST", "host", hal::Kind::kHost, false));
}

struct Given {  // in the order in which it happened to end
  hal::Event event;
  std::optional<hal::Wait> wait;
};

// The world: one process with threads, each with its own clock; a device with streams.
class World {
 public:
  static constexpr uint32_t kPid = 700;
  explicit World(uint64_t start_ns = 5000 * kSec) : start_ns_(start_ns) {
    process_.pid = kPid;
    process_.parent_pid = 1;
    process_.comm = "train";
    process_.start_mono_ns = start_ns - kMs;
  }

  uint64_t& now(uint32_t tid) { return clocks_.try_emplace(tid, start_ns_).first->second; }
  void run(uint32_t tid, uint64_t ns) { now(tid) += ns; }

  // Off the CPU: asleep on `kind` until woken, then in the run queue.
  void sleep(uint32_t tid, hal::WaitKind kind, uint64_t ns, uint32_t waker = 0, uint64_t queued_ns = 0,
             uint32_t pid = kPid, std::optional<uint64_t> object = std::nullopt, bool timed_out = false) {
    Given given{switch_of(tid, ns + queued_ns, pid), std::nullopt};
    (kind == hal::WaitKind::kDisk ? given.event.off.io_ns : given.event.off.blocked_ns) = ns;
    given.event.off.runqueue_ns = queued_ns;
    if (with_waits) {
      hal::Wait wait;
      wait.kind = kind;
      wait.object = object;
      wait.is_timed_out = timed_out;
      if (waker != 0) wait.waker = hal::Waker{pid_of(waker), waker, std::nullopt, false, {}};
      given.wait = wait;
    }
    this->given.push_back(given);
    now(tid) += ns + queued_ns;
  }
  void preempt(uint32_t tid, uint64_t ns, bool is_throttled = false) {
    Given given{switch_of(tid, ns, kPid), std::nullopt};
    given.event.off.preempted_ns = ns;
    if (with_waits) {
      given.wait = hal::Wait{};
      given.wait->kind = is_throttled ? hal::WaitKind::kThrottled : hal::WaitKind::kPreempted;
    }
    this->given.push_back(given);
    now(tid) += ns;
  }

  void launch(uint32_t tid, uint64_t stream, uint64_t device_ns, uint64_t call_ns = 5 * kUs, uint64_t function = 1) {
    hal::Event event = call(kDoLaunch, hal::Kind::kLaunch, tid, call_ns, stream);
    event.function = function;
    event.set(hal::Has::kFunction);
    given.push_back({event, std::nullopt});
    work(stream, event.start_mono_ns + call_ns / 2, device_ns);
  }
  void copy_async(uint32_t tid, uint64_t stream, hal::Direction direction, uint64_t bytes, uint64_t device_ns,
                  uint64_t call_ns = 6 * kUs) {
    hal::Event event = call(kDoCopyAsync, hal::Kind::kMemcpy, tid, call_ns, stream);
    moves(event, direction, bytes);
    given.push_back({event, std::nullopt});
    work(stream, event.start_mono_ns + 3 * kUs, device_ns);
  }
  // Blocking: after the stream's earlier work.
  void copy(uint32_t tid, uint64_t stream, hal::Direction direction, uint64_t bytes, uint64_t device_ns) {
    const uint64_t begin = now(tid);
    const uint64_t from = std::max(begin + kUs, stream_until_[stream]);
    const uint64_t end = from + device_ns;
    busy.push_back({from, end});
    stream_until_[stream] = end;
    hal::Event event = call(kDoCopy, hal::Kind::kMemcpy, tid, end + 2 * kUs - begin, stream);
    moves(event, direction, bytes);
    given.push_back({event, std::nullopt});
  }
  void record(uint32_t tid, uint64_t stream, uint64_t handle) {
    hal::Event event = call(kDoRecord, hal::Kind::kEvent, tid, 2 * kUs, stream);
    event.handle = handle;
    event.set(hal::Has::kHandle);
    given.push_back({event, std::nullopt});
    marks_[handle] = stream_until_[stream];
  }
  enum class How { kSpin, kSleep };
  void stream_sync(uint32_t tid, uint64_t stream, How how = How::kSpin) {
    wait(tid, stream_until_[stream], how, kDoStreamSync, [&](hal::Event& event) {
      event.stream = stream;
      event.set(hal::Has::kStream);
    });
  }
  void event_sync(uint32_t tid, uint64_t handle, How how = How::kSpin) {
    wait(tid, marks_[handle], how, kDoEventSync, [&](hal::Event& event) {
      event.handle = handle;
      event.set(hal::Has::kHandle);
    });
  }
  void device_sync(uint32_t tid, How how = How::kSpin) {
    uint64_t until = 0;
    for (const auto& [stream, its] : stream_until_) until = std::max(until, its);
    wait(tid, until, how, kDoDeviceSync, [](hal::Event&) {});
  }
  bool query(uint32_t tid, uint64_t stream) {
    const bool is_done = stream_until_[stream] <= now(tid);
    hal::Event event = call(kDoQuery, hal::Kind::kStream, tid, 2 * kUs, stream);
    event.return_code = is_done ? 0 : 600;
    given.push_back({event, std::nullopt});
    return is_done;
  }
  void allocate(uint32_t tid, uint64_t ns) {
    given.push_back({call(kDoAlloc, hal::Kind::kAlloc, tid, ns, std::nullopt), std::nullopt});
  }

  // A worker, as a process of one thread.
  void exit(uint32_t tid) {
    hal::Event event;
    event.call = kDoExit;
    event.kind = hal::Kind::kHost;
    event.pid = event.tid = tid;
    event.start_mono_ns = now(tid);
    given.push_back({event, std::nullopt});
  }

  // The device's own idle time within [from, to).
  uint64_t idle_ns(uint64_t from, uint64_t to) const {
    std::vector<std::pair<uint64_t, uint64_t>> sorted = busy;
    std::sort(sorted.begin(), sorted.end());
    uint64_t at = from, idle = 0;
    for (const auto& [begin, end] : sorted) {
      if (end <= at) continue;
      if (begin >= to) break;
      if (begin > at) idle += begin - at;
      at = std::min(to, std::max(at, end));
    }
    return idle + (to > at ? to - at : 0);
  }

  // Everything, in the order of ends, into a budget.
  void feed(Budget& budget, uint64_t shuffle_seed = 0) const {
    describe(budget);
    budget.add_process(process_);
    for (const hal::Process& one : others) budget.add_process(one);
    std::vector<Given> sorted = given;
    std::mt19937_64 random(shuffle_seed);
    const auto key = [&](const Given& one) {
      return one.event.end_mono_ns() + (shuffle_seed == 0 ? 0 : random() % (500 * kMs));
    };
    std::vector<std::pair<uint64_t, size_t>> order;
    for (size_t i = 0; i < sorted.size(); ++i) order.emplace_back(key(sorted[i]), i);
    std::stable_sort(order.begin(), order.end());
    for (const auto& [at, i] : order) {
      budget.add(sorted[i].event);
      if (sorted[i].wait) budget.add_wait(sorted[i].event, *sorted[i].wait);
    }
    budget.finish();
  }

  void add_worker(uint32_t pid, const std::string& comm) {
    hal::Process process;
    process.pid = pid;
    process.parent_pid = kPid;
    process.comm = comm;
    process.start_mono_ns = start_ns_;
    others.push_back(process);
    pids_[pid] = pid;
  }

  bool with_waits = true;
  std::map<uint32_t, std::string_view> names;  // of threads
  std::map<uint32_t, uint32_t> devices;        // of threads: device_ref of their calls
  std::vector<Given> given;
  std::vector<std::pair<uint64_t, uint64_t>> busy;
  std::vector<hal::Process> others;

 private:
  uint32_t pid_of(uint32_t tid) const {
    const auto known = pids_.find(tid);
    return known == pids_.end() ? kPid : known->second;
  }
  hal::Event switch_of(uint32_t tid, uint64_t ns, uint32_t pid) {
    hal::Event event;
    event.call = kDoSwitch;
    event.kind = hal::Kind::kHost;
    event.pid = pid == kPid ? pid_of(tid) : pid;
    event.tid = tid;
    if (const auto name = names.find(tid); name != names.end()) {
      std::copy(name->second.begin(), name->second.end(), event.comm.begin());
    }
    event.start_mono_ns = now(tid);
    event.duration_ns = ns;
    event.set(hal::Has::kDuration);
    event.set(hal::Has::kOffCpu);
    return event;
  }
  hal::Event call(BudgetCallId id, hal::Kind kind, uint32_t tid, uint64_t ns, std::optional<uint64_t> stream) {
    hal::Event event;
    event.call = id;
    event.kind = kind;
    event.pid = kPid;
    event.tid = tid;
    if (const auto chosen = devices.find(tid); chosen != devices.end()) event.device_ref = chosen->second;
    event.start_mono_ns = now(tid);
    event.duration_ns = ns;
    event.set(hal::Has::kDuration);
    event.set(hal::Has::kReturnCode);
    if (stream) {
      event.stream = *stream;
      event.set(hal::Has::kStream);
    }
    now(tid) += ns;
    return event;
  }
  static void moves(hal::Event& event, hal::Direction direction, uint64_t bytes) {
    event.direction = direction;
    event.bytes = bytes;
    event.set(hal::Has::kDirection);
    event.set(hal::Has::kBytes);
  }
  void work(uint64_t stream, uint64_t at_ns, uint64_t ns) {
    uint64_t& until = stream_until_[stream];
    const uint64_t from = std::max(until, at_ns);
    until = from + ns;
    busy.push_back({from, until});
  }
  template <typename Name>
  void wait(uint32_t tid, uint64_t until, How how, BudgetCallId id, const Name& name) {
    const uint64_t begin = now(tid);
    const uint64_t done = std::max(begin + 2 * kUs, until);
    uint64_t end = done + 3 * kUs;
    if (how == How::kSleep && done > begin + 20 * kUs) {
      Given given{switch_of(tid, 0, kPid), std::nullopt};
      given.event.start_mono_ns = begin + 5 * kUs;
      given.event.duration_ns = done + 4 * kUs - given.event.start_mono_ns;
      given.event.off.blocked_ns = done + kUs - given.event.start_mono_ns;
      given.event.off.runqueue_ns = 3 * kUs;
      end = done + 7 * kUs;
      this->given.push_back(given);
    }
    hal::Event event = call(id, hal::Kind::kSync, tid, end - begin, std::nullopt);
    name(event);
    this->given.push_back({event, std::nullopt});
  }

  uint64_t start_ns_;
  hal::Process process_;
  std::map<uint32_t, uint64_t> clocks_;
  std::map<uint64_t, uint64_t> stream_until_, marks_;
  std::map<uint32_t, uint32_t> pids_;
};

}  // namespace ingero::correlate::testing
