// Symbols of one library file: loaded once into one vector, found by a sorted index of name hashes.
#include "hal/elf.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>
#include <utility>

#include <cxxabi.h>
#include <fmt/format.h>

#include "hal/elf_file.h"
#include "hal/elf_tables.h"

namespace ingero::hal {
namespace {

// Bounds on the work a made-up file can cause. The largest real libraries have about 400,000 functions.
constexpr size_t kMaxFunctions = 4'000'000;
constexpr uint64_t kMaxSymbols = uint64_t{64} << 20;  // of all types; also bounds a walk over a sparse file
constexpr size_t kSymbolsPerRead = 32 << 10;
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

// A global function of this name: "f(int)" for "f", but neither "space::f(int)" nor "f(int) [clone .cold]".
bool demangles_to(std::string_view mangled, std::string_view base_name) {
  const std::string terminated(mangled);
  int status = 0;
  char* const text = abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status);
  const std::string_view demangled = text == nullptr ? std::string_view{} : text;
  const bool match = status == 0 && demangled.starts_with(base_name) &&
                     demangled.substr(base_name.size()).starts_with('(') && demangled.ends_with(')');
  std::free(text);
  return match;
}

}  // namespace

struct ElfImage::Impl {
  explicit Impl(ElfFile elf_file) : file(std::move(elf_file)) {}

  ElfFile file;
  Bytes dynamic_strings;
  Bytes full_strings;
  std::vector<Symbol> functions;  // .dynsym's, then .symtab's
  size_t n_dynamic = 0;
  std::vector<uint64_t> by_hash;    // hash << 32 | index, sorted
  std::vector<uint32_t> by_offset;  // indices, sorted by (file offset, index)
  std::string_view soname;
  std::vector<std::string_view> needed;
  bool is_executable = false;
  bool is_stripped = true;

  Status load();
  Status load_functions(const SymbolTable& table, std::string_view strings, bool dynamic);
  void index();
};

Status ElfImage::Impl::load() {
  const DynamicTags tags = dynamic_tags(file);
  is_executable = file.header().e_type == ET_EXEC || tags.is_pie || file.segment_of_type(PT_INTERP) != nullptr;
  if (const auto table = dynamic_symbols(file, tags)) {
    auto strings = file.read(table->strings_offset, table->strings_bytes, "dynamic string table");
    if (!strings) return strings.error();
    dynamic_strings = *std::move(strings);
    INGERO_TRY(load_functions(*table, dynamic_strings.view(), true));
    if (tags.soname) soname = string_at(dynamic_strings.view(), *tags.soname);
    for (const uint64_t offset : tags.needed) needed.push_back(string_at(dynamic_strings.view(), offset));
  }
  n_dynamic = functions.size();
  if (const auto table = full_symbols(file)) {
    auto strings = file.read(table->strings_offset, table->strings_bytes, "string table");
    if (!strings) return strings.error();
    full_strings = *std::move(strings);
    INGERO_TRY(load_functions(*table, full_strings.view(), false));
    is_stripped = false;
  }
  functions.shrink_to_fit();
  index();
  return {};
}

