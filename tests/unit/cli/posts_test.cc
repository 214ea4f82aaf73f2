// The published posts' commands, queries and figures come out of the published recordings.
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/backend_flags.h"
#include "cli_fixture.h"
#include "serve/api/api.h"
#include "serve/tools/query_service.h"

namespace ingero::cli {
namespace {

constexpr const char* kStarvation = "pytorch-dataloader-starvation.db";
constexpr const char* kCluster = "sample-cluster.db";

nlohmann::json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.out.substr(0, 500);
  return json;
}

nlohmann::json call_of(const nlohmann::json& report, const std::string& op) {
  for (const char* part : {"calls", "host"}) {
    for (const auto& call : report.at(part)) {
      if (call.at("op") == op) return call;
    }
  }
  ADD_FAILURE() << op << " is not in the report";
  return {};
}

// A figure as a post rounds it: "31.5 ms" is anything that rounds to it.
void expect_figure(const nlohmann::json& call, const char* key, double value, double half_step) {
  ASSERT_TRUE(call.contains(key) && call.at(key).is_number()) << call.dump() << key;
  EXPECT_NEAR(call.at(key).get<double>(), value, half_step) << call.at("op") << " " << key;
}

TEST(Posts, ExplainReproducesTheFiguresOfTheStarvationRecording) {
  INGERO_NEEDS_SAMPLE(kStarvation);
  const auto report = json_of(run_cli({"explain", "-d", sample(kStarvation), "--json"}));
  EXPECT_EQ(report["recording"]["events"], 3807);
  const struct {
    const char* op;
    int count;
    double avg_ns, avg_step, max_ns, max_step;
  } figures[] = {
      {"cudaMemcpyAsync", 14, 31.5e6, 0.05e6, 65e6, 0.5e6},
      {"cudaLaunchKernel", 16, 1.7e6, 0.05e6, 25.8e6, 0.05e6},
      {"cudaStreamSync", 21, 31e3, 0.5e3, 0, 0},
      {"cudaDeviceSync", 3, 17.2e6, 0.05e6, 0, 0},
      {"sched_switch", 3676, 401e3, 0.5e3, 23.9e6, 0.05e6},
      {"process_fork", 11, 0, 0, 0, 0},
      {"process_exit", 5, 0, 0, 0, 0},
      {"cuLaunchKernel", 41, 40e3, 0.5e3, 0, 0},
      {"cuMemAlloc", 10, 307e3, 0.5e3, 0, 0},
  };
  for (const auto& figure : figures) {
    const auto call = call_of(report, figure.op);
    ASSERT_TRUE(call.is_object());
    EXPECT_EQ(call["count"], figure.count) << figure.op;
    if (figure.avg_ns > 0) expect_figure(call, "avg_ns", figure.avg_ns, figure.avg_step);
    if (figure.max_ns > 0) expect_figure(call, "max_ns", figure.max_ns, figure.max_step);
  }
  const auto launch = call_of(report, "cudaLaunchKernel");
  expect_figure(launch, "p50_ns", 73e3, 0.5e3);
  expect_figure(launch, "p99_ns", 25.8e6, 0.05e6);
  EXPECT_NEAR(launch["p99_ns"].get<double>() / launch["p50_ns"].get<double>(), 352, 1);
}

TEST(Posts, ExplainSaysTheFiguresInWordsAndThatSharesWereNotMeasured) {
  INGERO_NEEDS_SAMPLE(kStarvation);
  const Outcome outcome = run_cli({"explain", "-d", sample(kStarvation)});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"3,807 events over 76.9s", "the legacy agent", "cudaMemcpyAsync took the most time",
                           "31.5ms on average", "25.8ms is 35", "python3"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("OFF-CPU"), std::string::npos) << "a share that was not measured must not be shown";
}

TEST(Posts, SinceCountsBackFromTheLastEventOfAFinishedRecording) {
  INGERO_NEEDS_SAMPLE(kStarvation);
  EXPECT_EQ(json_of(run_cli({"explain", "-d", sample(kStarvation), "--since", "5m", "--json"}))["recording"]["events"],
            3807);
  const auto part = json_of(run_cli({"explain", "-d", sample(kStarvation), "--since", "10s", "--json"}));
  EXPECT_GT(part["recording"]["events"], 0);
  EXPECT_LT(part["recording"]["events"], 3807);
}

TEST(Posts, PerProcessShowsWhoOwnsTheEvents) {
  INGERO_NEEDS_SAMPLE(kStarvation);
  const auto rows = json_of(run_cli({"explain", "--db", sample(kStarvation), "--per-process", "--json"}));
  ASSERT_TRUE(rows.is_array());
  uint64_t total = 0;
  for (const auto& row : rows) {
    for (const char* key : {"pid", "op", "count", "avg_ns", "max_ns"}) EXPECT_TRUE(row.contains(key)) << key;
    total += row["count"].get<uint64_t>();
  }
  EXPECT_EQ(total, 3807U);
}

TEST(Posts, TheFirstQueryNamesTheProcessWithMostEvents) {
  INGERO_NEEDS_SAMPLE(kStarvation);
  const auto rows =
      json_of(run_cli({"query", sample(kStarvation),
                       "SELECT pn.name, COUNT(*) AS events FROM events e JOIN process_names pn ON e.pid = "
                       "pn.pid GROUP BY pn.name ORDER BY events DESC;",
                       "--json"}));
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["name"], "python3");
  // The post prints 3,799; plain sqlite3 counts 3,803 in the same file, and the file is what counts.
  EXPECT_EQ(rows[0]["events"], 3803);
}

