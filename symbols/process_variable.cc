// Searches a file's symbol tables for one variable, to find it in the memory of a process that maps the file.
#include "symbols/process_variable.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "hal/elf_tables.h"
#include "hal/gnu_hash.h"

namespace ingero::symbols {
namespace {

// An interpreter with debug information has 60,000 symbols, and 3 MB of names.
constexpr uint64_t kMaxSearchedSymbols = 1 << 18;
constexpr size_t kSymbolsPerRead = 4096;

bool is_variable(const Elf64_Sym& symbol) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF;
}

// The address of a variable in one table, as the file has it.
std::optional<Variable> variable_in(const hal::ElfFile& file, const hal::SymbolTable& table, std::string_view name) {
  if (table.symbol_count > kMaxSearchedSymbols || table.strings_bytes > kMaxStringBytes) return std::nullopt;
  const auto strings = file.read(table.strings_offset, table.strings_bytes, "string table");
  if (!strings) return std::nullopt;
  const std::string_view all = strings->view();
  std::vector<Elf64_Sym> chunk(kSymbolsPerRead);
  for (uint64_t first = 0; first < table.symbol_count; first += kSymbolsPerRead) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(kSymbolsPerRead, table.symbol_count - first));
    const size_t got =
        file.read_symbols(table.symbols_offset + first * file.symbol_bytes(), std::span(chunk).first(wanted));
    for (size_t i = 0; i < got; ++i) {
      const Elf64_Sym& symbol = chunk[i];
      if (!is_variable(symbol)) continue;
      if (symbol.st_name >= all.size() || all.size() - symbol.st_name <= name.size()) continue;
      if (all.substr(symbol.st_name, name.size()) == name && all[symbol.st_name + name.size()] == '\0') {
        return Variable{symbol.st_value, symbol.st_size};
      }
    }
    if (got != wanted) break;
  }
  return std::nullopt;
}

std::optional<Variable> dynamic_variable(const hal::ElfFile& file, std::string_view name) {
  const hal::DynamicTags tags = hal::dynamic_tags(file);
  const auto table = hal::dynamic_symbols(file, tags);
  if (!table) return std::nullopt;
  const hal::GnuHash hash(file, *table, tags.gnu_hash_offset);
  if (!hash.is_there()) return variable_in(file, *table, name);
  const auto found = hash.find(name, is_variable);
  return found ? std::optional(Variable{found->st_value, found->st_size}) : std::nullopt;
}

}  // namespace

std::optional<Variable> placed_variable(const hal::ElfFile& file, std::string_view name) {
  if (const auto found = dynamic_variable(file, name)) return found;
  if (const auto table = hal::full_symbols(file)) return variable_in(file, *table, name);
  return std::nullopt;
}

std::optional<uint64_t> variable(const hal::ElfFile& file, std::string_view name) {
  const auto found = placed_variable(file, name);
  return found ? std::optional(found->address) : std::nullopt;
}

std::optional<uint64_t> shared_variable(const hal::ElfFile& file, std::string_view name) {
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_INTERP) continue;
    const auto found = dynamic_variable(file, name);
    return found ? std::optional(found->address) : std::nullopt;
  }
  return variable(file, name);
}

// Where the file's address 0 is in the process.
std::optional<uint64_t> bias_of(const hal::ElfFile& file, const hal::Mapping& mapping) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    if (mapping.file_offset < (segment.p_offset & ~(page - 1)) ||
        mapping.file_offset >= segment.p_offset + segment.p_filesz) {
      continue;
    }
    return mapping.start - mapping.file_offset + segment.p_offset - segment.p_vaddr;
  }
  return std::nullopt;
}

}  // namespace ingero::symbols
