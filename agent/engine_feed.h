// The live engine: batches of the store thread in, rows of causal_chains out.
//
// One thread: the store thread's. Failure: none; what the engine cannot evaluate is counted in the ledger.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

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
  // Called for each chain that becomes a row.
  void set_listener(std::function<void(const hal::CausalChain&)> listener) { listener_ = std::move(listener); }

  // Batches come in the order in which they are stored; a replay gives the engine the same in the same order.
  void take(const EventBatch& batch);
  // What changed since the last call becomes rows of the next commit.
  void write(store::Writer& writer);
  void finish(store::Writer& writer);
  correlate::Engine& engine() { return *engine_; }
  void set_start(uint64_t mono_ns) { budget_.set_start(mono_ns); }
  void add_probe(uint32_t probe, std::string_view symbol) {
    engine_->set_probe(probe, correlate::is_per_thread_symbol(symbol));
    budget_.add_probe(probe, symbol);
  }

 private:
  static constexpr size_t kMaxCommunicators = 65536;
  struct Member {
    std::optional<uint64_t> hash;
    std::optional<int32_t> rank;
  };
  const hal::CallTable& calls_;
  std::unique_ptr<correlate::Engine> engine_;
  BudgetFeed budget_;
  std::function<void(const hal::CausalChain&)> listener_;
  std::unordered_map<uint64_t, Member> communicators_;  // by id
};

}  // namespace ingero::agent
