// Names, numbers and bounds of data points: see collector.h.
#include "fleet/wire/collector.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.h"
#include "base/text.h"

namespace ingero::fleet::wire {
namespace {

constexpr std::string_view kOurs = "ingero.fleet.collective.";
constexpr uint64_t kMaxWindow_ns = 300'000'000'000;
constexpr uint64_t kMaxBeforeWindow_ns = 2 * kMaxWindow_ns;  // of an arrival that was left late

// What a device can say of itself, with room: beyond it is an error of its driver's, or of who sends.
struct DeviceMetric {
  std::string_view name;
  std::optional<double> DeviceState::*member;  // null: the reasons why it is throttled
  double least, most;
};
constexpr DeviceMetric kDeviceMetrics[] = {{kUtilizationMetric, &DeviceState::utilization_ratio, 0, 1},
                                           {kPowerMetric, &DeviceState::power_watts, 0, 1e5},
                                           {kTemperatureMetric, &DeviceState::temperature_celsius, -273.15, 1e3},
                                           {kClockMetric, &DeviceState::sm_clock_hertz, 0, 1e11},
                                           {kThrottleMetric, nullptr, 0, 15}};

const DeviceMetric* device_metric(std::string_view name) {
  const auto* found = std::ranges::find(kDeviceMetrics, name, &DeviceMetric::name);
  return found == std::end(kDeviceMetrics) ? nullptr : found;
}

bool is_bad(const std::optional<double>& value) { return value && !std::isfinite(*value); }

// A value without a type, or an empty text, is not there.
bool is_there(const Json* value) { return value != nullptr && !value->is_null() && *value != ""; }

std::optional<int64_t> as_number(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_string()) return parse_i64(value.get_ref<const std::string&>());
  constexpr double kExact = 9007199254740992;  // from 2^53 on doubles are not all whole numbers
  if (!value.is_number_float()) return std::nullopt;
  const auto real = value.get<double>();
  return std::abs(real) <= kExact && std::trunc(real) == real ? std::optional(static_cast<int64_t>(real))
                                                              : std::nullopt;
}

// A communicator is named by 64 bits; as OTLP has signed integers only, also as text.
std::optional<uint64_t> as_id(const Json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (value.is_number_integer()) return static_cast<uint64_t>(value.get<int64_t>());
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty()) return std::nullopt;
  if (const auto number = parse_u64(text)) return number;
  return fnv1a(text);
}

}  // namespace

// Without points it says that its sender is there.
void Collector::end_resource() {
  if (seen_ != seen_before_ || resource_fault_ != nullptr || batch_.idle.size() >= kMaxIdle) return;
  auto instance = text({}, kInstanceNames);
  const char* fault = nullptr;
  auto from = instance ? sender({}, fault) : std::nullopt;
  if (!from) return;
  from->instance = std::move(*instance);
  batch_.idle.push_back(std::move(*from));
}

void Collector::begin_resource(Attributes attributes, const char* fault) {
  end_resource();
  seen_before_ = seen_;
  resource_ = std::move(attributes);
  resource_fault_ = fault;
  scope_.clear();
}

void Collector::begin_scope(std::string_view name, std::string_view version) {
  scope_.clear();
  if (!name.empty() || !version.empty()) {
    scope_ = fmt::format("{}\n{}", printable(name, kMaxIdBytes), printable(version, kMaxIdBytes));
  }
}

const Json* Collector::find(const RawPoint& point, std::string_view name) const {
  const std::string key(name);
  const auto own = point.attributes.find(key);
  if (own != point.attributes.end()) return &own->second;
  const auto shared = resource_.find(key);
  return shared != resource_.end() ? &shared->second : nullptr;
}

std::optional<std::string> Collector::text(const RawPoint& point, Names names, size_t max_bytes) const {
  for (const std::string_view name : names) {
    const Json* value = find(point, name);
    if (value == nullptr || !value->is_string() || value->get_ref<const std::string&>().empty()) continue;
    return printable(value->get_ref<const std::string&>(), max_bytes);
  }
  return std::nullopt;
}

std::optional<int64_t> Collector::number(const RawPoint& point, Names names) const {
  for (const std::string_view name : names) {
    const Json* value = find(point, name);
    if (is_there(value)) return as_number(*value);
  }
  return std::nullopt;
}

// Whether the first of them that is there is no whole number.
bool Collector::has_wrong(const RawPoint& point, Names names) const {
  for (const std::string_view name : names) {
    const Json* value = find(point, name);
    if (is_there(value)) return !as_number(*value);
  }
  return false;
}

