// The rules every backend keeps, compiled in or loaded from a file: the conformance suite and the manifest reader ask
// here. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "hal/prototype.h"

namespace ingero::hal {

struct Nonconformity {
  const Library* library = nullptr;  // null: of the backend as a whole
  const Row* row = nullptr;          // null: of the library as a whole
  std::string sentence;              // what is wrong, without the row's name: "fills stream twice"
};

// Everything that is wrong with `backend`, in table order; empty: it conforms. The pointers point into `backend`.
std::vector<Nonconformity> nonconformities(const Backend& backend);

}  // namespace ingero::hal
