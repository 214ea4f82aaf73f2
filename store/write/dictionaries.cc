// Looking up and giving ids. Writing them is in dictionaries_write.cc.
#include "store/write/dictionaries.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "hal/same_start.h"

namespace ingero::store {
namespace {

constexpr size_t kMaxProbes = 1 << 16;
constexpr size_t kMaxNameBytes = 1024;
constexpr size_t kClocksKept = 8;
constexpr int64_t kFirstFreeSource = 64;
// Processes that have ended and are still known by their numbers: a disk may complete a request long after its process
// ended.
constexpr size_t kEndedKept = 4096;
// Facts of processes that wait for a disk that does not take them.
constexpr size_t kMaxPendingProcesses = 16384;

std::array<uint64_t, 2> words_of(const std::array<char, 16>& comm) {
  std::array<char, 16> clean{};
  for (size_t i = 0; i < comm.size() - 1 && comm[i] != '\0'; ++i) clean[i] = comm[i];
  std::array<uint64_t, 2> words{};
  std::memcpy(words.data(), clean.data(), sizeof words);
  return words;
}

std::string call_key(std::string_view backend, std::string_view layer, std::string_view name) {
  return fmt::format("{}\n{}\n{}", backend, layer, name);
}

}  // namespace

void Dictionaries::add_probe(uint32_t index, const hal::Probe& probe) {
  if (index >= kMaxProbes || !knows(probe.call)) return;
  if (index >= probes_.size()) probes_.resize(index + 1);
  ProbeEntry& entry = probes_[index];
  entry = {probe.call,
           -1,
           -1,
           printable(probe.symbol, kMaxNameBytes),
           printable(probe.library_path, 4096),
           printable(probe.library_version, 64),
           probe.single_stepped};
}

int64_t Dictionaries::source_of(const hal::Call& call) {
  if (call.source != 0) {
    const std::string name = fmt::format("#{}", call.source);
    if (sources_.emplace(name, call.source).second) pending_sources_.push_back({call.source, std::string(call.layer)});
    return call.source;
  }
  const std::string name = fmt::format("{} {}", call.vendor, call.layer);
  if (const auto found = sources_.find(name); found != sources_.end()) return found->second;
  int64_t id = kFirstFreeSource;
  for (const auto& [known, number] : sources_) id = std::max(id, number + 1);
  sources_.emplace(name, id);
  sources_.emplace(fmt::format("#{}", id), id);
  pending_sources_.push_back({id, name});
  return id;
}

int64_t Dictionaries::op_of(const hal::Call& call, int64_t source) {
  if (call.op != 0) return call.op;
  const std::string key = fmt::format("{} {}", source, call.op_name);
  if (const auto found = ops_.find(key); found != ops_.end()) return found->second;
  int64_t& next = next_op_[source];
  next = std::max<int64_t>(next, 1000);
  return ops_[key] = next++;
}

const CallEntry& Dictionaries::call(hal::CallId id) {
  CallEntry& entry = call_entries_[id];
  if (entry.id >= 0) return entry;
  const hal::Call& call = calls_[id];
  const std::string key = call_key(call.backend, call.layer, call.name);
  if (const auto found = stored_calls_.find(key); found != stored_calls_.end()) return entry = found->second;
  entry.source = source_of(call);
  entry.op = op_of(call, entry.source);
  entry.id = next_call_++;
  stored_calls_.emplace(key, entry);
  pending_calls_.push_back(id);
  return entry;
}

int64_t Dictionaries::probe_id(hal::CallId id, const ProbeEntry& probe) {
  const std::string key = fmt::format("{}\n{}\n{}\n{}", call(id).id, probe.symbol, probe.library, probe.version);
  has_single_stepped_ = has_single_stepped_ || probe.single_stepped;
  const auto [slot, is_new] = stored_probes_.emplace(key, next_probe_);
  if (is_new) {
    pending_probes_.push_back({next_probe_, id, probe.symbol, probe.library, probe.version, probe.single_stepped});
    ++next_probe_;
  }
  return slot->second;
}

int64_t Dictionaries::probe(uint32_t index, hal::CallId call) {
  if (index < probes_.size() && probes_[index].call != hal::kNoCall) {
    ProbeEntry& entry = probes_[index];
    // A function that a parameter makes blocking or not is two calls at one probe.
    const bool is_non_blocking = entry.call != call && calls_.non_blocking(entry.call) == call;
    if (entry.call == call || is_non_blocking) {
      int64_t& id = is_non_blocking ? entry.non_blocking_id : entry.id;
      if (id < 0) id = probe_id(call, entry);
      return id;
    }
  }
  int64_t& id = host_probes_[call];
  if (id < 0) id = probe_id(call, {});
  return id;
}

const ClockEntry& Dictionaries::clock(uint64_t start_mono_ns, int64_t offset_ns) {
  for (const ClockEntry& one : clocks_) {
    const int64_t difference = one.offset_ns - offset_ns;
    if (difference < kClockToleranceNs && difference > -kClockToleranceNs) return one;
  }
  clocks_.push_front({next_clock_++, start_mono_ns, offset_ns});
  pending_clocks_.push_back(clocks_.front());
  if (clocks_.size() > kClocksKept) clocks_.pop_back();
  return clocks_.front();
}

Dictionaries::ProcessEntry& Dictionaries::process_entry(uint32_t pid) {
  ProcessEntry& entry = processes_[pid];
  if (entry.id < 0) {
    entry.id = next_process_++;
    hal::Process unknown;
    unknown.pid = pid;
    pending_processes_.emplace_back(entry.id, std::move(unknown));
    recent_processes_[pid % recent_processes_.size()] = {pid, entry.id, {}};
  }
  return entry;
}

int64_t Dictionaries::process(uint32_t pid) {
  RecentProcess& recent = recent_processes_[pid % recent_processes_.size()];
  if (recent.pid != pid || recent.id < 0) recent = {pid, process_entry(pid).id, {}};
  return recent.id;
}

// A process is called what its main thread was called last. Host events other than these may happen while another
// thread has the CPU.
void Dictionaries::name_process(const hal::Event& event, const std::array<uint64_t, 2>& comm) {
  if (event.tid != event.pid || comm[0] == 0) return;
  RecentProcess& recent = recent_processes_[event.pid % recent_processes_.size()];
  if (recent.pid != event.pid || recent.comm == comm) return;
  const auto op = calls_.host_op(event.call);
  if (op && *op != hal::HostOp::kExec && *op != hal::HostOp::kSchedSwitch) return;
  ProcessEntry& entry = process_entry(event.pid);
  if (event.start_mono_ns < entry.named_ns) return;
  entry.named_ns = event.start_mono_ns;
  recent.comm = comm;
  if (entry.comm == comm) return;
  entry.comm = comm;
  pending_comms_[entry.id] = {event.pid, comm};
}

void Dictionaries::add_process(const hal::Process& process) {
  const uint64_t start = process.start_mono_ns;
  auto known = processes_.find(process.pid);
  if (known != processes_.end() && !is_same(known->second, start)) {
    // Its number is another's now, and that one's end was not reported, or will be.
    ended_now_.push_back(known->second.id);
    processes_.erase(known);
    recent_processes_[process.pid % recent_processes_.size()].id = -1;
  }
  if (pending_processes_.size() >= kMaxPendingProcesses) {
    losses_.add(hal::Loss::store_failed);
    return;
  }
  ProcessEntry& entry = process_entry(process.pid);
  if (start != 0) entry.start_mono_ns = start;
  if (process.parent_pid != 0 && process.parent_pid != process.pid) {
    const auto parent = processes_.find(process.parent_pid);
    if (parent != processes_.end() && !names_.add_parent(entry.id, parent->second.id)) {
      losses_.add(hal::Loss::name_table_full);
    }
  }
  pending_processes_.emplace_back(entry.id, process);
}

bool Dictionaries::is_same(const ProcessEntry& entry, uint64_t start_mono_ns) {
  return entry.start_mono_ns == 0 || start_mono_ns == 0 || hal::same_start(entry.start_mono_ns, start_mono_ns);
}

void Dictionaries::process_ended(uint32_t pid, uint64_t start_mono_ns) {
  const auto known = processes_.find(pid);
  if (known == processes_.end() || !is_same(known->second, start_mono_ns)) return;
  ended_.emplace_back(pid, known->second.id);
  ended_now_.push_back(known->second.id);
}

// After a transaction: the rows that refer to their function names are written.
void Dictionaries::forget_ended() {
  for (const int64_t id : ended_now_) names_.process_ended(id);
  ended_now_.clear();
  for (; ended_.size() > kEndedKept; ended_.pop_front()) {
    const auto& [pid, id] = ended_.front();
    const auto known = processes_.find(pid);
    if (known == processes_.end() || known->second.id != id) continue;  // the pid has been reused
    processes_.erase(known);
    auto& recent = recent_processes_[pid % recent_processes_.size()];
    if (recent.pid == pid) recent.id = -1;
  }
}

void Dictionaries::add_function_name(uint32_t pid, uint64_t handle, std::string_view untrusted_name) {
  const std::string name = printable(untrusted_name, kMaxNameBytes);
  const int64_t owner = process(pid);
  const WordKey<2> key{{static_cast<uint64_t>(owner), handle}};
  switch (names_.add(owner, handle, name)) {
    case FunctionNames::Added::kNoRoom:
      losses_.add(hal::Loss::name_table_full);
      break;
    case FunctionNames::Added::kSame:
      break;
    case FunctionNames::Added::kRenamed:
      // A handle that gets a new name (its module was unloaded) is another function: later launches get a new entry,
      // and earlier ones keep theirs.
      functions_.forget(key);
      break;
    case FunctionNames::Added::kFirst:
      // One that was launched before its name was known is the same function.
      if (const int64_t* known = functions_.find(key)) pending_names_[*known] = name;
      break;
  }
}

int64_t Dictionaries::function(int64_t process, uint64_t handle) {
  return functions_.id_of({{static_cast<uint64_t>(process), handle}});
}

int64_t Dictionaries::thread(const hal::Event& event, int64_t process) {
  const std::array<uint64_t, 2> comm = words_of(event.comm);
  name_process(event, comm);
  return threads_.id_of({{event.pid, event.tid, static_cast<uint64_t>(process), event.cgroup_id, comm[0], comm[1]}});
}

int64_t Dictionaries::geometry(const hal::Event& event) {
  using hal::Has;
  const bool grid = event.has(Has::kGrid), block = event.has(Has::kBlock), shared = event.has(Has::kSharedBytes);
  const auto pair = [](uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; };
  // Grid depth and block x share a word; their presence bits say which one is set.
  return geometries_.id_of(
      {{grid ? pair(event.grid[0], event.grid[1]) : 0, pair(grid ? event.grid[2] : 0, block ? event.block[0] : 0),
        block ? pair(event.block[1], event.block[2]) : 0, shared ? event.shared_bytes : 0,
        uint64_t{grid} | uint64_t{block} << 1 | uint64_t{shared} << 2}});
}

int64_t Dictionaries::detail(const hal::Event& event) {
  using hal::Has;
  const bool flags = event.has(Has::kFlags), peer = event.has(Has::kPeerDevice), handle2 = event.has(Has::kHandle2);
  return details_.id_of(
      {{flags ? event.flags : 0, peer ? static_cast<uint64_t>(int64_t{event.peer_device}) : 0,
        handle2 ? event.handle2 : 0, uint64_t{flags} | uint64_t{peer} << 1 | uint64_t{handle2} << 2}});
}

int64_t Dictionaries::device(const hal::Event& event) {
  const bool named = event.has(hal::Has::kDevice);
  return devices_.id_of(
      {{event.device_ref, named ? static_cast<uint64_t>(int64_t{event.device}) : 0, uint64_t{named}}});
}

void Dictionaries::add_device(uint32_t ref, const hal::EventDevice& device) { device_refs_[ref] = device; }

int64_t Dictionaries::preempted_by(uint32_t pid, const std::array<char, 16>& comm) {
  const std::array<uint64_t, 2> words = words_of(comm);
  return preemptors_.id_of({{pid, words[0], words[1]}});
}

int64_t Dictionaries::stack(uint64_t hash) { return stacks_.id_of({{hash}}); }

Status Dictionaries::load(Database& database, int64_t session, std::string node, uint32_t sample_every) {
  session_ = session;
  node_ = std::move(node);
  sample_every_ = sample_every;
  call_entries_.assign(calls_.size(), {});
  host_probes_.assign(calls_.size(), -1);
  INGERO_TRY(load_next_ids(database));
  return load_names(database);
}

Status Dictionaries::load_next_ids(Database& database) {
  const auto next = [&](const char* table) -> Result<int64_t> {
    Result<std::optional<int64_t>> last = database.integer(fmt::format("SELECT max(id) FROM {}", table));
    if (!last.ok()) return last.error();
    return last->has_value() ? **last + 1 : 0;
  };
  const auto start = [&](auto& dictionary, const char* table) -> Status {
    Result<int64_t> id = next(table);
    if (!id.ok()) return id.error();
    dictionary.start_at(*id);
    return {};
  };
  INGERO_TRY(start(threads_, "threads"));
  INGERO_TRY(start(functions_, "functions"));
  INGERO_TRY(start(geometries_, "geometries"));
  INGERO_TRY(start(details_, "details"));
  INGERO_TRY(start(devices_, "event_devices"));
  INGERO_TRY(start(preemptors_, "culprits"));
  INGERO_TRY(start(stacks_, "stacks"));
  const std::pair<int64_t*, const char*> counters[] = {
      {&next_call_, "calls"}, {&next_probe_, "sites"}, {&next_clock_, "clocks"}, {&next_process_, "processes"}};
  for (const auto& [counter, table] : counters) {
    Result<int64_t> id = next(table);
    if (!id.ok()) return id.error();
    *counter = *id;
  }
  return {};
}

Status Dictionaries::load_names(Database& database) {
  INGERO_TRY(database.each_row("SELECT id, name FROM sources", [&](const Statement& row) {
    sources_[row.text(1)] = row.integer(0);
    sources_[fmt::format("#{}", row.integer(0))] = row.integer(0);
  }));
  INGERO_TRY(database.each_row("SELECT source_id, op_id, name FROM ops", [&](const Statement& row) {
    ops_[fmt::format("{} {}", row.integer(0), row.text(2))] = row.integer(1);
    int64_t& next = next_op_[row.integer(0)];
    next = std::max(next, row.integer(1) + 1);
  }));
  INGERO_TRY(database.each_row("SELECT id, backend, layer, name, source, op FROM calls", [&](const Statement& row) {
    stored_calls_[call_key(row.text(1), row.text(2), row.text(3))] = {row.integer(0), row.integer(4), row.integer(5)};
  }));
  return database.each_row("SELECT id, call, symbol, library, library_version FROM sites", [&](const Statement& row) {
    stored_probes_[fmt::format("{}\n{}\n{}\n{}", row.integer(1), row.text(2), row.text(3), row.text(4))] =
        row.integer(0);
  });
}

}  // namespace ingero::store
