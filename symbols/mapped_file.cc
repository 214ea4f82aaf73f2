// Maps files, and handles the SIGBUS of an access to a page that the file's owner has truncated.
#include "symbols/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace ingero::symbols {
namespace {

constexpr size_t kMaxFiles = 8192;

struct Range {
  std::atomic<uintptr_t> start{0}, end{0};  // end 0: free
};
std::array<Range, kMaxFiles> ranges;
std::mutex ranges_mutex;
struct sigaction previous;

// Only what may be called in a signal handler: mmap is a system call and nothing more.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Range& range : ranges) {
    if (at < range.start.load(std::memory_order_relaxed) || at >= range.end.load(std::memory_order_relaxed)) continue;
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    void* start = reinterpret_cast<void*>(at & ~(page - 1));
    if (mmap(start, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) return;
  }
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
    return;
  }
  std::signal(SIGBUS, SIG_DFL);  // the access is made again, and ends the program as it would have
}

void watch_bus_errors() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, &previous);
  });
}

}  // namespace

Result<std::unique_ptr<MappedFile>> MappedFile::open(const Fd& fd) {
  watch_bus_errors();
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) return errno_error("stat a mapped file");
  if (!S_ISREG(status.st_mode) || status.st_size <= 0)
    return Error(Errc::kInvalid, "a file that should be mapped is empty or not a regular file");
  const auto size = static_cast<size_t>(status.st_size);
  const std::scoped_lock lock(ranges_mutex);
  size_t slot = 0;
  while (slot < kMaxFiles && ranges[slot].end.load(std::memory_order_relaxed) != 0) ++slot;
  if (slot == kMaxFiles)
    return Error(Errc::kFull, fmt::format("{} files are mapped for their symbols already", kMaxFiles));
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (data == MAP_FAILED) return errno_error("map a file for its symbols");
  const auto start = reinterpret_cast<uintptr_t>(data);
  ranges[slot].start.store(start, std::memory_order_relaxed);
  ranges[slot].end.store(start + size, std::memory_order_release);
  return std::unique_ptr<MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size, slot));
}

MappedFile::~MappedFile() {
  const std::scoped_lock lock(ranges_mutex);
  ranges[slot_].end.store(0, std::memory_order_relaxed);
  munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::release() const { madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED); }

}  // namespace ingero::symbols
