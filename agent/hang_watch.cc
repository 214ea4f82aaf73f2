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
constexpr int kRounds = 4;              // of looking at those whose stack could not be had, of 6 ms each

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

// Takes the stacks of the threads of these calls. A thread that has no CPU is read as it is; one that runs is
// interrupted. One that was running and then had to give its CPU to others is neither for as long as the timer is on:
// it is looked at again.
void HangWatch::take_stacks(const Parts& parts, std::vector<CallKey> of, EventBatch& batch) {
  of.resize(std::min(of.size(), kMaxLookedAt));
  const auto take = [&] {
    parts.stacks->take(parts.drain, batch);
    std::erase_if(of, [&](const CallKey& call) { return parts.stacks->hung_at(call.first, call.second).has_value(); });
  };
  for (int round = 0; round < kRounds && !of.empty(); ++round) {
    for (const auto& [tid, start_ns] : of) {
      if (const Status taken = parts.objects.take_waiting_stack(tid); !taken.ok()) log_info("{}", taken.error().text());
    }
    take();
    std::vector<uint32_t> running;
    for (const auto& [tid, start_ns] : of) {
      if (running.size() < kMaxInterrupted) running.push_back(tid);
    }
    if (running.empty()) return;
    if (const Status taken = parts.objects.take_running_stacks(running); !taken.ok()) {
      log_info("{}", taken.error().text());
    }
    take();
  }
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
