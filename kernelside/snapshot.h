// The machine in one second, from /proc: CPU, memory, swap, load, pressure, major faults.
//
// Shares and deltas are against the previous read, so the first has neither. What a file does not give (no pressure
// accounting, no swap) stays absent. Not thread-safe.
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
  const Clock& clock_;
  std::string root_;
  std::optional<Cpu> cpu_;
  std::optional<uint64_t> major_faults_;
};

}  // namespace ingero::kernelside
