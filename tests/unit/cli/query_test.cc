// query answers in three formats, only reads, and says in one sentence what it refuses.
#include <fstream>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "recording_fixture.h"
#include "store/db/sqlite.h"

namespace ingero::cli {
namespace {

class Query : public Recording {
 protected:
  Outcome sql(const std::string& statement, const std::string& format = "--json") const {
    return run_cli({"query", database_, statement, format});
  }
};

TEST_F(Query, TakesTheRecordingAsFirstArgumentOrByFlag) {
  const std::string statement = "SELECT count(*) AS n FROM events";
  const Outcome first = run_cli({"query", database_, statement});
  EXPECT_EQ(first.out, " n\n26\n");
  EXPECT_EQ(run_cli({"query", "--db", database_, statement}).out, first.out);
  EXPECT_EQ(run_cli({"query", statement, "-d", database_}).out, first.out);
  expect_refused(run_cli({"query", database_, statement, "--db", database_}), kExitUsage, "twice");
}

TEST_F(Query, PrintsJsonWithTypesKept) {
  const Outcome outcome = sql("SELECT 1 AS i, 2.5 AS r, 'a\"b' AS t, NULL AS n, x'00ff' AS b, 3 AS i");
  EXPECT_EQ(nlohmann::json::parse(outcome.out),
            nlohmann::json::parse(R"([{"i":1,"r":2.5,"t":"a\"b","n":null,"b":"00ff","i_6":3}])"));
  EXPECT_EQ(sql("SELECT 1 WHERE 0").out, "[]\n");
}

TEST_F(Query, PrintsCsvWithLinesThatToolsOfThisSystemRead) {
  EXPECT_EQ(sql("SELECT 'a,b' AS x, 'say \"hi\"' AS \"y,z\", NULL AS n", "--csv").out,
            "x,\"y,z\",n\n\"a,b\",\"say \"\"hi\"\"\",\n");
}

TEST_F(Query, CsvHoldsNoFormulas) {
  EXPECT_EQ(sql("SELECT '=1+1' AS a, '@x' AS b, -1 AS c, -0.5 AS d, 'x=1' AS e, '' AS f, '-2' AS g", "--csv").out,
            "a,b,c,d,e,f,g\n'=1+1,'@x,-1,-0.5,x=1,,'-2\n");
}

TEST_F(Query, ListsEventsWithItsFilters) {
  const auto rows = nlohmann::json::parse(run_cli({"query", database_, "--json"}).out);
  EXPECT_EQ(rows.size(), 26U);
  const auto copies = nlohmann::json::parse(run_cli({"query", database_, "--op", "cudamemcpy", "--json"}).out);
  ASSERT_EQ(copies.size(), 3U);
  EXPECT_EQ(copies[0]["return_code"], 1);
  EXPECT_EQ(copies[0]["duration_ns"], 2'000);
  EXPECT_EQ(copies[0]["duration"], "2us");
  EXPECT_TRUE(copies[0]["gpu_id"].is_null()) << "unknown is null, not 0";
  EXPECT_EQ(nlohmann::json::parse(run_cli({"query", database_, "--pid", "1", "--json"}).out).size(), 0U);
}

TEST_F(Query, ShowsTheLatestWhenThereAreTooManyAndSaysSo) {
  ::testing::internal::CaptureStderr();
  const Outcome outcome = run_cli({"query", database_, "--limit", "2", "--json"});
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("latest 2"), std::string::npos);
  const auto rows = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["op"], "sched_switch");
}

// A table without conditions is a glance at the last twenty; 0 is what help says it is.
TEST_F(Query, ALimitOfZeroIsNoGlance) {
  const auto lines = [](const Outcome& outcome) { return std::count(outcome.out.begin(), outcome.out.end(), '\n'); };
  ::testing::internal::CaptureStderr();
  const auto all = lines(run_cli({"query", database_, "--limit", "0"}));
  EXPECT_EQ(all, lines(run_cli({"query", database_, "--limit", "1000"})));
  EXPECT_GT(all, lines(run_cli({"query", database_})));
  (void)::testing::internal::GetCapturedStderr();
}

TEST_F(Query, KeepsATableOfUntrustedTextPrintable) {
  const Outcome outcome = run_cli({"query", database_});
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_NE(outcome.out.find("cudaLaunchKernel"), std::string::npos);
}

TEST_F(Query, RefusesEveryStatementThatWouldWrite) {
  const std::string before = read_file(database_).value();
  for (const char* statement :
       {"DELETE FROM sessions", "INSERT INTO schema_info VALUES ('a','b')", "DROP VIEW events", "CREATE TABLE t (a)",
        "PRAGMA user_version = 1", "ATTACH '/tmp/ingero_never.db' AS x", "VACUUM INTO '/tmp/ingero_never.db'",
        "SELECT 1; DELETE FROM sessions", "WITH a AS (SELECT 1) DELETE FROM sessions", "BEGIN"}) {
    const Outcome outcome = sql(statement);
    EXPECT_NE(outcome.status, 0) << statement;
    EXPECT_EQ(outcome.out, "") << statement;
    EXPECT_NE(outcome.err, "") << statement;
  }
  EXPECT_EQ(read_file(database_).value(), before);
  EXPECT_FALSE(std::filesystem::exists("/tmp/ingero_never.db"));
}

// Reported: "cannot modify events because it is a view", as if a table could be.
TEST_F(Query, SaysThatOnlyReadingIsAllowed) {
  for (const char* statement : {"DELETE FROM events", "UPDATE events SET pid = 1", "DELETE FROM sessions"}) {
    expect_refused(sql(statement), kExitUsage, "only read-only statements are allowed");
  }
}

TEST_F(Query, SaysWhatIsWrongWithTheSql) {
  expect_refused(sql("SELEKT 1"), kExitUsage, "SELEKT");
  expect_refused(sql("SELECT * FROM nowhere"), kExitUsage, "nowhere");
  expect_refused(sql("  "), kExitUsage, "empty");
}

TEST_F(Query, GivesUpWhenTheTimeIsOver) {
  const Outcome outcome =
      run_cli({"query", database_, "--timeout", "50ms", "--json",
               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"});
  expect_refused(outcome, kExitFailed, "time limit");
}

TEST_F(Query, SaysWhyAFileCannotBeRead) {
  expect_refused(run_cli({"query", path("none.db")}), kExitFailed, "none.db");
  std::ofstream(path("text.db")) << "not a database, certainly not one of sixteen bytes or fewer";
  expect_refused(run_cli({"query", path("text.db")}), kExitFailed, "text.db");
  expect_refused(run_cli({"query", folder_ + "/", "SELECT 1"}), kExitFailed, folder_);
  // A cluster's, which its server answers for.
  auto cluster = store::Database::open(path("c.db"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path("c.db"));
  ASSERT_TRUE(cluster.ok());
  ASSERT_TRUE(cluster->execute("CREATE TABLE windows (a); PRAGMA application_id = 1229343828").ok());
  expect_refused(
      run_cli({"query", path("c.db"), "SELECT 1"}), kExitFailed,
      "the file of 'ingero fleet serve', but not a recording (ask its server: ingero query --nodes HOST:8081)");
}

}  // namespace
}  // namespace ingero::cli
