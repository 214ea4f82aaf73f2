// Ranks that do more than others by their role.
#include <array>

#include <gtest/gtest.h>

#include "fleet/detect/detector.h"
#include "unit/fleet/fleet_noise.h"

namespace ingero::fleet::detect {
namespace {

constexpr uint64_t kWindowOfStage_ns = 5'000'000'000;

// The others wait for the heaviest, also those that do more than some.
TEST(Imbalance, OfSeveralLoadsTheHeaviestIsNamed) {
  for (const std::array<double, 4>& more : {std::array{-0.1, 0.0, 0.0, 0.2}, std::array{0.0, 0.1, 0.2, 0.3}}) {
    Detector detector;
    Workload workload(64, kUsualNoise, 5);
    for (uint64_t window = 1; window <= 100; ++window) {
      for (uint32_t rank = 0; rank < 64; ++rank) {
        Sample sample;
        sample.window = window;
        sample.rank = rank;
        sample.node = rank / 8;
        sample.count = 5;
        sample.work_s = workload.window(rank, more[rank / 16]);
        sample.communicator = 100 + rank / 16;  // data parallel: all of a stage
        sample.nranks = 16;
        sample.bytes = 1e6;
        detector.add(sample, window * kWindowOfStage_ns);
      }
      (void)detector.advance(window * kWindowOfStage_ns + kWaitForWindow_ns);
    }
    const auto heavy = detector.imbalance();
    ASSERT_EQ(heavy.size(), 1U) << more[0];
    EXPECT_EQ(heavy.front().ranks.front(), 48U) << more[0];
    EXPECT_EQ(heavy.front().ranks.size(), 16U) << more[0];
  }
}

}  // namespace
}  // namespace ingero::fleet::detect
