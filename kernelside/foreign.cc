// Decides by the mount which files are opened here and which by a helper, and caches copies and refusals.
#include "kernelside/foreign.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "kernelside/privilege.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxMountinfo = 16 << 20;
constexpr size_t kMaxRemembered = 4096;
constexpr FileParts kAll{.code = true, .debug = true};
constexpr uint64_t kSilentFor = 60 * kSecond;
constexpr uint64_t kMountsValidFor = kSecond;

uint64_t inode_of(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

// The namespace of a process's mounts, and the user namespace that owns it. 0: not known.
std::pair<uint64_t, uint64_t> mount_namespace(const std::string& process) {
  const Fd mounts(::open((process + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
  if (!mounts.valid()) return {0, 0};
  const Fd owner(ioctl(mounts.get(), NS_GET_USERNS));
  return {inode_of(mounts.get()), owner.valid() ? inode_of(owner.get()) : 0};
}

}  // namespace

Foreign::Foreign(std::unique_ptr<Helpers> helpers, hal::LossLedger& ledger, std::string proc_root, const Clock& clock,
                 uint64_t max_copied_bytes)
    : helpers_(std::move(helpers)),
      ledger_(ledger),
      proc_root_(std::move(proc_root)),
      clock_(clock),
      max_copied_bytes_(max_copied_bytes) {
  const Fd own(::open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC));
  if (own.valid()) own_user_namespace_ = inode_of(own.get());
  const Fd memory(memfd_create("ingero-device", MFD_CLOEXEC));
  struct stat status {};
  if (memory.valid() && fstat(memory.get(), &status) == 0) memory_device_ = status.st_dev;
}

Foreign::~Foreign() { stop(); }

Foreign::Namespace Foreign::mounts_of(uint32_t pid) {
  const std::string process = pid == 0 ? "/proc/self" : fmt::format("{}/{}", proc_root_, pid);
  const auto [inode, owner] = mount_namespace(process);
  Namespace found;
  found.is_ours = owner != 0 && owner == own_user_namespace_;
  // Of a namespace that a user owns nothing is kept: numbers of mounts are used again, and he can see to it.
  const bool is_kept = inode != 0 && found.is_ours;
  const uint64_t now = clock_.mono_ns();
  if (is_kept) {
    const std::scoped_lock lock(mutex_);
    const auto known = namespaces_.find(inode);
    if (known != namespaces_.end() && now < known->second.until_ns) {
      found.mounts = known->second.mounts;
      return found;
    }
  }
  const auto text = read_file(process + "/mountinfo", kMaxMountinfo);
  found.mounts = std::make_shared<const hal::Mounts>(text.ok() ? std::string_view(*text) : std::string_view());
  if (is_kept && text.ok()) {
    const std::scoped_lock lock(mutex_);
    if (namespaces_.size() >= kMaxRemembered) namespaces_.clear();
    namespaces_[inode] = {found.mounts, now + kMountsValidFor};
  }
  return found;
}

// From the mount table; without a request to the file system.
Result<ForeignFile> Foreign::examined(Fd path, uint32_t pid, std::string name) {
  struct statx status {};
  constexpr unsigned kWanted = STATX_TYPE | STATX_INO | STATX_UID | STATX_CTIME | STATX_BTIME | STATX_MNT_ID;
  if (statx(path.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, kWanted, &status) != 0) {
    return errno_error(fmt::format("stat {}", printable(name, 4096)));
  }
  if (!S_ISREG(status.stx_mode)) return Error(Errc::kInvalid, fmt::format("{}: not a file", printable(name, 4096)));
  ForeignFile file;
  file.path = std::move(path);
  file.id = {makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino};
  file.mount_device = file.id.device;
  const statx_timestamp& born = (status.stx_mask & STATX_BTIME) != 0 ? status.stx_btime : status.stx_ctime;
  file.born_ns = static_cast<uint64_t>(born.tv_sec) * kSecond + born.tv_nsec;
  file.owner = status.stx_uid;
  file.untrusted_name = std::move(name);
  const auto mount_in = [&](const Namespace& in) {
    return (status.stx_mask & STATX_MNT_ID) != 0 ? in.mounts->by_id(status.stx_mnt_id) : nullptr;
  };
  Namespace theirs = mounts_of(pid);
  const Namespace ours = pid == 0 ? theirs : mounts_of(0);
  const hal::Mount* mount = mount_in(theirs);
  if (mount == nullptr) {  // it may be newer than what is kept
    {
      const std::scoped_lock lock(mutex_);
      namespaces_.clear();
    }
    theirs = mounts_of(pid);
    mount = mount_in(theirs);
  }
  if (mount != nullptr) {
    file.reach = hal::reach_of(*mount, *ours.mounts, theirs.is_ours);
    file.mount = printable(fmt::format("{} at {}", mount->type, mount->untrusted_point), 1024);
    return file;
  }
  // The kernel's own, or one that was unmounted while its files are in use: by the device, if that is a disk.
  const hal::Mount* same = ours.mounts->by_device(file.id.device);
  const bool is_local = file.id.device == memory_device_ || (same != nullptr && hal::is_local_type(same->type));
  file.reach = is_local ? hal::Reach::kLocal : hal::Reach::kUser;
  return file;
}

namespace {

// A name below this root, as far as the kernel has the whole way in memory: it asks no file system then (openat2(2),
// RESOLVE_CACHED).
Fd cached_below(const std::string& root, const std::string& name) {
  const Fd folder(::open(root.c_str(), O_PATH | O_CLOEXEC | O_DIRECTORY));
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_CACHED | RESOLVE_IN_ROOT;
  return Fd(static_cast<int>(syscall(SYS_openat2, folder.get(), name.c_str(), &how, sizeof(how))));
}

}  // namespace

// By name, as the process or else as we see it.
Fd Foreign::cached_path(const std::string& process, const hal::Mapping& mapping) const {
  if (!mapping.untrusted_path.starts_with('/')) return {};
  for (const std::string& root : {process + "/root", std::string("/")}) {
    Fd path = cached_below(root, mapping.untrusted_path);
    struct statx status {};
    // A name may have been replaced since it was mapped. (Devices differ under overlay file systems.)
    if (path.valid() && statx(path.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &status) == 0 &&
        status.stx_ino == mapping.file.inode) {
      return path;
    }
  }
  return {};
}

Result<ForeignFile> Foreign::find(uint32_t pid, const hal::Mapping& mapping) {
  const Raised raised;
  const std::string process = fmt::format("{}/{}", proc_root_, pid);
  Fd path(
      ::open(fmt::format("{}/map_files/{:x}-{:x}", process, mapping.start, mapping.end).c_str(), O_PATH | O_CLOEXEC));
  if (path.valid()) return examined(std::move(path), pid, mapping.untrusted_path);
  if (Fd cached = cached_path(process, mapping); cached.valid()) {
    return examined(std::move(cached), pid, mapping.untrusted_path);
  }
  if (::access(process.c_str(), F_OK) != 0) return errno_error(process);
  auto opened = helpers_->find(process + "/root" + mapping.untrusted_path);
  INGERO_TRY(opened);
  // A name may have been replaced since it was mapped. (Devices differ under overlay file systems.)
  if (opened->facts.inode != mapping.file.inode) {
    return Error(Errc::kNotFound,
                 fmt::format("{}: the path now leads to another file", printable(mapping.untrusted_path, 4096)));
  }
  return examined(std::move(opened->path), pid, mapping.untrusted_path);
}

Result<ForeignFile> Foreign::find(const std::string& path, uint32_t pid) {
  const Raised raised;
  if (path.starts_with(fmt::format("{}/{}/fd/", proc_root_, pid))) {  // leads to the file itself, not by its name
    Fd named(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!named.valid()) return errno_error(fmt::format("open {}", path));
    return examined(std::move(named), pid, path);
  }
  const std::string root = fmt::format("{}/{}/root", proc_root_, pid);
  const bool is_theirs = path.starts_with(root + "/");
  if (Fd cached = cached_below(is_theirs ? root : "/", is_theirs ? path.substr(root.size()) : path); cached.valid()) {
    return examined(std::move(cached), pid, path);
  }
  if (are_names_silent()) return Error(Errc::kBusy, "file lookups are paused, because one did not return recently");
  auto opened = helpers_->find(path);
  if (opened.ok()) return examined(std::move(opened->path), pid, path);
  if (Helpers::is_silence(opened.error())) {
    const std::scoped_lock lock(mutex_);
    names_silent_until_ns_ = clock_.mono_ns() + kSilentFor;
  }
  return opened.error();
}

bool Foreign::are_names_silent() {
  const std::scoped_lock lock(mutex_);
  return clock_.mono_ns() < names_silent_until_ns_;
}

Result<Fd> Foreign::open(const ForeignFile& file, FileParts parts) {
  const Raised raised;
  const std::string name = printable(file.untrusted_name, 4096);
  if (file.reach == hal::Reach::kLocal) {
    Fd opened(
        ::open(fmt::format("/proc/self/fd/{}", file.path.get()).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!opened.valid()) return errno_error(fmt::format("open {}", name));
    return opened;
  }
  if (is_silent(file)) {
    return Error(Errc::kBusy,
                 fmt::format("its file system ({}) did not respond recently; it is tried again within {} s", file.mount,
                             kSilentFor / kSecond));
  }
  auto copied = helpers_->copy(file.path, parts, name);
  if (copied.ok()) return copied;
  note_silence(file, copied.error());
  return copied.error().in(fmt::format("its file system ({})", file.mount));
}

Result<uint64_t> Foreign::pin(const ForeignFile& file, std::span<const uint64_t> offsets) {
  if (file.reach == hal::Reach::kLocal) return uint64_t{0};
  auto pinned = helpers_->pin(file.path, offsets, printable(file.untrusted_name, 4096));
  if (!pinned.ok()) note_silence(file, pinned.error());
  return pinned;
}

// With mutex_ held.
Result<Fd> Foreign::use(Copy& copy, const std::string& name) {
  copy.used = ++uses_;
  if (!copy.is_over) return Error(Errc::kBusy, fmt::format("{}: still being copied", name));
  if (!copy.fd.valid()) return Error(Errc::kIo, fmt::format("{}: not copied: it could not be read", name));
  return Fd(fcntl(copy.fd.get(), F_DUPFD_CLOEXEC, 0));
}

// With mutex_ held. The copy that was not used for longest, or likewise of all files that were looked at; it is made
// again when it is asked for. False: there is none.
bool Foreign::drop_oldest(bool with_bytes) {
  auto oldest = copies_.end();
  for (auto one = copies_.begin(); one != copies_.end(); ++one) {
    if (!one->second.is_over || (with_bytes && !one->second.fd.valid())) continue;
    if (oldest == copies_.end() || one->second.used < oldest->second.used) oldest = one;
  }
  if (oldest == copies_.end()) return false;
  copied_bytes_ -= oldest->second.bytes;
  copies_.erase(oldest);
  return true;
}

Result<Fd> Foreign::open_soon(uint32_t pid, const hal::Mapping& mapping) {
  const Raised raised;
  const std::string name = printable(mapping.untrusted_path, 4096);
  const std::string process = fmt::format("{}/{}", proc_root_, pid);
  Fd path(
      ::open(fmt::format("{}/map_files/{:x}-{:x}", process, mapping.start, mapping.end).c_str(), O_PATH | O_CLOEXEC));
  if (!path.valid()) path = cached_path(process, mapping);
  if (!path.valid()) {  // it has ended: the last file of that number is most likely its
    const std::scoped_lock lock(mutex_);
    const auto behind = copies_.upper_bound({mapping.file, UINT64_MAX});
    if (behind != copies_.begin() && std::prev(behind)->first.id == mapping.file) {
      return use(std::prev(behind)->second, name);
    }
    return Error(Errc::kNotFound, fmt::format("{}: process {} ended, or the file was removed", name, pid));
  }
  auto file = examined(std::move(path), pid, mapping.untrusted_path);
  INGERO_TRY(file);
  if (file->reach == hal::Reach::kLocal) return open(*file, kAll);
  const CopyKey key{mapping.file, file->born_ns};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = copies_.find(key); known != copies_.end()) return use(known->second, name);
    if (copies_.size() >= kMaxRemembered) drop_oldest(false);
    copies_[key].used = ++uses_;
  }
  const auto kept = std::make_shared<const ForeignFile>(std::move(*file));
  if (!later([this, key, kept] { copy_for(key, *kept); })) {
    const std::scoped_lock lock(mutex_);
    copies_.erase(key);
  }
  return Error(Errc::kBusy, fmt::format("{}: still being copied", name));
}

void Foreign::copy_for(const CopyKey& key, const ForeignFile& file) {
  auto copied = open(file, kAll);
  struct stat status {};
  const uint64_t bytes = copied.ok() && fstat(copied->get(), &status) == 0 ? status.st_blocks * 512ULL : 0;
  if (bytes > max_copied_bytes_) {
    copied = Error(Errc::kFull, fmt::format("more than the {} MiB of copies that are kept", max_copied_bytes_ >> 20));
  }
  if (!copied.ok()) give_up(file, copied.error());
  const std::scoped_lock lock(mutex_);
  copies_[key].is_over = true;
  if (!copied.ok()) return;
  while (copied_bytes_ + bytes > max_copied_bytes_ && drop_oldest(true)) {
  }
  copied_bytes_ += bytes;
  copies_[key].bytes = bytes;
  copies_[key].fd = std::move(*copied);
}

Result<Fd> Foreign::open_named(const std::string& path) {
  auto file = find(path, 0);
  INGERO_TRY(file);
  return open(*file, kAll);
}

bool Foreign::later(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  if (stopping_ || work_.size() >= kMaxRemembered) return false;
  work_.push_back(std::move(work));
  if (started_ && !thread_.joinable()) thread_ = std::thread([this] { work_off(); });
  wake_.notify_one();
  return true;
}

void Foreign::start() {
  const std::scoped_lock lock(mutex_);
  started_ = true;
  if (!stopping_ && !work_.empty() && !thread_.joinable()) thread_ = std::thread([this] { work_off(); });
}

void Foreign::work_off() {
  pthread_setname_np(pthread_self(), "ingero-files");
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || !work_.empty(); });
    if (stopping_) return;
    const auto work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

