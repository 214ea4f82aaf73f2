// The recording's threads, and the order in which they start and stop.
#include "agent/recorder.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <unordered_map>

#include "agent/affinity_watch.h"
#include "agent/batch_queue.h"
#include "agent/collective_watch.h"
#include "agent/device_watch.h"
#include "agent/function_names.h"
#include "agent/hang_watch.h"
#include "agent/neighbour_watch.h"
#include "agent/rank_watch.h"
#include "agent/store_thread.h"
#include "agent/wait_watch.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "hal/bounded.h"
#include "hal/same_start.h"
#include "kernelside/allowed_cpus.h"
#include "kernelside/confinement.h"
#include "kernelside/disk_use.h"
#include "kernelside/drain.h"
#include "kernelside/followed.h"
#include "kernelside/foreign.h"
#include "kernelside/host_events.h"
#include "kernelside/io_limit_reader.h"
#include "kernelside/library_folders.h"
#include "kernelside/mapping_watch.h"
#include "kernelside/memory_limit_reader.h"
#include "kernelside/normalise.h"
#include "kernelside/online_cpus.h"
#include "kernelside/privilege.h"
#include "kernelside/probe_release.h"
#include "kernelside/proc.h"
#include "kernelside/snapshot_reader.h"
#include "kernelside/throttle_reader.h"

namespace ingero::agent {
namespace {

using namespace std::chrono_literals;

constexpr size_t kEventsPerBatch = 2048;
constexpr size_t kQueuedBatches = 2;  // what waits longer does so in the ring, in less than half the bytes
constexpr int kDrainTimeoutMs = 100;
constexpr uint64_t kWatermarkEveryNs = 100'000'000;
constexpr size_t kMaxKnownProcesses = 65536;
constexpr size_t kMaxAdded = 4096;
constexpr int kThreadPriority = -10;
constexpr uint64_t kLongWaitNs = 100'000'000;  // of a second: then the tracer was short of CPU time

hal::Process process_of(const wire_task& task) {
  hal::Process process;
  process.pid = task.pid;
  process.parent_pid = task.type == WIRE_FORK ? task.other_pid : 0;
  process.start_mono_ns = task.start_ns;
  process.uid = task.uid;
  process.cgroup_id = task.cgroup_id;
  process.comm.assign(task.comm, strnlen(task.comm, sizeof(task.comm)));
  return process;
}

// How long this thread has waited for a CPU so far. 0: the kernel keeps no such account.
uint64_t thread_waited_ns() {
  const auto text = read_file("/proc/thread-self/schedstat", 256);
  if (!text.ok()) return 0;
  const auto fields = split(trim(*text), ' ');
  return fields.size() > 1 ? parse_u64(fields[1]).value_or(0) : 0;
}

// On the main thread, before others are started (kernelside/privilege.h).
void give_up_privileges(const kernelside::Needs& needs) {
  using namespace kernelside;
  for (const Status& done :
       {drop_capabilities(Keep::kRecording, needs), lower_capabilities(), confine(Confined::kAgent)}) {
    if (!done.ok()) log_warning("{}", done.error().text());
  }
}

}  // namespace

struct Recorder::Impl {
  RecorderOptions options;
  std::span<const hal::Backend* const> backends;
  const hal::CallTable& calls;
  const Clock& clock = system_clock();

  hal::LossLedger ledger;
  LiveStats stats;
  kernelside::Foreign foreign;
  std::unique_ptr<kernelside::Objects> objects;
  std::unique_ptr<kernelside::Tracer> tracer;
  std::unique_ptr<kernelside::Normaliser> normaliser;
  std::unique_ptr<kernelside::Drain> drain;
  std::unique_ptr<kernelside::MappingWatch> mappings;
  std::unique_ptr<kernelside::HostPrograms> host;
  std::vector<std::string> degraded;

  BatchQueue queue{kQueuedBatches};
  StoreThread store;
  std::thread discovery_thread, capture_thread;
  std::jthread release_thread;
  std::atomic<bool> stop_discovery{false};
  std::atomic<bool> stop_capture{false};
  bool stopped = false;
  const Recorder* owner = nullptr;

  // The capture thread's own.
  kernelside::ProcFs proc{{.text = [this](uint32_t pid, std::string_view name,
                                          size_t max_bytes) { return foreign.text(pid, name, max_bytes); },
                           .keeps_secrets = options.keep_secrets}};
  kernelside::SnapshotReader snapshots;
  kernelside::ThrottleReader throttles;
  kernelside::MemoryLimitReader memory_limits;
  kernelside::DiskUses disk_uses;
  kernelside::IoLimitReader io_limits;
  kernelside::SocketOwners socket_owners;
  struct Known {
    hal::Process process;
    wire_process counters{};
    uint64_t listed_mono_ns = 0;  // when the kernel side last had it among those that run; 0: never, or it has ended
  };
  std::unordered_map<uint32_t, Known> known;
  CollectiveWatch collectives;
  NeighbourWatch neighbours{proc};
  RankWatch ranks{foreign, proc};
  DeviceWatch devices;
  std::unique_ptr<WaitWatch> wait_watch;
  kernelside::OnlineCpus online_cpus;
  AffinityWatch affinities{{.allowed = kernelside::allowed_cpus, .online = [this] { return online_cpus.list(); }}};
  std::unique_ptr<StackTable> stacks;  // none: --stack off
  FunctionNames names;
  std::vector<std::pair<uint32_t, uint64_t>> over, over_before;  // pid, when it ended or ran another program
  uint64_t calls_lost = 0;
  uint64_t ring_losses = 0, waited_ns = 0, blocked_ns = 0;  // as of the last second
  uint64_t lost_and_named = 0;                              // of ring_losses: in rows of lost_calls
  std::map<uint32_t, std::string> late;  // processes that had mapped a library before its probes came, and which
  std::map<uint32_t, uint64_t> lost_at_probe, lost_of_process;
  kernelside::ProbeRelease released;
  std::vector<std::pair<uint32_t, uint64_t>> ended, ended_before;  // pid, start: known until their last calls have come
  bool was_emptied = false;                                        // the rings, since those were looked at
  uint64_t next_second_mono_ns = 0;
  uint64_t last_watermark_mono_ns = 0;  // as far as the engine knows that there is no more to come
  uint64_t started_mono_ns = 0;         // counters of processes that are traced later count from here

