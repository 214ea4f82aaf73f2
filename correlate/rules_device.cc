// The device shared: waits for it grew when another process began to submit work.
#include <algorithm>

#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {
namespace {

// Where the devices of one are not known: they may.
bool may_share_a_device(const ProcessState& one, const ProcessState& other) {
  if (one.devices.empty() || other.devices.empty()) return true;
  return std::any_of(one.devices.begin(), one.devices.end(),
                     [&](uint32_t device) { return std::ranges::find(other.devices, device) != other.devices.end(); });
}

}  // namespace

bool has_longer_waits(uint64_t mean_ns, uint64_t usual_ns) {
  return usual_ns != 0 && mean_ns * 100 >= usual_ns * (100 + rule(RuleId::device_contention).share);
}

void evaluate_device(const Evaluation& seen, Findings& findings) {
  const Rule& its = rule(RuleId::device_contention);
  if (seen.now.syncs.calls == 0 || seen.process.newcomers.empty()) return;
  const uint64_t mean = seen.sum.syncs.ns / std::max<uint64_t>(1, seen.sum.syncs.calls);
  const ProcessState* other = nullptr;
  ProcessState::Newcomer came;
  for (const auto& [pid, one] : seen.by_pid) {
    const auto newcomer = std::find_if(seen.process.newcomers.begin(), seen.process.newcomers.end(),
                                       [&](const auto& known) { return known.key == one->key; });
    if (newcomer == seen.process.newcomers.end() || !newcomer->has_cost) continue;
    if (one->last_submit_ns / kWindowNs + kTrailing < seen.window || !may_share_a_device(seen.process, *one)) continue;
    if (other != nullptr && other->facts.pid < pid) continue;
    other = one;
    came = *newcomer;
  }
  if (other == nullptr || !has_longer_waits(mean, came.usual_ns)) return;
  const uint64_t lost = (mean - came.usual_ns) * seen.sum.syncs.calls;
  // Sleeping for the device, not contending for a CPU; and its own work goes on.
  if (lost < its.floor_ns || seen.sum.wanted_cpu_ns() * 4 > lost || seen.sum.launches.calls < its.count) return;
  Finding finding;
  finding.rule = its.id;
  finding.lost_ns = std::min(lost, seen.span_ns);
  finding.lost_now_ns = std::min((mean - came.usual_ns) * seen.now.syncs.calls, kWindowNs);
  finding.number = other->facts.pid;
  finding.detail =
      fmt::format("a wait for the device takes {} on average, {} before {} (pid {}) began to submit work",
                  format_duration(mean), format_duration(came.usual_ns),
                  other->facts.comm.empty() ? "another process" : printable(other->facts.comm), other->facts.pid);
  finding.onset_mono_ns = std::max(came.window, seen.window + 1 - std::min(seen.window, kTrailing)) * kWindowNs;
  finding.confidence = 0.75;
  findings.push_back(std::move(finding));
}

}  // namespace ingero::correlate
