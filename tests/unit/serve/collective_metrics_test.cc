// Collectives become sums: by operation, waits and lateness in their buckets, hangs once each.
#include "serve/metrics/collective_metrics.h"

#include <gtest/gtest.h>

namespace ingero::serve::metrics {
namespace {

using hal::Event;
using hal::Exchange;
using hal::Has;

constexpr hal::Row kCollectiveRows[] = {
    {.name = "acmeAllReduce", .kind = hal::Kind::kCollective, .shape = {}},
    {.name = "acmeSend", .kind = hal::Kind::kP2p, .shape = {}},
    {.name = "acmeInit", .kind = hal::Kind::kCommunicator, .shape = {}},
};
constexpr hal::Library kCollectiveLibraries[] = {
    {.name = "libacme", .sonames = {}, .rows = kCollectiveRows, .layer = "ACME"}};
constexpr hal::Backend kCollectiveBackend = {.name = "acme", .vendor = "acme-corp", .libraries = kCollectiveLibraries};

const hal::CallTable& collective_table() {
  static const hal::Backend* const backends[] = {&kCollectiveBackend};
  static const hal::CallTable calls(backends);
  return calls;
}

class CollectiveMetricsTest : public ::testing::Test {
 protected:
  void call(hal::CallId id, uint64_t exchange_id, uint64_t bytes, bool failed = false, bool is_part = false) {
    Event event;
    event.call = id;
    event.kind = collective_table()[id].kind;
    event.failed = failed;
    event.bytes = bytes;
    event.set(Has::kBytes);
    Exchange exchange;
    exchange.exchange_id = exchange_id;
    exchange.is_part = is_part;
    const std::pair<size_t, Exchange> one(0, exchange);
    metrics.add({.events = {&event, 1}, .exchanges = {&one, 1}, .waits = {}, .hangs = {}, .arrivals = {}});
  }
  void wait(uint64_t exchange_id, hal::CallId id, uint64_t ns) {
    const hal::BarrierWait one{exchange_id, ns, id};
    metrics.add({.events = {}, .exchanges = {}, .waits = {&one, 1}, .hangs = {}, .arrivals = {}});
  }
  void hang(uint64_t number, bool is_over) {
    hal::CollectiveHang one;
    one.comm_id_hash = 7;
    one.number = number;
    one.call = 0;
    one.is_over = is_over;
    metrics.add({.events = {}, .exchanges = {}, .waits = {}, .hangs = {&one, 1}, .arrivals = {}});
  }
  void arrive(std::optional<int32_t> rank, uint64_t late_ns) {
    const correlate::Arrival one{7, 1, 0, 2, late_ns, late_ns, rank};
    metrics.add({.events = {}, .exchanges = {}, .waits = {}, .hangs = {}, .arrivals = {&one, 1}});
  }
  void has(const std::string& line) {
    MetricSet page;
    metrics.write(page);
    const std::string text = page.text();
    EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << " is not in\n" << text;
  }

  CollectiveMetrics metrics{collective_table()};
};

TEST_F(CollectiveMetricsTest, CallsCountByOperationAndPartsDoNot) {
  call(0, 1, 4096);
  call(0, 2, 1000);
  call(0, 3, 8, true);
  call(0, 4, 100, false, true);
  call(1, 5, 10);
  call(2, 6, 10);
  has("gpu_collectives_total{op_type=\"ALL_REDUCE\",vendor=\"acme-corp\"} 3");
  has("gpu_collective_errors_total{op_type=\"ALL_REDUCE\",vendor=\"acme-corp\"} 1");
  has("gpu_collective_bytes_total{op_type=\"ALL_REDUCE\",vendor=\"acme-corp\"} 5096");
  has("gpu_nccl_collective_count{op_type=\"ALL_REDUCE\"} 3");
  has("gpu_nccl_collective_bytes_total{op_type=\"SEND\"} 10");
}

TEST_F(CollectiveMetricsTest, AWaitBelongsToItsCollective) {
  call(0, 1, 4096);
  call(1, 2, 4096);
  wait(1, 0, 2'000'000);
  wait(2, 1, 5);
  wait(99, hal::kNoCall, 5);
  has("gpu_nccl_collective_barrier_events{op_type=\"ALL_REDUCE\"} 1");
  has("gpu_collective_barrier_wait_seconds_bucket{op_type=\"ALL_REDUCE\",vendor=\"acme-corp\",le=\"0.001\"} 0");
  has("gpu_collective_barrier_wait_seconds_bucket{op_type=\"ALL_REDUCE\",vendor=\"acme-corp\",le=\"0.005\"} 1");
  has("gpu_collective_barrier_wait_seconds_sum{op_type=\"ALL_REDUCE\",vendor=\"acme-corp\"} 0.002");
}

TEST_F(CollectiveMetricsTest, WhoCameLastIsBounded) {
  for (int32_t rank = 0; rank < 300; ++rank) arrive(rank, 120'000'000);
  arrive(0, 700'000'000'000);
  arrive({}, 0);
  has("gpu_collective_last_arrivals_total{rank=\"0\"} 2");
  has("gpu_collective_last_arrivals_total{rank=\"other\"} 45");
  has("gpu_collective_last_arrival_lateness_seconds_bucket{op_type=\"ALL_REDUCE\",vendor=\"acme-corp\",le=\"600\"} "
      "301");
  has("gpu_collective_last_arrival_lateness_seconds_count{op_type=\"ALL_REDUCE\",vendor=\"acme-corp\"} 302");
}

TEST_F(CollectiveMetricsTest, AHangCountsOnceAndIsThereWhileItLasts) {
  has("gpu_collectives_hanging 0");
  hang(3, false);
  hang(3, false);
  hang(4, false);
  has("gpu_collectives_hanging 2");
  hang(3, true);
  has("gpu_collectives_hanging 1");
  has("gpu_collective_hangs_total{op_type=\"ALL_REDUCE\",vendor=\"acme-corp\"} 2");
}

}  // namespace
}  // namespace ingero::serve::metrics
