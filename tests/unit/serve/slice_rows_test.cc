// Slices that overlap stand on tracks of their own, those that nest share one.
#include "serve/perfetto/slice_rows.h"

#include <random>

#include <gtest/gtest.h>

namespace ingero::serve::perfetto {
namespace {

TEST(SliceRows, ThatNestShareOne) {
  SliceRows rows;
  EXPECT_EQ(rows.place(0, 100).row, 0U);
  EXPECT_EQ(rows.place(0, 40).row, 0U);
  EXPECT_EQ(rows.place(10, 40).row, 0U);
  EXPECT_EQ(rows.place(40, 100).row, 0U);
  EXPECT_EQ(rows.place(100, 120).row, 0U);
  EXPECT_EQ(rows.place(100, 100).row, 0U);
}

TEST(SliceRows, ThatOverlapDoNot) {
  SliceRows rows;
  EXPECT_EQ(rows.place(0, 100).row, 0U);
  EXPECT_EQ(rows.place(50, 150).row, 1U);
  EXPECT_EQ(rows.place(60, 160).row, 2U);
  EXPECT_EQ(rows.place(110, 200).row, 0U);
}

TEST(SliceRows, EndInTheirParentWhenThereAreTooMany) {
  SliceRows rows;
  for (size_t i = 0; i < SliceRows::kMaxRows; ++i) {
    const auto at = static_cast<int64_t>(i);
    EXPECT_FALSE(rows.place(at, 1000 + at).is_shortened);
  }
  const auto place = rows.place(500, 5000);
  EXPECT_TRUE(place.is_shortened);
  EXPECT_EQ(place.row, SliceRows::kMaxRows - 1);
  EXPECT_EQ(place.end_ns, 1000 + static_cast<int64_t>(SliceRows::kMaxRows) - 1);
}

TEST(SliceRows, NeverCrossWhateverComes) {
  std::mt19937 random(7);
  SliceRows rows;
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
    const auto place = rows.place(start, end);
    if (placed.size() <= place.row) placed.resize(place.row + 1);
    placed[place.row].emplace_back(start, place.end_ns);
  }
  for (const auto& row : placed) {
    for (size_t i = 0; i < row.size(); ++i) {
      for (size_t j = i + 1; j < row.size(); ++j) {
        const bool apart = row[j].first >= row[i].second, inside = row[j].second <= row[i].second;
        ASSERT_TRUE(apart || inside) << row[i].first << ".." << row[i].second << " and " << row[j].first << ".."
                                     << row[j].second;
      }
    }
  }
}

}  // namespace
}  // namespace ingero::serve::perfetto
