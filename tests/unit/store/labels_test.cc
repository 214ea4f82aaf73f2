// Labels: which hold at a moment, and when one held.
#include "store/read/labels.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "recording.h"

namespace ingero::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Pair = std::pair<std::string_view, std::string_view>;

class LabelsOf : public testing::RecordingTest {
 protected:
  static constexpr uint64_t kSecond = 1'000'000'000;

  void say(uint64_t at_s, const std::string& labels, uint32_t pid = 0, std::optional<uint64_t> until_s = {}) {
    Annotation one;
    one.wall_ns = testing::kWall + at_s * kSecond;
    one.labels_json = labels;
    one.pid = pid;
    if (until_s) {
      one.span_start_wall_ns = one.wall_ns;
      one.span_end_wall_ns = testing::kWall + *until_s * kSecond;
    }
    writer->add_annotation(one);
  }
  static uint64_t wall(uint64_t s) { return testing::kWall + s * kSecond; }
  Labels labels() {
    reader_ = read();
    auto loaded = Labels::load(*reader_);
    EXPECT_TRUE(loaded.ok());
    return std::move(*loaded);
  }
  std::string narrowed(const std::string& label, Selection selection = {}) {
    const Status status = narrow_by_label(*reader_, label, selection);
    if (!status.ok()) return status.error().text();
    const auto second = [](uint64_t ns) { return (ns + 1 - testing::kWall) / kSecond; };
    return fmt::format("{}..{} {}", second(*selection.from_wall_ns),
                       selection.to_wall_ns ? std::to_string(second(*selection.to_wall_ns)) : "",
                       selection.pid.value_or(0));
  }
  std::unique_ptr<Reader> reader_;
};

TEST_F(LabelsOf, MomentsHoldUntilTheNextAndSpansWithinTheirs) {
  open();
  write({testing::event_of("cudaMalloc", 0, 10)});
  say(10, R"({"step":"1","epoch":"0"})");
  say(20, R"({"step":"2"})");
  say(12, R"({"phase":"eval"})", 0, 15);
  say(14, R"({"step":"9"})", 100);
  close();
  const Labels all = labels();
  EXPECT_THAT(all.at("node-a", 0, wall(9)), IsEmpty());
  EXPECT_THAT(all.at("node-a", 0, wall(10)), ElementsAre(Pair("epoch", "0"), Pair("step", "1")));
  EXPECT_THAT(all.at("node-a", 0, wall(13)), ElementsAre(Pair("epoch", "0"), Pair("phase", "eval"), Pair("step", "1")));
  EXPECT_THAT(all.at("node-a", 0, wall(16)), ElementsAre(Pair("epoch", "0"), Pair("step", "1")));
  EXPECT_THAT(all.at("node-a", 100, wall(16)), ElementsAre(Pair("epoch", "0"), Pair("step", "9")));
  EXPECT_THAT(all.at("node-a", 100, wall(25)), ElementsAre(Pair("epoch", "0"), Pair("step", "2")));  // said later
  EXPECT_EQ(narrowed("step=1"), "10..20 0");
  EXPECT_EQ(narrowed("phase=eval"), "12..15 0");
  EXPECT_EQ(narrowed("epoch=0"), "10.. 0");
  EXPECT_EQ(narrowed("step=9"), "14.. 100");
  EXPECT_THAT(narrowed("step=3"), HasSubstr("not found in the selected part (there are epoch, phase, step)"));
  EXPECT_THAT(narrowed("step"), HasSubstr("KEY=VALUE"));
}

TEST_F(LabelsOf, HoldAgainWhenASpanIsOver) {
  open();
  write({testing::event_of("cudaMalloc", 0, 10)});
  say(10, R"({"phase":"train"})");
  say(12, R"({"phase":"eval"})", 0, 15);
  say(14, R"({"phase":"save"})", 0, 20);
  say(30, R"({"phase":"rest"})");
  close();
  const Labels all = labels();
  EXPECT_THAT(narrowed("phase=train"), HasSubstr("it holds 2 times"));
  const auto ranges = all.ranges("phase", "train");
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].to_wall_ns, wall(12) - 1);
  EXPECT_EQ(ranges[1].from_wall_ns, wall(20) + 1);
  EXPECT_EQ(ranges[1].to_wall_ns, wall(30) - 1);
  for (uint64_t s = 10; s < 40; ++s) {  // what holds at a moment is what holds for a time
    const bool holds = std::ranges::any_of(
        ranges, [&](const auto& one) { return one.from_wall_ns <= wall(s) && wall(s) <= one.to_wall_ns; });
    const auto at = all.at("node-a", 0, wall(s));
    EXPECT_EQ(holds, at.size() == 1 && at[0].second == "train") << s;
  }
}

