// Environment variables and accounts, as the process sees them.
//
// Environment is what other code is given, so that tests can give it another. Values are copied; nothing here changes
// the environment. Reads only, so safe from any thread that does not race a setenv. Units: none.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ingero {

// The variable's value; nothing when it is unset or empty (an empty setting means "not set" everywhere here).
std::optional<std::string> environment(const char* name);

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
  std::string home;
  std::string shell;
};

// The account called `name`, or kNotFound.
Result<User> find_user(const std::string& name);
// Its number; a number stands for itself, as users of containers have no account. kNotFound.
Result<uid_t> find_uid(const std::string& name);
// The groups of an account, its own among them.
Result<std::vector<gid_t>> groups_of(const User& user);
// `entries` (NAME=VALUE) as a program of this user's expects them: HOME, USER, LOGNAME and SHELL are the user's; what
// names the session of the one who starts it (sockets, keys, mail) is left out.
std::vector<std::string> environment_of(const User& user, std::vector<std::string> entries);

struct Environment {
  std::function<std::optional<std::string>(const char* name)> variable;
  std::function<std::vector<std::string>()> entries;                    // all, as NAME=VALUE
  std::function<std::optional<User>(const std::string& name)> account;  // in the account database
  uint32_t effective_uid = 0;
};
// The process's own.
Environment system_environment();

}  // namespace ingero
