// Recordings of several nodes as one: nothing lost, nothing twice, and each row means what it meant.
#include "store/merge/merge.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "recording.h"
#include "store/db/sqlite.h"
#include "store/merge/merge_impl.h"
#include "store/read/labels.h"
#include "store/read/replay.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr uint64_t kMs = 1'000'000;

class MergeTest : public RecordingTest {
 protected:
  // A recording of `node`; `fill` writes it. Its calls' ids differ from those of one with the other order.
  template <typename Fill>
  std::string recording(const std::string& name, const std::string& node, const Fill& fill) {
    path = directory + "/" + name;
    WriterOptions made = options();
    made.session.node = node;
    clock.elapsed_ns += kMs;  // a run of its own
    open(made);
    fill();
    if (writer) close();
    return path;
  }
  Merged merge_all(std::vector<std::string> sources, const std::string& node = {}) {
    MergeOptions asked = options_of(std::move(sources), node);
    auto merged = merge(asked);
    EXPECT_TRUE(merged.ok()) << (merged.ok() ? "" : merged.error().text());
    path = asked.output;
    return merged.ok() ? std::move(*merged) : Merged{};
  }
  std::string refusal(std::vector<std::string> sources, const std::string& node = {}) {
    const auto merged = merge(options_of(std::move(sources), node));
    EXPECT_FALSE(merged.ok());
    EXPECT_FALSE(std::filesystem::exists(directory + "/cluster.db"));
    for (const std::string& name : directory_listing()) EXPECT_FALSE(name.ends_with(".part")) << name;
    return merged.ok() ? "" : merged.error().text();
  }
  std::vector<std::string> directory_listing() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
    return names;
  }
  MergeOptions options_of(std::vector<std::string> sources, const std::string& node) const {
    MergeOptions asked;
    asked.sources = std::move(sources);
    asked.output = directory + "/cluster.db";
    asked.node = node;
    asked.wall_ns = kWall;
    return asked;
  }
  std::vector<std::string> rows_of(const std::string& file, const std::string& sql) { return rows(*read(file), sql); }
  // A view's columns but those that number the rows of this very file.
  std::string columns_of(const std::string& file, const std::string& view) {
    const std::set<std::string> numbers = {"seq", "session", "process", "row", "communicator", "parent", "engine_id"};
    std::string list;
    for (const std::string& name : rows_of(file, "SELECT name FROM pragma_table_info('" + view + "')")) {
      if (!numbers.contains(name)) list += (list.empty() ? "" : ", ") + name;
    }
    return list;
  }
};

// Something in every table that the writer fills from events.
void fill_node(Writer& writer, const std::vector<const char*>& order, uint32_t pid) {
  hal::Process process = process_of(pid, kMono - pid, "rank");
  process.cgroup_id = 77;
  process.cgroup_path = fmt::format("/job/{}", pid);
  writer.add_process(process);
  uint64_t at = 0;
  std::vector<Event> events;
  for (const char* call : order) {
    at += 1000;
    Event event = event_of(call, at, 100 + at, pid, pid + 1);
    event.bytes = at;
    event.set(Has::kBytes);
    event.stack_id = pid + at;
    event.set(Has::kStack);
    event.stream = 0xffff'8000'0000'0000 + at;
    event.set(Has::kStream);
    events.push_back(event);
  }
  events.push_back(in_flight(event_of("cudaStreamSynchronize", at + 1000, 5, pid, pid + 2)));
  Event inner = event_of("cuMemAlloc", at + 2000, 5, pid);
  inner.depth = 1;
  inner.parent_call = call_named("cudaMalloc");
  inner.parent_start_mono_ns = kMono + at + 1500;
  inner.set(Has::kParent);
  events.push_back(inner);
  ASSERT_TRUE(writer.write(events).ok());
  hal::SystemSnapshot snapshot;
  snapshot.wall_ns = kWall + pid;
  snapshot.cpu_percent = pid;
  writer.add_snapshot(snapshot);
}

