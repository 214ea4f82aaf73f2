// A /proc of our own making: a temporary directory with the files a test puts there, removed with the object.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "temp_folder.h"

namespace ingero::testing {

// A table of mounts (/proc/PID/mountinfo) as it is where every file system is on a network.
inline std::string on_network(std::string mounts) {
  for (size_t at = 0; (at = mounts.find(" - ", at)) != std::string::npos;) {
    at += 3;
    mounts.replace(at, mounts.find(' ', at) - at, "nfs4");
  }
  return mounts;
}

class ProcTree {
 public:
  const std::string& root() const { return root_; }

  void file(const std::string& path, std::string_view text) {
    const std::filesystem::path whole = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole, std::ios::binary) << text;
  }
  void link(const std::string& path, const std::string& target) {
    const std::filesystem::path whole = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(whole.parent_path());
    std::filesystem::create_symlink(target, whole);
  }
  // stat and status as the kernel writes them; the rest is up to the test.
  void process(uint32_t pid, std::string_view comm, uint32_t parent, uint64_t start_ticks, uint32_t uid) {
    file(fmt::format("{}/stat", pid),
         fmt::format("{} ({}) S {} {} {} 0 -1 4194304 100 0 0 0 7 3 0 0 20 0 1 0 {} 3133440 365 18446744073709551615 "
                     "1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
                     pid, comm, parent, pid, pid, start_ticks));
    file(fmt::format("{}/status", pid),
         fmt::format("Name:\t{}\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t{}\nUid:\t{}\t0\t0\t0\nGid:\t0\t0\t0\t0\n",
                     comm, pid, uid));
  }

 private:
  TempFolder temp_;
  const std::string& root_ = temp_.path();
};

}  // namespace ingero::testing
