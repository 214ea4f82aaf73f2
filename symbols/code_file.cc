// Opens a file by its headers, and copies from its mapped bytes.
#include "symbols/code_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/hash.h"
#include "base/text.h"

namespace ingero::symbols {
namespace {

constexpr size_t kMaxMapsBytes = 1 << 20;
constexpr std::string_view kVdso = "[vdso]";

// The NT_GNU_BUILD_ID of a segment of notes.
std::string build_id_in(const CodeFile& file, const Segment& notes) {
  uint64_t at = 0;
  Elf64_Nhdr note;
  std::array<char, 4> name;
  std::array<uint8_t, 64> description;
  const auto read = [&](uint64_t from, void* out, uint64_t size) {
    return from <= notes.bytes && size <= notes.bytes - from && file.read(notes.offset + from, out, size) == size;
  };
  while (read(at, &note, sizeof note)) {
    const uint64_t name_at = at + sizeof note;
    const uint64_t description_at = name_at + ((uint64_t{note.n_namesz} + 3) & ~uint64_t{3});
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == name.size() && note.n_descsz > 0 &&
        note.n_descsz <= description.size() && read(name_at, name.data(), name.size()) &&
        std::memcmp(name.data(), "GNU", name.size()) == 0 && read(description_at, description.data(), note.n_descsz)) {
      return to_hex(description.data(), note.n_descsz);
    }
    at = description_at + ((uint64_t{note.n_descsz} + 3) & ~uint64_t{3});
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const CodeFile>> CodeFile::open(const Fd& fd, std::string path, hal::FileId id,
                                                       std::string root) {
  const auto parts = hal::ElfFile::open(Fd(fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)), printable(path));
  if (!parts.ok()) return parts.error();
  auto mapped = MappedFile::open(fd);
  if (!mapped.ok()) return mapped.error().in(printable(path));
  std::shared_ptr<CodeFile> file(new CodeFile());
  file->mapped_ = std::move(*mapped);
  file->parts_ = ElfParts::of(*parts);
  for (const Segment& notes : file->parts_.notes) {
    if (file->build_id_.empty()) file->build_id_ = build_id_in(*file, notes);
  }
  const size_t bytes = file->mapped_->bytes().size();
  file->identity_ = file->build_id_.empty()
                        ? Fnv1a().add(fmt::format("{} {} {}", bytes, id.device, id.inode)).add(path).value()
                        : fnv1a(file->build_id_);
  file->path_ = std::move(path);
  file->root_ = std::move(root);
  file->id_ = id;
  return std::shared_ptr<const CodeFile>(std::move(file));
}

size_t CodeFile::read(uint64_t offset, void* out, size_t size) const {
  const auto bytes = mapped_->bytes();
  if (offset >= bytes.size()) return 0;
  const size_t copied = std::min<uint64_t>(size, bytes.size() - offset);
  std::memcpy(out, bytes.data() + offset, copied);
  // What is checked is what was copied: the compiler must not read the file again for it.
  asm volatile("" : : "r"(out) : "memory");
  return copied;
}

std::optional<uint64_t> CodeFile::address_of(uint64_t file_offset) const {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (const Segment& load : parts_.loads) {
    // A mapping starts at a page; what lies before the segment on its first page is code as well.
    if (!load.is_code || file_offset < (load.offset & ~(page - 1)) || file_offset >= load.offset + load.bytes) continue;
    return load.address + file_offset - load.offset;
  }
  return std::nullopt;
}

std::span<const std::byte> CodeFile::code_at(uint64_t address, size_t size) const {
  for (const Segment& load : parts_.loads) {
    if (!load.is_code || address < load.address || address - load.address >= load.bytes) continue;
    const uint64_t at = address - load.address;
    const auto bytes = mapped_->bytes();
    if (load.offset >= bytes.size()) return {};
    const auto rest = bytes.subspan(load.offset);
    return at < rest.size() ? rest.subspan(at, std::min<uint64_t>({size, load.bytes - at, rest.size() - at}))
                            : std::span<const std::byte>();
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
