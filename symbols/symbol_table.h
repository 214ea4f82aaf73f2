// The functions of one ELF file's symbol table, found by address. Reads the mapped file in place; keeps four bytes a
// function, and of a 32-bit file a copy of the table. One thread.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ingero::symbols {

struct FoundSymbol {
  std::string_view name;  // in the mapped file
  uint64_t address = 0;
};

class SymbolTable {
 public:
  // `elf` outlives this. Uses .symtab, else .dynsym.
  explicit SymbolTable(Elf* elf);
  bool is_empty() const { return by_address_.empty(); }
  // The function that holds `address`: of several at one place the global one with the shortest name.
  std::optional<FoundSymbol> find(uint64_t address) const;

 private:
  uint64_t end_of(size_t position) const;

  Elf* elf_;
  bool is_dynamic_ = false;
  size_t names_ = 0;  // section of the names
  const Elf64_Sym* symbols_ = nullptr;
  std::vector<Elf64_Sym> widened_;  // of a 32-bit file
  std::vector<uint32_t> by_address_;
};

}  // namespace ingero::symbols