void Foreign::stop() {
  helpers_->cancel();
  std::thread ending;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    ending.swap(thread_);
  }
  wake_.notify_all();
  if (ending.joinable()) ending.join();
}

bool Foreign::is_silent(const ForeignFile& file) {
  const std::scoped_lock lock(mutex_);
  const auto found = silent_.find(file.mount_device);
  if (found == silent_.end()) return false;
  if (clock_.mono_ns() < found->second) return true;
  silent_.erase(found);
  return false;
}

void Foreign::note_silence(const ForeignFile& file, const Error& error) {
  if (!Helpers::is_silence(error)) return;
  const std::scoped_lock lock(mutex_);
  if (silent_.size() >= kMaxRemembered) silent_.clear();
  silent_[file.mount_device] = clock_.mono_ns() + kSilentFor;
}

void Foreign::give_up(const ForeignFile& file, const Error& reason) {
  {
    const std::scoped_lock lock(mutex_);
    if (given_up_.size() >= kMaxRemembered) given_up_.clear();
    if (!given_up_.insert(file.id).second) return;
  }
  ledger_.add(hal::Loss::file_unread);
  ledger_.name(hal::Loss::file_unread, printable(file.untrusted_name, 1024));
  log_warning("{}: {}", printable(file.untrusted_name, 4096), reason.text());
}

