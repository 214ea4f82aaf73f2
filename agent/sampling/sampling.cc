// Runs one thread per kind of sampler, so that a stuck driver delays only its own readings.
#include "agent/sampling/sampling.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <utility>

#include "agent/engine_feed.h"
#include "base/log.h"
#include "base/text.h"
#include "hal/resolve.h"

namespace ingero::agent {
namespace {

// `loss` is what it counts as where the store thread has too much to do.
void keep(Recorder& live, hal::Loss loss, std::function<void(store::Writer&)> work) {
  if (!live.with_writer(std::move(work))) live.add_loss(loss, 1);
}

using namespace std::chrono_literals;
constexpr auto kTimeout = 3s;
constexpr auto kFirstLook = 500ms;

}  // namespace

// What the threads use: it lives as long as they do.
struct Sampling::State {
  hal::SamplerWorld world;
  std::span<const hal::Backend* const> backends;
  hal::CallId device_error = hal::kNoCall;
  uint64_t fabric_interval_ns = 0, device_interval_ns = 0;
  std::function<void(const std::string&, const hal::DeviceSample&)> on_devices;
  std::vector<std::unique_ptr<hal::FabricSampler>> fabrics;
  std::vector<std::pair<std::string, std::unique_ptr<hal::DeviceSampler>>> devices;  // with the backend's name
  std::optional<kernelside::KernelLog> kernel_log;
  serve::metrics::FabricMetrics fabric_metrics;
  serve::metrics::DeviceMetrics device_metrics;

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
        keep(live, hal::Loss::sample_lost, [sample](store::Writer& writer) { writer.add_sample(*sample); });
        live.with_feed([sample, at = mono_of(sample->wall_ns)](EngineFeed& feed) {
          feed.engine().add_fabric_sample(*sample, at);
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
      with_recorder([&, &name = name](Recorder& live) {
        live.know_devices(name, sample->devices);
        if (on_devices) on_devices(name, *sample);
      });
      if (sample->devices.empty()) continue;
      with_recorder([&](Recorder& live) {
        keep(live, hal::Loss::sample_lost, [sample](store::Writer& writer) { writer.add_sample(*sample); });
        live.with_feed(
            [sample, at = mono_of(sample->wall_ns)](EngineFeed& feed) { feed.add_device_sample(*sample, at); });
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
      keep(live, hal::Loss::device_error_lost, [error](store::Writer& writer) { writer.add_device_error(error); });
      live.with_feed([error](EngineFeed& feed) { feed.engine().add_device_error(error); });
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

Result<std::unique_ptr<Sampling>> Sampling::open(const SamplingOptions& options,
                                                 std::span<const hal::Backend* const> backends,
                                                 const hal::CallTable& calls) {
  const auto fabric_interval = parse_duration_ns(options.fabric_interval);
  INGERO_TRY(fabric_interval);
  const auto device_interval = parse_duration_ns(options.device_interval);
  INGERO_TRY(device_interval);
  std::unique_ptr<Sampling> sampling(new Sampling);
  sampling->state_ = std::make_unique<State>();
  State& state = *sampling->state_;
  state.world.sys_root = options.sys_root;
  state.world.management_library = options.management_library;
  state.backends = backends;
  state.device_error = calls.id_of(hal::HostOp::kDeviceError);
  state.fabric_interval_ns = *fabric_interval;
  state.device_interval_ns = *device_interval;
  state.on_devices = options.on_devices;
  for (const hal::Backend* backend : backends) {
    if (backend->open_fabric != nullptr && *fabric_interval != 0) {
      state.fabrics.push_back(backend->open_fabric(state.world));
    }
    if (backend->open_devices != nullptr && *device_interval != 0) {
      state.devices.emplace_back(backend->name, backend->open_devices(state.world));
    }
  }
  if (!options.kernel_log.empty()) {
    auto log = kernelside::KernelLog::open(options.kernel_log, *state.world.clock);
    if (log.ok()) {
      state.kernel_log = std::move(*log);
    } else {
      sampling->degraded_.push_back(
          fmt::format("not available: device errors of the kernel log: {}", log.error().text()));
    }
  }
  return sampling;
}

Sampling::Sampling() = default;
Sampling::~Sampling() { stop(); }  // and joins the threads

void Sampling::start(Recorder& recorder) {
  state_->recorder = &recorder;
  if (!state_->fabrics.empty()) {
    add_thread("fabric adapters", std::chrono::nanoseconds(state_->fabric_interval_ns),
               [](State& state) { state.sample_fabric(); });
  }
  if (!state_->devices.empty()) {
    add_thread("devices", std::chrono::nanoseconds(state_->device_interval_ns),
               [](State& state) { state.sample_devices(); });
  }
  if (state_->kernel_log) {
    add_thread("the kernel log", 1s, [](State& state) { state.read_kernel_log(); });
  }
  if (state_->devices.empty()) return;
  std::unique_lock lock(state_->mutex);
  state_->first_look.wait_for(lock, kFirstLook, [this] { return state_->has_looked; });
}

void Sampling::add_thread(const char* what, std::chrono::nanoseconds interval, void (*work)(State&)) {
  threads_.push_back({what, std::make_unique<PeriodicThread>(interval, [&state = *state_, work] { work(state); })});
}

void Sampling::stop() {
  if (std::exchange(is_stopped_, true)) return;
  for (const Sampler& one : threads_) one.thread->request_stop();
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  std::erase_if(threads_, [&](const Sampler& one) { return one.thread->join_until(deadline); });
  for (const Sampler& one : threads_) {
    log_warning("reading {}: no answer from the driver for {} s; the last sample is missing", one.what,
                kTimeout.count());
  }
  const std::scoped_lock lock(state_->mutex);
  state_->recorder = nullptr;
}

void Sampling::write(serve::metrics::MetricSet& metrics) const {
  state_->fabric_metrics.write(metrics);
  state_->device_metrics.write(metrics);
}

}  // namespace ingero::agent
