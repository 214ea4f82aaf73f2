// Environment variables and accounts: see environment.h.
#include "base/environment.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include <pwd.h>

#include "base/text.h"

namespace ingero {
namespace {

constexpr size_t kAccountBuffer = 16 << 10;

User user_of(const passwd& entry) {
  return {entry.pw_uid, entry.pw_gid, entry.pw_name != nullptr ? entry.pw_name : "",
          entry.pw_dir != nullptr ? entry.pw_dir : ""};
}

Result<User> find_uid(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(kAccountBuffer);
  const int error = getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  if (error != 0) return errno_error(fmt::format("look up user id {}", uid), error);
  if (found == nullptr) return Error{Errc::kNotFound, fmt::format("user id {} has no account on this machine", uid)};
  return user_of(entry);
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here calls setenv
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

Result<User> find_user(const std::string& name) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(kAccountBuffer);
  const int error = getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (error != 0) return errno_error(fmt::format("look up user {}", printable(name)), error);
  if (found == nullptr) {
    return Error{Errc::kNotFound, fmt::format("user {} has no account on this machine", printable(name))};
  }
  return user_of(entry);
}

Result<User> invoking_user() {
  const uid_t uid = geteuid();
  if (uid == 0) {
    if (const auto sudo_user = environment("SUDO_USER")) {
      if (auto user = find_user(*sudo_user); user.ok()) return user;
    }
  }
  auto account = find_uid(uid);
  const auto home = environment("HOME");
  if (!home) return account;
  User user{uid, getegid(), {}, {}};
  if (account.ok()) user = std::move(account).value();
  user.home = *home;
  return user;
}

}  // namespace ingero
