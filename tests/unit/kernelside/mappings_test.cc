// Notices of new mappings, read from a ring in plain memory: which of them count, what they say, and that a ring that
// cannot be understood costs a scan and not the watch.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/fd.h"
#include "held_clock.h"
#include "kernelside/mapping_watch.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

using RingBytes = std::vector<char>;

template <typename Value>
void append(RingBytes& record, const Value& value) {
  const char* bytes = reinterpret_cast<const char*>(&value);
  record.insert(record.end(), bytes, bytes + sizeof(value));
}

// perf_event_open(2), PERF_RECORD_MMAP2 with PERF_SAMPLE_TID | PERF_SAMPLE_TIME behind it.
struct Notice {
  uint32_t pid = 100, tid = 101;
  uint64_t address = 0x7f0000000000, length = 0x3000, offset = 0x1000;
  uint32_t major = 8, minor = 1;
  uint64_t inode = 42;
  uint32_t protection = PROT_READ | PROT_EXEC;
  std::string path = "/usr/lib/libfixture.so.1";
  uint64_t time = 777;
};

RingBytes ring_record(uint32_t type, const RingBytes& body) {
  RingBytes record;
  append(record, perf_event_header{type, 0, static_cast<uint16_t>(sizeof(perf_event_header) + body.size())});
  record.insert(record.end(), body.begin(), body.end());
  return record;
}

RingBytes ring_record(const Notice& notice) {
  RingBytes body;
  append(body, notice.pid);
  append(body, notice.tid);
  append(body, notice.address);
  append(body, notice.length);
  append(body, notice.offset);
  append(body, notice.major);
  append(body, notice.minor);
  append(body, notice.inode);
  append(body, uint64_t{7});  // the inode's generation
  append(body, notice.protection);
  append(body, uint32_t{MAP_PRIVATE});
  body.insert(body.end(), notice.path.begin(), notice.path.end());
  body.resize((body.size() + 8) & ~size_t{7});  // a zero, and up to a whole word
  append(body, notice.pid);
  append(body, notice.tid);
  append(body, notice.time);
  return ring_record(PERF_RECORD_MMAP2, body);
}

RingBytes lost_record(uint64_t count) {
  RingBytes body;
  append(body, uint64_t{9});
  append(body, count);
  append(body, uint64_t{0});  // tid and pid
  append(body, uint64_t{0});  // time
  return ring_record(PERF_RECORD_LOST, body);
}

class MappingsTest : public ::testing::Test {
 protected:
  static constexpr size_t kPage = 4096, kData = 1024;
  void write(const RingBytes& record) {
    for (const char byte : record) pages_[kPage + head_++ % kData] = byte;
    control().data_head = head_;
  }
  uint64_t read() { return read_mapping_ring(pages_.data(), kPage, kData, mappings_); }
  perf_event_mmap_page& control() { return *reinterpret_cast<perf_event_mmap_page*>(pages_.data()); }

  std::vector<char> pages_ = std::vector<char>(kPage + kData);
  uint64_t head_ = 0;
  std::vector<NewMapping> mappings_;
};

TEST_F(MappingsTest, AnExecutableMappingOfAFileIsTakenWithAllItSays) {
  write(ring_record(Notice{}));
  EXPECT_EQ(read(), 0U);
  ASSERT_EQ(mappings_.size(), 1U);
  const NewMapping& mapping = mappings_[0];
  EXPECT_EQ(mapping.pid, 100U);
  EXPECT_EQ(mapping.tid, 101U);
  EXPECT_EQ(mapping.mono_ns, 777U);
  EXPECT_EQ(mapping.start, 0x7f0000000000U);
  EXPECT_EQ(mapping.end, 0x7f0000003000U);
  EXPECT_EQ(mapping.file_offset, 0x1000U);
  EXPECT_EQ(mapping.file, (hal::FileId{makedev(8, 1), 42}));
  EXPECT_EQ(mapping.generation, 7U);
  EXPECT_EQ(mapping.untrusted_path, "/usr/lib/libfixture.so.1");
  EXPECT_EQ(read(), 0U);
  EXPECT_EQ(mappings_.size(), 1U) << "once";
}

TEST_F(MappingsTest, DataAndAnonymousMemoryAreLeftOut) {
  Notice data, anonymous;
  data.protection = PROT_READ;
  anonymous.inode = 0;
  write(ring_record(data));
  write(ring_record(anonymous));
  write(ring_record(PERF_RECORD_COMM, RingBytes(24)));
  EXPECT_EQ(read(), 0U);
  EXPECT_TRUE(mappings_.empty());
}

TEST_F(MappingsTest, APathAsLongAsItsRoomEndsWhereTheRoomEnds) {
  Notice notice;
  notice.path = std::string(40, 'p');
  RingBytes record = ring_record(notice);
  const size_t path = sizeof(perf_event_header) + 64;
  std::memset(record.data() + path, 'q', record.size() - path - 16);  // no zero is left before the sample id
  write(record);
  EXPECT_EQ(read(), 0U);
  ASSERT_EQ(mappings_.size(), 1U);
  EXPECT_EQ(mappings_[0].untrusted_path, std::string(record.size() - path - 16, 'q'));
  EXPECT_EQ(mappings_[0].mono_ns, 777U);
}

