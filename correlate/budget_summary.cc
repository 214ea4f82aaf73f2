// Usual steps, slow ones, and what limits the program.
#include "correlate/budget_summary.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "base/text.h"
#include "correlate/median.h"
#include "correlate/rules.h"

namespace ingero::correlate {
namespace {

constexpr uint64_t kSlowNs = 1'000'000;
constexpr size_t kWarmSteps = 4;         // with fewer, nothing is usual
constexpr double kCountedError = 0.05;   // of a device's own count: a device that has always work counts 96 %
constexpr uint32_t kMuch = 8;            // a part of what the busiest thread submits
constexpr uint64_t kSeldomPercent = 10;  // of the time of all steps
constexpr uint64_t kSlowPercent = 1;     // of the time: what all slow steps took more than usual ones

// The commonest distance of three or more slow steps, if all steps have about as many as that makes.
std::optional<uint64_t> period_of(const std::vector<std::pair<uint64_t, uint8_t>>& slow, TimeClass is,
                                  uint64_t slow_steps, uint64_t steps) {
  std::vector<uint64_t> numbers;
  for (const auto& [number, its] : slow) {
    if (its == static_cast<uint8_t>(is)) numbers.push_back(number);
  }
  if (numbers.size() < 3) return std::nullopt;
  std::map<uint64_t, size_t> distances;
  for (size_t i = 1; i < numbers.size(); ++i) ++distances[numbers[i] - numbers[i - 1]];
  const auto commonest = std::max_element(distances.begin(), distances.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
  if (commonest->second * 2 < numbers.size() - 1 || commonest->second < 2) return std::nullopt;
  const uint64_t period = commonest->first, covered = period * slow_steps;
  if (period < 2 || covered * 2 < steps || covered > steps * 2) return std::nullopt;
  return period;
}

// Of what the step lost in one class; most first.
std::vector<CauseShare> causes_of(const BudgetStep& step, TimeClass is, const Blame& blame) {
  std::vector<CauseShare> causes;
  for (const CauseShare& share : step.sums.causes) {
    uint32_t root = share.cause;
    while (blame.cause(root).parent != 0) root = blame.cause(root).parent;
    if (blame.cause(root).is == is && share.high > 0) causes.push_back(share);
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const CauseShare& a, const CauseShare& b) { return a.high > b.high; });
  return causes;
}

// What it took more is not recorded: it may be several steps.
bool is_of_lost_records(const BudgetStep& step, const SlowStep& slow) {
  return slow.is == TimeClass::kUnknown && step.sums.copy_or_wait_ns * 2 <= step.sums.of(TimeClass::kUnknown).ns;
}

// It waited for work that other steps do not have.
bool is_of_more_work(const SlowStep& slow) {
  return slow.has_other_content && (slow.is == TimeClass::kDeviceWait || slow.is == TimeClass::kCommunication);
}

// Of some of the samples: what a part of them, in percent, does not exceed.
uint64_t percentile(std::span<const StepSample> samples, uint64_t StepSample::*of, size_t percent) {
  std::vector<uint64_t> values(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) values[i] = samples[i].*of;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, values.size() * percent / 100)];
}

// From some step on nearly all of these steps of the same content waited for the device longer than nearly all before,
// and took longer for it.
std::optional<LongerWaits> longer_waits_of(std::span<const StepSample> samples) {
  constexpr size_t kEnough = 12, kNearlyAll = 90;  // steps on either side; percent of them
  constexpr uint64_t kLongerPercent = 25;
  std::optional<LongerWaits> found;
  uint64_t widest_ns = 0, all_ns = 0;
  for (const StepSample& one : samples) all_ns += one.length_ns;
  for (size_t at = kEnough; at + kEnough <= samples.size(); ++at) {
    const auto before = samples.first(at), after = samples.subspan(at);
    const uint64_t highest = percentile(before, &StepSample::device_ns, kNearlyAll);
    const uint64_t lowest = percentile(after, &StepSample::device_ns, 100 - kNearlyAll);
    if (lowest <= highest + widest_ns) continue;  // it began where the two are farthest apart
    const uint64_t was = percentile(before, &StepSample::device_ns, 50);
    const uint64_t is = percentile(after, &StepSample::device_ns, 50), more = is - was;
    if (more < kSlowNs || more * 100 < was * kLongerPercent) continue;
    // Otherwise it did something else before while the device worked.
    const uint64_t length = percentile(before, &StepSample::length_ns, 50);
    if (percentile(after, &StepSample::length_ns, 50) < length + more / 2) continue;
    widest_ns = lowest - highest;
    found = LongerWaits{samples[at].start_ns, was, is,
                        static_cast<double>(more * after.size()) / static_cast<double>(std::max<uint64_t>(1, all_ns))};
  }
  return found;
}

