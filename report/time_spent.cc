// Gathers budgets from a replay, and resolves what their causes name.
#include "report/time_spent.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "report/frame_text.h"
#include "report/script_name.h"
#include "symbols/frame.h"

namespace ingero::report {
namespace {

using correlate::Cause;
using correlate::CauseShare;
using correlate::TimeClass;

constexpr size_t kMaxPaths = 5;
constexpr uint64_t kKnownParts = 10;  // a tenth of what may be lost
constexpr uint64_t kDrainEvery = 65536;
constexpr size_t kMaxScripts = 65536;
constexpr uint64_t kForEverNs = 2'000'000'000;  // a wait at the end of the recording that may never end

// A thread that made steady steps, and of which nothing came since, for far longer than any of its steps: it may hang,
// or have no work. A wait is recorded when it ends, and one that computes makes neither calls nor switches. How long
// before the end of the recording that began; 0: it did not.
uint64_t silent_at_end(const correlate::ProcessBudget& budget, uint64_t since_ns, uint64_t end_ns) {
  uint64_t longest_ns = std::max(budget.usual_ns, kForEverNs / 2);
  for (const correlate::SlowStep& slow : budget.slow) longest_ns = std::max(longest_ns, slow.length_ns);
  return budget.steps == 0 || since_ns == 0 || end_ns < since_ns + 2 * longest_ns ? 0 : end_ns - since_ns;
}

BlamePath path_of(const correlate::Blame& blame, const CauseShare& share) {
  BlamePath path;
  path.ns = share.ns;
  path.low = share.low;
  path.high = share.high;
  for (uint32_t id = share.cause; id != 0; id = blame.cause(id).parent) {
    const Cause& cause = blame.cause(id);
    BlameNode node;
    if (cause.role < blame.roles().size()) {
      const correlate::BlameRole& role = blame.roles()[cause.role];
      node.role = role.comm;
      node.pids.assign(role.pids.begin(), role.pids.end());
    }
    node.is = cause.is;
    node.kind = cause.kind;
    node.is_write = cause.is_write;
    node.is_timed_out = cause.is_timed_out;
    node.is_on_its_way = cause.is_on_its_way;
    node.object = correlate::peer_text(cause.peer);
    node.object_id = cause.object;
    node.pid = cause.pid;
    node.stack_id = cause.stack_id;
    if (cause.stack_id != 0) node.stacks.emplace_back(cause.stack_id, share.ns);
    path.nodes.insert(path.nodes.begin(), std::move(node));
  }
  return path;
}

// What keeps paths apart: who, but for what its own children waited for, which may be another process each time.
std::string key_of(const BlamePath& path) {
  constexpr size_t kGrandchild = 2;
  const auto pid_of = [](const BlameNode& node) { return node.pids.empty() ? 0 : node.pids.front(); };
  std::string key;
  for (size_t i = 0; i < path.nodes.size(); ++i) {
    const BlameNode& node = path.nodes[i];
    const bool is_own = pid_of(node) == pid_of(path.nodes.front());
    const uint32_t pid = i >= kGrandchild && !is_own ? 0 : pid_of(node);
    key += fmt::format("{} {} {} {} {} {}/", node.role, pid, static_cast<int>(node.is), node.is_timed_out,
                       node.is_on_its_way, node.object);
  }
  return key;
}

void merge(BlamePath& into, const BlamePath& path) {
  into.ns += path.ns;
  into.low += path.low;
  into.high += path.high;
  for (size_t i = 0; i < into.nodes.size(); ++i) {
    BlameNode& node = into.nodes[i];
    if (node.stack_id == 0) node.stack_id = path.nodes[i].stack_id;
    if (node.is == TimeClass::kFutex) node.object_id.add(path.nodes[i].object_id);  // of others, the one with most
    node.pid.add(path.nodes[i].pid);
    for (const auto& stack : path.nodes[i].stacks) {
      if (node.stacks.size() < BlameNode::kMaxStacks) node.stacks.push_back(stack);
    }
    if (node.pids == path.nodes[i].pids) continue;
    std::set<uint32_t> pids(node.pids.begin(), node.pids.end());
    pids.insert(path.nodes[i].pids.begin(), path.nodes[i].pids.end());
    node.pids.assign(pids.begin(), pids.end());
    if (node.pids.size() > correlate::Blame::kMaxPids) node.pids.resize(correlate::Blame::kMaxPids);
  }
}

// Paths that differ in lines alone, or in which process of a kind it was, are one, with the lines that most of it had.
std::vector<BlamePath> paths_of(const correlate::Blame& blame, std::vector<CauseShare> shares) {
  std::sort(shares.begin(), shares.end(), [](const CauseShare& a, const CauseShare& b) {
    return std::tie(b.low, b.high, a.cause) < std::tie(a.low, a.high, b.cause);
  });
  std::vector<BlamePath> paths;
  std::map<std::string, size_t> known;
  for (const CauseShare& share : shares) {
    BlamePath path = path_of(blame, share);
    const auto [at, is_new] = known.try_emplace(key_of(path), paths.size());
    if (is_new) {
      paths.push_back(std::move(path));
    } else {
      merge(paths[at->second], path);
    }
  }
  // Where little of it is known to be lost, what is known says little about the rest.
  uint64_t low = 0, high = 0;
  for (const BlamePath& path : paths) {
    low += path.low;
    high += path.high;
  }
  const bool is_known = low * kKnownParts >= high;
  std::stable_sort(paths.begin(), paths.end(), [&](const BlamePath& a, const BlamePath& b) {
    if (!is_known) return std::tie(b.high, b.low) < std::tie(a.high, a.low);
    return std::tie(b.low, b.high) < std::tie(a.low, a.high);
  });
  if (paths.size() > kMaxPaths) paths.resize(kMaxPaths);
  for (BlamePath& path : paths) {
    for (BlameNode& node : path.nodes) {  // one of several that was nearly all of it is the one to look at
      if (const uint64_t pid = node.pid.value_of_most(); pid != 0) node.pids = {static_cast<uint32_t>(pid)};
    }
  }
  return paths;
}

struct Place {
  std::string line, caller;
  std::string waiting_in, running_in;  // a library, of a thread that does
  bool takes_lock = false;
};

Place place_of(const store::Reader& reader, uint64_t stack_id) {
  Place place;
  const store::Bound bound[] = {store::Bound::of(static_cast<int64_t>(stack_id))};
  const auto outcome = reader.query(
      "SELECT frames FROM stack_traces WHERE hash = ?", {},
      [&](std::span<const store::Value> values) {
        const std::vector<symbols::StackFrame> frames = symbols::parse_frames(values[0].as_text());
        if (const symbols::StackFrame* frame = symbols::line_of_thread(frames)) {
          place = {line_text(*frame), caller_text(frames, *frame), library_text(frames, *frame, false),
                   library_text(frames, *frame, true), symbols::waits_for_own_lock(frames, *frame)};
        }
        return true;
      },
      {}, bound);
  return outcome.ok() ? place : Place();
}

// Of a recording without names: empty. `session`: of which run; none: the last.
std::string object_name(const store::Reader& reader, const std::string& node, std::optional<int64_t> session,
                        uint8_t kind, const correlate::WaitedFor& of) {
  std::string name;
  const bool is_futex = kind == static_cast<uint8_t>(hal::WaitKind::kFutex);
  const auto first = static_cast<int64_t>(of.object), last = is_futex ? first | 63 : first;
  const store::Bound bound[] = {store::Bound::of(int64_t{kind}),
                                store::Bound::of(first),
                                store::Bound::of(last),
                                store::Bound::of(node),
                                store::Bound::of(session.value_or(0)),
                                store::Bound::of(int64_t{session ? 1 : 0}),
                                store::Bound::of(int64_t{of.file_system})};
  const auto take = [&](std::span<const store::Value> values) {
    name = std::string(values[0].as_text());
    return false;
  };
  // Numbers of files are a node's own, and one may be another file's in another run.
  const auto outcome = reader.query(
      "SELECT name FROM wait_objects WHERE kind = ?1 AND object BETWEEN ?2 AND ?3 AND coalesce(file_system, 0) = "
      "?7 AND session IN (SELECT id FROM sessions WHERE (node = ?4 OR ?4 = '') AND (?6 = 0 OR id = ?5)) ORDER BY "
      "session DESC LIMIT 1",
      {}, take, {}, bound);
  return outcome.ok() ? name : std::string();
}

// What `add` is given of each stack that the node had at its line; the time of all of them.
uint64_t for_each_at_line(const BlameNode& node, const std::function<const Place&(uint64_t)>& place,
                          const std::function<void(const Place&, uint64_t ns)>& add) {
  uint64_t all_ns = 0;
  for (const auto& [stack, ns] : node.stacks) {
    const Place& its = place(stack);
    if (its.line != node.line) continue;
    all_ns += ns;
    add(its, ns);
  }
  return all_ns;
}

// The library that the node's line was in for most of its time there; empty: none was. Of a thread that wants a CPU it
// is not known what it did.
std::string library_of_most(const BlameNode& node, const std::function<const Place&(uint64_t)>& place) {
  if (node.is != TimeClass::kHost && !hal::is_wait(node.is)) return {};
  std::map<std::string, uint64_t> libraries;
  const uint64_t all_ns = for_each_at_line(node, place, [&](const Place& its, uint64_t ns) {
    libraries[node.is == TimeClass::kHost ? its.running_in : its.waiting_in] += ns;
  });
  const auto most = std::ranges::max_element(libraries, {}, [](const auto& one) { return one.second; });
  return most != libraries.end() && most->second * 2 >= all_ns ? most->first : std::string();
}

// Whether the node waited for a lock that its line takes, for most of its time there.
bool takes_lock(const BlameNode& node, const std::function<const Place&(uint64_t)>& place) {
  if (node.is != TimeClass::kFutex) return false;
  uint64_t locks_ns = 0;
  const uint64_t all_ns =
      for_each_at_line(node, place, [&](const Place& its, uint64_t ns) { locks_ns += its.takes_lock ? ns : 0; });
  return locks_ns * 2 > all_ns;
}

// What comes before a copy is input, unless most of it is for a lock: that is held, and hands nothing on.
void correct_input_of_locks(ProcessTime& time) {
  correlate::LimitResult& result = time.budget.result;
  if (result.limit != correlate::Limit::kInputBound) return;
  uint64_t locks_ns = 0, all_ns = 0;
  for (const BlamePath& path : time.blame) {
    const uint64_t ns = std::max(path.low, path.high);
    all_ns += ns;
    if (path.nodes.front().takes_lock) locks_ns += ns;
  }
  if (locks_ns * 2 <= all_ns) return;
  result.limit = correlate::Limit::kHostBound;
  if (result.second == correlate::Limit::kHostBound) result.second.reset();
}

// A slow step without a sample of who was waited for has the line that other slow steps have on the same path.
void add_lines_of_others(std::vector<std::vector<BlamePath>>& slow) {
  const auto is_same = [](const BlameNode& a, const BlameNode& b) {
    return a.role == b.role && a.is == b.is && a.pids == b.pids;
  };
  for (auto& paths : slow) {
    if (paths.empty()) continue;
    for (const auto& others : slow) {
      if (others.empty() || !std::equal(paths[0].nodes.begin(), paths[0].nodes.end(), others[0].nodes.begin(),
                                        others[0].nodes.end(), is_same)) {
        continue;
      }
      for (size_t i = 0; i < paths[0].nodes.size(); ++i) {
        BlameNode& node = paths[0].nodes[i];
        if (!node.line.empty()) continue;
        node.line = others[0].nodes[i].line;
        node.caller = others[0].nodes[i].caller;
        node.within = others[0].nodes[i].within;
      }
    }
  }
}

// The steps of the cause that has most of the excess come first: the longest of all may be one that something else made
// longer still.
void order_by_cause(ProcessTime& time) {
  std::vector<correlate::SlowStep>& slow = time.budget.slow;
  std::map<std::string, uint64_t> excess;
  std::vector<std::string> keys;
  for (size_t i = 0; i < slow.size(); ++i) {
    std::string key = fmt::format("{}/", static_cast<int>(slow[i].is));
    for (const BlamePath& path : time.slow_blame[i]) {
      for (const BlameNode& node : path.nodes) key += fmt::format("{} {}/", node.role, static_cast<int>(node.is));
    }
    excess[key] += slow[i].more_ns;
    keys.push_back(std::move(key));
  }
  if (slow.empty()) return;
  const TimeClass longest = slow.front().is;
  std::vector<size_t> order(slow.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return excess[keys[a]] > excess[keys[b]]; });
  std::vector<correlate::SlowStep> steps;
  std::vector<std::vector<BlamePath>> blame;
  for (const size_t i : order) {
    steps.push_back(std::move(slow[i]));
    blame.push_back(std::move(time.slow_blame[i]));
  }
  slow = std::move(steps);
  time.slow_blame = std::move(blame);
  if (slow.front().is != longest) time.budget.every.reset();  // that was of the longest's class
}

// What interpreters ran: of a process of another program than the one whose time it is. Its own workers run its own.
void add_scripts(const std::map<uint32_t, std::string>& scripts, uint32_t own_pid, std::vector<BlamePath>& paths) {
  const auto script_of = [&](uint32_t pid) {
    const auto found = scripts.find(pid);
    return found == scripts.end() ? std::string() : found->second;
  };
  const std::string own = script_of(own_pid);
  for (BlamePath& path : paths) {
    for (BlameNode& node : path.nodes) {
      if (node.pids.empty()) continue;
      std::string script = script_of(node.pids.front());
      const bool is_of_all = std::ranges::all_of(node.pids, [&](uint32_t pid) { return script_of(pid) == script; });
      if (is_of_all && script != own) node.script = std::move(script);
    }
  }
}

class Replayed final : public store::ReplaySink {
 public:
  explicit Replayed(TimeSink& sink) : sink_(sink) {}
  void begin(const std::string& node, uint64_t, bool) override { sink_.begin(node); }
  void session(int64_t id) override { sink_.session(id); }
  void started(uint64_t mono_ns) override { sink_.started(mono_ns); }
  void probe_cost(uint64_t ns) override { sink_.probe_cost(ns); }
  void call(hal::CallId id, const store::ReplayedCall& call) override { sink_.call(id, call); }
  void probe(uint32_t probe, std::string_view symbol) override { sink_.probe(probe, symbol); }
  void process(const hal::Process& process) override { sink_.process(process); }
  void event(const hal::Event& event) override { sink_.event(event); }
  void wait(const hal::Event& event, const hal::Wait& wait) override { sink_.wait(event, wait); }
  void cpu_sample(const hal::CpuSample& sample) override { sink_.sample(sample); }
  void device_sample(const hal::DeviceSample& sample, uint64_t mono_ns) override {
    sink_.device_sample(sample, mono_ns);
  }
  void end(std::optional<uint64_t> watermark_mono_ns) override { sink_.end(watermark_mono_ns); }

