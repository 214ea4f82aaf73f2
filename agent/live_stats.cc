// Counts, errors and percentiles per call, kept up to date so that the live table never reads the recording.
#include "agent/live_stats.h"

#include <algorithm>

namespace ingero::agent {

void LiveStats::add(std::span<const hal::Event> events) {
  const std::scoped_lock lock(mutex_);
  for (const hal::Event& event : events) {
    if (event.call >= rows_.size() || event.outcome == hal::Outcome::kInFlight) continue;
    Row& row = rows_[event.call];
    ++events_;
    ++row.figures.count;
    if (event.failed) ++row.figures.errors;
    if (event.outcome != hal::Outcome::kReturned) ++row.figures.unfinished;
    if (!event.has(hal::Has::kDuration)) continue;
    row.figures.is_timed = true;
    row.figures.total_ns += event.duration_ns;
    row.figures.off_ns += event.off.total_ns();
    row.figures.max_ns = std::max(row.figures.max_ns, event.duration_ns);
    row.durations.add(event.duration_ns);
  }
}

std::vector<LiveRow> LiveStats::rows() const {
  std::vector<LiveRow> rows;
  {
    const std::scoped_lock lock(mutex_);
    for (size_t call = 0; call < rows_.size(); ++call) {
      const Row& row = rows_[call];
      if (row.figures.count == 0) continue;
      LiveRow copy = row.figures;
      copy.call = static_cast<hal::CallId>(call);
      // A bucket's middle may lie above all that is in it.
      const auto percentile = [&](double share) { return std::min(row.durations.percentile(share), copy.max_ns); };
      copy.p50_ns = percentile(0.50);
      copy.p95_ns = percentile(0.95);
      copy.p99_ns = percentile(0.99);
      rows.push_back(copy);
    }
  }
  std::sort(rows.begin(), rows.end(), [](const LiveRow& a, const LiveRow& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.call < b.call;
  });
  return rows;
}

uint64_t LiveStats::events() const {
  const std::scoped_lock lock(mutex_);
  return events_;
}

}  // namespace ingero::agent
