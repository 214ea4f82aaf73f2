// Mappings of one process, read when they are needed.
#include "symbols/address_space.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::symbols {
namespace {

constexpr size_t kMostMapsBytes = 64 << 20;
constexpr unsigned kMissesPerRead = 64;  // an unknown address is most often code made at run time, again and again

}  // namespace

bool AddressSpace::load() {
  const auto text = read_file(fmt::format("{}/{}/maps", proc_root_, pid_), kMostMapsBytes);
  stale_ = false;
  misses_ = 0;
  if (!text.ok() || text->empty()) return false;  // empty: a process that has just ended
  take(*text);
  return true;
}

void AddressSpace::take(std::string_view maps_text) {
  std::vector<hal::Mapping> mappings;
  for (const std::string_view line : split(maps_text, '\n')) {
    hal::Mapping mapping;
    if (hal::parse_maps_line(line, mapping) && mapping.executable) mappings.push_back(std::move(mapping));
  }
  std::sort(mappings.begin(), mappings.end(),
            [](const hal::Mapping& a, const hal::Mapping& b) { return a.start < b.start; });
  mappings_ = std::move(mappings);
  entries_.assign(mappings_.size(), {});
}

const hal::Mapping* AddressSpace::mapping_of(uint64_t address) {
  if (stale_) load();
  const auto look = [&]() -> const hal::Mapping* {
    const auto after = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                        [](uint64_t at, const hal::Mapping& mapping) { return at < mapping.start; });
    if (after == mappings_.begin() || address >= (after - 1)->end) return nullptr;
    return &*(after - 1);
  };
  const hal::Mapping* found = look();
  if (found != nullptr || ++misses_ % kMissesPerRead != 1 || !load()) return found;
  misses_ = 1;
  return look();
}

bool AddressSpace::is_executable(uint64_t address) { return mapping_of(address) != nullptr; }

Code AddressSpace::find(uint64_t address) {
  const hal::Mapping* mapping = mapping_of(address);
  if (mapping == nullptr || mapping->file.inode == 0) return {nullptr, address};
  Entry& entry = entries_[static_cast<size_t>(mapping - mappings_.data())];
  if (!entry.looked) {
    entry.looked = true;
    entry.file = files_.find(pid_, *mapping);
  }
  if (!entry.file) return {nullptr, address};
  const auto own = entry.file->address_of(address - mapping->start + mapping->file_offset);
  if (!own) return {nullptr, address};
  return {entry.file, *own};
}

}  // namespace ingero::symbols
