// Processes out of fake and real /proc trees, and the search for a socket's holder.
#include "kernelside/proc.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hal/same_start.h"
#include "held_clock.h"
#include "proc_tree.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

using namespace std::string_literals;
using ingero::testing::ProcTree;

constexpr uint64_t kSecond = 1'000'000'000;

ProcRoots roots_of(const ProcTree& tree, uint64_t suspended_ns = 0) {
  return {tree.root(), tree.root() + "/cgroup", [suspended_ns] { return suspended_ns; }};
}

uint64_t ticks_per_second() { return static_cast<uint64_t>(sysconf(_SC_CLK_TCK)); }

TEST(Proc, ReadsWhoAProcessIs) {
  ProcTree tree;
  tree.process(4242, "python3", 77, 12 * ticks_per_second(), 1000);
  tree.file("4242/cmdline", "python3\0train.py\0--epochs\0"s + "3\0"s);
  tree.file("4242/cgroup", "4:memory:/\n0::/jobs/a\n");
  tree.file("4242/environ", "RANK=1\0WORLD_SIZE=2\0LOCAL_RANK=1\0SLURM_JOB_ID=31\0"s);
  std::filesystem::create_directories(tree.root() + "/cgroup/jobs/a");
  struct stat cgroup {};
  ASSERT_EQ(stat((tree.root() + "/cgroup/jobs/a").c_str(), &cgroup), 0);

  const auto process = ProcFs(roots_of(tree, 2 * kSecond)).process(4242);
  ASSERT_TRUE(process.ok()) << process.error().text();
  EXPECT_EQ(process->pid, 4242U);
  EXPECT_EQ(process->parent_pid, 77U);
  EXPECT_EQ(process->start_mono_ns, 10 * kSecond);
  EXPECT_EQ(process->uid, 1000U);
  EXPECT_EQ(process->comm, "python3");
  EXPECT_EQ(process->command_line, "python3 train.py --epochs 3");
  EXPECT_EQ(process->cgroup_path, "/jobs/a");
  EXPECT_EQ(process->cgroup_id, cgroup.st_ino);
  EXPECT_EQ(process->slurm_job, "31");
  EXPECT_EQ(process->rank, 1);
  EXPECT_EQ(process->local_rank, 1);
  EXPECT_EQ(process->world_size, 2);
}

TEST(Proc, AHybridHostsV2HierarchyIsInUnified) {
  ProcTree tree;
  tree.process(9, "x", 1, 100, 0);
  tree.file("9/cgroup", "4:memory:/jobs/a\n0::/jobs/a\n");
  std::filesystem::create_directories(tree.root() + "/cgroup/unified/jobs/a");
  std::filesystem::create_directories(tree.root() + "/cgroup/jobs/a");
  struct stat unified {};
  ASSERT_EQ(stat((tree.root() + "/cgroup/unified/jobs/a").c_str(), &unified), 0);
  EXPECT_EQ(ProcFs(roots_of(tree)).process(9)->cgroup_id, unified.st_ino);
}

TEST(Proc, ACgroupOutsideTheNamespaceHasNoId) {
  ProcTree tree;
  tree.process(9, "x", 1, 100, 0);
  tree.file("9/cgroup", "0::/../../etc\n");
  EXPECT_EQ(ProcFs(roots_of(tree)).process(9)->cgroup_id, 0U);
}

TEST(Proc, ANameMayHoldParenthesesAndControlCharacters) {
  ProcTree tree;
  tree.process(5, "a) R 1 (b\x1b[2J", 3, 100, 7);
  const auto process = ProcFs(roots_of(tree)).process(5);
  ASSERT_TRUE(process.ok()) << process.error().text();
  EXPECT_EQ(process->parent_pid, 3U);
  EXPECT_EQ(process->comm, "a) R 1 (b?[2J");
}

TEST(Proc, WhatCannotBeReadIsUnknown) {
  ProcTree tree;
  tree.process(5, "kthread", 2, 100, 0);
  const auto process = ProcFs(roots_of(tree)).process(5);
  ASSERT_TRUE(process.ok()) << process.error().text();
  EXPECT_EQ(process->command_line, "");
  EXPECT_EQ(process->cgroup_path, "");
  EXPECT_EQ(process->cgroup_id, 0U);
  EXPECT_EQ(process->rank, -1);
}

TEST(Proc, LongArgumentsAndEnvironmentsAreBounded) {
  ProcTree tree;
  tree.process(5, "x", 1, 100, 0);
  tree.file("5/cmdline", std::string(10 << 20, 'a'));
  tree.file("5/environ", "A=" + std::string(10 << 20, 'a') + "\0RANK=1\0"s);
  const auto process = ProcFs(roots_of(tree)).process(5);
  ASSERT_TRUE(process.ok());
  EXPECT_LE(process->command_line.size(), 4200U);
  EXPECT_EQ(process->rank, -1);
}

