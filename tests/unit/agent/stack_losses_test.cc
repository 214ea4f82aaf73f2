// What the table of stacks has no room for is counted, each under its own name; and which call gets which stack.
#include <unistd.h>

#include <optional>

#include <gtest/gtest.h>

#include "agent/stack_table.h"
#include "kernelside/normalise.h"
#include "unit/kernelside/capture_records.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxMapped = 4096, kMaxHung = 4096;
constexpr uint64_t kStartNs = 1000;

const auto kOwnPid = static_cast<uint32_t>(getpid());

kernelside::StackRecord stack_of(uint32_t tid, uint8_t reason) {
  kernelside::StackRecord record;
  record.head.type = WIRE_STACK;
  record.head.reason = reason;
  record.head.probe = WIRE_NO_PROBE;
  record.head.pid = kOwnPid;
  record.head.tid = tid;
  record.head.start_ns = kStartNs;
  record.head.weight = 1;
  return record;
}

// A call that says that its stack was taken.
hal::Event call_with_stack(uint32_t tid) {
  hal::Event call;
  call.pid = kOwnPid;
  call.tid = tid;
  call.start_mono_ns = kStartNs;
  call.outcome = hal::Outcome::kReturned;
  call.set(hal::Has::kStack);
  return call;
}

class StackTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = kernelside::Objects::load({});
    if (!loaded.ok()) GTEST_SKIP() << "needs BPF: " << loaded.error().text();
    objects_ = std::move(*loaded);
    auto helpers = kernelside::Helpers::start();
    ASSERT_TRUE(helpers.ok()) << helpers.error().text();
    foreign_.emplace(std::move(*helpers), ledger_);
    auto rings = std::make_unique<kernelside::EventRings>();
    ASSERT_TRUE(rings->critical.open(critical_.memory(), critical_.ready(), critical_.bytes(), "critical").ok());
    ASSERT_TRUE(rings->events.open(events_.memory(), events_.ready(), events_.bytes(), "events").ok());
    ASSERT_TRUE(rings->stacks.open(stacks_ring_.memory(), stacks_ring_.ready(), stacks_ring_.bytes(), "stacks").ok());
    auto drain = kernelside::Drain::open(std::move(rings), calls_, normaliser_, ledger_);
    ASSERT_TRUE(drain.ok()) << drain.error().text();
    drain_ = std::move(*drain);
    stacks_.emplace([](uint32_t) { return StackTable::ProbeName{}; }, *objects_, *foreign_, ledger_, false);
    stacks_->start();
  }

  // Rounds without a record.
  void pass(unsigned rounds) {
    EventBatch none;
    for (unsigned i = 0; i < rounds; ++i) stacks_->take(*drain_, none);
  }
  // The call comes now; whether it gets a stack.
  bool has_stack(uint32_t tid) {
    EventBatch batch;
    batch.records.events.push_back(call_with_stack(tid));
    stacks_->take(*drain_, batch);
    return batch.records.events[0].has(hal::Has::kStack);
  }

  hal::LossLedger ledger_;
  const hal::CallTable calls_{{}};
  const kernelside::ProbeTable probes_;
  kernelside::Normaliser normaliser_{calls_, probes_, ledger_};
  std::unique_ptr<kernelside::Objects> objects_;
  std::optional<kernelside::Foreign> foreign_;
  testing::FakeRing critical_, events_, stacks_ring_;
  std::unique_ptr<kernelside::Drain> drain_;
  std::optional<StackTable> stacks_;
  EventBatch batch_;
};

TEST_F(StackTableTest, CountsMappingsAndStacksOfHangingCallsPastTheBounds) {
  for (size_t i = 0; i < kMaxMapped + 3; ++i) {
    hal::Mapping mapping;
    mapping.start = 0x10000 * i;
    mapping.end = mapping.start + 0x1000;
    mapping.executable = true;
    stacks_->mapped(kOwnPid, mapping);
  }
  EXPECT_EQ(ledger_.count(hal::Loss::stack_mapping_lost), 3U);

  for (size_t i = 0; i < kMaxHung + 5; ++i) {
    batch_.records.stacks.push_back(stack_of(static_cast<uint32_t>(i + 1), WIRE_STACK_WAITING));
  }
  batch_.records.stacks.push_back(stack_of(1, WIRE_STACK_WAITING));  // known, so there is room for it
  stacks_->take(*drain_, batch_);
  EXPECT_EQ(ledger_.count(hal::Loss::hang_stack_lost), 5U);
  EXPECT_EQ(ledger_.count(hal::Loss::stack_mapping_lost), 3U);
  EXPECT_EQ(ledger_.count(hal::Loss::stack_unnamed), 0U);
  stacks_->finish(batch_);
}

