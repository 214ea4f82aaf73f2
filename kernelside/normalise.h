// Converts wire records to events: clock, meaning of the words, and which task ran while a call was off the CPU.
//
// Pure but for the ledger it counts into; fed records in ring order by one thread. Records come from the kernel, their
// words from traced processes: a malformed record is counted and skipped.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "bpf/wire.h"
#include "hal/call_table.h"
#include "hal/event.h"
#include "hal/loss.h"
#include "hal/lower.h"
#include "hal/wait.h"

namespace ingero::kernelside {

// A probe as normalisation needs it: which call, and what its words mean. Index is the attach cookie.
struct ProbeMeaning {
  hal::CallId call = hal::kNoCall;
  const hal::Lowered* lowered = nullptr;
  hal::CallId non_blocking = hal::kNoCall;  // which call it is where the blocking word is 0
  uint64_t since_mono_ns = 0;               // an earlier call was another probe's of the same number
};

// All probes of a run. One thread at a time writes (before the probe is attached, hence before its first record, and
// where a number is used again, after the last record of its former probe); any thread reads.
class ProbeTable {
 public:
  ProbeTable() : probes_(std::make_unique<ProbeMeaning[]>(WIRE_MAX_PROBES)) {}
  uint32_t size() const { return size_.load(std::memory_order_acquire); }
  const ProbeMeaning& operator[](uint32_t probe) const { return probes_[probe]; }
  // False when the table is full.
  bool append(const ProbeMeaning& probe) {
    const uint32_t at = size_.load(std::memory_order_relaxed);
    if (at >= WIRE_MAX_PROBES) return false;
    probes_[at] = probe;
    size_.store(at + 1, std::memory_order_release);
    return true;
  }
  // A number that is used again, or one behind the last.
  void put(uint32_t probe, const ProbeMeaning& meaning) {
    probes_[probe] = meaning;
    size_.store(std::max(probe + 1, size_.load(std::memory_order_relaxed)), std::memory_order_release);
  }

 private:
  std::unique_ptr<ProbeMeaning[]> probes_;
  std::atomic<uint32_t> size_{0};
};

hal::WaitTotals totals_of(const wire_totals& wire);

class Normaliser {
 public:
  // The arguments must outlive this.
  Normaliser(const hal::CallTable& calls, const ProbeTable& probes, hal::LossLedger& ledger);

  // wall minus mono, as measured last; applied to the records that follow.
  void set_wall_offset_ns(int64_t offset) { wall_offset_ns_ = offset; }
  int64_t wall_offset_ns() const { return wall_offset_ns_; }

  // One WIRE_CALL record. False when it was malformed (counted). `exchange` is filled for calls of collective libraries
  // (has_exchange) and left alone for others.
  bool call(std::span<const std::byte> record, hal::Event& event, hal::Exchange& exchange);
  // One WIRE_SCHED record: an off-CPU interval and why it was, also remembered for the call it happened in.
  bool sched(std::span<const std::byte> record, hal::Event& event, hal::Wait& wait);
  // One call in flight from the dump; outcome kInFlight, no duration. False, and not counted: it began while its thread
  // was being read.
  bool in_flight(const wire_call_record& record, hal::Event& event, hal::Exchange& exchange);
  // Forgets a thread that ended.
  void forget(uint32_t tid) { intervals_.erase(tid); }

 private:
  struct Interval {
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t preempted_by_pid;
    std::array<char, 16> preempted_by_comm;
  };
  void remember(uint32_t tid, const Interval& interval);
  void blame(uint32_t tid, bool outermost, hal::Event& event);

  const hal::CallTable& calls_;
  const ProbeTable& probes_;
  hal::LossLedger& ledger_;
  int64_t wall_offset_ns_ = 0;
  // Runnable-but-not-running intervals of threads inside a call, bounded: a heap each, the shortest first.
  std::unordered_map<uint32_t, std::vector<Interval>> intervals_;
};

}  // namespace ingero::kernelside
