// What the program itself does badly: draining the device for every result, tiny launches, pageable copies, cold
// starts.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {
namespace {

void evaluate_cold_start(const Evaluation& seen, Findings& findings) {
  const Rule& its = rule(RuleId::cold_start);
  // Of a process that has ended there is nothing more to wait for than for its last window.
  uint64_t evaluated_in = seen.process.first_call_window + kColdWindows;
  if (seen.process.ended_mono_ns)
    evaluated_in = std::min(evaluated_in, *seen.process.ended_mono_ns / kWindowNs + kTrailing);
  if (seen.window != evaluated_in) return;
  uint64_t excess = 0, calls = 0, worst_ns = 0;
  const Series* worst = nullptr;
  for (const Series* one : seen.process.series) {
    if (one->nested || one->first_calls == 0 || one->shortest_ns == ~uint64_t{0}) continue;
    if (const CallFacts* facts = seen.call(one->call); facts == nullptr || facts->synchronising) continue;
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
  if (seen.windowed) finding.grade = hal::Grade::kWindowed;
  finding.onset_mono_ns = std::max(seen.process.first_seen_ns, seen.process.first_call_window * kWindowNs);
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

void evaluate_spikes(const Evaluation& seen, Findings& findings) {
  const Rule& its = rule(RuleId::periodic_spike);
  for (const Series* one : seen.process.series) {
    if (one->nested || one->spike_window != seen.window || one->spikes < its.count || one->gaps.size() + 1 < its.count)
      continue;
    const uint64_t period = period_of(one->gaps);
    const uint64_t span = (seen.window + 1) * kWindowNs - one->first_spike_ns;
    if (period == 0 || one->spike_ns < its.floor_ns || one->spike_ns * 100 < span * its.share) continue;
    Finding finding;
    finding.rule = its.id;
    finding.lost_ns = one->spike_ns;
    finding.number = one->spikes;
    finding.number_now = 1;  // at least: it goes on
    finding.op = one->call;
    const CallFacts* facts = seen.call(one->call);
    // A launch that takes long waits for room in its queue, which the device makes.
    if (facts != nullptr && facts->prompt) continue;
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
void evaluate_default_stream(const Evaluation& seen, Findings& findings) {
  const Rule& its = rule(RuleId::shared_default_stream);
  struct Sharing {
    uint64_t threads = 0, waited_ns = 0;
    uint64_t lost_ns() const { return threads < 2 ? 0 : waited_ns / threads * (threads - 1) / threads; }
  };
  std::map<uint32_t, Sharing> of_device;
  for (const auto& [key, one] : seen.sum.default_stream.all()) {
    if (one.launches < its.count || one.waited_ns * 100 < seen.span_ns * its.share) continue;
    Sharing& sharing = of_device[one.device_ref];
    ++sharing.threads;
    sharing.waited_ns += one.waited_ns;
  }
  for (const auto& [device, sharing] : of_device) {
    const uint64_t lost_ns = sharing.lost_ns();
    if (lost_ns == 0 || !seen.over(lost_ns, its)) continue;
    Finding finding = seen.counted(its, 0.6, sharing.threads, sharing.threads, lost_ns, lost_ns / kTrailing);
    finding.subject = fmt::format("{}", device);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void evaluate_patterns(const Evaluation& seen, Findings& findings) {
  evaluate_cold_start(seen, findings);
  evaluate_spikes(seen, findings);
  const ProcessWindow& sum = seen.sum;

  const Rule& storm = rule(RuleId::sync_storm);
  const uint64_t results = std::min(sum.small_results.calls, sum.syncs.calls);
  const uint64_t draining = sum.small_results.ns + sum.syncs.ns;
  // A result that takes long, or a wait that does, waits for work.
  if (results >= storm.count && seen.over(draining, storm) && sum.syncs.ns < sum.syncs.calls * kShortWaitNs &&
      sum.small_results.ns < sum.small_results.calls * kShortWaitNs &&
      sum.launches.calls + sum.graph_launches.calls <= kLaunchesAResult * results) {
    findings.push_back(seen.counted(storm, 0.85, results, std::min(seen.now.small_results.calls, seen.now.syncs.calls),
                                    draining, seen.now.small_results.ns + seen.now.syncs.ns));
  }

  const Rule& bound = rule(RuleId::launch_bound);
  // Where nothing asks the device, launches that take longer wait for room in their queue: it does not keep up.
  const bool are_short = sum.syncs.calls >= kTrailing || sum.launches.ns < sum.launches.calls * kLongLaunchNs;
  if (sum.launches.calls >= bound.count * kTrailing && seen.over(sum.launches.ns, bound) && are_short &&
      sum.syncs.ns * 100 < seen.span_ns * kIdleSyncPercent && sum.failed == 0 && !seen.process.launches_block) {
    findings.push_back(
        seen.counted(bound, 0.7, sum.launches.calls, seen.now.launches.calls, sum.launches.ns, seen.now.launches.ns));
  }

  const Rule& slow = rule(RuleId::slow_copies);
  if (sum.copies.calls >= slow.count && seen.over(sum.copies.ns, slow) && sum.failed == 0) {
    Finding finding =
        seen.counted(slow, 0.75, sum.copies.calls, seen.now.copies.calls, sum.copies.ns, seen.now.copies.ns);
    finding.op = sum.worst_copy->call;
    if (sum.worst_copy->call != hal::kNoCall) finding.sample = *sum.worst_copy;
    findings.push_back(std::move(finding));
  }

  evaluate_default_stream(seen, findings);

  const Rule& captures = rule(RuleId::graph_recapture);
  if (sum.captures.calls >= captures.count * kTrailing && seen.over(sum.captures.ns, captures)) {
    findings.push_back(seen.counted(captures, 0.85, sum.captures.calls, seen.now.captures.calls, sum.captures.ns,
                                    seen.now.captures.ns));
  }
}

}  // namespace ingero::correlate
