// Ranks that processes give themselves after their start, read from real ones: forked and given one then, a C
// library's, every Python's of this machine. None of them runs a program anew.
#include "agent/rank_watch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <glob.h>
#include <gtest/gtest.h>

#include "agent/live_environment.h"
#include "base/fd.h"
#include "kernelside/cgroup.h"

namespace ingero::agent {
namespace {

// A child that has said "ready" and waits to be ended.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  uint32_t pid() const { return static_cast<uint32_t>(pid_); }

 private:
  pid_t pid_;
};

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    from = Fd(ends[0]);
    to = Fd(ends[1]);
  }
  bool hears() {
    to = Fd();
    char word = 0;
    return read(from.get(), &word, 1) == 1;
  }
  Fd from, to;
};

// Forks, does that in the child and says so.
pid_t forked(Pipe& ready, const std::function<void()>& first) {
  const pid_t pid = fork();
  if (pid == 0) {
    first();
    if (write(ready.to.get(), "!", 1) != 1) _exit(1);
    while (true) pause();
  }
  return pid;
}

hal::Event call_of(uint32_t pid) {
  hal::Event event;
  event.pid = pid;
  event.kind = hal::Kind::kAlloc;
  return event;
}

class RankWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto own = live_environment(foreign_, static_cast<uint32_t>(getpid()), kernelside::job_variables());
    if (!own.ok()) GTEST_SKIP() << "this process cannot be read: " << own.error().text();
  }
  hal::Process known(uint32_t pid) { return *proc_.process(pid); }
  hal::LossLedger losses_;
  kernelside::Foreign foreign_{std::move(kernelside::Helpers::start()).value(), losses_};
  kernelside::ProcFs proc_;
};

TEST_F(RankWatchTest, WhatAForkedChildSaysWinsOverWhatItsParentWasStartedWith) {
  Pipe ready;
  const Child child(forked(ready, [] {
    setenv("RANK", "5", 1);
    setenv("LOCAL_RANK", "1", 1);
    setenv("WORLD_SIZE", "8", 1);
    setenv("SLURM_JOB_ID", "77", 1);
  }));
  ASSERT_TRUE(ready.hears());
  hal::Process process = known(child.pid());
  const std::string job = process.slurm_job;
  process.rank = 0;  // as its parent's is
  process.local_rank = 0;
  process.world_size = 2;
  EXPECT_TRUE(update_ranks(foreign_, proc_, process));
  EXPECT_EQ(process.rank, 5);
  EXPECT_EQ(process.local_rank, 1);
  EXPECT_EQ(process.world_size, 8);
  EXPECT_EQ(process.slurm_job, job.empty() ? "77" : job);
  EXPECT_FALSE(update_ranks(foreign_, proc_, process)) << "nothing is news the second time";
}

TEST_F(RankWatchTest, AnEnvironmentThatSaysNoRankLeavesWhatWasKnown) {
  Pipe ready;
  const Child child(forked(ready, [] { clearenv(); }));
  ASSERT_TRUE(ready.hears());
  hal::Process process = known(child.pid());
  process.rank = 3;
  process.world_size = 4;
  EXPECT_FALSE(update_ranks(foreign_, proc_, process));
  EXPECT_EQ(process.rank, 3);
  EXPECT_EQ(process.world_size, 4);
}

TEST_F(RankWatchTest, AnotherProcessOfTheSameNumberIsNotAsked) {
  Pipe ready;
  const Child child(forked(ready, [] { setenv("RANK", "5", 1); }));
  ASSERT_TRUE(ready.hears());
  hal::Process process = known(child.pid());
  process.rank = -1;
  process.start_mono_ns -= 10'000'000'000;
  EXPECT_FALSE(update_ranks(foreign_, proc_, process));
  EXPECT_EQ(process.rank, -1);
}

TEST_F(RankWatchTest, AProcessIsLookedAtWithItsFirstCallAndWithItsFirstCommunicator) {
  Pipe ready;
  Pipe more;
  const Child child(forked(ready, [&] {
    setenv("RANK", "1", 1);
    if (write(ready.to.get(), "!", 1) != 1) _exit(1);
    char word = 0;
    if (read(more.from.get(), &word, 1) != 1) _exit(1);
    setenv("RANK", "2", 1);
  }));
  ASSERT_TRUE(ready.hears());
  hal::Process process = known(child.pid());
  process.rank = -1;
  bool is_known = false;
  const RankWatch::Traced traced = [&](uint32_t pid) { return is_known && pid == process.pid ? &process : nullptr; };
  std::vector<hal::Process> changed;
  RankWatch watch(foreign_, proc_);
  std::vector<hal::Event> events = {call_of(child.pid()), call_of(child.pid())};
  events.front().kind = hal::Kind::kHost;
  watch.take(std::span(events).first(1), {}, traced, changed);
  watch.take(events, {}, traced, changed);
  EXPECT_TRUE(changed.empty()) << "nobody has met it yet";
  is_known = true;
  watch.take(std::span(events).first(1), {}, traced, changed);
  EXPECT_TRUE(changed.empty()) << "what the host did is no call of its";
  watch.take(events, {}, traced, changed);
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed.front().rank, 1);

  ASSERT_EQ(write(more.to.get(), "!", 1), 1);
  char word = 0;
  ASSERT_EQ(read(ready.from.get(), &word, 1), 1);
  watch.take(events, {}, traced, changed);
  EXPECT_EQ(changed.size(), 1U) << "a call like any other";
  const std::vector<uint32_t> made = {child.pid()};
  watch.take(events, made, traced, changed);
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_EQ(changed.back().rank, 2);
  EXPECT_EQ(process.rank, 2);

  process.rank = 0;  // it runs another program, and is reported anew
  watch.forget(child.pid());
  watch.take(events, {}, traced, changed);
  EXPECT_EQ(changed.size(), 3U);
}