TEST_F(MergeTest, EachRowOfEachNodeIsThereOnceAndSaysTheSame) {
  const std::vector<std::string> sources = {
      recording("a.db", "node-a",
                [&] {
                  fill_node(*writer, {"cudaMalloc", "cudaEventRecord", "cudaEventQuery", "otherLaunch"}, 100);
                }),
      recording("b.db", "node-b",
                [&] {
                  fill_node(*writer, {"otherLaunch", "otherAllReduce", "cudaEventQuery", "cudaMalloc"}, 200);
                }),
      recording("c.db", "node-c", [&] {
        fill_node(*writer, {"cudaEventRecord", "cudaFree"}, 300);
      })};
  const Merged merged = merge_all(sources);
  ASSERT_EQ(merged.sources.size(), 3U);
  EXPECT_EQ(merged.sources[0].events, 6U);
  EXPECT_THAT(merged.sources[1].nodes, ElementsAre("node-b"));
  for (const auto& source : merged.sources) {
    const std::string node = source.nodes.front();
    // Calls without a number of their own are counted by each file for itself: by their names below.
    std::string columns = columns_of(source.path, "events");
    for (const char* number : {"source, ", "op, "}) columns.erase(columns.find(number), strlen(number));
    const std::string all = "SELECT " + columns + " FROM events WHERE node = '" + node + "' ORDER BY id";
    EXPECT_EQ(rows(all), rows_of(source.path, all)) << node;
    for (const char* sql :
         {"SELECT s.name, o.name, e.op_name FROM events e JOIN sources s ON s.id = e.source JOIN ops o ON o.source_id "
          "= "
          "e.source AND o.op_id = e.op WHERE node = '{}' ORDER BY e.id",
          "SELECT s.node, p.pid, p.comm, p.cgroup_path, t.tid FROM processes p JOIN threads t ON t.process = p.id JOIN "
          "sessions s ON s.id = p.session WHERE s.node = '{}' ORDER BY t.tid",
          "SELECT cpu_pct, timestamp, s.node FROM system_snapshots JOIN sessions s ON s.id = session WHERE s.node = "
          "'{}'",
          "SELECT c.name, p.pid, s.node, st.count, st.total_ns, hex(st.histogram) FROM call_stats st JOIN calls c ON "
          "c.id = st.call JOIN processes p ON p.id = st.process JOIN sessions s ON s.id = p.session WHERE s.node = "
          "'{}' ORDER BY 1, 2",
          "SELECT k.node, e.seq - k.seq_offset FROM never_returned n JOIN event_rows e ON e.seq = n.seq JOIN clocks k "
          "ON "
          "k.id = e.clock WHERE k.node = '{}'"}) {
      const std::string of_node = fmt::format(fmt::runtime(sql), node);
      EXPECT_EQ(rows(of_node), rows_of(source.path, of_node)) << of_node;
      EXPECT_THAT(rows(of_node), ::testing::Not(IsEmpty())) << of_node;
    }
  }
  EXPECT_EQ(row("SELECT count(*), count(DISTINCT seq), min(seq), max(seq) FROM events"), "16|16|1|16");
  EXPECT_EQ(row("SELECT count(*), count(DISTINCT name) FROM calls"), row("SELECT count(DISTINCT name), count(*) FROM "
                                                                         "calls"));
  EXPECT_EQ(row("SELECT count(*) FROM (SELECT source, op FROM calls GROUP BY 1, 2 HAVING count(DISTINCT op_name) > 1)"),
            "0");
  // From the histograms and from the rows: the same, and what the nodes had together.
  const auto reader = read();
  const auto kept = summarise(*reader, {});
  const auto exact = summarise(*reader, {}, false, Percentiles::kExact);
  ASSERT_TRUE(kept.ok() && exact.ok());
  ASSERT_EQ(kept->calls.size(), exact->calls.size());
  EXPECT_EQ(find(*kept, "cudaEventQuery")->count, 2U);
  for (const CallStats& one : kept->calls) {
    const CallStats* other = find(*exact, one.call);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(one.count, other->count) << one.call;
    EXPECT_EQ(one.total_ns, other->total_ns) << one.call;
  }
  EXPECT_EQ(row("SELECT sum(count) FROM event_aggregates"), "13");
}