  // Which processes' libraries get probes: of a trace of some processes, theirs and their children's.
  const kernelside::ProcFs parents;
  kernelside::Followed followed;
  std::vector<uint32_t> joined;  // guarded by mutex: for the discovery thread

  HangWatch hangs{calls};
  mutable std::mutex mutex;
  // Guarded by mutex:
  hal::SystemSnapshot last_snapshot;
  std::vector<hal::Event> added;  // for the capture thread
  std::vector<kernelside::ProgramCost> program_costs;
  std::map<std::string, uint64_t> lost_at_former;  // calls lost at probes that were removed, by call

  Impl(RecorderOptions chosen, std::span<const hal::Backend* const> tables, const hal::CallTable& call_table,
       std::unique_ptr<kernelside::Helpers> helpers)
      : options(std::move(chosen)),
        backends(tables),
        calls(call_table),
        stats(call_table),
        foreign(std::move(helpers), ledger),
        store(queue, call_table, ledger),
        snapshots(clock),
        socket_owners(proc, clock, ledger),
        collectives(
            call_table, foreign, [this](uint32_t probe) { return tracer->live_layout_of(probe); }, clock, ledger,
            options.hang_after_ns),
        devices(tables, call_table, foreign, ledger),
        names(ledger, [this](uint32_t pid, uint64_t address, void* out,
                             size_t size) { return foreign.read_memory(pid, address, out, size); }),
        followed(options.objects.uid || !options.objects.cgroup_ids.empty()
                     ? std::span<const uint32_t>()
                     : std::span<const uint32_t>(options.objects.pids),
                 [this](uint32_t pid) -> std::optional<uint32_t> {
                   const auto parent = parents.parent(pid);
                   return parent.ok() ? std::optional(*parent) : std::nullopt;
                 }) {}

