// What other processes and other times say of the reason for a budget: peers that make the same steps, ranks that
// submit more than others, steps that began to wait longer for the device, and what a process did after its last call.
//
// Each is one sentence. Read like the rest of the evidence (time_evidence.cc), after it.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/text.h"
#include "hal/wait.h"
#include "report/frame_text.h"
#include "report/time_spent.h"
#include "store/read/selection_sql.h"

namespace ingero::report {
namespace {

using correlate::Limit;
using correlate::TimeClass;
using store::Conditions;

bool is_alike(uint64_t one, uint64_t other) {
  return std::max(one, other) - std::min(one, other) <= std::max(one, other) / 10;
}

// Both make steps, about as many and as long.
bool are_in_step(const ProcessTime& one, const ProcessTime& other) {
  return one.node == other.node && one.session == other.session && one.budget.pid != other.budget.pid &&
         one.budget.steps != 0 && is_alike(one.budget.steps, other.budget.steps) &&
         is_alike(one.budget.usual_ns, other.budget.usual_ns);
}

// Most of what it lost was waited for another that makes the same steps: that prepares no input, it is a peer.
void add_peer(const std::vector<ProcessTime>& times, ProcessTime& time) {
  const Limit limit = time.budget.result.limit;
  if (limit != Limit::kInputBound && limit != Limit::kHostBound) return;
  uint64_t all = 0, for_peer = 0;
  const ProcessTime* peer = nullptr;
  for (const BlamePath& path : time.blame) {
    all += std::max(path.low, path.high);
    if (path.nodes.size() < 2 || path.nodes.back().is == TimeClass::kDeviceWait) continue;
    const BlameNode& first = path.nodes[1];
    const auto its = std::ranges::find_if(times, [&](const ProcessTime& one) {
      return first.pids.size() == 1 && one.budget.pid == first.pids.front() && are_in_step(time, one);
    });
    if (its == times.end() || (peer != nullptr && peer != &*its)) continue;
    peer = &*its;
    for_peer += std::max(path.low, path.high);
  }
  if (peer == nullptr || for_peer * 2 <= all) return;
  const std::string who = fmt::format("{} (pid {})", printable(peer->name, 40), peer->budget.pid);
  time.budget.result.limit = Limit::kCommunicationBound;
  time.budget.result.second.reset();
  time.waits_for = who + ", which makes the same steps: a barrier or an exchange between the two";
  time.waits_for_peer = true;
  if (path_to_resting(time) == nullptr) time.remedy = fmt::format("see what {} does meanwhile", who);
}

// "12:22:36"
std::string clock_text(const ProcessTime& time, uint64_t mono_ns) {
  const std::string at = format_wall(mono_ns + static_cast<uint64_t>(time.wall_offset_ns));
  return at.size() < 23 ? at : at.substr(11, 8);
}

void add_longer_waits(ProcessTime& time) {
  if (!time.budget.longer_waits) return;
  const correlate::LongerWaits& its = *time.budget.longer_waits;
  time.because.push_back(
      fmt::format("From {} on a step waited {} for the device, and {} before: the device took {:.1f} times as long for "
                  "the same calls (its clocks, heat or power limit, or work of others)",
                  clock_text(time, its.from_ns), format_duration(its.after_ns), format_duration(its.before_ns),
                  static_cast<double>(its.after_ns) / static_cast<double>(std::max<uint64_t>(1, its.before_ns))));
  if (time.budget.result.limit == Limit::kDeviceBound && time.remedy.empty()) {
    time.remedy = "see the device's clocks, temperature and power limit, and who else gives it work since then";
  }
}

class Recording {
 public:
  Recording(const store::Reader& reader, const store::Selection& selection) : reader_(reader), selection_(selection) {}

