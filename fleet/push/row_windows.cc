// Puts what a recording says of each moment back in order, and feeds it to correlate/: see row_windows.h.
#include "fleet/push/row_windows.h"

#include <algorithm>
#include <array>
#include <span>

#include "hal/bounded.h"

namespace ingero::fleet::push {

using correlate::RankWindows;
using hal::Outcome;

namespace {

std::pair<std::string, std::string> name_of(std::string_view vendor, std::string_view layer, std::string_view name) {
  return {fmt::format("{}\n{}", vendor, layer), std::string(name)};
}

}  // namespace

RowWindows::RowWindows(const hal::CallTable& calls, Give give) : calls_(calls), give_(std::move(give)) {
  for (size_t id = 0; id < calls_.size(); ++id) {
    const auto& call = calls_[static_cast<hal::CallId>(id)];
    by_name_.emplace(name_of(call.vendor, call.layer, call.name), static_cast<hal::CallId>(id));
  }
}

void RowWindows::call(hal::CallId id, const ingero::store::ReplayedCall& call) {
  const auto found = by_name_.find(name_of(call.vendor, call.layer, call.name));
  if (found != by_name_.end()) of_recorded_[id] = found->second;
}

hal::CallId RowWindows::known(hal::CallId recorded) const {
  const auto found = of_recorded_.find(recorded);
  return found == of_recorded_.end() ? hal::kNoCall : found->second;
}

void RowWindows::run(const ingero::store::FollowedRun& run) {
  if (!node_.empty() && node_ != run.node && !other_node_) other_node_ = run.node;
  if (node_.empty()) node_ = run.node;
  is_running_ = true;
  is_sampled_out_ = run.is_sampled_out;
  of_recorded_.clear();
  windows_.emplace(calls_, ledger_);
  barriers_.emplace(calls_, ledger_);
  wall_offset_ns_ = 0;
  reached_wall_ns_ = run.started_wall_ns;
  next_end_wall_ns_ = 0;
  starts_.clear();
  ends_.clear();
  ended_.clear();
  due_.clear();
  losses_.clear();
  deferred_.clear();
  states_.clear();
  if (run.started_wall_ns > 0) advance(run.started_wall_ns);
}

void RowWindows::process(const hal::Process& process) {
  if (!is_running_) return;
  if (starts_.size() >= kMaxProcesses) {
    ledger_.add(hal::Loss::fleet_forgotten, starts_.size());
    starts_.clear();
  }
  starts_[process.pid] = process.start_mono_ns;
  windows_->know(process);
}

void RowWindows::communicator(const hal::Communicator& communicator) {
  if (!is_running_) return;
  hal::Communicator alive = communicator;
  alive.ended_mono_ns.reset();
  due_.emplace(communicator.made_mono_ns, alive);
  if (communicator.ended_mono_ns) due_.emplace(*communicator.ended_mono_ns + 1, communicator);
}

void RowWindows::lost(uint32_t pid, uint64_t wall_ns) {
  if (!is_running_) return;
  if (hal::has_room(losses_, kMaxLosses, hal::Loss::fleet_forgotten, ledger_)) losses_.emplace(wall_ns, pid);
}

void RowWindows::event_device(uint32_t ref, const hal::EventDevice& device) {
  if (hal::has_room(devices_, kMaxDevices, hal::Loss::fleet_forgotten, ledger_)) devices_.insert_or_assign(ref, device);
}

void RowWindows::devices(const hal::DeviceSample& sample) {
  if (is_running_) states_.take(sample.devices.front().vendor, sample);
}

void RowWindows::gap() {
  if (is_running_) losses_.emplace(reached_wall_ns_, 0);
}

void RowWindows::exchange(const hal::Event& recorded, const hal::Exchange* exchange, bool was_open) {
  if (!is_running_) return;
  hal::Event event = recorded;
  event.call = known(recorded.call);
  if (event.has(hal::Has::kParent)) event.parent_call = known(recorded.parent_call);
  const bool is_open = event.outcome >= Outcome::kInFlight;
  const uint64_t end_wall_ns = event.start_wall_ns() + (event.has(hal::Has::kDuration) ? event.duration_ns : 0);
  const uint64_t back_ns = static_cast<uint64_t>(wall_offset_ns_) - static_cast<uint64_t>(event.wall_offset_ns);
  if (event.wall_offset_ns < wall_offset_ns_ && back_ns > 2 * RankWindows::kPeriodNs) {
    next_end_wall_ns_ = reached_wall_ns_ = 0;  // the clock was set back
  }
  wall_offset_ns_ = event.wall_offset_ns;
  // A call that hung and returned has the row of when it hung.
  const bool is_long = event.duration_ns > kLongNs && end_wall_ns > reached_wall_ns_ + kLongNs;
  const bool is_ahead = !is_open && event.has(hal::Has::kDuration) && reached_wall_ns_ != 0 &&
                        (is_long || (was_open && end_wall_ns > reached_wall_ns_));
  if (is_ahead && hal::has_room(deferred_, kMaxDeferred, hal::Loss::fleet_forgotten, ledger_)) {
    std::optional<hal::Exchange> its;
    if (exchange != nullptr) its = *exchange;
    hal::Event open = event;
    open.outcome = Outcome::kInFlight;
    open.clear(hal::Has::kDuration);
    open.duration_ns = 0;
    deferred_.emplace(event.end_mono_ns(), Call{event, std::move(its)});
    if (!was_open) feed(open, exchange);
    return;
  }
  if (!is_open) {
    reached_wall_ns_ = std::max(reached_wall_ns_, end_wall_ns);
    pass(end_wall_ns, event.end_mono_ns());
  }
  feed(event, exchange);
}

void RowWindows::pass(uint64_t wall_ns, uint64_t mono_ns) {
  release(mono_ns);
  know_communicators(mono_ns);
  while (!losses_.empty() && losses_.begin()->first <= wall_ns) {
    windows_->lost(losses_.begin()->second, losses_.begin()->first);
    losses_.erase(losses_.begin());
  }
  end_processes(mono_ns);
  if (wall_ns > kSlackNs) advance(wall_ns - kSlackNs);
}

void RowWindows::release(uint64_t mono_ns) {
  while (!deferred_.empty() && deferred_.begin()->first <= mono_ns) {
    const auto held = deferred_.extract(deferred_.begin());
    const Call& call = held.mapped();
    const uint64_t end_wall_ns = call.first.start_wall_ns() + call.first.duration_ns;
    know_communicators(held.key());
    if (end_wall_ns > kSlackNs) advance(end_wall_ns - kSlackNs);
    feed(call.first, call.second ? &*call.second : nullptr);
  }
}

// What a process leaves behind ends with it, when its last calls are there.
void RowWindows::know_communicators(uint64_t mono_ns) {
  while (!due_.empty() && due_.begin()->first <= mono_ns) {
    auto next = due_.extract(due_.begin());
    const hal::Communicator& known = next.mapped();
    const auto ended = ended_.find(known.pid);
    if (known.ended_mono_ns && ended != ended_.end() && *known.ended_mono_ns >= ended->second.mono_ns &&
        next.key() <= ended->second.mono_ns + kEndDelayNs) {
      next.key() = ended->second.mono_ns + kEndDelayNs + 1;
      due_.insert(std::move(next));
      continue;
    }
    windows_->know(known);
  }
}

void RowWindows::end_processes(uint64_t mono_ns) {
  while (!ends_.empty() && ends_.begin()->first <= mono_ns) {
    const uint32_t pid = ends_.begin()->second;
    ends_.erase(ends_.begin());
    const auto ended = ended_.find(pid);
    if (ended == ended_.end()) continue;
    windows_->process_ended(pid, ended->second.start_mono_ns);
    barriers_->process_ended(pid);
    ended_.erase(ended);
  }
}

// As a trace does while nothing happens: each window that ends is given out.
void RowWindows::advance(uint64_t wall_ns) {
  if (wall_ns < next_end_wall_ns_) return;
  if (next_end_wall_ns_ != 0 && wall_ns - next_end_wall_ns_ < kMaxIdleWindows * RankWindows::kPeriodNs) {
    for (; next_end_wall_ns_ < wall_ns; next_end_wall_ns_ += RankWindows::kPeriodNs) {
      give(windows_->advance(next_end_wall_ns_));
    }
  }
  give(windows_->advance(wall_ns));
  next_end_wall_ns_ = wall_ns - wall_ns % RankWindows::kPeriodNs + RankWindows::kPeriodNs;
}

void RowWindows::feed(const hal::Event& event, const hal::Exchange* given) {
  const bool is_known = event.call < calls_.size();
  const bool is_end = is_known && calls_.host_op(event.call) == hal::HostOp::kExit;
  if (is_end && hal::has_room(ends_, kMaxProcesses, hal::Loss::fleet_forgotten, ledger_)) {
    const auto start = starts_.find(event.pid);
    ended_[event.pid] = {event.end_mono_ns(), start == starts_.end() ? 0 : start->second};
    ends_.emplace(event.end_mono_ns() + kEndDelayNs, event.pid);
  }
  if (is_sampled_out_) {
    sampled_out_ += event.kind == hal::Kind::kCollective ? 1 : 0;
    return;
  }
  std::array<std::pair<size_t, hal::Exchange>, 1> exchanges;
  if (given != nullptr) {
    exchanges[0] = {0, *given};
    if (is_known && calls_[event.call].row != nullptr) exchanges[0].second.role = calls_[event.call].row->role;
  }
  const hal::Exchange* exchange = given == nullptr ? nullptr : &exchanges[0].second;
  std::vector<correlate::CoveredSync> syncs;
  if (is_known) {
    barriers_->take(event, exchange);
    syncs = barriers_->take_syncs();
    (void)barriers_->take_waits();
  }
  windows_->take({&event, 1}, std::span(exchanges).first(given == nullptr ? 0 : 1), syncs, event.wall_offset_ns);
}

void RowWindows::complete(uint64_t wall_ns) {
  if (!is_running_ || wall_ns <= reached_wall_ns_) return;
  pass(wall_ns, wall_ns - static_cast<uint64_t>(wall_offset_ns_));
}

void RowWindows::stopped(std::optional<uint64_t> wall_ns) {
  if (!is_running_) return;
  const uint64_t end_wall_ns = std::max(wall_ns.value_or(0), reached_wall_ns_);
  pass(end_wall_ns, end_wall_ns - static_cast<uint64_t>(wall_offset_ns_));
  release(UINT64_MAX);
  if (wall_ns) advance(end_wall_ns);
  give(windows_->finish());
  is_running_ = false;
}

void RowWindows::give(std::vector<correlate::RankWindow> windows) {
  if (windows.empty()) return;
  states_.attach(windows, [this](uint32_t ref) {
    const auto found = devices_.find(ref);
    return found == devices_.end() ? hal::EventDevice() : found->second;
  });
  give_(std::move(windows));
}

}  // namespace ingero::fleet::push
