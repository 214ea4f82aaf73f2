// Maps a page of each file and looks at those mappings from inside the kernel.
#include "kernelside/file_watch.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "bpf/wire.h"
#include "kernelside/mapping_iterator.h"

namespace ingero::kernelside {
namespace {

const uint64_t kPage = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));

}  // namespace

UseLookup kernel_uses() {
  const auto walk = std::make_shared<MappingIterator>();
  return {[walk] { return walk->load([](const files& object) { return object.progs.emit_uses; }); },
          [walk] { return walk->open(); }};
}

FileWatch::~FileWatch() {
  for (const uint64_t mark : marks_) munmap(reinterpret_cast<void*>(mark), kPage);
}

uint64_t FileWatch::add(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return 0;
  // Behind the end: no probe is ever there, so the kernel places none in this mapping.
  const off_t behind = static_cast<off_t>((static_cast<uint64_t>(status.st_size) + kPage - 1) / kPage * kPage);
  void* const page = mmap(nullptr, kPage, PROT_NONE, MAP_PRIVATE, fd, behind);
  if (page == MAP_FAILED) return 0;
  const auto mark = reinterpret_cast<uint64_t>(page);
  marks_.insert(mark);
  return mark;
}

void FileWatch::remove(uint64_t mark) {
  if (marks_.erase(mark) > 0) munmap(reinterpret_cast<void*>(mark), kPage);
}

Status FileWatch::prepare() {
  if (!is_loaded_) INGERO_TRY(lookup_.load());
  is_loaded_ = true;
  return {};
}

Result<std::map<uint64_t, FileWatch::Use>> FileWatch::look() {
  std::map<uint64_t, Use> uses;
  if (marks_.empty()) return uses;
  INGERO_TRY(prepare());
  const auto answer = lookup_.open();
  INGERO_TRY(answer);
  std::array<char, 128 * sizeof(wire_use)> buffer;
  size_t held = 0;
  while (true) {
    const ssize_t got = ::read(answer->get(), buffer.data() + held, buffer.size() - held);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got < 0) return errno_error("look up the mapped files");
    if (got == 0) break;
    held += static_cast<size_t>(got);
    size_t taken = 0;
    for (; held - taken >= sizeof(wire_use); taken += sizeof(wire_use)) {
      wire_use use{};
      std::memcpy(&use, buffer.data() + taken, sizeof(use));
      if (marks_.contains(use.start)) uses[use.start] = {use.is_mapped != 0, use.names == 0};
    }
    std::memmove(buffer.data(), buffer.data() + taken, held - taken);
    held -= taken;
  }
  return uses;
}

}  // namespace ingero::kernelside
