// A process's budget as people read it: a usual step, what stands out from it, and what limits it.
//
// Of several series of steps the one that took the most time is what the program does; another was found at its start,
// or while it did something else. Usual is the commonest content of the last kKept steps of a series; a step is slow
// that took longer than the median of the usual ones by a fifth, five times their deviation and 1 ms. What limits a
// program is taken from usual steps alone, so that a pause between bursts, an evaluation or a checkpoint is reported as
// what it is, and not as what limits the program; but where slow steps cost much, and more than usual ones lose, the
// result is about those too. Without steps the seconds are evaluated, without the first ones and those of imports and
// loading.
//
// How long the device had nothing to do is also what the devices count themselves. That does not say when, so it raises
// what each class of time must have lost at the least, and nothing else (tighten).
//
// Invariants:
// M1  The sums that a limit is taken from are sums of rows; rows added in any split give the same sums.
// M2  Memory is bounded: kKept steps and kMaxSlow slow ones of each of kMaxProcesses; rows of others are counted.
//
// Pure and deterministic; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "correlate/budget.h"
#include "correlate/limit.h"
#include "hal/chain.h"
#include "hal/loss.h"

namespace ingero::correlate {

struct SlowStep {
  uint64_t number = 0, start_ns = 0, length_ns = 0, usual_ns = 0;
  TimeClass is = TimeClass::kUnknown;  // what most of the excess is
  uint64_t more_ns = 0;                // of it
  std::vector<CauseShare> causes;      // of this step, of that class; most lost first, empty: not lost, or not known
  bool has_other_content = false;
};

// What waiting for a CPU, or under a limit, may have cost a thread of a process at the most: percent of its time.
struct CpuCost {
  uint64_t waits = 0, all = 0;  // of `all`: whatever it was lost to, as a limit stops those that are waited for too
  uint64_t low_ns = 0, high_ns = 0;  // of the waits of all of its threads
  uint64_t total_ns = 0;             // of the longest
  void add(const TimeSums& whole);
  // A chain that has waited for longer than may have delayed a device loses what surely did: says so, and no more.
  void hold(hal::CausalChain& chain) const;
  // Whether what a rule of is_of_cpu_alone() found cost next to nothing: the device was busy meanwhile. Only what
  // delays is a cause.
  bool is_harmless(std::string_view rule_name) const;
};

// A step of many.
struct StepSample {
  uint64_t start_ns = 0, length_ns = 0, device_ns = 0;  // device: waited for
};

// From when on a usual step waited longer for the device, and what that cost: a share of the time of all usual steps.
struct LongerWaits {
  uint64_t from_ns = 0, before_ns = 0, after_ns = 0;
  double share = 0;
};

// What the threads of a process that submit work lost together, as shares of the time: each gap of the device is
// charged to one of them.
struct Together {
  uint32_t threads = 0;  // that submit, none far less than the busiest
  double low = 0, high = 0;
};

struct ProcessBudget {
  uint32_t pid = 0, tid = 0;
  uint64_t start_ns = 0, end_ns = 0;  // evaluated, and what lies between
  uint64_t first_step_ns = 0;         // of these steps, or of others before them
  uint64_t steps = 0;                 // seen; 0: evaluated by seconds
  uint64_t usual_ns = 0;              // median of usual steps
  hal::CallId found_by = hal::kNoCall;
  Evaluated evaluated;
  LimitResult result;
  bool is_of_slow = false;     // it is about the slow steps; the others have none
  uint32_t slept_percent = 0;  // of all steps, by itself, in slow ones that are none of its loss; 0: little
  TimeSums whole;              // of the thread, from its first call to its last
  TimeSums after_steps;        // of it, the seconds that began after the last step
  CpuCost cpu_cost;            // of whichever of its threads had most
  Together together;
  uint64_t slow_steps = 0, other_steps = 0;
  uint64_t slow_more_ns = 0;      // what the slow steps took more than usual ones
  std::vector<SlowStep> slow;     // the worst, longest first
  std::optional<uint64_t> every;  // slow steps of the first one's class come every N
  std::optional<LongerWaits> longer_waits;
};

// Known of the sums besides: that long the device had nothing to do. What the other classes cannot have lost of it,
// each has.
void tighten(TimeSums& sums, uint64_t idle_ns);

class BudgetSummary {
 public:
  static constexpr size_t kKept = 64, kMaxSlow = 32, kMaxProcesses = 1024;
  static constexpr uint64_t kWarmSeconds = 2;
  static constexpr uint32_t kBegins = 4;  // times the submissions of any second before: its work begins

