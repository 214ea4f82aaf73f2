// The kernel's list of CPUs, and that it is opened once.
#include "kernelside/online_cpus.h"

#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

TEST(OnlineCpus, IsTheKernelsList) {
  OnlineCpus cpus;
  const auto kernels = read_file("/sys/devices/system/cpu/online", 4096);
  ASSERT_TRUE(kernels.ok());
  EXPECT_EQ(cpus.list(), *kernels);
  EXPECT_EQ(cpus.list(), *kernels) << "from its beginning again";
}

TEST(OnlineCpus, IsOpenedOnceAndSaysWhatIsInItNow) {
  const TempFolder folder;
  const std::string path = folder.path() + "/online";
  OnlineCpus cpus(path);
  EXPECT_EQ(cpus.list(), "") << "there is none yet";
  std::ofstream file(path);
  file << "0-3\n" << std::flush;
  EXPECT_EQ(cpus.list(), "0-3\n");
  ASSERT_EQ(unlink(path.c_str()), 0);
  file.seekp(0);
  file << "0-2\n" << std::flush;
  EXPECT_EQ(cpus.list(), "0-2\n");
}

}  // namespace
}  // namespace ingero::kernelside
