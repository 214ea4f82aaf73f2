// What threads waited for: written with the rows of their intervals, read back in a replay as it was.
#include <cstring>

#include <gmock/gmock.h>

#include "recording.h"
#include "store/read/replay.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class Sink : public ReplaySink {
 public:
  void event(const hal::Event& event) override { order += event.kind == hal::Kind::kHost ? 'e' : 'c'; }
  void wait(const hal::Event& event, const hal::Wait& wait) override {
    order += 'w';
    waits.emplace_back(event.start_mono_ns, wait);
  }
  void wait_totals(const hal::WaitTotals& one) override {
    order += 't';
    totals.push_back(one);
  }
  void cpu_sample(const hal::CpuSample& one) override {
    order += 's';
    samples.push_back(one);
  }
  void end(std::optional<uint64_t>) override { order += '.'; }

  std::string order;
  std::vector<std::pair<uint64_t, hal::Wait>> waits;
  std::vector<hal::WaitTotals> totals;
  std::vector<hal::CpuSample> samples;
};

class WaitsTest : public RecordingTest {
 protected:
  static Event interval(uint64_t start, uint64_t duration) {
    Event event;
    event.call = calls().id_of(hal::HostOp::kSchedSwitch);
    event.kind = hal::Kind::kHost;
    event.pid = 100;
    event.tid = 101;
    event.start_mono_ns = kMono + start;
    event.wall_offset_ns = kOffset;
    event.duration_ns = duration;
    event.set(hal::Has::kDuration);
    return event;
  }
  Sink replayed(const Selection& selection = {}) {
    Sink sink;
    const auto reader = read();
    const Status status = replay(*reader, selection, sink);
    EXPECT_TRUE(status.ok()) << status.error().text();
    return sink;
  }
};

hal::Wait full_wait() {
  hal::Wait wait;
  wait.kind = hal::WaitKind::kSocket;
  wait.syscall = 0;
  wait.object = ~uint64_t{0};
  wait.file_system = 0xffffffff;
  wait.descriptor = 0;
  wait.is_write = true;
  wait.is_timed_out = true;
  wait.minor_faults = 0;
  hal::WaitPeer peer;
  peer.family = 2;
  peer.local_port = 40000;
  peer.peer_port = 9000;
  peer.peer = {10, 0, 0, 9};
  peer.is_accepted = true;
  peer.inode = 77;
  wait.peer = peer;
  hal::Waker waker;
  waker.pid = 4000000;
  waker.tid = 4000001;
  waker.syscall = 44;
  waker.is_kernel_thread = true;
  std::memcpy(waker.comm.data(), "feeder", 7);
  wait.waker = waker;
  return wait;
}

