// The cluster's file: a batch counts once however often it comes, and the file stays within its size.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "fleet/store/sqlite_store.h"
#include "held_clock.h"
#include "temp_folder.h"

namespace ingero::fleet::store {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kStart_ns = 1'800'000'000'000'000'000, kPeriod_ns = 5'000'000'000;

wire::Point point(uint64_t number, const std::string& node = "gpu-01") {
  wire::Point made;
  made.sender = {"train", node, ""};
  made.time_ns = kStart_ns + number * 1'000'000;
  made.metric = "ingero.node.health_score";
  made.value_double = 0.5;
  made.attributes = R"({"causal_chain_id":"c-1","nccl.op_type":"AllReduce"})";
  made.hash = 42;
  return made;
}

wire::Window window(uint64_t number, uint32_t rank) {
  wire::Window made;
  made.sender = {"train", "gpu-01", "j1"};
  made.start_ns = kStart_ns + number * kPeriod_ns;
  made.end_ns = made.start_ns + kPeriod_ns;
  made.rank = rank;
  made.communicator = UINT64_MAX - 1;
  made.nranks = 8;
  made.count = 5;
  made.work_s = 0.25;
  made.preempted_s = 0.5;
  return made;
}

class Store : public ::testing::Test {
 protected:
  std::unique_ptr<ClusterStore> open(uint64_t max_bytes = uint64_t{1} << 30) {
    auto opened = SqliteStore::open({path, max_bytes}, clock);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().text());
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  TempFolder folder;
  std::string path = folder.path() + "/c.db";
  HeldClock clock;  // behind all that tests store
  Store() { clock.now_ns = 2 * kStart_ns; }
};

TEST_F(Store, ABatchThatComesAgainChangesNothing) {
  const auto store = open();
  wire::Batch batch;
  for (uint64_t i = 0; i < 10; ++i) batch.points.push_back(point(i));
  batch.windows = {window(0, 1), window(0, 2)};
  const auto first = store->write(batch);
  ASSERT_TRUE(first.ok()) << first.error().text();
  EXPECT_EQ(first->points, 10U);
  EXPECT_THAT(first->windows, SizeIs(2));
  batch.points.push_back(point(10));
  const auto again = store->write(batch);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->points, 1U);
  EXPECT_THAT(again->windows, SizeIs(0));
  const auto rows = store->history({.cluster = "train"});
  ASSERT_TRUE(rows.ok()) << rows.error().text();
  EXPECT_THAT(rows->events, SizeIs(11));
  EXPECT_EQ(rows->events.front()["attrs"]["causal_chain_id"], "c-1");
}

// A collector that batches anew cuts where it likes.
TEST_F(Store, AWindowThatComesInTwoPartsIsWholeAndCountsOnce) {
  const auto store = open();
  wire::Window all = window(0, 1);
  all.work_total_s = 1.5;
  all.wait_s = 0.4;
  all.blocked = 3;
  all.bytes = 500;
  all.entered = 7;
  all.left = 6;
  all.operation = "ALL_REDUCE";
  all.entered_bytes = 64;
  wire::Window first = window(0, 1), second = all;
  first.work_total_s = 1.5;
  first.work_s = 0.3;  // the mean, where the median is in the other part
  second.count = 0;
  second.work_total_s.reset();
  second.preempted_s = 0;
  const auto write = [&](const wire::Window& part) {
    wire::Batch batch;
    batch.windows = {part};
    auto written = store->write(batch);
    EXPECT_TRUE(written.ok());
    return std::move(*written);
  };
  EXPECT_THAT(write(first).windows, SizeIs(1));
  const Written rest = write(second);
  EXPECT_THAT(rest.windows, SizeIs(0));
  ASSERT_THAT(rest.filled, SizeIs(1));
  EXPECT_EQ(rest.filled[0].first.entered, 7);
  EXPECT_EQ(rest.filled[0].first.count, 5U);
  for (const wire::Window& part : {first, second, all}) EXPECT_THAT(write(part).filled, SizeIs(0));
  const auto rows = store->sql(
      "SELECT collectives, work_s, work_total_s, wait_s, bytes, last_entered, op_type, preempted_s FROM windows", 10);
  ASSERT_TRUE(rows.ok()) << rows.error().text();
  EXPECT_EQ((*rows)["data"], Json::parse(R"([[5, 0.25, 1.5, 0.4, 500, 7, "ALL_REDUCE", 0.5]])"));
  for (const char* table : {"minutes", "hours"}) {
    const auto sums =
        store->sql(fmt::format("SELECT windows, collectives, blocked, work_us, wait_us, bytes FROM {}", table), 10);
    ASSERT_TRUE(sums.ok()) << sums.error().text();
    EXPECT_EQ((*sums)["data"], Json::parse("[[1, 5, 3, 1500000, 400000, 500]]")) << table;
  }
}

