// Which kernels a recording's programs launched: how often, and the waits and copies that go with them.
//
// How long a kernel ran is not known here: what is measured is that its thread waited after launching it. A wait is
// shared equally among the launches that its thread made since the wait before, and so are the bytes copied meanwhile.
// Kernels have names where the program's symbols or the vendor's calls give them. Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::report {

struct KernelFigures {
  std::string untrusted_name;  // empty: of the launches whose kernel has no name
  uint64_t launches = 0, failed = 0;
  uint64_t launch_ns = 0;  // in the launching calls
  uint64_t waits = 0;      // that it was launched before
  double wait_ns = 0, copied_bytes = 0;
};

// Most waiting first; of equals most launches. Empty where no kernel of the recording has a name. A launch inside
// another is the same one. A time limit that is over: kBusy.
Result<std::vector<KernelFigures>> gather_kernels(const store::Reader& reader, const store::Selection& selection,
                                                  uint64_t time_ns);

Json kernels_json(const std::vector<KernelFigures>& kernels);

}  // namespace ingero::report
