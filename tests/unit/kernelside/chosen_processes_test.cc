// Whom a trace is asked for: a process brings those below it and no other; a cgroup is its directory.
#include "kernelside/chosen_processes.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

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
  struct stat status {};
  ASSERT_EQ(stat("/proc", &status), 0);
  const auto found = find_cgroup("/proc");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, status.st_ino);
  EXPECT_EQ(find_cgroup("/no/such/cgroup").error().code(), Errc::kNotFound);
  EXPECT_EQ(find_cgroup("/etc/passwd").error().code(), Errc::kNotFound) << "a file is no cgroup";
}

}  // namespace
}  // namespace ingero::kernelside
