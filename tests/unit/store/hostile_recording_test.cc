// Recordings that somebody else made: any value in any column, other things in the place of tables, pages that lead
// nowhere, and files whose place another user chose. Nothing crashes, waits for ever or is written.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <gmock/gmock.h>

#include "recording.h"
#include "store/db/schema.h"
#include "store/db/sqlite.h"
#include "store/merge/merge.h"
#include "store/read/labels.h"
#include "store/read/replay.h"
#include "store/read/runs.h"
#include "store/read/timeline.h"

namespace ingero::store::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kEndless =
    "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)";

struct Ignore : ReplaySink {};

class HostileRecording : public RecordingTest {
 protected:
  // Calls of every outcome, and three made-up rows in each table that has none.
  void make() {
    open();
    std::vector<Event> events;
    for (uint64_t i = 0; i < 60; ++i) {
      events.push_back(event_of(i % 3 == 0 ? "cudaMalloc" : "cudaStreamSynchronize", i * 1'000'000, 500'000,
                                100 + static_cast<uint32_t>(i % 2)));
    }
    write(events);
    close();
    execute("PRAGMA journal_mode = DELETE");
    Database database = opened();
    for (const std::string& table : tables(database)) {
      if (database.integer("SELECT count(*) FROM " + table)->value_or(0) != 0) continue;
      for (int row = 1; row <= 3; ++row) {
        std::string values;
        for (const auto& [name, type] : columns(database, table)) {
          values += values.empty() ? "" : ", ";
          values += type == "TEXT"          ? "'[\"x\"]'"
                    : type == "BLOB"        ? "x'0102'"
                    : name.ends_with("_ns") ? std::to_string(kWall + static_cast<uint64_t>(row))
                                            : std::to_string(row);
        }
        (void)database.execute(fmt::format("INSERT OR IGNORE INTO {} VALUES ({})", table, values));
      }
    }
  }

  Database opened() {
    auto database = Database::open(path, SQLITE_OPEN_READWRITE, path);
    EXPECT_TRUE(database.ok());
    return std::move(*database);
  }
  void execute(const std::string& sql) {
    Database database = opened();
    const Status status = database.execute(sql);
    ASSERT_TRUE(status.ok()) << sql << ": " << status.error().text();
  }
  static std::vector<std::string> tables(Database& database) {
    std::vector<std::string> names;
    EXPECT_TRUE(
        database
            .each_row("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1",
                      [&](const Statement& row) { names.push_back(row.text(0)); })
            .ok());
    return names;
  }
  static std::vector<std::pair<std::string, std::string>> columns(Database& database, const std::string& table) {
    std::vector<std::pair<std::string, std::string>> all;
    EXPECT_TRUE(database
                    .each_row(fmt::format("SELECT name, type FROM pragma_table_info('{}')", table),
                              [&](const Statement& row) { all.emplace_back(row.text(0), row.text(1)); })
                    .ok());
    return all;
  }

