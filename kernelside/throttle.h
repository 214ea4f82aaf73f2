// How often CPU limits stopped the traced processes: cpu.stat of their cgroups and of those above them, once a second.
//
// A cgroup without a limit, or that was not stopped since the last read, gives nothing. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hal/event.h"

namespace ingero::kernelside {

class ThrottleReader {
 public:
  explicit ThrottleReader(std::string cgroup_root = "/sys/fs/cgroup") : root_(std::move(cgroup_root)) {}
  // `paths`: cgroups below the mount, as /proc/PID/cgroup names them.
  std::vector<hal::Throttling> read(const std::set<std::string>& paths, uint64_t mono_ns);

  static constexpr size_t kMostCgroups = 4096;

 private:
  struct Counters {
    uint64_t periods = 0, throttled_us = 0;
  };
  std::string root_;
  std::map<std::string, Counters> before_;
};

}  // namespace ingero::kernelside