 private:
  TimeSink& sink_;
};

}  // namespace

Status replay_time(const store::Reader& reader, const store::Selection& selection, TimeSink& sink) {
  Replayed replayed(sink);
  return store::replay(reader, selection, replayed);
}

struct TimeSink::Session {
  std::string node;
  std::optional<int64_t> id;
  hal::LossLedger ledger;
  correlate::Budget budget{ledger};
  correlate::BudgetSummary summary{ledger};
  std::map<hal::CallId, std::string> ops;
  int64_t wall_offset_ns = 0;
  uint64_t since = 0;
  hal::CallId exit = hal::kNoCall;
  std::set<hal::CallId> work;                                       // those that submit
  std::set<uint32_t> ended;                                         // processes
  std::map<uint32_t, std::string> scripts;                          // by process: what an interpreter runs in it
  std::map<uint32_t, std::set<uint32_t>> devices;                   // by process: to which it submitted
  std::unordered_map<uint32_t, std::set<uint32_t>> thread_devices;  // by thread: two of them at most
  std::unordered_map<uint32_t, uint64_t> last_seen_ns;              // by thread: the end of what it did last
  uint64_t last_ns = 0;
};

TimeSink::TimeSink() = default;
TimeSink::~TimeSink() = default;

void TimeSink::begin(const std::string& node) {
  session_ = std::make_unique<Session>();
  session_->node = node;
}

