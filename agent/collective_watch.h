// The capture thread's part in collectives: passes each batch's events to correlate/ in order, and adds the
// communicators, waits and missing ranks that result to the batch.
//
// One thread, except hanging(), which any thread may call. Failure: none; what is lost is counted in the ledger.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "agent/batch_queue.h"
#include "base/clock.h"
#include "bpf/wire.h"
#include "correlate/arrivals.h"
#include "correlate/barriers.h"
#include "correlate/communicators.h"
#include "kernelside/foreign.h"

namespace ingero::agent {

class CollectiveWatch {
 public:
  // Where the library of a probe keeps what a communicator is; none: not known.
  using LayoutOf = std::function<std::optional<hal::LiveLayout>(uint32_t probe)>;

  // The references must outlive this.
  CollectiveWatch(const hal::CallTable& calls, kernelside::Foreign& foreign, LayoutOf layout_of, const Clock& clock,
                  hal::LossLedger& ledger, uint64_t hang_after_ns);

  // Adds what names.bpf.c read of a call, besides its record, to its exchange.
  static void join_block(const wire_name& block, hal::Exchange& exchange);

  // All events of the batch, exchanges joined. Fills its communicators and waits. Returns the processes for which these
  // are the first communicators.
  std::vector<uint32_t> take(EventBatch& batch);
  // A call in flight at `now`, as the dump shows it.
  void in_flight(const hal::Event& event, hal::Exchange exchange);
  // Fills the batch's hangs: found, changed or over since the last call.
  void evaluate(uint64_t now_mono_ns, EventBatch& batch);
  // Its threads are gone, its last calls taken. `mono_ns`: when it ended, or ran another program.
  void process_ended(uint32_t pid, uint64_t mono_ns);
  void lost(bool communicators);

  // What is known of a communicator, or null.
  const hal::Communicator* communicator(uint64_t id) const { return communicators_.find(id); }

  // Collectives that ranks of this host wait for, as of the last evaluate().
  std::vector<hal::CollectiveHang> hanging() const;

 private:
  correlate::Communicators communicators_;
  correlate::Arrivals arrivals_;
  correlate::Barriers barriers_;
  const uint64_t hang_after_ns_;
  hal::LossLedger& ledger_;
  std::map<uint32_t, uint64_t> processes_;  // with communicators, and when they were first reported
  mutable std::mutex mutex_;
  std::vector<hal::CollectiveHang> hanging_;  // guarded by mutex_
};

// Which collective, who is there, who is missing, for how long: one line.
std::string hang_text(const hal::CollectiveHang& hang, const hal::CallTable& calls);

}  // namespace ingero::agent