TEST_F(WaitsTest, AWaitComesBackAsItWas) {
  open();
  ASSERT_TRUE(writer->write_wait(interval(1000, 500), full_wait()).ok());
  hal::Wait bare;
  bare.kind = hal::WaitKind::kFutex;
  ASSERT_TRUE(writer->write_wait(interval(2000, 500), bare).ok());
  ASSERT_TRUE(writer->write_wait(interval(3000, 500), full_wait()).ok());
  hal::Wait lock;
  lock.kind = hal::WaitKind::kFile;
  lock.is_lock = true;
  ASSERT_TRUE(writer->write_wait(interval(4000, 500), lock).ok());
  close();
  const Sink sink = replayed();
  EXPECT_EQ(sink.order, "ewewewew.");
  ASSERT_THAT(sink.waits, SizeIs(4));
  for (const size_t i : {0, 2}) {
    const hal::Wait& wait = sink.waits[i].second;
    const hal::Wait expected = full_wait();
    EXPECT_EQ(sink.waits[i].first, kMono + 1000 + 1000 * i);
    EXPECT_EQ(wait.kind, expected.kind);
    EXPECT_EQ(wait.syscall, expected.syscall);
    EXPECT_EQ(wait.object, expected.object);
    EXPECT_EQ(wait.file_system, expected.file_system);
    EXPECT_EQ(wait.descriptor, expected.descriptor);
    EXPECT_EQ(wait.minor_faults, expected.minor_faults);
    EXPECT_TRUE(wait.is_write);
    EXPECT_TRUE(wait.is_timed_out);
    ASSERT_TRUE(wait.peer.has_value());
    EXPECT_EQ(wait.peer->family, 2);
    EXPECT_EQ(wait.peer->local_port, 40000);
    EXPECT_EQ(wait.peer->peer_port, 9000);
    EXPECT_EQ(wait.peer->peer, expected.peer->peer);
    EXPECT_TRUE(wait.peer->is_accepted);
    EXPECT_EQ(wait.peer->inode, 77U);
    ASSERT_TRUE(wait.waker.has_value());
    EXPECT_EQ(wait.waker->pid, 4000000U);
    EXPECT_EQ(wait.waker->tid, 4000001U);
    EXPECT_EQ(wait.waker->syscall, 44U);
    EXPECT_TRUE(wait.waker->is_kernel_thread);
    EXPECT_STREQ(wait.waker->comm.data(), "feeder");
  }
  const hal::Wait& second = sink.waits[1].second;
  EXPECT_EQ(second.kind, hal::WaitKind::kFutex);
  EXPECT_FALSE(second.syscall || second.object || second.file_system || second.descriptor || second.peer ||
               second.waker || second.minor_faults || second.is_write || second.is_timed_out || second.is_lock);
  EXPECT_TRUE(sink.waits[3].second.is_lock);
  EXPECT_FALSE(sink.waits[3].second.is_write || sink.waits[3].second.is_timed_out);
  EXPECT_THAT(rows(*read(), "SELECT count(*) FROM wakers"), ElementsAre("1"));
  EXPECT_THAT(rows(*read(), "SELECT count(*) FROM wait_peers"), ElementsAre("1"));
}

TEST_F(WaitsTest, TotalsAndSamplesKeepTheirPlaceAmongTheEvents) {
  open();
  hal::WaitTotals totals;
  totals.mono_ns = kMono + 1500;
  totals.pid = 100;
  totals.tid = 101;
  totals.ns[static_cast<size_t>(hal::WaitKind::kPipe)] = 400;
  totals.queued_ns = 7;
  hal::WaitTotals nothing;
  nothing.mono_ns = kMono + 2600;
  nothing.pid = 100;
  nothing.tid = 102;
  const hal::CpuSample sample{kMono + 1700, 20'408'163, 100, 101, 0xabcdef, true};
  write({interval(1000, 100)});
  writer->add_totals(totals);
  writer->add_sample(sample, kOffset);
  write({interval(2000, 100)});
  writer->add_totals(nothing);
  close();
  const Sink sink = replayed();
  EXPECT_EQ(sink.order, "etset.");
  ASSERT_THAT(sink.totals, SizeIs(2));
  EXPECT_EQ(sink.totals[0], totals);
  EXPECT_EQ(sink.totals[1], nothing);
  ASSERT_THAT(sink.samples, SizeIs(1));
  EXPECT_EQ(sink.samples[0].mono_ns, sample.mono_ns);
  EXPECT_EQ(sink.samples[0].weight_ns, sample.weight_ns);
  EXPECT_EQ(sink.samples[0].pid, 100U);
  EXPECT_EQ(sink.samples[0].tid, 101U);
  EXPECT_EQ(sink.samples[0].stack_id, 0xabcdefU);
  EXPECT_TRUE(sink.samples[0].is_system);
}

