// Folds each step into the baseline of its workload and classifies it, so that a slow step is one that is slow for it.
#include "correlate/workloads.h"

#include <algorithm>

#include "base/hash.h"

namespace ingero::correlate {

size_t Workloads::KeyHash::operator()(const Key& key) const {
  const auto& [pid, cgroup, stream, phase, functions] = key;
  return static_cast<size_t>(Fnv1a()
                                 .add(uint64_t{pid})
                                 .add(cgroup)
                                 .add(stream.value_or(~uint64_t{0}))
                                 .add(static_cast<uint64_t>(phase))
                                 .add(functions)
                                 .value());
}

Workloads::Kept& Workloads::find(const InferenceStep& step, Phase phase) {
  const Key key{step.pid, step.cgroup_id, step.stream, phase, options_.by_functions ? step.functions : 0};
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) {
    order_.splice(order_.begin(), order_, known->second);
    return order_.front();
  }
  if (order_.size() >= kMaxWorkloads) {  // (B3)
    Kept& oldest = order_.back();
    if (oldest.is_changed) forgotten_.push_back(oldest.shown);
    by_key_.erase(oldest.key);
    order_.pop_back();
    ledger_.add(hal::Loss::step_forgotten);
  }
  Kept& made = order_.emplace_front();
  made.key = key;
  made.shown.id = ++last_id_;
  made.shown.pid = step.pid;
  made.shown.cgroup_id = step.cgroup_id;
  made.shown.stream = step.stream;
  made.shown.phase = phase;
  if (options_.by_functions) made.shown.functions = step.functions;
  made.shown.first_mono_ns = step.start_mono_ns;
  made.shown.wall_offset_ns = step.wall_offset_ns;
  by_key_.emplace(key, order_.begin());
  return made;
}

ClassifiedStep Workloads::evaluate(const InferenceStep& step) {
  ClassifiedStep evaluated;
  evaluated.step = step;
  if (options_.has_phases) evaluated.phase = phase_of(step.inputs(), options_.phases);
  Kept& kept = find(step, evaluated.phase);
  Workload& workload = kept.shown;
  kept.is_changed = true;
  evaluated.workload = workload.id;
  const uint64_t ns = step.duration_ns();
  if (workload.healthy >= options_.warm && workload.p95_ns > 0) {  // (B2) the step itself is added below
    evaluated.mean_ns = static_cast<uint64_t>(workload.mean_ns);
    evaluated.p95_ns = workload.p95_ns;
    const double ratio = static_cast<double>(ns) / static_cast<double>(workload.p95_ns);
    evaluated.slow = ratio >= options_.slow_ratio ? Slow::kThrice
                     : ratio >= 2.0               ? Slow::kTwice
                     : ratio >= 1.5               ? Slow::kHalfMore
                                                  : Slow::kNo;
  }
  workload.last_mono_ns = std::max(workload.last_mono_ns, step.end_mono_ns);
  workload.min_ns = workload.steps == 0 ? ns : std::min(workload.min_ns, ns);
  workload.max_ns = std::max(workload.max_ns, ns);
  ++workload.steps;
  workload.total_ns += ns;
  workload.idle_ns += step.idle_ns;
  workload.launches += step.launches;
  workload.graph_launches += step.graph_launches;
  workload.copied_bytes += step.copied_bytes;
  uint64_t& of_class = workload.by_slowness[static_cast<size_t>(evaluated.slow)];
  if (evaluated.slow != Slow::kNo) {  // (B1)
    ++of_class;
    if (++kept.slow_in_a_row < std::max<uint64_t>(options_.warm, 1)) return evaluated;
    ++workload.relearned;
    workload.healthy = 0;
    workload.baseline = Baseline();
    kept.slow_in_a_row = 0;
    return evaluated;
  }
  if (of_class++ % options_.keep_every != 0) {
    evaluated.weight = 0;
  } else {
    evaluated.weight = options_.keep_every;
  }
  kept.slow_in_a_row = 0;
  workload.mean_ns = workload.healthy == 0 ? static_cast<double>(ns)
                                           : workload.mean_ns + kAlpha * (static_cast<double>(ns) - workload.mean_ns);
  ++workload.healthy;
  workload.baseline.add(ns);
  workload.p95_ns = std::min(workload.baseline.percentile(95), workload.max_ns);  // a bin's middle may lie beyond
  return evaluated;
}

std::vector<Workload> Workloads::take_changes() {
  std::vector<Workload> changes = std::exchange(forgotten_, {});
  for (Kept& kept : order_) {
    if (std::exchange(kept.is_changed, false)) changes.push_back(kept.shown);
  }
  std::sort(changes.begin(), changes.end(),
            [](const Workload& one, const Workload& other) { return one.id < other.id; });
  return changes;
}

}  // namespace ingero::correlate
