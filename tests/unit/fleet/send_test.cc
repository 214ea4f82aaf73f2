// What a node sends to the cluster's server: its size, its order, and what becomes of it where the server is away.
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/send/sender.h"
#include "fleet/wire/encode.h"
#include "fleet/wire/inflate.h"
#include "fleet/wire/protobuf.h"
#include "serve/otlp/encode.h"
#include "unit/serve/otlp_receiver.h"

namespace ingero::fleet::send {
namespace {

using namespace std::chrono_literals;
using serve::otlp::RawReceiver;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr uint64_t kMs = 1'000'000, kPeriodNs = correlate::RankWindows::kPeriodNs;
constexpr size_t kMaxBytes = 8 << 10;  // of eight ranks in three communicators
// Of a rank in its first communicator: of the window, of what kept it, of its device, and its arrivals.
constexpr size_t kPointsOfOne = 7 + 4 + 5 + 6;

// One that has done everything that can be sent, with numbers that do not compress.
correlate::RankWindow window_of(uint32_t rank, uint64_t communicator, uint64_t start_ns) {
  const uint64_t odd = 0x9e3779b97f4a7c15ULL * (rank + 8 * communicator + 1);
  correlate::RankWindow window;
  window.start_ns = start_ns;
  window.end_ns = start_ns + kPeriodNs;
  window.rank = 8200 + rank;
  window.comm_id_hash = odd;
  window.comm_rank = rank;
  window.nranks = 2048;
  window.collectives = window.measured = 640 + odd % 64;
  window.work_ns = 3'000'000'000 + odd % 1'000'000'000;
  window.median_ns = 3'000'000 + odd % 1'000'000;
  window.blocked = 500 + odd % 100;
  window.wait_ns = 1'000'000'000 + odd % 999'999'937;
  window.bytes = window.measured_bytes = (odd % 4096) << 24;
  window.entered = 1'000'000 + odd % 100'000;
  window.left = *window.entered - 1;
  window.call = static_cast<hal::CallId>(communicator % 3);
  window.off = {10 * kMs + odd % kMs, 20 * kMs + odd % (kMs - 1), 30 * kMs + odd % (kMs - 3),
                40 * kMs + odd % (kMs - 5)};
  // The sample of a rank is that of all of its communicators together.
  constexpr size_t kOfFirst = correlate::ArrivalSample::kMaxArrivals - 4, kOfOthers = 2;
  for (size_t i = 0; i < (communicator == 1 ? kOfFirst : kOfOthers); ++i) {
    const uint64_t entered_ns = start_ns + i * 400 * kMs + odd % (300 * kMs);
    window.arrivals.push_back({communicator, *window.entered - 64 * i, entered_ns, entered_ns + odd % (29 * kMs + i),
                               window.call, (odd % 4096) << 20});
  }
  hal::DeviceState& device = window.device.emplace();
  device.uuid = fmt::format("GPU-{0:016x}-{1:016x}", 0x9e3779b97f4a7c15ULL * (rank + 1), 0xbf58476d1ce4e5b9ULL * rank);
  device.model = "NVIDIA H100 80GB HBM3";
  device.utilization_ratio = static_cast<double>(odd % 100) / 100;
  device.power_watts = 400 + static_cast<double>(odd % 300'000) / 1000;
  device.temperature_celsius = 40 + static_cast<double>(odd % 40);
  device.sm_clock_hertz = 1e6 * static_cast<double>(1400 + rank);
  device.throttle_reasons = rank % 4;
  return window;
}

std::vector<correlate::RankWindow> windows_of(uint32_t ranks, uint64_t communicators, uint64_t start_ns) {
  std::vector<correlate::RankWindow> windows;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    for (uint64_t one = 1; one <= communicators; ++one) windows.push_back(window_of(rank, one, start_ns));
  }
  return windows;
}

class SendTest : public ::testing::Test {
 protected:
  void to(const RawReceiver& receiver) {
    const auto endpoint = serve::otlp::parse_endpoint(receiver.url(), {});
    ASSERT_TRUE(endpoint.ok());
    options_.receiver.endpoint = *endpoint;
    options_.cluster = "train";
    options_.node = "gpu-01";
    options_.receiver.metrics_headers = {{"authorization", "Bearer secret"}};
  }
  void start() {
    auto opened = Sender::open(options_);
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    sender_ = std::move(*opened);
    Sender::Hooks hooks;
    hooks.operation = [](hal::CallId call) { return call == 0 ? "ALL_REDUCE" : "REDUCE_SCATTER"; };
    hooks.stack = [this](uint64_t) {
      ++stacks_named_;
      return Stack{"train.py:7 in step", {"step", "main"}};
    };
    hooks.dropped = [this](uint64_t points) { dropped_ += points; };
    hooks.refused = [this](uint64_t points) { refused_ += points; };
    sender_->start(std::move(hooks));
  }
  template <typename Condition>
  bool within(std::chrono::milliseconds time, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(5ms);
    }
    return true;
  }
  // As the cluster's receiver reads it.
  static wire::Batch read(const RawReceiver::Request& request) {
    const auto body = wire::inflate_gzip(request.body);
    EXPECT_TRUE(body.ok());
    wire::Collector collector(system_clock().wall_ns());
    EXPECT_TRUE(wire::read_protobuf(*body, collector).ok());
    wire::Batch batch = collector.take();
    for (const auto& [reason, count] : batch.refused) ADD_FAILURE() << reason << " x" << count;
    return batch;
  }
  static uint64_t now_window() { return system_clock().wall_ns() / kPeriodNs * kPeriodNs - kPeriodNs; }

