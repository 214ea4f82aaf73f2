// Memory and files of other processes: what is read, what is not, and how long anybody waits.
#include "kernelside/foreign.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "hal/elf.h"
#include "held_clock.h"
#include "kernelside/foreign_memory.h"
#include "locked_pages.h"
#include "proc_tree.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kPage = 4096;

std::unique_ptr<Helpers> helpers() { return std::move(Helpers::start()).value(); }

// The last child of this process: the parent of the helpers that were started last.
pid_t parent_of_helpers() {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", getpid()));
  pid_t last = 0;
  for (pid_t pid = 0; children >> pid;) last = pid;
  return last;
}

// Pages of this process, for a /proc that says of them what a test wants.
class Pages {
 public:
  explicit Pages(int flags = 0, int fd = -1)
      : data_(static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0) | flags, fd, 0))) {}
  ~Pages() { munmap(data_, 2 * kPage); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  char* data() const { return data_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }

 private:
  char* data_;
};

// As where another process holds up fork() for a while.
TEST(ForeignHelpers, AForkThatTakesLongIsNotTheLastOne) {
  hal::LossLedger ledger;
  Foreign foreign(helpers(), ledger);
  const pid_t parent = parent_of_helpers();
  ASSERT_GT(parent, 0);
  ASSERT_EQ(kill(parent, SIGSTOP), 0);
  const auto pid = static_cast<uint32_t>(getpid());
  EXPECT_FALSE(foreign.text(pid, "maps", 64).ok());
  EXPECT_EQ(ledger.count(hal::Loss::memory_unread), 1U) << "said, and of the process that it was";
  ASSERT_EQ(kill(parent, SIGCONT), 0);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  Result<std::string> text = Error(Errc::kBusy, "not asked");
  while (!text.ok() && std::chrono::steady_clock::now() < end) text = foreign.text(pid, "maps", 64);
  EXPECT_TRUE(text.ok()) << text.error().text();
}

class FakeProc : public ::testing::Test {
 protected:
  const uint32_t pid_ = static_cast<uint32_t>(getpid());
  testing::ProcTree tree_;
  Pages pages_;

  void SetUp() override {
    std::strcpy(pages_.data(), "what lies there");
    tree_.file(fmt::format("{}/mountinfo", pid_),
               "27 1 254:0 / / rw - ext4 /dev/vda rw\n42 27 0:39 / /m rw - fuse.x x rw,user_id=0\n"
               "30 27 0:27 / /dev/shm rw - tmpfs tmpfs rw\n");
    pagemap(0);
  }
  void pagemap(uint64_t entry) {
    const std::string path = fmt::format("{}/{}/pagemap", tree_.root(), pid_);
    const Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    for (uint64_t page = 0; page < 2; ++page) {
      const auto at = static_cast<off_t>((pages_.address() / kPage + page) * sizeof(entry));
      ASSERT_EQ(pwrite(file.get(), &entry, sizeof(entry), at), static_cast<ssize_t>(sizeof(entry)));
    }
  }
  void maps(std::string_view device, uint64_t inode) {
    tree_.file(fmt::format("{}/maps", pid_),
               fmt::format("{:x}-{:x} rw-p 00000000 {} {}{}\n", pages_.address(), pages_.address() + 2 * kPage, device,
                           inode, inode == 0 ? "" : "    /some/file"));
  }
  // Nothing: not read, and errno says why.
  std::optional<std::string> read(size_t size = 15) const {
    std::string out(size, '\0');
    const ssize_t got = read_foreign_memory(tree_.root(), pid_, pages_.address(), out.data(), out.size());
    if (got < 0) return std::nullopt;
    out.resize(static_cast<size_t>(got));
    return out;
  }
};

TEST_F(FakeProc, APageThatIsThereIsReadWhereverItComesFrom) {
  maps("00:27", 2);  // the FUSE mount: 0:39
  pagemap(uint64_t{1} << 63);
  EXPECT_EQ(read(), "what lies there");
  pagemap(uint64_t{1} << 62);
  EXPECT_EQ(read(), "what lies there") << "swapped out";
}

TEST_F(FakeProc, APageThatWouldHaveToBeBroughtInIsReadFromDisksAlone) {
  maps("fe:00", 77);
  EXPECT_EQ(read(), "what lies there");
  maps("00:27", 2);
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(errno, EAGAIN);
  maps("00:63", 2);  // a mount that is not listed
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(errno, EAGAIN);
  maps("00:1b", 3);  // 0:27, tmpfs: another program may have been asked to fill it in
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(errno, EAGAIN);
  maps("00:00", 0);
  EXPECT_EQ(read(), std::nullopt) << "memory that was never written: nothing is there";
  EXPECT_EQ(errno, EFAULT);
}

