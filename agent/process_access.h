// A running process as symbols/ reads it: its files and its memory, both in ways that cannot block on that process
// (kernelside/foreign.h). One thread at a time.
#pragma once

#include <span>

#include "hal/maps.h"
#include "kernelside/foreign.h"
#include "symbols/python_process.h"

namespace ingero::agent {

class ProcessAccess {
 public:
  // `foreign` must outlive this. Memory is read once: what is asked for again is as it was.
  ProcessAccess(kernelside::Foreign& foreign, uint32_t pid) : foreign_(foreign), pid_(pid), memory_(foreign, pid) {}

  // `mappings` and this must outlive what is returned.
  symbols::ProcessView view(std::span<const hal::Mapping> mappings);

 private:
  kernelside::Foreign& foreign_;
  uint32_t pid_;
  kernelside::ForeignMemory memory_;
};

}  // namespace ingero::agent
