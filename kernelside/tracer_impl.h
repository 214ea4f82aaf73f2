// What the tracer keeps of each file. Private to tracer.cc and tracer_release.cc.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernelside/file_watch.h"
#include "kernelside/probe_numbers.h"
#include "kernelside/real_files.h"
#include "kernelside/tracer.h"

namespace ingero::kernelside {

// Who mapped a file, and how it is to be looked at.
struct Tracer::Source {
  uint32_t pid = 0;
  uint64_t mono_ns = 0;
  std::string untrusted_path;
  uint64_t generation = 0;  // of its number, as the notice of the mapping has it; 0: not known
  bool deleted = false;
  bool held = false;      // the process that maps it waits until the probes are attached
  bool chosen = false;    // named by the user: wherever it lies
  bool is_again = false;  // it had to wait for probes, which is counted
};

// One file with a described library in it.
struct Tracer::File {
  std::vector<FileReport> reports;  // one per library found in it
  std::unique_ptr<FileProbes> probes;
  std::unique_ptr<FileProbes> passing;  // of rows with kAsksDevice: for kAskedNs
  std::vector<uint32_t> numbers;        // of its probes
  uint32_t uid = 0;                     // whose they are
  uint64_t mark = 0;                    // of the watch; 0: it is not watched, and keeps its probes
  bool is_kept = false;                 // named by the user, or installed: unmapped from the beginning
  size_t refused = 0;                   // that many probes were not to be had
  bool is_noted = false;                // whatever answers with it says so under mutex_
  bool is_leaving = false;              // its probes are being removed
  unsigned unmapped_looks = 0;          // since it was last seen mapped
  uint64_t unmapped_mono_ns = 0;        // at the first of those
};

struct Tracer::Index {
  struct Seen {
    File* file = nullptr;     // null: nothing described inside, or not known yet
    bool is_over = false;     // it has been looked at
    uint64_t until_ns = 0;    // not 0: it could not be read, and may be tried again then
    uint64_t generation = 0;  // which file of that number; 0: not known
    uint64_t born_ns = 0;     // likewise
    std::set<uint32_t> pids;  // that mapped it meanwhile
  };
  // A mapping of a file whose probes are being removed.
  struct Deferred {
    uint32_t pid = 0;
    hal::Mapping mapping;
    uint64_t mono_ns = 0, generation = 0;
  };
  // A file that waits for probes.
  struct Waiting {
    hal::FileId id;
    Source source;
    ForeignFile file;
    uint32_t uid = 0;
    size_t wanted = 0;  // probes
  };
  std::map<hal::FileId, Seen> seen;
  std::map<hal::FileId, size_t> others;  // described files of processes that are not followed: how many map each
  ProbeNumbers numbers;
  std::vector<uint32_t> retired;  // their probes are removed; since take_retired()
  std::vector<Deferred> deferred;
  std::vector<Waiting> waiting;
  uint64_t returns = 0;  // of numbers, when the waiting were last tried
  RealFiles real_files;  // guarded by examine_mutex_
  std::mutex watch_mutex;
  FileWatch watch;  // guarded by watch_mutex

  explicit Index(UseLookup uses) : watch(std::move(uses)) {}
};

}  // namespace ingero::kernelside