TEST_F(FakeProc, WhatFollowsAPageThatIsNotReadIsLeft) {
  maps("00:27", 2);
  const std::string path = fmt::format("{}/{}/pagemap", tree_.root(), pid_);
  const Fd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const uint64_t present = uint64_t{1} << 63;
  ASSERT_EQ(pwrite(file.get(), &present, sizeof(present), static_cast<off_t>(pages_.address() / kPage * 8)), 8);
  EXPECT_EQ(read(2 * kPage)->size(), kPage);
}

TEST_F(FakeProc, AProcessWhoseMemoryLiesElsewhereIsCountedOnceAndNamed) {
  maps("00:27", 2);
  hal::LossLedger losses;
  Foreign foreign(helpers(), losses, tree_.root());
  ForeignMemory memory(foreign, pid_);
  char out[8];
  EXPECT_FALSE(memory.read(pages_.address(), out, sizeof(out)));
  ForeignMemory again(foreign, pid_);
  EXPECT_FALSE(again.read(pages_.address(), out, sizeof(out)));
  EXPECT_EQ(losses.count(hal::Loss::memory_unread), 1U);
  EXPECT_NE(losses.sentence(hal::Loss::memory_unread).find(fmt::format("process {}", pid_)), std::string::npos);
}

TEST(ForeignMemory, ReadsThisProcessAcrossPagesAndNotPast) {
  const Pages pages;
  std::memset(pages.data(), 'x', 2 * kPage);
  hal::LossLedger losses;
  Foreign foreign(helpers(), losses);
  ForeignMemory memory(foreign, static_cast<uint32_t>(getpid()));
  std::string out(100, '\0');
  EXPECT_TRUE(memory.read(pages.address() + kPage - 50, out.data(), out.size()));
  EXPECT_EQ(out, std::string(100, 'x'));
  EXPECT_FALSE(memory.read(8, out.data(), out.size()));
  EXPECT_FALSE(memory.read(UINT64_MAX - 10, out.data(), out.size()));
  EXPECT_EQ(losses.count(hal::Loss::memory_unread), 0U);
}

TEST(ForeignMemory, OfAProcessThatSpreadsItOutNotAllIsRead) {
  const std::string pages((ForeignMemory::kMaxBlocks + 2) * kPage, 'x');
  hal::LossLedger losses;
  Foreign foreign(helpers(), losses);
  ForeignMemory memory(foreign, static_cast<uint32_t>(getpid()));
  const auto address = reinterpret_cast<uint64_t>(pages.data());
  char out = 0;
  size_t read = 0;
  while (read < ForeignMemory::kMaxBlocks + 2 && memory.read(address + read * kPage, &out, 1)) ++read;
  EXPECT_EQ(read, ForeignMemory::kMaxBlocks);
  EXPECT_EQ(losses.count(hal::Loss::memory_unread), 1U);
  EXPECT_TRUE(memory.read(address, &out, 1)) << "what has been read is there";
}

TEST(ForeignMemory, MemoryThatAnotherProgramIsToFillInIsNotWaitedFor) {
  const Fd faults(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC)));
  if (!faults.valid()) GTEST_SKIP() << "no userfaultfd: " << std::strerror(errno);
  const Pages pages;
  uffdio_api api{};
  api.api = UFFD_API;
  uffdio_register range{};
  range.range = {pages.address(), 2 * kPage};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  ASSERT_EQ(ioctl(faults.get(), UFFDIO_API, &api), 0);
  ASSERT_EQ(ioctl(faults.get(), UFFDIO_REGISTER, &range), 0);
  hal::LossLedger losses;
  Foreign foreign(helpers(), losses);
  ForeignMemory memory(foreign, static_cast<uint32_t>(getpid()));
  char out[8];
  const uint64_t begin = system_clock().mono_ns();
  EXPECT_FALSE(memory.read(pages.address(), out, sizeof(out)));
  EXPECT_LT(system_clock().mono_ns() - begin, 400'000'000U) << "it was refused, and not given up";
}

hal::Mapping own_mapping() {
  const auto text = read_file("/proc/self/maps", 64 << 20);
  return hal::executable_mappings(*text).front();
}

TEST(ForeignFiles, AMappedLocalFileIsOpenedAsItIs) {
  const hal::Mapping mapping = own_mapping();
  hal::LossLedger losses;
  Foreign foreign(helpers(), losses);
  auto file = foreign.find(static_cast<uint32_t>(getpid()), mapping);
  ASSERT_TRUE(file.ok()) << file.error().text();
  if (file->reach != hal::Reach::kLocal) GTEST_SKIP() << "this program lies on " << file->mount;
  auto fd = foreign.open(*file, {});
  ASSERT_TRUE(fd.ok()) << fd.error().text();
  struct stat opened {};
  struct stat named {};
  ASSERT_EQ(fstat(fd->get(), &opened), 0);
  ASSERT_EQ(stat("/proc/self/exe", &named), 0);
  EXPECT_EQ(opened.st_ino, named.st_ino);
}

