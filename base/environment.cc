// Reads environment variables and user accounts; other code receives them as an Environment, so that tests can vary it.
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

Environment system_environment() {
  Environment out;
  out.variable = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here calls setenv
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
  out.entries = [] {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
    return entries;
  };
  out.account = [](const std::string& name) -> std::optional<User> {
    const auto user = find_user(name);
    if (!user.ok()) return std::nullopt;
    return *user;
  };
  out.effective_uid = ::geteuid();
  return out;
}

}  // namespace ingero
