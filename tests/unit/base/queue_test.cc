// A queue against a std::deque that is used the same way.
#include "base/queue.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <random>

#include <gtest/gtest.h>

namespace ingero {
namespace {

TEST(Queue, IsAQueue) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    Queue<uint64_t> queue;
    std::deque<uint64_t> other;
    for (int i = 0; i < 3000; ++i) {
      const uint64_t value = random();
      // It grows, then shrinks, then stays empty mostly.
      const uint64_t pushes = i < 1000 ? 7 : i < 2000 ? 3 : 5;
      if (value % 10 < pushes) {
        queue.push_back(value);
        other.push_back(value);
      } else if (value % 97 == 0) {
        const auto at = static_cast<ptrdiff_t>(value % (other.size() + 1));
        queue.insert(queue.begin() + at, value);
        other.insert(other.begin() + at, value);
      } else if (!other.empty()) {
        queue.pop_front();
        other.pop_front();
      }
      ASSERT_EQ(queue.size(), other.size());
      ASSERT_EQ(queue.empty(), other.empty());
      if (!other.empty()) {
        ASSERT_EQ(queue.front(), other.front());
        ASSERT_EQ(queue.back(), other.back());
      }
      if (i % 50 != 0) continue;
      ASSERT_TRUE(std::equal(queue.begin(), queue.end(), other.begin(), other.end()));
    }
  }
}

TEST(Queue, KeepsNothingOfWhatHasBeenTaken) {
  Queue<std::shared_ptr<int>> queue;
  const auto one = std::make_shared<int>(1);
  for (int i = 0; i < 1000; ++i) queue.push_back(one);
  for (int i = 0; i < 900; ++i) queue.pop_front();
  EXPECT_LE(one.use_count(), 1 + 2 * 100 + 1);
  queue.clear();
  EXPECT_EQ(one.use_count(), 1);
}

}  // namespace
}  // namespace ingero
