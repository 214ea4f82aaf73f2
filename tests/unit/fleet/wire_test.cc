// OTLP metrics as senders have them, in protobuf and JSON: what is read, and what is refused with its reason.
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "fleet/wire/inflate.h"
#include "fleet/wire/metrics_json.h"
#include "fleet/wire/protobuf.h"
#include "unit/fleet/otlp_maker.h"

namespace ingero::fleet::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kReceived_ns = 1'800'000'000'000'000'000;

Batch read(const std::string& body) {
  Collector collector(kReceived_ns);
  const Status status = read_protobuf(body, collector);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().text());
  return collector.take();
}

Batch read_text(const std::string& body) {
  Collector collector(kReceived_ns);
  const Status status = read_json(body, collector);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().text());
  return collector.take();
}

std::string refused(const Batch& batch) {
  std::string all;
  for (const auto& [reason, count] : batch.refused) all += reason + " x" + std::to_string(count) + "; ";
  return all;
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(ProtobufMetrics, KeepEveryAttribute) {
  Message point = gauge_point(kReceived_ns, 0.875);
  point.message(7, attribute("ingero.node.state", "active")).message(7, attribute("causal_chain_id", "c-1"));
  point.message(7, attribute("nccl.rank", 3)).message(7, attribute("nccl.nranks", 8));
  point.message(7, attribute("big", std::numeric_limits<int64_t>::max()));
  Message from = resource("train", "gpu-01");
  from.message(1, attribute("ingero.provider", "lab"));
  const Batch batch = read(request(from, {gauge("ingero.node.health_score", point)}));
  ASSERT_EQ(batch.points.size(), 1U) << refused(batch);
  const Point& one = batch.points.front();
  EXPECT_EQ(one.sender.cluster, "train");
  EXPECT_EQ(one.sender.node, "gpu-01");
  EXPECT_EQ(one.metric, "ingero.node.health_score");
  EXPECT_EQ(one.rank, 3);
  EXPECT_EQ(one.nranks, 8);
  EXPECT_EQ(one.value_double, 0.875);
  EXPECT_FALSE(one.value_int);
  EXPECT_EQ(
      one.attributes,
      R"({"big":9223372036854775807,"causal_chain_id":"c-1","ingero.node.state":"active","ingero.provider":"lab",)"
      R"("nccl.nranks":8,"nccl.rank":3})");
}

TEST(ProtobufMetrics, AreReadInAnyOrderOfFields) {
  const Message scope =
      Message().message(2, Message().message(5, Message().message(1, gauge_point(kReceived_ns, 1))).text(1, "m"));
  const Batch batch = read(Message().message(1, Message().message(2, scope).message(1, resource("c", "n"))).bytes());
  ASSERT_EQ(batch.points.size(), 1U) << refused(batch);
  EXPECT_EQ(batch.points.front().sender.node, "n");
  EXPECT_EQ(batch.points.front().metric, "m");
}

TEST(ProtobufMetrics, DistributionsAreSumAndCount) {
  const Message point = Message().fixed(3, kReceived_ns).fixed(4, 7).real(5, 3.5);
  const Batch batch = read(request(resource("c", "n"), {histogram("h", point)}));
  ASSERT_EQ(batch.points.size(), 1U);
  EXPECT_EQ(batch.points.front().value_double, 3.5);
  EXPECT_EQ(batch.points.front().value_int, 7);
}

TEST(ProtobufMetrics, WithoutANodeOrWithWrongValuesAreRefusedWithTheReason) {
  const auto one = [](const Message& point) { return read(request(resource("c", "n"), {gauge("m", point)})); };
  EXPECT_THAT(refused(read(request(Message(), {gauge("m", gauge_point(kReceived_ns, 1))}))),
              HasSubstr("names no node"));
  EXPECT_THAT(refused(one(gauge_point(kReceived_ns, std::nan("")))), HasSubstr("not a finite number"));
  EXPECT_THAT(refused(one(gauge_point(kReceived_ns, INFINITY))), HasSubstr("not a finite number"));
  EXPECT_THAT(refused(one(gauge_point(0, 1))), HasSubstr("30 days"));
  EXPECT_THAT(refused(one(gauge_point(UINT64_MAX, 1))), HasSubstr("10 minutes ahead"));
  EXPECT_THAT(refused(one(gauge_point(kReceived_ns + kMaxAhead_ns, 1))), IsEmpty());
  Message nine = gauge_point(kReceived_ns, 1);
  nine.message(7, attribute("nccl.rank", 9)).message(7, attribute("nccl.nranks", 8));
  EXPECT_THAT(refused(one(nine)), HasSubstr("not below the number of ranks"));
  EXPECT_THAT(refused(one(gauge_point(kReceived_ns, 1).message(7, attribute("nccl.rank", -1)))), HasSubstr("negative"));
  EXPECT_THAT(refused(one(gauge_point(kReceived_ns, 1).message(7, attribute(std::string(129, 'k'), 1)))),
              HasSubstr("128 bytes"));
  EXPECT_THAT(refused(one(gauge_point(kReceived_ns, 1).message(7, attribute("k", std::string(5000, 'v'))))),
              HasSubstr("4 KiB"));
  Message many = gauge_point(kReceived_ns, 1);
  for (int i = 0; i < 65; ++i) many.message(7, attribute("k" + std::to_string(i), 1));
  EXPECT_THAT(refused(one(many)), HasSubstr("more than 64 attributes"));
  Message deep = Message().whole(3, 1);
  for (int i = 0; i < 20; ++i) deep = Message().message(5, Message().message(1, deep));
  EXPECT_THAT(refused(one(gauge_point(kReceived_ns, 1).message(7, Message().text(1, "k").message(2, deep)))),
              HasSubstr("nested"));
}

TEST(ProtobufMetrics, ANameIsWholeAndTextOrANumber) {
  const auto of = [](const std::string& key, const auto& value) {
    Message from = resource("train", "gpu-01");
    from.message(1, attribute(key, value));
    return read(request(from, {gauge("m", gauge_point(kReceived_ns, 1))}));
  };
  for (const char* key : {"ingero.node.id", "ingero.cluster.id", "ingero.job.id"}) {
    const Batch whole = of(key, std::string(kMaxIdBytes, 'n'));
    EXPECT_THAT(refused(whole), IsEmpty()) << key;
    const Batch longer = of(key, std::string(kMaxIdBytes + 1, 'n'));
    EXPECT_THAT(refused(longer), HasSubstr("longer than 128 bytes")) << key;
    EXPECT_THAT(longer.points, IsEmpty()) << key;
  }
  const Batch numbered = of("ingero.cluster.id", 7);
  ASSERT_EQ(numbered.points.size(), 1U) << refused(numbered);
  EXPECT_EQ(numbered.points[0].sender.cluster, "7");
  Message list = resource("train", "gpu-01");
  const Message items = Message().message(5, Message().message(1, Message().text(1, "train")));
  list.message(1, Message().text(1, "ingero.cluster.id").message(2, items));
  EXPECT_THAT(refused(read(request(list, {gauge("m", gauge_point(kReceived_ns, 1))}))), HasSubstr("neither text nor"));
  const Batch empty = of("ingero.cluster.id", "");
  ASSERT_EQ(empty.points.size(), 1U) << refused(empty);
  EXPECT_EQ(empty.points[0].sender.cluster, "default");
}

// That of the resource is another's.
TEST(ProtobufMetrics, ARankThatIsNoWholeNumberIsRefusedThoughTheResourceNamesOne) {
  Message from = resource("c", "n");
  from.message(1, attribute("ingero.node.rank", 3));
  const auto of = [&](const Message& value) {
    return read(request(
        from,
        {gauge("m", gauge_point(kReceived_ns, 1).message(7, Message().text(1, "ingero.rank").message(2, value)))}));
  };
  EXPECT_THAT(refused(of(Message().real(4, 5.5))), HasSubstr("not a whole number"));
  EXPECT_THAT(refused(of(Message().text(1, "five"))), HasSubstr("not a whole number"));
  const Batch empty = of(Message().text(1, ""));
  ASSERT_EQ(empty.points.size(), 1U) << refused(empty);
  EXPECT_EQ(empty.points[0].rank, 3);
}

TEST(ProtobufMetrics, TwoMetersPointsAreTwo) {
  const auto scope = [](const std::string& name, const std::string& version) {
    return Message()
        .message(2, gauge("m", gauge_point(kReceived_ns, 1)))
        .message(1, Message().text(1, name).text(2, version));
  };
  Message all = Message().message(1, resource("c", "n"));
  for (const auto& [name, version] : {std::pair("a", "1"), {"b", "1"}, {"a", "2"}})
    all.message(2, scope(name, version));
  all.message(2, Message().message(2, gauge("m", gauge_point(kReceived_ns, 1))));
  const Batch batch = read(Message().message(1, all).bytes());
  ASSERT_EQ(batch.points.size(), 4U) << refused(batch);
  std::set<uint64_t> hashes;
  for (const Point& point : batch.points) hashes.insert(point.hash);
  EXPECT_EQ(hashes.size(), 4U);
  const Batch json = read_text(R"({"resourceMetrics":[{"resource":{"attributes":[
      {"key":"ingero.node.id","value":{"stringValue":"n"}},{"key":"ingero.cluster.id","value":{"stringValue":"c"}}]},
    "scopeMetrics":[{"scope":{"name":"b","version":"1"},"metrics":[
      {"name":"m","gauge":{"dataPoints":[{"timeUnixNano":"1800000000000000000","asDouble":1}]}}]}]}]})");
  ASSERT_EQ(json.points.size(), 1U) << refused(json);
  EXPECT_EQ(json.points[0].hash, batch.points[1].hash);
}