  SenderOptions options_;
  std::atomic<uint64_t> dropped_ = 0, refused_ = 0, stacks_named_ = 0;
  std::unique_ptr<Sender> sender_;
};

std::string accept(const RawReceiver::Request&, size_t, int) { return RawReceiver::http("200 OK"); }

TEST_F(SendTest, EveryFieldOfAWindowArrives) {
  RawReceiver receiver(accept);
  to(receiver);
  start();
  const uint64_t start_ns = now_window();
  auto windows = windows_of(8, 3, start_ns);
  const uint64_t with_library_hash = windows[1].comm_id_hash, library_hash = 0xc0ffee'0000'0001;
  for (auto& window : windows) {
    if (window.comm_id_hash == with_library_hash) window.library_hash = library_hash;
    window.is_gone = window.rank == 8207;
  }
  sender_->add(windows);
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 1; }));
  const auto request = receiver.requests().front();
  EXPECT_THAT(request.head, HasSubstr("POST /v1/metrics "));
  EXPECT_THAT(request.head, HasSubstr("Bearer secret"));
  EXPECT_LT(request.body.size(), kMaxBytes);
  RecordProperty("compressed_bytes", static_cast<int>(request.body.size()));
  const wire::Batch batch = read(request);
  ASSERT_THAT(batch.windows, SizeIs(24));
  int devices = 0;
  for (const wire::Window& got : batch.windows) {
    const uint64_t communicator = got.comm_id_hash.value_or(got.communicator);
    EXPECT_EQ(got.communicator, communicator == with_library_hash ? library_hash : communicator);
    EXPECT_EQ(got.comm_id_hash.has_value(), communicator == with_library_hash);
    const uint32_t rank = got.rank - 8200;
    correlate::RankWindow sent;
    for (uint64_t one = 1; one <= 3; ++one) {
      if (window_of(rank, one, start_ns).comm_id_hash == communicator) sent = window_of(rank, one, start_ns);
    }
    ASSERT_EQ(sent.comm_id_hash, communicator);
    EXPECT_EQ(got.sender.cluster, "train");
    EXPECT_EQ(got.sender.node, "gpu-01");
    EXPECT_EQ(got.start_ns, sent.start_ns);
    EXPECT_EQ(got.end_ns, sent.end_ns);
    EXPECT_EQ(got.comm_rank, sent.comm_rank);
    EXPECT_EQ(got.nranks, sent.nranks);
    EXPECT_EQ(got.count, sent.measured);
    EXPECT_DOUBLE_EQ(*got.work_s, static_cast<double>(*sent.median_ns) / 1e9);
    EXPECT_DOUBLE_EQ(*got.work_total_s, static_cast<double>(sent.work_ns) / 1e9);
    EXPECT_EQ(got.blocked, sent.blocked);
    EXPECT_DOUBLE_EQ(got.wait_s, static_cast<double>(sent.wait_ns) / 1e9);
    EXPECT_EQ(got.bytes, static_cast<int64_t>(sent.bytes));
    EXPECT_EQ(got.entered, static_cast<int64_t>(*sent.entered));
    EXPECT_EQ(got.left, static_cast<int64_t>(*sent.left));
    EXPECT_EQ(got.is_gone, rank == 7);
    EXPECT_EQ(got.operation, sent.call == 0 ? "ALL_REDUCE" : "REDUCE_SCATTER");
    ASSERT_THAT(got.arrivals, SizeIs(sent.arrivals.size()));
    for (size_t i = 0; i < sent.arrivals.size(); ++i) {
      EXPECT_EQ(got.arrivals[i].number, sent.arrivals[i].number);
      EXPECT_EQ(got.arrivals[i].entered_ns, sent.arrivals[i].entered_ns);
      EXPECT_EQ(got.arrivals[i].left_ns, sent.arrivals[i].left_ns);
      EXPECT_EQ(got.arrivals[i].bytes, static_cast<int64_t>(sent.arrivals[i].bytes));
      EXPECT_EQ(got.arrivals[i].operation, got.operation);
    }
    if (!got.device) continue;
    ++devices;
    EXPECT_EQ(got.device->id, sent.device->uuid);
    EXPECT_EQ(got.device->model, sent.device->model);
    EXPECT_EQ(got.device->sm_clock_hertz, sent.device->sm_clock_hertz);
    EXPECT_EQ(got.device->throttle_reasons, sent.device->throttle_reasons);
  }
  EXPECT_EQ(devices, 8);  // with one of the windows of each rank
  sender_->stop();
  // Seven metrics of each window, the state of three, four reasons, five of the device and ten arrivals of each rank.
  EXPECT_EQ(sender_->health().accepted, 24U * 7 + 3 + 8 * (4 + 5 + 10));
}

