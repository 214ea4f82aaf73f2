// What the engine keeps between windows. Private to correlate/: sums of calls by process, thread and
// window, incidents that are open, and what rules must remember. Used by the engine's one thread. Each table has a
// bound; those of E5 count what they forget, short lists in an entry (places, users of a stream, children, failures) do
// not.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "correlate/affinity.h"
#include "correlate/baseline.h"
#include "correlate/fabric_state.h"
#include "correlate/facts.h"
#include "correlate/rules.h"
#include "correlate/window.h"
#include "hal/chain.h"
#include "hal/event.h"

namespace ingero::correlate {

inline constexpr size_t kMaxChildren = 1024;
inline constexpr size_t kLastCalls = 3;
inline constexpr size_t kLongWaits = 16;
inline constexpr uint64_t kColdWindows = 5;  // after a process's first call, in which its start-up is evaluated
inline constexpr size_t kOpen = 4;           // windows that can take events at once
static_assert(kOpen * kWindowNs >= kLatenessNs + 2 * kWindowNs);

// One (process, call, size class, nested or not).
struct SeriesWindow {
  uint64_t window = 0;  // 0: empty
  uint64_t calls = 0, timed = 0, ns = 0, max_ns = 0, min_ns = ~uint64_t{0}, bytes = 0, blocked_ns = 0, failed = 0;
  uint64_t spike_ns = 0, first_spike_ns = 0;
  std::vector<uint64_t> spikes;  // which calls of the series
  Bins bins;
};
// The last few of something, the newest last. Empty ones cost nothing: most processes are short.
template <typename T>
void push_last(std::vector<T>& last, T value, size_t kept) {
  if (last.size() >= kept) last.erase(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(last.size() + 1 - kept));
  last.push_back(std::move(value));
}

struct ProcessState;
struct Series {
  ProcessState* process = nullptr;
  hal::CallId call = hal::kNoCall;
  uint8_t size_class = 0;
  bool nested = false;
  std::array<std::unique_ptr<SeriesWindow>, kOpen> open;  // null: no call in it so far
  Baseline baseline;
  double usual_blocked_ns = -1;  // mean of a call, before anything unusual
  uint64_t first_calls = 0, first_ns = 0, shortest_ns = ~uint64_t{0};
  uint64_t slowest_ns = 0, last_window = 0;
  uint64_t usual_ns = 0;  // as of the last closed window
  // Spikes: how many calls lie between two bursts of them.
  uint64_t seen = 0, last_spike = 0, spikes = 0, spike_ns = 0, spike_window = 0, first_spike_ns = 0;
  std::vector<uint64_t> gaps;
  uint64_t most_undone = 0;  // ProcessState::undone when one of its calls that was no spike began
  bool listed = false;       // in its process's list
};

struct ThreadWindow {
  uint64_t window = 0;
  hal::OffCpu off;
  uint64_t switches = 0, ns = 0;
  Preemptors preemptors;
  Intervals intervals;
};
// An allocation that failed for want of device memory, and what its thread has given back since.
struct Refused {
  uint64_t bytes = 0;  // 0: none
  uint64_t start_ns = 0;
  uint64_t pieces = 0, freed_bytes = 0, largest_piece = 0;
};

struct ThreadState {
  ProcessState* process = nullptr;
  Refused refused;
  uint64_t last_call_window = 0, last_window = 0;
  std::array<uint64_t, kOpen> called{};                   // windows in which it made a call
  std::array<std::unique_ptr<ThreadWindow>, kOpen> open;  // null: no switch in it so far
};

// An executable graph.
struct GraphState {
  uint64_t instantiated_mono_ns = 0, launches = 0, last_window = 0;
  std::array<uint64_t, kOpen> open{};
  std::array<uint64_t, kOpen> open_window{};
  std::vector<uint64_t> rates;  // launches of the last windows
};

// The last kTrailing closed windows, the newest last. Most are empty, of a process that is short or waits: those take
// no room.
class Trailing {
 public:
  class Iterator {
   public:
    Iterator(const Trailing& trailing, size_t at) : trailing_(trailing), at_(at) {}
    const ProcessWindow& operator*() const { return trailing_[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const Trailing& trailing_;
    size_t at_;
  };
  // Null: an empty one.
  void push(std::unique_ptr<const ProcessWindow> window) {
    if (size_ == kTrailing) {
      std::move(windows_.begin() + 1, windows_.end(), windows_.begin());
      --size_;
    }
    windows_[size_++] = std::move(window);
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const ProcessWindow& operator[](size_t at) const {
    static const ProcessWindow nothing = [] {
      ProcessWindow window;
      window.windows = 1;
      return window;
    }();
    return windows_[at] ? *windows_[at] : nothing;
  }
  const ProcessWindow& back() const { return (*this)[size_ - 1]; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

 private:
  std::array<std::unique_ptr<const ProcessWindow>, kTrailing> windows_;
  size_t size_ = 0;
};

// The latest launches on each stream: what most likely caused an error that shows later.
class Launches {
 public:
  struct One {
    Sample sample;
    uint64_t function = 0, end_mono_ns = 0;
  };
  void add(uint64_t stream, One launch);
  // The last that had ended when a call began at `before_ns`; on any stream where none is given. Null: none.
  const One* last(std::optional<uint64_t> stream, uint64_t before_ns) const;
  // Likewise those from then on that had ended, by their starts.
  std::vector<const One*> between(std::optional<uint64_t> stream, uint64_t from_ns, uint64_t before_ns) const;
  static constexpr size_t kMaxStreams = 64, kKept = 8;

 private:
  std::map<uint64_t, std::vector<One>> of_stream_;
  std::map<uint64_t, uint64_t> stacks_;  // by function: where it was launched when a stack was last taken
};

// A process that has failed is known as that until it ends: later errors follow from the first.
struct ProcessState {
  hal::Process facts;
  uint64_t named_ns = 0;  // when its main thread was seen to be called so; 0: it was not
  uint64_t key = 0;       // of pid and start: the same in every run over the recording
  uint64_t first_seen_ns = ~uint64_t{0};
  uint64_t known_since = 0;  // window in which it was announced, or first seen
  uint64_t first_call_window = 0, last_call_window = 0, last_window = 0;
  std::optional<uint64_t> ended_mono_ns;
  std::array<std::unique_ptr<ProcessWindow>, kOpen> open;  // null: not touched so far
  std::array<uint64_t, kOpen> open_window{};
  bool calls_runtime = false;  // it has made a call of a library that is not below a runtime
  bool has_peers = false;      // it has made a call of a communicator: others may wait for it
  bool is_oom_victim = false;
  bool launches_block = false;  // by a setting
  Trailing trailing;
  std::vector<uint64_t> rates;  // work submitted in each of the last windows
  struct Live {
    uint64_t bytes = 0;
    std::optional<uint64_t> stack_id;
  };
  std::unordered_map<uint64_t, Live> live;  // by device address
  uint64_t live_bytes = 0;                  // of all of those
  uint64_t first_work_ns = ~uint64_t{0};    // when it first submitted work; ~0: it has not
  uint64_t granted_ns = 0;                  // when it last got memory of a device before that
  struct SyncMean {
    uint64_t window = 0, ns = 0;  // a wait for the device, on average
  };
  std::vector<SyncMean> sync_means;  // of the last windows with some
  // Processes that began to submit work after this one, the last kNewcomers.
  struct Newcomer {
    uint64_t key = 0, window = 0;  // of that process; in which it began
    uint64_t usual_ns = 0;         // a wait of this one for its device before
    bool has_cost = false;         // it was longer soon after
  };
  std::vector<Newcomer> newcomers;
  static constexpr size_t kMaxDevices = 64;
  std::vector<uint32_t> devices;  // on which it works, as far as known (Event::device_ref): the first kMaxDevices
  uint64_t first_work_window = 0, first_graph_window = 0;  // 0: none; graph: in which it launched one
  std::vector<int64_t> growth;                             // net bytes of each of the last windows
  int64_t held_bytes = 0, peak_bytes = 0;
  std::vector<Series*> series;
  std::map<uint64_t, GraphState> graphs;                         // by handle
  std::map<std::pair<hal::CallId, int64_t>, uint64_t> failures;  // of the window being closed and those before
  std::set<uint32_t> children;                                   // as far as kMaxChildren go
  std::map<uint32_t, uint64_t> exchanges;  // likewise: of those, how often one of the two waited for the other
  // Queue pairs on fabric adapters: how many there are, and from when to when there were any.
  uint64_t queues = 0, first_queue_ns = ~uint64_t{0}, last_queue_ns = 0;
  uint64_t completion_wait_ns = 0;     // in calls that wait for completions
  std::unique_ptr<Launches> launches;  // null: none
  std::vector<Sample> last_calls;      // the last kLastCalls, by their starts
  struct Failure {
    hal::CallId call = hal::kNoCall;
    std::optional<int64_t> code;  // none: a null pointer
    uint64_t start_mono_ns = 0;   // 0: no call has failed
  } last_failure;
  std::vector<Sample> calls_at_end;    // in which its threads ended
  std::optional<int64_t> exit_status;  // as waitpid(2) gives it
  uint32_t sender_pid = 0;             // who sent the signal that ended it; 0: not known, or the kernel
  std::string sender_comm;
  bool is_sent_by_parent() const { return sender_pid != 0 && sender_pid == facts.parent_pid; }
  // Waits for a lock, for requests or for other processes so long that they may be for ever, the last kLongWaits; not
  // for a lock that another thread let go of.
  struct LongWait {
    uint32_t tid = 0;
    uint64_t start_ns = 0, end_ns = 0;
    bool has_waker = false;  // who ended it by the way, as by ending the process
    bool is_for_requests = false;
    bool is_for_others = false;  // for what another process writes
    uint64_t object = 0;
  };
  std::vector<LongWait> long_waits;
  uint64_t fatal_mono_ns = 0;  // of the first error after which nothing works; 0: none
  uint64_t last_submit_ns = 0,
           last_wait_ns = 0;  // when it last submitted work, and when it last knew that work was done
  uint64_t undone = 0;        // submissions since then
  uint64_t last_work_ns = 0, last_drained_ns = 0;  // likewise the ends, of all that a copy may wait for
  // By direction, and whether by name asynchronous: of copies that found nothing outstanding, bytes a nanosecond.
  std::map<std::pair<hal::Direction, bool>, double> best_copy_rates;
  uint32_t pause = 0, longest_pause = 0;  // windows without work: now, and the most so far
  uint64_t rate_before_pause = 0;         // steady, of the windows right before; 0: it was not
  uint64_t asleep = 0;                    // windows up to now in which all of it slept
  bool has_undone_work() const { return last_submit_ns > last_wait_ns; }
  // It worked steadily, and then left work undone: that goes on until it works again, also when nothing comes of it.
  bool has_stopped() const { return pause > 0 && rate_before_pause > 0 && has_undone_work() && !ended_mono_ns; }
  bool had_queues(uint64_t from_ns, uint64_t to_ns) const {
    if (first_queue_ns > to_ns) return false;
    const bool has_now = queues > 0 && (!ended_mono_ns || *ended_mono_ns >= from_ns);
    return has_now || last_queue_ns >= from_ns;
  }
};

// The machine, as sampled last before a window's end.
struct SystemState {
  std::optional<hal::SystemSnapshot> snapshot;
  uint64_t snapshot_mono_ns = 0;
  uint64_t cpus = 0;  // 0: unknown
};

// A rule's word on a window.
struct Finding {
  RuleId rule = RuleId::kCount;
  uint64_t lost_ns = 0;      // in the trailing windows
  uint64_t lost_now_ns = 0;  // in this one
  hal::Grade grade = hal::Grade::kMeasured;
  double confidence = 0.9;
  uint64_t number = 0, number_now = 0;  // the rule's own count
  uint64_t bytes = 0, held_bytes = 0;   // requested, and what the process held when that was refused
  std::string subject;                  // distinguishes incidents of one rule and process
  std::string detail;                   // the rule's own words
  std::string cause, remedy;            // likewise; empty: the rule's
  bool has_returned = false;            // of a call that did not for long
  bool is_minor = false;                // of low severity, whatever its rule's
  uint64_t longest_ns = 0;              // the most that was lost at once
  std::vector<uint32_t> absent;         // of a hang: the processes that have not come
  std::vector<hal::ChainEvidence> evidence;
  hal::CallId op = hal::kNoCall;
  uint64_t usual_ns = 0, slowest_ns = 0;
  std::optional<Sample> sample;
  uint64_t onset_mono_ns = 0;  // 0: the first window with a loss
  uint64_t end_mono_ns = 0;    // 0: with its window
  std::optional<FabricPart> fabric;
};

struct Incident {
  hal::CausalChain chain;  // but for its times, which as_chain() gives it
  RuleId rule = RuleId::kCount;
  ProcessState* process = nullptr;
  Finding last;
  ProcessWindow total;
  uint64_t onset_window = 0, last_window = 0, lost_ns = 0, number = 0, longest_ns = 0;
  std::vector<std::string> symptoms;
  FabricPart fabric;  // of all windows
  uint64_t onset_mono_ns = 0, end_mono_ns = 0;
  int64_t wall_offset_ns = 0;
  bool changed = false;
  bool has_ended_process = false;  // its process failed of it: critical, whatever the rule's severity

  uint64_t span_ns() const { return end_mono_ns > onset_mono_ns ? end_mono_ns - onset_mono_ns : 0; }
  hal::CausalChain as_chain() const {
    hal::CausalChain whole = chain;
    whole.onset_wall_ns = onset_mono_ns + static_cast<uint64_t>(wall_offset_ns);
    whole.end_wall_ns = end_mono_ns + static_cast<uint64_t>(wall_offset_ns);
    return whole;
  }
};

// What a rule may look at.
struct Evaluation {
  const ProcessState& process;
  const ProcessWindow& sum;  // of the trailing windows
  const ProcessWindow& now;
  uint64_t window = 0;
  uint64_t span_ns =
      0;  // of the trailing windows, since the process was first seen and until it or the recording ended
  const SystemState& system;
  const std::vector<CallFacts>& calls;
  const std::unordered_map<uint32_t, ProcessState*>& by_pid;
  const std::deque<hal::Throttling>& throttling;  // of the trailing windows
  const Affinities& affinities;
  const std::map<uint64_t, std::vector<uint32_t>>& comm_pids;  // the processes of each communicator
  const StatusOf& status_of;
  const MeaningOf& meaning_of;
  bool windowed = false;  // without off-CPU shares: only coincidence in time can be reported

  bool over(uint64_t lost_ns, const Rule& rule) const {
    return lost_ns >= rule.floor_ns && lost_ns * 100 >= span_ns * rule.share;
  }
  // Of a rule that counts: its number, and time spent, in the trailing windows and in this one.
  Finding counted(const Rule& rule, double confidence, uint64_t number, uint64_t number_now, uint64_t spent_ns = 0,
                  uint64_t spent_now_ns = 0) const {
    Finding finding;
    finding.rule = rule.id;
    finding.confidence = confidence;
    finding.number = number;
    finding.number_now = number_now;
    finding.lost_ns = std::min(spent_ns, span_ns);
    finding.lost_now_ns = std::min(spent_now_ns, kWindowNs);
    return finding;
  }
  const CallFacts* call(hal::CallId id) const { return id < calls.size() ? &calls[id] : nullptr; }
};
using Findings = std::vector<Finding>;

void evaluate_cpu(const Evaluation& seen, Findings& findings);  // rules_cpu.cc
// Likewise: of the rules that say who had the CPU, the one that these windows show.
constexpr bool is_of_who_ran(RuleId id) {
  return id == RuleId::cpu_preemption || id == RuleId::oversubscription || id == RuleId::run_queue_wait ||
         id == RuleId::noisy_neighbour;
}
RuleId who_ran(const Evaluation& seen, const ProcessWindow& sum);
// Another process that makes GPU calls in the same job: what it takes is not a stranger's.
bool is_sibling(const Evaluation& seen, uint32_t pid);
uint64_t siblings_ns(const Evaluation& seen, const Preemptors& preemptors);  // what they had
void evaluate_waits(const Evaluation& seen, Findings& findings);             // rules_waits.cc
void evaluate_patterns(const Evaluation& seen, Findings& findings);          // rules_patterns.cc
void evaluate_memory(const Evaluation& seen, Findings& findings);            // rules_memory.cc
void evaluate_rates(const Evaluation& seen, Findings& findings);             // rules_rates.cc
void evaluate_device(const Evaluation& seen, Findings& findings);            // rules_device.cc
bool has_longer_waits(uint64_t mean_ns, uint64_t usual_ns);  // likewise: by as much as makes it a finding
uint64_t steady_rate(const std::vector<uint64_t>& values, size_t leave, size_t at_least);  // rules_rates.cc
void evaluate_system(const SystemState& system, Findings& findings);                       // rules_system.cc

// A Sample or a FabricEvent as evidence. Where there is no offset to wall time, wall time stands for monotonic time.
template <typename Seen>
hal::ChainEvidence evidence_of(const Seen& seen, std::string op, std::string detail) {
  const bool is_wall = seen.wall_offset_ns == 0;
  return {seen.pid,
          seen.tid,
          seen.start_mono_ns + static_cast<uint64_t>(seen.wall_offset_ns),
          seen.duration_ns,
          is_wall ? std::nullopt : std::optional(seen.start_mono_ns),
          std::move(op),
          std::move(detail)};
}
// Writes the incident's chain from what is known of it: texts, timeline, evidence (wording.cc).
void describe(Incident& incident, const Evaluation& seen);
void describe_failure(Incident& incident, const Evaluation& seen, const std::string& who);  // wording_ends.cc
void describe_end(Incident& incident, const Evaluation& seen, const std::string& who);      // wording_ends.cc
void describe_system(Incident& incident, const SystemState& system);
void describe_fabric(Incident& incident);  // wording_fabric.cc
// What all chains have: grade, severity, explanation.
void finish_chain(Incident& incident, const Rule& its, uint64_t span_ns);

}  // namespace ingero::correlate
