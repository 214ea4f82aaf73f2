// What each rank of this machine did in each communicator in each window of time: what a cluster's server compares.
//
// A rank's *own work* is its time less all waits that blocked, in all of its communicators: synchronisations that
// covered a collective or a point-to-point call, and calls of the collective library that took long. It is measured
// from one collective of a communicator to the next, when the next is entered, so that a wait that spans two windows is
// in neither's work. Windows begin at multiples of the period of the wall clock, so that all ranks cut alike.
//
// Invariants:
// R1  A collective is counted once, in the window in which it was entered; one that is seen after that window was
//     given out counts in the next.
// R2  Nothing is guessed: a rank whose number in the job, or a communicator whose identity, rank or size is not known
//     is left out, and its collectives are counted as fleet_unknown. Where the environments of processes name no rank,
//     it is that in a communicator of theirs whose ranks are all on this machine, and in no communicator with others.
// R3  Where calls were lost, or a communicator ended, a window has no work: it would look like a slow rank's.
// R4  Memory is bounded by the constants below; what does not fit is counted as fleet_forgotten.
// R5  Numbers are of the last collective, or absent: where numbering ended (communicators.h, C3), those before it are
//     not given out any more.
// R6  That a rank has failed is said for kFailedWindows, of a communicator that it aborted too: others wait for it.
//
// Pure and deterministic: no clock, no I/O; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "correlate/arrival_sample.h"
#include "correlate/barriers.h"
#include "correlate/step_finder.h"
#include "hal/call_table.h"
#include "hal/device_state.h"
#include "hal/event.h"
#include "hal/loss.h"

namespace ingero::correlate {

// What the thread that enters a rank's collectives is doing.
enum class Activity : uint8_t {
  kInCall,     // in a GPU call that has not returned
  kAsleep,     // blocked, outside of GPU calls
  kRunning,    // on a CPU, outside of GPU calls
  kAfterCall,  // a GPU call has returned; what it does since is not known
};

// Where that thread is, with its last GPU call; nested calls are not looked at.
struct RankActivity {
  Activity activity = Activity::kAfterCall;
  hal::CallId call = hal::kNoCall;
  uint32_t tid = 0;
  uint64_t since_ns = 0;  // wall: when it entered the call, or left it
  uint64_t stack_id = 0;  // of the thread; of kAfterCall that of the call; 0: not known

  auto operator<=>(const RankActivity&) const = default;
};

// Where a rank is in the order of a communicator's collectives, and what the last ones were: by which those of ranks
// that do not count alike can be found to be the same. Either the numbers, or as many as were seen since the first or
// since calls were lost, which is another base then.
struct Progress {
  static constexpr size_t kMaxRecent = 16;

  uint64_t base = 0;  // 0: these are the numbers
  uint64_t entered = 0, left = 0;
  uint64_t left_ns = 0;                                 // wall: when the last was left; 0: none was
  std::deque<std::pair<hal::CallId, uint64_t>> recent;  // calls and bytes of the last that were entered
};

// One rank in one communicator in one window. Times are wall nanoseconds, or lengths.
struct RankWindow {
  uint64_t start_ns = 0, end_ns = 0;
  uint32_t pid = 0;
  std::string job;    // empty: neither a batch system nor its launcher says
  uint32_t rank = 0;  // in the job
  uint64_t comm_id_hash = 0;
  std::optional<uint64_t> library_hash;
  uint32_t comm_rank = 0, nranks = 0;
  uint64_t collectives = 0;               // entered
  uint64_t measured = 0, work_ns = 0;     // those of them whose own work before is known, and its sum
  std::optional<uint64_t> median_ns;      // of the same: see RankWindows
  uint64_t blocked = 0, wait_ns = 0;      // waits that blocked and ended in the window
  uint64_t bytes = 0;                     // of the collectives
  uint64_t measured_bytes = 0;            // of those of them that are measured
  std::optional<uint64_t> entered, left;  // number of the last collective; absent: not known, or not any more
  std::optional<Progress> progress;       // at the end of the window
  uint64_t entered_bytes = 0;             // of that collective; 0: not known
  bool is_gone = false;                   // its process has ended
  bool has_failed = false;                // it aborted the communicator, or a collective of it returned an error
  hal::CallId call = hal::kNoCall;        // the last collective
  // Of the own work, in all communicators: preempted and waiting for a CPU, of each thread of the rank that makes GPU
  // calls; blocked and in I/O, while all of those that made some since the last collective were asleep.
  hal::OffCpu off;
  uint32_t device_ref = 0;                 // Event::device_ref of the rank's last call on a communicator; 0: not known
  std::optional<hal::DeviceState> device;  // filled by what knows the machine's devices
  std::vector<SampledArrival> arrivals;    // of the sample that all ranks choose alike
  // Of a rank that entered no collective in the window. kAsleep and kRunning: filled by what sees its threads.
  std::optional<RankActivity> activity;
};

// Disjoint intervals, and how much of them lies before a time.
class WaitSpans {
 public:
  static constexpr size_t kMaxSpans = 4096;

