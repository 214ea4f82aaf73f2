// Turns what the budget engine emits into rows.
#include "agent/budget_feed.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include "base/text.h"

namespace ingero::agent {
namespace {

store::StoredTimes times_of(const correlate::TimeSums& sums) {
  store::StoredTimes times;
  for (size_t i = 0; i < hal::kTimeClasses; ++i) {
    times.classes[i] = {sums.classes[i].ns, sums.classes[i].low, sums.classes[i].high};
  }
  times.idle_low = sums.idle_low;
  times.idle_high = sums.idle_high;
  times.syncs = sums.syncs;
  times.submissions = sums.submissions;
  return times;
}

}  // namespace

BudgetFeed::BudgetFeed(const hal::CallTable& calls, hal::LossLedger& ledger) : budget_(ledger), summary_(ledger) {
  for (size_t id = 0; id < calls.size(); ++id) {
    budget_.set_call(static_cast<hal::CallId>(id), correlate::make_facts(calls[static_cast<hal::CallId>(id)]));
  }
}

void BudgetFeed::add(const hal::Event& event) {
  wall_offset_ns_ = event.wall_offset_ns;
  budget_.add(event);
}

// Causes only grow, so those behind the last one written are new.
void BudgetFeed::write_causes(store::Writer& writer) {
  const auto& causes = budget_.blame().causes();
  const auto& roles = budget_.blame().roles();
  for (; causes_written_ < causes.size(); ++causes_written_) {
    const correlate::Cause& cause = causes[causes_written_];
    store::StoredCause row;
    row.id = causes_written_ + 1;
    row.parent = cause.parent;
    row.is = cause.is;
    row.stack_hash = cause.stack_id;
    row.is_write = cause.is_write;
    row.object = correlate::peer_text(cause.peer);
    if (cause.role < roles.size()) {
      row.role = printable(roles[cause.role].comm, 64);
      for (const uint32_t pid : roles[cause.role].pids)
        row.pids += fmt::format("{}{}", row.pids.empty() ? "" : ",", pid);
    }
    writer.add_cause(std::move(row));
  }
}

void BudgetFeed::write_step(const correlate::BudgetStep& step, store::Writer& writer) {
  const auto classified = summary_.add(step, budget_.blame());
  if (listener_ != nullptr) listener_->hear(step, classified.is_slow);
  if (step_rows_.size() >= kMaxCounted) step_rows_.clear();
  uint32_t& rows = step_rows_[{step.pid, step.end_ns / correlate::Budget::kWindowNs}];
  if (!classified.is_slow && rows >= kMaxStepRows) return;
  ++rows;
  store::StoredStep row;
  row.pid = step.pid;
  row.tid = step.tid;
  row.number = step.number;
  row.start_wall_ns = wall_of(step.start_ns);
  row.start_mono_ns = step.start_ns;
  row.duration_ns = step.length_ns();
  row.content = step.content;
  row.is_usual = classified.is_usual;
  row.is_slow = classified.is_slow;
  if (classified.slow) {
    row.usual_ns = classified.slow->usual_ns;
    row.slow_class = classified.slow->is;
    row.more_ns = classified.slow->more_ns;
    if (!classified.slow->causes.empty()) row.cause = classified.slow->causes.front().cause;
  }
  row.times = times_of(step.sums);
  writer.add_step_times(row);
  if (!classified.is_slow) return;
  for (const correlate::CauseShare& share : step.sums.causes) {
    writer.add_share({step.pid, step.tid, wall_of(step.start_ns), step.number, share.cause, share.times, share.ns,
                      share.low, share.high});
  }
}

void BudgetFeed::write(store::Writer& writer) {
  const auto steps = budget_.take_steps();
  const auto seconds = budget_.take_seconds();
  if (steps.empty() && seconds.empty()) return;
  write_causes(writer);
  for (const correlate::BudgetStep& step : steps) write_step(step, writer);
  for (const correlate::BudgetSecond& second : seconds) {
    summary_.add(second);
    if (listener_ != nullptr) listener_->hear(second);
    const uint64_t start_ns = second.second * correlate::Budget::kWindowNs;
    writer.add_second_times({second.pid, second.tid, wall_of(start_ns), start_ns, times_of(second.sums)});
    for (const correlate::CauseShare& share : second.sums.causes) {
      writer.add_share({second.pid, second.tid, wall_of(start_ns), std::nullopt, share.cause, share.times, share.ns,
                        share.low, share.high});
    }
  }
}

void BudgetFeed::finish(store::Writer& writer) {
  budget_.finish();
  write(writer);
}

}  // namespace ingero::agent
