// Names of functions join their calls, however late those come, and are bounded.
#include "agent/function_names.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero::agent {
namespace {

using hal::Event;
using hal::Has;
using ::testing::SizeIs;

constexpr uint32_t kCaller = 40, kCallerThread = 41;

wire_name name_at(uint64_t start_ns, std::string_view text) {
  wire_name name{};
  name.pid = kCaller;
  name.tid = kCallerThread;
  name.start_ns = start_ns;
  name.length = static_cast<uint16_t>(text.size());
  std::memcpy(name.name, text.data(), std::min(text.size(), sizeof(name.name)));
  return name;
}

Event lookup(uint64_t start_ns, uint64_t handle) {
  Event event;
  event.kind = hal::Kind::kModule;
  event.pid = kCaller;
  event.tid = kCallerThread;
  event.start_mono_ns = start_ns;
  event.handle = handle;
  event.set(Has::kHandle);
  return event;
}

TEST(FunctionNames, ANameJoinsItsCallInALaterBatch) {
  hal::LossLedger ledger;
  FunctionNames names(ledger);
  EventBatch first, second;
  first.records.names = {name_at(100, "gemm"), name_at(200, "softmax")};
  names.join(first);
  EXPECT_THAT(first.names, SizeIs(0));
  second.records.events = {lookup(200, 0xb0), lookup(100, 0xa0), lookup(300, 0xc0)};
  names.join(second);
  ASSERT_THAT(second.names, SizeIs(2));
  EXPECT_EQ(second.names[0].untrusted_name, "softmax");
  EXPECT_EQ(second.names[0].handle, 0xb0U);
  EXPECT_EQ(second.names[1].untrusted_name, "gemm");
  EXPECT_EQ(second.names[1].pid, kCaller);
}

TEST(FunctionNames, ALookupThatFailedNamesNothing) {
  hal::LossLedger ledger;
  FunctionNames names(ledger);
  EventBatch batch;
  batch.records.names = {name_at(100, "gemm")};
  batch.records.events = {lookup(100, 0xa0)};
  batch.records.events[0].failed = true;
  names.join(batch);
  EXPECT_THAT(batch.names, SizeIs(0));
}

TEST(FunctionNames, ACallInFlightKeepsItsNameForTheRecordOfItsEnd) {
  hal::LossLedger ledger;
  FunctionNames names(ledger);
  EventBatch open, ended;
  open.records.names = {name_at(100, "gemm")};
  open.records.events = {lookup(100, 0)};
  open.records.events[0].outcome = hal::Outcome::kInFlight;
  names.join(open);
  EXPECT_THAT(open.names, SizeIs(0));
  ended.records.events = {lookup(100, 0xa0)};
  names.join(ended);
  ASSERT_THAT(ended.names, SizeIs(1));
  EXPECT_EQ(ended.names[0].handle, 0xa0U);
}

TEST(FunctionNames, ANameCutByTheKernelSideIsCounted) {
  hal::LossLedger ledger;
  FunctionNames names(ledger);
  EventBatch batch;
  batch.records.names = {name_at(100, std::string(sizeof(wire_name::name) - 1, 'x'))};
  batch.records.events = {lookup(100, 0xa0)};
  names.join(batch);
  ASSERT_THAT(batch.names, SizeIs(1));
  EXPECT_EQ(ledger.count(hal::Loss::name_truncated), 1U);
}

TEST(FunctionNames, NamesWhoseCallsWereLostAreBoundedAndCounted) {
  hal::LossLedger ledger;
  FunctionNames names(ledger);
  EventBatch batch;
  for (uint64_t i = 0; i < 65537; ++i) batch.records.names.push_back(name_at(i, "lost"));
  names.join(batch);
  EXPECT_EQ(ledger.count(hal::Loss::name_table_full), 65536U);
  EventBatch later;
  later.records.events = {lookup(65536, 0xa0), lookup(7, 0xb0)};
  names.join(later);
  ASSERT_THAT(later.names, SizeIs(1));
  EXPECT_EQ(later.names[0].handle, 0xa0U);
}

}  // namespace
}  // namespace ingero::agent
