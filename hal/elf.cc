// Symbols of one library file: loaded once into one vector, found by a sorted index of name hashes.
#include "hal/elf.h"

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "hal/elf_outline_impl.h"

namespace ingero::hal {
namespace {

// Bounds on the work a made-up file can cause. The largest real libraries have about 400,000 functions.
constexpr size_t kMaxFunctions = 4'000'000;
constexpr uint64_t kNameScansPerByte = 16;  // names may overlap (linkers merge tails), but not without end
constexpr size_t kMaxSameHash = 4096;
constexpr size_t kMaxDefinitions = 64;  // of one name
constexpr size_t kMaxOverlap = 64;      // functions that start inside another one
constexpr size_t kMaxBytesAt = 1 << 20;

constexpr uint16_t kVersionIndex = 0x7fff;
constexpr uint16_t kVersionHidden = 0x8000;  // not the default version

uint32_t hash_of(std::string_view name) {
  const uint64_t hash = std::hash<std::string_view>{}(name);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

// .symtab spells versions out: "f@@V2" (default), "f@V1".
void split_version(Symbol& symbol) {
  const size_t at = symbol.name.find('@');
  if (at == std::string_view::npos || at == 0) return;
  std::string_view version = symbol.name.substr(at + 1);
  symbol.name = symbol.name.substr(0, at);
  symbol.is_default = !version.empty() && version.front() == '@';
  if (symbol.is_default) version.remove_prefix(1);
  symbol.version = version;
}

// A global function of this name (Itanium C++ ABI, 5.1): "f(int)" for "f", but neither "space::f(int)", "f<int>(int)"
// nor "f(int) [clone .cold]". Compared as it is mangled: a stranger's file may have a million such names.
bool is_mangled(std::string_view symbol, std::string_view prefix) {
  if (!symbol.starts_with(prefix)) return false;
  const std::string_view parameters = symbol.substr(prefix.size());
  return !parameters.empty() && parameters.find_first_of("IB.@") != 0 && parameters.find('.') == std::string_view::npos;
}

}  // namespace

struct ElfImage::Impl {
  explicit Impl(ElfOutline of) : outline(std::move(of)) {}

  ElfOutline outline;
  Bytes dynamic_strings;
  Bytes full_strings;
  std::vector<Symbol> functions;  // .dynsym's, then .symtab's
  size_t n_dynamic = 0;
  std::vector<uint64_t> by_hash;    // hash << 32 | index, sorted
  std::vector<uint32_t> by_offset;  // indices, sorted by (file offset, index)