TEST_F(Store, StatesOfDevicesAndArrivalsCountOnceAndComeBack) {
  wire::Batch batch;
  batch.windows = {window(0, 1), window(0, 2)};
  batch.windows[0].device = wire::DeviceState{"GPU-1", "H100", 0.5, 650, {}, 1.1e9, 9};
  batch.windows[0].arrivals = {{7, kStart_ns + 1, kStart_ns + 2, "ALL_REDUCE", 64}, {8, kStart_ns + 9}};
  {
    const auto store = open();
    ASSERT_TRUE(store->write(batch).ok());
    ASSERT_TRUE(store->write(batch).ok());
    // A sender between us may have cut one batch into two.
    batch.windows[0].arrivals = {{9, kStart_ns + 20}};
    ASSERT_TRUE(store->write(batch).ok());
    const auto states = store->sql("SELECT rank, hw_id, sm_clock_hertz, throttle_reasons FROM device_states", 10);
    ASSERT_TRUE(states.ok()) << states.error().text();
    EXPECT_EQ((*states)["data"], Json::parse(R"([[1, "GPU-1", 1.1e9, 9]])"));
    const auto arrivals = store->sql("SELECT number, left_ns - entered_ns, op_type, bytes FROM arrivals", 10);
    ASSERT_TRUE(arrivals.ok()) << arrivals.error().text();
    EXPECT_EQ((*arrivals)["data"], Json::parse(R"([[7, 1, "ALL_REDUCE", 64], [8, null, "", 0], [9, null, "", 0]])"));
  }
  const auto store = open();
  std::vector<wire::Window> restored;
  ASSERT_TRUE(store->each_window(0, [&](wire::Window one, uint32_t) { restored.push_back(std::move(one)); }).ok());
  ASSERT_THAT(restored, SizeIs(2));
  ASSERT_TRUE(restored[0].device);
  EXPECT_EQ(restored[0].device->id, "GPU-1");
  EXPECT_EQ(restored[0].device->power_watts, 650);
  EXPECT_FALSE(restored[0].device->temperature_celsius);
  EXPECT_EQ(restored[0].device->throttle_reasons, 9U);
  EXPECT_FALSE(restored[1].device);
}

