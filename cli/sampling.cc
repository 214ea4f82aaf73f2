// The sampling thread.
#include "cli/sampling.h"

#include <chrono>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/options.h"

namespace ingero::cli {

void add_sampling_options(CLI::App& command, SamplingOptions& options) {
  command.add_flag("--rdma-verbs", options.fabric_calls,
                   "Also probe the control path of the RDMA verbs library (connections, memory regions, events)");
  command.add_option("--rdma-interval", options.fabric_interval, "Read fabric adapters this often (0: never)")
      ->check(duration_check())
      ->capture_default_str();
  command.add_option("--sysfs-root", options.sys_root, "Look for devices and adapters under this directory")
      ->capture_default_str();
}

std::vector<const hal::Backend*> chosen_backends(std::span<const hal::Backend* const> backends,
                                                 const SamplingOptions& options) {
  std::vector<const hal::Backend*> chosen;
  for (const hal::Backend* backend : backends) {
    if (backend->opt_in.empty() || (backend->opt_in == "--rdma-verbs" && options.fabric_calls))
      chosen.push_back(backend);
  }
  return chosen;
}

Result<std::unique_ptr<Sampling>> Sampling::open(const SamplingOptions& options,
                                                 std::span<const hal::Backend* const> backends) {
  const auto interval = parse_duration_ns(options.fabric_interval);
  INGERO_TRY(interval);
  std::unique_ptr<Sampling> sampling(new Sampling);
  sampling->world_.sys_root = options.sys_root;
  sampling->fabric_interval_ns_ = *interval;
  for (const hal::Backend* backend : backends) {
    if (backend->open_fabric != nullptr && *interval != 0) {
      sampling->fabrics_.push_back(backend->open_fabric(sampling->world_));
    }
  }
  return sampling;
}

void Sampling::start(Recorder& recorder) {
  recorder_ = &recorder;
  thread_ = std::thread([this] { run(); });
}

void Sampling::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Sampling::sample_fabric() {
  for (auto& fabric : fabrics_) {
    auto sample = std::make_shared<const hal::FabricSample>(fabric->sample());
    fabric_metrics_.update(*sample);
    if (!sample->devices.empty()) {
      recorder_->with_writer([sample](store::Writer& writer) { writer.add_sample(*sample); });
    }
  }
}

void Sampling::run() {
  auto next_fabric = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (true) {
    const bool last = stopping_;
    lock.unlock();
    const auto now = std::chrono::steady_clock::now();
    if (!fabrics_.empty() && (last || now >= next_fabric)) {
      sample_fabric();
      next_fabric = now + std::chrono::nanoseconds(fabric_interval_ns_);
    }
    lock.lock();
    if (last) return;
    if (fabrics_.empty()) {
      wake_.wait(lock, [this] { return stopping_; });
    } else {
      wake_.wait_until(lock, next_fabric, [this] { return stopping_; });
    }
  }
}

}  // namespace ingero::cli
