// Whether anyone but the agent has a file mapped, and whether the file still has a name.
//
// Each watched file costs one mapping of a page behind its end, without access, and no descriptor. look() asks the
// kernel about all of them in one pass over the agent's own mappings; what it says was true at some moment of the call.
// A lookup during a change of the file's mappings may miss one: ask again before what depends on it.
//
// One thread at a time. Only for files whose file system answers: opening such a file is the caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "base/fd.h"
#include "base/result.h"

namespace ingero::kernelside {

// What answers how the files of this process's mappings are used.
struct UseLookup {
  // Called until it succeeds once, before the first open().
  std::function<Status()> load;
  // A descriptor from which a wire_use of each mapping without access is read.
  std::function<Result<Fd>()> open;
};
// The kernel, by a BPF iterator over this process's mappings. Needs CAP_BPF.
UseLookup kernel_uses();

class FileWatch {
 public:
  struct Use {
    bool is_mapped = false;   // by another process
    bool is_deleted = false;  // it has no name any more
  };

  explicit FileWatch(UseLookup lookup = kernel_uses()) : lookup_(std::move(lookup)) {}
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Begins to watch the file; what it is known by from now on, or 0: it cannot be mapped.
  uint64_t add(int fd);
  void remove(uint64_t mark);
  // Loads the lookup, or else the first look() does. Takes some 20 ms.
  Status prepare();
  // Of every watched file. An error, or a file that is not in it: nothing is known.
  Result<std::map<uint64_t, Use>> look();

 private:
  UseLookup lookup_;
  bool is_loaded_ = false;
  std::set<uint64_t> marks_;  // addresses
};

}  // namespace ingero::kernelside
