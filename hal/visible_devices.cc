// Applies the lists of devices in a process's environment, each to the devices that the previous one left.
#include "hal/visible_devices.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace ingero::hal {
namespace {

constexpr size_t kMaxEntries = 1024;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_any_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

EventDevice known(const Device& device) { return {device.vendor, device.position, device.uuid, device.pci_address}; }

}  // namespace

// What one list makes of what was left before it. Invariant: an entry of the result is a device known for certain, or
// all absent.
class VisibleReader {
 public:
  VisibleReader(const DeviceNaming& naming, const EnvironmentLookup& variable, std::span<const Device> machine)
      : naming_(naming), variable_(variable), machine_(machine) {
    for (const Device& device : machine) {
      if (device.parent_uuid.empty()) {
        wholes_.push_back(&device);
      } else {
        partitioned_ = true;
      }
    }
    std::stable_sort(wholes_.begin(), wholes_.end(),
                     [](const Device* a, const Device* b) { return a->position < b->position; });
  }

  VisibleDevices read(bool in_container) {
    const bool is_known = !in_container || let_in();
    start(is_known && !in_container);
    if (!is_known) forget();
    for (const VisibleList& list : naming_.lists) {
      if (list.of_container) continue;
      if (!list.only_without.empty() && !variable_(list.only_without).value_or("").empty()) continue;
      const auto value = variable_(list.variable);
      if (!value || (value->empty() && !list.empty_hides_all)) continue;
      if (list.is_doubtful) {
        forget();
      } else {
        choose(*value);
      }
    }
    return std::move(seen_);
  }

 private:
  // All devices there are, as they are numbered without any list.
  void start(bool sees_machine) {
    const bool alike = !wholes_.empty() && !wholes_[0]->name.empty() &&
                       std::all_of(wholes_.begin(), wholes_.end(),
                                   [this](const Device* device) { return device->name == wholes_[0]->name; });
    const bool by_bus = naming_.order_variable.empty() || variable_(naming_.order_variable) == naming_.order_by_bus;
    const bool ordered = (by_bus || alike || wholes_.size() == 1) && !partitioned_;
    seen_.open_ended_ = machine_.empty();
    seen_.identity_ = by_bus && sees_machine;
    for (const Device* device : wholes_) {
      seen_.devices_.push_back(ordered ? known(*device) : EventDevice{});
    }
  }

  // A number may mean anything. Where there is but one device, it is that one.
  void forget() {
    if (wholes_.size() == 1 && seen_.only() != nullptr) return;
    seen_ = VisibleDevices();
  }

  // A device by its UUID or the start of it; of the machine, as lists of UUIDs need no order. Nothing: none, or
  // several.
  std::optional<EventDevice> by_uuid(std::string_view token) const {
    const bool partition = !naming_.partition_prefix.empty() && starts_with_any_case(token, naming_.partition_prefix);
    // "MIG-GPU-<uuid>/1/0", as older drivers name one: the whole device's UUID is in it.
    if (const size_t slash = token.find('/'); partition && slash != std::string_view::npos) {
      auto whole = by_uuid(token.substr(naming_.partition_prefix.size(), slash - naming_.partition_prefix.size()));
      if (whole) whole->uuid = printable(token, 128);
      return whole;
    }
    if (machine_.empty()) {
      // The machine's devices are not known: accept a whole UUID unchecked.
      if (!partition && token.size() != naming_.uuid_length) return EventDevice{};
      return EventDevice{{}, {}, printable(token, 128), {}};
    }
    const Device* found = nullptr;
    for (const Device& device : machine_) {
      if (device.parent_uuid.empty() == partition || !starts_with_any_case(device.uuid, token)) continue;
      if (found != nullptr) return std::nullopt;
      found = &device;
    }
    if (found == nullptr) return std::nullopt;
    return known(*found);
  }

  bool is_uuid(std::string_view token) const {
    return starts_with_any_case(token, naming_.uuid_prefix) ||
           (!naming_.partition_prefix.empty() && starts_with_any_case(token, naming_.partition_prefix));
  }

  void choose(std::string_view value) {
    VisibleDevices chosen;
    chosen.open_ended_ = false;
    std::set<std::string, std::less<>> seen;
    for (const std::string_view token : split(value, ',')) {
      if (value.empty() || chosen.devices_.size() >= kMaxEntries) break;
      if (!seen.emplace(token).second || token.find_first_of(" \t\r\n") != std::string_view::npos) return forget();
      if (is_uuid(token)) {
        auto device = by_uuid(token);
        if (!device) break;
        chosen.devices_.push_back(std::move(*device));
        continue;
      }
      if (token.empty() || !is_digit(token[0])) break;  // "-1", "NoDevFiles"
      const auto ordinal = parse_digits(token);
      if (!ordinal) return forget();  // "1x": what a runtime makes of it is not documented
      if (*ordinal > INT32_MAX || (!seen_.open_ended_ && *ordinal >= seen_.devices_.size())) break;
      chosen.devices_.push_back(seen_.at(static_cast<int32_t>(*ordinal)));
    }
    seen_ = std::move(chosen);
  }

  // Leaves in wholes_ the devices that the container runtime passed into the container; false: unknown. Indices there
  // are the machine's.
  bool let_in() {
    if (wholes_.size() <= 1) return !wholes_.empty();
    const auto list = std::find_if(naming_.lists.begin(), naming_.lists.end(),
                                   [](const VisibleList& one) { return one.of_container; });
    const auto value = list == naming_.lists.end() ? std::nullopt : variable_(list->variable);
    if (value == "all") return true;
    if (!value || value->empty()) return false;
    std::set<uint32_t> inside;
    for (const std::string_view token : split(*value, ',')) {
      std::optional<uint32_t> position;
      if (starts_with_any_case(token, naming_.uuid_prefix)) {
        if (const auto device = by_uuid(token)) position = device->gpu_id;
      } else if (const auto index = parse_digits(token); index && *index < wholes_.size()) {
        position = static_cast<uint32_t>(*index);
      }
      if (!position) return false;  // "void", "none", a partition, a device that is not there
      inside.insert(*position);
    }
    std::erase_if(wholes_, [&](const Device* device) { return !inside.contains(device->position); });
    return true;
  }

  const DeviceNaming& naming_;
  const EnvironmentLookup& variable_;
  std::span<const Device> machine_;
  std::vector<const Device*> wholes_;
  bool partitioned_ = false;
  VisibleDevices seen_;
};

EventDevice VisibleDevices::at(int32_t ordinal) const {
  if (ordinal < 0) return {};
  if (static_cast<size_t>(ordinal) < devices_.size()) return devices_[static_cast<size_t>(ordinal)];
  return open_ended_ && identity_ ? EventDevice{{}, static_cast<uint32_t>(ordinal), {}, {}} : EventDevice{};
}

VisibleDevices visible_devices(const DeviceNaming& naming, const EnvironmentLookup& variable, bool in_container,
                               std::span<const Device> machine) {
  return VisibleReader(naming, variable, machine).read(in_container);
}

std::vector<std::string_view> variables_of(const DeviceNaming& naming) {
  std::vector<std::string_view> names;
  for (const VisibleList& list : naming.lists) {
    names.push_back(list.variable);
    if (!list.only_without.empty()) names.push_back(list.only_without);
  }
  if (!naming.order_variable.empty()) names.push_back(naming.order_variable);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace ingero::hal
