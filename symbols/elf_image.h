// An ELF file of our own, in memory, of copies of another's sections: what libelf and libdw are given. Private to
// symbols/.
//
// They go by what they have checked once, so that a file's owner who changes it meanwhile could have them read and
// write anywhere. A copy is out of reach. One thread.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "symbols/elf_parts.h"

namespace ingero::symbols {

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};

// Bytes of a file from `offset` on into `out`; how many those were.
using ReadBytes = std::function<size_t(uint64_t offset, void* out, size_t size)>;

class ElfImage {
 public:
  // With the names, types, flags and addresses that the sections have. Nothing where one cannot be read whole, where
  // all together have more than `most` bytes, or where there is no memory for them.
  static std::optional<ElfImage> of(const ElfParts& parts, std::span<const Section> sections, uint64_t most,
                                    const ReadBytes& read);
  // As long as the image.
  Elf* elf() const { return elf_.get(); }

 private:
  ElfImage() = default;
  template <typename Header, typename SectionHeader>
  bool fill(const ElfParts& parts, std::span<const Section> sections, const ReadBytes& read);
  std::unique_ptr<std::byte[]> bytes_;
  std::unique_ptr<Elf, ElfEnd> elf_;  // reads and writes there: goes first
};

}  // namespace ingero::symbols