// A whole number is a name, too. One that is cut would be another's.
std::optional<std::string> Collector::name(const RawPoint& point, Names names, const char*& fault) const {
  for (const std::string_view one : names) {
    const Json* value = find(point, one);
    if (value == nullptr || value->is_null()) continue;
    if (value->is_number_integer()) return dump(*value);
    if (!value->is_string()) {
      fault = "a name of a node, cluster or job is neither text nor a whole number";
      return std::nullopt;
    }
    const auto& text = value->get_ref<const std::string&>();
    if (text.empty()) continue;
    if (text.size() > kMaxIdBytes) {
      fault = "a name of a node, cluster or job is longer than 128 bytes";
      return std::nullopt;
    }
    return printable(text, kMaxIdBytes);
  }
  return std::nullopt;
}

std::optional<Sender> Collector::sender(const RawPoint& point, const char*& fault) const {
  auto node = name(point, kNodeNames, fault);
  auto cluster = fault == nullptr ? name(point, kClusterNames, fault) : std::nullopt;
  auto job = fault == nullptr ? name(point, kJobNames, fault) : std::nullopt;
  if (!node && fault == nullptr) fault = "the resource names no node (ingero.node.id or host.name)";
  if (fault != nullptr) return std::nullopt;
  return Sender{std::move(cluster).value_or("default"), std::move(*node), std::move(job).value_or("")};
}

const char* Collector::fault_of(std::string_view metric, const RawPoint& point) const {
  if (resource_fault_ != nullptr) return resource_fault_;
  if (point.fault != nullptr) return point.fault;
  if (metric.empty() || metric.size() > kMaxNameBytes) return "a metric's name is empty or longer than 256 bytes";
  if (is_bad(point.value_double) || is_bad(point.sum) || is_bad(point.max)) return "a value is not a finite number";
  if (!point.has_no_value && !point.value_double && !point.value_int && !point.count) {
    return "a data point has no value";
  }
  if (point.count && *point.count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return "a count is above 2^63 - 1";
  }
  if (point.time_ns > now_ns_ + kMaxAhead_ns) return "a time is more than 10 minutes ahead of this clock";
  const bool is_ours = metric.starts_with(kOurs) || is_of_device(metric, point);
  if (point.time_ns + (is_ours ? kMaxWindowAge_ns : kMaxPointAge_ns) < now_ns_) {
    return is_ours ? "a window is older than an hour" : "a time is more than 30 days ago";
  }
  const double value = point.value_double.value_or(static_cast<double>(point.value_int.value_or(0)));
  if (metric == kScoreMetric && (value < 0 || value > 1)) return "a health score is not from 0 to 1";
  const auto rank = number(point, kRankNames);
  const auto nranks = number(point, kRanksNames);
  if (!rank && has_wrong(point, kRankNames)) return "a rank is not a whole number";
  if (!nranks && has_wrong(point, kRanksNames)) return "a number of ranks is not a whole number";
  if (rank && (*rank < 0 || *rank >= kMaxRank)) return "a rank is negative or above 1048575";
  if (nranks && (*nranks < 0 || *nranks > kMaxRank)) return "a number of ranks is negative or above 1048576";
  // 0: some senders say so where they do not know it.
  if (rank && nranks && *nranks > 0 && *rank >= *nranks) return "a rank is not below the number of ranks";
  return nullptr;
}

void Collector::add(std::string_view metric, RawPoint point) {
  if (++seen_ > kMaxPoints) return refuse("more than 20000 points in one request");
  if (point.has_no_value) return;
  const char* fault = fault_of(metric, point);
  auto from = fault == nullptr ? sender(point, fault) : std::nullopt;
  if (fault != nullptr) return refuse(fault);
  if (metric.starts_with(kOurs)) return add_window(metric.substr(kOurs.size()), std::move(*from), point);
  if (metric == "gpu.operation.off_cpu" && add_off_cpu(*from, point)) return;
  if (is_of_device(metric, point)) return add_device(metric, *from, point);
  add_point(metric, std::move(*from), std::move(point));
}

