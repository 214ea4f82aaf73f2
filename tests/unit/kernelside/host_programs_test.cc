// The host programs on the real kernel: processes, memory and sockets, counted against what the children really did.
#include "kernelside/host_programs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "hal/same_start.h"
#include "host_kernel.h"
#include "kernelside/proc.h"

namespace ingero::kernelside {
namespace {

using HostProgramsTest = HostKernel;

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

TEST_F(HostProgramsTest, EveryTracepointIsAttachedOrSaysWhyNot) {
  start({});
  if (!programs_) return;
  std::set<std::string_view> features;
  for (const auto& status : programs_->status()) {
    EXPECT_TRUE(status.wanted);
    EXPECT_TRUE(status.attached || !status.reason.empty()) << status.program;
    // Only sockets' length tracepoints (6.3) are younger than the oldest kernel we know.
    EXPECT_TRUE(status.attached || status.feature == HostFeature::kSockets) << status.program << status.reason;
    features.insert(name_of(status.feature));
  }
  EXPECT_EQ(features.size(), 5U);
  EXPECT_EQ(programs_->status().size(), 17U);
}

TEST_F(HostProgramsTest, WhatIsSwitchedOffIsNotAttached) {
  start({.processes = false, .block = false, .tcp = true, .sockets = false});
  if (!programs_) return;
  for (const auto& status : programs_->status()) {
    EXPECT_EQ(status.attached, status.feature == HostFeature::kTcp) << status.program;
    EXPECT_EQ(status.reason, status.attached ? "" : "switched off");
  }
}

TEST_F(HostProgramsTest, GivenMapsAreSharedNotCopied) {
  start({});
  if (!programs_) return;
  const auto second = HostPrograms::attach({}, std::vector<SharedMap>{{"processes", programs_->map_fd("processes")},
                                                                      {"events", programs_->map_fd("events")},
                                                                      {"no_such_map", 0}});
  ASSERT_TRUE(second.ok()) << second.error().text();
  const auto id_of = [](int fd) {
    bpf_map_info info{};
    uint32_t size = sizeof(info);
    EXPECT_EQ(bpf_obj_get_info_by_fd(fd, &info, &size), 0);
    return info.id;
  };
  EXPECT_EQ(id_of((*second)->map_fd("processes")), id_of(programs_->map_fd("processes")));
  EXPECT_EQ(id_of((*second)->map_fd("events")), id_of(programs_->map_fd("events")));
  EXPECT_NE(id_of((*second)->map_fd("losses")), id_of(programs_->map_fd("losses")));
  for (const char* unused : {"recipes", "stacks", "ring_shares"}) {
    EXPECT_EQ(programs_->map_fd(unused), -1) << unused << ": a map nobody uses was created";
  }

  const auto wrong = HostPrograms::attach({}, std::vector<SharedMap>{{"events", programs_->map_fd("processes")}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code(), Errc::kInvalid);
}

TEST_F(HostProgramsTest, EveryForkExecAndExitOnceAndNoThread) {
  start({});
  if (!programs_) return;
  const auto family = [](const Child::Wait&) {
    const auto threads = [] {
      std::vector<std::thread> all;
      for (int i = 0; i < 4; ++i) all.emplace_back([] {});
      for (auto& thread : all) thread.join();
    };
    threads();
    for (int i = 0; i < 3; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        std::thread([] {}).join();
        _exit(i);
      }
      wait_for(child);
    }
    pid_t child = fork();
    if (child == 0) {
      execl("/bin/true", "true", nullptr);
      _exit(99);
    }
    wait_for(child);
    child = fork();
    if (child == 0) {
      const pid_t grandchild = fork();
      if (grandchild == 0) _exit(5);
      wait_for(grandchild);
      kill(getpid(), SIGKILL);
    }
    wait_for(child);
    return 7;
  };
  Child traced(family);
  Child stranger(family);
  trace(traced.pid());
  EXPECT_EQ(stranger.finish(), 7 << 8);
  EXPECT_EQ(traced.finish(), 7 << 8);
  drain();

  std::multiset<int> exits;
  std::map<uint32_t, uint32_t> parent_of;
  int execs = 0;
  for (const auto& task : tasks_) {
    EXPECT_EQ(task.tid, task.pid);
    if (task.type == WIRE_FORK) parent_of[task.pid] = task.other_pid;
    if (task.type == WIRE_EXIT) exits.insert(task.code);
    if (task.type == WIRE_EXEC) {
      ++execs;
      EXPECT_STREQ(task.comm, "true");
      EXPECT_EQ(task.other_pid, traced.pid());
    }
    EXPECT_NE(task.cgroup_id, 0U);
    EXPECT_NE(task.pid, stranger.pid());
  }
  EXPECT_EQ(execs, 1);
  EXPECT_EQ(exits, (std::multiset<int>{0, 1 << 8, 2 << 8, 0, 5 << 8, 9, 7 << 8}));
  ASSERT_EQ(parent_of.size(), 6U);
  EXPECT_EQ(
      std::count_if(parent_of.begin(), parent_of.end(), [&](const auto& fork) { return fork.second == traced.pid(); }),
      5);
  for (const auto& [child, parent] : parent_of) EXPECT_TRUE(parent == traced.pid() || parent_of.contains(parent));
  EXPECT_EQ(loss(WIRE_LOSS_CRITICAL_RING_FULL), 0U);
}

TEST_F(HostProgramsTest, StartTimesAreTheKernelsAndOrdered) {
  start({});
  if (!programs_) return;
  Child traced([](const Child::Wait&) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    return wait_for(child);
  });
  trace(traced.pid());
  const uint64_t before_ns = system_clock().mono_ns();
  EXPECT_EQ(traced.finish(), 0);
  const uint64_t after_ns = system_clock().mono_ns();
  drain();
  ASSERT_EQ(tasks_.size(), 3U);
  ASSERT_EQ(tasks_[0].type, WIRE_FORK);
  ASSERT_EQ(tasks_[1].type, WIRE_EXIT);
  EXPECT_EQ(tasks_[0].start_ns, tasks_[1].start_ns);
  EXPECT_GT(tasks_[0].start_ns, before_ns);
  EXPECT_LE(tasks_[0].start_ns, tasks_[0].ns);
  EXPECT_LT(tasks_[0].ns, tasks_[1].ns);
  EXPECT_LT(tasks_[2].ns, after_ns);
}

// A v2 cgroup, removed with the object.
class UnifiedCgroup {
 public:
  UnifiedCgroup() {
    for (const char* root : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"}) {
      if (!std::filesystem::exists(fmt::format("{}/cgroup.controllers", root))) continue;
      path_ = fmt::format("{}/ingero_test_{}", root, getpid());
      if (mkdir(path_.c_str(), 0755) == 0) return;
      path_.clear();
    }
  }
  ~UnifiedCgroup() {
    for (int i = 0; i < 50 && !path_.empty() && rmdir(path_.c_str()) != 0; ++i) usleep(20000);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_F(HostProgramsTest, ProcAndTheKernelSideMeanTheSameProcessAndCgroup) {
  start({});
  if (!programs_) return;
  const UnifiedCgroup cgroup;
  if (cgroup.path().empty()) {
    skip("no v2 cgroup can be made here");
    return;
  }
  int held[2];
  ASSERT_EQ(pipe(held), 0);
  Child traced([&](const Child::Wait& wait) {
    write_file(cgroup.path() + "/cgroup.procs", std::to_string(getpid()));
    const pid_t child = fork();
    if (child == 0) {
      char byte = 0;
      _exit(read(held[0], &byte, 1) == 1 ? 0 : 1);
    }
    wait();
    return wait_for(child);
  });
  trace(traced.pid());
  traced.step();
  drain();
  ASSERT_EQ(tasks_.size(), 1U);
  ASSERT_EQ(tasks_[0].type, WIRE_FORK);
  const auto process = ProcFs().process(tasks_[0].pid);
  ASSERT_TRUE(process.ok()) << process.error().text();
  EXPECT_EQ(process->parent_pid, traced.pid());
  EXPECT_EQ(process->uid, tasks_[0].uid);
  EXPECT_EQ(process->cgroup_id, tasks_[0].cgroup_id);
  EXPECT_TRUE(process->cgroup_path.ends_with(fmt::format("/ingero_test_{}", getpid()))) << process->cgroup_path;
  EXPECT_TRUE(hal::same_start(process->start_mono_ns, tasks_[0].start_ns))
      << process->start_mono_ns << " against " << tasks_[0].start_ns;
  ASSERT_EQ(write(held[1], "x", 1), 1);
  EXPECT_EQ(traced.finish(), 0);
  close(held[0]);
  close(held[1]);
}

TEST_F(HostProgramsTest, AThreadThatCallsExecKeepsItsProcessTraced) {
  start({});
  if (!programs_) return;
  // In a child of a traced process, whose start the kernel side itself noted.
  Child traced([](const Child::Wait&) {
    const pid_t child = fork();
    if (child == 0) {
      std::thread([] { execl("/bin/sh", "sh", "-c", "/bin/true; exit 3", nullptr); }).join();
      _exit(99);
    }
    return WEXITSTATUS(wait_for(child));
  });
  trace(traced.pid());
  EXPECT_EQ(traced.finish(), 3 << 8);
  drain();
  ASSERT_FALSE(tasks_.empty());
  ASSERT_EQ(tasks_[0].type, WIRE_FORK);
  const uint32_t pid = tasks_[0].pid;
  const uint64_t start_ns = tasks_[0].start_ns;
  int execs = 0;
  int exits = 0;
  int forks = 0;
  for (const auto& task : tasks_) {
    if (task.type == WIRE_FORK && task.other_pid == pid) ++forks;
    if (task.pid != pid) continue;
    EXPECT_EQ(task.start_ns, start_ns);
    EXPECT_EQ(task.tid, pid);
    if (task.type == WIRE_EXEC) {
      ++execs;
      EXPECT_STREQ(task.comm, "sh");
    }
    if (task.type == WIRE_EXIT) {
      ++exits;
      EXPECT_EQ(task.code, 3 << 8);
    }
  }
  EXPECT_EQ(execs, 1);
  EXPECT_EQ(exits, 1);
  EXPECT_EQ(forks, 1);
}

TEST_F(HostProgramsTest, AProcessThatOutlivesItsLeaderExitsOnce) {
  start({});
  if (!programs_) return;
  Child traced([](const Child::Wait&) {
    std::thread([] {
      usleep(50000);
      _exit(11);
    }).detach();
    syscall(SYS_exit, 0);
    return 99;
  });
  trace(traced.pid());
  EXPECT_EQ(traced.finish(), 11 << 8);
  drain();
  ASSERT_EQ(tasks_.size(), 1U);
  EXPECT_EQ(tasks_[0].type, WIRE_EXIT);
  EXPECT_EQ(tasks_[0].pid, traced.pid());
  EXPECT_EQ(tasks_[0].code, 11 << 8);
}

TEST_F(HostProgramsTest, ManyThreadsEndingAtOnceAreOneExit) {
  start({});
  if (!programs_) return;
  for (int round = 0; round < 20; ++round) {
    Child traced([](const Child::Wait&) {
      for (int i = 0; i < 16; ++i) std::thread([] { pause(); }).detach();
      return 4;
    });
    trace(traced.pid());
    EXPECT_EQ(traced.finish(), 4 << 8);
  }
  drain();
  EXPECT_EQ(tasks_.size(), 20U);
}

TEST_F(HostProgramsTest, TheSenderOfTheSignalThatEndsAProcessIsKnown) {
  start({});
  if (!programs_ || !need({"on_signal"})) return;
  const auto sleeps = [](const Child::Wait&) {
    pause();
    return 0;
  };
  // What ends it, after harmless signals and one that is handled: the exit that was recorded.
  const auto exit_of = [&](const std::function<int(const Child::Wait&)>& work, const std::function<void(pid_t)>& end) {
    const size_t before = tasks_.size();
    Child traced(work);
    trace(traced.pid());
    traced.go();
    end(static_cast<pid_t>(traced.pid()));
    waitid(P_PID, traced.pid(), nullptr, WEXITED | WNOWAIT);
    traced.finish();
    drain();
    EXPECT_EQ(tasks_.size(), before + 1);
    return tasks_.empty() ? wire_task{} : tasks_.back();
  };
  const auto from_killer = [](int signal, pid_t* killer) {
    return [=](pid_t victim) {
      *killer = fork();
      if (*killer == 0) {
        prctl(PR_SET_NAME, "slurmstepd");
        for (const int harmless : {SIGCHLD, SIGCONT, SIGWINCH, SIGURG, signal}) kill(victim, harmless);
        kill(victim, SIGCHLD);
        _exit(0);
      }
      wait_for(*killer);
    };
  };
  for (const int signal : {SIGKILL, SIGTERM, SIGUSR1, SIGRTMIN, SIGRTMAX}) {
    pid_t killer = 0;
    const wire_task task = exit_of(sleeps, from_killer(signal, &killer));
    EXPECT_EQ(task.code, signal);
    EXPECT_EQ(task.sender_pid, static_cast<uint32_t>(killer)) << signal;
    EXPECT_STREQ(task.sender_comm, "slurmstepd");
  }
  const auto aborts = [](const Child::Wait&) {
    abort();
    return 0;
  };
  const wire_task aborted = exit_of(aborts, [](pid_t) {});
  EXPECT_EQ(aborted.code & 0x7f, SIGABRT);
  EXPECT_EQ(aborted.sender_pid, aborted.pid) << "itself";
  const auto crashes = [](const Child::Wait&) {
    *static_cast<volatile int*>(nullptr) = 1;
    return 0;
  };
  const auto times_out = [](const Child::Wait&) {
    alarm(1);
    pause();
    return 0;
  };
  for (const auto& work : {+crashes, +times_out}) {
    const wire_task task = exit_of(work, [](pid_t) {});
    EXPECT_NE(task.code & 0x7f, 0);
    EXPECT_EQ(task.sender_pid, 0U) << "the kernel";
    EXPECT_STREQ(task.sender_comm, "");
  }
}

TEST_F(HostProgramsTest, PagesAreChargedToTheProcessThatTouchesThem) {
  start({});
  if (!programs_) return;
  if (!need({"on_page_alloc", "on_page_alloc_own"})) return;
  constexpr size_t kBytes = 64 << 20;
  const auto touch = [](const Child::Wait& wait) {
    void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, kBytes, MADV_NOHUGEPAGE);
    wait();
    std::memset(memory, 1, kBytes);
    wait();
    return 0;
  };
  Child traced(touch);
  Child stranger(touch);
  trace(traced.pid());
  traced.step();
  stranger.step();
  const wire_process before = counters(traced.pid());
  stranger.step();
  const wire_process still = counters(traced.pid());
  traced.step();
  const wire_process after = counters(traced.pid());
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));

