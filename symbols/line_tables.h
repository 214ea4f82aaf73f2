// Which of a file's line tables may be read: what libdw makes of a table is a hundred times as large. Private to
// symbols/.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace ingero::symbols {

class LineTables {
 public:
  // `elf` outlives this, and its sections are decompressed already (dwarf_begin_elf).
  explicit LineTables(Elf* elf);
  // The table at this offset in .debug_line; it counts as read from then on.
  bool may_read(uint64_t offset);
  // Whether kMaxBytes are read: libdw keeps what it has made of them, and should begin anew.
  bool is_full() const { return read_bytes_ >= kMaxBytes; }

  // A row of one byte takes 101 bytes in libdw 0.188, and 1.7 us. The largest table of libpython 3.13 has 296 KiB, of
  // the debug files of Debian's C library 53 KiB.
  static constexpr uint64_t kMaxBytes = 1 << 20;
  // libdw joins each file's name with its folder's, and both may be used again and again: the bytes of a header times
  // its longest name. The largest header of those files has 1,041 bytes.
  static constexpr uint64_t kMaxNameBytes = 32 << 20;

 private:
  bool is_modest(uint64_t offset, uint64_t& bytes) const;
  std::span<const std::byte> lines_, line_strings_, strings_;
  std::map<uint64_t, bool> known_;  // by offset
  uint64_t read_bytes_ = 0;
};

}  // namespace ingero::symbols
