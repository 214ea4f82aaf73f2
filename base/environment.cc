// Reads environment variables and user accounts; other code receives them as an Environment, so that tests can vary it.
#include "base/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <grp.h>
#include <pwd.h>

#include "base/text.h"

namespace ingero {
namespace {

constexpr size_t kAccountBuffer = 16 << 10, kMaxAccountBuffer = 1 << 20;

User user_of(const passwd& entry) {
  const auto text = [](const char* value) { return std::string(value != nullptr ? value : ""); };
  return {entry.pw_uid, entry.pw_gid, text(entry.pw_name), text(entry.pw_dir), text(entry.pw_shell)};
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
  int error = 0;
  while ((error = getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found)) == ERANGE &&
         buffer.size() < kMaxAccountBuffer) {
    buffer.resize(buffer.size() * 4);  // a directory server's entries are as long as they are
  }
  if (error != 0) return errno_error(fmt::format("look up user {}", printable(name)), error);
  if (found == nullptr) {
    return Error{Errc::kNotFound, fmt::format("user {} has no account on this machine", printable(name)),
                 "see 'getent passwd'"};
  }
  return user_of(entry);
}

Result<uid_t> find_uid(const std::string& name) {
  if (const auto number = parse_u64(name); number && *number < UINT32_MAX) return static_cast<uid_t>(*number);
  const auto user = find_user(name);
  INGERO_TRY(user);
  return user->uid;
}

Result<std::vector<gid_t>> groups_of(const User& user) {
  constexpr int kMaxGroups = 65536;  // NGROUPS_MAX of Linux
  for (int count = 64; count <= kMaxGroups; count *= 2) {
    std::vector<gid_t> groups(static_cast<size_t>(count));
    int found = count;
    if (getgrouplist(user.name.c_str(), user.gid, groups.data(), &found) < 0) continue;
    groups.resize(static_cast<size_t>(found));
    return groups;
  }
  return Error(Errc::kFull, fmt::format("user {} is in more than {} groups", printable(user.name), kMaxGroups));
}

std::vector<std::string> environment_of(const User& user, std::vector<std::string> entries) {
  static constexpr std::string_view kDropped[] = {"HOME=",
                                                  "USER=",
                                                  "LOGNAME=",
                                                  "SHELL=",
                                                  "MAIL=",
                                                  "XAUTHORITY=",
                                                  "SSH_AUTH_SOCK=",
                                                  "XDG_RUNTIME_DIR=",
                                                  "DBUS_SESSION_BUS_ADDRESS="};
  std::erase_if(entries, [](const std::string& entry) {
    return std::ranges::any_of(kDropped, [&](std::string_view name) { return entry.starts_with(name); });
  });
  entries.push_back("HOME=" + user.home);
  entries.push_back("USER=" + user.name);
  entries.push_back("LOGNAME=" + user.name);
  entries.push_back("SHELL=" + (user.shell.empty() ? "/bin/sh" : user.shell));
  return entries;
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
