// Where the recording is kept when no file is named: INGERO_DB, else the sudo user's home, else HOME. Pure: the
// environment is an argument. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/result.h"

namespace ingero::store {

// Whose files the recording's are: uid and gid, for chown.
struct Owner {
  uint32_t uid = 0;
  uint32_t gid = 0;
};

struct Location {
  std::string path;
  std::optional<Owner> owner;  // set when root works for a sudo user: directory and files are given to them
};

// `chosen` (--db) wins over INGERO_DB, over the sudo user's ~/.ingero/ingero.db, over $HOME/.ingero/ingero.db.
// kInvalid when none of them says a place.
Result<Location> locate(const Environment& environment, const std::string& chosen = {});

}  // namespace ingero::store
