// Where the time went: the budget of each process that makes GPU calls, as `ingero explain` opens with it.
//
// Gathered by a replay of the recording through the budget engine (correlate/budget.h), so a finished recording gives
// the same answer as the agent did. Unknown is absent. Threads: one at a time. Failure: the store's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "correlate/budget_summary.h"
#include "store/read/reader.h"
#include "store/read/replay.h"

namespace ingero::report {

struct BlameNode {
  std::string role;  // "python"
  std::vector<uint32_t> pids;
  correlate::TimeClass is = correlate::TimeClass::kUnknown;
  uint8_t kind = 0;  // hal::WaitKind
  bool is_write = false;
  bool is_timed_out = false;                        // its timer ended it
  bool is_on_its_way = false;                       // it had not received yet what the one before had sent
  bool takes_lock = false;                          // of kFutex: for a lock that its line takes, and no queue
  std::string object;                               // "10.0.0.9:9000", a path, a lock's name
  correlate::Most<correlate::WaitedFor> object_id;  // of the recording's wait_objects
  correlate::Most<uint64_t> pid;                    // which of them it was
  std::string line, caller;                         // "forward() at train.py:61", "called in step() at train.py:31"
  std::string within;                               // "sqlite3_step() of libsqlite3", for most of it; empty: none
  std::string script;                               // "train.py", of another program than its own; empty: not known
  uint64_t stack_id = 0;
  std::vector<std::pair<uint64_t, uint64_t>> stacks;  // most first, and for how long each; at most kMaxStacks
  static constexpr size_t kMaxStacks = 32;
};

// Whether it waited for a lock that somebody holds.
bool is_for_held_lock(const BlameNode& node);

// From the thread that lost time to the root.
struct BlamePath {
  std::vector<BlameNode> nodes;
  uint64_t ns = 0, low = 0, high = 0;  // of the evaluated steps or seconds
};

struct ProcessTime {
  correlate::ProcessBudget budget;
  std::string name, node, found_by;
  std::optional<int64_t> session;  // the run of the agent in the recording, where it says
  int64_t wall_offset_ns = 0;
  uint64_t first_submission_ns = 0;
  std::optional<uint64_t> attached_ns;             // the process ran before it was traced
  std::vector<BlamePath> blame;                    // most lost first
  std::vector<std::vector<BlamePath>> slow_blame;  // of each of budget.slow: none or one
  std::string remedy;
  // What else the recording shows of the reason, as sentences.
  std::vector<std::string> because;
  // "rank 1 of 2 (pid 812), the last in 140 of 146 collectives"; of a late rank: which it is; empty: none
  std::string waits_for;
  bool waits_for_peer = false;     // that is one whose steps are the same ones
  uint64_t silent_ns = 0;          // at the end of the recording, where it hangs or has no work; 0: not so long
  uint64_t locked_out_ns = 0;      // at its end, in a wait for a lock; 0: not so long
  bool is_late = false;            // a rank that the others wait for
  std::set<uint32_t> devices;      // to which it submitted, as Event::device_ref of the replay; at most kMaxDevices
  bool has_own_device = false;     // several, of which the thread that is shown has one: the figures are of that one
  bool shares_its_device = false;  // with another traced process, for half of the time or more
  bool shares_its_stream = false;  // among its threads: each waits for the work of all
  std::string_view ended_so;       // "failed", "hung": a chain says how; empty: neither
  bool launches_block = false;     // by a setting
  bool copies_much = false;        // asynchronously: its device may be busy with these alone
  std::string refused;             // nearly all of its launches failed: which, and how; empty: no
  std::optional<std::string> slowed_by;  // another traced process, which used its device: its name
  static constexpr size_t kMaxDevices = 64;
};

// Takes part in a replay.
class TimeSink {
 public:
  TimeSink();
  ~TimeSink();
  void begin(const std::string& node);
  void session(int64_t id);
  void started(uint64_t mono_ns);
  void probe_cost(uint64_t ns);
  void call(hal::CallId id, const store::ReplayedCall& call);
  void probe(uint32_t probe, std::string_view symbol);
  void process(const hal::Process& process);
  void event(const hal::Event& event);
  void wait(const hal::Event& event, const hal::Wait& wait);
  void sample(const hal::CpuSample& sample);
  void device_sample(const hal::DeviceSample& sample, uint64_t mono_ns);
  void end(std::optional<uint64_t> watermark_mono_ns);
  std::vector<ProcessTime> take();

 private:
  void drain();
  struct Session;
  std::unique_ptr<Session> session_;
  std::vector<ProcessTime> found_;
};

// A replay for nothing but this.
Status replay_time(const store::Reader& reader, const store::Selection& selection, TimeSink& sink);
// The lines of the program where it waited, and the names of what it waited for.
void add_time_names(const store::Reader& reader, std::vector<ProcessTime>& times);
// What else explains it: who had the CPUs, the collector of a language, page faults, settings, a rank that comes last.
// From what is selected alone, as the budgets are.
void add_time_evidence(const store::Reader& reader, const store::Selection& selection, std::vector<ProcessTime>& times);
// Likewise, of other processes and other times; after that.
void add_peer_evidence(const store::Reader& reader, const store::Selection& selection, std::vector<ProcessTime>& times);

// Whether what it lost in slow steps is that of one of them: then sums are given, and not what each step has of them.
bool is_of_one_step(const correlate::ProcessBudget& budget);
// What to do about it; empty: nothing is known to help. After the names.
std::string remedy_of(const ProcessTime& time);
// Where most of what was lost was for threads that hand something on, and slept or waited for a child that is not seen
// meanwhile: the largest of these; null: that is not so.
const BlamePath* path_to_resting(const ProcessTime& time);
// Who was waited for: "python (pid 3120, train.py)", "thread decoder of python (pid 3119)".
std::string other_text(const BlameNode& node, const ProcessTime& time);

std::string time_text(const std::vector<ProcessTime>& times, bool colour);
Json time_json(const std::vector<ProcessTime>& times);

}  // namespace ingero::report
