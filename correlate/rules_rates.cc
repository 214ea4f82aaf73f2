// How much work is submitted: drops and stops, of a process and of one executable graph.
#include <algorithm>

#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {

uint64_t steady_rate(const std::vector<uint64_t>& values, size_t leave, size_t at_least) {
  if (values.size() < leave + at_least) return 0;
  std::vector<uint64_t> before(values.end() - static_cast<std::ptrdiff_t>(leave + at_least),
                               values.end() - static_cast<std::ptrdiff_t>(leave));
  std::sort(before.begin(), before.end());
  // Bursts are not a rate: even the slowest second must come near the median.
  const uint64_t middle = before[before.size() / 2];
  return before.front() * 10 >= middle * 7 ? middle : 0;
}

namespace {

constexpr uint64_t kLongestSleep = 26;  // windows; longer, and it is at rest

uint64_t most_of_last(const std::vector<uint64_t>& values, size_t count) {
  return *std::max_element(values.end() - static_cast<std::ptrdiff_t>(std::min(count, values.size())), values.end());
}

// The rate before the last `windows`, of which it is `share` percent lower. The window in which it fell holds a part of
// the usual: too much for one that is low, and too little for a usual one.
uint64_t rate_before(const std::vector<uint64_t>& values, size_t windows, uint64_t share) {
  const uint64_t before = steady_rate(values, windows, kSteady);
  if (before != 0 || windows >= values.size()) return before;
  const uint64_t usual = steady_rate(values, windows + 1, kSteady);
  const uint64_t between = values[values.size() - windows - 1];
  return between * 100 > usual * (100 - share) ? usual : 0;
}

void evaluate_graphs(const Evaluation& seen, Findings& findings) {
  const Rule& collapse = rule(RuleId::graph_rate_collapse);
  const Rule& never = rule(RuleId::graph_never_launched);
  for (const auto& [handle, graph] : seen.process.graphs) {
    if (graph.launches == 0 && graph.instantiated_mono_ns != 0 && !seen.process.ended_mono_ns &&
        graph.instantiated_mono_ns + never.floor_ns <= (seen.window + 1) * kWindowNs &&
        graph.instantiated_mono_ns + never.floor_ns + kTrailing * kWindowNs > (seen.window + 1) * kWindowNs) {
      Finding finding;
      finding.rule = never.id;
      finding.number = 1;
      finding.subject = fmt::format("0x{:x}", handle);
      finding.onset_mono_ns = graph.instantiated_mono_ns;
      finding.confidence = 0.8;
      findings.push_back(std::move(finding));
    }
    const size_t windows = collapse.floor_ns / kWindowNs;
    const uint64_t before = steady_rate(graph.rates, windows, collapse.count);
    if (before < collapse.count || graph.rates.empty()) continue;
    const uint64_t now = most_of_last(graph.rates, windows);
    // A graph replaced by others is not slow: the process as a whole must launch less.
    const uint64_t all = steady_rate(seen.process.rates, windows, collapse.count);
    const bool less_in_all = all == 0 || most_of_last(seen.process.rates, windows) * 100 < all * (100 - collapse.share);
    if (now * 100 >= before * (100 - collapse.share) || !less_in_all || seen.process.ended_mono_ns) continue;
    Finding finding;
    finding.rule = collapse.id;
    finding.number = before;
    finding.lost_ns = collapse.floor_ns;
    finding.subject = fmt::format("0x{:x}", handle);
    finding.detail = fmt::format("from {} to {} launches a second", before, now);
    finding.onset_mono_ns = (seen.window + 1 - windows) * kWindowNs;
    finding.confidence = 0.7;
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void evaluate_rates(const Evaluation& seen, Findings& findings) {
  evaluate_graphs(seen, findings);
  const Rule& contention = rule(RuleId::graph_contention);
  if (seen.sum.graph_launches.calls >= contention.count && seen.over(seen.sum.graph_lost_ns, contention)) {
    Finding finding;
    finding.rule = contention.id;
    finding.lost_ns = seen.sum.graph_lost_ns;
    finding.lost_now_ns = seen.now.graph_lost_ns;
    finding.number = seen.sum.graph_launches.calls;
    finding.op = seen.sum.worst_graph->call;
    findings.push_back(std::move(finding));
  }
  if (seen.process.ended_mono_ns || seen.process.rates.empty()) return;
  const Rule& stop = rule(RuleId::full_stop);
  const Rule& drop = rule(RuleId::rate_drop);
  const uint64_t least = stop.floor_ns / kWindowNs;
  const uint64_t silent = seen.process.pause;
  // Work that has been waited for may have been the last: the process uploads, evaluates, or has no requests. What it
  // left undone was not; and where nothing comes of it, as never for so long, that is something to look at: it sleeps,
  // or one of its threads has a CPU for itself.
  const bool is_undone = seen.process.has_undone_work();
  const bool is_silent = seen.process.asleep >= least && seen.process.pause > 2 * seen.process.longest_pause &&
                         seen.process.pause <= kLongestSleep;
  if (silent >= least && seen.process.rate_before_pause >= stop.count && (is_undone || is_silent)) {
    Finding finding;
    finding.rule = stop.id;
    finding.lost_ns = silent * kWindowNs;
    finding.lost_now_ns = kWindowNs;
    finding.number = seen.process.rate_before_pause;
    finding.confidence = 0.7;
    finding.onset_mono_ns = (seen.window + 1 - silent) * kWindowNs;
    finding.is_minor = !is_undone;
    finding.detail = is_undone
                         ? "The process still runs; it has submitted work that it has not waited for"
                         : "The process still runs; all of its work was waited for, and nothing that its threads do "
                           "since is recorded: they wait, or compute";
    findings.push_back(std::move(finding));
    return;
  }
  // Nothing in the last window: a stop, which is reported once it has lasted.
  if (silent > 0) return;
  // How long it has been low is not known: the longest stretch that came after steady work counts.
  const size_t shortest = drop.floor_ns / kWindowNs;
  for (size_t windows = shortest; windows + kSteady <= seen.process.rates.size(); ++windows) {
    const uint64_t before = rate_before(seen.process.rates, windows, drop.share);
    const uint64_t now = most_of_last(seen.process.rates, windows);
    if (before < drop.count || now == 0 || now * 100 > before * (100 - drop.share)) continue;
    // What it launched one by one it launches as graphs from there on.
    if (seen.process.first_graph_window != 0 && seen.process.first_graph_window + windows >= seen.window) continue;
    Finding finding;
    finding.rule = drop.id;
    finding.lost_ns = windows * kWindowNs * (before - now) / before;
    finding.lost_now_ns = kWindowNs * (before - now) / before;
    finding.number = before;
    finding.detail = fmt::format("from {} to {} launches and collectives a second", before, now);
    finding.confidence = 0.6;
    finding.onset_mono_ns = (seen.window + 1 - windows) * kWindowNs;
    findings.push_back(std::move(finding));
    return;
  }
}

}  // namespace ingero::correlate
