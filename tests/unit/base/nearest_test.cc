// Which known word a mistyped one is taken for, and when none is.
#include "base/nearest.h"

#include <vector>

#include <gtest/gtest.h>

namespace ingero {
namespace {

const std::vector<std::string> kWords = {"query", "explain", "export", "trace", "check", "mcp"};

TEST(Nearest, CountsWhatDiffers) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("exprot", "export"), 1U) << "two neighbours swapped are one mistake";
  EXPECT_EQ(edit_distance("QUERY", "query"), 0U);
  EXPECT_EQ(edit_distance("query", "quer"), edit_distance("quer", "query"));
}

TEST(Nearest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest_of("qeury", kWords), "query");
  EXPECT_EQ(nearest_of("exprot", kWords), "export");
  EXPECT_EQ(nearest_of("Trcae", kWords), "trace");
  EXPECT_EQ(nearest_of("expl", kWords), "explain") << "a beginning";
}

TEST(Nearest, GuessesNothingFromAWordThatIsFarFromAll) {
  EXPECT_EQ(nearest_of("frobnicate", kWords), "");
  EXPECT_EQ(nearest_of("", kWords), "");
  EXPECT_EQ(nearest_of("ab", kWords), "");
  EXPECT_EQ(nearest_of(std::string(10'000, 'q'), kWords), "");
  EXPECT_EQ(nearest_of("query", {}), "");
  EXPECT_EQ(did_you_mean("frobnicate", kWords), "");
  EXPECT_EQ(did_you_mean("chekc", kWords, "--"), ", did you mean --check?");
}

}  // namespace
}  // namespace ingero
