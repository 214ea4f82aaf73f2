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

}  // namespace
}  // namespace ingero::agent
