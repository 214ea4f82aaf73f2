// The live engine: batches of the store thread in, rows of causal_chains out.
//
// One thread: the store thread's. Failure: none; what the engine cannot evaluate is counted in the ledger.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "agent/batch_queue.h"
#include "agent/budget_feed.h"
#include "correlate/engine.h"
#include "hal/call_table.h"
#include "hal/loss.h"
#include "store/write/writer.h"

namespace ingero::agent {

class EngineFeed {
 public:
  // The arguments must outlive this.
  EngineFeed(const hal::CallTable& calls, hal::LossLedger& ledger);
  // Called for each chain that becomes a row. One about waiting for a CPU becomes one when the budget of its process
  // says that the wait cost something, or kHeldNs after its onset where that is not known; at once where there is none.
  void set_listener(std::function<void(const hal::CausalChain&)> listener) { listener_ = std::move(listener); }

  // Batches come in the order in which they are stored; a replay gives the engine the same in the same order.
  void take(const EventBatch& batch);
  // What changed since the last call becomes rows of the next commit.
  void write(store::Writer& writer);
  void finish(store::Writer& writer);
  correlate::Engine& engine() { return *engine_; }
  void add_device_sample(const hal::DeviceSample& sample, uint64_t mono_ns);
  void set_start(uint64_t mono_ns) { budget_.set_start(mono_ns); }
  void set_probe_cost(uint64_t ns) { budget_.set_probe_cost(ns); }
  // May be null; outlives this.
  void set_budget_listener(BudgetListener* listener) { budget_.set_listener(listener); }

  static constexpr uint64_t kHeldNs = 5'000'000'000;

 private:
  static constexpr size_t kMaxCommunicators = 65536, kMaxHeld = 4096;
  struct Member {
    std::optional<uint64_t> hash;
    std::optional<int32_t> rank;
  };
  void note_submitter(uint32_t pid);
  void give(const hal::CausalChain& chain, store::Writer& writer);
  void give_held(store::Writer& writer, bool at_end);
  void hold_given(store::Writer& writer);

  const hal::CallTable& calls_;
  std::unique_ptr<correlate::Engine> engine_;
  BudgetFeed budget_;
  std::function<void(const hal::CausalChain&)> listener_;
  std::unordered_map<uint64_t, Member> communicators_;  // by id
  struct Held {
    hal::CausalChain chain;  // as it is now
    uint64_t onset_mono_ns;
  };
  std::map<std::string, Held> held_;               // by id
  std::map<std::string, hal::CausalChain> given_;  // of those that were held, by id, as they are now
  std::vector<bool> submits_;                      // by call
  std::unordered_set<uint32_t> submitters_;        // processes that gave a device work
  uint32_t last_submitter_ = 0;
  uint64_t watermark_ns_ = 0;
  int64_t wall_offset_ns_ = 0;  // of the latest batch
};

}  // namespace ingero::agent