TEST_F(MergeTest, NoTableIsForgotten) {
  recording("a.db", "node-a", [] {});
  const std::set<std::string> by_other_means = {"calls",
                                                "sources",
                                                "ops",
                                                "process_names",
                                                "store_state",
                                                "schema_info",
                                                "event_aggregates",
                                                "sqlite_sequence",
                                                "schema_migrations",
                                                "event_aggregates_5s"};
  const std::set<std::string> names = {"causal_chains.process", "device_errors.process"};
  const std::vector<std::string> merged = merged_columns();
  std::set<std::string> known(merged.begin(), merged.end());
  for (const std::string& table : rows("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    if (by_other_means.contains(table)) continue;
    EXPECT_TRUE(known.contains(table)) << table << " is not merged";
    for (const std::string& column : rows("SELECT name FROM pragma_table_info('" + table + "')")) {
      for (const char* id : {"session", "process", "clock", "thread", "site", "exchange", "communicator", "workload",
                             "engine", "counter"}) {
        const std::string full = table + "." + column;
        EXPECT_TRUE(column != id || known.contains(full) || names.contains(full)) << full;
      }
    }
  }
}

TEST_F(MergeTest, ANodesSecondRecordingIsCountedOn) {
  const auto few = [&] { write({event_of("cudaMalloc", 10, 1), event_of("cudaFree", 20, 1)}); };
  const auto merged =
      merge_all({recording("a.db", "node-a", few), recording("b.db", "node-b", few), recording("c.db", "node-a", few)});
  EXPECT_THAT(rows("SELECT id FROM events ORDER BY seq"),
              ElementsAre("node-a:1", "node-a:2", "node-b:1", "node-b:2", "node-a:3", "node-a:4"));
  EXPECT_THAT(merged.left_out, IsEmpty());
}

TEST_F(MergeTest, WhatAnOlderRecordingHasNoColumnForIsNotKnown) {
  const auto few = [&] { write({event_of("cudaMalloc", 10, 1)}); };
  const std::string older = recording("a.db", "node-a", few), newer = recording("b.db", "node-b", few);
  {
    auto database = Database::open(older, SQLITE_OPEN_READWRITE, older);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(
        database
            ->execute("DROP VIEW cuda_events; DROP VIEW events; ALTER TABLE calls DROP COLUMN memory; DROP "
                      "TABLE cpu_affinity; DROP TABLE cgroup_memory; DROP TABLE io_limits; DROP TABLE disk_use; "
                      "PRAGMA "
                      "user_version = 33")
            .ok());
  }
  merge_all({older, newer});
  EXPECT_THAT(rows("SELECT node, call FROM events ORDER BY node"),
              ElementsAre("node-a|cudaMalloc", "node-b|cudaMalloc"));
}

TEST_F(MergeTest, MergedFilesMergeAgainAndAreRecordedInto) {
  const auto few = [&] { write({event_of("cudaMalloc", 10, 1)}); };
  const std::string a = recording("a.db", "node-a", few), b = recording("b.db", "node-b", few),
                    c = recording("c.db", "node-c", few);
  merge_all({a, b});
  const std::string two = directory + "/two.db";
  std::filesystem::rename(path, two);
  merge_all({c, two});
  EXPECT_THAT(rows("SELECT id FROM events ORDER BY 1"), ElementsAre("node-a:1", "node-b:1", "node-c:1"));
  clock.elapsed_ns += kMs;
  open();
  write({event_of("cudaFree", 10, 1)});
  close();
  EXPECT_THAT(rows("SELECT count(*), count(DISTINCT id) FROM events"), ElementsAre("4|4"));
}

TEST_F(MergeTest, RowsThatAKilledWriterDidNotCountAreCounted) {
  const std::string killed = recording("a.db", "node-a", [&] {
    write({event_of("cudaMalloc", 10, 100), event_of("cudaMalloc", 20, 300)});
  });
  {
    auto database = Database::open(killed, SQLITE_OPEN_READWRITE, killed);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database
                    ->execute("DELETE FROM call_stats; DELETE FROM event_aggregates; DELETE FROM event_aggregates_5s; "
                              "UPDATE store_state SET value = 0 WHERE key = 'aggregated_through'")
                    .ok());
  }
  const std::string other = recording("b.db", "node-b", [&] {
    write({event_of("cudaMalloc", 10, 7), event_of("cudaFree", 10, 7)});
  });
  merge_all({killed, other});
  EXPECT_THAT(
      rows("SELECT node, count FROM call_stats st JOIN processes p ON p.id = st.process JOIN sessions s ON s.id "
           "= p.session JOIN calls c ON c.id = st.call WHERE c.name = 'cudaMalloc' ORDER BY 1"),
      ElementsAre("node-a|2", "node-b|1"));
  const auto summary = summarise(*read(), {});
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(find(*summary, "cudaMalloc")->count, 3U);
  EXPECT_EQ(find(*summary, "cudaMalloc")->total_ns, 407U);
  EXPECT_EQ(row("SELECT sum(count) FROM event_aggregates"), "4");
}

