// The recording's second half, on a thread of its own: writes batches to the database and feeds them to the engine.
//
// Without a recording it only recycles the batches. Lifetime: open(), start(), then the capture side closes the queue,
// then finish(). The const members, with_writer() and last_error() may be called from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/batch_queue.h"
#include "agent/engine_feed.h"
#include "base/clock.h"
#include "base/result.h"
#include "hal/call_table.h"
#include "hal/loss.h"
#include "store/write/writer.h"

namespace ingero::agent {

// Sees each batch before it is committed, and may add rows. Called on the store thread, and only with a recording.
class StoreHook {
 public:
  virtual ~StoreHook() = default;
  virtual void take(const EventBatch& batch, store::Writer& writer, hal::LossLedger& ledger) = 0;
  virtual void finish(store::Writer& writer) = 0;
};

class StoreThread {
 public:
  // The arguments must outlive this.
  StoreThread(BatchQueue& queue, const hal::CallTable& calls, hal::LossLedger& ledger)
      : queue_(queue), calls_(calls), ledger_(ledger) {}
  ~StoreThread();
  StoreThread(const StoreThread&) = delete;
  StoreThread& operator=(const StoreThread&) = delete;

  // Makes the recording. `on_chain`: each causal chain found, changed or over; called on this thread. `on_budget` may
  // be null; outlives this.
  Status open(const store::WriterOptions& options, const Clock& clock,
              std::function<void(const hal::CausalChain&)> on_chain, BudgetListener* on_budget = nullptr);
  // Returns when what open() began to measure is measured: it takes privileges that are given up then.
  void wait_for_measurements() const;
  // `hook` may be null; outlives this.
  void start(StoreHook* hook);
  // Before start(): of each call's time, the part that its own probes take.
  void set_probe_cost(uint64_t ns);
  // When the queue is closed: returns when all is committed, with what went wrong at the end.
  Status finish();

  static constexpr size_t kMaxWork = 4096;
  // Runs `work` before the next commit; not at all without a recording. False: there is too much to do, and it was not
  // taken.
  bool with_writer(std::function<void(store::Writer&)> work);
  bool with_feed(std::function<void(EngineFeed&)> work);
  uint64_t stored() const { return stored_.load(std::memory_order_relaxed); }  // rows committed
  uint64_t file_bytes() const { return file_bytes_.load(std::memory_order_relaxed); }
  // The first error since the store last worked; empty when it works.
  std::string last_error() const;

 private:
  void run();
  void write(const EventBatch& batch);
  void do_work();
  void note_single_step();
  void note(const Status& status);
  void note_size();

  BatchQueue& queue_;
  const hal::CallTable& calls_;
  hal::LossLedger& ledger_;
  StoreHook* hook_ = nullptr;
  std::unique_ptr<store::Writer> writer_;  // null without a recording, as is feed_
  std::unique_ptr<EngineFeed> feed_;
  std::thread thread_;
  std::future<Result<uint64_t>> single_step_;  // begun by open()
  bool single_step_known_ = false;
  std::atomic<uint64_t> stored_{0};
  std::atomic<uint64_t> file_bytes_{0};

  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::string last_error_;
  std::vector<std::function<void(store::Writer&)>> work_;
};

}  // namespace ingero::agent