TEST(ProtobufMetrics, AHealthScoreIsAShare) {
  const auto scored = [](double score) {
    return refused(
        read(request(resource("c", "n"), {gauge(std::string(kScoreMetric), gauge_point(kReceived_ns, score))})));
  };
  EXPECT_THAT(scored(0), IsEmpty());
  EXPECT_THAT(scored(1), IsEmpty());
  EXPECT_THAT(scored(-1), HasSubstr("from 0 to 1"));
  EXPECT_THAT(scored(1e300), HasSubstr("from 0 to 1"));
}

TEST(ProtobufMetrics, AreAtMost20000InARequest) {
  std::vector<Message> metrics(20'005, gauge("m", gauge_point(kReceived_ns, 1)));
  const Batch batch = read(request(resource("c", "n"), metrics));
  EXPECT_EQ(batch.points.size(), kMaxPoints);
  EXPECT_EQ(batch.refused_count(), 5U);
}

TEST(ProtobufMetrics, CutOrChangedAnywhereNeverHarm) {
  Message point = gauge_point(kReceived_ns, 1, kReceived_ns - 5);
  point.message(7, attribute("ingero.rank", 1)).message(7, attribute("k", "v"));
  const std::string whole = request(resource("c", "n"), {gauge("m", point), histogram("h", point), sum("s", point)});
  for (size_t i = 0; i < whole.size(); ++i) {
    Collector cut(kReceived_ns);
    (void)read_protobuf(std::string_view(whole).substr(0, i), cut);
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(value);
      Collector collector(kReceived_ns);
      (void)read_protobuf(changed, collector);
      EXPECT_LE(collector.take().points.size(), 3U);
    }
  }
}

