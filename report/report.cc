// Gathers what `ingero explain` says: see report.h.
#include "report/report.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.h"
#include "correlate/rules.h"
#include "hal/call_table.h"
#include "report/legacy/stored_chains.h"
#include "store/read/selection_sql.h"

namespace ingero::report {
namespace {

using store::Value;

// Which codes the failed calls returned. A scan of the rows, so it has a time limit of its own.
Status gather_failures(const store::Reader& reader, const store::Selection& selection, uint64_t time_ns,
                       const VendorNames& names, Report& report) {
  const bool any = std::any_of(report.calls.begin(), report.calls.end(),
                               [](const store::CallStats& call) { return call.errors > 0; });
  if (!any) return {};
  store::Conditions conditions;
  conditions.add_events(selection);
  conditions.add("e.failed = 1");
  conditions.add("e.kind <> 'host'");  // an exit status says nothing of a call
  const std::string sql = "SELECT e.op_name, e.ret_code, count(*) FROM events e" + conditions.where() +
                          " GROUP BY 1, 2 ORDER BY 3 DESC, 1 LIMIT 10";
  store::QueryLimits limits;
  limits.time_ns = time_ns;
  const auto outcome = reader.query(
      sql, limits,
      [&](std::span<const Value> values) {
        const std::string op = values[0].as_text();
        const auto code = values[1].as_int64();
        report.failures.push_back(
            {op, code, code ? names.status(op, *code) : std::string(), static_cast<uint64_t>(values[2].integer)});
        return true;
      },
      {}, conditions.bound());
  if (!outcome.ok() && outcome.error().code() == Errc::kBusy) {
    report.failures.clear();
    report.failures_known = false;
    return {};
  }
  return outcome.ok() ? Status{} : Status{outcome.error()};
}

std::vector<ProcessTotals> totals_of(const std::vector<store::CallStats>& per_process) {
  std::map<std::pair<std::string, uint32_t>, ProcessTotals> by_pid;
  for (const store::CallStats& call : per_process) {
    if (!call.pid) continue;
    ProcessTotals& totals = by_pid[{call.node, *call.pid}];
    totals.pid = *call.pid;
    totals.node = call.node;
    if (totals.name.empty()) totals.name = call.process;
    if (is_host(call)) {
      totals.host_events += call.count + call.unfinished;
      continue;
    }
    totals.calls += call.count;
    totals.errors += call.errors;
    totals.unfinished += call.unfinished;
    totals.max_ns = std::max(totals.max_ns, call.max_ns);
  }
  std::vector<ProcessTotals> totals;
  totals.reserve(by_pid.size());
  for (auto& [pid, entry] : by_pid) totals.push_back(std::move(entry));
  std::stable_sort(totals.begin(), totals.end(), [](const ProcessTotals& a, const ProcessTotals& b) {
    return a.calls != b.calls ? a.calls > b.calls : a.host_events > b.host_events;
  });
  return totals;
}

Result<uint64_t> count_chains(const store::Reader& reader) {
  uint64_t count = 0;
  const auto outcome = reader.query("SELECT count(*) FROM causal_chains", {}, [&](std::span<const Value> values) {
    count = static_cast<uint64_t>(values[0].integer);
    return true;
  });
  if (!outcome.ok()) return outcome.error();
  return count;
}

Status gather_nodes(const store::Reader& reader, const ReportOptions& options, Report& report) {
  const auto outcome =
      reader.query("SELECT DISTINCT node FROM sessions WHERE node <> '' ORDER BY 1", {}, [&](auto values) {
        report.nodes.emplace_back(values[0].text);
        return true;
      });
  if (!outcome.ok()) return outcome.error();
  if (!is_of_several_nodes(report) || !options.clocks) return {};
  auto clocks = store::NodeClocks::load(reader, {.time_ns = options.time_ns});
  if (!clocks.ok()) return clocks.error();
  report.clocks = std::move(*clocks);
  return {};
}

Status gather_figures(const store::Reader& reader, const store::Selection& selection, const ReportOptions& options,
                      const VendorNames& names, Report& report) {
  auto both = store::summarise_both(reader, selection);
  if (!both.ok()) return both.error();
  auto& [summary, per_process] = *both;
  report.span = summary.span;
  report.events = summary.events;
  report.rows_pruned = summary.rows_pruned;
  for (store::CallStats& call : summary.calls) (is_host(call) ? report.host : report.calls).push_back(std::move(call));
  report.processes = totals_of(per_process.calls);
  if (options.per_process) report.per_process = std::move(per_process.calls);
  const auto chains = count_chains(reader);
  if (!chains.ok()) return chains.error();
  report.chains = *chains;
  if (report.whole) {
    auto devices = store::device_totals(reader);
    if (!devices.ok()) return devices.error();
    report.devices = std::move(devices).value();
  }
  return gather_failures(reader, selection, options.time_ns, names, report);
}

// The slowest calls, and those that never returned.
Status gather_single_calls(const store::Reader& reader, const store::Selection& selection, const ReportOptions& options,
                           const VendorNames& names, Report& report) {
  std::vector<store::CallInstance> ended;
  if (options.slowest > 0) {
    constexpr uint32_t kMaxEnded = 16;  // calls in which a thread ended: they are not slow, and listed elsewhere
    auto slowest = store::slowest(reader, selection, options.slowest + kMaxEnded, options.per_call);
    if (!slowest.ok()) return slowest.error();
    for (store::CallInstance& call : *slowest) {
      if (call.outcome == "exited") {
        ended.push_back(std::move(call));
      } else if (report.slowest.size() < options.slowest) {
        report.slowest.push_back(std::move(call));
      }
    }
    for (const store::CallInstance& call : report.slowest) {
      if (call.failed && call.return_code) {
        report.statuses[{call.op, *call.return_code}] = names.status(call.op, *call.return_code);
      }
    }
  }
  if (options.unfinished > 0) {
    auto unfinished = store::unfinished(reader, selection, options.unfinished);
    if (!unfinished.ok()) return unfinished.error();
    report.unfinished = std::move(unfinished).value();
    for (store::CallInstance& call : ended) {
      if (report.unfinished.size() < options.unfinished) report.unfinished.push_back(std::move(call));
    }
  }
  return {};
}

Status gather_losses(const store::Reader& reader, const ReportOptions& options, Report& report) {
  const auto runs = store::runs(reader);
  if (!runs.ok()) return runs.error();
  report.run_count = runs->size();
  report.ending = store::ending_of(reader, *runs, options.run);
  auto losses = options.run ? store::losses_of_run(reader, *options.run) : store::losses(reader);
  if (!losses.ok()) return losses.error();
  report.losses = std::move(losses).value();
  auto lost_calls = store::lost_by_process(reader, options.run);
  if (!lost_calls.ok()) return lost_calls.error();
  report.lost_calls = std::move(lost_calls).value();
  return {};
}

bool is_of_process(const ReportedChain& chain, const ProcessTime& time) {
  return time.budget.pid == chain.pid && time.node == chain.node;
}

// Of one whose steps say what it cost.
bool is_its(const ReportedChain& chain, const ProcessTime& time) {
  return time.budget.steps != 0 && is_of_process(chain, time);
}

// What the rules found, and the budget of the process knows to have cost nothing; less work where no more came.
bool is_harmless(const ReportedChain& chain, const ProcessTime& time) {
  using correlate::RuleId;
  const correlate::Limit limit = time.budget.result.limit;
  const bool is_rate = chain.rule == correlate::rule(RuleId::rate_drop).name;
  if (is_rate && limit == correlate::Limit::kIdle && time.budget.pid == chain.pid && time.node == chain.node)
    return true;
  const bool is_spike = chain.rule == correlate::rule(RuleId::periodic_spike).name;
  if (is_spike && is_its(chain, time) && limit == correlate::Limit::kStopped) return true;  // who stopped it is said
  // Its device had work all the time: longer steps are fewer, and what its threads waited for was the device.
  const bool is_of_host = is_rate || chain.rule == correlate::rule(RuleId::dataloader_starvation).name;
  if (is_of_host && is_its(chain, time) && limit == correlate::Limit::kDeviceBound) return true;
  return is_its(chain, time) && time.budget.cpu_cost.is_harmless(chain.rule);
}

// A rank that came last, but the others had work for their devices meanwhile.
bool is_harmless_lateness(const ReportedChain& chain, const ProcessTime& time) {
  return is_its(chain, time) && chain.rule == correlate::rule(correlate::RuleId::late_rank).name && !time.is_late &&
         time.budget.result.limit == correlate::Limit::kDeviceBound;
}

// How many these are, of those that `is_left_out` says.
size_t drop(std::vector<ReportedChain>& chains, const std::vector<ProcessTime>& times,
            bool (*is_left_out)(const ReportedChain&, const ProcessTime&)) {
  return std::erase_if(chains, [&](const ReportedChain& chain) {
    return std::any_of(times.begin(), times.end(), [&](const auto& time) { return is_left_out(chain, time); });
  });
}

// The worst first again: what is held to a smaller loss may be less than the next one.
void hold_to_losses(const std::vector<ProcessTime>& times, std::vector<ReportedChain>& chains) {
  for (ReportedChain& chain : chains) {
    for (const ProcessTime& time : times) {
      if (is_its(chain, time)) time.budget.cpu_cost.hold(chain);
    }
  }
  std::ranges::stable_sort(chains, {}, [](const ReportedChain& one) { return hal::severity_order(one.severity); });
}

// Where the time went, and what of the diagnosis it shows to have cost nothing. Where the time is not asked for, but
// known from the replay, the chains are the same.
Status gather_time(const store::Reader& reader, const store::Selection& selection, const ReportOptions& options,
                   TimeSink& sink, Report& report) {
  // Without a replay for the chains, as of a live recording, there is one for this alone.
  if (!report.diagnosis.replayed) INGERO_TRY(replay_time(reader, selection, sink));
  report.time = sink.take();
  if (selection.pid) {
    std::erase_if(report.time, [&](const ProcessTime& one) { return one.budget.pid != *selection.pid; });
  }
  report.harmless_chains = drop(report.diagnosis.chains, report.time, is_harmless);
  report.warm_up_chains = drop(report.diagnosis.chains, report.time, is_of_warm_up);
  hold_to_losses(report.time, report.diagnosis.chains);
  add_time_names(reader, report.time);
  add_time_evidence(reader, selection, report.time);
  add_peer_evidence(reader, selection, report.time);
  add_chains(report.diagnosis.chains, report.time);
  report.harmless_chains += drop(report.diagnosis.chains, report.time, is_harmless_lateness);
  std::ranges::stable_partition(report.diagnosis.chains, [&](const ReportedChain& chain) {
    return std::ranges::none_of(report.time, [&](const ProcessTime& time) { return is_lesser(chain, time); });
  });
  if (!options.time) report.time.clear();
  return {};
}

}  // namespace

void add_chains(const std::vector<ReportedChain>& chains, std::vector<ProcessTime>& times) {
  for (const ReportedChain& chain : chains) {
    if (chain.severity != name_of(hal::ChainSeverity::kCritical)) continue;
    const bool hangs = chain.rule == correlate::rule(correlate::RuleId::collective_hang).name ||
                       chain.rule == correlate::rule(correlate::RuleId::collective_mismatch).name;
    for (ProcessTime& time : times) {
      if (is_of_process(chain, time)) time.ended_so = hangs ? "hung" : "failed";
    }
  }
  // Where its time alone does not say what limits it, a chain that cost much of it does.
  for (const ReportedChain& chain : chains) {
    if (chain.severity != name_of(hal::ChainSeverity::kHigh) || chain.lost_ns.value_or(0) == 0) continue;
    for (ProcessTime& time : times) {
      if (!is_of_process(chain, time) || time.budget.result.limit != correlate::Limit::kNotKnown) continue;
      time.because.push_back(chain.summary);
      if (!time.remedy.empty() || chain.recommendations.empty()) continue;
      time.remedy = chain.recommendations.front();
      if (time.remedy.ends_with('.')) time.remedy.pop_back();
      if (!time.remedy.empty())
        time.remedy.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(time.remedy.front())));
    }
  }
  for (const ReportedChain& chain : chains) {
    if (chain.rule != correlate::rule(correlate::RuleId::shared_default_stream).name) continue;
    for (ProcessTime& time : times) {
      if (time.shares_its_stream || !is_its(chain, time)) continue;
      time.shares_its_stream = true;
      time.because.push_back(chain.root_cause);
    }
  }
}

