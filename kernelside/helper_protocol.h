// The messages between the agent and its helper processes, over SOCK_SEQPACKET. Private to helpers.cc, helper_work.cc.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "base/fd.h"

namespace ingero::kernelside {

inline constexpr size_t kMaxPinned = 1024;
inline constexpr size_t kMaxMemory = 16 << 10;  // of a process, read at once
inline constexpr uint32_t kMaxHelpers = 64;     // in use, pinning, or left behind without an end
inline constexpr size_t kMaxPinning = 8;        // of those

struct HelperRequest {
  enum Kind : uint32_t {
    kFork = 1,  // to the parent of the helpers; with a descriptor, the new one's end of its socket; address: its number
    kKill,      // likewise: pid
    kFind,      // path -> descriptor, facts
    kCopy,      // two descriptors, the file and where to
    kPin,       // descriptor, offsets, address: the pin
    kUnpin,     // address: the pin; not answered
    kMemory,    // path: the root of /proc
    kText,      // path -> bytes, or a descriptor to read them by
  };
  uint32_t kind = 0;
  uint32_t pid = 0;
  uint64_t address = 0;
  uint64_t size = 0;  // of kMemory; at most, of kText
  uint32_t code = 0, debug = 0;
  uint32_t count = 0;
  char path[4096] = {};
  uint64_t offsets[kMaxPinned] = {};  // `count` of them are sent
};
inline constexpr size_t kRequestHead = offsetof(HelperRequest, offsets);

struct HelperReply {
  int32_t error = 0;     // errno
  uint32_t is_over = 1;  // 0: it goes on, and is not stuck
  int32_t pid = 0;
  uint64_t number = 0;  // of kFork
  uint64_t device = 0, inode = 0, bytes = 0;
  uint32_t is_regular = 0;
  char memory[kMaxMemory] = {};  // `bytes` of it
};

// Sends `message` with up to two descriptors; false: errno says why.
bool send_message(int socket, const void* message, size_t bytes, int first = -1, int second = -1);
// Waits; bytes received, 0 at the end, -1 with errno.
ssize_t receive_message(int socket, void* message, size_t bytes, Fd& first, Fd& second);

// The parent of the helpers, and they. Never return; `socket` is all that they keep.
[[noreturn]] void run_helpers(int socket, bool drop_privileges);

}  // namespace ingero::kernelside
