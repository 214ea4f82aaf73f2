// One thread's time, cut into pieces of one class each: its outermost calls laid over the intervals in which it was off
// the CPU.
//
// Invariants:
// T1  The pieces of [from, to) tile it: none overlap, nothing is left out, whatever the input is.
// T2  Calls and intervals may come in any order; what the pieces are depends on what was given, not on when.
// T3  Memory is bounded: at most kMaxSpans of each kind; beyond that the oldest are dropped, and add() says so.
// T4  Packing changes nothing but the room that is taken.
//
// Pure and deterministic; one thread. Monotonic nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/queue.h"
#include "hal/event.h"
#include "hal/time_class.h"
#include "hal/wait.h"

namespace ingero::correlate {

using hal::kTimeClasses;
using hal::TimeClass;

// An interval off the CPU.
struct OffSpan {
  uint64_t out_ns = 0, woken_ns = 0, in_ns = 0;  // woken == out: it could run all the time
  TimeClass why = TimeClass::kBlocked;           // of [out, woken); kCpuWait or kThrottled where it could run
  bool is_client = false;                        // it waited for work: a client's connection, or one to come
  bool is_timed_out = false, is_write = false, is_kernel_waker = false, has_wait = false;
  bool is_lock = false;
  bool is_by_exit = false;  // its waker was ending
  uint8_t kind = 0;         // hal::WaitKind
  uint32_t waker_pid = 0, waker_tid = 0;
  uint32_t file_system = 0;  // of an inode
  uint64_t object = 0;
  uint64_t stack_id = 0;
  hal::WaitPeer peer;
};
// What a sched_switch event says; `wait` may be null.
OffSpan off_span(const hal::Event& event, const hal::Wait* wait);

// What a call is to a budget.
enum class CallUse : uint8_t {
  kSync,
  kCollectiveSync,
  kBlockingCopy,
  kSubmit,
  kBlockingSubmit,  // by a setting it waits for what it submits
  kQueueFull,
  kAllocate,
  kOther
};

struct CallSpan {
  uint64_t start_ns = 0, end_ns = 0;
  uint64_t device_until_ns = 0;  // of a copy: until then it waited for earlier work
  CallUse use = CallUse::kOther;
  uint64_t copies_from_ns = 0;  // of a copy: from then on it copied; between the two, it is not known which it did
};

struct Piece {
  uint64_t from_ns = 0, to_ns = 0;
  TimeClass is = TimeClass::kUnknown;
  const OffSpan* off = nullptr;  // where it was off the CPU; valid until the thread changes
  bool is_in_copy = false;       // kUnknown: it waited for earlier work, or copied
  uint64_t length_ns() const { return to_ns - from_ns; }
};

// When a wait that ended was over, and how far the device is known to have had work.
struct WaitEvidence {
  bool has_waited = false;
  bool has_slept = false;      // until it was woken
  bool has_left_cpu = false;   // it slept, or was preempted
  uint64_t busy_until_ns = 0;  // where it has waited
  uint64_t complete_ns = 0;
};

class ThreadTime {
 public:
  static constexpr size_t kMaxSpans = 262144;
  static constexpr size_t kMaxSamples = 8192;
  static constexpr uint64_t kShortestWaitNs = 20'000;  // a synchronisation that took less may not have waited
  static constexpr uint64_t kReturnNs = 10'000;        // from the end of the device's work to the return
  static constexpr uint64_t kSpinsOnNs = 50'000;       // one that runs for so long after an interval still waits
  static constexpr uint64_t kSameWaitNs = 200'000;     // a wait for the same lock begun again within this goes on

  // False: older ones had to be dropped. Spans may come late, but not before what was dropped.
  bool add(const OffSpan& span);
  // `probes_ns`: of a call, what its probes took. It is the thread's own, at the end of the call for want of knowing
  // better.
  bool add(const CallSpan& span, uint64_t probes_ns = 0);
  // What it did on the CPU at one instant.
  void add_sample(uint64_t mono_ns, uint64_t stack_id);
  void sort();
  // Where its time-out ended its wait for a lock, or it is not known what did: the thread that had it waits from then
  // on until this one has taken it. CPython's is handed over so. Sorted before.
  void note_holder(const OffSpan& holders_wait, uint32_t holder_tid, uint32_t holder_pid);
  // Nothing before it is needed any more.
  void drop(uint64_t before_ns);
  // For a thread that has ended, and may still be asked about: its calls take some six bytes each until then.
  void pack();

  uint64_t first_ns() const { return first_ns_; }         // of what was ever given; ~0: nothing
  uint64_t known_from_ns() const { return dropped_ns_; }  // what lay before was dropped
  uint64_t last_ns() const { return last_ns_; }           // the end of the last span
  // Known without doubt until here: its last outermost call's end.
  uint64_t certain_ns() const { return certain_ns_; }

  // Sorted before. kUnknown before what was dropped; where nothing was given the thread ran: kHost.
  std::vector<Piece> pieces(uint64_t from_ns, uint64_t to_ns) const;
  // Of a synchronisation of this thread.
  WaitEvidence evidence(uint64_t start_ns, uint64_t end_ns) const;
  const Queue<OffSpan>& off() const { return off_; }
  // Of the first sample in [from, to); 0: none.
  uint64_t sampled_stack(uint64_t from_ns, uint64_t to_ns) const;
  // The wait that went on in this one: CPython asks for its lock again after each time-out.
  const OffSpan* last_of_wait(const OffSpan& first) const;

 private:
  void unpack() const;
  // Of a poll that its timer ended. A thread that sleeps goes on to submit from it; one that waits for work asks again.
  bool is_sleep(const OffSpan& poll) const;

  Queue<OffSpan> off_;
  mutable Queue<CallSpan> calls_;
  mutable std::string packed_;                    // calls, instead of `calls_`
  uint64_t packed_from_ns_ = 0;                   // the end of the first of them
  Queue<std::pair<uint64_t, uint64_t>> samples_;  // when, stack
  uint64_t first_ns_ = ~uint64_t{0}, last_ns_ = 0, certain_ns_ = 0;
  uint64_t dropped_ns_ = 0;  // nothing is known before
  bool is_sorted_ = true;
};

}  // namespace ingero::correlate
