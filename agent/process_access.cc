// Implements symbols/'s view of a process with kernelside/foreign.h, as the two rooms may not include each other.
#include "agent/process_access.h"

namespace ingero::agent {

symbols::ProcessView ProcessAccess::view(std::span<const hal::Mapping> mappings) {
  symbols::ProcessView view;
  view.mappings = mappings;
  view.open_file = [this](const hal::Mapping& mapping) { return foreign_.open_soon(pid_, mapping); };
  view.read_memory = [this](uint64_t address, void* out, size_t size) { return memory_.read(address, out, size); };
  return view;
}

}  // namespace ingero::agent