TEST_F(Store, OpenIncidentsAreOfAnyTimeAndEndedOnesAreFoundAmongMany) {
  const auto store = open();
  std::vector<IncidentRow> rows;
  for (uint32_t i = 0; i < 30; ++i) {
    IncidentRow row;
    row.id = fmt::format("{:02}", i);
    row.cluster = "train";
    row.state = i < 20 ? "open" : i < 25 ? "over" : "silent";
    row.to_ns = kStart_ns + (i < 20 ? 1000 - i : i);
    rows.push_back(row);
  }
  ASSERT_TRUE(store->write(rows).ok());
  const auto count = [](const Result<std::vector<IncidentRow>>& found) { return found.ok() ? found->size() : 0; };
  EXPECT_EQ(count(store->incidents("train", kStart_ns + 10'000, 100)), 20U);
  EXPECT_EQ(count(store->incidents("", kStart_ns + 25, 100)), 25U);
  EXPECT_EQ(count(store->ended_incidents("train", kStart_ns, 10)), 10U);
  EXPECT_EQ(count(store->ended_incidents("", kStart_ns + 25, 10)), 5U);
  EXPECT_EQ(count(store->ended_incidents("other", 0, 10)), 0U);
}

TEST_F(Store, WhatIsTooOldGoesInPieces) {
  const auto store = open();
  constexpr uint32_t kOld = 10'000, kWindowsOfDay = 17'280;
  wire::Batch old;
  for (uint32_t rank = 0; rank < kOld; ++rank) old.windows.push_back(window(0, rank));
  ASSERT_TRUE(store->write(old).ok());
  const auto left = [&] {
    const auto counted = store->sql("SELECT count(*) FROM windows", 1);
    return counted.ok() ? (*counted)["data"][0][0].get<uint64_t>() : 0;
  };
  uint64_t before = left(), batches = 0;
  for (uint64_t later = kWindowsOfDay + 1; left() > 150; ++later) {
    wire::Batch batch;
    batch.windows = {window(later, 1)};
    ASSERT_TRUE(store->write(batch).ok());
    EXPECT_LE(before, left() + 4000) << "one batch does not wait for all";
    before = left();
    ASSERT_LT(++batches, 140U);
  }
  const auto again = store->write(old);
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(again->windows, SizeIs(0)) << "none that was deleted counts again";
}

// A machine that starts with a clock that is 40 days ahead, and is set right afterwards.
TEST_F(Store, RowsOfAClockThatWasAheadDoNotMakeLaterOnesOld) {
  constexpr uint64_t kAway = 40ULL * 86'400 * 1'000'000'000 / kPeriod_ns;
  const auto write = [](ClusterStore& store, uint64_t number) {
    wire::Batch batch;
    batch.windows = {window(number, 1)};
    batch.points = {point(0)};
    batch.points[0].time_ns = batch.windows[0].end_ns;
    const auto written = store.write(batch);
    EXPECT_TRUE(written.ok());
    EXPECT_THAT(written->refused, IsEmpty()) << number;
    return written->windows.size();
  };
  const auto count = [](ClusterStore& store, const char* table) {
    const auto found = store.sql(fmt::format("SELECT count(*) FROM {}", table), 1);
    return found.ok() ? (*found)["data"][0][0].get<int>() : -1;
  };
  clock.now_ns = kStart_ns + kAway * kPeriod_ns;
  EXPECT_EQ(write(*open(), kAway), 1U);
  clock.now_ns = kStart_ns + 10 * kPeriod_ns;
  const auto store = open();
  for (uint64_t i = 9; i < 200; ++i) {
    EXPECT_EQ(write(*store, i), 1U) << i;
    clock.now_ns += kPeriod_ns;
  }
  EXPECT_EQ(count(*store, "windows"), 192);
  EXPECT_EQ(count(*store, "events"), 192);
  EXPECT_EQ(count(*store, "minutes"), 18);
}

TEST_F(Store, HistoryIsOfWhatWasAskedFor) {
  const auto store = open();
  wire::Batch batch;
  for (uint64_t i = 0; i < 50; ++i) {
    wire::Point one = point(i, i % 2 == 0 ? "gpu-01" : "gpu-02");
    one.rank = static_cast<int64_t>(i % 5);
    batch.points.push_back(one);
  }
  ASSERT_TRUE(store->write(batch).ok());
  const auto count = [&](HistoryQuery query) {
    const auto rows = store->history(query);
    EXPECT_TRUE(rows.ok()) << rows.error().text();
    return rows.ok() ? rows->events.size() : 0;
  };
  EXPECT_EQ(count({}), 50U);
  EXPECT_EQ(count({.limit = 7}), 7U);
  EXPECT_EQ(count({.cluster = "other"}), 0U);
  EXPECT_EQ(count({.node = "gpu-02"}), 25U);
  EXPECT_EQ(count({.node = "gpu-02", .rank = 3}), 5U);
  EXPECT_EQ(count({.metric = "ingero.node.health_score"}), 50U);
  EXPECT_EQ(count({.operation = "AllReduce"}), 50U);
  EXPECT_EQ(count({.operation = "Broadcast"}), 0U);
  EXPECT_EQ(count({.from_ns = kStart_ns + 40'000'000}), 10U);
  EXPECT_EQ(count({.cluster = "x' OR 1=1 --"}), 0U);
}

TEST_F(Store, IsThereAgainAfterItWasClosed) {
  {
    const auto store = open();
    wire::Batch batch;
    batch.windows = {window(0, 1), window(1, 1), window(1, 2)};
    ASSERT_TRUE(store->write(batch).ok());
    IncidentRow incident{"id1", "train", "j1",      "straggler",    "host", "gpu-01", "open",
                         5,     7,       kStart_ns, kStart_ns + 10, 0.9,    {}};
    incident.evidence = {{"effect", 0.3}};
    ASSERT_TRUE(store->write(std::vector{incident}).ok());
    incident.state = "over";
    ASSERT_TRUE(store->write(std::vector{incident}).ok());
  }
  const auto store = open();
  std::vector<std::string> seen;
  ASSERT_TRUE(store
                  ->each_window(kStart_ns + 1,
                                [&](const wire::Window& one, uint32_t node) {
                                  seen.push_back(one.sender.node + ":" + std::to_string(one.rank) + ":" +
                                                 std::to_string(node));
                                  EXPECT_EQ(one.communicator, UINT64_MAX - 1);
                                  EXPECT_EQ(one.work_s, 0.25);
                                  EXPECT_EQ(one.preempted_s, 0.5);
                                })
                  .ok());
  EXPECT_THAT(seen, ::testing::ElementsAre("gpu-01:1:1", "gpu-01:2:1"));
  EXPECT_EQ(store->node_number("train", "gpu-01"), 1U);
  const auto incidents = store->incidents("train", kStart_ns, 10);
  ASSERT_TRUE(incidents.ok());
  ASSERT_THAT(*incidents, SizeIs(1));
  EXPECT_EQ(incidents->front().state, "over");
  EXPECT_EQ(incidents->front().node, "gpu-01");
  EXPECT_EQ(incidents->front().evidence["effect"], 0.3);
  EXPECT_THAT(*store->incidents("train", kStart_ns + 11, 10), SizeIs(0));
}

// What minutes and hours have to be, by another way than the store's.
constexpr const char* kRecount =
    "SELECT count(*) FROM (SELECT start_ns / {0}000000000 * {0} AS s, node, job_id, rank, comm_id_hash, count(*) AS n, "
    "sum(collectives) AS a, sum(blocked) AS b, sum(CAST(round(coalesce(work_total_s, 0) * 1e6) AS INTEGER)) AS w, "
    "sum(CAST(round(wait_s * 1e6) AS INTEGER)) AS wait, sum(bytes) AS bytes, "
    "sum(CAST(round((preempted_s + run_queue_s + blocked_s + io_s) * 1e6) AS INTEGER)) AS off "
    "FROM windows GROUP BY 1, 2, 3, 4, 5) AS c LEFT JOIN {1} AS x ON (x.start_s, x.node, x.job_id, x.rank, "
    "x.comm_id_hash) = (c.s, c.node, c.job_id, c.rank, c.comm_id_hash) WHERE x.windows IS NOT c.n OR "
    "x.collectives IS NOT c.a OR x.blocked IS NOT c.b OR x.work_us IS NOT c.w OR x.wait_us IS NOT c.wait OR "
    "x.bytes IS NOT c.bytes OR x.off_cpu_us IS NOT c.off";

class Sums : public Store {
 protected:
  int64_t ask(const std::string& sql) {
    sqlite3* raw = nullptr;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_prepare_v2(raw, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    const int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(raw);
    return value;
  }
  int64_t wrong_minutes() { return ask(fmt::format(fmt::runtime(kRecount), 60, "minutes")); }
  int64_t wrong_hours() { return ask(fmt::format(fmt::runtime(kRecount), 3600, "hours")); }
};

TEST_F(Sums, AreThoseOfARecountWhateverComesTwiceLateAndMixed) {
  auto store = open();
  std::mt19937_64 random(std::random_device{}());
  std::vector<wire::Window> all;
  for (uint64_t number = 0; number < 1500; ++number) {  // two hours
    for (uint32_t rank = 0; rank < 3; ++rank) {
      all.push_back(window(number, rank));
      all.back().work_total_s = static_cast<double>(random() % 5'000'000'000) / 1e9;
      all.back().wait_s = static_cast<double>(random() % 5'000'000'000) / 1e9;
      all.back().bytes = static_cast<int64_t>(random() % 1'000'000'000);
      all.back().blocked = random() % 100;
      all.back().sender.job = rank == 2 ? "j2" : "j1";
    }
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < 2 * all.size(); ++i) order.push_back(i % all.size());
  std::shuffle(order.begin(), order.end(), random);
  for (size_t i = 0; i < order.size();) {
    wire::Batch batch;
    for (size_t size = random() % 200; size > 0 && i < order.size(); --size) batch.windows.push_back(all[order[i++]]);
    ASSERT_TRUE(store->write(batch).ok());
    if (random() % 10 == 0) {
      store.reset();
      store = open();
    }
  }
  EXPECT_EQ(ask("SELECT count(*) FROM windows"), static_cast<int64_t>(all.size()));
  EXPECT_EQ(ask("SELECT sum(windows) FROM minutes"), static_cast<int64_t>(all.size()));
  EXPECT_EQ(ask("SELECT sum(windows) FROM hours"), static_cast<int64_t>(all.size()));
  EXPECT_GE(ask("SELECT count(*) FROM minutes"), 125 * 3);
  EXPECT_EQ(wrong_minutes(), 0);
  EXPECT_EQ(wrong_hours(), 0);
}

TEST_F(Sums, OutliveTheirWindowsAndAWindowThatWasDeletedDoesNotCountAgain) {
  const auto store = open(2 << 20);
  std::vector<wire::Batch> batches;
  for (uint64_t number = 0; number < 1200; ++number) {
    wire::Batch batch;
    for (uint32_t rank = 0; rank < 40; ++rank) batch.windows.push_back(window(number, rank));
    batch.windows[0].device = wire::DeviceState{"GPU-1", "H100", 0.5, 650, {}, 1.1e9, 9};
    batch.windows[0].arrivals = {{number, batch.windows[0].start_ns + 1}};
    const auto written = store->write(batch);
    ASSERT_TRUE(written.ok()) << number << ": " << written.error().text();
    if (number % 100 == 0) batches.push_back(std::move(batch));
  }
  const auto coverage = store->coverage();
  ASSERT_TRUE(coverage.ok());
  EXPECT_GT(coverage->windows_from_ns, kStart_ns + 100 * kPeriod_ns) << "the oldest windows were deleted";
  for (const char* table : {"device_states", "arrivals"}) {  // they go with their windows
    EXPECT_EQ(ask(fmt::format("SELECT min(start_ns) FROM {}", table)), ask("SELECT min(start_ns) FROM windows"))
        << table;
  }
  EXPECT_LT(coverage->minutes_from_ns, coverage->windows_from_ns);
  EXPECT_LE(coverage->hours_from_ns, kStart_ns);
  const int64_t windows = ask("SELECT sum(windows) FROM hours");
  EXPECT_EQ(windows, 1200 * 40);
  uint64_t refused = 0;
  for (const auto& batch : batches) {
    const auto again = store->write(batch);
    ASSERT_TRUE(again.ok());
    EXPECT_THAT(again->windows, SizeIs(0));
    for (const auto& [reason, count] : again->refused) refused += count;
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(ask("SELECT sum(windows) FROM hours"), windows);
}

TEST_F(Store, OfAnOlderVersionIsBroughtUpAndKeepsWhatItHas) {
  wire::Batch batch;
  batch.windows = {window(0, 1)};
  {
    const auto store = open();
    ASSERT_TRUE(store->write(batch).ok());
  }
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(
          raw,
          "DROP TABLE minutes; DROP TABLE hours; DROP TABLE pruned; DROP TABLE device_states; DROP TABLE arrivals; "
          "ALTER TABLE windows DROP COLUMN state; ALTER TABLE windows DROP COLUMN entered_bytes; "
          "UPDATE schema_version SET version = 1",
          nullptr, nullptr, nullptr),
      SQLITE_OK)
      << sqlite3_errmsg(raw);
  sqlite3_close(raw);
  const auto store = open();
  batch.windows = {window(0, 1), window(1, 1)};
  batch.windows[1].is_gone = batch.windows[1].is_lost = true;
  batch.windows[1].entered = 7;
  batch.windows[1].entered_bytes = 4096;
  ASSERT_THAT(store->write(batch)->windows, SizeIs(1));
  std::vector<wire::Window> seen;
  ASSERT_TRUE(store->each_window(0, [&](wire::Window one, uint32_t) { seen.push_back(std::move(one)); }).ok());
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_FALSE(seen[0].is_gone || seen[0].entered);
  EXPECT_TRUE(seen[1].is_gone && seen[1].is_lost);
  EXPECT_FALSE(seen[1].is_matched || seen[1].has_failed);
  EXPECT_EQ(seen[1].entered, 7);
  EXPECT_EQ(seen[1].entered_bytes, 4096);
  const auto coverage = store->coverage();
  ASSERT_TRUE(coverage.ok());
  EXPECT_EQ(coverage->hours_from_ns, kStart_ns / 3'600'000'000'000 * 3'600'000'000'000) << "of windows that were there";
}

TEST_F(Store, ArrivalsOfAnOlderVersionAreOfTheWindowInWhichTheyWereEntered) {
  open().reset();
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw,
                         "DROP TABLE arrivals; CREATE TABLE arrivals (node INTEGER, job_id TEXT, entered_ns INTEGER, "
                         "rank INTEGER, comm_id_hash INTEGER, number INTEGER, left_ns INTEGER, op_type TEXT, "
                         "bytes INTEGER); INSERT INTO arrivals VALUES (1, 'j', 12000000003, 5, -2, 7, NULL, 'x', 64); "
                         "UPDATE schema_version SET version = 4",
                         nullptr, nullptr, nullptr),
            SQLITE_OK)
      << sqlite3_errmsg(raw);
  sqlite3_close(raw);
  const auto arrivals = open()->sql("SELECT * FROM arrivals", 10);
  ASSERT_TRUE(arrivals.ok()) << arrivals.error().text();
  EXPECT_EQ((*arrivals)["data"], Json::parse(R"([[10000000000, 1, "j", 5, -2, 7, 12000000003, null, "x", 64]])"));
}

TEST_F(Store, IsOfOneProcessAndOfNoOtherKind) {
  {
    const auto store = open();
    const auto second = SqliteStore::open({path}, clock);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code(), Errc::kBusy);
    EXPECT_THAT(second.error().text(), HasSubstr(path));
  }
  std::ofstream(folder.path() + "/x.db") << "words, and not a database";
  const auto words = SqliteStore::open({folder.path() + "/x.db"}, clock);
  ASSERT_FALSE(words.ok());
  EXPECT_EQ(words.error().code(), Errc::kCorrupt);
  EXPECT_FALSE(SqliteStore::open({folder.path() + "/none/x.db"}, clock).ok());
}

TEST_F(Store, StaysWithinItsSizeAndLosesTheOldest) {
  constexpr uint64_t kBytes = 2 << 20;
  const auto store = open(kBytes);
  for (uint64_t batch_number = 0; batch_number < 400; ++batch_number) {
    wire::Batch batch;
    for (uint64_t i = 0; i < 50; ++i) batch.points.push_back(point(batch_number * 50 + i));
    for (uint32_t rank = 0; rank < 20; ++rank) batch.windows.push_back(window(batch_number, rank));
    const auto written = store->write(batch);
    ASSERT_TRUE(written.ok()) << batch_number << ": " << written.error().text();
  }
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_LE(static_cast<uint64_t>(status.st_size), kBytes);
  const auto coverage = store->coverage();
  ASSERT_TRUE(coverage.ok());
  EXPECT_GT(coverage->windows_from_ns, kStart_ns);
  const auto newest = store->history({.limit = 1});
  ASSERT_TRUE(newest.ok());
  EXPECT_EQ(newest->events.front()["timestamp_ns"], kStart_ns + (400 * 50 - 1) * 1'000'000ULL);
}

TEST_F(Sums, NewWindowsStayWhateverFillsTheFileAndOnlyAsMuchGoesAsIsNeeded) {
  const auto store = open(4 << 20);
  const auto send_windows = [&](uint64_t number) {
    wire::Batch batch;
    for (uint32_t rank = 0; rank < 8; ++rank) batch.windows.push_back(window(number, rank));
    const auto written = store->write(batch);
    ASSERT_TRUE(written.ok()) << written.error().text();
    EXPECT_THAT(written->windows, SizeIs(8));
    EXPECT_THAT(written->refused, ::testing::IsEmpty());
  };
  constexpr uint64_t kWindows = 400, kBack_ns = 28ULL * 86'400'000'000'000;
  for (uint64_t number = 0; number < kWindows; ++number) send_windows(number);
  int64_t events = 0;
  for (uint64_t number = 0; number < 60; ++number) {  // an exporter that says what was a month ago
    wire::Batch batch;
    for (uint64_t i = 0; i < 30; ++i) {
      batch.points.push_back(point(number * 30 + i, "otel"));
      batch.points.back().time_ns -= kBack_ns;
      batch.points.back().attributes = R"({"note":")" + std::string(4000, 'x') + "\"}";
    }
    ASSERT_TRUE(store->write(batch).ok());
    const int64_t before = std::exchange(events, ask("SELECT count(*) FROM events"));
    EXPECT_GE(events, before - 100) << "one write of 30 points deletes about as many";
  }
  EXPECT_LT(events, 60 * 30);
  const int64_t newest_ns = ask("SELECT max(start_ns) FROM windows");
  EXPECT_EQ(newest_ns, static_cast<int64_t>(kStart_ns + (kWindows - 1) * kPeriod_ns));
  EXPECT_EQ(ask("SELECT min(start_ns) FROM windows"), newest_ns - static_cast<int64_t>(kWindowsKept_ns));
  // One that comes late is not too late.
  wire::Batch late;
  late.windows = {window(kWindows - 100, 20)};
  EXPECT_THAT(store->write(late)->windows, SizeIs(1));
}

TEST_F(Sums, AFileThatIsTooSmallForTheNewestWindowsTakesThemAllTheSame) {
  const auto store = open(1 << 20);
  for (uint64_t number = 0; number < 132; ++number) {
    wire::Batch batch;
    for (uint32_t rank = 0; rank < 100; ++rank) batch.windows.push_back(window(number, rank));
    const auto written = store->write(batch);
    ASSERT_TRUE(written.ok()) << number << ": " << written.error().text();
    EXPECT_THAT(written->windows, SizeIs(100)) << number;
  }
  EXPECT_EQ(ask("SELECT sum(windows) FROM hours"), 132 * 100);
}

TEST_F(Store, HistoryEndsAtItsLimitAndBeforeItIsTooLong) {
  const auto store = open();
  wire::Batch batch;
  for (uint64_t i = 0; i < 20; ++i) {
    batch.points.push_back(point(i));
    batch.points.back().attributes = R"({"note":")" + std::string(100'000, 'x') + "\"}";
  }
  ASSERT_TRUE(store->write(batch).ok());
  const auto few = store->history({.limit = 3}), all = store->history({});
  ASSERT_TRUE(few.ok() && all.ok());
  EXPECT_THAT(few->events, SizeIs(3));
  EXPECT_TRUE(few->is_at_limit);
  EXPECT_FALSE(few->is_too_long);
  EXPECT_THAT(all->events, SizeIs(9));
  EXPECT_FALSE(all->is_at_limit);
  EXPECT_TRUE(all->is_too_long);
}

class LongQuestions : public Store {
 protected:
  // Of 20,000 points, none of which is what is asked for.
  static Result<History> ask_all(ClusterStore& store) { return store.history({.operation = "none"}); }
  void SetUp() override {
    open().reset();
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(
        sqlite3_exec(raw,
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO "
                     "events SELECT i, 'c', 'n', 'm', NULL, NULL, 1.0, NULL, '{\"op_type\":\"some\"}', i FROM n",
                     nullptr, nullptr, nullptr),
        SQLITE_OK)
        << sqlite3_errmsg(raw);
    sqlite3_close(raw);
  }
};

TEST_F(LongQuestions, HowFarBackItReachesIsKnownMeanwhile) {
  const auto store = open();
  std::atomic<bool> is_enough = false;
  std::atomic<int> asked = 0;
  std::thread asking([&] {
    for (; !is_enough; ++asked) EXPECT_TRUE(ask_all(*store).ok());
  });
  while (asked == 0) std::this_thread::yield();
  int at_once = 0;
  for (int i = 0; i < 20; ++i) {
    const int before = asked;
    EXPECT_TRUE(store->coverage().ok());
    EXPECT_TRUE(store->incidents("", 0, 10).ok());
    at_once += asked == before ? 1 : 0;
  }
  is_enough = true;
  asking.join();
  EXPECT_GT(at_once, 10) << "a long question ended each time, since it was waited for";
}

TEST_F(LongQuestions, EndWithWhatToNarrow) {
  const auto opened = SqliteStore::open({.path = path, .question_ns = std::chrono::microseconds(1)}, clock);
  ASSERT_TRUE(opened.ok());
  const auto found = ask_all(**opened);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code(), Errc::kBusy);
  EXPECT_THAT(found.error().text(), HasSubstr("the query took longer than 1"));
  EXPECT_THAT(found.error().text(), HasSubstr("narrow it: by cluster, by node, by time"));
  EXPECT_THAT(found.error().text(), ::testing::Not(HasSubstr("raise")));
  (*opened)->interrupt();
  EXPECT_THAT(ask_all(**opened).error().text(), HasSubstr("the server is being stopped"));
}

TEST_F(Store, TakesAtMost4096Nodes) {
  const auto store = open();
  wire::Batch batch;
  for (size_t i = 0; i < kMaxNodes + 2; ++i) batch.points.push_back(point(0, "n" + std::to_string(i)));
  const auto written = store->write(batch);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->points, kMaxNodes);
  EXPECT_EQ(written->refused.begin()->second, 2U);
  EXPECT_THAT(written->refused_node, ::testing::StartsWith("n"));
}