  // Null: not known.
  hal::Process* traced(uint32_t pid) {
    const auto found = known.find(pid);
    return found == known.end() ? nullptr : &found->second.process;
  }
  Status open();
  std::optional<uint64_t> measure_probe_cost();
  void probe_installed();
  void follow(uint32_t pid);
  void discover();
  void capture();
  void add_process(const hal::Process& reported, EventBatch& batch);
  void take_tasks(EventBatch& batch);
  void forget_process(uint32_t pid, uint64_t start_mono_ns, EventBatch& batch);
  void every_second(EventBatch& batch);
  void find_ended(uint64_t listed_mono_ns);
  void look_at_open_calls(uint64_t after_ns, EventBatch& batch);
  void watch_collectives(EventBatch& batch);
  WaitWatch::Kernel kernel_of_waits();
  WaitWatch::Proc proc_of_waits();
  void note_lost_calls();
  void keep_losses(std::span<const uint32_t> probes);
  void release(const std::stop_token& stop);
  void read_losses();
  void note_ring_losses(EventBatch& batch);
  std::vector<hal::LostCalls> take_lost_calls(uint64_t total);
  void note_unprobed();
  void read_limits_and_disks(EventBatch& batch, uint64_t now);
  void hand_over(std::unique_ptr<EventBatch> batch);
};

WaitWatch::Kernel Recorder::Impl::kernel_of_waits() {
  WaitWatch::Kernel kernel;
  kernel.watch_wakers = [this](bool on) { return objects->watch_wakers(on); };
  if (stacks) kernel.sample_cpus = [this](bool on) { return objects->sample_cpus(on); };
  kernel.totals = [this] { return objects->totals(); };
  kernel.file_name = [this](uint32_t file_system, uint64_t inode) { return objects->file_name(file_system, inode); };
  return kernel;
}

WaitWatch::Proc Recorder::Impl::proc_of_waits() {
  return {.root = proc.root(),
          .text = [this](uint32_t pid, std::string_view name,
                         size_t max_bytes) { return foreign.text(pid, name, max_bytes); },
          .is_interpreter_lock =
              [this](uint32_t pid, uint64_t address) { return stacks && stacks->is_interpreter_lock(pid, address); }};
}

// Nothing: not known. Not of perf probes: on Linux 6.1 (emulated) a CPU was twice seen stuck in the kernel at the start
// of a trace with them, since their cost was measured there.
std::optional<uint64_t> Recorder::Impl::measure_probe_cost() {
  if (objects->mechanism() == kernelside::Mechanism::kPerf) return std::nullopt;
  const auto cost = kernelside::measure_probe_ns(objects->mechanism());
  if (cost.ok()) return *cost;
  degraded.push_back(fmt::format("what a probe costs: {}", cost.error().text()));
  return std::nullopt;
}

Status Recorder::Impl::open() {
  auto loaded = kernelside::Objects::load(options.objects);
  INGERO_TRY(loaded);
  objects = std::move(*loaded);
  if (!followed.is_everybody()) options.tracer.is_followed = [this](uint32_t pid) { return followed.has(pid); };
  tracer = std::make_unique<kernelside::Tracer>(options.tracer, backends, calls, objects.get(), foreign, ledger, clock);
  normaliser = std::make_unique<kernelside::Normaliser>(calls, tracer->probe_table(), ledger);
  normaliser->set_wall_offset_ns(measure_wall_offset_ns(clock));
  auto opened_drain = kernelside::Drain::open(*objects, calls, *normaliser, ledger);
  INGERO_TRY(opened_drain);
  drain = std::move(*opened_drain);
  if (options.store) {
    const auto probe_ns = measure_probe_cost();  // before the store begins to measure what a single step costs
    INGERO_TRY(store.open(*options.store, clock, options.on_chain, options.on_budget));
    if (probe_ns) store.set_probe_cost(*probe_ns);
  }

  if (options.objects.stacks != WIRE_STACKS_OFF) {
    stacks = std::make_unique<StackTable>(
        [this](uint32_t probe) {
          return StackTable::ProbeName{tracer->symbol_of(probe), tracer->library_of(probe)};
        },
        *objects, foreign, ledger, options.on_events != nullptr);
  }

  wait_watch = std::make_unique<WaitWatch>(kernel_of_waits(), proc_of_waits());
  for (const auto& status : objects->attach_thread_programs()) {
    if (!status.attached) degraded.push_back(fmt::format("{}: {}", status.name, status.reason));
  }
  if (options.keep_program_costs) {
    if (const Status kept = objects->keep_program_costs(); !kept.ok()) degraded.push_back(kept.error().text());
  }
  if (!objects->names_reason().empty()) degraded.push_back(fmt::format("kernel names: {}", objects->names_reason()));
  std::vector<kernelside::SharedMap> shared;
  for (const char* name : {"events", "critical_events", "recipes", "losses", "probe_losses", "threads", "processes",
                           "wanted_pids", "wanted_cgroups", "python_processes"}) {
    shared.push_back({name, objects->map_fd(name)});
  }
  auto host_programs = kernelside::HostPrograms::attach(options.host, shared);
  if (!host_programs.ok()) {
    degraded.push_back(host_programs.error().text());
  } else {
    host = std::move(*host_programs);
    for (const auto& status : host->status()) {
      if (status.wanted && !status.attached) {
        degraded.push_back(fmt::format("{}: {}", status.tracepoint, status.reason));
      }
    }
  }

  if (options.objects.stacks != WIRE_STACKS_OFF) objects->start_loading_waiting();

  started_mono_ns = clock.mono_ns();
  // The wanted processes are followed from here on, whether or not they have made a call: their children count too.
  for (const uint32_t pid : options.objects.pids) {
    if (const Status marked = objects->mark_traced(pid); !marked.ok()) degraded.push_back(marked.error().text());
  }

  // Watch before the scan, so that no mapping falls between the two.
  auto watch = kernelside::MappingWatch::open();
  if (watch.ok()) {
    mappings = std::move(*watch);
  } else {
    degraded.push_back(
        fmt::format("libraries loaded later are found by a scan every second: {}", watch.error().text()));
  }
  for (const auto& library : options.tracer.libraries) INGERO_TRY(tracer->add_library(library));
  INGERO_TRY(tracer->scan());
  // Perf probes are removed one by one, 0.1 s each: only on files that are in use.
  const bool is_quick = objects->mechanism() != kernelside::Mechanism::kPerf;
  if (is_quick && followed.is_everybody() && options.objects.pids.empty()) probe_installed();
  if (!objects->waiting_reason().empty()) {
    degraded.push_back(fmt::format("stacks of calls that do not return: {}", objects->waiting_reason()));
  }
  return {};
}

// Before the first program maps them: a program of some milliseconds is over before a mapping notice has been read.
void Recorder::Impl::probe_installed() {
  for (const std::string& path :
       kernelside::installed_libraries(kernelside::library_folders(ledger), backends, ledger)) {
    tracer->add_installed(path);
  }
}

// A child of a traced process: the kernel side captures its calls, so what it has mapped gets probes.
void Recorder::Impl::follow(uint32_t pid) {
  if (!followed.add(pid)) return;
  const std::scoped_lock lock(mutex);
  joined.push_back(pid);
}

void Recorder::Impl::discover() {
  pthread_setname_np(pthread_self(), "ingero-discover");
  // Without a filter, every process that maps a described library is traced from its first call on.
  const auto& filters = options.objects;
  const bool is_filtered = !filters.pids.empty() || filters.uid || !filters.cgroup_ids.empty();
  if (stacks) {
    std::set<uint32_t> running(filters.pids.begin(), filters.pids.end());
    if (!is_filtered) {
      for (const auto& file : tracer->reports()) running.insert(file.pids.begin(), file.pids.end());
    }
    for (const uint32_t pid : running) stacks->prepare(pid);
  }
  std::vector<kernelside::NewMapping> found;
  while (!stop_discovery.load(std::memory_order_relaxed)) {
    bool scan = !mappings;
    if (mappings) {
      found.clear();
      const auto lost = mappings->read(100, found);
      for (const auto& notice : found) {
        if (notice.pid == options.objects.own_pid) continue;
        hal::Mapping mapping;
        mapping.start = notice.start;
        mapping.end = notice.end;
        mapping.executable = true;
        mapping.file = notice.file;
        mapping.untrusted_path = notice.untrusted_path;
        mapping.file_offset = notice.file_offset;
        if (stacks) stacks->mapped(notice.pid, mapping);
        const bool is_described = tracer->consider(notice.pid, mapping, notice.mono_ns, notice.generation);
        if (stacks && is_described && !is_filtered) stacks->prepare(notice.pid);
      }
      if (lost.ok() && *lost > 0) {
        ledger.add(hal::Loss::mapping_lost, *lost);
        scan = true;
      }
    } else {
      std::this_thread::sleep_for(1s);
    }
    std::vector<uint32_t> news;
    {
      const std::scoped_lock lock(mutex);
      news.swap(joined);
    }
    for (const uint32_t pid : news) tracer->follow(pid);
    if (scan) (void)tracer->scan().ok();
  }
}

// A process is traced from now on: reads it from /proc while it exists. `reported` comes from the kernel side, and is
// all that is known of a process that has ended since, or whose pid has been reused.
void Recorder::Impl::add_process(const hal::Process& reported, EventBatch& batch) {
  hal::clear_if_full(known, kMaxKnownProcesses, hal::Loss::process_forgotten, ledger);
  auto read = proc.process(reported.pid);
  const bool same =
      read.ok() && (reported.start_mono_ns == 0 || hal::same_start(read->start_mono_ns, reported.start_mono_ns));
  hal::Process process = same ? *read : reported;
  if (!same) proc.name_by_cgroup(process);
  if (process.comm.empty()) process.comm = reported.comm;
  batch.processes.push_back(process);
  if (stacks && same) stacks->add_process(reported.pid);
  ranks.forget(reported.pid);
  known[reported.pid].process = std::move(process);
}

void Recorder::Impl::take_tasks(EventBatch& batch) {
  for (const auto& ended : batch.records.ended) {
    const auto entry = known.find(ended.counters.pid);
    const wire_process before = entry != known.end() ? entry->second.counters : wire_process{};
    for (auto& event : kernelside::counter_events(before, ended.counters, ended.mono_ns, calls)) {
      event.wall_offset_ns = normaliser->wall_offset_ns();
      batch.records.events.push_back(event);
    }
    if (entry != known.end()) entry->second.counters = ended.counters;
  }
  for (const wire_task& task : batch.records.tasks) {
    switch (task.type) {
      case WIRE_EXEC:
        over.emplace_back(task.pid, task.ns);
        add_process(process_of(task), batch);
        devices.add_process(known[task.pid].process, true, task.ns);
        break;
      case WIRE_TRACED: {
        const bool is_known =
            devices.knows(task.pid) && hal::same_start(known[task.pid].process.start_mono_ns, task.start_ns);
        add_process(process_of(task), batch);
        if (!is_known) {
          devices.add_process(known[task.pid].process, task.start_ns > started_mono_ns, task.start_ns);
        }
        break;
      }
      case WIRE_FORK:
        follow(task.pid);
        add_process(process_of(task), batch);
        // What its parent had chosen it may have a copy of.
        devices.add_process(known[task.pid].process, !devices.has_chosen(task.other_pid), task.start_ns);
        break;
      case WIRE_EXIT:
        over.emplace_back(task.pid, task.ns);
        ended.emplace_back(task.pid, task.start_ns);
        if (const auto entry = known.find(task.pid); entry != known.end()) entry->second.listed_mono_ns = 0;
        normaliser->forget(task.tid);
        break;
      default:
        break;
    }
  }
}

void Recorder::Impl::look_at_open_calls(uint64_t after_ns, EventBatch& batch) {
  const uint64_t now_ns = clock.mono_ns();
  released.add(tracer->take_retired());
  const auto open = objects->calls_in_flight();
  if (!open.ok()) return;
  released.look(*open, drain->position());
  hangs.look({*objects, *drain, *normaliser, collectives, devices, stacks.get()}, *open, now_ns, after_ns, batch);
}

void Recorder::Impl::forget_process(uint32_t pid, uint64_t start_mono_ns, EventBatch& batch) {
  const auto found = known.find(pid);
  if (found == known.end() || !hal::same_start(found->second.process.start_mono_ns, start_mono_ns)) return;
  known.erase(found);
  followed.remove(pid);
  batch.ended.emplace_back(pid, start_mono_ns);
  devices.process_ended(pid);
  ranks.forget(pid);
  affinities.process_ended(pid);
  if (stacks) stacks->process_ended(pid);
  names.process_ended(pid);
}

void Recorder::Impl::every_second(EventBatch& batch) {
  const uint64_t now = clock.mono_ns();
  normaliser->set_wall_offset_ns(measure_wall_offset_ns(clock));
  read_losses();
  note_ring_losses(batch);
  note_unprobed();
  // Their last calls may still be in the ring, until it has been empty.
  if (std::exchange(was_emptied, false)) {
    for (const auto& [pid, start_mono_ns] : ended_before) forget_process(pid, start_mono_ns, batch);
    ended_before = std::exchange(ended, {});
  }
  for (const auto& [pid, mono_ns] : over_before) collectives.process_ended(pid, mono_ns);
  over_before = std::exchange(over, {});

  {
    const std::scoped_lock lock(mutex);
    for (hal::Event& event : added) {
      event.wall_offset_ns = normaliser->wall_offset_ns();
      batch.records.events.push_back(event);
    }
    added.clear();
  }
  read_limits_and_disks(batch, now);
  auto snapshot = snapshots.read();
  batch.snapshots.push_back(snapshot);
  auto costs = objects->program_costs();
  {
    const std::scoped_lock lock(mutex);
    last_snapshot = snapshot;
    program_costs = std::move(costs);
  }
  wait_watch->every_second(batch, now);
  affinities.every_second(wait_watch->cpu_waits(), now, batch);
  for (hal::Affinity& one : batch.affinities) one.wall_offset_ns = normaliser->wall_offset_ns();
  look_at_open_calls(options.hang_after_ns, batch);
  if (auto processes = objects->processes(); processes.ok()) {
    for (const wire_process& counters : *processes) {
      auto entry = known.find(counters.pid);
      if (entry == known.end()) {
        hal::Process reported;
        reported.pid = counters.pid;
        reported.start_mono_ns = counters.start_ns;
        add_process(reported, batch);
        devices.add_process(known[reported.pid].process, counters.start_ns > started_mono_ns, counters.start_ns);
        entry = known.find(counters.pid);
      }
      Known& process = entry->second;
      process.listed_mono_ns = now;
      for (auto& event : kernelside::counter_events(process.counters, counters, now, calls)) {
        event.wall_offset_ns = normaliser->wall_offset_ns();
        batch.records.events.push_back(event);
      }
      process.counters = counters;
    }
    find_ended(now);
  }
}

// Those whose end was not reported: the kernel skips a program that already runs on that CPU, and its ring may be full.
void Recorder::Impl::find_ended(uint64_t listed_mono_ns) {
  for (auto& [pid, one] : known) {
    if (one.listed_mono_ns == 0 || one.listed_mono_ns == listed_mono_ns) continue;
    const auto start = proc.start_mono_ns(pid);
    if (start.ok() && hal::same_start(*start, one.process.start_mono_ns))
      continue;  // it is about to run another program
    one.listed_mono_ns = 0;
    ended.emplace_back(pid, one.process.start_mono_ns);
    over.emplace_back(pid, listed_mono_ns);
  }
}

void Recorder::Impl::read_losses() {
  objects->read_losses(ledger);
  ledger.set(hal::Loss::program_skipped, objects->skipped_runs() + (host ? host->skipped_runs() : 0));
}

// When calls were lost to a full ring, and why: the ring fills where this thread gets no CPU, or where more comes than
// it can read.
void Recorder::Impl::note_ring_losses(EventBatch& batch) {
  const uint64_t waited = thread_waited_ns();
  const uint64_t wait_ns = waited - std::exchange(waited_ns, waited);
  const auto blocked = static_cast<uint64_t>(queue.blocked().count());
  const uint64_t block_ns = blocked - std::exchange(blocked_ns, blocked);
  const uint64_t total = ledger.count(hal::Loss::ring_full);
  const uint64_t lost = total - std::exchange(ring_losses, total);
  if (lost == 0) return;
  const uint64_t wall_ns = clock.wall_ns();
  batch.lost_calls = take_lost_calls(total);
  for (hal::LostCalls& one : batch.lost_calls) {
    one.wall_ns = wall_ns;
    one.waited_ns = wait_ns;
  }
  const hal::LostCalls most = batch.lost_calls.empty() ? hal::LostCalls{} : batch.lost_calls.front();
  const std::string of_whom = most.pid == 0
                                  ? std::string()
                                  : fmt::format(", {} of them of {}", most.calls,
                                                most.comm.empty() ? fmt::format("pid {}", most.pid)
                                                                  : fmt::format("{} (pid {})", most.comm, most.pid));
  const std::string why =
      wait_ns >= kLongWaitNs    ? fmt::format("the tracer waited {} for a CPU", format_duration(wait_ns))
      : block_ns >= kLongWaitNs ? fmt::format("the database was {} behind: a full or slow disk, or no CPU to write it",
                                              format_duration(block_ns))
                                : std::string("more came than was read: --ringbuf-size");
  ledger.name(hal::Loss::ring_full,
              fmt::format("{} before {}{} ({})", lost, format_wall(wall_ns).substr(0, 19), of_whom, why));
}

// Of `total` calls lost until now: whose the new ones were, most first.
std::vector<hal::LostCalls> Recorder::Impl::take_lost_calls(uint64_t total) {
  std::vector<hal::LostCalls> found;
  std::map<uint32_t, uint64_t> totals;
  uint64_t sum = 0;
  for (const auto& [pid, count] : objects->process_losses()) {
    totals.emplace(pid, count);
    const auto before = lost_of_process.find(pid);
    const bool goes_on = before != lost_of_process.end() && before->second <= count;
    const uint64_t calls = goes_on ? count - before->second : count;
    if (calls == 0) continue;
    const hal::Process* process = traced(pid);
    hal::LostCalls one;
    one.pid = pid;
    if (process != nullptr) one.comm = printable(process->comm, 64);
    one.calls = calls;
    found.push_back(std::move(one));
    sum += calls;
  }
  lost_of_process = std::move(totals);
  std::ranges::sort(found, std::ranges::greater{}, &hal::LostCalls::calls);
  // Read after the total: what is not of a process by now will not be.
  lost_and_named += sum;
  if (total > lost_and_named) {
    found.emplace_back().calls = total - lost_and_named;
    lost_and_named = total;
  }
  return found;
}

// Programs that were late for their probes and made no call since: when they have ended, all their calls are missing.
void Recorder::Impl::note_unprobed() {
  for (auto one = late.begin(); one != late.end();) {
    const bool is_over = !parents.parent(one->first).ok();
    if (!traced(one->first) && is_over) tracer->note_unprobed(one->second, one->first);
    one = traced(one->first) || is_over ? late.erase(one) : std::next(one);
  }
  late.merge(tracer->take_late());  // looked at the next time: their first calls may still be in the ring
}

// Calls that the kernel side lost: what they would have said of communicators is not known, so what was known of those
// is no longer sure.
void Recorder::Impl::note_lost_calls() {
  objects->read_losses(ledger);
  const uint64_t lost =
      ledger.count(hal::Loss::ring_full) + ledger.count(hal::Loss::no_thread_state) + ledger.count(hal::Loss::too_deep);
  if (lost == std::exchange(calls_lost, lost)) return;
  bool any_exchange = ledger.count(hal::Loss::no_thread_state) + ledger.count(hal::Loss::too_deep) > 0;
  bool communicators = any_exchange;
  bool choices = any_exchange;
  const auto& probes = tracer->probe_table();
  for (const auto& [probe, count] : objects->probe_losses(probes.size())) {
    if (count == std::exchange(lost_at_probe[probe], count)) continue;
    const hal::Kind kind = calls[probes[probe].call].kind;
    any_exchange = any_exchange || kind == hal::Kind::kCollective;
    communicators = communicators || kind == hal::Kind::kCommunicator;
    choices = choices || (kind != hal::Kind::kLaunch && kind != hal::Kind::kMemcpy && kind != hal::Kind::kMemset &&
                          kind != hal::Kind::kSync && kind != hal::Kind::kFree);
  }
  if (any_exchange || communicators) collectives.lost(communicators);
  if (choices) devices.lost();
}

// Numbers of probes go to others: what was lost at them is kept by call.
void Recorder::Impl::keep_losses(std::span<const uint32_t> probes) {
  if (ledger.count(hal::Loss::ring_full) == 0) return;
  note_lost_calls();
  const std::set<uint32_t> former(probes.begin(), probes.end());
  const auto& table = tracer->probe_table();
  const std::scoped_lock lock(mutex);
  for (const auto& [probe, count] : objects->probe_losses(table.size())) {
    if (!former.contains(probe)) continue;
    lost_at_former[std::string(calls[table[probe].call].name)] += count;
    objects->clear_probe_losses(probe);
    lost_at_probe.erase(probe);
  }
}

// Probes of files that no process uses any more. On a thread of its own: the kernel takes its time to remove them.
void Recorder::Impl::release(const std::stop_token& stop) {
  pthread_setname_np(pthread_self(), "ingero-release");
  tracer->prepare_sweep();
  std::mutex waits_mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(waits_mutex);
  while (!wake.wait_for(lock, stop, 1s, [] { return false; }) && !stop.stop_requested()) tracer->sweep();
}

void Recorder::Impl::watch_collectives(EventBatch& batch) {
  const std::vector<uint32_t> made = collectives.take(batch);
  ranks.take(
      batch.records.events, made, [this](uint32_t pid) { return traced(pid); }, batch.processes);
  collectives.evaluate(clock.mono_ns(), batch);
}

void Recorder::Impl::read_limits_and_disks(EventBatch& batch, uint64_t now) {
  std::vector<kernelside::CgroupMember> members;
  for (const auto& [pid, one] : known) members.push_back({pid, one.process.cgroup_id});
  for (hal::Throttling& found : throttles.read(members, now)) batch.throttlings.push_back(std::move(found));
  for (hal::MemoryLimit& found : memory_limits.read(members, now)) batch.memory_limits.push_back(std::move(found));
  batch.io_limits = io_limits.read(members, now);
  if (host) batch.disk_uses = disk_uses.take(host->disk_io(), host->disk_users(), now);
  neighbours.take(
      batch.disk_uses, [this](uint32_t pid) { return traced(pid); }, batch.processes);
  const int64_t wall_offset_ns = normaliser->wall_offset_ns();
  for (hal::Throttling& one : batch.throttlings) one.wall_offset_ns = wall_offset_ns;
  for (hal::MemoryLimit& one : batch.memory_limits) one.wall_offset_ns = wall_offset_ns;
  for (hal::DiskUse& one : batch.disk_uses) one.wall_offset_ns = wall_offset_ns;
  for (hal::IoLimit& one : batch.io_limits) one.wall_offset_ns = wall_offset_ns;
}

void Recorder::Impl::hand_over(std::unique_ptr<EventBatch> batch) {
  auto& records = batch->records;
  names.join(*batch);
  names.name_launched(*batch, stacks.get());
  if (!records.events.empty()) note_lost_calls();
  devices.take(*batch);
  wait_watch->take(*batch, clock.mono_ns());
  watch_collectives(*batch);
  neighbours.take(
      records.events, records.waits, [this](uint32_t pid) { return traced(pid); }, batch->processes);
  batch->wall_offset_ns = normaliser->wall_offset_ns();
  // That nothing happened is news to the engine as well, but not every few milliseconds.
  const bool is_due = batch->watermark_mono_ns >= last_watermark_mono_ns + kWatermarkEveryNs;
  if (is_due) last_watermark_mono_ns = batch->watermark_mono_ns;
  if (!is_due && batch->empty()) {
    queue.recycle(std::move(batch));
    return;
  }
  for (auto& [index, detail] : records.tcp) {
    hal::Event& event = records.events[index];
    if (event.pid != 0 || detail.socket_inode == 0) continue;
    std::vector<uint32_t> traced;
    for (const auto& [pid, process] : known) traced.push_back(pid);
    if (const auto owner = socket_owners.owner(detail.socket_inode, traced)) event.pid = event.tid = *owner;
  }
  stats.add(records.events);
  if (options.on_events && owner != nullptr) options.on_events(*batch, *owner);
  queue.push(std::move(batch));
}

void Recorder::Impl::capture() {
  pthread_setname_np(pthread_self(), "ingero-capture");
  bool more = false;
  bool last_round = false;
  // Perf probes fire on when the trace is over: what they had written by then is read, however long that takes.
  const bool goes_on = objects->mechanism() == kernelside::Mechanism::kPerf;
  while (true) {
    auto batch = queue.fresh();
    const uint64_t polled_mono_ns = clock.mono_ns();
    const auto drained = drain->poll(more || last_round ? 0 : kDrainTimeoutMs, kEventsPerBatch, batch->records);
    more = drained.ok() && *drained;
    const bool is_complete = drained.ok() && drain->is_complete();
    was_emptied = was_emptied || is_complete;
    batch->watermark_mono_ns = is_complete ? polled_mono_ns : 0;
    if (!drained.ok()) log_error("{}", drained.error().text());
    if (stacks) stacks->take(*drain, *batch);  // before a process that ran another program is looked at again
    // Behind the poll: what its events needed of probes was on before.
    for (const auto& [pid, until_mono_ns] : tracer->take_windows()) devices.missed(pid, until_mono_ns);
    take_tasks(*batch);
    if (clock.mono_ns() >= next_second_mono_ns) {
      next_second_mono_ns = clock.mono_ns() + kSecond;
      every_second(*batch);
    }
    batch->probes = tracer->take_new_probes();
    if (const auto passed = queue.take_passed_probes(); !passed.empty()) tracer->give_back(passed);
    batch->passed_probes = released.take();
    if (!batch->passed_probes.empty()) keep_losses(batch->passed_probes);
    hand_over(std::move(batch));
    if (last_round && (!more || (goes_on && drain->is_past_end()))) break;
    // Stop asked for: the probes are gone by now, so one more round empties the rings.
    if (!last_round && stop_capture.load(std::memory_order_acquire)) {
      last_round = true;
      drain->end_here();
    }
  }
  ledger.add(hal::Loss::ring_unread, drain->unread());
  // What is still open now will not be seen to return.
  auto batch = queue.fresh();
  batch->watermark_mono_ns = clock.mono_ns();
  last_watermark_mono_ns = 0;  // news in any case: the session's end
  every_second(*batch);
  look_at_open_calls(0, *batch);
  read_losses();
  if (stacks) stacks->finish(*batch);
  hand_over(std::move(batch));
  queue.close();
}

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Recorder::~Recorder() {
  if (impl_) (void)stop().ok();
}

Result<std::unique_ptr<Recorder>> Recorder::start(RecorderOptions options,
                                                  std::span<const hal::Backend* const> backends,
                                                  const hal::CallTable& calls) {
  INGERO_TRY(kernelside::check_pid_namespace());
  options.objects.own_pid = static_cast<uint32_t>(getpid());
  // Before more is open and in memory: it is all theirs too for a moment.
  auto helpers = kernelside::Helpers::start(options.drop_privileges);
  INGERO_TRY(helpers);
  auto impl = std::make_unique<Impl>(std::move(options), backends, calls, std::move(*helpers));
  INGERO_TRY(impl->open());
  // The threads that drain and store inherit this one's priority: those that they watch must not starve them.
  const int priority = ::getpriority(PRIO_PROCESS, 0);
  (void)::setpriority(PRIO_PROCESS, 0, std::min(priority, kThreadPriority));  // not without CAP_SYS_NICE
  impl->store.wait_for_measurements();
  if (impl->options.drop_privileges) {
    give_up_privileges({.perf_probes = impl->objects->mechanism() == kernelside::Mechanism::kPerf,
                        .others_folders = impl->options.files_elsewhere,
                        .admin_timers = impl->stacks && kernelside::timers_need_admin()});
  }
  auto* raw = impl.get();
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(impl)));
  raw->owner = recorder.get();
  raw->store.start(raw->options.hook);
  raw->capture_thread = std::thread([raw] { raw->capture(); });
  raw->discovery_thread = std::thread([raw] { raw->discover(); });
  raw->release_thread = std::jthread([raw](const std::stop_token& stop) { raw->release(stop); });
  (void)::setpriority(PRIO_PROCESS, 0, priority);
  raw->foreign.start();
  if (raw->stacks) raw->stacks->start();
  return recorder;
}

