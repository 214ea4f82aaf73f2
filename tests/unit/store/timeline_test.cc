// Timelines: every call on its tracks, bins that agree with the rows they stand for, and recordings that grow.
#include "store/read/timeline.h"

#include <chrono>
#include <ctime>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "recording.h"
#include "store/read/track_bins.h"

namespace ingero::store::testing {
namespace {

class TimelineTest : public RecordingTest {
 protected:
  TimelineView view(TimelineQuestion question) {
    const std::unique_ptr<Reader> reader = read();
    Result<TimelineView> made = timeline.view(*reader, question);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
    return made.ok() ? std::move(*made) : TimelineView();
  }
  static TimelineQuestion part(uint64_t from_ns, uint64_t to_ns, uint32_t bins = 100) {
    TimelineQuestion question;
    question.from_wall_ns = static_cast<int64_t>(kWall + from_ns);
    question.to_wall_ns = static_cast<int64_t>(kWall + to_ns);
    question.bins = bins;
    return question;
  }
  static const TrackView* track(const TimelineView& view, std::string_view start) {
    for (const TrackView& one : view.views) {
      if (view.tracks[one.track].name.starts_with(start)) return &one;
    }
    return nullptr;
  }
  Timeline timeline;
};

TEST_F(TimelineTest, ACallIsOnTheTracksOfItsThreadItsStreamAndItsRank) {
  open();
  hal::Communicator communicator;
  communicator.id = 1;
  communicator.pid = 100;
  communicator.handle = 0x10;
  communicator.comm_id_hash = 5;
  communicator.rank = 3;
  communicator.nranks = 8;
  writer->add_communicator(communicator);
  hal::Exchange exchange;
  exchange.exchange_id = 1;
  exchange.communicator = 0x10;
  exchange.communicator_id = 1;
  Event reduce = event_of("otherAllReduce", 1000, 500);
  reduce.stream = 0xab;
  reduce.set(Has::kStream);
  ASSERT_TRUE(writer->write_exchange(reduce, exchange).ok());
  Event inner = event_of("cudaMalloc", 1100, 50);
  inner.depth = 1;
  inner.failed = true;
  write({inner, event_of("cudaFree", 9000, 10, 200)});
  close();
  const TimelineView all = view(part(0, 10'000));
  ASSERT_EQ(all.tracks.size(), 4U);
  EXPECT_TRUE(all.is_whole);
  EXPECT_EQ(all.tracks[0].group, TrackGroup::kRank);
  EXPECT_EQ(all.tracks[0].rank, 3);
  EXPECT_EQ(all.tracks[0].nranks, 8);
  EXPECT_EQ(all.tracks[1].tid, 100U);  // the process with more calls first
  EXPECT_EQ(all.tracks[1].events, 2U);
  EXPECT_EQ(all.tracks[2].stream, 0xabU);
  EXPECT_EQ(all.tracks[3].pid, 200U);
  const TrackView* thread = track(all, "thread:100:");
  ASSERT_NE(thread, nullptr);
  ASSERT_EQ(thread->slices.size(), 2U);
  EXPECT_EQ(thread->slices[0].start_wall_ns, static_cast<int64_t>(kWall + 1000));
  EXPECT_EQ(thread->slices[0].duration_ns, 500U);
  EXPECT_EQ(all.ops[thread->slices[1].op].call, "cudaMalloc");
  EXPECT_EQ(thread->slices[1].depth, 1U);
  EXPECT_TRUE(thread->slices[1].failed);
  // Only what the part has, only the process and the track asked for.
  EXPECT_EQ(track(view(part(8000, 10'000)), "thread:100:")->slices.size(), 0U);
  TimelineQuestion other = part(0, 10'000);
  other.pid = 200;
  EXPECT_EQ(view(other).tracks.size(), 1U);
  TimelineQuestion named = part(0, 10'000);
  named.tracks = {all.tracks[2].name, "no such lane"};
  EXPECT_EQ(view(named).views.size(), 1U);
}

TEST_F(TimelineTest, BinsAgreeWithTheCallsThatTheyStandFor) {
  constexpr uint64_t kCalls = 120'000, kEvery = 10'000;  // more than are read for one answer
  constexpr uint32_t kBins = 50;
  open();
  std::mt19937_64 random(3);
  std::vector<Event> events;
  std::vector<uint64_t> count(kBins), busy(kBins);
  const uint64_t width = kCalls * kEvery / kBins;
  for (uint64_t i = 0; i < kCalls; ++i) {
    const uint64_t at = i * kEvery, took = random() % kEvery;
    events.push_back(event_of(took > 9'900 ? "cudaFree" : "cudaMalloc", at, took));
    ++count[at / width];
    const uint64_t here = std::min(took, (at / width + 1) * width - at);
    busy[at / width] += here;
    if (took > here) busy[at / width + 1] += took - here;
  }
  write(events);
  close();
  const TimelineView all = view(part(0, kCalls * kEvery, kBins));
  EXPECT_FALSE(all.is_whole);
  EXPECT_EQ(all.bin_ns, width);
  const TrackView& thread = all.views[0];
  ASSERT_EQ(thread.bins.size(), kBins);
  uint64_t counted = 0;
  for (const TrackBin& bin : thread.bins) {
    counted += bin.count;
    // A bin of the store's grid may lie across a border of the answer's.
    EXPECT_NEAR(static_cast<double>(bin.count), static_cast<double>(count[bin.position]), 110.0);
    EXPECT_NEAR(static_cast<double>(bin.busy_ns), static_cast<double>(busy[bin.position]),
                0.05 * static_cast<double>(width));
    EXPECT_EQ(all.ops[bin.op].call, "cudaFree");  // the longest
  }
  EXPECT_EQ(counted, kCalls);
  // Few enough rows: each of them, exactly.
  const TimelineView close_by = view(part(500 * kEvery, 600 * kEvery - 1));
  EXPECT_TRUE(close_by.is_whole);
  ASSERT_EQ(close_by.views[0].slices.size(), 100U);
  EXPECT_EQ(close_by.views[0].slices[0].start_wall_ns, static_cast<int64_t>(kWall + 500 * kEvery));
  EXPECT_EQ(close_by.views[0].slices[0].duration_ns, events[500].duration_ns);
}

TEST_F(TimelineTest, LongCallsAreShownOneByOneAmongBins) {
  open();
  std::vector<Event> events;
  for (uint64_t i = 0; i < 60'000; ++i) events.push_back(event_of("cudaMalloc", i * 1000, 400, 100, 101));
  events.push_back(event_of("cudaStreamSynchronize", 0, 50'000'000, 100, 101));
  write(events);
  close();
  const TimelineView all = view(part(0, 60'000'000));
  ASSERT_EQ(all.views[0].slices.size(), 1U);
  EXPECT_EQ(all.views[0].slices[0].duration_ns, 50'000'000U);
  EXPECT_EQ(all.views[0].bins.size(), 100U);
}

TEST_F(TimelineTest, WhatIsWrittenLaterIsThereAndACallInFlightEnds) {
  open();
  write({event_of("cudaMalloc", 0, 10)});
  Event waiting = event_of("cudaStreamSynchronize", 100, 50);
  write({in_flight(waiting)});
  flush();
  const TimelineView before = view(part(0, 10'000));
  ASSERT_EQ(before.views[0].slices.size(), 2U);
  EXPECT_EQ(before.views[0].slices[1].duration_ns, std::nullopt);
  waiting.duration_ns = 3000;
  write({waiting, event_of("cudaFree", 5000, 10)});
  flush();
  const TimelineView after = view(part(0, 10'000));
  ASSERT_EQ(after.views[0].slices.size(), 3U);
  EXPECT_EQ(after.views[0].slices[1].duration_ns, 3000U);
  EXPECT_EQ(after.tracks[0].events, 3U);
  close();
}

TEST_F(TimelineTest, APartThatCannotBeIsEmpty) {
  open();
  write({event_of("cudaMalloc", 0, 10)});
  close();
  TimelineQuestion far;
  far.from_wall_ns = INT64_MIN;
  far.to_wall_ns = INT64_MAX;
  EXPECT_EQ(view(far).views.size(), 1U);
  EXPECT_EQ(view(part(10, 10)).views.size(), 0U);
}

TEST(TrackBins, CoarserBinsAreWhatCoarserBinsWouldHaveBeen) {
  std::mt19937_64 random(5);
  TrackBins grown, made;
  for (int64_t i = 0; i < 5000; ++i) {
    StoredSlice slice;
    slice.start_ns = static_cast<int64_t>(random() % 10'000'000);
    slice.duration_ns = random() % 300'000;  // some are long at first, none in the end
    slice.depth = static_cast<uint8_t>(i % 3 == 0 ? 1 : 0);
    slice.op = static_cast<uint32_t>(random() % 7);
    grown.add(slice, 10);
    made.add(slice, 14);
  }
  EXPECT_GT(grown.long_slices().size(), 0U);
  for (unsigned shift = 11; shift <= 14; ++shift) grown.coarsen(shift);
  EXPECT_EQ(grown.events(), 5000U);
  EXPECT_EQ(made.events(), 5000U);
  ASSERT_EQ(grown.bins().size(), made.bins().size());
  EXPECT_EQ(grown.long_slices().size(), made.long_slices().size());
  for (size_t i = 0; i < made.bins().size(); ++i) {
    EXPECT_EQ(grown.bins()[i].position, made.bins()[i].position);
    EXPECT_EQ(grown.bins()[i].count, made.bins()[i].count);
    EXPECT_EQ(grown.bins()[i].busy_ns, made.bins()[i].busy_ns);
    EXPECT_EQ(grown.bins()[i].longest_ns, made.bins()[i].longest_ns);
  }
}

// Calls that take some tens of the finest bins each, on one track: all of them become part of bins when these get
// coarser.
// CPU time: what else runs on the machine does not count.
std::clock_t time_of_filling(size_t calls) {
  TrackBins bins;
  unsigned shift = 10;
  const std::clock_t begin = std::clock();
  for (size_t i = 0; i < calls; ++i) {
    StoredSlice slice;
    slice.start_ns = static_cast<int64_t>(i) * 80'000;
    slice.duration_ns = i % 2 == 0 ? 70'000 : 20'000;
    bins.add(slice, shift);
    while (bins.size() > calls) bins.coarsen(++shift);
  }
  while (bins.size() > calls / 64) bins.coarsen(++shift);
  EXPECT_EQ(bins.events(), calls);
  return std::clock() - begin;
}

TEST(TrackBins, TimeGrowsWithTheNumberOfCallsAndNotWithItsSquare) {
  constexpr size_t kFew = 20'000;
  // Quadratic: 64 times.
  EXPECT_LT(time_of_filling(8 * kFew), 24 * time_of_filling(kFew));
}

// Many calls of a microsecond, newest part first as a live recording is read: in two seconds at most, where one
// after the other in front of what there is takes a minute.
TEST(TrackBins, OlderCallsAreJoinedInOnePass) {
  constexpr int64_t kCalls = 400'000, kParts = 5;
  TrackBins joined, in_order;
  const auto call = [](int64_t i) {
    StoredSlice slice;
    slice.start_ns = i * 1500;
    slice.duration_ns = 1000 + static_cast<uint64_t>(i % 7) * 100;
    slice.op = static_cast<uint32_t>(i % 5);
    return slice;
  };
  for (int64_t i = 0; i < kCalls; ++i) in_order.add(call(i), 10);
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t part = kParts - 1; part >= 0; --part) {
    joined.begin_older();
    for (int64_t i = part * kCalls / kParts; i < (part + 1) * kCalls / kParts; ++i) joined.add(call(i), 10);
    EXPECT_GE(joined.size(), joined.bins().size());
    joined.end_older();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(joined.events(), in_order.events());
  ASSERT_EQ(joined.bins().size(), in_order.bins().size());
  for (size_t i = 0; i < joined.bins().size(); ++i) {
    ASSERT_EQ(joined.bins()[i].position, in_order.bins()[i].position);
    ASSERT_EQ(joined.bins()[i].count, in_order.bins()[i].count);
    ASSERT_EQ(joined.bins()[i].busy_ns, in_order.bins()[i].busy_ns);
    ASSERT_EQ(joined.bins()[i].longest_ns, in_order.bins()[i].longest_ns);
  }
}

}  // namespace
}  // namespace ingero::store::testing
