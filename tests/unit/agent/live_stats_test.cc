// Figures of the live table: of one call each is what it took, however wide its bucket is.
#include "agent/live_stats.h"

#include <gtest/gtest.h>

#include "backends/registry.h"

namespace ingero::agent {
namespace {

TEST(LiveStats, NoPercentileIsAboveTheLongestCall) {
  const hal::CallTable calls(backends::all_backends());
  LiveStats stats(calls);
  hal::Event event;
  event.call = 1;
  event.duration_ns = 1 << 25;  // where a bucket begins: its middle is 33.8 ms
  event.set(hal::Has::kDuration);
  stats.add({&event, 1});
  const auto rows = stats.rows();
  ASSERT_EQ(rows.size(), 1U);
  for (const uint64_t ns : {rows[0].p50_ns, rows[0].p95_ns, rows[0].p99_ns, rows[0].max_ns}) {
    EXPECT_EQ(ns, event.duration_ns);
  }
}

}  // namespace
}  // namespace ingero::agent