TEST_F(LabelsOf, OutliveTheEventsOfTheirTime) {
  auto given = options();
  given.max_bytes = 1 << 20;
  open(given);
  say(0, R"({"epoch":"3"})");
  for (uint64_t step = 0; losses.count(hal::Loss::store_pruned) == 0 && step < 400; ++step) {
    say(step, fmt::format(R"({{"step":"{}"}})", step));
    std::vector<testing::Event> events;
    for (uint64_t i = 0; i < 2048; ++i) {
      events.push_back(testing::event_of("cudaMalloc", step * kSecond + i * 1000, 100'000 + i * 77'777));
    }
    write(events);
    for (auto more = writer->maintain(); more.ok() && *more;) more = writer->maintain();
  }
  close();
  ASSERT_GT(losses.count(hal::Loss::store_pruned), 0U);
  const auto at = labels().at("node-a", 0, wall(1000));
  ASSERT_EQ(at.size(), 2U);
  EXPECT_EQ(at[0], (std::pair<std::string_view, std::string_view>("epoch", "3")));
}

TEST_F(LabelsOf, SeveralTimesIsReportedAndATimeChooses) {
  open();
  write({testing::event_of("cudaMalloc", 0, 10)});
  for (uint64_t at = 0; at < 5; ++at) say(10 * at, at % 2 == 0 ? R"({"phase":"train"})" : R"({"phase":"eval"})");
  close();
  (void)labels();
  EXPECT_THAT(narrowed("phase=train"), HasSubstr("it holds 3 times, from 2026-01-01T00:00:00"));
  Selection selection;
  selection.from_wall_ns = wall(21);
  selection.to_wall_ns = wall(25);
  EXPECT_EQ(narrowed("phase=train", selection), "21..25 0");
}

TEST_F(LabelsOf, APreviousProcessOfTheSameNumberSaidNothingOfThisOne) {
  open();
  hal::Process process;
  process.pid = 100;
  process.start_mono_ns = testing::kMono;
  writer->add_process(process);
  write({testing::event_of("cudaMalloc", 0, 10)});
  say(5, R"({"step":"1"})", 100);
  process.start_mono_ns = testing::kMono + 10 * kSecond;
  writer->add_process(process);
  write({testing::event_of("cudaMalloc", 11 * kSecond, 10)});
  close();
  const Labels all = labels();
  EXPECT_THAT(all.at("node-a", 100, wall(6)), ElementsAre(Pair("step", "1")));
  EXPECT_THAT(all.at("node-a", 100, wall(11)), IsEmpty());
  EXPECT_EQ(narrowed("step=1"), "5..10 100");
}

TEST_F(LabelsOf, RanksThatSayTheSameAreOneTime) {
  open();
  write({testing::event_of("cudaMalloc", 0, 10)});
  for (uint32_t pid : {100, 101, 102}) {
    say(10, R"({"step":"1"})", pid);
    say(20, R"({"step":"2"})", pid);
    say(30, R"({"step":"3"})", pid);
  }
  close();
  (void)labels();
  EXPECT_EQ(narrowed("step=2"), "20..30 0");
  Selection selection;
  selection.pid = 101;
  EXPECT_EQ(narrowed("step=2", selection), "20..30 101");
}

TEST_F(LabelsOf, WhatIsNoObjectOfTextsIsNotRead) {
  open();
  write({testing::event_of("cudaMalloc", 0, 10)});
  say(1, "no json");
  say(2, "[1]");
  say(3, R"({"a":{"b":1},"c":null,"d":2})");
  close();
  EXPECT_THAT(labels().at("node-a", 0, wall(4)), ElementsAre(Pair("d", "2")));
}

TEST_F(LabelsOf, AreBoundedWhileTheDiskTakesNothing) {
  open();
  for (int i = 0; i < 60'000; ++i) say(1, R"({"a":"b"})");
  EXPECT_EQ(losses.count(hal::Loss::annotation_dropped), 10'000U);
  close();
  EXPECT_EQ(row("SELECT count(*) FROM annotations"), "50000");
}

}  // namespace
}  // namespace ingero::store
