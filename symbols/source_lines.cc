// Reads functions, inlined functions and source lines from DWARF with libdw, to name the frames of a stack.
#include "symbols/source_lines.h"

#include <cstdlib>

#include <dwarf.h>

namespace ingero::symbols {
namespace {

constexpr size_t kMaxInlined = 64;
using Scopes = std::unique_ptr<Dwarf_Die, decltype(&std::free)>;

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

}  // namespace

SourceLines::SourceLines(Elf* elf) : dwarf_(dwarf_begin_elf(elf, DWARF_C_READ, nullptr)) {}

bool SourceLines::unit_of(uint64_t address, Dwarf_Die& unit) {
  if (dwarf_addrdie(dwarf_.get(), address, &unit) != nullptr) return true;
  // No .debug_aranges, or not of this unit: ask each.
  Dwarf_CU* cu = nullptr;
  Dwarf_Die top, split;
  uint8_t type = 0;
  while (dwarf_get_units(dwarf_.get(), cu, &cu, nullptr, &type, &top, &split) == 0) {
    Dwarf_Die& die = type == DW_UT_skeleton ? split : top;
    if (dwarf_haspc(&top, address) == 1 && dwarf_tag(&die) != DW_TAG_invalid) {
      unit = die;
      return true;
    }
  }
  return false;
}

std::vector<SourcePlace> SourceLines::find(uint64_t address) {
  std::vector<SourcePlace> places;
  Dwarf_Die unit;
  if (!dwarf_ || !unit_of(address, unit)) return places;
  SourcePlace here;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit, address); line != nullptr) {
    int number = 0;
    if (const char* source = dwarf_linesrc(line, nullptr, nullptr); source != nullptr) here.source = source;
    if (dwarf_lineno(line, &number) == 0 && number > 0) here.line = static_cast<uint32_t>(number);
  }
  // Beyond an inlined function the scopes of an address are those of its definition; the ones around its copy are the
  // scopes of the innermost one's own entry.
  Dwarf_Die* raw = nullptr;
  const int n_innermost = dwarf_getscopes(&unit, address, &raw);
  const Scopes innermost(raw, &std::free);
  raw = nullptr;
  const int n_scopes = n_innermost > 0 ? dwarf_getscopes_die(innermost.get(), &raw) : 0;
  const Scopes scopes(raw, &std::free);
  for (int i = 0; i < n_scopes && places.size() < kMaxInlined; ++i) {
    Dwarf_Die& scope = scopes.get()[i];
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
    if (file != 0 && dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count) {
      if (const char* source = dwarf_filesrc(files, file, nullptr, nullptr); source != nullptr) here.source = source;
    }
  }
  if (places.empty() && !here.source.empty()) places.push_back(here);
  return places;
}

}  // namespace ingero::symbols
