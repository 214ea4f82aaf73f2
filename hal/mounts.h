// /proc/PID/mountinfo, parsed: which kind of file system a file of a traced process is on, without a request to that
// file system. On one served by a network or by another program, open(2), read(2) and even fstat(2) may never return;
// a thread that waits for it cannot be killed, and may hold kernel locks that others need.
//
// Pure functions, thread-safe. The text is the kernel's, paths in it are the mounter's: untrusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::hal {

struct Mount {
  uint64_t id = 0;
  uint64_t device = 0;  // makedev(major, minor); btrfs and overlay give files other ones
  std::string type;     // "ext4", "fuse.sshfs"
  std::string untrusted_point;
  std::vector<std::string> untrusted_layers;  // of overlay: the folders it is made of, as its mounter named them
  bool is_of_a_user = false;                  // a program of an ordinary user serves it
};

// What may be expected of a file.
enum class Reach : uint8_t {
  kLocal,   // this kernel's own disk or memory: it answers
  kRemote,  // a request to it may never return
  kUser,    // likewise, and an ordinary user decides when
};

class Mounts {
 public:
  Mounts() = default;
  explicit Mounts(std::string_view mountinfo_text);

  // Null: not among them.
  const Mount* by_id(uint64_t id) const;
  const Mount* by_device(uint64_t device) const;
  // The mount that an absolute path is on.
  const Mount* holding(std::string_view path) const;
  size_t size() const { return mounts_.size(); }

 private:
  std::vector<Mount> mounts_;
};

// Is it this machine's own disk or memory, whose drivers are the kernel's? What is not known is not.
bool is_local_type(std::string_view type);
// Likewise, and its pages are read from a disk: no process can have been asked to fill them in (userfaultfd(2)).
bool is_disk_type(std::string_view type);

// Of a mount in some process's namespace. `own`: the caller's, for the layers below; `is_ours`: the namespace belongs
// to the caller's user namespace, so that an administrator made its mounts.
Reach reach_of(const Mount& mount, const Mounts& own, bool is_ours);

}  // namespace ingero::hal
