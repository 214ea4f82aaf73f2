// Takes one sample from each sampler as findings of `check`, so that users see which devices a recording would have.
#include "agent/check/device_checks.h"

#include <fmt/format.h>

#include "hal/device.h"
#include "hal/fabric.h"

namespace ingero::agent {
namespace {

DeviceFinding devices_of(const hal::Backend& backend, const hal::SamplerWorld& world) {
  const hal::DeviceSample sample = backend.open_devices(world)->sample();
  DeviceFinding finding;
  finding.name = fmt::format("{}: devices", backend.name);
  finding.found = !sample.devices.empty();
  finding.value = finding.found ? fmt::format("{} found", sample.devices.size()) : "none";
  finding.detail = sample.reason;
  for (const hal::Device& device : sample.devices) {
    finding.detail += fmt::format("{}{} {} at {}: {} readings", finding.detail.empty() ? "" : "; ", device.uuid,
                                  device.name, device.pci_address, device.readings.size());
  }
  return finding;
}

DeviceFinding adapter(const hal::Backend& backend, const hal::FabricDevice& device) {
  DeviceFinding finding;
  finding.name = fmt::format("{}: {}", backend.name, device.name);
  finding.found = true;
  size_t counters = device.counters.size();
  for (const hal::FabricPort& port : device.ports) counters += port.counters.size();
  finding.value = fmt::format("{} ports, {} counters", device.ports.size(), counters);
  finding.detail = fmt::format("driver {}, PCI {}", device.driver.empty() ? "unknown" : device.driver,
                               device.pci_address.empty() ? "unknown" : device.pci_address);
  return finding;
}

}  // namespace

std::vector<DeviceFinding> device_findings(std::span<const hal::Backend* const> backends,
                                           const hal::SamplerWorld& world) {
  std::vector<DeviceFinding> findings;
  for (const hal::Backend* backend : backends) {
    if (backend->open_devices != nullptr) findings.push_back(devices_of(*backend, world));
    if (backend->open_fabric == nullptr) continue;
    const hal::FabricSample sample = backend->open_fabric(world)->sample();
    for (const hal::FabricDevice& device : sample.devices) findings.push_back(adapter(*backend, device));
    for (const hal::Unreadable& bad : sample.unreadable) {
      findings.push_back({fmt::format("{}: {}", backend->name, bad.path), "skipped", bad.reason, false});
    }
    if (sample.devices.empty()) {
      findings.push_back({fmt::format("{}: adapters", backend->name), "none",
                          fmt::format("nothing under {}/class/infiniband", world.sys_root), false});
    }
  }
  return findings;
}

}  // namespace ingero::agent