// Calls that are open as a trace ends may return for so long; those that do not are listed as open at its end.
constexpr auto kReturnWithin = 10ms;

Status Recorder::stop() {
  if (impl_->stopped) return {};
  impl_->stopped = true;
  impl_->stop_discovery = true;
  impl_->foreign.cancel();
  if (impl_->mappings) impl_->mappings->wake();
  if (impl_->discovery_thread.joinable()) impl_->discovery_thread.join();
  impl_->release_thread.request_stop();
  impl_->tracer->stop_entries();
  const auto returned = std::chrono::steady_clock::now() + kReturnWithin;
  (void)impl_->store.with_writer([](store::Writer& writer) { (void)writer.checkpoint().ok(); });  // meanwhile
  if (impl_->release_thread.joinable()) impl_->release_thread.join();
  std::this_thread::sleep_until(returned);
  impl_->objects->note_returns_unseen();
  {
    // So that its RCU grace period overlaps with the probes'. Its programs' counters are read later.
    const std::jthread host_detached([host = impl_->host.get()] {
      if (host != nullptr) host->detach();
    });
    impl_->tracer->detach();
  }
  impl_->stop_capture.store(true, std::memory_order_release);
  impl_->drain->wake();
  if (impl_->capture_thread.joinable()) impl_->capture_thread.join();
  for (int round = 0; round < 2; ++round) impl_->note_unprobed();  // what is taken in one is looked at in the next
  return impl_->store.finish();
}