TEST_F(SendTest, AWindowWithoutEvidenceIsNotCompared) {
  RawReceiver receiver(accept);
  to(receiver);
  start();
  auto window = window_of(0, 1, now_window());
  window.measured = window.work_ns = 0;
  window.median_ns.reset();
  sender_->add({window});
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 1; }));
  const wire::Batch batch = read(receiver.requests().front());
  ASSERT_THAT(batch.windows, SizeIs(1));
  EXPECT_FALSE(batch.windows[0].work_s.has_value());
  EXPECT_EQ(batch.windows[0].bytes, static_cast<int64_t>(window.bytes));
}

TEST_F(SendTest, BytesAreOfTheCollectivesThatAreCounted) {
  RawReceiver receiver(accept);
  to(receiver);
  start();
  auto window = window_of(0, 1, now_window());
  window.collectives = window.measured + 1;
  window.bytes = window.measured_bytes + 4096;
  sender_->add({window});
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 1; }));
  const wire::Batch batch = read(receiver.requests().front());
  ASSERT_THAT(batch.windows, SizeIs(1));
  EXPECT_EQ(batch.windows[0].count, window.measured);
  EXPECT_EQ(batch.windows[0].bytes, static_cast<int64_t>(window.measured_bytes));
}

TEST_F(SendTest, WhereARankIsWithoutNumbersIsSaid) {
  RawReceiver receiver(accept);
  to(receiver);
  start();
  const uint64_t start_ns = now_window() - now_window() % (4 * kPeriodNs);
  std::vector<correlate::RankWindow> windows;
  for (const uint32_t rank : {0, 512, 513}) {
    auto& window = windows.emplace_back(window_of(rank, 1, start_ns));
    window.activity = correlate::RankActivity();
    window.progress = {0, 70, 69, start_ns + 8, {{0, 1000}, {1, 1000}, {0, 1000}}};
    if (rank == 512) continue;
    window.progress->base = 3;
    window.entered.reset();
    window.left.reset();
  }
  windows.push_back(window_of(514, 1, start_ns));
  windows.back().progress = {0, 70, 69, start_ns + 8, {}};
  sender_->add(windows);
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 1; }));
  const wire::Batch batch = read(receiver.requests().front());
  ASSERT_THAT(batch.windows, SizeIs(4));
  for (const wire::Window& got : batch.windows) {
    const uint32_t rank = got.rank - 8200;
    EXPECT_EQ(got.progress.has_value(), rank != 514) << "a few of those with numbers are enough";
    if (!got.progress) continue;
    EXPECT_EQ((std::tuple(got.progress->base, got.progress->entered, got.progress->left, got.progress->left_ns)),
              std::tuple(rank == 512 ? 0 : 3, 70, 69, start_ns + 8));
    ASSERT_THAT(got.progress->recent, SizeIs(12));
    EXPECT_EQ(got.progress->recent.substr(0, 4), got.progress->recent.substr(8, 4));
    EXPECT_NE(got.progress->recent.substr(0, 4), got.progress->recent.substr(4, 4));
    EXPECT_EQ(got.entered.has_value(), rank == 512);
    EXPECT_TRUE(got.activity);
  }
}

