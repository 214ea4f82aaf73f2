// Builds and searches an index of symbol numbers, sorted by address, so that a lookup needs no copy of the table.
#include "symbols/symbol_table.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace ingero::symbols {
namespace {

constexpr size_t kMaxSymbols = 8 << 20;
constexpr size_t kMaxOverlapping = 64;  // symbols that begin inside another one

// How good a name is for one place: a global one before a weak, a weak before a local.
int rank(const Elf64_Sym& symbol) {
  const int binding = ELF64_ST_BIND(symbol.st_info);
  return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

bool is_function(const Elf64_Sym& symbol) {
  const int type = ELF64_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0;
}

}  // namespace

SymbolTable::SymbolTable(const CodeFile& file) : file_(file) {
  read(file.parts().symbols);
  is_dynamic_ = by_address_.empty();
  if (is_dynamic_) read(file.parts().dynamic_symbols);
}

void SymbolTable::read(const std::optional<ElfParts::Symbols>& table) {
  if (!table) return;
  table_ = *table;
  const size_t count = table_.table.bytes / (file_.is_narrow() ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym));
  if (count > kMaxSymbols) return;
  // By what is read now: in the file a symbol may have moved before it is read again.
  std::vector<std::pair<uint64_t, uint32_t>> functions;
  for (uint32_t i = 0; i < count; ++i) {
    const Elf64_Sym one = symbol(i);
    if (is_function(one)) functions.emplace_back(one.st_value, i);
  }
  std::ranges::sort(functions);
  by_address_.reserve(functions.size());
  for (const auto& [address, index] : functions) by_address_.push_back(index);
}

Elf64_Sym SymbolTable::symbol(uint32_t index) const {
  if (!file_.is_narrow()) {
    Elf64_Sym wide{};
    const uint64_t at = table_.table.offset + uint64_t{index} * sizeof wide;
    return file_.read(at, &wide, sizeof wide) == sizeof wide ? wide : Elf64_Sym{};
  }
  Elf32_Sym narrow{};
  const uint64_t at = table_.table.offset + uint64_t{index} * sizeof narrow;
  if (file_.read(at, &narrow, sizeof narrow) != sizeof narrow) return {};
  return {narrow.st_name, narrow.st_info, narrow.st_other, narrow.st_shndx, narrow.st_value, narrow.st_size};
}

std::string SymbolTable::name(const Elf64_Sym& symbol) const {
  std::string text;
  if (symbol.st_name >= table_.names.bytes) return text;
  const uint64_t most = std::min<uint64_t>(kMaxNameBytes, table_.names.bytes - symbol.st_name);
  for (size_t step = 128, end = text.npos; end == text.npos && text.size() < most; step *= 4) {
    const size_t begin = text.size();
    text.resize(std::min<uint64_t>(most, begin + step));
    text.resize(begin +
                file_.read(table_.names.offset + symbol.st_name + begin, text.data() + begin, text.size() - begin));
    end = text.find_first_of(std::string_view("\0@", 2), begin);  // a debug file's names carry their versions
    if (end != text.npos) text.resize(end);
    if (text.size() == begin) break;
  }
  return text;
}

// Where the symbol at `position` ends. One without a size (hand-written assembly) reaches to the next, where the table
// has all of them.
uint64_t SymbolTable::end_of(size_t position, const Elf64_Sym& symbol) const {
  if (symbol.st_size != 0) return symbol.st_value + symbol.st_size;
  if (is_dynamic_) return symbol.st_value;
  const auto next =
      std::upper_bound(by_address_.begin() + static_cast<std::ptrdiff_t>(position), by_address_.end(), symbol.st_value,
                       [this](uint64_t at, uint32_t i) { return at < this->symbol(i).st_value; });
  if (next == by_address_.end()) return symbol.st_value;
  const Elf64_Sym other = this->symbol(*next);
  return other.st_shndx == symbol.st_shndx ? other.st_value : symbol.st_value;
}

std::optional<uint64_t> SymbolTable::address_of(std::string_view name) const {
  for (const uint32_t index : by_address_) {
    const Elf64_Sym one = symbol(index);
    if (this->name(one) == name) return one.st_value;
  }
  return std::nullopt;
}

std::optional<FoundSymbol> SymbolTable::find(uint64_t address) const {
  const auto after = std::upper_bound(by_address_.begin(), by_address_.end(), address,
                                      [this](uint64_t at, uint32_t i) { return at < symbol(i).st_value; });
  std::optional<FoundSymbol> best;
  int best_rank = 0;
  auto position = static_cast<size_t>(after - by_address_.begin());
  for (size_t looked = 0; position > 0 && looked < kMaxOverlapping; ++looked) {
    --position;
    const Elf64_Sym one = symbol(by_address_[position]);
    if (best && one.st_value != best->address) break;
    if (address < one.st_value || address >= end_of(position, one)) continue;
    std::string text = name(one);
    if (text.empty()) continue;
    const auto key = std::tuple(rank(one), text.size(), std::string_view(text));
    if (!best || key < std::tuple(best_rank, best->name.size(), std::string_view(best->name))) {
      best_rank = rank(one);
      best = FoundSymbol{std::move(text), one.st_value};
    }
  }
  return best;
}

}  // namespace ingero::symbols