  Status load();
  Status load_functions(const SymbolTable& table, std::string_view strings, bool dynamic);
  void index();
};

Status ElfImage::Impl::load() {
  const ElfOutline::Impl& of = *outline.impl_;
  if (of.dynamic) {
    auto strings = of.file.read(of.dynamic->strings_offset, of.dynamic->strings_bytes, "dynamic string table");
    if (!strings) return strings.error();
    dynamic_strings = *std::move(strings);
    INGERO_TRY(load_functions(*of.dynamic, dynamic_strings.view(), true));
  }
  n_dynamic = functions.size();
  if (of.full) {
    auto strings = of.file.read(of.full->strings_offset, of.full->strings_bytes, "string table");
    if (!strings) return strings.error();
    full_strings = *std::move(strings);
    INGERO_TRY(load_functions(*of.full, full_strings.view(), false));
  }
  functions.shrink_to_fit();
  index();
  return {};
}

Status ElfImage::Impl::load_functions(const SymbolTable& table, std::string_view strings, bool dynamic) {
  const ElfFile& file = outline.impl_->file;
  Bytes versions;
  std::vector<std::string_view> names;
  if (table.versions_offset != 0) {
    auto read = file.read(table.versions_offset, table.version_count * sizeof(uint16_t), "version table");
    if (!read) return read.error();
    versions = *std::move(read);
    names = version_names(file, table, strings);
  }
  const auto version_of = [&](uint64_t index) -> uint16_t {
    uint16_t version = 1;
    if (index < versions.size / sizeof version) {
      versions.view().copy(reinterpret_cast<char*>(&version), sizeof version, index * sizeof version);
    }
    return version;
  };

  uint64_t name_budget = strings.size() * kNameScansPerByte;
  return for_each_symbol(file, table, [&](const Elf64_Sym& raw, uint64_t index) -> Status {
    const auto file_offset = code_offset(file, raw);
    if (!file_offset) return {};
    Symbol symbol;
    symbol.name = string_at(strings, raw.st_name);
    if (symbol.name.empty()) return {};
    if (symbol.name.size() > name_budget) {
      return Error{Errc::kCorrupt, fmt::format("{}: damaged ELF file: symbol names overlap", file.path())};
    }
    name_budget -= symbol.name.size();
    symbol.is_local = ELF64_ST_BIND(raw.st_info) == STB_LOCAL;
    symbol.address = raw.st_value;
    symbol.size = raw.st_size;
    symbol.file_offset = *file_offset;
    if (dynamic) {
      const uint16_t version = version_of(index);
      symbol.is_default = (version & kVersionHidden) == 0;
      if ((version & kVersionIndex) < names.size()) symbol.version = names[version & kVersionIndex];
    } else {
      split_version(symbol);
    }
    if (functions.size() == kMaxFunctions) {
      return Error{Errc::kNotSupported,
                   fmt::format("{}: more than {} functions, which is the limit", file.path(), kMaxFunctions)};
    }
    functions.push_back(symbol);
    return {};
  });
}

void ElfImage::Impl::index() {
  by_hash.reserve(functions.size());
  by_offset.reserve(functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    by_hash.push_back(uint64_t{hash_of(functions[i].name)} << 32 | i);
    by_offset.push_back(static_cast<uint32_t>(i));
  }
  std::sort(by_hash.begin(), by_hash.end());
  std::sort(by_offset.begin(), by_offset.end(), [this](uint32_t left, uint32_t right) {
    return std::pair(functions[left].file_offset, left) < std::pair(functions[right].file_offset, right);
  });
}

ElfImage::ElfImage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ElfImage::ElfImage(ElfImage&&) noexcept = default;
ElfImage& ElfImage::operator=(ElfImage&&) noexcept = default;
ElfImage::~ElfImage() = default;

Result<ElfImage> ElfImage::open(Fd fd, std::string display_path) {
  auto outline = ElfOutline::open(std::move(fd), std::move(display_path));
  INGERO_TRY(outline);
  return open(*std::move(outline));
}

Result<ElfImage> ElfImage::open(ElfOutline outline) {
  const std::string path = outline.path();
  try {
    auto impl = std::make_unique<Impl>(std::move(outline));
    INGERO_TRY(impl->load());
    return ElfImage(std::move(impl));
  } catch (const std::bad_alloc&) {
    return Error{Errc::kFull, fmt::format("{}: no memory for its symbols", path)};
  }
}

const ElfOutline& ElfImage::outline() const { return impl_->outline; }
std::span<const Symbol> ElfImage::functions() const { return impl_->functions; }

std::vector<Symbol> ElfImage::find(std::string_view name) const {
  const uint64_t hash = hash_of(name);
  const auto& by_hash = impl_->by_hash;
  std::vector<Symbol> dynamic, full;
  auto at = std::lower_bound(by_hash.begin(), by_hash.end(), hash << 32);
  for (size_t seen = 0; at != by_hash.end() && *at >> 32 == hash && seen < kMaxSameHash; ++at, ++seen) {
    const size_t index = static_cast<uint32_t>(*at);
    const Symbol& symbol = impl_->functions[index];
    if (symbol.name == name) (index < impl_->n_dynamic ? dynamic : full).push_back(symbol);
  }
  // .symtab repeats .dynsym, and a version script may leave a local name at the exported address: one per address.
  std::vector<Symbol> found;
  for (auto* table : {&dynamic, &full}) {
    std::stable_partition(table->begin(), table->end(), [](const Symbol& symbol) { return symbol.is_default; });
    for (const Symbol& symbol : *table) {
      if (found.size() == kMaxDefinitions) return found;
      const bool known =
          std::any_of(found.begin(), found.end(), [&](const Symbol& other) { return other.address == symbol.address; });
      if (!known) found.push_back(symbol);
    }
  }
  return found;
}

std::vector<Symbol> ElfImage::find_mangled(std::string_view base_name) const {
  const std::string prefix = fmt::format("_Z{}{}", base_name.size(), base_name);
  std::vector<Symbol> found;
  for (const Symbol& symbol : impl_->functions) {
    if (!is_mangled(symbol.name, prefix)) continue;
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const Symbol& other) { return other.address == symbol.address; });
    if (!known) found.push_back(symbol);
    if (found.size() == kMaxDefinitions) break;
  }
  return found;
}

