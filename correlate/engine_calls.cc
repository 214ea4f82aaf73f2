// A call's part in its process's window, and in the series of calls like it.
#include <algorithm>
#include <bit>

#include "base/text.h"
#include "correlate/device_time.h"
#include "correlate/engine_impl.h"

namespace ingero::correlate {
namespace {

constexpr uint64_t kFastestLink = 1000;  // bytes a nanosecond: a call that took less did not move them

using hal::Has;
using hal::Kind;

constexpr uint64_t kFirstCalls = 5;  // of a series: the cold ones

void count(KindSum& sum, uint64_t ns, uint64_t bytes) {
  ++sum.calls;
  sum.ns += ns;
  sum.bytes += bytes;
}

// Calls that never wait for anything when all is well: they put work on a queue.
bool only_enqueues(const CallFacts& facts) {
  return facts.kind == Kind::kLaunch || facts.graph == GraphStep::kLaunch ||
         (facts.async && (facts.kind == Kind::kMemcpy || facts.kind == Kind::kMemset)) ||
         (facts.kind == Kind::kEvent && !facts.synchronising);
}

uint64_t duration_of(const hal::Event& event) { return event.has(Has::kDuration) ? event.duration_ns : 0; }
uint64_t bytes_of(const hal::Event& event) { return event.has(Has::kBytes) ? event.bytes : 0; }

// A finding that one call is enough for.
Finding finding_of(const hal::Event& event, RuleId rule, double confidence) {
  Finding finding;
  finding.rule = rule;
  finding.op = event.call;
  finding.number = finding.number_now = 1;
  finding.confidence = confidence;
  finding.onset_mono_ns = event.start_mono_ns;
  return finding;
}

void give_back(ProcessState::Live& live, ProcessState& process, ProcessWindow& sum) {
  sum.freed_bytes += live.bytes;
  process.live_bytes -= live.bytes;
  if (live.stack_id) {
    if (Places::Place* place = sum.places.at(*live.stack_id)) place->bytes -= static_cast<int64_t>(live.bytes);
  }
  live = {};
}

}  // namespace

Sample sample_of(const hal::Event& event, uint64_t lost_ns) {
  Sample sample;
  sample.lost_ns = lost_ns;
  sample.start_mono_ns = event.start_mono_ns;
  sample.duration_ns = event.duration_ns;
  sample.wall_offset_ns = whole_ms(event.wall_offset_ns);
  sample.pid = event.pid;
  sample.tid = event.tid;
  sample.call = event.call;
  sample.off = event.off;
  if (event.has(Has::kPreemptedBy)) {
    sample.preempted_by_pid = event.preempted_by_pid;
    sample.preempted_by_ns = event.preempted_by_ns;
    sample.preempted_by_comm = event.preempted_by_comm;
  }
  if (event.has(Has::kStack)) {
    sample.stack_id = event.stack_id;
    sample.has_stack = true;
  }
  return sample;
}

namespace {

void consider(Sample& worst, const hal::Event& event, uint64_t lost_ns) {
  if (lost_ns != 0 && lost_ns >= worst.lost_ns) keep_worse(worst, sample_of(event, lost_ns));
}
void consider(Worst& worst, const hal::Event& event, uint64_t lost_ns) {
  if (lost_ns != 0 && lost_ns >= worst->lost_ns) worst.add(sample_of(event, lost_ns));
}

// One that takes longer because more work than usual was submitted before it is none.
void note_spike(Series& series, SeriesWindow& sum, const hal::Event& event, uint64_t ns, uint64_t undone) {
  constexpr size_t kMaxSpikes = 1024;  // of a window: more than that are not spikes
  ++series.seen;
  if (series.usual_ns == 0 || ns < kSpikeNs || ns < kSpikeTimes * series.usual_ns) {
    series.most_undone = std::max(series.most_undone, undone);
    return;
  }
  if (undone > series.most_undone) return;
  sum.spike_ns += ns - series.usual_ns;
  if (sum.first_spike_ns == 0) sum.first_spike_ns = event.start_mono_ns;
  if (sum.spikes.size() < kMaxSpikes) sum.spikes.push_back(series.seen);
}

// Off-CPU time in a call, to the sums of its process's window. Behind much work (`undone`: submissions) one more launch
// waits for room in its queue, which the device makes.
void add_off_cpu(const hal::Event& event, const CallFacts& facts, bool cold, uint64_t undone, ProcessWindow& sum) {
  const hal::OffCpu& off = event.off;
  sum.in_calls.preempted_ns += off.preempted_ns;
  sum.in_calls.runqueue_ns += off.runqueue_ns;
  sum.in_calls.blocked_ns += off.blocked_ns;
  if (!cold) sum.in_calls.io_ns += off.io_ns;
  if (event.has(Has::kPreemptedBy))
    sum.call_preemptors.add(event.preempted_by_pid, event.preempted_by_ns, event.preempted_by_comm);
  consider(sum.worst_cpu, event, off.preempted_ns + off.runqueue_ns);
  if (!cold) consider(sum.worst_io, event, off.io_ns);
  // Into pageable memory an asynchronous copy to the host waits, too.
  const bool is_fetch =
      facts.kind == Kind::kMemcpy && event.has(Has::kDirection) && event.direction == hal::Direction::kDeviceToHost;
  const bool waits_for_room = facts.kind == Kind::kLaunch && undone >= DeviceTime::kQueueFull;
  if (facts.synchronising || is_fetch) {
    sum.sync_blocked_ns += off.blocked_ns;
  } else if (only_enqueues(facts) && !cold && event.outcome == hal::Outcome::kReturned && !waits_for_room) {
    sum.unusual_blocked_ns += off.blocked_ns;
    consider(sum.worst_blocked, event, off.blocked_ns);
  }
}

}  // namespace

namespace {

// What a process did last, should it be the last.
void note_latest(const hal::Event& event, const CallFacts& facts, ProcessState& process) {
  if (event.outcome == hal::Outcome::kExited) {
    if (process.calls_at_end.size() < kLastCalls) process.calls_at_end.push_back(sample_of(event, 0));
    return;
  }
  auto& last = process.last_calls;
  last.reserve(kLastCalls);
  if (last.size() < kLastCalls || event.start_mono_ns > last.front().start_mono_ns) {
    if (last.size() == kLastCalls) last.erase(last.begin());
    const auto after = std::upper_bound(last.begin(), last.end(), event.start_mono_ns,
                                        [](uint64_t at, const Sample& one) { return at < one.start_mono_ns; });
    last.insert(after, sample_of(event, 0));
  }
  if (event.failed || (facts.kind != Kind::kLaunch && facts.graph != GraphStep::kLaunch)) return;
  const uint64_t function = event.has(Has::kFunction) ? event.function : event.has(Has::kHandle) ? event.handle : 0;
  if (process.launches == nullptr) process.launches = std::make_unique<Launches>();
  process.launches->add(event.has(Has::kStream) ? event.stream : 0,
                        {sample_of(event, 1), function, event.end_mono_ns()});
}

}  // namespace

Series* Engine::Impl::series_of(ProcessState& process, const hal::Event& event, bool nested) {
  const uint8_t size_class = event.has(Has::kBytes) ? static_cast<uint8_t>(std::bit_width(event.bytes) + 1) : 0;
  const uint64_t key = uint64_t{process.facts.pid} << 32 | uint64_t{event.call} << 16 | uint64_t{size_class} << 1 |
                       static_cast<uint64_t>(nested);
  if (key == last_series_key && last_series->process == &process) return last_series;
  auto& known = series[key];
  if (known == nullptr || known->process != &process) {
    if (known == nullptr && series.size() > kMaxSeries) {
      series.erase(key);
      ledger.add(hal::Loss::engine_forgotten);
      return nullptr;
    }
    if (known != nullptr) {
      std::erase(known->process->series, known.get());
      for (auto& list : touched_series) std::erase(list, known.get());
    }
    known = std::make_unique<Series>();
    known->process = &process;
    known->call = event.call;
    known->size_class = size_class;
    known->nested = nested;
  }
  last_series_key = key;
  last_series = known.get();
  return last_series;
}

// What the device had free for certain when an allocation was refused: as it was last read, less what anyone got since.
// Only where the machine has one device, for which one the call was about is its process's own numbering.
std::optional<uint64_t> Engine::Impl::free_memory_at(const hal::Event& event) const {
  const FreeMemory* last = nullptr;
  for (const FreeMemory& one : free_memory) {
    if (one.n_devices == 1 && one.mono_ns <= event.start_mono_ns) last = &one;
  }
  if (last == nullptr || last->mono_ns + kActive * kWindowNs < event.start_mono_ns) return std::nullopt;
  uint64_t free = last->bytes;
  for (const auto& [window, bytes] : granted) {
    if (window >= last->mono_ns / kWindowNs) free -= std::min(free, bytes);
  }
  return free;
}

void Engine::Impl::note_refused(const hal::Event& event, const CallFacts& facts, ProcessState& process,
                                ThreadState& thread) {
  const bool is_of_host = facts.memory == hal::Memory::kHost;
  Finding finding = finding_of(event, is_of_host ? RuleId::host_memory_refused : RuleId::device_out_of_memory, 1);
  if (is_of_host) finding.subject = name_of(facts.memory);  // whatever becomes of the device's
  finding.sample.emplace();
  consider(*finding.sample, event, 1);
  if (event.has(Has::kBytes)) finding.bytes = event.bytes;
  if (!is_of_host) finding.held_bytes = process.live_bytes;
  if (!is_of_host && event.has(Has::kBytes)) {
    thread.refused = {event.bytes, event.start_mono_ns, 0, 0, 0};
    if (const auto free = free_memory_at(event); free && *free >= event.bytes) {
      finding.rule = RuleId::memory_fragmentation;
      finding.confidence = 0.7;
      finding.detail = fmt::format("although {} were free (fragmented, or reserved for others)", format_bytes(*free));
    }
  }
  pend(event.end_mono_ns(), &process, std::move(finding));
}

// An allocator that is refused releases its cache and tries again. What it gets then it held before, in pieces.
void Engine::Impl::note_granted(const hal::Event& event, ProcessState& process, ThreadState& thread) {
  const Refused refused = std::exchange(thread.refused, Refused{});
  if (event.bytes < refused.bytes || refused.freed_bytes < refused.bytes || refused.largest_piece >= refused.bytes ||
      event.end_mono_ns() > refused.start_ns + kTrailing * kWindowNs) {
    return;
  }
  Finding finding = finding_of(event, RuleId::memory_fragmentation, 0.9);
  finding.bytes = refused.bytes;
  finding.lost_ns = finding.lost_now_ns = event.end_mono_ns() - refused.start_ns;
  finding.onset_mono_ns = refused.start_ns;
  finding.detail =
      fmt::format("at first and succeeded {} later, after the process had freed {} in {} blocks (largest {})",
                  format_duration(finding.lost_ns), format_bytes(refused.freed_bytes), refused.pieces,
                  format_bytes(refused.largest_piece));
  finding.sample.emplace();
  consider(*finding.sample, event, 1);
  pend(event.end_mono_ns(), &process, std::move(finding));
}

void Engine::Impl::take_memory(const hal::Event& event, const CallFacts& facts, ProcessState& process,
                               ThreadState& thread, ProcessWindow& sum) {
  if (facts.kind == Kind::kAlloc) {
    count(sum.allocations, event.duration_ns, 0);
    if (facts.memory != hal::Memory::kDevice) return;
    if (event.failed || !event.has(Has::kBytes) || !event.has(Has::kAddress)) return;
    if (event.bytes > kMaxBytes) return;  // not an allocation: the caller may pass any value
    if (event.start_mono_ns < process.first_work_ns) {
      process.granted_ns = std::max(process.granted_ns, event.start_mono_ns);
    }
    if (thread.refused.bytes > 0) note_granted(event, process, thread);
    const uint64_t window = event.end_mono_ns() / kWindowNs;
    if (granted.empty() || granted.back().first < window) granted.emplace_back(window, 0);
    granted.back().second += event.bytes;
    if (granted.size() > kActive) granted.pop_front();
    if (process.live.size() >= kMaxAddresses) {
      ledger.add(hal::Loss::engine_forgotten);
      return;
    }
    ProcessState::Live& live = process.live[event.address];
    give_back(live, process, sum);  // if its release was not seen
    live.bytes = event.bytes;
    process.live_bytes += event.bytes;
    sum.allocated_bytes += event.bytes;
    if (!event.has(Has::kStack)) return;
    live.stack_id = event.stack_id;
    if (Places::Place* place = sum.places.at(event.stack_id)) {
      place->bytes += static_cast<int64_t>(event.bytes);
      consider(place->largest, event, event.bytes);
    }
    return;
  }
  count(sum.frees, event.duration_ns, 0);
  if (facts.memory != hal::Memory::kDevice) return;
  if (event.failed || !event.has(Has::kAddress)) return;
  const auto known = process.live.find(event.address);
  if (known == process.live.end()) return;
  if (thread.refused.bytes > 0) {
    ++thread.refused.pieces;
    thread.refused.freed_bytes += known->second.bytes;
    thread.refused.largest_piece = std::max(thread.refused.largest_piece, known->second.bytes);
  }
  give_back(known->second, process, sum);
  process.live.erase(known);
}

// Queue pairs that are there, and events that devices delivered to the process.
void Engine::Impl::take_fabric(const hal::Event& event, const CallFacts& facts, ProcessState& process) {
  const uint64_t end = event.end_mono_ns();
  if (facts.makes_queue && !event.failed) {
    ++process.queues;
    process.first_queue_ns = std::min(process.first_queue_ns, end);
    process.last_queue_ns = std::max(process.last_queue_ns, end);
  } else if (facts.ends_queue && !event.failed) {
    process.queues -= std::min<uint64_t>(process.queues, 1);
    process.last_queue_ns = std::max(process.last_queue_ns, end);
  }
  if (!facts.awaits_events || event.failed || event.outcome != hal::Outcome::kReturned) return;
  const hal::AsyncEvent brought =
      options.event_of && event.has(Has::kFlags) ? options.event_of(event.call, event.flags) : hal::AsyncEvent{};
  if (brought.name.empty()) {
    process.completion_wait_ns += event.duration_ns;
    return;
  }
  if (!brought.is_of_port) return;
  FabricEvent delivered;
  delivered.mono_ns = end;
  delivered.start_mono_ns = event.start_mono_ns;
  delivered.duration_ns = event.duration_ns;
  delivered.wall_offset_ns = whole_ms(event.wall_offset_ns);
  delivered.pid = event.pid;
  delivered.tid = event.tid;
  delivered.port = static_cast<uint32_t>(event.handle2);
  delivered.call = event.call;
  delivered.name = brought.name;
  delivered.comm = process.facts.comm;
  delivered.is_error = brought.is_error;
  if (!fabric.add(std::move(delivered))) ledger.add(hal::Loss::engine_forgotten);
}

void Engine::Impl::take_graph(const hal::Event& event, const CallFacts& facts, ProcessState& process, uint64_t window) {
  ProcessWindow& sum = window_of(process, window);
  if (facts.graph == GraphStep::kLaunch) {
    count(sum.graph_launches, event.duration_ns, 0);
    const uint64_t lost = event.off.preempted_ns + event.off.runqueue_ns;
    sum.graph_lost_ns += lost;
    consider(sum.worst_graph, event, lost);
  }
  if (facts.graph == GraphStep::kBegin || facts.graph == GraphStep::kInstantiate) {
    count(sum.captures, event.duration_ns, 0);
  }
  if (facts.graph == GraphStep::kEnd && event.failed) {
    Finding finding = finding_of(event, RuleId::graph_capture_failed, 1);
    if (event.has(Has::kReturnCode)) {
      const std::string status = options.status_of ? options.status_of(event.call, event.return_code) : std::string();
      finding.detail = fmt::format("{}{}", event.return_code, status.empty() ? "" : " (" + status + ")");
    }
    pend(event.end_mono_ns(), &process, std::move(finding));
  }
  if (!event.has(Has::kHandle) || event.failed || event.handle == 0) return;
  if (facts.graph != GraphStep::kLaunch && facts.graph != GraphStep::kInstantiate) return;
  if (process.graphs.size() >= kMaxGraphs && !process.graphs.contains(event.handle)) {
    ledger.add(hal::Loss::engine_forgotten);
    return;
  }
  GraphState& graph = process.graphs[event.handle];
  if (facts.graph == GraphStep::kInstantiate) {
    graph = GraphState{};
    graph.instantiated_mono_ns = event.end_mono_ns();
    return;
  }
  ++graph.launches;
  graph.last_window = std::max(graph.last_window, window);
  if (graph.open_window[window % kOpen] != window) {
    graph.open_window[window % kOpen] = window;
    graph.open[window % kOpen] = 0;
  }
  ++graph.open[window % kOpen];
}

// Adds the call to those like it. Whether it is one of the first, cold ones of them.
bool Engine::Impl::take_series(const hal::Event& event, const CallFacts& facts, ProcessState& process, bool nested,
                               uint64_t window) {
  Series* const series = series_of(process, event, nested);
  if (series == nullptr) return false;
  auto& open = series->open[window % kOpen];
  if (open == nullptr || open->window != window) {
    open = std::make_unique<SeriesWindow>();
    open->window = window;
    touched_series[window % kOpen].push_back(series);
  }
  const uint64_t ns = duration_of(event);
  SeriesWindow& sum = *open;
  ++sum.calls;
  sum.ns += ns;
  sum.bytes += bytes_of(event);
  sum.max_ns = std::max(sum.max_ns, ns);
  sum.min_ns = std::min(sum.min_ns, ns);
  if (event.has(Has::kDuration)) sum.bins.add(ns);
  note_spike(*series, sum, event, ns, process.undone);
  bool cold = false;
  if (series->first_calls < kFirstCalls) {
    ++series->first_calls;
    series->first_ns += ns;
    cold = !facts.synchronising;  // waiting for the device is not start-up
  }
  if (event.has(Has::kOffCpu) && !cold) {
    sum.blocked_ns += event.off.blocked_ns;
    ++sum.timed;
  }
  return cold;
}

const hal::StatusMeaning* Engine::Impl::meaning_of(hal::CallId call, int64_t code) {
  if (!options.meaning_of || !options.status_of) return nullptr;
  if (meanings.size() >= kMaxIncidents) meanings.clear();  // the program chooses what it returns
  const auto [at, is_new] = meanings.try_emplace({call, code}, nullptr);
  if (is_new) at->second = options.meaning_of(options.status_of(call, code));
  return at->second;
}

void Engine::Impl::take_failure(const hal::Event& event, const CallFacts& facts, ProcessState& process,
                                ThreadState& thread, ProcessWindow& sum) {
  ++sum.failed;
  consider(sum.first_failed, event, 1);
  const bool has_code = event.has(Has::kReturnCode);
  if (event.start_mono_ns >= process.last_failure.start_mono_ns) {
    process.last_failure = {event.call, has_code ? std::optional(event.return_code) : std::nullopt,
                            event.start_mono_ns};
  }
  if (!has_code) return;
  if (process.failures.size() < 64 || process.failures.contains({event.call, event.return_code})) {
    ++process.failures[{event.call, event.return_code}];
  }
  const hal::StatusMeaning* meaning = meaning_of(event.call, event.return_code);
  if (meaning == nullptr) return;
  if (hal::is_fatal(meaning->effect) && process.fatal_mono_ns == 0) note_fatal(event, process, *meaning);
  if (facts.kind == Kind::kAlloc && facts.memory != hal::Memory::kAddressSpace &&
      meaning->effect == hal::StatusEffect::kOutOfDeviceMemory) {
    note_refused(event, facts, process, thread);
  }
}

bool Engine::Impl::is_on_default_stream(const hal::Event& event) const {
  if (!event.has(Has::kStream)) return false;
  return Streams::key_of(event.stream, event.tid, per_thread_probes.has(event.probe), 0).is_default();
}

// How long a copy that held its thread was copying. One to the host waits first for the work before it: where there is
// some, no more is known to be its own than what the fastest of those without took for its bytes, and nothing where
// there was none. What is copied to the device goes through a buffer meanwhile, and waits for that alone.
uint64_t Engine::Impl::copying_ns(const hal::Event& event, const CallFacts& facts, ProcessState& process) {
  const uint64_t ns = duration_of(event);
  const bool is_behind = process.last_work_ns > process.last_drained_ns;
  const bool to_host = event.has(Has::kDirection) && event.direction == hal::Direction::kDeviceToHost;
  double& best = process.best_copy_rates[{event.direction, facts.async}];
  if (!is_behind)
    best = std::max(best, static_cast<double>(event.bytes) / static_cast<double>(std::max<uint64_t>(1, ns)));
  if (!is_behind || (best == 0 && !to_host)) return ns;
  return best == 0 ? 0 : std::min(ns, static_cast<uint64_t>(static_cast<double>(event.bytes) / best));
}

// Whether the device may have work that nothing has waited for yet.
void Engine::Impl::note_work(const hal::Event& event, const CallFacts& facts, ProcessState& process) {
  if (event.failed) return;
  const uint64_t ns = duration_of(event), bytes = bytes_of(event);
  const bool is_copy = facts.kind == Kind::kMemcpy;
  const bool is_queued = is_copy && facts.async && bytes / kFastestLink > ns;
  const bool is_drained = facts.kind == Kind::kSync || (is_copy && (facts.synchronising || !facts.async));
  if (is_work(facts) && (!is_copy || is_queued))
    process.last_work_ns = std::max(process.last_work_ns, event.end_mono_ns());
  if (is_drained) process.last_drained_ns = std::max(process.last_drained_ns, event.end_mono_ns());
}

void Engine::Impl::take_kind(const hal::Event& event, const CallFacts& facts, ProcessState& process,
                             ThreadState& thread, ProcessWindow& sum, uint64_t window) {
  const uint64_t ns = duration_of(event), bytes = bytes_of(event);
  switch (facts.kind) {
    case Kind::kLaunch:
      count(sum.launches, ns, 0);
      if (is_on_default_stream(event)) sum.default_stream.add({event.tid, event.device_ref, 1, 0});
      break;
    case Kind::kSync:
      count(sum.syncs, ns, 0);
      if (!event.has(Has::kStream) || is_on_default_stream(event)) {
        sum.default_stream.add({event.tid, event.device_ref, 0, ns});
      }
      break;
    case Kind::kMemcpy:
      if (facts.synchronising) count(sum.syncs, ns, 0);
      // Not those that were only queued, and not memory that was mapped where it lies.
      if (bytes >= kLargeCopyBytes && bytes / kFastestLink <= ns &&
          (!event.has(Has::kDirection) || event.direction != hal::Direction::kDeviceToDevice)) {
        const uint64_t own_ns = copying_ns(event, facts, process);
        if (own_ns > 0) count(sum.copies, own_ns, bytes);
        if (own_ns > 0) consider(sum.worst_copy, event, own_ns);
      }
      if (event.has(Has::kDirection) && event.direction == hal::Direction::kDeviceToHost && event.has(Has::kBytes) &&
          bytes <= kSmallCopyBytes) {
        count(sum.small_results, ns, bytes);
      }
      break;
    case Kind::kAlloc:
    case Kind::kFree:
      take_memory(event, facts, process, thread, sum);
      break;
    case Kind::kGraph:
      take_graph(event, facts, process, window);
      break;
    case Kind::kCollective:
    case Kind::kP2p:
      count(sum.collectives, ns, bytes);
      break;
    default:
      break;
  }
}

namespace {

void note_device(const hal::Event& event, ProcessState& process) {
  auto& devices = process.devices;
  if (event.device_ref == 0 || devices.size() >= ProcessState::kMaxDevices) return;
  if (std::find(devices.begin(), devices.end(), event.device_ref) == devices.end()) devices.push_back(event.device_ref);
}

}  // namespace

void Engine::Impl::take_call(const hal::Event& event, const CallFacts& facts, uint64_t window) {
  ++examined.calls;
  ProcessState& process = process_of(event.pid);
  ThreadState& thread = thread_of(event.tid, process);
  thread.last_call_window = std::max(thread.last_call_window, window);
  thread.last_window = std::max(thread.last_window, window);
  if (process.first_call_window == 0) process.first_call_window = window;
  process.last_call_window = std::max(process.last_call_window, window);
  // Where parents were not recorded, a call below a runtime counts as part of one of the runtime's, if there are any.
  const bool nested =
      event.has(Has::kParent) || event.depth > 0 || (options.windowed && facts.below_runtime && process.calls_runtime);
  if (!facts.below_runtime) process.calls_runtime = true;
  process.has_peers |= facts.kind == Kind::kCollective || facts.kind == Kind::kCommunicator ||
                       facts.kind == Kind::kP2p || facts.kind == Kind::kFabric;
  if (facts.kind == Kind::kFabric) take_fabric(event, facts, process);
  if (facts.awaits_events) {
    if (!nested) ++window_of(process, window).calls;
    return;  // waiting for an event is not work that could have been faster
  }

  const bool cold = take_series(event, facts, process, nested, window);
  ProcessWindow& sum = window_of(process, window);
  if (thread.called[window % kOpen] != window) {
    thread.called[window % kOpen] = window;
    ++sum.callers;
    sum.busy_windows = 1;
  }
  if (nested) return;

  ++sum.calls;
  sum.call_ns += duration_of(event);
  note_latest(event, facts, process);
  if (event.failed && !facts.polled) take_failure(event, facts, process, thread, sum);
  if (event.has(Has::kOffCpu)) add_off_cpu(event, facts, cold, process.undone, sum);
  take_kind(event, facts, process, thread, sum, window);
  note_work(event, facts, process);
  const bool submits =
      facts.kind == Kind::kLaunch || facts.graph == GraphStep::kLaunch || facts.kind == Kind::kCollective;
  if (submits) {
    process.first_work_ns = std::min(process.first_work_ns, event.start_mono_ns);
    process.last_submit_ns = std::max(process.last_submit_ns, event.start_mono_ns);
    if (!process.launches_block) ++process.undone;
    note_device(event, process);
  }
  if (facts.synchronising || facts.kind == Kind::kSync || facts.polled) {
    process.last_wait_ns = std::max(process.last_wait_ns, event.end_mono_ns());
    process.undone = 0;
  }
}

}  // namespace ingero::correlate