  // Launches of a step; 0: not known.
  double launches_of(const ProcessTime& time) const {
    if (time.budget.steps == 0) return 0;
    Conditions its = of_process(time);
    its.add("e.start_mono_ns >= ?", static_cast<int64_t>(time.budget.start_ns));
    its.add("e.start_mono_ns <= ?", static_cast<int64_t>(time.budget.end_ns));
    its.add("e.kind = 'launch'");
    its.add(store::kOutermostOfKind);
    its.add_rows(selection_, "e.seq");
    int64_t count = 0;
    ask("SELECT count(*) FROM events e WHERE {}", its,
        [&](std::span<const store::Value> row) { count = row[0].integer; });
    return static_cast<double>(count) / static_cast<double>(time.budget.steps);
  }

  // The communicators of a process.
  std::set<int64_t> communicators_of(const ProcessTime& time) const {
    std::set<int64_t> found;
    Conditions its;
    its.add("p.pid = ?", int64_t{time.budget.pid});
    if (!time.node.empty()) its.add("s.node = ?", store::Bound::of(time.node));
    if (time.session) its.add("s.id = ?", *time.session);
    ask("SELECT DISTINCT c.comm_id_hash FROM communicators c JOIN processes p ON p.id = c.process JOIN sessions s ON "
        "s.id = p.session WHERE {} AND c.comm_id_hash IS NOT NULL LIMIT 1000",
        its, [&](std::span<const store::Value> row) { found.insert(row[0].integer); });
    return found;
  }

  // Its thread's waits that began after the thread's last call: those of the kind that took most.
  struct LastWaits {
    int64_t ns = 0, count = 0;
    int64_t longest_ns = 0, end_ns = 0;  // of the longest
    std::string kind, object, line, call;
  };
  LastWaits last_waits_of(const ProcessTime& time) const {
    LastWaits found;
    int64_t last_ns = 0;
    Conditions calls = of_process(time);
    calls.add("e.tid = ?", int64_t{time.budget.tid});
    calls.add("e.kind != 'host'");
    calls.add_rows(selection_, "e.seq");
    ask("SELECT e.call, e.start_mono_ns FROM events e WHERE {} ORDER BY e.start_mono_ns DESC LIMIT 1", calls,
        [&](std::span<const store::Value> row) {
          found.call = printable(row[0].as_text(), 64);
          last_ns = row[1].integer;
        });
    if (last_ns == 0) return found;
    Conditions waits = of_process(time);
    waits.add("e.tid = ?", int64_t{time.budget.tid});
    waits.add("e.start_mono_ns > ?", last_ns);
    waits.add("e.kind IN ('disk', 'pipe', 'socket', 'futex', 'poll', 'child', 'sleep')");
    waits.add_rows(selection_, "e.seq");
    ask("SELECT e.kind, sum(e.duration), count(*) FROM thread_waits e WHERE {} GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
        waits, [&](std::span<const store::Value> row) {
          found.kind = row[0].as_text();
          found.ns = row[1].integer;
          found.count = row[2].integer;
        });
    waits.add("e.kind = ?", store::Bound::of(found.kind));
    ask("SELECT e.duration, e.object_name, e.start_mono_ns + e.duration FROM thread_waits e WHERE {} ORDER BY "
        "e.duration DESC LIMIT 1",
        waits, [&](std::span<const store::Value> row) {
          found.longest_ns = row[0].integer;
          found.object = printable(row[1].as_text(), 100);
          found.end_ns = row[2].integer;
        });
    ask("SELECT x.frames FROM thread_waits e JOIN event_rows r ON r.seq = e.seq JOIN stacks s ON s.id = r.stack JOIN "
        "stack_traces x ON x.hash = s.hash WHERE {} ORDER BY e.duration DESC LIMIT 1",
        waits, [&](std::span<const store::Value> row) { found.line = line_of_stored(row[0].as_text()); });
    return found;
  }

  // Whether its thread waited for nothing any more after that: it was at its end.
  bool is_over_from(const ProcessTime& time, int64_t mono_ns) const {
    bool is_over = false;
    Conditions after = of_process(time);
    after.add("e.tid = ?", int64_t{time.budget.tid});
    after.add("e.start_mono_ns > ? + 100000000", mono_ns);  // its end takes a moment
    after.add_rows(selection_, "e.seq");
    ask("SELECT count(*) FROM thread_waits e WHERE {}", after,
        [&](std::span<const store::Value> row) { is_over = row[0].integer == 0; });
    return is_over;
  }