  // Whatever the store answers from a recording; what it says of it does not matter.
  void read_all() {
    auto reader = Reader::open(path);
    if (!reader.ok()) return;
    const TimeLimit limit(**reader, {.time_ns = 5'000'000'000});
    Selection selection;
    (void)summarise_both(**reader, selection);
    (void)distributions(**reader, selection, 4);
    (void)slowest(**reader, selection, 10);
    (void)unfinished(**reader, selection);
    (void)device_totals(**reader);
    (void)store::losses(**reader);
    (void)(*reader)->time_span();
    if (const auto all = runs(**reader); all.ok()) (void)ending_of(**reader, *all);
    if (const auto labels = Labels::load(**reader); labels.ok()) {
      (void)labels->at("node-a", 100, kWall);
      (void)labels->values();
    }
    (void)narrow_by_label(**reader, "step=1", selection);
    Ignore sink;
    (void)replay(**reader, {}, sink);
    Timeline timeline;
    TimelineQuestion asked;
    asked.from_wall_ns = static_cast<int64_t>(kWall);
    asked.to_wall_ns = INT64_MAX;
    asked.bins = 50;
    (void)timeline.view(**reader, asked);
    for (const char* view : {"events", "steps", "blame", "collectives", "thread_waits", "tcp_events", "chains"}) {
      (void)(*reader)->query(fmt::format("SELECT * FROM {} LIMIT 20", view), {}, [](auto) { return true; });
    }
  }

  template <typename Work>
  static void ends_within(std::chrono::milliseconds time, const Work& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    EXPECT_LT(std::chrono::steady_clock::now() - began, time);
  }
  MergeOptions merge_options() const {
    MergeOptions made;
    made.sources = {path};
    made.output = directory + "/merged.db";
    made.node = "n";
    return made;
  }
  std::string writers_refusal() {
    WriterOptions given = options();
    const auto writer = Writer::open(given, calls(), losses, clock);
    return writer.ok() ? "opened" : writer.error().text();
  }
  std::string readers_refusal() {
    const auto reader = Reader::open(path);
    return reader.ok() ? "opened" : reader.error().text();
  }
};

TEST_F(HostileRecording, AnyValueInAnyColumnIsRead) {
  make();
  const std::string base = directory + "/base.db";
  std::filesystem::rename(path, base);
  constexpr const char* kValues[] = {"-1",
                                     "4294967295",
                                     "1e300",
                                     "'text'",
                                     "x'00ff'",
                                     "NULL",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "zeroblob(3000)",
                                     "'[{\"a\":1}]'"};
  std::vector<std::pair<std::string, std::string>> all;  // table, column
  {
    std::filesystem::copy_file(base, path);
    Database database = opened();
    for (const std::string& table : tables(database)) {
      for (const auto& [column, type] : columns(database, table)) all.emplace_back(table, column);
    }
  }
  ASSERT_GT(all.size(), 300U);
  // Several columns of one recording at a time: each column has every value in a third of them.
  std::mt19937 pick(20261124);  // NOLINT(cert-msc51-cpp): the same recordings each time
  const auto ends = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int read = 0;
  // On a slow machine for as long as that number takes.
  for (size_t at = 0; at < all.size() && (read <= 100 || std::chrono::steady_clock::now() < ends); ++at, ++read) {
    std::filesystem::copy_file(base, path, std::filesystem::copy_options::overwrite_existing);
    {
      Database database = opened();
      for (size_t i = 0; i < 3; ++i) {
        const auto& [table, column] = i == 0 ? all[at] : all[pick() % all.size()];
        const char* value = kValues[(at + i * 3 + pick() % 2) % std::size(kValues)];
        (void)database.execute(fmt::format("UPDATE OR IGNORE {} SET {} = {}", table, column, value));
      }
    }
    SCOPED_TRACE(all[at].first + "." + all[at].second);
    read_all();
  }
  EXPECT_GT(read, 100) << "of " << all.size();
}

TEST_F(HostileRecording, EventsOfCallsThatAreNotThereAreLeftOut) {
  make();
  execute("UPDATE OR REPLACE calls SET id = 4294967296 WHERE name = 'cudaMalloc'");
  const auto reader = read();
  const auto calls = slowest(*reader, {}, 1000);
  ASSERT_TRUE(calls.ok()) << calls.error().text();
  EXPECT_EQ(calls->size(), 40U);
  read_all();
}

// What a sink is owed: a session begins before anything of it, and ends.
struct BegunSink : ReplaySink {
  void begin(const std::string&, uint64_t, bool) override { begun = true; }
  void process(const hal::Process&) override { EXPECT_TRUE(begun); }
  void event(const hal::Event&) override {
    EXPECT_TRUE(begun);
    ++events;
  }
  void end(std::optional<uint64_t>) override { begun = false; }
  bool begun = false;
  int events = 0;
};

TEST_F(HostileRecording, ASessionOfAnyNumberBeginsAndEnds) {
  make();
  for (const char* number : {"-1", "0", "9223372036854775807"}) {
    execute(std::string("UPDATE clocks SET session = ") + number);
    const auto reader = read();
    BegunSink sink;
    const Status replayed = replay(*reader, {}, sink);
    ASSERT_TRUE(replayed.ok()) << replayed.error().text();
    EXPECT_EQ(sink.events, 60) << number;
    EXPECT_FALSE(sink.begun) << number;
  }
}

// What a sanitizer reported once: sums that overflowed.
TEST_F(HostileRecording, TheLastOfAllNumbersIsRead) {
  make();
  const std::string base = directory + "/base.db";
  std::filesystem::rename(path, base);
  for (const char* column : {"threads SET process", "clocks SET mono_ns", "clocks SET wall_ns", "event_rows SET start",
                             "cpu_samples SET start", "store_state SET value", "sessions SET started_at"}) {
    for (const char* number : {"9223372036854775807", "-9223372036854775808"}) {
      SCOPED_TRACE(fmt::format("{} = {}", column, number));
      std::filesystem::copy_file(base, path, std::filesystem::copy_options::overwrite_existing);
      execute(fmt::format("UPDATE {} = {}", column, number));
      read_all();
    }
  }
}

TEST_F(HostileRecording, TimesAreThoseThatThereCanBe) {
  make();
  execute("UPDATE blocks SET start_wall_ns = -9223372036854775808, end_wall_ns = 9223372036854775807");
  const auto span = read()->time_span();
  ASSERT_TRUE(span.ok() && span->has_value());
  EXPECT_EQ((*span)->first_wall_ns, 0U);
  EXPECT_EQ((*span)->last_wall_ns + 1, static_cast<uint64_t>(INT64_MAX));
}

TEST_F(HostileRecording, RowsWithAnyNumberAreMergedAtOnce) {
  make();
  execute("UPDATE event_rows SET seq = -9223372036854775808 WHERE seq = (SELECT min(seq) FROM event_rows)");
  execute("UPDATE event_rows SET seq = 9223372036854775807 WHERE seq = (SELECT max(seq) FROM event_rows)");
  ends_within(std::chrono::seconds(10), [&] {
    const auto merged = merge(merge_options());
    ASSERT_TRUE(merged.ok()) << merged.error().text();
    EXPECT_EQ(merged->sources.at(0).events, 60U);
  });
}

TEST_F(HostileRecording, AViewInThePlaceOfATableIsRefused) {
  make();
  std::vector<std::string> names;
  {
    Database database = opened();
    names = tables(database);
  }
  const std::string base = directory + "/base.db";
  std::filesystem::rename(path, base);
  for (const std::string& table : names) {
    std::filesystem::copy_file(base, path, std::filesystem::copy_options::overwrite_existing);
    execute(fmt::format("DROP TABLE {0}; CREATE VIEW {0} AS SELECT {1} AS key, {1} AS value", table, kEndless));
    ends_within(std::chrono::milliseconds(1000), [&] {
      EXPECT_THAT(readers_refusal(), HasSubstr(table + " in it is a view, where a recording has a table"));
      EXPECT_THAT(writers_refusal(), HasSubstr(table + " in it is a view, where a recording has a table"));
      const MergeOptions merging = merge_options();
      EXPECT_FALSE(merge(merging).ok());
      EXPECT_FALSE(std::filesystem::exists(merging.output));
    });
  }
}

TEST_F(HostileRecording, NamesAreComparedAsSqliteDoes) {
  make();
  execute(fmt::format("DROP TABLE schema_info; CREATE VIEW Schema_INFO AS SELECT {0} AS key, {0} AS value", kEndless));
  ends_within(std::chrono::milliseconds(1000),
              [&] { EXPECT_THAT(readers_refusal(), HasSubstr("Schema_INFO in it is a view")); });
}

// Written by hand into the schema, where SQLite would have written it in its own words.
TEST_F(HostileRecording, AVirtualTableInOtherWordsIsRefused) {
  make();
  execute(
      "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('table', 'search', 'search', 0, "
      "'create /**/ virtual table search using fts5(a)')");
  EXPECT_THAT(readers_refusal(), HasSubstr("search in it is a virtual table"));
}

TEST_F(HostileRecording, AVirtualTableAndATableInThePlaceOfAViewAreRefused) {
  make();
  execute("CREATE VIRTUAL TABLE search USING fts5(a)");
  EXPECT_THAT(readers_refusal(), HasSubstr("search in it is a virtual table"));
  EXPECT_THAT(writers_refusal(), HasSubstr("search in it is a virtual table"));
  execute("DROP TABLE search; DROP VIEW events; CREATE TABLE events (a)");
  EXPECT_THAT(readers_refusal(), HasSubstr("events in it is a table, where a recording has a view"));
}

TEST_F(HostileRecording, AChangedViewIsNotUsed) {
  make();
  const std::string before = row("SELECT count(*) FROM events");
  execute(fmt::format("DROP VIEW events; CREATE VIEW events AS SELECT {} AS id", kEndless));
  ends_within(std::chrono::milliseconds(1000), [&] { EXPECT_EQ(row("SELECT count(*) FROM events"), before); });
}

TEST_F(HostileRecording, TriggersAreRefusedForWritingAndDoNothingForReading) {
  make();
  execute("CREATE TRIGGER planted AFTER INSERT ON sessions BEGIN INSERT INTO sources VALUES (99, 'planted', ''); END");
  EXPECT_THAT(writers_refusal(), HasSubstr("planted in it is a trigger"));
  EXPECT_EQ(row("SELECT count(*) FROM sources WHERE id = 99"), "0");
  execute(fmt::format("DROP TRIGGER planted; CREATE TRIGGER endless BEFORE INSERT ON sessions BEGIN SELECT {}; END",
                      kEndless));
  ends_within(std::chrono::milliseconds(1000),
              [&] { EXPECT_THAT(writers_refusal(), HasSubstr("endless in it is a trigger")); });
  EXPECT_EQ(row("SELECT count(*) FROM sessions"), "1");
}

// A legacy recording has no view, and is known by its tables alone.
TEST_F(HostileRecording, AViewInALegacyRecordingIsRefused) {
  {
    auto database = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(
        database
            ->execute(fmt::format("CREATE TABLE events (timestamp); CREATE VIEW schema_info AS SELECT 1 AS key, "
                                  "{} AS value",
                                  kEndless))
            .ok());
  }
  ends_within(std::chrono::milliseconds(1000), [&] { EXPECT_THAT(readers_refusal(), HasSubstr("not a recording")); });
  execute("DROP VIEW schema_info; CREATE TABLE schema_info (key, value); CREATE VIEW ops AS SELECT 1");
  EXPECT_THAT(readers_refusal(), HasSubstr("ops in it is a view, where a recording has tables only"));
}

// However long the reading of a schema takes.
TEST_F(HostileRecording, OpeningEndsWhenItsTimeIsOverOrItIsCancelled) {
  make();
  {
    Database database = opened();
    ASSERT_TRUE(database.execute("BEGIN").ok());
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(database.execute(fmt::format("CREATE TABLE t{} (a)", i)).ok());
    ASSERT_TRUE(database.execute("COMMIT").ok());
  }
  const auto late = Reader::open(path, Trust::kOwner, {.time_ns = 1});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code(), Errc::kBusy);
  EXPECT_THAT(late.error().text(), HasSubstr("could not be opened within 1ns"));
  const std::atomic<bool> cancelled{true};
  const auto reader = Reader::open(path, Trust::kOwner, {.cancel = &cancelled});
  ASSERT_FALSE(reader.ok());
  EXPECT_THAT(reader.error().text(), HasSubstr("interrupted while it was opened"));
  WriterOptions given = options();
  given.is_cancelled = [] { return true; };
  const auto writer = Writer::open(given, calls(), losses, clock);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code(), Errc::kBusy);
  EXPECT_THAT(writer.error().text(), HasSubstr("interrupted while it was opened"));
}

