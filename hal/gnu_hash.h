// DT_GNU_HASH, by which the dynamic linker finds an exported symbol: a few words of the file, however many symbols it
// has (as bfd writes it: bfd_elf_size_dynsym_hash_dynstr, binutils 2.16.91).
//
// Refers to the file and to its table, which outlive it; bounded whatever the file holds. Thread-compatible.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hal/elf_file.h"
#include "hal/elf_tables.h"

namespace ingero::hal {

// The string at an offset in a table's strings; empty: it has no end within its bounds, or is longer than any name.
std::string text_at(const ElfFile& file, const SymbolTable& table, uint64_t offset);

class GnuHash {
 public:
  // `offset`: DynamicTags::gnu_hash_offset.
  GnuHash(const ElfFile& file, const SymbolTable& table, uint64_t offset);
  // False: the file has none, and finding a name takes reading all.
  bool is_there() const { return head_.buckets != 0; }
  // The first symbol of this name that is wanted.
  std::optional<Elf64_Sym> find(std::string_view name, const std::function<bool(const Elf64_Sym&)>& is_wanted) const;

 private:
  struct Header {
    uint32_t buckets, first_symbol, filter_words, filter_shift;
  };

  bool passes_filter(uint32_t hash) const;
  uint32_t word_at(uint64_t offset) const;

  const ElfFile& file_;
  const SymbolTable& table_;
  Header head_{};
  uint64_t filter_at_ = 0, buckets_at_ = 0, chains_at_ = 0;
};

}  // namespace ingero::hal
