// Slices that overlap stand on lanes of their own, those that nest share one.
#include "serve/perfetto/lanes.h"

#include <random>

#include <gtest/gtest.h>

namespace ingero::serve::perfetto {
namespace {

TEST(Lanes, ThatNestShareOne) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(0, 100).lane, 0U);
  EXPECT_EQ(lanes.place(0, 40).lane, 0U);
  EXPECT_EQ(lanes.place(10, 40).lane, 0U);
  EXPECT_EQ(lanes.place(40, 100).lane, 0U);
  EXPECT_EQ(lanes.place(100, 120).lane, 0U);
  EXPECT_EQ(lanes.place(100, 100).lane, 0U);
}

TEST(Lanes, ThatOverlapDoNot) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(0, 100).lane, 0U);
  EXPECT_EQ(lanes.place(50, 150).lane, 1U);
  EXPECT_EQ(lanes.place(60, 160).lane, 2U);
  EXPECT_EQ(lanes.place(110, 200).lane, 0U);
}

TEST(Lanes, EndInTheirParentWhenThereAreTooMany) {
  Lanes lanes;
  for (size_t i = 0; i < Lanes::kMostLanes; ++i) {
    const auto at = static_cast<int64_t>(i);
    EXPECT_FALSE(lanes.place(at, 1000 + at).is_shortened);
  }
  const auto place = lanes.place(500, 5000);
  EXPECT_TRUE(place.is_shortened);
  EXPECT_EQ(place.lane, Lanes::kMostLanes - 1);
  EXPECT_EQ(place.end_ns, 1000 + static_cast<int64_t>(Lanes::kMostLanes) - 1);
}

TEST(Lanes, NeverCrossWhateverComes) {
  std::mt19937 random(7);
  Lanes lanes;
  std::vector<std::pair<int64_t, int64_t>> made;
  for (int i = 0; i < 2000; ++i) {
    const int64_t start = random() % 5000;
    made.emplace_back(start, start + static_cast<int64_t>(random() % 300));
  }
  std::sort(made.begin(), made.end(), [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first < other.first : one.second > other.second;
  });
  std::vector<std::vector<std::pair<int64_t, int64_t>>> placed;
  for (const auto& [start, end] : made) {
    const auto place = lanes.place(start, end);
    if (placed.size() <= place.lane) placed.resize(place.lane + 1);
    placed[place.lane].emplace_back(start, place.end_ns);
  }
  for (const auto& lane : placed) {
    for (size_t i = 0; i < lane.size(); ++i) {
      for (size_t j = i + 1; j < lane.size(); ++j) {
        const bool apart = lane[j].first >= lane[i].second, inside = lane[j].second <= lane[i].second;
        ASSERT_TRUE(apart || inside) << lane[i].first << ".." << lane[i].second << " and " << lane[j].first << ".."
                                     << lane[j].second;
      }
    }
  }
}

}  // namespace
}  // namespace ingero::serve::perfetto
