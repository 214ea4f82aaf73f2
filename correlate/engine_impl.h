// The engine's state, shared by engine.cc (events in), engine_calls.cc (a call's part), engine_samples.cc (what is not
// an event, and collectives), engine_windows.cc (windows closed, incidents), engine_hangs.cc (ranks that wait for each
// other) and engine_ends.cc (failures, ends, and which incident explains which). Private to correlate/.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_set>

#include "correlate/engine.h"
#include "correlate/fabric_state.h"
#include "correlate/state.h"
#include "correlate/streams.h"

namespace ingero::correlate {

uint64_t mix(uint64_t a, uint64_t b);
Sample sample_of(const hal::Event& event, uint64_t lost_ns);  // engine_calls.cc
// The wall clock's offset as chains show it: a recording keeps it less exactly than a live event.
template <typename Ns>
constexpr Ns whole_ms(Ns ns) {
  return ns / 1'000'000 * 1'000'000;
}

inline void add_off(hal::OffCpu& sum, const hal::OffCpu& off) {
  sum.preempted_ns += off.preempted_ns;
  sum.runqueue_ns += off.runqueue_ns;
  sum.blocked_ns += off.blocked_ns;
  sum.io_ns += off.io_ns;
}

struct Engine::Impl {
  Impl(EngineOptions given, hal::LossLedger& loss_ledger) : options(std::move(given)), ledger(loss_ledger) {
    system.cpus = options.cpus;
  }

  // engine.cc
  void add(const hal::Event& event);
  void take(const hal::Event& event, const CallFacts& facts, uint64_t window);
  void take_host(const hal::Event& event, hal::HostOp op, uint64_t window);
  void note_flight(const hal::Event& event);
  void seen(uint64_t mono_ns);
  ProcessState& process_of(uint32_t pid);
  ThreadState& thread_of(uint32_t tid, ProcessState& process);
  ProcessWindow& window_of(ProcessState& process, uint64_t window);

  // engine_calls.cc
  void take_call(const hal::Event& event, const CallFacts& facts, uint64_t window);
  Series* series_of(ProcessState& process, const hal::Event& event, bool nested);
  bool take_series(const hal::Event& event, const CallFacts& facts, ProcessState& process, bool nested,
                   uint64_t window);
  void take_failure(const hal::Event& event, const CallFacts& facts, ProcessState& process, ThreadState& thread,
                    ProcessWindow& sum);
  bool is_on_default_stream(const hal::Event& event) const;
  static uint64_t copying_ns(const hal::Event& event, const CallFacts& facts, ProcessState& process);
  static void note_work(const hal::Event& event, const CallFacts& facts, ProcessState& process);
  void take_kind(const hal::Event& event, const CallFacts& facts, ProcessState& process, ThreadState& thread,
                 ProcessWindow& sum, uint64_t window);
  void take_memory(const hal::Event& event, const CallFacts& facts, ProcessState& process, ThreadState& thread,
                   ProcessWindow& sum);
  void note_refused(const hal::Event& event, const CallFacts& facts, ProcessState& process, ThreadState& thread);
  void note_granted(const hal::Event& event, ProcessState& process, ThreadState& thread);
  void take_fabric(const hal::Event& event, const CallFacts& facts, ProcessState& process);
  void take_graph(const hal::Event& event, const CallFacts& facts, ProcessState& process, uint64_t window);
  std::optional<uint64_t> free_memory_at(const hal::Event& event) const;
  const hal::StatusMeaning* meaning_of(hal::CallId call, int64_t code);

  // engine_samples.cc
  void evaluate_flights(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found);
  void evaluate_arrivals(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found);

  // engine_hangs.cc
  struct Round;
  struct Submitted {  // a collective that a process entered
    uint64_t comm = 0, number = 0, at_ns = 0;
    hal::CallId call = hal::kNoCall;
    uint32_t tid = 0;
    int64_t wall_offset_ns = 0;
    std::optional<uint64_t> stack_id;
  };
  struct Stuck {  // a collective that ranks are stuck in, and those that have not come
    uint64_t comm = 0, number = 0;
    hal::CallId call = hal::kNoCall;
    uint64_t from_ns = 0;
    std::vector<uint32_t> present, absent;
    const Round* round = nullptr;
  };
  std::optional<uint64_t> stuck_since(uint32_t pid, uint64_t entered_ns, uint64_t end_ns) const;
  std::vector<Stuck> stuck_rounds(uint64_t end_ns) const;
  std::string text_of(const Stuck& stuck) const;
  void add_order(const std::vector<Stuck>& circle, Finding& finding) const;
  std::optional<uint64_t> waits_at(uint32_t pid) const;
  template <typename Entry>
  hal::ChainEvidence entry_of(uint32_t pid, const Entry& entry, std::string detail) const;
  Finding hang_of(const std::vector<Stuck>& stuck, uint64_t end_ns);
  struct Crossed {
    uint32_t pid = 0, other = 0;  // the one entered `first` before `second`, the other one the other way round
    Submitted first, second, others_first, others_second;
  };
  std::map<uint32_t, uint64_t> long_waits(uint64_t end_ns) const;
  std::optional<Crossed> crossed(uint64_t end_ns) const;
  void evaluate_crossed(uint64_t end_ns, std::vector<std::pair<ProcessState*, Finding>>& found);
  void evaluate_stuck(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found);

