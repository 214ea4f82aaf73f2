// Reads functions, inlined functions and source lines from DWARF with libdw, to name the frames of a stack.
#include "symbols/source_lines.h"

#include <algorithm>

#include <dwarf.h>

namespace ingero::symbols {
namespace {

constexpr size_t kMaxInlined = 64;
constexpr size_t kMaxNested = 512;     // scopes; those within are left out
constexpr size_t kMaxSteps = 4 << 20;  // entries and ranges looked at for one address

std::string name_of(Dwarf_Die& die) {
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    Dwarf_Attribute memory;
    if (dwarf_attr_integrate(&die, attribute, &memory) == nullptr) continue;
    if (const char* text = dwarf_formstring(&memory); text != nullptr) return text;
  }
  return {};
}

uint32_t number_of(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute memory;
  Dwarf_Word value = 0;
  if (dwarf_attr(&die, attribute, &memory) == nullptr || dwarf_formudata(&memory, &value) != 0) return 0;
  return static_cast<uint32_t>(value);
}

// Of a split unit libdw would open the file that the unit names, whatever is there: its skeleton has the lines.
bool is_whole(uint8_t unit_type) { return unit_type == DW_UT_compile || unit_type == DW_UT_skeleton; }

}  // namespace

SourceLines::SourceLines(Elf* elf) : elf_(elf), dwarf_(dwarf_begin_elf(elf, DWARF_C_READ, nullptr)), tables_(elf) {}

bool SourceLines::unit_of(uint64_t address, Dwarf_Die& unit) {
  uint8_t type = 0;
  if (dwarf_addrdie(dwarf_.get(), address, &unit) != nullptr &&
      dwarf_cu_info(unit.cu, nullptr, &type, nullptr, nullptr, nullptr, nullptr, nullptr) == 0 && is_whole(type)) {
    return true;
  }
  // No .debug_aranges, or not of this unit: ask each.
  Dwarf_CU* cu = nullptr;
  while (steps_ > 0 && dwarf_get_units(dwarf_.get(), cu, &cu, nullptr, &type, &unit, nullptr) == 0) {
    if (is_whole(type) && covers(unit, address)) return true;
  }
  return false;
}

// As dwarf_haspc(), which reads all ranges that there are.
bool SourceLines::covers(Dwarf_Die& die, uint64_t address) {
  Dwarf_Addr base = 0, start = 0, end = 0;
  ptrdiff_t at = 0;
  for (; steps_ > 0; --steps_) {
    at = dwarf_ranges(&die, at, &base, &start, &end);
    if (at <= 0) break;
    if (address >= start && address < end) return true;
  }
  steps_ -= steps_ > 0 ? 1 : 0;
  return false;
}

// The entries around an address, innermost first. As dwarf_getscopes(), which calls itself for each level.
std::vector<Dwarf_Die> SourceLines::scopes_of(const Dwarf_Die& unit, uint64_t address) {
  std::vector<Dwarf_Die> scopes{unit};
  while (scopes.size() < kMaxNested) {
    Dwarf_Die die;
    if (dwarf_child(&scopes.back(), &die) != 0) break;
    bool is_there = true;
    while (is_there && !covers(die, address)) is_there = steps_ > 0 && go_to_sibling(die);
    if (!is_there) break;
    scopes.push_back(die);
  }
  std::ranges::reverse(scopes);
  return scopes;
}

bool SourceLines::may_read_lines(Dwarf_Die& unit) {
  Dwarf_Attribute memory;
  Dwarf_Word offset = 0;
  return dwarf_formudata(dwarf_attr(&unit, DW_AT_stmt_list, &memory), &offset) == 0 && tables_.may_read(offset);
}

std::vector<SourcePlace> SourceLines::find(uint64_t address) {
  std::vector<SourcePlace> places;
  Dwarf_Die unit;
  steps_ = kMaxSteps;
  if (tables_.is_full()) {
    dwarf_.reset(dwarf_begin_elf(elf_, DWARF_C_READ, nullptr));
    tables_ = LineTables(elf_);
  }
  if (!dwarf_ || !unit_of(address, unit)) return places;
  SourcePlace here;
  const bool has_lines = may_read_lines(unit);
  if (Dwarf_Line* line = has_lines ? dwarf_getsrc_die(&unit, address) : nullptr; line != nullptr) {
    int number = 0;
    if (const char* source = dwarf_linesrc(line, nullptr, nullptr); source != nullptr) here.source = source;
    if (dwarf_lineno(line, &number) == 0 && number > 0) here.line = static_cast<uint32_t>(number);
  }
  for (Dwarf_Die& scope : scopes_of(unit, address)) {
    if (places.size() == kMaxInlined) break;
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    here.function = name_of(scope);
    here.is_inlined = tag == DW_TAG_inlined_subroutine;
    places.push_back(here);
    if (tag == DW_TAG_subprogram) break;
    // The function it was inlined into is at the line of the call.
    here = {};
    here.line = number_of(scope, DW_AT_call_line);
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    const uint32_t file = number_of(scope, DW_AT_call_file);
    if (has_lines && file != 0 && dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count) {
      if (const char* source = dwarf_filesrc(files, file, nullptr, nullptr); source != nullptr) here.source = source;
    }
  }
  if (places.empty() && !here.source.empty()) places.push_back(here);
  return places;
}

}  // namespace ingero::symbols
