// A library file's symbols, as a tracer needs them: every definition of a name, with its file offset and first bytes.
// Whether a file is worth that, its outline says.
//
// Reads through an open descriptor (the caller chose the file through /proc/PID/root or map_files), never by name.
// Malformed files give an error or fewer symbols, never a crash (fuzzed). 64-bit little-endian files of any processor
// and those of 32-bit x86; others are kNotSupported. Symbols' names live as long as the image, which owns them.
// Immutable once opened; const members may be called from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "hal/elf_outline.h"

namespace ingero::hal {

struct Symbol {
  std::string_view name;     // without version
  std::string_view version;  // "IBVERBS_1.1", or empty
  bool is_default = true;    // the @@ version, or unversioned
  bool is_local = false;     // from .symtab with local binding
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t file_offset = 0;  // what a uprobe wants
};

class ElfImage {
 public:
  static Result<ElfImage> open(Fd fd, std::string display_path);
  static Result<ElfImage> open(ElfOutline outline);
  ElfImage(ElfImage&&) noexcept;
  ElfImage& operator=(ElfImage&&) noexcept;
  ~ElfImage();

  const ElfOutline& outline() const;
  // All function definitions (STT_FUNC, STT_GNU_IFUNC excluded; global, weak and local) of the exact name: .dynsym
  // first, then .symtab; default version first; one per address (.symtab repeats .dynsym). Empty when there is none.
  std::vector<Symbol> find(std::string_view name) const;
  // Function definitions whose C++-mangled name is that of a global function with this base name: "f(int)" for "f",
  // but not "space::f(int)".
  std::vector<Symbol> find_mangled(std::string_view base_name) const;
  // Up to `size` bytes of code at a file offset; fewer at the end of the file, empty on error.
  std::vector<uint8_t> bytes_at(uint64_t file_offset, size_t size) const;
  // What stands behind `prefix` in constants, at most kMaxTextAfter printable bytes of each place, once each; of the
  // first kMaxConstants bytes of them, and at most kMaxTexts. Reads the file: not for every file.
  std::vector<std::string> texts_after(std::string_view prefix) const;
  static constexpr size_t kMaxTextAfter = 64, kMaxTexts = 16;
  static constexpr uint64_t kMaxConstants = uint64_t{128} << 20;
  // The function symbol that covers a file offset, if any.
  const Symbol* covering(uint64_t file_offset) const;
  // Every function symbol of .dynsym, then of .symtab, in the file's order.
  std::span<const Symbol> functions() const;

 private:
  struct Impl;
  explicit ElfImage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::hal
