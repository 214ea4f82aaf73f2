// trace --otlp: what flags and variables make of it, who it says it is, and what becomes a span.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/otlp/resource.h"
#include "agent/otlp/settings.h"
#include "agent/otlp/spans.h"
#include "backends/registry.h"
#include "temp_folder.h"

namespace ingero::agent {
namespace {

namespace otlp = serve::otlp;
using ::testing::HasSubstr;
using ::testing::Not;

class OtlpSettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    variables_["HOME"] = "/home/u";
    environment_.variable = [this](const char* name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    };
    environment_.account = [](const std::string&) { return std::nullopt; };
    options_.endpoint = "https://collector";
  }
  std::string file(const std::string& name, const std::string& text, mode_t mode) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  otlp::ExporterOptions good() {
    const auto out = exporter_options(options_, environment_);
    EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
    return out.ok() ? *out : otlp::ExporterOptions{};
  }
  std::string error() {
    const auto out = exporter_options(options_, environment_);
    return out.ok() ? "none" : out.error().text();
  }
  const TempFolder temp_;
  const std::string& folder_ = temp_.path();
  std::map<std::string, std::string> variables_;
  Environment environment_;
  OtlpSettings options_;
};

TEST_F(OtlpSettingsTest, DefaultsAreProtobufGzipAndTls) {
  const auto out = good();
  EXPECT_EQ(out.receiver.protocol, otlp::Protocol::kHttpProtobuf);
  EXPECT_TRUE(out.is_gzip);
  EXPECT_TRUE(out.receiver.endpoint.has_tls);
  EXPECT_EQ(out.interval_ns, 10'000'000'000U);
  EXPECT_EQ(out.timeout_ns, 10'000'000'000U);
  EXPECT_EQ(out.queue.max_bytes, 64U << 20);
  EXPECT_THAT(out.queue.directory, HasSubstr("/home/u/.ingero/otlp-queue/"));
  EXPECT_THAT(out.receiver.agent, HasSubstr("ingero/"));
  EXPECT_EQ(out.tls.flags, "--otlp-cert and --otlp-key");
}

TEST_F(OtlpSettingsTest, AFlagWinsOverAVariable) {
  variables_["OTEL_EXPORTER_OTLP_PROTOCOL"] = "grpc";
  variables_["OTEL_EXPORTER_OTLP_COMPRESSION"] = "none";
  variables_["OTEL_EXPORTER_OTLP_TIMEOUT"] = "2500";
  variables_["OTEL_EXPORTER_OTLP_CERTIFICATE"] = "/a";
  auto out = good();
  EXPECT_EQ(out.receiver.protocol, otlp::Protocol::kGrpc);
  EXPECT_FALSE(out.is_gzip);
  EXPECT_EQ(out.timeout_ns, 2'500'000'000U);
  EXPECT_EQ(out.tls.authorities, "/a");
  options_.protocol = "http/json";
  options_.compression = "gzip";
  options_.timeout = "1s";
  options_.authorities = "/b";
  out = good();
  EXPECT_EQ(out.receiver.protocol, otlp::Protocol::kHttpJson);
  EXPECT_TRUE(out.is_gzip);
  EXPECT_EQ(out.timeout_ns, 1'000'000'000U);
  EXPECT_EQ(out.tls.authorities, "/b");
}

TEST_F(OtlpSettingsTest, WhatAVariableSaysWrongIsAnError) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"PROTOCOL", "http"},
                                                                      {"COMPRESSION", "zstd"},
                                                                      {"TIMEOUT", "10s"},
                                                                      {"HEADERS", "no equals"},
                                                                      {"TRACES_HEADERS", "a=%0d"}}) {
    variables_["OTEL_EXPORTER_OTLP_" + name] = value;
    EXPECT_NE(error(), "none") << name;
    variables_.erase("OTEL_EXPORTER_OTLP_" + name);
  }
  options_.interval = "50ms";
  EXPECT_THAT(error(), HasSubstr("--otlp-interval"));
  options_.interval = "1s";
  options_.queue_size = "1k";
  EXPECT_THAT(error(), HasSubstr("--otlp-queue-size"));
}

