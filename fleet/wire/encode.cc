// Field by field, with attributes on each point: receivers drop those of scopes.
#include "fleet/wire/encode.h"

#include <set>

#include <protozero/pbf_writer.hpp>

#include "fleet/wire/names.h"

namespace ingero::fleet::wire {
namespace {

using protozero::pbf_writer;

// Numbers of opentelemetry-proto's fields.
constexpr uint32_t kGauge = 5, kSum = 7, kHistogram = 9;
constexpr uint32_t kNumberAttributes = 7, kHistogramAttributes = 9;

// `any`: an AnyValue.
void add_value(std::string& to, uint32_t field, std::string_view key, const std::string& any) {
  std::string pair;
  pbf_writer writer(pair);
  writer.add_string(1, key.data(), key.size());
  writer.add_message(2, any);
  pbf_writer(to).add_message(field, pair);
}

void add_text(std::string& to, uint32_t field, std::string_view key, std::string_view value) {
  std::string any;
  pbf_writer(any).add_string(1, value.data(), value.size());
  add_value(to, field, key, any);
}

void add_real(std::string& to, uint32_t field, std::string_view key, double value) {
  std::string any;
  pbf_writer(any).add_double(4, value);
  add_value(to, field, key, any);
}

void add_number(std::string& to, uint32_t field, std::string_view key, int64_t value) {
  std::string any;
  pbf_writer(any).add_int64(3, value);
  add_value(to, field, key, any);
}

class Metrics {
 public:
  void add(std::string_view name, uint32_t kind, const std::string& point) {
    std::string data, metric;
    pbf_writer inner(data);
    inner.add_message(1, point);
    if (kind != kGauge) inner.add_enum(2, 1);  // delta
    pbf_writer writer(metric);
    writer.add_string(1, name.data(), name.size());
    writer.add_message(kind, data);
    pbf_writer(scope_).add_message(2, metric);
  }
  const std::string& scope() const { return scope_; }

