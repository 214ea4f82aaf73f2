// What processes that are not traced did to the disks of those that are, once a second: who else keeps a disk busy.
//
// From what the kernel side counts (HostPrograms::disk_io and disk_users): what grew since the last take. Of each disk
// that traced processes used meanwhile all others together, where they moved a good part of what these did, and the
// kMaxNamed that asked for most; not this process, which writes the recording. Not thread-safe. Owns the last counts,
// of at most as many processes as the kernel side has. Failure: none.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "bpf/wire.h"
#include "hal/event.h"

namespace ingero::kernelside {

class DiskUses {
 public:
  static constexpr size_t kMaxNamed = 4;
  static constexpr uint64_t kGoodPart = 4;  // others moved at least a quarter of what the traced processes did

  std::vector<hal::DiskUse> take(std::span<const std::pair<uint32_t, wire_device_io>> disks,
                                 std::span<const std::pair<wire_disk_user_key, wire_disk_user>> users,
                                 uint64_t mono_ns);

 private:
  struct Count {
    uint64_t requests = 0, bytes = 0;
  };
  std::map<uint32_t, wire_device_io> disks_;
  std::map<std::pair<uint32_t, uint32_t>, Count> users_;  // by disk and process
};

}  // namespace ingero::kernelside