std::vector<uint8_t> ElfImage::bytes_at(uint64_t file_offset, size_t size) const {
  std::vector<uint8_t> bytes(std::min(size, kMaxBytesAt));
  bytes.resize(impl_->outline.impl_->file.read_some(file_offset, bytes.data(), bytes.size()));
  return bytes;
}

std::vector<std::string> ElfImage::texts_after(std::string_view prefix) const {
  const ElfFile& file = impl_->outline.impl_->file;
  std::vector<std::string> texts;
  uint64_t left = kMaxConstants;
  const size_t longest = prefix.size() + kMaxTextAfter;
  std::string piece(kMaxBytesAt, '\0');
  for (const Elf64_Shdr& section : file.sections()) {
    constexpr uint64_t kKinds = SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR;
    if (section.sh_type != SHT_PROGBITS || (section.sh_flags & kKinds) != SHF_ALLOC) continue;
    // Pieces overlap by what one place may need.
    for (uint64_t at = 0; at < section.sh_size && left > 0; at += piece.size() - longest) {
      const uint64_t size = std::min({uint64_t{piece.size()}, section.sh_size - at, left});
      const std::string_view got(piece.data(), file.read_some(section.sh_offset + at, piece.data(), size));
      left -= std::min<uint64_t>(left, std::max<uint64_t>(1, got.size()));
      for (size_t found = got.find(prefix); found != std::string_view::npos; found = got.find(prefix, found + 1)) {
        std::string_view behind = got.substr(found + prefix.size(), kMaxTextAfter);
        behind = behind.substr(
            0, std::min(behind.size(),
                        static_cast<size_t>(std::ranges::find_if(behind, [](char c) { return c <= ' ' || c > '~'; }) -
                                            behind.begin())));
        if (texts.size() < kMaxTexts && std::ranges::find(texts, behind) == texts.end()) texts.emplace_back(behind);
      }
      if (got.size() < size) break;
    }
  }
  return texts;
}

const Symbol* ElfImage::covering(uint64_t file_offset) const {
  const auto& functions = impl_->functions;
  const auto& by_offset = impl_->by_offset;
  auto at = std::upper_bound(by_offset.begin(), by_offset.end(), file_offset,
                             [&](uint64_t offset, uint32_t index) { return offset < functions[index].file_offset; });
  // Backwards from the nearest start: a function may lie inside another one's range. Among those that start together
  // the first one of the tables is meant.
  const Symbol* best = nullptr;
  for (size_t seen = 0; at != by_offset.begin() && seen < kMaxOverlap; ++seen) {
    const Symbol& symbol = functions[*--at];
    if (best != nullptr && symbol.file_offset != best->file_offset) break;
    const uint64_t inside = file_offset - symbol.file_offset;
    if (inside == 0 || inside < symbol.size) best = &symbol;
  }
  return best;
}

}  // namespace ingero::hal
