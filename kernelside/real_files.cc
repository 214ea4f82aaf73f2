// Maps a page of the file and looks at the mapping from inside the kernel.
#include "kernelside/real_files.h"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>

#include "bpf/wire.h"
#include "kernelside/mapping_iterator.h"

namespace ingero::kernelside {
namespace {

// One page of a file, for as long as the kernel is asked about it.
class Page {
 public:
  explicit Page(int fd) : address_(mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, fd, 0)) {}
  ~Page() {
    if (mapped()) munmap(address_, kBytes);
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  bool mapped() const { return address_ != MAP_FAILED; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(address_); }

 private:
  static constexpr size_t kBytes = 4096;
  void* address_;
};

}  // namespace

MappingLookup kernel_lookup() {
  const auto walk = std::make_shared<MappingIterator>();
  return {[walk] { return walk->load([](const files& object) { return object.progs.emit_file; }); },
          [walk](uint64_t address) {
            walk->object->bss->mapped_at = address;
            return walk->open();
          }};
}

bool RealFiles::layered(int fd, int (*look)(int fd, struct statfs* status)) {
  struct statfs status {};
  return look(fd, &status) == 0 && status.f_type == OVERLAYFS_SUPER_MAGIC;
}

Result<hal::FileId> RealFiles::find(int fd) {
  if (!is_loaded_) INGERO_TRY(lookup_.load());
  is_loaded_ = true;
  const Page page(fd);
  if (!page.mapped()) return errno_error("map the file");
  const auto answer = lookup_.open(page.address());
  INGERO_TRY(answer);
  wire_file file{};
  ssize_t got = 0;
  do {
    got = ::read(answer->get(), &file, sizeof(file));
  } while (got < 0 && (errno == EAGAIN || errno == EINTR));
  if (got != static_cast<ssize_t>(sizeof(file))) {
    return Error(Errc::kNotFound, "look up the mapped file: the kernel did not report one");
  }
  // The kernel keeps major << 20 | minor; stat(2) and /proc spell the two apart.
  return hal::FileId{makedev(static_cast<unsigned>(file.device >> 20U), static_cast<unsigned>(file.device & 0xfffffU)),
                     file.inode};
}

}  // namespace ingero::kernelside