void Foreign::give_up_memory(uint32_t pid, const Error& reason) {
  const uint64_t now = clock_.mono_ns();
  {
    const std::scoped_lock lock(mutex_);
    if (silent_processes_.size() >= kMaxRemembered) silent_processes_.clear();
    if (Helpers::is_silence(reason)) silent_processes_[pid] = now + kSilentFor;
    if (unread_processes_.size() >= kMaxRemembered) unread_processes_.clear();
    if (!unread_processes_.insert(pid).second) return;
  }
  ledger_.add(hal::Loss::memory_unread);
  ledger_.name(hal::Loss::memory_unread, fmt::format("process {}", pid));
  log_warning("{}", reason.text());
}

bool Foreign::is_silent(uint32_t pid) {
  const std::scoped_lock lock(mutex_);
  const auto found = silent_processes_.find(pid);
  return found != silent_processes_.end() && clock_.mono_ns() < found->second;
}

bool Foreign::read_memory(uint32_t pid, uint64_t address, void* out, size_t size) {
  if (is_silent(pid)) return false;
  const Status read = helpers_->memory(proc_root_, pid, address, out, size);
  if (!read.ok() && (Helpers::is_silence(read.error()) || read.error().code() == Errc::kNotSupported ||
                     read.error().code() == Errc::kFull)) {
    give_up_memory(pid, read.error());
  }
  return read.ok();
}

