// Per call, per copy direction, per process: running sums, and how they read as metrics.
#include "serve/metrics/call_metrics.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "serve/metrics/metric_names.h"
#include "serve/metrics/operation_names.h"

namespace ingero::serve::metrics {
namespace {

constexpr double kSecondNs = 1e9;
constexpr unsigned kFirstPower = 10;  // 2^10 ns; each bucket four times the one before
constexpr double kThreadBounds[] = {32, 64, 128, 256, 512, 1024};
constexpr double kBlockBounds[] = {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576};

template <size_t N>
size_t bucket(const double (&bounds)[N], double value) {
  return static_cast<size_t>(std::lower_bound(std::begin(bounds), std::end(bounds), value) - std::begin(bounds));
}

double in(uint64_t ns, double unit_ns) { return static_cast<double>(ns) / unit_ns; }

}  // namespace

void CallMetrics::Durations::add(uint64_t ns) {
  // le = 2^power: a power of two itself belongs to its own bucket.
  const unsigned power = ns <= 1 ? 0 : static_cast<unsigned>(std::bit_width(ns - 1));
  const unsigned at = power <= kFirstPower ? 0 : (power - kFirstPower + 1) / 2;
  ++counts[std::min<size_t>(at, kDurationBuckets - 1)];
  sum_ns += ns;
  ++total;
}

void CallMetrics::PidRow::fold(const PidRow& other) {
  launches += other.launches;
  for (size_t i = 0; i < threads.size(); ++i) threads[i] += other.threads[i];
  for (size_t i = 0; i < blocks.size(); ++i) blocks[i] += other.blocks[i];
  threads_sum += other.threads_sum;
  blocks_sum += other.blocks_sum;
}

CallMetrics::CallMetrics(const hal::CallTable& calls, bool legacy_names, bool launch_sizes)
    : calls_(calls), legacy_names_(legacy_names), launch_sizes_(launch_sizes), rows_(calls.size()) {}

void CallMetrics::process_ended(uint32_t pid, uint64_t mono_ns) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = pids_.find(pid); found != pids_.end()) found->second.ended_mono_ns = mono_ns;
}

// Not folded into the others: to a reader of rates that would be a burst of launches.
void CallMetrics::forget_ended(uint64_t mono_ns) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(pids_, [&](const auto& entry) {
    return entry.second.ended_mono_ns && *entry.second.ended_mono_ns + kEndedKeptNs <= mono_ns;
  });
}

uint64_t CallMetrics::events() const {
  const std::scoped_lock lock(mutex_);
  return events_;
}

// A runtime call enters the driver's call of the same kind: one copy, one launch.
bool CallMetrics::is_inside_same_kind(const hal::Event& event) const {
  return event.has(hal::Has::kParent) && event.parent_call < calls_.size() &&
         calls_[event.parent_call].kind == event.kind;
}

void CallMetrics::add_copy(const hal::Event& event, const hal::Call& call) {
  if (is_inside_same_kind(event)) return;
  const auto direction = event.has(hal::Has::kDirection) ? event.direction : hal::Direction::kUnknown;
  CopyRow& row = copies_[{call.vendor, direction}];
  if (event.has(hal::Has::kBytes) && !event.failed && event.outcome == hal::Outcome::kReturned) {
    row.bytes += static_cast<double>(event.bytes);
  }
  if (event.has(hal::Has::kDuration) && event.outcome == hal::Outcome::kReturned) row.durations.add(event.duration_ns);
}

CallMetrics::PidRow& CallMetrics::pid_row(uint32_t pid) {
  if (!pids_.contains(pid) && pids_.size() >= kMaxPids) {
    const auto oldest = std::min_element(pids_.begin(), pids_.end(), [](const auto& a, const auto& b) {
      return a.second.last_heard < b.second.last_heard;
    });
    other_pids_.fold(oldest->second);
    has_other_pids_ = true;
    pids_.erase(oldest);
  }
  PidRow& row = pids_[pid];
  row.last_heard = events_;
  row.ended_mono_ns.reset();  // its number is another process's now, or it runs another program
  return row;
}