TEST_F(Sums, NodesThatAreSilentForADayGiveWay) {
  constexpr uint64_t kDay_ns = 86'400'000'000'000;
  auto store = open();
  wire::Batch pods, fresh;
  pods.windows = {window(0, 1)};  // of gpu-01, which has a number in the file
  for (size_t i = 1; i < kMaxNodes; ++i) pods.points.push_back(point(0, "pod-" + std::to_string(i)));
  ASSERT_THAT(store->write(pods)->refused, ::testing::IsEmpty());
  fresh.points = {point(0, "gpu-02")};
  fresh.points[0].time_ns = kStart_ns + kDay_ns / 2;
  const auto refused = store->write(fresh);
  EXPECT_EQ(refused->refused_node, "gpu-02");
  EXPECT_THAT(refused->forgotten, ::testing::IsEmpty());
  store.reset();
  store = open();
  EXPECT_EQ(store->write(fresh)->refused_node, "gpu-02") << "they are known after a restart";
  fresh.points[0].time_ns = kStart_ns + kDay_ns + kPeriod_ns + 1;
  const auto taken = store->write(fresh);
  EXPECT_THAT(taken->refused, ::testing::IsEmpty());
  EXPECT_THAT(taken->forgotten, SizeIs(kMaxNodes));
  EXPECT_EQ(store->coverage()->nodes, 1U);
  // What comes again has the number by which rows name it.
  wire::Batch again;
  again.windows = {window(1, 1)};
  ASSERT_THAT(store->write(again)->windows, SizeIs(1));
  EXPECT_EQ(ask("SELECT count(DISTINCT node) FROM windows"), 1);
  EXPECT_EQ(ask("SELECT count(*) FROM windows JOIN nodes ON id = node WHERE node_id = 'gpu-01'"), 2);
}

