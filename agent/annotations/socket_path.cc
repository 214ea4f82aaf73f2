// Chooses, creates and checks the directory of the annotation socket, since a root process binds there.
#include "agent/annotations/socket_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

Status prepare_annotation_folder(const std::string& socket, uint32_t owner, int64_t group) {
  const std::filesystem::path folder = std::filesystem::path(socket).parent_path();
  std::error_code ignored;
  std::filesystem::create_directories(folder.parent_path(), ignored);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return errno_error(fmt::format("create the directory {}", printable(folder.string())));
  }
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return errno_error(fmt::format("open the directory {}", printable(folder.string())));
  struct stat there {};
  if (::fstat(fd.get(), &there) != 0) return errno_error(fmt::format("stat {}", printable(folder.string())));
  const auto refuse = [&](const char* why) {
    return Error(Errc::kPermission, fmt::format("{}: {}", printable(folder.string()), why),
                 "remove it, or name a socket elsewhere with --annotate-socket");
  };
  if (there.st_uid != owner) return refuse("the directory for annotations is another user's");
  if ((there.st_mode & 0022) != 0) return refuse("the directory for annotations may be written by others");
  if (group >= 0 && ::fchown(fd.get(), static_cast<uid_t>(-1), static_cast<gid_t>(group)) != 0) {
    return errno_error(fmt::format("give {} to group {}", printable(folder.string()), group));
  }
  if (::fchmod(fd.get(), group >= 0 ? 0710 : 0700) != 0) {
    return errno_error(fmt::format("chmod {}", printable(folder.string())));
  }
  return {};
}

}  // namespace ingero::agent
