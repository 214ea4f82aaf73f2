// The first screen of `ingero explain`, and the same as JSON.
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "report/table.h"
#include "report/time_spent.h"

namespace ingero::report {
namespace {

using correlate::ClassTime;
using correlate::Limit;
using correlate::LimitResult;
using correlate::NotKnown;
using correlate::ProcessBudget;
using correlate::TimeClass;
using correlate::TimeSums;

constexpr size_t kMaxProcesses = 3;
constexpr size_t kMaxRows = 9;
constexpr size_t kMaxWhy = 2;
constexpr size_t kMaxSlow = 2;

double ms(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

double percent_of(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// What figures are given per: a step, or a second. The first and last seconds are parts of one.
class Parts {
 public:
  Parts() = default;  // one
  explicit Parts(const ProcessBudget& budget)
      : count_(budget.steps != 0
                   ? static_cast<double>(budget.evaluated.steps)
                   : static_cast<double>(budget.evaluated.sums.total_ns()) / static_cast<double>(kSecond)) {
    if (count_ <= 0 || is_of_one_step(budget)) count_ = 1;
  }
  // What each has of `ns` in all.
  uint64_t of(uint64_t ns) const { return static_cast<uint64_t>(static_cast<double>(ns) / count_); }

 private:
  double count_ = 1;
};

// What Parts::of() is of.
std::string_view part_of(const ProcessBudget& budget) {
  return is_of_one_step(budget) ? "in all" : budget.steps != 0 ? "a step" : "a second";
}

// "46ms to 48ms"; one figure where they differ by less than a tenth.
std::string range_text(uint64_t low, uint64_t high) {
  if (high <= low + low / 10) return format_duration(low == 0 ? high : low);
  if (low == 0) return "up to " + format_duration(high);
  return format_duration(low) + " to " + format_duration(high);
}

// "2%", "2 to 36%": of the same times.
std::string percents_text(uint64_t low, uint64_t high, uint64_t total) {
  const std::string least = fmt::format("{:.0f}", percent_of(low, total));
  const std::string most = fmt::format("{:.0f}", percent_of(high, total));
  if (least == most || high <= low + low / 10) return least + "%";
  return least + " to " + most + "%";
}

std::string capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::string with_capital(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string why_not(NotKnown why) {
  switch (why) {
    case NotKnown::kTimeUnknown:
      return "more than a tenth of the time is not recorded";
    case NotKnown::kBlocked:
      return "the thread was blocked, and on what is not recorded";
    case NotKnown::kPoll:
      return "the thread waited for something that no traced thread ended: it may have had no work";
    case NotKnown::kNobodyWaits:
      return "it waits for the device too seldom to say when that was idle";
    case NotKnown::kUnnamedWaits:
      return "its waits name no queue, so for what they waited is not recorded: a run that waits for its queues shows "
             "it";
    case NotKnown::kCopyOrWait:
      return "its copies come behind other work, and how long each waits for that is not recorded: a "
             "run that synchronises before them shows it";
    case NotKnown::kTooShort:
    case NotKnown::kNone:
      break;
  }
  return "too little was recorded";
}

// "stopped by a signal for 1.6s of 6.02s in all"
std::string stopped_text(const TimeSums& whole) {
  const uint64_t ns = whole.of(TimeClass::kStopped).ns;
  const uint64_t by_signal = ns - std::min(ns, whole.by_debugger_ns + whole.by_freezer_ns);
  std::string_view what = "stopped by a signal";
  if (whole.by_freezer_ns >= std::max(by_signal, whole.by_debugger_ns)) {
    what = "frozen by the cgroup freezer";
  } else if (whole.by_debugger_ns >= by_signal) {
    what = "stopped by a debugger";
  }
  return fmt::format("{} for {} of {} in all", what, format_duration(ns), format_duration(whole.total_ns()));
}

std::string length_text(const ProcessTime& time) {
  if (time.budget.steps == 0) return "each second";
  if (is_of_one_step(time.budget)) return format_duration(time.budget.evaluated.sums.total_ns());
  return fmt::format("each {} step", format_duration(Parts(time.budget).of(time.budget.evaluated.sums.total_ns())));
}

// Whether the bounds of how long the device had nothing to do are so far apart that they say nothing.
bool is_idle_unknown(const TimeSums& sums) {
  constexpr double kWidePercent = 50;
  return percent_of(sums.idle_high - std::min(sums.idle_low, sums.idle_high), sums.total_ns()) >= kWidePercent;
}

std::string_view why_idle_unknown(const correlate::Evaluated& evaluated) {
  const TimeSums& sums = evaluated.sums;
  if (sums.unnamed_syncs * 2 > sums.syncs) return "its waits name no queue";
  if (sums.copy_or_wait_ns * 2 > sums.idle_high - sums.idle_low) return "its copies come behind other work";
  if (sums.queued_behind > 0) return "more work is queued whenever it waits";
  if (sums.syncs == 0 || sums.syncs < evaluated.steps) return "it does not wait for all that it submits";
  return "a wait says that the device is done, not since when";
}

// "the device had nothing to do for 2ms of each 10ms step (20%)". `device`: which.
std::string idle_text(const ProcessTime& time, std::string_view device) {
  const TimeSums& sums = time.budget.evaluated.sums;
  const Parts parts(time.budget);
  const uint64_t total = sums.total_ns();
  const std::string had_nothing =
      fmt::format("{} had nothing to do{}", device, time.shares_its_device ? " for this program" : "");
  if (!is_idle_unknown(sums)) {
    return fmt::format("{} for {} of {} ({})", had_nothing,
                       range_text(parts.of(sums.idle_low), parts.of(sums.idle_high)), length_text(time),
                       percents_text(sums.idle_low, sums.idle_high, total));
  }
  if (percent_of(sums.idle_low, total) < 1) return fmt::format("how long {} is not known", had_nothing);
  return fmt::format("{} for at least {} of {} ({:.0f}%), and how much longer is not known", had_nothing,
                     format_duration(parts.of(sums.idle_low)), length_text(time), percent_of(sums.idle_low, total));
}

// Whose device had work in its steps, but which waited for a lock to its end, or mostly for copies; empty: neither.
std::string not_all_healthy(const ProcessTime& time) {
  const TimeSums& sums = time.budget.evaluated.sums;
  if (time.locked_out_ns > 0) {
    return fmt::format(", until it waited for a lock in its last {} (it hung, or had no work)",
                       format_duration(time.locked_out_ns));
  }
  const uint64_t copies = sums.of(TimeClass::kCopy).ns;
  if (copies * 2 <= sums.total_ns()) return {};
  return fmt::format(", mostly by copies, which the thread waited for {} of {} ({:.0f}%)",
                     format_duration(Parts(time.budget).of(copies)), length_text(time),
                     percent_of(copies, sums.total_ns()));
}

// After "DEVICE-BOUND". `because`: why the bounds of `idle` say nothing; empty: they do.
std::string device_bound_text(const ProcessTime& time, const std::string& idle, const std::string& because) {
  const ProcessBudget& budget = time.budget;
  const TimeSums& sums = budget.evaluated.sums;
  const uint64_t total = sums.total_ns();
  if (budget.slept_percent > 0) {
    return fmt::format(", but for when it slept, {}% of the time: {}{}.", budget.slept_percent, idle, because);
  }
  if (!because.empty()) {
    const uint64_t waits = sums.of(TimeClass::kDeviceWait).ns + sums.of(TimeClass::kCommunication).ns;
    return fmt::format(", as far as is known: it was waited for {} of {} ({:.0f}%). {}{}.",
                       format_duration(Parts(budget).of(waits)), length_text(time), percent_of(waits, total),
                       with_capital(idle), because);
  }
  if (time.silent_ns > 0) {
    return fmt::format(", until {} before the end: {}.", format_duration(time.silent_ns), idle);
  }
  if (const std::string what = not_all_healthy(time); !what.empty()) return what + ": " + idle + ".";
  if (!time.ended_so.empty()) return fmt::format(", until it {}: {}.", time.ended_so, idle);
  if (time.slowed_by) return ", and slower while " + *time.slowed_by + " worked, too: " + idle + ".";
  if (budget.longer_waits) return ", and for longer than before: " + idle + ".";
  // Only where it cannot have waited for long.
  return (sums.idle_high * 10 < total && time.devices.size() < 2 && !time.shares_its_stream && !time.copies_much
              ? " (healthy): "
              : ", as far as is known: ") +
         idle + ".";
}

std::string limit_text(const ProcessTime& time) {
  const ProcessBudget& budget = time.budget;
  const LimitResult& result = budget.result;
  const TimeSums& sums = budget.evaluated.sums;
  const Parts parts(budget);
  const uint64_t total = sums.total_ns();
  const std::string length = length_text(time);
  const bool has_several = time.devices.size() > 1;
  const bool is_wide = is_idle_unknown(sums);
  const std::string because = is_wide ? fmt::format(", because {}", why_idle_unknown(budget.evaluated)) : std::string();
  const std::string idle =
      idle_text(time, has_several && !time.has_own_device ? fmt::format("its {} devices together", time.devices.size())
                                                          : "the device");
  if (!time.refused.empty()) return "NO WORK FOR THE DEVICE: " + time.refused + ".";
  std::string text = capitals(name_of(result.limit));
  if (result.second) text += " and " + capitals(name_of(*result.second));
  // Who now and then waits for one that slept may have had no work; one that sleeps in every step sets the pace.
  const BlamePath* rests = budget.is_of_slow ? path_to_resting(time) : nullptr;
  const bool may_be_idle = rests != nullptr && (result.limit == Limit::kInputBound ||
                                                (result.limit == Limit::kHostBound && rests->nodes.size() == 2));
  if (may_be_idle) text += " or IDLE";
  if (budget.is_of_slow && result.limit != Limit::kStopped) {
    text += is_of_one_step(budget) ? fmt::format(", in one step, which took {}, usually {}",
                                                 format_duration(budget.slow.front().length_ns),
                                                 format_duration(budget.slow.front().usual_ns))
                                   : ", in its slow steps";
  }
  if (result.device_always_done) {
    return text + fmt::format(": the device was done each time the thread waited for it, {:.0f} times a step; {}.",
                              static_cast<double>(sums.syncs) / static_cast<double>(budget.evaluated.steps),
                              idle_text(time, "it") + because);
  }
  switch (result.limit) {
    case Limit::kNotKnown:
      return text + ": " + why_not(result.why) + ". " + with_capital(idle) + ".";
    case Limit::kDeviceBound:
      return text + device_bound_text(time, idle, because);
    case Limit::kIdle:
      return text + ": no work came for " +
             format_duration(parts.of(sums.clients_ns + sums.of(TimeClass::kSleep).low + result.high_ns)) + " of " +
             length + ".";
    case Limit::kStopped:
      return text + ": " + stopped_text(budget.whole) + ".";
    case Limit::kCopyBound:
      return text +
             fmt::format(": the thread copied for {} of {}, and the device did nothing else for {}.",
                         format_duration(parts.of(sums.of(TimeClass::kCopy).ns)), length,
                         range_text(parts.of(sums.of(TimeClass::kCopy).low), parts.of(sums.of(TimeClass::kCopy).high)));
    case Limit::kCommunicationBound:
      if (!time.waits_for.empty()) return text + ": it waits for " + time.waits_for + ".";
      return text + fmt::format(": collectives were waited for {} of {} ({:.0f}%).",
                                format_duration(parts.of(sums.of(TimeClass::kCommunication).ns)), length,
                                percent_of(sums.of(TimeClass::kCommunication).ns, total));
    case Limit::kLateRank:
      return text + ": the other ranks wait for it. It is " + time.waits_for + ".";
    default:
      if (result.low_ns != 0) return text + ": " + idle + because + ".";
      return text + ", as far as is known" + (is_wide ? ". " + with_capital(idle) : ": " + idle) + because + ".";
  }
}

// What is not known is nearly all of copies that come behind other work.
bool is_of_copies(const TimeSums& sums) { return sums.copy_or_wait_ns * 2 > sums.of(TimeClass::kUnknown).ns; }

bool is_terminal(const BlameNode& node) { return node.kind == static_cast<uint8_t>(hal::WaitKind::kTerminal); }

// Of a class whose largest cause begins with `node`; null: there is none.
std::string class_text(TimeClass one, const BlameNode* node) {
  if (one == TimeClass::kPipe && node != nullptr && is_terminal(*node)) return "waiting for a terminal";
  return std::string(words_of(one));
}

// `sums`: what the node's time is a part of.
std::string did(const BlameNode& node, const TimeSums& sums) {
  switch (node.is) {
    case TimeClass::kHost:
      return "ran on the CPU";
    case TimeClass::kDeviceWait:
    case TimeClass::kCommunication:
      return "waited for the device";
    case TimeClass::kSubmit:
      return "submitted";
    case TimeClass::kCopy:
      return "copied";
    case TimeClass::kAllocate:
      return "allocated";
    case TimeClass::kOtherCall:
      return "was in other GPU calls";
    case TimeClass::kPageFault:
      return "was in page faults";
    case TimeClass::kCpuWait:
      return "waited for a CPU";
    case TimeClass::kThrottled:
      return "was held back by its CPU quota";
    case TimeClass::kStopped:
      if (node.kind == static_cast<uint8_t>(hal::WaitKind::kFrozen)) return "was frozen by the cgroup freezer";
      if (node.kind == static_cast<uint8_t>(hal::WaitKind::kTraced)) return "was stopped by a debugger";
      return "was stopped";
    case TimeClass::kDisk:
      if (node.object.empty()) return "waited for a disk";
      return (node.is_write ? "waited for a disk to write " : "waited for a disk to read ") +
             printable(node.object, 100);
    case TimeClass::kReclaim:
      return "waited for memory to be reclaimed";
    case TimeClass::kPipe: {
      const std::string_view what = is_terminal(node) ? "terminal" : "pipe";
      return node.is_write ? fmt::format("waited for the reader of its {}", what)
                           : fmt::format("waited for a {}", what);
    }
    case TimeClass::kSocket:
      if (node.is_on_its_way) return "waited for data that had been sent to it and had not arrived";
      if (node.is_timed_out) {
        return "waited in vain, until a time-out, for " +
               (node.object.empty() ? "a socket" : printable(node.object, 100));
      }
      if (node.is_write && node.object.empty()) return "waited for the reader of its socket";
      return node.object.empty() ? "waited for a socket" : "waited for " + printable(node.object, 100);
    case TimeClass::kFutex:
      if (node.object.empty()) {
        return node.is_timed_out ? "waited until a time-out, with nothing to wake it," : "waited for a lock";
      }
      return (node.kind == static_cast<uint8_t>(hal::WaitKind::kFile) ? "waited for the lock on " : "waited for ") +
             printable(node.object, 100);
    case TimeClass::kPoll:
      return "waited in poll";
    case TimeClass::kChild:
      return "waited for a child process";
    case TimeClass::kSleep:
      return "slept";
    case TimeClass::kDriver:
      return "waited in a driver";
    case TimeClass::kOtherWait:
      return "waited for something else";
    case TimeClass::kBlocked:
      return "was blocked (not recorded on what)";
    case TimeClass::kUnknown:
      if (is_of_copies(sums)) return "copied, or waited for the device before that,";
      break;
    case TimeClass::kCount:
      break;
  }
  return "was not watched yet";
}

// "forward() at train.py:15, called in step() at train.py:28"
std::string line_and_caller(const BlameNode& node) {
  const std::string line = printable(node.line, 120);
  return node.caller.empty() ? line : fmt::format("{}, {}", line, printable(node.caller, 120));
}

// " in sqlite3_step() of libsqlite3"
std::string in_library(const BlameNode& node) {
  return node.within.empty() ? std::string() : " in " + printable(node.within, 120);
}

std::string at_line(const BlameNode& node) {
  return node.line.empty() ? std::string() : fmt::format(" ({})", line_and_caller(node));
}

std::string role_text(const BlameNode& node) {
  const std::string name = node.role.empty() ? std::string("a thread") : printable(node.role, 40);
  if (node.pids.empty()) return name;
  const std::string script = node.script.empty() ? std::string() : ", " + node.script;
  if (node.pids.size() == 1) return fmt::format("{} (pid {}{})", name, node.pids.front(), script);
  const bool are_more = node.pids.size() >= correlate::Blame::kMaxPids;  // the others are not kept
  return fmt::format("{}{} processes named {} (pids {} to {}{}{})", node.pids.size(), are_more ? " or more" : "", name,
                     node.pids.front(), node.pids.back(), are_more ? " among them" : "", script);
}

}  // namespace

bool is_of_one_step(const ProcessBudget& budget) {
  if (!budget.is_of_slow || budget.slow.empty()) return false;
  const correlate::SlowStep& slowest = budget.slow.front();
  return (slowest.length_ns - std::min(slowest.length_ns, slowest.usual_ns)) * 5 >= budget.slow_more_ns * 4;
}

// Another thread of the same process has its name, if it has one of its own.
std::string other_text(const BlameNode& node, const ProcessTime& time) {
  if (node.pids.size() != 1 || node.pids.front() != time.budget.pid) return role_text(node);
  const std::string own = fmt::format("{} (pid {})", printable(time.name, 40), time.budget.pid);
  if (node.role.empty() || node.role == time.name) return "another thread of " + own;
  return fmt::format("thread {} of {}", printable(node.role, 40), own);
}

namespace {

bool is_same_role(const BlameNode& a, const BlameNode& b) { return a.role == b.role && a.pids == b.pids; }

// "train.py:61 waited 46ms a step for python (pid 3120), which ran on the CPU (train.py:14)".
std::string path_text(const BlamePath& path, const ProcessTime& time, const Parts& parts, std::string_view part) {
  const BlameNode& first = path.nodes.front();
  const TimeSums& sums = time.budget.evaluated.sums;
  const std::string who = first.line.empty() ? role_text(first) : printable(first.line, 120);
  const std::string length = format_duration(parts.of(std::max(path.low, path.high)));
  if (path.nodes.size() == 1) {
    return fmt::format("{} {}{} for {} {}", first.caller.empty() ? who : line_and_caller(first) + ",", did(first, sums),
                       in_library(first), length, part);
  }
  const bool is_read = first.is_write && (first.is == TimeClass::kPipe || first.is == TimeClass::kSocket);
  std::string text = is_for_held_lock(first)
                         ? fmt::format("{} {} for {} {}, held by ", who, did(first, sums), length, part)
                         : fmt::format("{} waited {} {}{} for {}", who, length, part,
                                       first.within.empty() ? "" : fmt::format(",{},", in_library(first)),
                                       is_read ? "the reader of what it wrote, " : "");
  for (size_t i = 1; i < path.nodes.size(); ++i) {
    const BlameNode& node = path.nodes[i];
    if (i + 1 == path.nodes.size()) {
      text += fmt::format("{}, which {}{}{}", other_text(node, time), did(node, sums), in_library(node), at_line(node));
    } else if (!is_same_role(node, path.nodes[i + 1])) {  // threads that wait for their like are one link
      text += fmt::format("{}, which {}", other_text(node, time),
                          is_for_held_lock(node) ? did(node, sums) + ", held by " : "waited for ");
    }
  }
  return text;
}

// The classes that took any time.
std::vector<TimeClass> largest_first(const TimeSums& sums) {
  std::vector<TimeClass> order;
  for (size_t i = 0; i < correlate::kTimeClasses; ++i) {
    if (sums.classes[i].ns > 0) order.push_back(static_cast<TimeClass>(i));
  }
  std::stable_sort(order.begin(), order.end(), [&](TimeClass a, TimeClass b) { return sums.of(a).ns > sums.of(b).ns; });
  return order;
}

std::string rows_text(const ProcessTime& time, bool colour) {
  const TimeSums& sums = time.budget.evaluated.sums;
  const Parts parts(time.budget);
  const uint64_t total = sums.total_ns();
  std::vector<TimeClass> order = largest_first(sums);
  std::erase_if(order, [&](TimeClass one) { return sums.of(one).ns * 500 < total; });
  if (order.size() > kMaxRows) order.resize(kMaxRows);
  Table table({{std::string(part_of(time.budget)), Align::kLeft}, {"ms"}, {"%"}, {"lost"}, {"", Align::kLeft}});
  for (const TimeClass one : order) {
    const ClassTime& its = sums.of(one);
    std::string lost = "-";
    if (its.high > 0) {
      lost = its.high <= its.low + its.low / 10 || ms(parts.of(its.high - its.low)) < 0.1
                 ? fmt::format("{:.1f}", ms(parts.of(its.low == 0 ? its.high : its.low)))
                 : fmt::format("{:.1f} to {:.1f}", ms(parts.of(its.low)), ms(parts.of(its.high)));
    }
    std::string note;
    const BlameNode* most = nullptr;
    for (const BlamePath& path : time.blame) {
      if (path.nodes.front().is != one) continue;
      if (most == nullptr) most = &path.nodes.front();
      if (note.empty()) note = printable(path.nodes.front().line, 60);
    }
    table.add_row({one == TimeClass::kUnknown && is_of_copies(sums) ? "waiting for the device, or copying"
                                                                    : class_text(one, most),
                   fmt::format("{:.1f}", ms(parts.of(its.ns))), fmt::format("{:.1f}", percent_of(its.ns, total)), lost,
                   note});
  }
  return table.render(colour, 2);
}

// Within a tenth, where `parts` is ten.
bool is_near(uint64_t ns, uint64_t usual_ns, uint64_t parts) {
  return std::max(ns, usual_ns) - std::min(ns, usual_ns) <= usual_ns / parts;
}

std::string slow_text(const ProcessTime& time) {
  const ProcessBudget& budget = time.budget;
  if (budget.slow.empty()) return {};
  std::string text =
      fmt::format("Slow: {} of {}{}, {} more than usual in all ({:.0f}% of the time).", budget.slow_steps, budget.steps,
                  budget.is_of_slow ? "" : ", not in the figures above", format_duration(budget.slow_more_ns),
                  percent_of(budget.slow_more_ns, budget.end_ns - budget.start_ns));
  for (size_t i = 0; i < std::min(kMaxSlow, budget.slow.size()); ++i) {
    const correlate::SlowStep& slow = budget.slow[i];
    text += fmt::format(
        " Step {} took {}, usually {}{}: {} more {}", slow.number, format_duration(slow.length_ns),
        format_duration(slow.usual_ns), is_near(slow.usual_ns, budget.usual_ns, 10) ? "" : " by then",
        format_duration(slow.more_ns),
        class_text(slow.is, time.slow_blame[i].empty() ? nullptr : &time.slow_blame[i].front().nodes.front()));
    if (!time.slow_blame[i].empty() && time.slow_blame[i].front().nodes.size() > 1) {
      const BlameNode& first = time.slow_blame[i].front().nodes.front();
      const BlameNode& root = time.slow_blame[i].front().nodes.back();
      const bool may_be_idle = root.is == TimeClass::kPoll || root.is == TimeClass::kOtherWait;
      const std::string what = first.object.empty() ? std::string() : printable(first.object, 100) + ", ";
      text += fmt::format(" ({}for {}, which {}{}{}{})", what, other_text(root, time), did(root, budget.evaluated.sums),
                          in_library(root), at_line(root), may_be_idle ? ": it may have had no work" : "");
    } else if (!time.slow_blame[i].empty()) {
      const BlameNode& only = time.slow_blame[i].front().nodes.front();
      if (!only.object.empty()) text += fmt::format(" ({})", printable(only.object, 100));
      if (!only.line.empty())
        text += in_library(only) + (only.within.empty() ? " in " : ", from ") + line_and_caller(only);
    }
    if (i == 0 && budget.every) text += fmt::format(", every {} steps", *budget.every);
    text += slow.has_other_content ? "; it did other work as well." : ".";
  }
  return text + "\n";
}

// What was no step any more, as an evaluation; empty: little.
std::string after_text(const ProcessBudget& budget) {
  constexpr uint64_t kLittleNs = 1'000'000'000, kPercent = 10;
  const TimeSums& after = budget.after_steps;
  const uint64_t total = after.total_ns();
  if (total < kLittleNs || percent_of(total, budget.whole.total_ns()) < kPercent) return {};
  std::vector<std::string> parts;
  for (const TimeClass one : largest_first(after)) {
    if (percent_of(after.of(one).ns, total) < kPercent) break;
    parts.push_back(fmt::format("{} {:.0f}%", words_of(one), percent_of(after.of(one).ns, total)));
  }
  return fmt::format("After the last step, for {}: {}.\n", format_duration(total), fmt::join(parts, ", "));
}

uint64_t of_share(const TimeSums& sums, double share) {
  return static_cast<uint64_t>(share * static_cast<double>(sums.total_ns()));
}

// What the thread's figures leave out: others of its process submit as well, and lose time of their own. Empty: little.
std::string together_text(const ProcessTime& time) {
  const ProcessBudget& budget = time.budget;
  const TimeSums& sums = budget.evaluated.sums;
  const Parts parts(budget);
  const uint64_t low = of_share(sums, budget.together.low), high = of_share(sums, budget.together.high);
  if (budget.together.threads < 2 || low < sums.lost_low() + sums.lost_low() / 4) return {};
  if (percent_of(low, sums.total_ns()) < correlate::kEnterPercent) return {};
  return fmt::format(
      "{} of its threads submit work: of {} the one below lost {} itself, and all together lost {} "
      "({}); each gap of the device is charged to the thread that ends it",
      budget.together.threads, length_text(time), range_text(parts.of(sums.lost_low()), parts.of(sums.lost_high())),
      range_text(parts.of(low), parts.of(high)), percents_text(low, high, sums.total_ns()));
}

bool is_shown(const ProcessTime& time) { return time.budget.result.why != NotKnown::kTooShort; }

// Where none is shown; `times` are not empty.
std::string none_text(const std::vector<ProcessTime>& times) {
  const auto total_of = [](const ProcessTime& time) { return time.budget.evaluated.sums.total_ns(); };
  const ProcessTime& longest = *std::ranges::max_element(times, {}, total_of);
  const uint64_t total = total_of(longest);
  return fmt::format("\n{}: {}, {} of {} (pid {}){}. Trace it for longer, or select more of it.\n",
                     capitals(name_of(Limit::kNotKnown)),
                     total < kSecond ? why_not(NotKnown::kTooShort) : "nothing is known to limit what was recorded",
                     format_duration(total), longest.name.empty() ? "a process" : printable(longest.name, 60),
                     longest.budget.pid,
                     times.size() == 1 ? "" : fmt::format(", the longest of {} processes", times.size()));
}

// The caller of a line is said where that is named first.
void say_callers_once(const ProcessTime& time, std::string& text) {
  const auto drop = [&](const std::vector<BlamePath>& paths) {
    for (const BlamePath& path : paths) {
      for (const BlameNode& node : path.nodes) {
        if (node.caller.empty()) continue;
        const std::string line = printable(node.line, 120), both = line_and_caller(node);
        const size_t first = text.find(both);
        if (first == std::string::npos) continue;
        for (size_t at = first + both.size(); (at = text.find(both, at)) != std::string::npos; at += line.size()) {
          // The comma behind it goes with it, unless a new part begins there.
          const std::string_view behind = std::string_view(text).substr(at + both.size());
          const bool has_comma = behind.starts_with(",") && !behind.starts_with(", every");
          text.replace(at, both.size() + (has_comma ? 1 : 0), line);
        }
      }
    }
  };
  drop(time.blame);
  for (const std::vector<BlamePath>& paths : time.slow_blame) drop(paths);
}

std::string process_text(const ProcessTime& time, bool colour) {
  const ProcessBudget& budget = time.budget;
  const TimeSums& sums = budget.evaluated.sums;
  const Parts parts(budget);
  std::string out =
      fmt::format("\n{} (pid {})", time.name.empty() ? "A process" : printable(time.name, 60), budget.pid);
  if (budget.steps != 0) {
    const uint64_t before = budget.first_step_ns - std::min(budget.first_step_ns, time.first_submission_ns);
    // The sentence below is about the mean of those that were evaluated.
    const uint64_t mean_ns = parts.of(sums.total_ns()), usual_ns = budget.usual_ns;
    out += fmt::format(", {} steps{} {} in {}", budget.steps, is_near(mean_ns, usual_ns, 50) ? " of" : ", usually of",
                       format_duration(usual_ns), format_duration(budget.end_ns - budget.start_ns));
    if (budget.start_ns > budget.first_step_ns) {
      out += fmt::format(", after other steps for {}", format_duration(budget.start_ns - budget.first_step_ns));
    }
    if (before > 0)
      out += fmt::format("{}after {} of warm-up", budget.start_ns > budget.first_step_ns ? " and " : ", ",
                         format_duration(before));
  } else {
    out += fmt::format(", {} (no steps were found)", format_duration(sums.total_ns()));
  }
  out += "\n" + styled(limit_text(time), Style::kBold, colour) + "\n";
  if (const std::string together = together_text(time); !together.empty()) out += "  " + together + ".\n";
  for (const std::string& one : time.because) out += "  " + one + ".\n";
  if (!time.refused.empty()) return out + "Do: " + time.remedy + ".\n";  // what it waited for says nothing
  const bool waited = budget.result.why == NotKnown::kBlocked || budget.result.why == NotKnown::kPoll;
  if (is_accusation(budget.result.limit) || waited) {
    size_t shown = 0;
    for (const BlamePath& path : time.blame) {
      // What a rank lost itself is not what it waited for, or why the others wait.
      if (shown >= kMaxWhy || path.high * 50 < sums.total_ns()) continue;
      if (!time.waits_for.empty() && !time.waits_for_peer) continue;
      out += fmt::format("{}{}.\n", shown == 0 ? "Why: " : "     ", path_text(path, time, parts, part_of(budget)));
      ++shown;
    }
  }
  const bool is_slower = budget.longer_waits && budget.result.limit == Limit::kDeviceBound;
  const bool has_remedy = is_accusation(budget.result.limit) || budget.result.limit == Limit::kNotKnown || is_slower ||
                          budget.slept_percent > 0 || time.copies_much || time.slowed_by;
  if (has_remedy && !time.remedy.empty()) out += "Do: " + time.remedy + ".\n";
  out += "\n" + rows_text(time, colour);
  out += slow_text(time);
  const uint64_t hidden = sums.spun_preempted_ns;
  if (hidden * 100 >= sums.total_ns()) {
    out += fmt::format("Waiting for a CPU for {} in all; the device was busy meanwhile: nothing lost.\n",
                       format_duration(hidden));
  }
  say_callers_once(time, out);
  out += after_text(budget);
  const uint64_t unknown = budget.whole.of(TimeClass::kUnknown).ns - budget.whole.copy_or_wait_ns;
  if (unknown > 0) {
    out += fmt::format("Known for {:.0f}% of the time.\n", 100 - percent_of(unknown, budget.whole.total_ns()));
  }
  if (time.attached_ns) {
    const std::string at = format_wall(*time.attached_ns + static_cast<uint64_t>(time.wall_offset_ns));
    out += fmt::format("Attached at {}: what the device did before is not known.\n",
                       at.size() < 23 ? at : at.substr(11, 8));
  }
  return out;
}

Json node_json(const BlameNode& node) {
  Json json;
  json["role"] = printable(node.role, 40);
  json["pids"] = node.pids;
  json["class"] = name_of(node.is);
  json["object"] = json_or_null(printable(node.object, 200));
  json["line"] = json_or_null(printable(node.line, 200));
  json["caller"] = json_or_null(printable(node.caller, 200));
  json["within"] = json_or_null(printable(node.within, 200));
  json["script"] = json_or_null(node.script);
  return json;
}

Json paths_json(const std::vector<BlamePath>& paths, const ProcessTime& time, const Parts& parts,
                std::string_view part) {
  Json out = Json::array();
  for (const BlamePath& path : paths) {
    Json nodes = Json::array();
    for (const BlameNode& node : path.nodes) nodes.push_back(node_json(node));
    out.push_back({{"sentence", path_text(path, time, parts, part)},
                   {"path", std::move(nodes)},
                   {"ns", path.ns},
                   {"low_ns", path.low},
                   {"high_ns", path.high}});
  }
  return out;
}

Json slow_json(const ProcessTime& time) {
  Json out = Json::array();
  for (size_t i = 0; i < time.budget.slow.size(); ++i) {
    const correlate::SlowStep& slow = time.budget.slow[i];
    out.push_back({{"step", slow.number},
                   {"start", format_wall(slow.start_ns + static_cast<uint64_t>(time.wall_offset_ns))},
                   {"duration_ns", slow.length_ns},
                   {"usual_ns", slow.usual_ns},
                   {"class", name_of(slow.is)},
                   {"more_ns", slow.more_ns},
                   {"has_other_content", slow.has_other_content},
                   {"blame", paths_json(time.slow_blame[i], time, Parts(), "a step")}});
  }
  return out;
}

Json process_json(const ProcessTime& time) {
  const ProcessBudget& budget = time.budget;
  const TimeSums& sums = budget.evaluated.sums;
  const auto wall = [&](uint64_t mono) { return format_wall(mono + static_cast<uint64_t>(time.wall_offset_ns)); };
  Json json;
  json["process"] = {{"pid", budget.pid},
                     {"tid", budget.tid},
                     {"name", json_or_null(printable(time.name, 60))},
                     {"node", json_or_null(time.node)}};
  json["interval"] = {{"start", wall(budget.start_ns)},
                      {"end", wall(budget.end_ns)},
                      {"evaluated_ns", sums.total_ns()},
                      {"attached", time.attached_ns ? Json(wall(*time.attached_ns)) : Json(nullptr)}};
  json["steps"] = budget.steps == 0 ? Json(nullptr)
                                    : Json{{"count", budget.steps},
                                           {"evaluated", budget.evaluated.steps},
                                           {"usual_ns", budget.usual_ns},
                                           {"found_by", json_or_null(time.found_by)},
                                           {"slow", budget.slow_steps},
                                           {"other", budget.other_steps},
                                           {"slow_every", json_or_null(budget.every)}};
  const LimitResult& result = budget.result;
  json["verdict"] = {{"name", name_of(result.limit)},
                     {"second", result.second ? Json(name_of(*result.second)) : Json(nullptr)},
                     {"degree", !is_accusation(result.limit) ? Json(nullptr)
                                : result.is_high             ? Json("high")
                                                             : Json("moderate")},
                     {"of_slow_steps", budget.is_of_slow},
                     {"device_always_done", result.device_always_done},
                     {"reason", result.limit == Limit::kNotKnown ? Json(why_not(result.why)) : Json(nullptr)},
                     {"sentence", limit_text(time)},
                     {"because", time.because}};
  json["idle_ns"] = {{"low", sums.idle_low}, {"high", sums.idle_high}};
  json["classes"] = Json::array();
  for (size_t i = 0; i < correlate::kTimeClasses; ++i) {
    const ClassTime& its = sums.classes[i];
    if (its.ns == 0) continue;
    json["classes"].push_back({{"name", name_of(static_cast<TimeClass>(i))},
                               {"ns", its.ns},
                               {"share", static_cast<double>(its.ns) / static_cast<double>(sums.total_ns())},
                               {"lost_ns", {{"low", its.low}, {"high", its.high}}}});
  }
  if (const correlate::Together& together = budget.together; together.threads > 1) {
    json["threads"] = {{"submitting", together.threads},
                       {"lost_ns", {{"low", of_share(sums, together.low)}, {"high", of_share(sums, together.high)}}}};
  }
  json["after_steps_ns"] = budget.after_steps.total_ns();
  json["blame"] = paths_json(time.blame, time, Parts(budget), part_of(budget));
  json["remedy"] = json_or_null(time.remedy);
  json["slow"] = slow_json(time);
  json["waiting_for_clients_ns"] = sums.clients_ns;
  return json;
}

}  // namespace

std::string time_text(const std::vector<ProcessTime>& times, bool colour) {
  std::string out;
  size_t shown = 0, left = 0;
  for (const ProcessTime& time : times) {
    if (!is_shown(time)) continue;
    if (shown++ < kMaxProcesses) {
      out += process_text(time, colour);
    } else {
      ++left;
    }
  }
  if (shown == 0 && !times.empty()) return none_text(times);
  if (left > 0) out += fmt::format("\nAnd {} more processes: explain --json has all.\n", left);
  return out;
}

Json time_json(const std::vector<ProcessTime>& times) {
  Json out = Json::array();
  for (const ProcessTime& time : times) out.push_back(process_json(time));
  return out;
}

}  // namespace ingero::report