  void add(uint64_t start_ns, uint64_t end_ns);
  uint64_t before(uint64_t ns) const;
  bool knows(uint64_t ns) const { return ns >= forgotten_until_ns_; }

 private:
  struct Span {
    uint64_t start_ns, end_ns, before_ns;
  };
  std::deque<Span> spans_;  // ascending
  uint64_t forgotten_until_ns_ = 0, forgotten_ns_ = 0;
};

// The median is over the steps where the order of a rank's collectives has a period (StepFinder): the own work of a
// step, divided by the collectives of a step on this communicator. Without a period it is over the collectives.
class RankWindows {
 public:
  static constexpr uint64_t kPeriodNs = 5'000'000'000;
  static constexpr uint64_t kShortestWaitNs = 20'000;      // what took less did not block
  static constexpr uint64_t kLossDelayNs = 2'000'000'000;  // a loss is known of within this
  static constexpr size_t kMaxRanks = 256, kMaxCommunicators = 64, kMaxFacts = 65536;
  static constexpr size_t kMaxSwitches = 8192, kMaxThreads = 64;  // of a rank
  static constexpr size_t kMaxWorks = 8192;                       // of a window, for the median
  static constexpr size_t kMaxNotLeft = 4096;                     // collectives of a communicator
  static constexpr int64_t kMaxRank = 1 << 20;
  static constexpr uint64_t kFailedWindows = 6;

  using Exchanges = std::span<const std::pair<size_t, hal::Exchange>>;

  // The arguments must outlive this.
  RankWindows(const hal::CallTable& calls, hal::LossLedger& ledger) : calls_(calls), ledger_(ledger) {}

  void know(const hal::Process& process);
  // New, or more is known of it. Before the calls on it.
  void know(const hal::Communicator& communicator);
  // A batch in ring order, and what its synchronisations covered.
  void take(std::span<const hal::Event> events, Exchanges exchanges, std::span<const CoveredSync> syncs,
            int64_t wall_offset_ns);
  // Calls of a process were lost within the last kLossDelayNs; 0: of which is not known.
  void lost(uint32_t pid, uint64_t wall_ns);
  // Its last calls are taken. `start_mono_ns`: of the process, for another one may have its number by now.
  void process_ended(uint32_t pid, uint64_t start_mono_ns);

  // The windows that have ended by `wall_ns`: nothing that was entered before it is still to come.
  std::vector<RankWindow> advance(uint64_t wall_ns);
  // The recording ends: what the window that has begun holds so far, without its work.
  std::vector<RankWindow> finish();

