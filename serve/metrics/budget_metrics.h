// Where the time of threads that submit GPU work went, as metrics: by process and class, with what of it was lost, and
// the steps.
//
// add() from one thread, write() from any. Values come with the seconds and steps of the budget (correlate/budget.h),
// about three seconds after they passed. Bounded: kMaxProcesses processes; the one heard of longest ago is folded into
// pid "other". The series of a process that has ended leave after CallMetrics::kEndedKeptNs. Owns its counters.
// Failure: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "correlate/budget.h"
#include "hal/time_class.h"
#include "serve/metrics/metric_set.h"

namespace ingero::serve::metrics {

class BudgetMetrics {
 public:
  static constexpr size_t kMaxProcesses = 16;  // some 25 series each

  void add(const correlate::BudgetSecond& second);
  void add(const correlate::BudgetStep& step, bool is_slow);
  // Its last seconds may still come. Times are of one clock.
  void process_ended(uint32_t pid, uint64_t mono_ns);
  void forget_ended(uint64_t mono_ns);
  void write(MetricSet& metrics) const;

 private:
  struct Steps {
    uint64_t count = 0, ns = 0;
  };
  struct Row {
    std::array<correlate::ClassTime, hal::kTimeClasses> classes{};
    Steps usual, slow;
    uint64_t last_heard = 0;
    std::optional<uint64_t> ended_mono_ns;
    void fold(const Row& other);
  };

  Row& row(uint32_t pid);
  static void write_row(MetricSet& metrics, const std::string& pid, const Row& row);

  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::map<uint32_t, Row> rows_;  // by pid
  std::optional<Row> others_;
  uint64_t heard_ = 0;
};

}  // namespace ingero::serve::metrics