  // `ledger` must outlive this.
  explicit BudgetSummary(hal::LossLedger& ledger) : ledger_(ledger) {}

  // How the step compares with the ones before it: flags of a stored row.
  struct Classified {
    bool is_usual = false, is_slow = false, is_warm_up = false;
    std::optional<SlowStep> slow;
  };
  Classified add(const BudgetStep& step, const Blame& blame);
  void add(const BudgetSecond& second);

  // In the order of their times. Where all devices were at rest by their own count, the process's was.
  void add_device_sample(const hal::DeviceSample& sample, uint64_t mono_ns);

  // Of a process from its first call until now; none: no steps are known.
  std::optional<CpuCost> cpu_cost_of(uint32_t pid) const;
  // Most lost first.
  std::vector<ProcessBudget> results(const Blame& blame) const;

 private:
  struct Kept {
    uint64_t length_ns, content;
    std::array<uint64_t, kTimeClasses> ns;
  };
  struct Thread {
    TimeSums whole, warm, after_steps;  // warm: without the first seconds, and those before its work began
    uint64_t first_second = 0, last_second = 0, seconds = 0;
    uint64_t warm_second = 0, warm_seconds = 0;  // its first; how many
    uint64_t last_ns = 0;                        // of the last second, as far as it is known
    uint32_t busiest = 0;                        // submissions of a second
    bool is_warm() const { return seconds > 2 * kWarmSeconds && warm_seconds > 0; }
    const TimeSums& evaluated() const { return is_warm() ? warm : whole; }
  };
  struct Series {
    uint32_t number = 0;
    std::deque<Kept> kept;
    uint32_t tid = 0;
    uint64_t steps = 0, slow_steps = 0, other_steps = 0;
    uint64_t slow_more_ns = 0;  // what the slow ones took more than usual ones
    uint64_t first_ns = 0, last_ns = 0;
    hal::CallId anchor = hal::kNoCall;
    // Usual steps; those and the slow ones of the same content; those and the slow ones of any.
    Evaluated evaluated, with_slow, with_all_slow;
    uint64_t all_ns = 0, device_waits_ns = 0;  // of all steps
    std::vector<SlowStep> slow;
    std::vector<std::pair<uint64_t, uint8_t>> slow_numbers;  // with their class; the latest kMaxSlow * 8
    std::vector<StepSample> samples;                         // of usual steps, at most 2 * kKept
    uint64_t every = 1;                                      // of which each is one
    void sample(const BudgetStep& step);
    void note_excess(const BudgetStep& step, uint64_t content, SlowStep& slow) const;
    uint64_t usual_ns() const;
    uint64_t span_ns() const { return last_ns - first_ns; }
  };
  struct Process {
    Series series, before;  // the one under way; the longest of those before
    uint64_t first_ns = 0;  // of the first that has enough steps
    std::map<uint32_t, Thread> threads;
    const Series& longest() const;
    Series& series_of(const BudgetStep& step);
    uint32_t submitter() const;  // tid
    CpuCost cpu_cost() const;
    // `tid`: whose evaluated time is `evaluated`; of the others their seconds.
    Together together(uint32_t tid, const TimeSums& evaluated) const;
  };
  // Null, and counted: there is no room.
  Process* process_of(uint32_t pid);
  // What limits it, from what is evaluated.
  static void decide(const Series& series, const Blame& blame, ProcessBudget& budget);
  uint64_t idle_between(uint64_t from_ns, uint64_t to_ns) const;

  struct Counted {
    uint64_t from_ns, to_ns;
    double idle;  // the least of any device
  };
  static constexpr size_t kMaxCounted = 4096;
  hal::LossLedger& ledger_;
  std::map<uint32_t, Process> processes_;
  std::deque<Counted> counted_;  // the latest
  uint64_t last_sample_ns_ = 0;
};

}  // namespace ingero::correlate
