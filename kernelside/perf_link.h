// Probe links: bpf(BPF_LINK_CREATE) for uprobe-multi and uprobe session, which the system's libbpf has no helper for,
// and perf probes, which are libbpf's.
//
// The kernel follows `path` once, at creation; "/proc/self/fd/N" names an open file, deleted or in another mount
// namespace. Closing the descriptor detaches. Source: include/uapi/linux/bpf.h, union bpf_attr,
// link_create.uprobe_multi (kernel 6.6, 89ae89f53d20).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/fd.h"
#include "base/result.h"

struct bpf_program;  // libbpf's

namespace ingero::kernelside {

enum class MultiKind : uint32_t { kMulti = 48, kSession = 57 };  // BPF_TRACE_UPROBE_MULTI, BPF_TRACE_UPROBE_SESSION

struct MultiSpec {
  int program_fd = -1;
  MultiKind kind = MultiKind::kMulti;
  bool at_return = false;  // kMulti only
  std::string path;
  std::span<const unsigned long> offsets;  // file offsets
  std::span<const uint64_t> cookies;       // one per offset
  uint32_t pid = 0;                        // 0: every process
};

// Fails with the kernel's errno in the sentence; nothing is attached then.
Result<Fd> link_multi(const MultiSpec& spec);

struct PerfSpec {
  bpf_program* program = nullptr;
  bool at_return = false;
  std::string path;
  uint64_t offset = 0;  // in the file
  uint64_t cookie = 0;
};

// One perf probe, in every process. Destroying it removes the probe, unless another process holds its descriptor.
class PerfLink {
 public:
  PerfLink() = default;
  virtual ~PerfLink() = default;
  PerfLink(const PerfLink&) = delete;
  PerfLink& operator=(const PerfLink&) = delete;
  virtual int fd() const = 0;
};

// Fails with the reason that libbpf gives, or else the kernel.
Result<std::unique_ptr<PerfLink>> link_perf(const PerfSpec& spec);

}  // namespace ingero::kernelside