TEST(Posts, EveryPublishedQueryRunsOnEveryPublishedRecording) {
  INGERO_NEEDS_SAMPLE(kStarvation);
  const char* queries[] = {
      "SELECT node, source, count(*) AS cnt, avg(duration)/1000 AS avg_us FROM events GROUP BY node, source;",
      "SELECT * FROM cuda_events WHERE duration_ns > 1000000 LIMIT 20;",
      "SELECT op, rank, nranks, duration_ns/1e6 AS ms FROM nccl_events ORDER BY duration_ns DESC LIMIT 20;",
      "SELECT COUNT(*) FROM tcp_events WHERE event = 'tcp_retransmit_skb';",
      "WITH slow_collectives AS (SELECT timestamp_ns, duration_ns, rank, nranks, comm_id_hash, pid FROM nccl_events "
      "WHERE op = 'ALL_REDUCE' AND duration_ns > 50000000) SELECT s.rank, s.duration_ns/1e6 AS ms, "
      "COUNT(t.timestamp_ns) AS retransmits_in_window FROM slow_collectives s LEFT JOIN tcp_events t ON t.timestamp_ns "
      "BETWEEN s.timestamp_ns AND s.timestamp_ns + s.duration_ns AND t.event = 'tcp_retransmit_skb' GROUP BY s.rank, "
      "s.duration_ns, s.timestamp_ns ORDER BY ms DESC LIMIT 20;",
      "SELECT kind, vendor, count(*) FROM events GROUP BY 1,2",
  };
  for (const char* file : {kStarvation, kCluster, "sample-gpu-node-01.db"}) {
    for (const char* sql : queries) {
      const Outcome outcome = run_cli({"query", sample(file), sql});
      EXPECT_EQ(outcome.status, 0) << file << ": " << sql << ": " << outcome.err;
    }
  }
}

TEST(Posts, ListingHasTheDocumentedKeys) {
  INGERO_NEEDS_SAMPLE(kStarvation);
  const auto rows =
      json_of(run_cli({"query", "--db", sample(kStarvation), "--since", "2h", "--op", "CUDALAUNCHKERNEL", "--json"}));
  ASSERT_EQ(rows.size(), 16U);
  for (const char* key : {"timestamp", "pid", "tid", "comm", "source", "op", "duration_ns", "duration", "gpu_id",
                          "args", "return_code", "cgroup_id", "stack"}) {
    EXPECT_TRUE(rows[0].contains(key)) << key;
  }
  EXPECT_EQ(rows[0]["op"], "cudaLaunchKernel");
  EXPECT_EQ(rows[0]["source"], "cuda");
  EXPECT_EQ(rows[0]["args"].size(), 2U);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const auto& a, const auto& b) { return a["timestamp"] < b["timestamp"]; }));
}

TEST(Posts, TheClusterRecordingHoldsSixHundredEventsSixChainsAndNineStacks) {
  INGERO_NEEDS_SAMPLE(kCluster);
  EXPECT_EQ(json_of(run_cli({"explain", "-d", sample(kCluster), "--json"}))["recording"]["events"], 600);
  EXPECT_EQ(json_of(run_cli({"query", sample(kCluster), "SELECT count(*) AS n FROM stack_traces", "--json"}))[0]["n"],
            9);
  const auto chains = json_of(run_cli({"explain", "-d", sample(kCluster), "--chains", "--json"}));
  ASSERT_EQ(chains.size(), 6U);
  for (const char* key : {"id", "severity", "summary", "root_cause", "detected_at"}) {
    EXPECT_TRUE(chains[0].contains(key)) << key;
  }
  const Outcome text = run_cli({"explain", "-d", sample(kCluster), "--chains"});
  for (const char* part : {"6 chains", "Root cause:", "Fix:", "[DRIVER]", "[HOST  ]"}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  }
}

// Over HTTP they were one, the one that today's rules find.
TEST(Posts, TheSixChainsAreThereOverHttpAndInShortAnswersToo) {
  INGERO_NEEDS_SAMPLE(kCluster);
  serve::tools::QueryServiceOptions options;
  options.database = sample(kCluster);
  serve::tools::QueryService service(options, vendor_names(), system_clock());
  serve::api::Api api(service, "1");
  const auto get = [&](const char* path) {
    const auto nothing = [](const char*) { return std::string(); };
    return nlohmann::json::parse(api.answer({"GET", path, "", nothing, nothing}).body);
  };
  EXPECT_EQ(get("/api/v1/overview")["earlier_chain_count"], 6);
  const auto chains = get("/api/v1/chains")["earlier_chains"];
  ASSERT_EQ(chains.size(), 6U);
  for (const char* key : {"id", "detected_at", "severity", "summary", "root_cause", "explanation", "timeline"}) {
    EXPECT_TRUE(chains[0].contains(key)) << key;
  }
  EXPECT_TRUE(chains[0]["timeline"].is_array());
  const Json asked = {{"tsc", true}};
  const auto answer = service.ask("get_causal_chains", asked);
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_FALSE(serve::tools::QueryService::shown("get_causal_chains", asked, *answer)["earlier_chains"].empty());
}

TEST(Posts, ReadingDoesNotTouchTheRecording) {
  INGERO_NEEDS_SAMPLE(kStarvation);
  const std::string before = read_file(sample(kStarvation)).value();
  run_cli({"explain", "-d", sample(kStarvation)});
  run_cli({"query", sample(kStarvation)});
  EXPECT_EQ(read_file(sample(kStarvation)).value(), before);
  EXPECT_FALSE(std::filesystem::exists(sample(kStarvation) + "-wal"));
}

}  // namespace
}  // namespace ingero::cli
