// Functions, inlined functions and lines from a file's DWARF. One thread.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

#include "symbols/debug_sections.h"
#include "symbols/line_tables.h"

namespace ingero::symbols {

struct SourcePlace {
  std::string function;  // as the linker spells it where that is known, else the source's own name
  std::string source;
  uint32_t line = 0;
  bool is_inlined = false;
};

class SourceLines {
 public:
  // `elf` outlives this; without DWARF in it nothing is ever found.
  explicit SourceLines(Elf* elf);
  // Innermost first; the last is the function itself. Empty when nothing is known.
  std::vector<SourcePlace> find(uint64_t address);

 private:
  bool unit_of(uint64_t address, Dwarf_Die& unit);
  bool covers(Dwarf_Die& die, uint64_t address);
  std::vector<Dwarf_Die> scopes_of(const Dwarf_Die& unit, uint64_t address);
  bool may_read_lines(Dwarf_Die& unit);

  Elf* elf_;
  OwnedDwarf dwarf_;
  LineTables tables_;
  size_t steps_ = 0;  // left for this address
};

}  // namespace ingero::symbols
