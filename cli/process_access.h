// A running process as symbols/ looks at it: its files and its memory. Thread-safe.
#pragma once

#include <span>
#include <string>

#include "base/fd.h"
#include "hal/maps.h"
#include "symbols/python_process.h"

namespace ingero::cli {

// Of the process whose folder in /proc it is.
class ProcessAccess {
 public:
  explicit ProcessAccess(std::string folder);

  // `mappings` and this must outlive what is returned. A memory that may not be read cannot be read anywhere.
  symbols::ProcessView view(std::span<const hal::Mapping> mappings) const;

 private:
  std::string folder_;
  Fd memory_;
};

}  // namespace ingero::cli
