// Chooses, creates and checks the directory of the annotation socket, since a root process binds there.
#include "agent/annotations/socket_path.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/environment.h"
#include "base/fd.h"
#include "base/text.h"

namespace ingero::agent {

AnnotationRoots annotation_roots() {
  AnnotationRoots roots;
  roots.home = environment("HOME").value_or("");
  roots.effective_uid = ::geteuid();
  return roots;
}

std::vector<std::string> annotation_places(const AnnotationRoots& roots) {
  std::vector<std::string> places{roots.run + "/ingero/annotate.sock"};
  if (!roots.home.empty()) places.push_back(roots.home + "/.ingero/annotate/annotate.sock");
  places.push_back(fmt::format("{}/ingero-{}/annotate.sock", roots.run, roots.effective_uid));
  return places;
}

Result<sockaddr_un> socket_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return Error(Errc::kInvalid, fmt::format("{}: the path is too long for a socket", printable(path)));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Status prepare_annotation_folder(const std::string& socket, uint32_t owner, int64_t group, bool is_agents_own) {
  const std::filesystem::path parent = std::filesystem::path(socket).parent_path();
  const std::filesystem::path folder = parent.empty() ? "." : parent;
  std::error_code ignored;
  std::filesystem::create_directories(folder.parent_path(), ignored);
  const bool is_made = ::mkdir(folder.c_str(), 0700) == 0;
  if (!is_made && errno != EEXIST) {
    return errno_error(fmt::format("create the directory {}", printable(folder.string())));
  }
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return errno_error(fmt::format("open the directory {}", printable(folder.string())));
  struct stat there {};
  if (::fstat(fd.get(), &there) != 0) return errno_error(fmt::format("stat {}", printable(folder.string())));
  const auto refuse = [&](const std::string& why, std::string hint) {
    return Error(Errc::kPermission, fmt::format("{}: {}", printable(folder.string()), why), std::move(hint));
  };
  const char* const kElsewhere = "remove it, or name a socket elsewhere with --annotate-socket";
  if (there.st_uid != owner) return refuse("the directory for annotations is another user's", kElsewhere);
  if ((there.st_mode & 0022) != 0) return refuse("the directory for annotations may be written by others", kElsewhere);
  if (!is_made && !is_agents_own) {
    // Another program may be at home there; the socket has a mode and a group of its own.
    const bool is_groups = there.st_gid == static_cast<gid_t>(group) && (there.st_mode & 0010) != 0;
    if (group < 0 || is_groups || (there.st_mode & 0001) != 0) return {};
    return refuse(fmt::format("group {} may not go through the directory for annotations", group),
                  fmt::format("name one that does not exist yet, or: chgrp {0} {1} && chmod g+x {1}", group,
                              printable(folder.string())));
  }
  if (group >= 0 && ::fchown(fd.get(), static_cast<uid_t>(-1), static_cast<gid_t>(group)) != 0) {
    return errno_error(fmt::format("give {} to group {}", printable(folder.string()), group));
  }
  if (::fchmod(fd.get(), group >= 0 ? 0710 : 0700) != 0) {
    return errno_error(fmt::format("chmod {}", printable(folder.string())));
  }
  return {};
}

}  // namespace ingero::agent
