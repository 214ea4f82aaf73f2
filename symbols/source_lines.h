// Functions, inlined functions and lines from a file's DWARF. One thread.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  struct End {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };
  std::unique_ptr<Dwarf, End> dwarf_;
};

}  // namespace ingero::symbols
