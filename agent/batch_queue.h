// Batches from the capture thread to the store thread: bounded, and recycled so that memory use stays constant.
//
// push() blocks while the queue is full, so that back-pressure reaches the ring buffer, where losses are counted
// exactly. How long it did says why they were lost. Ownership moves with the pointer: of fresh() to the capture thread,
// of push() to the queue, of pop() to the store thread, of recycle() back. Thread-safe. Failure: none; null from pop():
// no batch came in time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "correlate/arrivals.h"
#include "correlate/barriers.h"
#include "kernelside/drain.h"
#include "kernelside/tracer.h"

namespace ingero::agent {

struct FunctionName {
  uint32_t pid = 0;
  uint64_t handle = 0;  // host stub or function handle
  std::string untrusted_name;
};

// A stack with its frames' names (docs/formats/store.md, stack_traces).
struct NamedStack {
  uint64_t id = 0;
  std::string frames_json;
};

// What the capture thread hands over at a time.
struct EventBatch {
  kernelside::RingRecords records;
  std::vector<kernelside::NamedProbe> probes;        // new since the last batch
  std::vector<hal::Process> processes;               // new since the last batch; written before the records
  std::vector<std::pair<uint32_t, uint64_t>> ended;  // pid and start: no later event is theirs
  std::vector<FunctionName> names;
  std::vector<hal::SystemSnapshot> snapshots;
  std::vector<hal::Communicator> communicators;
  std::vector<hal::BarrierWait> barrier_waits;
  std::vector<hal::CollectiveHang> hangs;
  std::vector<correlate::Arrival> arrivals;
  std::vector<correlate::CoveredSync> syncs;
  std::vector<NamedStack> stacks;
  std::vector<hal::Throttling> throttlings;
  std::vector<hal::MemoryLimit> memory_limits;
  std::vector<hal::DiskUse> disk_uses;
  std::vector<hal::IoLimit> io_limits;
  std::vector<hal::Affinity> affinities;
  std::vector<hal::LostCalls> lost_calls;
  std::vector<hal::WaitTotals> wait_totals;
  std::vector<hal::WaitObject> objects;                        // new names of what threads waited for
  std::vector<std::pair<uint32_t, hal::EventDevice>> devices;  // Event::device_ref, and what it means from now on
  std::vector<uint32_t> passed_probes;  // numbers that no later event has, until they are new ones
  int64_t wall_offset_ns = 0;
  uint64_t watermark_mono_ns = 0;  // all that ended before it is in this batch or a previous one; 0: unknown
  // Of what it is handed over for; tasks, names and stacks of the records are the capture thread's alone.
  bool empty() const {
    return records.events.empty() && records.samples.empty() && processes.empty() && ended.empty() && names.empty() &&
           snapshots.empty() && communicators.empty() && barrier_waits.empty() && hangs.empty() && arrivals.empty() &&
           syncs.empty() && stacks.empty() && throttlings.empty() && memory_limits.empty() && disk_uses.empty() &&
           io_limits.empty() && affinities.empty() && lost_calls.empty() && wait_totals.empty() && objects.empty() &&
           devices.empty() && probes.empty() && passed_probes.empty();
  }
  void clear() {
    probes.clear();
    stacks.clear();
    devices.clear();
    records.clear();
    processes.clear();
    ended.clear();
    names.clear();
    snapshots.clear();
    communicators.clear();
    barrier_waits.clear();
    hangs.clear();
    arrivals.clear();
    syncs.clear();
    throttlings.clear();
    memory_limits.clear();
    disk_uses.clear();
    io_limits.clear();
    affinities.clear();
    lost_calls.clear();
    wait_totals.clear();
    objects.clear();
    passed_probes.clear();
    watermark_mono_ns = 0;
  }
};

class BatchQueue {
 public:
  explicit BatchQueue(size_t limit) : limit_(limit) {}

  std::unique_ptr<EventBatch> fresh() {
    const std::scoped_lock lock(mutex_);
    if (spare_.empty()) return std::make_unique<EventBatch>();
    auto batch = std::move(spare_.back());
    spare_.pop_back();
    return batch;
  }

  void push(std::unique_ptr<EventBatch> batch) {
    std::unique_lock lock(mutex_);
    if (queue_.size() >= limit_) {
      const auto begin = std::chrono::steady_clock::now();
      not_full_.wait(lock, [&] { return queue_.size() < limit_; });
      blocked_ += std::chrono::steady_clock::now() - begin;
    }
    queue_.push_back(std::move(batch));
    not_empty_.notify_one();
  }

  // For how long push() was blocked until now.
  std::chrono::nanoseconds blocked() const {
    const std::scoped_lock lock(mutex_);
    return blocked_;
  }

  // The next batch; null after `timeout` without one, or when closed and empty.
  template <typename Duration>
  std::unique_ptr<EventBatch> pop(Duration timeout) {
    std::unique_lock lock(mutex_);
    not_empty_.wait_for(lock, timeout, [&] { return !queue_.empty() || closed_; });
    if (queue_.empty()) return nullptr;
    auto batch = std::move(queue_.front());
    queue_.pop_front();
    not_full_.notify_one();
    return batch;
  }

  void recycle(std::unique_ptr<EventBatch> batch) {
    const std::vector<uint32_t> passed = std::exchange(batch->passed_probes, {});
    batch->clear();  // without the lock: it takes as long as the batch is large
    const std::scoped_lock lock(mutex_);
    passed_probes_.insert(passed_probes_.end(), passed.begin(), passed.end());
    if (spare_.size() < limit_) spare_.push_back(std::move(batch));
  }

  // Of the batches that were recycled since the last call: their numbers may be given to other probes.
  std::vector<uint32_t> take_passed_probes() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(passed_probes_, {});
  }

  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    not_empty_.notify_all();
  }
  bool finished() const {
    const std::scoped_lock lock(mutex_);
    return closed_ && queue_.empty();
  }

 private:
  const size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<std::unique_ptr<EventBatch>> queue_;
  std::vector<std::unique_ptr<EventBatch>> spare_;
  std::vector<uint32_t> passed_probes_;
  std::chrono::nanoseconds blocked_{};
  bool closed_ = false;
};

}  // namespace ingero::agent
