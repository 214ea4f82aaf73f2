// The dump of processes on the real kernel: who is in it with which counters, and that one that has ended is not, for
// as long as its parent leaves it unwaited for. What is kept by a process's number goes with the process.
#include <bpf/bpf.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "hal/call_table.h"
#include "kernelside/drain.h"
#include "kernelside/host_programs.h"
#include "kernelside/objects.h"

namespace ingero::kernelside {
namespace {

class ProcessesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "BPF programs need root";
    auto loaded = Objects::load({});
    if (!loaded.ok() && loaded.error().code() == Errc::kPermission) GTEST_SKIP() << loaded.error().text();
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    objects_ = std::move(*loaded);
    for (const auto& status : objects_->attach_thread_programs()) {
      ASSERT_TRUE(status.attached) << status.name << ": " << status.reason;
    }
    std::vector<SharedMap> shared;
    for (const char* name : {"events", "critical_events", "losses", "processes", "wanted_pids", "python_processes"}) {
      shared.push_back({name, objects_->map_fd(name)});
    }
    auto host = HostPrograms::attach({}, shared);
    ASSERT_TRUE(host.ok()) << host.error().text();
    host_ = std::move(*host);
    auto drain = Drain::open(*objects_, calls_, normaliser_, ledger_);
    ASSERT_TRUE(drain.ok()) << drain.error().text();
    drain_ = std::move(*drain);
  }
  bool counts_sends() const {
    const auto& all = host_->status();
    return std::any_of(all.begin(), all.end(),
                       [](const auto& one) { return one.program == "on_socket_send" && one.attached; });
  }
  std::optional<wire_process> listed(pid_t pid) const {
    const auto all = objects_->processes();
    EXPECT_TRUE(all.ok());
    for (const wire_process& one : *all) {
      if (one.pid == static_cast<uint32_t>(pid)) return one;
    }
    return std::nullopt;
  }

  const hal::CallTable calls_{std::span<const hal::Backend* const>()};
  ProbeTable probes_;
  hal::LossLedger ledger_;
  Normaliser normaliser_{calls_, probes_, ledger_};
  std::unique_ptr<Objects> objects_;
  std::unique_ptr<HostPrograms> host_;
  std::unique_ptr<Drain> drain_;
};

TEST_F(ProcessesTest, OneThatHasEndedIsNotListedAndItsLastCountersCameOnce) {
  if (!counts_sends()) GTEST_SKIP() << "this kernel has no tracepoint for what sockets send";
  constexpr uint64_t kSends = 7;
  std::array<int, 2> go{}, done{};
  ASSERT_EQ(pipe(go.data()), 0);
  ASSERT_EQ(pipe(done.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    int pair[2];
    if (read(go[0], &byte, 1) != 1 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) _exit(1);
    for (uint64_t i = 0; i < kSends; ++i) {
      if (send(pair[0], &byte, 1, 0) != 1) _exit(2);
    }
    if (write(done[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1) _exit(3);
    _exit(0);
  }
  ASSERT_GT(child, 0);
  ASSERT_TRUE(objects_->mark_traced(static_cast<uint32_t>(child)).ok());
  char byte = 0;
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  ASSERT_EQ(read(done[0], &byte, 1), 1);
  const auto alive = listed(child);
  ASSERT_TRUE(alive.has_value());
  EXPECT_EQ(alive->net_sends, kSends);

  ASSERT_EQ(write(go[1], &byte, 1), 1);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(listed(child).has_value()) << "it has ended, and is not waited for";
  RingRecords records;
  ASSERT_TRUE(drain_->poll(0, 1000, records).ok());
  ASSERT_EQ(records.ended.size(), 1U);
  EXPECT_EQ(records.ended[0].counters.net_sends, kSends);
  for (const int fd : {go[0], go[1], done[0], done[1]}) close(fd);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
}

// As on_process_fork leaves a child whose storage could not be made, and user space a program that has made no call.
TEST_F(ProcessesTest, WhatIsKeptOfOneWithoutStorageGoesAtItsExecAndItsEnd) {
  std::array<int, 2> go{}, out{};
  ASSERT_EQ(pipe(go.data()), 0);
  ASSERT_EQ(pipe(out.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    if (read(go[0], &byte, 1) != 1) _exit(1);
    dup2(go[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", "echo; read line", nullptr);
    _exit(2);
  }
  ASSERT_GT(child, 0);
  const auto pid = static_cast<uint32_t>(child);
  const auto is_wanted = [&] {
    uint8_t value = 0;
    return bpf_map_lookup_elem(objects_->map_fd("wanted_pids"), &pid, &value) == 0;
  };
  const uint8_t yes = 1;
  ASSERT_EQ(bpf_map_update_elem(objects_->map_fd("wanted_pids"), &pid, &yes, BPF_ANY), 0);
  ASSERT_TRUE(objects_->set_python(pid, {}).ok());
  char byte = '\n';
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  ASSERT_EQ(read(out[0], &byte, 1), 1);
  EXPECT_FALSE(objects_->python_generation(pid).has_value()) << "it runs another program";
  EXPECT_TRUE(is_wanted());

  ASSERT_TRUE(objects_->set_python(pid, {}).ok());
  byte = '\n';
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(objects_->python_generation(pid).has_value());
  EXPECT_FALSE(is_wanted());
  for (const int fd : {go[0], go[1], out[0], out[1]}) close(fd);
}

}  // namespace
}  // namespace ingero::kernelside
