// Where recordings are kept by default.
#include "store/location.h"

#include <unistd.h>

#include <cstdlib>
#include <vector>

#include <pwd.h>

namespace ingero::store {

Environment system_environment() {
  Environment environment;
  environment.variable = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
  environment.account = [](const std::string& user) -> std::optional<Account> {
    std::vector<char> buffer(1 << 14);
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
      return std::nullopt;
    }
    return Account{found->pw_dir, {found->pw_uid, found->pw_gid}};
  };
  environment.effective_uid = ::geteuid();
  return environment;
}

Result<Location> locate(const Environment& environment, const std::string& chosen) {
  const auto variable = [&](const char* name) { return environment.variable(name).value_or(std::string()); };
  std::optional<Account> sudo;
  if (const std::string user = variable("SUDO_USER"); environment.effective_uid == 0 && !user.empty()) {
    sudo = environment.account(user);
  }
  Location location;
  if (sudo) location.owner = sudo->owner;
  if (!chosen.empty()) {
    location.path = chosen;
  } else if (const std::string named = variable("INGERO_DB"); !named.empty()) {
    location.path = named;
  } else {
    const std::string home = sudo ? sudo->home : variable("HOME");
    if (home.empty()) {
      return Error(Errc::kInvalid, "no place for the recording: HOME is not set", "name a file with --db");
    }
    location.path = home + "/.ingero/ingero.db";
  }
  return location;
}

}  // namespace ingero::store
