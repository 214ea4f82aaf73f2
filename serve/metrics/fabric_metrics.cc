// Names: the driver's own, in a metric's letters; bytes say so.
#include "serve/metrics/fabric_metrics.h"

#include <set>

#include <fmt/format.h>

#include "serve/metrics/metric_names.h"

namespace ingero::serve::metrics {
namespace {

constexpr size_t kMaxChanges = 4000;

bool is_flagged(hal::CounterChange change) {
  return change == hal::CounterChange::kWrapped || change == hal::CounterChange::kReset ||
         change == hal::CounterChange::kStuck;
}

void write_counters(MetricSet& metrics, const Labels& labels, const std::vector<hal::FabricCounter>& counters) {
  std::set<std::string> used;
  for (const auto& counter : counters) {
    std::string word = metric_word(counter.name);
    if (word.empty()) continue;
    if (counter.unit == hal::CounterUnit::kBytes && !word.ends_with("_bytes")) word += "_bytes";
    // The driver's own counter of a name that the port has too.
    if (!used.insert(word).second) word = "hw_" + word;
    const std::string help = counter.meaning.sentence.empty()
                                 ? fmt::format("Counter {} of the adapter, as its driver names it.", word)
                                 : std::string(counter.meaning.sentence);
    metrics.add("ingero_rdma_" + word, MetricType::kUntyped, help, labels, static_cast<double>(counter.value));
  }
}

}  // namespace

void FabricMetrics::update(const hal::FabricSample& sample) {
  const std::scoped_lock lock(mutex_);
  const auto note = [&](const std::string& device, const std::string& port, const auto& counters) {
    for (const auto& counter : counters) {
      if (is_flagged(counter.change) && changes_.size() < kMaxChanges) {
        ++changes_[{device, port, metric_word(counter.name), counter.change}];
      }
    }
  };
  for (const auto& device : sample.devices) {
    note(device.name, "", device.counters);
    for (const auto& port : device.ports) note(device.name, std::to_string(port.number), port.counters);
  }
  unreadable_ += sample.unreadable_count;
  last_ = sample;
  has_sample_ = true;
}

void FabricMetrics::write(MetricSet& metrics) const {
  const std::scoped_lock lock(mutex_);
  if (!has_sample_) return;
  metrics.add(kFabricDevices, {}, static_cast<double>(last_.devices.size()));
  metrics.add(kFabricUnreadable, {}, static_cast<double>(unreadable_));
  for (const auto& device : last_.devices) {
    const std::string transport = device.ports.empty() ? "" : device.ports[0].link_layer;
    write_counters(metrics, {{"rdma_device", device.name}, {"rdma_transport", transport}}, device.counters);
    for (const auto& port : device.ports) {
      const Labels labels = {{"rdma_device", device.name},
                             {"rdma_port", std::to_string(port.number)},
                             {"rdma_transport", port.link_layer}};
      write_counters(metrics, labels, port.counters);
      if (port.state) metrics.add(kFabricState, labels, *port.state);
      if (port.physical_state) metrics.add(kFabricPhysicalState, labels, *port.physical_state);
      if (port.rate_bits_per_second) {
        metrics.add(kFabricRate, labels, static_cast<double>(*port.rate_bits_per_second) / 8);
      }
      Labels facts = labels;
      facts.insert(facts.end(), {{"driver", device.driver},
                                 {"firmware", device.firmware},
                                 {"board", device.board},
                                 {"netdev", port.netdev},
                                 {"pci_address", device.pci_address},
                                 {"numa_node", device.numa_node ? std::to_string(*device.numa_node) : ""}});
      metrics.add(kFabricInfo, std::move(facts), 1);
    }
  }
  for (const auto& [key, count] : changes_) {
    const auto& [device, port, counter, change] = key;
    metrics.add(
        kFabricDiscontinuities,
        {{"rdma_device", device}, {"rdma_port", port}, {"counter", counter}, {"change", std::string(name_of(change))}},
        static_cast<double>(count));
  }
}

}  // namespace ingero::serve::metrics