TEST(JsonMetrics, SayTheSameAsProtobuf) {
  const Batch batch = read_text(R"({"resourceMetrics":[{"resource":{"attributes":[
      {"key":"ingero.cluster.id","value":{"stringValue":"train"}},{"key":"ingero.node.id","value":{"stringValue":"gpu-01"}}]},
    "scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{"timeUnixNano":"1800000000000000000","asInt":"9007199254740993",
      "attributes":[{"key":"nccl.rank","value":{"intValue":"3"}},{"key":"b","value":{"boolValue":true}},
        {"key":"list","value":{"arrayValue":{"values":[{"intValue":1},{"stringValue":"x"}]}}},
        {"key":"map","value":{"kvlistValue":{"values":[{"key":"d","value":{"doubleValue":0.5}}]}}}]}]}},
      {"name":"s","sum":{"dataPoints":[{"timeUnixNano":1800000000000000000,"asDouble":2.5}]}},
      {"name":"h","histogram":{"dataPoints":[{"timeUnixNano":"1800000000000000000","count":"4","sum":1.5}]}}]}]}]})");
  ASSERT_EQ(batch.points.size(), 3U) << refused(batch);
  EXPECT_EQ(batch.points[0].value_int, 9007199254740993);
  EXPECT_EQ(batch.points[0].rank, 3);
  EXPECT_EQ(batch.points[0].attributes, R"({"b":true,"list":[1,"x"],"map":{"d":0.5},"nccl.rank":3})");
  EXPECT_EQ(batch.points[1].value_double, 2.5);
  EXPECT_EQ(batch.points[2].value_double, 1.5);
  EXPECT_EQ(batch.points[2].value_int, 4);
}

