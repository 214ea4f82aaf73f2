// The live engine: parcels of the store thread in, rows of causal_chains out.
//
// One thread: the store thread's. Failure: none; what the engine cannot judge is counted in the ledger.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "cli/batch_queue.h"
#include "correlate/engine.h"
#include "hal/call_table.h"
#include "hal/loss.h"
#include "store/writer.h"

namespace ingero::cli {

class EngineFeed {
 public:
  // The arguments must outlive this.
  EngineFeed(const hal::CallTable& calls, hal::LossLedger& ledger);
  // Also told of each chain that becomes a row.
  void set_listener(std::function<void(const correlate::Chain&)> listener) { listener_ = std::move(listener); }

  // A parcel, in the order in which it is stored.
  void take(const Parcel& parcel);
  // What changed since the last call becomes rows of the next commit.
  void write(store::Writer& writer);
  void finish(store::Writer& writer);
  correlate::Engine& engine() { return *engine_; }

 private:
  static constexpr size_t kMostCommunicators = 65536;
  struct Member {
    std::optional<uint64_t> hash;
    std::optional<int32_t> rank;
  };
  const hal::CallTable& calls_;
  std::unique_ptr<correlate::Engine> engine_;
  std::function<void(const correlate::Chain&)> listener_;
  std::unordered_map<uint64_t, Member> communicators_;  // by id
};

}  // namespace ingero::cli