// Ten thousand threads have more totals in a second than may wait for a disk that takes none.
TEST_F(WaitsTest, AllTotalsOfManyThreadsAreStored) {
  open();
  write({interval(1000, 100)});
  hal::WaitTotals totals;
  totals.mono_ns = kMono + 1500;
  totals.pid = 100;
  totals.queued_ns = 7;
  for (totals.tid = 101; totals.tid < 20'101; ++totals.tid) writer->add_totals(totals);
  close();
  EXPECT_THAT(replayed().totals, SizeIs(20'000));
  EXPECT_EQ(losses.count(hal::Loss::store_failed), 0U);
}

TEST_F(WaitsTest, ASessionHasItsOwnTotals) {
  open();
  write({interval(1000, 100)});
  hal::WaitTotals totals;
  totals.mono_ns = kMono + 1500;
  totals.pid = 100;
  totals.tid = 101;
  totals.queued_ns = 1;
  writer->add_totals(totals);
  close();
  open();
  write({interval(1000, 100)});
  totals.queued_ns = 2;
  writer->add_totals(totals);
  close();
  const Sink sink = replayed();
  EXPECT_EQ(sink.order, "et.et.");
  ASSERT_THAT(sink.totals, SizeIs(2));
  EXPECT_EQ(sink.totals[1].queued_ns, 2U);
}

TEST_F(WaitsTest, TheViewNamesWhatWasWaitedFor) {
  open();
  ASSERT_TRUE(writer->write_wait(interval(1000, 500), full_wait()).ok());
  writer->add_object({hal::WaitKind::kSocket, ~uint64_t{0}, "10.0.0.9:9000", 0xffffffff});
  close();
  EXPECT_THAT(rows(*read(),
                   "SELECT pid, kind, object_name, is_write, timed_out, peer_port, accepted, waker_comm, waker_syscall "
                   "FROM thread_waits"),
              ElementsAre("100|socket|10.0.0.9:9000|1|1|9000|1|feeder|44"));
}

hal::Wait file_lock(std::optional<uint32_t> file_system) {
  hal::Wait wait;
  wait.kind = hal::WaitKind::kFile;
  wait.object = 4711;
  wait.file_system = file_system;
  return wait;
}

constexpr const char* kNames = "SELECT object, file_system, object_name FROM thread_waits ORDER BY timestamp";

TEST_F(WaitsTest, FilesOfTwoFileSystemsWithOneInodeNumberHaveTwoNames) {
  open();
  ASSERT_TRUE(writer->write_wait(interval(1000, 500), file_lock(27)).ok());
  ASSERT_TRUE(writer->write_wait(interval(2000, 500), file_lock(28)).ok());
  ASSERT_TRUE(writer->write_wait(interval(3000, 500), file_lock(29)).ok());
  writer->add_object({hal::WaitKind::kFile, 4711, "/a/old", 27});
  writer->add_object({hal::WaitKind::kFile, 4711, "/b/lock", 28});
  writer->add_object({hal::WaitKind::kFile, 4711, "/a/lock", 27});
  close();
  EXPECT_THAT(rows(*read(), kNames), ElementsAre("4711|27|/a/lock", "4711|28|/b/lock", "4711|29|NULL"));
}

// There a file is its inode number alone.
TEST_F(WaitsTest, NamesInARecordingOfTheSchemaBeforeAreReadAndKept) {
  open();
  ASSERT_TRUE(writer->write_wait(interval(1000, 500), file_lock({})).ok());
  writer->add_object({hal::WaitKind::kFile, 4711, "/a/lock"});
  close();
  {
    auto database = Database::open(path, SQLITE_OPEN_READWRITE, path);
    ASSERT_TRUE(database.ok());
    const Status older = database->execute(
        "DROP VIEW thread_waits; DROP INDEX wait_objects_apart; ALTER TABLE wait_objects DROP COLUMN file_system; "
        "ALTER TABLE waits DROP COLUMN file_system; ALTER TABLE calls DROP COLUMN memory; DROP TABLE cpu_affinity; "
        "DROP TABLE cgroup_memory; DROP TABLE io_limits; DROP TABLE disk_use; "
        "CREATE VIEW thread_waits AS "
        "SELECT 1 AS one; DELETE FROM schema_migrations WHERE version > 33; PRAGMA user_version = 33");
    ASSERT_TRUE(older.ok()) << older.error().text();
  }
  EXPECT_THAT(rows(*read(), kNames), ElementsAre("4711|NULL|/a/lock"));
  EXPECT_EQ(replayed().waits.at(0).second.object, 4711U);
  EXPECT_FALSE(replayed().waits.at(0).second.file_system.has_value());
  open();
  ASSERT_TRUE(writer->write_wait(interval(2000, 500), file_lock(27)).ok());
  writer->add_object({hal::WaitKind::kFile, 4711, "/b/lock", 27});
  close();
  EXPECT_THAT(rows(*read(), kNames), ElementsAre("4711|NULL|/a/lock", "4711|27|/b/lock"));
}

}  // namespace
}  // namespace ingero::store::testing