Result<std::string> Foreign::text(uint32_t pid, std::string_view name, size_t max_bytes) {
  const std::string path = fmt::format("{}/{}/{}", proc_root_, pid, name);
  if (is_silent(pid))
    return Error(Errc::kBusy, fmt::format("read {}: paused, because the process held its memory lock", path));
  auto text = helpers_->text(path, max_bytes);
  if (!text.ok() && (Helpers::is_silence(text.error()) || text.error().code() == Errc::kFull))
    give_up_memory(pid, text.error());
  return text;
}

bool ForeignMemory::read(uint64_t address, void* out, size_t size) {
  if (size > UINT64_MAX - address) return false;
  for (size_t done = 0; done < size;) {
    const uint64_t start = (address + done) / kBlock * kBlock;
    const size_t skipped = address + done - start;
    auto found = blocks_.find(start);
    if (found == blocks_.end()) {
      if (blocks_.size() >= kMaxBlocks) {
        foreign_.give_up_memory(
            pid_,
            Error(Errc::kFull, fmt::format("read the memory of process {}: what is wanted of it lies in more than "
                                           "{} pages",
                                           pid_, kMaxBlocks)));
        return false;
      }
      std::string bytes(kBlock, '\0');
      if (!foreign_.read_memory(pid_, start, bytes.data(), bytes.size())) bytes.clear();
      found = blocks_.emplace(start, std::move(bytes)).first;
    }
    if (found->second.empty()) return false;
    const size_t some = std::min<size_t>(size - done, kBlock - skipped);
    std::memcpy(static_cast<char*>(out) + done, found->second.data() + skipped, some);
    done += some;
  }
  return true;
}

}  // namespace ingero::kernelside