void Collector::add_point(std::string_view metric, Sender from, RawPoint raw) {
  Point point;
  point.time_ns = raw.time_ns;
  point.metric = printable(metric, kMaxNameBytes);
  point.rank = number(raw, kRankNames);
  point.nranks = number(raw, kRanksNames);
  if (point.nranks == 0) point.nranks.reset();
  point.value_double = raw.value_double ? raw.value_double : raw.sum;
  point.value_int = raw.value_int;
  if (raw.count) point.value_int = static_cast<int64_t>(*raw.count);
  for (const auto& [key, value] : resource_) raw.attributes.emplace(key, value);
  for (const char* lifted : {"ingero.cluster.id", "ingero.node.id"}) raw.attributes.erase(lifted);
  std::string json = "{";
  for (const auto& [key, value] : raw.attributes) {
    if (json.size() > 1) json += ',';
    json += json_string(key) + ":" + dump(value);
  }
  point.attributes = json + "}";
  kept_bytes_ += point.attributes.size();
  if (kept_bytes_ > kMaxKeptBytes) return refuse("the attributes of one request's points need more than 32 MiB");
  point.hash = fnv1a(point.attributes + scope_);
  from.instance = text(raw, kInstanceNames).value_or("");
  point.sender = std::move(from);
  batch_.points.push_back(std::move(point));
}

// What a rank cannot have done in a window. Its work before the first collective, and a wait, may have begun long
// before it.
const char* Collector::fault_of_window(std::string_view name, const RawPoint& point) const {
  constexpr double kMaxPerSecond = 1e7, kMaxBytesPerSecond = 1e15, kMaxBefore_s = 30 * 86'400.0;
  if (point.start_ns >= point.time_ns || point.time_ns - point.start_ns > kMaxWindow_ns) {
    return "a window does not begin before its end, or is longer than 5 minutes";
  }
  const bool is_distribution = name == "work" || name == "wait";
  const bool is_number = name == "entered" || name == "left" || name == "arrival" || name == "progress";
  if (is_distribution ? !point.count : is_number ? !point.value_int : !point.value_double && !point.value_int) {
    return "a metric of a window is not of its kind";
  }
  if (has_wrong(point, kCommunicatorRank)) return "a rank is not a whole number";
  const double length_s = static_cast<double>(point.time_ns - point.start_ns) / 1e9;
  const double value = point.value_double.value_or(static_cast<double>(point.value_int.value_or(0)));
  const double count = is_distribution ? static_cast<double>(*point.count) : name == "blocked" ? value : 0;
  const double seconds = is_distribution ? point.sum.value_or(0) : name == "work.median" ? value : 0;
  if (value < 0 || seconds < 0) return "a count or a time is negative";
  if (count > kMaxPerSecond * length_s) return "a window has more collectives or waits than there is time for";
  if (seconds > kMaxBefore_s + length_s) return "a window's work or wait is longer than 30 days";
  if (name == "size" && value > kMaxBytesPerSecond * length_s) return "a window has more bytes than there is time for";
  return nullptr;
}

