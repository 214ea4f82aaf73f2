// Events in: what a row holds of an event, and what is only counted.
#include "store/write/writer.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "store/write/writer_impl.h"

namespace ingero::store {
namespace {

using hal::Has;
using hal::Outcome;

int64_t clipped(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
}

uint64_t size_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

}  // namespace

Status Writer::Impl::open() {
  INGERO_TRY(prepare_file());
  INGERO_TRY(open_database());
  INGERO_TRY(load_position());
  INGERO_TRY(begin_session());
  INGERO_TRY(recover());
  INGERO_TRY(keep_in_one_file());
  sqlite3_progress_handler(database.get(), 0, nullptr, nullptr);
  return {};
}

void Writer::Impl::fill(const hal::Event& event, int64_t process, bool sampled, EventRow& row) {
  row.present = 0;
  const ClockEntry& clock_entry = dictionaries.clock(event.start_mono_ns, event.wall_offset_ns);
  row.set(Column::start, event.start_mono_ns - clock_entry.mono_ns);
  row.set(Column::clock, clock_entry.id);
  row.set(Column::site, dictionaries.probe(event.probe, event.call));
  row.set(Column::thread, dictionaries.thread(event, process));
  const uint32_t stands_for = event.has(Has::kStack) && event.stack_weight > 1 ? event.stack_weight - 1 : 0;
  row.set(Column::state, state_of(event.outcome, event.failed, event.has(Has::kDirection), event.direction, event.depth,
                                  sampled, stands_for));
  if (event.has(Has::kDuration)) row.set(Column::duration, clipped(event.duration_ns));
  if (event.has(Has::kReturnCode)) row.set(Column::return_code, event.return_code);
  if (event.has(Has::kOffCpu)) {
    row.set(Column::preempted, clipped(event.off.preempted_ns));
    row.set(Column::runqueue, clipped(event.off.runqueue_ns));
    row.set(Column::blocked, clipped(event.off.blocked_ns));
    row.set(Column::io, clipped(event.off.io_ns));
  }
  if (event.has(Has::kStream)) row.set(Column::stream, event.stream);
  if (event.has(Has::kBytes)) row.set(Column::bytes, clipped(event.bytes));
  if (event.has(Has::kAddress)) row.set(Column::address, event.address);
  if (event.has(Has::kSourceAddress)) row.set(Column::source_address, event.source_address);
  if (event.has(Has::kFunction)) row.set(Column::function, dictionaries.function(process, event.function));
  if (event.has(Has::kGrid) || event.has(Has::kBlock) || event.has(Has::kSharedBytes)) {
    row.set(Column::geometry, dictionaries.geometry(event));
  }
  if (event.has(Has::kHandle)) row.set(Column::handle, event.handle);
  if (event.has(Has::kDevice) || event.device_ref != 0) row.set(Column::device, dictionaries.device(event));
  if (event.has(Has::kFlags) || event.has(Has::kPeerDevice) || event.has(Has::kHandle2)) {
    row.set(Column::detail, dictionaries.detail(event));
  }
  if (event.has(Has::kPreemptedBy)) {
    row.set(Column::culprit, dictionaries.preempted_by(event.preempted_by_pid, event.preempted_by_comm));
    row.set(Column::culprit_ns, clipped(event.preempted_by_ns));
  }
  if (event.has(Has::kSender)) {
    row.set(Column::culprit, dictionaries.preempted_by(event.sender_pid, event.sender_comm));
  }
  if (event.has(Has::kParent) && dictionaries.knows(event.parent_call)) {
    row.set(Column::parent_call, dictionaries.call(event.parent_call).id);
    row.set(Column::parent_gap, event.start_mono_ns - event.parent_start_mono_ns);
  }
  if (event.has(Has::kStack)) row.set(Column::stack, dictionaries.stack(event.stack_id));
  if (event.has(Has::kArg0)) row.set(Column::arg0, event.arg0);
  if (event.has(Has::kArg1)) row.set(Column::arg1, event.arg1);

  const auto start_wall_ns = static_cast<int64_t>(event.start_mono_ns) + clock_entry.offset_ns;
  batch_start_wall_ns = std::min(batch_start_wall_ns, start_wall_ns);
  batch_end_wall_ns =
      std::max(batch_end_wall_ns, start_wall_ns + (event.has(Has::kDuration) ? clipped(event.duration_ns) : 0));
}

void Writer::Impl::count(const hal::Event& event, const CallEntry& call, int64_t process, bool stored) {
  Sample sample;
  sample.call = static_cast<uint32_t>(call.id);
  sample.process = static_cast<uint32_t>(process);
  sample.pid = event.pid;
  sample.source = call.source;
  sample.op = call.op;
  sample.start_wall_ns = event.start_wall_ns();
  sample.timed = event.has(Has::kDuration);
  sample.duration_ns = event.duration_ns;
  sample.failed = event.failed;
  sample.stored = stored;
  sample.has_off = event.has(Has::kOffCpu);
  sample.off_ns = {event.off.preempted_ns, event.off.runqueue_ns, event.off.blocked_ns, event.off.io_ns};
  if (event.device_ref != 0 && event.depth == 0) sample.device = dictionaries.device(event);
  sample.has_bytes = event.has(Has::kBytes);
  sample.bytes = event.bytes;
  if (event.kind == hal::Kind::kHost) {
    const auto op = calls.host_op(event.call);
    if (op == hal::HostOp::kPageAlloc && !sample.has_bytes && event.has(Has::kArg0)) {
      sample.has_bytes = true;
      sample.bytes = event.arg0;
    }
    if (op == hal::HostOp::kSchedSwitch && event.cgroup_id != 0 && sample.timed) {
      aggregates.add_off_cpu(event.cgroup_id, sample.start_wall_ns, event.duration_ns);
    }
  }
  aggregates.add(sample);
}

void Writer::Impl::take(const hal::Event& event) {
  if (!dictionaries.knows(event.call) || batch.size() >= options.max_buffered_rows) {
    losses.add(hal::Loss::store_failed);
    return;
  }
  const CallEntry& call = dictionaries.call(event.call);
  const int64_t process = dictionaries.process(event.pid);
  const bool unfinished = event.outcome >= Outcome::kInFlight;
  const FlightKey key{event.tid, event.start_mono_ns};
  const auto known = in_flight.empty() ? in_flight.end() : in_flight.find(key);

  if (known != in_flight.end()) {
    // The row is there already: in the batch, or in the file.
    const int64_t seq = known->second.seq;
    EventRow row;
    fill(event, process, false, row);
    if (seq > committed_seq) {
      batch[static_cast<size_t>(seq - committed_seq - 1)] = row;
    } else {
      const int64_t end = clipped(event.start_wall_ns()) + (event.has(Has::kDuration) ? clipped(event.duration_ns) : 0);
      updates.push_back({seq, end, row});
    }
    if (!unfinished) {
      count(event, call, process, true);
      flights_ended.push_back(key);
      in_flight.erase(known);
    }
    return;
  }

  bool sampled = false;
  if (!unfinished) {
    const auto decision = selector ? selector->decide(event) : Selector::Decision::kKeep;
    count(event, call, process, decision != Selector::Decision::kThin);
    if (decision == Selector::Decision::kThin) {
      losses.add(hal::Loss::store_thinned);
      return;
    }
    sampled = decision == Selector::Decision::kKeepAsSample;
  } else {
    // (W3) Named in the transaction that its row is in.
    const Unfinished flight{next_seq(), dictionaries.probe(event.probe, event.call), process};
    in_flight.emplace(key, flight);
    flights_begun.emplace_back(key, flight);
  }
  fill(event, process, sampled, batch.emplace_back());
}

int64_t Writer::Impl::thread_of(uint32_t pid, uint32_t tid) {
  hal::Event event;
  event.pid = pid;
  event.tid = tid;
  return dictionaries.thread(event, dictionaries.process(pid));
}

bool Writer::Impl::has_room(size_t waiting) {
  if (waiting < kMaxWaiting) return true;
  const bool may_try = !closed && (!last_error || clock.mono_ns() >= retry_mono_ns);
  if (may_try && commit(false).ok()) return true;  // nothing waits any more
  losses.add(hal::Loss::store_failed);
  return false;
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Writer::~Writer() { static_cast<void>(close()); }

Result<std::unique_ptr<Writer>> Writer::open(WriterOptions options, const hal::CallTable& calls,
                                             hal::LossLedger& losses, const Clock& clock) {
  auto impl = std::make_unique<Impl>(std::move(options), calls, losses, clock);
  impl->closed = true;  // until it is open: the destructor has nothing to finish
  if (const Status opened = impl->open(); !opened.ok()) {
    if (!impl->options.is_cancelled || !impl->options.is_cancelled()) return opened.error();
    return Error(Errc::kBusy, fmt::format("{}: interrupted while it was opened", printable(impl->options.path, 4096)));
  }
  impl->reserve = DiskReserve::hold(impl->options.path, Impl::kReserveBytes);
  impl->closed = false;
  return std::unique_ptr<Writer>(new Writer(std::move(impl)));
}

void Writer::add_probe(uint32_t index, const hal::Probe& probe) { impl_->dictionaries.add_probe(index, probe); }
void Writer::add_device(uint32_t ref, const hal::EventDevice& device) { impl_->dictionaries.add_device(ref, device); }
void Writer::add_process(const hal::Process& process) { impl_->dictionaries.add_process(process); }
void Writer::process_ended(uint32_t pid, uint64_t start_mono_ns) {
  impl_->dictionaries.process_ended(pid, start_mono_ns);
}
void Writer::add_function_name(uint32_t pid, uint64_t handle, std::string_view untrusted_name) {
  impl_->dictionaries.add_function_name(pid, handle, untrusted_name);
}
void Writer::add_stack(uint64_t stack_id, std::string_view ips_json, std::string_view frames_json) {
  if (!impl_->has_room(impl_->stacks.size())) return;
  impl_->stacks.push_back({stack_id, std::string(ips_json), std::string(frames_json)});
}
void Writer::add_snapshot(const hal::SystemSnapshot& snapshot) {
  if (impl_->has_room(impl_->snapshots.size())) impl_->snapshots.push_back(snapshot);
}
void Writer::add_sample(const hal::FabricSample& sample) {
  // A recording of nothing but samples has a clock, too: what is found in it has the same times live and replayed.
  if (!impl_->dictionaries.has_clock()) {
    const uint64_t mono_ns = impl_->clock.mono_ns();
    impl_->dictionaries.clock(mono_ns, static_cast<int64_t>(impl_->clock.wall_ns() - mono_ns));
  }
  impl_->samples.add(sample, impl_->losses);
}
void Writer::add_sample(const hal::DeviceSample& sample) { impl_->samples.add(sample, impl_->losses); }
void Writer::add_device_error(const hal::DeviceError& error) { impl_->samples.add(error, impl_->losses); }
void Writer::add_chain(const hal::CausalChain& chain) {
  if (impl_->has_room(impl_->chains.size())) impl_->chains.push_back(chain);
}
void Writer::add_annotation(Annotation annotation) {
  // What waits for a disk that does not take it is bounded.
  if (impl_->annotations.size() >= Impl::kMaxAnnotations) {
    impl_->losses.add(hal::Loss::annotation_dropped);
    return;
  }
  impl_->annotations.push_back(std::move(annotation));
}
void Writer::add_lost_calls(const hal::LostCalls& lost) {
  if (impl_->has_room(impl_->lost_calls.size())) impl_->lost_calls.push_back(lost);
}
void Writer::add_throttling(const hal::Throttling& throttling) {
  if (impl_->has_room(impl_->throttlings.size())) impl_->throttlings.push_back(throttling);
}
void Writer::add_memory_limit(const hal::MemoryLimit& limit) {
  if (impl_->has_room(impl_->memory_limits.size())) impl_->memory_limits.push_back(limit);
}
void Writer::add_disk_use(const hal::DiskUse& use) {
  if (impl_->has_room(impl_->disk_uses.size())) impl_->disk_uses.push_back(use);
}
void Writer::add_io_limit(const hal::IoLimit& limit) {
  if (impl_->has_room(impl_->io_limits.size())) impl_->io_limits.push_back(limit);
}
void Writer::add_affinity(const hal::Affinity& affinity) {
  if (impl_->has_room(impl_->affinities.size())) impl_->affinities.push_back(affinity);
}

void Writer::add_communicator(const hal::Communicator& communicator) {
  if (!impl_->has_room(impl_->collectives.waiting())) return;
  impl_->collectives.add(communicator, impl_->dictionaries.process(communicator.pid));
}
void Writer::add_wait(const hal::BarrierWait& wait) {
  if (impl_->has_room(impl_->collectives.waiting())) impl_->collectives.add(wait);
}
void Writer::add_hang(const hal::CollectiveHang& hang) {
  if (impl_->has_room(impl_->collectives.waiting())) impl_->collectives.add(hang);
}
bool Writer::has_single_stepped() const { return impl_->dictionaries.has_single_stepped(); }
void Writer::set_single_step(uint64_t ns) { impl_->single_step_ns = ns; }
void Writer::set_probe_cost(uint64_t ns) { impl_->probe_ns = ns; }
void Writer::add_step(const InferenceStep& step) { impl_->inference.add(step, impl_->losses); }
void Writer::add_workload(InferenceWorkload workload) {
  const int64_t process = impl_->dictionaries.process(workload.pid);
  impl_->inference.add(std::move(workload), process);
}
void Writer::add_model_server(InferenceModelServer server) {
  const int64_t process = impl_->dictionaries.process(server.pid);
  impl_->inference.add(std::move(server), process);
}
void Writer::add_model_server_metric(ModelServerMetric metric) {
  impl_->inference.add(std::move(metric), impl_->losses);
}

Status Writer::write(std::span<const hal::Event> events) {
  if (impl_->closed) return Error(Errc::kInvalid, impl_->options.path + ": the recording is closed");
  Status status;
  for (const hal::Event& event : events) {
    impl_->take(event);
    status = impl_->commit_if_full();
  }
  return status;
}

Status Writer::write_tcp(const hal::Event& event, const hal::TcpDetail& detail) {
  const int64_t seq = impl_->next_seq();
  const size_t before = impl_->batch.size();
  if (impl_->closed) return Error(Errc::kInvalid, impl_->options.path + ": the recording is closed");
  impl_->take(event);
  if (impl_->batch.size() > before) impl_->tcp.emplace_back(seq, detail);
  return impl_->commit_if_full();
}

Status Writer::write_exchange(const hal::Event& event, const hal::Exchange& exchange) {
  if (impl_->closed) return Error(Errc::kInvalid, impl_->options.path + ": the recording is closed");
  const auto known = impl_->in_flight.find({event.tid, event.start_mono_ns});
  const bool has_row = known != impl_->in_flight.end();
  const int64_t seq = has_row ? known->second.seq : impl_->next_seq();
  const size_t before = impl_->batch.size();
  impl_->take(event);
  if (has_row || impl_->batch.size() > before) impl_->collectives.add(seq, event.call, exchange);
  return impl_->commit_if_full();
}

Status Writer::write_wait(const hal::Event& event, const hal::Wait& wait) {
  if (impl_->closed) return Error(Errc::kInvalid, impl_->options.path + ": the recording is closed");
  const int64_t seq = impl_->next_seq();
  const size_t before = impl_->batch.size();
  impl_->take(event);
  if (impl_->batch.size() > before) impl_->waits.add(seq, wait);
  return impl_->commit_if_full();
}

void Writer::add_totals(const hal::WaitTotals& totals) {
  if (!impl_->has_room(impl_->waits.waiting())) return;
  impl_->waits.add(impl_->next_seq() - 1, impl_->thread_of(totals.pid, totals.tid), totals);
}
void Writer::add_sample(const hal::CpuSample& sample, int64_t wall_offset_ns) {
  if (!impl_->has_room(impl_->waits.waiting())) return;
  const ClockEntry& clock = impl_->dictionaries.clock(sample.mono_ns, wall_offset_ns);
  impl_->waits.add({impl_->next_seq() - 1, impl_->thread_of(sample.pid, sample.tid), clock.id,
                    static_cast<int64_t>(sample.mono_ns - clock.mono_ns), clipped(sample.weight_ns),
                    sample.stack_id != 0 ? impl_->dictionaries.stack(sample.stack_id) : -1, sample.is_system});
}
void Writer::add_object(const hal::WaitObject& object) {
  if (impl_->has_room(impl_->waits.waiting())) impl_->waits.add(object);
}

void Writer::add_cause(StoredCause cause) { impl_->budget.add(std::move(cause), impl_->losses); }
void Writer::add_step_times(const StoredStep& step) {
  impl_->budget.add(step, impl_->dictionaries.process(step.pid), impl_->losses);
}
void Writer::add_second_times(const StoredSecond& second) {
  impl_->budget.add(second, impl_->dictionaries.process(second.pid), impl_->losses);
}
void Writer::add_share(const StoredShare& share) {
  impl_->budget.add(share, impl_->dictionaries.process(share.pid), impl_->losses);
}

void Writer::set_watermark(uint64_t wall_ns) { impl_->watermark_wall_ns = wall_ns; }
Status Writer::flush() { return impl_->closed ? Status() : impl_->commit(false); }
Status Writer::checkpoint() { return impl_->closed ? Status() : impl_->keep_in_one_file(); }
Result<bool> Writer::maintain() { return impl_->closed ? Result<bool>(false) : impl_->maintain(); }
Status Writer::close() {
  if (!impl_ || impl_->closed) return {};
  impl_->closed = true;
  return impl_->finish();
}

uint64_t Writer::rows_committed() const { return impl_->rows_committed; }
uint64_t Writer::file_bytes() const { return size_of(impl_->options.path) + size_of(impl_->options.path + "-wal"); }

}  // namespace ingero::store
