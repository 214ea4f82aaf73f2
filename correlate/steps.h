// Steps of inference: the work that a synchronisation waited for, and how long it took.
//
// A step holds the work (launches, graph launches, copies, sets, collectives) that a program put on a stream since the
// last synchronisation of it; a synchronisation that succeeds ends it. Work counts once: a call made inside another
// described call is part of that one. A step begins with its first work, or with the end of the step before where that
// was still waited for; a stream without work is idle, and idle time is not part of a step.
//
// A synchronisation of a stream covers the stream and what it was made to wait for by markers (events); one of a
// marker, the work before it was recorded; one of a device, all streams of the process on that device; a copy to the
// host that returns when it is done, and a query that says "done", their stream. Calls kept for a graph are not run: no
// work.
//
// Invariants:
// S1  The steps depend on the order of the events alone, not on how they were cut into batches.
// S2  An idle gap is kIdleNs or longer between calls of a step's stream, and no synchronisation waits during it. It is
//     subtracted from the step's time, and reported with it.
// S3  Memory is bounded: processes, streams, markers and parts of a step have limits; what is forgotten is counted.
//
// Pure and deterministic; one thread. Times are monotonic nanoseconds. Feed events in the order in which calls ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "correlate/facts.h"
#include "correlate/phases.h"
#include "correlate/streams.h"
#include "hal/event.h"
#include "hal/loss.h"

namespace ingero::correlate {

struct InferenceStep {
  uint32_t pid = 0, tid = 0;       // who waited
  uint64_t cgroup_id = 0;          // 0: unknown
  std::optional<uint64_t> stream;  // absent: a device was waited for, and several streams had work
  uint64_t start_mono_ns = 0, end_mono_ns = 0;
  int64_t wall_offset_ns = 0;
  uint64_t idle_ns = 0;  // between start and end
  uint64_t wait_ns = 0;  // inside the synchronisation
  uint64_t launches = 0, graph_launches = 0, copies = 0, copied_bytes = 0, sets = 0, collectives = 0;
  uint64_t functions = 0;               // the launched functions and graphs, folded; the order does not matter
  std::optional<uint64_t> mean_gap_ns;  // from one submission to the next
  uint64_t duration_ns() const { return end_mono_ns - start_mono_ns - idle_ns; }
  PhaseInputs inputs() const { return {launches, graph_launches, copied_bytes, duration_ns()}; }
};

class Steps {
 public:
  static constexpr uint64_t kPerThreadStream = Streams::kPerThreadStream;
  static constexpr uint64_t kLegacyStream = Streams::kLegacyStream;
  static constexpr uint64_t kIdleNs = 250'000'000;
  static constexpr size_t kMaxProcesses = 4096;
  static constexpr size_t kMaxStreams = Streams::kMaxStreams;  // of a process
  static constexpr size_t kMaxMarks = Streams::kMaxMarks;      // of a process
  static constexpr size_t kMaxParts = 64;                      // of a stream, between markers

  // `ledger` must outlive this.
  explicit Steps(hal::LossLedger& ledger) : ledger_(ledger) {}

  void set_call(hal::CallId id, CallFacts facts);
  // Probes whose calls name the calling thread's own default stream when they name none ("..._ptsz").
  void set_probe(uint32_t probe, bool is_per_thread);
  // A pid with another start is another process.
  void add_process(const hal::Process& process);
  void add(const hal::Event& event);
  std::vector<InferenceStep> take_steps() { return std::exchange(steps_, {}); }

 private:
  using Key = Streams::Key;
  using Reach = Streams::Reach;
  struct Part {  // the work between two markers
    uint64_t number = 0;
    uint64_t first_start_ns = 0, last_end_ns = 0, idle_ns = 0;
    uint64_t launches = 0, graph_launches = 0, copies = 0, copied_bytes = 0, sets = 0, collectives = 0, functions = 0;
    uint64_t first_submission_ns = 0, last_submission_ns = 0;
  };
  struct Work {  // of a stream
    std::vector<Part> parts;
    uint64_t last_sync_end_ns = 0;
  };
  struct Process {
    uint64_t start_mono_ns = 0, last_mono_ns = 0;
    Streams streams;
    std::map<Key, Work> work;
  };

  Key key_of(const hal::Event& event) const;
  Process& process_of(const hal::Event& event);
  void add_work(Process& process, const hal::Event& event, const CallFacts& facts);
  void add_marker(Process& process, const hal::Event& event, const CallFacts& facts);
  void synchronise(Process& process, const hal::Event& event);
  void finish(Process& process, const Reach& reach, std::optional<Key> key, const hal::Event& sync);

  hal::LossLedger& ledger_;
  std::vector<CallFacts> calls_;
  PerThreadProbes per_thread_probes_;
  std::map<uint32_t, Process> processes_;
  std::vector<InferenceStep> steps_;
};

}  // namespace ingero::correlate