void Collector::add_window(std::string_view name, Sender from, const RawPoint& point) {
  if (const char* fault = fault_of_window(name, point)) return refuse(fault);
  const auto rank = number(point, kWindowRank);
  const auto nranks = number(point, kCommunicatorRanks);
  const auto comm_rank = number(point, kCommunicatorRank);
  const Json* id = find(point, "gpu.collective.comm_id_hash");
  const Json* library_id = find(point, "gpu.collective.library_hash");
  const auto own = id == nullptr ? std::nullopt : as_id(*id);
  const auto of_library = library_id == nullptr ? std::nullopt : as_id(*library_id);
  const auto communicator = of_library && own ? of_library : own;
  if (!rank || !communicator || !nranks) {
    return refuse("a window names no ingero.rank, gpu.collective.comm_id_hash or gpu.collective.nranks");
  }
  if (*nranks < 1 || *nranks > kMaxRank) return refuse("gpu.collective.nranks is not from 1 to 1048576");
  if (comm_rank && (*comm_rank < 0 || *comm_rank >= *nranks)) return refuse("a rank is not below the number of ranks");
  const auto value = point.value_double ? *point.value_double : static_cast<double>(point.value_int.value_or(0));
  const WindowKey key{from.cluster, from.job, from.node, point.start_ns, static_cast<uint32_t>(*rank), *communicator};
  if (name == "arrival") return add_arrival(key, point);
  const auto [at, is_new] = windows_.try_emplace(key);
  Window& window = at->second;
  if (is_new) {
    const auto offset_ns = number(point, kClockOffset), within_ns = number(point, kClockWithin);
    if (offset_ns && within_ns && *within_ns >= 0) from.clock = {*offset_ns, static_cast<uint64_t>(*within_ns)};
    from.instance = text(point, kInstanceNames).value_or("");
    window.sender = std::move(from);
  }
  window.start_ns = point.start_ns;
  window.end_ns = point.time_ns;
  window.rank = static_cast<uint32_t>(*rank);
  window.communicator = *communicator;
  if (of_library) window.comm_id_hash = own;
  window.nranks = static_cast<uint32_t>(*nranks);
  if (comm_rank) window.comm_rank = static_cast<uint32_t>(*comm_rank);
  const auto operation = text(point, kOperation);
  if (operation && (name == "entered" || window.operation.empty())) window.operation = *operation;
  if (name == "work") {
    window.count = point.count.value_or(0);
    window.work_total_s = point.sum;
  } else if (name == "work.median") {
    window.work_s = value;
  } else if (name == "wait") {
    window.wait_s = point.sum.value_or(0);
  } else if (name == "blocked") {
    window.blocked = static_cast<uint64_t>(value);
  } else if (name == "size") {
    window.bytes = static_cast<int64_t>(value);
  } else if (name == "entered") {
    window.entered = point.value_int;
    window.entered_bytes = std::max<int64_t>(0, number(point, kCollectiveBytes).value_or(0));
    add_activity(window, point);
  } else if (name == "left") {
    window.left = point.value_int;
  } else if (name == "progress") {
    add_progress(window, point);
  } else if (name == "state") {
    const std::string state = text(point, kState).value_or("");
    window.is_lost = window.is_lost || state == "lost";
    window.is_matched = window.is_matched || state == "matched";
    window.has_failed = window.has_failed || state == "failed";
    window.is_gone = window.is_gone || state == "gone";
  } else {
    refuse("a metric below ingero.fleet.collective that this version does not know");
  }
}

// Of a rank that sends windows: part of them. The same metric of the ordinary exporter has no rank, and is an event.
bool Collector::add_off_cpu(const Sender& from, const RawPoint& point) {
  const auto rank = number(point, kWindowRank);
  const auto reason = text(point, kReason);
  const double value = point.value_double.value_or(-1);
  const bool is_of_window = point.start_ns != 0 && point.start_ns < point.time_ns;
  if (!rank || !reason || !is_of_window || value < 0) return false;
  constexpr double kMaxThreads = 1 << 20;  // of a process
  if (value > kMaxThreads * static_cast<double>(point.time_ns - point.start_ns) / 1e9) {
    refuse("a rank was off its CPU for longer than its threads have time");
    return true;
  }
  off_cpu_[{from.cluster, from.job, from.node, point.start_ns, static_cast<uint32_t>(*rank)}][*reason] +=
      *point.value_double;
  return true;
}

// What it does not say is 0. A time that is not of the window's is none.
void Collector::add_progress(Window& window, const RawPoint& point) const {
  Progress its;
  its.entered = *point.value_int;
  its.base = std::max<int64_t>(0, number(point, kBase).value_or(0));
  its.left = std::clamp<int64_t>(number(point, kLastLeft).value_or(0), 0, its.entered);
  const auto left_ns = static_cast<uint64_t>(std::max<int64_t>(0, number(point, kLeft).value_or(0)));
  const bool is_of_then =
      left_ns + kMaxBeforeWindow_ns >= point.start_ns && left_ns <= point.time_ns + kMaxBeforeWindow_ns;
  if (is_of_then) its.left_ns = left_ns;
  its.recent = text(point, kRecent, kMaxRecentBytes).value_or("");
  if (its.recent.size() % kRecentBytes != 0) its.recent.clear();
  window.progress = std::move(its);
  add_activity(window, point);
}

// With the collective that was entered last.
void Collector::add_activity(Window& window, const RawPoint& point) const {
  const auto pid = number(point, kPid);
  if (pid && *pid > 0 && *pid <= std::numeric_limits<int32_t>::max()) window.pid = static_cast<uint32_t>(*pid);
  const auto name = text(point, kActivity);
  const auto* const known = std::ranges::find(kActivityNames, name.value_or(""));
  if (known == std::end(kActivityNames)) return;
  Activity& its = window.activity.emplace();
  its.kind = static_cast<ActivityKind>(known - std::begin(kActivityNames));
  its.since_ns = static_cast<uint64_t>(std::max<int64_t>(0, number(point, kActivitySince).value_or(0)));
  its.call = text(point, kActivityCall, kMaxCallBytes).value_or("");
  its.line = text(point, kActivityLine, kMaxLineBytes).value_or("");
  const Json* stack = find(point, kStack[0]);
  if (stack == nullptr || !stack->is_string()) return;
  const auto untrusted = std::string_view(stack->get_ref<const std::string&>()).substr(0, kMaxStackBytes);
  for (const std::string_view frame : split(untrusted, '\n')) {
    its.stack += (its.stack.empty() ? "" : "\n") + printable(frame, kMaxLineBytes);
  }
}

