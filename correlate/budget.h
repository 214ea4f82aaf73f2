// Where the time went: what each thread that submits GPU work did with its time, how much of that the device had
// nothing to do for, and who was waited for.
//
// Three layers are laid over each other: whether a thread ran (its off-CPU intervals), its outermost GPU calls
// (thread_time.h), and what is known of the device (device_time.h). Each instant of a thread has one class. A class's
// time is *lost* while the device is idle and the thread is the one whose submission ends the idle time: at least the
// time in which the device is known to be idle (low), at most that and the time in which nothing is known (high). Lost
// time is followed backwards through wake-ups to a root (blame.h).
//
// Invariants:
// G1  The classes of a row sum to its length exactly, in integers.
// G2  `low <= high <= ns` of each class, and the lows of all threads of a process sum to at most its idle time and the
//     time in which its device had nothing but one copy that a thread waited for.
// G3  The causes of a row sum to its low and high exactly: every nanosecond that is lost has one root.
// G4  What is emitted depends on events and their times, not on the order of arrival within kLatenessNs; so the answer
//     is the same live and replayed.
// G5  Memory is bounded: threads, spans, roles and causes have limits; what does not fit is counted.
//
// Pure and deterministic; one thread. Monotonic nanoseconds. Failure: none.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "correlate/blame.h"
#include "correlate/device_time.h"
#include "correlate/facts.h"
#include "correlate/step_finder.h"
#include "correlate/thread_time.h"
#include "hal/device.h"
#include "hal/event.h"
#include "hal/loss.h"
#include "hal/time_class.h"
#include "hal/wait.h"

namespace ingero::correlate {

struct ClassTime {
  uint64_t ns = 0, low = 0, high = 0;
  bool operator==(const ClassTime&) const = default;
};

// What one thread did in an interval.
struct TimeSums {
  std::array<ClassTime, kTimeClasses> classes{};
  uint64_t idle_low = 0, idle_high = 0;            // the device of its process
  uint64_t input_low = 0;                          // lost to waits right before a copy to the device
  uint64_t behind_sync_low = 0;                    // lost in short gaps right behind a synchronisation
  uint64_t clients_ns = 0;                         // waiting for work: in the classes, and not lost
  uint64_t spun_preempted_ns = 0;                  // preempted in a synchronisation while the device was busy
  uint64_t copy_or_wait_ns = 0;                    // of kUnknown: in copies behind earlier work
  uint64_t by_debugger_ns = 0, by_freezer_ns = 0;  // of kStopped: by a debugger, by the freezer; the rest by a signal
  uint64_t probes_ns = 0;                          // in kHost: of calls, what their probes took
  uint32_t syncs = 0, waits = 0;                   // synchronisations; those of them that had to wait
  uint32_t unnamed_syncs = 0;                      // of the synchronisations: what they wait for is not in the call
  uint32_t submissions = 0;
  uint32_t queued_behind = 0;      // at each synchronisation, of those: behind what it waited for
  std::vector<CauseShare> causes;  // by cause

  ClassTime& of(TimeClass one) { return classes[static_cast<size_t>(one)]; }
  const ClassTime& of(TimeClass one) const { return classes[static_cast<size_t>(one)]; }
  uint64_t total_ns() const;
  uint64_t lost_low() const;
  uint64_t lost_high() const;
  void add(const TimeSums& other);
  bool operator==(const TimeSums&) const = default;
};

struct BudgetStep {
  uint32_t pid = 0, tid = 0;
  uint64_t number = 0;  // of the process, from 1
  uint64_t start_ns = 0, end_ns = 0;
  uint64_t content = 0;
  hal::CallId anchor = hal::kNoCall;
  uint32_t series = 0;  // steps of another are found by another call: something else
  TimeSums sums;
  uint64_t length_ns() const { return end_ns - start_ns; }
};

// A thread in one second of the monotonic clock, or the part of it that it was known for. Where it did one thing for
// more than twice Budget::kLongRowNs, a row is from that second on, and as long or longer.
struct BudgetSecond {
  uint32_t pid = 0, tid = 0;
  uint64_t second = 0;
  TimeSums sums;
};

class Budget {
 public:
  static constexpr uint64_t kWindowNs = 1'000'000'000;
  static constexpr uint64_t kLongRowNs = 600'000'000'000;
  static constexpr uint64_t kLatenessNs = 2'000'000'000;  // how late an event may come
  static constexpr size_t kMaxProcesses = 1024;
  static constexpr size_t kMaxThreads = 16384;
  static constexpr size_t kMaxEvents = 1 << 20;  // not yet in a window
  static constexpr size_t kMaxBoundaries = 65536;
  static constexpr size_t kMaxRowCauses = 64;          // of one row; the smallest are added to their parents
  static constexpr uint64_t kKeptNs = 30'000'000'000;  // of waits, for the walk

  // `ledger` must outlive this.
  explicit Budget(hal::LossLedger& ledger);
  ~Budget();

  void set_call(hal::CallId id, CallFacts facts);
  void set_probe(uint32_t probe, bool is_per_thread);
  void add_process(const hal::Process& process);
  // When the recording began: a process that is older was running before it was traced.
  void set_start(uint64_t mono_ns);
  // How fast copies surely are (device_time.h, D5).
  void add_device_sample(const hal::DeviceSample& sample);
  // Of each call's time, the part that its own probes take: of the thread, not of the call.
  void set_probe_cost(uint64_t ns);
  void add(const hal::Event& event);
  // What the sched_switch given last was.
  void add_wait(const hal::Event& event, const hal::Wait& wait);
  void add_sample(const hal::CpuSample& sample);
  void advance(uint64_t mono_ns);  // everything that ended before has been given
  void finish();

  std::vector<BudgetStep> take_steps();
  std::vector<BudgetSecond> take_seconds();
  // Causes and roles that rows name; only grow.
  const Blame& blame() const;

  // What is known of a process as a whole.
  struct ProcessFacts {
    uint32_t pid = 0;
    std::string comm;
    uint64_t first_submission_ns = 0, last_submission_ns = 0;
    bool is_attached_late = false;
    uint64_t attached_ns = 0;
  };
  std::vector<ProcessFacts> processes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::correlate
