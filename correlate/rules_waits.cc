// What calls wait for inside the host: disks and locks; and segments sent again.
#include <algorithm>

#include "correlate/state.h"

namespace ingero::correlate {
namespace {

// The first of the trailing windows in which anything was lost.
template <typename Loss>
uint64_t first_loss_of(const Evaluation& j, Loss loss) {
  uint64_t window = j.window + 1 - j.process.trailing.size();
  for (const ProcessWindow& one : j.process.trailing) {
    if (loss(one) > 0) break;
    ++window;
  }
  return std::max(window * kWindowNs, j.process.first_seen_ns);
}

}  // namespace

void evaluate_waits(const Evaluation& j, Findings& findings) {
  const Rule& disk = rule(RuleId::block_io);
  const bool warm = j.process.first_call_window + kTrailing <= j.window;
  uint64_t io = warm ? j.sum.io_ns() : j.sum.in_calls.io_ns;
  uint64_t of_a_thread = warm ? j.sum.thread_io_ns() : j.sum.in_calls.io_ns / j.sum.threads_at_once();
  Finding finding;
  finding.rule = disk.id;
  finding.lost_now_ns = warm ? j.now.io_ns() : j.now.in_calls.io_ns;
  if (j.windowed) {
    io = of_a_thread = j.sum.io_overlap_ns();
    finding.lost_now_ns = j.now.io_overlap_ns();
    finding.grade = hal::Grade::kWindowed;
  }
  if (j.over(of_a_thread, disk)) {
    finding.lost_ns = io;
    finding.confidence = finding.grade == hal::Grade::kWindowed       ? 0.7
                         : j.sum.reads.calls + j.sum.writes.calls > 0 ? 0.95
                                                                      : 0.85;
    finding.op = j.sum.worst_io.call;
    if (j.sum.worst_io.call != hal::kNoCall) finding.sample = j.sum.worst_io;
    finding.onset_mono_ns = first_loss_of(j, [](const ProcessWindow& one) { return one.io_ns() + one.reads.calls; });
    findings.push_back(finding);
  }

  const Rule& lock = rule(RuleId::lock_wait);
  if (j.over(j.sum.unusual_blocked_ns, lock)) {
    Finding wait;
    wait.rule = lock.id;
    wait.lost_ns = j.sum.unusual_blocked_ns;
    wait.lost_now_ns = j.now.unusual_blocked_ns;
    wait.op = j.sum.worst_blocked.call;
    if (j.sum.worst_blocked.call != hal::kNoCall) wait.sample = j.sum.worst_blocked;
    wait.confidence = 0.8;
    wait.onset_mono_ns = first_loss_of(j, [](const ProcessWindow& one) { return one.unusual_blocked_ns; });
    findings.push_back(std::move(wait));
  }

  const Rule& network = rule(RuleId::tcp_retransmits);
  if (j.sum.retransmits >= network.count) {
    Finding loss;
    loss.rule = network.id;
    loss.number = j.sum.retransmits;
    loss.number_now = j.now.retransmits;
    loss.confidence = 0.9;
    loss.onset_mono_ns = first_loss_of(j, [](const ProcessWindow& one) { return one.retransmits; });
    findings.push_back(std::move(loss));
  }
}

}  // namespace ingero::correlate