// A part of its window: without that it is of no use.
void Collector::add_arrival(WindowKey key, const RawPoint& point) {
  const auto collective = number(point, kNumber), left = number(point, kLeft);
  const int64_t entered = point.value_int.value_or(-1), end = static_cast<int64_t>(point.time_ns);
  const auto from = static_cast<int64_t>(point.start_ns - std::min(point.start_ns, kMaxBeforeWindow_ns));
  const auto until = end + static_cast<int64_t>(kMaxBeforeWindow_ns);
  if (!collective || *collective < 0) return refuse("an arrival names no gpu.collective.number");
  if (entered < from || entered > end || (left && (*left < entered || *left > until))) {
    return refuse("a time of an arrival is not of its window");
  }
  Arrival arrival;
  arrival.number = static_cast<uint64_t>(*collective);
  arrival.entered_ns = static_cast<uint64_t>(entered);
  if (left) arrival.left_ns = static_cast<uint64_t>(*left);
  arrival.operation = text(point, kOperation).value_or("");
  arrival.bytes = std::max<int64_t>(0, number(point, kCollectiveBytes).value_or(0));
  arrivals_[std::move(key)].push_back(std::move(arrival));
}

// Of a rank that sends windows; the same metrics of the ordinary exporter have no rank, and are events.
bool Collector::is_of_device(std::string_view metric, const RawPoint& point) const {
  return device_metric(metric) != nullptr && point.start_ns != 0 && number(point, kWindowRank) &&
         text(point, kDeviceId);
}

void Collector::add_device(std::string_view metric, const Sender& from, const RawPoint& point) {
  const DeviceMetric& known = *device_metric(metric);
  const double value = point.value_double ? *point.value_double : static_cast<double>(point.value_int.value_or(-1));
  if (value < known.least || value > known.most) return refuse("a reading of a device is not possible");
  const auto rank = static_cast<uint32_t>(number(point, kWindowRank).value_or(0));
  DeviceState& device = devices_[{from.cluster, from.job, from.node, point.start_ns, rank}];
  device.id = text(point, kDeviceId).value_or("");
  device.model = text(point, kDeviceModel).value_or("");
  if (known.member != nullptr) {
    device.*known.member = value;
  } else {
    device.throttle_reasons = static_cast<uint32_t>(value);
  }
}

Batch Collector::take() {
  end_resource();
  seen_before_ = seen_;
  resource_.clear();
  batch_.received = seen_;
  batch_.windows.reserve(windows_.size());
  for (auto& [key, window] : windows_) {
    const auto& [cluster, job, node, start, rank, communicator] = key;
    if (const auto off = off_cpu_.find({cluster, job, node, start, rank}); off != off_cpu_.end()) {
      for (const auto& [reason, seconds] : off->second) {
        if (reason == "preempted") window.preempted_s = seconds;
        if (reason == "runqueue" || reason == "run_queue") window.runqueue_s = seconds;
        if (reason == "blocked") window.blocked_s = seconds;
        if (reason == "io") window.io_s = seconds;
      }
    }
    // With the first of the rank's windows.
    if (auto device = devices_.extract(RankKey{cluster, job, node, start, rank})) {
      window.device = std::move(device.mapped());
    }
    if (auto its = arrivals_.extract(key)) window.arrivals = std::move(its.mapped());
    if (!window.work_s && window.work_total_s && window.count > 0) {
      window.work_s = *window.work_total_s / static_cast<double>(window.count);
    }
    batch_.windows.push_back(std::move(window));
  }
  for (const auto& [key, its] : arrivals_) batch_.refused["an arrival came without its window"] += its.size();
  if (!devices_.empty()) batch_.refused["a device's state came without a window of its rank"] += devices_.size();
  windows_.clear();
  off_cpu_.clear();
  devices_.clear();
  arrivals_.clear();
  return std::move(batch_);
}

}  // namespace ingero::fleet::wire