// What an int64 has to be written as, a double may be.
TEST(JsonMetrics, NumbersMayBeTextAndBytesAreThoseOfTheOtherEncoding) {
  const Batch batch = read_text(
      R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"ingero.node.id","value":{"stringValue":"x"}}]},
    "scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{"timeUnixNano":"1800000000000000000","asDouble":"0.5",
    "attributes":[{"key":"b","value":{"bytesValue":"AAEC_w=="}},{"key":"d","value":{"doubleValue":"-2.5e3"}}]}]}}]}]}]})");
  EXPECT_EQ(refused(batch), "");
  ASSERT_EQ(batch.points.size(), 1U);
  EXPECT_EQ(batch.points[0].value_double, 0.5);
  const Json attributes = parse_json(batch.points[0].attributes);
  EXPECT_EQ(attributes["b"], "000102ff");
  EXPECT_EQ(attributes["d"], -2500);
  for (const char* number : {"Infinity", "-Infinity", "inf", "0.5x", "", " 1", "1e999"}) {
    const Batch none = read_text(fmt::format(
        R"({{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{{"name":"m","gauge":{{"dataPoints":[
        {{"timeUnixNano":"1800000000000000000","asDouble":"{}"}}]}}}}]}}]}}]}})",
        number));
    EXPECT_THAT(none.points, IsEmpty()) << number;
  }
}

TEST(JsonMetrics, ThatAreNoneAreRefused) {
  for (const char* body : {"", "[", "[]", "1", "{\"resourceMetrics\":", "{\"a\":\"\\"}) {
    Collector collector(kReceived_ns);
    EXPECT_FALSE(read_json(body, collector).ok()) << body;
  }
  Collector deep(kReceived_ns);
  EXPECT_FALSE(read_json(std::string(100'000, '['), deep).ok());
  for (const char* body : {R"({"resourceMetrics":{}})", R"({"resourceMetrics":[1,null,{"scopeMetrics":7}]})",
                           R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":5,"gauge":[]}]}]}]})"}) {
    Collector collector(kReceived_ns);
    EXPECT_FALSE(read_json(body, collector).ok()) << body;
  }
  const Batch nan =
      read_text(R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"n"}}]},
    "scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[{"timeUnixNano":"1800000000000000000","asDouble":"NaN"}]}}]}]}]})");
  EXPECT_THAT(refused(nan), HasSubstr("not a finite number"));
}

