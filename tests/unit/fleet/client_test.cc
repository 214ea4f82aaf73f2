// What hostile nodes do to a client that queries them: nothing but their own failure.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/fleet.h"
#include "unit/serve/otlp_receiver.h"

namespace ingero::fleet {
namespace {

using serve::otlp::RawReceiver;
using ::testing::HasSubstr;

constexpr const char* kRows =
    R"({"meta":{"rows":1,"truncated":false,"duration_ms":1},"columns":["n"],"data":[[7]],"recording":{"file":"r.db",)"
    R"("schema":"1.0","earlier_agent":false,"live":false},"lost":null,"cut":[]})";

std::string ok(const std::string& body) {
  return RawReceiver::http("200 OK", "Content-Type: application/json\r\n", body);
}

constexpr const char* kNodeVersions = R"({"versions":["v1"],"ingero":"0.0.0"})";
constexpr const char* kClusterVersions = R"({"version":"0.0","capabilities":["otlp_http","tools","analysis","sql"]})";
constexpr const char* kClusterRows =
    R"({"meta":{"rows":1,"truncated":false,"duration_ms":1},"columns":["n"],"data":[[8]],"cut":["some are left out"]})";

bool asks_for(const RawReceiver::Request& request, const char* path) {
  return request.head.find(std::string(" ") + path + " HTTP") != std::string::npos;
}

std::string good_answer(const RawReceiver::Request& request) {
  if (request.head.find("/api/v1/time") == std::string::npos) return ok(kRows);
  return ok(fmt::format("{{\"timestamp_ns\":{}}}", system_clock().wall_ns()));
}

class Nodes : public ::testing::Test {
 protected:
  // A node that answers so when it has said what it is; the first is `receivers_[0]`.
  void add(RawReceiver::Answer answer, const std::string& versions = kNodeVersions) {
    receivers_.push_back(std::make_unique<RawReceiver>(
        [answer = std::move(answer), versions](const RawReceiver::Request& request, size_t number, int socket) {
          return asks_for(request, "/api/versions") ? ok(versions) : answer(request, number, socket);
        }));
  }
  // A cluster's server.
  void add_cluster(const std::string& answer, const std::string& versions = kClusterVersions) {
    add([answer](const RawReceiver::Request&, size_t, int) { return ok(answer); }, versions);
  }
  // What the first was asked after what it is.
  std::vector<RawReceiver::Request> questions() const {
    auto all = receivers_[0]->requests();
    std::erase_if(all, [](const RawReceiver::Request& request) { return asks_for(request, "/api/versions"); });
    return all;
  }

  std::shared_ptr<const Fleet> fleet(std::string token = {}, uint64_t threshold_ns = 0,
                                     uint64_t timeout_ns = 2'000'000'000) {
    std::vector<std::string> entries;
    for (const auto& receiver : receivers_) entries.push_back("127.0.0.1:" + std::to_string(receiver->port()));
    FleetOptions options;
    options.client.nodes = *parse_nodes(entries, {});
    options.client.token = std::move(token);
    options.client.timeout_ns = timeout_ns;
    options.clock_threshold_ns = threshold_ns;
    auto made = Fleet::make(std::move(options), system_clock());
    EXPECT_TRUE(made.ok());
    return *made;
  }
  Result<Json> ask(const Fleet& fleet, Json input = {{"action", "sql"}, {"query", "SELECT 1"}, {"limit", 10}},
                   const std::atomic<bool>* cancel = nullptr) {
    store::QueryLimits limits;
    limits.cancel = cancel;
    cuts_.clear();
    return fleet.ask(input, limits, cuts_);
  }
  // Why the only node failed.
  std::string fault(const std::string& answer) {
    receivers_.clear();
    add([answer](const RawReceiver::Request&, size_t, int) { return answer; });
    const auto got = ask(*fleet());
    return got.ok() ? "answered" : got.error().text();
  }

