// One ELF file that code of a traced process comes from: its bytes, its identity, and where its parts are loaded.
//
// Addresses here are the file's own ("vaddr"), the same in every process. Immutable once opened, shared by all
// processes that map it; any thread. What is read from it is untrusted, and may be another when it is read again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "hal/maps.h"
#include "symbols/elf_parts.h"
#include "symbols/mapped_file.h"

namespace ingero::symbols {

class CodeFile : public std::enable_shared_from_this<CodeFile> {
 public:
  // `root` is where `path` is seen from: "/proc/PID/root", or empty.
  static Result<std::shared_ptr<const CodeFile>> open(const Fd& fd, std::string path, hal::FileId id,
                                                      std::string root = "");

  const std::string& path() const { return path_; }  // as the first process that mapped it names it: untrusted
  const std::string& root() const { return root_; }
  const std::string& build_id() const { return build_id_; }  // hex, or empty
  hal::FileId id() const { return id_; }
  uint64_t identity() const { return identity_; }  // of the content: the build id's, else of name, size and inode
  const MappedFile& mapped() const { return *mapped_; }
  const ElfParts& parts() const { return parts_; }
  bool is_narrow() const { return parts_.is_narrow; }  // of 32-bit x86
  // Copies the file's bytes from `offset` on; how many of `size` it has.
  size_t read(uint64_t offset, void* out, size_t size) const;
  // Where what lies at `file_offset` is loaded, when it is code.
  std::optional<uint64_t> address_of(uint64_t file_offset) const;
  // Bytes of code at `address`; as many of them as the file has.
  std::span<const std::byte> code_at(uint64_t address, size_t size) const;

 private:
  CodeFile() = default;
  std::unique_ptr<MappedFile> mapped_;
  std::string path_, root_, build_id_;
  hal::FileId id_;
  uint64_t identity_ = 0;
  ElfParts parts_;
};

// The files by identity, opened once, and kept until forget_unused(). One thread.
class CodeFiles {
 public:
  // Opens what a process has mapped: the very file, never another of its name. kNotFound: it is gone, and may come
  // again; kBusy: not yet; anything else is for good.
  using OpenMapped = std::function<Result<Fd>(uint32_t pid, const hal::Mapping& mapping)>;
  // The text of /proc/PID/maps.
  using ReadMaps = std::function<Result<std::string>(uint32_t pid)>;
  CodeFiles(OpenMapped open, ReadMaps read_maps, std::string proc_root = "/proc")
      : open_(std::move(open)), read_maps_(std::move(read_maps)), proc_root_(std::move(proc_root)) {}
  Result<std::string> maps_of(uint32_t pid) const { return read_maps_(pid); }
  // The file behind a mapping of `pid`, or null: gone, unreadable, no ELF file. Of what has no file only the kernel's
  // [vdso] is known. `is_final`: asked again, the answer would be the same.
  std::shared_ptr<const CodeFile> find(uint32_t pid, const hal::Mapping& mapping, bool& is_final);
  void release_memory() const;
  // Closes those that no one else has: their processes have ended. What could not be opened is tried again.
  void forget_unused();
  size_t size() const { return files_.size(); }
  // How many were not opened since this was asked last, because kMax are there.
  uint64_t take_refused() { return std::exchange(refused_, 0); }

  static constexpr size_t kMax = 4000;

 private:
  std::shared_ptr<const CodeFile> vdso(const hal::Mapping& mapping);

  OpenMapped open_;
  ReadMaps read_maps_;
  std::string proc_root_;
  std::map<hal::FileId, std::shared_ptr<const CodeFile>> files_;
  std::shared_ptr<const CodeFile> vdso_;
  uint64_t refused_ = 0;
};

}  // namespace ingero::symbols
