// Means over the last windows, medians over the peers: see devices.h.
#include "fleet/detect/devices.h"

#include <algorithm>
#include <bit>

namespace ingero::fleet::detect {
namespace {

constexpr size_t kFewDevices = 5;      // under it the median is the faster one of the two in the middle
constexpr double kAtRest = 0.2;        // share of the time that it works less than its peers
constexpr double kWorksAsMuch = 0.05;  // likewise
constexpr size_t kUsualOf = 4;         // V4: a quarter is how the machines are set
constexpr uint32_t kThrottleBits = 4;  // bits of throttle_reasons

struct Mean {
  double sum = 0;
  size_t count = 0;
  void add(double value) {
    if (value < 0) return;
    sum += value;
    ++count;
  }
  double value() const { return count < kMinEvidence ? -1 : sum / static_cast<double>(count); }
};

// Of those that are known; below 0: there are no two.
double usual_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return value < 0; });
  if (values.size() < 2) return -1;
  std::sort(values.begin(), values.end());
  const size_t low = (values.size() - 1) / 2, high = values.size() / 2;
  return values.size() < kFewDevices ? values[high] : (values[low] + values[high]) / 2;
}

// (V4) Of a few devices one may be unusual.
bool is_rare(size_t alike, size_t all) { return alike <= std::max<size_t>(1, (all - 1) / kUsualOf); }

}  // namespace

void Devices::add(const DeviceReading& reading) {
  const auto found = devices_.find(reading.device);
  if (found == devices_.end() && devices_.size() >= kMaxDevices) return;
  answer_.reset();
  Device& device = found == devices_.end() ? devices_[reading.device] : found->second;
  device.node = reading.node;
  device.model = reading.model;
  device.last_window = std::max(device.last_window, reading.window);
  const auto rank = std::ranges::lower_bound(device.ranks, reading.rank);
  const bool is_new = rank == device.ranks.end() || *rank != reading.rank;
  if (is_new && device.ranks.size() < kMaxRanksOfDevice) device.ranks.insert(rank, reading.rank);
  Slot& slot = device.slots[reading.window % device.slots.size()];
  if (slot.window > reading.window) return;
  slot.window = reading.window;
  const auto or_unknown = [](const std::optional<double>& value) { return static_cast<float>(value.value_or(-1)); };
  slot.clock_hertz = or_unknown(reading.clock_hertz);
  slot.power_watts = or_unknown(reading.power_watts);
  slot.utilization_ratio = or_unknown(reading.utilization_ratio);
  slot.throttle_reasons = reading.throttle_reasons ? static_cast<int32_t>(*reading.throttle_reasons) : -1;
}

void Devices::forget_before(uint64_t window) {
  std::erase_if(devices_, [window](const auto& entry) { return entry.second.last_window < window; });
}

Devices::Summary Devices::summary_of(uint64_t id, const Device& device, uint64_t window) {
  Summary summary;
  summary.device = id;
  summary.of = &device;
  Mean clock, power, utilization;
  std::array<size_t, kThrottleBits> throttled{};
  size_t said = 0;
  for (const Slot& slot : device.slots) {
    if (slot.window == 0 || slot.window > window || slot.window + kEvidenceWindows <= window) continue;
    ++summary.windows;
    clock.add(slot.clock_hertz);
    power.add(slot.power_watts);
    utilization.add(slot.utilization_ratio);
    if (slot.throttle_reasons < 0) continue;
    ++said;
    for (uint32_t bit = 0; bit < kThrottleBits; ++bit) {
      throttled[bit] += (static_cast<uint32_t>(slot.throttle_reasons) >> bit) & 1U;
    }
  }
  summary.clock_hertz = clock.value();
  summary.power_watts = power.value();
  summary.utilization_ratio = utilization.value();
  for (uint32_t bit = 0; said >= kMinEvidence && bit < kThrottleBits; ++bit) {
    if (2 * throttled[bit] >= said) summary.throttle_reasons |= 1U << bit;
  }
  return summary;
}

std::map<uint64_t, std::vector<Devices::Summary>> Devices::models(uint64_t window) const {
  std::map<uint64_t, std::vector<Summary>> models;
  for (const auto& [id, device] : devices_) {
    Summary summary = summary_of(id, device, window);
    if (summary.windows >= kMinEvidence) models[device.model].push_back(summary);
  }
  return models;
}

