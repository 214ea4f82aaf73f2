// Reads sysfs files into readings. Any file may be missing or unreadable; its reading is then left out.
#include "backends/hip/amdgpu.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "backends/hip/gpu_metrics.h"
#include "base/folder.h"
#include "base/text.h"

namespace ingero::backends::hip {
namespace {

namespace fs = std::filesystem;
using hal::ReadingId;

constexpr size_t kMaxFile = 64 << 10;
constexpr size_t kMaxEntries = 4096;

std::string line_of(const std::string& path) {
  const std::string text = text_of_file(path, kMaxFile);
  return printable(trim(std::string_view(text).substr(0, text.find('\n'))), 128);
}

std::optional<double> number_of(const std::string& path) {
  const auto value = parse_i64(line_of(path));
  return value && *value >= 0 ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

std::vector<std::string> names_in(const std::string& path, std::string_view prefix) {
  auto names = list_folder(path, kMaxEntries);
  if (!names.ok()) return {};
  std::erase_if(*names, [&](const std::string& name) { return !name.starts_with(prefix); });
  return *std::move(names);
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The line with the star: "1: 1500Mhz *".
std::optional<double> current_clock(const std::string& path) {
  const std::string text = text_of_file(path, kMaxFile);
  for (const std::string_view line : split(text, '\n')) {
    if (line.find('*') == std::string_view::npos) continue;
    const size_t colon = line.find(": ");
    const size_t unit = line.find("Mhz");
    if (colon == std::string_view::npos || unit == std::string_view::npos || unit < colon) return std::nullopt;
    const auto mhz = parse_u64(trim(line.substr(colon + 2, unit - colon - 2)));
    return mhz ? std::optional<double>(static_cast<double>(*mhz) * 1e6) : std::nullopt;
  }
  return std::nullopt;
}

// "16.0 GT/s PCIe" -> 4.
std::optional<double> pcie_generation(const std::string& speed) {
  double rate = 0;
  const auto [end, error] = std::from_chars(speed.data(), speed.data() + speed.size(), rate);
  if (error != std::errc() || !std::string_view(end, speed.data() + speed.size()).starts_with(" GT/s")) return {};
  constexpr double kRates[] = {2.5, 5, 8, 16, 32, 64};
  for (size_t i = 0; i < std::size(kRates); ++i) {
    if (std::fabs(rate - kRates[i]) < 0.1) return static_cast<double>(i + 1);
  }
  return std::nullopt;
}

void add_if(hal::Device& device, ReadingId id, std::optional<double> value, double scale = 1, std::string part = {}) {
  if (value) device.add(id, *value * scale, std::move(part));
}

void hwmon(const std::string& folder, hal::Device& device) {
  for (const std::string& name : names_in(folder, "hwmon")) {
    const std::string path = folder + "/" + name + "/";
    // Average where the device has one, else the momentary value.
    auto power = number_of(path + "power1_average");
    if (!power) power = number_of(path + "power1_input");
    add_if(device, ReadingId::power_watts, power, 1e-6);
    add_if(device, ReadingId::power_limit_watts, number_of(path + "power1_cap"), 1e-6);
    for (int i = 1; i <= 8; ++i) {
      const auto value = number_of(fmt::format("{}temp{}_input", path, i));
      std::string label = line_of(fmt::format("{}temp{}_label", path, i));
      add_if(device, ReadingId::temperature_celsius, value, 1e-3, label.empty() ? fmt::format("temp{}", i) : label);
    }
    return;  // a card has one
  }
}

// "ue: 0\nce: 3", per block of the chip.
void ras(const std::string& folder, hal::Device& device) {
  std::optional<double> corrected;
  std::optional<double> uncorrected;
  constexpr std::string_view kSuffix = "_err_count";
  for (const std::string& name : names_in(folder, "")) {
    if (!name.ends_with(kSuffix)) continue;
    const std::string block = name.substr(0, name.size() - kSuffix.size());
    const std::string text = text_of_file(folder + "/" + name, kMaxFile);
    for (const std::string_view line : split(text, '\n')) {
      const size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      const auto count = parse_u64(trim(line.substr(colon + 1)));
      const std::string_view kind = trim(line.substr(0, colon));
      if (!count || (kind != "ue" && kind != "ce")) continue;
      if (block.starts_with("xgmi")) {  // the link to other devices
        device.add(ReadingId::link_errors_total, static_cast<double>(*count),
                   kind == "ue" ? "xgmi uncorrected" : "xgmi corrected");
        continue;
      }
      auto& sum = kind == "ue" ? uncorrected : corrected;
      sum = sum.value_or(0) + static_cast<double>(*count);
    }
  }
  add_if(device, ReadingId::ecc_errors_total, corrected, 1, "corrected");
  add_if(device, ReadingId::ecc_errors_total, uncorrected, 1, "uncorrected");
}

class Amdgpu : public hal::DeviceSampler {
 public:
  explicit Amdgpu(const hal::SamplerWorld& world)
      : root_(world.sys_root), kfd_(root_ + "/class/kfd/kfd"), clock_(*world.clock) {}

  hal::DeviceSample sample() override {
    hal::DeviceSample sample;
    sample.wall_ns = clock_.wall_ns();
    std::vector<Node> nodes = nodes_of_kfd();
    // The runtime numbers devices as KFD's topology does; what KFD does not know comes after, by address.
    const auto place_of = [&nodes](const std::string& address) {
      const auto at =
          std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.address == address; });
      return at == nodes.end() ? UINT64_MAX : at->number;
    };
    std::map<std::pair<uint64_t, std::string>, std::string> cards;  // place and PCI address to folder
    for (const std::string& name : names_in(root_ + "/class/drm", "card")) {
      if (!all_digits(std::string_view(name).substr(4))) continue;  // card0-DP-1 is a connector
      const std::string folder = root_ + "/class/drm/" + name + "/device";
      if (line_of(folder + "/vendor") != "0x1002") continue;
      std::error_code failed;
      const fs::path target = fs::canonical(folder, failed);
      const std::string address = failed ? name : printable(target.filename().string(), 32);
      cards.emplace(std::pair(place_of(address), address), folder);
    }
    uint32_t position = 0;
    for (const auto& [place, folder] : cards) {
      sample.devices.push_back(device(place.second, folder, position++));
      const std::string reason =
          add_gpu_metrics(text_of_file(folder + "/gpu_metrics", kMaxFile), sample.devices.back());
      if (!reason.empty()) sample.reason += (sample.reason.empty() ? "" : "; ") + reason;
      add_partitions(nodes, sample.devices);
    }
    if (!sample.devices.empty()) processes(sample.devices, nodes);
    return sample;
  }

 private:
  struct Node;

  // Of the last device. The runtime numbers each as a device, in an order with those of other cards: their numbers are
  // not known (hal/visible_devices.h).
  static void add_partitions(std::vector<Node>& nodes, std::vector<hal::Device>& devices) {
    const hal::Device whole = devices.back();
    const auto is_here = [&whole](const Node& node) { return node.address == whole.pci_address; };
    if (std::count_if(nodes.begin(), nodes.end(), is_here) < 2) return;
    for (Node& node : nodes) {
      if (!is_here(node)) continue;
      hal::Device part;
      part.vendor = whole.vendor;
      part.uuid = node.partition = fmt::format("{}/{}", whole.uuid, node.number);
      part.pci_address = whole.pci_address;
      part.name = whole.name;
      part.driver = whole.driver;
      part.parent_uuid = whole.uuid;
      part.position = whole.position;
      devices.push_back(std::move(part));
    }
  }

  hal::Device device(const std::string& address, const std::string& folder, uint32_t position) const {
    hal::Device device;
    device.vendor = "amd";
    device.position = position;
    device.pci_address = address;
    const std::string unique = line_of(folder + "/unique_id");
    device.uuid = unique.empty() ? address : "GPU-" + unique;
    device.name = line_of(folder + "/product_name");
    device.driver = line_of(root_ + "/module/amdgpu/version");
    add_if(device, ReadingId::utilization_ratio, number_of(folder + "/gpu_busy_percent"), 0.01);
    add_if(device, ReadingId::memory_utilization_ratio, number_of(folder + "/mem_busy_percent"), 0.01);
    const auto total = number_of(folder + "/mem_info_vram_total");
    const auto used = number_of(folder + "/mem_info_vram_used");
    add_if(device, ReadingId::memory_total_bytes, total);
    add_if(device, ReadingId::memory_used_bytes, used);
    if (total && used && *used <= *total) device.add(ReadingId::memory_free_bytes, *total - *used);
    add_if(device, ReadingId::clock_hertz, current_clock(folder + "/pp_dpm_sclk"), 1, "graphics");
    add_if(device, ReadingId::clock_hertz, current_clock(folder + "/pp_dpm_mclk"), 1, "memory");
    add_if(device, ReadingId::pcie_link_generation, pcie_generation(line_of(folder + "/current_link_speed")));
    add_if(device, ReadingId::pcie_link_width, number_of(folder + "/current_link_width"));
    add_if(device, ReadingId::pcie_replays_total, number_of(folder + "/pcie_replay_count"));
    hwmon(folder + "/hwmon", device);
    ras(folder + "/ras", device);
    return device;
  }

  // A device in KFD's topology, where CPUs stand too; partitions of one device are several at one address.
  struct Node {
    uint64_t number = 0;
    std::string id;  // as KFD's other files name it
    std::string address;
    std::string partition;  // its uuid; empty: a whole device
  };
  std::vector<Node> nodes_of_kfd() const {
    std::vector<Node> nodes;
    for (const std::string& name : names_in(kfd_ + "/topology/nodes", "")) {
      const std::string folder = kfd_ + "/topology/nodes/" + name;
      const auto number = parse_u64(name);
      std::string id = line_of(folder + "/gpu_id");
      if (!number || id.empty() || id == "0") continue;  // a CPU
      uint64_t location = 0;
      uint64_t domain = 0;
      const std::string properties = text_of_file(folder + "/properties", kMaxFile);
      for (const std::string_view line : split(properties, '\n')) {
        const size_t blank = line.find(' ');
        if (blank == std::string_view::npos) continue;
        if (line.substr(0, blank) == "location_id") location = parse_u64(trim(line.substr(blank))).value_or(0);
        if (line.substr(0, blank) == "domain") domain = parse_u64(trim(line.substr(blank))).value_or(0);
      }
      nodes.push_back(
          {*number,
           std::move(id),
           fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, location >> 8 & 0xff, location >> 3 & 0x1f, location & 7),
           {}});
    }
    std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.number < b.number; });
    return nodes;
  }

  // On each partition, and on the whole device what all of them hold.
  void processes(std::vector<hal::Device>& devices, const std::vector<Node>& nodes) const {
    std::multimap<std::string, hal::Device*> by_id;
    for (const Node& node : nodes) {
      for (hal::Device& device : devices) {
        if (device.parent_uuid.empty() ? device.pci_address == node.address : device.uuid == node.partition) {
          by_id.emplace(node.id, &device);
        }
      }
    }
    for (const std::string& name : names_in(kfd_ + "/proc", "")) {
      const auto pid = parse_u64(name);
      if (!pid || *pid == 0 || *pid > UINT32_MAX) continue;
      for (const auto& [id, device] : by_id) {
        const auto bytes = number_of(kfd_ + "/proc/" + name + "/vram_" + id);
        if (bytes) add_process(static_cast<uint32_t>(*pid), static_cast<uint64_t>(*bytes), *device);
      }
    }
  }
  static void add_process(uint32_t pid, uint64_t bytes, hal::Device& device) {
    auto& last = device.processes;  // one process after the other
    if (last.empty() || last.back().pid != pid) last.push_back({pid, uint64_t{0}});
    last.back().memory_bytes = last.back().memory_bytes.value_or(0) + bytes;
  }

  const std::string root_;
  const std::string kfd_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<hal::DeviceSampler> open_amdgpu(const hal::SamplerWorld& world) {
  return std::make_unique<Amdgpu>(world);
}