  EXPECT_EQ(still.page_allocs, before.page_allocs);
  const uint64_t allocs = after.page_allocs - still.page_allocs;
  const uint64_t bytes = after.page_alloc_bytes - still.page_alloc_bytes;
  EXPECT_GE(bytes, kBytes);
  EXPECT_LE(bytes, kBytes + kBytes / 50);  // page tables: one page in 512, and the pipe
  EXPECT_GE(allocs, kBytes / page);
  EXPECT_EQ(traced.finish(), 0);
  drain();
  // The counters' last state comes with the exit, before it.
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(ends_[0].process.pid, traced.pid());
  EXPECT_GE(ends_[0].process.page_allocs, after.page_allocs);
}

TEST_F(HostProgramsTest, SocketVolumesAreExact) {
  start({});
  if (!programs_) return;
  if (!need({"on_socket_send", "on_socket_receive"})) return;
  const auto talk = [](const Child::Wait& wait) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
    std::vector<char> data(1000, 'x');
    wait();
    for (int i = 0; i < 10; ++i) {
      if (write(pair[0], data.data(), data.size()) != 1000) return 2;
    }
    if (recv(pair[1], data.data(), data.size(), MSG_PEEK) != 1000) return 3;
    for (int i = 0; i < 20; ++i) {
      if (read(pair[1], data.data(), 500) != 500) return 4;
    }
    if (recv(pair[1], data.data(), 1, MSG_DONTWAIT) >= 0) return 5;  // EAGAIN: not a receive
    wait();
    return 0;
  };
  Child traced(talk);
  trace(traced.pid());
  traced.step();
  traced.step();
  const wire_process process = counters(traced.pid());
  EXPECT_EQ(process.net_sends, 10U);
  EXPECT_EQ(process.net_sent_bytes, 10000U);
  EXPECT_EQ(process.net_receives, 20U);
  EXPECT_EQ(process.net_received_bytes, 10000U);
  EXPECT_EQ(traced.finish(), 0);
}

