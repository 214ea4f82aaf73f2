// Devices compared with their peers, and the pace of a job compared with what it was.
#include "fleet/detect/devices.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/detect/pace.h"

namespace ingero::fleet::detect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kFirst = 1000;

class DevicesTest : public ::testing::Test {
 protected:
  using Change = std::function<void(DeviceReading&)>;
  // Devices of eight ranks of a node, one each; `change` is done to the readings of rank 5.
  void run(size_t count, size_t windows, const Change& change, const Change& all = {}) {
    for (uint64_t window = kFirst; window < kFirst + windows; ++window) {
      for (uint32_t rank = 0; rank < count; ++rank) {
        DeviceReading one{window, rank, 1 + rank / 8, 100 + rank, 7, 1.5e9, 600, 0.9, 0};
        if (all) all(one);
        if (rank == 5) change(one);
        devices.add(one);
      }
    }
    last = kFirst + windows - 1;
  }
  std::vector<uint32_t> slow() const {
    std::vector<uint32_t> ranks;
    for (const DeviceFinding& one : devices.slow(last)) ranks.insert(ranks.end(), one.ranks.begin(), one.ranks.end());
    return ranks;
  }
  Devices devices;
  uint64_t last = 0;
};

// (V1)
TEST_F(DevicesTest, AClockBelowThePeersIsEvidenceUnlessTheDeviceIsAtRest) {
  run(16, 6, [](DeviceReading& one) { one.clock_hertz = 1.2e9; });
  const auto found = devices.slow(last);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].ranks, ElementsAre(5));
  EXPECT_EQ(found[0].node, 1U);
  EXPECT_EQ(found[0].peers, 15U);
  EXPECT_NEAR(found[0].slower, 0.25, 1e-3);
  EXPECT_NEAR(found[0].usual_clock_hertz, 1.5e9, 1e3);
  EXPECT_TRUE(devices.of_rank(5, last));
  EXPECT_FALSE(devices.of_rank(6, last));
  run(16, 12, [](DeviceReading& one) {
    one.clock_hertz = 1.2e9;
    one.utilization_ratio = 0.3;
  });
  EXPECT_THAT(slow(), IsEmpty());
  run(16, 18, [](DeviceReading& one) { one.clock_hertz = 1.44e9; });  // within the floor
  EXPECT_THAT(slow(), IsEmpty());
}

TEST_F(DevicesTest, AMomentIsNoEvidenceAndOldWindowsCountNoMore) {
  run(16, 6, [this](DeviceReading& one) {
    if (one.window == kFirst + 2) one.clock_hertz = 1.4e9;
  });
  EXPECT_THAT(slow(), IsEmpty());
  run(16, 6, [](DeviceReading& one) { one.clock_hertz = 1.0e9; });
  EXPECT_THAT(slow(), ElementsAre(5));
  run(16, 13, [](DeviceReading&) {});
  EXPECT_THAT(slow(), IsEmpty());
  EXPECT_EQ(devices.known(last), 16U);
  EXPECT_EQ(devices.known(last + kEvidenceWindows), 0U);
}

// What a window showed is asked for when it is evaluated, and others may have come meanwhile.
TEST_F(DevicesTest, AWindowIsEvidenceAlsoWhereLaterOnesHaveCome) {
  run(16, 6 + kMaxLate, [](DeviceReading& one) {
    if (one.window < kFirst + 6) one.clock_hertz = 1.0e9;
  });
  EXPECT_THAT(slow(), IsEmpty());
  EXPECT_TRUE(devices.of_rank(5, kFirst + 5));
  EXPECT_FALSE(devices.of_rank(6, kFirst + 5));
}

// (V2)
TEST_F(DevicesTest, AThrottleReasonThatMostPeersDoNotHaveIsEvidence) {
  run(
      16, 6, [](DeviceReading& one) { one.throttle_reasons = one.window % 2 == 0 ? 2 : 0; },
      [](DeviceReading& one) {
        one.throttle_reasons = 1;  // the power limit that all have
      });
  const auto found = devices.slow(last);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].throttle_reasons, 2U);
  EXPECT_EQ(found[0].slower, 0);
}

// (V3)
TEST_F(DevicesTest, DrawingLessWhileWorkingAsMuchIsEvidence) {
  run(16, 6, [](DeviceReading& one) { one.power_watts = 400; });
  EXPECT_THAT(slow(), ElementsAre(5));
  run(16, 12, [](DeviceReading& one) {
    one.power_watts = 400;
    one.utilization_ratio = 0.8;
  });
  EXPECT_THAT(slow(), IsEmpty());
}

// (V4)
TEST_F(DevicesTest, WhatAQuarterHasIsHowTheMachinesAreSet) {
  run(
      16, 6, [](DeviceReading&) {},
      [](DeviceReading& one) {
        if (one.rank % 3 == 0) one.clock_hertz = 1.2e9;
      });
  EXPECT_THAT(slow(), IsEmpty());
}

TEST_F(DevicesTest, OnlyThoseOfOneModelAreCompared) {
  run(16, 6, [](DeviceReading& one) {
    one.clock_hertz = 0.9e9;
    one.model = 8;
  });
  EXPECT_THAT(slow(), IsEmpty());
}

TEST_F(DevicesTest, OfTwoTheSlowerOneIsNamed) {
  for (uint64_t window = kFirst; window < kFirst + 6; ++window) {
    for (uint32_t rank = 0; rank < 8; ++rank) {
      devices.add({window, rank, 1 + rank / 4, 100 + rank / 4, 7, rank < 4 ? 1.5e9 : 1.1e9, {}, {}, {}});
    }
  }
  const auto found = devices.slow(kFirst + 5);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].ranks, ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(found[0].peers, 1U);
}

