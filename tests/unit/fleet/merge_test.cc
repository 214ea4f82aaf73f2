// Merging: by name, never by place; counts add up, percentiles do not; and what a hostile node says is refused.
#include "fleet/merge.h"

#include <gtest/gtest.h>

namespace ingero::fleet {
namespace {

Json parsed(const char* text) { return Json::parse(text); }

TEST(MergedRows, ColumnsMatchByName) {
  const MergedRows merged = merge_rows({{"a:1", parsed(R"(["op","n"])"), parsed(R"([["launch",3],["sync",1]])")},
                                        {"b:1", parsed(R"(["n","op"])"), parsed(R"([[7,"copy"]])")}});
  EXPECT_EQ(merged.columns.dump(), R"(["node","op","n"])");
  EXPECT_EQ(merged.data.dump(), R"([["a:1","launch",3],["a:1","sync",1],["b:1","copy",7]])");
  EXPECT_TRUE(merged.notes.empty());
}

TEST(MergedRows, AColumnThatANodeLacksIsNullThereAndSaid) {
  const MergedRows merged = merge_rows(
      {{"a:1", parsed(R"(["x"])"), parsed("[[1]]")}, {"b:1", parsed(R"(["y","x"])"), parsed(R"([["s",2]])")}});
  EXPECT_EQ(merged.columns.dump(), R"(["node","x","y"])");
  EXPECT_EQ(merged.data.dump(), R"([["a:1",1,null],["b:1",2,"s"]])");
  ASSERT_EQ(merged.notes.size(), 1U);
  EXPECT_EQ(merged.notes[0], "a:1 has no column y: NULL there");
}

TEST(MergedRows, TwoColumnsOfOneNameStayTwo) {
  const MergedRows merged = merge_rows({{"a:1", parsed(R"(["x","x","node"])"), parsed(R"([[1,2,"own"]])")},
                                        {"b:1", parsed(R"(["x","node"])"), parsed(R"([[3,"other"]])")}});
  EXPECT_EQ(merged.columns.dump(), R"(["node","x","x","node"])");
  EXPECT_EQ(merged.data.dump(), R"([["a:1",1,2,"own"],["b:1",3,null,"other"]])");
}

TEST(MergedRows, ANodeWithoutRowsStillHasItsColumns) {
  const MergedRows merged =
      merge_rows({{"a:1", parsed(R"(["x"])"), parsed("[]")}, {"b:1", parsed(R"(["x"])"), parsed("[[1]]")}});
  EXPECT_EQ(merged.data.dump(), R"([["b:1",1]])");
  EXPECT_TRUE(merged.notes.empty());
}

TEST(MergedRows, WhatIsNoTableIsRefused) {
  const auto good = [](const char* columns, const char* data, uint64_t most = 10) {
    return check_rows(parsed(columns), parsed(data), most).ok();
  };
  EXPECT_TRUE(good(R"(["a","b"])", R"([[1,null],["x",2.5]])"));
  EXPECT_FALSE(good(R"(["a","b"])", "[[1]]"));  // a cell short
  EXPECT_FALSE(good(R"(["a"])", "[[1,2]]"));    // one too many
  EXPECT_FALSE(good(R"(["a"])", "[[[1]]]"));    // nested
  EXPECT_FALSE(good(R"(["a"])", R"([[{"b":1}]])"));
  EXPECT_FALSE(good(R"(["a"])", "[[true]]"));
  EXPECT_FALSE(good(R"(["a"])", R"([{"a":1}])"));      // no list
  EXPECT_FALSE(good("[1]", "[[1]]"));                  // a name that is none
  EXPECT_FALSE(good(R"(["a"])", "[[1],[2],[3]]", 2));  // more than asked for
  EXPECT_FALSE(check_rows(Json(std::vector<std::string>(3000, "c")), Json::array(), 10).ok());
}

Json figures(const char* op, uint64_t count, uint64_t total, uint64_t p99) {
  return {{"op", op},        {"call", op},   {"layer", "RUNTIME"}, {"vendor", "x"},           {"kind", "launch"},
          {"count", count},  {"errors", 1},  {"unfinished", 0},    {"avg_ns", total / count}, {"min_ns", 5},
          {"p50_ns", 10},    {"p95_ns", 20}, {"p99_ns", p99},      {"max_ns", p99},           {"total_ns", total},
          {"bytes", nullptr}};
}

TEST(MergedFigures, CountsAddUpAndPercentilesStayApart) {
  const Json merged = merge_figures(
      {{"a:1", Json::array({figures("launch", 10, 1000, 50)}), Json::array()},
       {"b:1", Json::array({figures("sync", 1, 9, 9), figures("launch", 30, 9000, 900)}), Json::array()}});
  ASSERT_EQ(merged.size(), 2U);
  const Json& launch = merged[0];  // most time first
  EXPECT_EQ(launch["op"], "launch");
  EXPECT_EQ(launch["count"], 40);
  EXPECT_EQ(launch["errors"], 2);
  EXPECT_EQ(launch["total_ns"], 10'000);
  EXPECT_EQ(launch["max_ns"], 900);
  EXPECT_TRUE(launch["bytes"].is_null());  // unknown on one is unknown of all
  for (const char* name : {"p50_ns", "p95_ns", "p99_ns", "avg_ns"}) EXPECT_FALSE(launch.contains(name)) << name;
  ASSERT_EQ(launch["nodes"].size(), 2U);
  EXPECT_EQ(launch["nodes"][0]["p99_ns"], 50);
  EXPECT_EQ(launch["nodes"][1]["p99_ns"], 900);
  EXPECT_EQ(launch["nodes"][1]["node"], "b:1");
}

TEST(MergedFigures, NeitherNegativeNorOverflowingCountsGoThrough) {
  EXPECT_TRUE(check_figures(Json::array({figures("a", 1, 1, 1)})).ok());
  for (const char* value : {"-1", "1.5", "\"7\"", "[]"}) {
    Json wrong = figures("a", 1, 1, 1);
    wrong["count"] = parsed(value);
    EXPECT_FALSE(check_figures(Json::array({wrong})).ok()) << value;
  }
  const Json merged = merge_figures({{"a:1", Json::array({figures("launch", 1, UINT64_MAX, 1)}), Json::array()},
                                     {"b:1", Json::array({figures("launch", 1, 10, 1)}), Json::array()}});
  EXPECT_EQ(merged[0]["total_ns"], UINT64_MAX);
}

TEST(MergedChains, WorstFirstWithWhoSaidIt) {
  const Json merged = merge_chains({{"a:1", parsed(R"([{"id":"1","severity":"MEDIUM","node":"gpu-a"}])")},
                                    {"b:1", parsed(R"([{"id":"2","severity":"HIGH","node":null},
                                                       {"id":"3","severity":"odd","node":null}])")},
                                    {"c:1", parsed(R"([{"id":"4","severity":"CRITICAL","node":null}])")}});
  std::string order;
  for (const Json& chain : merged) order += chain["id"].get<std::string>();
  EXPECT_EQ(order, "4213");
  EXPECT_EQ(merged[2]["node"], "a:1");
  EXPECT_EQ(merged[2]["recorded_node"], "gpu-a");
}

}  // namespace
}  // namespace ingero::fleet
