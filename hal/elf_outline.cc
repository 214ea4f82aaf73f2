// Two ways to look for a name: by the GNU hash table, a few words of the file; and by reading a symbol table.
#include "hal/elf_outline.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "hal/elf_outline_impl.h"

namespace ingero::hal {
namespace {

constexpr size_t kMaxNeeded = 4096;
constexpr size_t kMaxText = 4096;
constexpr size_t kMaxSameBucket = 4096;

// The string at an offset of the file, or empty when it has no end within its bounds.
std::string text_at(const ElfFile& file, const SymbolTable& table, uint64_t offset) {
  if (offset >= table.strings_bytes) return {};
  std::array<char, kMaxText> bytes;
  const size_t wanted = static_cast<size_t>(std::min<uint64_t>(bytes.size(), table.strings_bytes - offset));
  const size_t got = file.read_some(table.strings_offset + offset, bytes.data(), wanted);
  return std::string(string_at({bytes.data(), got}, 0));
}

bool is_text_at(const ElfFile& file, const SymbolTable& table, uint64_t offset, std::string_view text) {
  return text.size() < kMaxText && text_at(file, table, offset) == text;
}

uint32_t gnu_hash_of(std::string_view name) {
  uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

// DT_GNU_HASH: a header, a Bloom filter of words, the first symbol of each bucket, and the hash of each symbol, whose
// low bit ends its bucket (as bfd writes it: bfd_elf_size_dynsym_hash_dynstr, binutils 2.16.91).
class GnuHash {
 public:
  GnuHash(const ElfFile& file, const SymbolTable& table, uint64_t offset) : file_(file), table_(table) {
    Header head{};
    if (offset == 0 || file.read_some(offset, &head, sizeof head) != sizeof head) return;
    if (head.buckets == 0 || head.filter_words == 0) return;
    head_ = head;
    filter_at_ = offset + sizeof head;
    buckets_at_ = filter_at_ + uint64_t{head.filter_words} * file.word_bytes();
    chains_at_ = buckets_at_ + uint64_t{head.buckets} * sizeof(uint32_t);
  }
  bool is_there() const { return head_.buckets != 0; }
  bool has_function(std::string_view name) const;

 private:
  struct Header {
    uint32_t buckets, first_symbol, filter_words, filter_shift;
  };

  bool passes_filter(uint32_t hash) const;
  uint32_t word_at(uint64_t offset) const {
    uint32_t word = 0;
    return file_.read_some(offset, &word, sizeof word) == sizeof word ? word : 0;
  }

  const ElfFile& file_;
  const SymbolTable& table_;
  Header head_{};
  uint64_t filter_at_ = 0, buckets_at_ = 0, chains_at_ = 0;
};

bool GnuHash::passes_filter(uint32_t hash) const {
  const auto bits = static_cast<uint32_t>(file_.word_bytes() * 8);
  const uint64_t at = filter_at_ + uint64_t{hash / bits % head_.filter_words} * file_.word_bytes();
  uint64_t word = 0;
  if (file_.read_some(at, &word, file_.word_bytes()) != file_.word_bytes()) return false;
  const uint32_t second = head_.filter_shift < 32 ? hash >> head_.filter_shift : 0;
  return (word >> hash % bits & word >> second % bits & 1) != 0;
}

bool GnuHash::has_function(std::string_view name) const {
  const uint32_t hash = gnu_hash_of(name);
  if (!passes_filter(hash)) return false;
  uint64_t index = word_at(buckets_at_ + uint64_t{hash % head_.buckets} * sizeof(uint32_t));
  if (index < head_.first_symbol || index == 0) return false;
  for (size_t seen = 0; seen < kMaxSameBucket && index < table_.symbol_count; ++seen, ++index) {
    const uint32_t chained = word_at(chains_at_ + (index - head_.first_symbol) * sizeof(uint32_t));
    Elf64_Sym symbol{};
    if ((chained | 1) == (hash | 1) &&
        file_.read_symbols(table_.symbols_offset + index * file_.symbol_bytes(), std::span(&symbol, 1)) == 1 &&
        code_offset(file_, symbol) && is_text_at(file_, table_, symbol.st_name, name)) {
      return true;
    }
    if ((chained & 1) != 0) break;
  }
  return false;
}

// ".symtab" spells versions out: "f@@V2", "f@V1".
bool is_named(std::string_view strings, uint64_t offset, std::string_view name) {
  if (offset >= strings.size()) return false;
  const std::string_view text = strings.substr(offset);
  return text.starts_with(name) && text.size() > name.size() && (text[name.size()] == '\0' || text[name.size()] == '@');
}

// A library may have a million symbols, and nearly none of them is asked for: most are out by their kind, or by their
// first letter.
Result<bool> table_defines_any(const ElfFile& file, const SymbolTable& table, std::span<const std::string_view> names) {
  const auto strings = file.read(table.strings_offset, table.strings_bytes, "string table");
  INGERO_TRY(strings);
  const std::string_view text = strings->view();
  std::array<bool, 256> begins{};
  for (const std::string_view name : names) {
    if (!name.empty()) begins[static_cast<unsigned char>(name[0])] = true;
  }
  bool is_found = false;
  INGERO_TRY(for_each_symbol(file, table, [&](const Elf64_Sym& symbol, uint64_t) -> Status {
    const bool may_be = !is_found && symbol.st_shndx != SHN_UNDEF && symbol.st_name < text.size() &&
                        begins[static_cast<unsigned char>(text[symbol.st_name])];
    if (!may_be) return {};
    const auto is_it = [&](std::string_view name) { return is_named(text, symbol.st_name, name); };
    is_found = std::ranges::any_of(names, is_it) && code_offset(file, symbol);
    return {};
  }));
  return is_found;
}

}  // namespace

ElfOutline::ElfOutline(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ElfOutline::ElfOutline(ElfOutline&&) noexcept = default;
ElfOutline& ElfOutline::operator=(ElfOutline&&) noexcept = default;
ElfOutline::~ElfOutline() = default;

Result<ElfOutline> ElfOutline::open(Fd fd, std::string display_path) {
  auto file = ElfFile::open(std::move(fd), std::move(display_path));
  INGERO_TRY(file);
  const std::string path = file->path();
  try {
    auto impl = std::make_unique<Impl>(*std::move(file));
    if (const auto& table = impl->dynamic) {
      if (impl->tags.soname) impl->soname = text_at(impl->file, *table, *impl->tags.soname);
      for (const uint64_t offset : impl->tags.needed) {
        if (impl->needed.size() == kMaxNeeded) break;
        impl->needed.push_back(text_at(impl->file, *table, offset));
      }
    }
    return ElfOutline(std::move(impl));
  } catch (const std::bad_alloc&) {
    return Error{Errc::kFull, fmt::format("{}: no memory for its headers", path)};
  }
}

const std::string& ElfOutline::path() const { return impl_->file.path(); }
const std::string& ElfOutline::soname() const { return impl_->soname; }
const std::vector<std::string>& ElfOutline::needed() const { return impl_->needed; }
std::string ElfOutline::build_id() const { return build_id_of(impl_->file); }
bool ElfOutline::is_stripped() const { return !impl_->full; }
uint16_t ElfOutline::machine() const { return impl_->file.header().e_machine; }

bool ElfOutline::is_executable() const {
  const ElfFile& file = impl_->file;
  return file.header().e_type == ET_EXEC || impl_->tags.is_pie || file.segment_of_type(PT_INTERP) != nullptr;
}

bool ElfOutline::has_section(std::string_view name) const {
  const ElfFile& file = impl_->file;
  const Elf64_Shdr* names = file.section(file.header().e_shstrndx);
  if (names == nullptr || names->sh_type != SHT_STRTAB) return false;
  const auto strings = file.read(names->sh_offset, names->sh_size, "section names");
  if (!strings) return false;
  return std::any_of(file.sections().begin(), file.sections().end(),
                     [&](const Elf64_Shdr& section) { return string_at(strings->view(), section.sh_name) == name; });
}

Result<bool> ElfOutline::defines_any(std::span<const std::string_view> names) const {
  if (names.empty()) return false;
  const ElfFile& file = impl_->file;
  try {
    if (const auto& table = impl_->dynamic) {
      const GnuHash hash(file, *table, impl_->tags.gnu_hash_offset);
      const auto in_table = [&](std::string_view name) { return hash.has_function(name); };
      const Result<bool> is_exported =
          hash.is_there() ? std::ranges::any_of(names, in_table) : table_defines_any(file, *table, names);
      INGERO_TRY(is_exported);
      if (*is_exported) return true;
    }
    return impl_->full ? table_defines_any(file, *impl_->full, names) : Result<bool>(false);
  } catch (const std::bad_alloc&) {
    return Error{Errc::kFull, fmt::format("{}: no memory for its symbols", file.path())};
  }
}

}  // namespace ingero::hal