 private:
  struct Sums {
    uint64_t collectives = 0, measured = 0, work_ns = 0, blocked = 0, wait_ns = 0, bytes = 0, measured_bytes = 0;
    std::vector<uint64_t> works;
    void add(const Sums& other);
  };
  struct On {  // a communicator of a rank
    hal::Communicator known;
    std::map<uint64_t, Sums> sums;               // by window
    std::optional<uint64_t> last_mono_ns;        // entry; before the first, when it was made
    uint64_t waited_ns = 0;                      // until then
    std::map<uint64_t, uint64_t> entered, left;  // number, by window
    std::map<uint64_t, uint64_t> entered_bytes;  // by window
    std::optional<uint64_t> last_entered, last_left, last_bytes;
    uint64_t last_base = 0;
    Progress progress;                                   // now
    std::deque<std::pair<uint64_t, uint64_t>> not_left;  // when each was submitted, mono, and which it was
    std::map<uint64_t, Progress> progresses;             // by window
    std::optional<Progress> last_progress;
    std::optional<uint64_t> failed_ns;  // the window in which it failed last; none, or since then one has not
    hal::CallId call = hal::kNoCall;
    std::map<uint64_t, uint64_t> steps;  // collectives of the last step, by window
    uint64_t in_step = 0, of_step = 0;
    bool has_collectives = false;
    void note_latest(uint64_t window_ns);
    void note_entered(const hal::Event& event, std::optional<uint64_t> number, uint64_t window_ns);
    void note_left(uint64_t submitted_mono_ns, uint64_t wall_ns, uint64_t window_ns);
    void begin_base();
    bool is_over(uint64_t window_ns) const;
  };
  struct Switch {
    uint64_t start_ns, end_ns;
    uint32_t tid;
    hal::OffCpu off;
  };
  struct Facts {
    int32_t rank;
    std::string job;
    uint64_t start_mono_ns;  // of the process
  };

  struct Rank {
    std::map<uint64_t, On> communicators;  // by Communicator::id
    WaitSpans waits;
    std::set<uint32_t> threads, active;  // that make GPU calls; since the last entry
    std::deque<Switch> switches;         // since the last entry
    std::optional<uint64_t> last_mono_ns, step_mono_ns;
    std::map<uint64_t, hal::OffCpu> off;              // by window
    std::map<uint64_t, std::vector<uint64_t>> steps;  // own work, by window
    std::set<uint64_t> without_work;                  // windows
    StepFinder finder;
    uint64_t chosen_mono_ns = 0;
    uint32_t device_ref = 0;
    uint32_t tid = 0;  // that entered the last collective; 0: none has
    std::optional<RankActivity> activity;
    ArrivalSample sample;
    uint64_t most_ranks = 0;               // of its communicators
    std::optional<Facts> own;              // by its communicators, where its environment names no rank
    bool has_ended = false;                // and its last calls are here
    std::optional<uint64_t> exit_wall_ns;  // as its exit's event says
    bool ended_well = false;               // likewise: with status 0

    // Its end as of a window: by when it was, not by when it became known, which no recording has.
    bool is_gone_by(uint64_t wall_ns) const { return exit_wall_ns ? *exit_wall_ns <= wall_ns : has_ended; }
    std::optional<RankActivity> activity_of(uint64_t window_ns) const;
  };
  uint64_t window_of(uint64_t wall_ns) const;
  void take(const hal::Event& event, const hal::Exchange* exchange);
  void take(const CoveredSync& sync);
  void leave(const CoveredSync& sync);
  static void note_number(On& on, std::optional<uint64_t> number, uint64_t window);
  static void note_call(Rank& rank, const hal::Event& event);
  static void note_failure(On& on, const hal::Event& event, hal::Role role, uint64_t window);
  void enter(Rank& rank, On& on, const hal::Event& event);
  void sample(Rank& rank, const On& on, const hal::Event& event, uint64_t number);
  void step(Rank& rank, On& on, const hal::Event& event, uint64_t window);
  void settle_switches(Rank& rank, uint64_t mono_ns, uint64_t window);
  static void add_asleep(const Rank& rank, uint64_t mono_ns, hal::OffCpu& sum);
  const Facts* facts_of(uint32_t pid) const;
  struct Group;
  std::map<uint64_t, Group> groups() const;
  void find_own_ranks();
  std::vector<RankWindow> cut(bool with_work);
  void cut(const Facts* facts, uint32_t pid, Rank& rank, bool with_work, std::vector<RankWindow>& out);

  const hal::CallTable& calls_;
  hal::LossLedger& ledger_;
  std::unordered_map<uint32_t, Facts> facts_;     // by pid; of those with a rank
  std::unordered_map<uint32_t, Facts> unranked_;  // of those whose environment names none
  std::map<uint32_t, Rank> ranks_;                // by pid; of those with communicators
  int64_t wall_offset_ns_ = 0;
  uint64_t window_ns_ = 0;  // the first that was not given out; 0: none was
};

}  // namespace ingero::correlate
