// Whom a trace is asked for: a process brings those below it and no other; a cgroup is its directory.
#include "kernelside/chosen_processes.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

// A process with a child; the child's number comes through a pipe.
struct Family {
  pid_t parent = 0, child = 0;
  Family() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    parent = fork();
    if (parent == 0) {
      const pid_t below = fork();
      if (below == 0) {
        pause();
        _exit(0);
      }
      if (write(ends[1], &below, sizeof below) != sizeof below) _exit(1);
      pause();
      _exit(0);
    }
    EXPECT_EQ(read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
    close(ends[0]);
    close(ends[1]);
  }
  ~Family() {
    kill(child, SIGKILL);
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
};

TEST(ChosenProcesses, AProcessBringsThoseBelowItAndNoOther) {
  const Family family, other;
  std::vector<uint32_t> pids = {static_cast<uint32_t>(family.parent)};
  add_descendants(ProcFs(), pids);
  EXPECT_EQ(pids, (std::vector<uint32_t>{static_cast<uint32_t>(family.parent), static_cast<uint32_t>(family.child)}));

  std::vector<uint32_t> own = {static_cast<uint32_t>(getpid())};
  add_descendants(ProcFs(), own);
  std::sort(own.begin(), own.end());
  for (const pid_t pid : {family.parent, family.child, other.parent, other.child}) {
    EXPECT_TRUE(std::binary_search(own.begin(), own.end(), static_cast<uint32_t>(pid))) << "two levels below";
  }

  std::vector<uint32_t> none;
  add_descendants(ProcFs(), none);
  EXPECT_TRUE(none.empty());
}

TEST(ChosenProcesses, ACgroupIsTheInodeOfItsDirectory) {
  std::string root;
  for (const char* one : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct statfs mounted {};
    if (root.empty() && statfs(one, &mounted) == 0 && mounted.f_type == CGROUP2_SUPER_MAGIC) root = one;
  }
  if (root.empty()) GTEST_SKIP() << "no cgroup v2 hierarchy is mounted";
  struct stat status {};
  ASSERT_EQ(stat(root.c_str(), &status), 0);
  for (const std::string& path : {std::string("/"), root}) {
    const auto found = find_cgroup(path);
    ASSERT_TRUE(found.ok()) << path << found.error().text();
    EXPECT_EQ(*found, status.st_ino) << path;
  }
}

// No process is in it: nothing would be recorded.
TEST(ChosenProcesses, ADirectoryElsewhereIsNoCgroup) {
  for (const char* path : {"/proc", "/tmp", "tmp"}) {
    const auto found = find_cgroup(path);
    ASSERT_FALSE(found.ok()) << path;
    EXPECT_EQ(found.error().code(), Errc::kInvalid) << path;
    EXPECT_NE(found.error().text().find("/proc/PID/cgroup"), std::string::npos) << path;
  }
  EXPECT_EQ(find_cgroup("/no/such/cgroup").error().code(), Errc::kNotFound);
  EXPECT_EQ(find_cgroup("/etc/passwd").error().code(), Errc::kNotFound) << "a file is no cgroup";
}

TEST(ChosenProcesses, AThreadIsNoProcess) {
  const auto self = static_cast<uint32_t>(getpid());
  EXPECT_TRUE(check_process(ProcFs(), self).ok());
  std::promise<uint32_t> number;
  std::promise<void> is_over;
  std::thread thread([&] {
    number.set_value(static_cast<uint32_t>(gettid()));
    is_over.get_future().wait();
  });
  const auto found = check_process(ProcFs(), number.get_future().get());
  is_over.set_value();
  thread.join();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code(), Errc::kInvalid);
  EXPECT_NE(found.error().text().find(fmt::format("thread of process {}", self)), std::string::npos);
  EXPECT_EQ(check_process(ProcFs(), 0x7fffffff).error().code(), Errc::kNotFound);
}

}  // namespace
}  // namespace ingero::kernelside
