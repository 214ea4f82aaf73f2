// Model servers and their pages; who may be asked; steps of a recording as they were live.
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <netinet/in.h>

#include "agent/inference/inference_scrape.h"
#include "agent/inference/inference_watch.h"
#include "agent/inference/model_servers.h"
#include "base/fd.h"
#include "store/read/reader.h"
#include "store/read/replay.h"
#include "unit/cli/recording_fixture.h"
#include "unit/kernelside/proc_tree.h"

namespace ingero::agent {
namespace {

using cli::Recording;

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

std::string sample_page(const std::string& name) {
  std::ifstream file(std::string(INGERO_SOURCE_DIR) + "/tests/fuzz/corpus/exposition/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const ModelServerReading* reading_of(const ModelServerPage& page, std::string_view name, std::string_view model = "") {
  for (const ModelServerReading& reading : page.readings) {
    if (reading.row->name == name && (model.empty() || reading.model == model)) return &reading;
  }
  ADD_FAILURE() << "no " << name;
  return nullptr;
}

TEST(ModelServersTest, ACommandLineNamesTheServerItsPortAndItsModel) {
  const struct {
    std::string_view command, name, model;
    uint16_t port;
  } lines[] = {
      {"/usr/bin/python3 -m vllm.entrypoints.openai.api_server --model meta/llama --port 9001", "vllm", "meta/llama",
       9001},
      {"/opt/venv/bin/python /opt/venv/bin/vllm serve meta/llama --port=9002", "vllm", "meta/llama", 9002},
      {"vllm serve --model meta/llama --served-model-name llama", "vllm", "llama", 8000},
      {"text-generation-launcher --model-id big/code -p 81", "tgi", "big/code", 81},
      {"/usr/local/bin/text-generation-launcher --model-id=big/code", "tgi", "big/code", 8080},
      {"python -m sglang.launch_server --model-path qwen --host 0.0.0.0", "sglang", "qwen", 30000},
      {"/opt/tritonserver/bin/tritonserver --model-repository=/models --http-port 8000", "triton", "", 8002},
      {"tritonserver --metrics-port=9102", "triton", "", 9102},
  };
  for (const auto& line : lines) {
    const auto found = find_model_server(line.command);
    ASSERT_TRUE(found) << line.command;
    EXPECT_EQ(found->name, line.name) << line.command;
    EXPECT_EQ(found->model, line.model) << line.command;
    EXPECT_EQ(found->port, line.port) << line.command;
  }
  for (const std::string_view other : {"python3 train.py", "", "vllm bench", "vi serve vllm.txt",
                                       "vllm serve m --port 70000", "vllm serve m --port x", "vllm serve m --port 0"}) {
    EXPECT_FALSE(find_model_server(other)) << other;
  }
}

TEST(ModelServersTest, APageIsReadInTheUnitsOfItsNames) {
  const ModelServerPage vllm = read_model_server("vllm", sample_page("vllm.txt"));
  EXPECT_EQ(vllm.refused, 0U);
  const auto* first = reading_of(vllm, "gen_ai.client.operation.time_to_first_token", "meta/tiny");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->count, 12U);
  EXPECT_DOUBLE_EQ(first->sum, 0.6);
  EXPECT_THAT(first->counts, ElementsAre(std::pair(0.01, 1U), std::pair(0.1, 9U), std::pair(1.0, 12U)));
  EXPECT_DOUBLE_EQ(reading_of(vllm, "gen_ai.client.token.usage.input")->value, 1234);

  const ModelServerPage triton = read_model_server("triton", sample_page("triton.txt"));
  EXPECT_DOUBLE_EQ(reading_of(triton, "gen_ai.client.operation.duration.total", "resnet")->value, 2.5);
  EXPECT_DOUBLE_EQ(reading_of(triton, "gen_ai.server.compute_input.duration.total")->value, 0.0007);
  EXPECT_DOUBLE_EQ(reading_of(triton, "gen_ai.client.operation.failure_total", "resnet")->value, 4) << "all reasons";
  EXPECT_DOUBLE_EQ(reading_of(triton, "gen_ai.client.operation.success_total", "bert")->value, 2);
  for (const ModelServerReading& reading : triton.readings) {
    EXPECT_EQ(reading.row->name.find("prefill"), std::string_view::npos);
    EXPECT_EQ(reading.row->name.find("decode"), std::string_view::npos);
  }

  const ModelServerPage tgi = read_model_server("tgi", sample_page("tgi.txt"));
  EXPECT_DOUBLE_EQ(reading_of(tgi, "gen_ai.client.token.usage.input")->value, 900) << "the sum of a histogram";
  const auto* batch = reading_of(tgi, "gen_ai.server.request.duration.batch");
  EXPECT_EQ(batch->count, 10U);
  EXPECT_DOUBLE_EQ(batch->sum, 0.75);
  EXPECT_DOUBLE_EQ(reading_of(tgi, "gen_ai.server.queue.size")->value, 2);

  const ModelServerPage sglang = read_model_server("sglang", sample_page("sglang.txt"));
  EXPECT_DOUBLE_EQ(reading_of(sglang, "gen_ai.client.token.usage.input", "qwen")->value, 10);
  EXPECT_DOUBLE_EQ(reading_of(sglang, "gen_ai.client.token.usage.output", "qwen")->value, 20);
  const struct {
    const char* name;
    uint64_t count;
    double sum;
  } kLatencies[] = {{"gen_ai.client.operation.duration", 4, 6.5},
                    {"gen_ai.client.operation.time_to_first_token", 4, 0.2},
                    {"gen_ai.server.time_per_output_token", 16, 0.25}};
  for (const auto& one : kLatencies) {
    const auto* latency = reading_of(sglang, one.name, "qwen");
    ASSERT_NE(latency, nullptr) << one.name;
    EXPECT_EQ(latency->count, one.count) << one.name;
    EXPECT_DOUBLE_EQ(latency->sum, one.sum) << one.name;
    EXPECT_EQ(latency->counts.size(), 1U) << one.name;
  }
  const auto older = read_model_server("sglang", "sglang:request_latency_sum 2\nsglang:request_latency_count 1\n");
  ASSERT_NE(reading_of(older, "gen_ai.client.operation.duration"), nullptr);
}

TEST(ModelServersTest, AHostilePageIsBoundedAndCounted) {
  std::string page;
  for (int i = 0; i < 1000; ++i) page += "tgi_queue_size{model_id=\"m" + std::to_string(i) + "\"} 1\n";
  page += "tgi_queue_size{model_id=\"\\n\x1b[31m\"} 1e308\ntgi_queue_size{model_id=\"\\n\x1b[31m\"} 1e308\n";
  page += "tgi_queue_size{broken\ntgi_queue_size NaN\nno value\n{\n\"\n";
  page += "tgi_request_duration_count 3\ntgi_request_duration_bucket{le=\"1\"} 9\n";        // more than there are
  page += "tgi_request_queue_duration_count -3\ntgi_request_queue_duration_count 1e300\n";  // no counts
  const ModelServerPage read = read_model_server("tgi", page);
  EXPECT_LE(read.readings.size(), kMaxModels + 4);
  EXPECT_GE(read.refused, 8U);
  double all = 0;
  for (const ModelServerReading& reading : read.readings) {
    EXPECT_TRUE(std::isfinite(reading.value));
    for (const char c : reading.model) EXPECT_GE(static_cast<unsigned char>(c), ' ');
    if (reading.row->name == "gen_ai.client.operation.duration") {
      EXPECT_THAT(reading.counts, IsEmpty());
    }
    all += reading.value;
  }
  EXPECT_GT(all, 999) << "what is beyond the models kept is added up";
}

TEST(ModelServersTest, WhatWasObservedBetweenTwoReadings) {
  const std::string page = sample_page("vllm.txt");
  ModelServerReading before = *reading_of(read_model_server("vllm", page), "gen_ai.client.operation.duration");
  ModelServerReading now = before;
  EXPECT_EQ(between(before, now).mean, std::nullopt) << "nothing";
  now.count += 10;
  now.sum += 4;
  now.counts[0.5] += 10;
  now.counts[1.0] += 10;
  const Interval interval = between(before, now);
  EXPECT_THAT(interval.mean, Optional(DoubleEq(0.4)));
  EXPECT_THAT(interval.p95, Optional(::testing::DoubleNear(0.3 + 0.2 * 0.95, 1e-9)));
  EXPECT_EQ(between(now, before).p95, std::nullopt) << "it began anew";
}

TEST(ScrapeTest, WhoListensIsReadFromTheKernelsTable) {
  constexpr std::string_view kTable =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 5 1 0 100 0 0 10 0\n"
      "   1: 0100007F:1F41 0100007F:1F40 01 00000000:00000000 00:00000000 00000000  1001        0 6 1 0 100 0 0 10 0\n";
  EXPECT_TRUE(listens(kTable, 8000, 1000));
  EXPECT_FALSE(listens(kTable, 8000, 1001)) << "somebody else's";
  EXPECT_FALSE(listens(kTable, 8001, 1001)) << "connected, not listening";
  EXPECT_FALSE(listens("", 8000, 0));
}

TEST(ScrapeTest, AnotherNetworkNamespaceIsSeen) {
  const auto self = static_cast<uint32_t>(::getpid());
  EXPECT_TRUE(shares_network("/proc", self));
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNET) != 0) ::_exit(2);
    ::kill(::getpid(), SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  if (WIFSTOPPED(status)) {
    EXPECT_FALSE(shares_network("/proc", static_cast<uint32_t>(child)));
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }
  EXPECT_FALSE(shares_network("/proc", static_cast<uint32_t>(child))) << "gone";
  if (WIFEXITED(status)) GTEST_SKIP() << "needs root: unshare(2)";
}

// Model servers in a /proc of our own making; what they would be asked is refused, because nothing listens.
class ScrapeServers : public ::testing::Test {
 protected:
  // The real recorder: it needs BPF.
  void SetUp() override {
    auto started = Recorder::start({}, {}, calls_);
    if (!started.ok()) GTEST_SKIP() << started.error().text();
    recorder_ = std::move(*started);
    ScrapeOptions options;
    options.interval_ns = options.redetect_ns = 50'000'000;
    scrape_.emplace(options, kernelside::ProcFs({.proc = proc_.root()}));
    scrape_->start(*recorder_);
  }
  void begin(uint32_t pid, uint64_t start_ticks = 100) {
    proc_.process(pid, "vllm", 1, start_ticks, 1000);
    proc_.file(std::to_string(pid) + "/cmdline", std::string("vllm\0serve\0meta/llama\0", 22));
  }
  void end(uint32_t pid) { std::filesystem::remove_all(proc_.root() + "/" + std::to_string(pid)); }
  bool is_found(uint32_t pid) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!scrape_->found(pid) && std::chrono::steady_clock::now() < until) usleep(2000);
    return scrape_->found(pid).has_value();
  }
  uint64_t lost() const { return recorder_->losses().count(hal::Loss::model_server_lost); }

  static constexpr uint32_t kFirst = 1000, kMax = InferenceScrape::kMaxModelServers;
  const hal::CallTable calls_{{}};
  std::unique_ptr<Recorder> recorder_;
  ingero::testing::ProcTree proc_;
  std::optional<InferenceScrape> scrape_;
};

