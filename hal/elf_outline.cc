// Two ways to look for a name: by the GNU hash table, a few words of the file; and by reading a symbol table.
#include "hal/elf_outline.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "hal/elf_outline_impl.h"
#include "hal/gnu_hash.h"

namespace ingero::hal {
namespace {

constexpr size_t kMaxNeeded = 4096;

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
      const auto is_code = [&](const Elf64_Sym& symbol) { return code_offset(file, symbol).has_value(); };
      const auto in_table = [&](std::string_view name) { return hash.find(name, is_code).has_value(); };
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
