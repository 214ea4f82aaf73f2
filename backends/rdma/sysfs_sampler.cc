// Scans sysfs for adapters, reads their counters and scales them to base units. Any file may be missing.
#include "backends/rdma/sysfs_sampler.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "backends/rdma/counter_meanings.h"
#include "base/folder.h"
#include "base/text.h"

namespace ingero::backends::rdma {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFile = 4096;
constexpr size_t kMaxName = 64, kMaxNames = 4096;  // of one; of a folder

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && text.front() != '.' && text.front() != ' ' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                  c == '.' || c == ':' || c == ' ';  // "RNR sent"
         });
}

// The names in a directory, sorted, without those that are not valid names. Empty when the directory does not exist.
std::vector<std::string> names_in(const std::string& path, size_t limit) {
  auto names = list_folder(path, kMaxNames);
  if (!names.ok()) return {};
  std::erase_if(*names, [](const std::string& name) { return !is_name(name); });
  if (names->size() > limit) names->resize(limit);
  return *std::move(names);
}

std::string line_of(const std::string& path) {
  const auto text = read_file(path, kMaxFile);
  return text.ok() ? printable(trim(std::string_view(*text).substr(0, text->find('\n'))), 128) : "";
}

// "4: ACTIVE"
std::optional<uint32_t> number_before_colon(const std::string& text) {
  const auto number = parse_u64(trim(std::string_view(text).substr(0, text.find(':'))));
  return number && *number < 256 ? std::optional<uint32_t>(static_cast<uint32_t>(*number)) : std::nullopt;
}

// "100 Gb/sec (4X EDR)", "2.5 Gb/sec (1X SDR)"
std::optional<uint64_t> rate_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::string_view(end, text.data() + text.size()).starts_with(" Gb/sec")) return {};
  if (value < 0 || value > 1e6) return {};
  return static_cast<uint64_t>(std::llround(value * 1e9));
}

std::string last_component(const std::string& link) {
  std::error_code failed;
  const fs::path target = fs::canonical(link, failed);
  return failed ? "" : printable(target.filename().string(), kMaxName);
}

// The driver of the adapter's device. Soft-RoCE has no device of its own: it runs on top of any network interface,
// whose driver is not an RDMA driver. It is recognised by the file `parent`, which no other driver creates (Linux
// drivers/infiniband/sw/rxe/rxe_verbs.c).
std::string driver_of(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path + "/parent", ignored) ? "rdma_rxe" : last_component(path + "/device/driver");
}

bool is_pci_address(std::string_view text) {  // 0000:3b:00.0
  return text.size() >= 12 && text[text.size() - 2] == '.' && std::count(text.begin(), text.end(), ':') == 2;
}

// Data counters count words of four bytes; everything else is what its name says.
bool is_data_words(std::string_view name) {
  return name == "port_xmit_data" || name == "port_rcv_data" || name == "port_xmit_data_64" ||
         name == "port_rcv_data_64";
}

bool is_null_gid(std::string_view gid) {
  return gid.find_first_not_of("0:") == std::string_view::npos || gid == "fe80:0000:0000:0000:0000:0000:0000:0000";
}

}  // namespace

void SysfsSampler::counters(const std::string& path, std::string_view driver, hal::CounterOrigin origin,
                            hal::FabricSample& sample, std::vector<hal::FabricCounter>& out) {
  Directory& state = directories_[path];
  if (now_mono_ns_ < state.next_read_mono_ns) {
    for (auto& counter : state.last) {
      counter.change = hal::CounterChange::kSame;
      counter.delta = 0;
      out.push_back(counter);
    }
    return;
  }
  const auto names = names_in(path, kMaxEntries);
  const bool is_extended = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("unicast_") || name.starts_with("multicast_");
  });
  std::vector<hal::FabricCounter> found;
  for (const std::string& name : names) {
    const std::string file = path + "/" + name;
    const auto text = read_file(file, kMaxFile);
    std::optional<uint64_t> value;
    if (text.ok()) value = parse_u64(trim(*text));
    if (name == "lifespan") {
      if (value) state.next_read_mono_ns = now_mono_ns_ + std::min<uint64_t>(*value, 60'000) * 1'000'000;
      continue;
    }
    if (!value) {
      ++sample.unreadable_count;
      if (sample.unreadable.size() < hal::FabricSample::kMaxUnreadable) {
        sample.unreadable.push_back({file, text.ok() ? fmt::format("'{}' is not a number", printable(trim(*text), 40))
                                                     : text.error().message()});
      }
      state.tracks.erase(name);  // what comes after a gap starts anew
      continue;
    }
    hal::FabricCounter counter;
    counter.name = name;
    counter.origin = origin;
    counter.meaning = meaning_of(driver, origin, name);
    const unsigned bits = origin == hal::CounterOrigin::kPort ? assumed_bits(name, is_extended) : 64;
    const auto step = state.tracks.try_emplace(name, bits).first->second.next(*value);
    const uint64_t scale = is_data_words(name) ? 4 : 1;
    counter.unit = scale == 4 || name.ends_with("_bytes") ? hal::CounterUnit::kBytes : hal::CounterUnit::kCount;
    counter.change = step.change;
    counter.value = *value * scale;
    if (step.delta) counter.delta = *step.delta * scale;
    found.push_back(std::move(counter));
  }
  out.insert(out.end(), found.begin(), found.end());
  state.last = std::move(found);
}

