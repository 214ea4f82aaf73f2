// Builds and searches an index of symbol numbers, sorted by address, so that a lookup needs no copy of the table.
#include "symbols/symbol_table.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace ingero::symbols {
namespace {

constexpr size_t kMaxSymbols = 8 << 20;
constexpr size_t kMaxOverlapping = 64;  // symbols that begin inside another one

// How good a name is for one place: a global one before a weak, a weak before a local.
int rank(const Elf64_Sym& symbol) {
  const int binding = GELF_ST_BIND(symbol.st_info);
  return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

}  // namespace

SymbolTable::SymbolTable(Elf* elf) : elf_(elf) {
  for (const unsigned wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf, section)) != nullptr) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type != wanted) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      const bool is_narrow = gelf_getclass(elf) == ELFCLASS32;
      const size_t entry_bytes = is_narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
      if (data == nullptr || data->d_buf == nullptr || data->d_size / entry_bytes > kMaxSymbols) continue;
      const size_t count = data->d_size / entry_bytes;
      if (is_narrow) {
        widened_.assign(count, {});
        for (size_t i = 0; i < count; ++i) (void)gelf_getsym(data, static_cast<int>(i), &widened_[i]);
        symbols_ = widened_.data();
      } else {
        symbols_ = static_cast<const Elf64_Sym*>(data->d_buf);
      }
      names_ = header.sh_link;
      is_dynamic_ = wanted == SHT_DYNSYM;
      for (size_t i = 0; i < count; ++i) {
        const Elf64_Sym& symbol = symbols_[i];
        const int type = GELF_ST_TYPE(symbol.st_info);
        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0) {
          by_address_.push_back(static_cast<uint32_t>(i));
        }
      }
      break;
    }
    if (!by_address_.empty()) break;
  }
  by_address_.shrink_to_fit();
  std::sort(by_address_.begin(), by_address_.end(), [this](uint32_t a, uint32_t b) {
    return std::tuple(symbols_[a].st_value, a) < std::tuple(symbols_[b].st_value, b);
  });
}

// Where the symbol at `position` ends. One without a size (hand-written assembly) reaches to the next, where the table
// has all of them.
uint64_t SymbolTable::end_of(size_t position) const {
  const Elf64_Sym& symbol = symbols_[by_address_[position]];
  if (symbol.st_size != 0) return symbol.st_value + symbol.st_size;
  if (is_dynamic_) return symbol.st_value;
  for (size_t next = position + 1; next < by_address_.size(); ++next) {
    const Elf64_Sym& other = symbols_[by_address_[next]];
    if (other.st_value != symbol.st_value) {
      return other.st_shndx == symbol.st_shndx ? other.st_value : symbol.st_value;
    }
  }
  return symbol.st_value;
}

std::optional<FoundSymbol> SymbolTable::find(uint64_t address) const {
  const auto after = std::upper_bound(by_address_.begin(), by_address_.end(), address,
                                      [this](uint64_t at, uint32_t i) { return at < symbols_[i].st_value; });
  std::optional<FoundSymbol> best;
  int best_rank = 0;
  auto position = static_cast<size_t>(after - by_address_.begin());
  for (size_t looked = 0; position > 0 && looked < kMaxOverlapping; ++looked) {
    --position;
    const Elf64_Sym& symbol = symbols_[by_address_[position]];
    if (best && symbol.st_value != best->address) break;
    if (address >= end_of(position)) continue;
    const char* name = elf_strptr(elf_, names_, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;
    std::string_view text(name);
    text = text.substr(0, text.find('@'));  // a debug file's names carry their versions
    const auto key = std::tuple(rank(symbol), text.size(), text);
    if (!best || key < std::tuple(best_rank, best->name.size(), best->name)) {
      best = FoundSymbol{text, symbol.st_value};
      best_rank = rank(symbol);
    }
  }
  return best;
}

}  // namespace ingero::symbols
