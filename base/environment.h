// The process's surroundings: environment variables and whose home the recordings belong in.
//
// Values are copied; nothing here changes the environment. Reads only, so safe from any thread that does not race a
// setenv. Units: none.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace ingero {

// The variable's value; nothing when it is unset or empty (an empty setting means "not set" everywhere here).
std::optional<std::string> environment(const char* name);

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
  std::string home;
};

// The user for whom the program runs: with root through sudo, the user who typed sudo; else the one of the effective
// uid. kNotFound when the account database does not know them and HOME is unset.
Result<User> invoking_user();

// The account called `name`, or kNotFound.
Result<User> find_user(const std::string& name);

}  // namespace ingero
