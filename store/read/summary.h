// What a recording says per call: counts, errors, durations, off-CPU totals; the slowest calls; those that never ended.
//
// The whole recording is answered from the histograms kept while recording (percentiles within 0.8 %, everything else
// exact, in milliseconds); a part of it from its rows, exactly. Legacy files work alike. Threads: as Reader. Nested
// calls are listed each by itself: totals of a runtime call include the driver calls it made. Owns what it returns; the
// reader is the caller's. Failure: the store's, kBusy when the time is over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/read/reader.h"

namespace ingero::store {

struct Selection {
  std::optional<uint64_t> from_wall_ns;  // events that end at or after
  std::optional<uint64_t> to_wall_ns;    // events that start at or before
  std::optional<uint32_t> pid;
  std::string op;  // name or op name, case-insensitive, with the usual aliases; empty: all
  // Rows before and after need not be read: select_rows() sets them. Histograms of the whole recording do not know
  // them.
  std::optional<int64_t> first_seq, last_seq;
  bool whole() const { return !from_wall_ns && !to_wall_ns; }
};

enum class Percentiles : uint8_t {
  kAuto,   // histograms for the whole recording, rows for a part
  kExact,  // always from rows (what selective storage left out is then not there)
};

struct CallStats {
  std::string call, op, vendor, layer, kind;
  int64_t source = 0, op_id = 0;
  bool synchronising = false;
  bool single_stepped = false;             // each duration includes the single step of the probed instruction
  std::optional<uint64_t> single_step_ns;  // what one took where it was recorded (of several machines the longest)
  std::optional<uint32_t> pid;             // per process only
  std::string process, node;               // its name, and where it ran; per process only
  uint64_t count = 0;                      // calls that ended
  uint64_t errors = 0;
  uint64_t unfinished = 0;  // in flight or never returned; not in count
  uint64_t stored = 0;      // rows there are for `count` (fewer with selective storage)
  uint64_t timed = 0;       // calls with a duration; what follows is about those
  uint64_t total_ns = 0, min_ns = 0, max_ns = 0;
  uint64_t p50_ns = 0, p95_ns = 0, p99_ns = 0;  // nearest rank
  uint64_t preempted_ns = 0, runqueue_ns = 0, blocked_ns = 0, io_ns = 0;
  std::optional<uint64_t> bytes;  // sum over calls that moved or obtained a known number
  bool percentiles_exact = false;
  double avg_ns() const { return timed == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(timed); }
  uint64_t off_cpu_ns() const { return preempted_ns + runqueue_ns + blocked_ns + io_ns; }
};

struct Summary {
  std::vector<CallStats> calls;  // by total time, greatest first
  std::optional<TimeSpan> span;  // of the events counted
  uint64_t events = 0;           // ended and unfinished
  uint64_t rows_pruned = 0;      // deleted since to keep the file small; counted above when from histograms
};

Result<Summary> summarise(const Reader& reader, const Selection& selection, bool per_process = false,
                          Percentiles percentiles = Percentiles::kAuto);

// Of all processes together and of each, from one reading.
struct Summaries {
  Summary all, per_process;
};
Result<Summaries> summarise_both(const Reader& reader, const Selection& selection,
                                 Percentiles percentiles = Percentiles::kAuto);

// How the durations of one call are spread.
struct Distribution {
  std::string call, op, layer, kind;
  uint64_t count = 0;
  // The least duration of a bucket, and how many calls took so long; ascending, empty ones left out. A bucket ends
  // where the next of its grid begins: `per_octave` equal ones from each power of two to the next.
  std::vector<std::pair<uint64_t, uint64_t>> buckets;
};
// By total time, greatest first, as summarise(). `per_octave`: a power of two, at most 64.
Result<std::vector<Distribution>> distributions(const Reader& reader, const Selection& selection, uint32_t per_octave);

// One call, as the slowest and unfinished lists show it. Absent values are unknown.
struct CallInstance {
  std::string id, node, call, op, layer, library, kernel, outcome, process;
  uint64_t start_wall_ns = 0;
  std::optional<uint64_t> duration_ns;
  uint32_t pid = 0, tid = 0;
  std::optional<int64_t> return_code;
  bool failed = false;
  std::optional<uint64_t> stream, bytes, address, arg0, arg1;
  std::string direction;
  std::optional<uint64_t> preempted_ns, runqueue_ns, blocked_ns, io_ns;
  std::optional<uint32_t> preempted_by_pid;
  std::string preempted_by;
  std::optional<uint64_t> preempted_by_ns;
  std::string parent_call;
  std::string frames_json;  // where it was made from: stack_traces.frames, or empty
  std::optional<uint64_t> gpu_id;
  std::string gpu_uuid;
  std::vector<std::pair<std::string, std::string>> labels;  // filled by callers that want them (labels.h)
};

// The slowest vendor calls (host events excluded), slowest first; `per_call`: at most that many of each call, 0 for no
// such limit.
Result<std::vector<CallInstance>> slowest(const Reader& reader, const Selection& selection, uint32_t count,
                                          uint32_t per_call = 0);
// Calls in flight or never returned, longest first.
Result<std::vector<CallInstance>> unfinished(const Reader& reader, const Selection& selection, uint32_t count = 100);

// What was asked of one device, calls made inside others left out.
struct DeviceTotals {
  std::string vendor, uuid, pci_address;
  std::optional<uint64_t> gpu_id;
  uint64_t calls = 0, errors = 0, total_ns = 0, processes = 0;
};
// Over all sessions, by vendor and device; calls whose device is not known are in none.
Result<std::vector<DeviceTotals>> device_totals(const Reader& reader);

struct LossCount {
  std::string name, severity, sentence;
  uint64_t count = 0;
};
// What the recording says it lost, over all sessions; only what is not zero.
Result<std::vector<LossCount>> losses(const Reader& reader);

// Calls that a full ring had no room for, by process, most first; at most kMaxLosers.
struct LostOfProcess {
  std::optional<uint32_t> pid;  // nothing: not known whose
  std::string name;             // empty: not known
  uint64_t calls = 0;
  uint64_t first_wall_ns = 0, last_wall_ns = 0;  // ends of the first and last second in which it lost any
};
inline constexpr int64_t kMaxLosers = 20;
// Of a run, or of all. A recording of before schema 31 has none.
Result<std::vector<LostOfProcess>> lost_by_process(const Reader& reader, std::optional<int64_t> run);

}  // namespace ingero::store
