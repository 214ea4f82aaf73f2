// Read-only access to a recording: ours, or a legacy one (schema 0.8 to 0.10), which the TEMP views of legacy/views.cc
// make look like ours.
//
// Never modifies the file and needs no write access; a recording another process is writing can be read live.
// Threads: one thread at a time; open one Reader per thread. Failure: kNotFound, kPermission, kCorrupt (truncated or
// foreign file), kNotSupported (newer schema), kInvalid (the SQL), kBusy (time limit).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/db/guarded_query.h"

namespace ingero::store {

enum class Layout : uint8_t { kCurrent, kLegacy };

// What the recordings of a layout hold. What one does not hold is not known, rather than none.
struct Holds {
  bool runs = true;         // which run of an agent, on which node, each row is of
  bool losses = true;       // what was lost or sampled out, and how each run ended
  bool off_cpu = true;      // how long calls were off the CPU
  bool unfinished = true;   // calls that have not returned
  bool devices = true;      // devices and fabric adapters, with their samples
  bool kernels = true;      // names of kernels
  bool collectives = true;  // communicators, and when ranks arrived
  bool inference = true;    // workloads and their steps
};

// Wall time of the first start and the last end recorded; absent without events.
struct TimeSpan {
  uint64_t first_wall_ns = 0;
  uint64_t last_wall_ns = 0;
};

class Reader {
 public:
  // Ends with kBusy when the time of `limits` is over, however the file is made. kCorrupt: what it calls a table of a
  // recording is something else.
  static Result<std::unique_ptr<Reader>> open(const std::string& path, Trust trust = Trust::kOwner,
                                              const QueryLimits& limits = {});
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Layout layout() const;  // chooses between implementations; else ask holds()
  const Holds& holds() const;
  const std::string& version() const;  // schema_info's: "1.0", "0.9"
  const std::string& path() const;
  bool is_live() const;  // an agent on this host is writing it (as of open)
  // What was opened is still what lies at its path, and has not been written since.
  bool is_current() const;
  Result<std::optional<TimeSpan>> time_span() const;

  using OnColumns = store::OnColumns;
  using OnRow = store::OnRow;
  // One SQL statement that only reads. Enforced by the engine (authorizer, read-only handle, query_only), not by
  // looking at the text. Streams: nothing is collected here.
  Result<QueryOutcome> query(std::string_view sql, const QueryLimits& limits, const OnRow& on_row,
                             const OnColumns& on_columns = {}, std::span<const Bound> bound = {}) const;

  // For callers that read the whole file: mapped pages count as this process's memory, so from now on few are mapped.
  void map_little() const;

  struct Impl;
  Impl& impl() const { return *impl_; }  // private to store/

 private:
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// While it lives, whatever reads through `reader` (queries, summaries, replays) ends with kBusy when the time is over
// or `limits.cancel` is set; the rows of `limits` mean nothing here. The reader and `limits.cancel` outlive it.
class TimeLimit {
 public:
  TimeLimit(const Reader& reader, const QueryLimits& limits);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Which file lies at a path, and in which state, its write-ahead log included: another text as soon as either was
// written. Empty: no file.
std::string state_of_file(const std::string& path);

// The most memory that all readers of this process together may take; beyond it a query ends with kFull. For programs
// that only answer questions: a writer in the same process would be held to it too.
void limit_query_memory(uint64_t bytes);

}  // namespace ingero::store
