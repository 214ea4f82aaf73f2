// Where the recording is kept when nobody says: INGERO_DB, else the sudo user's home, else HOME. Pure: the environment
// is an argument. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace ingero::store {

// Whose files the recording's are: uid and gid, for chown.
struct Owner {
  uint32_t uid = 0;
  uint32_t gid = 0;
};

struct Account {
  std::string home;
  Owner owner;
};

struct Environment {
  std::function<std::optional<std::string>(const char* name)> variable;
  std::function<std::optional<Account>(const std::string& user)> account;  // the passwd entry, if there is one
  uint32_t effective_uid = 0;
};
// The process's own environment and /etc/passwd.
Environment system_environment();

struct Location {
  std::string path;
  std::optional<Owner> owner;  // set when root works for a sudo user: directory and files are given to them
};

// `chosen` (--db) wins over INGERO_DB, over the sudo user's ~/.ingero/ingero.db, over $HOME/.ingero/ingero.db.
// kInvalid when none of them says a place.
Result<Location> locate(const Environment& environment, const std::string& chosen = {});

}  // namespace ingero::store