TEST_F(OtlpSettingsTest, HeadersComeFromAPrivateFileAndForEachSignal) {
  variables_["OTEL_EXPORTER_OTLP_HEADERS"] = "authorization=Bearer%20old,x-all=1";
  variables_["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] = "x-traces=2";
  options_.headers_file = file("headers", "# ours\n\nAuthorization: Bearer new\n", 0600);
  const auto out = good();
  const otlp::Headers metrics = {{"x-all", "1"}, {"authorization", "Bearer new"}};
  const otlp::Headers traces = {{"x-all", "1"}, {"x-traces", "2"}, {"authorization", "Bearer new"}};
  EXPECT_EQ(out.receiver.metrics_headers, metrics);
  EXPECT_EQ(out.receiver.traces_headers, traces);
  options_.headers_file = file("open", "Authorization: Bearer s3cret\n", 0644);
  EXPECT_THAT(error(), HasSubstr("chmod 600"));
  options_.headers_file = file("wrong", "Bearer s3cret\n", 0600);
  EXPECT_THAT(error(), HasSubstr("wrong:1"));
  EXPECT_THAT(error(), Not(HasSubstr("s3cret")));
}

TEST_F(OtlpSettingsTest, EachReceiverHasAQueueOfItsOwn) {
  options_.queue = folder_ + "/q/";
  std::set<std::string> seen;
  for (const char* endpoint : {"https://a", "https://b", "https://a/x", "https://a:1"}) {
    options_.endpoint = endpoint;
    EXPECT_TRUE(seen.insert(good().queue.directory).second);
  }
  options_.protocol = "http/json";
  EXPECT_TRUE(seen.insert(good().queue.directory).second);
  EXPECT_THAT(*seen.begin(), HasSubstr(folder_ + "/q/"));
  options_.queue.clear();
  variables_.erase("HOME");
  EXPECT_THAT(error(), HasSubstr("--otlp-queue"));
}

// Reported: the first `trace --otlp` of a machine ended with "mkdir: No such file or directory".
TEST_F(OtlpSettingsTest, TheQueuesFoldersAreMade) {
  variables_["HOME"] = folder_ + "/new/home";
  const std::string queue = good().queue.directory;
  EXPECT_THAT(queue, HasSubstr("/new/home/.ingero/otlp-queue/"));
  ASSERT_TRUE(make_queue_parents(queue, options_, environment_).ok());
  EXPECT_TRUE(otlp::DiskQueue::open({.directory = queue}).ok());
  // As the recording makes it.
  struct stat made {};
  ASSERT_EQ(::stat((folder_ + "/new/home/.ingero").c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0700, 0700U);

  variables_.erase("HOME");
  options_.database = folder_ + "/other/run.db";
  EXPECT_THAT(good().queue.directory, HasSubstr(folder_ + "/other/otlp-queue/"));
  options_.database.clear();
  options_.queue = folder_ + "/named/above/queue";
  const std::string named = good().queue.directory;
  ASSERT_TRUE(make_queue_parents(named, options_, environment_).ok());
  EXPECT_TRUE(otlp::DiskQueue::open({.directory = named}).ok());
}

std::map<std::string, otlp::Value> by_key(const otlp::Attributes& attributes) {
  std::map<std::string, otlp::Value> out;
  for (const auto& [key, value] : attributes) EXPECT_TRUE(out.emplace(key, value).second) << key << " twice";
  return out;
}

TEST_F(OtlpSettingsTest, TheResourceSaysWhoSendsAsTheConventionsNameIt) {
  std::filesystem::create_directories(folder_ + "/etc");
  std::ofstream(folder_ + "/etc/machine-id") << "0123456789abcdef\n";
  auto resource = resource_attributes({environment_, folder_, "node-7", "train"});
  ASSERT_TRUE(resource.ok());
  auto seen = by_key(*resource);
  EXPECT_EQ(seen.at("service.name"), otlp::Value("ingero"));
  EXPECT_EQ(seen.at("host.id"), otlp::Value("0123456789abcdef"));
  EXPECT_EQ(seen.at("os.type"), otlp::Value("linux"));
  EXPECT_EQ(seen.at("ingero.node.id"), otlp::Value("node-7"));
  EXPECT_EQ(seen.at("ingero.cluster.id"), otlp::Value("train"));
  EXPECT_EQ(seen.at("process.pid"), otlp::Value(int64_t{::getpid()}));
  EXPECT_TRUE(seen.contains("host.name") && seen.contains("host.arch") && seen.contains("service.version"));
  for (const auto& [key, value] : seen) EXPECT_FALSE(key.starts_with("k8s.")) << key;
  variables_["OTEL_SERVICE_NAME"] = "mine";
  variables_["OTEL_RESOURCE_ATTRIBUTES"] = "deployment.environment.name=prod,host.name=given%20name";
  seen = by_key(*resource_attributes({environment_, folder_ + "/nothing", "n"}));
  EXPECT_EQ(seen.at("service.name"), otlp::Value("mine"));
  EXPECT_EQ(seen.at("host.name"), otlp::Value("given name"));
  EXPECT_EQ(seen.at("deployment.environment.name"), otlp::Value("prod"));
  EXPECT_FALSE(seen.contains("host.id") || seen.contains("ingero.cluster.id"));  // unknown is absent
  variables_["OTEL_RESOURCE_ATTRIBUTES"] = "broken";
  EXPECT_FALSE(resource_attributes({environment_, "", "n"}).ok());
}

TEST_F(OtlpSettingsTest, InAPodTheResourceNamesIt) {
  const std::string account = folder_ + "/var/run/secrets/kubernetes.io/serviceaccount";
  std::filesystem::create_directories(account);
  std::ofstream(account + "/namespace") << "gpu-jobs";
  variables_["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  variables_["HOSTNAME"] = "ingero-abc";
  variables_["NODE_NAME"] = "node-a";
  auto seen = by_key(*resource_attributes({environment_, folder_, "n"}));
  EXPECT_EQ(seen.at("k8s.pod.name"), otlp::Value("ingero-abc"));
  EXPECT_EQ(seen.at("k8s.namespace.name"), otlp::Value("gpu-jobs"));
  EXPECT_EQ(seen.at("k8s.node.name"), otlp::Value("node-a"));
  EXPECT_FALSE(seen.contains("k8s.pod.uid"));
}

TEST(OtlpIncidents, AreReportedOnceWhenTheyAreOver) {
  std::vector<otlp::Span> spans;
  IncidentSpans incidents("n", "n 1", [&](otlp::Span span) { spans.push_back(std::move(span)); });
  hal::CausalChain chain;
  chain.rule = "cpu_preemption";
  chain.id = "cpu-1";
  chain.onset_wall_ns = 1100;
  chain.end_wall_ns = 1200;
  chain.summary = "lost time";
  chain.rank = 0;
  incidents.emit(chain);
  chain.end_wall_ns = 1300;
  incidents.emit(chain);
  EXPECT_TRUE(spans.empty());
  chain.resolved = true;
  incidents.emit(chain);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].name, "incident cpu_preemption");
  EXPECT_EQ(spans[0].start_wall_ns, 1100U);
  EXPECT_EQ(spans[0].end_wall_ns, 1300U);
  EXPECT_TRUE(spans[0].is_error);
  auto seen = by_key(spans[0].attributes);
  EXPECT_EQ(seen.at("ingero.incident.id"), otlp::Value("n:cpu-1"));
  EXPECT_EQ(seen.at("ingero.rank"), otlp::Value(int64_t{0}));  // rank 0 is a rank
  EXPECT_FALSE(seen.contains("process.pid"));
  EXPECT_EQ(seen.at("ingero.incident.resolved"), otlp::Value(true));
  incidents.finish();
  EXPECT_EQ(spans.size(), 1U);
  // One that lasts to the end is sent then; those that are not taken do not pile up.
  chain.resolved = false;
  for (size_t i = 0; i < IncidentSpans::kMaxOpen + 5; ++i) {
    chain.id = "x" + std::to_string(i);
    incidents.emit(chain);
  }
  EXPECT_EQ(spans.size(), 6U);
  incidents.finish();
  EXPECT_EQ(spans.size(), 6U + IncidentSpans::kMaxOpen);
  std::set<std::array<uint8_t, 8>> ids;
  for (const auto& span : spans) EXPECT_TRUE(ids.insert(span.span_id).second);
}

class OtlpCollectives : public ::testing::Test {
 protected:
  OtlpCollectives() : calls_(backends::all_backends()) {
    for (size_t id = 0; id < calls_.size(); ++id) {
      const hal::Call& call = calls_[static_cast<hal::CallId>(id)];
      if (call.kind == hal::Kind::kCollective && call.name.ends_with("AllReduce") && call_ == hal::kNoCall) {
        call_ = static_cast<hal::CallId>(id);
      }
    }
  }
  void SetUp() override { ASSERT_NE(call_, hal::kNoCall); }
  CollectiveSpans spans_of(const std::string& run, uint64_t slow_ns) {
    return CollectiveSpans(calls_, run, slow_ns, [this](otlp::Span span) { spans_.push_back(std::move(span)); });
  }
  void add(EventBatch& batch, uint64_t exchange_id, uint64_t duration_ns, uint64_t number = 5) const {
    hal::Event event;
    event.call = call_;
    event.kind = hal::Kind::kCollective;
    event.start_mono_ns = 1000 * exchange_id;
    event.duration_ns = duration_ns;
    event.set(hal::Has::kDuration);
    hal::Exchange exchange;
    exchange.exchange_id = exchange_id;
    exchange.communicator_id = 1;
    exchange.number = number;
    exchange.peer = 0;
    batch.records.exchanges.emplace_back(batch.records.events.size(), exchange);
    batch.records.events.push_back(event);
  }
  static std::optional<hal::Communicator> communicator(uint64_t id, int32_t rank) {
    hal::Communicator out;
    out.id = id;
    out.comm_id_hash = 0xabcd;
    out.rank = rank;
    out.nranks = 8;
    return out;
  }
  const hal::CallTable calls_;
  hal::CallId call_ = hal::kNoCall;
  std::vector<otlp::Span> spans_;
};

TEST_F(OtlpCollectives, CountFromTheCallToTheEndOfItsWait) {
  auto collectives = spans_of("a", 100);
  const auto lookup = [](uint64_t id) { return communicator(id, 0); };
  EventBatch batch;
  add(batch, 1, 10);
  add(batch, 2, 10);
  add(batch, 3, 150);
  batch.arrivals.push_back({0xabcd, 5, call_, 2, 70, 60, 7});
  collectives.add(batch, lookup);
  ASSERT_EQ(spans_.size(), 1U);  // the one that blocked
  batch.clear();
  batch.barrier_waits = {{1, 89}, {2, 90}, {2, 90}, {99, 500}};
  collectives.add(batch, lookup);
  ASSERT_EQ(spans_.size(), 2U);
  EXPECT_EQ(spans_[1].end_wall_ns - spans_[1].start_wall_ns, 100U);
  EXPECT_EQ(spans_[1].name, "collective ALL_REDUCE");
  const auto seen = by_key(spans_[1].attributes);
  EXPECT_EQ(seen.at("gpu.collective.rank"), otlp::Value(int64_t{0}));
  EXPECT_EQ(seen.at("gpu.collective.peer"), otlp::Value(int64_t{0}));  // peer 0 is a peer
  EXPECT_EQ(seen.at("gpu.collective.seq"), otlp::Value(int64_t{5}));
  EXPECT_EQ(seen.at("gpu.collective.barrier_wait_ns"), otlp::Value(int64_t{90}));
  EXPECT_EQ(seen.at("gpu.collective.last_rank"), otlp::Value(int64_t{7}));
  EXPECT_FALSE(seen.contains("gpu.collective.bytes"));  // unknown is absent
  EXPECT_FALSE(seen.contains("gpu.collective.root"));
}

TEST_F(OtlpCollectives, RanksOnTwoHostsAreOneTrace) {
  EventBatch batch;
  add(batch, 1, 200, 5);
  auto here = spans_of("host-a 1", 100), there = spans_of("host-b 2", 100);
  here.add(batch, [](uint64_t id) { return communicator(id, 0); });
  there.add(batch, [](uint64_t id) { return communicator(id, 1); });
  batch.clear();
  add(batch, 2, 200, 6);
  here.add(batch, [](uint64_t id) { return communicator(id, 0); });
  here.add(batch, [](uint64_t) { return std::nullopt; });
  ASSERT_EQ(spans_.size(), 4U);
  EXPECT_EQ(spans_[0].trace_id, spans_[1].trace_id);
  EXPECT_NE(spans_[0].span_id, spans_[1].span_id);
  EXPECT_NE(spans_[0].trace_id, spans_[2].trace_id);
  EXPECT_NE(spans_[2].trace_id, spans_[3].trace_id);  // no communicator: a trace of its own
}

TEST_F(OtlpCollectives, WhatNobodyWaitsForIsForgotten) {
  auto collectives = spans_of("a", 100);
  const auto lookup = [](uint64_t id) { return communicator(id, 0); };
  for (uint64_t id = 1; id <= CollectiveSpans::kMaxWaiting + 10; ++id) {
    EventBatch batch;
    add(batch, id, 10);
    collectives.add(batch, lookup);
  }
  EventBatch waits;
  waits.barrier_waits = {{10, 500}, {11, 500}};
  collectives.add(waits, lookup);
  EXPECT_EQ(spans_.size(), 1U);
}

}  // namespace
}  // namespace ingero::agent
