// Writes batches in the order in which they were captured, each event together with the rows that belong to it.
#include "agent/store_thread.h"

#include <algorithm>
#include <chrono>
#include <span>

#include "base/log.h"
#include "kernelside/privilege.h"
#include "kernelside/single_step.h"

namespace ingero::agent {

using namespace std::chrono_literals;

constexpr int kMaintainSteps = 8;  // each gives back 8,192 rows: 650,000 a second

StoreThread::~StoreThread() {
  if (thread_.joinable()) thread_.join();
  const kernelside::Raised raised;  // removes the write-ahead log, in a folder that may be another user's
  writer_.reset();
}

Status StoreThread::open(const store::WriterOptions& options, const Clock& clock,
                         std::function<void(const hal::CausalChain&)> on_chain, BudgetListener* on_budget) {
  auto opened = store::Writer::open(options, calls_, ledger_, clock);
  INGERO_TRY(opened);
  writer_ = std::move(*opened);
  // The kernel takes a third of a second to place and remove two probes.
  single_step_ = std::async(std::launch::async, kernelside::measure_single_step_ns);
  feed_ = std::make_unique<EngineFeed>(calls_, ledger_);
  feed_->set_start(clock.mono_ns());
  feed_->set_listener(std::move(on_chain));
  feed_->set_budget_listener(on_budget);
  return {};
}

void StoreThread::wait_for_measurements() const {
  if (single_step_.valid()) single_step_.wait();
}

void StoreThread::start(StoreHook* hook) {
  hook_ = hook;
  thread_ = std::thread([this] { run(); });
}

void StoreThread::set_probe_cost(uint64_t ns) {
  if (!writer_) return;
  writer_->set_probe_cost(ns);
  feed_->set_probe_cost(ns);
}

Status StoreThread::finish() {
  if (thread_.joinable()) thread_.join();
  if (!writer_) return {};
  Status closed = writer_->close();
  note_size();
  return closed;
}

bool StoreThread::with_writer(std::function<void(store::Writer&)> work) {
  if (!writer_) return true;
  const std::scoped_lock lock(mutex_);
  if (work_.size() >= kMaxWork) return false;
  work_.push_back(std::move(work));
  return true;
}

bool StoreThread::with_feed(std::function<void(EngineFeed&)> work) {
  return with_writer([this, work = std::move(work)](store::Writer&) { work(*feed_); });
}

std::string StoreThread::last_error() const {
  const std::scoped_lock lock(mutex_);
  return last_error_;
}

void StoreThread::note(const Status& status) {
  const std::scoped_lock lock(mutex_);
  last_error_ = status.ok() ? "" : status.error().text();
}

void StoreThread::note_size() {
  const kernelside::Raised raised;  // looks into that folder
  stored_.store(writer_->rows_committed(), std::memory_order_relaxed);
  file_bytes_.store(writer_->file_bytes(), std::memory_order_relaxed);
}

void StoreThread::write(const EventBatch& batch) {
  Status status;  // the first error
  const auto keep = [&status](Status one) {
    if (status.ok()) status = std::move(one);
  };
  for (const auto& probe : batch.probes) writer_->add_probe(probe.index, probe.probe);
  for (const auto& process : batch.processes) writer_->add_process(process);
  for (const auto& name : batch.names) writer_->add_function_name(name.pid, name.handle, name.untrusted_name);
  for (const auto& snapshot : batch.snapshots) writer_->add_snapshot(snapshot);
  for (const auto& [ref, device] : batch.devices) writer_->add_device(ref, device);
  const std::span<const hal::Event> events(batch.records.events);
  for (const auto& communicator : batch.communicators) writer_->add_communicator(communicator);
  // Writes runs of plain events at once, and between them, one by one, those that carry TCP data, an exchange or a
  // wait.
  auto tcp = batch.records.tcp.begin();
  auto exchange = batch.records.exchanges.begin();
  auto wait = batch.records.waits.begin();
  for (size_t from = 0; from < events.size();) {
    const size_t next_tcp = tcp == batch.records.tcp.end() ? events.size() : tcp->first;
    const size_t next_exchange = exchange == batch.records.exchanges.end() ? events.size() : exchange->first;
    const size_t next_wait = wait == batch.records.waits.end() ? events.size() : wait->first;
    const size_t next = std::min({next_tcp, next_exchange, next_wait});
    if (next > from) keep(writer_->write(events.subspan(from, next - from)));
    if (next == events.size()) break;
    if (next == next_tcp) {
      keep(writer_->write_tcp(events[next], (tcp++)->second.detail));
    } else if (next == next_exchange) {
      keep(writer_->write_exchange(events[next], (exchange++)->second));
    } else {
      keep(writer_->write_wait(events[next], (wait++)->second));
    }
    from = next + 1;
  }
  for (const auto& totals : batch.wait_totals) writer_->add_totals(totals);
  for (const auto& sample : batch.records.samples) writer_->add_sample(sample, batch.wall_offset_ns);
  for (const auto& object : batch.objects) writer_->add_object(object);
  for (const auto& wait : batch.barrier_waits) writer_->add_wait(wait);
  for (const auto& hang : batch.hangs) writer_->add_hang(hang);
  for (const auto& stack : batch.stacks) writer_->add_stack(stack.id, "", stack.frames_json);
  for (const auto& one : batch.throttlings) writer_->add_throttling(one);
  for (const auto& one : batch.memory_limits) writer_->add_memory_limit(one);
  for (const auto& one : batch.disk_uses) writer_->add_disk_use(one);
  for (const auto& one : batch.io_limits) writer_->add_io_limit(one);
  for (const auto& one : batch.affinities) writer_->add_affinity(one);
  for (const auto& one : batch.lost_calls) writer_->add_lost_calls(one);
  for (const auto& [pid, start_mono_ns] : batch.ended) writer_->process_ended(pid, start_mono_ns);
  feed_->take(batch);
  if (batch.watermark_mono_ns != 0) {
    writer_->set_watermark(batch.watermark_mono_ns + static_cast<uint64_t>(batch.wall_offset_ns));
  }
  feed_->write(*writer_);
  if (hook_ != nullptr) hook_->take(batch, *writer_, ledger_);
  note(status);
}

void StoreThread::do_work() {
  std::vector<std::function<void(store::Writer&)>> now;
  {
    const std::scoped_lock lock(mutex_);
    now.swap(work_);
  }
  for (const auto& one : now) one(*writer_);
}

void StoreThread::note_single_step() {
  if (single_step_known_ || !writer_->has_single_stepped()) return;
  single_step_known_ = true;
  if (const auto measured = single_step_.get(); measured.ok()) {
    writer_->set_single_step(*measured);
  } else {
    log_warning("the cost of a single step is not known: {}", measured.error().text());
  }
}

void StoreThread::run() {
  pthread_setname_np(pthread_self(), "ingero-store");
  auto next_flush = std::chrono::steady_clock::now() + 100ms;
  while (!queue_.finished()) {
    auto batch = queue_.pop(100ms);
    if (batch) {
      if (writer_) write(*batch);
      queue_.recycle(std::move(batch));
    }
    if (!writer_ || std::chrono::steady_clock::now() < next_flush) continue;
    next_flush = std::chrono::steady_clock::now() + 100ms;
    do_work();
    note_single_step();
    if (const Status flushed = writer_->flush(); !flushed.ok()) note(flushed);
    for (int step = 0; step < kMaintainSteps; ++step) {  // as fast as rows come in
      if (const Result<bool> more = writer_->maintain(); !more.ok() || !*more) break;
    }
    note_size();
  }
  if (!writer_) return;
  do_work();
  note_single_step();
  feed_->finish(*writer_);
  if (hook_ != nullptr) hook_->finish(*writer_);
}

}  // namespace ingero::agent
