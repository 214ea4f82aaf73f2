// The live budget of where the time went: batches of the store thread in, rows of steps, seconds and causes out.
//
// At most kMaxStepRows steps of a process and second become rows, slow ones always; seconds have all of them. One
// thread: the store thread's. Failure: none; what does not fit is counted in the ledger.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "agent/batch_queue.h"
#include "correlate/budget_summary.h"
#include "hal/call_table.h"
#include "hal/loss.h"
#include "store/write/writer.h"

namespace ingero::agent {

// Hears of each second and step as it becomes rows. Called on the store thread; returns at once.
class BudgetListener {
 public:
  virtual ~BudgetListener() = default;
  virtual void hear(const correlate::BudgetSecond& second) = 0;
  virtual void hear(const correlate::BudgetStep& step, bool is_slow) = 0;
};

class BudgetFeed {
 public:
  static constexpr uint32_t kMaxStepRows = 10;
  static constexpr size_t kMaxCounted = 4096;  // processes of one second

  // The arguments must outlive this.
  BudgetFeed(const hal::CallTable& calls, hal::LossLedger& ledger);

  // May be null; outlives this.
  void set_listener(BudgetListener* listener) { listener_ = listener; }

  // In the order in which it is stored, so that a replay gives the same.
  void set_probe(uint32_t probe, bool is_per_thread) { budget_.set_probe(probe, is_per_thread); }
  void add_process(const hal::Process& process) { budget_.add_process(process); }
  void add(const hal::Event& event);
  void set_start(uint64_t mono_ns) { budget_.set_start(mono_ns); }
  void set_probe_cost(uint64_t ns) { budget_.set_probe_cost(ns); }
  void add_device_sample(const hal::DeviceSample& sample, uint64_t mono_ns) {
    budget_.add_device_sample(sample);
    summary_.add_device_sample(sample, mono_ns);
  }
  // Of the interval that add() was given last.
  void add_wait(const hal::Event& event, const hal::Wait& wait) { budget_.add_wait(event, wait); }
  void add_sample(const hal::CpuSample& sample) { budget_.add_sample(sample); }
  void advance(uint64_t mono_ns) { budget_.advance(mono_ns); }
  // What changed since the last call becomes rows of the next commit.
  void write(store::Writer& writer);
  void finish(store::Writer& writer);
  correlate::Budget& budget() { return budget_; }
  const correlate::BudgetSummary& summary() const { return summary_; }

 private:
  void write_causes(store::Writer& writer);
  void write_step(const correlate::BudgetStep& step, store::Writer& writer);
  uint64_t wall_of(uint64_t mono_ns) const { return mono_ns + static_cast<uint64_t>(wall_offset_ns_); }

  correlate::Budget budget_;
  correlate::BudgetSummary summary_;
  BudgetListener* listener_ = nullptr;
  int64_t wall_offset_ns_ = 0;
  uint32_t causes_written_ = 0;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> step_rows_;  // process, second: rows of it
};

}  // namespace ingero::agent