void TimeSink::session(int64_t id) { session_->id = id; }
void TimeSink::started(uint64_t mono_ns) { session_->budget.set_start(mono_ns); }
void TimeSink::probe_cost(uint64_t ns) { session_->budget.set_probe_cost(ns); }

void TimeSink::call(hal::CallId id, const store::ReplayedCall& call) {
  session_->ops[id] = call.op;
  if (call.op == "process_exit") session_->exit = id;
  correlate::CallFacts facts =
      correlate::make_facts(call.name, call.op, call.layer, call.vendor, call.kind, call.synchronising,
                            call.below_runtime, call.asynchronous, call.memory);
  if (correlate::is_work(facts)) session_->work.insert(id);
  session_->budget.set_call(id, std::move(facts));
}

void TimeSink::probe(uint32_t probe, std::string_view symbol) {
  session_->budget.set_probe(probe, correlate::is_per_thread_symbol(symbol));
}

void TimeSink::process(const hal::Process& process) {
  session_->budget.add_process(process);
  std::string script = script_name(process.command_line);
  if (!script.empty() && session_->scripts.size() < kMaxScripts) session_->scripts[process.pid] = std::move(script);
}

void TimeSink::event(const hal::Event& event) {
  session_->wall_offset_ns = event.wall_offset_ns;
  session_->budget.add(event);
  session_->last_ns = std::max(session_->last_ns, event.end_mono_ns());
  if (event.has(hal::Has::kDuration)) {  // not a sum of a second
    uint64_t& seen_ns = session_->last_seen_ns[event.tid];
    seen_ns = std::max(seen_ns, event.end_mono_ns());
  }
  if (event.device_ref != 0 && !event.failed && session_->work.contains(event.call)) {
    std::set<uint32_t>& devices = session_->devices[event.pid];
    if (devices.size() < ProcessTime::kMaxDevices) devices.insert(event.device_ref);
    std::set<uint32_t>& own = session_->thread_devices[event.tid];
    if (own.size() < 2) own.insert(event.device_ref);
  }
  if (event.call == session_->exit && event.pid == event.tid) session_->ended.insert(event.pid);
  if (++session_->since >= kDrainEvery) drain();
}

