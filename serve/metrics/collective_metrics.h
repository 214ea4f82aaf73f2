// Collectives and point-to-point calls as metrics: how many, how big, how long waited for, who came last, what hangs.
//
// Counted as a program sees them: a call that one collective makes inside another is part of that one. add() from the
// capture thread, write() from any. Bounded: labels are a vendor's described operations, and kMaxRanks ranks. Owns its
// counters. Failure: none; what is beyond a bound is folded.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "correlate/arrivals.h"
#include "hal/call_table.h"
#include "hal/event.h"
#include "serve/metrics/metric_set.h"

namespace ingero::serve::metrics {

class CollectiveMetrics {
 public:
  static constexpr size_t kMaxRanks = 256;

  // `calls` must outlive this.
  explicit CollectiveMetrics(const hal::CallTable& calls) : calls_(calls) {}

  struct News {
    std::span<const hal::Event> events;
    std::span<const std::pair<size_t, hal::Exchange>> exchanges;  // by index into events, ascending
    std::span<const hal::BarrierWait> waits;
    std::span<const hal::CollectiveHang> hangs;
    std::span<const correlate::Arrival> arrivals;
  };
  void add(const News& news);
  void write(MetricSet& metrics) const;

 private:
  static constexpr std::array<double, 14> kBounds = {1e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05,
                                                     0.1,  0.5,  1,    5,    10,   60,   600};  // seconds
  struct Times {
    std::array<uint64_t, kBounds.size() + 1> counts{};
    double sum = 0;
    uint64_t total = 0;
    void add(uint64_t ns);
  };
  struct Row {
    uint64_t count = 0, errors = 0, hangs = 0;
    double bytes = 0;
    Times durations, waits, lateness;
  };
  using Key = std::pair<std::string, std::string>;  // vendor, operation
  Key key_of(hal::CallId call) const;

  const hal::CallTable& calls_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::map<Key, Row> rows_;
  std::map<int32_t, uint64_t> last_;                 // by rank, -1: others
  std::set<std::pair<uint64_t, uint64_t>> hanging_;  // communicator's identity, number
};

}  // namespace ingero::serve::metrics