TEST_F(MergeTest, WhatOneNodeSawIsNoEvidenceOnAnother) {
  const auto at = [&](double cpu, uint64_t wall) {
    hal::SystemSnapshot snapshot;
    snapshot.wall_ns = kWall + wall;
    snapshot.cpu_percent = cpu;
    writer->add_snapshot(snapshot);
  };
  const auto merged = merge_all({recording("a.db", "node-a",
                                           [&] {
                                             write({event_of("cudaMalloc", 10, 1)});
                                             at(1, 10), at(1, 20);
                                           }),
                                 recording("b.db", "node-b", [&] {
                                   write({event_of("cudaMalloc", 10, 1)});
                                   at(99, 15), at(99, 20);
                                 })});
  struct Sink : ReplaySink {
    void begin(const std::string& node, uint64_t, bool) override { now = node; }
    void snapshot(const hal::SystemSnapshot& snapshot, uint64_t) override { seen[now].insert(snapshot.cpu_percent); }
    std::string now;
    std::map<std::string, std::set<double>> seen;
  } sink;
  ASSERT_TRUE(replay(*read(), {}, sink).ok());
  EXPECT_THAT(sink.seen, UnorderedElementsAre(Pair("node-a", ElementsAre(1)), Pair("node-b", ElementsAre(99))));
  // The file holds one snapshot of each moment: the other is reported, not dropped in silence.
  EXPECT_THAT(
      merged.left_out,
      ElementsAre(HasSubstr("b.db: left out of system_snapshots, where another recording has something else: 1")));
}

TEST_F(MergeTest, LabelsHoldOnTheNodeThatSaidThem) {
  const auto say = [&](const std::string& labels, uint32_t pid) {
    write({event_of("cudaMalloc", 10, 1)});
    Annotation one;
    one.wall_ns = kWall + 5;
    one.labels_json = labels;
    one.pid = pid;
    writer->add_annotation(one);
  };
  merge_all({recording("a.db", "node-a", [&] { say(R"({"step":"1"})", 100); }),
             recording("b.db", "node-b", [&] { say(R"({"epoch":"2"})", 0); })});
  const auto labels = Labels::load(*read());
  ASSERT_TRUE(labels.ok());
  EXPECT_THAT(labels->at("node-a", 100, kWall + 10), ElementsAre(Pair("step", "1")));
  EXPECT_THAT(labels->at("node-b", 100, kWall + 10), ElementsAre(Pair("epoch", "2")));
  EXPECT_THAT(labels->at("node-b", 7, kWall + 10), ElementsAre(Pair("epoch", "2")));
  EXPECT_THAT(labels->at("node-a", 7, kWall + 10), IsEmpty());
}

