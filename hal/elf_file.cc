// Reads ELF headers and sections with pread; checks every offset and count first, because the file is untrusted.
#include "hal/elf_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace ingero::hal {
namespace {

static_assert(std::endian::native == std::endian::little, "headers are read as they lie in the file");

// Far above what linkers write; they only bound the work a made-up header can cause.
constexpr uint64_t kMaxSegments = 4096;
constexpr size_t kMaxLoads = 64;
constexpr uint64_t kMaxSections = uint64_t{1} << 18;

Elf64_Ehdr widened(const Elf32_Ehdr& from) {
  Elf64_Ehdr to{};
  std::memcpy(to.e_ident, from.e_ident, sizeof to.e_ident);
  to.e_type = from.e_type;
  to.e_machine = from.e_machine;
  to.e_version = from.e_version;
  to.e_entry = from.e_entry;
  to.e_phoff = from.e_phoff;
  to.e_shoff = from.e_shoff;
  to.e_flags = from.e_flags;
  to.e_ehsize = from.e_ehsize;
  to.e_phentsize = from.e_phentsize;
  to.e_phnum = from.e_phnum;
  to.e_shentsize = from.e_shentsize;
  to.e_shnum = from.e_shnum;
  to.e_shstrndx = from.e_shstrndx;
  return to;
}

Elf64_Phdr widened(const Elf32_Phdr& from) {
  return {from.p_type,  from.p_flags,  from.p_offset, from.p_vaddr,
          from.p_paddr, from.p_filesz, from.p_memsz,  from.p_align};
}

Elf64_Shdr widened(const Elf32_Shdr& from) {
  return {from.sh_name, from.sh_type, from.sh_flags, from.sh_addr,      from.sh_offset,
          from.sh_size, from.sh_link, from.sh_info,  from.sh_addralign, from.sh_entsize};
}

Elf64_Sym widened(const Elf32_Sym& from) {
  return {from.st_name, from.st_info, from.st_other, from.st_shndx, from.st_value, from.st_size};
}

Elf64_Dyn widened(const Elf32_Dyn& from) { return {from.d_tag, {from.d_un.d_val}}; }

bool fits(uint64_t offset, uint64_t size, uint64_t limit) { return offset <= limit && size <= limit - offset; }

}  // namespace

Error ElfFile::corrupt(std::string_view what) const {
  return {Errc::kCorrupt, fmt::format("{}: damaged ELF file: {}", path_, what)};
}

Result<ElfFile> ElfFile::open(Fd fd, std::string display_path) {
  ElfFile file;
  file.fd_ = std::move(fd);
  file.path_ = std::move(display_path);
  struct stat status {};
  if (fstat(file.fd_.get(), &status) != 0) return errno_error(fmt::format("{}: fstat", file.path_));
  if (!S_ISREG(status.st_mode)) return Error{Errc::kInvalid, fmt::format("{}: not a regular file", file.path_)};
  file.file_bytes_ = static_cast<uint64_t>(status.st_size);

  Elf64_Ehdr& header = file.header_;
  errno = 0;
  const bool is_whole = file.read_some(0, &header, sizeof header) == sizeof header;
  if (!is_whole && errno != 0) return errno_error(fmt::format("{}: read", file.path_));
  if (!is_whole || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return Error{Errc::kNotSupported, fmt::format("{}: not an ELF file", file.path_)};
  }
  Elf32_Ehdr narrow;
  std::memcpy(&narrow, &header, sizeof narrow);
  const bool is_narrow_x86 = header.e_ident[EI_CLASS] == ELFCLASS32 && narrow.e_machine == EM_386;
  if (header.e_ident[EI_DATA] != ELFDATA2LSB || (header.e_ident[EI_CLASS] != ELFCLASS64 && !is_narrow_x86)) {
    return Error{
        Errc::kNotSupported,
        fmt::format("{}: only 64-bit little-endian ELF files, and those of 32-bit x86, can be traced", file.path_)};
  }
  if (is_narrow_x86) header = widened(narrow);
  if (header.e_type != ET_DYN && header.e_type != ET_EXEC) {
    return Error{Errc::kNotSupported, fmt::format("{}: neither a program nor a shared library", file.path_)};
  }
  try {
    INGERO_TRY(file.read_sections());
    INGERO_TRY(file.read_segments());
  } catch (const std::bad_alloc&) {
    return Error{Errc::kFull, fmt::format("{}: no memory for its headers", file.path_)};
  }
  return file;
}

