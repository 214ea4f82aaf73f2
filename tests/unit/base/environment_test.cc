// The process's own environment and accounts, as other code is given them.
#include "base/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

namespace ingero {
namespace {

class EnvironmentTest : public ::testing::Test {
 protected:
  void SetUp() override { saved_home_ = environment("HOME"); }
  void TearDown() override {
    if (saved_home_) {
      setenv("HOME", saved_home_->c_str(), 1);
    } else {
      unsetenv("HOME");
    }
  }
  std::optional<std::string> saved_home_;
};

TEST_F(EnvironmentTest, TreatsAnEmptyVariableAsUnset) {
  setenv("HOME", "", 1);
  EXPECT_FALSE(environment("HOME").has_value());
  setenv("HOME", "/x", 1);
  EXPECT_EQ(environment("HOME"), "/x");
}

TEST_F(EnvironmentTest, TheSystemsIsTheProcesssOwn) {
  const Environment system = system_environment();
  setenv("HOME", "/somewhere/else", 1);
  EXPECT_EQ(system.variable("HOME"), "/somewhere/else");
  unsetenv("HOME");
  EXPECT_FALSE(system.variable("HOME").has_value());
  EXPECT_EQ(system.effective_uid, geteuid());
}

TEST_F(EnvironmentTest, FindsAccountsByName) {
  const auto daemon = find_user("daemon");
  if (!daemon.ok()) GTEST_SKIP() << "this machine has no account called daemon";
  const auto same = system_environment().account("daemon");
  ASSERT_TRUE(same);
  EXPECT_EQ(same->uid, daemon->uid);
  EXPECT_EQ(same->gid, daemon->gid);
  EXPECT_EQ(same->home, daemon->home);
}

TEST_F(EnvironmentTest, AUserIsANameOrANumber) {
  EXPECT_EQ(*find_uid("root"), 0U);
  EXPECT_EQ(*find_uid("4294900001"), 4294900001U) << "without an account";
  const auto none = find_uid("no-such-user-here");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code(), Errc::kNotFound);
  for (const char* wrong : {"", "-1", "4294967295", "4294967296", "1x"}) EXPECT_FALSE(find_uid(wrong).ok()) << wrong;
}

TEST_F(EnvironmentTest, AnAccountsGroupsHoldItsOwn) {
  const auto daemon = find_user("daemon");
  if (!daemon.ok()) GTEST_SKIP() << "this machine has no account called daemon";
  const auto groups = groups_of(*daemon);
  ASSERT_TRUE(groups.ok());
  EXPECT_TRUE(std::ranges::count(*groups, daemon->gid) > 0);
}

TEST_F(EnvironmentTest, AProgramOfAnotherUsersGetsThatUsersNamesAndNothingOfTheCallersSession) {
  const User user{1234, 1234, "alice", "/home/alice", ""};
  const auto entries = environment_of(user, {"HOME=/root", "PATH=/bin", "USER=root", "LOGNAME=root", "SHELL=/bin/zsh",
                                             "XDG_RUNTIME_DIR=/run/user/0", "HOMEPAGE=x", "SSH_AUTH_SOCK=/tmp/s"});
  EXPECT_EQ(entries, (std::vector<std::string>{"PATH=/bin", "HOMEPAGE=x", "HOME=/home/alice", "USER=alice",
                                               "LOGNAME=alice", "SHELL=/bin/sh"}));
}

TEST_F(EnvironmentTest, AnAccountThatDoesNotExistIsNotFound) {
  EXPECT_FALSE(find_user("no such user\n").ok());
  EXPECT_FALSE(system_environment().account("no such user\n"));
}

}  // namespace
}  // namespace ingero