TEST_F(SendTest, JobsAndWindowsAreRequestsOfTheirOwn) {
  RawReceiver receiver(accept);
  to(receiver);
  start();
  auto windows = windows_of(2, 1, now_window());
  windows[1].job = "4711";
  windows.push_back(window_of(0, 1, now_window() - kPeriodNs));
  sender_->add(std::move(windows));
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 3; }));
  std::set<std::string> jobs;
  for (const auto& request : receiver.requests()) jobs.insert(read(request).windows.at(0).sender.job);
  EXPECT_EQ(jobs, (std::set<std::string>{"", "4711"}));
}

TEST_F(SendTest, WhatABusyServerRefusesForNowIsSentAgainInOrder) {
  std::atomic<bool> is_busy = true;
  RawReceiver receiver([&](const RawReceiver::Request&, size_t, int) {
    return is_busy ? RawReceiver::http("503 Service Unavailable", "Retry-After: 1\r\n") : RawReceiver::http("200 OK");
  });
  to(receiver);
  start();
  const uint64_t first_ns = now_window() - kPeriodNs;
  sender_->add(windows_of(1, 1, first_ns));
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 1; }));
  const auto asked = std::chrono::steady_clock::now();
  is_busy = false;
  sender_->add(windows_of(1, 1, first_ns + kPeriodNs));
  ASSERT_TRUE(within(10s, [&] { return receiver.requests().size() == 3; }));
  EXPECT_GE(std::chrono::steady_clock::now() - asked, 900ms);  // as the server asked
  const auto requests = receiver.requests();
  EXPECT_EQ(requests[0].body, requests[1].body);  // the same bytes, so that it changes nothing twice
  EXPECT_EQ(read(requests[2]).windows.at(0).start_ns, first_ns + kPeriodNs);
  sender_->stop();
  EXPECT_EQ(sender_->health().accepted, 2U * kPointsOfOne);
  EXPECT_EQ(sender_->health().failed_tries, 1U);
  EXPECT_EQ(dropped_, 0U);
}

