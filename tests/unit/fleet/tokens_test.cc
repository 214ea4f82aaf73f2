// Which clusters a token is for, and that SQL is held to them by the engine, whatever a statement says.
#include "fleet/server/tokens.h"

#include <sys/stat.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/server/cluster_tools.h"
#include "unit/fleet/cluster_fixture.h"

namespace ingero::fleet::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kToken = "a-token-of-the-tests-0123456789";
const store::Clusters kLab{false, {"lab"}};

class TokenFile : public ::testing::Test {
 protected:
  Result<Tokens> read(const std::string& text) {
    const std::string path = folder.path() + "/tokens";
    std::ofstream(path) << text;
    EXPECT_EQ(::chmod(path.c_str(), 0600), 0);
    Tokens tokens;
    INGERO_TRY(tokens.add_file(path));
    return tokens;
  }
  TempFolder folder;
};

TEST_F(TokenFile, NamesTheClustersOfATokenOrNone) {
  const auto tokens = read(fmt::format("# of the lab\n{0}-1 cluster=lab, train\n\n{0}-2\n", kToken));
  ASSERT_TRUE(tokens.ok()) << tokens.error().text();
  const auto of = [&](const char* number) { return tokens->clusters_of(fmt::format("Bearer {}-{}", kToken, number)); };
  EXPECT_FALSE(of("1").are_all);
  EXPECT_THAT(of("1").names, ElementsAre("lab", "train"));
  EXPECT_TRUE(of("1").have("lab"));
  EXPECT_FALSE(of("1").have("LAB"));
  EXPECT_FALSE(of("1").have(""));
  EXPECT_TRUE(of("2").are_all);
  EXPECT_TRUE(tokens->secrets().open(fmt::format("Bearer {}-1", kToken)));
  EXPECT_TRUE(tokens->secrets().open(fmt::format("Bearer {}-2", kToken)));
  EXPECT_FALSE(tokens->secrets().open(fmt::format("Bearer {}", kToken)));
  EXPECT_FALSE(tokens->secrets().open(fmt::format("Bearer {}-1 cluster=lab", kToken)));
}

TEST_F(TokenFile, ThatIsWrongIsRefusedWithItsLine) {
  const std::string token = kToken;
  for (const auto& [text, why] : {std::pair<std::string, const char*>{"", "contains no token"},
                                  {"# " + token, "contains no token"},
                                  {"short", "tokens:1: a token is one word"},
                                  {"\n" + token + " lab", "tokens:2: after a token only cluster= may follow"},
                                  {token + " cluster=", "tokens:1: cluster=: a name is missing"},
                                  {token + " cluster=a,,b", "tokens:1: cluster=: a name is missing"},
                                  {token + " cluster=a\n" + token, "tokens:2: the same token"}}) {
    const auto tokens = read(text);
    ASSERT_FALSE(tokens.ok()) << text;
    EXPECT_THAT(tokens.error().text(), HasSubstr(why));
  }
}

// Two clusters with a node, a window and an incident each, and a point of any sender.
class ScopedSql : public ClusterTest {
 protected:
  ScopedSql() {
    for (const char* name : {"lab", "other's"}) {
      wire::Batch batch;
      for (uint32_t rank = 0; rank < 2; ++rank) {
        batch.windows.push_back(window("j1", rank, 1));
        batch.windows.back().sender = {name, fmt::format("node of {}", name), "j1"};
        batch.windows.back().device = usual_device(rank);
      }
      wire::Point& point = batch.points.emplace_back();
      point.sender = {name, fmt::format("node of {}", name), ""};
      point.metric = fmt::format("metric of {}", name);
      point.time_ns = clock.now_ns;
      point.value_double = 1;
      point.attributes = "{}";
      point.hash = 1;
      EXPECT_TRUE(cluster->take(batch).ok());
    }
  }
  Result<Json> sql(const std::string& statement, const store::Clusters& readable = kLab) {
    return cluster->sql(statement, 100, readable);
  }
  Json rows(const std::string& statement, const store::Clusters& readable = kLab) {
    auto found = sql(statement, readable);
    EXPECT_TRUE(found.ok()) << statement << ": " << (found.ok() ? "" : found.error().text());
    return found.ok() ? (*found)["data"] : Json();
  }
};