TEST_F(MappingsTest, RecordsAcrossTheRingsEndAreWhole) {
  for (uint32_t i = 0; i < 100; ++i) {  // many times around
    Notice notice;
    notice.pid = i;
    notice.path = "/lib/" + std::string(i % 60, 'x');
    write(ring_record(notice));
    mappings_.clear();
    EXPECT_EQ(read(), 0U);
    ASSERT_EQ(mappings_.size(), 1U) << i;
    EXPECT_EQ(mappings_[0].pid, i);
    EXPECT_EQ(mappings_[0].untrusted_path, notice.path);
  }
}

TEST_F(MappingsTest, WhatTheKernelDroppedIsSummed) {
  write(lost_record(3));
  write(ring_record(Notice{}));
  write(lost_record(4));
  EXPECT_EQ(read(), 7U);
  EXPECT_EQ(mappings_.size(), 1U);
}

TEST_F(MappingsTest, ARecordThatIsTooShortForWhatItIsCountsAsLost) {
  write(ring_record(PERF_RECORD_MMAP2, RingBytes(64)));
  write(ring_record(PERF_RECORD_LOST, RingBytes(8)));
  write(ring_record(Notice{}));
  EXPECT_EQ(read(), 2U);
  EXPECT_EQ(mappings_.size(), 1U);
}

TEST_F(MappingsTest, ALengthThatCannotBeCostsWhatIsThereAndNotWhatComes) {
  for (const uint16_t size : {uint16_t{0}, uint16_t{7}, uint16_t{60'000}}) {
    RingBytes record = ring_record(Notice{});
    std::memcpy(record.data() + offsetof(perf_event_header, size), &size, sizeof(size));
    write(record);
    EXPECT_EQ(read(), 1U) << size;
    EXPECT_TRUE(mappings_.empty());
    write(ring_record(Notice{}));
    EXPECT_EQ(read(), 0U) << size;
    EXPECT_EQ(mappings_.size(), 1U) << size;
    mappings_.clear();
  }
}

TEST_F(MappingsTest, WhatIsShorterThanItsOwnHeaderIsNoRecordAndNothingIsReadBehindIt) {
  RingBytes bytes(7 + 16);
  const perf_event_header cut{PERF_RECORD_COMM, 0, 7}, behind{0, 0, 16};
  std::memcpy(bytes.data(), &cut, sizeof(cut));
  std::memcpy(bytes.data() + 7, &behind, sizeof(behind));  // a record, if the first one were
  write(bytes);
  EXPECT_EQ(read(), 1U);
}

// The real thing, where this machine lets us.
class MappingWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = MappingWatch::open();
    if (!opened.ok()) GTEST_SKIP() << opened.error().text();
    watch_ = std::move(*opened);
  }
  std::unique_ptr<MappingWatch> watch_;
};

TEST_F(MappingWatchTest, SeesOurOwnMappingWithItsTime) {
  std::vector<NewMapping> mappings;
  ASSERT_TRUE(watch_->read(0, mappings).ok());
  mappings.clear();
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
                          Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)).get(), 0);
  ASSERT_NE(page, MAP_FAILED);
  bool is_seen = false;
  for (int tries = 0; tries < 50 && !is_seen; ++tries) {
    ASSERT_TRUE(watch_->read(100, mappings).ok());
    for (const NewMapping& mapping : mappings) {
      is_seen = is_seen || (mapping.pid == static_cast<uint32_t>(getpid()) &&
                            mapping.start == reinterpret_cast<uint64_t>(page) && mapping.file.inode != 0);
    }
  }
  munmap(page, 4096);
  EXPECT_TRUE(is_seen);
}

TEST_F(MappingWatchTest, AChangeOfTheCpusThatAreOnlineIsALossAndFollowed) {
  const TempFolder folder;
  const std::string online = folder.path() + "/online";
  std::ofstream(online) << "0\n";
  HeldClock clock;
  watch_ = std::move(MappingWatch::open(clock, online)).value();
  std::vector<NewMapping> mappings;
  const auto lost_within = [&](uint64_t ns) {
    clock.now_ns += ns;
    const auto lost = watch_->read(0, mappings);
    EXPECT_TRUE(lost.ok());
    return *lost;
  };
  EXPECT_EQ(lost_within(kSecond), 0U);
  std::ofstream(online) << "0-1\n";
  EXPECT_EQ(lost_within(kSecond / 2), 0U) << "looked at once a second";
  EXPECT_EQ(lost_within(kSecond / 2), 1U);
  EXPECT_EQ(lost_within(kSecond), 0U);
}

TEST_F(MappingWatchTest, AWaitEndsWhenAnotherThreadWakesIt) {
  std::vector<NewMapping> mappings;
  const auto begin = std::chrono::steady_clock::now();
  std::thread other([&] { watch_->wake(); });
  other.join();
  ASSERT_TRUE(watch_->read(30'000, mappings).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace ingero::kernelside
