// When wake-ups and CPUs are looked at, which totals are news, and what is looked up of a wait in /proc.
#include "agent/wait_watch.h"

#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "temp_folder.h"

namespace ingero::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint32_t kDisk = 8U << 20 | 17, kSecondDisk = 27;  // as the kernel numbers them

class WaitWatchTest : public ::testing::Test {
 protected:
  WaitWatch::Kernel kernel() {
    return {[this](bool on) {
              asked.push_back(on ? "wakers on" : "wakers off");
              return refuse_wakers ? Status(Error(Errc::kNotSupported, "refused")) : Status();
            },
            [this](bool on) {
              const std::string what = on ? "samples on" : "samples off";
              if (asked.empty() || asked.back() != what) {
                asked.push_back(what);
              } else {
                ++asked_again;
              }
              return Status();
            },
            [this] { return Result<std::vector<wire_totals>>(totals); },
            [](uint32_t file_system, uint64_t inode) {
              if (inode == 4712) return std::string("ckpt\n.bin");
              if (inode == 4714) return std::string("mapped.bin");
              return file_system == kSecondDisk && inode == 4711 ? std::string("shard7 of the second") : std::string();
            }};
  }
  WaitWatch::Proc proc() {
    return {folder.path(),
            [this](uint32_t pid, std::string_view name, size_t) {
              ++reads;
              if (name.starts_with("fdinfo/"))
                return Result<std::string>("pos:\t0\nflags:\t02\nmnt_id:\t48\nino:\t4711\n");
              return name == "net/tcp"
                         ? Result<std::string>(
                               fmt::format("  sl  local_address rem_address   st\n   0: 0100007F:{:04X} 00000000:0000 "
                                           "0A 00000000:00000000\n   1: 0100007F:1F91 0100007F:9C40 01 0\n",
                                           pid == 100 ? 8080 : 9090))
                         : Result<std::string>(std::string());
            },
            [](uint32_t pid, uint64_t address) { return pid == 100 && address == 0x7f00; }};
  }
  static hal::Event call(uint64_t duration_ns, uint64_t blocked_ns = 0) {
    hal::Event event;
    event.kind = hal::Kind::kSync;
    event.pid = 100;
    event.tid = 101;
    event.duration_ns = duration_ns;
    event.set(hal::Has::kDuration);
    event.off.blocked_ns = blocked_ns;
    return event;
  }
  void add_wait(hal::Wait wait, uint32_t pid = 100) {
    hal::Event event;
    event.kind = hal::Kind::kHost;
    event.pid = pid;
    event.tid = 101;
    batch.records.waits.emplace_back(batch.records.events.size(), std::move(wait));
    batch.records.events.push_back(event);
  }
  static wire_totals totals_at(uint64_t asleep_ns, uint64_t ran_ns) {
    wire_totals one{};
    one.pid = 100;
    one.tid = 101;
    one.waited[WIRE_WAIT_PIPE] = asleep_ns;
    one.ran_ns = ran_ns;
    return one;
  }
  static hal::Wait socket(uint16_t local_port, uint16_t peer_port) {
    hal::Wait wait;
    wait.kind = hal::WaitKind::kSocket;
    wait.object = 5000U + local_port;
    wait.descriptor = 3;
    wait.peer = hal::WaitPeer{AF_INET, local_port, peer_port, {10, 0, 0, 9}, false, 0};
    return wait;
  }

  TempFolder folder;
  std::vector<std::string> asked;
  size_t asked_again = 0;
  std::vector<wire_totals> totals;
  bool refuse_wakers = false;
  int reads = 0;
  EventBatch batch;
  WaitWatch watch{kernel(), proc()};
};

TEST_F(WaitWatchTest, WakersAreLookedForWhileThereAreCalls) {
  watch.take(batch, kSecond);
  watch.every_second(batch, kSecond);
  EXPECT_THAT(asked, IsEmpty()) << "no call so far";
  batch.records.events.push_back(call(10));
  watch.take(batch, 2 * kSecond);
  watch.take(batch, 3 * kSecond);
  EXPECT_THAT(asked, ElementsAre("wakers on"));
  batch.clear();
  watch.every_second(batch, 33 * kSecond);
  EXPECT_THAT(asked, ElementsAre("wakers on"));
  watch.every_second(batch, 34 * kSecond);
  EXPECT_THAT(asked, ElementsAre("wakers on", "wakers off"));
}

