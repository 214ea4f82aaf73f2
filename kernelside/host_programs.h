// The host tracepoint programs (bpf/host.bpf.c), loaded and attached, each reported for itself.
//
// What this kernel lacks is probed in its BTF before loading, what it refuses is found by trying; either way the rest
// works. Owns its programs, links and private maps; destroying it detaches. Shared maps stay the caller's and are only
// used during attach() (the kernel keeps them alive). Not thread-safe, but for the const members.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bpf/wire.h"

namespace ingero::kernelside {

struct HostOptions {
  bool processes = true;  // exec, exit, fork, OOM kills, page allocation
  bool block = true;
  bool tcp = true;      // retransmissions
  bool sockets = true;  // volumes; also who owns a socket, which the retransmissions want
};

// A map of bpf/maps.bpf.h that exists already: the host programs use it instead of their own.
struct SharedMap {
  std::string name;
  int fd = -1;
};

enum class HostFeature : uint8_t { kProcesses, kMemory, kBlock, kTcp, kSockets };
std::string_view name_of(HostFeature feature);

struct HostProgramStatus {
  std::string_view program;     // "on_block_issue"
  std::string_view tracepoint;  // "block_rq_issue"
  HostFeature feature = HostFeature::kProcesses;
  bool wanted = true;  // false: switched off by the options
  bool attached = false;
  std::string reason;  // why not, or what is less than exact; else empty
};

class HostPrograms {
 public:
  // Fails only when nothing can work (no BTF, no privilege, no memory); a missing tracepoint is in status().
  static Result<std::unique_ptr<HostPrograms>> attach(const HostOptions& options, std::span<const SharedMap> shared);
  ~HostPrograms();
  HostPrograms(const HostPrograms&) = delete;
  HostPrograms& operator=(const HostPrograms&) = delete;

  // One per tracepoint, in the order of the source.
  const std::vector<HostProgramStatus>& status() const;
  // Descriptor of a map of this object, shared or not; -1: none. Valid while this lives.
  int map_fd(std::string_view name) const;
  // By disk, and by process that is not traced, what was asked of disks; totals that only grow, but that the longest
  // unused processes are forgotten.
  std::vector<std::pair<uint32_t, wire_device_io>> disk_io() const;
  std::vector<std::pair<wire_disk_user_key, wire_disk_user>> disk_users() const;
  // Runs the kernel skipped because the program was running on that CPU already, where an interrupt has something to
  // report (a completion inside a completion, not a page for an interrupt's own use). Thread-safe.
  uint64_t skipped_runs() const;
  // No program runs any more; what they counted can still be read. Takes a grace period of the kernel.
  void detach();

 private:
  struct Impl;
  explicit HostPrograms(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::kernelside
