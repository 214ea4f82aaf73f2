// Whose libraries get probes when some processes are traced: theirs and their children's, and no other's.
#include "kernelside/followed.h"

#include <array>
#include <map>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

class FollowedTest : public ::testing::Test {
 protected:
  std::map<uint32_t, uint32_t> parents_ = {{10, 1}, {11, 10}, {12, 11}, {20, 1}, {21, 20}};
  int asked_ = 0;
  Followed followed_{std::array<uint32_t, 1>{10}, [this](uint32_t pid) -> std::optional<uint32_t> {
                       ++asked_;
                       const auto found = parents_.find(pid);
                       return found == parents_.end() ? std::nullopt : std::optional(found->second);
                     }};
};

TEST_F(FollowedTest, ChildrenOfChildrenAreFollowedAndOthersAreNot) {
  EXPECT_TRUE(followed_.has(10));
  EXPECT_TRUE(followed_.has(12));
  EXPECT_FALSE(followed_.has(20));
  EXPECT_FALSE(followed_.has(21));
  EXPECT_FALSE(followed_.has(99));  // gone
  parents_.clear();
  EXPECT_TRUE(followed_.has(11)) << "found on the way to 12, and remembered when its parent is gone";
}

TEST_F(FollowedTest, WhoIsNotFollowedIsLookedUpOnce) {
  EXPECT_FALSE(followed_.has(21));
  const int asked = asked_;
  EXPECT_FALSE(followed_.has(21));
  EXPECT_EQ(asked_, asked);
}

TEST_F(FollowedTest, AForkThatTheKernelReportsIsFollowedWhateverProcSays) {
  EXPECT_FALSE(followed_.has(99));
  EXPECT_TRUE(followed_.add(99));
  EXPECT_FALSE(followed_.add(99));
  EXPECT_TRUE(followed_.has(99));
  followed_.remove(99);
  EXPECT_FALSE(followed_.has(99));
}

TEST_F(FollowedTest, AParentOfItselfEndsTheSearch) {
  parents_[30] = 31;
  parents_[31] = 30;
  EXPECT_FALSE(followed_.has(30));
}

TEST(Followed, WithoutPidsEverybodyIs) {
  Followed everybody({}, [](uint32_t) { return std::nullopt; });
  EXPECT_TRUE(everybody.is_everybody());
  EXPECT_TRUE(everybody.has(7));
}

}  // namespace
}  // namespace ingero::kernelside
