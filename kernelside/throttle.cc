// Reads cpu.stat (cgroup v2), also where v1 mounts the cpu controller.
#include "kernelside/throttle.h"

#include "base/text.h"

namespace ingero::kernelside {

std::vector<hal::Throttling> ThrottleReader::read(const std::set<std::string>& paths, uint64_t mono_ns) {
  std::set<std::string> all;
  for (const std::string& path : paths) {
    // A limit may stand on any cgroup above; the root has none.
    for (std::string at = path; at.size() > 1 && all.size() < kMostCgroups; at.resize(at.rfind('/'))) {
      if (at.front() != '/' || at.find("/..") != std::string::npos || !all.insert(at).second) break;
    }
  }
  std::vector<hal::Throttling> found;
  std::map<std::string, Counters> now;
  for (const std::string& path : all) {
    auto text = read_file(root_ + path + "/cpu.stat", 1 << 16);
    if (!text.ok()) text = read_file(root_ + "/cpu" + path + "/cpu.stat", 1 << 16);
    if (!text.ok()) continue;
    Counters counters;
    bool limited = false;
    for (const std::string_view line : split(*text, '\n')) {
      const size_t space = line.find(' ');
      if (space == std::string_view::npos) continue;
      const auto value = parse_u64(line.substr(space + 1));
      if (!value) continue;
      if (line.starts_with("nr_throttled ")) {
        counters.periods = *value;
        limited = true;
      } else if (line.starts_with("throttled_usec ")) {
        counters.throttled_us = *value;
      } else if (line.starts_with("throttled_time ")) {
        counters.throttled_us = *value / 1000;
      }
    }
    if (!limited) continue;
    now[path] = counters;
    const auto known = before_.find(path);
    if (known == before_.end() || counters.periods <= known->second.periods ||
        counters.throttled_us < known->second.throttled_us) {
      continue;
    }
    hal::Throttling throttling;
    throttling.mono_ns = mono_ns;
    throttling.path = path;
    throttling.periods = counters.periods - known->second.periods;
    throttling.throttled_ns = (counters.throttled_us - known->second.throttled_us) * 1000;
    found.push_back(std::move(throttling));
  }
  before_ = std::move(now);
  return found;
}

}  // namespace ingero::kernelside