Message window_point(double value, int64_t rank = 5, int64_t nranks = 8) {
  Message point = gauge_point(kReceived_ns, value, kReceived_ns - 5'000'000'000);
  return point.message(7, attribute("ingero.rank", rank))
      .message(7, attribute("gpu.collective.comm_id_hash", "18446744073709551615"))
      .message(7, attribute("gpu.collective.rank", rank))
      .message(7, attribute("gpu.collective.nranks", nranks));
}

TEST(Windows, ArePutTogetherFromTheirPoints) {
  Message work = Message().fixed(2, kReceived_ns - 5'000'000'000).fixed(3, kReceived_ns).fixed(4, 5).real(5, 4.5);
  work.message(9, attribute("ingero.rank", 5)).message(9, attribute("gpu.collective.nranks", 8));
  work.message(9, attribute("gpu.collective.comm_id_hash", "18446744073709551615"));
  Message off = gauge_point(kReceived_ns, 0.75, kReceived_ns - 5'000'000'000);
  off.message(7, attribute("ingero.rank", 5)).message(7, attribute("reason", "preempted"));
  Message from = resource("train", "gpu-01");
  from.message(1, attribute("ingero.job.id", "j1"));
  const Batch batch =
      read(request(from, {sum("gpu.operation.off_cpu", off), histogram("ingero.fleet.collective.work", work),
                          gauge("ingero.fleet.collective.work.median", window_point(0.8)),
                          sum("ingero.fleet.collective.size", window_point(4096))}));
  EXPECT_THAT(batch.points, IsEmpty());
  ASSERT_EQ(batch.windows.size(), 1U) << refused(batch);
  const Window& one = batch.windows.front();
  EXPECT_EQ(one.sender.job, "j1");
  EXPECT_EQ(one.rank, 5U);
  EXPECT_EQ(one.communicator, UINT64_MAX);
  EXPECT_FALSE(one.comm_id_hash);
  EXPECT_EQ(one.nranks, 8U);
  EXPECT_EQ(one.count, 5U);
  EXPECT_EQ(one.work_s, 0.8);
  EXPECT_EQ(one.work_total_s, 4.5);
  EXPECT_EQ(one.bytes, 4096);
  EXPECT_EQ(one.preempted_s, 0.75);
  EXPECT_EQ(one.end_ns - one.start_ns, 5'000'000'000U);
}

Message state_point(double value, int64_t rank = 5) {
  Message point = gauge_point(kReceived_ns, value, kReceived_ns - 5'000'000'000);
  return point.message(7, attribute("ingero.rank", rank)).message(7, attribute("hw.id", "GPU-1"));
}

Message arrival_point(int64_t number, uint64_t entered_ns) {
  Message point = Message().fixed(2, kReceived_ns - 5'000'000'000).fixed(3, kReceived_ns).fixed(6, entered_ns);
  return point.message(7, attribute("ingero.rank", 5))
      .message(7, attribute("gpu.collective.comm_id_hash", "18446744073709551615"))
      .message(7, attribute("gpu.collective.nranks", 8))
      .message(7, attribute("gpu.collective.number", number));
}

TEST(Windows, HaveTheStateOfTheirRanksDevice) {
  const Batch batch =
      read(request(resource("train", "gpu-01"),
                   {gauge("hw.gpu.utilization", state_point(0.875)), gauge("hw.power", state_point(650.5)),
                    gauge("gpu.clock.sm", state_point(1.1e9)), gauge("gpu.throttle.reasons", state_point(9)),
                    gauge("ingero.fleet.collective.work.median", window_point(0.8))}));
  EXPECT_THAT(refused(batch), IsEmpty());
  EXPECT_THAT(batch.points, IsEmpty());
  ASSERT_EQ(batch.windows.size(), 1U);
  ASSERT_TRUE(batch.windows[0].device);
  const DeviceState& device = *batch.windows[0].device;
  EXPECT_EQ(device.id, "GPU-1");
  EXPECT_EQ(device.utilization_ratio, 0.875);
  EXPECT_EQ(device.power_watts, 650.5);
  EXPECT_EQ(device.sm_clock_hertz, 1.1e9);
  EXPECT_FALSE(device.temperature_celsius);
  EXPECT_EQ(device.throttle_reasons, kThrottlePower | kThrottleHardware);
}

TEST(Windows, HaveTheArrivalsOfTheirRankInTheirCommunicator) {
  const uint64_t entered_ns = kReceived_ns - 1'000'000'000;
  Message left = arrival_point(77, entered_ns);
  left.message(7, attribute("gpu.collective.left_ns", static_cast<int64_t>(entered_ns + 5)));
  left.message(7, attribute("gpu.collective.op_type", "ALL_REDUCE")).message(7, attribute("gpu.collective.size", 64));
  const Batch batch = read(
      request(resource("train", "gpu-01"), {gauge("ingero.fleet.collective.arrival", left),
                                            gauge("ingero.fleet.collective.arrival", arrival_point(78, entered_ns + 9)),
                                            gauge("ingero.fleet.collective.work.median", window_point(0.8))}));
  EXPECT_THAT(refused(batch), IsEmpty());
  ASSERT_EQ(batch.windows.size(), 1U);
  ASSERT_EQ(batch.windows[0].arrivals.size(), 2U);
  const Arrival &first = batch.windows[0].arrivals[0], &second = batch.windows[0].arrivals[1];
  EXPECT_EQ(first.number, 77U);
  EXPECT_EQ(first.entered_ns, entered_ns);
  EXPECT_EQ(first.left_ns, entered_ns + 5);
  EXPECT_EQ(first.operation, "ALL_REDUCE");
  EXPECT_EQ(first.bytes, 64);
  EXPECT_EQ(second.number, 78U);
  EXPECT_FALSE(second.left_ns);
}

Message entered_point() {
  return window_point(7)
      .fixed(6, 7)
      .message(7, attribute("process.pid", int64_t{-1}))
      .message(7, attribute("ingero.rank.since_ns", int64_t{-5}))
      .message(7, attribute("ingero.rank.line", "a\x1b[2J" + std::string(3000, 'b')))
      .message(7, attribute("code.stacktrace", "one\ntwo\x07\n" + std::string(3900, 'c')));
}

TEST(Windows, WhatARankIsDoingIsBoundedAndPrintable) {
  Message entered = entered_point();
  entered.message(7, attribute("ingero.rank.activity", "asleep"));
  const Batch batch = read(request(resource("train", "gpu-01"), {gauge("ingero.fleet.collective.entered", entered)}));
  ASSERT_EQ(batch.windows.size(), 1U);
  EXPECT_EQ(batch.windows[0].pid, std::nullopt);
  ASSERT_TRUE(batch.windows[0].activity);
  const Activity& its = *batch.windows[0].activity;
  EXPECT_EQ(its.kind, ActivityKind::kAsleep);
  EXPECT_EQ(its.since_ns, 0U);
  EXPECT_EQ(its.call, "");
  EXPECT_LE(its.line.size(), kMaxLineBytes + 3);
  EXPECT_EQ(its.line.find('\x1b'), std::string::npos);
  EXPECT_TRUE(its.stack.starts_with("one\ntwo")) << its.stack;
  EXPECT_EQ(its.stack.find('\x07'), std::string::npos);
  EXPECT_LE(its.stack.size(), kMaxStackBytes);
}

TEST(Windows, AnActivityThatIsNotKnownIsNone) {
  Message entered = entered_point();
  entered.message(7, attribute("ingero.rank.activity", "dancing"));
  const Batch batch = read(request(resource("train", "gpu-01"), {gauge("ingero.fleet.collective.entered", entered)}));
  ASSERT_EQ(batch.windows.size(), 1U);
  EXPECT_FALSE(batch.windows[0].activity);
}

TEST(Windows, StatesAndArrivalsThatCannotBeAreRefused) {
  const auto with_window = [](const char* metric, const Message& point) {
    return refused(read(request(
        resource("c", "n"), {gauge(metric, point), gauge("ingero.fleet.collective.work.median", window_point(1))})));
  };
  EXPECT_THAT(with_window("hw.gpu.utilization", state_point(1)), IsEmpty());
  for (const double value : {-0.1, 1.1, 1e300}) {
    EXPECT_THAT(with_window("hw.gpu.utilization", state_point(value)), HasSubstr("not possible")) << value;
  }
  EXPECT_THAT(with_window("gpu.throttle.reasons", state_point(16)), HasSubstr("not possible"));
  EXPECT_THAT(with_window("gpu.clock.sm", state_point(-1)), HasSubstr("not possible"));
  EXPECT_THAT(with_window("hw.power", state_point(1, 6)), HasSubstr("without a window"));
  const uint64_t entered_ns = kReceived_ns - 1'000'000'000;
  const auto arrival = [&](const Message& point) { return with_window("ingero.fleet.collective.arrival", point); };
  EXPECT_THAT(arrival(arrival_point(77, entered_ns)), IsEmpty());
  EXPECT_THAT(arrival(arrival_point(-1, entered_ns)), HasSubstr("names no gpu.collective.number"));
  for (const uint64_t time_ns : {uint64_t{0}, kReceived_ns + 1, kReceived_ns - 700'000'000'000}) {
    EXPECT_THAT(arrival(arrival_point(77, time_ns)), HasSubstr("not of its window")) << time_ns;
  }
  EXPECT_THAT(arrival(arrival_point(77, UINT64_MAX)), HasSubstr("negative"));
  Message early = arrival_point(77, entered_ns);
  early.message(7, attribute("gpu.collective.left_ns", static_cast<int64_t>(entered_ns - 1)));
  EXPECT_THAT(arrival(early), HasSubstr("not of its window"));
  EXPECT_THAT(refused(read(request(resource("c", "n"),
                                   {gauge("ingero.fleet.collective.arrival", arrival_point(77, entered_ns))}))),
              HasSubstr("without its window"));
  // Of another sender, whose devices have no rank: an event as any other.
  const Message foreign = gauge_point(kReceived_ns, 7, kReceived_ns - 5).message(7, attribute("hw.id", "GPU-1"));
  EXPECT_EQ(read(request(resource("c", "n"), {gauge("hw.gpu.utilization", foreign)})).points.size(), 1U);
}

TEST(Windows, ThatCannotBeAreRefused) {
  const auto of = [](const Message& point) {
    return refused(read(request(resource("c", "n"), {gauge("ingero.fleet.collective.work.median", point)})));
  };
  EXPECT_THAT(of(window_point(0.5)), IsEmpty());
  EXPECT_THAT(of(window_point(-1)), HasSubstr("negative"));
  EXPECT_THAT(of(window_point(0.5, 9, 8)), HasSubstr("not below the number of ranks"));
  EXPECT_THAT(of(gauge_point(kReceived_ns, 1, kReceived_ns - 5)), HasSubstr("names no ingero.rank"));
  Message endless = window_point(0.5);
  endless.fixed(2, kReceived_ns);
  EXPECT_THAT(of(endless), HasSubstr("begin before its end"));
  Message old = window_point(0.5);
  old.fixed(3, kReceived_ns - kMaxWindowAge_ns - 1);
  EXPECT_THAT(of(old), HasSubstr("older than an hour"));
}

TEST(Gzip, IsUnpackedWithinBounds) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(*inflate_gzip(gzipped(text)), text);
  EXPECT_FALSE(inflate_gzip("not gzip").ok());
  EXPECT_FALSE(inflate_gzip("").ok());
  const std::string packed = gzipped("some words");
  EXPECT_FALSE(inflate_gzip(packed.substr(0, packed.size() - 1)).ok());
  EXPECT_FALSE(inflate_gzip(packed + "x").ok());
  EXPECT_EQ(*inflate_gzip(packed + gzipped("") + gzipped(" more")), "some words more");
  EXPECT_FALSE(inflate_gzip(packed + packed.substr(1)).ok());
  const auto bomb = inflate_gzip(gzipped(std::string(20 << 20, '\0')));
  ASSERT_FALSE(bomb.ok());
  EXPECT_EQ(bomb.error().code(), Errc::kFull);
}

TEST(Answers, SayHowManyWereRefusedAndWhy) {
  EXPECT_EQ(protobuf_answer(0, ""), "");
  EXPECT_EQ(protobuf_answer(3, "why"), std::string("\x0a\x07\x08\x03\x12\x03why", 9));
  EXPECT_EQ(protobuf_error(3, "no"), std::string("\x08\x03\x12\x02no", 6));
}

}  // namespace
}  // namespace ingero::fleet::wire
