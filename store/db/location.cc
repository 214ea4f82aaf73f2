// Chooses the file of a recording when no --db names one, so that trace and every reader find the same file.
#include "store/db/location.h"

namespace ingero::store {

Result<Location> locate(const Environment& environment, const std::string& chosen) {
  const auto variable = [&](const char* name) { return environment.variable(name).value_or(std::string()); };
  std::optional<User> sudo;
  if (const std::string user = variable("SUDO_USER"); environment.effective_uid == 0 && !user.empty()) {
    sudo = environment.account(user);
  }
  Location location;
  if (sudo) location.owner = Owner{sudo->uid, sudo->gid};
  if (!chosen.empty()) {
    location.path = chosen;
  } else if (const std::string named = variable("INGERO_DB"); !named.empty()) {
    location.path = named;
  } else {
    const std::string home = sudo ? sudo->home : variable("HOME");
    if (home.empty()) {
      return Error(Errc::kInvalid, "no path for the recording: HOME is not set", "name a file with --db");
    }
    location.path = home + "/.ingero/ingero.db";
  }
  return location;
}

}  // namespace ingero::store
