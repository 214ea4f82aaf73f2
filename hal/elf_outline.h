// What an ELF file says of itself without its symbols being read: enough to know whether it is, or holds, a library
// that is described. Nearly every file that a program maps is neither, and a program that is held waits for the answer.
//
// Reads as elf.h does, with the same bounds. Immutable once opened; const members may be called from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace ingero::hal {

class ElfOutline {
 public:
  static Result<ElfOutline> open(Fd fd, std::string display_path);
  ElfOutline(ElfOutline&&) noexcept;
  ElfOutline& operator=(ElfOutline&&) noexcept;
  ~ElfOutline();

  const std::string& path() const;
  const std::string& soname() const;               // DT_SONAME, or empty
  const std::vector<std::string>& needed() const;  // DT_NEEDED
  std::string build_id() const;                    // hex, or empty
  bool is_executable() const;                      // ET_EXEC, or ET_DYN with an interpreter or the PIE flag
  bool is_stripped() const;                        // no .symtab
  bool has_section(std::string_view name) const;
  uint16_t machine() const;  // EM_X86_64, EM_AARCH64, EM_386, ...
  // Does it define a function of one of these exact names? What is exported is looked up as the dynamic linker does, by
  // the GNU hash table; a .symtab, and .dynsym in a file without such a table, is read to its end.
  Result<bool> defines_any(std::span<const std::string_view> names) const;

 private:
  friend class ElfImage;
  struct Impl;
  explicit ElfOutline(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::hal