bool Recorder::prepare(uint32_t pid, const std::string& open_path, const std::string& untrusted_path) {
  if (!impl_->tracer->prepare(pid, open_path, untrusted_path)) return false;
  if (impl_->stacks) impl_->stacks->prepare(pid);
  return true;  // asked again: its probes may have been removed by then
}
void Recorder::held_too_long(uint32_t pid) {
  impl_->ledger.add(hal::Loss::attach_window);
  log_warning(
      "process {} was resumed before the probes of a library it mapped were attached: its first calls are missing",
      pid);
}
kernelside::Tracer& Recorder::tracer() { return *impl_->tracer; }
const LiveStats& Recorder::stats() const { return impl_->stats; }
const hal::LossLedger& Recorder::losses() const { return impl_->ledger; }
kernelside::Mechanism Recorder::mechanism() const { return impl_->objects->mechanism(); }
std::vector<LiveCall> Recorder::hanging() const { return impl_->hangs.hanging(); }
std::vector<hal::CollectiveHang> Recorder::waiting() const { return impl_->collectives.hanging(); }
hal::SystemSnapshot Recorder::snapshot() const {
  const std::scoped_lock lock(impl_->mutex);
  return impl_->last_snapshot;
}
std::map<hal::CallId, uint64_t> Recorder::in_flight() const { return impl_->hangs.in_flight(); }
std::vector<kernelside::FileReport> Recorder::probe_reports() const { return impl_->tracer->reports(); }
std::vector<kernelside::ProgramCost> Recorder::program_costs() const {
  // Before Linux 6.0 a thread without capabilities may not even ask: it has those of the last second.
  if (auto costs = impl_->objects->program_costs(); !costs.empty()) return costs;
  const std::scoped_lock lock(impl_->mutex);
  return impl_->program_costs;
}
void Recorder::add_event(const hal::Event& event) {
  const std::scoped_lock lock(impl_->mutex);
  if (hal::has_room(impl_->added, kMaxAdded, hal::Loss::sampler_event_lost, impl_->ledger)) {
    impl_->added.push_back(event);
  }
}
void Recorder::add_loss(hal::Loss loss, uint64_t count) { impl_->ledger.add(loss, count); }
void Recorder::with_feed(std::function<void(EngineFeed&)> work) {
  if (!impl_->store.with_feed(std::move(work))) add_loss(hal::Loss::engine_sample_lost, 1);
}
bool Recorder::with_writer(std::function<void(store::Writer&)> work) {
  return impl_->store.with_writer(std::move(work));
}
std::vector<std::string> Recorder::degraded() const { return impl_->degraded; }
std::string Recorder::store_error() const { return impl_->store.last_error(); }
kernelside::ProcFs Recorder::proc() const { return impl_->proc; }

