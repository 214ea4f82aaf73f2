// What a replay says of calls: the properties of their libraries, which no name stands for.
#include "store/read/replay.h"

#include <map>

#include <gmock/gmock.h>

#include "recording.h"
#include "store/db/sqlite.h"
#include "store/merge/merge.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Layers that are called what libraries of the other sort are usually called.
constexpr hal::Row kLowRows[] = {{.name = "lowAlloc", .kind = hal::Kind::kAlloc, .shape = {}}};
constexpr hal::Row kHighRows[] = {
    {.name = "highAlloc", .kind = hal::Kind::kAlloc, .shape = {}},
    {.name = "highPin", .kind = hal::Kind::kAlloc, .shape = {}, .flags = hal::kHostMemory}};
constexpr hal::Library kStacked[] = {
    {.name = "liblow", .sonames = {}, .rows = kLowRows, .layer = "LOW", .below_runtime = true},
    {.name = "libhigh", .sonames = {}, .rows = kHighRows, .layer = "DRIVER"},
};
constexpr hal::Backend kStack = {.name = "stack", .vendor = "acme", .libraries = kStacked};

class ReplayTest : public RecordingTest {
 protected:
  void record() {
    static const hal::Backend* const backends[] = {&kStack};
    static const hal::CallTable table(backends);
    Result<std::unique_ptr<Writer>> opened = Writer::open(options(), table, losses, clock);
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    writer = std::move(*opened);
    for (hal::CallId call = 0; call < 3; ++call) {
      Event event = event_of("cudaMalloc", 1000 + call, 10);
      event.call = call;
      write({event});
    }
    close();
  }
  template <typename T>
  std::map<std::string, T> of_calls(T ReplayedCall::*what) {
    class Calls : public ReplaySink {
     public:
      explicit Calls(T ReplayedCall::*member) : what(member) {}
      T ReplayedCall::*what;
      std::map<std::string, T> found;
      void call(hal::CallId, const ReplayedCall& call) override { found[std::string(call.name)] = call.*what; }
    } calls(what);
    const Status status = replay(*read(), {}, calls);
    EXPECT_TRUE(status.ok()) << status.error().text();
    return calls.found;
  }
  std::map<std::string, bool> below_runtime() { return of_calls(&ReplayedCall::below_runtime); }
};

TEST_F(ReplayTest, ALibraryIsBelowARuntimeByItsRowNotByItsLayersName) {
  record();
  EXPECT_THAT(below_runtime(), ElementsAre(Pair("highAlloc", false), Pair("highPin", false), Pair("lowAlloc", true)));
  MergeOptions merged;
  merged.sources = {path};
  path = merged.output = directory + "/merged.db";
  ASSERT_TRUE(merge(merged).ok());
  EXPECT_THAT(below_runtime(), ElementsAre(Pair("highAlloc", false), Pair("highPin", false), Pair("lowAlloc", true)));
}

TEST_F(ReplayTest, WhoseMemoryACallObtainsIsRecorded) {
  record();
  const auto memories = ElementsAre(Pair("highAlloc", hal::Memory::kDevice), Pair("highPin", hal::Memory::kHost),
                                    Pair("lowAlloc", hal::Memory::kDevice));
  EXPECT_THAT(of_calls(&ReplayedCall::memory), memories);
  EXPECT_THAT(rows(*read(), "SELECT DISTINCT memory FROM calls WHERE kind = 'alloc' ORDER BY 1"),
              ElementsAre("device", "host"));
  MergeOptions merged;
  merged.sources = {path};
  path = merged.output = directory + "/merged.db";
  ASSERT_TRUE(merge(merged).ok());
  EXPECT_THAT(of_calls(&ReplayedCall::memory), memories);
}

TEST_F(ReplayTest, RecordingsOfBeforeTheColumnHaveTheLayersNameOnly) {
  record();
  {
    Result<Database> database = Database::open(path, SQLITE_OPEN_READWRITE, path);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database
                    ->execute("ALTER TABLE calls DROP COLUMN below_runtime; ALTER TABLE communicators DROP COLUMN "
                              "library_hash; ALTER TABLE calls DROP COLUMN memory; DROP TABLE cpu_affinity; "
                              "DROP TABLE cgroup_memory; DROP TABLE io_limits; DROP TABLE disk_use; DROP VIEW "
                              "thread_waits; ALTER TABLE "
                              "waits DROP COLUMN file_system; CREATE VIEW thread_waits AS SELECT 1 AS one; DELETE FROM "
                              "schema_migrations WHERE version > 31; PRAGMA user_version = 31")
                    .ok());
  }
  const auto by_layer = ElementsAre(Pair("highAlloc", true), Pair("highPin", true), Pair("lowAlloc", false));
  EXPECT_THAT(below_runtime(), by_layer);  // read as it is
  open();
  close();
  EXPECT_THAT(below_runtime(), by_layer);  // and when an agent has brought it up to date
}