// Surely, and of the same time.
bool loses_more(const TimeSums& one, const TimeSums& other) {
  const auto share = [](const TimeSums& sums) {
    return static_cast<double>(sums.lost_low()) / static_cast<double>(std::max<uint64_t>(1, sums.total_ns()));
  };
  return share(one) > share(other);
}

}  // namespace

// Every n-th step, so that they are of the whole series.
void BudgetSummary::Series::sample(const BudgetStep& step) {
  if (evaluated.steps % every != 0) return;
  samples.push_back({step.start_ns, step.length_ns(), step.sums.of(TimeClass::kDeviceWait).ns});
  if (samples.size() < 2 * kKept) return;
  for (size_t i = 0; i < kKept; ++i) samples[i] = samples[2 * i + 1];
  samples.resize(kKept);
  every *= 2;
}

// In which class it took most more than the steps of that content before it.
void BudgetSummary::Series::note_excess(const BudgetStep& step, uint64_t content, SlowStep& slow) const {
  for (size_t i = 0; i < kTimeClasses; ++i) {
    std::vector<uint64_t> times;
    for (const Kept& one : kept) {
      if (one.content == content) times.push_back(one.ns[i]);
    }
    const bool may_be_clients = is_wait(static_cast<TimeClass>(i));
    const uint64_t usual = median(std::move(times)) + (may_be_clients ? step.sums.clients_ns : 0);
    const uint64_t its = step.sums.classes[i].ns, more = its - std::min(its, usual);
    if (more <= slow.more_ns) continue;
    slow.more_ns = more;
    slow.is = static_cast<TimeClass>(i);
  }
  slow.more_ns = std::min(slow.more_ns, slow.length_ns - slow.usual_ns);  // other classes may have had less than usual
}

uint64_t BudgetSummary::Series::usual_ns() const {
  return samples.empty() ? 0 : percentile(samples, &StepSample::length_ns, 50);
}

const BudgetSummary::Series& BudgetSummary::Process::longest() const {
  if (before.evaluated.steps < kEnoughSteps) return series;
  return series.evaluated.steps < kEnoughSteps || before.span_ns() > series.span_ns() ? before : series;
}

BudgetSummary::Series& BudgetSummary::Process::series_of(const BudgetStep& step) {
  if (series.number != step.series) {
    if (series.span_ns() >= before.span_ns()) before = std::move(series);
    series = Series();
    series.number = step.series;
  }
  ++series.steps;
  series.tid = step.tid;
  series.anchor = step.anchor;
  series.all_ns += step.length_ns();
  series.device_waits_ns += step.sums.of(TimeClass::kDeviceWait).ns;
  if (series.first_ns == 0) series.first_ns = step.start_ns;
  series.last_ns = step.end_ns;
  return series;
}

// Of those that submit much, who waits for the device most; then who submits most.
uint32_t BudgetSummary::Process::submitter() const {
  uint32_t most = 0;
  for (const auto& [tid, thread] : threads) most = std::max(most, thread.whole.submissions);
  uint32_t found = series.tid;
  std::pair<uint32_t, uint32_t> best;
  for (const auto& [tid, thread] : threads) {
    const TimeSums& its = thread.whole;
    const std::pair<uint32_t, uint32_t> rank(its.syncs, its.submissions);
    if (its.submissions == 0 || its.submissions * kMuch < most || rank < best) continue;
    best = rank;
    found = tid;
  }
  return found;
}

