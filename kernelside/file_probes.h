// Probes on one library file: links by whichever mechanism was chosen, and the reason for each that was refused.
//
// An AttachPoint is an attach cookie (an index into the recipes map) at a file offset. With session and multi links
// all probes of a file are one link (two for multi), so attaching and stopping cost milliseconds; with perf each probe
// is two links and the kernel takes about 100 ms to remove each. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "kernelside/objects.h"
#include "kernelside/perf_link.h"

namespace ingero::kernelside {

struct AttachPoint {
  uint32_t id = 0;
  uint64_t file_offset = 0;
  bool has_name = false;  // its call carries a function's name: the name program goes there too
};

struct Refusal {
  uint32_t probe = 0;
  std::string reason;
};

// What probes are attached with: the programs of the chosen mechanism (descriptors, -1 where it has none) and what
// makes links of them, the kernel unless a test says otherwise.
struct ProbePrograms {
  Mechanism mechanism = Mechanism::kMulti;
  int session = -1, enter = -1, at_return = -1, name = -1;
  bpf_program* enter_handle = nullptr;  // kPerf: libbpf's own attach wants these
  bpf_program* return_handle = nullptr;
  bpf_program* name_handle = nullptr;
  std::function<Result<Fd>(const MultiSpec&)> link = link_multi;
  std::function<Result<std::unique_ptr<PerfLink>>(const PerfSpec&)> link_one = link_perf;
};
ProbePrograms programs_of(const Objects& objects);

// The live probes of one file. Destroying it detaches them.
class FileProbes {
 public:
  // `path` is followed once ("/proc/self/fd/N" or "/proc/PID/map_files/..."). When the kernel refuses one probe of a
  // batch the rest are attached without it. Succeeds with no probe attached when all were refused. `working`, when
  // there is one, is called between probes that are attached one by one, which may take a tenth of a second each.
  static Result<std::unique_ptr<FileProbes>> attach(const Objects& objects, const std::string& path,
                                                    std::span<const AttachPoint> probes,
                                                    const std::function<void()>& working = {});
  static Result<std::unique_ptr<FileProbes>> attach(const ProbePrograms& programs, const std::string& path,
                                                    std::span<const AttachPoint> probes,
                                                    const std::function<void()>& working = {});
  ~FileProbes();
  FileProbes(const FileProbes&) = delete;
  FileProbes& operator=(const FileProbes&) = delete;

  size_t attached() const;
  const std::vector<Refusal>& refusals() const;
  // All files at once, entries and returns: removing a link waits for the kernel's readers, and those waits run side by
  // side. Who wants calls in flight to return ends their recipes first. With kPerf, more than a few probes are left to
  // a child process, which ends when the kernel has removed them. Until then they still fire.
  static void stop(std::span<FileProbes* const> files);
  // Detaches files in the middle of a trace. False: `goes_on` was asked between two perf probes and said no; what is
  // left is still attached.
  static bool remove(std::span<FileProbes* const> files, const std::function<bool()>& goes_on);

 private:
  static void leave_perf_links(std::span<FileProbes* const> files);
  struct Impl;
  explicit FileProbes(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::kernelside
