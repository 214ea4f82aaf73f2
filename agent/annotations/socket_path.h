// Where the socket for annotations is, and the check that no other user can write to its directory.
//
// /run/ingero, else ~/.ingero/annotate, else /run/ingero-EUID. The directory must not be a link, must belong to the
// caller, and must not be writable by group or others: a user who could replace the socket could read and forge
// annotations. The roots are arguments. Thread-safe. Returns copies. Failure: with the directory, and what to change
// about it.
#pragma once

#include <sys/un.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace ingero::agent {

struct AnnotationRoots {
  std::string run = "/run";
  std::string home;  // empty: none
  uint32_t effective_uid = 0;
};
AnnotationRoots annotation_roots();

// In the order in which they are tried; paths of sockets.
std::vector<std::string> annotation_places(const AnnotationRoots& roots);
// To bind or to connect to. kInvalid: the path is too long.
Result<sockaddr_un> socket_address(const std::string& path);
// Makes the directory of `socket` where it is not there, and checks it. With a group (not negative) its members may go
// through it: a directory that is made here, or is the agent's own (annotation_places), gets the mode and the group for
// that; any other stays as it is, and is refused where its members may not.
Status prepare_annotation_folder(const std::string& socket, uint32_t owner, int64_t group, bool is_agents_own);

}  // namespace ingero::agent
