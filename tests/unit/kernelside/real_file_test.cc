// The file below a layered file system, by a lookup that is not the kernel's: what it is asked, what its answer means,
// and what is left when there is none.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bpf/wire.h"
#include "kernelside/real_files.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

class RealFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path_) << "what the file holds";
    file_.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(file_.valid());
  }
  // A lookup that answers with `bytes`, and notes what is mapped where it is asked.
  MappingLookup lookup() {
    return {[this]() -> Status {
              ++loads_;
              if (loads_ <= refused_loads_) return Error(Errc::kNotSupported, "load the mapping iterator: not here");
              return {};
            },
            [this](uint64_t address) -> Result<Fd> {
              ++opens_;
              address_ = address;
              mapped_.assign(reinterpret_cast<const char*>(address), 8);
              if (no_open_) return Error(Errc::kPermission, "look up the mapped file: not permitted");
              return answer();
            }};
  }
  virtual Result<Fd> answer() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno_error("make a pipe");
    Fd from(ends[0]);
    const Fd to(ends[1]);
    EXPECT_EQ(::write(to.get(), bytes_.data(), bytes_.size()), static_cast<ssize_t>(bytes_.size()));
    return from;
  }
  void answer_with(uint64_t device, uint64_t inode) {
    wire_file file{};
    file.device = device;
    file.inode = inode;
    bytes_.assign(reinterpret_cast<const char*>(&file), sizeof(file));
  }

  TempFolder folder_;
  const std::string path_ = folder_.path() + "/file";
  Fd file_;
  std::string bytes_;
  std::string mapped_;
  uint64_t address_ = 0;
  int loads_ = 0, refused_loads_ = 0, opens_ = 0;
  bool no_open_ = false;
};

TEST_F(RealFileTest, ItsNumbersAreThoseOfStat) {
  answer_with(uint64_t{259} << 20U | 0x12345, 77);  // as the kernel keeps them
  RealFiles files(lookup());
  const auto found = files.find(file_.get());
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->device, makedev(259, 0x12345));
  EXPECT_EQ(found->inode, 77U);
}

TEST_F(RealFileTest, TheFileIsMappedWhileItIsLookedUpAndNoLonger) {
  answer_with(1, 2);
  RealFiles files(lookup());
  ASSERT_TRUE(files.find(file_.get()).ok());
  EXPECT_EQ(mapped_, "what the");
  EXPECT_EQ(msync(reinterpret_cast<void*>(address_), 4096, MS_ASYNC), -1);
  EXPECT_EQ(errno, ENOMEM) << "not mapped any more";
}

TEST_F(RealFileTest, NothingIsLoadedBeforeItIsNeededAndThenOnce) {
  answer_with(1, 2);
  RealFiles files(lookup());
  EXPECT_EQ(loads_, 0);
  ASSERT_TRUE(files.find(file_.get()).ok());
  ASSERT_TRUE(files.find(file_.get()).ok());
  EXPECT_EQ(loads_, 1);
  EXPECT_EQ(opens_, 2);
}

TEST_F(RealFileTest, ALoadThatFailedIsTheReasonAndIsTriedAgain) {
  answer_with(1, 2);
  refused_loads_ = 1;
  RealFiles files(lookup());
  const auto first = files.find(file_.get());
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().code(), Errc::kNotSupported);
  EXPECT_EQ(opens_, 0);
  EXPECT_TRUE(files.find(file_.get()).ok());
  EXPECT_EQ(loads_, 2);
}

TEST_F(RealFileTest, AnAnswerThatIsCutOrMissingIsNoFile) {
  answer_with(1, 2);
  for (const size_t size : {size_t{0}, bytes_.size() - 1}) {
    bytes_.resize(size);
    RealFiles files(lookup());
    const auto found = files.find(file_.get());
    ASSERT_FALSE(found.ok()) << size;
    EXPECT_EQ(found.error().code(), Errc::kNotFound);
  }
}

TEST_F(RealFileTest, ALookupThatIsRefusedSaysSo) {
  no_open_ = true;
  RealFiles files(lookup());
  const auto found = files.find(file_.get());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().text(), "look up the mapped file: not permitted");
}

TEST_F(RealFileTest, WhatCannotBeMappedIsNotLookedUp) {
  RealFiles files(lookup());
  const Fd folder(::open(folder_.path().c_str(), O_RDONLY | O_CLOEXEC));
  const auto found = files.find(folder.get());
  ASSERT_FALSE(found.ok());
  EXPECT_TRUE(found.error().message().starts_with("map the file: ")) << found.error().message();
  EXPECT_EQ(opens_, 0);
}

// The kernel may answer "again" before it answers.
class SlowRealFileTest : public RealFileTest {
 protected:
  ~SlowRealFileTest() override {
    if (writer_.joinable()) writer_.join();
  }
  Result<Fd> answer() override {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno_error("make a pipe");
    writer_ = std::thread([this, to = Fd(ends[1])] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(::write(to.get(), bytes_.data(), bytes_.size()), static_cast<ssize_t>(bytes_.size()));
    });
    return Fd(ends[0]);
  }
  std::thread writer_;
};

TEST_F(SlowRealFileTest, AnAnswerThatTakesTimeIsWaitedFor) {
  answer_with(1, 42);
  RealFiles files(lookup());
  const auto found = files.find(file_.get());
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->inode, 42U);
}

TEST(LayeredFileSystem, IsKnownByItsType) {
  const auto overlay = [](int, struct statfs* status) {
    status->f_type = OVERLAYFS_SUPER_MAGIC;
    return 0;
  };
  const auto other = [](int, struct statfs* status) {
    status->f_type = EXT4_SUPER_MAGIC;
    return 0;
  };
  const auto refused = [](int, struct statfs* status) {
    status->f_type = OVERLAYFS_SUPER_MAGIC;
    return -1;
  };
  EXPECT_TRUE(RealFiles::layered(0, overlay));
  EXPECT_FALSE(RealFiles::layered(0, other));
  EXPECT_FALSE(RealFiles::layered(0, refused));
  EXPECT_FALSE(RealFiles::layered(-1));
}

// The kernel's own answer, where this machine lets us: of a file that lies on no layered file system, it is stat's.
TEST(KernelLookup, GivesTheNumbersOfAPlainFile) {
  if (geteuid() != 0) GTEST_SKIP() << "BPF programs need root";
  const Fd file(memfd_create("plain", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(file.get(), 4096), 0);
  struct stat status {};
  ASSERT_EQ(fstat(file.get(), &status), 0);
  RealFiles files;
  const auto found = files.find(file.get());
  if (!found.ok() && found.error().code() == Errc::kNotSupported) GTEST_SKIP() << found.error().text();
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(*found, (hal::FileId{status.st_dev, status.st_ino}));
}

}  // namespace
}  // namespace ingero::kernelside