std::vector<hal::FabricGid> SysfsSampler::gids(const std::string& path) {
  Gids& state = gids_[path];
  if (now_mono_ns_ < state.next_read_mono_ns) return state.last;
  state.next_read_mono_ns = now_mono_ns_ + kGidIntervalNs;
  state.last.clear();
  for (const std::string& name : names_in(path + "/gids", kMaxEntries)) {
    const auto position = parse_u64(name);
    std::string gid = line_of(path + "/gids/" + name);
    if (!position || *position > UINT32_MAX || gid.empty() || is_null_gid(gid)) continue;
    state.last.push_back({static_cast<uint32_t>(*position), std::move(gid), line_of(path + "/gid_attrs/types/" + name),
                          line_of(path + "/gid_attrs/ndevs/" + name)});
  }
  std::sort(state.last.begin(), state.last.end(), [](const auto& a, const auto& b) { return a.position < b.position; });
  return state.last;
}

hal::FabricPort SysfsSampler::port(const std::string& path, std::string_view driver, uint32_t number,
                                   hal::FabricSample& sample) {
  hal::FabricPort port;
  port.number = number;
  port.link_layer = line_of(path + "/link_layer");
  port.state = number_before_colon(line_of(path + "/state"));
  port.physical_state = number_before_colon(line_of(path + "/phys_state"));
  port.rate_bits_per_second = rate_of(line_of(path + "/rate"));
  port.gids = gids(path);
  for (const auto& gid : port.gids) {
    if (port.netdev.empty()) port.netdev = gid.netdev;
  }
  counters(path + "/counters", driver, hal::CounterOrigin::kPort, sample, port.counters);
  counters(path + "/counters_ext", driver, hal::CounterOrigin::kPort, sample, port.counters);
  counters(path + "/hw_counters", driver, hal::CounterOrigin::kPortHardware, sample, port.counters);
  return port;
}

hal::FabricDevice SysfsSampler::device(const std::string& name, hal::FabricSample& sample) {
  const std::string path = root_ + "/" + name;
  hal::FabricDevice device;
  device.name = name;
  device.driver = driver_of(path);
  device.firmware = line_of(path + "/fw_ver");
  device.board = line_of(path + "/board_id");
  device.node_guid = line_of(path + "/node_guid");
  if (std::string address = last_component(path + "/device"); is_pci_address(address)) device.pci_address = address;
  const auto node = parse_i64(line_of(path + "/device/numa_node"));
  if (node && *node >= 0 && *node < 65536) device.numa_node = static_cast<int32_t>(*node);
  counters(path + "/hw_counters", device.driver, hal::CounterOrigin::kDeviceHardware, sample, device.counters);
  for (const std::string& number : names_in(path + "/ports", kMaxDevices)) {
    const auto parsed = parse_u64(number);
    if (!parsed || *parsed > 255) continue;
    device.ports.push_back(port(path + "/ports/" + number, device.driver, static_cast<uint32_t>(*parsed), sample));
  }
  // One interface behind the device and one port: theirs is each other, also where no GID says so.
  const auto interfaces = names_in(path + "/device/net", 2);
  if (interfaces.size() == 1 && device.ports.size() == 1 && device.ports[0].netdev.empty()) {
    device.ports[0].netdev = interfaces[0];
  }
  return device;
}

hal::FabricSample SysfsSampler::sample() {
  now_mono_ns_ = clock_.mono_ns();
  hal::FabricSample sample;
  sample.wall_ns = clock_.wall_ns();
  std::set<std::string> present;
  for (const std::string& name : names_in(root_, kMaxDevices)) {
    sample.devices.push_back(device(name, sample));
    present.insert(root_ + "/" + name + "/");
  }
  // A device that has gone is forgotten: one that comes back under the name starts anew.
  const auto is_gone = [&](const auto& entry) {
    return std::none_of(present.begin(), present.end(),
                        [&](const auto& prefix) { return entry.first.starts_with(prefix); });
  };
  std::erase_if(directories_, is_gone);
  std::erase_if(gids_, is_gone);
  return sample;
}

}  // namespace ingero::backends::rdma
