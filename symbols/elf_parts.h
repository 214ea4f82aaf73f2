// Where the pieces of an ELF file are that naming and unwinding read. Private to symbols/.
//
// Read once, when the file is opened, with every offset inside the file as it was then. The file may change and shrink
// afterwards: who reads a piece copies it (CodeFile::read) and believes only the copy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/elf_file.h"

namespace ingero::symbols {

struct Section {
  std::string name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t address = 0;
  uint64_t offset = 0, bytes = 0;  // in the file
  uint64_t alignment = 1;
};

struct Segment {
  uint64_t offset = 0, address = 0, bytes = 0;  // as many as the file has
  bool is_code = false;
};

struct ElfParts {
  struct Symbols {
    Section table, names;
  };
  uint16_t machine = 0;
  bool is_narrow = false;  // of 32-bit x86
  std::vector<Segment> loads;
  std::vector<Segment> notes;
  std::optional<Segment> frame_table;  // .eh_frame_hdr: where the entry for an address is
  std::optional<Section> frames;       // .eh_frame
  std::optional<Symbols> symbols, dynamic_symbols;
  std::optional<Section> debug_link;  // .gnu_debuglink
  std::vector<Section> debug;         // what DWARF is in: .debug_*, .zdebug_*, .gnu_debugaltlink

  // Sections whose names cannot be read are left out.
  static ElfParts of(const hal::ElfFile& file);
  // Where the byte loaded at `address` lies in the file.
  std::optional<uint64_t> offset_of(uint64_t address) const;
};

}  // namespace ingero::symbols
