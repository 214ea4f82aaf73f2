// What the live table shows: per call counts, errors, percentiles and off-CPU time since the trace began.
//
// One thread adds, any thread reads a copy. Units: nanoseconds.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "hal/call_table.h"
#include "hal/event.h"
#include "store/db/histogram.h"

namespace ingero::agent {

struct LiveRow {
  hal::CallId call = hal::kNoCall;
  uint64_t count = 0;
  uint64_t errors = 0;
  uint64_t unfinished = 0;  // unwound, exited, exec'ed: ended without a return
  uint64_t total_ns = 0;
  uint64_t off_ns = 0;
  bool is_timed = false;  // some call of it had a duration
  uint64_t p50_ns = 0, p95_ns = 0, p99_ns = 0, max_ns = 0;
};

class LiveStats {
 public:
  explicit LiveStats(const hal::CallTable& calls) : rows_(calls.size()) {}
  void add(std::span<const hal::Event> events);
  // Rows with at least one call, most time first.
  std::vector<LiveRow> rows() const;
  uint64_t events() const;

 private:
  struct Row {
    LiveRow figures;
    store::Histogram durations;
  };
  mutable std::mutex mutex_;
  std::vector<Row> rows_;  // by CallId
  uint64_t events_ = 0;
};

}  // namespace ingero::agent
