// Processes that do for the agent what may never come back: open and read files whose file system may not answer, and
// read the memory and the /proc texts of processes that may keep a reader waiting.
//
// A process each, not a thread: what waits in the kernel for a dead server cannot be killed, and a thread in that state
// keeps its whole process from ending. A process forked before anything else is open (the parent of all helpers, which
// itself never touches what is foreign) makes them, so that they hold nothing of the agent's: no probe, no ring, no
// database. One that does not answer in time is killed and left behind; it ends when the kernel lets it.
//
// What the agent holds of such a file is at most a descriptor opened with O_PATH: closing any other one asks the file
// system as well (FUSE_FLUSH), and so would the agent's own end.
//
// Any thread. Every wait has a limit and ends at cancel().
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace ingero::kernelside {

// Which parts of an ELF file are copied. Everything of a small file is; of a large one never its device code.
struct FileParts {
  bool code = false;   // else: what finding symbols needs
  bool debug = false;  // what naming frames needs: unwind tables, DWARF
};

struct FileFacts {
  uint64_t device = 0, inode = 0, bytes = 0;
  bool is_regular = false;
};

class Helpers {
 public:
  // Forks; before other threads where possible. `drop_privileges` as the agent does.
  static Result<std::unique_ptr<Helpers>> start(bool drop_privileges = false);
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  struct Opened {
    Fd path;  // O_PATH
    FileFacts facts;
  };
  // A file by name: the walk to it may wait.
  Result<Opened> find(const std::string& path);
  // A copy of `file` (O_PATH) in memory: same size, same offsets, holes where nothing was copied.
  Result<Fd> copy(const Fd& file, FileParts parts, const std::string& display_path);
  // Reads the pages of these offsets and keeps them in memory as long as this lives.
  Status pin(const Fd& file, std::span<const uint64_t> offsets, const std::string& display_path);
  // `size` bytes of a process's memory, all or none (memory.h says which may be read).
  Status memory(const std::string& proc_root, uint32_t pid, uint64_t address, void* out, size_t size);
  // The first bytes of a text of /proc that the kernel makes with the process's memory locked (maps, cmdline, environ).
  Result<std::string> text(const std::string& path, size_t max_bytes);

  // Waits for files end now, and from now on fail at once. (Those for memory are short.)
  void cancel();

  // Did this error come of a wait that was given up?
  static bool is_silence(const Error& error) { return error.code() == Errc::kBusy; }

 private:
  struct Impl;
  explicit Helpers(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::kernelside