  // engine_windows.cc
  void close(uint64_t window);
  void close_threads(uint64_t window);
  void close_series(uint64_t window);
  void close_processes(uint64_t window);
  void note_newcomers(uint64_t window);
  // A finding that needs no sums; it is evaluated with its window.
  void pend(uint64_t mono_ns, ProcessState* process, Finding finding);
  void settle(ProcessState* process, Findings findings, uint64_t window);
  void raise(ProcessState* process, const Finding& finding, uint64_t window);
  void follow_growth(uint64_t window);
  void resolve_quiet(uint64_t window);
  bool may_explain(const Incident& failure, uint64_t window) const;
  std::optional<uint64_t> last_of(const ProcessState& process) const;
  std::optional<uint64_t> over_from(const ProcessState& process) const;
  bool is_over(const ProcessState& process, uint64_t window) const;
  void forget_old(uint64_t window);
  size_t forget_threads(const std::function<bool(const ThreadState&)>& is_old);
  void forget_calls(const std::unordered_set<const ProcessState*>& old);
  void forget(const std::unordered_set<const ProcessState*>& old);
  Evaluation evaluation(const ProcessState& process, const ProcessWindow& sum, const ProcessWindow& now,
                        uint64_t window) const;
  uint64_t usual_of(const ProcessState& process, hal::CallId call, uint64_t* slowest) const;

  // engine_ends.cc
  std::string returned(hal::CallId call, std::optional<int64_t> code) const;
  std::string others_text(const std::vector<const Launches::One*>& launches, const hal::Event& event) const;
  void note_fatal(const hal::Event& event, ProcessState& process, const hal::StatusMeaning& meaning);
  void note_exit(const hal::Event& event, ProcessState& process);
  void note_wait(const hal::Event& event, const hal::Wait& wait);
  void note_waker(uint32_t pid, uint32_t waker);
  std::string killed_by(const ProcessState& process) const;
  static void add_hang_before(const ProcessState& process, Finding& finding);
  void add_killed_workers(const ProcessState& parent, std::vector<std::pair<ProcessState*, Finding>>& found);
  void add_missed_workers(const ProcessState& parent, uint64_t window,
                          std::vector<std::pair<ProcessState*, Finding>>& found);
  void evaluate_ends(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found);
  void settle_ends(std::vector<std::pair<ProcessState*, Finding>> ends,
                   std::vector<std::pair<ProcessState*, Finding>>& found, uint64_t window);
  uint64_t known_ns(const Finding& finding) const;
  bool are_peers(uint32_t pid, uint32_t other) const;
  bool takes(Incident& incident, const Finding& finding, const ProcessWindow& now, uint64_t window);
  Incident* cause_of(const ProcessState* process, const Finding& finding, uint64_t window);
  void add_symptom(Incident& cause, ProcessState* process, const Finding& finding, uint64_t window);

  EngineOptions options;
  hal::LossLedger& ledger;
  std::vector<CallFacts> calls;
  PerThreadProbes per_thread_probes;

  uint64_t base = 0;  // first open window; 0: nothing seen yet
  uint64_t seen_ns = 0;
  uint64_t last_event_ns = 0;
  bool finishing = false;
  int64_t wall_offset_ns = 0;
  Examined examined;

  std::vector<std::unique_ptr<ProcessState>> processes;
  std::unordered_map<uint32_t, ProcessState*> by_pid;
  std::unordered_map<uint32_t, ThreadState> threads;
  std::unordered_map<uint64_t, std::unique_ptr<Series>> series;
  std::optional<uint32_t> last_pid;  // of last_process; every number is a pid that a recording may hold
  ProcessState* last_process = nullptr;
  uint64_t last_series_key = ~uint64_t{0};
  Series* last_series = nullptr;
  std::array<std::vector<ThreadState*>, kOpen> touched_threads;
  std::array<std::vector<Series*>, kOpen> touched_series;
  std::array<std::vector<ProcessState*>, kOpen> touched_processes;
  std::multimap<uint64_t, hal::Event> future;  // end later than anything else seen: long calls, delivered early
  static constexpr size_t kMaxFuture = 65536;

  struct Flight {
    uint32_t pid;
    hal::CallId call;
    int64_t wall_offset_ns;
    uint64_t end_mono_ns;  // ~0: not known
    uint64_t stack_id;
    bool has_stack, is_reported;
  };
  std::map<std::pair<uint32_t, uint64_t>, Flight> flights;  // tid, start