BudgetSummary::Process* BudgetSummary::process_of(uint32_t pid) {
  const auto known = processes_.find(pid);
  if (known != processes_.end()) return &known->second;
  if (processes_.size() < kMaxProcesses) return &processes_[pid];
  ledger_.add(hal::Loss::budget_forgotten);  // (M2)
  return nullptr;
}

BudgetSummary::Classified BudgetSummary::add(const BudgetStep& step, const Blame& blame) {
  Classified result;
  Process* process = process_of(step.pid);
  if (process == nullptr) return result;
  Series& series = process->series_of(step);
  if (const auto thread = process->threads.find(step.tid); thread != process->threads.end()) {
    thread->second.after_steps = TimeSums();
  }
  Kept kept{step.length_ns(), step.content, {}};
  for (size_t i = 0; i < kTimeClasses; ++i) kept.ns[i] = step.sums.classes[i].ns;

  std::map<uint64_t, size_t> contents;
  for (const Kept& one : series.kept) ++contents[one.content];
  ++contents[step.content];
  const auto commonest = std::max_element(contents.begin(), contents.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool is_same = step.content == commonest->first;
  std::vector<uint64_t> lengths;
  for (const Kept& one : series.kept) {
    if (one.content == commonest->first) lengths.push_back(one.length_ns);
  }
  result.is_warm_up = lengths.size() < kWarmSteps;
  const uint64_t usual = median(lengths);
  for (uint64_t& one : lengths) one = one > usual ? one - usual : usual - one;
  const uint64_t limit = usual + std::max({usual / 5, 5 * median(lengths), kSlowNs});
  // To have no work is not to be slow, and not usual either.
  const uint64_t worked_ns = step.length_ns() - std::min(step.length_ns(), step.sums.clients_ns);
  result.is_slow = !result.is_warm_up && worked_ns > limit;
  result.is_usual = is_same && step.length_ns() <= limit && !result.is_warm_up;
  SlowStep slow{step.number, step.start_ns, worked_ns, usual, TimeClass::kUnknown, 0, {}, !is_same};
  if (result.is_slow) {
    series.note_excess(step, commonest->first, slow);
    result.is_slow = !is_of_lost_records(step, slow) && !is_of_more_work(slow);
  }
  if (result.is_slow) {
    slow.causes = causes_of(step, slow.is, blame);
    ++series.slow_steps;
    series.slow_more_ns += worked_ns - usual;
    series.slow_numbers.emplace_back(step.number, static_cast<uint8_t>(slow.is));
    if (series.slow_numbers.size() > kMaxSlow * 8) series.slow_numbers.erase(series.slow_numbers.begin());
    series.slow.push_back(slow);
    std::stable_sort(series.slow.begin(), series.slow.end(), [](const SlowStep& a, const SlowStep& b) {
      return a.length_ns - a.usual_ns > b.length_ns - b.usual_ns;
    });
    if (series.slow.size() > kMaxSlow) series.slow.pop_back();  // (M2)
    result.slow = slow;
  } else if (!is_same) {
    ++series.other_steps;
  }
  if (is_same) series.with_slow.add(step);
  if (is_same || result.is_slow) series.with_all_slow.add(step);
  if (result.is_usual) {
    series.evaluated.add(step);
    if (process->first_ns == 0 && series.evaluated.steps >= kEnoughSteps) process->first_ns = series.first_ns;
    series.sample(step);
  }
  series.kept.push_back(kept);
  if (series.kept.size() > kKept) series.kept.pop_front();
  return result;
}

void BudgetSummary::add(const BudgetSecond& second) {
  Process* process = process_of(second.pid);
  if (process == nullptr) return;
  if (process->threads.size() >= kMaxProcesses && !process->threads.contains(second.tid)) {
    return ledger_.add(hal::Loss::budget_forgotten);
  }
  Thread& thread = process->threads[second.tid];
  if (thread.seconds == 0) thread.first_second = second.second;
  const uint64_t seconds = std::max<uint64_t>(1, (second.sums.total_ns() + Budget::kWindowNs - 1) / Budget::kWindowNs);
  thread.seconds += seconds;
  thread.last_second = second.second + seconds - 1;
  thread.whole.add(second.sums);  // (M1)
  if (second.second * Budget::kWindowNs >= process->series.last_ns) thread.after_steps.add(second.sums);
  thread.last_ns = second.second * Budget::kWindowNs + second.sums.total_ns();
  if (second.second < thread.first_second + kWarmSeconds) return;
  const uint32_t busiest = std::exchange(thread.busiest, std::max(thread.busiest, second.sums.submissions));
  if (thread.warm_seconds > 0 && second.sums.submissions > kBegins * busiest) {  // in the midst of this second
    thread.warm = TimeSums();
    thread.warm_seconds = 0;
    return;
  }
  if (thread.warm_seconds == 0) thread.warm_second = second.second;
  thread.warm_seconds += seconds;
  thread.warm.add(second.sums);
}

void BudgetSummary::add_device_sample(const hal::DeviceSample& sample, uint64_t mono_ns) {
  std::optional<double> idle;
  for (const hal::Device& device : sample.devices) {
    const auto busy = device.value_of(hal::ReadingId::busy_ratio);
    if (!busy) {
      idle.reset();
      break;
    }
    idle = std::min(idle.value_or(1), 1 - *busy);
  }
  if (idle && last_sample_ns_ != 0 && last_sample_ns_ < mono_ns) {
    counted_.push_back({last_sample_ns_, mono_ns, *idle});
    if (counted_.size() > kMaxCounted) counted_.pop_front();
  }
  last_sample_ns_ = mono_ns;
}

// At least, as the devices count it: as in the intervals within these times, where those are half of them. Of one that
// is only partly within, the rest may have had all it can.
uint64_t BudgetSummary::idle_between(uint64_t from_ns, uint64_t to_ns) const {
  double known_ns = 0, idle_ns = 0, least_ns = 0;
  for (const Counted& one : counted_) {
    if (one.from_ns >= to_ns || one.to_ns <= from_ns) continue;
    const auto length_ns = static_cast<double>(one.to_ns - one.from_ns);
    const auto within_ns = static_cast<double>(std::min(one.to_ns, to_ns) - std::max(one.from_ns, from_ns));
    least_ns += std::max(0.0, (one.idle - kCountedError) * length_ns - (length_ns - within_ns));
    if (within_ns < length_ns) continue;
    known_ns += length_ns;
    idle_ns += (one.idle - kCountedError) * length_ns;
  }
  const auto span_ns = static_cast<double>(to_ns - from_ns);
  if (known_ns * 2 >= span_ns && known_ns > 0) least_ns = std::max(least_ns, idle_ns / known_ns * span_ns);
  return static_cast<uint64_t>(least_ns);
}

void tighten(TimeSums& sums, uint64_t idle_ns) {
  const uint64_t most = sums.lost_high();
  const uint64_t least = std::min({idle_ns, most, sums.idle_high});
  for (ClassTime& one : sums.classes) {
    const uint64_t others = most - one.high;
    if (least > others) one.low = std::max(one.low, std::min(one.high, least - others));
  }
  sums.idle_low = std::max(sums.idle_low, least);
}

void CpuCost::add(const TimeSums& whole) {
  const uint64_t total = std::max<uint64_t>(1, whole.total_ns());
  const auto percent = [&](uint64_t part) { return part * 100 / total; };
  waits = std::max(waits, percent(whole.of(TimeClass::kCpuWait).high));
  all = std::max(all, percent(whole.lost_high()));
  low_ns += whole.of(TimeClass::kCpuWait).low;
  high_ns += whole.of(TimeClass::kCpuWait).high;
  total_ns = std::max(total_ns, total);
}

void CpuCost::hold(hal::CausalChain& chain) const {
  const bool is_of_waits = is_of_cpu_alone(chain.rule) && chain.rule != rule(RuleId::cgroup_throttling).name;
  if (!is_of_waits || chain.lost_ns.value_or(0) <= high_ns + high_ns / 10) return;
  const std::string most = format_duration(high_ns);
  chain.summary += fmt::format("; {} of that delayed its device", low_ns == 0 ? "at most " + most
                                                                  : high_ns <= low_ns + low_ns / 10
                                                                      ? most
                                                                      : format_duration(low_ns) + " to " + most);
  chain.lost_ns = low_ns;
  const bool is_high = low_ns * 100 >= total_ns * kHighShare;
  if (!is_high && chain.severity == name_of(hal::ChainSeverity::kHigh)) {
    chain.severity = name_of(hal::ChainSeverity::kMedium);
  }
}

bool CpuCost::is_harmless(std::string_view rule_name) const {
  if (!is_of_cpu_alone(rule_name)) return false;
  return (rule_name == rule(RuleId::cgroup_throttling).name ? all : waits) < kEnterPercent;
}

CpuCost BudgetSummary::Process::cpu_cost() const {
  CpuCost cost;
  for (const auto& [tid, thread] : threads) cost.add(thread.whole);
  return cost;
}

Together BudgetSummary::Process::together(uint32_t tid, const TimeSums& evaluated) const {
  uint32_t most = 0;
  for (const auto& [number, thread] : threads) most = std::max(most, thread.whole.submissions);
  Together sum;
  for (const auto& [number, thread] : threads) {
    const TimeSums& its = number == tid ? evaluated : thread.evaluated();
    const uint64_t total = its.total_ns();
    if (total == 0 || most == 0 || (number != tid && thread.whole.submissions * kMuch < most)) continue;
    ++sum.threads;
    sum.low += static_cast<double>(its.lost_low()) / static_cast<double>(total);
    sum.high += static_cast<double>(its.lost_high()) / static_cast<double>(total);
  }
  sum.low = std::min(sum.low, 1.0);  // their seconds are not the same ones
  sum.high = std::min(std::max(sum.low, sum.high), 1.0);
  return sum;
}

std::optional<CpuCost> BudgetSummary::cpu_cost_of(uint32_t pid) const {
  const auto process = processes_.find(pid);
  if (process == processes_.end() || process->second.longest().evaluated.steps < kEnoughSteps) return std::nullopt;
  return process->second.cpu_cost();
}

void BudgetSummary::decide(const Series& series, const Blame& blame, ProcessBudget& budget) {
  budget.result = evaluate(budget.evaluated, blame);
  // It waits for the device seldom, as to print a loss, but then for long: the device had work all the time.
  const TimeSums& usual = series.evaluated.sums;
  if (budget.steps != 0 && budget.result.why == NotKnown::kNobodyWaits &&
      usual.of(TimeClass::kDeviceWait).ns * 100 < kEnterPercent * usual.total_ns() &&
      series.device_waits_ns * 100 >= kSeldomPercent * series.all_ns) {
    budget.result = LimitResult();
    budget.result.limit = Limit::kDeviceBound;
  }
  // Slow steps decide where they cost much, and more than what usual steps lose.
  const uint64_t usual_loss = std::max(budget.result.low_ns, budget.result.high_ns);
  const bool is_costly = series.slow_more_ns * 100 >= kEnterPercent * series.span_ns();
  if (budget.steps != 0 && is_costly && (!is_accusation(budget.result.limit) || series.slow_more_ns > usual_loss)) {
    for (const Evaluated* more : {&series.with_slow, &series.with_all_slow}) {
      if (!is_accusation(evaluate(*more, blame).limit)) continue;
      if (budget.is_of_slow && !loses_more(more->sums, budget.evaluated.sums)) continue;
      budget.evaluated = *more;
      budget.evaluated.counts_sleep = true;  // something else is lost as well: it had work
      budget.result = evaluate(budget.evaluated, blame);
      budget.is_of_slow = true;
    }
  }
  // Where it had no work, to sleep now and then costs nothing: whether it had is not known.
  const uint64_t slept = series.with_slow.sums.of(TimeClass::kSleep).low, all = series.with_slow.sums.total_ns();
  if (budget.steps != 0 && is_costly && !budget.is_of_slow && slept * 100 >= kEnterPercent * all) {
    budget.slept_percent = static_cast<uint32_t>(slept * 100 / std::max<uint64_t>(1, all));
  }
  // That the device became slower cost more: the rest is what else there is to see.
  const uint64_t total = std::max<uint64_t>(1, budget.evaluated.sums.total_ns());
  if (budget.longer_waits && is_accusation(budget.result.limit) &&
      budget.longer_waits->share > static_cast<double>(budget.result.low_ns) / static_cast<double>(total)) {
    budget.evaluated = series.evaluated;
    budget.evaluated.counts_sleep = true;
    budget.result = LimitResult();
    budget.result.limit = Limit::kDeviceBound;
    budget.is_of_slow = false;
  }
  // A stop is in no usual step.
  const uint64_t stopped = budget.whole.of(TimeClass::kStopped).ns;
  if (stopped * 100 >= kEnterPercent * budget.whole.total_ns() && stopped > 0) {
    budget.result = LimitResult();
    budget.result.limit = Limit::kStopped;
    budget.is_of_slow = budget.steps != 0 && series.with_slow.sums.of(TimeClass::kStopped).ns * 2 >= stopped;
    if (budget.is_of_slow) budget.evaluated = series.with_slow;
    budget.result.low_ns = budget.whole.of(TimeClass::kStopped).low;
    budget.result.high_ns = stopped;
    budget.result.is_high = stopped * 100 >= kHighPercent * budget.whole.total_ns();
  }
}

std::vector<ProcessBudget> BudgetSummary::results(const Blame& blame) const {
  std::vector<ProcessBudget> out;
  for (const auto& [pid, process] : processes_) {
    const Series& series = process.longest();
    ProcessBudget budget;
    budget.pid = pid;
    budget.steps = series.evaluated.steps >= kEnoughSteps ? series.steps : 0;
    budget.tid = series.tid;
    if (budget.steps == 0) budget.tid = process.submitter();
    const auto thread = process.threads.find(budget.tid);
    if (thread == process.threads.end()) continue;
    budget.whole = thread->second.whole;
    budget.cpu_cost = process.cpu_cost();
    if (budget.steps != 0) {
      budget.start_ns = series.first_ns;
      budget.first_step_ns = process.first_ns;
      budget.end_ns = series.last_ns;
      budget.usual_ns = series.usual_ns();
      budget.longer_waits = longer_waits_of(series.samples);
      budget.found_by = series.anchor;
      budget.after_steps = thread->second.after_steps;
      budget.evaluated = series.evaluated;
      budget.evaluated.counts_sleep = true;
      budget.slow_steps = series.slow_steps;
      budget.slow_more_ns = series.slow_more_ns;
      budget.other_steps = series.other_steps;
      // A step that was slow once and cost nothing in all answers nothing; its row is kept (step_rows).
      if (series.slow_more_ns * 100 >= kSlowPercent * series.span_ns()) budget.slow = series.slow;
      if (!budget.slow.empty()) {
        budget.every = period_of(series.slow_numbers, budget.slow.front().is, series.slow_steps, series.steps);
      }
    } else {
      const Thread& its = thread->second;
      const bool is_long = its.is_warm();
      budget.evaluated.sums = its.evaluated();
      budget.evaluated.seconds = is_long ? its.warm_seconds : its.seconds;
      budget.start_ns = (is_long ? its.warm_second : its.first_second) * Budget::kWindowNs;
      budget.end_ns = (thread->second.last_second + 1) * Budget::kWindowNs;
    }
    // What is not evaluated, as evaluations and checkpoints, may have had all of it.
    const uint64_t end_ns = budget.steps != 0 ? budget.end_ns : std::max(budget.start_ns, thread->second.last_ns);
    const uint64_t span_ns = end_ns - budget.start_ns, evaluated_ns = budget.evaluated.sums.total_ns();
    const uint64_t others_ns = span_ns - std::min(span_ns, evaluated_ns);
    const uint64_t idle_ns = idle_between(budget.start_ns, end_ns);
    tighten(budget.evaluated.sums, idle_ns - std::min(idle_ns, others_ns));
    budget.together = process.together(budget.tid, budget.evaluated.sums);
    decide(series, blame, budget);
    out.push_back(std::move(budget));
  }
  std::stable_sort(out.begin(), out.end(), [](const ProcessBudget& a, const ProcessBudget& b) {
    const bool one = is_accusation(a.result.limit), other = is_accusation(b.result.limit);
    if (one != other) return one;
    return a.whole.lost_low() > b.whole.lost_low();
  });
  return out;
}

}  // namespace ingero::correlate
