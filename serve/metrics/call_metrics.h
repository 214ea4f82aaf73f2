// Counts events into what the metrics of calls need. Exact: every event captured counts once, whatever is stored.
//
// add() from the capture thread, write() from any; neither blocks long. Memory is bounded: one entry per described
// call, and kMaxPids processes; the least recently seen is evicted and folded into pid "other". The series of a process
// that has ended leave after kEndedKeptNs; until then each scrape sees their last values. Owns its counters. Failure:
// none.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "hal/call_table.h"
#include "hal/event.h"
#include "serve/metrics/metric_set.h"
#include "store/db/histogram.h"

namespace ingero::serve::metrics {

class CallMetrics {
 public:
  static constexpr size_t kMaxPids = 256;
  static constexpr size_t kMaxDevices = 256;
  static constexpr uint64_t kEndedKeptNs = 300'000'000'000;  // as long as Prometheus looks back for a value

  // `calls` must outlive this. With `legacy_names` also the names whose units are not base units; with `launch_sizes`
  // the histograms of grids and blocks, 20 series for each process.
  CallMetrics(const hal::CallTable& calls, bool legacy_names, bool launch_sizes = false);
  void add(std::span<const hal::Event> events);
  // No later event is of this process. Times are of one clock.
  void process_ended(uint32_t pid, uint64_t mono_ns);
  void forget_ended(uint64_t mono_ns);
  // Those names too, or not although they are counted.
  void write(MetricSet& metrics, bool with_legacy_names = true) const;
  // Calls by device; `device` says what an Event::device_ref means.
  void write_devices(MetricSet& metrics, const std::function<hal::EventDevice(uint32_t ref)>& device) const;
  uint64_t events() const;

 private:
  // Bounds 4^5 ns to 4^18 ns: 1.024 us to 68.7 s.
  static constexpr size_t kDurationBuckets = 15;
  struct Durations {
    std::array<uint64_t, kDurationBuckets> counts{};
    uint64_t sum_ns = 0;
    uint64_t total = 0;
    void add(uint64_t ns);
  };
  struct CallRow {
    uint64_t count = 0, errors = 0, unfinished = 0;
    double bytes = 0;  // sizes are the program's word: a double does not wrap
    hal::OffCpu off;
    bool has_off = false;
    Durations durations;
    store::Histogram percentiles;  // earlier names only
  };
  struct CopyRow {
    double bytes = 0;
    Durations durations;
  };
  struct PidRow {
    uint64_t launches = 0;
    uint64_t last_heard = 0;
    std::optional<uint64_t> ended_mono_ns;
    std::array<uint64_t, 7> threads{};
    uint64_t threads_sum = 0;
    std::array<uint64_t, 12> blocks{};
    double blocks_sum = 0;
    void fold(const PidRow& other);
  };

  void add_async(const hal::Event& event, const hal::Call& call);
  void note_watcher(const hal::Call& call);
  void write_async(MetricSet& metrics) const;
  bool is_inside_same_kind(const hal::Event& event) const;
  void add_copy(const hal::Event& event, const hal::Call& call);
  void add_launch(const hal::Event& event);
  PidRow& pid_row(uint32_t pid);
  static void write_durations(MetricSet& metrics, const Metric& metric, const Labels& labels,
                              const Durations& durations, double unit_ns);
  static void write_call(MetricSet& metrics, const hal::Call& call, const CallRow& row);
  // legacy/call_metrics.cc
  static void write_legacy_call(MetricSet& metrics, const hal::Call& call, const CallRow& row, bool with_all_names);
  void write_legacy_copies(MetricSet& metrics, bool with_all_names) const;

  const hal::CallTable& calls_;
  const bool legacy_names_, launch_sizes_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::vector<CallRow> rows_;                                              // by CallId
  std::map<std::pair<std::string_view, hal::Direction>, CopyRow> copies_;  // by vendor and direction
  std::map<uint32_t, PidRow> pids_;
  PidRow other_pids_;
  bool has_other_pids_ = false;
  std::map<std::pair<const hal::Backend*, uint64_t>, uint64_t> async_;  // by the library's number of the event
  std::set<const hal::Backend*> watched_;                               // whose events a program has waited for
  struct DeviceRow {
    uint64_t count = 0, errors = 0;
  };
  std::map<uint32_t, DeviceRow> devices_;  // by Event::device_ref; the last beyond kMaxDevices are 0: other
  uint64_t events_ = 0;
};

}  // namespace ingero::serve::metrics
