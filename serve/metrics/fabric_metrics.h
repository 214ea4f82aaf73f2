// Fabric adapters as metrics: ingero_rdma_NAME for every counter found, and the state of each link.
//
// Labels are device, port and link layer, nothing of processes, queue pairs or GIDs. update() from the sampling thread,
// write() from any. Bounded by what the sampler lists. Owns a copy of the last sample. Failure: none; counters that
// could not be read are counted.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "hal/fabric.h"
#include "serve/metrics/metric_set.h"

namespace ingero::serve::metrics {

class FabricMetrics {
 public:
  void update(const hal::FabricSample& sample);
  void write(MetricSet& metrics) const;

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  hal::FabricSample last_;
  bool has_sample_ = false;
  uint64_t unreadable_ = 0;
  // device, port, counter, change: how often
  std::map<std::tuple<std::string, std::string, std::string, hal::CounterChange>, uint64_t> changes_;
};

}  // namespace ingero::serve::metrics
