// Copies the parts of an ELF file that tracing needs, and skips those not worth reading over a network.
#include "kernelside/helper_copy.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace ingero::kernelside {
namespace {

constexpr uint64_t kSmall = 4 << 20;      // a file or a section that is always copied
constexpr uint64_t kMaxDebug = 32 << 20;  // of a section
constexpr uint64_t kMaxCopied = uint64_t{256} << 20;
constexpr size_t kPiece = 1 << 20;
constexpr uint64_t kMaxSections = 1 << 16;
constexpr uint64_t kMaxNames = 1 << 20;

class Copy {
 public:
  Copy(int from, int to, uint64_t size, const std::function<void()>& alive)
      : from_(from), to_(to), size_(size), alive_(alive), piece_(kPiece) {}

  // An errno, or 0. What lies beyond the file's end is not copied.
  int add(uint64_t offset, uint64_t bytes) {
    if (offset >= size_) return 0;
    bytes = std::min(bytes, size_ - offset);
    if (bytes > kMaxCopied - copied_) return EFBIG;
    copied_ += bytes;
    while (bytes > 0) {
      const ssize_t got = pread(from_, piece_.data(), std::min<uint64_t>(bytes, kPiece), static_cast<off_t>(offset));
      if (got < 0) return errno;
      if (got == 0) return 0;  // cut meanwhile
      if (pwrite(to_, piece_.data(), static_cast<size_t>(got), static_cast<off_t>(offset)) != got) return EIO;
      offset += static_cast<uint64_t>(got);
      bytes -= static_cast<uint64_t>(got);
      alive_();
    }
    return 0;
  }

  bool read(uint64_t offset, void* out, size_t bytes) const {
    return offset <= size_ && bytes <= size_ - offset &&
           pread(to_, out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

 private:
  int from_, to_;
  uint64_t size_, copied_ = 0;
  const std::function<void()>& alive_;
  std::vector<char> piece_;
};

template <typename Section>
bool is_wanted(const Section& section, std::string_view name, bool code, bool debug) {
  if (section.sh_type == SHT_NOBITS || section.sh_size == 0) return false;
  if (name.starts_with(".debug_") || name.starts_with(".zdebug_") || name.starts_with(".eh_frame")) {
    return debug && section.sh_size <= kMaxDebug;
  }
  if (section.sh_type != SHT_PROGBITS) return section.sh_type != SHT_RELA && section.sh_type != SHT_REL;
  if ((section.sh_flags & SHF_EXECINSTR) != 0) return code;
  return section.sh_size <= kSmall;
}

// Header and Section are those of the file's class.
template <typename Header, typename Section>
int copy_sections(Copy& copy, bool code, bool debug) {
  Header header;
  if (!copy.read(0, &header, sizeof(header)) || header.e_shentsize != sizeof(Section)) return 0;
  if (const int error = copy.add(header.e_phoff, uint64_t{header.e_phnum} * header.e_phentsize); error != 0) {
    return error;
  }
  uint64_t count = header.e_shnum;
  if (count == 0) {  // more than fit in the header: the count is in the first section
    Section first;
    if (const int error = copy.add(header.e_shoff, sizeof(first)); error != 0) return error;
    if (copy.read(header.e_shoff, &first, sizeof(first))) count = first.sh_size;
  }
  std::vector<Section> sections(std::min(count, kMaxSections));
  if (const int error = copy.add(header.e_shoff, sections.size() * sizeof(Section)); error != 0) return error;
  if (!copy.read(header.e_shoff, sections.data(), sections.size() * sizeof(Section))) return 0;
  std::vector<char> names;
  if (header.e_shstrndx < sections.size() && sections[header.e_shstrndx].sh_size <= kMaxNames) {
    const Section& strings = sections[header.e_shstrndx];
    if (const int error = copy.add(strings.sh_offset, strings.sh_size); error != 0) return error;
    names.resize(strings.sh_size);
    if (!copy.read(strings.sh_offset, names.data(), names.size())) names.clear();
  }
  for (const Section& section : sections) {
    std::string_view name;
    if (section.sh_name < names.size()) {
      name = {names.data() + section.sh_name, strnlen(names.data() + section.sh_name, names.size() - section.sh_name)};
    }
    if (!is_wanted(section, name, code, debug)) continue;
    if (const int error = copy.add(section.sh_offset, section.sh_size); error != 0) return error;
  }
  return 0;
}

}  // namespace

int copy_parts(int from, int to, bool code, bool debug, const std::function<void()>& alive) {
  struct stat status {};
  if (fstat(from, &status) != 0 || ftruncate(to, status.st_size) != 0) return errno;
  const auto size = static_cast<uint64_t>(status.st_size);
  Copy copy(from, to, size, alive);
  if (size <= kSmall) return copy.add(0, size);
  if (const int error = copy.add(0, 64 << 10); error != 0) return error;  // headers, segments, notes
  unsigned char ident[EI_NIDENT];
  if (!copy.read(0, ident, sizeof(ident)) || std::memcmp(ident, ELFMAG, SELFMAG) != 0) return 0;
  switch (ident[EI_CLASS]) {
    case ELFCLASS64:
      return copy_sections<Elf64_Ehdr, Elf64_Shdr>(copy, code, debug);
    case ELFCLASS32:
      return copy_sections<Elf32_Ehdr, Elf32_Shdr>(copy, code, debug);
    default:
      return 0;
  }
}

}  // namespace ingero::kernelside