std::optional<hal::DeviceError> amdgpu_error_of(std::string_view line) {
  constexpr std::string_view kStart = "amdgpu ";
  if (!line.starts_with(kStart)) return std::nullopt;
  std::string_view rest = line.substr(kStart.size());
  const size_t colon = rest.find(": ");
  if (colon > 16) return std::nullopt;  // npos too
  const std::string_view place = rest.substr(0, colon);
  rest = rest.substr(colon + 2);
  if (rest.starts_with("amdgpu: ")) rest.remove_prefix(8);
  hal::DeviceError error;
  error.vendor = "amd";
  error.pci_address = printable(place, 32);
  const auto has = [&rest](std::string_view part) { return rest.find(part) != std::string_view::npos; };
  if (rest.starts_with("GPU reset begin")) {
    error.kind = "reset";
    error.meaning = "The driver resets the device: programs on it lose their work.";
  } else if (rest.starts_with("GPU reset") && has("failed")) {
    error.kind = "reset_failed";
    error.meaning = "The device could not be reset.";
  } else if (rest.starts_with("ring ") && has(" timeout")) {
    error.kind = "timeout";
    error.meaning = "Work on a queue did not end in time; a reset follows.";
  } else if (has("uncorrectable hardware errors") || has("Uncorrectable hardware errors")) {
    error.kind = "ras_uncorrected";
    error.meaning = "Uncorrectable hardware errors.";
  } else if (has("correctable hardware errors")) {
    error.kind = "ras_corrected";
    error.meaning = "Correctable hardware errors.";
  } else if (has("page fault")) {
    error.kind = "page_fault";
    error.meaning = "A program used an address that is not mapped.";
  } else {
    return std::nullopt;
  }
  error.message = printable(line, 512);
  return error;
}

}  // namespace ingero::backends::hip
