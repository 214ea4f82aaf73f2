// The SQL surface: what it lets through, what it refuses, its limits; and that reading leaves no trace.
#include "store/read/reader.h"

#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>

#include "recording.h"
#include "store/db/schema.h"
#include "store/db/sqlite.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReaderTest : public RecordingTest {
 protected:
  void record(int count) {
    open();
    std::vector<Event> events;
    for (int i = 0; i < count; ++i) {
      events.push_back(event_of(i % 3 == 0 ? "cudaMalloc" : "otherLaunch", static_cast<uint64_t>(i) * 1000, 10));
    }
    write(events);
    close();
  }
  static Error refused(const Reader& reader, const std::string& sql) {
    const auto outcome = reader.query(sql, {}, [](auto) { return true; });
    EXPECT_FALSE(outcome.ok()) << sql;
    return outcome.ok() ? Error(Errc::kIo, "accepted") : outcome.error();
  }
  std::string contents() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(ReaderTest, OnlyStatementsThatReadAreAccepted) {
  record(3);
  const std::string before = contents();
  const auto reader = read();
  for (const char* sql : {"DELETE FROM event_rows",
                          "INSERT INTO process_names VALUES (1, 'x', 0)",
                          "UPDATE sessions SET node = 'x'",
                          "DROP VIEW events",
                          "CREATE TABLE t (a)",
                          "CREATE TEMP TABLE t (a)",
                          "ATTACH ':memory:' AS other",
                          "DETACH main",
                          "PRAGMA query_only = OFF",
                          "PRAGMA writable_schema = ON",
                          "PRAGMA journal_mode = DELETE",
                          "PRAGMA wal_checkpoint",
                          "PRAGMA user_version = 3",
                          "VACUUM",
                          "VACUUM INTO '/tmp/never.db'",
                          "REINDEX",
                          "ANALYZE",
                          "BEGIN",
                          "SAVEPOINT a",
                          "SELECT load_extension('x')",
                          "WITH a AS (SELECT 1) DELETE FROM event_rows",
                          "EXPLAIN DELETE FROM event_rows",
                          "CREATE VIRTUAL TABLE t USING fts5(a)"}) {
    EXPECT_EQ(refused(*reader, sql).code(), Errc::kInvalid) << sql;
  }
  EXPECT_EQ(contents(), before);
}

TEST_F(ReaderTest, TextThatOnlyLooksLikeWritingIsAccepted) {
  record(3);
  const auto reader = read();
  EXPECT_THAT(rows(*reader, "SELECT 'delete from; update ' || count(*) FROM events; -- drop table\n ; /* attach */ "),
              ElementsAre("delete from; update 3"));
  EXPECT_THAT(
      rows(*reader, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n"),
      SizeIs(3));
  EXPECT_THAT(rows(*reader, "SELECT count(*) > 5 FROM pragma_table_info('events')"), ElementsAre("1"));
  EXPECT_THAT(rows(*reader, "VALUES (1, 2.5, NULL, x'00')"), SizeIs(1));
  EXPECT_THAT(rows(*reader, "EXPLAIN QUERY PLAN SELECT * FROM events"), ::testing::Not(IsEmpty()));
}

TEST_F(ReaderTest, OneStatementAtATime) {
  record(1);
  const auto reader = read();
  EXPECT_THAT(refused(*reader, "SELECT 1; SELECT 2").message(), HasSubstr("more than one"));
  EXPECT_THAT(refused(*reader, "SELECT 1; DELETE FROM event_rows").message(), HasSubstr("more than one"));
  EXPECT_THAT(refused(*reader, "  -- nothing\n").message(), HasSubstr("no statement"));
  EXPECT_THAT(refused(*reader, "SELEKT").message(), HasSubstr("syntax error"));
  EXPECT_THAT(refused(*reader, "SELECT nope FROM events").message(), HasSubstr("nope"));
}

TEST_F(ReaderTest, ValuesComeWithTheirTypesAndNames) {
  record(1);
  std::vector<std::string> names;
  std::vector<Value::Type> types;
  const Bound bound[] = {Bound::of(int64_t{5}), Bound::of(std::string("it's"))};
  const auto outcome = read()->query(
      "SELECT 7 AS a, 1.5 AS b, 'x' AS c, x'0102' AS d, NULL AS e, ?1 AS f, ?2 AS g", {},
      [&](std::span<const Value> row) {
        for (const Value& value : row) types.push_back(value.type);
        EXPECT_EQ(row[3].text.size(), 2U);
        EXPECT_EQ(row[5].integer, 5);
        EXPECT_EQ(row[6].text, "it's");
        return true;
      },
      [&](std::span<const std::string_view> given) { names.assign(given.begin(), given.end()); }, bound);
  ASSERT_TRUE(outcome.ok());
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "d", "e", "f", "g"));
  using Type = Value::Type;
  EXPECT_THAT(types, ElementsAre(Type::kInteger, Type::kReal, Type::kText, Type::kBlob, Type::kNull, Type::kInteger,
                                 Type::kText));
}

