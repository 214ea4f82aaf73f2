// Looks at the calls in flight once a second, and takes the stacks of those that hang.
#include "agent/hang_watch.h"

#include <algorithm>

#include "agent/collective_watch.h"
#include "agent/device_watch.h"
#include "agent/stack_table.h"
#include "base/clock.h"
#include "base/log.h"
#include "correlate/facts.h"
#include "correlate/rules.h"
#include "kernelside/drain.h"
#include "kernelside/normalise.h"
#include "kernelside/objects.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxLookedAt = 256;    // threads, in one second
constexpr size_t kMaxInterrupted = 32;  // of them, those that run

}  // namespace

HangWatch::HangWatch(const hal::CallTable& calls) {
  for (size_t id = 0; id < calls.size(); ++id) {
    is_prompt_.push_back(correlate::make_facts(calls[static_cast<hal::CallId>(id)]).prompt);
  }
}

void HangWatch::look(const Parts& parts, std::span<const wire_call_record> open, uint64_t now_ns, uint64_t after_ns,
                     EventBatch& batch) {
  std::vector<LiveCall> found;
  std::map<hal::CallId, uint64_t> counts;
  std::set<CallKey> still;
  std::vector<CallKey> unseen;
  for (const wire_call_record& record : open) {
    LiveCall call;
    hal::Exchange exchange;
    if (!parts.normaliser.in_flight(record, call.event, exchange)) continue;
    ++counts[call.event.call];
    const CallKey key{record.call.tid, record.call.start_ns};
    if (key.second > now_ns) continue;
    const bool has_exchange = hal::has_exchange(call.event.kind);
    parts.devices.look(call.event, has_exchange ? &exchange : nullptr, batch);
    parts.collectives.in_flight(call.event, exchange);
    call.elapsed_ns = now_ns - key.second;
    // The engine evaluates a call that should not wait before it is listed, and must have it a second earlier.
    const bool is_near = is_prompt_[call.event.call] && call.elapsed_ns + kSecond >= correlate::kStuckNs;
    if (call.elapsed_ns < after_ns && !is_near) continue;
    still.insert(key);
    if (!reported_.contains(key)) {
      if (has_exchange) batch.records.exchanges.emplace_back(batch.records.events.size(), std::move(exchange));
      // What its outermost call made in turn is on the same stack.
      if (!call.event.has(hal::Has::kParent)) unseen.push_back(key);
      batch.records.events.push_back(call.event);
    }
    if (call.elapsed_ns >= after_ns) found.push_back(call);
  }
  reported_ = std::move(still);
  if (parts.stacks != nullptr) {
    take_stacks(parts, std::move(unseen), batch);
    for (LiveCall& call : found) call.stack_id = parts.stacks->hung_at(call.event.tid, call.event.start_mono_ns);
  }
  std::sort(found.begin(), found.end(),
            [](const LiveCall& a, const LiveCall& b) { return a.elapsed_ns > b.elapsed_ns; });
  const std::scoped_lock lock(mutex_);
  hanging_ = std::move(found);
  in_flight_ = std::move(counts);
}

// Takes the stacks of the threads of these calls. A sleeping thread is read as it is; a running one is interrupted.
void HangWatch::take_stacks(const Parts& parts, std::vector<CallKey> of, EventBatch& batch) {
  of.resize(std::min(of.size(), kMaxLookedAt));
  if (of.empty()) return;
  for (const auto& [tid, start_ns] : of) {
    if (const Status taken = parts.objects.take_waiting_stack(tid); !taken.ok()) log_info("{}", taken.error().text());
  }
  parts.stacks->take(parts.drain, batch);
  std::vector<uint32_t> running;
  for (const auto& [tid, start_ns] : of) {
    const bool is_seen = parts.stacks->hung_at(tid, start_ns).has_value();
    if (!is_seen && running.size() < kMaxInterrupted) running.push_back(tid);
  }
  if (running.empty()) return;
  if (const Status taken = parts.objects.take_running_stacks(running); !taken.ok()) {
    log_info("{}", taken.error().text());
  }
  parts.stacks->take(parts.drain, batch);
}

std::vector<LiveCall> HangWatch::hanging() const {
  const std::scoped_lock lock(mutex_);
  return hanging_;
}

std::map<hal::CallId, uint64_t> HangWatch::in_flight() const {
  const std::scoped_lock lock(mutex_);
  return in_flight_;
}

}  // namespace ingero::agent
