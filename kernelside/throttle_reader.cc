// Reads cpu.stat: of cgroup v2, or of the cpu controller where version 1 mounts it apart.
#include "kernelside/throttle_reader.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::kernelside {

ThrottleReader::Counters ThrottleReader::counters_of(const std::string& directory) const {
  Counters counters;
  const auto text = read_file(root_ + directory + "/cpu.stat", 1 << 16);
  if (!text.ok()) return counters;
  for (const std::string_view line : split(*text, '\n')) {
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) continue;
    const auto value = parse_u64(line.substr(space + 1));
    if (!value) continue;
    if (line.starts_with("nr_throttled ")) {
      counters.periods = *value;
      counters.limited = true;
    } else if (line.starts_with("throttled_usec ")) {
      counters.throttled_us = *value;
    } else if (line.starts_with("throttled_time ")) {
      counters.throttled_us = *value / 1000;
    }
  }
  return counters;
}

// A cgroup that its last process left, or ended in, since the last read was stopped for a part of a second yet.
void ThrottleReader::add_last_of_left(const std::map<std::string, Counters>& now, uint64_t mono_ns,
                                      std::vector<hal::Throttling>& found) const {
  std::map<uint32_t, hal::Throttling> worst;  // by pid
  for (const auto& [path, last] : before_) {
    if (!last.limited || now.contains(path)) continue;
    const Counters counters = counters_of(path);
    if (!counters.limited || counters.periods <= last.periods || counters.throttled_us < last.throttled_us) continue;
    const uint64_t throttled_ns = (counters.throttled_us - last.throttled_us) * 1000;
    if (throttled_ns == 0) continue;  // the kernel counts a period before its time
    hal::Throttling& one = worst[last.pid];
    if (throttled_ns <= one.throttled_ns) continue;
    one.path = path;
    one.pid = last.pid;
    one.mono_ns = mono_ns;
    one.periods = counters.periods - last.periods;
    one.throttled_ns = throttled_ns;
  }
  for (auto& [pid, one] : worst) found.push_back(std::move(one));
}

std::vector<hal::Throttling> ThrottleReader::read(std::span<const CgroupMember> members, uint64_t mono_ns) {
  std::map<uint64_t, std::vector<uint32_t>> by_cgroup;
  std::map<uint32_t, uint64_t> cgroup_of;
  std::vector<uint32_t> pids;
  bool is_apart = false;  // as the first that can be read has it: a machine mounts the controller once
  for (const CgroupMember& one : members) {
    const auto lines = read_file(fmt::format("{}/{}/cgroup", proc_, one.pid), 1 << 16);
    if (!lines.ok()) continue;
    is_apart = has_controller_apart(*lines, "cpu");
    break;
  }
  for (const CgroupMember& one : members) {
    const uint64_t cgroup = is_apart ? 0 : one.cgroup_id;
    std::vector<uint32_t>& of_it = by_cgroup[cgroup];
    if (of_it.empty() || cgroup == 0) pids.push_back(one.pid);
    if (cgroup == 0) continue;
    of_it.push_back(one.pid);
    cgroup_of[one.pid] = cgroup;
  }
  std::vector<hal::Throttling> found = read_each(pids, mono_ns);
  for (size_t i = 0, count = found.size(); i < count; ++i) {
    const auto cgroup = cgroup_of.find(found[i].pid);
    if (cgroup == cgroup_of.end()) continue;
    for (const uint32_t pid : by_cgroup[cgroup->second]) {
      if (pid == found[i].pid) continue;
      found.push_back(found[i]);
      found.back().pid = pid;
    }
  }
  return found;
}

std::vector<hal::Throttling> ThrottleReader::read_each(std::span<const uint32_t> pids, uint64_t mono_ns) {
  std::vector<hal::Throttling> found;
  std::map<std::string, Counters> now;
  for (const uint32_t pid : pids.first(std::min(pids.size(), kMaxProcesses))) {
    const auto lines = read_file(fmt::format("{}/{}/cgroup", proc_, pid), 1 << 16);
    if (!lines.ok()) continue;
    hal::Throttling worst;
    for (const std::string& at : cgroup_folders(*lines, "cpu")) {
      const auto [entry, is_new] = now.try_emplace(at);
      if (is_new) entry->second = counters_of(at);
      entry->second.pid = pid;
      const Counters& counters = entry->second;
      const auto known = before_.find(at);
      if (!counters.limited || known == before_.end() || counters.periods <= known->second.periods ||
          counters.throttled_us < known->second.throttled_us) {
        continue;
      }
      const uint64_t throttled_ns = (counters.throttled_us - known->second.throttled_us) * 1000;
      if (throttled_ns <= worst.throttled_ns) continue;
      worst.path = at;
      worst.periods = counters.periods - known->second.periods;
      worst.throttled_ns = throttled_ns;
    }
    if (worst.periods == 0) continue;
    worst.pid = pid;
    worst.mono_ns = mono_ns;
    found.push_back(std::move(worst));
  }
  add_last_of_left(now, mono_ns, found);
  before_ = std::move(now);
  return found;
}

}  // namespace ingero::kernelside