TEST_F(WaitWatchTest, WhatTheKernelRefusesIsAskedForOnce) {
  refuse_wakers = true;
  batch.records.events.push_back(call(10));
  watch.take(batch, kSecond);
  watch.take(batch, 2 * kSecond);
  EXPECT_THAT(asked, ElementsAre("wakers on"));
}

TEST_F(WaitWatchTest, ThreadsThatComputeOutsideCallsAreSampled) {
  const auto second = [&](uint64_t number, uint64_t ran_ns, uint64_t in_call_ns) {
    batch.clear();
    batch.records.events.push_back(call(in_call_ns + 7, 7));
    watch.take(batch, number * kSecond);
    totals = {totals_at(number, ran_ns)};
    watch.every_second(batch, number * kSecond);
  };
  second(1, 500'000'000, 0);  // what it ran before is not known to be of this second
  EXPECT_THAT(asked, ElementsAre("wakers on"));
  second(2, 1'400'000'000, 870'000'000);
  EXPECT_THAT(asked, ElementsAre("wakers on")) << "30 ms outside";
  second(3, 1'500'000'000, 50'000'000);
  EXPECT_THAT(asked, ElementsAre("wakers on", "samples on"));
  for (uint64_t number = 4; number < 13; ++number) second(number, 1'500'000'000, 0);
  EXPECT_THAT(asked, SizeIs(2));
  EXPECT_EQ(asked_again, 10U) << "each second: CPUs may have come online";
  second(13, 1'500'000'000, 0);
  EXPECT_THAT(asked, ElementsAre("wakers on", "samples on", "samples off"));
}

TEST_F(WaitWatchTest, TotalsAreNewsWhenTheyChange) {
  totals = {totals_at(10, 0)};
  watch.every_second(batch, kSecond);
  ASSERT_THAT(batch.wait_totals, SizeIs(1));
  EXPECT_EQ(batch.wait_totals[0].ns[WIRE_WAIT_PIPE], 10U);
  batch.clear();
  watch.every_second(batch, 2 * kSecond);
  EXPECT_THAT(batch.wait_totals, IsEmpty());
  totals = {totals_at(11, 0)};
  watch.every_second(batch, 3 * kSecond);
  EXPECT_THAT(batch.wait_totals, SizeIs(1));
}

TEST_F(WaitWatchTest, WhatAThreadWaitedForACpuIsOfTheLastSecond) {
  totals = {totals_at(0, 0)};
  totals[0].queued_ns = 30;
  totals[0].waited[WIRE_WAIT_PREEMPTED] = 4;
  totals[0].waited[WIRE_WAIT_THROTTLED] = 500;
  watch.every_second(batch, kSecond);
  ASSERT_THAT(watch.cpu_waits(), SizeIs(1));
  EXPECT_EQ(watch.cpu_waits()[0].pid, 100U);
  EXPECT_EQ(watch.cpu_waits()[0].tid, 101U);
  EXPECT_EQ(watch.cpu_waits()[0].ns, 34U) << "that a quota held it back is no want of a CPU";
  totals[0].queued_ns = 50;
  watch.every_second(batch, 2 * kSecond);
  ASSERT_THAT(watch.cpu_waits(), SizeIs(1));
  EXPECT_EQ(watch.cpu_waits()[0].ns, 20U);
  watch.every_second(batch, 3 * kSecond);
  EXPECT_THAT(watch.cpu_waits(), IsEmpty());
}

TEST_F(WaitWatchTest, ASocketWhosePortTheProcessListensOnIsAClients) {
  add_wait(socket(8080, 40001));
  add_wait(socket(50000, 9000));
  add_wait(socket(8080, 40001), 200);
  watch.take(batch, kSecond);
  EXPECT_TRUE(batch.records.waits[0].second.peer->is_accepted);
  EXPECT_FALSE(batch.records.waits[1].second.peer->is_accepted);
  EXPECT_FALSE(batch.records.waits[2].second.peer->is_accepted) << "another process listens there";
  EXPECT_EQ(reads, 4) << "two tables of two processes, once a second";
}

TEST_F(WaitWatchTest, AnObjectIsNamedOnce) {
  const std::filesystem::path process = std::filesystem::path(folder.path()) / "100", links = process / "fd";
  std::filesystem::create_directories(links);
  std::ofstream(process / "mountinfo")
      << "27 1 0:27 / / rw - ext4 /dev/vda rw\n48 27 8:17 / /data rw - ext4 /dev/sdb rw\n";
  ASSERT_EQ(symlink("/data/shard7\n", (links / "3").c_str()), 0);
  hal::Wait file;
  file.kind = hal::WaitKind::kDisk;
  file.object = 4711;
  file.file_system = kDisk;
  file.descriptor = 3;
  hal::Wait other = file;  // its descriptor has become that of another file with the same inode number
  other.file_system = kSecondDisk;
  hal::Wait pipe = file;
  pipe.kind = hal::WaitKind::kPipe;
  hal::Wait gone = file;
  gone.object = 4712;
  gone.descriptor = 9;
  hal::Wait reused = file;
  reused.object = 4713;     // the descriptor has become that of another file
  hal::Wait mapped = gone;  // in a page fault
  mapped.object = 4714;
  mapped.descriptor.reset();
  for (const hal::Wait& wait : {reused, file, file, pipe, gone, socket(50000, 9000), other, other, mapped})
    add_wait(wait);
  watch.take(batch, kSecond);
  watch.take(batch, kSecond);
  ASSERT_THAT(batch.objects, SizeIs(5));
  EXPECT_EQ(batch.objects[0].object, 4711U);
  EXPECT_EQ(batch.objects[0].file_system, kDisk);
  EXPECT_EQ(batch.objects[0].kind, hal::WaitKind::kDisk);
  EXPECT_EQ(batch.objects[0].name.find('\n'), std::string::npos) << "untrusted";
  EXPECT_EQ(batch.objects[0].name.substr(0, 12), "/data/shard7");
  EXPECT_EQ(batch.objects[1].object, 4712U) << "closed by now: as the kernel had it";
  EXPECT_EQ(batch.objects[1].name.find('\n'), std::string::npos) << "untrusted";
  EXPECT_TRUE(batch.objects[1].name.starts_with("ckpt")) << batch.objects[1].name;
  EXPECT_EQ(batch.objects[2].name, "10.0.0.9:9000");
  EXPECT_EQ(batch.objects[3].object, 4711U);
  EXPECT_EQ(batch.objects[3].file_system, kSecondDisk);
  EXPECT_EQ(batch.objects[3].name, "shard7 of the second");
  EXPECT_EQ(batch.objects[4].name, "mapped.bin");
}

TEST_F(WaitWatchTest, AnInterpretersLockIsALockAndHasAName) {
  hal::Wait lock;
  lock.kind = hal::WaitKind::kFutex;
  lock.object = 0x7f00;
  hal::Wait other = lock;
  other.object = 0x7f40;
  for (const hal::Wait& wait : {lock, lock, other}) add_wait(wait);
  add_wait(lock, 200);  // another process has something else at that address
  watch.take(batch, kSecond);
  std::vector<bool> locks;
  for (const auto& [index, wait] : batch.records.waits) locks.push_back(wait.is_lock);
  EXPECT_THAT(locks, ElementsAre(true, true, false, false));
  ASSERT_THAT(batch.objects, SizeIs(1));
  EXPECT_EQ(batch.objects[0].name, "Python's global interpreter lock (GIL)");
}

TEST_F(WaitWatchTest, LooksAtProcAreBounded) {
  for (uint64_t i = 0; i < 1000; ++i) {
    hal::Wait file;
    file.kind = hal::WaitKind::kFile;
    file.object = i;
    file.descriptor = 3;
    add_wait(file, static_cast<uint32_t>(1000 + i));
    hal::Wait other = socket(50000, 0);
    add_wait(other, static_cast<uint32_t>(1000 + i));
  }
  watch.take(batch, kSecond);
  EXPECT_LE(reads, 64);
}

}  // namespace
}  // namespace ingero::agent
