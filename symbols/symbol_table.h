// The functions of one ELF file's symbol table, found by address. Reads the table and its names where the file has
// them, each symbol anew; keeps four bytes a function. One thread.
#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/code_file.h"

namespace ingero::symbols {

struct FoundSymbol {
  std::string name;
  uint64_t address = 0;
};

class SymbolTable {
 public:
  // `file` outlives this. Uses .symtab, else .dynsym.
  explicit SymbolTable(const CodeFile& file);
  // Whether it names functions that the file does not export.
  bool has_local() const { return !is_dynamic_; }
  // Where a function of this name begins. Looks at each; nothing: there is none.
  std::optional<uint64_t> address_of(std::string_view name) const;
  // The function that holds `address`: of several at one place the global one with the shortest name.
  std::optional<FoundSymbol> find(uint64_t address) const;

  static constexpr size_t kMaxNameBytes = 64 << 10;  // the rest of a longer one is left out

 private:
  void read(const std::optional<ElfParts::Symbols>& table);
  Elf64_Sym symbol(uint32_t index) const;  // all 0: the file has become shorter
  std::string name(const Elf64_Sym& symbol) const;
  uint64_t end_of(size_t position, const Elf64_Sym& symbol) const;

  const CodeFile& file_;
  bool is_dynamic_ = false;
  ElfParts::Symbols table_;
  std::vector<uint32_t> by_address_;  // their numbers in the table
};

}  // namespace ingero::symbols
