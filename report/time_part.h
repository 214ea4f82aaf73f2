// The part of a recording that evidence of one process is looked for in (time_evidence.cc, time_cpus.cc,
// time_disk.cc, time_device.cc).
//
// Queries of what is selected, of the process's node, run and evaluated interval. A table that a recording does not
// have gives no rows. Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/time_spent.h"
#include "store/read/reader.h"
#include "store/read/selection_sql.h"

namespace ingero::report {

inline constexpr double kGoodPart = 0.25, kHalf = 0.5;
inline constexpr size_t kMaxNamed = 4;
inline constexpr uint64_t kSomePercent = 15;

// The recording, and the part of it that is asked about.
struct Part {
  static constexpr std::string_view kSessions = "s";  // the alias of the table sessions in all of these queries
  const store::Reader& reader;
  const store::Selection& selection;

  // `sql` has the conditions in place of its {}.
  void ask(std::string_view sql, const store::Conditions& conditions,
           const std::function<void(std::span<const store::Value>)>& on_row) const {
    const auto take = [&](std::span<const store::Value> row) {
      on_row(row);
      return true;
    };
    const std::string text = fmt::format(fmt::runtime(sql), conditions.sql());
    (void)reader.query(text, {}, take, {}, conditions.bound()).ok();  // without the table there is nothing to say
  }

  // Of a process on its node and in its run: itself, unless `pid` says otherwise. `table`, `node_of`: that have the
  // number, and the node and the run.
  static store::Conditions of_process(const ProcessTime& time, const std::string& table, const std::string& node_of,
                                      std::optional<uint32_t> pid = std::nullopt) {
    store::Conditions conditions;
    conditions.add(table + ".pid = ?", int64_t{pid.value_or(time.budget.pid)});
    if (!time.node.empty()) conditions.add(node_of + ".node = ?", store::Bound::of(time.node));
    if (time.session) conditions.add(node_of + (node_of == kSessions ? ".id = ?" : ".session = ?"), *time.session);
    return conditions;
  }
  // Of what the budget evaluates, as all below. Rows of the table event_rows e with its clock k, of a thread t.
  store::Conditions of_thread(const ProcessTime& time) const {
    return of_rows(of_interval(time, "t", "k", "k.mono_ns + e.start"));
  }
  // Likewise, of all threads of a process.
  store::Conditions of_threads_of(const ProcessTime& time, uint32_t pid) const {
    store::Conditions conditions = of_process(time, "t", "k", pid);
    add_interval(time, "k.mono_ns + e.start", conditions);
    return of_rows(std::move(conditions));
  }
  // Rows of the view events e, of a thread.
  store::Conditions events_of_thread(const ProcessTime& time) const {
    store::Conditions conditions = of_interval(time, "e", "e", "e.start_mono_ns");
    conditions.add_rows(selection, "e.seq");
    conditions.add_range(selection, "e.timestamp", "e.timestamp + coalesce(e.duration, 0)");
    return conditions;
  }
  // Rows of the table cpu_samples c with its clock k, of a thread t.
  store::Conditions samples_of_thread(const ProcessTime& time) const {
    store::Conditions conditions = of_interval(time, "t", "k", "k.mono_ns + c.start");
    conditions.add_range(selection, "k.wall_ns + c.start", "k.wall_ns + c.start");
    return conditions;
  }
  // Samples of the machine that have a value in a column.
  store::Conditions snapshots_meanwhile(const ProcessTime& time, const std::string& column) const {
    store::Conditions meanwhile;
    meanwhile.add(column + " >= ?", int64_t{0});
    if (time.session) meanwhile.add("session = ?", *time.session);
    if (time.budget.end_ns > time.budget.start_ns) {
      meanwhile.add("timestamp >= ?", wall_ns(time, time.budget.start_ns));
      meanwhile.add("timestamp <= ?", wall_ns(time, time.budget.end_ns));
    }
    meanwhile.add_range(selection, "timestamp", "timestamp");
    return meanwhile;
  }

 private:
  // A recording may hold any number: it wraps.
  static int64_t wall_ns(const ProcessTime& time, uint64_t mono_ns) {
    return static_cast<int64_t>(mono_ns + static_cast<uint64_t>(time.wall_offset_ns));
  }
  // And of what is selected.
  store::Conditions of_rows(store::Conditions conditions) const {
    conditions.add_rows(selection, "e.seq");
    conditions.add_range(selection, "k.wall_ns + e.start", "k.wall_ns + e.start + coalesce(e.duration, 0)");
    return conditions;
  }
  // `thread`: the table of its thread; `start`: when it began, of the monotonic clock.
  static store::Conditions of_interval(const ProcessTime& time, const std::string& thread, const std::string& node_of,
                                       const std::string& start) {
    store::Conditions conditions = of_process(time, thread, node_of);
    conditions.add(thread + ".tid = ?", int64_t{time.budget.tid});
    add_interval(time, start, conditions);
    return conditions;
  }
  static void add_interval(const ProcessTime& time, const std::string& start, store::Conditions& conditions) {
    if (time.budget.end_ns <= time.budget.start_ns) return;
    conditions.add(start + " >= ?", static_cast<int64_t>(time.budget.start_ns));
    conditions.add(start + " <= ?", static_cast<int64_t>(time.budget.end_ns));
  }
};

// CPUs of the process's machine; 0: not known.
uint64_t cpus_of(const Part& part, const ProcessTime& time);
// "the 4.7ms a step"
std::string part_text(const ProcessTime& time, uint64_t ns);
// Where it, or who it waits for, waited for a disk or for memory: the limit on memory by which what was read is read
// again, and who else used the disk (time_disk.cc).
void add_disks(const Part& part, ProcessTime& time);
// Of page faults that cost much: whether they are of what that limit had evicted, which is then said. `is_most`: they
// are most of what was lost, so that it is what to do something about.
bool add_read_again(const Part& part, ProcessTime& time, bool is_most);
// Who had the CPUs that it, or who it waits for, waited for, and on which they may run.
void add_cpus(const Part& part, ProcessTime& time);
// What else the device worked for (time_device.cc): other processes, copies, or nothing because all launches failed; of
// several devices, which is meant.
void add_neighbours(const Part& part, const std::vector<ProcessTime>& times, ProcessTime& time);
void add_refused(const Part& part, ProcessTime& time);
void add_copied(const Part& part, ProcessTime& time);
void add_devices(ProcessTime& time);

}  // namespace ingero::report