TEST_F(MergeTest, CollectivesShowHowFarClocksAreApart) {
  // Both enter at 10 and 20 ms, true time, and leave at 30; the second's clock is 5 ms ahead.
  const auto one = [&](int32_t rank, uint64_t entered_ms, uint64_t ahead_ms) {
    const auto at = [&](uint64_t ms) { return event_of("otherAllReduce", (ms + ahead_ms) * kMs, kMs, 100); };
    hal::Communicator made;
    made.id = 1;
    made.pid = 100;
    made.handle = 0x1000;
    made.made_mono_ns = kMono;
    made.comm_id_hash = 42;
    made.rank = rank;
    made.nranks = 2;
    made.made_by = hal::Role::kInit;
    writer->add_communicator(made);
    hal::Exchange exchange;
    exchange.exchange_id = 1;
    exchange.communicator = 0x1000;
    exchange.communicator_id = 1;
    exchange.number = 1;
    ASSERT_TRUE(writer->write_exchange(at(entered_ms), exchange).ok());
    writer->add_wait({1, (30 - entered_ms - 1) * kMs});
    // The next, in a group: its wait begins later than its call ends.
    exchange.exchange_id = 2;
    exchange.number = 2;
    exchange.group = kMono;
    ASSERT_TRUE(writer->write_exchange(at(30 + 2 * entered_ms), exchange).ok());
    writer->add_wait({2, kMs});
  };
  const auto merged = merge_all(
      {recording("a.db", "node-a", [&] { one(0, 10, 0); }), recording("b.db", "node-b", [&] { one(1, 20, 5); })});
  ASSERT_EQ(merged.clocks.differences().size(), 1U);
  const ClockDifference& clocks = merged.clocks.differences().front();
  EXPECT_EQ(clocks.first + clocks.second, "node-anode-b");
  EXPECT_EQ(clocks.collectives, 2U);
  // It began on b at 25 by b's clock and ended on a at 30: b is 5 ms behind at worst; and 25 ms ahead at best. Times of
  // both are within 50 us, and clocks drift.
  ASSERT_TRUE(clocks.is_known());
  EXPECT_NEAR(static_cast<double>(*clocks.least_ns), -5.1 * kMs, 0.02 * kMs);
  EXPECT_NEAR(static_cast<double>(*clocks.most_ns), 25.1 * kMs, 0.02 * kMs);
}

TEST_F(MergeTest, ANodeThatWasLateToACommunicatorHasThatOfTheOthers) {
  const auto one = [&](hal::Role made_by, std::optional<uint64_t> comm_id_hash, uint64_t library_hash, int32_t nranks) {
    return [=, this] {
      hal::Communicator known;
      known.id = 1;
      known.pid = 100;
      known.handle = 0x1000;
      known.comm_id_hash = comm_id_hash;
      known.library_hash = library_hash;
      known.rank = 0;
      known.nranks = nranks;
      known.made_by = made_by;
      writer->add_communicator(known);
    };
  };
  const uint64_t library_hash = 0x8000'0000'0000'0abc;
  merge_all({recording("late.db", "late", one(hal::Role::kNone, library_hash, library_hash, 3)),
             recording("made.db", "made", one(hal::Role::kInit, 42, library_hash, 3)),
             recording("other_size.db", "other_size", one(hal::Role::kNone, library_hash, library_hash, 4)),
             recording("other.db", "other", one(hal::Role::kNone, 7, 7, 3))});
  EXPECT_THAT(
      rows("SELECT s.node, c.comm_id_hash FROM communicators c JOIN sessions s ON s.id = c.session ORDER BY 1"),
      ElementsAre("late|42", "made|42", "other|7", fmt::format("other_size|{}", static_cast<int64_t>(library_hash))));
}

