// The sampling threads.
#include "cli/sampling.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/options.h"
#include "hal/resolve.h"

namespace ingero::cli {
namespace {

void keep(Recorder& live, std::function<void(store::Writer&)> work) {
  if (!live.with_writer(std::move(work))) live.add_loss(hal::Loss::sample_lost, 1);
}

using namespace std::chrono_literals;
constexpr auto kPatience = 3s;
constexpr auto kFirstLook = 500ms;

}  // namespace

// Shared with the threads: one that is stuck in a driver may outlive everything else.
struct Sampling::State {
  hal::SamplerWorld world;
  std::span<const hal::Backend* const> backends;
  hal::CallId device_error = hal::kNoCall;
  uint64_t fabric_interval_ns = 0, device_interval_ns = 0;
  std::vector<std::unique_ptr<hal::FabricSampler>> fabrics;
  std::vector<std::pair<std::string, std::unique_ptr<hal::DeviceSampler>>> devices;  // with the backend's name
  std::optional<kernelside::KernelLog> kernel_log;
  serve::prometheus::FabricMetrics fabric_metrics;
  serve::prometheus::DeviceMetrics device_metrics;

  std::mutex mutex;
  Recorder* recorder = nullptr;  // guarded by mutex; null: stopped, drop what comes
  bool has_looked = false;       // guarded by mutex: at the devices, once
  std::condition_variable first_look;

  // Runs `use` with the recorder, unless there is none any more.
  template <typename Use>
  void with_recorder(Use use) {
    const std::scoped_lock lock(mutex);
    if (recorder != nullptr) use(*recorder);
  }

  void sample_fabric() {
    for (auto& fabric : fabrics) {
      auto sample = std::make_shared<const hal::FabricSample>(fabric->sample());
      fabric_metrics.update(*sample);
      if (sample->devices.empty()) continue;
      with_recorder([&](Recorder& live) {
        keep(live, [sample](store::Writer& writer) { writer.add_sample(*sample); });
        live.with_engine([sample, at = mono_of(sample->wall_ns)](correlate::Engine& engine) {
          engine.add_fabric_sample(*sample, at);
        });
      });
    }
  }

  uint64_t mono_of(uint64_t wall_ns) const {
    return wall_ns - static_cast<uint64_t>(measure_wall_offset_ns(*world.clock));
  }

  void sample_devices() {
    const std::shared_ptr<void> looked(nullptr, [this](void*) {
      const std::scoped_lock lock(mutex);
      has_looked = true;
      first_look.notify_all();
    });
    for (auto& [name, sampler] : devices) {
      auto sample = std::make_shared<const hal::DeviceSample>(sampler->sample());
      device_metrics.update(name, *sample);
      with_recorder([&, &name = name](Recorder& live) { live.know_devices(name, sample->devices); });
      if (sample->devices.empty()) continue;
      with_recorder([&](Recorder& live) {
        keep(live, [sample](store::Writer& writer) { writer.add_sample(*sample); });
        live.with_engine([sample, at = mono_of(sample->wall_ns)](correlate::Engine& engine) {
          engine.add_device_sample(*sample, at);
        });
      });
    }
  }

  void note(const hal::DeviceError& error) {
    device_metrics.add_error(error);
    hal::Event event;
    event.call = device_error;
    event.kind = hal::Kind::kHost;
    event.start_mono_ns = error.mono_ns;
    if (error.pid) event.pid = event.tid = *error.pid;
    if (error.code) {
      event.arg0 = static_cast<uint64_t>(*error.code);
      event.set(hal::Has::kArg0);
    }
    with_recorder([&](Recorder& live) {
      live.add_event(event);
      keep(live, [error](store::Writer& writer) { writer.add_device_error(error); });
      live.with_engine([error](correlate::Engine& engine) { engine.add_device_error(error); });
    });
  }

