// Program headers and build id, read from the mapped bytes with every offset checked.
#include "symbols/code_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/hash.h"
#include "base/text.h"

namespace ingero::symbols {
namespace {

constexpr size_t kMaxSegments = 256;
constexpr size_t kMaxMapsBytes = 1 << 20;
constexpr std::string_view kVdso = "[vdso]";

template <typename T>
bool read_at(std::span<const std::byte> bytes, uint64_t offset, T& out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return true;
}

// The NT_GNU_BUILD_ID of a note segment.
std::string build_id_in(std::span<const std::byte> notes) {
  uint64_t at = 0;
  Elf64_Nhdr note;
  while (read_at(notes, at, note)) {
    const uint64_t name = at + sizeof(note);
    const uint64_t description = name + ((uint64_t{note.n_namesz} + 3) & ~uint64_t{3});
    if (description > notes.size() || note.n_descsz > notes.size() - description) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz > 0 && note.n_descsz <= 64 &&
        std::memcmp(notes.data() + name, "GNU", 4) == 0) {
      return to_hex(reinterpret_cast<const uint8_t*>(notes.data() + description), note.n_descsz);
    }
    at = description + ((uint64_t{note.n_descsz} + 3) & ~uint64_t{3});
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const CodeFile>> CodeFile::open(const Fd& fd, std::string path, hal::FileId id,
                                                       std::string root) {
  auto mapped = MappedFile::open(fd);
  if (!mapped.ok()) return mapped.error().in(printable(path));
  auto scratch = MappedFile::open(fd, true);
  if (!scratch.ok()) return scratch.error().in(printable(path));
  const auto bytes = (*mapped)->bytes();
  std::array<unsigned char, EI_NIDENT> ident{};
  std::shared_ptr<CodeFile> file(new CodeFile());
  const bool is_elf =
      read_at(bytes, 0, ident) && std::memcmp(ident.data(), ELFMAG, SELFMAG) == 0 && ident[EI_DATA] == ELFDATA2LSB;
  file->is_narrow_ = ident[EI_CLASS] == ELFCLASS32;
  const bool is_read = is_elf && (file->is_narrow_ ? file->read_segments<Elf32_Ehdr, Elf32_Phdr>(bytes)
                                                   : file->read_segments<Elf64_Ehdr, Elf64_Phdr>(bytes));
  if (!is_read) {
    return Error(Errc::kNotSupported,
                 fmt::format("{}: neither a 64-bit ELF file nor one of 32-bit x86", printable(path)));
  }
  file->identity_ = file->build_id_.empty()
                        ? Fnv1a().add(fmt::format("{} {} {}", bytes.size(), id.device, id.inode)).add(path).value()
                        : fnv1a(file->build_id_);
  file->mapped_ = std::move(*mapped);
  file->scratch_ = std::move(*scratch);
  file->path_ = std::move(path);
  file->root_ = std::move(root);
  file->id_ = id;
  return std::shared_ptr<const CodeFile>(std::move(file));
}

template <typename Header, typename Segment>
bool CodeFile::read_segments(std::span<const std::byte> bytes) {
  Header header;
  if (!read_at(bytes, 0, header) || header.e_phentsize != sizeof(Segment) || header.e_phnum > kMaxSegments ||
      header.e_ident[EI_CLASS] != (is_narrow_ ? ELFCLASS32 : ELFCLASS64) ||
      (is_narrow_ && header.e_machine != EM_386)) {
    return false;
  }
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Segment segment;
    if (!read_at(bytes, header.e_phoff + i * sizeof(segment), segment)) break;
    if (segment.p_offset > bytes.size()) continue;
    const uint64_t size = std::min<uint64_t>(segment.p_filesz, bytes.size() - segment.p_offset);
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
      loads_.push_back({segment.p_offset, segment.p_vaddr, size});
    } else if (segment.p_type == PT_NOTE && build_id_.empty()) {
      build_id_ = build_id_in(bytes.subspan(segment.p_offset, size));
    }
  }
  return true;
}

std::optional<uint64_t> CodeFile::address_of(uint64_t file_offset) const {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (const Load& load : loads_) {
    // A mapping starts at a page; what lies before the segment on its first page is code as well.
    if (file_offset < (load.offset & ~(page - 1)) || file_offset >= load.offset + load.bytes) continue;
    return load.address + file_offset - load.offset;
  }
  return std::nullopt;
}

std::span<const std::byte> CodeFile::code_at(uint64_t address, size_t size) const {
  for (const Load& load : loads_) {
    if (address < load.address || address - load.address >= load.bytes) continue;
    const uint64_t at = address - load.address;
    return mapped_->bytes().subspan(load.offset + at, std::min<uint64_t>(size, load.bytes - at));
  }
  return {};
}

// The code that the kernel maps into every process: this one's is the same, where the other has as much of it and is of
// 64 bits too.
std::shared_ptr<const CodeFile> CodeFiles::vdso(const hal::Mapping& mapping) {
  if (!vdso_) {
    const auto maps = read_file("/proc/self/maps", kMaxMapsBytes);
    if (!maps.ok()) return nullptr;
    hal::Mapping own;
    for (const std::string_view line : split(*maps, '\n')) {
      if (hal::parse_maps_line(line, own) && own.untrusted_path == kVdso) break;
      own = {};
    }
    const Fd copy(memfd_create("vdso", MFD_CLOEXEC));
    const size_t size = own.end - own.start;
    if (size == 0 || write(copy.get(), reinterpret_cast<const void*>(own.start), size) != static_cast<ssize_t>(size)) {
      return nullptr;
    }
    auto opened = CodeFile::open(copy, std::string(kVdso), {});
    if (!opened.ok()) return nullptr;
    vdso_ = *opened;
  }
  const bool same = mapping.end - mapping.start == vdso_->mapped().bytes().size() && mapping.start > UINT32_MAX;
  return same ? vdso_ : nullptr;
}

std::shared_ptr<const CodeFile> CodeFiles::find(uint32_t pid, const hal::Mapping& mapping, bool& is_final) {
  is_final = true;
  if (mapping.file.inode == 0) return mapping.untrusted_path == kVdso ? vdso(mapping) : nullptr;
  if (const auto found = files_.find(mapping.file); found != files_.end()) return found->second;
  if (files_.size() >= kMax) {
    ++refused_;
    return nullptr;
  }
  const auto fd = open_(pid, mapping);
  if (!fd.ok()) {
    is_final = fd.error().code() != Errc::kBusy;
    // The process, or the file by its name, may be gone; a file that exists and could not be read is not retried.
    if (is_final && fd.error().code() != Errc::kNotFound) files_[mapping.file] = nullptr;
    return nullptr;
  }
  auto opened = CodeFile::open(*fd, mapping.untrusted_path, mapping.file, fmt::format("{}/{}/root", proc_root_, pid));
  return files_[mapping.file] = opened.ok() ? *opened : nullptr;
}

void CodeFiles::forget_unused() {
  // Only from this map could another thread come by one of these.
  std::erase_if(files_, [](const auto& entry) { return entry.second.use_count() <= 1; });
}

void CodeFiles::release_memory() const {
  for (const auto& [id, file] : files_) {
    if (file) file->mapped().release();
  }
}

}  // namespace ingero::symbols
