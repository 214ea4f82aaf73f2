// Where the loader looks for libraries: the folders of /etc/ld.so.conf and the built-in ones. For `check`, which
// reports what is installed before any process uses it. Reads only; nothing is executed.
//
// Returns copies; any thread. Failure: none; a file or folder that cannot be read is left out. What is beyond a bound
// is counted as library_unlisted; it gets its probes when a process maps it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hal/loss.h"
#include "hal/prototype.h"

namespace ingero::kernelside {

// Absolute folders, each once, in the loader's order. `root` is put before every path that is read, not before those
// returned.
std::vector<std::string> library_folders(hal::LossLedger& ledger, const std::string& root = {});

// Files of `folders` whose names are those of a library of `backends`, links followed, each file once.
std::vector<std::string> installed_libraries(std::span<const std::string> folders,
                                             std::span<const hal::Backend* const> backends, hal::LossLedger& ledger);

inline constexpr size_t kMaxLibraryFolders = 256, kMaxInstalledLibraries = 256;  // of all folders

}  // namespace ingero::kernelside
