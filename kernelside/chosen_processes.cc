// A child that is started while its parents are looked at is found by looking again.
#include "kernelside/chosen_processes.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace ingero::kernelside {

void add_descendants(const ProcFs& proc, std::vector<uint32_t>& pids) {
  constexpr int kMaxLooks = 3;
  std::set<uint32_t> known(pids.begin(), pids.end());
  for (int look = 0; look < kMaxLooks && !pids.empty(); ++look) {
    const auto all = proc.pids();
    if (!all.ok()) return;
    std::map<uint32_t, std::vector<uint32_t>> children;
    for (const uint32_t pid : *all) {
      if (const auto parent = proc.parent(pid); parent.ok()) children[*parent].push_back(pid);
    }
    const size_t before = known.size();
    for (size_t i = 0; i < pids.size(); ++i) {
      for (const uint32_t child : children[pids[i]]) {
        if (known.insert(child).second) pids.push_back(child);
      }
    }
    if (known.size() == before) return;
  }
}

Status check_process(const ProcFs& proc, uint32_t pid) {
  const auto start = proc.start_mono_ns(pid);
  if (!start.ok() && start.error().code() == Errc::kNotFound) {
    return Error(Errc::kNotFound, fmt::format("no process has the number {}", pid), "see 'ps aux'");
  }
  if (!start.ok()) return start.error();
  // The number of any thread has a folder there, though it is not listed.
  const std::string status = text_of_file(fmt::format("{}/{}/status", proc.root(), pid), 64 << 10);
  for (const std::string_view line : split(status, '\n')) {
    if (!line.starts_with("Tgid:")) continue;
    const auto process = parse_u64(trim(line.substr(5)));
    if (!process || *process == pid) break;
    return Error(Errc::kInvalid, fmt::format("{} is a thread of process {}", pid, *process),
                 fmt::format("give {}: processes are traced with all of their threads", *process));
  }
  return {};
}

Result<uint64_t> find_cgroup(const std::string& path) {
  const std::string absolute = (path.starts_with('/') ? "" : "/") + path;
  std::string other;  // a directory, but of no such hierarchy
  for (const std::string root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", ""}) {
    const std::string folder = root + absolute;
    struct stat status {};
    struct statfs mounted {};
    if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) continue;
    if (statfs(folder.c_str(), &mounted) == 0 && mounted.f_type == CGROUP2_SUPER_MAGIC) {
      return static_cast<uint64_t>(status.st_ino);
    }
    other = folder;
  }
  if (!other.empty()) {
    return Error(
        Errc::kInvalid, fmt::format("{} is not a cgroup of version 2", printable(other)),
        "give the path behind '0::' in /proc/PID/cgroup, or a directory below a mount of 'findmnt -t cgroup2'");
  }
  return Error(Errc::kNotFound, fmt::format("cgroup {} does not exist", printable(path)),
               "give its path as in /proc/PID/cgroup, or as a directory");
}

}  // namespace ingero::kernelside
