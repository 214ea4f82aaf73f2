// Opens the files and reads the memory of traced processes; no other code does.
//
// A file on a local disk or in memory is opened directly. A file on any other or an unknown file system is opened and
// read by a helper process (helpers.h) with a time limit, and returned as a copy in memory: the agent itself never
// holds a descriptor whose read or close depends on another machine or another program. The file's mount decides,
// looked up by an O_PATH descriptor, which sends no request to the file system; so the file cannot be swapped for
// another one before it is opened.
//
// After one request that was not answered, a file system is left alone for a minute. Files and processes that could not
// be read are logged, and counted as `file_unread` or `memory_unread`, each once.
//
// Any thread; no call blocks for longer than the helpers' limits, and all waits end at cancel(). Paths are untrusted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "hal/loss.h"
#include "hal/maps.h"
#include "hal/mounts.h"
#include "kernelside/helpers.h"

namespace ingero::kernelside {

struct ForeignFile {
  Fd path;  // O_PATH: identifies the file, cannot read it
  hal::FileId id;
  uint64_t born_ns = 0;  // when it was made, else last changed: with its numbers, which file it is
  uint32_t owner = 0;    // user
  hal::Reach reach = hal::Reach::kRemote;
  uint64_t mount_device = 0;
  std::string untrusted_name;
  std::string mount;  // "fuse.sshfs at /home/x", printable; empty: not known
};

class Foreign {
 public:
  // The references must outlive this.
  Foreign(std::unique_ptr<Helpers> helpers, hal::LossLedger& ledger, std::string proc_root = "/proc",
          const Clock& clock = system_clock(), uint64_t max_copied_bytes = uint64_t{128} << 20);
  ~Foreign();
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;

  const std::string& proc_root() const { return proc_root_; }

  // The file of a mapping, by map_files, else by the process's path for it if that still leads to the same inode.
  Result<ForeignFile> find(uint32_t pid, const hal::Mapping& mapping);
  // A file by a path that this process can follow; `pid`: in whose mount namespace it ends up, 0: our own.
  Result<ForeignFile> find(const std::string& path, uint32_t pid);
  // A readable descriptor: the file itself, or a copy.
  Result<Fd> open(const ForeignFile& file, FileParts parts);
  // For callers that must not block: a local file at once, else kBusy until a copy has been made in the background.
  Result<Fd> open_soon(uint32_t pid, const hal::Mapping& mapping);
  // An optional file at a path derived from a traced process (debug files): its absence is not counted.
  Result<Fd> open_named(const std::string& path);
  // Keeps the pages of these offsets in memory, so that placing a probe does not fault. The pin's number; 0 for a local
  // file, which needs none.
  Result<uint64_t> pin(const ForeignFile& file, std::span<const uint64_t> offsets);
  void unpin(uint64_t pin) { helpers_->unpin(pin); }
  // Counts and names a file whose calls, or whose symbols, will be missing.
  void give_up(const ForeignFile& file, const Error& reason);

  // `size` bytes of a process's memory, or false (foreign_memory.h).
  bool read_memory(uint32_t pid, uint64_t address, void* out, size_t size);
  // Counts and names a process whose memory is not read, or not to its end.
  void give_up_memory(uint32_t pid, const Error& reason);
  // A file of /proc/PID that is made with the process's memory locked.
  Result<std::string> text(uint32_t pid, std::string_view name, size_t max_bytes);

  // Runs `work`, which may wait for files, on a thread of this, from start() on. False: there is too much to do, or all
  // ends.
  bool later(std::function<void()> work);
  void start();
  // Waits for files end, also those of others, and no more begin.
  void cancel() { helpers_->cancel(); }
  bool is_cancelled() const { return helpers_->is_cancelled(); }
  // Likewise, and what later() was given is over, done or not.
  void stop();

 private:
  struct Namespace {
    std::shared_ptr<const hal::Mounts> mounts;
    bool is_ours = false;
  };
  Result<ForeignFile> examined(Fd path, uint32_t pid, std::string name);
  Namespace mounts_of(uint32_t pid);
  Fd cached_path(const std::string& process, const hal::Mapping& mapping) const;
  bool are_names_silent();
  struct CopyKey {
    hal::FileId id;
    uint64_t born_ns = 0;  // its number may be another file's later
    auto operator<=>(const CopyKey&) const = default;
  };
  struct Copy {
    Fd fd;
    bool is_over = false;  // without a descriptor: it could not be read
    uint64_t bytes = 0;
    uint64_t used = 0;  // the greater, the later
  };
  Result<Fd> use(Copy& copy, const std::string& name);
  bool drop_oldest(bool with_bytes);
  void copy_for(const CopyKey& key, const ForeignFile& file);
  void work_off();
  bool is_silent(const ForeignFile& file);
  bool is_silent(uint32_t pid);
  void note_silence(const ForeignFile& file, const Error& error);

  const std::unique_ptr<Helpers> helpers_;
  hal::LossLedger& ledger_;
  const std::string proc_root_;
  const Clock& clock_;
  const uint64_t max_copied_bytes_;  // that are kept
  uint64_t own_user_namespace_ = 0;
  uint64_t memory_device_ = 0;  // of memfds
  std::mutex mutex_;
  // Guarded by mutex_:
  struct Cached {
    std::shared_ptr<const hal::Mounts> mounts;
    uint64_t until_ns = 0;
  };
  std::map<uint64_t, Cached> namespaces_;  // of our user namespace alone, by inode
  std::map<uint64_t, uint64_t> silent_;    // device, and until when it is not asked
  std::set<hal::FileId> given_up_;
  std::map<uint32_t, uint64_t> silent_processes_;  // until when they are not read
  std::set<uint32_t> unread_processes_;            // counted
  uint64_t names_silent_until_ns_ = 0;  // until when none is looked up that the kernel does not have in memory
  std::map<CopyKey, Copy> copies_;
  uint64_t uses_ = 0;
  uint64_t copied_bytes_ = 0;
  std::deque<std::function<void()>> work_;
  bool stopping_ = false;
  std::condition_variable wake_;
  bool started_ = false;
  std::thread thread_;  // runs work_off(); started by the first later() behind start(), joined by stop()
};

// The memory of one process, as it was when first asked for: pages are read once, and no more than kMaxBlocks: a
// process that spreads its environment over its memory must not hold up who reads it.
class ForeignMemory {
 public:
  ForeignMemory(Foreign& foreign, uint32_t pid) : foreign_(foreign), pid_(pid) {}
  static constexpr size_t kMaxBlocks = 512;
  // All of it, or false.
  bool read(uint64_t address, void* out, size_t size);

 private:
  static constexpr uint64_t kBlock = 4096;
  Foreign& foreign_;
  uint32_t pid_;
  std::map<uint64_t, std::string> blocks_;  // empty: cannot be read as a whole
};

}  // namespace ingero::kernelside
