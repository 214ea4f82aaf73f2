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
  EXPECT_NE(many.find("/61."), std::string::npos) << many;
  EXPECT_EQ(many.find("/62"), std::string::npos) << "no more than 64: " << many;
  EXPECT_EQ(losses.sentence(Loss::ring_full).find("Among"), std::string::npos);
}

TEST(LossLedger, ATerminalShowsEightNamesAndHowManyMoreThereAre) {
  LossLedger losses;
  for (int i = 0; i < 8; ++i) losses.name(Loss::file_unread, "/" + std::to_string(i));
  const std::string eight = losses.sentence(Loss::file_unread);
  EXPECT_EQ(brief(eight), eight);
  for (int i = 8; i < 20; ++i) losses.name(Loss::file_unread, "/" + std::to_string(i));
  EXPECT_TRUE(brief(losses.sentence(Loss::file_unread)).ends_with(", /7 and 12 more (table \"loss\")."))
      << brief(losses.sentence(Loss::file_unread));
  EXPECT_EQ(brief("A sentence, without names."), "A sentence, without names.");
}

}  // namespace
}  // namespace ingero::hal
