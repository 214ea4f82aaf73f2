// Memory: churn and growth on the device, pages of the host, and calls that fail.
#include <algorithm>

#include "correlate/state.h"

namespace ingero::correlate {
namespace {

void evaluate_growth(const Evaluation& seen, Findings& findings) {
  const Rule& its = rule(RuleId::memory_growth);
  const auto& growth = seen.process.growth;
  const auto& rates = seen.process.rates;
  if (growth.size() < its.count || rates.size() < its.count) return;
  // Every one of the last windows added, while it worked: loading a model adds too, but hardly launches. And each as
  // much as the others (it began within the first): a cache that fills adds ever less.
  int64_t sum = 0, least = INT64_MAX, most = 0;
  for (size_t i = growth.size() - its.count; i < growth.size(); ++i) {
    if (growth[i] <= 0) return;
    sum += growth[i];
    if (i > growth.size() - its.count) least = std::min(least, growth[i]);
    most = std::max(most, growth[i]);
  }
  if (least < most / 4) return;
  for (size_t i = rates.size() - its.count; i < rates.size(); ++i) {
    if (rates[i] < kLeastLaunches) return;
  }
  if (sum < static_cast<int64_t>(kGrowthBytes)) return;
  Finding finding = seen.counted(its, 0.75, static_cast<uint64_t>(sum), static_cast<uint64_t>(growth.back()));
  finding.onset_mono_ns = (seen.window + 1 - its.count) * kWindowNs;
  if (const Places::Place* place = seen.sum.places.most()) {
    finding.op = place->largest.call;
    finding.sample = place->largest;
  }
  findings.push_back(std::move(finding));
}

}  // namespace

void evaluate_memory(const Evaluation& seen, Findings& findings) {
  evaluate_growth(seen, findings);
  const ProcessWindow& sum = seen.sum;

  const Rule& churn = rule(RuleId::allocation_churn);
  const uint64_t pairs = std::min(sum.allocations.calls, sum.frees.calls);
  const uint64_t spent = sum.allocations.ns + sum.frees.ns;
  if (pairs >= churn.count * kTrailing && seen.over(spent, churn) && sum.failed == 0) {
    findings.push_back(seen.counted(churn, 0.8, pairs, std::min(seen.now.allocations.calls, seen.now.frees.calls),
                                    spent, seen.now.allocations.ns + seen.now.frees.ns));
  }

  const Rule& failing = rule(RuleId::failing_calls);
  if (sum.failed >= failing.count && sum.failed * 100 >= sum.calls * failing.share) {
    Finding finding = seen.counted(failing, 1, sum.failed, seen.now.failed);
    finding.op = sum.first_failed->call;
    if (sum.first_failed->call != hal::kNoCall) {
      finding.sample = *sum.first_failed;
      finding.onset_mono_ns = sum.first_failed->start_mono_ns;
    }
    findings.push_back(std::move(finding));
  }

  const Rule& pages = rule(RuleId::page_allocation_storm);
  uint64_t storms = 0;
  for (const ProcessWindow& one : seen.process.trailing) {
    storms += one.page_bytes >= kPagesPerSecond || one.page_allocs >= kAllocationsPerSecond ? 1 : 0;
  }
  if (storms >= pages.count) findings.push_back(seen.counted(pages, 0.6, sum.page_bytes, seen.now.page_bytes));
}

}  // namespace ingero::correlate