TEST_F(ReaderTest, TheRowLimitSaysWhetherThereWasMore) {
  record(10);
  const auto reader = read();
  QueryLimits limits;
  limits.rows = 4;
  auto outcome = reader->query("SELECT * FROM events", limits, [](auto) { return true; });
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->rows, 4U);
  EXPECT_TRUE(outcome->truncated);
  limits.rows = 10;
  outcome = reader->query("SELECT * FROM events", limits, [](auto) { return true; });
  EXPECT_FALSE(outcome->truncated);
}

TEST_F(ReaderTest, TheTimeLimitAndTheCancelFlagEndAQuery) {
  record(1);
  const auto reader = read();
  const char* endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  QueryLimits limits;
  limits.time_ns = 50'000'000;
  const auto before = std::chrono::steady_clock::now();
  auto outcome = reader->query(endless, limits, [](auto) { return true; });
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code(), Errc::kBusy);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  const std::atomic<bool> cancel{true};
  limits.time_ns = 0;
  limits.cancel = &cancel;
  outcome = reader->query(endless, limits, [](auto) { return true; });
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code(), Errc::kBusy);
  EXPECT_THAT(rows(*reader, "SELECT 1"), ElementsAre("1"));  // the handle is good for the next query
}

TEST_F(ReaderTest, HugeValuesAreRefusedInsteadOfAllocated) {
  record(1);
  const auto reader = read();
  EXPECT_FALSE(reader->query("SELECT zeroblob(1000000000)", {}, [](auto) { return true; }).ok());
  EXPECT_FALSE(reader->query(std::string(2 << 20, ' ') + "SELECT 1", {}, [](auto) { return true; }).ok());
}

TEST_F(ReaderTest, AStrangersStatementIsBounded) {
  record(3);
  const auto reader = Reader::open(path, Trust::kStranger);
  ASSERT_TRUE(reader.ok());
  QueryLimits limits;
  limits.time_ns = 300'000'000;
  const auto run = [&](const std::string& sql) { return (*reader)->query(sql, limits, [](auto) { return true; }); };
  for (const std::string& sql :
       std::vector<std::string>{"SELECT printf('%.*c', 2000000000, 'x')", "SELECT format('%2000000000s', 'x')",
                                "SELECT zeroblob(300000)", "SELECT 1 WHERE 'a' LIKE '" + std::string(600, '%') + "'",
                                "SELECT 1 UNION ALL SELECT " + std::string(70'000, '1')}) {
    const auto before = std::chrono::steady_clock::now();
    EXPECT_FALSE(run(sql).ok()) << sql.substr(0, 60);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(2)) << sql.substr(0, 60);
  }
  EXPECT_THAT(rows(**reader, "SELECT printf('%.2f %05d %s %%', 1.239, 42, 'x')"), ElementsAre("1.24 00042 x %"));
  EXPECT_THAT(rows(**reader, "SELECT format('0x%llx', -1)"), ElementsAre("0xffffffffffffffff"));
  EXPECT_FALSE(run(std::string("SELECT 1;\0DELETE FROM event_rows", 32)).ok());
}

TEST_F(ReaderTest, ATimeLimitHoldsForWhateverReadsInIt) {
  record(2000);
  const auto reader = read();
  std::atomic<bool> cancel{true};
  QueryLimits limits;
  limits.cancel = &cancel;
  const char* counting =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT count(*) FROM n";
  {
    const TimeLimit limit(*reader, limits);
    const auto outcome = reader->query(counting, {}, [](auto) { return true; });
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code(), Errc::kBusy);
    cancel = false;
    EXPECT_TRUE(reader->query(counting, {}, [](auto) { return true; }).ok());
    cancel = true;
  }
  EXPECT_TRUE(reader->query(counting, {}, [](auto) { return true; }).ok());
}

TEST_F(ReaderTest, ReadingLeavesNothingBeside) {
  record(100);
  const std::string before = contents();
  const auto reader = read();
  rows(*reader, "SELECT * FROM events ORDER BY duration");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
  EXPECT_EQ(contents(), before);
}

TEST_F(ReaderTest, PathsThatLookLikeUrisAreJustPaths) {
  path = directory + "/100%41 ?mode=rwc#x.db";
  record(1);
  EXPECT_EQ(row("SELECT count(*) FROM events"), "1");
}

