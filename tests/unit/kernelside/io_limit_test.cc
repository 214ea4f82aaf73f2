// Limits on disks from made-up trees of cgroups: reported once to each process, and again when they are others.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "kernelside/io_limit_reader.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

class IoLimits : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path full = temp_.path() + "/" + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  const TempFolder temp_;
  IoLimitReader reader_{temp_.path() + "/cgroup", temp_.path() + "/proc"};
  const std::vector<CgroupMember> one_ = {{7, 0}};
};

TEST_F(IoLimits, AreReportedOnceAndAgainWhenTheyChange) {
  file("proc/7/cgroup", "0::/pod/job\n");
  file("cgroup/pod/io.max", "254:16 rbps=max wbps=max riops=50 wiops=max\n");
  file("cgroup/pod/job/io.max", "8:0 rbps=20000000 wbps=max riops=max wiops=max\nnonsense\n254:0 rbps=x\n");
  const auto found = reader_.read(one_, 1);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].path, "/pod/job");
  EXPECT_EQ(found[0].limit_name, "io.max rbps");
  EXPECT_EQ(found[0].device, 8U << 20);
  EXPECT_EQ(found[0].limit, 20'000'000U);
  EXPECT_TRUE(found[0].is_bytes);
  EXPECT_FALSE(found[0].is_write);
  EXPECT_EQ(found[0].pid, 7U);
  EXPECT_EQ(found[1].path, "/pod");
  EXPECT_EQ(found[1].limit_name, "io.max riops");
  EXPECT_EQ(found[1].device, 254U << 20 | 16);
  EXPECT_FALSE(found[1].is_bytes);
  for (uint32_t look = 1; look < IoLimitReader::kFirstLooks; ++look) EXPECT_TRUE(reader_.read(one_, 1).empty());
  file("cgroup/pod/job/io.max", "8:0 rbps=30000000 wbps=max riops=max wiops=max\n");
  EXPECT_TRUE(reader_.read(one_, 2).empty()) << "not looked at so soon";
  const auto again = reader_.read(one_, 1 + IoLimitReader::kEvery_ns);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].limit, 30'000'000U);
  EXPECT_TRUE(reader_.read(one_, 1 + 2 * IoLimitReader::kEvery_ns).empty()) << "as before";
  EXPECT_TRUE(reader_.read({}, 2 + 2 * IoLimitReader::kEvery_ns).empty());
  EXPECT_EQ(reader_.read(one_, 3 + 2 * IoLimitReader::kEvery_ns).size(), 2U) << "another process of that number";
}

TEST_F(IoLimits, OfVersionOneTheThrottleFilesCount) {
  file("proc/7/cgroup", "3:blkio:/a\n0::/\n");
  file("cgroup/blkio/a/blkio.throttle.read_bps_device", "254:0 50000000\n");
  file("cgroup/blkio/a/blkio.throttle.write_iops_device", "254:0 100\n99999999999:0 5\n254:0 -1\n");
  const auto found = reader_.read(one_, 1);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].path, "/blkio/a");
  EXPECT_EQ(found[0].limit_name, "blkio.throttle.read_bps_device");
  EXPECT_EQ(found[0].limit, 50'000'000U);
  EXPECT_EQ(found[1].limit_name, "blkio.throttle.write_iops_device");
  EXPECT_TRUE(found[1].is_write);
  EXPECT_FALSE(found[1].is_bytes);
}

TEST_F(IoLimits, NoFileNoLimit) {
  file("proc/7/cgroup", "3:blkio:/../a\n0::/gone\n");
  EXPECT_TRUE(reader_.read(std::vector<CgroupMember>{{7, 0}, {8, 0}}, 1).empty());
}

}  // namespace
}  // namespace ingero::kernelside