TEST(ForeignFiles, AFileThatIsGoneByNameAndProcessIsNotFound) {
  hal::Mapping mapping = own_mapping();
  hal::LossLedger losses;
  Foreign foreign(helpers(), losses);
  EXPECT_FALSE(foreign.find(4'000'000, mapping).ok() && !::access("/proc/4000000", F_OK));
  mapping.untrusted_path = "/nowhere/at all";
  EXPECT_FALSE(foreign.find(4'000'000, mapping).ok());
}

TEST(ForeignFiles, ACopyHasTheSameSymbolsAtTheSamePlaces) {
  const Fd path(open("/proc/self/exe", O_PATH | O_CLOEXEC));
  const auto all = helpers();
  auto copy = all->copy(path, {.code = true}, "this program");
  ASSERT_TRUE(copy.ok()) << copy.error().text();
  struct stat of_copy {};
  struct stat of_file {};
  ASSERT_EQ(fstat(copy->get(), &of_copy), 0);
  ASSERT_EQ(stat("/proc/self/exe", &of_file), 0);
  EXPECT_EQ(of_copy.st_size, of_file.st_size);
  EXPECT_LT(of_copy.st_blocks, of_file.st_blocks) << "debug information was not asked for";
  const auto one = hal::ElfImage::open(std::move(*copy), "copy");
  const auto other = hal::ElfImage::open(Fd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), "file");
  ASSERT_TRUE(one.ok() && other.ok());
  const auto found = one->find("main");
  const auto wanted = other->find("main");
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_EQ(found[0].file_offset, wanted[0].file_offset);
  EXPECT_EQ(one->bytes_at(found[0].file_offset, 32), other->bytes_at(wanted[0].file_offset, 32));
}

class FilesElsewhere : public ::testing::Test {
 protected:
  // What a process (1) maps of a file of this size, written now.
  hal::Mapping write(const std::string& name, size_t bytes, char what) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << std::string(bytes, what);
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    hal::Mapping mapping;
    mapping.start = 0x10000 * ++mapped_;
    mapping.end = mapping.start + kPage;
    mapping.file = {status.st_dev, status.st_ino};
    mapping.untrusted_path = path;
    tree_.link(fmt::format("1/map_files/{:x}-{:x}", mapping.start, mapping.end), path);
    return mapping;
  }
  // Waits for the copy.
  Result<Fd> opened(const hal::Mapping& mapping) {
    auto fd = foreign_.open_soon(1, mapping);
    for (int i = 0; i < 5000 && !fd.ok() && fd.error().code() == Errc::kBusy; ++i) {
      usleep(1000);
      fd = foreign_.open_soon(1, mapping);
    }
    return fd;
  }
  void SetUp() override {
    tree_.file("1/mountinfo", testing::on_network(read_file("/proc/self/mountinfo", 1 << 20).value()));
    foreign_.start();
  }

  testing::ProcTree tree_;
  TempFolder folder_;
  uint64_t mapped_ = 0;
  hal::LossLedger losses_;
  Foreign foreign_{helpers(), losses_, tree_.root(), system_clock(), 4 * kPage};
};

TEST_F(FilesElsewhere, CopiesThatAreNotUsedMakeRoomAndAreMadeAgain) {
  const hal::Mapping first = write("first", 2 * kPage, 'x');
  ASSERT_TRUE(opened(first).ok());
  for (int i = 0; i < 8; ++i) {
    const auto other = opened(write(fmt::format("{}", i), kPage, 'x'));
    EXPECT_TRUE(other.ok()) << other.error().text();
    EXPECT_TRUE(foreign_.open_soon(1, first).ok()) << "it is in use";
  }
  for (int i = 8; i < 12; ++i) EXPECT_TRUE(opened(write(fmt::format("{}", i), kPage, 'x')).ok());
  EXPECT_EQ(foreign_.open_soon(1, first).error().code(), Errc::kBusy);
  EXPECT_TRUE(opened(first).ok());
  EXPECT_EQ(losses_.count(hal::Loss::file_unread), 0U);
}

TEST_F(FilesElsewhere, ACopyThatCannotBeKeptIsCounted) {
  EXPECT_EQ(opened(write("large", 5 * kPage, 'x')).error().code(), Errc::kIo);
  EXPECT_EQ(losses_.count(hal::Loss::file_unread), 1U);
  EXPECT_TRUE(opened(write("small", kPage, 'x')).ok());
}