void TimeSink::wait(const hal::Event& event, const hal::Wait& wait) { session_->budget.add_wait(event, wait); }

void TimeSink::device_sample(const hal::DeviceSample& sample, uint64_t mono_ns) {
  session_->budget.add_device_sample(sample);
  session_->summary.add_device_sample(sample, mono_ns);
}

void TimeSink::sample(const hal::CpuSample& sample) {
  session_->budget.add_sample(sample);
  uint64_t& seen_ns = session_->last_seen_ns[sample.tid];
  seen_ns = std::max(seen_ns, sample.mono_ns);
}

void TimeSink::drain() {
  session_->since = 0;
  for (const auto& step : session_->budget.take_steps()) session_->summary.add(step, session_->budget.blame());
  for (const auto& second : session_->budget.take_seconds()) session_->summary.add(second);
}

void TimeSink::end(std::optional<uint64_t> watermark_mono_ns) {
  if (watermark_mono_ns) session_->budget.advance(*watermark_mono_ns);
  session_->budget.finish();
  drain();
  const correlate::Blame& blame = session_->budget.blame();
  std::map<uint32_t, correlate::Budget::ProcessFacts> facts;
  for (auto& one : session_->budget.processes()) facts[one.pid] = std::move(one);
  for (correlate::ProcessBudget& budget : session_->summary.results(blame)) {
    ProcessTime time;
    const auto& its = facts[budget.pid];
    time.name = its.comm;
    time.node = session_->node;
    time.session = session_->id;
    time.devices = session_->devices[budget.pid];
    time.has_own_device = time.devices.size() > 1 && session_->thread_devices[budget.tid].size() == 1;
    time.wall_offset_ns = session_->wall_offset_ns;
    time.first_submission_ns = its.first_submission_ns;
    if (its.is_attached_late) time.attached_ns = its.attached_ns;
    if (const auto op = session_->ops.find(budget.found_by); op != session_->ops.end()) time.found_by = op->second;
    time.blame = paths_of(blame, budget.evaluated.sums.causes);
    if (budget.result.limit == correlate::Limit::kStopped) {  // the rest is not what it is about
      std::stable_partition(time.blame.begin(), time.blame.end(),
                            [](const BlamePath& path) { return path.nodes.front().is == TimeClass::kStopped; });
    }
    for (const correlate::SlowStep& slow : budget.slow) {
      std::vector<BlamePath> paths = paths_of(blame, slow.causes);
      if (paths.size() > 1) paths.resize(1);
      add_scripts(session_->scripts, budget.pid, paths);
      time.slow_blame.push_back(std::move(paths));
    }
    add_scripts(session_->scripts, budget.pid, time.blame);
    if (watermark_mono_ns && !session_->ended.contains(budget.pid)) {  // of the whole recording, which has ended
      time.silent_ns =
          silent_at_end(budget, session_->last_seen_ns[budget.tid], std::max(session_->last_ns, *watermark_mono_ns));
    }
    if (time.silent_ns > 0) {
      time.because.push_back(fmt::format(
          "In the last {} of the recording its thread {} made no call, and no wait of it ended: it hangs, has "
          "no work, or computes",
          format_duration(time.silent_ns), budget.tid));
    }
    time.budget = std::move(budget);
    found_.push_back(std::move(time));
  }
  session_.reset();
}

