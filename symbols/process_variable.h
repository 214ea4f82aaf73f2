// Finds a variable of a program: its address in the file, and where the process maps the file. Private to symbols/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hal/elf_file.h"
#include "hal/maps.h"

namespace ingero::symbols {

inline constexpr uint64_t kMaxStringBytes = 32 << 20;  // of a string table that is believed

struct Variable {
  uint64_t address = 0, bytes = 0;
};

// The variable `name` in the file; nothing when the file does not define it. Dynamic symbols first.
std::optional<Variable> placed_variable(const hal::ElfFile& file, std::string_view name);
// Its address.
std::optional<uint64_t> variable(const hal::ElfFile& file, std::string_view name);

// Likewise, of a variable that other files share: in a file that is linked at run time it is a dynamic symbol, and the
// others, which can be many megabytes, are not read.
std::optional<uint64_t> shared_variable(const hal::ElfFile& file, std::string_view name);

// Where the file's address 0 is in the process, by one of its executable mappings.
std::optional<uint64_t> bias_of(const hal::ElfFile& file, const hal::Mapping& mapping);

}  // namespace ingero::symbols
