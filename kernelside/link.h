// Probe links the system's libbpf has no helper for: bpf(BPF_LINK_CREATE) for uprobe-multi and uprobe session.
//
// The kernel follows `path` once, at creation; "/proc/self/fd/N" names an open file, deleted or in another mount
// namespace. Closing the descriptor detaches. Source: include/uapi/linux/bpf.h, union bpf_attr,
// link_create.uprobe_multi (kernel 6.6, 89ae89f53d20).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/fd.h"
#include "base/result.h"

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

}  // namespace ingero::kernelside
