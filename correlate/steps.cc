// Assigns work to streams, and ends a step when a synchronisation covers its work.
#include "correlate/steps.h"

#include <algorithm>

#include "hal/same_start.h"

namespace ingero::correlate {
namespace {

using hal::Has;
using hal::Kind;

// splitmix64's finaliser: sums of it distinguish sets of functions.
uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// Returns when the host has the data it requested from the device.
bool copies_and_waits(const CallFacts& facts, const hal::Event& event) {
  return facts.kind == Kind::kMemcpy && facts.synchronising && event.has(Has::kDirection) &&
         event.direction == hal::Direction::kDeviceToHost;
}

}  // namespace

void Steps::set_call(hal::CallId id, CallFacts facts) {
  if (id >= calls_.size()) calls_.resize(id + size_t{1});
  calls_[id] = std::move(facts);
}

void Steps::set_probe(uint32_t probe, bool is_per_thread) { per_thread_probes_.set(probe, is_per_thread); }

void Steps::add_process(const hal::Process& process) {
  const auto found = processes_.find(process.pid);
  if (found == processes_.end() || process.start_mono_ns == 0) return;
  Process& known = found->second;
  if (known.start_mono_ns != 0 && !hal::same_start(known.start_mono_ns, process.start_mono_ns)) known = Process();
  known.start_mono_ns = process.start_mono_ns;
}

Steps::Key Steps::key_of(const hal::Event& event) const {
  const bool is_per_thread = per_thread_probes_.has(event.probe);
  return Streams::key_of(event.has(Has::kStream) ? std::optional(event.stream) : std::nullopt, event.tid, is_per_thread,
                         event.device_ref);
}

Steps::Process& Steps::process_of(const hal::Event& event) {
  const auto known = processes_.find(event.pid);
  if (known != processes_.end()) return known->second;
  if (processes_.size() >= kMaxProcesses) {  // (S3)
    const auto oldest = std::min_element(processes_.begin(), processes_.end(), [](const auto& one, const auto& other) {
      return one.second.last_mono_ns < other.second.last_mono_ns;
    });
    processes_.erase(oldest);
    ledger_.add(hal::Loss::step_forgotten);
  }
  return processes_[event.pid];
}

// (S1) What is known after each event is all that the next one needs: steps wait for nothing.
void Steps::add(const hal::Event& event) {
  if (event.call >= calls_.size() || event.outcome != hal::Outcome::kReturned || event.depth != 0) return;
  const CallFacts& facts = calls_[event.call];
  const bool is_query = facts.kind == Kind::kStream && facts.polled;
  if (!is_work(facts) && facts.kind != Kind::kSync && facts.kind != Kind::kEvent && facts.kind != Kind::kGraph &&
      facts.kind != Kind::kStream) {
    return;
  }
  // "Not ready" is not a failure of a query; it says that the work has not ended.
  if (event.failed || (!is_work(facts) && event.has(Has::kReturnCode) && event.return_code != 0)) return;
  Process& process = process_of(event);
  process.last_mono_ns = std::max(process.last_mono_ns, event.end_mono_ns());
  if (is_work(facts)) {
    add_work(process, event, facts);
    if (copies_and_waits(facts, event)) finish(process, process.streams.reach_of(key_of(event)), key_of(event), event);
  } else if (facts.kind == Kind::kSync) {
    synchronise(process, event);
  } else if (is_query && event.has(Has::kStream)) {
    finish(process, process.streams.reach_of(key_of(event)), key_of(event), event);
  } else if (facts.graph == GraphStep::kBegin || facts.graph == GraphStep::kEnd) {
    process.streams.capture(key_of(event), facts.graph == GraphStep::kBegin, ledger_);
  } else if (facts.kind == Kind::kEvent) {
    add_marker(process, event, facts);
  } else if (facts.stream_begins_or_ends && event.has(Has::kStream)) {
    process.streams.erase(key_of(event));
    process.work.erase(key_of(event));
  }
}

void Steps::add_work(Process& process, const hal::Event& event, const CallFacts& facts) {
  const Key key = key_of(event);
  const auto place = process.streams.put(key, event.device_ref, ledger_);
  if (!place) return;
  Work* stream = &process.work[key];
  if (place->is_new || stream->parts.empty()) {
    if (stream->parts.size() >= kMaxParts) {  // (S3) markers into the oldest reach less from now on
      Part& next = stream->parts[1];
      const Part& first = stream->parts[0];
      if (next.first_start_ns > first.last_end_ns + kIdleNs) next.idle_ns += next.first_start_ns - first.last_end_ns;
      next.first_start_ns = std::min(next.first_start_ns, first.first_start_ns);
      next.idle_ns += first.idle_ns;
      if (first.first_submission_ns != 0) {
        next.first_submission_ns = first.first_submission_ns;
        next.last_submission_ns = std::max(next.last_submission_ns, first.last_submission_ns);
      }
      for (uint64_t Part::*sum : {&Part::launches, &Part::graph_launches, &Part::copies, &Part::copied_bytes,
                                  &Part::sets, &Part::collectives, &Part::functions}) {
        next.*sum += first.*sum;
      }
      stream->parts.erase(stream->parts.begin());
    }
    Part part;
    part.number = place->number;
    part.first_start_ns = part.last_end_ns = event.start_mono_ns;
    stream->parts.push_back(part);
  }
  Part& part = stream->parts.back();
  const uint64_t busy_until = std::max(part.last_end_ns, stream->last_sync_end_ns);
  if (event.start_mono_ns >= busy_until + kIdleNs) part.idle_ns += event.start_mono_ns - busy_until;
  part.first_start_ns = std::min(part.first_start_ns, event.start_mono_ns);
  part.last_end_ns = std::max(part.last_end_ns, event.end_mono_ns());
  const bool is_graph = facts.graph == GraphStep::kLaunch;
  if (is_graph || facts.kind == Kind::kLaunch) {
    (is_graph ? part.graph_launches : part.launches) += 1;
    part.functions += mixed(is_graph ? event.handle : event.function);
    if (part.first_submission_ns == 0) part.first_submission_ns = event.start_mono_ns;
    part.last_submission_ns = event.start_mono_ns;
  } else if (facts.kind == Kind::kMemcpy) {
    ++part.copies;
    if (event.has(Has::kBytes)) part.copied_bytes += event.bytes;
  } else if (facts.kind == Kind::kMemset) {
    ++part.sets;
  } else {
    ++part.collectives;
  }
}

void Steps::add_marker(Process& process, const hal::Event& event, const CallFacts& facts) {
  if (!event.has(Has::kHandle) || (!facts.marks_stream && !facts.awaits_mark)) return;
  if (facts.marks_stream) {
    process.streams.mark(key_of(event), event.handle, ledger_);
  } else {
    process.streams.await_mark(key_of(event), event.handle, ledger_);
  }
}

void Steps::synchronise(Process& process, const hal::Event& event) {
  if (event.has(Has::kHandle) && !event.has(Has::kStream)) {
    if (const Streams::Mark* mark = process.streams.find_mark(event.handle)) {
      finish(process, Reach(mark->reach), mark->stream, event);
    }
    return;
  }
  const bool names_stream = event.has(Has::kStream);
  if (names_stream) return finish(process, process.streams.reach_of(key_of(event)), key_of(event), event);
  std::optional<Key> only;
  const Reach reach = process.streams.reach_of_device(event.device_ref, only);
  finish(process, reach, only, event);
}

void Steps::finish(Process& process, const Reach& reach, std::optional<Key> key, const hal::Event& sync) {
  const uint64_t end_ns = sync.end_mono_ns();
  std::vector<Part> covered;
  uint64_t before_ns = 0;  // when the streams were waited for last
  for (const auto& [reached, number] : reach) {
    const auto found = process.work.find(reached);
    if (found == process.work.end()) continue;
    Work& stream = found->second;
    const auto past = std::find_if(stream.parts.begin(), stream.parts.end(),
                                   [number = number](const Part& part) { return part.number > number; });
    if (past == stream.parts.begin()) continue;
    before_ns = std::max(before_ns, stream.last_sync_end_ns);
    covered.insert(covered.end(), stream.parts.begin(), past);
    stream.parts.erase(stream.parts.begin(), past);
    stream.last_sync_end_ns = std::max(stream.last_sync_end_ns, end_ns);
  }
  process.streams.cover(reach);
  if (covered.empty()) return;
  std::sort(covered.begin(), covered.end(),
            [](const Part& one, const Part& other) { return one.first_start_ns < other.first_start_ns; });
  InferenceStep step;
  step.pid = sync.pid;
  step.tid = sync.tid;
  step.cgroup_id = sync.cgroup_id;
  if (key) step.stream = key->stream;
  step.end_mono_ns = end_ns;
  step.wall_offset_ns = sync.wall_offset_ns;
  step.wait_ns = end_ns - sync.start_mono_ns;
  step.start_mono_ns = std::min(std::max(covered.front().first_start_ns, before_ns), end_ns);
  uint64_t busy_until_ns = std::max(step.start_mono_ns, before_ns);
  uint64_t first_submission_ns = 0, last_submission_ns = 0;
  const auto idle_until = [&](uint64_t ns) {
    if (ns >= busy_until_ns + kIdleNs) step.idle_ns += ns - busy_until_ns;
  };
  for (const Part& part : covered) {
    idle_until(part.first_start_ns);
    busy_until_ns = std::max(busy_until_ns, part.last_end_ns);
    step.idle_ns += part.idle_ns;
    step.launches += part.launches;
    step.graph_launches += part.graph_launches;
    step.copies += part.copies;
    step.copied_bytes += part.copied_bytes;
    step.sets += part.sets;
    step.collectives += part.collectives;
    step.functions += part.functions;
    if (part.first_submission_ns == 0) continue;
    first_submission_ns =
        first_submission_ns == 0 ? part.first_submission_ns : std::min(first_submission_ns, part.first_submission_ns);
    last_submission_ns = std::max(last_submission_ns, part.last_submission_ns);
  }
  idle_until(sync.start_mono_ns);
  // (S2) With several streams, one may be idle while another works: never more than the step's own time.
  step.idle_ns = std::min(step.idle_ns, step.end_mono_ns - step.start_mono_ns);
  if (const uint64_t submissions = step.launches + step.graph_launches; submissions > 1) {
    const uint64_t span = last_submission_ns - first_submission_ns;
    step.mean_gap_ns = (span - std::min(span, step.idle_ns)) / (submissions - 1);
  }
  steps_.push_back(step);
}

}  // namespace ingero::correlate
