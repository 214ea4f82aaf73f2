// Devices, fabric adapters and the kernel log, looked at in turn while a recording runs: into recording and metrics.
//
// A thread for each kind, so that a driver that hangs holds up its own devices only; this class owns and joins them. A
// driver call cannot be ended from outside. stop() therefore waits for the threads with a limit, and after that nothing
// of theirs reaches the recorder. Where is_stuck() says that one is left, the owner must not destroy this object and
// wait for ever, nor let its thread run on among what is destroyed: it keeps the object until the process ends, which
// it then does without running destructors (Context::unfinished). What is stuck in the kernel beyond a signal's reach
// holds up the process's end all the same; only the kernel can change that. Failure: open() refuses a wrong interval;
// what cannot be read is in notes(), with the reason.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/periodic_thread.h"
#include "agent/recorder.h"
#include "agent/service.h"
#include "base/result.h"
#include "hal/device.h"
#include "hal/fabric.h"
#include "kernelside/kernel_log.h"
#include "serve/metrics/device_metrics.h"
#include "serve/metrics/fabric_metrics.h"

namespace ingero::agent {

struct SamplingOptions {
  std::string sys_root = "/sys";
  std::string kernel_log = "/dev/kmsg";
  std::string management_library;
  std::string fabric_interval = "5s";
  std::string device_interval = "5s";
  bool fabric_calls = false;
  // Each sample of devices, with its backend's name, between start() and stop(); called by the thread that read it.
  std::function<void(const std::string& backend, const hal::DeviceSample&)> on_devices = {};
};

class Sampling final : public Service {
 public:
  // Opens what may need privileges. `backends` and `calls` must outlive this.
  static Result<std::unique_ptr<Sampling>> open(const SamplingOptions& options,
                                                std::span<const hal::Backend* const> backends,
                                                const hal::CallTable& calls);
  ~Sampling() override;
  // `recorder` must outlive stop(). Waits a moment for the first look at the devices, so that calls find them.
  void start(Recorder& recorder) override;
  // Takes a last sample and ends the threads, within a few seconds.
  void stop() override;
  // After stop(): whether a thread is still inside its driver.
  bool is_stuck() const { return !threads_.empty(); }
  void write(serve::metrics::MetricSet& metrics) const override;
  // What cannot be looked at, with reasons.
  std::vector<std::string> notes() const override { return degraded_; }

 private:
  struct State;
  struct Sampler {
    const char* what;  // it reads
    std::unique_ptr<PeriodicThread> thread;
  };
  Sampling();
  void add_thread(const char* what, std::chrono::nanoseconds interval, void (*work)(State&));

  std::unique_ptr<State> state_;
  std::vector<std::string> degraded_;
  bool is_stopped_ = false;
  std::vector<Sampler> threads_;  // last: they use the state
};

}  // namespace ingero::agent
