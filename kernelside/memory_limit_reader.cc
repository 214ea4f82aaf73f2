// Reads memory.* of cgroups of version 2, or of the memory controller where version 1 mounts it apart.
#include "kernelside/memory_limit_reader.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace ingero::kernelside {
namespace {

constexpr std::string_view kController = "memory";
constexpr uint64_t kUnlimited = uint64_t{1} << 60;  // version 1 has the largest number of whole pages

// "NAME VALUE", of a file of such lines.
std::optional<uint64_t> value_of(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ') {
      return parse_u64(line.substr(name.size() + 1));
    }
  }
  return {};
}

// Of the first line of memory.pressure, "some avg10=... total=N": microseconds.
std::optional<uint64_t> stalled_us(std::string_view text) {
  constexpr std::string_view kTotal = " total=";
  const std::string_view line = text.substr(0, text.find('\n'));
  const size_t at = line.find(kTotal);
  if (!line.starts_with("some ") || at == std::string_view::npos) return {};
  return parse_u64(line.substr(at + kTotal.size()));
}

bool is_apart(std::string_view path) { return path.starts_with("/memory/"); }

uint64_t grown(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

}  // namespace

std::optional<uint64_t> MemoryLimitReader::number_in(const std::string& path, const char* file) const {
  const auto text = read_file(fmt::format("{}{}/{}", root_, path, file), 64);
  if (!text.ok()) return {};
  return parse_u64(std::string_view(*text).substr(0, text->find('\n')));
}

std::optional<MemoryLimitReader::Counters> MemoryLimitReader::counters_of(const std::string& path) const {
  const bool apart = is_apart(path);
  Counters counters;
  counters.limit_bytes = kUnlimited;
  for (const char* name : {"memory.limit_in_bytes", "memory.max", "memory.high"}) {
    if (apart != std::string_view(name).ends_with("_in_bytes")) continue;
    const auto limit = number_in(path, name);
    if (!limit || *limit >= counters.limit_bytes) continue;
    counters.limit_bytes = *limit;
    counters.limit_name = name;
  }
  if (counters.limit_name.empty()) return {};
  const auto used = number_in(path, apart ? "memory.usage_in_bytes" : "memory.current");
  // It reclaims some before it may go on, and what is not at its limit is not worth the rest.
  if (!used || *used < counters.limit_bytes - counters.limit_bytes / 8) return {};
  counters.used_bytes = *used;
  const auto stat = read_file(fmt::format("{}{}/memory.stat", root_, path), 1 << 16);
  if (!stat.ok()) return {};
  static const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (const std::string_view kind : {"workingset_refault_file", "workingset_refault_anon"}) {
    const auto pages = value_of(*stat, apart ? fmt::format("total_{}", kind) : std::string(kind));
    counters.reread_bytes += pages.value_or(0) * page_bytes;
  }
  if (apart) {
    counters.hits = number_in(path, "memory.failcnt").value_or(0);
    return counters;
  }
  if (const auto events = read_file(fmt::format("{}{}/memory.events", root_, path), 1 << 12); events.ok()) {
    counters.hits = value_of(*events, "max").value_or(0) + value_of(*events, "high").value_or(0);
  }
  const auto pressure = read_file(fmt::format("{}{}/memory.pressure", root_, path), 1 << 12);
  if (pressure.ok()) counters.stalled_us = stalled_us(*pressure);
  return counters;
}

// What grew since the last read, of the cgroup in which most was read again; no path: of none anything did.
hal::MemoryLimit MemoryLimitReader::worst_of(uint32_t pid, Known& now) const {
  hal::MemoryLimit worst;
  const auto lines = read_file(fmt::format("{}/{}/cgroup", proc_, pid), 1 << 16);
  if (!lines.ok()) return worst;
  for (const std::string& at : cgroup_folders(*lines, kController)) {
    const auto [entry, is_new] = now.try_emplace(at);
    if (is_new) entry->second = counters_of(at);
    const auto known = before_.find(at);
    if (!entry->second || known == before_.end() || !known->second) continue;
    const Counters &counters = *entry->second, &last = *known->second;
    hal::MemoryLimit one;
    one.reread_bytes = grown(counters.reread_bytes, last.reread_bytes);
    if (counters.stalled_us && last.stalled_us) {
      one.stalled_ns = static_cast<int64_t>(grown(*counters.stalled_us, *last.stalled_us) * 1000);
    }
    one.hits = grown(counters.hits, last.hits);
    const bool had_effect = one.reread_bytes > 0 || one.stalled_ns > 0 || (one.stalled_ns < 0 && one.hits > 0);
    const auto effect = [](const hal::MemoryLimit& of) { return std::pair(of.reread_bytes, of.stalled_ns); };
    if (!had_effect || (!worst.path.empty() && effect(one) <= effect(worst))) continue;
    one.path = at;
    one.limit_name = counters.limit_name;
    one.limit_bytes = counters.limit_bytes;
    one.used_bytes = counters.used_bytes;
    worst = std::move(one);
  }
  return worst;
}

std::vector<hal::MemoryLimit> MemoryLimitReader::read(std::span<const CgroupMember> members, uint64_t mono_ns) {
  std::vector<hal::MemoryLimit> found;
  Known now;
  std::map<uint64_t, hal::MemoryLimit> of_cgroup;
  bool is_first = true, apart = false;
  for (const CgroupMember& member : members.first(std::min(members.size(), kMaxProcesses))) {
    if (std::exchange(is_first, false)) {
      const auto lines = read_file(fmt::format("{}/{}/cgroup", proc_, member.pid), 1 << 16);
      apart = lines.ok() && has_controller_apart(*lines, kController);
    }
    const bool is_shared = !apart && member.cgroup_id != 0;
    const auto known = is_shared ? of_cgroup.find(member.cgroup_id) : of_cgroup.end();
    hal::MemoryLimit worst = known != of_cgroup.end() ? known->second : worst_of(member.pid, now);
    if (is_shared) of_cgroup.try_emplace(member.cgroup_id, worst);
    if (worst.path.empty()) continue;
    worst.pid = member.pid;
    worst.mono_ns = mono_ns;
    found.push_back(std::move(worst));
  }
  before_ = std::move(now);
  return found;
}

}  // namespace ingero::kernelside