TEST_F(SendTest, WithoutAServerTheOldestGiveWayAndNobodyWaits) {
  options_.max_waiting = 4;
  options_.stop_ns = 100 * kMs;
  {
    RawReceiver gone(accept);
    to(gone);
  }
  start();
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < 20; ++i) sender_->add(windows_of(1, 1, now_window() - i * kPeriodNs));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  EXPECT_TRUE(within(10s, [&] { return dropped_ >= 16 * kPointsOfOne && sender_->health().failed_tries > 0; }));
  EXPECT_EQ(sender_->health().accepted, 0U);
  EXPECT_THAT(sender_->health().last_error, HasSubstr("127.0.0.1"));
  sender_->stop();
  EXPECT_EQ(dropped_, 20U * kPointsOfOne);  // every point is accounted for
}

TEST_F(SendTest, WhatTheServerWillNeverTakeIsCountedAndNotSentAgain) {
  RawReceiver receiver([&](const RawReceiver::Request&, size_t, int) { return RawReceiver::http("400 Bad Request"); });
  to(receiver);
  start();
  sender_->add(windows_of(1, 1, now_window()));
  EXPECT_TRUE(within(5s, [&] { return refused_ == kPointsOfOne; }));
  std::this_thread::sleep_for(50ms);
  EXPECT_THAT(receiver.requests(), SizeIs(1));
}

std::vector<wire::Point> points_in(const std::vector<RawReceiver::Request>& requests, std::string_view metric) {
  std::vector<wire::Point> all;
  for (const auto& request : requests) {
    const auto body = wire::inflate_gzip(request.body);
    wire::Collector collector(system_clock().wall_ns());
    if (!body.ok() || !wire::read_protobuf(*body, collector).ok()) continue;
    for (auto& point : collector.take().points) {
      if (point.metric == metric) all.push_back(std::move(point));
    }
  }
  return all;
}

TEST_F(SendTest, AMachineThatTheServerFindsSlowCallsItselfAStragglerUntilItIsNot) {
  std::atomic<bool> is_slow = true;
  RawReceiver receiver([&](const RawReceiver::Request&, size_t, int) {
    return RawReceiver::http("200 OK", fmt::format("X-Ingero-Threshold: 0.95\r\nX-Ingero-Quorum-Met: true\r\n"
                                                   "X-Ingero-Score: {}\r\n",
                                                   is_slow ? "0.7692" : "0.991"));
  });
  to(receiver);
  start();
  const auto stragglers = [&] { return points_in(receiver.requests(), "ingero.node.straggler_event"); };
  uint64_t sent = 0;
  const auto send_until = [&](size_t count) {
    return within(10s, [&] {
      sender_->add({window_of(0, 1, now_window() - kPeriodNs * (3 - ++sent % 3))});
      std::this_thread::sleep_for(20ms);
      return stragglers().size() >= count;
    });
  };
  ASSERT_TRUE(send_until(2)) << "a straggler says so again and again";
  EXPECT_TRUE(sender_->health().node.is_straggler);
  is_slow = false;
  ASSERT_TRUE(within(10s, [&] {
    sender_->add({window_of(0, 1, now_window())});
    std::this_thread::sleep_for(20ms);
    return stragglers().back().value_double == 0;
  }));
  sender_->stop();
  std::set<std::string> events;
  const auto all = stragglers();
  for (const wire::Point& point : all) {
    const Json attributes = parse_json(point.attributes);
    EXPECT_EQ(text_member(attributes, "ingero.detection_mode"), "fleet");
    EXPECT_EQ(text_member(attributes, "ingero.node.state"), "active");
    EXPECT_EQ(text_member(attributes, "dominant_signal"), "throughput");
    EXPECT_DOUBLE_EQ(attributes.at("threshold").get<double>(), 0.95);
    EXPECT_DOUBLE_EQ(attributes.at("score").get<double>(), point.value_double == 0 ? 0.991 : 0.7692);
    events.insert(text_member(attributes, "ingero.event.id"));
  }
  EXPECT_EQ(std::ranges::count(all, 0.0, [](const auto& point) { return *point.value_double; }), 1)
      << "it is over once";
  EXPECT_THAT(events, SizeIs(1)) << "one event from its begin to its end";
  const auto scores = points_in(receiver.requests(), "ingero.node.health_score");
  ASSERT_FALSE(scores.empty());
  EXPECT_DOUBLE_EQ(*scores.front().value_double, 0.7692);
}