TEST_F(ScopedSql, SeesTheRowsOfItsClustersInEveryTable) {
  EXPECT_EQ(rows("SELECT cluster_id, metric_name FROM events"), Json::parse(R"([["lab", "metric of lab"]])"));
  EXPECT_EQ(rows("SELECT cluster_id FROM nodes"), Json::parse(R"([["lab"]])"));
  for (const char* table : {"windows", "minutes", "hours", "device_states"}) {
    EXPECT_EQ(rows(fmt::format("SELECT count(*), count(DISTINCT node) FROM {}", table)), Json::parse("[[2, 1]]"))
        << table;
    EXPECT_EQ(rows(fmt::format("SELECT count(*) FROM {}", table), {}), Json::parse("[[4]]")) << table;
  }
  EXPECT_EQ(rows("SELECT n.node_id, w.rank FROM windows w JOIN nodes n ON n.id = w.node WHERE w.rank = 1"),
            Json::parse(R"([["node of lab", 1]])"));
  EXPECT_EQ(rows("SELECT count(*) FROM temp.events"), Json::parse("[[1]]"));
  EXPECT_EQ(rows("WITH e AS (SELECT * FROM events) SELECT count(*) FROM e"), Json::parse("[[1]]"));
  EXPECT_EQ(rows("SELECT value FROM json_each('[7]')"), Json::parse("[[7]]"));
  EXPECT_THAT(rows("SELECT name FROM pragma_table_info('events')"), SizeIs(testing::Ge(9U)));
  // The others' of a token of both, and a name with a quote.
  EXPECT_EQ(rows("SELECT count(*) FROM events", {false, {"lab", "other's"}}), Json::parse("[[2]]"));
  EXPECT_EQ(rows("SELECT cluster_id FROM events", {false, {"other's"}}), Json::parse(R"([["other's"]])"));
  EXPECT_EQ(rows("SELECT count(*) FROM events", {false, {"x') OR ('1"}}), Json::parse("[[0]]"));
}

TEST_F(ScopedSql, NoStatementReachesTheTablesThemselves) {
  for (const char* statement : {
           "SELECT * FROM main.events",
           "SELECT * FROM MAIN.\"events\"",
           "SELECT count(*) FROM main.events",
           "SELECT 1 FROM main.events",
           "SELECT rowid FROM main.events",
           "SELECT main.events.metric_name FROM main.events",
           "SELECT (SELECT max(metric_name) FROM main.events)",
           "SELECT * FROM events WHERE EXISTS (SELECT 1 FROM main.events)",
           "SELECT * FROM events UNION ALL SELECT * FROM main.events",
           "SELECT e.metric_name FROM events JOIN main.events e",
           // What reads is given the name of the expression, as it is that of a view.
           "WITH events AS (SELECT * FROM main.events) SELECT * FROM events",
           "WITH events AS MATERIALIZED (SELECT * FROM main.events) SELECT * FROM events",
           "WITH events AS NOT MATERIALIZED (SELECT count(*) FROM main.events) SELECT * FROM events",
           "WITH RECURSIVE events AS (SELECT metric_name FROM main.events UNION SELECT 1 FROM events) SELECT * FROM "
           "events",
           "WITH rows_ AS (SELECT * FROM main.events) SELECT * FROM rows_",
           "SELECT * FROM (SELECT * FROM main.events) AS events",
           "SELECT * FROM main.nodes, windows",
           "SELECT * FROM main.schema_version",
           "SELECT * FROM sqlite_master",
           "SELECT * FROM sqlite_schema",
           "SELECT count(*) FROM sqlite_schema",
           "SELECT sql FROM main.sqlite_schema",
           "SELECT sql FROM temp.sqlite_schema",
           "SELECT sql FROM sqlite_temp_schema",
           "SELECT * FROM sqlite_temp_master",
           "SELECT * FROM pragma_table_list",
           "SELECT * FROM dbstat",
           "SELECT * FROM sqlite_dbpage",
           "SELECT * FROM sqlite_stat1",
           "CREATE TEMP VIEW v AS SELECT * FROM main.events",
           "CREATE TEMP TABLE events AS SELECT 1",
           "DROP VIEW temp.events",
           "DROP VIEW events",
           "ATTACH 'c.db' AS other",
           "PRAGMA writable_schema = ON",
           "PRAGMA database_list",
           "EXPLAIN SELECT * FROM main.events",
           "EXPLAIN QUERY PLAN SELECT * FROM main.events",
           "DELETE FROM events",
       }) {
    const auto found = sql(statement);
    ASSERT_FALSE(found.ok()) << statement << ": " << found->dump();
    EXPECT_EQ(found.error().code(), Errc::kInvalid) << statement;
    EXPECT_THAT(found.error().text(), Not(HasSubstr("metric of"))) << statement;
  }
}

// Views that read tables have other names in each statement: what one shows of them helps no other.
TEST_F(ScopedSql, NamesThatAStatementShowsAreOfNoUseToAnother) {
  const auto name = [&] {
    std::string found;
    for (const Json& row : rows("PRAGMA table_list")) {
      const auto shown = row[1].get<std::string>();
      if (shown.starts_with("rows_") && shown.ends_with("_events")) found = shown;
    }
    return found;
  };
  const std::string first = name();
  ASSERT_FALSE(first.empty());
  EXPECT_NE(name(), first);
  EXPECT_FALSE(sql(fmt::format("WITH {0} AS (SELECT * FROM main.events) SELECT * FROM {0}", first)).ok());
  EXPECT_FALSE(sql(fmt::format("SELECT * FROM {}", first)).ok());
}

TEST_F(ScopedSql, TablesThatAreNotKnownHaveNoRows) {
  EXPECT_THAT(rows("SELECT * FROM schema_version"), IsEmpty());
  EXPECT_EQ(rows("SELECT count(*) FROM pruned"), Json::parse("[[0]]"));
}

TEST_F(ScopedSql, ToolsAnswerAboutTheTokensClustersOnly) {
  const auto ask_as = [&](const char* tool, const Json& input, const store::Clusters& readable) {
    return ask(*cluster, *find_cluster_tool(tool), input, readable);
  };
  for (const ClusterTool& tool : cluster_tools()) {
    if (!tool.input["properties"].contains("cluster_id")) continue;
    const char* name = tool.plain_name.data();
    const auto its = ask_as(name, Json::object(), kLab);
    ASSERT_TRUE(its.ok()) << name << ": " << its.error().text();
    EXPECT_THAT(dump(*its), Not(HasSubstr("other's"))) << name;
    const auto all = ask_as(name, Json::object(), {});
    ASSERT_TRUE(all.ok()) << name;
    const auto others = ask_as(name, {{"cluster_id", "other's"}}, kLab);
    ASSERT_FALSE(others.ok()) << name;
    EXPECT_EQ(others.error().code(), Errc::kPermission);
    const auto either = ask_as(name, Json::object(), {false, {"lab", "train"}});
    ASSERT_FALSE(either.ok()) << name;
    EXPECT_THAT(either.error().text(), HasSubstr("lab, train"));
  }
  EXPECT_EQ(ask_as("run_sql", {{"query", "SELECT count(*) FROM events"}}, kLab).value()["data"], Json::parse("[[1]]"));
  EXPECT_EQ(ask_as("run_analysis", {{"query", "SELECT count(*) FROM events"}}, kLab).value()["data"],
            Json::parse("[[1]]"));
}

}  // namespace
}  // namespace ingero::fleet::server