// Each look at it is ten seconds later: reading took so long.
class SlowClock : public Clock {
 public:
  uint64_t mono_ns() const override { return now_ns_ += 10'000'000'000; }
  uint64_t wall_ns() const override { return now_ns_; }

 private:
  mutable uint64_t now_ns_ = 0;
};

TEST_F(RankWatchTest, WhatATurnHasNoTimeForIsReadInTheNext) {
  std::vector<std::unique_ptr<Pipe>> ready;
  std::vector<std::unique_ptr<Child>> children;
  std::map<uint32_t, hal::Process> processes;
  std::vector<hal::Event> events;
  for (int rank = 0; rank < 3; ++rank) {
    ready.push_back(std::make_unique<Pipe>());
    children.push_back(
        std::make_unique<Child>(forked(*ready.back(), [rank] { setenv("RANK", std::to_string(rank).c_str(), 1); })));
    ASSERT_TRUE(ready.back()->hears());
    const uint32_t pid = children.back()->pid();
    processes[pid] = known(pid);
    processes[pid].rank = -1;
    events.push_back(call_of(pid));
  }
  const RankWatch::Traced traced = [&](uint32_t pid) {
    const auto found = processes.find(pid);
    return found == processes.end() ? nullptr : &found->second;
  };
  const SlowClock clock;
  RankWatch watch(foreign_, proc_, clock);
  std::vector<hal::Process> changed;
  watch.take(events, {}, traced, changed);
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed.back().rank, 0);
  processes.erase(children[1]->pid());  // it ends before its turn
  watch.take(events, {}, traced, changed);
  watch.take({}, {}, traced, changed);
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_EQ(changed.back().rank, 2);
  watch.take(events, {}, traced, changed);
  EXPECT_EQ(changed.size(), 2U) << "each is read once";
}

// Where the variable is: in the program alone, in the program's copy of the library's, in the library.
TEST_F(RankWatchTest, HoweverTheProgramIsLinkedItsWordIsRead) {
  const std::string folder = ::testing::TempDir() + "/linked." + std::to_string(getpid());
  ASSERT_EQ(system(("mkdir -p " + folder).c_str()), 0);
  const std::string source = folder + "/told.c";
  std::ofstream(source) << "#include <stdlib.h>\n#include <unistd.h>\nextern char **environ;\n"
                           "int main(void) { setenv(\"RANK\", \"7\", 1);\n"
                           "  return environ == 0 || write(1, \"!\", 1) != 1 || pause(); }\n";
  size_t run = 0;
  for (const char* flags : {"-static", "-static-pie", "-no-pie -fno-pie", "-pie -fPIC"}) {
    SCOPED_TRACE(flags);
    const std::string program = folder + "/told" + std::to_string(run);
    if (system(("cc " + std::string(flags) + " -o " + program + " " + source + " 2>/dev/null").c_str()) != 0) continue;
    Pipe ready;
    const pid_t pid = fork();
    if (pid == 0) {
      dup2(ready.to.get(), STDOUT_FILENO);
      execl(program.c_str(), program.c_str(), nullptr);
      _exit(1);
    }
    const Child child(pid);
    ASSERT_TRUE(ready.hears());
    hal::Process process = known(child.pid());
    EXPECT_TRUE(update_ranks(foreign_, proc_, process));
    EXPECT_EQ(process.rank, 7);
    ++run;
  }
  EXPECT_EQ(system(("rm -r " + folder).c_str()), 0);
  if (run == 0) GTEST_SKIP() << "no C compiler on this machine";
}

TEST_F(RankWatchTest, EveryPythonsOwnWordIsRead) {
  std::vector<std::string> interpreters;
  for (const char* pattern :
       {"/usr/bin/python3", "/root/.pyenv/versions/*/bin/python", "/home/*/.pyenv/versions/*/bin/python"}) {
    glob_t found{};
    if (glob(pattern, 0, nullptr, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc; ++i) interpreters.emplace_back(found.gl_pathv[i]);
    }
    globfree(&found);
  }
  if (interpreters.empty()) GTEST_SKIP() << "no Python on this machine";
  for (const std::string& interpreter : interpreters) {
    SCOPED_TRACE(interpreter);
    Pipe ready;
    const pid_t pid = fork();
    if (pid == 0) {
      setenv("RANK", "0", 1);  // what the launcher says
      setenv("WORLD_SIZE", "64", 1);
      dup2(ready.to.get(), STDOUT_FILENO);
      execl(interpreter.c_str(), interpreter.c_str(), "-c",
            "import os, sys, time\n"
            "os.environ['RANK'] = '37'\n"
            "os.environ['LOCAL_RANK'] = '5'\n"
            "sys.stdout.write('!'); sys.stdout.flush()\n"
            "time.sleep(60)\n",
            nullptr);
      _exit(1);
    }
    const Child child(pid);
    ASSERT_TRUE(ready.hears());
    hal::Process process = known(child.pid());
    EXPECT_EQ(process.rank, 0);
    EXPECT_TRUE(update_ranks(foreign_, proc_, process));
    EXPECT_EQ(process.rank, 37);
    EXPECT_EQ(process.local_rank, 5);
    EXPECT_EQ(process.world_size, 64);
  }
}

}  // namespace
}  // namespace ingero::agent
