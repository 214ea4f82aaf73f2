// The reader's state. Private to store/. Owns the connection; a Watch is its caller's, on the stack. Threads: as
// Reader.
#pragma once

#include <atomic>
#include <chrono>

#include "store/db/sqlite.h"
#include "store/read/format.h"
#include "store/read/reader.h"

namespace ingero::store {

// When the statements of a connection have to end. Watches nest: the outer one holds for the inner one too.
struct Watch {
  std::chrono::steady_clock::time_point end;
  bool timed = false;
  int64_t memory_bytes = INT64_MAX;
  mutable bool is_full = false;  // it ends a statement for its memory
  const std::atomic<bool>* cancel = nullptr;
  const Watch* outer = nullptr;
};

struct Reader::Impl {
  std::string path;
  std::string version;
  const Format* format = &kOwnFormat;
  bool live = false;
  bool immutable = false;  // opened as a file without a writer
  std::string state;       // of the file, before it was opened
  Trust trust = Trust::kOwner;
  mutable Database database;
  const Watch* watch = nullptr;  // the innermost one

  Status open(const QueryLimits& limits);
  Status open_as(bool as_immutable);
  Status open_older();  // a file of an older schema of ours: with what it lacks, or it is refused
  Status restrict();
  // A file that was at rest may have got a writer since: see it live from then on.
  Status refresh();
  // Null: none.
  void set_watch(const Watch* innermost);
};

// The file as an SQLite URI; `immutable`: no process writes it.
std::string uri_of(const std::string& path, bool immutable);

}  // namespace ingero::store