TEST_F(SendTest, WhereAnswersHaveNoThresholdItIsAskedFor) {
  std::atomic<int> asked = 0;
  RawReceiver receiver([&](const RawReceiver::Request& request, size_t, int) {
    if (request.head.find("GET /api/v1/threshold?cluster_id=train&node_id=gpu-01 ") == std::string::npos) {
      return RawReceiver::http("200 OK");
    }
    ++asked;
    return RawReceiver::http("200 OK", "", R"({"threshold": 0.9, "quorum_met": true, "score": 0.5})");
  });
  to(receiver);
  auto source = ThresholdSource::make(options_.receiver.endpoint, options_.receiver, {}, "train", "gpu-01");
  ASSERT_TRUE(source.ok());
  options_.threshold = *source;
  start();
  ASSERT_TRUE(within(5s, [&] { return asked == 1; }));
  EXPECT_TRUE(within(5s, [&] {
    sender_->add({window_of(0, 1, now_window())});
    std::this_thread::sleep_for(20ms);
    return sender_->health().node.is_straggler;
  }));
  EXPECT_EQ(asked, 1) << "once in some ten seconds";
}

hal::CausalChain chain_of(const std::string& id, const std::string& severity = "HIGH") {
  hal::CausalChain chain;
  chain.id = id;
  chain.severity = severity;
  chain.rank = 3;
  chain.summary = "rank 3 waits for a CPU";
  chain.lost_ns = 250 * kMs;
  chain.end_wall_ns = system_clock().wall_ns() + 1;
  return chain;
}

// Two ranks in three communicators each.
TEST_F(SendTest, AStackIsNamedOnceForAllCommunicatorsOfARank) {
  RawReceiver receiver(accept);
  to(receiver);
  start();
  auto windows = windows_of(2, 3, now_window());
  for (auto& window : windows) {
    window.activity = {correlate::Activity::kInCall, 1, window.rank, window.start_ns, 40 + window.rank};
  }
  sender_->add(windows);
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 1; }));
  EXPECT_EQ(stacks_named_, 2U);
  const wire::Batch batch = read(receiver.requests()[0]);
  ASSERT_THAT(batch.windows, SizeIs(6));
  for (const auto& window : batch.windows) {
    ASSERT_TRUE(window.activity);
    EXPECT_EQ(window.activity->stack, "step\nmain");
    EXPECT_EQ(window.activity->line, "train.py:7 in step");
  }
}

TEST_F(SendTest, WhereNothingIsSentItSaysThatItIsThere) {
  RawReceiver receiver(accept);
  to(receiver);
  options_.heartbeat_ns = 200 * kMs;
  start();
  std::this_thread::sleep_for(1100ms);
  const auto idle = receiver.requests();
  EXPECT_GE(idle.size(), 3U);
  EXPECT_LE(idle.size(), 6U);
  const wire::Batch batch = read(idle.front());
  ASSERT_THAT(batch.idle, SizeIs(1));
  EXPECT_EQ(batch.idle[0].cluster, "train");
  EXPECT_EQ(batch.idle[0].node, "gpu-01");
  EXPECT_FALSE(batch.idle[0].instance.empty());
  EXPECT_EQ(batch.received, 0U);
  EXPECT_LE(idle.front().body.size(), 256U);
  // Windows say it too.
  for (int i = 0; i < 10; ++i) {
    sender_->add(windows_of(1, 1, now_window()));
    std::this_thread::sleep_for(100ms);
  }
  size_t later = 0;
  for (const auto& request : receiver.requests()) later += read(request).idle.size();
  EXPECT_LE(later, idle.size() + 1);
}