TEST_F(ReplayTest, WhereAProcessMayRunIsKnownFromThenOn) {
  record();
  open();
  const auto add = [&](uint64_t at_ns, const char* cpus, const char* online) {
    hal::Affinity one;
    one.mono_ns = kMono + at_ns;
    one.wall_offset_ns = kOffset;
    one.pid = 7;
    one.threads = 3;
    one.cpus = *hal::CpuList::parse(cpus);
    if (online != nullptr) one.online = *hal::CpuList::parse(online);
    writer->add_affinity(one);
  };
  add(kMs, "0-1,4", "0-7");
  add(9 * kMs, "0-7", nullptr);
  write({event_of("cudaMalloc", 4 * kMs, 100), event_of("cudaMalloc", 10 * kMs, 100)});
  close();
  EXPECT_THAT(
      rows(*read(), "SELECT timestamp - mono_ns, pid, cpus, threads, online FROM cpu_affinity ORDER BY mono_ns"),
      ElementsAre(fmt::format("{}|7|0-1,4|3|0-7", kOffset), fmt::format("{}|7|0-7|3|NULL", kOffset)));
  class Affinities : public ReplaySink {
   public:
    std::vector<std::string> found;
    void affinity(const hal::Affinity& one) override {
      found.push_back(fmt::format("{} {} {} of {}", one.pid, one.threads, one.cpus.text(), one.online.text()));
    }
  } all, later;
  ASSERT_TRUE(replay(*read(), {}, all).ok());
  EXPECT_THAT(all.found, ElementsAre("7 3 0-1,4 of 0-7", "7 3 0-7 of "));
  Selection selection;
  selection.from_wall_ns = kWall + 3 * kMs;
  selection.to_wall_ns = kWall + 5 * kMs;
  ASSERT_TRUE(replay(*read(), selection, later).ok());
  EXPECT_THAT(later.found, ElementsAre("7 3 0-1,4 of 0-7")) << "also in a part that begins later";
}

TEST_F(ReplayTest, WhatIsLeftOutOfATimeRangeIsAsUnknownAsWhatWasBeforeTheRecording) {
  record();
  class Start : public ReplaySink {
   public:
    uint64_t mono_ns = 0;
    void started(uint64_t ns) override { mono_ns = ns; }
  } whole, later;
  ASSERT_TRUE(replay(*read(), {}, whole).ok());
  EXPECT_EQ(whole.mono_ns, kMono);
  Selection selection;
  selection.from_wall_ns = kWall + 400;
  ASSERT_TRUE(replay(*read(), selection, later).ok());
  EXPECT_EQ(later.mono_ns, kMono + 400);
}

TEST_F(ReplayTest, WhoSentASignalIsNotWhoHadTheCpu) {
  open();
  Event exit = event_of("process_exit", 1000, 0), preempted = event_of("cudaMalloc", 2000, 10);
  exit.sender_pid = 70;
  std::memcpy(exit.sender_comm.data(), "watchdog", 9);
  exit.set(hal::Has::kSender);
  preempted.preempted_by_pid = 71;
  preempted.preempted_by_ns = 5;
  preempted.set(hal::Has::kPreemptedBy);
  write({exit, preempted});
  close();
  class Events : public ReplaySink {
   public:
    std::vector<Event> found;
    void event(const Event& event) override { found.push_back(event); }
  } events;
  ASSERT_TRUE(replay(*read(), {}, events).ok());
  ASSERT_EQ(events.found.size(), 2U);
  EXPECT_TRUE(events.found[0].has(hal::Has::kSender));
  EXPECT_EQ(events.found[0].sender_pid, 70U);
  EXPECT_STREQ(events.found[0].sender_comm.data(), "watchdog");
  EXPECT_FALSE(events.found[0].has(hal::Has::kPreemptedBy));
  EXPECT_FALSE(events.found[1].has(hal::Has::kSender));
  EXPECT_EQ(events.found[1].preempted_by_pid, 71U);
}

// The engine takes 0 for a device that is not known, and other numbers for other devices.
TEST_F(ReplayTest, ADeviceIsOneHoweverItsCallsNamedItAndUnknownStaysUnknown) {
  const auto record_run = [&] {
    open();
    writer->add_device(1, {"acme", 0, "GPU-1", ""});
    writer->add_device(2, {"acme", 1, "GPU-2", ""});
    std::vector<Event> events;
    const auto add = [&](uint32_t ref, std::optional<int32_t> ordinal) {
      Event event = event_of("cudaLaunchKernel", events.size() * 1000, 10);
      event.device_ref = ref;
      if (ordinal) {
        event.device = *ordinal;
        event.set(hal::Has::kDevice);
      }
      events.push_back(event);
    };
    add(1, {});
    add(1, 0);
    add(0, {});
    add(0, 7);  // named in vain
    add(2, 1);
    add(1, {});
    write(events);
    close();
  };
  record_run();
  record_run();
  class Devices : public ReplaySink {
   public:
    std::vector<std::pair<uint32_t, int32_t>> seen;
    void event(const Event& event) override {
      seen.emplace_back(event.device_ref, event.has(hal::Has::kDevice) ? event.device : -1);
    }
  } devices;
  ASSERT_TRUE(replay(*read(), {}, devices).ok());
  const auto one_run = std::vector{Pair(1U, -1), Pair(1U, 0), Pair(0U, -1), Pair(0U, 7), Pair(2U, 1), Pair(1U, -1)};
  ASSERT_EQ(devices.seen.size(), 2 * one_run.size());
  for (size_t i = 0; i < devices.seen.size(); ++i) {
    EXPECT_THAT(devices.seen[i], one_run[i % one_run.size()]) << i;
  }
}

}  // namespace
}  // namespace ingero::store::testing