TEST_F(MergeTest, RefusesWhatWouldBeWrong) {
  const auto few = [&] {
    write({event_of("cudaMalloc", 10, 1)});
    hal::CausalChain chain;
    chain.id = "memory-1";
    chain.severity = "HIGH";
    writer->add_chain(chain);
  };
  const std::string a = recording("a.db", "node-a", few), nameless = recording("b.db", "", few);
  const std::string copy = directory + "/copy.db";
  std::filesystem::copy_file(a, copy);
  EXPECT_THAT(refusal({a, copy}), HasSubstr("copy.db: holds a run that another of the recordings holds too"));
  EXPECT_THAT(refusal({a, nameless}), HasSubstr("b.db: holds no node name (name it with --force-node)"));
  EXPECT_THAT(refusal({a, directory + "/missing.db"}), HasSubstr("missing.db"));
  std::ofstream(directory + "/text.db") << "this is no recording at all, whatever it is called";
  EXPECT_THAT(refusal({a, directory + "/text.db"}), HasSubstr("text.db"));
  std::atomic<bool> cancel{true};
  MergeOptions asked = options_of({a}, {});
  asked.cancel = &cancel;
  EXPECT_FALSE(merge(asked).ok());
  merge_all({a, nameless}, "it's \"b\"");
  EXPECT_THAT(rows("SELECT id FROM events ORDER BY seq"), ElementsAre("node-a:1", "it's \"b\":1"));
  EXPECT_THAT(rows("SELECT node FROM sessions"), ElementsAre("node-a", "it's \"b\""));
  EXPECT_THAT(rows("SELECT id FROM causal_chains ORDER BY id DESC"),
              ElementsAre("node-a:memory-1", "it's \"b\":memory-1"));
  const auto before = std::filesystem::last_write_time(path);
  const auto again = merge(options_of({a}, {}));
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().text(), HasSubstr("cluster.db: already exists"));
  EXPECT_EQ(std::filesystem::last_write_time(path), before);
}

