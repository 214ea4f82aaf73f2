// The live windows: batches of the capture thread in, what each rank did in each window out (correlate/rank_windows.h).
//
// take() and finish(): the capture thread, or one at a time after it has ended; set_recorder() and lose_...(): any
// thread. Windows are given out as soon as nothing of them is still to come, at the latest kMaxWaitNs after their end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "agent/batch_queue.h"
#include "base/clock.h"
#include "correlate/rank_windows.h"
#include "hal/call_table.h"
#include "hal/loss.h"

namespace ingero::agent {

class Recorder;

class WindowFeed {
 public:
  using Give = std::function<void(std::vector<correlate::RankWindow>)>;  // returns at once
  static constexpr uint64_t kMaxWaitNs = 400'000'000;

  // The arguments must outlive this.
  WindowFeed(const hal::CallTable& calls, const Clock& clock, Give give)
      : clock_(clock), give_(std::move(give)), windows_(calls, ledger_) {}

  // Where losses are counted; null: nowhere any more.
  void set_recorder(Recorder* recorder) { recorder_ = recorder; }
  void take(const EventBatch& batch);
  // What the window that has begun holds so far.
  void finish();
  // Data points that the sender could not keep, and that the receiver refused.
  void lose_dropped(uint64_t points);
  void lose_refused(uint64_t points);

 private:
  void give(std::vector<correlate::RankWindow> windows);
  void lose(hal::Loss loss, uint64_t count);
  void count_losses();

  const Clock& clock_;
  const Give give_;
  hal::LossLedger ledger_;  // of windows_; passed on to the recorder
  correlate::RankWindows windows_;
  uint64_t unknown_ = 0, forgotten_ = 0;  // passed on before
  std::atomic<Recorder*> recorder_ = nullptr;
};

}  // namespace ingero::agent
