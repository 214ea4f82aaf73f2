// Summaries against counting by hand, the selective policy, and pruning.
#include "store/read/summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "recording.h"
#include "store/write/selector.h"

namespace ingero::store::testing {
namespace {

class SummaryTest : public RecordingTest {
 protected:
  struct Expected {
    uint64_t count = 0, errors = 0, total = 0, preempted = 0, bytes = 0;
    std::vector<uint64_t> durations;
    uint64_t rank(double p) {
      std::sort(durations.begin(), durations.end());
      return durations[static_cast<size_t>(std::ceil(p * static_cast<double>(durations.size()))) - 1];
    }
  };
  std::map<std::string, Expected> expected, in_range;
  static constexpr uint64_t kFrom = 20'000'000'000, kTo = 30'000'000'000;

  void record(int count, WriterOptions given) {
    open(std::move(given));
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> durations(9, 1.5);
    const char* names[] = {"cudaMalloc", "cudaMemcpyAsync", "cudaLaunchKernel", "cudaStreamSynchronize", "otherLaunch"};
    for (int i = 0; i < count; ++i) {
      const char* name = names[random() % 5];
      const auto at = static_cast<uint64_t>(i) * 1'000'000 + random() % 1'000'000;
      Event event = event_of(name, at, static_cast<uint64_t>(durations(random)), 100 + random() % 3);
      event.failed = random() % 50 == 0;
      event.return_code = event.failed ? 2 : 0;
      event.off = {random() % 100, 0, 0, 0};
      event.set(Has::kOffCpu);
      event.bytes = random() % 5000;
      event.set(Has::kBytes);
      clock.elapsed_ns = at;
      write({event});
      const auto note = [&](Expected& entry) {
        ++entry.count;
        entry.errors += event.failed ? 1 : 0;
        entry.total += event.duration_ns;
        entry.preempted += event.off.preempted_ns;
        entry.bytes += event.bytes;
        entry.durations.push_back(event.duration_ns);
      };
      note(expected[name]);
      note(expected[fmt::format("{}/{}", name, event.pid)]);
      if (at + event.duration_ns >= kFrom && at <= kTo) note(in_range[name]);
    }
    close();
  }
  static void compare(const CallStats& stats, Expected& entry, bool exact) {
    EXPECT_EQ(stats.count, entry.count);
    EXPECT_EQ(stats.errors, entry.errors);
    EXPECT_EQ(stats.total_ns, entry.total);
    EXPECT_EQ(stats.preempted_ns, entry.preempted);
    EXPECT_EQ(stats.bytes, entry.bytes);
    EXPECT_EQ(stats.max_ns, entry.rank(1));
    EXPECT_EQ(stats.min_ns, entry.durations.front());
    EXPECT_EQ(stats.percentiles_exact, exact);
    const std::pair<uint64_t, double> percentiles[] = {{stats.p50_ns, .5}, {stats.p95_ns, .95}, {stats.p99_ns, .99}};
    for (const auto& [value, p] : percentiles) {
      const auto truth = static_cast<double>(entry.rank(p));
      EXPECT_NEAR(static_cast<double>(value), truth, exact ? 0 : truth / 128 + 1) << stats.call << " " << p;
    }
  }
};

TEST_F(SummaryTest, HistogramsAndRowsAgreeWithCountingByHand) {
  record(40000, options());
  const auto reader = read();
  for (const Percentiles percentiles : {Percentiles::kAuto, Percentiles::kExact}) {
    const bool exact = percentiles == Percentiles::kExact;
    const auto both = summarise_both(*reader, {}, percentiles);
    ASSERT_TRUE(both.ok()) << both.error().text();
    for (const bool per_process : {false, true}) {
      const auto alone = summarise(*reader, {}, per_process, percentiles);
      ASSERT_TRUE(alone.ok()) << alone.error().text();
      for (const Summary& summary : {*alone, per_process ? both->per_process : both->all}) {
        EXPECT_EQ(summary.events, 40000U);
        EXPECT_EQ(summary.calls.size(), per_process ? 15U : 5U);
        for (const CallStats& stats : summary.calls) {
          EXPECT_EQ(stats.pid.has_value(), per_process);
          compare(stats, expected[per_process ? fmt::format("{}/{}", stats.call, *stats.pid) : stats.call], exact);
        }
        EXPECT_TRUE(std::is_sorted(summary.calls.begin(), summary.calls.end(),
                                   [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; }));
      }
    }
  }
}

TEST_F(SummaryTest, APartOfTheTimeIsAnsweredExactlyFromItsRows) {
  record(40000, options());
  Selection selection;
  selection.from_wall_ns = kWall + kFrom;
  selection.to_wall_ns = kWall + kTo;
  const auto summary = summarise(*read(), selection);
  ASSERT_TRUE(summary.ok());
  ASSERT_EQ(summary->calls.size(), in_range.size());
  for (const CallStats& stats : summary->calls) compare(stats, in_range[stats.call], true);
}

TEST_F(SummaryTest, CallsAndProcessesCanBeChosen) {
  record(5000, options());
  Selection selection;
  selection.op = "CUDASTREAMSYNC";  // the op's name; the call's is longer
  selection.pid = 101;
  const auto summary = summarise(*read(), selection);
  ASSERT_TRUE(summary.ok());
  ASSERT_EQ(summary->calls.size(), 1U);
  compare(summary->calls[0], expected["cudaStreamSynchronize/101"], false);
  selection.op = "nothing";
  EXPECT_TRUE(summarise(*read(), selection)->calls.empty());
}

TEST_F(SummaryTest, ARecordingInProgressIsSummarisedToItsLastCommit) {
  open();
  for (int i = 0; i < 10; ++i) {
    write({event_of("cudaMalloc", static_cast<uint64_t>(i), 100)});
    flush();  // rows are committed each time, aggregates only now and then
  }
  const auto summary = summarise(*read(), {});
  ASSERT_TRUE(summary.ok());
  ASSERT_EQ(summary->calls.size(), 1U);
  EXPECT_EQ(summary->calls[0].count, 10U);
}

TEST_F(SummaryTest, TheSlowestCallsAreTheSlowestAndNeverHostEvents) {
  record(3000, options());
  open();
  write({event_of("sched_switch", 0, 1'000'000'000'000)});
  close();
  std::vector<uint64_t> all;
  for (const auto& [name, entry] : expected) {
    if (name.find('/') == std::string::npos) all.insert(all.end(), entry.durations.begin(), entry.durations.end());
  }
  std::sort(all.rbegin(), all.rend());
  auto list = slowest(*read(), {}, 20);
  ASSERT_TRUE(list.ok()) << list.error().text();
  ASSERT_EQ(list->size(), 20U);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ((*list)[i].duration_ns, all[i]);
  list = slowest(*read(), {}, 20, 2);
  EXPECT_EQ(list->size(), 10U);
}

TEST_F(SummaryTest, SelectiveStorageKeepsWhatMattersAndCountsTheRest) {
  WriterOptions given = options();
  given.policy = Policy::kSelective;
  given.sample_every = 50;
  record(60000, given);
  const auto reader = read();
  const auto summary = summarise(*reader, {});
  ASSERT_TRUE(summary.ok());
  for (const CallStats& stats : summary->calls) compare(stats, expected[stats.call], false);
  // All failed and all synchronising calls have rows; of the others few do.
  uint64_t errors = 0;
  for (const CallStats& stats : summary->calls) errors += stats.errors;
  EXPECT_EQ(rows(*reader, "SELECT count(*) FROM events WHERE failed"),
            std::vector<std::string>{std::to_string(errors)});
  EXPECT_EQ(rows(*reader, "SELECT count(*) FROM events WHERE kind = 'sync'"),
            std::vector<std::string>{std::to_string(expected["cudaStreamSynchronize"].count)});
  const CallStats* launches = find(*summary, "otherLaunch");
  ASSERT_NE(launches, nullptr);
  EXPECT_LT(launches->stored, launches->count / 5);
  EXPECT_EQ(rows(*reader, "SELECT count(*) FROM events WHERE call = 'otherLaunch'"),
            std::vector<std::string>{std::to_string(launches->stored)});
  // The slowest are among the rows, and the weights scale the sample up to the whole.
  auto& durations = expected["otherLaunch"].durations;
  EXPECT_EQ(rows(*reader, "SELECT max(duration) FROM events WHERE call = 'otherLaunch'"),
            std::vector<std::string>{std::to_string(durations.back())});
  const double weighted = std::stod(rows(*reader, "SELECT sum(weight) FROM events WHERE call = 'otherLaunch'")[0]);
  EXPECT_NEAR(weighted, static_cast<double>(launches->count), 60);
  EXPECT_EQ(rows(*reader, "SELECT policy, sample_every FROM sessions"), std::vector<std::string>{"selective|50"});
  EXPECT_EQ(
      rows(*reader, "SELECT count FROM loss WHERE name = 'store_thinned'"),
      std::vector<std::string>{std::to_string(60000 - std::stoi(rows(*reader, "SELECT count(*) FROM events")[0]))});
}

TEST_F(SummaryTest, HostCriticalEventsAndUnusualEndsAreNeverSampledOut) {
  WriterOptions given = options();
  given.policy = Policy::kSelective;
  given.sample_every = 1'000'000;
  open(given);
  for (uint64_t i = 0; i < 3000; ++i) {
    Event exited = event_of("cudaMalloc", i, 10);
    exited.outcome = Outcome::kExited;
    write(
        {event_of("process_exit", i, 0), event_of("oom_kill", i, 0), exited, event_of("mm_page_alloc_summary", i, 5)});
  }
  close();
  EXPECT_EQ(row("SELECT sum(call = 'process_exit'), sum(call = 'oom_kill'), sum(call = 'cudaMalloc') FROM events"),
            "3000|3000|3000");
  EXPECT_EQ(row("SELECT count(*) < 500 FROM events WHERE call = 'mm_page_alloc_summary'"), "1");
}

TEST_F(SummaryTest, PruningDeletesTheOldestCountsThemAndShrinksTheFile) {
  WriterOptions given = options();
  given.max_bytes = 3 << 20;
  given.batch_rows = 4096;
  open(given);
  const int count = 200000;
  for (int i = 0; i < count; ++i) {
    clock.elapsed_ns = static_cast<uint64_t>(i) * 1'000'000;
    write({event_of("cudaMalloc", clock.elapsed_ns, 1000)});
    if (i % 4096 != 0) continue;
    hal::SystemSnapshot snapshot;
    snapshot.wall_ns = kWall + clock.elapsed_ns;
    writer->add_snapshot(snapshot);
    for (int steps = 0;; ++steps) {
      const auto more = writer->maintain();
      ASSERT_TRUE(more.ok()) << more.error().text();
      ASSERT_LT(steps, 1000);
      if (!*more) break;
    }
    EXPECT_LT(std::filesystem::file_size(path), given.max_bytes + (2U << 20));
  }
  close();
  EXPECT_LT(std::filesystem::file_size(path), given.max_bytes + (1U << 20));
  const auto reader = read();
  const int64_t kept = std::stoll(rows(*reader, "SELECT count(*) FROM events")[0]);
  EXPECT_GT(kept, 10000);
  EXPECT_LT(kept, count);
  EXPECT_EQ(rows(*reader, "SELECT min(seq), max(seq) FROM events")[0], fmt::format("{}|{}", count - kept + 1, count));
  EXPECT_EQ(rows(*reader, "SELECT sum(last - first + 1) FROM blocks")[0], std::to_string(kept));
  EXPECT_EQ(losses.count(hal::Loss::store_pruned), static_cast<uint64_t>(count - kept));
  EXPECT_EQ(
      rows(*reader,
           "SELECT count(*) > 1, min(timestamp) >= (SELECT min(start_wall_ns) FROM blocks) FROM system_snapshots")[0],
      "1|1");
  const auto summary = summarise(*reader, {});
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->calls[0].count, static_cast<uint64_t>(count));  // what was deleted is still counted
  EXPECT_EQ(summary->rows_pruned, static_cast<uint64_t>(count - kept));
  EXPECT_EQ(rows(*reader, "PRAGMA page_size")[0], "16384");
}

// The name that it had last, also where it had that one before: who woke another, and who had a CPU, have that one too.
TEST_F(SummaryTest, AProcessIsCalledWhatItCallsItself) {
  open();
  hal::Process process = process_of(100, 1, "python3");
  process.uid = 1000;
  writer->add_process(process);
  std::vector<Event> events;
  for (const std::string_view name : {"bash", "decoder", "bash"}) {
    events.push_back(event_of("cudaMalloc", 10 * (events.size() + 1), 5));
    events.back().comm = {};
    name.copy(events.back().comm.data(), events.back().comm.size() - 1);
  }
  Event of_another_thread = event_of("cudaMalloc", 50, 5);
  of_another_thread.tid = 101;
  std::string_view("worker").copy(of_another_thread.comm.data(), 15);
  events.push_back(of_another_thread);
  write(events);
  close();
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader.ok());
  const auto summary = summarise(**reader, {}, true);
  ASSERT_TRUE(summary.ok());
  ASSERT_EQ(summary->calls.size(), 1U);
  EXPECT_EQ(summary->calls[0].process, "bash");
  EXPECT_EQ(rows(**reader, "SELECT comm, uid FROM processes WHERE pid = 100"), (std::vector<std::string>{"bash|1000"}));
  EXPECT_EQ(rows(**reader, "SELECT name FROM process_names WHERE pid = 100"), (std::vector<std::string>{"bash"}));
}

}  // namespace
}  // namespace ingero::store::testing
