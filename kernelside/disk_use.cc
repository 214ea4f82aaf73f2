// Differences of the kernel side's counts.
#include "kernelside/disk_use.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>

namespace ingero::kernelside {
namespace {

// A process that was forgotten meanwhile begins anew.
uint64_t grown(uint64_t now, uint64_t before) { return now >= before ? now - before : now; }

}  // namespace

std::vector<hal::DiskUse> DiskUses::take(std::span<const std::pair<uint32_t, wire_device_io>> disks,
                                         std::span<const std::pair<wire_disk_user_key, wire_disk_user>> users,
                                         uint64_t mono_ns) {
  static const auto own_pid = static_cast<uint32_t>(getpid());
  std::map<uint32_t, std::vector<hal::DiskUse>> named;
  std::map<std::pair<uint32_t, uint32_t>, Count> now;
  for (const auto& [key, user] : users) {
    const std::pair id(key.dev, key.pid);
    const Count before = users_.contains(id) ? users_[id] : Count();
    now[id] = {user.requests, user.bytes};
    hal::DiskUse one;
    one.device = key.dev;
    one.pid = key.pid;
    one.comm.assign(user.comm, strnlen(user.comm, sizeof(user.comm)));
    one.requests = grown(user.requests, before.requests);
    one.bytes = grown(user.bytes, before.bytes);
    if (one.bytes > 0 && key.pid != own_pid) named[key.dev].push_back(std::move(one));
  }
  users_ = std::move(now);

  std::vector<hal::DiskUse> found;
  for (const auto& [device, io] : disks) {
    const wire_device_io before = disks_.contains(device) ? disks_[device] : wire_device_io();
    disks_[device] = io;
    hal::DiskUse all;
    all.device = device;
    all.requests = grown(io.requests, before.requests);
    all.bytes = grown(io.bytes, before.bytes);
    all.own_bytes = grown(io.own_bytes, before.own_bytes);
    if (all.own_bytes == 0 || all.bytes * kGoodPart < all.own_bytes) continue;
    found.push_back(std::move(all));
    std::vector<hal::DiskUse>& its = named[device];
    std::ranges::sort(its, std::greater<>(), &hal::DiskUse::bytes);
    its.resize(std::min(its.size(), kMaxNamed));
    std::ranges::move(its, std::back_inserter(found));
  }
  for (hal::DiskUse& one : found) one.mono_ns = mono_ns;
  return found;
}

}  // namespace ingero::kernelside
