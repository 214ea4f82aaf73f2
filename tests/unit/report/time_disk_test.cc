// Why a program waited for a disk: its cgroup's limit on memory, or others that used the disk.
#include <gmock/gmock.h>

#include "unit/report/time_evidence.h"

namespace ingero::report::testing {
namespace {

using correlate::TimeClass;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr uint64_t kMB = 1'000'000;

// A row of a time.
template <typename Row>
Row row_at(uint64_t mono_ns) {
  Row row;
  row.mono_ns = mono_ns;
  row.wall_offset_ns = static_cast<int64_t>(kWall);
  return row;
}

// It read 100 MB a second from a disk.
class DiskTest : public TimeEvidenceTest {
 protected:
  void add_more(store::Writer& writer) override {
    for (uint64_t second = 1; second <= 10; ++second) {
      read(writer, kPid, second * kSecond, kSecond / 20, 100 * kMB);
      add_second(writer, second * kSecond);
    }
  }
  static void read(store::Writer& writer, uint32_t pid, uint64_t mono_ns, uint64_t duration_ns, uint64_t bytes) {
    static const hal::CallTable calls(std::span<const hal::Backend* const>{});
    hal::Event event;
    event.call = calls.id_of(hal::HostOp::kBlockRead);
    event.kind = hal::Kind::kHost;
    event.pid = event.tid = pid;
    event.start_mono_ns = mono_ns;
    event.wall_offset_ns = static_cast<int64_t>(kWall);
    event.duration_ns = duration_ns;
    event.bytes = bytes;
    event.set(hal::Has::kDuration);
    event.set(hal::Has::kBytes);
    ASSERT_TRUE(writer.write(std::span(&event, 1)).ok());
  }
  virtual void add_second(store::Writer& writer, uint64_t mono_ns) = 0;
  // `is`: what it lost most to.
  ProcessTime said(TimeClass is = TimeClass::kDisk, bool writes = false) const {
    std::vector<ProcessTime> times(1);
    ProcessTime& time = times[0];
    time.node = "n";
    time.budget.pid = time.budget.tid = kPid;
    time.budget.start_ns = kSecond / 2;
    time.budget.end_ns = 11 * kSecond;
    time.budget.result.limit = correlate::Limit::kInputBound;
    time.budget.evaluated.sums.of(is) = {kSecond, kSecond, kSecond};
    BlameNode own;
    own.pids = {kPid};
    own.is = is;
    own.is_write = writes;
    time.blame.push_back({{own}, kSecond, kSecond, kSecond});
    add_time_evidence(*reader_, {}, times);
    return times[0];
  }
};

class LimitedTest : public DiskTest {
 protected:
  void add_second(store::Writer& writer, uint64_t mono_ns) override {
    auto limit = row_at<hal::MemoryLimit>(mono_ns);
    limit.pid = kPid;
    limit.path = "/job";
    limit.limit_name = "memory.max";
    limit.limit_bytes = limit.used_bytes = 256 * kMB;
    limit.reread_bytes = again_;
    limit.hits = 7;
    limit.stalled_ns = kSecond / 4;
    writer.add_memory_limit(limit);
    limit.pid = kPid + 1;  // another's
    limit.path = "/other";
    limit.reread_bytes = 900 * kMB;
    writer.add_memory_limit(limit);
  }
  uint64_t again_ = 80 * kMB;
};
class MostlyNewTest : public LimitedTest {
 protected:
  MostlyNewTest() { again_ = 10 * kMB; }
};

TEST_F(LimitedTest, WhatIsReadAgainForWantOfMemoryIsSaid) {
  const ProcessTime time = said();
  EXPECT_THAT(time.because, Contains("Its cgroup /job is at its limit on memory (memory.max: 256 MB): 800 MB that had "
                                     "been in memory were read again"));
  EXPECT_EQ(time.remedy,
            "raise memory.max of its cgroup (/sys/fs/cgroup/job), or hold less in memory: what does not "
            "fit is read from the disk again");
}

TEST_F(LimitedTest, MemoryThatIsFreedMeanwhileHasItsLimit) {
  EXPECT_THAT(said(TimeClass::kReclaim).because, Contains("Its cgroup /job is at its limit on memory (memory.max: 256 "
                                                          "MB): processes in it waited for memory for 2.5s"));
}

TEST_F(LimitedTest, NothingIsSaidOfOneThatComputesOrWrites) {
  EXPECT_THAT(said(TimeClass::kHost).because, IsEmpty());
  EXPECT_THAT(said(TimeClass::kDisk, true).because, IsEmpty());
}

TEST_F(MostlyNewTest, AFullCacheIsNoReason) { EXPECT_THAT(said().because, IsEmpty()); }

// Nearly all of what it reads is held back, and then asked for by the kernel.
class HeldBackTest : public DiskTest {
 protected:
  void add_second(store::Writer& writer, uint64_t mono_ns) override {
    auto use = row_at<hal::DiskUse>(mono_ns);
    use.bytes = 900 * kMB;
    use.own_bytes = 100 * kMB;
    writer.add_disk_use(use);
    if (mono_ns != kSecond) return;
    auto limit = row_at<hal::IoLimit>(mono_ns);
    limit.pid = kPid;
    limit.path = "/blkio/job";
    limit.limit_name = "blkio.throttle.read_bps_device";
    limit.is_bytes = true;
    limit.limit = each_;
    writer.add_io_limit(limit);
    limit.is_write = true;
    limit.limit_name = "blkio.throttle.write_bps_device";
    limit.limit = kMB;
    writer.add_io_limit(limit);
  }
  uint64_t each_ = 900 * kMB;
};
class WideLimitTest : public HeldBackTest {
 protected:
  WideLimitTest() { each_ = 9000 * kMB; }
};

TEST_F(HeldBackTest, ALimitOnItsDiskIsNamedAndNobodyElseAccused) {
  const ProcessTime time = said();
  EXPECT_THAT(time.because, ::testing::ElementsAre("Its cgroup /blkio/job may read 900 MB a second from a disk "
                                                   "(blkio.throttle.read_bps_device)"));
  EXPECT_THAT(time.remedy,
              StartsWith("raise blkio.throttle.read_bps_device of that cgroup (/sys/fs/cgroup/blkio/job)"));
}

TEST_F(WideLimitTest, OneThatIsNotReachedIsNoReasonNorAreUnnamedOthers) { EXPECT_THAT(said().because, IsEmpty()); }

class SharedDiskTest : public DiskTest {
 protected:
  void add_second(store::Writer& writer, uint64_t mono_ns) override {
    auto use = row_at<hal::DiskUse>(mono_ns);
    use.device = 254 << 20;
    use.bytes = others_;
    use.own_bytes = 100 * kMB;
    writer.add_disk_use(use);
    hal::Process process;
    process.pid = use.pid = 55;
    process.comm = use.comm = "python3";
    process.command_line = "python3 /srv/backup.py";
    writer.add_process(process);
    use.bytes = others_ * 9 / 10;
    writer.add_disk_use(use);
    use.pid = 56;
    use.comm = "cron";
    use.bytes = others_ / 100;
    writer.add_disk_use(use);
  }
  uint64_t others_ = 400 * kMB;
};
class QuietDiskTest : public SharedDiskTest {
 protected:
  QuietDiskTest() { others_ = 40 * kMB; }
};

TEST_F(SharedDiskTest, WhoUsesTheDiskMostIsNamed) {
  const ProcessTime time = said();
  EXPECT_THAT(time.because,
              Contains("Others used its disk meanwhile: 4 GB of theirs, 1 GB of the traced processes; most "
                       "for python3 (pid 55, backup.py)"));
  EXPECT_THAT(time.remedy, StartsWith("keep python3 (pid 55, backup.py) off that disk"));
}

TEST_F(SharedDiskTest, NothingIsSaidOfOneThatWaitsForNoDisk) { EXPECT_THAT(said(TimeClass::kPipe).because, IsEmpty()); }

// Another process of the trace, which reads as much as no other.
class TracedUserTest : public DiskTest {
 protected:
  void add_second(store::Writer& writer, uint64_t mono_ns) override {
    hal::Process process;
    process.pid = 57;
    process.comm = "python3";
    process.command_line = "python3 /srv/shuffle.py";
    writer.add_process(process);
    read(writer, 57, mono_ns + 1, duration_ns_, 900 * kMB);
  }
  uint64_t duration_ns_ = kSecond * 9 / 10;
};
class FastDiskTest : public TracedUserTest {
 protected:
  FastDiskTest() { duration_ns_ = kSecond / 10; }
};

TEST_F(TracedUserTest, WhoKeepsTheDiskBusyIsNamedThoughItIsTraced) {
  const ProcessTime time = said();
  EXPECT_THAT(time.because,
              Contains("python3 (pid 57, shuffle.py) used the disks meanwhile: 9 GB; who waited asked for 1 "
                       "GB"));
  EXPECT_THAT(time.remedy, StartsWith("keep python3 (pid 57, shuffle.py) off that disk"));
}

TEST_F(FastDiskTest, OneForWhichADiskHasTimeToSpareIsNoReason) { EXPECT_THAT(said().because, IsEmpty()); }

TEST_F(QuietDiskTest, OthersThatMoveLessAreNoReason) { EXPECT_THAT(said().because, IsEmpty()); }

}  // namespace
}  // namespace ingero::report::testing
