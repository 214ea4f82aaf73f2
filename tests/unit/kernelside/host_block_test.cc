// Block I/O on a real loop device: every request once, with its place, its size and the process that asked for it.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "base/fd.h"
#include "host_kernel.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kBlock = 4096;
constexpr uint64_t kDiskBytes = 64 << 20;

// A disk of our own: a loop device over a temporary file, detached and deleted with the object.
class LoopDisk {
 public:
  explicit LoopDisk(const std::string& folder = "/tmp") {
    std::string name = folder + "/ingero_disk_XXXXXX";
    Fd file(mkstemp(name.data()));
    unlink(name.c_str());
    if (!file.valid() || ftruncate(file.get(), kDiskBytes) != 0) return;
    const Fd control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    if (!control.valid()) return;
    // Another process may take the free device between the two calls.
    for (int attempt = 0; attempt < 10; ++attempt) {
      const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
      if (number < 0) return;
      path_ = fmt::format("/dev/loop{}", number);
      device_ = Fd(open(path_.c_str(), O_RDWR | O_CLOEXEC));
      if (device_.valid() && ioctl(device_.get(), LOOP_SET_FD, file.get()) == 0) {
        attached_ = true;
        return;
      }
    }
  }
  ~LoopDisk() {
    if (attached_) ioctl(device_.get(), LOOP_CLR_FD, 0);
  }
  bool attached() const { return attached_; }
  const std::string& path() const { return path_; }
  // As the kernel writes it: major << 20 | minor.
  uint32_t dev() const {
    struct stat info {};
    stat(path_.c_str(), &info);
    return major(info.st_rdev) << 20 | minor(info.st_rdev);
  }
  void sync() const { fsync(device_.get()); }

 private:
  std::string path_;
  Fd device_;
  bool attached_ = false;
};

class HostBlockTest : public HostKernel {
 protected:
  // False: the test was skipped.
  bool start_with_disk() {
    start({});
    if (!programs_) return false;
    if (!disk_.attached()) skip("no loop device can be made here");
    return disk_.attached();
  }
  std::vector<wire_block> on_disk() {
    drain();
    std::vector<wire_block> found;
    std::copy_if(blocks_.begin(), blocks_.end(), std::back_inserter(found),
                 [&](const wire_block& block) { return block.dev == disk_.dev(); });
    return found;
  }
  wire_device_io others() { return other_io()[disk_.dev()]; }
  LoopDisk disk_;
};

