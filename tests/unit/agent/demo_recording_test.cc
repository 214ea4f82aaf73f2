// A demonstration's recording is in the scenario's time, however slow the machine is that writes it.
#include "agent/demo/demo_recording.h"

#include <gtest/gtest.h>

#include "agent/demo/demo_scenarios.h"
#include "backends/registry.h"
#include "hal/call_table.h"
#include "store/read/reader.h"
#include "store/read/runs.h"
#include "temp_folder.h"

namespace ingero::agent {
namespace {

constexpr uint64_t kBeginWallNs = 1'700'000'000 * kSecond;

// Two seconds pass from one look at it to the next.
class SlowMachine final : public Clock {
 public:
  uint64_t mono_ns() const override { return passed_ns_ += 2 * kSecond; }
  uint64_t wall_ns() const override { return kBeginWallNs + mono_ns(); }

 private:
  mutable uint64_t passed_ns_ = 0;
};

TEST(DemoRecordingTest, TheRunBeginsWithTheScenarioOnASlowMachine) {
  const hal::CallTable calls(backends::all_backends());
  const TempFolder folder;
  const std::string path = folder.path() + "/demo.db";
  ASSERT_TRUE(record_demo(*find_demo("incident"), calls, {}, path, SlowMachine()).ok());
  const auto reader = store::Reader::open(path);
  ASSERT_TRUE(reader.ok()) << reader.error().text();
  const auto recorded = runs(**reader);
  ASSERT_TRUE(recorded.ok()) << recorded.error().text();
  ASSERT_EQ(recorded->size(), 1U);
  EXPECT_EQ(recorded->front().started_wall_ns, kBeginWallNs + 2 * kSecond);
}

}  // namespace
}  // namespace ingero::agent
