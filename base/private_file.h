// Files that hold keys, tokens and passwords: read only if no other user than their owner can read or write them.
//
// A name that was checked may name another file a moment later, so what is checked is the descriptor that is read
// afterwards: a regular file, of a trusted owner, without any permission for group or others, not longer than allowed.
// Symbolic links are followed, for secrets are often mounted as links; the checks hold for the file at their end.
// Trusted owners are root, the effective user and, under root, the user who typed sudo (SUDO_UID). No state;
// thread-safe; never blocks, not even on a named pipe. Sizes in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace ingero {

inline constexpr size_t kMaxPrivateFileBytes = 64 << 10;

// Is this user root, the effective user or, under root, the one who typed sudo?
bool is_trusted_owner(uint32_t uid);

// kInvalid unless the open file `fd` is one that only its trusted owner can use. `path` is for the error's sentence.
// The caller keeps the descriptor, and reads from it and not from the path.
Status check_private(int fd, const std::string& path);

// What such a file holds. kFull when it is longer than `max_bytes`.
Result<std::string> read_private(const std::string& path, size_t max_bytes = kMaxPrivateFileBytes);

}  // namespace ingero
