// The manifests that come with the program (backends/manifests/), held in it, so that the libraries they describe are
// found wherever it runs. Constant data, lives for the whole program; thread-safe. The manifest reader checks their
// text like any other.
#pragma once

#include <span>
#include <string_view>

namespace ingero::backends {

struct ShippedManifest {
  std::string_view name;  // of the backend, and of its file without ".yaml"
  std::string_view text;
};
std::span<const ShippedManifest> shipped_manifests();

}  // namespace ingero::backends
