// Each parcel is written in the order in which it was captured, with what belongs to its events beside them.
#include "cli/store_thread.h"

#include <algorithm>
#include <chrono>
#include <span>

#include <malloc.h>

namespace ingero::cli {

using namespace std::chrono_literals;

// What a burst of processes needed lies between what is kept, so the allocator gives none of it back by itself. Looking
// for it takes a millisecond for 50 MB.
constexpr auto kTrimEvery = 5s;

StoreThread::~StoreThread() {
  if (thread_.joinable()) thread_.join();
}

Status StoreThread::open(const store::WriterOptions& options, const Clock& clock,
                         std::function<void(const correlate::Chain&)> on_chain) {
  auto opened = store::Writer::open(options, calls_, ledger_, clock);
  INGERO_TRY(opened);
  writer_ = std::move(*opened);
  feed_ = std::make_unique<EngineFeed>(calls_, ledger_);
  feed_->set_listener(std::move(on_chain));
  return {};
}

void StoreThread::start(kernelside::Tracer& tracer, StoreGuest* guest) {
  tracer_ = &tracer;
  guest_ = guest;
  thread_ = std::thread([this] { run(); });
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
  if (work_.size() >= kMostWork) return false;
  work_.push_back(std::move(work));
  return true;
}

bool StoreThread::with_engine(std::function<void(correlate::Engine&)> work) {
  return with_writer([this, work = std::move(work)](store::Writer&) { work(feed_->engine()); });
}

std::string StoreThread::trouble() const {
  const std::scoped_lock lock(mutex_);
  return trouble_;
}

void StoreThread::note(const Status& status) {
  const std::scoped_lock lock(mutex_);
  trouble_ = status.ok() ? "" : status.error().text();
}

void StoreThread::note_size() {
  stored_.store(writer_->rows_committed(), std::memory_order_relaxed);
  file_bytes_.store(writer_->file_bytes(), std::memory_order_relaxed);
}

void StoreThread::write(const Parcel& parcel) {
  Status status;
  for (const auto& site : tracer_->take_sites()) writer_->add_site(site.index, site.site);
  for (const auto& process : parcel.processes) writer_->add_process(process);
  for (const auto& name : parcel.names) writer_->add_function_name(name.pid, name.handle, name.untrusted_name);
  for (const auto& snapshot : parcel.snapshots) writer_->add_snapshot(snapshot);
  for (const auto& [ref, device] : parcel.devices) writer_->add_device(ref, device);
  const std::span<const hal::Event> events(parcel.records.events);
  for (const auto& communicator : parcel.communicators) writer_->add_communicator(communicator);
  // Runs of plain events, between those that have more beside them.
  auto tcp = parcel.records.tcp.begin();
  auto exchange = parcel.records.exchanges.begin();
  for (size_t from = 0; from < events.size();) {
    const size_t next_tcp = tcp == parcel.records.tcp.end() ? events.size() : tcp->first;
    const size_t next_exchange = exchange == parcel.records.exchanges.end() ? events.size() : exchange->first;
    const size_t next = std::min(next_tcp, next_exchange);
    if (next > from) status = writer_->write(events.subspan(from, next - from));
    if (next == events.size()) break;
    status = next == next_tcp ? writer_->write_tcp(events[next], (tcp++)->second.detail)
                              : writer_->write_exchange(events[next], (exchange++)->second);
    from = next + 1;
  }
  for (const auto& wait : parcel.waits) writer_->add_wait(wait);
  for (const auto& hang : parcel.hangs) writer_->add_hang(hang);
  for (const auto& stack : parcel.stacks) writer_->add_stack(stack.id, "", stack.frames_json);
  for (const auto& one : parcel.throttlings) writer_->add_throttling(one);
  for (const auto& [pid, start_mono_ns] : parcel.ended) writer_->process_ended(pid, start_mono_ns);
  feed_->take(parcel);
  if (parcel.complete_mono_ns != 0) {
    writer_->set_complete(parcel.complete_mono_ns + static_cast<uint64_t>(parcel.wall_offset_ns));
  }
  feed_->write(*writer_);
  if (guest_ != nullptr) guest_->take(parcel, *tracer_, *writer_, ledger_);
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

void StoreThread::run() {
  pthread_setname_np(pthread_self(), "ingero-store");
  auto next_flush = std::chrono::steady_clock::now() + 100ms;
  auto next_trim = next_flush + kTrimEvery;
  while (!queue_.finished()) {
    auto parcel = queue_.pop(100ms);
    if (parcel) {
      if (writer_) write(*parcel);
      queue_.recycle(std::move(parcel));
    }
    if (const auto now = std::chrono::steady_clock::now(); now >= next_trim) {
      next_trim = now + kTrimEvery;
      malloc_trim(0);
    }
    if (!writer_ || std::chrono::steady_clock::now() < next_flush) continue;
    next_flush = std::chrono::steady_clock::now() + 100ms;
    do_work();
    if (const Status flushed = writer_->flush(); !flushed.ok()) note(flushed);
    (void)writer_->maintain().ok();
    note_size();
  }
  if (!writer_) return;
  do_work();
  feed_->finish(*writer_);
  if (guest_ != nullptr) guest_->finish(*writer_);
}

}  // namespace ingero::cli
