// Finding symbol tables by sections or by the dynamic segment; version definitions; build id.
#include "hal/elf_tables.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace ingero::hal {
namespace {

constexpr uint64_t kMaxDynamicBytes = 1 << 20;
constexpr uint64_t kMaxDefinitionBytes = 1 << 20;
constexpr uint64_t kMaxNoteBytes = 1 << 20;
constexpr uint64_t kMaxChain = uint64_t{64} << 20;
constexpr size_t kMaxVersions = 0x7fff;  // what a version index can say
constexpr size_t kMaxName = 32 << 10;    // C++ names reach a few thousand characters
constexpr size_t kMaxBuildId = 64;
constexpr uint64_t kMaxSymbols = uint64_t{64} << 20;  // of all types; also bounds a walk over a sparse file
constexpr size_t kSymbolsPerRead = 32 << 10;

template <typename T>
bool load(std::string_view bytes, uint64_t offset, T& out) {
  if (offset > bytes.size() || sizeof out > bytes.size() - offset) return false;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return true;
}

// The symbol count of a file without sections: the classic hash table says it; the GNU one says it at the end of the
// chain that starts at its highest bucket.
uint64_t count_by_hash(const ElfFile& file, const DynamicTags& tags) {
  if (tags.hash_offset != 0) {
    uint32_t head[2] = {};  // buckets, chains; there is one chain entry per symbol
    if (file.read_some(tags.hash_offset, head, sizeof head) == sizeof head) return head[1];
  }
  if (tags.gnu_hash_offset == 0) return 0;
  uint32_t head[4] = {};  // buckets, first hashed symbol, words of the filter, shift
  if (file.read_some(tags.gnu_hash_offset, head, sizeof head) != sizeof head) return 0;
  const uint64_t buckets_at = tags.gnu_hash_offset + sizeof head + uint64_t{head[2]} * file.word_bytes();
  auto buckets = file.read(buckets_at, uint64_t{head[0]} * sizeof(uint32_t), "hash buckets");
  if (!buckets) return 0;
  uint32_t last = 0;
  for (size_t i = 0; i < head[0]; ++i) {
    uint32_t bucket = 0;
    std::memcpy(&bucket, buckets->data.get() + i * sizeof bucket, sizeof bucket);
    last = std::max(last, bucket);
  }
  if (last < head[1]) return head[1];
  const uint64_t chains_at = buckets_at + buckets->size;
  uint32_t chunk[1024];
  uint64_t index = last;
  while (index < kMaxChain) {
    const uint64_t at = chains_at + (index - head[1]) * sizeof(uint32_t);
    const size_t got = file.read_some(at, chunk, sizeof chunk) / sizeof(uint32_t);
    if (got == 0) return index;
    for (size_t i = 0; i < got; ++i, ++index) {
      if ((chunk[i] & 1U) != 0) return index + 1;  // the low bit ends a chain
    }
  }
  return 0;
}

std::optional<SymbolTable> table_of(const ElfFile& file, const Elf64_Shdr& section) {
  const Elf64_Shdr* strings = file.section(section.sh_link);
  if (section.sh_entsize != file.symbol_bytes() || strings == nullptr || strings->sh_type != SHT_STRTAB) {
    return std::nullopt;
  }
  SymbolTable table;
  table.symbols_offset = section.sh_offset;
  table.symbol_count = section.sh_size / file.symbol_bytes();
  table.strings_offset = strings->sh_offset;
  table.strings_bytes = strings->sh_size;
  return table;
}

}  // namespace

DynamicTags dynamic_tags(const ElfFile& file) {
  DynamicTags tags;
  const Elf64_Phdr* segment = file.segment_of_type(PT_DYNAMIC);
  if (segment == nullptr || segment->p_filesz > kMaxDynamicBytes) return tags;
  if (segment->p_offset > file.file_bytes() || segment->p_filesz > file.file_bytes() - segment->p_offset) return tags;
  std::vector<Elf64_Dyn> entries(segment->p_filesz / (2 * file.word_bytes()));
  entries.resize(file.read_dynamic(segment->p_offset, entries));
  for (const Elf64_Dyn& entry : entries) {
    const auto offset_of = [&] { return file.offset_of(entry.d_un.d_ptr, false).value_or(0); };
    if (entry.d_tag == DT_NULL) break;
    switch (entry.d_tag) {
      case DT_STRTAB:
        tags.strings_offset = offset_of();
        break;
      case DT_STRSZ:
        tags.strings_bytes = entry.d_un.d_val;
        break;
      case DT_SYMTAB:
        tags.symbols_offset = offset_of();
        break;
      case DT_VERSYM:
        tags.versions_offset = offset_of();
        break;
      case DT_VERDEF:
        tags.definitions_offset = offset_of();
        break;
      case DT_HASH:
        tags.hash_offset = offset_of();
        break;
      case DT_GNU_HASH:
        tags.gnu_hash_offset = offset_of();
        break;
      case DT_SONAME:
        tags.soname = entry.d_un.d_val;
        break;
      case DT_NEEDED:
        tags.needed.push_back(entry.d_un.d_val);
        break;
      case DT_FLAGS_1:
        tags.is_pie = (entry.d_un.d_val & DF_1_PIE) != 0;
        break;
      default:
        break;
    }
  }
  return tags;
}

