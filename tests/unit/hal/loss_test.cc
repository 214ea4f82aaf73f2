// What a loss is called, and what it names.
#include "hal/loss.h"

#include <gtest/gtest.h>

namespace ingero::hal {
namespace {

TEST(LossLedger, TheSentenceNamesTheFirstFewThings) {
  LossLedger losses;
  EXPECT_EQ(losses.sentence(Loss::file_unread), kLossTable[static_cast<size_t>(Loss::file_unread)].sentence);
  losses.name(Loss::file_unread, "/a/b.so");
  losses.name(Loss::file_unread, "/c.so");
  const std::string two = losses.sentence(Loss::file_unread);
  EXPECT_TRUE(two.ends_with(" Among them: /a/b.so, /c.so.")) << two;
  for (int i = 0; i < 100; ++i) losses.name(Loss::file_unread, "/" + std::to_string(i));
  const std::string many = losses.sentence(Loss::file_unread);
  EXPECT_NE(many.find("/5."), std::string::npos) << many;
  EXPECT_EQ(many.find("/6"), std::string::npos) << "no more than eight: " << many;
  EXPECT_EQ(losses.sentence(Loss::ring_full).find("Among"), std::string::npos);
}

}  // namespace
}  // namespace ingero::hal
