// The queue on disk against what happens to files: crashes, cuts, full disks, other people.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "serve/otlp/disk_queue.h"
#include "temp_folder.h"

namespace ingero::serve::otlp {
namespace {

namespace fs = std::filesystem;

class OtlpQueue : public ::testing::Test {
 protected:
  void SetUp() override { options_.directory = folder_ + "/above/queue"; }

  DiskQueue open() {
    auto queue = DiskQueue::open(options_);
    EXPECT_TRUE(queue.ok()) << (queue.ok() ? "" : queue.error().text());
    return std::move(*queue);
  }
  static Payload payload(const std::string& body, uint32_t items = 1) { return {Signal::kMetrics, true, items, body}; }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(options_.directory)) out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    return out;
  }
  const TempFolder temp_;
  const std::string& folder_ = temp_.path();
  QueueOptions options_;
};

TEST_F(OtlpQueue, GivesBackInOrderWhatItWasGivenAlsoToTheNextRun) {
  {
    DiskQueue queue = open();
    EXPECT_TRUE(queue.empty());
    EXPECT_FALSE(queue.front());
    queue.push(payload("one", 7));
    queue.push({Signal::kTraces, false, 9, std::string("two\0two", 7)});
  }
  DiskQueue queue = open();
  ASSERT_EQ(queue.size(), 2U);
  auto first = queue.front();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->body, "one");
  EXPECT_EQ(first->items, 7U);
  EXPECT_EQ(first->signal, Signal::kMetrics);
  EXPECT_TRUE(first->is_gzip);
  queue.pop();
  queue.push(payload("three"));
  auto second = queue.front();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->body, std::string("two\0two", 7));
  EXPECT_EQ(second->signal, Signal::kTraces);
  EXPECT_FALSE(second->is_gzip);
  queue.pop();
  EXPECT_EQ(queue.front()->body, "three");
  queue.pop();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0U);
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(queue.counts().dropped_requests + queue.counts().damaged_files, 0U);
}

