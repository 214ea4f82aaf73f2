// What a recording says of its runs: whether each has ended, what each lost, and which one is meant where none is
// named.
#include "store/read/runs.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "recording.h"
#include "store/read/time_range.h"

namespace ingero::store::testing {
namespace {

using ::testing::HasSubstr;

class RunsTest : public RecordingTest {
 protected:
  Ending ending(const std::string& file = {}) {
    const auto reader = read(file);
    const auto found = runs(*reader);
    EXPECT_TRUE(found.ok());
    return ending_of(*reader, *found);
  }
  // One event, a minute later than the last run's.
  void record(std::string_view call) {
    clock.elapsed_ns += 60'000'000'000;
    open();
    write({event_of(call, clock.elapsed_ns + 1000, 1)});
    close();
  }
  Result<TimeRange> range_of(const std::string& run, const std::string& since = "") {
    return resolve_range({since, "", "", run}, *read(), clock, 0, "--");
  }
  uint64_t events_in(const TimeRange& range) {
    Selection selection;
    selection.from_wall_ns = range.from_wall_ns;
    selection.to_wall_ns = range.to_wall_ns;
    const auto summary = summarise(*read(), selection);
    EXPECT_TRUE(summary.ok());
    return summary.ok() ? summary->events : 0;
  }
};

// A call that never returned is in every range that its run has a part of, and in none of the next run's.
TEST_F(RunsTest, ACallThatNeverReturnedLastsUntilTheEndOfItsRun) {
  constexpr uint64_t kMinute = 60'000'000'000;
  open();
  write({event_of("cudaMalloc", 50, 1), in_flight(event_of("cudaStreamSynchronize", 100, 7))});
  clock.elapsed_ns = kMinute;
  close();
  record("cudaMalloc");  // from the second minute on
  const auto open_in = [&](uint64_t from_ns, uint64_t to_ns) {
    Selection selection;
    selection.from_wall_ns = kWall + from_ns;
    selection.to_wall_ns = kWall + to_ns;
    const auto reader = read();
    const auto list = unfinished(*reader, selection);
    const auto summary = summarise(*reader, selection);
    EXPECT_TRUE(list.ok() && summary.ok());
    uint64_t counted = 0;
    for (const CallStats& one : summary->calls) counted += one.unfinished;
    EXPECT_EQ(list->size(), counted) << from_ns;
    return counted;
  };
  EXPECT_EQ(open_in(0, 10 * kMinute), 1U);
  EXPECT_EQ(open_in(kMinute / 2, 10 * kMinute), 1U);
  EXPECT_EQ(open_in(kMinute + 1, 10 * kMinute), 0U);
  EXPECT_EQ(open_in(0, 99), 0U);
}

// The agent was killed between making the file and beginning its first run.
TEST_F(RunsTest, ARecordingInWhichNoRunHasBegunHasNoProperEnd) {
  record("cudaMalloc");
  EXPECT_EQ(ending(), Ending::kProper);
  {
    auto database = Database::open(path, SQLITE_OPEN_READWRITE, path);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->execute("DELETE FROM sessions").ok());
  }
  EXPECT_NE(ending(), Ending::kProper);
  EXPECT_THAT(ending_sentence(ending(), path), HasSubstr("no proper end"));
}

TEST_F(RunsTest, WhatAKilledRunLostIsNotKnownAndACopyWithoutItsLogSaysSo) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    open();
    write({event_of("cudaMalloc", 0, 1)});
    flush();
    if (::write(ends[1], "r", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char ready = 0;
  ASSERT_EQ(::read(ends[0], &ready, 1), 1);
  EXPECT_EQ(ending(), Ending::kLive);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(ending(), Ending::kMissing);
  EXPECT_THAT(ending_sentence(Ending::kMissing, path), HasSubstr("no proper end"));
  EXPECT_EQ(row("SELECT count(*) FROM events"), "1");

  const std::string copy = directory + "/copy.db";
  std::filesystem::copy_file(path, copy);
  EXPECT_EQ(ending(copy), Ending::kLogIsLost);
  EXPECT_THAT(ending_sentence(Ending::kLogIsLost, copy), HasSubstr(copy + "-wal"));
}

TEST_F(RunsTest, AProperEndIsOneAlsoBehindAKilledRun) {
  open();
  write({event_of("cudaMalloc", 0, 1)});
  close();
  EXPECT_EQ(ending(), Ending::kProper);
  EXPECT_EQ(ending_sentence(Ending::kProper, path), "");
}

TEST_F(RunsTest, AFullDiskStillTakesWhatWasLostAndThatTheRunHasEnded) {
  if (::mount("none", directory.c_str(), "tmpfs", 0, "size=3m") != 0) {
    GTEST_SKIP() << "needs the right to mount a tmpfs";
  }
  open();
  std::vector<Event> events;
  for (uint64_t i = 0; i < 8192; ++i) events.push_back(event_of("cudaMalloc", i, 1'000'000 + i));
  Status status;
  uint64_t given = 0;
  for (int i = 0; i < 100 && status.ok(); ++i, given += events.size()) status = writer->write(events);
  ASSERT_FALSE(status.ok());
  const uint64_t stored = writer->rows_committed();
  EXPECT_FALSE(writer->close().ok());
  writer.reset();
  EXPECT_EQ(ending(), Ending::kProper);
  const auto lost = store::losses(*read());
  ASSERT_TRUE(lost.ok());
  ASSERT_EQ(lost->size(), 1U);
  EXPECT_EQ((*lost)[0].name, "store_failed");
  EXPECT_EQ((*lost)[0].count, given - stored);
  EXPECT_EQ(row("SELECT count(*) FROM events"), std::to_string(stored));
  ASSERT_EQ(::umount2(directory.c_str(), MNT_DETACH), 0);
}

TEST_F(RunsTest, TheLastRunIsMeantUnlessAnotherOrAllOrATimeIsAskedFor) {
  record("cudaMalloc");
  const auto only = range_of("");
  ASSERT_TRUE(only.ok());
  EXPECT_EQ(only->run_note, "");
  EXPECT_FALSE(only->from_wall_ns);
  record("cudaFree");
  record("cudaMalloc");
  const auto last = range_of("");
  ASSERT_TRUE(last.ok()) << last.error().text();
  EXPECT_THAT(last->run_note, HasSubstr("run 3 of 3"));
  EXPECT_EQ(events_in(*last), 1U);
  const auto second = range_of("2");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(events_in(*second), 1U);
  EXPECT_LT(*second->to_wall_ns, *last->from_wall_ns);
  EXPECT_EQ(events_in(range_of("all").value()), 3U);
  EXPECT_EQ(range_of("", "1h")->run_note, "");
  for (const char* wrong : {"0", "4", "x", "1x", "-1"}) {
    const auto refused = range_of(wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_THAT(refused.error().text(), HasSubstr("holds 3 runs")) << wrong;
  }
}

TEST_F(RunsTest, RunsOfSeveralNodesAreNoSuccession) {
  record("cudaMalloc");
  clock.elapsed_ns += 60'000'000'000;
  WriterOptions other = options();
  other.session.node = "node-b";
  open(other);
  write({event_of("cudaMalloc", clock.elapsed_ns + 1000, 1)});
  close();
  EXPECT_EQ(range_of("")->run_note, "");
  const auto refused = range_of("1");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text(), HasSubstr("of several nodes"));
}

}  // namespace
}  // namespace ingero::store::testing
