// Which synchronisation ends which wait.
#include "correlate/barriers.h"

#include "collective_calls.h"
#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

class BarriersTest : public ::testing::Test {
 protected:
  Event call(std::string_view name, uint32_t tid = kPid) { return event_of(name, kPid, now += 10'000, tid); }
  // A collective on a stream; returns its exchange's id.
  uint64_t collect(uint64_t stream, uint32_t tid = kPid) {
    Event event = call("collect", tid);
    event.stream = stream;
    event.set(Has::kStream);
    Exchange exchange;
    exchange.exchange_id = ++last_id;
    barriers.take(event, &exchange);
    return last_id;
  }
  uint64_t collect_in_group(uint64_t stream, uint64_t group) {
    Event event = call("collect");
    event.stream = stream;
    event.set(Has::kStream);
    Exchange exchange;
    exchange.exchange_id = ++last_id;
    exchange.group = group;
    barriers.take(event, &exchange);
    return last_id;
  }
  Event end_group(uint64_t group, bool failed = false) {
    Event event = call("manage");
    event.failed = failed;
    Exchange exchange;
    exchange.role = hal::Role::kGroupEnd;
    exchange.group = group;
    barriers.take(event, &exchange);
    return event;
  }
  Event on_stream(std::string_view name, uint64_t stream, std::optional<uint64_t> handle = std::nullopt) {
    Event event = call(name);
    event.stream = stream;
    event.set(Has::kStream);
    if (handle) {
      event.handle = *handle;
      event.set(Has::kHandle);
    }
    return event;
  }
  void feed(const Event& event) { barriers.take(event, nullptr); }
  void select(int32_t device, uint32_t tid) {
    Event event = call("select", tid);
    event.device = device;
    event.set(Has::kDevice);
    feed(event);
  }
  // The ids that this event's feeding ended the wait of.
  std::vector<uint64_t> waited(const Event& sync) {
    feed(sync);
    std::vector<uint64_t> ids;
    for (const auto& wait : barriers.take_waits()) ids.push_back(wait.exchange_id);
    return ids;
  }

  hal::LossLedger ledger;
  Barriers barriers{calls(), ledger};
  uint64_t now = 1'000'000, last_id = 0;
};

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST_F(BarriersTest, TheWaitIsFromTheCallsReturnToTheEndOfTheSynchronisation) {
  collect(7);
  const uint64_t returned = now + 1000;
  Event sync = on_stream("synchronise", 7);
  sync.duration_ns = 50'000'000;
  feed(sync);
  const auto waits = barriers.take_waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].wait_ns, sync.end_mono_ns() - returned);
  EXPECT_EQ(waits[0].call, call_named("collect"));
  EXPECT_THAT(waited(on_stream("synchronise", 7)), IsEmpty()) << "measured once";
}

TEST_F(BarriersTest, ACallOfAGroupIsOnItsStreamWhenTheGroupEnds) {
  const uint64_t before = collect(7);
  const uint64_t inside = collect_in_group(7, 50);
  EXPECT_THAT(waited(on_stream("synchronise", 7)), ElementsAre(before)) << "the group has not ended";
  end_group(50);  // one inside another
  const Event end = end_group(50);
  collect_in_group(7, 60);
  Event sync = on_stream("synchronise", 7);
  sync.duration_ns = 3'000'000;
  feed(sync);
  const auto waits = barriers.take_waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].exchange_id, inside);
  EXPECT_EQ(waits[0].wait_ns, sync.end_mono_ns() - end.end_mono_ns());
  end_group(60, true);
  EXPECT_THAT(waited(on_stream("synchronise", 7)), IsEmpty()) << "a group that failed has put nothing there";
}

TEST_F(BarriersTest, AnotherStreamsSynchronisationCoversNothing) {
  const uint64_t id = collect(0);  // the default stream is a stream
  EXPECT_THAT(waited(on_stream("synchronise", 8)), IsEmpty());
  EXPECT_THAT(waited(on_stream("synchronise", 0)), ElementsAre(id));
}

TEST_F(BarriersTest, AFailedSynchronisationCoversNothing) {
  collect(7);
  Event sync = on_stream("synchronise", 7);
  sync.failed = true;
  sync.return_code = 4;
  EXPECT_THAT(waited(sync), IsEmpty());
}

TEST_F(BarriersTest, OneThatBeganBeforeTheCallReturnedIsNotCertainToCoverIt) {
  Event sync = on_stream("synchronise", 7);
  collect(7, kPid + 1);
  sync.duration_ns = 1'000'000;
  EXPECT_THAT(waited(sync), IsEmpty());
}

TEST_F(BarriersTest, AMarkCoversWhatCameBeforeIt) {
  const uint64_t before = collect(7);
  feed(on_stream("mark", 7, 0xe));
  const uint64_t after = collect(7);
  Event sync = call("synchronise");
  sync.handle = 0xe;
  sync.set(Has::kHandle);
  EXPECT_THAT(waited(sync), ElementsAre(before));
  EXPECT_THAT(waited(on_stream("synchronise", 7)), ElementsAre(after));
}

