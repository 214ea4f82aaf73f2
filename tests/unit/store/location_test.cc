// Where a recording goes when the user does not name one.
#include "store/db/location.h"

#include <map>

#include <gtest/gtest.h>

namespace ingero::store {
namespace {

Environment made(std::map<std::string, std::string> variables, uint32_t uid) {
  Environment environment;
  environment.variable = [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  environment.account = [](const std::string& user) -> std::optional<User> {
    if (user != "ann") return std::nullopt;
    return User{1000, 1001, "ann", "/home/ann", "/bin/sh"};
  };
  environment.effective_uid = uid;
  return environment;
}

TEST(Location, TheCommandLineWinsOverTheVariableOverTheHome) {
  const auto variables = std::map<std::string, std::string>{{"INGERO_DB", "/v.db"}, {"HOME", "/home/bob"}};
  EXPECT_EQ(locate(made(variables, 5), "/c.db")->path, "/c.db");
  EXPECT_EQ(locate(made(variables, 5))->path, "/v.db");
  EXPECT_EQ(locate(made({{"HOME", "/home/bob"}}, 5))->path, "/home/bob/.ingero/ingero.db");
  EXPECT_FALSE(locate(made({{"HOME", "/home/bob"}}, 5))->owner);
}

TEST(Location, RootUnderSudoRecordsIntoTheUsersHomeAndForThem) {
  const auto location = locate(made({{"SUDO_USER", "ann"}, {"HOME", "/root"}}, 0));
  ASSERT_TRUE(location.ok());
  EXPECT_EQ(location->path, "/home/ann/.ingero/ingero.db");
  ASSERT_TRUE(location->owner);
  EXPECT_EQ(location->owner->uid, 1000U);
  EXPECT_EQ(location->owner->gid, 1001U);
}

TEST(Location, AnUnknownSudoUserOrOneWithoutRootChangesNothing) {
  EXPECT_EQ(locate(made({{"SUDO_USER", "eve"}, {"HOME", "/root"}}, 0))->path, "/root/.ingero/ingero.db");
  EXPECT_EQ(locate(made({{"SUDO_USER", "ann"}, {"HOME", "/home/bob"}}, 7))->path, "/home/bob/.ingero/ingero.db");
}

TEST(Location, NoHomeIsAnErrorThatNamesTheRemedy) {
  const auto location = locate(made({}, 5));
  ASSERT_FALSE(location.ok());
  EXPECT_NE(location.error().text().find("--db"), std::string::npos);
}

}  // namespace
}  // namespace ingero::store
