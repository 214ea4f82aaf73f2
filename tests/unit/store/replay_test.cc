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
constexpr hal::Row kHighRows[] = {{.name = "highAlloc", .kind = hal::Kind::kAlloc, .shape = {}}};
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
    for (hal::CallId call = 0; call < 2; ++call) {
      Event event = event_of("cudaMalloc", 1000 + call, 10);
      event.call = call;
      write({event});
    }
    close();
  }
  std::map<std::string, bool> below_runtime() {
    class Calls : public ReplaySink {
     public:
      std::map<std::string, bool> below;
      void call(hal::CallId, const ReplayedCall& call) override { below[std::string(call.name)] = call.below_runtime; }
    } calls;
    const Status status = replay(*read(), {}, calls);
    EXPECT_TRUE(status.ok()) << status.error().text();
    return calls.below;
  }
};

TEST_F(ReplayTest, ALibraryIsBelowARuntimeByItsRowNotByItsLayersName) {
  record();
  EXPECT_THAT(below_runtime(), ElementsAre(Pair("highAlloc", false), Pair("lowAlloc", true)));
  MergeOptions merged;
  merged.sources = {path};
  path = merged.output = directory + "/merged.db";
  ASSERT_TRUE(merge(merged).ok());
  EXPECT_THAT(below_runtime(), ElementsAre(Pair("highAlloc", false), Pair("lowAlloc", true)));
}

TEST_F(ReplayTest, RecordingsOfBeforeTheColumnHaveTheLayersNameOnly) {
  record();
  {
    Result<Database> database = Database::open(path, SQLITE_OPEN_READWRITE, path);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(
        database
            ->execute("ALTER TABLE calls DROP COLUMN below_runtime; ALTER TABLE communicators DROP COLUMN "
                      "library_hash; DELETE FROM schema_migrations WHERE version > 31; PRAGMA user_version = 31")
            .ok());
  }
  const auto by_layer = ElementsAre(Pair("highAlloc", true), Pair("lowAlloc", false));
  EXPECT_THAT(below_runtime(), by_layer);  // read as it is
  open();
  close();
  EXPECT_THAT(below_runtime(), by_layer);  // and when an agent has brought it up to date
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

}  // namespace
}  // namespace ingero::store::testing