  struct Round {  // one collective of one communicator
    uint64_t first_ns = ~uint64_t{0}, last_ns = 0, before_ns = 0;
    uint32_t last_pid = 0;
    std::optional<int32_t> last_rank;
    hal::CallId call = hal::kNoCall;
    uint32_t ranks = 0;
    bool is_cold = false;  // one of the first: ranks are still starting
    struct Entry {         // what a rank called, and with how much
      uint32_t pid = 0;
      std::optional<int32_t> rank;
      hal::CallId call = hal::kNoCall;
      std::optional<uint64_t> bytes;
      uint64_t at_ns = 0;
      uint32_t tid = 0;
      int64_t wall_offset_ns = 0;
      std::optional<uint64_t> stack_id;
    };
    std::vector<Entry> entries;  // the first kMaxEntries to come; the last of them gives way to one that differs
    bool differs = false, is_reported = false;
  };
  static constexpr size_t kMaxEntries = 64;
  std::map<std::pair<uint64_t, uint64_t>, Round> rounds;  // comm_id_hash, number
  static constexpr size_t kMaxRounds = 65536;
  // Of one process, in one window. A rank that is late to several collectives of a step, on one communicator or on
  // several, made the others wait once.
  struct Lateness {
    uint64_t rounds = 0, late_ns = 0, first_at_ns = ~uint64_t{0}, worst_ns = 0, worst_comm = 0;
    hal::CallId call = hal::kNoCall;
    std::optional<int32_t> rank;
    void add(const Lateness& other);
  };
  using LateOn = std::pair<uint64_t, uint32_t>;                      // comm_id_hash, pid
  std::deque<std::pair<uint64_t, std::map<LateOn, Lateness>>> late;  // by window
  // Of each process in the trailing windows, and how late the other ranks of its communicators were.
  std::map<uint32_t, std::pair<Lateness, uint64_t>> lateness() const;
  std::map<uint32_t, uint64_t> late_until;   // by pid: lateness up to here is counted
  std::map<uint32_t, uint64_t> late_in_all;  // by pid, in the whole recording
  std::set<uint32_t> reported_late;          // whose lateness is a chain, or of one
  bool is_of_late_peer(const ProcessState& process, const Finding& finding) const;
  std::set<uint64_t> out_of_step;  // comm_id_hash: communicators with a mismatch, reported once
  void note_entry(const hal::Event& event, Round& round, std::optional<int32_t> rank);
  uint64_t ranks_that_come(uint64_t comm_id_hash) const;
  void evaluate_mismatches(std::vector<std::pair<ProcessState*, Finding>>& found);
  std::map<uint64_t, std::vector<uint32_t>> comm_pids;  // comm_id_hash: the processes that came to its collectives
  static constexpr size_t kMaxPeers = 4096;             // of one communicator
  std::map<std::pair<uint64_t, uint32_t>, std::optional<int32_t>> rank_on;  // comm_id_hash, pid
  static constexpr size_t kMaxSubmitted = 16;
  std::map<uint32_t, std::vector<Submitted>> submitted;  // by pid: the last ones
  std::set<std::string> in_deadlock;                     // subjects of hangs that another has in its text
  std::map<uint64_t, uint32_t> comm_ranks;               // comm_id_hash: most ranks seen in one collective
  struct Hang {
    Finding finding;
    uint64_t from, until;  // windows
    uint64_t comm_id_hash;
    std::vector<hal::CollectiveHang::Rank> missing;
  };
  // The window from which on it is certain: no other rank comes any more, or it has lasted.
  uint64_t is_certain_by(const Hang& hang) const;
  // Of a process, and how: as waitpid(2) gives it, where it is known. A rank is waited for longer than what else is
  // known of its process is kept.
  struct End {
    uint64_t mono_ns = 0;
    std::optional<int64_t> status;
  };
  std::map<uint32_t, End> ended_peers;  // by pid; at most kMaxPeers, the last ones
  std::optional<End> end_of(uint32_t pid) const;
  void keep_end(const ProcessState& process);
  void add_ends(const std::vector<hal::CollectiveHang::Rank>& missing, Finding& finding) const;
  std::map<std::string, Hang> open_hangs;             // by subject
  std::map<uint64_t, std::vector<uint32_t>> hanging;  // hash of the subject: the processes that wait

  FabricState fabric;
  SystemState system;
  std::deque<std::pair<hal::SystemSnapshot, uint64_t>> snapshots;  // not yet in force
  std::deque<hal::Throttling> throttling;
  Affinities affinities;
  std::multimap<uint64_t, std::pair<ProcessState*, Finding>> pending;  // by window
  struct FreeMemory {
    uint64_t mono_ns = 0, bytes = 0;
    size_t n_devices = 0;
  };
  std::deque<FreeMemory> free_memory;                 // readings, the last one last
  std::deque<std::pair<uint64_t, uint64_t>> granted;  // device memory that anyone got, by window, of the last kActive

  std::map<std::string, Incident> incidents;  // open; by family, process and subject
  std::map<std::string, uint64_t> effects;    // effects seen in the last window, not raised yet
  std::map<std::pair<hal::CallId, int64_t>, const hal::StatusMeaning*> meanings;  // by return code; null: unknown
  std::vector<hal::CausalChain> changes;
};

}  // namespace ingero::correlate
