// Devices and fabric adapters, looked at in turn while a recording runs: into the recording and into the metrics.
//
// Owns one thread. Nothing to look at costs one directory read an interval. The world, the recorder and the metrics
// must outlive stop().
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "cli/recorder.h"
#include "hal/device.h"
#include "hal/fabric.h"
#include "serve/prometheus/device_metrics.h"
#include "serve/prometheus/fabric_metrics.h"

namespace CLI {
class App;
}

namespace ingero::cli {

struct SamplingOptions {
  std::string sys_root = "/sys";
  std::string fabric_interval = "5s";
  bool fabric_calls = false;
};
void add_sampling_options(CLI::App& command, SamplingOptions& options);

// The backends that are probed: those that need no flag, and those whose flag was given.
std::vector<const hal::Backend*> chosen_backends(std::span<const hal::Backend* const> backends,
                                                 const SamplingOptions& options);

class Sampling {
 public:
  static Result<std::unique_ptr<Sampling>> open(const SamplingOptions& options,
                                                std::span<const hal::Backend* const> backends);
  ~Sampling() { stop(); }
  void start(Recorder& recorder);
  // Takes a last sample and ends the thread.
  void stop();
  void write(serve::prometheus::Page& page) const { fabric_metrics_.write(page); }

 private:
  Sampling() = default;
  void run();
  void sample_fabric();

  hal::SamplerWorld world_;
  uint64_t fabric_interval_ns_ = 0;
  std::vector<std::unique_ptr<hal::FabricSampler>> fabrics_;
  serve::prometheus::FabricMetrics fabric_metrics_;
  Recorder* recorder_ = nullptr;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace ingero::cli
