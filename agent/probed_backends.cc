// A backend that waits for a flag says which (hal::Backend::opt_in).
#include "agent/probed_backends.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "hal/resolve.h"

namespace ingero::agent {

std::vector<const hal::Backend*> chosen_backends(std::span<const hal::Backend* const> backends, bool fabric_calls) {
  std::vector<const hal::Backend*> chosen;
  for (const hal::Backend* backend : backends) {
    if (backend->opt_in.empty() || (backend->opt_in == "--rdma-verbs" && fabric_calls)) chosen.push_back(backend);
  }
  return chosen;
}

Status check_library_is_probed(const std::string& path, std::span<const hal::Backend* const> backends,
                               std::span<const hal::Backend* const> probed) {
  const std::string name = std::filesystem::path(path).filename();
  for (const hal::Backend* backend : backends) {
    if (std::ranges::find(probed, backend) != probed.end()) continue;
    for (const hal::Library& library : backend->libraries) {
      if (!hal::soname_matches(library, name)) continue;
      return Error(Errc::kInvalid,
                   fmt::format("--library {}: its calls are probed with {} only", path, backend->opt_in));
    }
  }
  return {};
}

}  // namespace ingero::agent