void CallMetrics::add_launch(const hal::Event& event) {
  if (is_inside_same_kind(event)) return;
  PidRow& row = pid_row(event.pid);
  ++row.launches;
  if (event.has(hal::Has::kBlock)) {
    const uint64_t threads = uint64_t{event.block[0]} * event.block[1] * event.block[2];
    ++row.threads[bucket(kThreadBounds, static_cast<double>(threads))];
    row.threads_sum += threads;
  }
  if (event.has(hal::Has::kGrid)) {
    const double blocks = static_cast<double>(event.grid[0]) * event.grid[1] * event.grid[2];
    ++row.blocks[bucket(kBlockBounds, blocks)];
    row.blocks_sum += blocks;
  }
}

// Numbers without a name are one entry: a program could make up any number of them.
void CallMetrics::add_async(const hal::Event& event, const hal::Call& call) {
  if (call.owner == nullptr || call.owner->event_of == nullptr || call.name != call.owner->event_call) return;
  if (event.failed || !event.has(hal::Has::kFlags)) return;
  const bool is_known = !call.owner->event_of(event.flags).name.empty();
  ++async_[{call.owner, is_known ? event.flags : UINT64_MAX}];
}

// A program that waits for events is there: from here on, one that does not come is known not to have come.
void CallMetrics::note_watcher(const hal::Call& call) {
  if (call.owner == nullptr || call.owner->event_of == nullptr || call.name != call.owner->event_call) return;
  watched_.insert(call.owner);
}

// Where a program waits for events, a type that has not come is there with 0: the first one is then an increase. Where
// no program waits, the devices' events are unknown.
void CallMetrics::write_async(MetricSet& metrics) const {
  const hal::Backend* previous = nullptr;
  for (const hal::Call& call : calls_.calls()) {
    const hal::Backend* owner = call.owner;
    if (owner == nullptr || owner == previous || !watched_.contains(owner)) continue;
    previous = owner;
    const auto write = [&](uint64_t code, std::string_view name, bool is_error) {
      const auto found = async_.find({owner, code});
      metrics.add(kAsyncEvents,
                  {{"rdma_event_type", std::string(name)}, {"rdma_fabric_error", is_error ? "true" : "false"}},
                  found == async_.end() ? 0.0 : static_cast<double>(found->second));
    };
    for (uint64_t code = 0; !owner->event_of(code).name.empty(); ++code) {
      const hal::AsyncEvent event = owner->event_of(code);
      write(code, event.name, event.is_error);
    }
    if (async_.contains({owner, UINT64_MAX})) write(UINT64_MAX, kOther, false);
  }
}

void CallMetrics::add(std::span<const hal::Event> events) {
  const std::scoped_lock lock(mutex_);
  for (const hal::Event& event : events) {
    if (event.call >= rows_.size()) continue;
    note_watcher(calls_[event.call]);
    if (event.outcome == hal::Outcome::kInFlight) continue;
    ++events_;
    const hal::Call& call = calls_[event.call];
    CallRow& row = rows_[event.call];
    ++row.count;
    if (event.failed) ++row.errors;
    if (event.outcome != hal::Outcome::kReturned) ++row.unfinished;
    if (event.has(hal::Has::kBytes) && !event.failed) row.bytes += static_cast<double>(event.bytes);
    if (event.has(hal::Has::kOffCpu)) {
      row.off.preempted_ns += event.off.preempted_ns;
      row.off.runqueue_ns += event.off.runqueue_ns;
      row.off.blocked_ns += event.off.blocked_ns;
      row.off.io_ns += event.off.io_ns;
      row.has_off = true;
    }
    if (event.has(hal::Has::kDuration) && event.outcome == hal::Outcome::kReturned) {
      row.durations.add(event.duration_ns);
      if (legacy_names_) row.percentiles.add(event.duration_ns);
    }
    if (event.kind == hal::Kind::kMemcpy) add_copy(event, call);
    if (event.kind == hal::Kind::kLaunch) add_launch(event);
    if (event.kind == hal::Kind::kFabric) add_async(event, call);
    if (event.device_ref != 0 && event.depth == 0) {
      const bool has_room = devices_.size() < kMaxDevices || devices_.contains(event.device_ref);
      DeviceRow& device = devices_[has_room ? event.device_ref : 0];
      ++device.count;
      device.errors += event.failed ? 1 : 0;
    }
  }
}