// A file system of one megabyte; it stays as long as something in it is open.
class TinyFileSystem {
 public:
  TinyFileSystem() : mounted_(mount("tmpfs", folder().c_str(), "tmpfs", 0, "size=1m") == 0) {}
  ~TinyFileSystem() {
    if (mounted_) umount2(folder().c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  const std::string& folder() const { return temp_.path(); }

 private:
  const TempFolder temp_;
  bool mounted_;
};

// Direct writes and reads of single blocks, none next to the other.
int direct_io(const std::string& path, int count) {
  const Fd disk(open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
  void* memory = aligned_alloc(kBlock, kBlock);
  std::memset(memory, 'x', kBlock);
  int status = disk.valid() ? 0 : 1;
  for (int i = 0; i < count && status == 0; ++i) {
    const off_t at = static_cast<off_t>(kBlock) * 3 * i;
    if (pwrite(disk.get(), memory, kBlock, at) != static_cast<ssize_t>(kBlock)) status = 2;
    if (pread(disk.get(), memory, kBlock, at) != static_cast<ssize_t>(kBlock)) status = 3;
  }
  free(memory);
  return status;
}

TEST_F(HostBlockTest, EveryDirectRequestOnceWithPlaceSizeAndOwner) {
  if (!start_with_disk()) return;
  constexpr int kCount = 64;
  Child traced([&](const Child::Wait&) { return direct_io(disk_.path(), kCount); });
  trace(traced.pid());
  const uint64_t before_ns = system_clock().mono_ns();
  ASSERT_EQ(traced.finish(), 0);
  const uint64_t after_ns = system_clock().mono_ns();

  std::multiset<std::pair<int, uint64_t>> expected;
  for (uint64_t i = 0; i < kCount; ++i) {
    expected.emplace(0, i * 3 * kBlock / 512);
    expected.emplace(1, i * 3 * kBlock / 512);
  }
  std::multiset<std::pair<int, uint64_t>> seen;
  for (const auto& block : on_disk()) {
    seen.emplace(block.op, block.sector);
    EXPECT_EQ(block.pid, traced.pid());
    EXPECT_EQ(block.tid, traced.pid());
    EXPECT_EQ(block.bytes, kBlock);
    EXPECT_EQ(block.failed, 0);
    EXPECT_GT(block.issue_ns, before_ns);
    EXPECT_GT(block.complete_ns, block.issue_ns);
    EXPECT_LT(block.complete_ns, after_ns);
  }
  EXPECT_EQ(seen, expected) << account();
  EXPECT_EQ(loss(WIRE_LOSS_HOST_RING_FULL), 0U);
}

TEST_F(HostBlockTest, AStrangersRequestsAreCountedPerDiskAndNotRecorded) {
  if (!start_with_disk()) return;
  constexpr int kCount = 32;
  const wire_device_io before = others();
  Child stranger([&](const Child::Wait&) { return direct_io(disk_.path(), kCount); });
  ASSERT_EQ(stranger.finish(), 0);
  const wire_device_io after = others();
  EXPECT_TRUE(on_disk().empty());
  EXPECT_EQ(after.requests - before.requests, 2U * kCount);
  EXPECT_EQ(after.bytes - before.bytes, 2U * kCount * kBlock);
  EXPECT_GT(after.total_ns, before.total_ns);
  EXPECT_EQ(after.failed, 0U);
  uint64_t asked = 0, bytes = 0;
  for (const auto& [key, user] : programs_->disk_users()) {
    if (key.dev != disk_.dev() || key.pid != static_cast<uint32_t>(stranger.pid())) continue;
    asked = user.requests;
    bytes = user.bytes;
    EXPECT_STRNE(user.comm, "");
  }
  EXPECT_EQ(asked, 2U * kCount) << "by its name";
  EXPECT_EQ(bytes, 2U * kCount * kBlock);
}

TEST_F(HostBlockTest, ATracedProcesssRequestsAreCountedPerDiskToo) {
  if (!start_with_disk()) return;
  constexpr int kCount = 16;
  const wire_device_io before = others();
  Child traced([&](const Child::Wait&) { return direct_io(disk_.path(), kCount); });
  trace(traced.pid());
  ASSERT_EQ(traced.finish(), 0);
  const wire_device_io after = others();
  EXPECT_EQ(after.own_requests - before.own_requests, 2U * kCount);
  EXPECT_EQ(after.own_bytes - before.own_bytes, 2U * kCount * kBlock);
  EXPECT_EQ(after.requests, before.requests);
  for (const auto& [key, user] : programs_->disk_users()) {
    EXPECT_NE(key.pid, static_cast<uint32_t>(traced.pid())) << "it is traced";
  }
}

TEST_F(HostBlockTest, ALargeWriteIsAllThereHoweverItIsSplitOrMerged) {
  if (!start_with_disk()) return;
  constexpr size_t kLarge = 16 << 20;
  Child traced([&](const Child::Wait&) {
    const Fd disk(open(disk_.path().c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
    void* memory = aligned_alloc(kBlock, kLarge);
    std::memset(memory, 'y', kLarge);
    return pwrite(disk.get(), memory, kLarge, 0) == static_cast<ssize_t>(kLarge) ? 0 : 1;
  });
  trace(traced.pid());
  ASSERT_EQ(traced.finish(), 0);
  uint64_t bytes = 0;
  std::set<uint64_t> sectors;
  for (const auto& block : on_disk()) {
    EXPECT_EQ(block.op, 1);
    EXPECT_EQ(block.pid, traced.pid());
    bytes += block.bytes;
    EXPECT_TRUE(sectors.insert(block.sector).second) << "twice: " << block.sector;
  }
  EXPECT_EQ(bytes, kLarge);
  EXPECT_GT(sectors.size(), 1U);
  EXPECT_EQ(others().bytes, 0U);
}

TEST_F(HostBlockTest, WritebackBelongsToWhoCausesItNotToWhoWroteThePages) {
  if (!start_with_disk()) return;
  constexpr size_t kBytes = 1 << 20;
  const auto dirty = [&](bool sync) {
    return [this, sync](const Child::Wait& wait) {
      const Fd disk(open(disk_.path().c_str(), O_RDWR | O_CLOEXEC));
      const std::vector<char> data(kBytes, 'z');
      if (pwrite(disk.get(), data.data(), kBytes, 8 << 20) != static_cast<ssize_t>(kBytes)) return 1;
      if (sync && fsync(disk.get()) != 0) return 2;
      wait();
      return 0;
    };
  };
  {
    Child traced(dirty(true));
    trace(traced.pid());
    traced.step();
    uint64_t bytes = 0;
    for (const auto& block : on_disk()) {
      EXPECT_EQ(block.pid, traced.pid());
      bytes += block.bytes;
    }
    EXPECT_EQ(bytes, kBytes);
    EXPECT_EQ(traced.finish(), 0);
  }
  blocks_.clear();
  const uint64_t before = others().bytes;
  Child traced(dirty(false));
  trace(traced.pid());
  traced.step();
  disk_.sync();  // by this process, which is not traced
  EXPECT_TRUE(on_disk().empty());
  EXPECT_EQ(others().bytes - before, kBytes);
  EXPECT_EQ(traced.finish(), 0);
}

TEST_F(HostBlockTest, DiscardsAndFlushesAreNeitherReadsNorWrites) {
  if (!start_with_disk()) return;
  Child traced([&](const Child::Wait&) {
    const Fd disk(open(disk_.path().c_str(), O_RDWR | O_CLOEXEC));
    const uint64_t range[2] = {32 << 20, 1 << 20};
    return ioctl(disk.get(), BLKDISCARD, range) == 0 ? 0 : 1;
  });
  trace(traced.pid());
  if (traced.finish() != 0) GTEST_SKIP() << "the disk's file system takes no discards";
  uint64_t bytes = 0;
  for (const auto& block : on_disk()) {
    if (block.op != 2) continue;
    bytes += block.bytes;
    EXPECT_EQ(block.pid, traced.pid());
  }
  EXPECT_EQ(bytes, 1U << 20);
}

TEST_F(HostBlockTest, FailedRequestsSaySo) {
  if (!start_with_disk()) return;
  const TinyFileSystem tiny;
  if (!tiny.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here";
  const LoopDisk full(tiny.folder());
  ASSERT_TRUE(full.attached());
  // Twice what the file system under the disk holds: the later half finds it full.
  constexpr int kCount = 512;
  Child traced([&](const Child::Wait& wait) {
    const Fd disk(open(full.path().c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
    void* memory = aligned_alloc(kBlock, kBlock);
    std::memset(memory, 'x', kBlock);
    int failures = 0;
    for (int i = 0; i < kCount; ++i) failures += pwrite(disk.get(), memory, kBlock, static_cast<off_t>(kBlock) * i) < 0;
    free(memory);
    wait();
    return failures > 255 ? failures - 255 : 0;
  });
  trace(traced.pid());
  traced.step();
  const int failures = WEXITSTATUS(traced.finish()) + 255;
  drain();
  std::multiset<uint64_t> seen;
  std::multiset<uint64_t> expected;
  for (uint64_t i = 0; i < kCount; ++i) expected.insert(i * kBlock / 512);
  int failed = 0;
  for (const auto& block : blocks_) {
    if (block.dev != full.dev()) continue;
    seen.insert(block.sector);
    failed += block.failed;
  }
  EXPECT_EQ(seen, expected) << account();
  EXPECT_GT(failed, 255);
  EXPECT_EQ(failed, failures) << account();
}

}  // namespace
}  // namespace ingero::kernelside
