// Checks pagemap, maps and mountinfo before it reads with process_vm_readv, so that no read waits for a foreign page.
#include "kernelside/foreign_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/fd.h"
#include "base/text.h"
#include "hal/maps.h"
#include "hal/mounts.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxMaps = 64 << 20;
constexpr size_t kMaxMounts = 16 << 20;
constexpr uint64_t kPresent = uint64_t{1} << 63;  // Documentation/admin-guide/mm/pagemap.rst
constexpr uint64_t kSwapped = uint64_t{1} << 62;

// Whether a page that is not present may be faulted in: 0, or EFAULT (not mapped), or EAGAIN (another program fills
// it).
int bring_in(const std::string& process, uint64_t address) {
  const auto maps = read_file(process + "/maps", kMaxMaps);
  if (!maps.ok()) return EFAULT;
  for (const std::string_view line : split(*maps, '\n')) {
    hal::Mapping mapping;
    if (!hal::parse_maps_line(line, mapping) || address < mapping.start || address >= mapping.end) continue;
    if (mapping.file.inode == 0) return EFAULT;
    const auto text = read_file(process + "/mountinfo", kMaxMounts);
    if (!text.ok()) return EFAULT;
    const hal::Mounts mounts(*text);
    const hal::Mount* mount = mounts.by_device(mapping.file.device);
    return mount != nullptr && hal::is_disk_type(mount->type) ? 0 : EAGAIN;
  }
  return EFAULT;
}

}  // namespace

ssize_t read_foreign_memory(const std::string& proc_root, uint32_t pid, uint64_t address, void* out, size_t size) {
  const std::string process = fmt::format("{}/{}", proc_root, pid);
  const Fd pagemap(::open((process + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC));
  if (!pagemap.valid()) return -1;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (size > UINT64_MAX - address) size = UINT64_MAX - address;
  size_t allowed = 0;
  int refused = EFAULT;
  while (allowed < size) {
    const uint64_t at = address + allowed;
    uint64_t entry = 0;
    const ssize_t got = pread(pagemap.get(), &entry, sizeof(entry), static_cast<off_t>(at / page * sizeof(entry)));
    if (got != static_cast<ssize_t>(sizeof(entry))) break;  // beyond what a process can have
    refused = (entry & (kPresent | kSwapped)) != 0 ? 0 : bring_in(process, at);
    if (refused != 0) break;
    allowed += std::min<uint64_t>(size - allowed, page - at % page);
  }
  if (allowed == 0) {
    errno = refused != 0 ? refused : EFAULT;
    return -1;
  }
  iovec local{out, allowed};
  iovec remote{reinterpret_cast<void*>(address), allowed};  // NOLINT(performance-no-int-to-ptr): an address over there
  return process_vm_readv(static_cast<pid_t>(pid), &local, 1, &remote, 1, 0);
}

}  // namespace ingero::kernelside
