// Any text as /proc/PID/maps: what is accepted holds what the header promises, and nothing is made up.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "hal/maps.h"

using namespace ingero::hal;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t path_bytes = 0;
  for (const Mapping& mapping : executable_mappings(text)) {
    if (mapping.start >= mapping.end || !mapping.executable || mapping.file.inode == 0) std::abort();
    path_bytes += mapping.untrusted_path.size();
  }
  Mapping mapping;
  (void)parse_maps_line(text, mapping);
  if (path_bytes > size) std::abort();
  return 0;
}