TEST_F(ScrapeServers, OnesThatHaveEndedMakeRoomForOthers) {
  for (uint32_t pid = kFirst; pid <= kFirst + kMax; ++pid) {
    begin(pid);
    EXPECT_TRUE(scrape_->know(pid));
    ASSERT_TRUE(is_found(pid)) << pid;
    EXPECT_EQ(scrape_->server_of(pid), pid - kFirst + 1) << "no number twice";
    end(pid);
  }
  EXPECT_EQ(lost(), 0U);
}

TEST_F(ScrapeServers, OneThatFindsNoRoomIsCountedAndFoundWhenThereIs) {
  for (uint32_t pid = kFirst; pid <= kFirst + kMax; ++pid) {
    begin(pid);
    EXPECT_TRUE(scrape_->know(pid));
    if (pid < kFirst + kMax) {
      ASSERT_TRUE(is_found(pid)) << pid;
    }
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (lost() == 0 && std::chrono::steady_clock::now() < until) usleep(2000);
  EXPECT_GT(lost(), 0U);
  EXPECT_FALSE(scrape_->found(kFirst + kMax));
  end(kFirst);
  EXPECT_TRUE(is_found(kFirst + kMax));
}

TEST_F(ScrapeServers, OneInAnotherNetworkNamespaceIsNotAsked) {
  // Here, another program listens on that server's port.
  const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const uint16_t port = ntohs(address.sin_port);
  const auto is_asked = [&] {
    pollfd wait{listener.get(), POLLIN, 0};
    return ::poll(&wait, 1, 500) == 1;  // ten intervals
  };
  const std::string table = fmt::format("0: 0100007F:{:04X} 00000000:0000 0A 0:0 0:0 0 1000 0 5\n", port);
  begin(kFirst);
  proc_.file(fmt::format("{}/cmdline", kFirst), fmt::format("vllm serve meta/llama --port={}", port));
  proc_.file(fmt::format("{}/net/tcp", kFirst), table);
  proc_.file("self/net/tcp", table);
  EXPECT_TRUE(scrape_->know(kFirst));
  ASSERT_TRUE(is_found(kFirst));
  EXPECT_FALSE(is_asked());
  std::filesystem::remove(proc_.root() + "/self/net/tcp");
  std::filesystem::create_hard_link(proc_.root() + fmt::format("/{}/net/tcp", kFirst), proc_.root() + "/self/net/tcp");
  EXPECT_TRUE(is_asked()) << "of the same namespace it is";
}

TEST_F(ScrapeServers, TheNextProcessOfANumberIsAnother) {
  begin(kFirst);
  EXPECT_TRUE(scrape_->know(kFirst));
  ASSERT_TRUE(is_found(kFirst));
  EXPECT_EQ(scrape_->server_of(kFirst), 1U);
  begin(kFirst, 200);
  scrape_->forget(kFirst);
  EXPECT_EQ(scrape_->server_of(kFirst), std::nullopt);
  EXPECT_TRUE(scrape_->know(kFirst));
  ASSERT_TRUE(is_found(kFirst));
  EXPECT_EQ(scrape_->server_of(kFirst), 2U);
}

TEST_F(ScrapeServers, ProcessesThatHaveEndedMakeRoomForOthers) {
  for (uint32_t pid = 0; pid < InferenceScrape::kMaxProcesses; ++pid) EXPECT_TRUE(scrape_->know(kFirst + pid));
  EXPECT_FALSE(scrape_->know(1)) << "which its caller counts";
  EXPECT_TRUE(scrape_->know(kFirst)) << "known";
  scrape_->forget(kFirst);
  EXPECT_TRUE(scrape_->know(1));
}

// A recording's steps, as its rows have them.
class StepSink final : public store::ReplaySink {
 public:
  void call(hal::CallId id, const store::ReplayedCall& call) override {
    steps.set_call(id,
                   correlate::make_facts(call.name, call.op, call.layer, call.vendor, call.kind, call.synchronising));
  }
  void probe(uint32_t probe, std::string_view symbol) override {
    steps.set_probe(probe, correlate::is_per_thread_symbol(symbol));
  }
  void process(const hal::Process& process) override { steps.add_process(process); }
  void event(const hal::Event& event) override { steps.add(event); }
  hal::LossLedger ledger;
  correlate::Steps steps{ledger};
};

std::string text_of(const std::vector<correlate::InferenceStep>& steps) {
  std::string out;
  for (const auto& step : steps) {
    out += fmt::format("{} {} {} {}..{} idle {} wait {}: {} {} {} {} {} {} {:x} {}\n", step.pid, step.tid,
                       step.stream ? fmt::format("{:x}", *step.stream) : "-", step.start_mono_ns, step.end_mono_ns,
                       step.idle_ns, step.wait_ns, step.launches, step.graph_launches, step.copies, step.copied_bytes,
                       step.sets, step.collectives, step.functions, step.mean_gap_ns.value_or(0));
  }
  return out;
}

class StepRecording : public Recording {
 protected:
  static constexpr std::string_view kNames[] = {"cudaLaunchKernel",      "cudaLaunchKernel",      "cudaLaunchKernel",
                                                "cudaGraphLaunch",       "cudaMemcpyAsync",       "cudaMemcpy",
                                                "cudaEventRecord",       "cudaEventSynchronize",  "cudaStreamWaitEvent",
                                                "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaMalloc",
                                                "cudaStreamQuery",       "cudaMemsetAsync"};
  // A pseudo-random program of three threads and three streams, one of them the threads' own.
  void record() override {
    uint64_t random = 88172645463325252, at = 0;
    const auto next = [&](uint64_t most) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      return random % most;
    };
    for (int i = 0; i < 5000; ++i) {
      const std::string_view name = kNames[next(std::size(kNames))];
      hal::Event one = event(name, at += next(50) == 0 ? 400'000'000 : 1 + next(2'000'000), 1 + next(90'000),
                             next(40) == 0 ? 700 : 0);
      at += one.duration_ns;
      one.tid = kPid + static_cast<uint32_t>(next(3));
      const uint64_t stream = next(4);
      if (one.kind != hal::Kind::kAlloc && name != "cudaMemcpy" && name != "cudaDeviceSynchronize" &&
          name != "cudaEventSynchronize") {
        one.stream = stream == 3 ? 0xffff'8000'0000'0010 : stream;
        one.set(hal::Has::kStream);
      }
      if (name.find("Event") != std::string_view::npos || name == "cudaGraphLaunch") {
        one.handle = 100 + next(5);
        one.set(hal::Has::kHandle);
      }
      if (name == "cudaLaunchKernel") {
        one.function = 0x1000 + next(6);
        one.set(hal::Has::kFunction);
      }
      if (one.kind == hal::Kind::kMemcpy) {
        one.bytes = next(1 << 20);
        one.set(hal::Has::kBytes);
        one.direction = next(2) == 0 ? hal::Direction::kDeviceToHost : hal::Direction::kHostToDevice;
        one.set(hal::Has::kDirection);
      }
      if (next(10) == 0) {
        one.depth = 1;
        one.parent_call = one.call;
        one.parent_start_mono_ns = one.start_mono_ns - 1;
        one.set(hal::Has::kParent);
      }
      if (next(20) == 0) one.probe = per_thread_probe(one.call);
      written.push_back(one);
    }
    ASSERT_TRUE(writer_->write(written).ok());
  }
  uint32_t per_thread_probe(hal::CallId call) {
    const uint32_t index = 1000 + call;
    writer_->add_probe(index, {call, std::string((*calls_)[call].name) + "_ptsz", "/usr/lib/libcudart.so.13", "13.0"});
    return index;
  }
  // As they arrive live, `batch` events at a time.
  std::vector<correlate::InferenceStep> live(size_t batch) {
    hal::LossLedger ledger;
    correlate::Steps steps(ledger);
    for (size_t id = 0; id < calls_->size(); ++id) {
      steps.set_call(static_cast<hal::CallId>(id), correlate::make_facts((*calls_)[static_cast<hal::CallId>(id)]));
    }
    for (const hal::Event& one : written) {
      if (one.probe >= 1000) steps.set_probe(one.probe, true);
    }
    std::vector<correlate::InferenceStep> all;
    for (size_t i = 0; i < written.size(); ++i) {
      steps.add(written[i]);
      if ((i + 1) % batch != 0 && i + 1 != written.size()) continue;
      const auto reported = steps.take_steps();
      all.insert(all.end(), reported.begin(), reported.end());
    }
    return all;
  }
  std::vector<hal::Event> written;
};

TEST_F(StepRecording, ReportsTheStepsThatWereReportedLiveInBatchesOfAnySize) {
  const auto reported = live(1);
  ASSERT_GT(reported.size(), 500U);
  for (const size_t batch : {7U, 512U, 5000U}) EXPECT_EQ(text_of(live(batch)), text_of(reported));
  const auto reader = store::Reader::open(database_);
  ASSERT_TRUE(reader.ok()) << reader.error().text();
  StepSink sink;
  ASSERT_TRUE(store::replay(**reader, {}, sink).ok());
  EXPECT_EQ(text_of(sink.steps.take_steps()), text_of(reported));
}

}  // namespace
}  // namespace ingero::agent
