// Converts wire records to events: clock, meaning of the words, and which task ran while a call was off the CPU.
//
// Pure but for the ledger it counts into; fed records in ring order by one thread. Records come from the kernel, their
// words from traced processes: a malformed record is counted and skipped.
#pragma once

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

namespace ingero::kernelside {

// A site as normalisation needs it: which call, and what its words mean. Index is the attach cookie.
struct SiteMeaning {
  hal::CallId call = hal::kNoCall;
  const hal::Lowered* lowered = nullptr;
};

// All sites of a run. One thread appends (before the site's probe is attached, hence before its first record); any
// thread reads.
class SiteTable {
 public:
  SiteTable() : sites_(std::make_unique<SiteMeaning[]>(WIRE_MAX_SITES)) {}
  uint32_t size() const { return size_.load(std::memory_order_acquire); }
  const SiteMeaning& operator[](uint32_t site) const { return sites_[site]; }
  // False when the table is full.
  bool append(const SiteMeaning& site) {
    const uint32_t at = size_.load(std::memory_order_relaxed);
    if (at >= WIRE_MAX_SITES) return false;
    sites_[at] = site;
    size_.store(at + 1, std::memory_order_release);
    return true;
  }

 private:
  std::unique_ptr<SiteMeaning[]> sites_;
  std::atomic<uint32_t> size_{0};
};

class Normaliser {
 public:
  // The arguments must outlive this.
  Normaliser(const hal::CallTable& calls, const SiteTable& sites, hal::LossLedger& ledger);

  // wall minus mono, as measured last; applied to the records that follow.
  void set_wall_offset_ns(int64_t offset) { wall_offset_ns_ = offset; }
  int64_t wall_offset_ns() const { return wall_offset_ns_; }

  // One WIRE_CALL record. False when it was malformed (counted). `exchange` is filled for calls of collective libraries
  // (has_exchange) and left alone for others.
  bool call(std::span<const std::byte> record, hal::Event& event, hal::Exchange& exchange);
  // One WIRE_SCHED record: an off-CPU interval, also remembered for the call it happened in.
  bool sched(std::span<const std::byte> record, hal::Event& event);
  // One call in flight from the dump; outcome kInFlight, no duration.
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
  void blame(uint32_t tid, bool outermost, hal::Event& event);

  const hal::CallTable& calls_;
  const SiteTable& sites_;
  hal::LossLedger& ledger_;
  int64_t wall_offset_ns_ = 0;
  // Runnable-but-not-running intervals of threads inside a call, oldest first, bounded.
  std::unordered_map<uint32_t, std::vector<Interval>> intervals_;
};

}  // namespace ingero::kernelside