TEST_F(OtlpQueue, OnlyItsOwnerCanReadIt) {
  const mode_t before = ::umask(0);
  DiskQueue queue = open();
  queue.push(payload("secret"));
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(options_.directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  ASSERT_EQ(files().size(), 1U);
  ASSERT_EQ(::stat(files()[0].c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(OtlpQueue, RefusesADirectoryThatOthersCanUse) {
  fs::create_directories(options_.directory);
  ::chmod(options_.directory.c_str(), 0755);
  auto queue = DiskQueue::open(options_);
  ASSERT_FALSE(queue.ok());
  EXPECT_EQ(queue.error().code(), Errc::kPermission);
}

TEST_F(OtlpQueue, RefusesALinkInTheDirectorysPlace) {
  fs::create_directories(folder_ + "/above");
  fs::create_directories(folder_ + "/elsewhere");
  ::chmod((folder_ + "/elsewhere").c_str(), 0700);
  fs::create_directory_symlink(folder_ + "/elsewhere", options_.directory);
  EXPECT_FALSE(DiskQueue::open(options_).ok());
}

TEST_F(OtlpQueue, OneProgramAtATime) {
  DiskQueue queue = open();
  auto second = DiskQueue::open(options_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), Errc::kBusy);
}

TEST_F(OtlpQueue, ACrashInTheMiddleOfAWriteLeavesWhatWasWholeAndNothingElse) {
  {
    DiskQueue queue = open();
    queue.push(payload("whole"));
  }
  // What a crash leaves: a file begun under the name that is not read.
  std::ofstream(options_.directory + "/unfinished") << "ingeroq1 half a requ";
  DiskQueue queue = open();
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(queue.front()->body, "whole");
  EXPECT_EQ(queue.counts().damaged_files, 0U);
}

TEST_F(OtlpQueue, ATruncatedFileAtEveryLengthIsDroppedAndCounted) {
  size_t whole = 0;
  {
    DiskQueue queue = open();
    queue.push(payload("a body of some length"));
    whole = fs::file_size(files()[0]);
  }
  const std::string name = files()[0];
  std::string bytes(whole, '\0');
  std::ifstream(name, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(whole));
  for (size_t size = 0; size < whole; ++size) {
    std::ofstream(name, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(size));
    DiskQueue queue = open();
    EXPECT_FALSE(queue.front()) << size;
    EXPECT_EQ(queue.counts().damaged_files, 1U) << size;
    EXPECT_TRUE(files().empty()) << size;
  }
}

TEST_F(OtlpQueue, EveryFlippedBitIsSeen) {
  {
    DiskQueue queue = open();
    queue.push(payload("body", 3));
  }
  const std::string name = files()[0];
  std::string bytes(fs::file_size(name), '\0');
  std::ifstream(name, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string altered = bytes;
    altered[bit / 8] = static_cast<char>(altered[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(name, std::ios::binary | std::ios::trunc) << altered;
    DiskQueue queue = open();
    EXPECT_FALSE(queue.front()) << bit;
    EXPECT_EQ(queue.counts().damaged_files, 1U) << bit;
  }
}

TEST_F(OtlpQueue, HostileFilesAreLeftAloneOrCountedAndNeverFollowed) {
  {
    DiskQueue queue = open();
    queue.push(payload("good"));
  }
  const auto path = [&](const std::string& name) { return options_.directory + "/" + name; };
  std::ofstream(folder_ + "/outside") << "not ours";
  fs::create_symlink(folder_ + "/outside", path("0000000000000000.request"));
  fs::create_symlink(folder_ + "/outside", path("0000000000000002.request"));
  fs::create_directory(path("0000000000000003.request"));
  ASSERT_EQ(::mkfifo(path("0000000000000004.request").c_str(), 0600), 0);
  std::ofstream(path("ffffffffffffffff.request")) << "the last number there is";
  std::ofstream(path("000000000000000G.request")) << "no number";
  std::ofstream(path("notes.txt")) << "somebody's";
  DiskQueue queue = open();
  EXPECT_EQ(queue.front()->body, "good");
  queue.pop();
  EXPECT_FALSE(queue.front());
  EXPECT_EQ(queue.counts().damaged_files, 3U);
  std::string kept;
  std::getline(std::ifstream(folder_ + "/outside"), kept);
  EXPECT_EQ(kept, "not ours");
  EXPECT_TRUE(fs::exists(path("notes.txt")));
  queue.push(payload("still works"));
  EXPECT_EQ(queue.front()->body, "still works");
}

TEST_F(OtlpQueue, AFileThatIsTooLargeIsNotRead) {
  DiskQueue queue = open();
  queue.push(payload("x"));
  ASSERT_EQ(::truncate(files()[0].c_str(), off_t{1} << 40), 0);
  EXPECT_FALSE(queue.front());
  EXPECT_EQ(queue.counts().damaged_files, 1U);
}

// A day of a receiver that is down, at the default interval: 8640 collections of one request.
TEST_F(OtlpQueue, ADayWithoutAReceiverStaysWithinTheBoundAndKeepsTheNewest) {
  options_.max_bytes = 1 << 20;
  DiskQueue queue = open();
  constexpr uint32_t kRequests = 8640, kItems = 5;
  uint64_t most = 0;
  for (uint32_t i = 0; i < kRequests; ++i) {
    queue.push(payload(std::to_string(i) + std::string(2000, 'x'), kItems));
    most = std::max(most, queue.bytes());
  }
  EXPECT_LE(most, options_.max_bytes);
  uint64_t on_disk = 0;
  for (const std::string& file : files()) on_disk += fs::file_size(file);
  EXPECT_EQ(on_disk, queue.bytes());
  EXPECT_EQ(queue.counts().dropped_requests + queue.size(), kRequests);
  EXPECT_EQ(queue.counts().dropped_items, queue.counts().dropped_requests * kItems);
  uint32_t next = kRequests - static_cast<uint32_t>(queue.size());
  while (const auto one = queue.front()) {
    EXPECT_EQ(one->body.substr(0, one->body.find('x')), std::to_string(next));
    queue.pop();
    ++next;
  }
  EXPECT_EQ(next, kRequests);
}

TEST_F(OtlpQueue, TheNumberOfFilesIsBoundedTooAlsoOfWhatItFinds) {
  {
    DiskQueue queue = open();
    for (int i = 0; i < 50; ++i) queue.push(payload("x", 2));
  }
  options_.max_files = 10;
  DiskQueue queue = open();
  EXPECT_EQ(queue.size(), 10U);
  EXPECT_EQ(queue.counts().dropped_requests, 40U);
  EXPECT_EQ(queue.counts().dropped_items, 80U);
  EXPECT_EQ(files().size(), 10U);
}

TEST_F(OtlpQueue, WhatIsLargerThanTheBoundIsDroppedAloneAndCounted) {
  options_.max_bytes = 1 << 20;
  DiskQueue queue = open();
  queue.push(payload("small"));
  queue.push(payload(std::string(2 << 20, 'x'), 4));
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.counts().dropped_requests, 1U);
  EXPECT_EQ(queue.counts().dropped_items, 4U);
}

TEST_F(OtlpQueue, AFullDiskDropsTheOldestAndCountsThem) {
  const std::string disk = folder_ + "/disk";
  fs::create_directories(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=128k,mode=0700") != 0) {
    GTEST_SKIP() << "a file system of its own needs root: mount is refused";
  }
  options_.directory = disk + "/queue";
  {
    DiskQueue queue = open();
    constexpr uint32_t kRequests = 40;
    for (uint32_t i = 0; i < kRequests; ++i) queue.push(payload(std::to_string(i) + std::string(16'000, 'x')));
    EXPECT_GT(queue.size(), 3U);
    EXPECT_EQ(queue.size() + queue.counts().dropped_requests, kRequests);
    EXPECT_EQ(queue.counts().dropped_items, queue.counts().dropped_requests);
    uint32_t next = kRequests - static_cast<uint32_t>(queue.size());
    while (const auto one = queue.front()) {
      EXPECT_EQ(one->body.substr(0, one->body.find('x')), std::to_string(next++));
      queue.pop();
    }
    EXPECT_EQ(next, kRequests);
    EXPECT_EQ(queue.counts().damaged_files, 0U);
  }
  ::umount(disk.c_str());
}

}  // namespace
}  // namespace ingero::serve::otlp
