// What limits on memory did to the traced processes: of their cgroups and of those above them, once a second, the
// limit, what is used, and how much was read again because it had been evicted.
//
// A cgroup that is full of files it has read is at its limit and well: only one in which something was read again, or
// some process waited for memory, since the last read has a row; of version 1, which does not say that, one whose
// limit was reached. Of nested cgroups the one counts in which most was read again. Of processes that share a cgroup of
// version 2 one is looked at, as by ThrottleReader.
//
// Sources: Documentation/admin-guide/cgroup-v2.rst (memory.max, memory.high, memory.stat, memory.events,
// memory.pressure) and cgroup-v1/memory.rst. Not thread-safe. Owns the last read's counters. Failure: none; a cgroup
// that cannot be read reports nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hal/event.h"
#include "kernelside/cgroup.h"

namespace ingero::kernelside {

class MemoryLimitReader {
 public:
  explicit MemoryLimitReader(std::string cgroup_root = "/sys/fs/cgroup", std::string proc_root = "/proc")
      : root_(std::move(cgroup_root)), proc_(std::move(proc_root)) {}
  std::vector<hal::MemoryLimit> read(std::span<const CgroupMember> members, uint64_t mono_ns);

  static constexpr size_t kMaxProcesses = 1024;  // looked at in one second

 private:
  // Of a cgroup that is at its limit.
  struct Counters {
    std::string limit_name;
    uint64_t limit_bytes = 0, used_bytes = 0, reread_bytes = 0, hits = 0;
    std::optional<uint64_t> stalled_us;
  };
  using Known = std::map<std::string, std::optional<Counters>>;  // by path; none: it has no limit, or is not at it
  std::optional<Counters> counters_of(const std::string& path) const;
  std::optional<uint64_t> number_in(const std::string& path, const char* file) const;
  hal::MemoryLimit worst_of(uint32_t pid, Known& now) const;
  std::string root_, proc_;
  Known before_;
};

}  // namespace ingero::kernelside
