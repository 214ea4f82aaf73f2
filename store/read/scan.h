// Reading rows in bulk: dictionaries once into memory, then the row table alone, only the blocks a time range needs.
// Private to store/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "hal/event.h"
#include "store/db/sqlite.h"
#include "store/read/summary.h"

namespace ingero::store {

struct CallInfo {
  std::string name, op_name, vendor, layer, kind;
  int64_t source = 0, op = 0;
  bool synchronising = false, below_runtime = false, host = false, page_alloc = false;
  bool single_stepped = false;  // at one of its probes at least
};

struct ProcessInfo {
  uint32_t pid = 0;
  std::string comm;
  std::string node = {};  // empty: unknown
};

// The call that nine columns from `first` on describe: name, op_name, vendor, layer, kind, source, op, synchronising,
// below_runtime.
CallInfo call_info(const Statement& row, int first);

// The dictionaries as of now.
class Names {
 public:
  static Result<Names> load(Database& database);

  // For names that come from elsewhere: the next id, and the entry of a process.
  size_t add_call(CallInfo call) {
    calls_.emplace_back(std::move(call));
    return calls_.size() - 1;
  }
  ProcessInfo& add_process(int64_t id) { return processes_[id]; }

  const CallInfo* call(size_t id) const { return id < calls_.size() && calls_[id] ? &*calls_[id] : nullptr; }
  const ProcessInfo* process(int64_t id) const {
    const auto found = processes_.find(id);
    return found == processes_.end() ? nullptr : &found->second;
  }
  // A process seen by several runs of the agent has several entries; one represents all.
  int64_t canonical(int64_t process) const {
    const auto found = canonical_.find(process);
    return found == canonical_.end() ? process : found->second;
  }
  size_t calls() const { return calls_.size(); }

  static constexpr size_t kNone = ~size_t{0};
  size_t call_of_probe(int64_t probe) const {
    return probe >= 0 && static_cast<size_t>(probe) < probes_.size() ? probes_[static_cast<size_t>(probe)] : kNone;
  }
  int64_t process_of_thread(int64_t thread) const {
    return thread >= 0 && static_cast<size_t>(thread) < threads_.size() ? threads_[static_cast<size_t>(thread)] : -1;
  }
  int64_t wall_of_clock(int64_t clock) const {
    return clock >= 0 && static_cast<size_t>(clock) < clocks_.size() ? clocks_[static_cast<size_t>(clock)] : 0;
  }

  std::optional<uint64_t> single_step_ns() const { return single_step_ns_; }

 private:
  std::vector<std::optional<CallInfo>> calls_;
  std::optional<uint64_t> single_step_ns_;
  std::vector<size_t> probes_;
  std::vector<int64_t> threads_, clocks_;
  std::unordered_map<int64_t, ProcessInfo> processes_;
  std::unordered_map<int64_t, int64_t> canonical_;
};

// A selection made quick to test.
class Filter {
 public:
  Filter(const Names& names, const Selection& selection);
  bool accepts(const Names& names, size_t call, int64_t process) const {
    if (call >= calls_.size() || !calls_[call]) return false;
    if (!pid_) return true;
    const ProcessInfo* info = names.process(process);
    return info != nullptr && info->pid == *pid_;
  }
  bool accepts_call(size_t call) const { return call < calls_.size() && calls_[call]; }
  std::optional<uint32_t> pid() const { return pid_; }
  bool whole() const { return !from_ && !to_; }
  int64_t from() const { return from_.value_or(INT64_MIN); }
  int64_t to() const { return to_.value_or(INT64_MAX); }
  int64_t first_seq() const { return first_seq_; }

 private:
  std::vector<bool> calls_;
  std::optional<uint32_t> pid_;
  std::optional<int64_t> from_, to_;
  int64_t first_seq_ = 0;
};

struct ScannedRow {
  int64_t seq = 0;
  size_t call = 0;
  int64_t process = -1;
  bool finished = true, failed = false, timed = false, has_bytes = false;
  uint64_t duration_ns = 0, bytes = 0;
  hal::OffCpu off;
};

// One moment of the file, for as long as this lives: a statement left standing on a row holds the read transaction.
class Snapshot {
 public:
  Status begin(Database& database);

 private:
  Statement standing_;
};

// The numbers of the rows of calls that began before ?1 and had not returned then, nor by the end of their run: of one
// without an end, by the start of the next run of its node.
extern const char* const kOpenBeforeSql;

using OnScanned = std::function<void(const ScannedRow&)>;
// Rows from `first_seq` on that the filter accepts, in order; time ranges by the blocks, then row by row, and then the
// calls that had not returned when the range begins.
Status scan_rows(Database& database, const Names& names, const Filter& filter, int64_t first_seq, const OnScanned& on);

}  // namespace ingero::store