std::string Recorder::process_name(uint32_t pid) const {
  const hal::Process* found = impl_->traced(pid);
  return found == nullptr ? "" : found->comm;
}
std::optional<StackTable::Asleep> Recorder::asleep_at(uint32_t tid) const {
  return impl_->stacks ? impl_->stacks->asleep_at(tid) : std::nullopt;
}
std::vector<symbols::StackFrame> Recorder::frames_of(uint64_t stack_id) const {
  return impl_->stacks ? impl_->stacks->frames_of(stack_id) : std::vector<symbols::StackFrame>{};
}
void Recorder::know_devices(std::string_view backend, const std::vector<hal::Device>& devices) {
  impl_->devices.know(backend, devices);
}
std::optional<hal::Communicator> Recorder::communicator(uint64_t id) const {
  const hal::Communicator* found = impl_->collectives.communicator(id);
  return found == nullptr ? std::nullopt : std::optional(*found);
}
hal::EventDevice Recorder::device(uint32_t ref) const { return impl_->devices.device(ref); }
std::string Recorder::library_of(uint32_t probe) const { return impl_->tracer->library_of(probe); }
uint64_t Recorder::stored() const { return impl_->store.stored(); }
uint64_t Recorder::file_bytes() const { return impl_->store.file_bytes(); }

std::vector<std::pair<std::string, uint64_t>> Recorder::lost_by_call() const {
  const std::scoped_lock lock(impl_->mutex);
  std::map<std::string, uint64_t> by_call = impl_->lost_at_former;
  const auto& probes = impl_->tracer->probe_table();
  for (const auto& [probe, count] : impl_->objects->probe_losses(probes.size())) {
    by_call[std::string(impl_->calls[probes[probe].call].name)] += count;
  }
  return {by_call.begin(), by_call.end()};
}

}  // namespace ingero::agent
