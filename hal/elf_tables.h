// Where an ELF file keeps its symbol tables, and how to walk them: the part of elf.cc that reads structure, not
// meaning.
//
// Found by the section headers if there are any; a file without them is read as the dynamic linker does, through
// its dynamic segment. Pure functions over an ElfFile; what they return is checked against the file's bounds when read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/elf_file.h"

namespace ingero::hal {

// One symbol table with its strings; offsets and sizes in the file.
struct SymbolTable {
  uint64_t symbols_offset = 0;
  uint64_t symbol_count = 0;
  uint64_t strings_offset = 0;
  uint64_t strings_bytes = 0;
  uint64_t versions_offset = 0;  // one uint16 per symbol; 0: none
  uint64_t version_count = 0;
  uint64_t definitions_offset = 0;  // Elf64_Verdef chain; 0: none
  uint64_t definitions_bytes = 0;
};

// The entries of the dynamic segment that are of use here. An absent one is 0, as in a file that does not name it.
struct DynamicTags {
  uint64_t strings_offset = 0, strings_bytes = 0;
  uint64_t symbols_offset = 0;
  uint64_t versions_offset = 0, definitions_offset = 0;
  uint64_t hash_offset = 0, gnu_hash_offset = 0;
  std::optional<uint64_t> soname;  // offset in the strings
  std::vector<uint64_t> needed;    // offsets in the strings
  bool is_pie = false;
};

DynamicTags dynamic_tags(const ElfFile& file);
std::optional<SymbolTable> dynamic_symbols(const ElfFile& file, const DynamicTags& tags);
std::optional<SymbolTable> full_symbols(const ElfFile& file);  // .symtab; none in a stripped file

// Each symbol of the table with its index, until `take` returns an error. kCorrupt, kNotSupported: the table is damaged
// or larger than any real one.
Status for_each_symbol(const ElfFile& file, const SymbolTable& table,
                       const std::function<Status(const Elf64_Sym&, uint64_t)>& take);

// Where a function that this file defines begins in it; none: the symbol is something else, or of another file.
std::optional<uint64_t> code_offset(const ElfFile& file, const Elf64_Sym& symbol);

// The string at `offset`, or empty when it has no end inside the table or is longer than any name.
std::string_view string_at(std::string_view strings, uint64_t offset);

// Names of version indices, from the table's definitions; index 1 (the file itself) and unknown ones are empty.
std::vector<std::string_view> version_names(const ElfFile& file, const SymbolTable& table, std::string_view strings);

// The GNU build id in hex, or empty.
std::string build_id_of(const ElfFile& file);

}  // namespace ingero::hal
