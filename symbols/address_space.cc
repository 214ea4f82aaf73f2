// Reads the mappings of one process when an address is unknown.
#include "symbols/address_space.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::symbols {
namespace {

constexpr unsigned kMissesPerRead = 64;  // an unknown address is most often code made at run time, again and again

}  // namespace

bool AddressSpace::load() {
  const auto text = files_.maps_of(pid_);
  is_loaded_ = true;                              // or never will be
  if (!text.ok() || text->empty()) return false;  // empty: a process that has just ended
  misses_ = 0;
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

void AddressSpace::add(const hal::Mapping& mapping) {
  // What lay there is gone, as a whole or from where the new one begins; the rest of it is found again by a read.
  size_t kept = 0;
  for (size_t i = 0; i < mappings_.size(); ++i) {
    if (mappings_[i].start < mapping.end && mapping.start < mappings_[i].end) continue;
    if (kept != i) {
      mappings_[kept] = std::move(mappings_[i]);
      entries_[kept] = std::move(entries_[i]);
    }
    ++kept;
  }
  mappings_.resize(kept);
  entries_.resize(kept);
  const auto at = std::lower_bound(mappings_.begin(), mappings_.end(), mapping.start,
                                   [](const hal::Mapping& one, uint64_t start) { return one.start < start; });
  entries_.insert(entries_.begin() + (at - mappings_.begin()), Entry{});
  mappings_.insert(at, mapping);
}

const hal::Mapping* AddressSpace::mapping_of(uint64_t address) {
  if (!is_loaded_) load();
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
  if (mapping == nullptr) return {nullptr, address};
  Entry& entry = entries_[static_cast<size_t>(mapping - mappings_.data())];
  if (!entry.looked) {
    entry.file = files_.find(pid_, *mapping, entry.looked);
  }
  if (!entry.file) return {nullptr, address};
  const auto own = entry.file->address_of(address - mapping->start + mapping->file_offset);
  if (!own) return {nullptr, address};
  return {entry.file, *own};
}

}  // namespace ingero::symbols