bool is_of_warm_up(const ReportedChain& chain, const ProcessTime& time) {
  if (!is_its(chain, time) || !correlate::is_of_time(chain.rule) || !chain.end_wall_ns) return false;
  const uint64_t unseen_ns = correlate::kEnoughSteps * time.budget.usual_ns;
  return *chain.end_wall_ns + unseen_ns <= time.budget.first_step_ns + static_cast<uint64_t>(time.wall_offset_ns);
}

bool is_lesser(const ReportedChain& chain, const ProcessTime& time) {
  using correlate::TimeClass;
  if (!is_its(chain, time) || !correlate::is_of_cpu_alone(chain.rule)) return false;
  const correlate::TimeSums& whole = time.budget.whole;
  const uint64_t cpu = whole.of(TimeClass::kCpuWait).low + whole.of(TimeClass::kThrottled).low;
  return std::ranges::any_of(whole.classes, [&](const correlate::ClassTime& one) { return one.low > cpu; });
}

bool is_host(const store::CallStats& call) { return call.kind == "host" || call.vendor == "host"; }

Result<Report> gather_report(const store::Reader& reader, const store::Selection& selection,
                             const ReportOptions& options, const VendorNames& names) {
  Report report;
  report.path = reader.path();
  report.version = reader.version();
  report.holds = reader.holds();
  report.notes = notes_of(reader);
  report.live = reader.is_live();
  report.whole = selection.whole() && !selection.pid && selection.op.empty();

  INGERO_TRY(gather_nodes(reader, options, report));
  if (options.figures) INGERO_TRY(gather_figures(reader, selection, options, names, report));
  INGERO_TRY(gather_single_calls(reader, selection, options, names, report));
  INGERO_TRY(gather_losses(reader, options, report));
  TimeSink time;
  if (options.time || options.incidents) {
    const auto sampled = is_sampled_out(reader);
    if (!sampled.ok()) return sampled.error();
    report.time_known = !*sampled;
  }
  if (options.incidents) {
    auto diagnosis = diagnose(reader, selection, {options.time_ns, options.evaluates_stored}, names,
                              report.time_known ? &time : nullptr);
    if (!diagnosis.ok()) return diagnosis.error();
    report.diagnosis = std::move(diagnosis).value();
  }
  if (report.time_known && (options.time || report.diagnosis.replayed)) {
    INGERO_TRY(gather_time(reader, selection, options, time, report));
  }
  if (options.collectives) {
    auto collectives = gather_collectives(reader, selection, options.time_ns);
    report.collectives_known = collectives.ok() || collectives.error().code() != Errc::kBusy;
    if (collectives.ok()) {
      report.collectives = std::move(*collectives);
    } else if (report.collectives_known) {
      return collectives.error();
    }
  }
  if (options.kernels) {
    auto kernels = gather_kernels(reader, selection, options.time_ns);
    report.kernels_known = kernels.ok() || kernels.error().code() != Errc::kBusy;
    if (kernels.ok()) {
      report.kernels = std::move(*kernels);
    } else if (report.kernels_known) {
      return kernels.error();
    }
  }
  if (options.inference) {
    auto inference = gather_inference(reader, selection, options.time_ns);
    if (!inference.ok()) return inference.error();
    report.inference = std::move(*inference);
  }
  return report;
}

}  // namespace ingero::report