  void read_kernel_log() {
    const uint64_t lost = kernel_log->read([this](uint64_t mono_ns, std::string_view message) {
      for (const hal::Backend* backend : backends) {
        if (backend->kernel_log_error == nullptr) continue;
        auto error = backend->kernel_log_error(message);
        if (!error) continue;
        error->mono_ns = mono_ns;
        error->wall_ns = mono_ns + static_cast<uint64_t>(measure_wall_offset_ns(*world.clock));
        note(*error);
        return;
      }
    });
    if (lost > 0) with_recorder([&](Recorder& live) { live.add_loss(hal::Loss::kernel_log_lost, lost); });
  }
};

// Calls `work` at once, then every `interval`, and a last time when stopped.
class Sampling::Loop {
 public:
  Loop(std::shared_ptr<State> state, std::chrono::nanoseconds interval, std::function<void(State&)> work)
      : shared_(std::make_shared<Shared>()) {
    thread_ = std::thread([state = std::move(state), shared = shared_, interval, work = std::move(work)] {
      std::unique_lock lock(shared->mutex);
      while (!shared->finished) {
        const bool last = shared->stopping;
        lock.unlock();
        work(*state);
        lock.lock();
        shared->finished = last;
        if (!last) shared->changed.wait_for(lock, interval, [&] { return shared->stopping; });
      }
      shared->changed.notify_all();
    });
  }
  void stop() {
    std::unique_lock lock(shared_->mutex);
    shared_->stopping = true;
    shared_->changed.notify_all();
    const bool finished = shared_->changed.wait_for(lock, kPatience, [this] { return shared_->finished; });
    lock.unlock();
    if (finished) {
      thread_.join();
    } else {
      thread_.detach();
    }
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool stopping = false;
    bool finished = false;
  };
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

void add_sampling_options(CLI::App& command, SamplingOptions& options) {
  command.add_flag("--rdma-verbs", options.fabric_calls,
                   "Also probe the control path of the RDMA verbs library (connections, memory regions, events)");
  command.add_option("--rdma-interval", options.fabric_interval, "Read fabric adapters this often (0: never)")
      ->check(duration_check())
      ->capture_default_str();
  command.add_option("--device-interval", options.device_interval, "Read devices this often (0: never)")
      ->check(duration_check())
      ->capture_default_str();
  command.add_option("--sysfs-root", options.sys_root, "Look for devices and adapters under this directory")
      ->capture_default_str();
  command.add_option("--kernel-log", options.kernel_log, "Read device errors here (empty: nowhere)")
      ->capture_default_str();
  command.add_option("--management-library", options.management_library, "The vendor's device library, by path");
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

Status check_library_is_probed(const std::string& path, std::span<const hal::Backend* const> backends,
                               std::span<const hal::Backend* const> probed) {
  const std::string name = std::filesystem::path(path).filename();
  for (const hal::Backend* backend : backends) {
    if (std::ranges::find(probed, backend) != probed.end()) continue;
    for (const hal::Library& library : backend->libraries) {
      if (!hal::soname_matches(library, name)) continue;
      return Error(Errc::kInvalid,
                   fmt::format("--library {}: its calls are probed with {} only", path, backend->opt_in));
    }
  }
  return {};
}

Result<std::unique_ptr<Sampling>> Sampling::open(const SamplingOptions& options,
                                                 std::span<const hal::Backend* const> backends,
                                                 const hal::CallTable& calls) {
  const auto fabric_interval = parse_duration_ns(options.fabric_interval);
  INGERO_TRY(fabric_interval);
  const auto device_interval = parse_duration_ns(options.device_interval);
  INGERO_TRY(device_interval);
  std::unique_ptr<Sampling> sampling(new Sampling);
  sampling->state_ = std::make_shared<State>();
  State& state = *sampling->state_;
  state.world.sys_root = options.sys_root;
  state.world.management_library = options.management_library;
  state.backends = backends;
  state.device_error = calls.id_of(hal::HostOp::kDeviceError);
  state.fabric_interval_ns = *fabric_interval;
  state.device_interval_ns = *device_interval;
  for (const hal::Backend* backend : backends) {
    if (backend->open_fabric != nullptr && *fabric_interval != 0) {
      state.fabrics.push_back(backend->open_fabric(state.world));
    }
    if (backend->open_devices != nullptr && *device_interval != 0) {
      state.devices.emplace_back(backend->name, backend->open_devices(state.world));
    }
  }
  if (!options.kernel_log.empty()) {
    auto log = kernelside::KernelLog::open(options.kernel_log);
    if (log.ok()) {
      state.kernel_log = std::move(*log);
    } else {
      sampling->degraded_.push_back(fmt::format("device errors of the kernel log: {}", log.error().text()));
    }
  }
  return sampling;
}

Sampling::Sampling() = default;
Sampling::~Sampling() { stop(); }

void Sampling::start(Recorder& recorder) {
  state_->recorder = &recorder;
  if (!state_->fabrics.empty()) {
    loops_.push_back(std::make_unique<Loop>(state_, std::chrono::nanoseconds(state_->fabric_interval_ns),
                                            [](State& state) { state.sample_fabric(); }));
  }
  if (!state_->devices.empty()) {
    loops_.push_back(std::make_unique<Loop>(state_, std::chrono::nanoseconds(state_->device_interval_ns),
                                            [](State& state) { state.sample_devices(); }));
  }
  if (state_->kernel_log) {
    loops_.push_back(std::make_unique<Loop>(state_, 1s, [](State& state) { state.read_kernel_log(); }));
  }
  if (state_->devices.empty()) return;
  std::unique_lock lock(state_->mutex);
  state_->first_look.wait_for(lock, kFirstLook, [this] { return state_->has_looked; });
}

void Sampling::stop() {
  for (auto& loop : loops_) loop->stop();
  loops_.clear();
  const std::scoped_lock lock(state_->mutex);
  state_->recorder = nullptr;
}

void Sampling::write(serve::prometheus::Page& page) const {
  state_->fabric_metrics.write(page);
  state_->device_metrics.write(page);
}

}  // namespace ingero::cli
