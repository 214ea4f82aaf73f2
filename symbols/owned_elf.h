// libelf's handle of a mapped file, ended with its owner. Private to symbols/.
#pragma once

#include <libelf.h>

#include <memory>

#include "symbols/mapped_file.h"

namespace ingero::symbols {

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using OwnedElf = std::unique_ptr<Elf, ElfEnd>;

// Null: not an ELF file. `mapped` outlives it; libelf writes into a writable one.
inline OwnedElf elf_of(const MappedFile& mapped) {
  const auto bytes = mapped.bytes();
  return OwnedElf(elf_memory(reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data())), bytes.size()));
}

}  // namespace ingero::symbols
