// Sizes as section and compression headers have them, and siblings in order.
#include "symbols/debug_sections.h"

#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/text.h"

namespace ingero::symbols {
namespace {

constexpr std::string_view kOldCompressed = ".zdebug_";  // as GNU tools wrote them before there was SHF_COMPRESSED

// "ZLIB", and eight bytes of the size, the highest first.
uint64_t old_compressed_bytes(Elf_Scn* section) {
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr || data->d_size < 12) return 0;
  uint64_t size = 0;
  for (size_t i = 4; i < 12; ++i) size = size << 8 | static_cast<const uint8_t*>(data->d_buf)[i];
  return size;
}

bool begins_so(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) || (name.starts_with(kOldCompressed) && name.substr(2).starts_with(prefix.substr(1)));
}

}  // namespace

uint64_t section_bytes(Elf* elf, std::string_view prefix) {
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return 0;
  uint64_t total = 0;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || !begins_so(name, prefix)) continue;
    GElf_Chdr compressed;
    uint64_t bytes = gelf_getchdr(section, &compressed) != nullptr ? compressed.ch_size : header.sh_size;
    if (std::string_view(name).starts_with(kOldCompressed)) bytes = std::max(bytes, old_compressed_bytes(section));
    if (__builtin_add_overflow(total, bytes, &total)) return UINT64_MAX;
  }
  return total;
}

bool may_follow_links(Elf* elf) {
  constexpr std::string_view kFolder = "/usr/lib/debug/";  // its owner is root
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return true;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || std::string_view(name) != ".gnu_debugaltlink") continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return false;
    const std::string_view link(static_cast<const char*>(data->d_buf), data->d_size);
    const std::string_view path = link.substr(0, link.find('\0'));
    if (path.starts_with(kFolder) && path.find("/..") == path.npos) continue;
    const std::string_view id = link.substr(std::min(path.size() + 1, link.size()));
    const std::string hex = to_hex(reinterpret_cast<const uint8_t*>(id.data()), id.size());
    if (hex.size() < 4 || hex.size() > 128) return false;
    const std::string by_id = fmt::format("{}.build-id/{}/{}.debug", kFolder, hex.substr(0, 2), hex.substr(2));
    if (access(by_id.c_str(), R_OK) != 0) return false;
  }
  return true;
}

bool go_to_sibling(Dwarf_Die& die) {
  const Dwarf_Off before = dwarf_dieoffset(&die);
  return dwarf_siblingof(&die, &die) == 0 && dwarf_dieoffset(&die) > before;
}

}  // namespace ingero::symbols