TEST_F(ReaderTest, AReaderOpenedBeforeTheWriterSeesWhatItWrites) {
  record(1);
  const auto reader = read();
  EXPECT_THAT(rows(*reader, "SELECT count(*) FROM events"), ElementsAre("1"));
  open();
  write({event_of("cudaMalloc", 1, 1)});
  flush();
  EXPECT_THAT(rows(*reader, "SELECT count(*) FROM events"), ElementsAre("2"));
  close();
  EXPECT_THAT(rows(*reader, "SELECT count(*) FROM events"), ElementsAre("2"));
}

// The writer gives up on a lock after two seconds: had it to wait for this reader, a round would take them.
TEST_F(ReaderTest, AReaderThatStaysHoldsUpNoCommitNoCheckpointAndNoPruning) {
  WriterOptions given = options();
  given.max_bytes = 1 << 20;
  open(given);
  const std::vector<Event> events(1000, event_of("cudaMalloc", 1, 1));
  write(events);
  flush();
  const auto reader = read();
  auto longest = std::chrono::steady_clock::duration::zero();
  const auto outcome = reader->query("SELECT seq FROM events", {}, [&](auto) {
    for (int i = 0; i < 100; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      write(events);
      flush();
      for (Result<bool> more = true; more.ok() && *more;) more = writer->maintain();
      longest = std::max(longest, std::chrono::steady_clock::now() - begin);
    }
    return false;  // the statement, and what it reads, was open all the time
  });
  EXPECT_TRUE(outcome.ok());
  EXPECT_LT(longest, std::chrono::milliseconds(1500));
  EXPECT_EQ(writer->rows_committed(), 101'000U);
  EXPECT_GT(losses.count(hal::Loss::store_pruned), 0U);
  EXPECT_EQ(losses.count(hal::Loss::store_failed), 0U);
}

TEST_F(ReaderTest, TheTimeSpanIsTheEventsOwn) {
  open();
  EXPECT_FALSE(read()->time_span()->has_value());
  write({event_of("cudaMalloc", 5000, 10), event_of("cudaMalloc", 1000, 9'000)});
  close();
  const auto span = read()->time_span();
  ASSERT_TRUE(span.ok() && span->has_value());
  EXPECT_EQ((*span)->first_wall_ns, kWall + 1000);
  EXPECT_EQ((*span)->last_wall_ns, kWall + 10'000);
}

TEST_F(ReaderTest, TheVendorNeutralQuestionIsAnswered) {
  record(9);
  EXPECT_THAT(rows("SELECT kind, vendor, count(*) FROM events GROUP BY 1, 2"),
              ElementsAre("alloc|nvidia|3", "launch|acme|6"));
}

// docs: the SQL that users have copied from the published posts.
TEST_F(ReaderTest, ThePublishedQueriesRunAsWritten) {
  open();
  writer->add_process(process_of(100, 1, "python3"));
  Event collective = event_of("otherAllReduce", 1'000'000, 60'000'000);
  Event slow = event_of("cudaMalloc", 10, 2'000'000);
  write({slow, event_of("cudaMalloc", 20, 10)});
  hal::Exchange exchange;
  exchange.exchange_id = 1;
  ASSERT_TRUE(writer->write_exchange(collective, exchange).ok());
  hal::TcpDetail detail;
  detail.family = 2;
  ASSERT_TRUE(writer->write_tcp(event_of("tcp_retransmit", 2'000'000, 0), detail).ok());
  close();
  EXPECT_THAT(rows("SELECT pn.name, COUNT(*) AS events FROM events e JOIN process_names pn ON e.pid = pn.pid GROUP BY "
                   "pn.name ORDER BY events DESC;"),
              ElementsAre("python3|4"));
  EXPECT_THAT(
      rows("SELECT node, source, count(*) AS cnt, avg(duration)/1000 AS avg_us FROM events GROUP BY node, source;"),
      SizeIs(3));
  EXPECT_THAT(rows("SELECT * FROM cuda_events WHERE duration_ns > 1000000 LIMIT 20;"), SizeIs(1));
  EXPECT_THAT(
      rows("SELECT op, rank, nranks, duration_ns/1e6 AS ms FROM nccl_events ORDER BY duration_ns DESC LIMIT 20;"),
      ElementsAre("otherAllReduce|NULL|NULL|60"));
  EXPECT_THAT(rows("SELECT COUNT(*) FROM tcp_events WHERE event = 'tcp_retransmit_skb';"), ElementsAre("1"));
  EXPECT_THAT(rows("WITH slow_collectives AS (SELECT timestamp_ns, duration_ns, rank, nranks, comm_id_hash, pid FROM "
                   "nccl_events WHERE duration_ns > 50000000) SELECT s.rank, s.duration_ns/1e6 AS ms, "
                   "COUNT(t.timestamp_ns) AS retransmits_in_window FROM slow_collectives s LEFT JOIN tcp_events t ON "
                   "t.timestamp_ns BETWEEN s.timestamp_ns AND s.timestamp_ns + s.duration_ns AND t.event = "
                   "'tcp_retransmit_skb' GROUP BY s.rank, s.duration_ns, s.timestamp_ns ORDER BY ms DESC LIMIT 20;"),
              ElementsAre("NULL|60|1"));
  EXPECT_THAT(rows("SELECT timestamp_ns, op FROM nccl_events WHERE op = 'ALL_REDUCE' AND duration_ns > 50000000"),
              IsEmpty());  // this vendor's call is not named as that library's
  EXPECT_THAT(
      rows("SELECT count(*) FROM event_aggregates UNION ALL SELECT count(*) FROM causal_chains UNION ALL SELECT "
           "count(*) FROM cgroup_metadata UNION ALL SELECT count(*) FROM annotations UNION ALL SELECT count(*) "
           "FROM event_aggregates_5s UNION ALL SELECT count(*) FROM cgroup_schedstat"),
      SizeIs(6));
}

TEST_F(ReaderTest, TheViewLooksOnlyUpWhatAQueryUses) {
  record(3);
  std::string plan;
  for (const std::string& line : rows("EXPLAIN QUERY PLAN SELECT kind, vendor, count(*) FROM events GROUP BY 1, 2")) {
    plan += line + "\n";
  }
  EXPECT_THAT(plan, HasSubstr("SEARCH s "));
  for (const char* unused : {"SUBQUERY", "functions", "geometries", "processes", "details", "culprits", "calls"}) {
    EXPECT_THAT(plan, ::testing::Not(HasSubstr(unused)));
  }
}

// A file of a schema that a user may still have.
void make_file(const std::string& path, int64_t version) {
  std::remove(path.c_str());
  auto made = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path);
  ASSERT_TRUE(made.ok());
  const Status status = migrate_schema(*made, 0, version);
  ASSERT_TRUE(status.ok()) << status.error().text();
}

std::vector<std::string> schema_of(const std::string& path) {
  std::vector<std::string> objects;
  auto opened = Database::open(path, SQLITE_OPEN_READONLY, path);
  EXPECT_TRUE(opened.ok());
  EXPECT_TRUE(opened
                  ->each_row("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1",
                             [&](const Statement& row) { objects.push_back(row.text(0)); })
                  .ok());
  return objects;
}

TEST_F(ReaderTest, ANewFileIsAsTheStepsOneByOneLeaveIt) {
  const std::string upgraded = path + "-upgraded";
  make_file(upgraded, 20);
  auto file = Database::open(upgraded, SQLITE_OPEN_READWRITE, upgraded);
  ASSERT_TRUE(file.ok());
  for (int64_t version = 20; version <= kSchemaVersion; ++version) {
    ASSERT_TRUE(migrate_schema(*file, 0, version).ok()) << version;
    make_file(path, version);
    EXPECT_EQ(schema_of(path), schema_of(upgraded)) << version;
  }
  std::remove(upgraded.c_str());
}

TEST_F(ReaderTest, ARecordingOfAnOlderSchemaIsReadAsItIs) {
  make_file(path, kSchemaVersion);
  std::set<std::string> objects;
  constexpr const char* kObjects = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
  ASSERT_TRUE(read()
                  ->query(kObjects, {},
                          [&](auto row) {
                            objects.emplace(row[0].text);
                            return true;
                          })
                  .ok());
  ASSERT_GT(objects.size(), 40U);
  for (int64_t version = kOldestRead; version < kSchemaVersion; ++version) {
    make_file(path, version);
    const std::string before = contents();
    for (const Trust trust : {Trust::kOwner, Trust::kStranger}) {
      const auto reader = Reader::open(path, trust);
      ASSERT_TRUE(reader.ok()) << version << ": " << reader.error().text();
      for (const std::string& object : objects) {
        const auto outcome = (*reader)->query("SELECT * FROM " + object, {}, [](auto) { return true; });
        EXPECT_TRUE(outcome.ok()) << version << ", " << object << ": " << outcome.error().text();
      }
    }
    EXPECT_EQ(contents(), before) << version;
  }
}

TEST_F(ReaderTest, ASchemaThatNoQueryKnowsAnyMoreIsRefusedByNumber) {
  make_file(path, kOldestRead - 1);
  const auto reader = Reader::open(path);
  ASSERT_FALSE(reader.ok());
  EXPECT_THAT(reader.error().text(), HasSubstr("schema 25, and the oldest that is read is 26"));
  EXPECT_THAT(reader.error().text(), HasSubstr("it upgrades the schema"));
}

}  // namespace
}  // namespace ingero::store::testing