TEST_F(Sums, NodesThatNoRowIsOfLeaveTheFile) {
  constexpr uint64_t kMonth_ns = 31ULL * 86'400'000'000'000;
  wire::Batch old, later;
  old.points = {point(0, "pod-1")};
  old.windows = {window(0, 1)};
  later.points = {point(0, "pod-2")};
  later.points[0].time_ns = kStart_ns + kMonth_ns;
  const auto store = open();
  for (const wire::Batch& batch : {old, later}) ASSERT_TRUE(store->write(batch).ok());
  const auto prune = [&] {  // it looks now and then
    std::vector<NodeKey> forgotten;
    for (int i = 0; i < 64; ++i) {
      const auto written = store->write(later);
      forgotten.insert(forgotten.end(), written->forgotten.begin(), written->forgotten.end());
    }
    return forgotten;
  };
  EXPECT_THAT(prune(), ::testing::IsEmpty()) << "the hours of gpu-01 go back further";
  later.windows = {window(401ULL * 86'400 / 5, 1)};
  later.windows[0].sender.node = "gpu-02";
  EXPECT_THAT(prune(), ::testing::UnorderedElementsAre(NodeKey("train", "gpu-01"), NodeKey("train", "pod-1")));
  EXPECT_EQ(ask("SELECT count(*) FROM nodes"), 2);
}

}  // namespace
}  // namespace ingero::fleet::store
