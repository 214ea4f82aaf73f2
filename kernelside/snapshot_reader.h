// The machine in one second, from /proc: CPU, memory, swap, load, pressure, major faults.
//
// Shares and deltas are against the previous read, so the first has neither. What a file does not give (no pressure
// accounting, no swap) stays absent. Not thread-safe.
//
// Pressure is the share of the last two seconds, from the kernel's totals: its own averages still include, for half a
// minute, pressure that is over. The kernel adds to the totals every two seconds (kernel/sched/psi.c, PSI_FREQ); in
// between, a share holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "hal/event.h"

namespace ingero::kernelside {

class SnapshotReader {
 public:
  // `clock` must outlive this.
  explicit SnapshotReader(const Clock& clock, std::string proc_root = "/proc")
      : clock_(clock), root_(std::move(proc_root)) {}
  hal::SystemSnapshot read();

 private:
  struct Cpu {
    uint64_t busy = 0, steal = 0, interrupts = 0;
    uint64_t total = 0;
  };
  struct Stall {
    std::optional<uint64_t> total_us;
    uint64_t moved_mono_ns = 0;  // when the total did last
    double percent = -1;
  };
  static double share_of(Stall& stall, std::optional<uint64_t> total_us, uint64_t mono_ns);

  const Clock& clock_;
  std::string root_;
  Stall cpu_some_, io_some_, io_full_, mem_some_, mem_full_;
  std::optional<Cpu> cpu_;
  std::optional<uint64_t> major_faults_;
};

}  // namespace ingero::kernelside
