// The budget's state, shared by budget.cc (events in, windows) and budget_rows.cc (rows out). Private to correlate/.
#pragma once

#include <set>

#include "base/queue.h"
#include "correlate/budget.h"
#include "correlate/pending_calls.h"
#include "hal/slow_settings.h"

namespace ingero::correlate {

struct BudgetThread {
  uint32_t pid = 0, tid = 0;
  std::string comm;
  std::optional<uint32_t> role;
  ThreadTime time;
  bool submits = false;     // it makes GPU calls: it has a budget
  bool hands_over = false;  // what the device has done (hal::is_completion_thread)
  uint64_t done_ns = 0;     // its rows go up to here
  uint64_t seen_ns = 0;     // the end of the last that was given of it, also of what is not yet in a window
  uint64_t ended_ns = 0;    // 0: it has not, as far as is known
  uint32_t device_ref = 0;  // that it gave work; 0: not known
  bool has_several_devices = false;
  std::unique_ptr<BudgetSecond> second;  // under way, of one that submits
  struct Ended {
    uint64_t end_ns;
    uint32_t probes_ns, queued_behind;
    bool is_sync, has_waited, is_submission, names_nothing;
  };
  Queue<Ended> ended;
};

// Of a hal::Process, what is asked for.
struct BudgetFacts {
  uint32_t pid = 0, parent_pid = 0;
  uint64_t start_mono_ns = 0;
  std::string comm;
  bool launches_block = false;
};

struct BudgetProcess {
  explicit BudgetProcess(hal::LossLedger& ledger) : device(ledger) {}
  void set_facts(const BudgetFacts& process) {
    facts = process;
    device.set_launches_block(process.launches_block);
  }
  BudgetFacts facts;
  uint64_t last_seen_ns = 0;
  uint64_t first_event_ns = 0;
  uint64_t ended_ns = 0;  // 0: it has not
  bool is_attached_late = false;
  bool has_begun = false;
  PendingCalls calls{Budget::kWindowNs};  // not yet in a window
  DeviceTime device;
  StepFinder finder;
  struct Line {
    Queue<DeviceSegment> segments;
    uint64_t until_ns = 0;
  };
  std::map<uint32_t, Line> lines;  // by device, where they are distinguished; 0: all together
  // What a thread is measured by: the device that it gives work, or all of them.
  Line& line_of(const BudgetThread& thread) {
    const bool has_own = !thread.has_several_devices && device.distinguishes(thread.device_ref);
    return lines[has_own ? thread.device_ref : 0];
  }
  std::vector<uint32_t> submitters;  // tids
  uint32_t step_tid = 0;
  uint64_t step_start_ns = 0;  // 0: none under way
  uint64_t steps = 0;
  uint32_t series = 0;
  std::unique_ptr<TimeSums> step;  // under way; null: there was none so far
  Queue<StepBoundary> boundaries;
  uint64_t last_call_ns = 0;  // end of the last outermost one
};

struct Budget::Impl {
  explicit Impl(hal::LossLedger& loss_ledger)
      : ledger(loss_ledger),
        blame(loss_ledger, [this](const OffSpan& wait, uint32_t pid) { return is_client(wait, pid); }) {}

  // budget.cc
  void add(const hal::Event& event);
  void add_wait(const hal::Event& event, const hal::Wait& wait);
  void add_call(const hal::Event& event, const CallFacts& facts);
  void add_switch(const hal::Event& event);
  void add_exit(const hal::Event& event);
  void seen(uint64_t mono_ns);
  uint64_t first_pending_ns() const;
  void close(uint64_t mono_ns, bool is_end);
  void close_calls(BudgetProcess& process, uint64_t mono_ns);
  void close_process(BudgetProcess& process, uint64_t mono_ns, bool is_end);
  static void take_segments(BudgetProcess& process, uint32_t device_ref, uint64_t mono_ns, bool is_end);
  void end_process(uint32_t pid, uint64_t mono_ns);
  static ProcessFacts facts_of(const BudgetProcess& process);
  void forget(uint64_t mono_ns);
  void forget_exited(uint64_t floor_ns);
  BudgetProcess& process_of(uint32_t pid, uint64_t mono_ns);
  BudgetThread* thread_of(uint32_t tid, uint32_t pid, const std::string& comm);
  uint32_t role_of(BudgetThread& thread);
  void rename(uint32_t pid, const std::string& comm);
  bool waits_for_device(const BudgetThread& thread, const OffSpan& wait, size_t depth = 0) const;
  Blame::Thread find(uint32_t tid, uint32_t pid);
  bool is_client(const OffSpan& wait, uint32_t pid) const;
  bool is_descendant(uint32_t pid, uint32_t of) const;
  bool is_coincidence(const OffSpan& wait, uint32_t pid) const;

  // budget_rows.cc
  void account(BudgetProcess& process, BudgetThread& thread, uint64_t until_ns);
  void add_part(BudgetProcess& process, BudgetThread& thread, const Piece& piece, uint64_t from_ns, uint64_t to_ns,
                const DeviceSegment* segment);
  void add_sums(TimeSums& sums, const TimeSums& part);
  void count_calls(BudgetProcess& process, BudgetThread& thread, uint64_t until_ns);
  void cut(BudgetProcess& process, BudgetThread& thread, uint64_t at_ns);
  void flush_second(BudgetThread& thread);

  static constexpr size_t kMaxLinks = 1024;

  hal::LossLedger& ledger;
  std::map<std::string, double> links;  // by device: the best its link was
  double slowest_link = DeviceTime::kSlowestLink;
  Blame blame;
  std::vector<CallFacts> calls;
  PerThreadProbes per_thread_probes;
  std::map<uint32_t, BudgetProcess> processes;  // those that make GPU calls
  std::map<uint32_t, BudgetFacts> facts;        // of any process
  std::set<uint32_t> from_start;                // pids whose exec or fork was seen: traced from then on
  // By pid, when it ended: its calls may come after that, and its facts are still needed.
  std::unordered_map<uint32_t, uint64_t> exited;
  std::unordered_map<uint32_t, BudgetThread> threads;
  std::unordered_map<uint32_t, std::string> watched;  // pids of `threads`, with a thread's name, as of the last window
  struct Switch {
    uint32_t tid;
    OffSpan span;
  };
  std::vector<Switch> switches;  // not yet in a window
  uint64_t first_ns = 0;         // of the recording
  uint64_t probe_ns = 0;         // of each call's time
  uint64_t seen_ns = 0, closed_ns = 0;
  size_t pending = 0;
  std::vector<ProcessFacts> ended;
  std::vector<BudgetStep> steps;
  std::vector<BudgetSecond> seconds;
  std::vector<Blame::Share> shares;      // reused
  std::vector<BudgetCall> closed_calls;  // likewise, while windows close
};

}  // namespace ingero::correlate