 private:
  static Conditions of_process(const ProcessTime& time) {
    Conditions conditions;
    conditions.add("e.pid = ?", int64_t{time.budget.pid});
    if (time.session) conditions.add("e.session = ?", *time.session);
    return conditions;
  }
  void ask(std::string_view sql, const Conditions& conditions,
           const std::function<void(std::span<const store::Value>)>& on_row) const {
    const auto take = [&](std::span<const store::Value> row) {
      on_row(row);
      return true;
    };
    const std::string text = fmt::format(fmt::runtime(sql), conditions.sql());
    (void)reader_.query(text, {}, take, {}, conditions.bound()).ok();  // without the table there is nothing to say
  }

  const store::Reader& reader_;
  const store::Selection& selection_;
};

// Ranks of one communicator that launch unlike much: what one launches more the others wait for.
void add_uneven(const Recording& recording, std::vector<ProcessTime>& times) {
  constexpr double kMuch = 1.2;
  struct Rank {
    ProcessTime* time;
    double launches;
  };
  std::map<std::tuple<std::string, std::optional<int64_t>, int64_t>, std::vector<Rank>> ranks;
  for (ProcessTime& time : times) {
    const std::set<int64_t> of = recording.communicators_of(time);
    if (of.empty()) continue;
    const double launches = recording.launches_of(time);
    for (const int64_t communicator : of) ranks[{time.node, time.session, communicator}].push_back({&time, launches});
  }
  std::set<const ProcessTime*> said;
  for (auto& [key, all] : ranks) {
    if (all.size() < 2) continue;
    std::ranges::sort(all, {}, &Rank::launches);
    const Rank &most = all.back(), &next = all[all.size() - 2];
    if (all.front().launches <= 0 || most.launches < kMuch * next.launches || !said.insert(most.time).second) continue;
    if (!is_alike(most.time->budget.steps, next.time->budget.steps)) continue;
    most.time->because.push_back(fmt::format(
        "It launches {:.1f} kernels a step, {:.1f} times as many as any other rank ({:.1f} at most): the others wait "
        "for what it does more",
        most.launches, most.launches / next.launches, next.launches));
  }
}

// What ranks that hang wait for is most often what one does after its last call.
void add_last_wait(const Recording& recording, ProcessTime& time) {
  constexpr int64_t kLong = 2'000'000'000;
  if (time.budget.steps == 0 || time.budget.after_steps.total_ns() > 0) return;
  const Recording::LastWaits last = recording.last_waits_of(time);
  if (last.ns < kLong || static_cast<uint64_t>(last.ns) < 10 * time.budget.usual_ns) return;
  if (last.kind == "futex" && last.longest_ns >= kLong && recording.is_over_from(time, last.end_ns))
    time.locked_out_ns = static_cast<uint64_t>(last.longest_ns);
  const std::string times = last.count == 1 ? std::string() : fmt::format(" in {} waits", last.count);
  const std::string length = format_duration(static_cast<uint64_t>(last.ns)) + times;
  std::string what = fmt::format("waited {} for a {}", length, last.kind == "futex" ? "lock" : last.kind);
  if (last.kind == "poll") what = fmt::format("waited {} in poll", length);
  if (last.kind == "sleep") what = "slept " + length;
  if (!last.object.empty()) what += fmt::format(" ({})", last.object);
  if (!last.line.empty()) what += ", in " + last.line;
  time.because.push_back(fmt::format("After its last call ({}) its thread {} {}", last.call, time.budget.tid, what));
}

}  // namespace

void add_peer_evidence(const store::Reader& reader, const store::Selection& selection,
                       std::vector<ProcessTime>& times) {
  const Recording recording(reader, selection);
  for (ProcessTime& time : times) {
    add_peer(times, time);
    add_longer_waits(time);
    add_last_wait(recording, time);
  }
  add_uneven(recording, times);
}

}  // namespace ingero::report
