// The registry is made from backends.def and never edited.
#include "backends/registry.h"

namespace ingero::backends {

#define BACKEND(name)                 \
  namespace name {                    \
  extern const hal::Backend kBackend; \
  }
#include "backends/backends.def"
#undef BACKEND

namespace {

constexpr const hal::Backend* kBackends[] = {
#define BACKEND(name) &name::kBackend,
#include "backends/backends.def"
#undef BACKEND
};

}  // namespace

std::span<const hal::Backend* const> all_backends() { return kBackends; }

}  // namespace ingero::backends