class HostilePlace : public HostileRecording {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: what is refused is what root would write";
  }
  mode_t mode_of(const std::string& file) {
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0) << file;
    return status.st_mode & 07777;
  }
};

TEST_F(HostilePlace, LinksAndOtherUsersFilesAreNotWrittenInto) {
  const std::string victim = directory + "/victim";
  std::ofstream(victim) << "";
  ASSERT_EQ(::symlink(victim.c_str(), path.c_str()), 0);
  EXPECT_THAT(writers_refusal(), HasSubstr("run.db: is a symbolic link"));
  EXPECT_EQ(std::filesystem::file_size(victim), 0U);
  std::filesystem::remove(path);
  ASSERT_EQ(::link(victim.c_str(), path.c_str()), 0);
  EXPECT_THAT(writers_refusal(), HasSubstr("run.db: the file has another name"));
  std::filesystem::remove(path);
  std::ofstream(path) << "";
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_THAT(writers_refusal(), HasSubstr("run.db: belongs to user 12345"));
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  EXPECT_THAT(writers_refusal(), HasSubstr("run.db: other users can write to this file"));
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  std::ofstream(path + "-wal") << "planted";
  ASSERT_EQ(::chown((path + "-wal").c_str(), 12345, 12345), 0);
  EXPECT_THAT(writers_refusal(), HasSubstr("run.db-wal: belongs to user 12345"));
  std::filesystem::remove(path + "-wal");
  EXPECT_EQ(writers_refusal(), "opened");
}

