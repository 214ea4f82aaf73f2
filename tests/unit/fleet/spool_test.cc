// The spool: what was settled is given in order and until it is done, whatever a kill left behind it.
#include "fleet/store/spool.h"

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace ingero::fleet::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SpoolTest : public ::testing::Test {
 protected:
  std::unique_ptr<Spool> open(SpoolOptions options = {}) {
    options.directory = directory;
    auto opened = Spool::open(options);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().text());
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  static std::vector<std::string> next(Spool& spool, size_t bytes = 1 << 20) {
    auto records = spool.next(bytes);
    EXPECT_TRUE(records.ok()) << (records.ok() ? "" : records.error().text());
    return records.ok() ? *records : std::vector<std::string>();
  }
  std::vector<std::string> segments() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() == ".segment") names.push_back(entry.path());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  TempFolder folder;
  std::string directory = folder.path() + "/spool";
};

TEST_F(SpoolTest, GivesAllInOrderAndAgainUntilItIsDone) {
  {
    const auto spool = open();
    for (const char* record : {"one", "two", "", "four"}) ASSERT_TRUE(spool->append(record).ok());
    ASSERT_TRUE(spool->settle().ok());
    EXPECT_THAT(next(*spool, 4), ElementsAre("one", "two"));
    ASSERT_TRUE(spool->done("a note").ok());
    EXPECT_THAT(next(*spool), ElementsAre("", "four"));
    EXPECT_THAT(next(*spool), ElementsAre("", "four")) << "is not done";
    EXPECT_GT(spool->waiting_bytes(), 4U);
  }
  const auto spool = open();
  EXPECT_EQ(spool->note(), "a note");
  ASSERT_TRUE(spool->append("five").ok());
  EXPECT_THAT(next(*spool), ElementsAre("", "four", "five"));
  ASSERT_TRUE(spool->done("").ok());
  EXPECT_EQ(spool->waiting_bytes(), 0U);
  EXPECT_THAT(next(*spool), IsEmpty());
  std::vector<std::string> all;
  ASSERT_TRUE(spool
                  ->each([&](std::string_view record, bool is_done) {
                    all.emplace_back(record);
                    EXPECT_TRUE(is_done);
                  })
                  .ok());
  EXPECT_THAT(all, ElementsAre("one", "two", "", "four", "five"));
}

TEST_F(SpoolTest, HalfARecordAtTheEndIsCutOffWhereverItIsCut) {
  constexpr size_t kWhole = 16 + 30;  // of a record
  for (size_t cut = 1; cut <= kWhole; ++cut) {
    {
      const auto spool = open();
      ASSERT_TRUE(spool->append("first").ok());
      ASSERT_TRUE(spool->append(std::string(30, 'x')).ok());
    }
    const std::string last = segments().back();
    std::filesystem::resize_file(last, std::filesystem::file_size(last) - cut);
    const auto spool = open();
    ASSERT_TRUE(spool->append("later").ok());
    EXPECT_THAT(next(*spool), ElementsAre("first", "later")) << cut;
    EXPECT_EQ(spool->damaged_bytes(), 0U);
    ASSERT_TRUE(spool->done("").ok());
  }
}