void CallMetrics::write_devices(MetricSet& metrics, const std::function<hal::EventDevice(uint32_t ref)>& device) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [ref, row] : devices_) {
    Labels labels = {{"vendor", std::string(kOther)}};
    if (ref != 0) {
      const hal::EventDevice one = device(ref);
      labels = {{"vendor", one.vendor},
                {"gpu_id", one.gpu_id ? std::to_string(*one.gpu_id) : ""},
                {"gpu_uuid", one.uuid},
                {"pci_address", one.pci_address}};
    }
    metrics.add(kDeviceOperations, labels, static_cast<double>(row.count));
    metrics.add(kDeviceFailures, labels, static_cast<double>(row.errors));
  }
}

void CallMetrics::write_durations(MetricSet& metrics, const Metric& metric, const Labels& labels,
                                  const Durations& durations, double unit_ns) {
  std::array<double, kDurationBuckets - 1> bounds{};
  for (size_t i = 0; i < bounds.size(); ++i) bounds[i] = in(uint64_t{1} << (kFirstPower + 2 * i), unit_ns);
  metrics.add(metric, labels, Buckets{bounds, durations.counts, in(durations.sum_ns, unit_ns)});
}

void CallMetrics::write_call(MetricSet& metrics, const hal::Call& call, const CallRow& row) {
  if (call.kind == hal::Kind::kHost) {
    const Labels labels = {{"layer", std::string(call.layer)}, {"operation", std::string(call.name)}};
    metrics.add(kHostOperations, labels, static_cast<double>(row.count));
    if (row.durations.total > 0) write_durations(metrics, kHostDuration, labels, row.durations, kSecondNs);
    return;
  }
  const Labels labels = operation_labels(call);
  metrics.add(kOperations, labels, static_cast<double>(row.count));
  metrics.add(kOperationErrors, labels, static_cast<double>(row.errors));
  metrics.add(kOperationsUnfinished, labels, static_cast<double>(row.unfinished));
  if (row.durations.total > 0) write_durations(metrics, kOperationDuration, labels, row.durations, kSecondNs);
  if (row.has_off) {
    const std::pair<const char*, uint64_t> causes[] = {{"preempted", row.off.preempted_ns},
                                                       {"runqueue", row.off.runqueue_ns},
                                                       {"blocked", row.off.blocked_ns},
                                                       {"io", row.off.io_ns}};
    for (const auto& [cause, ns] : causes) {
      Labels with_cause = labels;
      with_cause.emplace_back("cause", cause);
      metrics.add(kOffCpu, std::move(with_cause), in(ns, kSecondNs));
    }
  }
}

void CallMetrics::write(MetricSet& metrics, bool with_legacy_names) const {
  const std::scoped_lock lock(mutex_);
  metrics.add(kEvents, {}, static_cast<double>(events_));
  write_async(metrics);
  for (size_t id = 0; id < rows_.size(); ++id) {
    const hal::Call& call = calls_[static_cast<hal::CallId>(id)];
    const CallRow& row = rows_[id];
    if (row.count == 0) continue;
    write_legacy_call(metrics, call, row, with_legacy_names);
    write_call(metrics, call, row);
  }
  for (const auto& [key, row] : copies_) {
    const Labels labels = {{"vendor", std::string(key.first)}, {"direction", std::string(name_of(key.second))}};
    metrics.add(kCopyBytes, labels, row.bytes);
    if (row.durations.total > 0) write_durations(metrics, kCopyDuration, labels, row.durations, kSecondNs);
  }
  write_legacy_copies(metrics, legacy_names_ && with_legacy_names);
  const auto write_pid = [&](const std::string& pid, const PidRow& row) {
    const Labels labels = {{"pid", pid}};
    metrics.add(kLaunches, labels, static_cast<double>(row.launches));
    if (!launch_sizes_) return;
    metrics.add(kLaunchThreads, labels, Buckets{kThreadBounds, row.threads, static_cast<double>(row.threads_sum)});
    metrics.add(kLaunchBlocks, labels, Buckets{kBlockBounds, row.blocks, row.blocks_sum});
  };
  for (const auto& [pid, row] : pids_) write_pid(std::to_string(pid), row);
  if (has_other_pids_) write_pid(std::string(kOther), other_pids_);
}

}  // namespace ingero::serve::metrics