TEST_F(FilesElsewhere, AnotherFileOfTheSameNumberIsCopiedAnew) {
  const auto start = [](const Fd& fd) {
    char first = 0;
    return pread(fd.get(), &first, 1, 0) == 1 ? first : '-';
  };
  const hal::Mapping old = write("one", kPage, 'x');
  EXPECT_EQ(start(*opened(old)), 'x');
  std::filesystem::remove(old.untrusted_path);
  const hal::Mapping anew = write("two", kPage, 'y');
  if (anew.file != old.file) GTEST_SKIP() << "this file system did not use the number again";
  EXPECT_EQ(start(*opened(anew)), 'y');
}

// The page is taken away between the look and the read.
TEST_F(FakeProc, AReadThatDoesNotComeBackIsGivenUpAndTheNextIsServed) {
  const Fd faults(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC)));
  if (!faults.valid()) GTEST_SKIP() << "no userfaultfd: " << std::strerror(errno);
  uffdio_api api{};
  api.api = UFFD_API;
  uffdio_register range{};
  range.range = {pages_.address(), 2 * kPage};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  ASSERT_EQ(ioctl(faults.get(), UFFDIO_API, &api), 0);
  ASSERT_EQ(ioctl(faults.get(), UFFDIO_REGISTER, &range), 0);
  ASSERT_EQ(madvise(pages_.data(), 2 * kPage, MADV_DONTNEED), 0);
  pagemap(uint64_t{1} << 63);
  hal::LossLedger losses;
  HeldClock clock;
  Foreign foreign(helpers(), losses, tree_.root(), clock);
  char out[8];
  uint64_t begin = system_clock().mono_ns();
  EXPECT_FALSE(foreign.read_memory(pid_, pages_.address(), out, sizeof(out)));
  EXPECT_LT(system_clock().mono_ns() - begin, 2'000'000'000U);
  EXPECT_EQ(losses.count(hal::Loss::memory_unread), 1U);
  begin = system_clock().mono_ns();
  EXPECT_FALSE(foreign.read_memory(pid_, pages_.address(), out, sizeof(out)));
  EXPECT_LT(system_clock().mono_ns() - begin, 300'000'000U) << "it is not waited for again";
  tree_.file("1/maps", "of another process");
  EXPECT_EQ(foreign.text(1, "maps", 4096).value(), "of another process") << "another helper";
  EXPECT_FALSE(foreign.text(pid_, "mountinfo", 4096).ok());
}

TEST(Helpers, AfterCancelNoFileIsWaitedFor) {
  const auto all = helpers();
  all->cancel();
  const uint64_t begin = system_clock().mono_ns();
  EXPECT_FALSE(all->find("/proc/self/exe").ok());
  EXPECT_LT(system_clock().mono_ns() - begin, 1'000'000'000U);
}

TEST(Helpers, ThePagesOfManyFilesAreKeptAndOthersAreStillServed) {
  const auto all = helpers();
  const TempFolder folder;
  std::vector<uint64_t> pins;
  for (int i = 0; i < 80; ++i) {  // more than there may be helpers
    const std::string path = fmt::format("{}/{}", folder.path(), i);
    std::ofstream(path) << std::string(2 * kPage, 'x');
    const uint64_t offsets[] = {0, kPage};
    const auto pinned = all->pin(Fd(open(path.c_str(), O_PATH | O_CLOEXEC)), offsets, path);
    ASSERT_TRUE(pinned.ok()) << i << ": " << pinned.error().text();
    pins.push_back(*pinned);
  }
  EXPECT_EQ(testing::locked_by_helpers(), 80 * 8U);
  EXPECT_TRUE(all->text("/proc/self/maps", 4096).ok());
  for (const uint64_t pin : pins) all->unpin(pin);
  const Fd none(open(folder.path().c_str(), O_PATH | O_CLOEXEC));
  EXPECT_FALSE(all->pin(none, {pins.data(), 1}, "a folder").ok());  // answered behind what was asked before
  EXPECT_EQ(testing::locked_by_helpers(), 0U);
}

TEST(Helpers, HoldNothingThatTheirMakerHasOpen) {
  const Fd mine(open("/proc/self/exe", O_RDONLY));  // without close-on-exec
  const auto all = helpers();
  const auto text = all->text("/proc/self/stat", 4096);
  ASSERT_TRUE(text.ok());
  const uint64_t helper = *parse_u64(text->substr(0, text->find(' ')));
  size_t open_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", helper))) {
    const auto target = std::filesystem::read_symlink(entry.path()).string();
    EXPECT_TRUE(target.starts_with("socket:")) << target;
    ++open_files;
  }
  EXPECT_EQ(open_files, 1U);
}

}  // namespace
}  // namespace ingero::kernelside