TEST_F(DevicesTest, HealthyOnesAreNotEvidenceInNoise) {
  std::mt19937_64 random(std::random_device{}());
  std::normal_distribution<double> noise(0, 0.02);
  run(
      512, 200, [](DeviceReading&) {},
      [&](DeviceReading& one) {
        one.clock_hertz = 1.5e9 * (1 + noise(random));
        one.power_watts = 600 * (1 + 3 * noise(random));
        one.utilization_ratio = std::clamp(0.9 + noise(random), 0.0, 1.0);
        if (one.rank == 0 && (one.window - kFirst) % 20 == 19) {
          EXPECT_THAT(devices.slow(one.window - 1), IsEmpty());
        }
      });
}

class PaceTest : public ::testing::Test {
 protected:
  // Sixteen ranks whose steps take a second, half of which they wait.
  std::optional<PaceChange> run(size_t windows, double more_wait_s, double more_work_s = 0, int not_waiting = -1,
                                bool has_suspects = false) {
    std::optional<PaceChange> last;
    for (; windows > 0; --windows, ++window) {
      const double count = whole_steps(1 + more_wait_s + more_work_s);  // as they fall into a window
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        PaceSample one{window, rank, 16, static_cast<uint64_t>(count), 0.5 + more_work_s, 0, 4e6};
        one.wait_s = (static_cast<int>(rank) == not_waiting ? 0.5 : 0.5 + more_wait_s) * count;
        one.bytes = bytes;
        pace.add(one);
      }
      if (const auto change = pace.advance(window, has_suspects)) last = change;
    }
    return last;
  }
  double whole_steps(double pace_s) {
    steps_ += 5 / pace_s;
    const double whole = std::floor(steps_);
    steps_ -= whole;
    return whole;
  }
  Pace pace;
  uint64_t window = kFirst;
  uint32_t ranks = 16;
  double bytes = 4e6;

 private:
  double steps_ = 0;
};

TEST_F(PaceTest, AJobWhoseRanksAllWaitLongerHasBecomeSlowerUntilItIsNot) {
  EXPECT_FALSE(run(60, 0));
  const uint64_t onset = window;
  std::optional<PaceChange> change;
  size_t windows = 0;
  while (!change && windows++ < 12) change = run(1, 0.3);
  ASSERT_TRUE(change);
  EXPECT_LE(windows, 6U);
  EXPECT_EQ(change->from_window, onset);
  change = run(12, 0.3);
  ASSERT_TRUE(change);
  EXPECT_FALSE(change->is_over);
  EXPECT_NEAR(change->effect, 0.3, 0.08);
  EXPECT_NEAR(change->usual_pace_s, 1, 1e-6);
  EXPECT_GT(change->more_wait_s, 0.2);
  change = run(20, 0);
  ASSERT_TRUE(change);
  EXPECT_TRUE(change->is_over);
  EXPECT_FALSE(pace.open());
  EXPECT_FALSE(run(60, 0));
}

TEST_F(PaceTest, WorkThatIsLongerOnAllRanksCountsToo) {
  EXPECT_FALSE(run(60, 0));
  const auto change = run(12, 0, 0.3);
  ASSERT_TRUE(change);
  EXPECT_NEAR(change->more_work_s, 0.3, 0.01);
  EXPECT_LE(change->more_wait_s, 0.01);
}

// (J1)
TEST_F(PaceTest, WhereOneRankDoesNotWaitTheOthersWaitForItAndTheJobIsNotToBlame) {
  EXPECT_FALSE(run(60, 0));
  EXPECT_FALSE(run(60, 0.3, 0, 5));
  EXPECT_FALSE(run(60, 0));
  EXPECT_FALSE(run(60, 0.3, 0, -1, true));
}

// (J1) Eight of sixteen, those of one of two nodes.
TEST_F(PaceTest, WhereHalfOfTheRanksWorkAsBeforeItIsNotAllOfThem) {
  for (const double more_s : {0.0, 0.1}) {
    for (const uint64_t end = window + 60; window < end; ++window) {
      for (uint32_t rank = 0; rank < 16; ++rank) {
        const double own_s = rank < 8 ? more_s : 0;
        pace.add({window, rank, 16, 9, 0.5 + own_s, 9 * (0.03 + more_s - own_s), 4e6});
      }
      EXPECT_FALSE(pace.advance(window, false));
    }
  }
}

// (J2)
TEST_F(PaceTest, AnotherPhaseOfTheJobBeginsAnew) {
  EXPECT_FALSE(run(60, 0));
  bytes = 64e6;
  EXPECT_FALSE(run(60, 0.5));
  ranks = 24;
  EXPECT_FALSE(run(60, 0.9));
}

// (J3)
TEST_F(PaceTest, WhatLastsForTenMinutesIsUsual) {
  EXPECT_FALSE(run(130, 0));
  EXPECT_TRUE(run(12, 0.3));
  const auto over = run(Pace::kHistory, 0.3);
  ASSERT_TRUE(over);
  EXPECT_TRUE(over->is_over);
  EXPECT_FALSE(run(100, 0.3));
  // Then that is what is usual, and from it on more is a change again.
  EXPECT_TRUE(run(12, 0.6));
}

TEST_F(PaceTest, ASinglePauseIsNoChange) {
  EXPECT_FALSE(run(60, 0));
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(run(1, 3));
    EXPECT_FALSE(run(11, 0));
  }
}

}  // namespace
}  // namespace ingero::fleet::detect
