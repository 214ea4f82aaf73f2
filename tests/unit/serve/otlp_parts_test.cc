// The pure parts of the sender: endpoints, headers, answers, back-off, names, and the two forms of a request.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <protozero/pbf_writer.hpp>
#include <zlib.h>

#include "serve/metrics/metric_names.h"
#include "serve/net/gzip.h"
#include "serve/otlp/answer.h"
#include "serve/otlp/backoff.h"
#include "serve/otlp/encode.h"
#include "serve/otlp/endpoint.h"
#include "serve/otlp/headers.h"
#include "serve/otlp/names.h"

namespace ingero::serve::otlp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string url(const std::string& text, EndpointRules rules = {}) {
  const auto endpoint = parse_endpoint(text, rules);
  return endpoint.ok() ? endpoint->url() + " " + endpoint->path_of(Signal::kMetrics) : "error";
}

TEST(OtlpEndpoint, IsAUrlOrAHostWithTls) {
  EXPECT_EQ(url("collector"), "https://collector:4318 /v1/metrics");
  EXPECT_EQ(url("collector:9999"), "https://collector:9999 /v1/metrics");
  EXPECT_EQ(url("https://otlp.example.com"), "https://otlp.example.com:443 /v1/metrics");
  EXPECT_EQ(url("https://h/a/b/"), "https://h:443/a/b /a/b/v1/metrics");
  EXPECT_EQ(url("https://h/a/v1/metrics"), "https://h:443/a /a/v1/metrics");
  EXPECT_EQ(url("https://h/v1/traces"), "https://h:443 /v1/metrics");
  EXPECT_EQ(url("http://127.0.0.1:4318"), "http://127.0.0.1:4318 /v1/metrics");
  EXPECT_EQ(url("http://localhost:4318"), "http://localhost:4318 /v1/metrics");
  EXPECT_EQ(url("http://[::1]:4318"), "http://[::1]:4318 /v1/metrics");
  EXPECT_EQ(url("localhost", {.is_plain = true}), "http://localhost:4318 /v1/metrics");
  EXPECT_EQ(url("h", {.protocol = Protocol::kGrpc}), "https://h:4317 /v1/metrics");
  EXPECT_EQ(parse_endpoint("https://h/x", {})->path_of(Signal::kTraces), "/x/v1/traces");
}

TEST(OtlpEndpoint, PlainTextStaysOnThisMachineUnlessAskedFor) {
  for (const char* text : {"http://collector:4318", "http://10.0.0.1", "http://127.0.0.1.example.com:4318",
                           "http://0.0.0.0:4318", "http://localhost.example.com"}) {
    const auto endpoint = parse_endpoint(text, {});
    ASSERT_FALSE(endpoint.ok()) << text;
    EXPECT_THAT(endpoint.error().text(), HasSubstr("--otlp-insecure-allow-non-loopback"));
    EXPECT_TRUE(parse_endpoint(text, {.is_plain_allowed = true}).ok()) << text;
  }
  EXPECT_FALSE(parse_endpoint("collector:4318", {.is_plain = true}).ok());
  // What a name resolves to is held to the same.
  EXPECT_TRUE(parse_endpoint("http://localhost:1", {})->only_loopback);
}

TEST(OtlpEndpoint, RefusesWhatIsNoEndpointWithAReason) {
  for (const char* text :
       {"", "ftp://h", "https://", "https://h:", "https://h:0", "https://h:65536", "https://h:1x", "https://h:-1",
        "https://[::1", "https://[h]:1", "https://[::1]1", "https://h/a?b=c", "https://h/#x", "https://h/a b",
        "h\r\nX: y", "https://h_\x80", "https://a:b:c", "https:///x"}) {
    const auto endpoint = parse_endpoint(text, {});
    EXPECT_FALSE(endpoint.ok()) << text;
    if (!endpoint.ok()) {
      EXPECT_EQ(endpoint.error().code(), Errc::kInvalid);
    }
  }
  EXPECT_FALSE(parse_endpoint(std::string(5000, 'h'), {}).ok());
  EXPECT_FALSE(parse_endpoint("https://h:4317/path", {.protocol = Protocol::kGrpc}).ok());
}

TEST(OtlpEndpoint, ASecretInItIsRefusedAndNotRepeated) {
  const auto endpoint = parse_endpoint("https://user:hunter2@h", {});
  ASSERT_FALSE(endpoint.ok());
  EXPECT_THAT(endpoint.error().text(), Not(HasSubstr("hunter2")));
}