Status ElfFile::read_sections() {
  if (header_.e_shoff == 0) return {};
  const size_t header_bytes = is_narrow() ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
  if (header_.e_shentsize != header_bytes) return corrupt("size of a section header");
  uint64_t count = header_.e_shnum;
  if (count == 0) {  // more than fit in the header: the count is in the first section
    Elf64_Shdr first{};
    if (read_entries<Elf32_Shdr>(header_.e_shoff, std::span(&first, 1)) != 1) return corrupt("first section header");
    count = first.sh_size;
  }
  if (count > kMaxSections) return corrupt(fmt::format("{} sections", count));
  if (!fits(header_.e_shoff, count * header_bytes, file_bytes_)) return corrupt("section headers outside it");
  sections_.resize(count);
  if (read_entries<Elf32_Shdr>(header_.e_shoff, std::span(sections_)) != count) {
    return corrupt("section headers cut short");
  }
  return {};
}

Status ElfFile::read_segments() {
  if (header_.e_phoff == 0) return corrupt("no program headers");
  const size_t header_bytes = is_narrow() ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
  if (header_.e_phentsize != header_bytes) return corrupt("size of a program header");
  uint64_t count = header_.e_phnum;
  if (count == PN_XNUM) count = sections_.empty() ? 0 : sections_[0].sh_info;
  if (count == 0 || count > kMaxSegments) return corrupt(fmt::format("{} program headers", count));
  if (!fits(header_.e_phoff, count * header_bytes, file_bytes_)) return corrupt("program headers outside it");
  segments_.resize(count);
  if (read_entries<Elf32_Phdr>(header_.e_phoff, std::span(segments_)) != count) {
    return corrupt("program headers cut short");
  }
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || segment.p_filesz == 0) continue;
    if (loads_.size() == kMaxLoads) return corrupt(fmt::format("more than {} loaded segments", kMaxLoads));
    loads_.push_back(segment);
  }
  return {};
}

const Elf64_Shdr* ElfFile::section_of_type(uint32_t type) const {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type == type) return &section;
  }
  return nullptr;
}

const Elf64_Shdr* ElfFile::section(uint32_t index) const {
  return index < sections_.size() ? &sections_[index] : nullptr;
}

const Elf64_Phdr* ElfFile::segment_of_type(uint32_t type) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == type) return &segment;
  }
  return nullptr;
}

Result<Bytes> ElfFile::read(uint64_t offset, uint64_t size, std::string_view what) const {
  if (!fits(offset, size, file_bytes_)) return corrupt(fmt::format("{} outside the file", what));
  if (size > kMaxPiece) {
    return Error{Errc::kNotSupported, fmt::format("{}: its {} of {} bytes exceeds the limit", path_, what, size)};
  }
  Bytes bytes{std::make_unique_for_overwrite<char[]>(size), size};
  errno = 0;
  if (read_some(offset, bytes.data.get(), size) == size) return bytes;
  if (errno != 0) return errno_error(fmt::format("{}: read its {}", path_, what));
  return corrupt(fmt::format("{} cut short", what));
}

size_t ElfFile::read_some(uint64_t offset, void* out, size_t size) const {
  if (offset > file_bytes_) return 0;  // also keeps off_t positive
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(fd_.get(), static_cast<char*>(out) + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = 0;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

template <typename Narrow, typename Wide>
size_t ElfFile::read_entries(uint64_t offset, std::span<Wide> out) const {
  if (!is_narrow()) return read_some(offset, out.data(), out.size_bytes()) / sizeof(Wide);
  std::vector<Narrow> raw(out.size());
  const size_t got = read_some(offset, raw.data(), raw.size() * sizeof(Narrow)) / sizeof(Narrow);
  std::transform(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(got), out.begin(),
                 [](const Narrow& entry) { return widened(entry); });
  return got;
}

size_t ElfFile::read_symbols(uint64_t offset, std::span<Elf64_Sym> out) const {
  return read_entries<Elf32_Sym>(offset, out);
}

size_t ElfFile::read_dynamic(uint64_t offset, std::span<Elf64_Dyn> out) const {
  return read_entries<Elf32_Dyn>(offset, out);
}

std::optional<uint64_t> ElfFile::offset_of(uint64_t address, bool executable) const {
  for (const Elf64_Phdr& load : loads_) {
    if (executable && (load.p_flags & PF_X) == 0) continue;
    if (address < load.p_vaddr || address - load.p_vaddr >= load.p_filesz) continue;
    const uint64_t delta = address - load.p_vaddr;
    if (load.p_offset >= file_bytes_ || delta >= file_bytes_ - load.p_offset) return std::nullopt;
    return load.p_offset + delta;
  }
  return std::nullopt;
}

}  // namespace ingero::hal
