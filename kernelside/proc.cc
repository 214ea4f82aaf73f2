// Reads /proc/PID, one process at a time, and searches for the process that holds a socket.
#include "kernelside/proc.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <memory>

#include <dirent.h>

#include "base/secrets.h"
#include "base/text.h"
#include "kernelside/cgroup.h"
#include "kernelside/privilege.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxStat = 4096;
constexpr size_t kMaxStatus = 16 << 10;
constexpr size_t kMaxCommandLine = 4096;
constexpr size_t kMaxEnviron = 1 << 20;
constexpr size_t kMaxCgroup = 64 << 10;
constexpr uint64_t kSearchEveryNs = 1'000'000'000;
constexpr uint64_t kKeepNs = 10'000'000'000;

struct DirectoryCloser {
  void operator()(DIR* directory) const { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, DirectoryCloser>;

uint64_t clock_ns(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t tick_ns() {
  static const uint64_t ns = [] {
    const long ticks = sysconf(_SC_CLK_TCK);
    return 1'000'000'000U / static_cast<uint64_t>(ticks > 0 ? ticks : 100);
  }();
  return ns;
}

// The first max_bytes of a file; more is left out silently (these files are only ever searched).
Result<std::string> read_at(const Fd& directory, const char* name, size_t max_bytes) {
  const Fd file(openat(directory.get(), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return errno_error(fmt::format("open {}", name));
  std::string text;
  std::array<char, 16384> buffer;
  while (text.size() < max_bytes) {
    const ssize_t got = ::read(file.get(), buffer.data(), std::min(buffer.size(), max_bytes - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error(fmt::format("read {}", name));
    if (got == 0) break;
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  return text;
}

std::optional<uint32_t> pid_of(std::string_view name) {
  uint32_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || end != name.data() + name.size() || pid == 0) return std::nullopt;
  return pid;
}

std::string command_line_of(std::string untrusted, bool keeps_secrets) {
  if (!keeps_secrets) return printable(arguments_without_secrets(untrusted), kMaxCommandLine);
  while (!untrusted.empty() && untrusted.back() == '\0') untrusted.pop_back();
  std::replace(untrusted.begin(), untrusted.end(), '\0', ' ');
  return printable(untrusted, kMaxCommandLine);
}

// Where the v2 hierarchy is.
std::string unified_root(const std::string& root) {
  struct stat info {};
  const std::string unified = root + "/unified";
  return stat(unified.c_str(), &info) == 0 ? unified : root;
}

// The directory's inode number is the id bpf_get_current_cgroup_id gives.
uint64_t cgroup_id_of(const std::string& root, const std::string& v2_path) {
  if (v2_path.empty() || v2_path.find("/..") != std::string::npos) return 0;
  struct stat info {};
  return stat((unified_root(root) + v2_path).c_str(), &info) == 0 && S_ISDIR(info.st_mode) ? info.st_ino : 0;
}

// The way back, by a file handle: of cgroupfs it is the id (FILEID_KERNFS, include/linux/exportfs.h). Empty: unknown.
std::string v2_path_of(const std::string& root, uint64_t cgroup_id) {
  const Raised raised;
  constexpr int kKernfs = 0xfe;
  struct {
    unsigned int bytes = sizeof(cgroup_id);
    int type = kKernfs;
    uint64_t id;
  } handle{.id = cgroup_id};  // a file_handle with its variable part
  static_assert(sizeof(handle) == sizeof(file_handle) + sizeof(cgroup_id));
  const std::string base = unified_root(root);
  const Fd mount(open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!mount.valid()) return {};
  const Fd directory(
      open_by_handle_at(mount.get(), reinterpret_cast<file_handle*>(&handle), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) return {};
  std::array<char, PATH_MAX> target{};
  const ssize_t size = readlink(fmt::format("/proc/self/fd/{}", directory.get()).c_str(), target.data(), target.size());
  const std::string_view path(target.data(), size > 0 ? static_cast<size_t>(size) : 0);
  if (!path.starts_with(base) || path.size() >= target.size()) return {};
  const std::string below(path == base ? "/" : path.substr(base.size()));
  // One that is being removed is "... (deleted)"; the id says whether the name is still its own.
  return cgroup_id_of(root, below) == cgroup_id ? below : std::string();
}

// Takes what /proc/PID/cgroup says; its v2 path.
std::string name_by(std::string_view untrusted_cgroup, hal::Process& process) {
  CgroupNames names = parse_cgroup(untrusted_cgroup);
  process.cgroup_path = printable(names.path, 4096);
  process.container_id = std::move(names.container_id);
  process.pod_uid = std::move(names.pod_uid);
  process.slurm_job = std::move(names.slurm_job);
  return std::move(names.v2_path);
}

}  // namespace

std::optional<uint32_t> uid_of(std::string_view status) {
  const size_t at = status.find("\nUid:\t");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = status.substr(at + 6);
  uint32_t uid = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), uid);
  if (error != std::errc() || end == rest.data() + rest.size() || *end != '\t') return std::nullopt;
  return uid;
}

Status check_pid_namespace(const std::string& proc) {
  constexpr ino_t kFirst = 0xeffffffc;  // PROC_PID_INIT_INO (include/linux/proc_ns.h)
  struct stat status {};
  if (stat((proc + "/self/ns/pid").c_str(), &status) != 0 || status.st_ino == kFirst) return {};
  return Error{Errc::kNotSupported,
               "this PID namespace is a container's: processes have other numbers here than for the kernel",
               "start the container with the machine's: hostPID: true, docker run --pid=host"};
}

uint64_t measure_suspended_ns() {
  const uint64_t mono_ns = clock_ns(CLOCK_MONOTONIC);
  const uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME);
  // Below a millisecond it is only the time between the two reads.
  return boot_ns > mono_ns + 1'000'000 ? boot_ns - mono_ns : 0;
}

Result<std::vector<uint32_t>> ProcFs::pids() const {
  const Directory directory(opendir(roots_.proc.c_str()));
  if (!directory) return errno_error(fmt::format("list {}", roots_.proc));
  std::vector<uint32_t> pids;
  while (const dirent* entry = readdir(directory.get())) {
    if (const auto pid = pid_of(entry->d_name)) pids.push_back(*pid);
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

Result<Fd> ProcFs::open_process(uint32_t pid) const {
  const std::string path = fmt::format("{}/{}", roots_.proc, pid);
  Fd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) return errno_error(fmt::format("open {}", path));
  return directory;
}

Result<ProcFs::Identity> ProcFs::identity(const Fd& directory, uint32_t pid) const {
  auto stat_text = read_at(directory, "stat", kMaxStat);
  if (!stat_text) {
    // A read of a process that ended meanwhile says ESRCH.
    if (errno == ESRCH) return Error(Errc::kNotFound, fmt::format("process {} has ended", pid));
    return stat_text.error().in(fmt::format("process {}", pid));
  }
  const Error malformed(Errc::kCorrupt, fmt::format("{}/{}/stat cannot be parsed", roots_.proc, pid));
  // The name is in parentheses and may itself contain any of them.
  const std::string_view text(*stat_text);
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return malformed;
  const auto fields = split(trim(text.substr(close + 1)), ' ');  // from field 3, the state
  constexpr size_t kParent = 4 - 3;
  constexpr size_t kStart = 22 - 3;
  if (fields.size() <= kStart) return malformed;
  const auto parent = parse_u64(fields[kParent]);
  const auto start_ticks = parse_u64(fields[kStart]);
  if (!parent || *parent > UINT32_MAX || !start_ticks || *start_ticks > UINT64_MAX / tick_ns()) return malformed;
  Identity found;
  found.start_ticks = *start_ticks;
  hal::Process& process = found.process;
  process.pid = pid;
  process.parent_pid = static_cast<uint32_t>(*parent);
  process.comm = printable(text.substr(open + 1, close - open - 1), 64);
  const uint64_t start_boot_ns = *start_ticks * tick_ns();
  const uint64_t suspended_ns = roots_.suspended_ns();
  process.start_mono_ns = start_boot_ns > suspended_ns ? start_boot_ns - suspended_ns : start_boot_ns;
  return found;
}

Result<uint32_t> ProcFs::uid(const Fd& directory, uint32_t pid) const {
  const auto status = read_at(directory, "status", kMaxStatus);
  const auto uid = status ? uid_of(*status) : std::nullopt;
  if (!uid) return Error(Errc::kNotFound, fmt::format("process {} has no readable owner: it has ended", pid));
  return *uid;
}

Result<uint64_t> ProcFs::start_mono_ns(uint32_t pid) const {
  auto directory = open_process(pid);
  if (!directory) return directory.error();
  auto found = identity(*directory, pid);
  if (!found) return found.error();
  return found->process.start_mono_ns;
}

Result<uint32_t> ProcFs::parent(uint32_t pid) const {
  auto directory = open_process(pid);
  if (!directory) return directory.error();
  auto found = identity(*directory, pid);
  if (!found) return found.error();
  return found->process.parent_pid;
}

Result<ProcFs::Owner> ProcFs::owner(uint32_t pid) const {
  auto directory = open_process(pid);
  if (!directory) return directory.error();
  auto found = identity(*directory, pid);
  if (!found) return found.error();
  auto owner = uid(*directory, pid);
  if (!owner) return owner.error();
  return Owner{*owner, found->start_ticks};
}

Result<hal::Process> ProcFs::process(uint32_t pid) const {
  auto directory = open_process(pid);
  if (!directory) return directory.error();
  auto found = identity(*directory, pid);
  if (!found) return found.error();
  hal::Process process = std::move(found->process);
  const auto owner = uid(*directory, pid);
  if (!owner) return owner.error();
  process.uid = *owner;

  const auto read_locked = [&](const char* name, size_t max_bytes) {
    return roots_.text ? roots_.text(pid, name, max_bytes) : read_at(*directory, name, max_bytes);
  };
  auto command = read_locked("cmdline", kMaxCommandLine);
  const auto environment = read_locked("environ", kMaxEnviron);
  // Read by its number: still the same process?
  if (roots_.text && !identity(*directory, pid))
    return Error(Errc::kNotFound, fmt::format("process {} has ended", pid));
  if (command) process.command_line = command_line_of(std::move(*command), roots_.keeps_secrets);
  if (const auto cgroup = read_at(*directory, "cgroup", kMaxCgroup)) {
    process.cgroup_id = cgroup_id_of(roots_.cgroup, name_by(*cgroup, process));
  }
  if (environment) {
    JobNames names = parse_environ(*environment);
    // The path is the scheduler's word, the environment the process's own.
    if (process.slurm_job.empty()) process.slurm_job = std::move(names.slurm_job);
    process.launcher_job = std::move(names.launcher_job);
    process.rank = names.rank;
    process.local_rank = names.local_rank;
    process.world_size = names.world_size;
    process.settings = std::move(names.settings);
  }
  return process;
}

void ProcFs::name_by_cgroup(hal::Process& gone) const {
  if (gone.cgroup_id == 0) return;
  const std::string path = v2_path_of(roots_.cgroup, gone.cgroup_id);
  if (!path.empty()) name_by("0::" + path, gone);
}

std::optional<uint32_t> SocketOwners::owner(uint64_t inode, std::span<const uint32_t> preferred) {
  if (inode == 0) return std::nullopt;
  const uint64_t now_ns = clock_.mono_ns();
  if (searched_mono_ns_ && now_ns - *searched_mono_ns_ > kKeepNs) found_.clear();
  auto known = found_.find(inode);
  if (known == found_.end() && (!searched_mono_ns_ || now_ns - *searched_mono_ns_ >= kSearchEveryNs)) {
    found_.clear();
    searched_mono_ns_ = now_ns;
    const uint64_t until = now_ns + kMaxSearchNs;
    search(preferred, until);
    if (const auto all = proc_.pids()) search(*all, until);
    known = found_.find(inode);
  }
  if (known != found_.end()) return known->second;
  ledger_.add(hal::Loss::socket_unowned);
  return std::nullopt;
}

void SocketOwners::search(std::span<const uint32_t> pids, uint64_t until_mono_ns) {
  constexpr size_t kBetweenLooks = 64;
  const Raised raised;
  for (const uint32_t pid : pids) {
    if (clock_.mono_ns() > until_mono_ns) return;
    const std::string path = fmt::format("{}/{}/fd", proc_.root(), pid);
    const Directory directory(opendir(path.c_str()));
    if (!directory) continue;
    size_t looked_at = 0;
    while (const dirent* entry = readdir(directory.get())) {
      if (++looked_at > kMaxDescriptors || found_.size() >= kMaxSockets) break;
      if (looked_at % kBetweenLooks == 0 && clock_.mono_ns() > until_mono_ns) return;
      std::array<char, 64> target;
      const ssize_t size = readlinkat(dirfd(directory.get()), entry->d_name, target.data(), target.size());
      if (size <= 0) continue;
      const std::string_view link(target.data(), static_cast<size_t>(size));
      if (!link.starts_with("socket:[") || !link.ends_with(']')) continue;
      if (const auto inode = parse_u64(link.substr(8, link.size() - 9))) found_.try_emplace(*inode, pid);
    }
  }
}

}  // namespace ingero::kernelside
