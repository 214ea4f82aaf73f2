// Helper processes for system calls that may never return: they open and read files whose file system may not answer,
// and read the memory and the /proc texts of processes that may block a reader.
//
// Processes and not threads: a thread that waits in the kernel for a dead server cannot be killed, and keeps its whole
// process from exiting. Their common parent is forked before the agent opens anything and never touches foreign files
// itself, so that helpers inherit none of the agent's probes, rings or databases. A helper that does not answer in time
// is killed and abandoned; it exits when the kernel lets it.
//
// Of such a file the agent holds at most an O_PATH descriptor: closing any other sends a request to the file system as
// well (FUSE_FLUSH), and so would the exit of the agent.
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

// Which parts of an ELF file are copied. A small file is copied whole; the device code of a large one never is.
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
  // A file by name; done by a helper, because the path lookup may block.
  Result<Opened> find(const std::string& path);
  // A copy of `file` (O_PATH) in memory: same size, same offsets, holes where nothing was copied.
  Result<Fd> copy(const Fd& file, FileParts parts, const std::string& display_path);
  // Reads the pages of these offsets and keeps them in memory until unpin(), or as long as this lives. The pin's
  // number.
  Result<uint64_t> pin(const Fd& file, std::span<const uint64_t> offsets, const std::string& display_path);
  void unpin(uint64_t pin);  // does not wait
  // `size` bytes of a process's memory, all or none (foreign_memory.h says which may be read).
  Status memory(const std::string& proc_root, uint32_t pid, uint64_t address, void* out, size_t size);
  // The first bytes of a text of /proc that the kernel makes with the process's memory locked (maps, cmdline, environ).
  Result<std::string> text(const std::string& path, size_t max_bytes);

  // Ends all waits for files, and makes later ones fail at once. (Waits for memory are short.)
  void cancel();
  bool is_cancelled() const;

  // Whether this error means that a wait timed out.
  static bool is_silence(const Error& error) { return error.code() == Errc::kBusy; }

 private:
  struct Impl;
  explicit Helpers(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::kernelside