TEST_F(HostilePlace, FoldersInWhichOthersCouldExchangeTheFileAreRefused) {
  const std::string folder = directory + "/shared";
  ASSERT_EQ(::mkdir(folder.c_str(), 0755), 0);
  path = folder + "/below/run.db";
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  EXPECT_THAT(writers_refusal(), HasSubstr("/shared: other users can write to this directory"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/below"));
  ASSERT_EQ(::chmod(folder.c_str(), 01777), 0);
  EXPECT_EQ(writers_refusal(), "opened") << "as in /tmp";
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  ASSERT_EQ(::chown(folder.c_str(), 12345, 0), 0);
  EXPECT_THAT(writers_refusal(), HasSubstr("/shared: the directory belongs to user 12345"));
}

TEST_F(HostilePlace, ARecordingOfBeforeIsMadePrivateAndAGroupIsLetIn) {
  open();
  close();
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  open();
  flush();
  for (const char* tail : {"", "-wal", "-shm"}) EXPECT_EQ(mode_of(path + tail), 0600U) << tail;
  close();
  WriterOptions given = options();
  given.group = 4242;
  open(given);
  flush();
  for (const char* tail : {"", "-wal", "-shm"}) {
    EXPECT_EQ(mode_of(path + tail), 0640U) << tail;
    struct stat status {};
    ASSERT_EQ(::stat((path + tail).c_str(), &status), 0);
    EXPECT_EQ(status.st_gid, 4242U) << tail;
  }
  close();
  const MergeOptions merging = merge_options();
  const mode_t mask = ::umask(0);
  const auto merged = merge(merging);
  ::umask(mask);
  ASSERT_TRUE(merged.ok()) << merged.error().text();
  EXPECT_EQ(mode_of(merging.output), 0600U);
}

}  // namespace
}  // namespace ingero::store::testing
