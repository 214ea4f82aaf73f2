// The header of a line table (DWARF 5, 6.2.4), read far enough to bound what becomes of it.
#include "symbols/line_tables.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <dwarf.h>

#include "symbols/byte_cursor.h"

namespace ingero::symbols {
namespace {

// The first section of this name that has bytes: the one that libdw reads.
std::span<const std::byte> section_of(Elf* elf, std::string_view name) {
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* text = elf_strptr(elf, names, header.sh_name);
    if (text == nullptr) continue;
    std::string_view found(text);
    if (found.starts_with(".z"))
      found.remove_prefix(2);  // ".zdebug_line": as compressed sections were called once
    else
      found.remove_prefix(std::min<size_t>(found.size(), 1));
    if (found != name) continue;
    const Elf_Data* data = elf_getdata(section, nullptr);
    if (data != nullptr && data->d_buf != nullptr) return {static_cast<const std::byte*>(data->d_buf), data->d_size};
  }
  return {};
}

size_t longest_text(std::span<const std::byte> bytes) {
  size_t longest = 0;
  for (auto at = bytes.begin(); at != bytes.end();) {
    const auto end = std::find(at, bytes.end(), std::byte{0});
    longest = std::max(longest, static_cast<size_t>(end - at));
    at = end == bytes.end() ? end : end + 1;
  }
  return longest;
}

void pass_value(ByteCursor& cursor, uint64_t form, size_t offset_bytes) {
  switch (form) {
    case DW_FORM_string:
      return (void)cursor.text();
    case DW_FORM_line_strp:
    case DW_FORM_strp:
      return (void)cursor.take(offset_bytes);
    case DW_FORM_udata:
      return (void)cursor.leb128();
    case DW_FORM_data1:
      return (void)cursor.take(1);
    case DW_FORM_data2:
      return (void)cursor.take(2);
    case DW_FORM_data4:
      return (void)cursor.take(4);
    case DW_FORM_data8:
      return (void)cursor.take(8);
    case DW_FORM_data16:
      return (void)cursor.take(16);
    case DW_FORM_block:
      return (void)cursor.take(cursor.leb128());
    default:
      return cursor.fail();  // compilers write the others nowhere here
  }
}

// The forms of a table's folders or files, which are passed over.
std::vector<uint64_t> forms_of(ByteCursor& cursor, size_t offset_bytes) {
  std::vector<uint64_t> forms;
  for (uint64_t n = cursor.number(1); n > 0; --n) {
    (void)cursor.leb128();
    forms.push_back(cursor.leb128());
  }
  uint64_t entries = cursor.leb128();
  if (forms.empty() && entries > 0) cursor.fail();
  for (; cursor.is_good() && entries > 0; --entries) {
    for (const uint64_t form : forms) pass_value(cursor, form, offset_bytes);
  }
  return forms;
}

}  // namespace

LineTables::LineTables(Elf* elf)
    : lines_(section_of(elf, "debug_line")),
      line_strings_(section_of(elf, "debug_line_str")),
      strings_(section_of(elf, "debug_str")) {}

bool LineTables::may_read(uint64_t offset) {
  const auto [found, is_new] = known_.try_emplace(offset, false);
  uint64_t bytes = 0;
  if (is_new && is_modest(offset, bytes)) {
    read_bytes_ += bytes;
    found->second = true;
  }
  return found->second;
}

bool LineTables::is_modest(uint64_t offset, uint64_t& bytes) const {
  if (offset > lines_.size()) return false;
  ByteCursor table(lines_.subspan(offset));
  bytes = table.number(4);
  const size_t offset_bytes = bytes == 0xffffffff ? 8 : 4;
  if (offset_bytes == 8) bytes = table.number(8);
  if (bytes > kMaxBytes) return false;
  ByteCursor rest(table.take(bytes));
  const uint64_t version = rest.number(2);
  if (version >= 5) (void)rest.take(2);  // sizes of an address and of a segment
  const auto header = rest.take(rest.number(offset_bytes));
  size_t longest = longest_text(header);
  if (version >= 5) {
    ByteCursor cursor(header);
    (void)cursor.take(5);
    const uint64_t opcode_base = cursor.number(1);
    (void)cursor.take(opcode_base > 0 ? opcode_base - 1 : 0);
    longest = std::max(longest, longest_text(line_strings_));
    for (const auto& forms : {forms_of(cursor, offset_bytes), forms_of(cursor, offset_bytes)}) {
      if (std::ranges::find(forms, DW_FORM_strp) != forms.end()) longest = std::max(longest, longest_text(strings_));
    }
    if (!cursor.is_good()) return false;
  }
  // The program adds files, too (DW_LNE_define_file): each begins with a zero, as other extended opcodes do.
  const auto files = header.size() + static_cast<size_t>(std::ranges::count(rest.rest(), std::byte{0}));
  return table.is_good() && rest.is_good() && longest <= kMaxNameBytes / (files + 1);
}

}  // namespace ingero::symbols
