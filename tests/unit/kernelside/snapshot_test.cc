// The machine's second, out of fake /proc files and once out of the real ones.
#include <string>

#include <gtest/gtest.h>

#include "held_clock.h"
#include "kernelside/snapshot_reader.h"
#include "proc_tree.h"

namespace ingero::kernelside {
namespace {

using ingero::testing::ProcTree;

void fill(ProcTree& tree) {
  tree.file("stat", "cpu  1000 10 500 8000 400 20 30 40 900 0\ncpu0 1 1 1 1\nintr 5 6\n");
  tree.file("meminfo",
            "MemTotal:       16777216 kB\nMemFree:         1 kB\nMemAvailable:    4194304 kB\n"
            "SwapTotal:       2097152 kB\nSwapFree:        1048576 kB\n");
  tree.file("loadavg", "1.25 0.14 0.09 1/95 10541\n");
  tree.file("vmstat", "nr_free_pages 5\npgmajfault 70\npgmajfault_x 1\n");
  tree.file("pressure/cpu",
            "some avg10=12.50 avg60=0.15 avg300=0.68 total=14054188\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  tree.file("pressure/io",
            "some avg10=3.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=2.00 avg60=0 avg300=0 total=1\n");
  tree.file("pressure/memory", "some avg10=0.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.25 avg60=0 total=1\n");
}

TEST(Snapshot, ReadsEveryValue) {
  ProcTree tree;
  fill(tree);
  SnapshotReader reader(system_clock(), tree.root());
  const auto first = reader.read();
  EXPECT_EQ(first.cpu_percent, -1);
  EXPECT_EQ(first.major_faults, -1);
  EXPECT_DOUBLE_EQ(first.mem_percent, 75);
  EXPECT_EQ(first.mem_available_mb, 4096);
  EXPECT_EQ(first.swap_used_mb, 1024);
  EXPECT_DOUBLE_EQ(first.load1, 1.25);
  EXPECT_EQ(first.psi_cpu_some, -1);
  EXPECT_GT(first.wall_ns, 0U);

  // 60 busy of 200 ticks: user 30, system 20, softirq 10; guest 900 is in user's already and adds nothing.
  tree.file("stat", "cpu  1030 10 520 8120 420 20 40 40 990 0\n");
  tree.file("vmstat", "pgmajfault 75\n");
  const auto second = reader.read();
  EXPECT_DOUBLE_EQ(second.cpu_percent, 30);
  EXPECT_EQ(second.major_faults, 5);
}

TEST(Snapshot, PressureIsOfTheLastSecondsAndOverWhenItIsOver) {
  ProcTree tree;
  HeldClock clock;
  SnapshotReader reader(clock, tree.root());
  const auto after = [&](uint64_t ms, uint64_t some_us, uint64_t full_us) {
    clock.now_ns += ms * 1'000'000;
    tree.file("pressure/memory", fmt::format("some avg10=77.00 avg60=1.00 avg300=0.00 total={}\nfull avg10=66.00 "
                                             "avg60=0.00 avg300=0.00 total={}\n",
                                             some_us, full_us));
    return reader.read();
  };
  EXPECT_EQ(after(1000, 5'000'000, 9).psi_mem_some, -1) << "a total says nothing of now";
  EXPECT_EQ(after(1000, 5'000'000, 9).psi_mem_some, -1) << "the kernel may not have added yet";
  EXPECT_EQ(after(2000, 5'000'000, 9).psi_mem_some, 0);
  // A minute of nothing, then half of a period.
  EXPECT_EQ(after(60'000, 5'000'000, 9).psi_mem_some, 0);
  auto snapshot = after(1000, 6'000'000, 500'009);
  EXPECT_DOUBLE_EQ(snapshot.psi_mem_some, 50);
  EXPECT_DOUBLE_EQ(snapshot.psi_mem_full, 25);
  EXPECT_DOUBLE_EQ(after(1000, 6'000'000, 500'009).psi_mem_some, 50) << "until the kernel's next word";
  EXPECT_DOUBLE_EQ(after(1000, 8'500'000, 500'009).psi_mem_some, 100) << "no more than all of it";
  EXPECT_EQ(after(2600, 8'500'000, 500'009).psi_mem_some, 0) << "over";
  EXPECT_EQ(after(1000, 7, 500'009).psi_mem_some, -1) << "ran backwards";
}

TEST(Snapshot, WhatIsMissingIsAbsent) {
  ProcTree tree;
  SnapshotReader reader(system_clock(), tree.root());
  for (int i = 0; i < 2; ++i) {
    const auto snapshot = reader.read();
    EXPECT_EQ(snapshot.cpu_percent, -1);
    EXPECT_EQ(snapshot.mem_percent, -1);
    EXPECT_EQ(snapshot.mem_available_mb, -1);
    EXPECT_EQ(snapshot.swap_used_mb, -1);
    EXPECT_EQ(snapshot.load1, -1);
    EXPECT_EQ(snapshot.psi_cpu_some, -1);
    EXPECT_EQ(snapshot.psi_io_full, -1);
    EXPECT_EQ(snapshot.psi_mem_full, -1);
    EXPECT_EQ(snapshot.major_faults, -1);
  }
}

TEST(Snapshot, NoSwapIsZeroUsedAndNoPressureFilesIsAbsent) {
  ProcTree tree;
  tree.file("meminfo", "MemTotal: 100 kB\nMemAvailable: 100 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
  const auto snapshot = SnapshotReader(system_clock(), tree.root()).read();
  EXPECT_EQ(snapshot.swap_used_mb, 0);
  EXPECT_EQ(snapshot.mem_percent, 0);
  EXPECT_EQ(snapshot.psi_cpu_some, -1);
}

// The last one of a recording comes right behind the one before: one tick is not a third of the time.
TEST(Snapshot, AFewTicksHaveNoSharesAndCountWithTheNext) {
  ProcTree tree;
  fill(tree);
  SnapshotReader reader(system_clock(), tree.root());
  reader.read();
  tree.file("stat", "cpu  1000 10 500 8002 400 20 31 40 900 0\n");
  EXPECT_EQ(reader.read().interrupt_percent, -1);
  tree.file("stat", "cpu  1000 10 500 8098 400 20 32 40 900 0\n");
  const auto next = reader.read();
  EXPECT_DOUBLE_EQ(next.interrupt_percent, 2);
  EXPECT_DOUBLE_EQ(next.cpu_percent, 2);
}

TEST(Snapshot, CountersThatRunBackwardsGiveNoAnswer) {
  ProcTree tree;
  fill(tree);
  SnapshotReader reader(system_clock(), tree.root());
  reader.read();
  tree.file("stat", "cpu  900 10 500 8300 400 20 30 40 0 0\n");
  tree.file("vmstat", "pgmajfault 1\n");
  const auto snapshot = reader.read();
  EXPECT_EQ(snapshot.cpu_percent, -1);
  EXPECT_EQ(snapshot.major_faults, -1);
}

TEST(Snapshot, GarbageIsAbsent) {
  ProcTree tree;
  tree.file("stat", "cpu  a b c d e f\n");
  tree.file("meminfo", "MemTotal: -5 kB\nMemAvailable: 7 kB\nSwapTotal:\nSwapFree: x\n");
  tree.file("loadavg", "nan 1 2\n");
  tree.file("pressure/cpu", "some avg10=inf total=-5\n");
  SnapshotReader reader(system_clock(), tree.root());
  reader.read();
  const auto snapshot = reader.read();
  EXPECT_EQ(snapshot.cpu_percent, -1);
  EXPECT_EQ(snapshot.mem_percent, -1);
  EXPECT_EQ(snapshot.swap_used_mb, -1);
  EXPECT_EQ(snapshot.load1, -1);
  EXPECT_EQ(snapshot.psi_cpu_some, -1);
}

TEST(Snapshot, TheRealMachineAnswers) {
  const auto snapshot = SnapshotReader(system_clock()).read();
  EXPECT_GT(snapshot.mem_percent, 0);
  EXPECT_LT(snapshot.mem_percent, 100);
  EXPECT_GE(snapshot.load1, 0);
}

}  // namespace
}  // namespace ingero::kernelside