TEST_F(BarriersTest, AStreamThatAwaitsAMarkCarriesItsWork) {
  const uint64_t first = collect(7);
  feed(on_stream("mark", 7, 0xe));
  const uint64_t second = collect(7);
  feed(on_stream("await", 9, 0xe));
  feed(on_stream("mark", 9, 0xf));
  feed(on_stream("await", 11, 0xf));
  EXPECT_THAT(waited(on_stream("synchronise", 11)), ElementsAre(first));
  EXPECT_THAT(waited(on_stream("synchronise", 7)), ElementsAre(second));
}

TEST_F(BarriersTest, ADevicesSynchronisationCoversTheThreadsOwnWork) {
  const uint64_t one = collect(7), two = collect(8);
  collect(9, kPid + 1);  // another thread, whose choice of a device was not seen
  EXPECT_THAT(waited(call("synchronise")), UnorderedElementsAre(one, two));
}

TEST_F(BarriersTest, ADevicesSynchronisationCoversThatDevice) {
  select(0, kPid);
  const uint64_t first = collect(7);
  select(1, kPid);
  const uint64_t second = collect(8);
  select(1, kPid + 1);
  EXPECT_THAT(waited(call("synchronise", kPid + 1)), ElementsAre(second));
  select(0, kPid);
  EXPECT_THAT(waited(call("synchronise")), ElementsAre(first));
}

TEST_F(BarriersTest, WhatAGraphKeepsIsNotWaitedFor) {
  feed(on_stream("begin", 7));
  collect(7);
  collect(8);
  feed(on_stream("mark", 7, 0xe));
  feed(on_stream("await", 9, 0xe));
  collect(9);  // takes part in the capture
  feed(on_stream("end", 7));
  const uint64_t later = collect(7);
  EXPECT_THAT(waited(on_stream("synchronise", 7)), ElementsAre(later));
  EXPECT_THAT(waited(on_stream("synchronise", 9)), IsEmpty());
  EXPECT_THAT(waited(on_stream("synchronise", 8)), ::testing::SizeIs(1));
}

TEST_F(BarriersTest, OfTwoSynchronisationsInsideEachOtherTheOuterOneCounts) {
  collect(7);
  Event inner = on_stream("synchronise", 7);
  inner.parent_call = call_named("synchronise");
  inner.set(Has::kParent);
  EXPECT_THAT(waited(inner), IsEmpty());
  EXPECT_THAT(waited(on_stream("synchronise", 7)), ::testing::SizeIs(1));
}

TEST_F(BarriersTest, WorkThatNobodyWaitsForIsBoundedAndCounted) {
  for (size_t i = 0; i < Barriers::kMaxPending + 3; ++i) collect(7);
  EXPECT_EQ(ledger.count(hal::Loss::wait_forgotten), 3U);
  EXPECT_THAT(waited(on_stream("synchronise", 7)), ::testing::SizeIs(Barriers::kMaxPending));
}

TEST_F(BarriersTest, AStreamThatDoesNotFitIsCounted) {
  for (size_t i = 0; i < Barriers::kMaxStreams; ++i) collect(100 + i);
  EXPECT_EQ(ledger.count(hal::Loss::wait_forgotten), 0U);
  collect(7);
  EXPECT_EQ(ledger.count(hal::Loss::wait_forgotten), 1U);
  EXPECT_THAT(waited(on_stream("synchronise", 7)), IsEmpty());
  feed(on_stream("mark", 100, 0xe));
  feed(on_stream("await", 101, 0xe));
  EXPECT_EQ(ledger.count(hal::Loss::wait_forgotten), 1U);
  feed(on_stream("await", 8, 0xe));
  feed(on_stream("begin", 9));
  EXPECT_EQ(ledger.count(hal::Loss::wait_forgotten), 3U);
}

TEST_F(BarriersTest, MarksThatDoNotFitAreCounted) {
  collect(7);
  for (size_t i = 0; i < Barriers::kMaxMarks; ++i) feed(on_stream("mark", 7, 1 + i));
  EXPECT_EQ(ledger.count(hal::Loss::wait_forgotten), 0U);
  feed(on_stream("mark", 7, 0));
  EXPECT_EQ(ledger.count(hal::Loss::wait_forgotten), Barriers::kMaxMarks);
}

TEST_F(BarriersTest, DevicesOfThreadsThatDoNotFitAreCounted) {
  for (uint32_t tid = 1; tid <= Barriers::kMaxThreads; ++tid) select(0, tid);
  EXPECT_EQ(ledger.count(hal::Loss::device_forgotten), 0U);
  select(0, Barriers::kMaxThreads + 1);
  EXPECT_EQ(ledger.count(hal::Loss::device_forgotten), Barriers::kMaxThreads);
}

TEST_F(BarriersTest, AStreamMadeAnewHasNoWorkOfTheOldOne) {
  const uint64_t kept = collect(7);
  feed(on_stream("query_stream", 7));
  EXPECT_THAT(waited(on_stream("synchronise", 7)), ElementsAre(kept));
  collect(7);
  feed(on_stream("make_stream", 7));
  EXPECT_THAT(waited(on_stream("synchronise", 7)), IsEmpty());
}

TEST_F(BarriersTest, AnotherProcesssStreamOfThatNumberIsAnother) {
  collect(7);
  Event sync = on_stream("synchronise", 7);
  sync.pid = kPid + 1;
  EXPECT_THAT(waited(sync), IsEmpty());
  barriers.process_ended(kPid);
  EXPECT_THAT(waited(on_stream("synchronise", 7)), IsEmpty());
}

}  // namespace
}  // namespace ingero::correlate::testing
