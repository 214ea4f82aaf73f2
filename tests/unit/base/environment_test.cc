// Whose recordings these are: sudo's user under root, the account's or HOME otherwise.
#include "base/environment.h"

#include <unistd.h>

#include <cstdlib>

#include <gtest/gtest.h>

namespace ingero {
namespace {

class Environment : public ::testing::Test {
 protected:
  void SetUp() override {
    saved_home_ = environment("HOME");
    saved_sudo_ = environment("SUDO_USER");
  }
  void TearDown() override {
    restore("HOME", saved_home_);
    restore("SUDO_USER", saved_sudo_);
  }
  static void restore(const char* name, const std::optional<std::string>& value) {
    if (value) {
      setenv(name, value->c_str(), 1);
    } else {
      unsetenv(name);
    }
  }
  std::optional<std::string> saved_home_;
  std::optional<std::string> saved_sudo_;
};

TEST_F(Environment, TreatsAnEmptyVariableAsUnset) {
  setenv("HOME", "", 1);
  EXPECT_FALSE(environment("HOME").has_value());
  setenv("HOME", "/x", 1);
  EXPECT_EQ(environment("HOME"), "/x");
}

TEST_F(Environment, FollowsHomeWithoutSudo) {
  unsetenv("SUDO_USER");
  setenv("HOME", "/somewhere/else", 1);
  const auto user = invoking_user();
  ASSERT_TRUE(user.ok()) << user.error().text();
  EXPECT_EQ(user->home, "/somewhere/else");
  EXPECT_EQ(user->uid, geteuid());
}

TEST_F(Environment, BelongsToTheUserWhoTypedSudo) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root: only root runs on behalf of SUDO_USER";
  const auto daemon = find_user("daemon");
  if (!daemon.ok()) GTEST_SKIP() << "this machine has no account called daemon";
  setenv("SUDO_USER", "daemon", 1);
  const auto user = invoking_user();
  ASSERT_TRUE(user.ok());
  EXPECT_EQ(user->uid, daemon->uid);
  EXPECT_EQ(user->home, daemon->home);
}

TEST_F(Environment, IgnoresASudoUserWhoDoesNotExist) {
  setenv("SUDO_USER", "no such user\n", 1);
  setenv("HOME", "/h", 1);
  const auto user = invoking_user();
  ASSERT_TRUE(user.ok());
  EXPECT_EQ(user->home, "/h");
  EXPECT_FALSE(find_user("no such user\n").ok());
}

}  // namespace
}  // namespace ingero