TEST_F(MergeTest, ADamagedSourceIsMergedOrRefusedAndLeavesNothingHalfDone) {
  const auto fill = [&] { fill_node(*writer, {"cudaMalloc", "cudaEventRecord", "otherLaunch"}, 100); };
  const std::string good = recording("a.db", "node-a", fill), source = recording("b.db", "node-b", fill);
  std::ifstream stream(source, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  std::mt19937 random(1);
  size_t refused = 0;
  for (int round = 0; round < 50; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 8; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const std::string file = directory + "/damaged.db";
    std::ofstream(file, std::ios::binary) << damaged;
    const auto merged = merge(options_of({good, file}, {}));
    refused += merged.ok() ? 0 : 1;
    EXPECT_EQ(std::filesystem::remove(directory + "/cluster.db"), merged.ok());
    EXPECT_THAT(directory_listing(), UnorderedElementsAre("a.db", "b.db", "damaged.db"));
  }
  EXPECT_GT(refused, 0U);
}

class MergeOfLegacyRecordings : public MergeTest {
 protected:
  static std::string sample(const std::string& name) {
    const char* directory = std::getenv("INGERO_SAMPLES");
    return std::string(directory != nullptr ? directory : INGERO_SOURCE_DIR "/../shared/data") + "/" + name;
  }
  void SetUp() override {
    if (!std::filesystem::exists(sample("sample-cluster.db"))) {
      GTEST_SKIP() << "INGERO_SAMPLES does not name a folder with sample-cluster.db";
    }
  }
};

TEST_F(MergeOfLegacyRecordings, GivesWhatThatAgentsOwnMergeGave) {
  const Merged merged =
      merge_all({sample("sample-gpu-node-01.db"), sample("sample-gpu-node-02.db"), sample("sample-gpu-node-03.db")});
  const std::string theirs = sample("sample-cluster.db");
  for (const char* sql :
       {"SELECT * FROM main.events ORDER BY id", "SELECT * FROM main.causal_chains ORDER BY id",
        "SELECT * FROM main.stack_traces ORDER BY hash", "SELECT pid FROM main.process_names ORDER BY pid",
        "SELECT cgroup_id, cgroup_path FROM main.cgroup_metadata ORDER BY 1",
        "SELECT started_at, stopped_at, gpu_model, kernel, node FROM main.sessions ORDER BY started_at",
        "SELECT timestamp, cpu_pct, mem_pct FROM main.system_snapshots ORDER BY 1",
        "SELECT node, source, count(*) AS cnt, avg(duration)/1000 AS avg_us FROM events GROUP BY node, source"}) {
    // Columns may stand in another order in the two files.
    std::string columns = sql;
    if (columns.starts_with("SELECT *")) {
      const std::string table =
          columns.substr(columns.find("main.") + 5, columns.find(" ORDER") - columns.find("main.") - 5);
      std::string list;
      for (const std::string& name : rows_of(theirs, "SELECT name FROM pragma_table_info('" + table + "', 'main')")) {
        list += (list.empty() ? "" : ", ") + name;
      }
      columns.replace(7, 1, list);
    }
    EXPECT_EQ(rows(columns), rows_of(theirs, columns)) << columns;
  }
  EXPECT_EQ(merged.sources[0].events, 200U);
  EXPECT_EQ(row("SELECT name FROM process_names WHERE pid = 96"), "jbd2/nvme0n1p1-8")
      << "the latest; theirs: the first";
  EXPECT_EQ(row("SELECT count(*) FROM events"), "600");
  EXPECT_EQ(read()->version(), "0.9");
}

TEST_F(MergeOfLegacyRecordings, OneWithoutANodeIsGivenOne) {
  const std::string old = sample("pytorch-dataloader-starvation.db"), node = sample("sample-gpu-node-01.db");
  EXPECT_THAT(refusal({old, node}), HasSubstr("holds no node name"));
  for (const auto& sources : {std::vector{old, node}, std::vector{node, old}}) {
    merge_all(sources, "trainer");
    EXPECT_THAT(rows("SELECT node, count(*) FROM events GROUP BY 1"), ElementsAre("gpu-node-01|200", "trainer|3807"));
    EXPECT_EQ(row("SELECT count(*) FROM events WHERE id LIKE 'trainer:%'"), "3807");
    EXPECT_EQ(row("SELECT count(*) FROM causal_chains WHERE node = 'trainer' AND id LIKE 'trainer:%'"), "316");
    EXPECT_EQ(row("SELECT count(*), max(duration) FROM events WHERE op_name = 'cudaMemcpyAsync' AND node = 'trainer'"),
              rows_of(old, "SELECT count(*), max(duration) FROM events WHERE op_name = 'cudaMemcpyAsync'").front());
    const auto summary = summarise(*read(), {});
    ASSERT_TRUE(summary.ok());
    EXPECT_EQ(summary->events, 4007U);
    std::filesystem::remove(path);
  }
}

TEST_F(MergeOfLegacyRecordings, DoNotMixWithOurs) {
  const std::string ours = recording("a.db", "node-a", [&] { write({event_of("cudaMalloc", 10, 1)}); });
  EXPECT_THAT(refusal({ours, sample("sample-gpu-node-01.db")}), HasSubstr("merges only with legacy recordings"));
  EXPECT_THAT(refusal({sample("sample-gpu-node-01.db"), sample("sample-gpu-node-01.db")}),
              HasSubstr("holds events that another of the recordings holds too"));
}

}  // namespace
}  // namespace ingero::store::testing
