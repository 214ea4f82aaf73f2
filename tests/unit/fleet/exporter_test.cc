// What `ingero trace --otlp` sends, read by the cluster's receiver: in every form the same points.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/wire/inflate.h"
#include "fleet/wire/metrics_json.h"
#include "fleet/wire/protobuf.h"
#include "serve/metrics/metric_names.h"
#include "serve/otlp/encode.h"

namespace ingero::fleet::wire {
namespace {

namespace otlp = ingero::serve::otlp;
namespace metrics = ingero::serve::metrics;

constexpr uint64_t kNow_ns = 1'800'000'000'000'000'000;

// Each point as a line.
std::set<std::string> read(const std::vector<otlp::Payload>& payloads, bool is_json) {
  std::set<std::string> lines;
  for (const otlp::Payload& payload : payloads) {
    const auto body = payload.is_gzip ? inflate_gzip(payload.body) : Result<std::string>(payload.body);
    EXPECT_TRUE(body.ok());
    Collector collector(kNow_ns);
    EXPECT_TRUE((is_json ? read_json(*body, collector) : read_protobuf(*body, collector)).ok());
    const Batch batch = collector.take();
    EXPECT_EQ(batch.points.size(), payload.items);
    EXPECT_EQ(batch.refused_count(), 0U);
    for (const Point& point : batch.points) {
      EXPECT_EQ(point.sender.node, "gpu-01");
      EXPECT_EQ(point.time_ns, kNow_ns);
      lines.insert(fmt::format("{} {} {} {}", point.metric, point.value_double.value_or(-1),
                               point.value_int.value_or(-1), point.attributes));
    }
  }
  return lines;
}

TEST(OwnExporter, IsUnderstoodInEveryForm) {
  metrics::MetricSet page;
  for (int i = 0; i < 50; ++i) page.add(metrics::kLaunches, {{"pid", std::to_string(i)}}, 1e9 + i);
  const double bounds[] = {0.001, 1};
  const uint64_t counts[] = {3, 2, 1};
  page.add(metrics::kCollectiveDuration, {{"vendor", "v"}, {"op_type", "ALL_REDUCE"}},
           metrics::Buckets{bounds, counts, 4.5});
  page.add("made_at_run_time", metrics::MetricType::kGauge, "One.", {{"text", "\"quoted\" \\ \xc3\xa4"}}, 0.25);
  std::set<std::string> first;
  for (const bool is_json : {false, true}) {
    for (const bool is_gzip : {false, true}) {
      const otlp::Encoding encoding{is_json, is_gzip, {{"host.name", "gpu-01"}, {"process.pid", int64_t{7}}}, "1"};
      const auto lines = read(otlp::encode_metrics(page, encoding, kNow_ns - 5, kNow_ns), is_json);
      EXPECT_GT(lines.size(), 52U);
      if (first.empty()) first = lines;
      EXPECT_EQ(lines, first);
    }
  }
  EXPECT_THAT(first, ::testing::Contains(::testing::HasSubstr("gpu.collective.duration 4.5 6 ")));
}

}  // namespace
}  // namespace ingero::fleet::wire
