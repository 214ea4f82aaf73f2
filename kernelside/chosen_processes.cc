// A child that is started while its parents are looked at is found by looking again.
#include "kernelside/chosen_processes.h"

#include <sys/stat.h>

#include <map>
#include <set>

#include <fmt/format.h>

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

Result<uint64_t> find_cgroup(const std::string& path) {
  for (const std::string root : {"", "/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct stat status {};
    if (stat((root + (path.starts_with('/') ? "" : "/") + path).c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      return static_cast<uint64_t>(status.st_ino);
    }
  }
  return Error(Errc::kNotFound, fmt::format("cgroup {} does not exist", path),
               "give its path as in /proc/PID/cgroup, or as a directory");
}

}  // namespace ingero::kernelside
