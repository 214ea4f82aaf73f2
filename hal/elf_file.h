// A bounded reader of one little-endian ELF file, of 64 bits or of 32-bit x86: header, segments, sections and pieces of
// them. What a 32-bit file holds is widened as it is read, so that its callers know one layout.
//
// Reads with pread and never maps the file: its owner may truncate it while we look, and a mapping would then kill the
// agent with SIGBUS. Every offset and count in the file is hostile until checked here. (This is why it is not libelf:
// how much that keeps of a file, and what it has checked of it, cannot be bounded by its caller.) Used by elf.cc; owns
// the descriptor; immutable once opened; thread-compatible.
#pragma once

#include <elf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace ingero::hal {

// Bytes read from the file; not zeroed before they are filled, so that a large table costs one pass.
struct Bytes {
  std::unique_ptr<char[]> data;
  size_t size = 0;
  std::string_view view() const { return {data.get(), size}; }
};

class ElfFile {
 public:
  // The largest piece of a file that is ever held at once. The string tables of the largest known libraries are
  // below 200 MB.
  static constexpr uint64_t kMaxPiece = uint64_t{256} << 20;

  // kNotSupported for other classes, byte orders and file types (x32 and 32-bit Arm among them); kCorrupt where the
  // headers contradict the file.
  static Result<ElfFile> open(Fd fd, std::string display_path);

  const std::string& path() const { return path_; }
  uint64_t file_bytes() const { return file_bytes_; }
  const Elf64_Ehdr& header() const { return header_; }
  // Of an address in it, in the code's memory as well: 8, or 4.
  size_t word_bytes() const { return is_narrow() ? sizeof(Elf32_Addr) : sizeof(Elf64_Addr); }
  size_t symbol_bytes() const { return is_narrow() ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym); }
  std::span<const Elf64_Phdr> segments() const { return segments_; }
  std::span<const Elf64_Shdr> sections() const { return sections_; }  // empty when the file has none

  const Elf64_Shdr* section_of_type(uint32_t type) const;  // the first one
  const Elf64_Shdr* section(uint32_t index) const;         // null when out of range
  const Elf64_Phdr* segment_of_type(uint32_t type) const;  // the first one

  // Exactly `size` bytes at `offset`. `what` names the piece in the error.
  Result<Bytes> read(uint64_t offset, uint64_t size, std::string_view what) const;
  // As many bytes as the file has there; 0 on any error.
  size_t read_some(uint64_t offset, void* out, size_t size) const;

  // Entries of tables, as many as `out` has room for and the file has at `offset`; how many that were.
  size_t read_symbols(uint64_t offset, std::span<Elf64_Sym> out) const;
  size_t read_dynamic(uint64_t offset, std::span<Elf64_Dyn> out) const;

  // Where the code or data loaded at `address` lies in the file. `executable` asks for code only.
  std::optional<uint64_t> offset_of(uint64_t address, bool executable) const;

 private:
  ElfFile() = default;
  bool is_narrow() const { return header_.e_ident[EI_CLASS] == ELFCLASS32; }
  template <typename Narrow, typename Wide>
  size_t read_entries(uint64_t offset, std::span<Wide> out) const;
  Status read_segments();
  Status read_sections();
  Error corrupt(std::string_view what) const;

  Fd fd_;
  std::string path_;
  uint64_t file_bytes_ = 0;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Phdr> loads_;  // PT_LOAD with bytes in the file
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace ingero::hal