Status ElfImage::Impl::load_functions(const SymbolTable& table, std::string_view strings, bool dynamic) {
  if (table.symbol_count > file.file_bytes() / file.symbol_bytes()) {
    return Error{Errc::kCorrupt,
                 fmt::format("{}: damaged ELF file: the symbol table is outside the file", file.path())};
  }
  if (table.symbol_count > kMaxSymbols) {
    return Error{Errc::kNotSupported, fmt::format("{}: {} symbols exceed the limit", file.path(), table.symbol_count)};
  }
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
  std::vector<Elf64_Sym> chunk(std::min<uint64_t>(kSymbolsPerRead, table.symbol_count));
  for (uint64_t first = 0; first < table.symbol_count; first += chunk.size()) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(chunk.size(), table.symbol_count - first));
    const size_t got =
        file.read_symbols(table.symbols_offset + first * file.symbol_bytes(), std::span(chunk).first(wanted));
    for (size_t i = 0; i < got; ++i) {
      const Elf64_Sym& raw = chunk[i];
      // A section index in the reserved range (absolute, common) does not refer to code in this file.
      if (ELF64_ST_TYPE(raw.st_info) != STT_FUNC || raw.st_shndx == SHN_UNDEF ||
          (raw.st_shndx >= SHN_LORESERVE && raw.st_shndx != SHN_XINDEX)) {
        continue;
      }
      const auto file_offset = file.offset_of(raw.st_value, true);
      if (!file_offset) continue;
      Symbol symbol;
      symbol.name = string_at(strings, raw.st_name);
      if (symbol.name.empty()) continue;
      if (symbol.name.size() > name_budget) {
        return Error{Errc::kCorrupt, fmt::format("{}: damaged ELF file: symbol names overlap", file.path())};
      }
      name_budget -= symbol.name.size();
      symbol.is_local = ELF64_ST_BIND(raw.st_info) == STB_LOCAL;
      symbol.address = raw.st_value;
      symbol.size = raw.st_size;
      symbol.file_offset = *file_offset;
      if (dynamic) {
        const uint16_t version = version_of(first + i);
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
    }
    if (got != wanted) {
      return Error{Errc::kCorrupt, fmt::format("{}: damaged ELF file: symbol table cut short", file.path())};
    }
  }
  return {};
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
  auto file = ElfFile::open(std::move(fd), std::move(display_path));
  if (!file) return file.error();
  const std::string path = file->path();
  try {
    auto impl = std::make_unique<Impl>(*std::move(file));
    INGERO_TRY(impl->load());
    return ElfImage(std::move(impl));
  } catch (const std::bad_alloc&) {
    return Error{Errc::kFull, fmt::format("{}: no memory for its symbols", path)};
  }
}

const std::string& ElfImage::path() const { return impl_->file.path(); }
std::string_view ElfImage::soname() const { return impl_->soname; }
std::string ElfImage::build_id() const { return build_id_of(impl_->file); }
bool ElfImage::is_executable() const { return impl_->is_executable; }
bool ElfImage::is_stripped() const { return impl_->is_stripped; }
std::vector<std::string_view> ElfImage::needed() const { return impl_->needed; }

bool ElfImage::has_section(std::string_view name) const {
  const ElfFile& file = impl_->file;
  const Elf64_Shdr* names = file.section(file.header().e_shstrndx);
  if (names == nullptr || names->sh_type != SHT_STRTAB) return false;
  const auto strings = file.read(names->sh_offset, names->sh_size, "section names");
  if (!strings) return false;
  return std::any_of(file.sections().begin(), file.sections().end(),
                     [&](const Elf64_Shdr& section) { return string_at(strings->view(), section.sh_name) == name; });
}

uint16_t ElfImage::machine() const { return impl_->file.header().e_machine; }
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
  // Mangled names carry their parts with the length in front ("_Z1fi"), which spares nearly all demangling.
  const std::string part = fmt::format("{}{}", base_name.size(), base_name);
  std::vector<Symbol> found;
  for (const Symbol& symbol : impl_->functions) {
    if (!symbol.name.starts_with("_Z") || symbol.name.find(part) == std::string_view::npos) continue;
    if (!demangles_to(symbol.name, base_name)) continue;
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const Symbol& other) { return other.address == symbol.address; });
    if (!known) found.push_back(symbol);
    if (found.size() == kMaxDefinitions) break;
  }
  return found;
}

std::vector<uint8_t> ElfImage::bytes_at(uint64_t file_offset, size_t size) const {
  std::vector<uint8_t> bytes(std::min(size, kMaxBytesAt));
  bytes.resize(impl_->file.read_some(file_offset, bytes.data(), bytes.size()));
  return bytes;
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