// Threads add to the same counters at the same time.
TEST_F(HostProgramsTest, CountersOfManyThreadsLoseNothing) {
  start({});
  if (!programs_) return;
  if (!need({"on_socket_send"})) return;
  Child traced([](const Child::Wait& wait) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([] {
        int pair[2];
        char byte = 0;
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) _exit(1);
        for (int n = 0; n < 5000; ++n) {
          if (send(pair[0], &byte, 1, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1) _exit(2);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    wait();
    return 0;
  });
  trace(traced.pid());
  traced.step();
  const wire_process process = counters(traced.pid());
  EXPECT_EQ(process.net_sends, 40000U);
  EXPECT_EQ(process.net_receives, 40000U);
  EXPECT_EQ(process.net_sent_bytes, 40000U);
}

// A memory cgroup of either version, removed with the object.
class MemoryCgroup {
 public:
  explicit MemoryCgroup(uint64_t limit_bytes) {
    for (const char* root : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {
      const std::string path = fmt::format("{}/ingero_test_{}", root, getpid());
      if (mkdir(path.c_str(), 0755) != 0) continue;
      for (const char* file : {"memory.limit_in_bytes", "memory.max"}) {
        if (!std::filesystem::exists(path + "/" + file)) continue;
        write_file(path + "/" + file, std::to_string(limit_bytes));
        write_file(path + "/memory.swap.max", "0");
        path_ = path;
        return;
      }
      rmdir(path.c_str());
    }
  }
  ~MemoryCgroup() {
    for (int i = 0; i < 50 && !path_.empty() && rmdir(path_.c_str()) != 0; ++i) usleep(20000);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_F(HostProgramsTest, AnOomKillNamesTheVictimTracedOrNot) {
  start({});
  if (!programs_) return;
  const MemoryCgroup cgroup(24 << 20);
  if (cgroup.path().empty()) GTEST_SKIP() << "no memory cgroup can be made here";
  for (const bool traced : {false, true}) {
    tasks_.clear();
    Child hog([&](const Child::Wait&) {
      write_file(cgroup.path() + "/cgroup.procs", std::to_string(getpid()));
      void* memory = mmap(nullptr, 256 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      std::memset(memory, 1, 256 << 20);
      return 0;
    });
    if (traced) trace(hog.pid());
    const int status = hog.finish();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    drain();
    std::vector<wire_task> kills;
    std::copy_if(kills_.begin(), kills_.end(), std::back_inserter(kills),
                 [&](const wire_task& kill) { return kill.pid == hog.pid(); });
    ASSERT_EQ(kills.size(), 1U);
    EXPECT_EQ(kills[0].pid, hog.pid());
    EXPECT_EQ(kills[0].other_pid, hog.pid());
    EXPECT_NE(kills[0].ns, 0U);
    std::vector<int> exits;
    for (const wire_task& task : tasks_) {
      if (task.type == WIRE_EXIT) exits.push_back(task.code);
    }
    EXPECT_EQ(exits, traced ? std::vector<int>{SIGKILL} : std::vector<int>{});
  }
}

}  // namespace
}  // namespace ingero::kernelside
