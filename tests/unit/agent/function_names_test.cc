// Names of functions join their calls, however late those come, and are bounded.
#include "agent/function_names.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

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

// Nothing of the process can be read.
bool nothing(uint32_t, uint64_t, void*, size_t) { return false; }

Event launch(uint64_t handle) {
  Event event;
  event.kind = hal::Kind::kLaunch;
  event.pid = kCaller;
  event.function = handle;
  event.set(Has::kFunction);
  return event;
}

TEST(FunctionNames, ANameJoinsItsCallInALaterBatch) {
  hal::LossLedger ledger;
  FunctionNames names(ledger, nothing);
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
  FunctionNames names(ledger, nothing);
  EventBatch batch;
  batch.records.names = {name_at(100, "gemm")};
  batch.records.events = {lookup(100, 0xa0)};
  batch.records.events[0].failed = true;
  names.join(batch);
  EXPECT_THAT(batch.names, SizeIs(0));
}

TEST(FunctionNames, ACallInFlightKeepsItsNameForTheRecordOfItsEnd) {
  hal::LossLedger ledger;
  FunctionNames names(ledger, nothing);
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

// Names that are longer than their records, in the memory of the process that registered them.
class LongNames : public ::testing::Test {
 protected:
  static constexpr uint64_t kAddress = 0x7000'0ff0;  // the first page ends in the middle of the first name
  static constexpr uint64_t kHandle = 0xa0;

  // As the kernel side has it: its beginning.
  void register_name(const std::string& name) {
    memory_ = name + '\0';
    EventBatch batch;
    batch.records.names = {name_at(100, name.substr(0, sizeof(wire_name::name) - 1))};
    batch.records.names[0].address = kAddress;
    batch.records.events = {lookup(100, kHandle)};
    names_.join(batch);
    ASSERT_THAT(batch.names, SizeIs(1));
    EXPECT_EQ(batch.names[0].untrusted_name, name.substr(0, sizeof(wire_name::name) - 1));
  }
  std::vector<std::string> named_at_launch(uint64_t handle = kHandle) {
    EventBatch batch;
    batch.records.events = {launch(handle), launch(handle)};
    names_.name_launched(batch, nullptr);
    std::vector<std::string> found;
    for (const FunctionName& one : batch.names) {
      EXPECT_EQ(one.pid, kCaller);
      EXPECT_EQ(one.handle, handle);
      found.push_back(one.untrusted_name);
    }
    return found;
  }

  std::string memory_;
  int reads_ = 0;
  hal::LossLedger ledger_;
  FunctionNames names_{ledger_, [this](uint32_t pid, uint64_t address, void* out, size_t size) {
                         ++reads_;
                         EXPECT_EQ(address / 4096, (address + size - 1) / 4096) << "the next page may not be there";
                         const uint64_t page_end = (kAddress + memory_.size() + 4095) / 4096 * 4096;
                         if (pid != kCaller || address < kAddress || address + size > page_end) return false;
                         std::string text = memory_;
                         text.resize(page_end - kAddress);
                         std::memcpy(out, text.data() + (address - kAddress), size);
                         return true;
                       }};
};

TEST_F(LongNames, AreReadToTheirEndWhenTheFunctionIsLaunchedAndOnlyThen) {
  for (const size_t length : {255, 256, 1000, 4000}) {
    const std::string name = std::string(length - 1, 'x') + 'y';
    register_name(name);
    EXPECT_EQ(std::exchange(reads_, 0), 0);
    EXPECT_EQ(named_at_launch(0xb0), std::vector<std::string>());
    EXPECT_EQ(named_at_launch(), std::vector<std::string>{name}) << length;
    EXPECT_EQ(named_at_launch(), std::vector<std::string>());
    EXPECT_GT(std::exchange(reads_, 0), 0);
  }
  EXPECT_EQ(ledger_.count(hal::Loss::name_truncated), 0U);
}

TEST_F(LongNames, ThatAreGoneOrHaveNoEndStayCutAndAreCounted) {
  register_name(std::string(300, 'x'));
  memory_ = std::string(300, 'z') + '\0';  // another text by then
  EXPECT_EQ(named_at_launch(), std::vector<std::string>());
  EXPECT_EQ(ledger_.count(hal::Loss::name_truncated), 1U);
  register_name(std::string(300, 'x'));
  memory_ = "short";
  EXPECT_EQ(named_at_launch(), std::vector<std::string>());
  EXPECT_EQ(ledger_.count(hal::Loss::name_truncated), 2U);
  register_name(std::string(10'000, 'x'));
  EXPECT_EQ(named_at_launch(), std::vector<std::string>());
  EXPECT_EQ(ledger_.count(hal::Loss::name_truncated), 3U);
}

TEST_F(LongNames, OfAProcessThatHasEndedAreForgotten) {
  register_name(std::string(300, 'x'));
  names_.process_ended(kCaller);
  EXPECT_EQ(named_at_launch(), std::vector<std::string>());
  EXPECT_EQ(reads_, 0);
}

TEST(FunctionNames, NamesWhoseCallsWereLostAreBoundedAndCounted) {
  hal::LossLedger ledger;
  FunctionNames names(ledger, nothing);
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