bool Devices::Peers::is_low_clock(const Summary& one) const {
  return clock_hertz > 0 && one.clock_hertz > 0 && one.clock_hertz <= (1 - kClockFloor) * clock_hertz;
}

bool Devices::Peers::draws_less(const Summary& one) const {
  return power_watts > 0 && one.power_watts >= 0 && one.power_watts <= kPowerShare * power_watts;
}

Devices::Peers Devices::peers_of(const std::vector<Summary>& model) {
  const auto usual = [&](double Summary::*member) {
    std::vector<double> values;
    values.reserve(model.size());
    for (const Summary& one : model) values.push_back(one.*member);
    return usual_of(std::move(values));
  };
  Peers peers;
  peers.count = model.size();
  peers.clock_hertz = usual(&Summary::clock_hertz);
  peers.power_watts = usual(&Summary::power_watts);
  peers.utilization_ratio = usual(&Summary::utilization_ratio);
  for (const Summary& one : model) {
    peers.low_clocks += peers.is_low_clock(one) ? 1 : 0;
    peers.low_powers += peers.draws_less(one) ? 1 : 0;
    for (uint32_t bit = 0; bit < kThrottleBits; ++bit) peers.throttled[bit] += (one.throttle_reasons >> bit) & 1U;
  }
  return peers;
}

DeviceFinding Devices::compare(const Summary& one, const Peers& peers) {
  DeviceFinding finding;
  finding.device = one.device;
  finding.node = one.of->node;
  finding.ranks = one.of->ranks;
  finding.peers = peers.count - 1;
  if (peers.count < 2) return finding;
  const bool says_work = peers.utilization_ratio >= 0 && one.utilization_ratio >= 0;
  const bool is_at_rest = says_work && one.utilization_ratio < peers.utilization_ratio - kAtRest;
  if (peers.is_low_clock(one) && !is_at_rest && is_rare(peers.low_clocks, peers.count)) {  // (V1)
    finding.slower = peers.clock_hertz / one.clock_hertz - 1;
    finding.clock_hertz = one.clock_hertz;
    finding.usual_clock_hertz = peers.clock_hertz;
  }
  for (uint32_t bit = 0; bit < kThrottleBits; ++bit) {  // (V2)
    const bool has_it = ((one.throttle_reasons >> bit) & 1U) != 0;
    if (has_it && is_rare(peers.throttled[bit], peers.count)) finding.throttle_reasons |= 1U << bit;
  }
  const bool works_as_much = says_work && one.utilization_ratio >= peers.utilization_ratio - kWorksAsMuch;
  if (peers.draws_less(one) && works_as_much && is_rare(peers.low_powers, peers.count)) {  // (V3)
    finding.draws_less = true;
    finding.power_watts = one.power_watts;
    finding.usual_power_watts = peers.power_watts;
  }
  return finding;
}

const std::vector<DeviceFinding>& Devices::slow(uint64_t window) const {
  if (answer_ && answer_->window == window) return answer_->slow;
  std::vector<DeviceFinding> found;
  for (const auto& [model, summaries] : models(window)) {
    const Peers peers = peers_of(summaries);
    for (const Summary& one : summaries) {
      DeviceFinding finding = compare(one, peers);
      if (finding.is_evidence()) found.push_back(std::move(finding));
    }
  }
  std::ranges::stable_sort(found, [](const DeviceFinding& a, const DeviceFinding& b) {
    if (a.slower != b.slower) return a.slower > b.slower;
    return std::popcount(a.throttle_reasons) > std::popcount(b.throttle_reasons);
  });
  answer_ = {window, std::move(found)};
  return answer_->slow;
}

std::optional<DeviceFinding> Devices::of_rank(uint32_t rank, uint64_t window) const {
  for (const DeviceFinding& finding : slow(window)) {
    if (std::ranges::binary_search(finding.ranks, rank)) return finding;
  }
  return std::nullopt;
}

size_t Devices::known(uint64_t window) const {
  size_t count = 0;
  for (const auto& [model, summaries] : models(window)) count += summaries.size();
  return count;
}

}  // namespace ingero::fleet::detect
