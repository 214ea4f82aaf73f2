// Limits on memory from made-up trees of cgroups: what grew since the last read, in the cgroup that is at its limit.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "kernelside/memory_limit_reader.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

class MemoryLimits : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path full = temp_.path() + "/" + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  // Of version 2.
  void group(const std::string& path, const std::string& max, uint64_t used, uint64_t reread_pages, uint64_t stalled_us,
             const std::string& high = "max") {
    const std::string folder = "cgroup" + path;
    file(folder + "/memory.max", max + "\n");
    file(folder + "/memory.high", high + "\n");
    file(folder + "/memory.current", std::to_string(used) + "\n");
    file(folder + "/memory.stat", "anon 5\nworkingset_refault_anon 1\nworkingset_refault_file " +
                                      std::to_string(reread_pages) + "\nworkingset_activate_file 9\n");
    file(folder + "/memory.events", "low 0\nhigh 4\nmax " + std::to_string(reread_pages) + "\noom 0\n");
    file(folder + "/memory.pressure", "some avg10=1.00 avg60=0.00 avg300=0.00 total=" + std::to_string(stalled_us) +
                                          "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
  }
  void apart(const std::string& path, uint64_t limit, uint64_t used, uint64_t reread_pages, uint64_t hits) {
    const std::string folder = "cgroup/memory" + path;
    file(folder + "/memory.limit_in_bytes", std::to_string(limit) + "\n");
    file(folder + "/memory.usage_in_bytes", std::to_string(used) + "\n");
    file(folder + "/memory.failcnt", std::to_string(hits) + "\n");
    file(folder + "/memory.stat",
         "workingset_refault_file 0\ntotal_workingset_refault_anon 0\n"
         "total_workingset_refault_file " +
             std::to_string(reread_pages) + "\n");
  }
  void put(uint32_t pid, const std::string& lines) { file("proc/" + std::to_string(pid) + "/cgroup", lines); }

  const TempFolder temp_;
  const uint64_t page_bytes_ = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  MemoryLimitReader reader_{temp_.path() + "/cgroup", temp_.path() + "/proc"};
  const std::vector<CgroupMember> one_ = {{7, 0}};
};

TEST_F(MemoryLimits, CountWhatWasReadAgainSinceTheLastRead) {
  put(7, "0::/pod/job\n");
  group("/pod", "max", 999'000, 5, 100);
  group("/pod/job", "1000000", 990'000, 100, 5000);
  EXPECT_TRUE(reader_.read(one_, 1).empty()) << "before the first read it may have been another's";
  group("/pod/job", "1000000", 995'000, 140, 9000);
  const auto found = reader_.read(one_, 2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "/pod/job");
  EXPECT_EQ(found[0].limit_name, "memory.max");
  EXPECT_EQ(found[0].limit_bytes, 1'000'000U);
  EXPECT_EQ(found[0].used_bytes, 995'000U);
  EXPECT_EQ(found[0].reread_bytes, 40 * page_bytes_);
  EXPECT_EQ(found[0].hits, 40U);
  EXPECT_EQ(found[0].stalled_ns, 4'000'000);
  EXPECT_EQ(found[0].pid, 7U);
  EXPECT_EQ(found[0].mono_ns, 2U);
  EXPECT_TRUE(reader_.read(one_, 3).empty()) << "nothing grew";
}

TEST_F(MemoryLimits, TheLowerOfTwoCountsAndOneOfAGroupAboveToo) {
  put(7, "0::/pod/job\n");
  const auto set = [&](uint64_t pages) {
    group("/pod", "9000000", 8'900'000, pages, 0, "8000000");
    group("/pod/job", "max", 8'900'000, pages, 0);
  };
  set(1);
  reader_.read(one_, 1);
  set(9);
  const auto found = reader_.read(one_, 2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "/pod");
  EXPECT_EQ(found[0].limit_name, "memory.high");
  EXPECT_EQ(found[0].limit_bytes, 8'000'000U);
}

TEST_F(MemoryLimits, AGroupThatIsNotAtItsLimitOrIsMerelyFullReportsNothing) {
  put(7, "0::/job\n");
  for (uint64_t pages = 0; pages < 3; ++pages) {
    group("/job", "1000000", 500'000, 100 * pages, pages);
    EXPECT_TRUE(reader_.read(one_, pages).empty());
  }
  for (uint64_t at = 3; at < 6; ++at) {
    group("/job", "1000000", 1'000'000, 300, 3);
    EXPECT_TRUE(reader_.read(one_, at).empty());
  }
}

TEST_F(MemoryLimits, OfVersionOneEachProcessIsLookedAt) {
  put(7, "5:memory:/a\n0::/\n");
  put(8, "5:memory:/b\n0::/\n");
  const std::vector<CgroupMember> both = {{7, 40}, {8, 40}};
  apart("", uint64_t{9223372036854771712U}, 5'000'000, 1, 0);
  apart("/a", 1'000'000, 999'999, 10, 3);
  apart("/b", 9223372036854771712U, 999'999, 10, 3);
  reader_.read(both, 1);
  apart("/a", 1'000'000, 999'999, 30, 8);
  apart("/b", 9223372036854771712U, 999'999, 30, 8);
  const auto found = reader_.read(both, 2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, 7U);
  EXPECT_EQ(found[0].path, "/memory/a");
  EXPECT_EQ(found[0].limit_name, "memory.limit_in_bytes");
  EXPECT_EQ(found[0].reread_bytes, 20 * page_bytes_);
  EXPECT_EQ(found[0].hits, 5U);
  EXPECT_EQ(found[0].stalled_ns, -1) << "not known";
  apart("/a", 1'000'000, 999'999, 30, 9);
  EXPECT_EQ(reader_.read(both, 3).size(), 1U) << "the limit was reached";
}

TEST_F(MemoryLimits, ProcessesOfOneGroupHaveARowEach) {
  put(7, "0::/job\n");
  put(8, "0::/job\n");
  const std::vector<CgroupMember> both = {{7, 40}, {8, 40}};
  group("/job", "1000000", 999'999, 1, 0);
  reader_.read(both, 1);
  group("/job", "1000000", 999'999, 2, 0);
  const auto found = reader_.read(both, 2);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].pid, 7U);
  EXPECT_EQ(found[1].pid, 8U);
  EXPECT_EQ(found[0].path, found[1].path);
}

TEST_F(MemoryLimits, TextsThatAreNoneReportNothing) {
  put(7, "0::/job/../..\n0::/job\nmemory\n");
  file("cgroup/job/memory.max", "-5\n");
  EXPECT_TRUE(reader_.read(one_, 1).empty());
  file("cgroup/job/memory.max", "1000\n");
  file("cgroup/job/memory.current", "99999999999999999999\n");
  EXPECT_TRUE(reader_.read(one_, 2).empty());
  file("cgroup/job/memory.current", "1000\n");
  file("cgroup/job/memory.stat", "workingset_refault_file\nworkingset_refault_file x\n");
  EXPECT_TRUE(reader_.read(one_, 3).empty());
  EXPECT_TRUE(reader_.read(one_, 4).empty());
  EXPECT_TRUE(reader_.read(std::vector<CgroupMember>{{9, 0}}, 5).empty());
}

}  // namespace
}  // namespace ingero::kernelside
