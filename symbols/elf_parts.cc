// Goes through the headers that ElfFile has read and checked.
#include "symbols/elf_parts.h"

#include <algorithm>
#include <string_view>

namespace ingero::symbols {
namespace {

constexpr size_t kMaxNameBytes = 1 << 20;  // of all sections; a library has some hundred bytes of them
constexpr size_t kMaxDebugSections = 64;   // a file has a dozen
constexpr size_t kMaxNotes = 64;

bool is_of_debug_information(std::string_view name) {
  return name.starts_with(".debug_") || name.starts_with(".zdebug_") || name == ".gnu_debugaltlink";
}

// Without those that have no bytes in the file, or not all of them.
std::optional<Section> part_of(const hal::ElfFile& file, const Elf64_Shdr& header, std::string_view name) {
  if (header.sh_type == SHT_NULL || header.sh_type == SHT_NOBITS || header.sh_offset > file.file_bytes() ||
      header.sh_size > file.file_bytes() - header.sh_offset) {
    return std::nullopt;
  }
  return Section{std::string(name), header.sh_type, header.sh_flags,    header.sh_addr,
                 header.sh_offset,  header.sh_size, header.sh_addralign};
}

std::optional<ElfParts::Symbols> symbols_of(const hal::ElfFile& file, uint32_t type) {
  for (const Elf64_Shdr& header : file.sections()) {
    if (header.sh_type != type) continue;
    const Elf64_Shdr* const names = file.section(header.sh_link);
    const auto table = part_of(file, header, {});
    const auto texts = names != nullptr ? part_of(file, *names, {}) : std::nullopt;
    if (table && texts) return ElfParts::Symbols{*table, *texts};
  }
  return std::nullopt;
}

void add_segments(const hal::ElfFile& file, ElfParts& parts) {
  for (const Elf64_Phdr& header : file.segments()) {
    if (header.p_offset > file.file_bytes()) continue;
    const Segment segment{header.p_offset, header.p_vaddr,
                          std::min<uint64_t>(header.p_filesz, file.file_bytes() - header.p_offset),
                          (header.p_flags & PF_X) != 0};
    if (header.p_type == PT_LOAD && segment.bytes > 0) parts.loads.push_back(segment);
    if (header.p_type == PT_NOTE && parts.notes.size() < kMaxNotes) parts.notes.push_back(segment);
    if (header.p_type == PT_GNU_EH_FRAME && !parts.frame_table) parts.frame_table = segment;
  }
}

}  // namespace

ElfParts ElfParts::of(const hal::ElfFile& file) {
  ElfParts parts;
  parts.machine = file.header().e_machine;
  parts.is_narrow = file.header().e_ident[EI_CLASS] == ELFCLASS32;
  add_segments(file, parts);
  parts.symbols = symbols_of(file, SHT_SYMTAB);
  parts.dynamic_symbols = symbols_of(file, SHT_DYNSYM);
  uint32_t index = file.header().e_shstrndx;
  if (index == SHN_XINDEX && file.section(0) != nullptr) index = file.section(0)->sh_link;
  const Elf64_Shdr* const names = file.section(index);
  if (names == nullptr || names->sh_size > kMaxNameBytes) return parts;
  const auto text = file.read(names->sh_offset, names->sh_size, "names of sections");
  if (!text.ok()) return parts;
  for (const Elf64_Shdr& header : file.sections()) {
    if (header.sh_name >= text->size) continue;
    std::string_view name = text->view().substr(header.sh_name);
    name = name.substr(0, name.find('\0'));
    const auto section = part_of(file, header, name);
    if (!section) continue;
    if (name == ".eh_frame" && !parts.frames) parts.frames = section;
    if (name == ".gnu_debuglink" && !parts.debug_link) parts.debug_link = section;
    if (is_of_debug_information(name) && parts.debug.size() < kMaxDebugSections) parts.debug.push_back(*section);
  }
  return parts;
}

std::optional<uint64_t> ElfParts::offset_of(uint64_t address) const {
  for (const Segment& load : loads) {
    if (address >= load.address && address - load.address < load.bytes) return load.offset + (address - load.address);
  }
  return std::nullopt;
}

}  // namespace ingero::symbols