// As when a call that hangs is found among the events of a batch.
TEST_F(StackTableTest, ABatchThatIsTakenAgainKeepsItsStacks) {
  batch_.records.stacks.push_back(stack_of(1, WIRE_STACK_SYNC));
  batch_.records.events.push_back(call_with_stack(1));
  stacks_->take(*drain_, batch_);
  const uint64_t id = batch_.records.events[0].stack_id;
  ASSERT_TRUE(batch_.records.events[0].has(hal::Has::kStack));
  ASSERT_NE(id, 0U);
  batch_.records.stacks.push_back(stack_of(2, WIRE_STACK_WAITING));
  hal::Event hanging = call_with_stack(2);
  hanging.clear(hal::Has::kStack);
  hanging.outcome = hal::Outcome::kInFlight;
  batch_.records.events.push_back(hanging);
  stacks_->take(*drain_, batch_);
  EXPECT_TRUE(batch_.records.events[0].has(hal::Has::kStack));
  EXPECT_EQ(batch_.records.events[0].stack_id, id);
  EXPECT_TRUE(batch_.records.events[1].has(hal::Has::kStack));
}

// The ring of calls holds many more rounds than that of stacks: what is behind is read much later.
TEST_F(StackTableTest, AStackIsKeptUntilWhatWasBegunBeforeItIsRead) {
  pass(10);
  const testing::Bytes record(sizeof(wire_call));
  const uint64_t open = events_.begin(record);
  for (const uint32_t tid : {1U, 2U, 3U}) batch_.records.stacks.push_back(stack_of(tid, WIRE_STACK_SYNC));
  stacks_->take(*drain_, batch_);
  pass(1000);
  EXPECT_TRUE(has_stack(1));
  EXPECT_EQ(ledger_.count(hal::Loss::stack_unjoined), 0U);
  events_.finish(open, true);
  ASSERT_TRUE(drain_->poll(0, 1000, batch_.records).ok());
  EXPECT_TRUE(has_stack(2)) << "its call may have been begun a moment later";
  pass(200);
  EXPECT_FALSE(has_stack(3)) << "its call would have come by now";
  EXPECT_EQ(ledger_.count(hal::Loss::stack_unjoined), 1U);
}

TEST_F(StackTableTest, AThreadThatSleepsForLongHasItsLastStackWhenItWakes) {
  for (const uint32_t tid : {1U, 2U}) batch_.records.stacks.push_back(stack_of(tid, WIRE_STACK_ASLEEP));
  auto before = stack_of(2, WIRE_STACK_ASLEEP);
  before.head.start_ns = kStartNs - 1;
  batch_.records.stacks.push_back(std::move(before));
  stacks_->take(*drain_, batch_);
  pass(1000);
  EXPECT_TRUE(has_stack(1));
  EXPECT_TRUE(has_stack(2));
  EXPECT_FALSE(has_stack(1)) << "it is another interval's";
  EXPECT_EQ(ledger_.count(hal::Loss::stack_unjoined), 1U);
}

TEST_F(StackTableTest, StacksThatFindNoRoomAreMissedByTheirCalls) {
  constexpr uint32_t kMaxWaiting = 1 << 16;
  for (uint32_t tid = 1; tid <= kMaxWaiting + 1; ++tid) {
    batch_.records.stacks.push_back(stack_of(tid, WIRE_STACK_SYNC));
    if (batch_.records.stacks.size() == 1024) stacks_->take(*drain_, batch_);
  }
  stacks_->take(*drain_, batch_);
  EXPECT_TRUE(has_stack(kMaxWaiting));
  EXPECT_FALSE(has_stack(kMaxWaiting + 1));
  EXPECT_EQ(ledger_.count(hal::Loss::stack_unjoined), 1U);
}

}  // namespace
}  // namespace ingero::agent
