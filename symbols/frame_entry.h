// The entry of a file's .eh_frame that describes the code at an address (DWARF 5, 6.4.1; LSB 5.0, 10.6). Private to
// symbols/.
//
// A copy, found and bounded here, because what libdw makes of an entry cannot be bounded by its caller: one may name
// register 134,217,727, and libdw makes room for as many; another has it remember all of them again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "symbols/code_file.h"

namespace ingero::symbols {

struct CodeRange {
  uint64_t begin = 0, bytes = 0;
  bool holds(uint64_t address) const { return address >= begin && address - begin < bytes; }
};

struct FrameEntry {
  std::vector<std::byte> bytes;  // the common entry (CIE), then the one for the code (FDE), which refers to it
  uint64_t address = 0;          // of the first byte, so that the second entry is where it is loaded
  CodeRange code;                // that it is for: a function, or a part of one
};

// By the linker's search table. Where there is none, in an .eh_frame of up to kMaxUnsorted bytes, one after the other.
// Nothing: no entry covers the address, or it is not one that compilers write.
std::optional<FrameEntry> find_frame_entry(const CodeFile& file, uint64_t address);

// A file with a million entries and without a search table, of 24 MB, took 0.6 s.
constexpr uint64_t kMaxUnsorted = 256 << 10;

}  // namespace ingero::symbols