TEST(OtlpHeaders, ComeFromAListOfPercentEncodedPairs) {
  const auto headers = parse_headers_variable("Authorization=Bearer%20abc, x-scope = a=b ,,X-Scope=c", "VARIABLE");
  ASSERT_TRUE(headers.ok()) << headers.error().text();
  EXPECT_EQ(*headers, (Headers{{"authorization", "Bearer abc"}, {"x-scope", "c"}}));
  EXPECT_TRUE(parse_headers_variable("", "VARIABLE")->empty());
}

TEST(OtlpHeaders, CannotBringInAnotherLineOrTheFraming) {
  for (const char* text : {"a=%0d%0aHost: evil", "a=%0A", "a=%00", "a b=c", "=x", "novalue", "a=%2", "a=%zz", "Host=x",
                           "content-length=5", "Transfer-Encoding=chunked", "a\rb=c"}) {
    const auto headers = parse_headers_variable(text, "VARIABLE");
    ASSERT_FALSE(headers.ok()) << text;
    EXPECT_THAT(headers.error().text(), HasSubstr("VARIABLE"));
  }
  const auto secret = parse_headers_variable("authorization=Bearer%20hunter2%0a", "VARIABLE");
  ASSERT_FALSE(secret.ok());
  EXPECT_THAT(secret.error().text(), Not(HasSubstr("hunter2")));
}

