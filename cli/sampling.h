// Devices, fabric adapters and the kernel log, looked at in turn while a recording runs: into recording and metrics.
//
// A thread for each kind, so that a driver that hangs holds up its own devices only. stop() waits kPatience for a
// sampler that is inside its driver and then leaves it there: what it comes back with is dropped.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "cli/recorder.h"
#include "hal/device.h"
#include "hal/fabric.h"
#include "kernelside/kernel_log.h"
#include "serve/prometheus/device_metrics.h"
#include "serve/prometheus/fabric_metrics.h"

namespace CLI {
class App;
}

namespace ingero::cli {

struct SamplingOptions {
  std::string sys_root = "/sys";
  std::string kernel_log = "/dev/kmsg";
  std::string management_library;
  std::string fabric_interval = "5s";
  std::string device_interval = "5s";
  bool fabric_calls = false;
};
void add_sampling_options(CLI::App& command, SamplingOptions& options);

// The backends that are probed: those that need no flag, and those whose flag was given.
std::vector<const hal::Backend*> chosen_backends(std::span<const hal::Backend* const> backends,
                                                 const SamplingOptions& options);

// Refuses a file whose name is that of a library not among `probed`, with the flag that it waits for.
Status check_library_is_probed(const std::string& path, std::span<const hal::Backend* const> backends,
                               std::span<const hal::Backend* const> probed);

class Sampling {
 public:
  // Opens what may need privileges. `backends` and `calls` must outlive this.
  static Result<std::unique_ptr<Sampling>> open(const SamplingOptions& options,
                                                std::span<const hal::Backend* const> backends,
                                                const hal::CallTable& calls);
  ~Sampling();
  // `recorder` must outlive stop(). Waits a moment for the first look at the devices, so that calls find them.
  void start(Recorder& recorder);
  // Takes a last sample and ends the threads.
  void stop();
  void write(serve::prometheus::Page& page) const;
  // What cannot be looked at, with reasons.
  const std::vector<std::string>& degraded() const { return degraded_; }

 private:
  struct State;
  class Loop;
  Sampling();
  std::shared_ptr<State> state_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::string> degraded_;
};

}  // namespace ingero::cli
