// What calls wait for inside the host: disks and locks; and segments sent again.
#include <algorithm>

#include "correlate/state.h"

namespace ingero::correlate {
namespace {

// The first of the trailing windows in which anything was lost.
template <typename Loss>
uint64_t first_loss_of(const Evaluation& seen, Loss loss) {
  uint64_t window = seen.window + 1 - seen.process.trailing.size();
  for (const ProcessWindow& one : seen.process.trailing) {
    if (loss(one) > 0) break;
    ++window;
  }
  return std::max(window * kWindowNs, seen.process.first_seen_ns);
}

}  // namespace

void evaluate_waits(const Evaluation& seen, Findings& findings) {
  const Rule& disk = rule(RuleId::block_io);
  const bool warm = seen.process.first_call_window + kTrailing <= seen.window;
  uint64_t io = warm ? seen.sum.io_ns() : seen.sum.in_calls.io_ns;
  uint64_t of_a_thread = warm ? seen.sum.thread_io_ns() : seen.sum.in_calls.io_ns / seen.sum.threads_at_once();
  Finding finding;
  finding.rule = disk.id;
  finding.lost_now_ns = warm ? seen.now.io_ns() : seen.now.in_calls.io_ns;
  if (seen.windowed) {
    io = of_a_thread = seen.sum.io_overlap_ns();
    finding.lost_now_ns = seen.now.io_overlap_ns();
    finding.grade = hal::Grade::kWindowed;
  }
  if (seen.over(of_a_thread, disk)) {
    finding.lost_ns = io;
    finding.confidence = finding.grade == hal::Grade::kWindowed             ? 0.7
                         : seen.sum.reads.calls + seen.sum.writes.calls > 0 ? 0.95
                                                                            : 0.85;
    finding.op = seen.sum.worst_io->call;
    if (seen.sum.worst_io->call != hal::kNoCall) finding.sample = *seen.sum.worst_io;
    finding.onset_mono_ns = first_loss_of(seen, [](const ProcessWindow& one) { return one.io_ns() + one.reads.calls; });
    findings.push_back(finding);
  }

  const Rule& lock = rule(RuleId::lock_wait);
  if (seen.over(seen.sum.unusual_blocked_ns, lock)) {
    Finding wait;
    wait.rule = lock.id;
    wait.lost_ns = seen.sum.unusual_blocked_ns;
    wait.lost_now_ns = seen.now.unusual_blocked_ns;
    wait.op = seen.sum.worst_blocked->call;
    if (seen.sum.worst_blocked->call != hal::kNoCall) wait.sample = *seen.sum.worst_blocked;
    wait.confidence = 0.8;
    wait.onset_mono_ns = first_loss_of(seen, [](const ProcessWindow& one) { return one.unusual_blocked_ns; });
    findings.push_back(std::move(wait));
  }

  const Rule& network = rule(RuleId::tcp_retransmits);
  if (seen.sum.retransmits >= network.count) {
    Finding loss;
    loss.rule = network.id;
    loss.number = seen.sum.retransmits;
    loss.number_now = seen.now.retransmits;
    loss.confidence = 0.9;
    loss.onset_mono_ns = first_loss_of(seen, [](const ProcessWindow& one) { return one.retransmits; });
    findings.push_back(std::move(loss));
  }
}

}  // namespace ingero::correlate
