// Any bytes as a request of OTLP metrics: as protobuf, as JSON and as gzip. What is taken keeps its bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fleet/wire/inflate.h"
#include "fleet/wire/metrics_json.h"
#include "fleet/wire/protobuf.h"

using namespace ingero::fleet::wire;

namespace {

constexpr uint64_t kNow_ns = 1'800'000'000'000'000'000;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(Collector& collector) {
  const Batch batch = collector.take();
  require(batch.points.size() + batch.windows.size() <= kMaxPoints);
  size_t kept = 0;
  for (const Point& point : batch.points) {
    require(!point.sender.node.empty() && !point.metric.empty());
    require(point.time_ns <= kNow_ns + kMaxAhead_ns);
    require(!point.rank || (*point.rank >= 0 && *point.rank < kMaxRank));
    require(!ingero::parse_json(point.attributes).is_discarded());
    kept += point.attributes.size();
  }
  require(kept <= kMaxKeptBytes);
  for (const Window& window : batch.windows) {
    require(window.start_ns < window.end_ns && window.nranks > 0 && window.rank < kMaxRank);
    require(!window.work_s || *window.work_s >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  Collector protobuf(kNow_ns), json(kNow_ns);
  (void)read_protobuf(body, protobuf);
  check(protobuf);
  (void)read_json(body, json);
  check(json);
  const auto unpacked = inflate_gzip(body);
  require(!unpacked.ok() || unpacked->size() <= kMaxInflatedBytes);
  return 0;
}
