// What a budget alone does not say, and the recording does: who had the CPUs (time_cpus.cc), whether a thread's host
// code was the collector of a language or page faults, which call allocated, who stopped it, settings that slow it
// down, and which rank the others wait for.
//
// Each is one sentence, and only where it explains a good part of what was lost. Read after the budgets are known, by
// queries of the recording; a recording of a schema without a table has no such sentence.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "base/wrapping.h"
#include "correlate/device_time.h"
#include "correlate/rules.h"
#include "correlate/window.h"
#include "hal/slow_settings.h"
#include "hal/wait.h"
#include "report/frame_text.h"
#include "report/time_part.h"
#include "symbols/frame.h"

namespace ingero::report {
namespace {

using correlate::Limit;
using correlate::TimeClass;
using store::Conditions;

constexpr uint64_t kIdleParts = 50;  // less than a fiftieth: it did not wait
constexpr int64_t kEnoughSamples = 20;
constexpr uint64_t kFaultNs = 100'000;  // of kernel time a page fault, at most: more is something else
constexpr uint64_t kEnoughRounds = 8;
constexpr uint64_t kLatePercent = 5, kProbesPercent = 5;

// Who waits for nothing but that it may go on, where that is most of what was lost; null: no one.
const BlameNode* stopped_other(const ProcessTime& time) {
  uint64_t all = 0, for_it = 0;
  const BlameNode* found = nullptr;
  for (const BlamePath& path : time.blame) {
    const BlameNode& root = path.nodes.back();
    all += path.low;
    if (path.nodes.size() < 2 || root.is != TimeClass::kStopped || root.pids.size() != 1) continue;
    if (found != nullptr && found->pids != root.pids) continue;
    for_it += path.low;
    found = &root;
  }
  return for_it * 2 > all ? found : nullptr;
}

// Who let it, or the one that it waits for, run again: most likely who stopped it.
void add_stopper(const Part& part, ProcessTime& time) {
  const bool is_own = time.budget.result.limit == Limit::kStopped;
  const BlameNode* other = is_own ? nullptr : stopped_other(time);
  if (!is_own && other == nullptr) return;
  constexpr auto kStopped = static_cast<int>(hal::WaitKind::kStopped),
                 kTraced = static_cast<int>(hal::WaitKind::kTraced);
  std::string who;
  int64_t times = 0, all = 0;
  part.ask(
      fmt::format("SELECT f.comm, f.pid, count(*) FROM waits w JOIN event_rows e ON e.seq = w.seq JOIN clocks k ON "
                  "k.id = e.clock JOIN threads t ON t.id = e.thread LEFT JOIN wakers f ON f.id = w.waker WHERE {{}} "
                  "AND w.kind IN ({}, {}) GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 100",
                  kStopped, kTraced),
      is_own ? part.of_thread(time) : part.of_threads_of(time, other->pids.front()),
      [&](std::span<const store::Value> row) {
        all += row[2].integer;
        if (row[1].is_null() || !who.empty()) return;
        who = fmt::format("{} (pid {})", printable(row[0].as_text(), 40), row[1].integer);
        times = row[2].integer;
      });
  if (who.empty() || times * 2 < all) return;
  const std::string of_whom = is_own ? std::string() : " of " + other_text(*other, time);
  const std::string part_of_all = times == all ? "all of" : fmt::format("{} of", times);
  const std::string_view whose = is_own ? "its" : "the";
  time.because.push_back(times == 1 ? fmt::format("{} ended {} stop{}", who, whose, of_whom)
                                    : fmt::format("{} ended {} {} {} stops{}", who, part_of_all, whose, all, of_whom));
  time.remedy = fmt::format("see why {} stops {}", who, is_own ? std::string("it") : other_text(*other, time));
}

struct CallTime {
  std::string call, kind, line;  // ", in main() at line 1 of its file": where most of it was; empty: not known
  int64_t ns = 0, count = 0;
  double percent = 0;  // of the calls of these kinds
};

// The call with at least half of the thread's time in calls of these kinds ("'alloc', 'free'").
std::optional<CallTime> costliest_call(const Part& part, const ProcessTime& time, std::string_view kinds) {
  std::map<std::string, CallTime> calls;
  int64_t all_ns = 0;
  part.ask(fmt::format("SELECT a.call, a.kind, a.ns, a.n, x.frames FROM (SELECT e.call, e.kind, e.stack_hash, "
                       "sum(e.duration) AS ns, count(*) AS n FROM events e WHERE {{}} AND e.kind IN ({}) AND "
                       "e.depth = 0 GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT 1000) a "
                       "LEFT JOIN stack_traces x ON x.hash = a.stack_hash ORDER BY 3 DESC",
                       kinds),
           part.events_of_thread(time), [&](std::span<const store::Value> row) {
             CallTime& one = calls[printable(row[0].as_text(), 60)];
             one.kind = row[1].as_text();
             one.ns = wrapping_sum(one.ns, row[2].integer);
             one.count += row[3].integer;
             all_ns = wrapping_sum(all_ns, row[2].integer);
             if (!one.line.empty()) return;
             const std::vector<symbols::StackFrame> frames = symbols::parse_frames(row[4].as_text());
             if (const symbols::StackFrame* frame = symbols::line_of(frames)) one.line = ", in " + line_text(*frame);
           });
  const auto most = std::max_element(calls.begin(), calls.end(),
                                     [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  if (most == calls.end() || most->second.ns < all_ns / 2 || all_ns <= 0) return {};
  most->second.call = most->first;
  most->second.percent = 100 * static_cast<double>(most->second.ns) / static_cast<double>(all_ns);
  return most->second;
}

// Which call it was, and where.
void add_allocations(const Part& part, ProcessTime& time) {
  if (time.budget.result.limit != Limit::kAllocationBound && time.budget.result.second != Limit::kAllocationBound)
    return;
  const auto most = costliest_call(part, time, "'alloc', 'free'");
  if (!most) return;
  time.because.push_back(
      fmt::format("{} took {:.0f}% of its time in allocations{}", most->call, most->percent, most->line));
  // All vendors' calls for memory of the host say so.
  if (most->call.find("Host") != std::string::npos) {
    time.remedy = "pin the host memory once, before the loop, and reuse it";
  }
}

// What there is too much of, and where.
void add_repeated(const Part& part, ProcessTime& time) {
  const Limit limit = time.budget.result.limit;
  if (limit != Limit::kSyncBound && limit != Limit::kLaunchBound) return;
  if (time.launches_block) return;  // each of them
  const bool are_waits = limit == Limit::kSyncBound;
  const auto most =
      costliest_call(part, time, are_waits ? "'sync', 'memcpy'" : "'launch', 'graph', 'memset', 'memcpy'");
  if (!most) return;
  time.because.push_back(fmt::format("{} took {:.0f}% of its {}, in {} calls{}", most->call, most->percent,
                                     are_waits ? "waits and copies" : "submissions", most->count, most->line));
}

// Each small piece of work is waited for, so that the device has none while the thread prepares the next.
void add_waits_for_each(const Part& part, ProcessTime& time) {
  constexpr uint64_t kOftenASecond = 100, kFew = 2, kOftenAStep = 8;
  const correlate::TimeSums& sums = time.budget.evaluated.sums;
  if (time.budget.result.limit != Limit::kHostBound || time.budget.is_of_slow || time.budget.steps == 0) return;
  const bool after_each =
      sums.syncs * kSecond >= kOftenASecond * sums.total_ns() && sums.submissions <= kFew * sums.syncs;
  if (!after_each && sums.syncs < kOftenAStep * time.budget.evaluated.steps) return;
  if (sums.of(TimeClass::kHost).low * 2 < sums.lost_low()) return;
  const auto most = costliest_call(part, time, "'sync', 'memcpy'");
  if (!most) return;
  const auto syncs = static_cast<double>(sums.syncs);
  if (time.because.empty()) {  // else that says what to do
    time.remedy = after_each ? "launch ahead, and synchronise less often: the device then works meanwhile"
                             : "synchronise once a step (no item(), cpu() or print of what the device computes before "
                               "its end): the device then works meanwhile";
  }
  time.because.push_back(
      after_each
          ? fmt::format("It waits for the device after each launch or copy, {:.0f} times a second ({}{}): the device "
                        "has nothing to do until the next",
                        syncs * 1e9 / static_cast<double>(sums.total_ns()), most->call, most->line)
          : fmt::format("It waits for the device {:.0f} times a step ({}{}), and what it does in between the device "
                        "does not overlap",
                        syncs / static_cast<double>(time.budget.evaluated.steps), most->call, most->line));
}

// Memory is given back in each step, which waits for all that the device was given: nothing is prepared meanwhile.
void add_frees(const Part& part, ProcessTime& time) {
  const correlate::TimeSums& sums = time.budget.evaluated.sums;
  if (time.budget.result.limit != Limit::kHostBound || time.budget.is_of_slow || time.budget.steps == 0) return;
  if (sums.of(TimeClass::kHost).low * 2 < sums.lost_low()) return;
  const auto most = costliest_call(part, time, "'sync', 'memcpy', 'free'");
  if (!most || most->kind != "free") return;
  const auto ns = static_cast<uint64_t>(std::max<int64_t>(0, most->ns));
  if (ns * 2 < sums.of(TimeClass::kDeviceWait).high || static_cast<uint64_t>(most->count) * 2 < time.budget.steps)
    return;
  time.because.push_back(
      fmt::format("{} waits until the device has done all that it was given, {} a step{}: what follows it the device "
                  "does not overlap",
                  most->call, format_duration(ns / time.budget.steps), most->line));
  time.remedy =
      "keep and reuse the memory, or free it in stream order (asynchronously, or to a pool): the next step can "
      "then be prepared while the device works";
}

// Likewise of calls that neither submit nor wait: what compiles and loads device code, opens devices, joins ranks.
void add_other_calls(const Part& part, ProcessTime& time) {
  const correlate::TimeSums& sums = time.budget.evaluated.sums;
  const uint64_t low = sums.of(TimeClass::kOtherCall).low;
  if (low * 100 < sums.total_ns() || low * 100 < kSomePercent * sums.lost_low()) return;
  const auto most = costliest_call(part, time, "'module', 'device', 'communicator', 'fabric'");
  if (!most) return;
  time.because.push_back(fmt::format("{} took {:.0f}% of its time in other GPU calls ({}){}", most->call, most->percent,
                                     most->count == 1 ? "one call" : fmt::format("{} calls", most->count), most->line));
  if (most->kind != "module" || low < sums.of(TimeClass::kHost).low) return;
  time.remedy = "compile and load device code once, before the work, and keep it: kernels, programs or their binaries";
}

// Functions of CPython's collector. The exported one stands for all in a stripped interpreter.
bool is_collector(std::string_view function) {
  constexpr std::array<std::string_view, 6> kNames = {"gc_collect_main",    "gc_collect_generations",
                                                      "deduce_unreachable", "gc_collect_region",
                                                      "gc_collect_young",   "PyGC_Collect"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    return function.starts_with(name) &&
           (function.size() == name.size() || function[name.size()] == '+' || function[name.size()] == '.');
  });
}

// Processes that it started.
std::set<int64_t> forked(const Part& part, const Conditions& when) {
  std::set<int64_t> found;
  part.ask("SELECT DISTINCT e.arg1 FROM events e WHERE {} AND e.call = 'process_fork'", when,
           [&](std::span<const store::Value> row) { found.insert(row[0].integer); });
  return found;
}

// Rows of the view events e that began in what the budget evaluates.
void add_evaluated(const Part& part, const ProcessTime& time, Conditions& conditions) {
  conditions.add("e.start_mono_ns >= ?", static_cast<int64_t>(time.budget.start_ns));
  conditions.add("e.start_mono_ns <= ?", static_cast<int64_t>(time.budget.end_ns));
  conditions.add_range(part.selection, "e.timestamp", "e.timestamp");
}

std::set<int64_t> forked_meanwhile(const Part& part, const ProcessTime& time) {
  Conditions of_process = Part::of_process(time, "e", "e");
  add_evaluated(part, time, of_process);
  of_process.add_rows(part.selection, "e.seq");
  return forked(part, of_process);
}

// What the samples of its thread say of host code: the collector, or the kernel.
void add_samples(const Part& part, ProcessTime& time) {
  const correlate::TimeSums& sums = time.budget.evaluated.sums;
  const uint64_t host_low = sums.of(TimeClass::kHost).low;
  // In the gaps of many synchronisations or launches it is those that there are too many of.
  const Limit limit = time.budget.result.limit;
  if (limit == Limit::kSyncBound || limit == Limit::kLaunchBound) return;
  if (host_low * 20 < sums.total_ns()) return;
  int64_t samples = 0, in_kernel = 0, collecting = 0;
  part.ask(
      "SELECT x.frames, count(*), sum(c.system) FROM cpu_samples c JOIN clocks k ON k.id = c.clock JOIN threads t ON "
      "t.id = c.thread LEFT JOIN stacks s ON s.id = c.stack LEFT JOIN stack_traces x ON x.hash = s.hash "
      "WHERE {} GROUP BY c.stack ORDER BY 2 DESC LIMIT 2000",
      part.samples_of_thread(time), [&](std::span<const store::Value> row) {
        samples += row[1].integer;
        in_kernel = wrapping_sum(in_kernel, row[2].integer);
        for (const symbols::StackFrame& frame : symbols::parse_frames(row[0].as_text())) {
          if (!is_collector(frame.symbol)) continue;
          collecting += row[1].integer;
          break;
        }
      });
  if (samples < kEnoughSamples) return;
  const auto share = [&](int64_t some) { return static_cast<double>(some) / static_cast<double>(samples); };
  if (share(collecting) >= kGoodPart) {
    time.because.push_back(fmt::format("Python's garbage collector had {:.0f}% of its time on the CPU (gc_collect)",
                                       100 * share(collecting)));
    constexpr std::string_view kCollectLess =
        "collect less often: gc.freeze() after start-up, a higher gc.set_threshold(), or gc.collect() between epochs "
        "only";
    if (share(collecting) >= kHalf || time.remedy.empty()) {
      time.remedy = kCollectLess;
    } else if (host_low * 3 >= sums.lost_low()) {
      time.remedy += fmt::format("; and {}", kCollectLess);
    }
  }
  // Where it waits for a disk as well, pages of a file are mapped: who reads it is said of that.
  if (sums.of(TimeClass::kDisk).low >= host_low) return;
  int64_t faults = 0;
  part.ask(
      "SELECT sum(w.minor_faults) FROM waits w JOIN event_rows e ON e.seq = w.seq JOIN clocks k ON k.id = e.clock "
      "JOIN threads t ON t.id = e.thread WHERE {}",
      part.of_thread(time), [&](std::span<const store::Value> row) { faults = row[0].integer; });
  const uint64_t all_ns = std::max(sums.total_ns(), time.budget.end_ns - time.budget.start_ns);
  const double host_share = static_cast<double>(sums.of(TimeClass::kHost).ns) / static_cast<double>(sums.total_ns());
  const double kernel_ns = share(in_kernel) * host_share * static_cast<double>(all_ns);
  if (share(in_kernel) < kGoodPart || faults <= 0 || kernel_ns > static_cast<double>(faults) * kFaultNs) return;
  if (add_read_again(part, time, host_low * 2 >= sums.lost_low())) return;
  const uint64_t steps = std::max<uint64_t>(1, time.budget.steps);
  const size_t forks = forked_meanwhile(part, time).size();
  time.because.push_back(fmt::format(
      "{:.0f}% of its time on the CPU was in the kernel, with {} page faults a {}: memory touched for the first time{}",
      100 * share(in_kernel), static_cast<uint64_t>(faults) / steps, time.budget.steps != 0 ? "step" : "recording",
      forks == 0 ? "" : fmt::format(", or for the first time after a fork ({} meanwhile), when it is copied", forks)));
  if (host_low * 2 < sums.lost_low() || share(in_kernel) < kHalf) return;
  time.remedy = "reuse buffers instead of allocating new ones each step, or touch them before the loop";
  if (forks > 0) {
    time.remedy = forks * 2 >= steps ? std::string() : time.remedy + "; ";
    time.remedy +=
        "start processes before much memory is held, without fork (PyTorch: spawn or forkserver), or keep "
        "what is written in shared memory";
  }
}

// Processes that were waited for for most of what was lost, and most of which were started meanwhile.
void add_new_workers(const Part& part, ProcessTime& time) {
  constexpr size_t kEnoughWorkers = 4;
  std::set<int64_t> workers;
  uint64_t for_them = 0, all = 0;
  bool are_other_programs = true;  // and no workers of its own
  for (const BlamePath& path : time.blame) {
    const uint64_t ns = std::max(path.low, path.high);
    all += ns;
    bool is_for_them = false;
    if (path.nodes.back().is == TimeClass::kDisk) continue;    // it would wait as long for others
    if (path.nodes.front().is == TimeClass::kChild) continue;  // that is new whenever it is waited for
    for (const BlameNode& node : path.nodes) {
      const bool is_own = std::find(node.pids.begin(), node.pids.end(), time.budget.pid) != node.pids.end();
      if (is_own) continue;
      is_for_them = true;
      are_other_programs = are_other_programs && node.role != time.name && !node.role.starts_with("pt_");
      workers.insert(node.pids.begin(), node.pids.end());
    }
    if (is_for_them) for_them += ns;
  }
  if (workers.size() < kEnoughWorkers || for_them * 2 < all) return;
  const std::set<int64_t> forked = forked_meanwhile(part, time);
  const auto started =
      static_cast<size_t>(std::ranges::count_if(workers, [&](int64_t worker) { return forked.contains(worker); }));
  if (started < kEnoughWorkers || started * 2 < workers.size()) return;
  time.because.push_back(
      fmt::format("{} of the {} processes that it waited for were started meanwhile", started, workers.size()));
  if (are_other_programs) {
    time.remedy =
        "run it less often, further ahead or in another thread, or do its work without a process: the device can work "
        "meanwhile";
    return;
  }
  time.remedy =
      "start the processes once and keep them (PyTorch's DataLoader: made once, with persistent_workers=True), or have "
      "them load less when they start";
}

// Processes that it had started and that were killed meanwhile, where it mostly waited for what no process brought.
void add_killed(const Part& part, ProcessTime& time) {
  constexpr int kKill = 9;
  uint64_t for_nobody = 0, all = 0;
  for (const BlamePath& path : time.blame) {
    const uint64_t ns = std::max(path.low, path.high);
    const TimeClass is = path.nodes.front().is;
    all += ns;
    const bool may_be_theirs = is == TimeClass::kPipe || is == TimeClass::kPoll || is == TimeClass::kFutex ||
                               is == TimeClass::kSocket || is == TimeClass::kOtherWait;
    if (path.nodes.size() == 1 && may_be_theirs) for_nobody += ns;
  }
  if (for_nobody * 2 < all || all == 0) return;
  const std::set<int64_t> children = forked(part, Part::of_process(time, "e", "e"));
  Conditions ended;
  if (!time.node.empty()) ended.add("e.node = ?", store::Bound::of(time.node));
  if (time.session) ended.add("e.session = ?", *time.session);
  add_evaluated(part, time, ended);
  std::vector<int64_t> killed;
  part.ask(
      fmt::format("SELECT DISTINCT e.pid FROM events e WHERE {{}} AND e.call = 'process_exit' AND e.ret_code & 127 "
                  "= {} ORDER BY e.timestamp LIMIT 1000",
                  kKill),
      ended, [&](std::span<const store::Value> row) {
        if (children.contains(row[0].integer)) killed.push_back(row[0].integer);
      });
  if (killed.empty()) return;
  const size_t count = killed.size();
  killed.resize(std::min(count, kMaxNamed));
  time.because.push_back(
      fmt::format("{} that it had started {} killed meanwhile (SIGKILL: pid{} {}{}), and it waited "
                  "for what no process brought",
                  plural(count, "process"), count == 1 ? "was" : "were", count == 1 ? "" : "s", fmt::join(killed, ", "),
                  count > killed.size() ? ", ..." : ""));
  time.remedy =
      "see who kills them: dmesg | grep -i kill, the job scheduler's log, memory limits; and wait for their end as "
      "well as for what they bring";
}

// A worker that is too slow and a client that has no request look alike where it started them itself: neither its
// address nor what passes between them says which it is.
void add_resting(ProcessTime& time) {
  const Limit limit = time.budget.result.limit;
  const BlamePath* path = limit == Limit::kInputBound || limit == Limit::kHostBound ? path_to_resting(time) : nullptr;
  if (path == nullptr || path->nodes.size() != 2 || !path->nodes.front().object.empty()) return;
  time.because.push_back(fmt::format(
      "{}, for which it waited, {}: whether that one was slow or had nothing to pass on is not visible, and in the "
      "second case nothing was lost",
      other_text(path->nodes.back(), time),
      path->nodes.back().is == TimeClass::kChild ? "waited for a child process" : "slept"));
}

TimeClass largest_loss(const correlate::TimeSums& sums) {
  const auto lost = [](const correlate::ClassTime& one) { return std::pair(one.low, one.high); };
  const auto most = std::max_element(sums.classes.begin(), sums.classes.end(),
                                     [&](const auto& a, const auto& b) { return lost(a) < lost(b); });
  return static_cast<TimeClass>(most - sums.classes.begin());
}

// Settings whose effect is seen.
void add_settings(const Part& part, ProcessTime& time) {
  const correlate::TimeSums& sums = time.budget.evaluated.sums;
  std::string settings;
  part.ask(
      "SELECT p.settings FROM processes p JOIN sessions s ON s.id = p.session WHERE {} AND p.settings IS NOT NULL "
      "ORDER BY p.id DESC LIMIT 1",
      Part::of_process(time, "p", "s"),
      [&](std::span<const store::Value> row) { settings = std::string(row[0].as_text()); });
  if (settings.empty()) return;
  for (const auto& [known, text] : hal::slow_settings_in(settings, cpus_of(part, time))) {
    const bool blocks = hal::blocks_launches(*known, text);
    // Launches that wait are submissions to one who does not know that, and waits to one who does.
    uint64_t ns = sums.of(known->shows_in).ns;
    if (known->blocks_launches) ns += sums.of(TimeClass::kDeviceWait).ns;
    if (ns * 20 < sums.total_ns()) continue;
    const std::string what = known->blocks_launches
                                 ? fmt::format("{} and {}", words_of(known->shows_in), words_of(TimeClass::kDeviceWait))
                                 : fmt::format("{}, of which that is a part", words_of(known->shows_in));
    time.because.push_back(fmt::format("{} is set in its environment: {} ({:.0f}% of the time is {})",
                                       printable(text, 80), known->effect,
                                       100 * static_cast<double>(ns) / static_cast<double>(sums.total_ns()), what));
    if (blocks || known->shows_in == largest_loss(sums)) time.remedy = fmt::format("unset {}", known->name);
    time.launches_block |= blocks;
  }
}

// It asks whether the device is done, and sleeps until it asks again: nothing says when the device was.
void add_asking(const Part& part, ProcessTime& time) {
  const correlate::ProcessBudget& budget = time.budget;
  const uint64_t asleep = budget.evaluated.sums.of(TimeClass::kSleep).high, total = budget.evaluated.sums.total_ns();
  if (budget.result.why != correlate::NotKnown::kNobodyWaits || budget.steps == 0) return;
  if (asleep * 100 < kSomePercent * total) return;
  std::string call;
  int64_t times = 0;
  part.ask(
      "SELECT e.call, count(*) FROM events e WHERE {} AND e.kind IN ('stream', 'event') AND e.call LIKE '%Query%' "
      "GROUP "
      "BY 1 ORDER BY 2 DESC LIMIT 1",
      part.events_of_thread(time), [&](std::span<const store::Value> row) {
        call = printable(row[0].as_text(), 60);
        times = row[1].integer;
      });
  if (static_cast<uint64_t>(times) < budget.steps) return;
  time.because.push_back(fmt::format(
      "It asks whether the device is done ({}, {:.1f} times a step) and sleeps until it asks again: up to {} "
      "of each step may pass after the device is done",
      call, static_cast<double>(times) / static_cast<double>(budget.steps),
      format_duration(asleep / std::max<uint64_t>(1, budget.evaluated.steps))));
  time.remedy = "wait for the device (synchronise the stream, or an event), or sleep for less before it is asked again";
}

// It slept for most of what its slow steps took longer. Whether it had work meanwhile is not visible.
void add_slept(ProcessTime& time) {
  const correlate::ProcessBudget& budget = time.budget;
  if (budget.slept_percent == 0) return;
  for (size_t i = 0; i < budget.slow.size() && i < time.slow_blame.size(); ++i) {
    if (budget.slow[i].is != TimeClass::kSleep || time.slow_blame[i].empty()) continue;
    const BlameNode& node = time.slow_blame[i].front().nodes.back();
    if (node.line.empty()) continue;
    if (!node.within.empty()) {  // a program that has no work sleeps itself
      const std::string where = printable(node.within, 120);
      time.because.push_back(fmt::format("It slept in {}, called from {}: the library waits, or tries again", where,
                                         printable(node.line, 120)));
      time.remedy =
          fmt::format("see what {} waits for: a lock that another one holds, a server, or a rate limit", where);
      return;
    }
    time.because.push_back(
        fmt::format("It slept in {}: no loss if it had no work; if it tries again there (for a lock, or under a rate "
                    "limit), that is what takes the time",
                    printable(node.line, 120)));
    return;
  }
}

// Connections that were asked for again and again, or data that was: by the address that most of it is lost to.
void add_retransmissions(const Part& part, ProcessTime& time) {
  constexpr int kSynSent = 2;  // TCP_SYN_SENT of the kernel
  constexpr uint64_t kSeldom = 20;
  std::string_view address;
  for (const BlamePath& path : time.blame) {
    const BlameNode& first = path.nodes.front();
    if (first.is != TimeClass::kSocket || first.object.empty()) continue;
    address = first.object;
    break;
  }
  if (address.empty()) return;
  uint64_t requests = 0, others = 0;
  part.ask(
      fmt::format("SELECT CASE d.family WHEN 10 THEN '[' || d.daddr || ']' ELSE d.daddr END || ':' || d.dport, "
                  "sum(d.state = {0}), sum(d.state != {0}) FROM tcp_details d JOIN event_rows e ON e.seq = d.seq JOIN "
                  "clocks k ON k.id = e.clock JOIN threads t ON t.id = e.thread WHERE {{}} GROUP BY 1",
                  kSynSent),
      part.of_threads_of(time, time.budget.pid), [&](std::span<const store::Value> row) {
        if (row[0].as_text() != address) return;
        requests = static_cast<uint64_t>(row[1].integer);
        others = static_cast<uint64_t>(row[2].integer);
      });
  if (requests > 0) {
    time.because.push_back(
        fmt::format("Its requests for a connection to {} (SYN) were sent again {}, the first time after 1s: the queue "
                    "of its listener is full, or packets are lost",
                    printable(address, 100), plural(requests, "time")));
    time.remedy =
        "keep the connection open; have the server accept sooner, with a longer queue (listen's backlog, "
        "net.core.somaxconn); else see the network between the two";
  } else if (others > 0 && others * kSeldom >= time.budget.steps) {
    time.because.push_back(
        fmt::format("What it sent to {} was sent again {}: packets are lost on the way, or come late",
                    printable(address, 100), plural(others, "time")));
  }
}

// What the recording itself costs, where that is much.
void add_probes(ProcessTime& time) {
  const correlate::TimeSums& sums = time.budget.evaluated.sums;
  if (sums.total_ns() == 0 || sums.probes_ns * 100 < kProbesPercent * sums.total_ns()) return;
  time.because.push_back(
      fmt::format("At least {:.0f}% of its time is the recorder's: the probes of its GPU calls, counted as host code",
                  100 * static_cast<double>(sums.probes_ns) / static_cast<double>(sums.total_ns())));
}

// What the hypervisor gave to other machines looks like running.
void add_stolen(const Part& part, ProcessTime& time) {
  constexpr double kMuchPercent = 2;
  double percent = 0;
  part.ask("SELECT avg(steal_pct) FROM system_snapshots WHERE {}", part.snapshots_meanwhile(time, "steal_pct"),
           [&](std::span<const store::Value> row) { percent = row[0].as_real().value_or(0); });
  if (percent <= kMuchPercent) return;
  time.because.push_back(fmt::format(
      "The hypervisor took {:.0f}% of the machine's CPU time for others meanwhile: that looks like running", percent));
}

struct Late {
  int64_t session = 0, communicator = 0, rank = 0, pid = 0, nranks = 0;
  std::string node;
  uint64_t times = 0, rounds = 0;
  uint64_t late_ns = 0, worst_ns = 0;  // what it cost the others: in all, and at most
  uint64_t all_ns = 0;                 // likewise, of all ranks
};

// Of its node, and of its run.
bool is_of(const Late& late, const ProcessTime& time) {
  return time.node == late.node && time.session.value_or(late.session) == late.session;
}

// How late the last rank was, of the collectives of one communicator in their order. The others may run ahead of their
// devices: what cost them time is then not each collective at which it was late, but the latest of those that one
// synchronisation of theirs covers.
class Lateness {
 public:
  struct Entry {
    int64_t start_ns = 0, pid = 0;
    std::optional<int64_t> rank, covered_ns;  // covered: when a synchronisation ended that covers it
  };

  // The entries of a collective that several ranks entered, by their start.
  void add(std::span<const Entry> entries) {
    const Entry& last = entries.back();
    const Entry& before = entries[entries.size() - 2];
    const auto waits = std::min_element(entries.begin(), entries.end() - 1,
                                        [](const Entry& a, const Entry& b) { return a.pid < b.pid; });
    ++rounds_;
    if (!last.rank) return;
    ++ranks_[*last.rank].times;
    ranks_[*last.rank].pid = last.pid;
    const bool is_same_wait =
        waits->covered_ns && latest_ && waits->pid == waiter_ && waits->covered_ns == latest_covered_ns_;
    if (!is_same_wait) {
      end_wait();
      waiter_ = waits->pid;
      latest_covered_ns_ = waits->covered_ns;
    }
    const Latest here{*last.rank, before.start_ns, last.start_ns};
    if (!latest_ || here.to_ns - here.from_ns > latest_->to_ns - latest_->from_ns) latest_ = here;
  }

  // `of`: its session, node and communicator.
  void finish(const Late& of, std::vector<Late>& found) {
    end_wait();
    if (rounds_ >= kEnoughRounds) {
      uint64_t all_ns = 0;
      for (const auto& [rank, one] : ranks_) all_ns += one.late_ns;
      for (auto [rank, one] : ranks_) {
        one.session = of.session;
        one.node = of.node;
        one.communicator = of.communicator;
        one.rank = rank;
        one.rounds = rounds_;
        one.all_ns = all_ns;
        found.push_back(one);
      }
    }
    *this = {};
  }

 private:
  struct Latest {
    int64_t rank, from_ns, to_ns;
  };
  // What was counted before is not counted again.
  void end_wait() {
    if (!latest_) return;
    Late& one = ranks_[latest_->rank];
    int64_t& until_ns = until_ns_[latest_->rank];
    const auto late_ns =
        static_cast<uint64_t>(std::max<int64_t>(0, latest_->to_ns - std::max(latest_->from_ns, until_ns)));
    until_ns = std::max(until_ns, latest_->to_ns);
    one.late_ns += late_ns;
    one.worst_ns = std::max(one.worst_ns, late_ns);
    latest_.reset();
  }

  std::map<int64_t, Late> ranks_;
  std::map<int64_t, int64_t> until_ns_;  // by rank
  uint64_t rounds_ = 0;
  std::optional<Latest> latest_;  // of the wait that goes on
  std::optional<int64_t> latest_covered_ns_;
  int64_t waiter_ = 0;
};

// A time that can be: no sum of two overflows.
int64_t bounded_ns(const store::Value& value) { return std::clamp<int64_t>(value.integer, 0, INT64_MAX / 2); }

std::vector<Late> late_ranks(const Part& part) {
  constexpr int64_t kColdRounds = 3;  // ranks are still starting
  constexpr size_t kMaxLate = 16;
  std::vector<Late> found;
  Lateness lateness;
  std::vector<Lateness::Entry> entries;
  Late of;
  int64_t number = 0;
  const auto end_round = [&] {
    if (entries.size() > 1) lateness.add(entries);
    entries.clear();
  };
  Conditions selected;
  selected.add("comm_id_hash IS NOT NULL");
  selected.add("seq > ?", kColdRounds);
  selected.add_rows(part.selection, "row");
  selected.add_range(part.selection, "timestamp", "timestamp");
  part.ask(
      "SELECT session, comm_id_hash, seq, rank, pid, start_mono_ns, start_mono_ns + duration + barrier_wait_ns, node "
      "FROM collectives WHERE {} ORDER BY session, comm_id_hash, seq, start_mono_ns",
      selected, [&](std::span<const store::Value> row) {
        const bool is_same = row[0].integer == of.session && row[1].integer == of.communicator;
        if (!is_same || row[2].integer != number) end_round();
        number = row[2].integer;
        if (!is_same) {
          lateness.finish(of, found);
          of.session = row[0].integer;
          of.communicator = row[1].integer;
          of.node = std::string(row[7].as_text());
        }
        entries.push_back({bounded_ns(row[5]), row[4].integer, row[3].as_int64(), row[6].as_int64()});
      });
  end_round();
  lateness.finish(of, found);
  std::ranges::sort(found, std::greater(), &Late::late_ns);
  found.resize(std::min(found.size(), kMaxLate));
  for (Late& one : found) {
    Conditions its;
    its.add("comm_id_hash IS ?", one.communicator);
    its.add("session = ?", one.session);
    part.ask("SELECT max(nranks) FROM communicators WHERE {}", its,
             [&](std::span<const store::Value> row) { one.nranks = row[0].integer; });
  }
  return found;
}

// One rank always comes last: what makes it a cause is that most of the lateness is its, and far more than chance gives
// it. One that is late in a few collectives alone, as where it evaluates or saves, costs as much as one that always is.
bool is_cause(const Late& late, uint64_t total_ns) {
  const uint64_t others_ns = late.all_ns - late.late_ns;
  return others_ns < late.late_ns && (late.late_ns - others_ns) * 100 >= kLatePercent * total_ns;
}

// The processes of its communicator's other ranks.
std::set<int64_t> others_of(const Part& part, const Late& late) {
  std::set<int64_t> pids;
  Conditions others;
  others.add("session = ?", late.session);
  others.add("comm_id_hash IS ?", late.communicator);
  others.add("rank != ?", late.rank);
  others.add_range(part.selection, "timestamp", "timestamp + coalesce(duration, 0)");
  part.ask("SELECT DISTINCT pid FROM collectives WHERE {} AND pid IS NOT NULL LIMIT 1024", others,
           [&](std::span<const store::Value> row) { pids.insert(row[0].integer); });
  return pids;
}

// ", in synchronize() at gpu.py:120, called in main() at ranks.py:61".
std::string lines_of(const Part& part, int64_t stack) {
  std::string text;
  Conditions its;
  its.add("hash = ?", stack);
  part.ask("SELECT frames FROM stack_traces WHERE {}", its, [&](std::span<const store::Value> row) {
    const std::vector<symbols::StackFrame> frames = symbols::parse_frames(row[0].as_text());
    const symbols::StackFrame* line = symbols::line_of(frames);
    if (line == nullptr) return;
    text = ", in " + line_text(*line);
    if (const std::string caller = caller_text(frames, *line); !caller.empty()) text += ", " + caller;
  });
  return text;
}

// The call in which it was for most of the time in which the others waited; empty: it was in none for half of it.
std::string meanwhile(const Part& part, const Late& late, const ProcessTime& time) {
  std::map<int64_t, int64_t> waited;  // by the end: from when on
  Conditions last;
  last.add("session = ?", late.session);
  last.add("comm_id_hash IS ?", late.communicator);
  last.add("last_rank = ?", late.rank);
  last.add_range(part.selection, "timestamp", "timestamp");
  part.ask(
      "SELECT first_mono_ns + skew_ns, late_ns FROM collective_arrivals WHERE {}", last,
      [&](std::span<const store::Value> row) { waited[bounded_ns(row[0])] = bounded_ns(row[0]) - bounded_ns(row[1]); });
  std::map<std::pair<std::string, int64_t>, uint64_t> calls;  // by call and stack: of that time
  part.ask(
      "SELECT e.call, coalesce(e.stack_hash, 0), e.start_mono_ns, e.duration FROM events e WHERE {} AND e.kind IS NOT "
      "NULL AND e.kind != 'host' AND e.depth = 0 AND e.duration > 0",
      part.events_of_thread(time), [&](std::span<const store::Value> row) {
        const int64_t start = bounded_ns(row[2]), end = start + bounded_ns(row[3]);
        uint64_t ns = 0;
        for (auto at = waited.upper_bound(start); at != waited.end() && at->second < end; ++at) {
          ns += static_cast<uint64_t>(std::max<int64_t>(0, std::min(end, at->first) - std::max(start, at->second)));
        }
        if (ns > 0) calls[{std::string(row[0].as_text()), row[1].integer}] += ns;
      });
  const auto most =
      std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == calls.end() || most->second * 2 < late.late_ns) return {};
  return fmt::format("For {} of that it was in {}{}", format_duration(most->second), printable(most->first.first, 64),
                     lines_of(part, most->first.second));
}

// Those of which it is known for how long they waited; if there are none, it is not known.
bool anybody_waited(const std::vector<ProcessTime>& times, const std::set<int64_t>& pids, const Late& late) {
  bool is_known = false;
  for (const ProcessTime& one : times) {
    if (!is_of(late, one) || !pids.contains(one.budget.pid)) continue;
    const correlate::TimeSums& whole = one.budget.whole;
    if (2 * (whole.of(TimeClass::kCommunication).ns + whole.of(TimeClass::kDeviceWait).ns) >= late.late_ns) return true;
    is_known = true;
  }
  return !is_known;
}

// Whether what it was accused of comes before that lateness. All ranks of a busy machine wait for CPUs: of two causes
// the one with the larger lower bound is the first.
bool is_accused_more(const ProcessTime& time, const Late& late) {
  if (time.budget.result.limit == Limit::kStarvedOfCpu) {
    return time.budget.whole.of(TimeClass::kCpuWait).low >= late.late_ns;
  }
  return is_accusation(time.budget.result.limit);
}

// Whether one of the other ranks surely lost more to that than it waited for the late one.
bool loses_more(const ProcessTime& victim, const Late& late) {
  if (victim.budget.result.limit == Limit::kStarvedOfCpu) return is_accused_more(victim, late);
  return is_accusation(victim.budget.result.limit) && victim.budget.evaluated.sums.lost_low() >= late.late_ns;
}

// What it was accused of is then the second.
void limit_by(Limit limit, uint64_t ns, bool is_high, correlate::ProcessBudget& budget) {
  const Limit before = budget.result.limit;
  budget.result = {};
  budget.result.limit = limit;
  if (is_accusation(before) && before != limit) budget.result.second = before;
  budget.result.low_ns = budget.result.high_ns = ns;
  budget.result.is_high = is_high;
  budget.is_of_slow = false;
}

// A rank that the others wait for, by enough: it is the cause of what they wait for.
void add_late_ranks(const Part& part, std::vector<ProcessTime>& times) {
  for (const Late& late : late_ranks(part)) {
    const auto of_pid = [&](int64_t pid) {
      return std::find_if(times.begin(), times.end(),
                          [&](const ProcessTime& one) { return is_of(late, one) && one.budget.pid == pid; });
    };
    const auto latest = of_pid(late.pid);
    if (latest == times.end()) continue;
    const uint64_t total = latest->budget.whole.total_ns();
    const std::set<int64_t> others = others_of(part, late);
    if (!is_cause(late, total) || !anybody_waited(times, others, late)) continue;
    const bool is_high = late.late_ns * 100 >= correlate::kHighPercent * total;
    const std::string who =
        fmt::format("rank {}{}", late.rank, late.nranks > 0 ? fmt::format(" of {}", late.nranks) : std::string());
    const std::string last = fmt::format("the last in {} of {} collectives, by {} in all ({} a collective), at most {}",
                                         late.times, late.rounds, format_duration(late.late_ns),
                                         format_duration(late.late_ns / late.rounds), format_duration(late.worst_ns));
    for (const int64_t pid : others) {
      const auto victim = of_pid(pid);
      if (victim == times.end() || loses_more(*victim, late)) continue;
      limit_by(Limit::kCommunicationBound, late.late_ns, is_high, victim->budget);
      victim->waits_for = fmt::format("{} (pid {}), {}", who, late.pid, last);
      victim->remedy = fmt::format("see what {} (pid {}) does meanwhile", who, late.pid);
    }
    latest->is_late = true;
    std::vector<std::string> because = {fmt::format("It is {}, {}: the other ranks wait for it", who, last)};
    // Where it was accused, only another reason than that is one: a call that was most of the lateness.
    const bool is_accused = is_accusation(latest->budget.result.limit);
    const std::string in_call = is_accused_more(*latest, late) ? std::string() : meanwhile(part, late, *latest);
    if (!is_accused || !in_call.empty()) {  // what it does meanwhile costs itself nothing
      limit_by(Limit::kLateRank, late.late_ns, is_high, latest->budget);
      because = {in_call};
      latest->waits_for = fmt::format("{}, {}", who, last);
      latest->remedy = "share what it does meanwhile among the ranks, or do it where the others do not wait for it";
    }
    std::erase(because, std::string());
    latest->because.insert(latest->because.begin(), because.begin(), because.end());
    // The latest before its victims.
    std::rotate(times.begin(), latest, latest + 1);
  }
}

// A server that always had a request to work on, while more came than it made steps: its other threads woke for them.
void add_overload(const Part& part, ProcessTime& time) {
  const correlate::ProcessBudget& budget = time.budget;
  const correlate::TimeSums& sums = budget.evaluated.sums;
  if (budget.result.limit != Limit::kDeviceBound || budget.steps == 0) return;
  if (sums.clients_ns * kIdleParts >= sums.total_ns()) return;
  uint64_t requests = 0;
  Conditions of_others = part.of_threads_of(time, budget.pid);
  of_others.add("t.tid != ?", int64_t{budget.tid});
  part.ask(
      "SELECT count(*) FROM waits w JOIN wait_peers f ON f.id = w.peer JOIN event_rows e ON e.seq = w.seq "
      "JOIN threads t ON t.id = e.thread JOIN clocks k ON k.id = e.clock WHERE {} AND f.accepted = 1 AND "
      "w.flags & 1 = 0",
      of_others, [&](std::span<const store::Value> row) { requests = static_cast<uint64_t>(row[0].integer); });
  if (requests * 10 < budget.steps * 11) return;
  const double seconds = static_cast<double>(budget.end_ns - budget.start_ns) / 1e9;
  time.because.push_back(
      fmt::format("It never waited for a request, and more came than it made steps ({:.0f} and {:.0f} a second): "
                  "overload, unless a step serves several",
                  static_cast<double>(requests) / seconds, static_cast<double>(budget.steps) / seconds));
}

// Copies that are asynchronous by name only: the thread copies through a buffer of the library's.
void add_pageable(const Part& part, ProcessTime& time) {
  if (time.budget.result.limit != Limit::kCopyBound && time.budget.result.second != Limit::kCopyBound) return;
  int64_t all_ns = 0, staged_ns = 0, bytes = 0;
  part.ask(
      fmt::format("SELECT sum(e.duration), sum(e.duration * staged), sum(e.bytes * staged) FROM (SELECT e.duration, "
                  "e.bytes, c.asynchronous AND e.duration >= {} AS staged FROM events e JOIN calls c ON c.name = "
                  "e.call AND c.layer = e.layer WHERE {{}} AND e.kind = 'memcpy' AND e.depth = 0) e",
                  correlate::DeviceTime::kStagedNs),
      part.events_of_thread(time), [&](std::span<const store::Value> row) {
        all_ns = row[0].integer;
        staged_ns = row[1].integer;
        bytes = row[2].integer;
      });
  if (staged_ns <= 0 || staged_ns < all_ns / 2) return;
  time.because.push_back(fmt::format(
      "Its asynchronous copies are from or to pageable memory: the thread makes them itself, at {:.1f} GB/s",
      static_cast<double>(bytes) / static_cast<double>(staged_ns)));
  time.remedy = "pin the host memory (PyTorch: pin_memory), so that copies run while the thread goes on, and copy less";
}

// Ranks that wait for their devices wait for each other's in every collective: from the host all look alike.
void add_ranks(const Part& part, ProcessTime& time) {
  if (time.budget.result.limit != Limit::kDeviceBound) return;
  int64_t ranks = 0;
  part.ask(
      "SELECT max(c.nranks) FROM communicators c JOIN processes p ON p.id = c.process JOIN sessions s ON s.id = "
      "p.session WHERE {} AND EXISTS (SELECT 1 FROM collectives e WHERE e.comm_id_hash IS c.comm_id_hash)",
      Part::of_process(time, "p", "s"), [&](std::span<const store::Value> row) { ranks = row[0].integer; });
  if (ranks < 2) return;
  time.because.push_back(
      fmt::format("It is one of {} ranks, which wait for each other's devices in collectives: the slowest device sets "
                  "the pace, and which rank has it is not visible from the host",
                  ranks));
}

}  // namespace

void add_time_evidence(const store::Reader& reader, const store::Selection& selection,
                       std::vector<ProcessTime>& times) {
  const Part part{reader, selection};
  for (ProcessTime& time : times) {
    add_settings(part, time);
    add_probes(time);
    add_stolen(part, time);
    add_overload(part, time);
    add_asking(part, time);
    add_slept(time);
    if (!is_accusation(time.budget.result.limit)) continue;
    add_cpus(part, time);
    add_disks(part, time);
    add_samples(part, time);
    add_new_workers(part, time);
    add_killed(part, time);
    add_resting(time);
    add_retransmissions(part, time);
    add_pageable(part, time);
    add_stopper(part, time);
    add_allocations(part, time);
    add_repeated(part, time);
    add_waits_for_each(part, time);
    add_frees(part, time);
    add_other_calls(part, time);
  }
  add_late_ranks(part, times);
  for (ProcessTime& time : times) {
    add_devices(time);
    add_ranks(part, time);
    add_copied(part, time);
    add_refused(part, time);
    add_neighbours(part, times, time);
  }
}

}  // namespace ingero::report