TEST(Proc, SecretsInArgumentsAreTakenOutUnlessTheyAreKept) {
  ProcTree tree;
  tree.process(5, "x", 1, 100, 0);
  tree.file("5/cmdline", "serve\0--api-key\0Xs3cret\0--password=Xs3cret\0db://me:Xs3cret@host/a\0--port\080\0"s);
  ProcRoots roots = roots_of(tree);
  const auto process = ProcFs(roots).process(5);
  ASSERT_TRUE(process.ok());
  EXPECT_EQ(process->command_line, "serve --api-key <redacted> --password=<redacted> db://<redacted>@host/a --port 80");
  roots.keeps_secrets = true;
  EXPECT_EQ(ProcFs(roots).process(5)->command_line,
            "serve --api-key Xs3cret --password=Xs3cret db://me:Xs3cret@host/a --port 80");
}

TEST(Proc, AMissingProcessIsNotFound) {
  ProcTree tree;
  const auto process = ProcFs(roots_of(tree)).process(5);
  ASSERT_FALSE(process.ok());
  EXPECT_EQ(process.error().code(), Errc::kNotFound);
  EXPECT_NE(process.error().message().find("/5"), std::string::npos) << process.error().text();
}

TEST(Proc, AMalformedStatIsCorrupt) {
  for (const std::string& text : {""s, "5"s, "5 (x"s, "5 (x)"s, "5 )x( S 1 1"s, "5 (x) S a b c\n"s,
                                  "5 (x) S 1 1 1 0 -1 4194304 100 0 0 0 7 3 0 0 20 0 1 0 99999999999999999999 1\n"s,
                                  "5 (x) S 1 1 1 0 -1 4194304 100 0 0 0 7 3 0 0 20 0 1 0 18446744073709551615 1\n"s}) {
    ProcTree tree;
    tree.process(5, "x", 1, 100, 0);
    tree.file("5/stat", text);
    const auto process = ProcFs(roots_of(tree)).process(5);
    ASSERT_FALSE(process.ok()) << text;
    EXPECT_EQ(process.error().code(), Errc::kCorrupt) << text;
  }
}

TEST(Proc, ListsProcessesOnly) {
  ProcTree tree;
  for (const char* name : {"12/stat", "3/stat", "self/stat", "12x/stat", "sys/kernel", "99999999999/stat"}) {
    tree.file(name, "");
  }
  const auto pids = ProcFs(roots_of(tree)).pids();
  ASSERT_TRUE(pids.ok());
  EXPECT_EQ(*pids, (std::vector<uint32_t>{3, 12}));
  EXPECT_FALSE(ProcFs({"/nonexistent", "", [] { return uint64_t{0}; }}).pids().ok());
}

TEST(Proc, StartsWithinTwoTicksAreOneProcess) {
  const uint64_t tick_ns = kSecond / ticks_per_second();
  EXPECT_TRUE(hal::same_start(5 * kSecond, 5 * kSecond + 2 * tick_ns));
  EXPECT_TRUE(hal::same_start(5 * kSecond + tick_ns, 5 * kSecond));
  EXPECT_FALSE(hal::same_start(5 * kSecond, 5 * kSecond + 3 * tick_ns));
}

TEST(Proc, KnowsThisVeryProcess) {
  const ProcFs proc;
  const auto process = proc.process(static_cast<uint32_t>(getpid()));
  ASSERT_TRUE(process.ok()) << process.error().text();
  EXPECT_EQ(process->parent_pid, static_cast<uint32_t>(getppid()));
  EXPECT_EQ(process->uid, getuid());
  EXPECT_LT(process->start_mono_ns, system_clock().mono_ns());
  EXPECT_FALSE(process->command_line.empty());
  // Every host has some hierarchy, be it v1, hybrid or v2.
  EXPECT_TRUE(process->cgroup_path.starts_with('/')) << process->cgroup_path;
}

TEST(Proc, ACgroupIsNamedByItsIdWhileItIsThere) {
  const std::string id(64, 'a');
  std::string folder = "/sys/fs/cgroup";
  if (std::filesystem::exists(folder + "/unified")) folder += "/unified";
  if (!std::filesystem::exists(folder + "/cgroup.controllers")) GTEST_SKIP() << "no cgroup v2 hierarchy is mounted";
  folder += fmt::format("/ingero_{}", getpid());
  const std::string inner = folder + "/docker-" + id + ".scope";
  std::error_code error;
  if (!std::filesystem::create_directories(inner, error)) GTEST_SKIP() << "cannot make a cgroup: " << error.message();
  struct stat info {};
  ASSERT_EQ(stat(inner.c_str(), &info), 0);
  const ProcFs proc;
  hal::Process process;
  process.cgroup_id = info.st_ino;
  proc.name_by_cgroup(process);
  rmdir(inner.c_str());
  rmdir(folder.c_str());
  EXPECT_TRUE(process.cgroup_path.ends_with("/docker-" + id + ".scope")) << process.cgroup_path;
  EXPECT_EQ(process.container_id, id);

  hal::Process other;  // its cgroup is gone
  other.cgroup_id = info.st_ino;
  proc.name_by_cgroup(other);
  EXPECT_EQ(other.cgroup_path, "");
  EXPECT_EQ(other.cgroup_id, info.st_ino);
}

