// How often CPU limits stopped the traced processes: cpu.stat of their cgroups and of those above them, once a second.
//
// Of processes that share a cgroup of version 2 one is looked at, and what stopped it stopped the others. Not so where
// version 1 has the cpu controller: there each process may be under another limit.
//
// A cgroup that has no limit, or was not throttled since the last read, reports nothing; of nested cgroups the one that
// was throttled longest counts. Throttling before the first read that finds a process in a cgroup is not counted: it
// may have been that of another process. Not thread-safe. Owns the last read's counters. Failure: none; a cgroup that
// cannot be read reports nothing.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hal/event.h"
#include "kernelside/cgroup.h"

namespace ingero::kernelside {

class ThrottleReader {
 public:
  explicit ThrottleReader(std::string cgroup_root = "/sys/fs/cgroup", std::string proc_root = "/proc")
      : root_(std::move(cgroup_root)), proc_(std::move(proc_root)) {}
  std::vector<hal::Throttling> read(std::span<const CgroupMember> members, uint64_t mono_ns);

  static constexpr size_t kMaxProcesses = 1024;  // looked at in one second

 private:
  struct Counters {
    bool limited = false;
    uint64_t periods = 0, throttled_us = 0;
    uint32_t pid = 0;  // of a process in it
  };
  Counters counters_of(const std::string& directory) const;
  std::vector<hal::Throttling> read_each(std::span<const uint32_t> pids, uint64_t mono_ns);
  void add_last_of_left(const std::map<std::string, Counters>& now, uint64_t mono_ns,
                        std::vector<hal::Throttling>& found) const;
  std::string root_, proc_;
  std::map<std::string, Counters> before_;
};

}  // namespace ingero::kernelside
