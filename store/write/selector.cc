// Decides for each finished event whether it becomes a row, so that a busy machine stores what explains a slowdown.
#include "store/write/selector.h"

namespace ingero::store {

bool Selector::always_kept(const hal::Event& event) const {
  using hal::HostOp;
  using hal::Kind;
  if (event.outcome != hal::Outcome::kReturned || event.failed) return true;
  if (event.kind == Kind::kSync || (calls_[event.call].flags & hal::kSynchronising) != 0) return true;
  if (event.kind == Kind::kCommunicator || event.kind == Kind::kCollective || event.kind == Kind::kP2p) return true;
  if (const auto op = calls_.host_op(event.call)) {
    return *op == HostOp::kOomKill || *op == HostOp::kExec || *op == HostOp::kExit || *op == HostOp::kFork ||
           *op == HostOp::kTcpRetransmit;
  }
  return false;
}

Selector::Decision Selector::decide(const hal::Event& event) {
  State& state = states_[event.call];
  bool slow = false;
  if (event.has(hal::Has::kDuration)) {
    const uint64_t seen = state.histogram.total();
    slow = seen < kWarmUp || event.duration_ns >= state.slow_ns;
    state.histogram.add(event.duration_ns);
    if (seen + 1 == kWarmUp || (seen + 1) % kRefreshEvery == 0) {
      // Above the bucket of the p99, so that a call whose durations are all equal is not always slow.
      const uint64_t p99 = state.histogram.percentile(0.99);
      state.slow_ns = p99 + p99 / 64 + 1;
    }
  }
  if (slow || always_kept(event)) return Decision::kKeep;
  if (state.passed_over++ % every_ == 0) return every_ == 1 ? Decision::kKeep : Decision::kKeepAsSample;
  return Decision::kThin;
}

}  // namespace ingero::store
