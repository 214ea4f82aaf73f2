// Finds which rows of a backend a library file has, and where; for the others, the reason.
//
// Pure but for the image that it reads, which must outlive what is returned. Any thread; one at a time for an image.
// Failure: none, a row that is not there is an answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/elf.h"
#include "hal/prologue.h"
#include "hal/prototype.h"

namespace ingero::hal {

enum class RowState : uint8_t {
  kResolved,
  kAbsent,   // no such symbol in this file
  kRefused,  // present, but not probed: reason says why
};

struct ResolvedRow {
  const Row* row = nullptr;
  RowState state = RowState::kAbsent;
  std::string symbol;        // the spelling ("cudaMemcpyAsync_ptsz"), with @version where several exist
  uint64_t file_offset = 0;  // of the probe: symbol plus the prologue delta
  ProbePoint point;
  std::string reason;  // kAbsent, kRefused
  std::string remedy;  // what the user can do about it; empty: nothing needs doing
};

// That of the file's code where a machine of `host` runs it, which x86-64 does with 32-bit x86; else `host`, and
// nothing of the file resolves.
Arch arch_of(const ElfImage& image, Arch host);

// Every spelling of every row of `library` in `image`, one entry per distinct probe offset (aliases such as pnccl*
// cost one probe; the first row and spelling in table order keeps it). Rows found in no spelling appear once, kAbsent.
// Rows marked kNotWhereTarget are kRefused where their target resolves. Of rows that share a name, those that hold for
// another version's prototype are left out, and the name is kAbsent only where none was found.
std::vector<ResolvedRow> resolve(const Library& library, const ElfImage& image, Arch arch);

// Does `base name or soname` match one of the library's patterns? Copies that wheel tools renamed match as the library
// they are ("libx-0a1b2c3d.so.1" as "libx.so.1").
bool soname_matches(const Library& library, std::string_view file_name);

// Does the file define one of the library's anchors? (Ask of files that are not the library itself.) A stripped file
// with a static copy also lacks them: is_stripped() says whether their absence means anything.
Result<bool> holds_static_copy(const Library& library, const ElfOutline& file);

// Is the file, which has no anchor, one that must hold a copy of the library, stripped of its symbols? Then its calls
// cannot be seen.
bool hides_static_copy(const Library& library, const ElfOutline& file);

// The library's version as the file has it: "13.0.96" from a file or soname suffix, "13" from libcudart.so.13, or
// empty.
std::string library_version(std::string_view resolved_file_name, std::string_view soname);

}  // namespace ingero::hal
