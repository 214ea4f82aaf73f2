// The assembler puts the files in; backends/CMakeLists.txt says where they are and that this depends on them.
#include "backends/shipped_manifests.h"

#include <array>

#define INGERO_EMBED(name)                                                \
  __asm__(                                                                \
      ".section .rodata\n"                                                \
      ".global ingero_manifest_" #name "\n.global ingero_manifest_" #name \
      "_end\n"                                                            \
      "ingero_manifest_" #name ":\n.incbin \"" INGERO_MANIFESTS "/" #name \
      ".yaml\"\n"                                                         \
      "ingero_manifest_" #name "_end:\n.byte 0\n.previous\n");            \
  extern "C" const char ingero_manifest_##name[], ingero_manifest_##name##_end[];
INGERO_EMBED(level_zero)
INGERO_EMBED(opencl)
#undef INGERO_EMBED

namespace ingero::backends {

std::span<const ShippedManifest> shipped_manifests() {
  static const std::array kManifests = {
      ShippedManifest{"level_zero", {ingero_manifest_level_zero, ingero_manifest_level_zero_end}},
      ShippedManifest{"opencl", {ingero_manifest_opencl, ingero_manifest_opencl_end}},
  };
  return kManifests;
}

}  // namespace ingero::backends