TEST(OtlpAnswer, RetryAfterIsSecondsOrADateAndBounded) {
  constexpr uint64_t kNow = 1'445'412'480'000'000'000;  // Wed, 21 Oct 2015 07:28:00 GMT
  EXPECT_EQ(parse_retry_after_ns("7", kNow), 7'000'000'000U);
  EXPECT_EQ(parse_retry_after_ns(" 0 ", kNow), 0U);
  EXPECT_EQ(parse_retry_after_ns("Wed, 21 Oct 2015 07:29:00 GMT", kNow), 60'000'000'000U);
  EXPECT_EQ(parse_retry_after_ns("Wed, 21 Oct 2015 07:00:00 GMT", kNow), 0U);
  EXPECT_EQ(parse_retry_after_ns("999999999999", kNow), kMaxRetryAfterNs);
  EXPECT_EQ(parse_retry_after_ns("99999999999999999999999999", kNow), kMaxRetryAfterNs);
  EXPECT_EQ(parse_retry_after_ns("Fri, 21 Oct 2950 07:28:00 GMT", kNow), kMaxRetryAfterNs);
  for (const char* text : {"", "soon", "-1", "1.5", "0x10", "Wed, 21 Oct 2015"}) {
    EXPECT_FALSE(parse_retry_after_ns(text, kNow)) << text;
  }
}

std::string partial(int64_t rejected, const std::string& message) {
  std::string out;
  protozero::pbf_writer response(out);
  protozero::pbf_writer inner(response, 1);
  inner.add_int64(1, rejected);
  inner.add_string(2, message);
  inner.commit();
  return out;
}

TEST(OtlpAnswer, PartialSuccessIsReadInBothFormsAndNotBelievedPastWhatWasSent) {
  const Answer some = accepted_protobuf(partial(3, "too\nold"), 10);
  EXPECT_EQ(some.send_result, SendResult::kAccepted);
  EXPECT_EQ(some.rejected, 3U);
  EXPECT_EQ(some.message, "too?old");
  EXPECT_EQ(accepted_protobuf(partial(-5, ""), 10).rejected, 0U);
  EXPECT_EQ(accepted_protobuf(partial(INT64_MAX, ""), 10).rejected, 10U);
  EXPECT_EQ(accepted_protobuf("", 10).rejected, 0U);
  EXPECT_EQ(accepted_protobuf("", 10).message, "");
  EXPECT_EQ(accepted_json(R"({"partialSuccess":{"rejectedDataPoints":"4","errorMessage":"old"}})", 10).rejected, 4U);
  EXPECT_EQ(accepted_json(R"({"partialSuccess":{"rejectedSpans":2}})", 10).rejected, 2U);
  EXPECT_EQ(accepted_json("{}", 10).rejected, 0U);
  EXPECT_EQ(accepted_json("", 10).message, "");
}

TEST(OtlpAnswer, BytesThatAreNoAnswerAreASuccessWithAWord) {
  std::string deep(60'000, '[');
  for (const std::string& body :
       {std::string("<html>"), std::string("\xff\xff\xff\xff"), deep, partial(1, "x").substr(1)}) {
    EXPECT_EQ(accepted_protobuf(body, 10).send_result, SendResult::kAccepted);
    EXPECT_EQ(accepted_json(body, 10).send_result, SendResult::kAccepted);
    EXPECT_FALSE(accepted_json(body, 10).message.empty());
  }
  const std::string whole = partial(7, "a message");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_LE(accepted_protobuf(whole.substr(0, size), 10).rejected, 10U);
  }
}

TEST(OtlpAnswer, TheDelayInTheDetailsOfAStatus) {
  const auto status = [](int64_t seconds, int32_t nanos) {
    std::string duration, info, any, out;
    protozero::pbf_writer d(duration);
    d.add_int64(1, seconds);
    d.add_int32(2, nanos);
    protozero::pbf_writer(info).add_message(1, duration);
    protozero::pbf_writer a(any);
    a.add_string(1, "type.googleapis.com/google.rpc.RetryInfo");
    a.add_bytes(2, info);
    protozero::pbf_writer s(out);
    s.add_int32(1, 8);
    s.add_message(3, any);
    return out;
  };
  EXPECT_EQ(retry_delay_ns(status(2, 500'000'000)), 2'500'000'000U);
  EXPECT_EQ(retry_delay_ns(status(-2, -5)), 0U);
  EXPECT_EQ(retry_delay_ns(status(INT64_MAX, INT32_MAX)), kMaxRetryAfterNs);
  EXPECT_FALSE(retry_delay_ns(""));
  EXPECT_FALSE(retry_delay_ns("\xff\xff"));
}

TEST(OtlpBackoff, DoublesWithJitterUpToAMinuteAndKeepsTheReceiversWord) {
  Backoff low, high;
  uint64_t previous = 0;
  for (int i = 0; i < 10; ++i) {
    const uint64_t base = std::min(Backoff::kFirstNs << i, Backoff::kMaxNs);
    EXPECT_EQ(low.next_ns({}, 0), base / 2);
    EXPECT_EQ(high.next_ns({}, base), base / 2 + base);
    EXPECT_GE(base, previous);
    previous = base;
  }
  high.reset();
  EXPECT_EQ(high.next_ns({}, 0), Backoff::kFirstNs / 2);
  EXPECT_GE(low.next_ns(uint64_t{30'000'000'000}, UINT64_MAX / 3), 30'000'000'000U);
  EXPECT_LE(low.next_ns(uint64_t{30'000'000'000}, UINT64_MAX / 3), 31'000'000'000U);
}

std::string_view unit_of(std::string_view name, metrics::MetricType type) { return metric_names(name, type)[0].unit; }

struct PageMetric {
  std::string name;
  metrics::MetricType type;
};
std::vector<PageMetric> page_metrics() {
  return {
#define X(constant, page_name, page_type, labels, help) PageMetric{page_name, metrics::MetricType::page_type},
      INGERO_METRICS(X)
#undef X
  };
}

TEST(OtlpNames, EveryMetricOfThePageHasANameOfItsOwn) {
  std::map<std::string, std::string> seen;
  const auto all = page_metrics();
  const size_t rows = all.size();
  for (const PageMetric& metric : all) {
    for (const MetricName& one : metric_names(metric.name, metric.type)) {
      EXPECT_TRUE(seen.emplace(one.name, metric.name).second)
          << one.name << ": " << seen[one.name] << ", " << metric.name;
      EXPECT_NE(one.type, metrics::MetricType::kUntyped) << one.name;
    }
  }
  EXPECT_GT(rows, 70U);
  EXPECT_GE(seen.size(), rows);
  EXPECT_EQ(seen["gpu.operation.duration"], "gpu_operation_duration_seconds");
  EXPECT_EQ(unit_of("gpu_operation_duration_seconds", metrics::MetricType::kHistogram), "s");
  EXPECT_EQ(unit_of("gpu_copy_bytes_total", metrics::MetricType::kCounter), "By");
}

// Names of the legacy agent that users may query.
TEST(OtlpNames, TheLegacyAgentsNamesAreThere) {
  std::set<std::string> names;
  for (const PageMetric& metric : page_metrics()) {
    for (const MetricName& one : metric_names(metric.name, metric.type)) names.insert(one.name);
  }
  for (const char* reading : {"gpu_memory_used_bytes", "gpu_memory_free_bytes", "gpu_memory_total_bytes",
                              "gpu_throttle_power_active", "gpu_throttle_thermal_active", "gpu_throttle_sw_active",
                              "gpu_throttle_hw_active", "gpu_utilization_ratio", "gpu_power_watts"}) {
    for (const MetricName& one : metric_names(reading, metrics::MetricType::kGauge)) names.insert(one.name);
  }
  for (const char* name :
       {"gpu.cuda.operation.duration", "gpu.cuda.operation.count", "system.cpu.utilization",
        "system.memory.utilization", "system.memory.usage.available", "system.cpu.load_average.1m",
        "nccl.collective.duration_ms", "nccl.collective.bytes", "nccl.collective.barrier_wait_ms",
        "gpu.nccl.process_loaded", "gpu.nccl.processes_total", "gpu.memory.used", "gpu.memory.free", "gpu.memory.total",
        "gpu.memory.fragmentation_estimate", "gpu.memory.process.allocated_bytes", "gpu.memcpy.bytes_total",
        "gpu.memcpy.duration_ms", "gpu.throttle.power_active", "gpu.throttle.thermal_active", "gpu.throttle.sw_active",
        "gpu.throttle.hw_active", "hw.gpu.memory.usage", "hw.gpu.memory.limit", "hw.gpu.utilization", "hw.power",
        "process.cpu.time",
        // What it had for Prometheus only.
        "gpu.throttle.power_event", "gpu.kernel.launch.count", "ingero.ringbuf.overflows", "ingero.trace.db",
        "ingero.trace.db.pruned.rows"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

class OtlpRequest : public ::testing::Test {
 protected:
  void SetUp() override {
    page_.add(metrics::kOperations, {{"vendor", "v"}, {"operation", "launch"}}, 12);
    page_.add(metrics::kOperations, {{"vendor", "v"}, {"operation", "\xff\n\"copy\\"}}, 30);
    const double bounds[] = {0.001, 0.1};
    const uint64_t counts[] = {5, 0, 2};
    page_.add(metrics::kCollectiveWait, {{"vendor", "v"}, {"op_type", "ALL_REDUCE"}},
              metrics::Buckets{bounds, counts, 3.5});
    page_.add(metrics::kProcessMemory, {{"gpu_uuid", "GPU-1"}, {"pid", "42"}}, 1e9);
    page_.add("gpu_energy_joules_total", metrics::MetricType::kCounter, "Energy.", {{"gpu_uuid", "GPU-1"}}, 77);
  }
  nlohmann::json metrics() const {
    const auto payloads =
        encode_metrics(page_, {.is_json = true, .resource = {{"host.name", "h"}}, .version = "1.2"}, 1000, 2000);
    EXPECT_EQ(payloads.size(), 1U);
    items_ = payloads[0].items;
    const auto json = nlohmann::json::parse(payloads[0].body);
    const auto& one = json.at("resourceMetrics").at(0);
    EXPECT_EQ(one.at("resource").at("attributes").at(0).dump(), R"({"key":"host.name","value":{"stringValue":"h"}})");
    EXPECT_EQ(one.at("scopeMetrics").at(0).at("scope").dump(), R"({"name":"ingero","version":"1.2"})");
    return one.at("scopeMetrics").at(0).at("metrics");
  }
  static nlohmann::json named(const nlohmann::json& metrics, const std::string& name) {
    for (const auto& one : metrics) {
      if (one.at("name") == name) return one;
    }
    ADD_FAILURE() << name << " is not there";
    return {};
  }
  metrics::MetricSet page_;
  mutable uint32_t items_ = 0;
};

TEST_F(OtlpRequest, CountersAreMonotonicSumsSinceTheTraceBegan) {
  const auto metric = named(metrics(), "gpu.operations");
  EXPECT_EQ(metric.at("sum").at("isMonotonic"), true);
  EXPECT_EQ(metric.at("sum").at("aggregationTemporality"), 2);
  const auto& points = metric.at("sum").at("dataPoints");
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].at("asDouble"), 12);
  EXPECT_EQ(points[0].at("startTimeUnixNano"), "1000");
  EXPECT_EQ(points[0].at("timeUnixNano"), "2000");
  EXPECT_EQ(points[1].at("attributes").at(0).at("value").at("stringValue"), "??\"copy\\");
  EXPECT_EQ(metric.at("description"), metrics::kOperations.help);
}

TEST_F(OtlpRequest, HistogramsAreHistograms) {
  const auto all = metrics();
  const auto seconds = named(all, "gpu.collective.barrier_wait");
  EXPECT_EQ(seconds.at("unit"), "s");
  const auto& point = seconds.at("histogram").at("dataPoints").at(0);
  EXPECT_EQ(point.at("count"), "7");
  EXPECT_EQ(point.at("sum"), 3.5);
  EXPECT_EQ(point.at("bucketCounts").dump(), R"(["5","0","2"])");
  EXPECT_EQ(point.at("explicitBounds").dump(), "[0.001,0.1]");
  const auto legacy = named(all, "nccl.collective.barrier_wait_ms").at("histogram").at("dataPoints").at(0);
  EXPECT_EQ(legacy.at("sum"), 3500);
  EXPECT_EQ(legacy.at("explicitBounds").dump(), "[1,100]");
  EXPECT_EQ(legacy.at("attributes").at(0).at("key"), "nccl.op_type");
}

TEST_F(OtlpRequest, NumbersOfProcessesAreNumbersAndWhatDevicesKeepHasNoStart) {
  const auto all = metrics();
  const auto memory = named(all, "gpu.memory.process.allocated_bytes").at("gauge").at("dataPoints").at(0);
  EXPECT_EQ(memory.at("attributes").dump(),
            R"([{"key":"gpu.uuid","value":{"stringValue":"GPU-1"}},{"key":"process.pid","value":{"intValue":"42"}}])");
  const auto energy = named(all, "hw.energy").at("sum").at("dataPoints").at(0);
  EXPECT_FALSE(energy.contains("startTimeUnixNano"));
  EXPECT_EQ(energy.at("attributes").at(0).dump(), R"({"key":"hw.type","value":{"stringValue":"gpu"}})");
  EXPECT_EQ(energy.at("attributes").at(1).dump(), R"({"key":"hw.id","value":{"stringValue":"GPU-1"}})");
}

// A request of the legacy agent held several points of one set of attributes, of which receivers keep one.
TEST_F(OtlpRequest, NoTwoPointsOfOneMetricHaveTheSameAttributes) {
  for (const auto& metric : metrics()) {
    for (const char* kind : {"sum", "gauge", "histogram"}) {
      if (!metric.contains(kind)) continue;
      std::set<std::string> seen;
      for (const auto& point : metric.at(kind).at("dataPoints")) {
        EXPECT_TRUE(seen.insert(point.value("attributes", nlohmann::json()).dump()).second) << metric.at("name");
      }
    }
  }
}

TEST_F(OtlpRequest, ALargePageIsSeveralRequestsAndNothingIsLeftOut) {
  for (int i = 0; i < 3900; ++i) page_.add(metrics::kLaunches, {{"pid", std::to_string(i)}}, i);
  for (const bool is_json : {false, true}) {
    const auto payloads = encode_metrics(page_, {.is_json = is_json, .is_gzip = true}, 1, 2);
    EXPECT_EQ(payloads.size(), 2U);
    uint32_t items = 0;
    for (const Payload& one : payloads) {
      EXPECT_LE(one.items, kMaxPoints);
      EXPECT_TRUE(one.is_gzip);
      items += one.items;
    }
    EXPECT_EQ(items, 3900U + 2 + 2 + 1 + 1);
  }
}

TEST_F(OtlpRequest, GzipComesBackAsItWas) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 1000);
  const std::string packed = net::gzip(text);
  EXPECT_LT(packed.size(), text.size());
  std::string back(text.size() + 1, '\0');
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(back.data());
  stream.avail_out = static_cast<uInt>(back.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  back.resize(stream.total_out);
  inflateEnd(&stream);
  EXPECT_EQ(back, text);
  EXPECT_FALSE(net::gzip("").empty());
}

TEST(OtlpSpans, AreWrittenWithTheirIdsTimesAndAttributes) {
  Span span{.name = "incident x", .start_wall_ns = 10, .end_wall_ns = 5, .is_error = true, .status = "bad"};
  span.trace_id[15] = 0xab;
  span.span_id[7] = 1;
  span.attributes = {{"process.pid", int64_t{0}}, {"resolved", true}, {"share", 0.5}, {"peer", "x"}};
  span.events.push_back({7, "event", {}});
  const auto payloads = encode_spans(std::span(&span, 1), {.is_json = true});
  ASSERT_EQ(payloads.size(), 1U);
  EXPECT_EQ(payloads[0].signal, Signal::kTraces);
  const auto one = nlohmann::json::parse(payloads[0].body)["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
  EXPECT_EQ(one["traceId"], "000000000000000000000000000000ab");
  EXPECT_EQ(one["spanId"], "0000000000000001");
  EXPECT_EQ(one["endTimeUnixNano"], "10");  // never before it began
  EXPECT_EQ(one["attributes"][0].dump(), R"({"key":"process.pid","value":{"intValue":"0"}})");
  EXPECT_EQ(one["attributes"][1]["value"]["boolValue"], true);
  EXPECT_EQ(one["status"].dump(), R"({"code":2,"message":"bad"})");
  EXPECT_TRUE(encode_spans({}, {}).empty());
}

}  // namespace
}  // namespace ingero::serve::otlp
