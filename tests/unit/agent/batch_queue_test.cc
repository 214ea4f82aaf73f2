// A batch is empty when nothing in it is for a later stage: what it is handed over for is never dropped with it.
#include "agent/batch_queue.h"

#include <functional>

#include <gtest/gtest.h>

namespace ingero::agent {
namespace {

TEST(EventBatch, IsNotEmptyWithAnyOfItsParts) {
  using Fill = std::function<void(EventBatch&)>;
  const Fill fills[] = {
      [](EventBatch& batch) { batch.records.events.emplace_back(); },
      [](EventBatch& batch) { batch.records.samples.emplace_back(); },
      [](EventBatch& batch) { batch.processes.emplace_back(); },
      [](EventBatch& batch) { batch.ended.emplace_back(); },
      [](EventBatch& batch) { batch.names.emplace_back(); },
      [](EventBatch& batch) { batch.snapshots.emplace_back(); },
      [](EventBatch& batch) { batch.communicators.emplace_back(); },
      [](EventBatch& batch) { batch.barrier_waits.emplace_back(); },
      [](EventBatch& batch) { batch.hangs.emplace_back(); },
      [](EventBatch& batch) { batch.arrivals.emplace_back(); },
      [](EventBatch& batch) { batch.syncs.emplace_back(); },
      [](EventBatch& batch) { batch.stacks.emplace_back(); },
      [](EventBatch& batch) { batch.throttlings.emplace_back(); },
      [](EventBatch& batch) { batch.lost_calls.emplace_back(); },
      [](EventBatch& batch) { batch.wait_totals.emplace_back(); },
      [](EventBatch& batch) { batch.objects.emplace_back(); },
      [](EventBatch& batch) { batch.devices.emplace_back(); },
      [](EventBatch& batch) { batch.probes.emplace_back(); },
      [](EventBatch& batch) { batch.passed_probes.emplace_back(); },
  };
  EventBatch batch;
  EXPECT_TRUE(batch.empty());
  for (const Fill& fill : fills) {
    fill(batch);
    EXPECT_FALSE(batch.empty()) << &fill - fills;
    batch.clear();
    EXPECT_TRUE(batch.empty()) << &fill - fills;
  }
}

// A number that went to another probe too early would give its calls that probe's name.
TEST(BatchQueue, NumbersOfPassedProbesAreFreeWhenTheirBatchIsStored) {
  BatchQueue queue(2);
  for (const uint32_t probe : {7, 8}) {
    auto batch = queue.fresh();
    batch->passed_probes = {probe};
    queue.push(std::move(batch));
  }
  EXPECT_TRUE(queue.take_passed_probes().empty()) << "both wait to be stored";
  queue.recycle(queue.pop(std::chrono::seconds(1)));
  EXPECT_EQ(queue.take_passed_probes(), std::vector<uint32_t>{7});
  queue.recycle(queue.pop(std::chrono::seconds(1)));
  EXPECT_EQ(queue.take_passed_probes(), std::vector<uint32_t>{8});
  EXPECT_TRUE(queue.take_passed_probes().empty()) << "once";
  EXPECT_TRUE(queue.fresh()->passed_probes.empty());
}

}  // namespace
}  // namespace ingero::agent
