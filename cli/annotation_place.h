// Where the socket for annotations is, and that its directory is nobody else's.
//
// /run/ingero, else ~/.ingero/annotate, else /run/ingero-EUID. The directory must be a real one, the caller's own, and
// not writable by group or others: who could put another socket there would read and forge what programs say.
// The roots are arguments. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ingero::cli {

struct AnnotationRoots {
  std::string run = "/run";
  std::string home;  // empty: none
  uint32_t effective_uid = 0;
};
AnnotationRoots annotation_roots();

// In the order in which they are tried; paths of sockets.
std::vector<std::string> annotation_places(const AnnotationRoots& roots);
// Makes the directory of `socket` where it is not there, and checks it. With a group (not negative) its members may go
// through it.
Status prepare_annotation_folder(const std::string& socket, uint32_t owner, int64_t group);

}  // namespace ingero::cli