std::optional<SymbolTable> dynamic_symbols(const ElfFile& file, const DynamicTags& tags) {
  if (const Elf64_Shdr* section = file.section_of_type(SHT_DYNSYM)) {
    auto table = table_of(file, *section);
    if (!table) return std::nullopt;
    if (const Elf64_Shdr* versions = file.section_of_type(SHT_GNU_versym)) {
      table->versions_offset = versions->sh_offset;
      table->version_count = versions->sh_size / sizeof(Elf64_Half);
    }
    if (const Elf64_Shdr* definitions = file.section_of_type(SHT_GNU_verdef)) {
      table->definitions_offset = definitions->sh_offset;
      table->definitions_bytes = definitions->sh_size;
    }
    return table;
  }
  if (tags.symbols_offset == 0 || tags.strings_offset == 0) return std::nullopt;
  SymbolTable table;
  table.symbols_offset = tags.symbols_offset;
  table.symbol_count = count_by_hash(file, tags);
  table.strings_offset = tags.strings_offset;
  table.strings_bytes = tags.strings_bytes;
  table.versions_offset = tags.versions_offset;
  table.version_count = tags.versions_offset == 0 ? 0 : table.symbol_count;
  table.definitions_offset = tags.definitions_offset;
  if (tags.definitions_offset != 0) table.definitions_bytes = file.file_bytes() - tags.definitions_offset;
  return table;
}

std::optional<SymbolTable> full_symbols(const ElfFile& file) {
  const Elf64_Shdr* section = file.section_of_type(SHT_SYMTAB);
  return section == nullptr ? std::nullopt : table_of(file, *section);
}

Status for_each_symbol(const ElfFile& file, const SymbolTable& table,
                       const std::function<Status(const Elf64_Sym&, uint64_t)>& take) {
  if (table.symbol_count > file.file_bytes() / file.symbol_bytes()) {
    return Error{Errc::kCorrupt,
                 fmt::format("{}: damaged ELF file: the symbol table is outside the file", file.path())};
  }
  if (table.symbol_count > kMaxSymbols) {
    return Error{Errc::kNotSupported, fmt::format("{}: {} symbols exceed the limit", file.path(), table.symbol_count)};
  }
  std::vector<Elf64_Sym> chunk(std::min<uint64_t>(kSymbolsPerRead, table.symbol_count));
  for (uint64_t first = 0; first < table.symbol_count; first += chunk.size()) {
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(chunk.size(), table.symbol_count - first));
    const size_t got =
        file.read_symbols(table.symbols_offset + first * file.symbol_bytes(), std::span(chunk).first(wanted));
    for (size_t i = 0; i < got; ++i) INGERO_TRY(take(chunk[i], first + i));
    if (got != wanted) {
      return Error{Errc::kCorrupt, fmt::format("{}: damaged ELF file: symbol table cut short", file.path())};
    }
  }
  return {};
}

std::optional<uint64_t> code_offset(const ElfFile& file, const Elf64_Sym& symbol) {
  // A section index in the reserved range (absolute, common) does not refer to code in this file.
  const bool is_elsewhere =
      symbol.st_shndx == SHN_UNDEF || (symbol.st_shndx >= SHN_LORESERVE && symbol.st_shndx != SHN_XINDEX);
  if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || is_elsewhere) return std::nullopt;
  return file.offset_of(symbol.st_value, true);
}

std::string_view string_at(std::string_view strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = strings.substr(offset, kMaxName);
  const size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

std::vector<std::string_view> version_names(const ElfFile& file, const SymbolTable& table, std::string_view strings) {
  std::vector<std::string_view> names;
  if (table.definitions_offset == 0) return names;
  auto bytes = file.read(table.definitions_offset, std::min(table.definitions_bytes, kMaxDefinitionBytes),
                         "version definitions");
  if (!bytes) return names;
  uint64_t at = 0;
  Elf64_Verdef definition{};
  for (size_t seen = 0; seen < kMaxVersions && load(bytes->view(), at, definition); ++seen) {
    const uint16_t index = definition.vd_ndx & 0x7fff;
    Elf64_Verdaux name{};
    if ((definition.vd_flags & VER_FLG_BASE) == 0 && load(bytes->view(), at + definition.vd_aux, name)) {
      if (index >= names.size()) names.resize(index + 1U);
      names[index] = string_at(strings, name.vda_name);
    }
    if (definition.vd_next == 0) break;
    at += definition.vd_next;
  }
  return names;
}

std::string build_id_of(const ElfFile& file) {
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMaxNoteBytes) continue;
    auto bytes = file.read(segment.p_offset, segment.p_filesz, "note segment");
    if (!bytes) continue;
    const uint64_t unit = segment.p_align == 8 ? 8 : 4;
    const auto align = [unit](uint64_t value) { return (value + unit - 1) & ~(unit - 1); };
    Elf64_Nhdr note{};
    for (uint64_t at = 0; load(bytes->view(), at, note);) {
      const uint64_t name_at = at + sizeof note;
      const uint64_t id_at = align(name_at + note.n_namesz);
      const std::string_view view = bytes->view();
      if (id_at > view.size() || note.n_descsz > view.size() - id_at) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= kMaxBuildId && note.n_namesz == sizeof ELF_NOTE_GNU &&
          view.substr(name_at, sizeof ELF_NOTE_GNU) == std::string_view(ELF_NOTE_GNU, sizeof ELF_NOTE_GNU)) {
        std::string id;
        for (const char byte : view.substr(id_at, note.n_descsz)) {
          id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        }
        return id;
      }
      at = align(id_at + note.n_descsz);
    }
  }
  return {};
}

}  // namespace ingero::hal
