// Every backend there is: the compiled ones and those of the manifests that come with the program. Tests of
// backends ask here, so that a new one of either kind is tested without a line of theirs.
#pragma once

#include <cstdlib>
#include <iostream>
#include <span>

#include "backends/registry.h"

namespace ingero {

// `folder`: of manifests. Ends the program where one does not load. Lives for the whole program.
inline std::span<const hal::Backend* const> every_backend(const char* folder) {
  static const backends::Registry* const registry = [folder] {
    auto* made = new backends::Registry;  // NOLINT(cppcoreguidelines-owning-memory): for the whole program
    for (const Error& error : made->add_folder(folder)) {
      std::cerr << error.text() << "\n";
      std::exit(1);
    }
    return made;
  }();
  return registry->all();
}

#if defined(INGERO_SOURCE_DIR)
inline std::span<const hal::Backend* const> every_backend() {
  return every_backend(INGERO_SOURCE_DIR "/backends/manifests");
}
#endif

}  // namespace ingero