TEST(Proc, AProcessThatEndsIsNotFound) {
  const pid_t child = fork();
  if (child == 0) pause();
  const ProcFs proc;
  EXPECT_TRUE(proc.process(static_cast<uint32_t>(child)).ok());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const auto gone = proc.process(static_cast<uint32_t>(child));
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code(), Errc::kNotFound);
}

TEST(PidNamespace, AContainersOwnIsRefused) {
  EXPECT_TRUE(check_pid_namespace("/nowhere").ok());
  const TempFolder container;
  std::filesystem::create_directories(container.path() + "/self/ns");
  std::ofstream(container.path() + "/self/ns/pid") << "";
  const Status status = check_pid_namespace(container.path());
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().hint().find("hostPID"), std::string::npos);
}

TEST(SocketOwners, FindsTheHolderOfAFakeSocket) {
  ProcTree tree;
  tree.link("10/fd/3", "socket:[777]");
  tree.link("10/fd/4", "/dev/null");
  tree.link("10/fd/5", "socket:[nonsense]");
  tree.link("11/fd/3", "socket:[778]");
  const ProcFs proc(roots_of(tree));
  HeldClock clock;
  hal::LossLedger losses;
  SocketOwners owners(proc, clock, losses);
  EXPECT_EQ(owners.owner(777, {}), 10U);
  EXPECT_EQ(owners.owner(778, {}), 11U);
  EXPECT_EQ(owners.owner(0, {}), std::nullopt);
  EXPECT_EQ(losses.count(hal::Loss::socket_unowned), 0U) << "a closed socket has no holder";
}

TEST(SocketOwners, ATracedHolderWinsOverAnOlderOne) {
  ProcTree tree;
  tree.link("10/fd/3", "socket:[777]");
  tree.link("20/fd/3", "socket:[777]");
  const ProcFs proc(roots_of(tree));
  HeldClock clock;
  hal::LossLedger losses;
  const std::vector<uint32_t> traced = {20};
  SocketOwners owners(proc, clock, losses);
  EXPECT_EQ(owners.owner(777, traced), 20U);
  SocketOwners without(proc, clock, losses);
  EXPECT_EQ(without.owner(777, {}), 10U);
}

TEST(SocketOwners, SearchesAtMostOnceASecondAndForgetsAfterTen) {
  ProcTree tree;
  tree.link("10/fd/3", "socket:[777]");
  const ProcFs proc(roots_of(tree));
  HeldClock clock;
  hal::LossLedger losses;
  SocketOwners owners(proc, clock, losses);
  EXPECT_EQ(owners.owner(777, {}), 10U);
  tree.link("11/fd/3", "socket:[778]");
  EXPECT_EQ(owners.owner(778, {}), std::nullopt);
  EXPECT_EQ(losses.count(hal::Loss::socket_unowned), 1U) << "not looked for";
  clock.now_ns += kSecond;
  EXPECT_EQ(owners.owner(778, {}), 11U);
  std::filesystem::remove_all(tree.root() + "/11");
  EXPECT_EQ(owners.owner(778, {}), 11U);
  clock.now_ns += 11 * kSecond;
  EXPECT_EQ(owners.owner(778, {}), std::nullopt);
  EXPECT_EQ(losses.count(hal::Loss::socket_unowned), 2U) << "not found";
}

TEST(SocketOwners, WhatIsBehindTheBoundOfAProcessIsCounted) {
  ProcTree tree;
  tree.link("10/fd/0", "socket:[777]");
  const std::string folder = tree.root() + "/10/fd/";
  for (size_t i = 1; i <= SocketOwners::kMaxDescriptors; ++i) {
    ASSERT_EQ(::symlink(fmt::format("socket:[{}]", 1000 + i).c_str(), fmt::format("{}{}", folder, i).c_str()), 0);
  }
  const ProcFs proc(roots_of(tree));
  HeldClock clock;
  hal::LossLedger losses;
  SocketOwners owners(proc, clock, losses);
  size_t found = owners.owner(777, {}) ? 1 : 0;
  for (size_t i = 1; i <= SocketOwners::kMaxDescriptors; ++i) found += owners.owner(1000 + i, {}) ? 1 : 0;
  EXPECT_LT(found, SocketOwners::kMaxDescriptors + 1);
  EXPECT_EQ(losses.count(hal::Loss::socket_unowned), SocketOwners::kMaxDescriptors + 1 - found);
}

TEST(SocketOwners, FindsThisProcessByARealSocket) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  struct stat info {};
  ASSERT_EQ(fstat(pair[0], &info), 0);
  const ProcFs proc;
  hal::LossLedger losses;
  SocketOwners owners(proc, system_clock(), losses);
  const std::vector<uint32_t> self = {static_cast<uint32_t>(getpid())};
  EXPECT_EQ(owners.owner(info.st_ino, self), self[0]);
  close(pair[0]);
  close(pair[1]);
}

}  // namespace
}  // namespace ingero::kernelside
