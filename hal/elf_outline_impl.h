// The parts of an ElfOutline, for elf.cc, which reads the symbols too.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/elf_file.h"
#include "hal/elf_outline.h"
#include "hal/elf_tables.h"

namespace ingero::hal {

struct ElfOutline::Impl {
  explicit Impl(ElfFile elf_file)
      : file(std::move(elf_file)),
        tags(dynamic_tags(file)),
        dynamic(dynamic_symbols(file, tags)),
        full(full_symbols(file)) {}

  ElfFile file;
  DynamicTags tags;
  std::optional<SymbolTable> dynamic;
  std::optional<SymbolTable> full;
  std::string soname;
  std::vector<std::string> needed;
};

}  // namespace ingero::hal
