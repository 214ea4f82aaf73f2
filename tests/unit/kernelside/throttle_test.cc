// cpu.stat of control groups from made-up trees: what grew since the last read, the longest of several, and the last of
// what a process left.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "kernelside/throttle_reader.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

class Throttle : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path full = temp_.path() + "/" + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  void stat(const std::string& group, uint64_t periods, uint64_t usec) {
    file("cgroup" + group + "/cpu.stat", "usage_usec 1\nnr_periods 9\nnr_throttled " + std::to_string(periods) +
                                             "\nthrottled_usec " + std::to_string(usec) + "\n");
  }
  void put(uint32_t pid, const std::string& group) {
    file("proc/" + std::to_string(pid) + "/cgroup", "0::" + group + "\n");
  }

  const TempFolder temp_;
  ThrottleReader reader_{temp_.path() + "/cgroup", temp_.path() + "/proc"};
  const std::vector<CgroupMember> pids_ = {{7, 0}};
};

TEST_F(Throttle, CountsWhatGrewSinceTheLastRead) {
  put(7, "/job");
  stat("/job", 5, 500);
  EXPECT_TRUE(reader_.read(pids_, 1).empty()) << "before the first read it may have been another's";
  stat("/job", 8, 1700);
  const auto found = reader_.read(pids_, 2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "/job");
  EXPECT_EQ(found[0].pid, 7U);
  EXPECT_EQ(found[0].periods, 3U);
  EXPECT_EQ(found[0].throttled_ns, 1'200'000U);
  EXPECT_TRUE(reader_.read(pids_, 3).empty());
}

TEST_F(Throttle, TheLastPartOfASecondBeforeAProcessEndsCounts) {
  put(7, "/pod/job");
  stat("/pod", 0, 0);
  stat("/pod/job", 1, 100);
  EXPECT_TRUE(reader_.read(pids_, 1).empty());
  stat("/pod", 1, 50);
  stat("/pod/job", 4, 900);
  const auto found = reader_.read({}, 2);  // the process has ended
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "/pod/job") << "the longest of several";
  EXPECT_EQ(found[0].pid, 7U);
  EXPECT_EQ(found[0].periods, 3U);
  EXPECT_EQ(found[0].throttled_ns, 800'000U);
  stat("/pod/job", 40, 9000);
  EXPECT_TRUE(reader_.read({}, 3).empty()) << "what others do there after it is not its";
}

TEST_F(Throttle, APeriodThatHasNoTimeYetIsNotOne) {
  put(7, "/job");
  stat("/job", 1, 100);
  EXPECT_TRUE(reader_.read(pids_, 1).empty());
  stat("/job", 2, 100);
  EXPECT_TRUE(reader_.read({}, 2).empty()) << "a cgroup without a name would have been held back";
}

TEST_F(Throttle, WhatStopsACgroupStopsAllInIt) {
  const std::vector<CgroupMember> both = {{7, 40}, {8, 40}};
  put(7, "/job");
  put(8, "/job");
  stat("/job", 1, 100);
  EXPECT_TRUE(reader_.read(both, 1).empty());
  stat("/job", 3, 900);
  const auto found = reader_.read(both, 2);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].pid + found[1].pid, 15U);
  EXPECT_EQ(found[0].throttled_ns, found[1].throttled_ns);
}

TEST_F(Throttle, OfVersionOneEachProcessHasALimitOfItsOwn) {
  const std::vector<CgroupMember> both = {{7, 40}, {8, 40}};  // in one cgroup of version 2, a bare one
  file("proc/7/cgroup", "4:cpu,cpuacct:/\n0::/user\n");
  file("proc/8/cgroup", "4:cpu,cpuacct:/worker\n0::/user\n");
  const auto stat_v1 = [&](uint64_t periods, uint64_t ns) {
    file("cgroup/cpu/worker/cpu.stat",
         "nr_throttled " + std::to_string(periods) + "\nthrottled_time " + std::to_string(ns) + "\n");
  };
  stat_v1(1, 100'000);
  EXPECT_TRUE(reader_.read(both, 1).empty());
  stat_v1(3, 400'000);
  const auto found = reader_.read(both, 2);
  ASSERT_EQ(found.size(), 1U) << "the trainer has no limit";
  EXPECT_EQ(found[0].pid, 8U);
}

// Version 1 mounts the controller apart, counts nanoseconds, and has the counters of the whole machine at its root.
TEST_F(Throttle, OfVersionOneTheGroupsCountAndTheRootDoesNot) {
  file("proc/7/cgroup", "5:memory:/elsewhere\n4:cpu,cpuacct:/job\n");
  const auto stat_v1 = [&](const std::string& group, uint64_t periods, uint64_t ns) {
    file("cgroup/cpu" + group + "/cpu.stat",
         "nr_throttled " + std::to_string(periods) + "\nthrottled_time " + std::to_string(ns) + "\n");
  };
  stat_v1("", 10, 1'000'000);
  stat_v1("/job", 1, 100'000);
  EXPECT_TRUE(reader_.read(pids_, 1).empty());
  stat_v1("", 90, 900'000'000);
  EXPECT_TRUE(reader_.read(pids_, 2).empty());
  stat_v1("/job", 3, 400'000);
  const auto found = reader_.read(pids_, 3);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "/cpu/job");
  EXPECT_EQ(found[0].periods, 2U);
  EXPECT_EQ(found[0].throttled_ns, 300'000U);
}

TEST_F(Throttle, AGroupThatWasMadeAnewBeginsAnew) {
  put(7, "/job");
  stat("/job", 5, 500);
  EXPECT_TRUE(reader_.read(pids_, 1).empty());
  stat("/job", 6, 20);  // more periods, and less time
  EXPECT_TRUE(reader_.read(pids_, 2).empty());
  stat("/job", 7, 10);
  EXPECT_TRUE(reader_.read({}, 3).empty()) << "nor after its last process";
}

TEST_F(Throttle, AGroupThatIsGoneOrHasNoLimitGivesNothing) {
  put(7, "/job");
  stat("/job", 1, 100);
  EXPECT_TRUE(reader_.read(pids_, 1).empty());
  std::filesystem::remove_all(temp_.path() + "/cgroup/job");
  EXPECT_TRUE(reader_.read(pids_, 2).empty());
  EXPECT_TRUE(reader_.read({}, 3).empty());
  file("cgroup/job/cpu.stat", "usage_usec 5\n");
  EXPECT_TRUE(reader_.read(pids_, 4).empty());
}

}  // namespace
}  // namespace ingero::kernelside
