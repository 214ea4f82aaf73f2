// Ranges are few where CPUs are many.
#include "hal/cpu_list.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::hal {

std::optional<CpuList> CpuList::parse(std::string_view untrusted_text) {
  CpuList list;
  for (const std::string_view part : split(trim(untrusted_text), ',')) {
    const size_t dash = part.find('-');
    const auto first = parse_digits(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_digits(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= kMaxCpus) return std::nullopt;
    if (!list.ranges_.empty() && *first <= list.ranges_.back().second) return std::nullopt;
    if (!list.ranges_.empty() && *first == list.ranges_.back().second + 1) {
      list.ranges_.back().second = static_cast<uint32_t>(*last);
    } else {
      list.ranges_.emplace_back(static_cast<uint32_t>(*first), static_cast<uint32_t>(*last));
    }
  }
  return list.empty() ? std::nullopt : std::optional(std::move(list));
}

void CpuList::add(uint32_t cpu) {
  if (!ranges_.empty() && ranges_.back().second + 1 == cpu) {
    ranges_.back().second = cpu;
  } else {
    ranges_.emplace_back(cpu, cpu);
  }
}

size_t CpuList::count() const {
  size_t count = 0;
  for (const auto& [first, last] : ranges_) count += last - first + 1;
  return count;
}

bool CpuList::shares_any(const CpuList& other) const {
  return std::ranges::any_of(ranges_, [&](const auto& one) {
    return std::ranges::any_of(other.ranges_,
                               [&](const auto& its) { return one.first <= its.second && its.first <= one.second; });
  });
}

std::string CpuList::text() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last != first) text += fmt::format("-{}", last);
  }
  return text;
}

std::string CpuList::name() const { return (count() == 1 ? "CPU " : "CPUs ") + text(); }

}  // namespace ingero::hal
