// What the program itself does badly: draining the device for every result, tiny launches, pageable copies, cold
// starts.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {
namespace {

// Launches between two results, from which on a loop does real work between them.
constexpr uint64_t kLaunchesAResult = 4;
constexpr uint64_t kIdleSyncPercent = 2;  // less waiting than this: the device is never behind

void evaluate_cold_start(const Evaluation& j, Findings& findings) {
  const Rule& its = rule(RuleId::cold_start);
  // Of a process that has ended there is nothing more to wait for than for its last window.
  uint64_t evaluated_in = j.process.first_call_window + kColdWindows;
  if (j.process.ended_mono_ns) evaluated_in = std::min(evaluated_in, *j.process.ended_mono_ns / kWindowNs + kTrailing);
  if (j.window != evaluated_in) return;
  uint64_t excess = 0, calls = 0, worst_ns = 0;
  const Series* worst = nullptr;
  for (const Series* one : j.process.series) {
    if (one->nested || one->first_calls == 0 || one->shortest_ns == ~uint64_t{0}) continue;
    if (const CallFacts* facts = j.call(one->call); facts == nullptr || facts->synchronising) continue;
    const uint64_t usual = one->first_calls * one->shortest_ns;
    const uint64_t own = one->first_ns > usual ? one->first_ns - usual : 0;
    // Alone, a call has nothing to be compared with: all of it is the start's.
    excess += one->baseline.lifetime() == 1 ? one->first_ns : own;
    calls += one->first_calls;
    if (one->first_ns > worst_ns) {
      worst_ns = one->first_ns;
      worst = one;
    }
  }
  if (excess < its.floor_ns || calls < its.count || worst == nullptr) return;
  Finding finding;
  finding.rule = its.id;
  finding.lost_ns = excess;
  finding.number = calls;
  finding.op = worst->call;
  if (j.windowed) finding.grade = hal::Grade::kWindowed;
  finding.onset_mono_ns = std::max(j.process.first_seen_ns, j.process.first_call_window * kWindowNs);
  findings.push_back(std::move(finding));
}

// Gaps between bursts that are mostly alike: 0 when they are not.
uint64_t period_of(const std::vector<uint64_t>& gaps) {
  std::vector<uint64_t> sorted(gaps.begin(), gaps.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return 0;
  const uint64_t middle = sorted[sorted.size() / 2];
  const auto alike = std::count_if(sorted.begin(), sorted.end(),
                                   [&](uint64_t gap) { return gap * 10 >= middle * 7 && gap * 10 <= middle * 13; });
  return static_cast<size_t>(alike) * 10 >= sorted.size() * 6 ? middle : 0;
}

void evaluate_spikes(const Evaluation& j, Findings& findings) {
  const Rule& its = rule(RuleId::periodic_spike);
  for (const Series* one : j.process.series) {
    if (one->nested || one->spike_window != j.window || one->spikes < its.count || one->gaps.size() + 1 < its.count)
      continue;
    const uint64_t period = period_of(one->gaps);
    const uint64_t span = (j.window + 1) * kWindowNs - one->first_spike_ns;
    if (period == 0 || one->spike_ns < its.floor_ns || one->spike_ns * 100 < span * its.share) continue;
    Finding finding;
    finding.rule = its.id;
    finding.lost_ns = one->spike_ns;
    finding.number = one->spikes;
    finding.op = one->call;
    const CallFacts* facts = j.call(one->call);
    finding.subject = fmt::format("{}/{}", facts == nullptr ? "" : facts->op, one->size_class);
    finding.detail = fmt::format("about every {} calls, {} times so far, {} longer than usual in total", period,
                                 one->spikes, format_duration(one->spike_ns));
    finding.onset_mono_ns = one->first_spike_ns;
    finding.confidence = 0.7;
    findings.push_back(std::move(finding));
  }
}

// What each of them waits for is the work of all: by itself it would have waited for its own part, if the device could
// run the parts at the same time, which is not known here.
void evaluate_default_stream(const Evaluation& j, Findings& findings) {
  const Rule& its = rule(RuleId::shared_default_stream);
  struct Sharing {
    uint64_t threads = 0, waited_ns = 0;
    uint64_t lost_ns() const { return threads < 2 ? 0 : waited_ns / threads * (threads - 1) / threads; }
  };
  std::map<uint32_t, Sharing> of_device;
  for (const auto& [key, one] : j.sum.default_stream.all()) {
    if (one.launches < its.count || one.waited_ns * 100 < j.span_ns * its.share) continue;
    Sharing& sharing = of_device[one.device_ref];
    ++sharing.threads;
    sharing.waited_ns += one.waited_ns;
  }
  for (const auto& [device, sharing] : of_device) {
    const uint64_t lost_ns = sharing.lost_ns();
    if (lost_ns == 0 || !j.over(lost_ns, its)) continue;
    Finding finding = j.counted(its, 0.6, sharing.threads, sharing.threads, lost_ns, lost_ns / kTrailing);
    finding.subject = fmt::format("{}", device);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void evaluate_patterns(const Evaluation& j, Findings& findings) {
  evaluate_cold_start(j, findings);
  evaluate_spikes(j, findings);
  const ProcessWindow& sum = j.sum;

  const Rule& storm = rule(RuleId::sync_storm);
  const uint64_t results = std::min(sum.small_results.calls, sum.syncs.calls);
  const uint64_t draining = sum.small_results.ns + sum.syncs.ns;
  // A result that takes long, or a wait that does, waits for work.
  if (results >= storm.count && j.over(draining, storm) && sum.syncs.ns < sum.syncs.calls * kShortWaitNs &&
      sum.small_results.ns < sum.small_results.calls * kShortWaitNs &&
      sum.launches.calls + sum.graph_launches.calls <= kLaunchesAResult * results) {
    findings.push_back(j.counted(storm, 0.85, results, std::min(j.now.small_results.calls, j.now.syncs.calls), draining,
                                 j.now.small_results.ns + j.now.syncs.ns));
  }

  const Rule& bound = rule(RuleId::launch_bound);
  if (sum.launches.calls >= bound.count * kTrailing && j.over(sum.launches.ns, bound) &&
      sum.syncs.ns * 100 < j.span_ns * kIdleSyncPercent && sum.failed == 0) {
    findings.push_back(
        j.counted(bound, 0.7, sum.launches.calls, j.now.launches.calls, sum.launches.ns, j.now.launches.ns));
  }

  const Rule& slow = rule(RuleId::slow_copies);
  if (sum.copies.calls >= slow.count && j.over(sum.copies.ns, slow) && sum.failed == 0) {
    Finding finding = j.counted(slow, 0.75, sum.copies.calls, j.now.copies.calls, sum.copies.ns, j.now.copies.ns);
    finding.op = sum.worst_copy.call;
    if (sum.worst_copy.call != hal::kNoCall) finding.sample = sum.worst_copy;
    findings.push_back(std::move(finding));
  }

  evaluate_default_stream(j, findings);

  const Rule& captures = rule(RuleId::graph_recapture);
  if (sum.captures.calls >= captures.count * kTrailing && j.over(sum.captures.ns, captures)) {
    findings.push_back(
        j.counted(captures, 0.85, sum.captures.calls, j.now.captures.calls, sum.captures.ns, j.now.captures.ns));
  }
}

}  // namespace ingero::correlate