  std::vector<std::unique_ptr<RawReceiver>> receivers_;
  std::vector<std::string> cuts_;
};

TEST_F(Nodes, TheQuestionIsWhatTheOperatorConfiguredAndNothingElse) {
  add([](const RawReceiver::Request& request, size_t, int) { return good_answer(request); });
  const auto answer = ask(*fleet("secret-of-the-nodes"));
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_EQ((*answer)["columns"].dump(), R"(["node","n"])");
  const auto all = receivers_[0]->requests();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].head.rfind("GET /api/versions HTTP/1.1\r\n", 0), 0U);
  const auto requests = questions();
  EXPECT_EQ(requests[0].head.rfind("POST /api/v1/tools/run_sql HTTP/1.1\r\n", 0), 0U);
  EXPECT_THAT(requests[0].head, HasSubstr("Authorization: Bearer secret-of-the-nodes\r\n"));
  EXPECT_EQ(requests[0].body, R"({"query":"SELECT 1","limit":10})");
}

TEST_F(Nodes, HostileAnswersAreFaults) {
  EXPECT_EQ(fault(ok(kRows)), "answered");
  EXPECT_THAT(fault("nonsense\r\n\r\n"), HasSubstr("invalid HTTP response"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n"), HasSubstr("too many headers"));
  EXPECT_THAT(fault(""), HasSubstr("without an answer"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}"), HasSubstr("cut"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\n\r\n{}"), HasSubstr("longer than"));
  EXPECT_THAT(fault("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
              HasSubstr("redirects are not followed"));
  EXPECT_THAT(fault(ok("{\"columns\":")), HasSubstr("its answer is not JSON"));
  EXPECT_THAT(fault(ok(std::string(100'000, '['))), HasSubstr("its answer is not JSON"));
  EXPECT_THAT(fault(ok("[" + std::string(kMaxValues + 1, ',') + "]")), HasSubstr("too many values"));
  EXPECT_THAT(fault(ok("{}")), HasSubstr("does not fit ingero's schema"));
  std::string body = kRows;
  body.replace(body.find("[[7]]"), 5, "[[7,8]]");
  EXPECT_THAT(fault(ok(body)), HasSubstr("not a cell for each column"));
  body = kRows;
  body.replace(body.find("[[7]]"), 5, "[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]]");
  EXPECT_THAT(fault(ok(body)), HasSubstr("more than were asked for"));
}

TEST_F(Nodes, RefusalsKeepTheirClassAndLoseTheirControlCharacters) {
  const auto refused = [](const char* status, const std::string& body) { return refusal_of(std::stoi(status), body); };
  EXPECT_EQ(refused("400", R"({"error":"no such table","class":"bad_input"})").code(), Errc::kInvalid);
  EXPECT_EQ(refused("404", R"({"error":"x","class":"not_found"})").code(), Errc::kNotFound);
  EXPECT_EQ(refused("504", R"({"error":"x","class":"timed_out"})").code(), Errc::kBusy);
  EXPECT_EQ(refused("500", "<html>").message(), "HTTP 500");
  EXPECT_EQ(refused("500", R"({"error":""})").message(), "HTTP 500");
  EXPECT_THAT(refused("401", "").hint(), HasSubstr("INGERO_NODES_TOKEN"));
  const Error hostile = refused("403", R"({"error":"\u001b[31mred\u202e","class":7})");
  EXPECT_EQ(hostile.message().find('\x1b'), std::string::npos);
}

TEST_F(Nodes, OneThatFailsLeavesTheRest) {
  add([](const RawReceiver::Request& request, size_t, int) { return good_answer(request); });
  add([](const RawReceiver::Request&, size_t, int) { return RawReceiver::http("500 Oops"); });
  const auto answer = ask(*fleet());
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ((*answer)["data"].size(), 1U);
  EXPECT_EQ((*answer)["nodes"][0]["answered"], true);
  EXPECT_EQ((*answer)["nodes"][1]["answered"], false);
  EXPECT_EQ((*answer)["nodes"][1]["class"], "internal");
}

TEST_F(Nodes, NoChainsAndAFailureAreNoFailureOfAll) {
  const std::string none =
      R"({"chains":[],"total":0,"examined":null,"earlier_chains":null,"recording":{"file":"r.db","schema":"1.0",)"
      R"("earlier_agent":false,"live":false},"lost":[],"cut":[]})";
  add([&](const RawReceiver::Request&, size_t, int) { return ok(none); });
  add([](const RawReceiver::Request&, size_t, int) { return std::string(); });
  const auto answer = ask(*fleet(), {{"action", "chains"}, {"limit", 10}, {"pid", 42}, {"since", "5m"}});
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_TRUE((*answer)["chains"].empty());
  EXPECT_EQ(questions()[0].body, R"({"since":"5m","pid":42,"top_n":-1})");
}

TEST_F(Nodes, AllThatFailAlikeAreThatClass) {
  for (int i = 0; i < 2; ++i) {
    add([](const RawReceiver::Request&, size_t, int) {
      return RawReceiver::http("400 Bad Request", "", R"({"error":"no such column: x","class":"bad_input"})");
    });
  }
  const auto answer = ask(*fleet());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Errc::kInvalid);
  EXPECT_THAT(answer.error().message(), HasSubstr("no such column: x"));
  EXPECT_THAT(answer.error().message(), HasSubstr("127.0.0.1:" + std::to_string(receivers_[1]->port())));
}

TEST_F(Nodes, ASilentNodeCostsItsTimeAndNoMore) {
  const auto wait_for_end = [this](const RawReceiver::Request&, size_t, int) {
    for (int i = 0; i < 300 && !receivers_[0]->is_stopped(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return std::string();
  };
  add(wait_for_end);
  add([](const RawReceiver::Request& request, size_t, int) { return good_answer(request); });
  const auto begin = std::chrono::steady_clock::now();
  const auto answer = ask(*fleet({}, 0, 300'000'000));
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ((*answer)["nodes"][0]["class"], "timed_out");
  EXPECT_GE(took, std::chrono::milliseconds(300));
  EXPECT_LT(took, std::chrono::seconds(2));
}

TEST_F(Nodes, ACancelledQuestionEnds) {
  add([this](const RawReceiver::Request&, size_t, int) {
    for (int i = 0; i < 500 && !receivers_[0]->is_stopped(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return std::string();
  });
  std::atomic<bool> cancel{false};
  const auto asked = fleet({}, 0, 60'000'000'000);
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel = true;
  });
  const auto answer = ask(*asked, {{"action", "sql"}, {"query", "SELECT 1"}, {"limit", 1}}, &cancel);
  canceller.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Errc::kBusy);
}

TEST_F(Nodes, ClocksApartAreReported) {
  for (const uint64_t ahead_ns : {uint64_t{0}, uint64_t{50'000'000'000}}) {
    add([ahead_ns](const RawReceiver::Request& request, size_t, int) {
      if (request.head.find("/api/v1/time") == std::string::npos) return ok(kRows);
      return ok(fmt::format("{{\"timestamp_ns\":{}}}", system_clock().wall_ns() + ahead_ns));
    });
  }
  const auto answer = ask(*fleet({}, 10'000'000'000));
  ASSERT_TRUE(answer.ok());
  ASSERT_EQ((*answer)["notes"].size(), 1U) << (*answer)["notes"].dump();
  EXPECT_THAT((*answer)["notes"][0].get<std::string>(), HasSubstr(" are 50s apart"));
  EXPECT_EQ(questions().size(), 4U);
}

TEST_F(Nodes, TimesThatAreNoneAreUnknown) {
  for (const char* time : {"1e300", "-5", "18446744073709551615", "\"now\""}) {
    receivers_.clear();
    add([time](const RawReceiver::Request& request, size_t, int) {
      if (request.head.find("/api/v1/time") == std::string::npos) return ok(kRows);
      return ok(fmt::format("{{\"timestamp_ns\":{}}}", time));
    });
    const auto answer = ask(*fleet({}, 1));
    ASSERT_TRUE(answer.ok());
    EXPECT_TRUE((*answer)["nodes"][0]["clock_offset_ns"].is_null()) << time;
    EXPECT_THAT((*answer)["notes"][0].get<std::string>(), HasSubstr("does not say what time it is"));
  }
}

TEST_F(Nodes, AClustersServerIsAskedItsOwnTools) {
  add([](const RawReceiver::Request& request, size_t, int) { return good_answer(request); });
  add_cluster(kClusterRows);
  std::swap(receivers_[0], receivers_[1]);
  const auto answer = ask(*fleet());
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  ASSERT_EQ((*answer)["data"].size(), 2U);
  EXPECT_EQ((*answer)["data"][0][1], 8);
  EXPECT_EQ((*answer)["data"][1][1], 7);
  EXPECT_TRUE((*answer)["nodes"][0]["recording"].is_null());
  ASSERT_EQ(cuts_.size(), 1U);
  EXPECT_THAT(cuts_[0], HasSubstr("some are left out"));
  ASSERT_EQ(questions().size(), 1U);
  EXPECT_EQ(questions()[0].head.rfind("POST /api/v1/tools/fleet.cluster.run_sql HTTP/1.1\r\n", 0), 0U);
  EXPECT_EQ(questions()[0].body, R"({"query":"SELECT 1","limit":10})");
}

TEST_F(Nodes, WhatAClustersServerHasNotIsItsOwnFailure) {
  add_cluster(kClusterRows);
  for (const auto& [input, sentence] :
       {std::pair{Json{{"action", "ops"}, {"limit", 1}}, "windows and incidents, but no calls"},
        {Json{{"action", "overview"}, {"limit", 1}}, "windows and incidents, but no calls"},
        {Json{{"action", "chains"}, {"limit", 1}, {"pid", 7}}, "cannot be chosen by \"pid\""},
        {Json{{"action", "chains"}, {"limit", 1}, {"from", "10:00"}}, "cannot be chosen by \"from\""}}) {
    const auto answer = ask(*fleet(), input);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code(), Errc::kInvalid);
    EXPECT_THAT(answer.error().message(), HasSubstr(sentence));
  }
  EXPECT_TRUE(questions().empty());
}

TEST_F(Nodes, WhatItIsMustBeSaid) {
  const auto said = [this](const std::string& versions) {
    receivers_.clear();
    add_cluster(kClusterRows, versions);
    const auto got = ask(*fleet());
    return got.ok() ? "answered" : got.error().text();
  };
  EXPECT_EQ(said(kClusterVersions), "answered");
  EXPECT_THAT(said("{}"), HasSubstr("too old to be asked"));
  EXPECT_THAT(said(R"({"versions":["v2"]})"), HasSubstr("too old to be asked"));
  EXPECT_THAT(said(R"({"capabilities":{"tools":1}})"), HasSubstr("too old to be asked"));
  EXPECT_THAT(said("[]"), HasSubstr("does not fit ingero's schema"));
  EXPECT_THAT(said(R"({"capabilities":["tools","analysis"]})"),
              HasSubstr("this cluster's server is too old: it has no sql"));
  // A node's answer is none of a cluster's server, and the other way round.
  EXPECT_THAT(said(kNodeVersions), HasSubstr("does not fit ingero's schema"));
}

TEST_F(Nodes, IncidentsAreChains) {
  const Json incident{{"id", "a1"},
                      {"cluster_id", "c"},
                      {"job_id", nullptr},
                      {"kind", "straggler"},
                      {"class", "host"},
                      {"state", "open"},
                      {"node_id", "gpu-0"},
                      {"rank", 5},
                      {"from_ns", 1'700'000'000'000'000'000},
                      {"to_ns", 1'700'000'060'000'000'000},
                      {"confidence", 0.9},
                      {"cause", "its threads wait for a CPU"},
                      {"evidence", {{"sentence", "rank 5 is late"}, {"delayed_count", 3}, {"delayed", {0, 1}}}}};
  Json over = incident, hang = incident;
  over.update({{"id", "a0"}, {"state", "over"}});
  hang.update({{"id", "h1"}, {"kind", "missing_enter"}, {"class", "hang"}, {"cause", nullptr}});
  hang["evidence"] = {{"sentence", "rank 9 has not come"}, {"not_observed_ranks", 1}};
  Json outlier{{"cluster_id", "c"},
               {"job_id", nullptr},
               {"kind", "straggler"},
               {"class", "input"},
               {"state", "named"},
               {"node_id", "gpu-1"},
               {"rank", 6},
               {"since_ns", 1'700'000'000'000'000'000},
               {"confidence", 0.5},
               {"delayed_count", 1},
               {"delayed", {7}},
               {"evidence", Json::object()},
               {"sentence", "rank 6 is late"}};
  Json known = outlier, suspect = outlier;
  known.update({{"rank", 5}});
  suspect.update({{"rank", 8}, {"state", "suspect"}});
  const Json analysis{{"incidents", {incident, over, hang}},
                      {"hangs", {hang}},
                      {"outliers", {known, outlier, suspect}},
                      {"cut", Json::array()}};
  add_cluster(analysis.dump());
  const auto answer = ask(*fleet(), {{"action", "chains"}, {"limit", 10}, {"since", "2h"}});
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_EQ(questions()[0].body, R"({"top_n":1000,"since":"2h"})");
  const Json& chains = (*answer)["chains"];
  ASSERT_EQ(chains.size(), 4U) << chains.dump(1);
  EXPECT_EQ(chains[0]["severity"], "CRITICAL");
  EXPECT_EQ(chains[0]["summary"], "rank 9 has not come");
  EXPECT_EQ(chains[0]["root_cause"], "");
  EXPECT_EQ(chains[0]["symptoms"][0], "1 rank of the communicator is not observed");
  EXPECT_EQ(chains[1]["id"], "a1");
  EXPECT_EQ(chains[1]["severity"], "HIGH");
  EXPECT_EQ(chains[1]["root_cause"], "its threads wait for a CPU");
  EXPECT_EQ(chains[1]["recorded_node"], "gpu-0");
  EXPECT_EQ(chains[1]["symptoms"][0], "3 ranks wait for it: 0, 1 and 1 more");
  EXPECT_TRUE(chains[1]["resolved_at"].is_null());
  EXPECT_EQ(chains[2]["rank"], 6);
  EXPECT_EQ(chains[3]["severity"], "MEDIUM");
  EXPECT_THAT(chains[3]["summary"].get<std::string>(), HasSubstr("it is over"));
  EXPECT_TRUE(chains[3]["resolved_at"].is_string());
}

TEST_F(Nodes, WhatAnActionDoesNotTakeIsRefusedUnasked) {
  add([](const RawReceiver::Request& request, size_t, int) { return good_answer(request); });
  const auto asked = fleet();
  for (const Json& input :
       {Json{{"action", "sql"}, {"limit", 1}}, Json{{"action", "sql"}, {"limit", 1}, {"query", "SELECT 1"}, {"pid", 7}},
        Json{{"action", "ops"}, {"limit", 1}, {"sql", "SELECT 1"}}}) {
    const auto answer = ask(*asked, input);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code(), Errc::kInvalid);
  }
  EXPECT_TRUE(receivers_[0]->requests().empty());
}

TEST(Token, IsNotSentUnencryptedToAnotherMachine) {
  FleetOptions options;
  options.client.nodes = *parse_nodes({"gpu-01"}, {.is_plain_allowed = true});
  options.client.token = "secret-of-the-nodes";
  const auto made = Fleet::make(options, system_clock());
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().text(), HasSubstr("unencrypted"));
  options.client.nodes = *parse_nodes({"https://gpu-01"}, {});
  EXPECT_TRUE(Fleet::make(options, system_clock()).ok());
  options.client.token = "two words\r\nX: y";
  EXPECT_FALSE(Fleet::make(options, system_clock()).ok());
}

}  // namespace
}  // namespace ingero::fleet
