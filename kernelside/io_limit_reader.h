// How much the traced processes may ask of disks: io.max of their cgroups and of those above them, or the blkio
// controller's throttle files where version 1 mounts it apart.
//
// A process is looked at each time while it is new, for it may be moved then, and later every kEvery_ns; a limit is
// reported once to each process, and again when it is another. Sources: Documentation/admin-guide/cgroup-v2.rst and
// cgroup-v1/blkio-controller.rst. Not thread-safe. Owns what was reported. Failure: none; a cgroup that cannot be read
// reports nothing.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "hal/event.h"
#include "kernelside/cgroup.h"

namespace ingero::kernelside {

class IoLimitReader {
 public:
  explicit IoLimitReader(std::string cgroup_root = "/sys/fs/cgroup", std::string proc_root = "/proc")
      : root_(std::move(cgroup_root)), proc_(std::move(proc_root)) {}
  std::vector<hal::IoLimit> read(std::span<const CgroupMember> members, uint64_t mono_ns);

  static constexpr size_t kMaxProcesses = 1024;  // known at a time
  static constexpr size_t kMaxLimits = 64;       // of a process
  static constexpr uint64_t kEvery_ns = 8'000'000'000;
  static constexpr uint32_t kFirstLooks = 4;

 private:
  struct Known {
    uint64_t looked_ns = 0;
    uint32_t looks = 0;
    std::map<std::tuple<std::string, std::string, uint32_t>, uint64_t> limits;  // by path, name and disk
  };
  std::vector<hal::IoLimit> limits_of(uint32_t pid) const;
  std::string root_, proc_;
  std::map<uint32_t, Known> known_;  // by pid
};

}  // namespace ingero::kernelside