 private:
  std::string scope_;
};

std::string point_of(const Window& window, uint32_t attributes, bool of_rank, bool with_operation = true) {
  std::string point;
  pbf_writer writer(point);
  writer.add_fixed64(2, window.start_ns);
  writer.add_fixed64(3, window.end_ns);
  add_number(point, attributes, "ingero.rank", window.rank);
  if (of_rank) return point;
  add_number(point, attributes, "gpu.collective.comm_id_hash",
             static_cast<int64_t>(window.comm_id_hash.value_or(window.communicator)));
  if (window.comm_id_hash) {
    add_number(point, attributes, "gpu.collective.library_hash", static_cast<int64_t>(window.communicator));
  }
  add_number(point, attributes, "gpu.collective.rank", window.comm_rank);
  add_number(point, attributes, "gpu.collective.nranks", window.nranks);
  if (with_operation && !window.operation.empty())
    add_text(point, attributes, "gpu.collective.op_type", window.operation);
  return point;
}

std::string real(std::string point, double value) {
  pbf_writer(point).add_double(4, value);
  return point;
}

std::string whole(std::string point, int64_t value) {
  pbf_writer(point).add_sfixed64(6, value);
  return point;
}

std::string distribution(std::string point, uint64_t count, double sum) {
  pbf_writer writer(point);
  writer.add_fixed64(4, count);
  writer.add_double(5, sum);
  return point;
}

void add_activity(std::string& point, const Window& window) {
  if (window.pid) add_number(point, kNumberAttributes, kPid[0], *window.pid);
  if (!window.activity) return;
  const Activity& its = *window.activity;
  add_text(point, kNumberAttributes, kActivity[0], kActivityNames[static_cast<size_t>(its.kind)]);
  if (its.since_ns > 0) add_number(point, kNumberAttributes, kActivitySince[0], static_cast<int64_t>(its.since_ns));
  for (const auto& [key, text] :
       {std::pair(kActivityCall[0], &its.call), {kActivityLine[0], &its.line}, {kStack[0], &its.stack}}) {
    if (!text->empty()) add_text(point, kNumberAttributes, key, *text);
  }
}

void add_window(Metrics& metrics, const Window& window) {
  const std::string number = point_of(window, kNumberAttributes, false);
  const std::string times = point_of(window, kHistogramAttributes, false);
  metrics.add("ingero.fleet.collective.work", kHistogram,
              distribution(times, window.count, window.work_total_s.value_or(0)));
  if (window.work_s) metrics.add("ingero.fleet.collective.work.median", kGauge, real(number, *window.work_s));
  metrics.add("ingero.fleet.collective.wait", kHistogram, distribution(times, window.blocked, window.wait_s));
  metrics.add("ingero.fleet.collective.blocked", kSum, whole(number, static_cast<int64_t>(window.blocked)));
  metrics.add("ingero.fleet.collective.size", kSum, whole(number, window.bytes));
  if (window.entered) {
    std::string entered = whole(number, *window.entered);
    if (window.entered_bytes > 0) add_number(entered, kNumberAttributes, "gpu.collective.size", window.entered_bytes);
    add_activity(entered, window);
    metrics.add("ingero.fleet.collective.entered", kGauge, entered);
  }
  if (window.progress) {
    const Progress& its = *window.progress;
    std::string progress = whole(number, its.entered);
    add_number(progress, kNumberAttributes, kLastLeft[0], its.left);
    if (its.base != 0) add_number(progress, kNumberAttributes, kBase[0], its.base);
    if (its.left_ns != 0) add_number(progress, kNumberAttributes, kLeft[0], static_cast<int64_t>(its.left_ns));
    if (!its.recent.empty()) add_text(progress, kNumberAttributes, kRecent[0], its.recent);
    if (!window.entered) add_activity(progress, window);
    metrics.add("ingero.fleet.collective.progress", kGauge, progress);
  }
  if (window.left) metrics.add("ingero.fleet.collective.left", kGauge, whole(number, *window.left));
  for (const auto& [state, is_so] : {std::pair("lost", window.is_lost),
                                     {"matched", window.is_matched},
                                     {"failed", window.has_failed},
                                     {"gone", window.is_gone}}) {
    if (!is_so) continue;
    std::string point = whole(number, 1);
    add_text(point, kNumberAttributes, "state", state);
    metrics.add("ingero.fleet.collective.state", kGauge, point);
  }
}

std::vector<std::pair<const char*, double>> off_cpu_of(const Window& window) {
  std::vector<std::pair<const char*, double>> parts{{"preempted", window.preempted_s},
                                                    {"run_queue", window.runqueue_s},
                                                    {"blocked", window.blocked_s},
                                                    {"io", window.io_s}};
  std::erase_if(parts, [](const auto& part) { return part.second == 0; });
  return parts;
}

void add_off_cpu(Metrics& metrics, const Window& window) {
  for (const auto& [reason, seconds] : off_cpu_of(window)) {
    std::string point = point_of(window, kNumberAttributes, true);
    add_text(point, kNumberAttributes, "reason", reason);
    metrics.add("gpu.operation.off_cpu", kSum, real(std::move(point), seconds));
  }
}

void add_device(Metrics& metrics, const Window& window) {
  if (!window.device) return;
  const DeviceState& device = *window.device;
  std::string point = point_of(window, kNumberAttributes, true);
  add_text(point, kNumberAttributes, kDeviceId[0], device.id);
  if (!device.model.empty()) add_text(point, kNumberAttributes, kDeviceModel[0], device.model);
  for (const auto& [name, value] : {std::pair(kUtilizationMetric, device.utilization_ratio),
                                    {kPowerMetric, device.power_watts},
                                    {kTemperatureMetric, device.temperature_celsius},
                                    {kClockMetric, device.sm_clock_hertz}}) {
    if (value) metrics.add(name, kGauge, real(point, *value));
  }
  if (device.throttle_reasons) metrics.add(kThrottleMetric, kGauge, whole(point, *device.throttle_reasons));
}

uint32_t points_of(const DeviceState& device) {
  return (device.utilization_ratio ? 1 : 0) + (device.power_watts ? 1 : 0) + (device.temperature_celsius ? 1 : 0) +
         (device.sm_clock_hertz ? 1 : 0) + (device.throttle_reasons ? 1 : 0);
}

void add_arrivals(Metrics& metrics, const Window& window) {
  for (const Arrival& arrival : window.arrivals) {
    std::string point =
        whole(point_of(window, kNumberAttributes, false, false), static_cast<int64_t>(arrival.entered_ns));
    add_number(point, kNumberAttributes, kNumber[0], static_cast<int64_t>(arrival.number));
    if (arrival.left_ns) add_number(point, kNumberAttributes, kLeft[0], static_cast<int64_t>(*arrival.left_ns));
    if (!arrival.operation.empty()) add_text(point, kNumberAttributes, kOperation[0], arrival.operation);
    if (arrival.bytes > 0) add_number(point, kNumberAttributes, kCollectiveBytes[0], arrival.bytes);
    metrics.add("ingero.fleet.collective.arrival", kGauge, point);
  }
}

std::string request_of(const Sender& sender, const Push& push, const Metrics& metrics) {
  std::string request, resource, group;
  add_text(resource, 1, "service.name", "ingero");
  add_text(resource, 1, "ingero.cluster.id", sender.cluster);
  add_text(resource, 1, "ingero.node.id", sender.node);
  if (!sender.job.empty()) add_text(resource, 1, "ingero.job.id", sender.job);
  if (!push.instance.empty()) {
    add_text(resource, 1, "service.instance.id", push.instance);
    add_number(resource, 1, "ingero.push.seq", static_cast<int64_t>(push.number));
  }
  if (push.clock) {
    add_number(resource, 1, "ingero.clock.offset_ns", push.clock->offset_ns);
    add_number(resource, 1, "ingero.clock.within_ns", static_cast<int64_t>(push.clock->within_ns));
  }
  pbf_writer writer(group);
  writer.add_message(1, resource);
  writer.add_message(2, metrics.scope());
  pbf_writer(request).add_message(1, group);
  return request;
}

}  // namespace

std::string encode_windows(std::span<const Window> windows, const Push& push) {
  if (windows.empty()) return {};
  Metrics metrics;
  std::set<uint32_t> ranks;
  for (const Window& window : windows) {
    add_window(metrics, window);
    add_device(metrics, window);
    add_arrivals(metrics, window);
    if (ranks.insert(window.rank).second) add_off_cpu(metrics, window);
  }
  return request_of(windows.front().sender, push, metrics);
}

uint32_t points_of(std::span<const Window> windows) {
  size_t points = 0;
  std::set<uint32_t> ranks;
  for (const Window& window : windows) {
    points += 4 + (window.work_s ? 1 : 0) + (window.entered ? 1 : 0) + (window.left ? 1 : 0);
    points += window.progress ? 1 : 0;
    points += window.arrivals.size() + (window.device ? points_of(*window.device) : 0);
    for (const bool is_so : {window.is_lost, window.is_matched, window.has_failed, window.is_gone}) points += is_so;
    if (ranks.insert(window.rank).second) points += off_cpu_of(window).size();
  }
  return static_cast<uint32_t>(points);
}

std::string encode_incidents(const Sender& sender, std::span<const Incident> incidents, const Push& push) {
  if (incidents.empty()) return {};
  Metrics metrics;
  for (const Incident& incident : incidents) {
    std::string point;
    pbf_writer(point).add_fixed64(3, incident.time_ns);
    if (incident.rank) add_number(point, kNumberAttributes, "ingero.rank", *incident.rank);
    for (const auto& [key, value] : incident.attributes) add_text(point, kNumberAttributes, key, value);
    metrics.add("ingero.causal_chain", kGauge, real(std::move(point), incident.lost_s));
  }
  return request_of(sender, push, metrics);
}

std::string encode_node(const Sender& sender, uint64_t time_ns, std::span<const NodePoint> points, const Push& push) {
  if (points.empty()) return {};
  Metrics metrics;
  for (const NodePoint& one : points) {
    std::string point;
    pbf_writer(point).add_fixed64(3, time_ns);
    for (const auto& [key, value] : one.texts) add_text(point, kNumberAttributes, key, value);
    for (const auto& [key, value] : one.numbers) add_real(point, kNumberAttributes, key, value);
    metrics.add(one.metric, kGauge, real(std::move(point), one.value));
  }
  return request_of(sender, push, metrics);
}

std::string encode_heartbeat(const Sender& sender, const Push& push) { return request_of(sender, push, Metrics()); }

}  // namespace ingero::fleet::wire
