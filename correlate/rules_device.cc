// The device shared: waits for it grew when another process began to submit work.
#include <algorithm>

#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {

void evaluate_device(const Evaluation& seen, Findings& findings) {
  const Rule& its = rule(RuleId::device_contention);
  const auto& means = seen.process.sync_means;
  if (means.size() < its.count + kTrailing || seen.now.syncs.calls == 0) return;
  // Its usual wait: the middle of what came before the trailing windows.
  std::vector<uint64_t> before(means.begin(), means.end() - static_cast<std::ptrdiff_t>(kTrailing));
  std::sort(before.begin(), before.end());
  const uint64_t usual = before[before.size() / 2];
  const uint64_t mean = seen.sum.syncs.ns / std::max<uint64_t>(1, seen.sum.syncs.calls);
  if (usual == 0 || mean * 100 < usual * (100 + its.share)) return;
  const uint64_t lost = (mean - usual) * seen.sum.syncs.calls;
  // Sleeping for the device, not contending for a CPU; and its own work goes on.
  if (lost < its.floor_ns || seen.sum.wanted_cpu_ns() * 4 > lost || seen.sum.launches.calls < its.count) return;
  const ProcessState* other = nullptr;
  for (const auto& [pid, one] : seen.by_pid) {
    if (one == &seen.process || one->last_submit_ns / kWindowNs + kTrailing < seen.window) continue;
    if (one->first_call_window + kTrailing < seen.process.first_call_window + its.count)
      continue;  // was there from the start
    if (other == nullptr || pid < other->facts.pid) other = one;
  }
  if (other == nullptr) return;
  Finding finding;
  finding.rule = its.id;
  finding.lost_ns = std::min(lost, seen.span_ns);
  finding.lost_now_ns = std::min((mean - usual) * seen.now.syncs.calls, kWindowNs);
  finding.number = other->facts.pid;
  finding.detail =
      fmt::format("a wait for the device takes {} on average, {} before {} (pid {}) began to submit work",
                  format_duration(mean), format_duration(usual),
                  other->facts.comm.empty() ? "another process" : printable(other->facts.comm), other->facts.pid);
  finding.onset_mono_ns = std::max(other->first_call_window, seen.process.first_call_window) * kWindowNs;
  finding.confidence = 0.75;
  findings.push_back(std::move(finding));
}

}  // namespace ingero::correlate
