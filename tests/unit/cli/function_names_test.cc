// Names of functions join their calls, however late those come, and are bounded.
#include "cli/function_names.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero::cli {
namespace {

using hal::Event;
using hal::Has;
using ::testing::SizeIs;

constexpr uint32_t kPid = 40, kTid = 41;

wire_name name_at(uint64_t start_ns, std::string_view text) {
  wire_name name{};
  name.pid = kPid;
  name.tid = kTid;
  name.start_ns = start_ns;
  name.length = static_cast<uint16_t>(text.size());
  std::memcpy(name.name, text.data(), std::min(text.size(), sizeof(name.name)));
  return name;
}

Event lookup(uint64_t start_ns, uint64_t handle) {
  Event event;
  event.kind = hal::Kind::kModule;
  event.pid = kPid;
  event.tid = kTid;
  event.start_mono_ns = start_ns;
  event.handle = handle;
  event.set(Has::kHandle);
  return event;
}

TEST(FunctionNames, ANameJoinsItsCallInALaterParcel) {
  hal::LossLedger ledger;
  FunctionNames names(ledger);
  Parcel first, second;
  first.records.names = {name_at(100, "gemm"), name_at(200, "softmax")};
  names.join(first);
  EXPECT_THAT(first.names, SizeIs(0));
  second.records.events = {lookup(200, 0xb0), lookup(100, 0xa0), lookup(300, 0xc0)};
  names.join(second);
  ASSERT_THAT(second.names, SizeIs(2));
  EXPECT_EQ(second.names[0].untrusted_name, "softmax");
  EXPECT_EQ(second.names[0].handle, 0xb0U);
  EXPECT_EQ(second.names[1].untrusted_name, "gemm");
  EXPECT_EQ(second.names[1].pid, kPid);
}

TEST(FunctionNames, ALookupThatFailedNamesNothing) {
  hal::LossLedger ledger;
  FunctionNames names(ledger);
  Parcel parcel;
  parcel.records.names = {name_at(100, "gemm")};
  parcel.records.events = {lookup(100, 0xa0)};
  parcel.records.events[0].failed = true;
  names.join(parcel);
  EXPECT_THAT(parcel.names, SizeIs(0));
}

TEST(FunctionNames, ACallInFlightKeepsItsNameForTheRecordOfItsEnd) {
  hal::LossLedger ledger;
  FunctionNames names(ledger);
  Parcel open, ended;
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
  Parcel parcel;
  parcel.records.names = {name_at(100, std::string(sizeof(wire_name::name) - 1, 'x'))};
  parcel.records.events = {lookup(100, 0xa0)};
  names.join(parcel);
  ASSERT_THAT(parcel.names, SizeIs(1));
  EXPECT_EQ(ledger.count(hal::Loss::name_truncated), 1U);
}

TEST(FunctionNames, NamesWhoseCallsWereLostAreBoundedAndCounted) {
  hal::LossLedger ledger;
  FunctionNames names(ledger);
  Parcel parcel;
  for (uint64_t i = 0; i < 65537; ++i) parcel.records.names.push_back(name_at(i, "lost"));
  names.join(parcel);
  EXPECT_EQ(ledger.count(hal::Loss::name_table_full), 65536U);
  Parcel later;
  later.records.events = {lookup(65536, 0xa0), lookup(7, 0xb0)};
  names.join(later);
  ASSERT_THAT(later.names, SizeIs(1));
  EXPECT_EQ(later.names[0].handle, 0xa0U);
}

}  // namespace
}  // namespace ingero::cli
