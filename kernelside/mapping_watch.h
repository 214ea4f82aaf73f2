// Notices of new executable mappings, from every process, as they happen: how a library that is loaded after us is
// found. The kernel reports PERF_RECORD_MMAP2 through one dummy software event per CPU (perf_event_open(2); mmap2:
// kernel 3.12, 13d7a2410fa6); nothing is paid by processes that map nothing executable.
//
// One thread calls read(). Needs CAP_PERFMON. Lost notices are reported, the caller then scans /proc. Failure: the
// system's, with the CPU that it is of. Owns the events and their rings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "hal/maps.h"

namespace ingero::kernelside {

struct NewMapping {
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint64_t mono_ns = 0;  // when it was mapped
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t file_offset = 0;
  hal::FileId file;
  uint64_t generation = 0;  // which file of that inode number; 0: its file system does not count
  std::string untrusted_path;
};

// Reads one CPU's ring: `pages` is its control page (`page_bytes`), then `data_bytes` of records. Appends the mappings
// of files that may be executed; returns how many notices were lost. What cannot be understood ends the ring's contents
// and counts as lost, so that the caller looks for itself.
uint64_t read_mapping_ring(char* pages, size_t page_bytes, size_t data_bytes, std::vector<NewMapping>& mappings);

class MappingWatch {
 public:
  // `online`: the kernel's list of CPUs that are online.
  static Result<std::unique_ptr<MappingWatch>> open(const Clock& clock = system_clock(),
                                                    std::string online = "/sys/devices/system/cpu/online");
  ~MappingWatch();
  MappingWatch(const MappingWatch&) = delete;
  MappingWatch& operator=(const MappingWatch&) = delete;

  // Waits up to `timeout_ms`, appends the new mappings in no particular order; returns how many notices were lost: at
  // least one when a CPU has come or gone, since the last second.
  Result<uint64_t> read(int timeout_ms, std::vector<NewMapping>& mappings);
  // Ends a wait in read(), now and from now on. From any thread.
  void wake();

 private:
  struct Impl;
  explicit MappingWatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::kernelside
