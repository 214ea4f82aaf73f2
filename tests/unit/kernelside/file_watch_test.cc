// Whether others map a file: the kernel's own answer, where this machine lets us, and answers that are cut or missing.
#include "kernelside/file_watch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bpf/wire.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

class FileWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "BPF programs need root";
    std::ofstream(path_) << std::string(5000, 'x');
    file_.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    mark_ = watch_.add(file_.get());
    ASSERT_NE(mark_, 0U);
    if (const auto looked = watch_.look(); !looked.ok() && looked.error().code() == Errc::kNotSupported) {
      GTEST_SKIP() << looked.error().text();
    }
  }
  void TearDown() override {
    for (const pid_t child : children_) end(child);
  }
  // A process that maps the file, its first page or another.
  pid_t other(int protection, int flags, off_t offset = 0) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      const bool mapped = mmap(nullptr, 4096, protection, flags, file_.get(), offset) != MAP_FAILED;
      (void)!::write(ends[1], mapped ? "y" : "n", 1);
      pause();
      _exit(0);
    }
    children_.push_back(child);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    ::close(ends[0]);
    ::close(ends[1]);
    return child;
  }
  static void end(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  FileWatch::Use use() {
    const auto uses = watch_.look();
    EXPECT_TRUE(uses.ok()) << uses.error().text();
    EXPECT_TRUE(uses->contains(mark_));
    return uses->contains(mark_) ? uses->at(mark_) : FileWatch::Use{};
  }

  TempFolder folder_;
  const std::string path_ = folder_.path() + "/file";
  Fd file_;
  FileWatch watch_;
  uint64_t mark_ = 0;
  std::vector<pid_t> children_;
};

TEST_F(FileWatchTest, AMappingOfAnotherProcessIsSeenWhileItIsThere) {
  EXPECT_FALSE(use().is_mapped);
  const pid_t child = other(PROT_READ | PROT_EXEC, MAP_PRIVATE);
  EXPECT_TRUE(use().is_mapped);
  EXPECT_FALSE(use().is_deleted);
  end(child);
  children_.clear();
  EXPECT_FALSE(use().is_mapped);
}

TEST_F(FileWatchTest, WhateverPartOfItAndHowever) {
  end(other(PROT_READ, MAP_SHARED, 4096));
  EXPECT_FALSE(use().is_mapped);
  children_.clear();
  other(PROT_READ, MAP_SHARED, 4096);
  EXPECT_TRUE(use().is_mapped);
}

TEST_F(FileWatchTest, OwnMappingsAreNoUse) {
  std::vector<void*> own;
  for (int i = 0; i < 4; ++i) own.push_back(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file_.get(), i % 2 * 4096));
  EXPECT_FALSE(use().is_mapped);
  other(PROT_READ, MAP_PRIVATE, 4096);
  EXPECT_TRUE(use().is_mapped) << "among four of our own";
  for (void* page : own) munmap(page, 4096);
}

TEST_F(FileWatchTest, AChildHasItsParentsMappings) {
  void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  children_.push_back(child);
  munmap(page, 4096);
  EXPECT_TRUE(use().is_mapped);
}

TEST_F(FileWatchTest, ADeletedFileSaysSo) {
  std::filesystem::remove(path_);
  EXPECT_TRUE(use().is_deleted);
}

TEST_F(FileWatchTest, ManyFilesAreLookedAtInOnePass) {
  std::vector<uint64_t> marks;
  for (int i = 0; i < 400; ++i) {
    const std::string path = fmt::format("{}/{}", folder_.path(), i);
    std::ofstream(path) << "x";
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    marks.push_back(watch_.add(file.get()));
    if (i % 2 == 1) std::filesystem::remove(path);
  }
  const auto uses = watch_.look();
  ASSERT_TRUE(uses.ok());
  EXPECT_EQ(uses->size(), 401U);
  for (size_t i = 0; i < marks.size(); ++i) {
    ASSERT_TRUE(uses->contains(marks[i]));
    EXPECT_FALSE(uses->at(marks[i]).is_mapped);
    EXPECT_EQ(uses->at(marks[i]).is_deleted, i % 2 == 1);
  }
}

TEST_F(FileWatchTest, WhatIsWatchedNoMoreIsNotMapped) {
  watch_.remove(mark_);
  EXPECT_EQ(msync(reinterpret_cast<void*>(mark_), 4096, MS_ASYNC), -1);
  const auto uses = watch_.look();
  ASSERT_TRUE(uses.ok());
  EXPECT_TRUE(uses->empty());
}

TEST(FileWatchLookup, ARefusedLoadIsTheReasonAndIsTriedAgain) {
  int loads = 0;
  FileWatch watch({[&]() -> Status {
                     if (++loads == 1) return Error(Errc::kNotSupported, "load the mapping iterator: not here");
                     return {};
                   },
                   []() -> Result<Fd> { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }});
  EXPECT_TRUE(watch.look().ok()) << "there is nothing to look at";
  EXPECT_EQ(loads, 0);
  const Fd file(memfd_create("file", MFD_CLOEXEC));
  ASSERT_NE(watch.add(file.get()), 0U);
  EXPECT_FALSE(watch.look().ok());
  EXPECT_TRUE(watch.look().ok());
  EXPECT_TRUE(watch.look()->empty());
  EXPECT_EQ(loads, 2);
}

TEST(FileWatchLookup, AnAnswerInPiecesIsPutTogether) {
  const TempFolder folder;
  const std::string path = folder.path() + "/file";
  std::ofstream(path) << "x";
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  uint64_t mark = 0;
  FileWatch watch({[]() -> Status { return {}; },
                   [&]() -> Result<Fd> {
                     int ends[2];
                     if (pipe2(ends, O_CLOEXEC | O_DIRECT) != 0) return errno_error("make a pipe");  // a packet a read
                     Fd from(ends[0]);
                     const Fd to(ends[1]);
                     const wire_use uses[] = {{1, 1, 1}, {mark, 0, 1}};
                     const char* bytes = reinterpret_cast<const char*>(uses);
                     EXPECT_EQ(::write(to.get(), bytes, 20), 20);
                     EXPECT_EQ(::write(to.get(), bytes + 20, 5), 5);
                     EXPECT_EQ(::write(to.get(), bytes + 25, sizeof(uses) - 25), 7);
                     return from;
                   }});
  mark = watch.add(file.get());
  const auto uses = watch.look();
  ASSERT_TRUE(uses.ok());
  ASSERT_EQ(uses->size(), 1U) << "others' mappings are not ours";
  EXPECT_TRUE(uses->at(mark).is_mapped);
  EXPECT_TRUE(uses->at(mark).is_deleted);
  EXPECT_EQ(watch.add(-1), 0U);
}

}  // namespace
}  // namespace ingero::kernelside
