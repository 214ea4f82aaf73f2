// Maps device ordinals to the machine's devices, by each process's environment and its device calls.
#include "agent/device_watch.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxDeviceProcesses = 65536;
constexpr size_t kMaxWindows = 4096;  // of processes that have not ended, as far as is known
constexpr size_t kMaxOrdinals = 1024;
constexpr size_t kMaxPlaced = 4096;
constexpr uint32_t kNone = ~uint32_t{0};

bool same_devices(const std::vector<hal::Device>& one, const std::vector<hal::Device>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const auto& a, const auto& b) {
    return a.uuid == b.uuid && a.pci_address == b.pci_address && a.name == b.name && a.parent_uuid == b.parent_uuid &&
           a.position == b.position;
  });
}

}  // namespace

DeviceWatch::DeviceWatch(std::span<const hal::Backend* const> backends, const hal::CallTable& calls,
                         kernelside::Foreign& foreign, hal::LossLedger& ledger)
    : foreign_(foreign), choice_(calls, ledger) {
  for (const hal::Backend* backend : backends) {
    if (backend->device_naming == nullptr) continue;
    for (const std::string_view name : hal::variables_of(*backend->device_naming)) names_.push_back(name);
  }
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

void DeviceWatch::know(std::string_view backend, const std::vector<hal::Device>& devices) {
  const std::scoped_lock lock(mutex_);
  std::vector<hal::Device>& known = machine_[std::string(backend)];
  if (same_devices(known, devices)) return;
  known = devices;
  for (hal::Device& device : known) {
    device.readings.clear();
    device.processes.clear();
  }
  ++generation_;
}

hal::EventDevice DeviceWatch::device(uint32_t ref) const {
  const std::scoped_lock lock(mutex_);
  return ref == 0 || ref > placed_.size() ? hal::EventDevice{} : placed_[ref - 1];
}

void DeviceWatch::missed(uint32_t pid, uint64_t until_mono_ns) {
  if (names_.empty()) return;
  if (windows_.size() >= kMaxWindows && !windows_.contains(pid)) make_room();
  Window& window = windows_[pid];
  window = {std::max(window.until_mono_ns, until_mono_ns), false};
}

// Removes processes that ended without a call, whose end is not reported.
void DeviceWatch::make_room() {
  std::erase_if(windows_, [this](const auto& entry) {
    return !std::filesystem::exists(fmt::format("{}/{}", foreign_.proc_root(), entry.first));
  });
  if (windows_.size() < kMaxWindows) return;
  windows_.clear();
  forgot_windows_ = true;
  choice_.lost();
}

// What was known before the window ended may have changed in it; what is learned from here on holds.
void DeviceWatch::forget_missed(const hal::Event& event) {
  const auto found = windows_.find(event.pid);
  if (found == windows_.end() || found->second.is_past || event.start_mono_ns < found->second.until_mono_ns) return;
  found->second.is_past = true;
  choice_.missed(event.pid);
}

void DeviceWatch::add_process(const hal::Process& reported, bool from_start, uint64_t since_mono_ns) {
  if (names_.empty()) return;
  if (processes_.size() >= kMaxDeviceProcesses) processes_.clear();
  Process& process = processes_[reported.pid];
  process = {};
  process.in_container = !reported.container_id.empty();
  if (const auto window = windows_.find(reported.pid); window != windows_.end()) {
    if (window->second.until_mono_ns > since_mono_ns) {
      from_start = false;
    } else {
      windows_.erase(window);  // the number was another program's
    }
  }
  if (forgot_windows_) from_start = false;
  choice_.process_ended(reported.pid);
  if (from_start) choice_.watched_from_start(reported.pid);
}

void DeviceWatch::process_ended(uint32_t pid) {
  choice_.process_ended(pid);
  processes_.erase(pid);
  windows_.erase(pid);
}

// With machine_ locked. What is not known of the environment may be a choice, as a container's is that does not say it.
hal::VisibleDevices DeviceWatch::visible_devices(const hal::Backend& backend, const Process& process) const {
  const auto machine = machine_.find(backend.name);
  const auto variable = [&](std::string_view name) -> std::optional<std::string_view> {
    if (!process.variables) return std::nullopt;
    const auto value = process.variables->find(name);
    return value == process.variables->end() ? std::nullopt : std::optional<std::string_view>(value->second);
  };
  return hal::visible_devices(*backend.device_naming, variable, process.in_container || !process.variables,
                              machine == machine_.end() ? std::span<const hal::Device>() : machine->second);
}

uint32_t DeviceWatch::ref_of(hal::EventDevice device, EventBatch& batch) {
  if (!device.is_known()) return kNone;
  const std::scoped_lock lock(mutex_);
  const auto known = std::find(placed_.begin(), placed_.end(), device);
  if (known != placed_.end()) return static_cast<uint32_t>(known - placed_.begin()) + 1;
  if (placed_.size() >= kMaxPlaced) return kNone;
  placed_.push_back(device);
  const auto ref = static_cast<uint32_t>(placed_.size());
  batch.devices.emplace_back(ref, std::move(device));
  return ref;
}

void DeviceWatch::place(hal::Event& event, const correlate::DeviceChoice::Answer& answer, EventBatch& batch) {
  if (answer.backend == nullptr) return;
  const auto found = processes_.find(event.pid);
  if (found == processes_.end()) return;  // nothing is known of it
  Process& process = found->second;
  if (!process.is_read) {
    // Until a call has succeeded, the runtime may not have looked at its environment yet.
    if (event.failed || event.outcome != hal::Outcome::kReturned) return;
    auto read = live_environment(foreign_, event.pid, names_);
    if (read.ok()) process.variables = std::move(*read);
    process.is_read = true;
  }
  Seen& seen = process.visible[answer.backend];
  if (seen.generation != generation_.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(mutex_);
    seen.devices = visible_devices(*answer.backend, process);
    seen.refs.clear();
    seen.generation = generation_;
  }
  // A number that was named in vain stays unknown, even where there is only one device.
  const bool in_vain = event.has(hal::Has::kDevice) && !answer.ordinal;
  int32_t ordinal = answer.ordinal.value_or(-1);
  if (seen.devices.only() != nullptr && !in_vain) ordinal = 0;
  if (ordinal < 0) return;
  const auto index = static_cast<size_t>(ordinal);
  if (index >= kMaxOrdinals) return;
  if (index >= seen.refs.size()) seen.refs.resize(index + 1, 0);
  uint32_t& ref = seen.refs[index];
  if (ref == 0) {
    hal::EventDevice device = seen.devices.at(ordinal);
    device.vendor = answer.backend->vendor;
    ref = ref_of(std::move(device), batch);
  }
  if (ref != kNone) event.device_ref = ref;
}

void DeviceWatch::take(EventBatch& batch) {
  if (names_.empty()) return;
  auto next = batch.records.exchanges.begin();
  for (size_t i = 0; i < batch.records.events.size(); ++i) {
    hal::Event& event = batch.records.events[i];
    const hal::Exchange* exchange = nullptr;
    if (next != batch.records.exchanges.end() && next->first == i) exchange = &(next++)->second;
    if (event.kind == hal::Kind::kHost || event.outcome == hal::Outcome::kInFlight) continue;
    if (!windows_.empty()) forget_missed(event);
    place(event, choice_.take(event, exchange), batch);
  }
}

void DeviceWatch::look(hal::Event& event, const hal::Exchange* exchange, EventBatch& batch) {
  if (!names_.empty()) place(event, choice_.look(event, exchange), batch);
}

}  // namespace ingero::agent
