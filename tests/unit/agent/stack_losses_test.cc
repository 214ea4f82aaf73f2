// What the table of stacks has no room for is counted, each under its own name.
#include <unistd.h>

#include <gtest/gtest.h>

#include "agent/stack_table.h"
#include "kernelside/normalise.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxMapped = 4096, kMaxHung = 4096;

TEST(StackLosses, MappingsAndStacksOfHangingCallsPastTheBounds) {
  auto objects = kernelside::Objects::load({});
  if (!objects.ok()) GTEST_SKIP() << "needs BPF: " << objects.error().text();
  hal::LossLedger ledger;
  auto helpers = kernelside::Helpers::start();
  ASSERT_TRUE(helpers.ok()) << helpers.error().text();
  kernelside::Foreign foreign(std::move(*helpers), ledger);
  const hal::CallTable calls({});
  const kernelside::ProbeTable probes;
  kernelside::Normaliser normaliser(calls, probes, ledger);
  auto drain = kernelside::Drain::open(**objects, calls, normaliser, ledger);
  ASSERT_TRUE(drain.ok()) << drain.error().text();
  StackTable stacks([](uint32_t) { return StackTable::ProbeName{}; }, **objects, foreign, ledger, false);

  stacks.start();
  for (size_t i = 0; i < kMaxMapped + 3; ++i) {
    hal::Mapping mapping;
    mapping.start = 0x10000 * i;
    mapping.end = mapping.start + 0x1000;
    mapping.executable = true;
    stacks.mapped(static_cast<uint32_t>(getpid()), mapping);
  }
  EXPECT_EQ(ledger.count(hal::Loss::stack_mapping_lost), 3U);

  EventBatch batch;
  for (size_t i = 0; i < kMaxHung + 5; ++i) {
    kernelside::StackRecord record;
    record.head.type = WIRE_STACK;
    record.head.reason = WIRE_STACK_WAITING;
    record.head.probe = WIRE_NO_PROBE;
    record.head.pid = static_cast<uint32_t>(getpid());
    record.head.tid = static_cast<uint32_t>(i + 1);
    batch.records.stacks.push_back(std::move(record));
  }
  auto again = batch.records.stacks.front();
  batch.records.stacks.push_back(std::move(again));  // known, so there is room for it
  stacks.take(**drain, batch);
  EXPECT_EQ(ledger.count(hal::Loss::hang_stack_lost), 5U);
  EXPECT_EQ(ledger.count(hal::Loss::stack_mapping_lost), 3U);
  EXPECT_EQ(ledger.count(hal::Loss::stack_unnamed), 0U);
  stacks.finish(batch);
}

}  // namespace
}  // namespace ingero::agent
