// What to do about what limits a program: about its thread, or about who it waits for.
#include <algorithm>

#include "base/text.h"
#include "hal/wait.h"
#include "report/time_spent.h"

namespace ingero::report {
namespace {

using correlate::Limit;
using correlate::TimeClass;

constexpr std::string_view kFromAServer =
    "ask for it, or send it, ahead of time, in another thread, or less often, and keep the answers: the device can "
    "work meanwhile";

// The path with most of what was lost to other threads, if that is most of all.
const BlamePath* path_to_others(const ProcessTime& time) {
  const BlamePath* first = nullptr;
  uint64_t others_ns = 0, own_ns = 0;
  for (const BlamePath& path : time.blame) {
    const bool is_others = path.nodes.size() > 1;
    (is_others ? others_ns : own_ns) += std::max(path.low, path.high);
    if (is_others && first == nullptr) first = &path;
  }
  return others_ns > own_ns ? first : nullptr;
}

// The work is off the thread that submits already: what helps is to have it done sooner.
std::string remedy_for(const BlamePath& path, const ProcessTime& time) {
  const BlameNode &first = path.nodes.front(), &root = path.nodes.back();
  const bool are_many = root.pids.size() > 1;
  const std::string who = are_many ? "the processes named " + printable(root.role, 40) : other_text(root, time);
  const std::string what_it_does = fmt::format("what {} {}", who, are_many ? "do" : "does");
  const bool has_line = !root.line.empty() && root.line.find("+0x") == std::string::npos;
  const std::string what = has_line ? printable(root.line, 120) : what_it_does;
  // The last one holds what the one before it waits for.
  const bool is_held = is_for_held_lock(path.nodes[path.nodes.size() - 2]);
  // Faster work of what a child runs is seldom in reach; what it makes can be kept.
  if (first.is == TimeClass::kChild && (root.is == TimeClass::kHost || root.is == TimeClass::kPageFault)) {
    return fmt::format("keep what {} {}, wait for it in another thread, or start it further ahead", who,
                       are_many ? "make" : "makes");
  }
  if (first.is_write && (first.is == TimeClass::kPipe || first.is == TimeClass::kSocket)) {
    return fmt::format("see why {} {} not read what is sent, send less, or send it from another thread", who,
                       are_many ? "do" : "does");
  }
  if (root.is_on_its_way) {
    return "send each message with one write, or set TCP_NODELAY: a small one waits until the one before is "
           "acknowledged "
           "(Nagle's algorithm); else see the network between the two";
  }
  switch (root.is) {
    case TimeClass::kThrottled:
      return fmt::format("raise the CPU quota of the cgroup of {}, or use fewer threads within it", who);
    case TimeClass::kCpuWait:
      return fmt::format("give {} a CPU: fewer competing threads, pinning, or a higher share", who);
    case TimeClass::kHost:
    case TimeClass::kPageFault:
      if (is_held) return fmt::format("have {} hold it for less time, or do its work in another process", who);
      return fmt::format("speed up {}, share it among more threads or processes, or do it further ahead{}", what,
                         first.is == TimeClass::kFutex ? " and under no lock" : "");
    case TimeClass::kDeviceWait:
      return fmt::format("give the device that {} {} for less work, or its work more devices", who,
                         are_many ? "wait" : "waits");
    case TimeClass::kStopped:
      if (root.kind == static_cast<uint8_t>(hal::WaitKind::kFrozen)) {
        return fmt::format("see what freezes the cgroup of {}: a checkpoint, or a manager of containers", who);
      }
      return fmt::format("see who stops {}: a signal (SIGSTOP), the cgroup freezer, or a debugger", who);
    case TimeClass::kDisk:
      return fmt::format("have {} read and write less, on faster storage, and hold no lock meanwhile", who);
    default:
      if (first.is == TimeClass::kChild) {
        return fmt::format("wait for {} in another thread, less often, or do it without a process", who);
      }
      if (is_held) {
        return fmt::format("have {} hold the lock for less time, and not while {}", who,
                           root.is == TimeClass::kSleep ? "it sleeps" : "it waits");
      }
      if (root.is == TimeClass::kSleep) {
        return fmt::format("see why {} sleep{}{}: a rate limit, a retry, or nothing to do", who, are_many ? "" : "s",
                           has_line ? " in " + what : "");
      }
      return fmt::format("see {} meanwhile", what_it_does);
  }
}

bool goes_through_lock(const BlamePath& path) { return std::ranges::any_of(path.nodes, is_for_held_lock); }

// Where most of what was lost was waited for in vain.
std::string remedy_for_time_outs(const ProcessTime& time) {
  uint64_t in_vain = 0, all = 0;
  const BlamePath* first = nullptr;
  for (const BlamePath& path : time.blame) {
    const uint64_t ns = std::max(path.low, path.high);
    all += ns;
    if (path.nodes.size() != 1 || !path.nodes.front().is_timed_out || path.nodes.front().is == TimeClass::kPoll)
      continue;
    in_vain += ns;
    if (first == nullptr) first = &path;
  }
  if (first == nullptr || in_vain * 2 <= all) return {};
  return first->nodes.front().is == TimeClass::kSocket
             ? "see why no answer comes, or shorten the time-out"
             : "see what should have woken it before, or shorten the time-out";
}

// Where most of what was lost the thread slept itself.
bool sleeps_mostly(const ProcessTime& time) {
  uint64_t slept = 0, all = 0;
  for (const BlamePath& path : time.blame) {
    const uint64_t ns = std::max(path.low, path.high);
    all += ns;
    if (path.nodes.size() == 1 && path.nodes.front().is == TimeClass::kSleep) slept += ns;
  }
  return slept * 2 > all;
}

// By its name: of libraries' and programs' own locks.
bool is_spinning(std::string_view line) {
  constexpr std::string_view kNames[] = {"spin_lock", "spinlock", "SpinLock", "spin_wait", "SpinWait", "busy_wait"};
  const std::string_view function = line.substr(0, line.find('('));
  return std::ranges::any_of(kNames, [&](std::string_view one) { return function.find(one) != function.npos; });
}

// The path with most of what was lost goes through a connection to another program, or a server of its own: what it
// waits for may be an answer as well as that something was taken.
bool waits_for_a_server(const ProcessTime& time) {
  if (time.blame.empty()) return false;
  const BlameNode& first = time.blame.front().nodes.front();
  return first.is == TimeClass::kSocket && !first.object.empty();
}

// By what the thread did itself for most of what was lost.
std::string own_remedy(const ProcessTime& time) {
  if (!time.blame.empty() && time.blame.front().nodes.size() == 1 &&
      is_spinning(time.blame.front().nodes.front().line)) {
    return "see which thread holds the lock that it spins for, and have that one hold it for less time, and not while "
           "it sleeps or waits";
  }
  const TimeClass most = time.blame.empty() ? TimeClass::kHost : time.blame.front().nodes.front().is;
  const bool sends = !time.blame.empty() && time.blame.front().nodes.front().is_write;
  if (sends && (most == TimeClass::kSocket || most == TimeClass::kPipe)) {
    return "send it from another thread, less of it, or drop it where its reader does not keep up: the device can work "
           "meanwhile";
  }
  if (most == TimeClass::kSocket) return std::string(kFromAServer);
  if (most == TimeClass::kChild) {
    return "run it in another thread, less often, or not as a process: the device can work meanwhile";
  }
  if (most == TimeClass::kDisk) {
    return "read ahead and write behind in another thread, or use faster storage: the device can work meanwhile";
  }
  return "move this work off the thread that submits, or do it while the device works";
}

}  // namespace

const BlamePath* path_to_resting(const ProcessTime& time) {
  const bool is_input = time.budget.result.limit == Limit::kInputBound;
  uint64_t for_them = 0, all = 0;
  const BlamePath* first = nullptr;
  for (const BlamePath& path : time.blame) {
    const uint64_t ns = std::max(path.low, path.high);
    all += ns;
    const BlameNode& wait = path.nodes.front();
    // Input comes through a queue of the process's own, too; a lock that has a name is held.
    const bool is_queue = is_input && wait.is == TimeClass::kFutex && !is_for_held_lock(wait);
    // One that does not read what is there to be read is what is slow.
    const bool hands_on = (!wait.is_write && (wait.is == TimeClass::kSocket || wait.is == TimeClass::kPipe)) ||
                          (is_input && wait.is == TimeClass::kPoll) || is_queue;
    // The child of one that is not traced is not seen.
    const TimeClass root = path.nodes.back().is;
    const bool rests = root == TimeClass::kSleep || root == TimeClass::kChild;
    if (path.nodes.size() < 2 || !hands_on || !rests || goes_through_lock(path)) continue;
    for_them += ns;
    if (first == nullptr) first = &path;
  }
  return for_them * 2 > all ? first : nullptr;
}

std::string remedy_of(const ProcessTime& time) {
  const Limit limit = time.budget.result.limit;
  if (limit == Limit::kHostBound || limit == Limit::kInputBound) {
    if (std::string remedy = remedy_for_time_outs(time); !remedy.empty()) return remedy;
  }
  const BlamePath* others = path_to_others(time);
  const BlamePath* rests = limit == Limit::kHostBound || limit == Limit::kInputBound ? path_to_resting(time) : nullptr;
  if (rests != nullptr) {
    const BlameNode& root = rests->nodes.back();
    if (root.is == TimeClass::kChild)
      return fmt::format("see what {} does meanwhile, or whether nothing was to be done", other_text(root, time));
    return fmt::format("see why {} sleeps: a rate limit, a retry, or nothing to do", other_text(root, time));
  }
  // More workers would not help where it is a quota, a want of CPUs, a stop, another device, a lock that has a name
  // (the interpreter's), or one that processes share that they wait for.
  const auto is_of_another = [&](const BlameNode& node) {
    return std::ranges::find(node.pids, time.budget.pid) == node.pids.end();
  };
  const bool is_elsewhere =
      others != nullptr &&
      (others->nodes.back().is == TimeClass::kThrottled || others->nodes.back().is == TimeClass::kCpuWait ||
       others->nodes.back().is == TimeClass::kStopped || others->nodes.back().is == TimeClass::kDeviceWait ||
       others->nodes.back().is_on_its_way ||
       (others->nodes.front().is == TimeClass::kFutex && is_of_another(others->nodes[1])) ||
       goes_through_lock(*others));
  if (others != nullptr && (limit == Limit::kHostBound || (limit == Limit::kInputBound && is_elsewhere))) {
    return remedy_for(*others, time);
  }
  switch (limit) {
    case Limit::kInputBound:
      if (waits_for_a_server(time)) return std::string(kFromAServer);
      return "prepare more input ahead of time: more workers, deeper prefetching, faster storage, or decode beforehand";
    case Limit::kHostBound:
      if (sleeps_mostly(time)) {
        return "see why it sleeps (a rate limit, a retry, a state that it asks for again and again), and have it woken "
               "when there is something to do";
      }
      return own_remedy(time);
    case Limit::kLaunchBound:
      return "submit less often: fuse kernels, larger batches, or a captured graph";
    case Limit::kSyncBound:
      return "synchronise less often: keep results on the device, and read them once a step";
    case Limit::kCopyBound:
      return "copy asynchronously from pinned memory, and in larger pieces";
    case Limit::kAllocationBound:
      return "allocate once and reuse, or use a caching allocator";
    case Limit::kCommunicationBound:
      return "see which rank comes last (Collectives), and what it did meanwhile";
    case Limit::kStarvedOfCpu:
      return "give the thread that submits a CPU: fewer competing threads, pinning, or a higher share";
    case Limit::kThrottled:
      return "raise the cgroup's CPU quota, or use fewer threads within it";
    case Limit::kStopped:
      return "find out who stops it: a shell, a scheduler, a debugger, or what limits its use of CPUs";
    default:
      return {};
  }
}

}  // namespace ingero::report
