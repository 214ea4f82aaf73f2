// Why a thread, or who it waits for, waited for a disk or for memory (time_part.h): a limit on memory by which what was
// read is read again, and who else used the disk.
#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "correlate/window.h"
#include "report/script_name.h"
#include "report/time_part.h"

namespace ingero::report {
namespace {

using correlate::TimeClass;
using store::Conditions;

// What was lost to waits of one of these classes, its own or those of who it waits for, of all that was.
struct LostTo {
  uint64_t ns = 0, all_ns = 0;
  std::set<uint32_t> pids;
  bool is_write = false;  // the largest of them
  bool is_good_part() const { return ns > 0 && static_cast<double>(ns) >= kGoodPart * static_cast<double>(all_ns); }
  bool is_most() const { return ns * 2 >= all_ns; }
};

LostTo lost_to(const ProcessTime& time, std::initializer_list<TimeClass> classes, bool reads_only) {
  LostTo lost;
  for (const BlamePath& path : time.blame) {
    const uint64_t ns = std::max(path.low, path.high);
    lost.all_ns += ns;
    const BlameNode& root = path.nodes.back();
    if (std::ranges::find(classes, root.is) == classes.end() || (reads_only && root.is_write)) continue;
    if (lost.ns == 0) lost.is_write = root.is_write;
    lost.ns += ns;
    lost.pids.insert(root.pids.begin(), root.pids.end());
  }
  return lost;
}

// Rows of what the budget evaluates, which are of the second before each. Of `table`.
Conditions of_seconds(const Part& part, const ProcessTime& time, const std::string& table) {
  Conditions its;
  if (!time.node.empty()) its.add("s.node = ?", store::Bound::of(time.node));
  if (time.session) its.add("s.id = ?", *time.session);
  if (time.budget.end_ns > time.budget.start_ns) {
    its.add(table + ".mono_ns > ?", static_cast<int64_t>(time.budget.start_ns));
    its.add(table + ".mono_ns <= ?", static_cast<int64_t>(time.budget.end_ns + correlate::kWindowNs));
  }
  its.add_range(part.selection, table + ".timestamp", table + ".timestamp");
  return its;
}

// What a process asked disks for meanwhile.
struct Asked {
  uint64_t bytes = 0, requests = 0;
  uint64_t ns = 0;  // that these took
};

Asked asked_of_disks(const Part& part, const ProcessTime& time, uint32_t pid, bool writes) {
  Conditions its = Part::of_process(time, "e", "e", pid);
  its.add("e.start_mono_ns >= ?", static_cast<int64_t>(time.budget.start_ns));
  its.add("e.start_mono_ns <= ?", static_cast<int64_t>(time.budget.end_ns));
  its.add("e.call = ?", store::Bound::of(writes ? "block_write" : "block_read"));
  its.add_range(part.selection, "e.timestamp", "e.timestamp");
  Asked asked;
  part.ask("SELECT sum(e.bytes), count(*), sum(e.duration) FROM events e WHERE {}", its,
           [&](std::span<const store::Value> row) {
             asked.bytes = static_cast<uint64_t>(std::max<int64_t>(0, row[0].integer));
             asked.requests = static_cast<uint64_t>(row[1].integer);
             asked.ns = static_cast<uint64_t>(std::max<int64_t>(0, row[2].integer));
           });
  return asked;
}

// What the limit on memory of its cgroup did meanwhile.
struct MemoryLimit {
  std::string path, name;
  uint64_t limit_bytes = 0, again_bytes = 0, hits = 0, stalled_ns = 0;
};

std::optional<MemoryLimit> memory_limit_of(const Part& part, const ProcessTime& time) {
  Conditions its = of_seconds(part, time, "m");
  its.add("m.pid = ?", int64_t{time.budget.pid});
  std::optional<MemoryLimit> found;
  part.ask(
      "SELECT m.path, m.limit_name, max(m.limit_bytes), sum(m.reread_bytes), sum(m.hits), sum(m.stalled_ns) FROM "
      "cgroup_memory m JOIN sessions s ON s.id = m.session WHERE {} GROUP BY 1, 2 ORDER BY 4 DESC, 5 DESC LIMIT 1",
      its, [&](std::span<const store::Value> row) {
        const auto number = [&](size_t i) { return static_cast<uint64_t>(std::max<int64_t>(0, row[i].integer)); };
        found = MemoryLimit{printable(row[0].as_text(), 200),
                            printable(row[1].as_text(), 40),
                            number(2),
                            number(3),
                            number(4),
                            number(5)};
      });
  return found;
}

// At least a quarter of what these processes read had been in memory before.
bool is_read_again(const Part& part, const ProcessTime& time, const MemoryLimit& limit,
                   const std::set<uint32_t>& pids) {
  constexpr uint64_t kReadAgain = 4;
  uint64_t read_bytes = 0;
  for (const uint32_t pid : pids) read_bytes += asked_of_disks(part, time, pid, false).bytes;
  return limit.again_bytes > 0 && limit.again_bytes * kReadAgain >= read_bytes;
}

void say(const MemoryLimit& limit, bool is_again, bool is_most, ProcessTime& time) {
  std::string text = fmt::format("Its cgroup {} is at its limit on memory ({}: {})", limit.path, limit.name,
                                 format_bytes(limit.limit_bytes));
  if (is_again) {
    text += fmt::format(": {} that had been in memory were read again", format_bytes(limit.again_bytes));
  } else if (limit.stalled_ns > 0) {
    text += fmt::format(": processes in it waited for memory for {}", format_duration(limit.stalled_ns));
  } else if (limit.hits > 0) {
    text += fmt::format(": it was reached {}", plural(limit.hits, "time"));
  }
  time.because.push_back(std::move(text));
  if (!is_most) return;
  time.remedy = fmt::format("raise {} of its cgroup (/sys/fs/cgroup{}), or hold less in memory{}", limit.name,
                            limit.path, is_again ? ": what does not fit is read from the disk again" : "");
}

// Its cgroup, or that of who it waits for, is at its limit on memory: what was read does not stay there.
void add_memory_limit(const Part& part, ProcessTime& time) {
  const LostTo reads = lost_to(time, {TimeClass::kDisk, TimeClass::kPageFault}, true);
  const LostTo frees = lost_to(time, {TimeClass::kReclaim}, false);
  if (!reads.is_good_part() && !frees.is_good_part()) return;
  const auto limit = memory_limit_of(part, time);
  if (!limit) return;
  const bool is_again = reads.is_good_part() && is_read_again(part, time, *limit, reads.pids);
  if (!is_again && !frees.is_good_part()) return;
  say(*limit, is_again, (is_again ? reads : frees).is_most(), time);
}

// Who else used the disks of traced processes meanwhile.
struct DiskUsers {
  Asked others;
  uint64_t own_bytes = 0;
  std::vector<std::string> named;  // most first; empty: none had most of it
};

// With its number, and the script that it runs.
std::string user_name(std::string_view comm, int64_t pid, std::string_view command_line) {
  const std::string script = script_name(command_line);
  return fmt::format("{} (pid {}{}{})", printable(comm, 40), pid, script.empty() ? "" : ", ", script);
}

DiskUsers disk_users_of(const Part& part, const ProcessTime& time) {
  DiskUsers found;
  uint64_t largest = 0;
  part.ask(
      "SELECT u.pid, u.comm, sum(u.bytes), sum(u.own_bytes), sum(u.requests), (SELECT p.command_line FROM processes p "
      "WHERE p.session = u.session AND p.pid = u.pid ORDER BY p.id DESC LIMIT 1) FROM disk_use u JOIN sessions s ON "
      "s.id = u.session WHERE {} GROUP BY 1 ORDER BY u.pid IS NOT NULL, 3 DESC LIMIT 8",
      of_seconds(part, time, "u"), [&](std::span<const store::Value> row) {
        const auto number = [&](size_t i) { return static_cast<uint64_t>(std::max<int64_t>(0, row[i].integer)); };
        if (row[0].is_null()) {
          found.others = {number(2), number(4), 0};
          found.own_bytes = number(3);
          return;
        }
        largest = std::max(largest, number(2));
        if (found.named.size() >= kMaxNamed || number(2) * 10 < found.others.bytes) return;
        found.named.push_back(user_name(row[1].as_text(), row[0].integer, row[5].as_text()));
      });
  if (largest * 2 < found.others.bytes) found.named.clear();
  return found;
}

// Of the traced processes, without those that waited, the one that asked disks for most; none: nothing was asked for.
struct TracedUser {
  std::string name;  // with its number and script
  uint64_t bytes = 0, waiters_bytes = 0;
  uint64_t ns = 0;  // that its requests took
};

std::optional<TracedUser> traced_user_of(const Part& part, const ProcessTime& time, const std::set<uint32_t>& waiters) {
  Conditions its;
  if (!time.node.empty()) its.add("e.node = ?", store::Bound::of(time.node));
  if (time.session) its.add("e.session = ?", *time.session);
  its.add("e.start_mono_ns >= ?", static_cast<int64_t>(time.budget.start_ns));
  its.add("e.start_mono_ns <= ?", static_cast<int64_t>(time.budget.end_ns));
  its.add_range(part.selection, "e.timestamp", "e.timestamp");
  TracedUser found;
  part.ask(
      "SELECT e.pid, max(e.comm), sum(e.bytes), (SELECT p.command_line FROM processes p WHERE p.id = e.process), "
      "sum(e.duration) FROM events e WHERE {} AND e.call IN ('block_write', 'block_read') GROUP BY e.process ORDER BY "
      "3 DESC LIMIT 1000",
      its, [&](std::span<const store::Value> row) {
        const auto pid = static_cast<uint32_t>(row[0].integer);
        const auto bytes = static_cast<uint64_t>(std::max<int64_t>(0, row[2].integer));
        if (waiters.contains(pid)) {
          found.waiters_bytes += bytes;
        } else if (found.name.empty()) {
          found.name = user_name(row[1].as_text(), pid, row[3].as_text());
          found.bytes = bytes;
          found.ns = static_cast<uint64_t>(std::max<int64_t>(0, row[4].integer));
        }
      });
  return found.name.empty() ? std::nullopt : std::optional(std::move(found));
}

struct IoLimit {
  std::string path, name;
  bool is_write = false, is_bytes = false;
  uint64_t each = 0;
};

std::vector<IoLimit> io_limits_of(const Part& part, const ProcessTime& time, uint32_t pid) {
  Conditions its = Part::of_process(time, "l", "s", pid);
  its.add("l.mono_ns <= ?", static_cast<int64_t>(time.budget.end_ns + correlate::kWindowNs));
  std::vector<IoLimit> found;
  part.ask(
      "SELECT l.path, l.limit_name, l.is_write, l.is_bytes, l.limit_per_second FROM io_limits l JOIN sessions s ON "
      "s.id = l.session WHERE {} ORDER BY l.mono_ns DESC LIMIT 64",
      its, [&](std::span<const store::Value> row) {
        found.push_back({printable(row[0].as_text(), 200), printable(row[1].as_text(), 60), row[2].integer != 0,
                         row[3].integer != 0, static_cast<uint64_t>(std::max<int64_t>(1, row[4].integer))});
      });
  return found;
}

// A limit on what the cgroup of one that waited for a disk may ask of it, by which it was held back. What is held back
// the kernel asks for later, and it is not known as the process's own (docs/limits.md): where the requests that are
// took far less than was waited, the others were. False: no limit is reached.
bool add_io_limit(const Part& part, const LostTo& lost, const DiskUsers& users, ProcessTime& time) {
  constexpr double kMuch = 0.5;  // of the limit
  constexpr uint64_t kFarLess = 4;
  const uint64_t span_ns = time.budget.end_ns - std::min(time.budget.end_ns, time.budget.start_ns);
  Asked done = users.others;
  for (const uint32_t pid : lost.pids) {
    const Asked its = asked_of_disks(part, time, pid, lost.is_write);
    done.bytes += its.bytes;
    done.requests += its.requests;
    done.ns += its.ns;
  }
  const bool is_held_back = done.ns * kFarLess < lost.ns;
  for (const uint32_t pid : lost.pids) {
    for (const IoLimit& limit : io_limits_of(part, time, pid)) {
      const auto least = kMuch * static_cast<double>(limit.each) * static_cast<double>(span_ns) / 1e9;
      const uint64_t asked = limit.is_bytes ? done.bytes : done.requests;
      if (limit.is_write != lost.is_write || (!is_held_back && static_cast<double>(asked) < least)) continue;
      time.because.push_back(fmt::format(
          "{} may {} {} a second {} a disk ({})",
          pid == time.budget.pid ? "Its cgroup " + limit.path
                                 : fmt::format("The cgroup {} of process {}", limit.path, pid),
          limit.is_write ? "write" : "read", limit.is_bytes ? format_bytes(limit.each) : plural(limit.each, "request"),
          limit.is_write ? "to" : "from", limit.name));
      if (lost.is_most()) {
        time.remedy = fmt::format("raise {} of that cgroup (/sys/fs/cgroup{}), or {} less, or ahead of time",
                                  limit.name, limit.path, limit.is_write ? "write" : "read");
      }
      return true;
    }
  }
  return false;
}

// Others that kept the disk busy that it, or who it waits for, waited for.
void add_disk_users(const Part& part, ProcessTime& time) {
  constexpr uint64_t kMuchMore = 2, kBusyBytes = 20'000'000;  // a second; less hardly keeps a disk busy
  const LostTo lost = lost_to(time, {TimeClass::kDisk}, false);
  if (!lost.is_good_part()) return;
  const DiskUsers users = disk_users_of(part, time);
  if (add_io_limit(part, lost, users, time)) return;
  const uint64_t span_ns = time.budget.end_ns - std::min(time.budget.end_ns, time.budget.start_ns);
  const auto kept_it_busy = [&](uint64_t bytes, uint64_t of_others) {
    return bytes >= kMuchMore * of_others &&
           static_cast<double>(bytes) >= static_cast<double>(kBusyBytes) * static_cast<double>(span_ns) / 1e9;
  };
  std::string who;
  if (!users.named.empty() && kept_it_busy(users.others.bytes, users.own_bytes)) {
    who = users.named.front();
    time.because.push_back(
        fmt::format("Others used its disk meanwhile: {} of theirs, {} of the traced processes; most for {}",
                    format_bytes(users.others.bytes), format_bytes(users.own_bytes), fmt::join(users.named, ", ")));
  } else if (const auto traced = traced_user_of(part, time, lost.pids);
             traced && traced->ns * 2 >= span_ns && kept_it_busy(traced->bytes, traced->waiters_bytes)) {
    who = traced->name;
    time.because.push_back(fmt::format("{} used the disks meanwhile: {}; who waited asked for {}", who,
                                       format_bytes(traced->bytes), format_bytes(traced->waiters_bytes)));
  }
  if (who.empty() || !lost.is_most()) return;
  time.remedy = fmt::format(
      "keep {} off that disk: at other times, on another disk, or with a limit (io.max of its cgroup)", who);
}

}  // namespace

bool add_read_again(const Part& part, ProcessTime& time, bool is_most) {
  const auto limit = memory_limit_of(part, time);
  if (!limit || !is_read_again(part, time, *limit, {time.budget.pid})) return false;
  const bool is_said = std::ranges::any_of(
      time.because, [](const std::string& one) { return one.find("at its limit on memory") != std::string::npos; });
  if (!is_said) say(*limit, true, is_most, time);
  return true;
}

void add_disks(const Part& part, ProcessTime& time) {
  add_disk_users(part, time);
  add_memory_limit(part, time);
}

}  // namespace ingero::report