// A receiver that takes nothing is not flooded with them later.
TEST_F(SendTest, OneHeartbeatWaitsAtMost) {
  RawReceiver receiver([](const RawReceiver::Request&, size_t, int) {
    return RawReceiver::http("503 Service Unavailable", "Retry-After: 3600\r\n");
  });
  to(receiver);
  options_.heartbeat_ns = 20 * kMs;
  start();
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(sender_->health().waiting_requests, 1U);
}

TEST_F(SendTest, IncidentsGoAtOnceAndThenOnceInASecondAtMost) {
  RawReceiver receiver(accept);
  to(receiver);
  options_.between_incidents_ns = 400 * kMs;
  options_.recording_node = "gpu-one";
  start();
  sender_->add(chain_of("low", "MEDIUM"));
  const auto begin = std::chrono::steady_clock::now();
  sender_->add(chain_of("first"));
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 1; }));
  for (int i = 0; i < 50; ++i) sender_->add(chain_of("n" + std::to_string(i % 5)));
  sender_->add(chain_of("first"));  // nothing has changed
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 2; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 390ms);
  std::this_thread::sleep_for(500ms);
  ASSERT_THAT(receiver.requests(), SizeIs(2));
  const wire::Batch batch = read(receiver.requests()[0]);
  ASSERT_THAT(batch.points, SizeIs(1));
  EXPECT_EQ(batch.points[0].metric, "ingero.causal_chain");
  EXPECT_EQ(batch.points[0].rank, 3);
  EXPECT_DOUBLE_EQ(*batch.points[0].value_double, 0.25);
  EXPECT_THAT(batch.points[0].attributes, HasSubstr(R"("causal_chain_id":"gpu-one:first")"));
  EXPECT_THAT(batch.points[0].attributes, HasSubstr(R"("severity":"HIGH")"));
  EXPECT_THAT(read(receiver.requests()[1]).points, SizeIs(5));
  auto over = chain_of("first");
  over.resolved = true;
  sender_->add(over);
  ASSERT_TRUE(within(5s, [&] { return receiver.requests().size() == 3; }));
  EXPECT_THAT(read(receiver.requests()[2]).points.at(0).attributes, HasSubstr(R"("state":"over")"));
}

TEST_F(SendTest, AnIncidentThatIsRefusedForAnHourHoldsBackNoWindows) {
  std::atomic<bool> are_incidents_refused = true;
  RawReceiver receiver([&](const RawReceiver::Request& request, size_t, int) {
    return are_incidents_refused && !read(request).points.empty()
               ? RawReceiver::http("429 Too Many Requests", "Retry-After: 3600\r\n")
               : RawReceiver::http("200 OK");
  });
  to(receiver);
  options_.between_incidents_ns = kMs;
  start();
  sender_->add(chain_of("first"));
  ASSERT_TRUE(within(5s, [&] { return sender_->health().failed_tries == 1; }));
  sender_->add(windows_of(1, 1, now_window()));
  EXPECT_TRUE(within(5s, [&] { return sender_->health().accepted == kPointsOfOne; }));
  // Not tried before the hour is over, nor are others.
  sender_->add(chain_of("second"));
  sender_->add(windows_of(1, 1, now_window() - kPeriodNs));
  EXPECT_TRUE(within(5s, [&] { return sender_->health().accepted == 2 * kPointsOfOne; }));
  EXPECT_EQ(sender_->health().failed_tries, 1U);
  EXPECT_EQ(sender_->backlog().incidents, 1U);
  are_incidents_refused = false;
  sender_->stop();  // one more try of all that waits
  EXPECT_EQ(sender_->health().accepted, 2 * kPointsOfOne + 2);
  EXPECT_EQ(dropped_, 0U);
}

}  // namespace
}  // namespace ingero::fleet::send