bool is_for_held_lock(const BlameNode& node) {
  return node.is == TimeClass::kFutex && (!node.object.empty() || node.takes_lock);
}

std::vector<ProcessTime> TimeSink::take() { return std::exchange(found_, {}); }

void add_time_names(const store::Reader& reader, std::vector<ProcessTime>& times) {
  std::map<uint64_t, Place> known;
  std::map<std::tuple<std::string, std::optional<int64_t>, uint8_t, correlate::WaitedFor>, std::string> objects;
  const auto place = [&](uint64_t stack_id) -> const Place& {
    const auto [at, is_new] = known.try_emplace(stack_id);
    if (is_new) at->second = place_of(reader, stack_id);
    return at->second;
  };
  const auto name = [&](const ProcessTime& of, std::vector<BlamePath>& paths) {
    for (BlamePath& path : paths) {
      for (BlameNode& node : path.nodes) {
        const correlate::WaitedFor object = node.object_id.value_of_most();
        if (node.object.empty() && object.object != 0) {
          const auto [at, is_new] = objects.try_emplace({of.node, of.session, node.kind, object});
          if (is_new) at->second = object_name(reader, of.node, of.session, node.kind, object);
          node.object = at->second;
        }
        if (node.stack_id == 0) continue;
        const Place& its = place(node.stack_id);
        node.line = its.line;
        node.caller = its.caller;
        node.within = library_of_most(node, place);
        node.takes_lock = takes_lock(node, place);
      }
    }
  };
  for (ProcessTime& time : times) {
    name(time, time.blame);
    for (auto& paths : time.slow_blame) name(time, paths);
    add_lines_of_others(time.slow_blame);
    order_by_cause(time);
    correct_input_of_locks(time);
    time.remedy = remedy_of(time);
  }
}

}  // namespace ingero::report