TEST_F(SpoolTest, WhatIsDamagedElsewhereIsCountedAndTheNextSegmentIsRead) {
  {
    const auto spool = open({.segment_bytes = 64});
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(spool->append(std::string(60, static_cast<char>('a' + i))).ok());
  }
  const auto names = segments();
  ASSERT_GE(names.size(), 6U);
  std::fstream file(names[2], std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(40);
  file.put('?');
  file.close();
  const auto spool = open();
  const auto records = next(*spool);
  ASSERT_EQ(records.size(), 5U);
  EXPECT_EQ(records[2], std::string(60, 'd'));
  ASSERT_EQ(next(*spool).size(), 5U);
  ASSERT_TRUE(spool->done("").ok());
  EXPECT_EQ(spool->damaged_bytes(), 76U);
  EXPECT_THAT(next(*spool), IsEmpty());
  EXPECT_EQ(spool->damaged_bytes(), 76U);
}

// In the newest segment, too, where what is torn is cut off: record 2 of 0 to 5, in its length, its checksum or itself.
TEST_F(SpoolTest, OfADamagedSegmentAllOtherRecordsAreGiven) {
  constexpr std::streamoff kMagic = 10, kWhole = 16 + 60;
  for (const std::streamoff at : {0, 3, 7, 8, 15, 16, 75}) {
    {
      const auto spool = open();
      for (int i = 0; i < 6; ++i) ASSERT_TRUE(spool->append(std::string(60, static_cast<char>('a' + i))).ok());
    }
    std::fstream file(segments().back(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(kMagic + 2 * kWhole + at);
    const int byte = file.get();
    file.seekp(kMagic + 2 * kWhole + at);
    file.put(static_cast<char>(byte ^ 0x10));
    file.close();
    const auto spool = open();
    std::string first_letters;
    for (const std::string& record : next(*spool)) first_letters += record[0];
    EXPECT_EQ(first_letters, "abdef") << at;
    ASSERT_TRUE(spool->done("").ok());
    EXPECT_EQ(spool->damaged_bytes(), 76U) << at;
    std::filesystem::remove_all(directory);
  }
}

TEST_F(SpoolTest, IsFullWhenNothingOfItIsDoneAndTakesMoreWhenItIs) {
  const auto spool = open({.max_bytes = 4096, .keep_ns = UINT64_MAX / 2, .segment_bytes = 1024});
  size_t taken = 0;
  Result<uint64_t> status = uint64_t{0};
  while ((status = spool->append(std::string(100, 'x'))).ok()) ++taken;
  EXPECT_EQ(status.error().code(), Errc::kFull);
  EXPECT_THAT(status.error().text(), HasSubstr("the spool is full"));
  EXPECT_GT(taken, 30U);
  EXPECT_EQ(next(*spool).size(), taken);
  EXPECT_FALSE(spool->append(std::string(100, 'x')).ok()) << "read is not done";
  ASSERT_TRUE(spool->done("").ok());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(spool->append(std::string(100, 'y')).ok()) << i;
  EXPECT_EQ(next(*spool).size(), 20U);
}

TEST_F(SpoolTest, KeepsWhatIsDoneAsLongAsItShould) {
  const auto write = [&](uint64_t keep_ns) {
    const auto spool = open({.keep_ns = keep_ns, .segment_bytes = 64});
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(spool->append(std::string(60, 'x')).ok());
    while (!next(*spool, 1).empty()) EXPECT_TRUE(spool->done("").ok());
  };
  write(3'600'000'000'000);
  EXPECT_GE(segments().size(), 10U);
  for (const std::string& name : segments()) {
    std::filesystem::last_write_time(name, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  }
  write(3'600'000'000'000);
  EXPECT_LE(segments().size(), 12U);
}

TEST_F(SpoolTest, SettlesManyAtOnce) {
  const auto spool = open();
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        {
          const std::lock_guard guard(mutex);
          EXPECT_TRUE(spool->append(std::to_string(thread * 50 + i)).ok());
        }
        EXPECT_TRUE(spool->settle().ok());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(next(*spool).size(), 400U);
}

// The system says once that a file could not be synced; the next sync of it succeeds.
TEST_F(SpoolTest, WhatComesWhileASyncFailsIsRefusedToo) {
  for (const bool begins_another : {false, true}) {
    std::atomic<int> syncs = 0;
    std::atomic<bool> may_fail = false;
    SpoolOptions options;
    options.segment_bytes = begins_another ? 1 : 1 << 20;
    options.sync = [&](int) {
      if (++syncs > 1) return 0;
      while (!may_fail) std::this_thread::yield();
      return -1;
    };
    const auto spool = open(options);
    ASSERT_TRUE(spool->append("one").ok());
    bool is_settled = true;
    std::thread first([&] { is_settled = spool->settle().ok(); });
    while (syncs == 0) std::this_thread::yield();
    if (begins_another) {  // it waits for the sync, and is in a segment of its own
      std::thread second([&] {
        EXPECT_TRUE(spool->append("two").ok());
        EXPECT_TRUE(spool->settle().ok());
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      may_fail = true;
      second.join();
    } else {
      ASSERT_TRUE(spool->append("two").ok());
      may_fail = true;
      EXPECT_FALSE(spool->settle().ok());
    }
    first.join();
    EXPECT_FALSE(is_settled);
    ASSERT_TRUE(spool->append("three").ok());
    EXPECT_TRUE(spool->settle().ok());
    EXPECT_GE(segments().size(), 2U) << "a segment that was not synced is not appended to";
  }
}

// What another appended and synced meanwhile says nothing of it.
TEST_F(SpoolTest, WhatWasLostIsRefusedAlsoWhereLaterOnesAreSettled) {
  std::atomic<int> syncs = 0;
  SpoolOptions options;
  options.sync = [&](int) { return ++syncs == 1 ? -1 : 0; };
  const auto spool = open(options);
  const auto one = spool->append("one");
  ASSERT_TRUE(one.ok());
  EXPECT_FALSE(spool->settle().ok()) << "of another caller";
  const auto two = spool->append("two");
  ASSERT_TRUE(two.ok());
  EXPECT_FALSE(spool->settle(*one).ok());
  EXPECT_TRUE(spool->settle(*two).ok());
  EXPECT_FALSE(spool->settle(*one).ok());
}

TEST_F(SpoolTest, HasOneOwnerAndWrongBytesAreNotBelieved) {
  const auto spool = open();
  const auto second = Spool::open({.directory = directory});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), Errc::kBusy);
  struct stat about {};
  ASSERT_EQ(::stat(directory.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 077, 0U);
}

TEST_F(SpoolTest, ArbitraryFilesAreNoRecords) {
  std::mt19937 random(std::random_device{}());
  std::filesystem::create_directory(directory);
  for (int round = 0; round < 200; ++round) {
    {
      std::ofstream file(fmt::format("{}/{:016x}.segment", directory, 1000 + round), std::ios::binary);
      if (round % 2 == 0) file << "ingerofs1\n";
      for (uint32_t bytes = random() % 200; bytes > 0; --bytes) file.put(static_cast<char>(random()));
      std::ofstream place(directory + "/place", std::ios::binary);
      place << (round % 3 == 0 ? "{\"segment\":18446744073709551615,\"offset\":-1}" : "{\"segment\":\"x\"");
    }
    const auto spool = open();
    ASSERT_TRUE(spool->append("good").ok());
    const auto records = next(*spool);
    ASSERT_FALSE(records.empty());
    EXPECT_EQ(records.back(), "good");
    ASSERT_TRUE(spool->done("").ok());
  }
}

}  // namespace
}  // namespace ingero::fleet::store
