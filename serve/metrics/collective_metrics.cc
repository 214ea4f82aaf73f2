// Sums by vendor and operation; metrics with the legacy agent's names are sums of these over vendors.
#include "serve/metrics/collective_metrics.h"

#include "serve/metrics/metric_names.h"
#include "serve/metrics/operation_names.h"

namespace ingero::serve::metrics {

void CollectiveMetrics::Times::add(uint64_t ns) {
  const double seconds = static_cast<double>(ns) / 1e9;
  size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  ++counts[bucket];
  sum += seconds;
  ++total;
}

CollectiveMetrics::Key CollectiveMetrics::key_of(hal::CallId call) const {
  return {std::string(calls_[call].vendor), collective_name(calls_[call].name)};
}

void CollectiveMetrics::add(const News& news) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [index, exchange] : news.exchanges) {
    const hal::Event& event = news.events[index];
    if (event.kind != hal::Kind::kCollective && event.kind != hal::Kind::kP2p) continue;
    if (exchange.is_part || event.outcome == hal::Outcome::kInFlight || event.call >= calls_.size()) continue;
    Row& row = rows_[key_of(event.call)];
    ++row.count;
    row.errors += event.failed ? 1 : 0;
    if (event.has(hal::Has::kDuration) && event.outcome == hal::Outcome::kReturned)
      row.durations.add(event.duration_ns);
    if (event.failed) continue;
    if (event.has(hal::Has::kBytes)) row.bytes += static_cast<double>(event.bytes);
  }
  for (const hal::BarrierWait& wait : news.waits) {
    if (wait.call < calls_.size()) rows_[key_of(wait.call)].waits.add(wait.wait_ns);
  }
  for (const correlate::Arrival& arrival : news.arrivals) {
    if (arrival.call >= calls_.size()) continue;
    rows_[key_of(arrival.call)].lateness.add(arrival.late_ns);
    const int32_t rank = arrival.last_rank.value_or(-1);
    ++last_[last_.size() < kMaxRanks || last_.contains(rank) ? rank : -1];
  }
  for (const hal::CollectiveHang& hang : news.hangs) {
    const std::pair key(hang.comm_id_hash, hang.number);
    if (hang.is_over) {
      hanging_.erase(key);
    } else if (hanging_.insert(key).second && hang.call < calls_.size()) {
      ++rows_[key_of(hang.call)].hangs;
    }
  }
}

void CollectiveMetrics::write(MetricSet& metrics) const {
  const std::scoped_lock lock(mutex_);
  metrics.add(kCollectivesHanging, {}, static_cast<double>(hanging_.size()));
  std::map<std::string, Row> by_operation;
  for (const auto& [key, row] : rows_) {
    const Labels labels = {{"vendor", key.first}, {"op_type", key.second}};
    metrics.add(kCollectiveCalls, labels, static_cast<double>(row.count));
    metrics.add(kCollectiveErrors, labels, static_cast<double>(row.errors));
    metrics.add(kCollectiveSize, labels, row.bytes);
    metrics.add(kCollectiveHangs, labels, static_cast<double>(row.hangs));
    if (row.durations.total > 0) {
      metrics.add(kCollectiveDuration, labels, Buckets{kBounds, row.durations.counts, row.durations.sum});
    }
    if (row.waits.total > 0) metrics.add(kCollectiveWait, labels, Buckets{kBounds, row.waits.counts, row.waits.sum});
    if (row.lateness.total > 0) {
      metrics.add(kCollectiveLateness, labels, Buckets{kBounds, row.lateness.counts, row.lateness.sum});
    }
    Row& sum = by_operation[key.second];
    sum.count += row.count;
    sum.bytes += row.bytes;
    sum.waits.total += row.waits.total;
  }
  for (const auto& [rank, count] : last_) {
    metrics.add(kCollectiveLast, {{"rank", rank < 0 ? std::string(kOther) : std::to_string(rank)}},
                static_cast<double>(count));
  }
  for (const auto& [operation, sum] : by_operation) {
    metrics.add(kCollectives, {{"op_type", operation}}, static_cast<double>(sum.count));
    metrics.add(kCollectiveBytes, {{"op_type", operation}}, sum.bytes);
    metrics.add(kCollectiveBarriers, {{"op_type", operation}}, static_cast<double>(sum.waits.total));
  }
}

}  // namespace ingero::serve::metrics
