// How much there is to read in a file's sections, and steps over its debugging entries that come to an end. Private to
// symbols/.
//
// libdw trusts a file more than an untrusted one deserves: it decompresses what it is given, and goes where the file
// says the next entry is, back as well.
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace ingero::symbols {

struct DwarfEnd {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
using OwnedDwarf = std::unique_ptr<Dwarf, DwarfEnd>;

// Bytes of the sections whose names begin so, decompressed, summed.
uint64_t section_bytes(Elf* elf, std::string_view prefix);

// Whether libdw may follow the file's .gnu_debugaltlink, to what several files share of their debug information (dwz):
// it opens the file of that build id below /usr/lib/debug, else the one of any name that the link has.
bool may_follow_links(Elf* elf);

// Makes `die` its next sibling, if that lies behind it.
bool go_to_sibling(Dwarf_Die& die);

}  // namespace ingero::symbols
