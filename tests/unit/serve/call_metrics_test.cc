// Events become sums: exact counts, exact buckets, nothing counted twice, memory bounded.
#include "serve/metrics/call_metrics.h"

#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "serve/metrics/inference_metrics.h"
#include "serve/metrics/metric_names.h"
#include "serve/metrics/operation_names.h"

namespace ingero::serve::metrics {
namespace {

using hal::Event;
using hal::Has;

constexpr hal::Row kRows[] = {
    {.name = "acmeCopy", .kind = hal::Kind::kMemcpy, .shape = {}},
    {.name = "acmeLaunch", .kind = hal::Kind::kLaunch, .shape = {}},
    {.name = "acmeAllReduce", .kind = hal::Kind::kCollective, .shape = {}},
    {.name = "acme_get_event", .kind = hal::Kind::kFabric, .shape = {}},
};
hal::AsyncEvent async_event_of(uint64_t code) {
  return code == 0 ? hal::AsyncEvent{"ACME_PORT_ERR", true, true} : hal::AsyncEvent{};
}
constexpr hal::Row kLowRows[] = {{.name = "lowCopy", .kind = hal::Kind::kMemcpy, .shape = {}}};
constexpr hal::Library kLibraries[] = {
    {.name = "libacme", .sonames = {}, .rows = kRows, .layer = "ACME", .source = 20},
    {.name = "liblow", .sonames = {}, .rows = kLowRows, .layer = "LOW", .source = 21},
};
constexpr hal::Backend kBackend = {.name = "acme",
                                   .vendor = "acme-corp",
                                   .libraries = kLibraries,
                                   .event_call = "acme_get_event",
                                   .event_of = async_event_of};

const hal::CallTable& table() {
  static const hal::Backend* const backends[] = {&kBackend};
  static const hal::CallTable calls(backends);
  return calls;
}

Event event_of(std::string_view name, uint64_t duration_ns, uint32_t pid = 7) {
  Event event;
  for (size_t i = 0; i < table().size(); ++i) {
    if (table()[static_cast<hal::CallId>(i)].name == name) event.call = static_cast<hal::CallId>(i);
  }
  EXPECT_NE(event.call, hal::kNoCall) << name;
  event.kind = table()[event.call].kind;
  event.pid = event.tid = pid;
  event.duration_ns = duration_ns;
  event.set(Has::kDuration);
  return event;
}

std::string page_of(const CallMetrics& metrics) {
  MetricSet page;
  metrics.write(page);
  EXPECT_EQ(page.folded(), 0U);
  return page.text();
}

#define EXPECT_LINE(text, line) \
  EXPECT_NE((text).find(std::string("\n") + (line) + "\n"), std::string::npos) << (line) << "\n" << (text)
#define EXPECT_NO_PART(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

constexpr const char* kCopyLabels = R"({kind="memcpy",library="libacme",operation="acmeCopy",vendor="acme-corp")";

TEST(CallMetrics, PutsEachDurationIntoTheBucketItBelongsTo) {
  CallMetrics metrics(table(), false);
  // On a bound, one beyond it, before the first, beyond the last.
  const std::vector<Event> events = {event_of("acmeCopy", 1024), event_of("acmeCopy", 1025), event_of("acmeCopy", 0),
                                     event_of("acmeCopy", 4096), event_of("acmeCopy", 100'000'000'000)};
  metrics.add(events);
  const std::string text = page_of(metrics);
  const auto bucket = [](const char* le, int count) {
    return std::string("gpu_operation_duration_seconds_bucket") + kCopyLabels + ",le=\"" + le + "\"} " +
           std::to_string(count);
  };
  EXPECT_LINE(text, bucket("1.024e-06", 2));
  EXPECT_LINE(text, bucket("4.096e-06", 4));
  EXPECT_LINE(text, bucket("68.719476736", 4));
  EXPECT_LINE(text, bucket("+Inf", 5));
}

TEST(CallMetrics, CountsErrorsAndUnfinishedCalls) {
  CallMetrics metrics(table(), false);
  std::vector<Event> events(4, event_of("acmeCopy", 10));
  events[1].failed = true;
  events[2].outcome = hal::Outcome::kExited;
  events[3].outcome = hal::Outcome::kInFlight;  // will come again
  metrics.add(events);
  const std::string text = page_of(metrics);
  EXPECT_LINE(text, std::string("gpu_operations_total") + kCopyLabels + "} 3");
  EXPECT_LINE(text, std::string("gpu_operation_errors_total") + kCopyLabels + "} 1");
  EXPECT_LINE(text, std::string("gpu_operations_unfinished_total") + kCopyLabels + "} 1");
  EXPECT_LINE(text, std::string("gpu_operation_duration_seconds_count") + kCopyLabels + "} 2");
  EXPECT_LINE(text, "gpu_cuda_operation_count{operation=\"acmeCopy\",source=\"acme\"} 3");
}

TEST(CallMetrics, CountsACopyInsideACopyOnce) {
  CallMetrics metrics(table(), true);
  std::vector<Event> events = {event_of("acmeCopy", 2'000'000), event_of("lowCopy", 1'000'000)};
  for (Event& event : events) {
    event.bytes = 100;
    event.set(Has::kBytes);
    event.direction = hal::Direction::kHostToDevice;
    event.set(Has::kDirection);
  }
  events[1].parent_call = events[0].call;
  events[1].set(Has::kParent);
  metrics.add(events);
  events[0].failed = true;  // moved nothing
  metrics.add({events.data(), 1});
  const std::string text = page_of(metrics);
  EXPECT_LINE(text, "gpu_memcpy_bytes_total{direction=\"h2d\"} 100");
  EXPECT_LINE(text, "gpu_copy_bytes_total{direction=\"h2d\",vendor=\"acme-corp\"} 100");
  EXPECT_LINE(text, "gpu_memcpy_duration_ms_sum{direction=\"h2d\"} 4");
  EXPECT_LINE(text, "gpu_memcpy_duration_ms_count{direction=\"h2d\"} 2");
}

// The page says them in nanoseconds, as OTLP does.
TEST(LegacyMetrics, ThoseOfInferenceRepeatTodaysUnderTheirNames) {
  MetricSet page;
  const double bounds[] = {0.5};
  const uint64_t counts[] = {2, 1};
  page.add(kInferenceDuration, {{"phase", "decode"}}, Buckets{bounds, counts, 3});
  page.add(kInferenceMean, {{"pid", "7"}, {"phase", "decode"}}, 0.25);
  page.add(kInferenceWorkloads, {}, 4);
  page.add(kInferenceSlow, {{"phase", "decode"}, {"slow", "3x"}}, 5);
  add_legacy_inference(page);
  const std::string text = page.text();
  EXPECT_LINE(text, "ingero_infer_step_duration_ns_bucket{phase=\"decode\",le=\"500000000\"} 2");
  EXPECT_LINE(text, "ingero_infer_step_duration_ns_sum{phase=\"decode\"} 3000000000");
  EXPECT_LINE(text, "ingero_infer_baseline_mean_ns{phase=\"decode\",pid=\"7\"} 250000000");
  EXPECT_LINE(text, "ingero_infer_workloads_tracked 4");
  EXPECT_LINE(text, "ingero_infer_outlier_total{bucket=\"3x\",phase=\"decode\"} 5");
  EXPECT_LINE(text, "ingero_inference_slow_steps_total{phase=\"decode\",slow=\"3x\"} 5");
}

TEST(CallMetrics, LegacyNamesInOtherUnitsComeOnlyWhenAskedFor) {
  CallMetrics metrics(table(), false);
  const Event event = event_of("acmeCopy", 5000);
  metrics.add({&event, 1});
  EXPECT_NO_PART(page_of(metrics), "_ms");
  EXPECT_NO_PART(page_of(metrics), "microseconds");
  CallMetrics both(table(), true);
  both.add({&event, 1});
  EXPECT_NE(page_of(both).find("percentile=\"p99\""), std::string::npos);
}

TEST(CallMetrics, SizesOfLaunchesComeOnlyWhenAskedFor) {
  CallMetrics metrics(table(), false);
  for (uint32_t pid = 1; pid <= 200; ++pid) {
    Event event = event_of("acmeLaunch", 10, pid);
    event.block = event.grid = {32, 2, 1};
    event.set(Has::kBlock);
    event.set(Has::kGrid);
    metrics.add({&event, 1});
  }
  const std::string text = page_of(metrics);
  EXPECT_LINE(text, "gpu_kernel_launch_count{pid=\"200\"} 1");
  EXPECT_NO_PART(text, "gpu_kernel_launch_threads");
  EXPECT_NO_PART(text, "gpu_kernel_launch_grid");
  EXPECT_LT(text.size(), 64U << 10);
}

TEST(CallMetrics, AProcessThatEndedKeepsItsCountsForATimeAndThenLeaves) {
  constexpr uint64_t kEnd = 1'000'000'000;
  CallMetrics metrics(table(), false);
  for (const uint32_t pid : {7U, 8U, 9U}) {
    const Event event = event_of("acmeLaunch", 10, pid);
    metrics.add({&event, 1});
  }
  metrics.process_ended(7, kEnd);
  metrics.process_ended(8, kEnd);
  const Event reused = event_of("acmeLaunch", 10, 8);  // another process of that number, or exec
  metrics.add({&reused, 1});
  metrics.forget_ended(kEnd + CallMetrics::kEndedKeptNs - 1);
  EXPECT_LINE(page_of(metrics), "gpu_kernel_launch_count{pid=\"7\"} 1");
  metrics.forget_ended(kEnd + CallMetrics::kEndedKeptNs);
  const std::string text = page_of(metrics);
  EXPECT_NO_PART(text, "pid=\"7\"");
  EXPECT_NO_PART(text, "pid=\"other\"");  // a jump there would read as a burst of launches
  EXPECT_LINE(text, "gpu_kernel_launch_count{pid=\"8\"} 2");
  EXPECT_LINE(text, "gpu_kernel_launch_count{pid=\"9\"} 1");
}

TEST(CallMetrics, KeepsABoundedNumberOfProcessesAndTheirSum) {
  CallMetrics metrics(table(), false, true);
  constexpr uint32_t kProcesses = CallMetrics::kMaxPids + 50;
  for (uint32_t pid = 1; pid <= kProcesses; ++pid) {
    Event event = event_of("acmeLaunch", 10, pid);
    event.block = {32, 2, 1};
    event.set(Has::kBlock);
    metrics.add({&event, 1});
  }
  const std::string text = page_of(metrics);
  EXPECT_LINE(text, "gpu_kernel_launch_count{pid=\"other\"} 50");
  EXPECT_LINE(text, "gpu_kernel_launch_count{pid=\"" + std::to_string(kProcesses) + "\"} 1");
  EXPECT_NO_PART(text, "gpu_kernel_launch_count{pid=\"50\"}");
  EXPECT_LINE(text, "gpu_kernel_launch_threads_per_block_bucket{pid=\"other\",le=\"64\"} 50");
  EXPECT_LINE(text, "gpu_kernel_launch_threads_per_block_bucket{pid=\"other\",le=\"32\"} 0");
}

TEST(CallMetrics, CollectivesAreNamedAfterTheirOperation) {
  EXPECT_EQ(collective_name("ncclBcast"), "BROADCAST");
  EXPECT_EQ(collective_name("ncclAlltoAll"), "ALL_TO_ALL");
  EXPECT_EQ(collective_name("ncclReduceScatter"), "REDUCE_SCATTER");
  EXPECT_EQ(collective_name("ncclSend"), "SEND");
}

TEST(CallMetrics, CallsAreCountedByDeviceAndTheOnesInsideOthersAreNot) {
  CallMetrics metrics(table(), false);
  for (const auto& [ref, failed, depth] :
       {std::tuple{1, false, 0}, {1, true, 0}, {2, false, 0}, {2, false, 1}, {0, false, 0}}) {
    Event event = event_of("acmeLaunch", 10);
    event.device_ref = static_cast<uint32_t>(ref);
    event.failed = failed;
    event.depth = static_cast<uint8_t>(depth);
    metrics.add({&event, 1});
  }
  MetricSet page;
  metrics.write_devices(page, [](uint32_t ref) {
    return ref == 1 ? hal::EventDevice{"acme-corp", 3, "GPU-x", "0000:3b:00.0"}
                    : hal::EventDevice{"acme-corp", {}, "GPU-y", {}};
  });
  const std::string text = page.text();
  const std::string first = "{gpu_id=\"3\",gpu_uuid=\"GPU-x\",pci_address=\"0000:3b:00.0\",vendor=\"acme-corp\"} ";
  EXPECT_LINE(text, "gpu_device_operations_total" + first + "2");
  EXPECT_LINE(text, "gpu_device_operation_errors_total" + first + "1");
  EXPECT_LINE(text, "gpu_device_operations_total{gpu_uuid=\"GPU-y\",vendor=\"acme-corp\"} 1");
}

// Without a program that waits for events, whether there were any is not known: absent, not 0.
TEST(CallMetrics, EventsOfDevicesAreKnownOnceAProgramWaitsForThem) {
  constexpr const char* kNone =
      R"(ingero_rdma_async_event_total{rdma_event_type="ACME_PORT_ERR",rdma_fabric_error="true"} 0)";
  CallMetrics metrics(table(), false);
  const std::vector<Event> other = {event_of("acmeCopy", 5)};
  metrics.add(other);
  EXPECT_NO_PART(page_of(metrics), "ingero_rdma_async_event_total");
  std::vector<Event> waiting = {event_of("acme_get_event", 5)};
  waiting[0].outcome = hal::Outcome::kInFlight;
  metrics.add(waiting);
  EXPECT_LINE(page_of(metrics), kNone);
}

}  // namespace
}  // namespace ingero::serve::metrics
