// The report of `ingero explain` for people: what was recorded, the main findings, then the tables they come from.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "correlate/facts.h"
#include "report/frame_text.h"
#include "report/kernel_title.h"
#include "report/legacy/stored_chains.h"
#include "report/report.h"
#include "report/table.h"

namespace ingero::report {
namespace {

using store::CallInstance;
using store::CallStats;

constexpr double kUneven = 10;           // p99 this many times p50 is worth a line
constexpr uint64_t kReportedShare = 20;  // off the CPU for less than one part in 20 is ordinary
constexpr uint64_t kEnoughCalls = 10;    // below this a percentile is an anecdote

std::string number(uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string counted(uint64_t count, std::string_view word) {
  const std::string_view ending = count == 1 ? "" : word == "process" ? "es" : "s";
  return fmt::format("{} {}{}", number(count), word, ending);
}

// "2026-11-21 02:26:36 UTC"
std::string short_wall(uint64_t wall_ns) {
  const std::string full = format_wall(wall_ns);
  return full.size() < 19 ? full : full.substr(0, 10) + " " + full.substr(11, 8) + " UTC";
}

std::string average(const CallStats& call) {
  return format_duration(static_cast<uint64_t>(std::llround(call.avg_ns())));
}

void add_heading(std::string& out, std::string_view text, bool colour) {
  out += "\n" + styled(text, Style::kBold, colour) + "\n";
}

std::string capitalised(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] = static_cast<char>(sentence[0] - 32);
  return sentence;
}

// How far the clocks of several nodes are apart, and what of the order of their events is known.
std::string clocks_text(const store::NodeClocks& clocks) {
  if (!clocks.are_several()) return {};
  constexpr size_t kMaxNodes = 8;
  std::string out;
  for (size_t i = 1; i < clocks.nodes().size() && clocks.is_any_known(); ++i) {
    if (i <= kMaxNodes) out += capitalised(store::clock_sentence(clocks, clocks.nodes()[i])) + ".\n";
  }
  if (clocks.is_any_known() && clocks.nodes().size() > kMaxNodes + 1) {
    out += fmt::format("The clocks of {}: explain --json has them.\n",
                       plural(clocks.nodes().size() - kMaxNodes - 1, "other node"));
  }
  return out + capitalised(store::order_sentence(clocks)) + ".\n";
}

std::string heading(const Report& report) {
  std::string out = "Recording " + printable(report.path, 1000);
  if (!report.notes.made_by.empty()) {
    out += fmt::format(", made by {} (schema {})", report.notes.made_by, printable(report.version));
  }
  if (report.live) out += ", still being written";
  out += "\n";
  if (const std::string sentence = store::ending_sentence(report.ending, printable(report.path, 1000));
      !sentence.empty()) {
    out += sentence + "\n";
  }
  if (!report.span || report.events == 0) {
    return out + (report.whole ? "It holds no events.\n" : "It holds no events in the selected part.\n");
  }
  const uint64_t length = report.span->last_wall_ns - report.span->first_wall_ns;
  uint64_t processes = 0;
  for (const ProcessTotals& process : report.processes) processes += process.pid != 0 ? 1 : 0;
  out += fmt::format("{}{} over {}, {} to {}, from {}\n",
                     report.whole ? "" : "Selected: ", counted(report.events, "event"), format_duration(length),
                     short_wall(report.span->first_wall_ns), short_wall(report.span->last_wall_ns),
                     counted(processes, "process") +
                         (is_of_several_nodes(report) ? " on " + counted(report.nodes.size(), "node") : ""));
  out += clocks_text(report.clocks);
  if (report.rows_pruned > 0) {
    out += fmt::format("{} were deleted since to keep the file small; totals of the whole still count them.\n",
                       counted(report.rows_pruned, "stored event"));
  }
  return out;
}

// ": 80% preempted, 2% blocked": the causes that took any of `whole_ns`.
std::string causes(uint64_t preempted_ns, uint64_t runqueue_ns, uint64_t blocked_ns, uint64_t io_ns,
                   uint64_t whole_ns) {
  const struct {
    uint64_t ns;
    const char* words;
  } parts[] = {{preempted_ns, "preempted"},
               {runqueue_ns, "waiting for a CPU after waking"},
               {blocked_ns, "blocked"},
               {io_ns, "on I/O"}};
  std::string out;
  for (const auto& part : parts) {
    if (part.ns == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? ": " : ", ", format_percent(part.ns, whole_ns), part.words);
  }
  return out;
}

bool awaits_events(const CallStats& call) {
  const auto kind = hal::kind_of(call.kind);
  return kind && correlate::make_facts(call.op, call.op, call.layer, {}, *kind, false).awaits_events;
}

// The sentences a stranger should read first. Only what the figures say by themselves.
std::vector<std::string> findings(const Report& report) {
  std::vector<std::string> lines;
  uint64_t calls = 0, errors = 0, unfinished = 0;
  for (const CallStats& call : report.calls) {
    calls += call.count;
    errors += call.errors;
    unfinished += call.unfinished;
  }
  if (calls > 0 && errors == calls) {
    lines.push_back(calls == 1 ? "The only GPU call returned an error."
                               : fmt::format("Every one of the {} returned an error.", counted(calls, "GPU call")));
  } else if (errors > 0) {
    lines.push_back(fmt::format("{} of {} returned an error ({}).", number(errors), counted(calls, "GPU call"),
                                format_percent(errors, calls)));
  }
  if (unfinished > 0) {
    lines.push_back(fmt::format("{} had not returned {}.", counted(unfinished, "call"),
                                report.live ? "yet" : "when the recording ended"));
  }
  // Waiting for an event is not work.
  const auto most = std::find_if(report.calls.begin(), report.calls.end(),
                                 [](const CallStats& call) { return call.timed > 0 && !awaits_events(call); });
  if (most != report.calls.end()) {
    lines.push_back(fmt::format("{} took the most time: {} in {}, {} on average, {} at most.", most->op,
                                format_duration(most->total_ns), counted(most->timed, "call"), average(*most),
                                format_duration(most->max_ns)));
  }
  const CallStats* uneven = nullptr;
  double worst = kUneven;
  for (const CallStats& call : report.calls) {
    if (call.timed < kEnoughCalls || call.p50_ns == 0 || call.p99_ns < kWorthReportingNs || awaits_events(call))
      continue;
    const double ratio = static_cast<double>(call.p99_ns) / static_cast<double>(call.p50_ns);
    if (ratio > worst) {
      worst = ratio;
      uneven = &call;
    }
  }
  if (uneven != nullptr) {
    lines.push_back(fmt::format("{} is uneven: its p99 of {} is {:.0f} times its p50 of {}.", uneven->op,
                                format_duration(uneven->p99_ns), worst, format_duration(uneven->p50_ns)));
  }
  // Calls made inside other calls are in their callers' time already: the shares are of each call by itself.
  const CallStats* waiting = nullptr;
  for (const CallStats& call : report.calls) {
    if (!awaits_events(call) && (waiting == nullptr || call.off_cpu_ns() > waiting->off_cpu_ns())) waiting = &call;
  }
  if (waiting != nullptr && waiting->off_cpu_ns() > 0 && waiting->off_cpu_ns() >= waiting->total_ns / kReportedShare) {
    lines.push_back(fmt::format(
        "Threads were off the CPU for {} of the time they spent in {}{}.",
        format_percent(waiting->off_cpu_ns(), waiting->total_ns), waiting->op,
        causes(waiting->preempted_ns, waiting->runqueue_ns, waiting->blocked_ns, waiting->io_ns, waiting->total_ns)));
  }
  return lines;
}

// In a recording of several nodes, a line about one thing begins with its node.
std::string node_prefix(const Report& report, const std::string& node) {
  return is_of_several_nodes(report) && !node.empty() ? "[" + printable(node) + "] " : "";
}

std::string single_step_note(const CallStats& call) {
  return fmt::format(
      "  * its probe is on an instruction that the kernel single-steps: {} of every duration {} that step, not the "
      "call\n",
      call.single_step_ns ? "about " + format_duration(*call.single_step_ns) : "an unknown part",
      call.single_step_ns ? "(measured here) is" : "is");
}

std::string stats_table(const Report& report, const std::vector<CallStats>& calls, bool per_process, bool shares,
                        bool host, bool colour) {
  const bool with_nodes = per_process && is_of_several_nodes(report);
  std::vector<TableColumn> columns;
  if (with_nodes) columns.push_back({"NODE", Align::kLeft});
  if (per_process) {
    columns.push_back({"PID"});
    columns.push_back({"PROCESS", Align::kLeft});
  }
  columns.push_back({host ? "EVENT" : "CALL", Align::kLeft});
  columns.push_back({"LAYER", Align::kLeft});
  for (const char* name : {"COUNT", "ERRORS", "AVG", "P50", "P95", "P99", "MAX", "TOTAL"}) {
    if (host && std::string_view(name) == "ERRORS") continue;
    columns.push_back({name});
  }
  if (shares && !host) columns.push_back({"OFF-CPU"});
  Table table(std::move(columns));
  for (const CallStats& call : calls) {
    std::vector<Cell> cells;
    if (with_nodes) cells.emplace_back(call.node);
    if (per_process) {
      cells.emplace_back(call.pid ? fmt::format("{}", *call.pid) : "");
      cells.emplace_back(call.process);
    }
    cells.emplace_back(call.op + (call.single_stepped ? "*" : ""));
    cells.emplace_back(call.layer);
    cells.emplace_back(number(call.count));
    if (!host) cells.emplace_back(number(call.errors), call.errors > 0 ? Style::kRed : Style::kPlain);
    // A host event that took no time has none, though some recordings have 0 for it.
    if (call.timed == 0 || (is_host(call) && call.max_ns == 0)) {
      for (int i = 0; i < 6; ++i) cells.emplace_back("-", Style::kDim);
    } else {
      cells.emplace_back(average(call));
      for (const uint64_t ns : {call.p50_ns, call.p95_ns, call.p99_ns, call.max_ns, call.total_ns}) {
        cells.emplace_back(format_duration(ns));
      }
    }
    if (shares && !host && (is_host(call) || call.timed == 0)) {
      cells.emplace_back("-", Style::kDim);
    } else if (shares && !host) {
      cells.emplace_back(format_percent(call.off_cpu_ns(), call.total_ns));
    }
    table.add_row(std::move(cells));
  }
  const auto stepped = std::ranges::find(calls, true, &CallStats::single_stepped);
  return table.render(colour, 2) + (stepped == calls.end() ? "" : single_step_note(*stepped));
}

const CallStats* stats_of(const std::vector<CallStats>& calls, const CallInstance& instance) {
  const auto found = std::find_if(calls.begin(), calls.end(), [&](const CallStats& call) {
    return call.op == instance.op && call.layer == instance.layer;
  });
  return found == calls.end() ? nullptr : &*found;
}

std::string where_blocked(const CallInstance& call) {
  if (!call.preempted_ns && !call.runqueue_ns && !call.blocked_ns && !call.io_ns) {
    return "its off-CPU time was not measured";
  }
  const uint64_t preempted = call.preempted_ns.value_or(0);
  const uint64_t runqueue = call.runqueue_ns.value_or(0);
  const uint64_t blocked = call.blocked_ns.value_or(0);
  const uint64_t io = call.io_ns.value_or(0);
  const uint64_t whole = call.duration_ns.value_or(0);
  const uint64_t sum = preempted + runqueue + blocked + io;
  if (sum == 0) return "on the CPU all the time";
  std::string out = fmt::format("off the CPU {} of it{}", format_percent(sum, whole),
                                causes(preempted, runqueue, blocked, io, whole));
  if (!call.preempted_by.empty() || call.preempted_by_pid) {
    if (call.preempted_by_pid == call.pid) {
      out += fmt::format("; other threads of {} ran instead",
                         call.process.empty() ? "the process" : printable(call.process));
    } else {
      out +=
          fmt::format("; {} ran instead", call.preempted_by.empty() ? "another process" : printable(call.preempted_by));
      if (call.preempted_by_pid) out += fmt::format(" (pid {})", *call.preempted_by_pid);
    }
    if (call.preempted_by_ns) out += fmt::format(", {}", format_duration(*call.preempted_by_ns));
  }
  return out;
}

// What the call was about: "64 kB h2d, returned 35".
std::string about(const Report& report, const CallInstance& call) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (!call.kernel.empty()) add("kernel " + printable(kernel_title(call.kernel), 100));
  if (call.bytes) add(format_bytes(*call.bytes) + (call.direction.empty() ? "" : " " + printable(call.direction)));
  if (call.failed && call.return_code) {
    const auto known = report.statuses.find({call.op, *call.return_code});
    const std::string status = known == report.statuses.end() ? "" : known->second;
    add(fmt::format("returned error {}{}", *call.return_code, status.empty() ? "" : " (" + status + ")"));
  }
  if (call.gpu_id) {
    add(fmt::format("on GPU {}", *call.gpu_id));
  } else if (!call.gpu_uuid.empty()) {
    add("on " + printable(call.gpu_uuid, 96));
  }
  if (!call.parent_call.empty()) add("inside " + printable(call.parent_call));
  return out;
}

std::string slowest_text(const Report& report, bool colour) {
  std::string out;
  size_t rank = 0;
  for (const CallInstance& call : report.slowest) {
    const uint64_t ns = call.duration_ns.value_or(0);
    std::string usual;
    if (const CallStats* stats = stats_of(report.calls, call);
        stats != nullptr && stats->p50_ns > 0 && stats->count >= kEnoughCalls) {
      const double ratio = static_cast<double>(ns) / static_cast<double>(stats->p50_ns);
      if (ratio >= 2) usual = fmt::format(", {:.0f} times its usual {}", ratio, format_duration(stats->p50_ns));
    }
    out += fmt::format("  {:>2}. {}{} {}{}, {}[{}] thread {} at {}\n", ++rank, node_prefix(report, call.node),
                       styled(printable(call.op), Style::kBold, colour), format_duration(ns), usual,
                       call.process.empty() ? "process " : printable(call.process), call.pid, call.tid,
                       clock_time(call.start_wall_ns));
    const std::string subject = about(report, call);
    if (!subject.empty()) out += "      " + subject + "\n";
    if (report.holds.off_cpu) out += "      " + where_blocked(call) + "\n";
    const auto frames = symbols::parse_frames(call.frames_json);
    if (const symbols::StackFrame* line = symbols::line_of(frames); line != nullptr)
      out += "      from " + line_text(*line) + "\n";
    if (!call.labels.empty()) out += "      during " + labels_text(call.labels) + "\n";
  }
  return out;
}

std::string unfinished_text(const Report& report, bool colour) {
  std::string out;
  for (const CallInstance& call : report.unfinished) {
    const std::string state = call.outcome == "in flight" ? "still in flight"
                              : call.outcome == "exited"  ? "its thread ended in it"
                                                          : "never returned";
    out += fmt::format("  {}{} {}: started {}, {}[{}] thread {}{}\n", node_prefix(report, call.node),
                       styled(printable(call.op), Style::kBold, colour), state, short_wall(call.start_wall_ns),
                       call.process.empty() ? "process " : printable(call.process), call.pid, call.tid,
                       call.duration_ns ? ", " + format_duration(*call.duration_ns) + " when last seen" : "");
    if (!call.labels.empty()) out += "      during " + labels_text(call.labels) + "\n";
  }
  return out;
}

std::string failures_text(const Report& report) {
  if (!report.failures_known) return "  Not listed: the query exceeded --timeout.\n";
  std::string out;
  for (const FailureCount& failure : report.failures) {
    const std::string code = failure.return_code ? std::to_string(*failure.return_code) : "nothing (a null pointer)";
    out += fmt::format("  {} returned {}{}: {}\n", printable(failure.op), code,
                       failure.status.empty() ? "" : " (" + failure.status + ")",
                       failure.count == 1 ? std::string("once") : number(failure.count) + " times");
  }
  return out;
}

// Chains of one rule and one program: the worst in full, the others counted.
struct AlikeChains {
  const ReportedChain* worst;
  std::vector<const ReportedChain*> others;
};

std::vector<AlikeChains> grouped(const std::vector<ReportedChain>& chains) {
  std::vector<AlikeChains> groups;
  for (const ReportedChain& chain : chains) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const AlikeChains& group) {
      return !chain.rule.empty() && group.worst->rule == chain.rule && group.worst->process == chain.process &&
             group.worst->node == chain.node && group.worst->pid.has_value() == chain.pid.has_value();
    });
    if (same == groups.end()) {
      groups.push_back({&chain, {}});
    } else {
      same->others.push_back(&chain);
    }
  }
  return groups;
}

std::string others_text(const AlikeChains& group) {
  if (group.others.empty()) return {};
  constexpr size_t kMaxPids = 5;
  uint64_t lost_ns = 0;
  std::vector<uint32_t> pids;
  for (const ReportedChain* chain : group.others) {
    lost_ns += chain->lost_ns.value_or(0);
    if (chain->pid && chain->pid != group.worst->pid &&
        std::find(pids.begin(), pids.end(), *chain->pid) == pids.end()) {
      pids.push_back(*chain->pid);
    }
  }
  std::string list;
  for (size_t i = 0; i < std::min(kMaxPids, pids.size()); ++i) list += fmt::format("{}{}", i == 0 ? "" : ", ", pids[i]);
  if (pids.size() > kMaxPids) list += fmt::format(" and {} more", pids.size() - kMaxPids);
  return fmt::format("  And {} like it{}{}\n", number(group.others.size()) + " more",
                     list.empty() ? "" : fmt::format(", of pid {}", list),
                     lost_ns > 0 ? fmt::format(": {} in all", format_duration(lost_ns)) : "");
}

// What the engine found, worst first; of a healthy recording, what was looked at.
std::string incidents_text(const Report& report, bool colour) {
  const Diagnosis& found = report.diagnosis;
  std::string out;
  if (found.chains.empty()) {
    out += found.replayed
               ? fmt::format(
                     "\nNo causal chain found: {} and {} of {} were examined.{}{}\n", counted(found.calls, "call"),
                     counted(found.events - found.calls, "host event"), counted(found.processes, "process"),
                     found.late > 0 ? fmt::format(" {} came too late to be evaluated.", number(found.late)) : "",
                     found.forgotten > 0 ? fmt::format(" {} did not fit the tables.", number(found.forgotten)) : "")
               : "\nNo causal chain so far.\n";
  } else {
    add_heading(out,
                fmt::format("CAUSAL CHAINS - {}{}", counted(found.chains.size(), "chain"),
                            is_of_several_nodes(report) ? " from " + counted(report.nodes.size(), "node") : ""),
                colour);
    constexpr size_t kMaxShown = 10;
    size_t shown = 0, left_out = 0;
    std::vector<ReportedChain> worst;
    for (const AlikeChains& group : grouped(found.chains)) {
      if (++shown > kMaxShown) {
        left_out += 1 + group.others.size();
        continue;
      }
      out += node_prefix(report, group.worst->node) + chain_text(*group.worst, colour) + others_text(group);
      if (is_of_several_nodes(report)) worst.push_back(*group.worst);
    }
    if (left_out > 0) out += fmt::format("{} not shown: explain --json has all.\n", counted(left_out, "lesser chain"));
    out += order_text(worst, report.clocks);
  }
  for (const auto& [chains, what] : {std::pair(report.harmless_chains, "that cost nothing"),
                                     {report.warm_up_chains, "of the warm-up, before the first step"}}) {
    if (chains == 0) continue;
    out += fmt::format("Not shown: {} {} (explain --chains has what was found while recording).\n",
                       counted(chains, "chain"), what);
  }
  return out + evaluated_text(found, colour);
}

std::string lost_calls_text(const Report& report) {
  std::string out;
  for (const store::LostOfProcess& one : report.lost_calls) {
    const std::string who = !one.pid           ? "processes that are not known"
                            : one.name.empty() ? fmt::format("pid {}", *one.pid)
                                               : fmt::format("{} (pid {})", printable(one.name, 40), *one.pid);
    out += fmt::format("    {} of {}, {} to {}\n", number(one.calls), who, format_wall(one.first_wall_ns),
                       format_wall(one.last_wall_ns));
  }
  return out;
}

std::string losses_text(const Report& report, bool colour) {
  if (!report.holds.losses) return std::string(report.notes.losses);
  const bool lost = std::any_of(report.losses.begin(), report.losses.end(),
                                [](const store::LossCount& loss) { return loss.severity != "info"; });
  const bool is_known = store::ending_sentence(report.ending, "").empty();
  std::string out =
      !is_known ? "  Not known: the recording has no proper end (see its first lines). What it says until then:\n"
      : lost    ? ""
      : report.ending == store::Ending::kLive ? "  Nothing until now: every event that was captured is counted above.\n"
                                              : "  Nothing was lost: every event that was captured is counted above.\n";
  if (!is_known && report.losses.empty()) out += "  nothing\n";
  for (const store::LossCount& loss : report.losses) {
    const Style style = loss.severity == "info" ? Style::kPlain : Style::kRed;
    out += fmt::format("  {}: {} {}\n", styled(printable(loss.name), style, colour), number(loss.count),
                       printable(hal::brief(loss.sentence)));
    if (loss.name == hal::name_of(hal::Loss::ring_full)) out += lost_calls_text(report);
  }
  return out;
}

std::string stands_out_text(const Report& report) {
  std::string out;
  for (const std::string& line : findings(report)) out += "  - " + printable(line, 500) + "\n";
  return out;
}

std::string processes_text(const Report& report, bool colour) {
  std::vector<TableColumn> columns = {{"PID"},        {"PROCESS", Align::kLeft}, {"CALLS"}, {"ERRORS"}, {"LONGEST"},
                                      {"HOST EVENTS"}};
  if (is_of_several_nodes(report)) columns.insert(columns.begin(), {"NODE", Align::kLeft});
  // Programs that start another in each step have thousands of those without a call.
  constexpr size_t kMaxWithoutCalls = 10;
  size_t without_calls = 0;
  Table table(std::move(columns));
  for (const ProcessTotals& process : report.processes) {
    if (process.calls + process.unfinished == 0 && ++without_calls > kMaxWithoutCalls) continue;
    std::vector<Cell> cells;
    if (is_of_several_nodes(report)) cells.emplace_back(process.node);
    for (const std::string& text :
         {fmt::format("{}", process.pid), process.name, number(process.calls), number(process.errors),
          process.calls > 0 ? format_duration(process.max_ns) : "-", number(process.host_events)}) {
      cells.emplace_back(text);
    }
    table.add_row(std::move(cells));
  }
  std::string text = table.render(colour, 2);
  if (without_calls > kMaxWithoutCalls) {
    text += fmt::format("  and {} more without GPU calls: explain --json has all\n",
                        number(without_calls - kMaxWithoutCalls));
  }
  return text;
}

std::string devices_text(const Report& report, bool colour) {
  Table table({{"GPU"},
               {"VENDOR", Align::kLeft},
               {"UUID", Align::kLeft},
               {"PCI", Align::kLeft},
               {"CALLS"},
               {"ERRORS"},
               {"TIME"},
               {"PROCESSES"}});
  for (const store::DeviceTotals& device : report.devices) {
    table.add_row({device.gpu_id ? fmt::format("{}", *device.gpu_id) : "-", printable(device.vendor, 32),
                   device.uuid.empty() ? "-" : printable(device.uuid, 96),
                   device.pci_address.empty() ? "-" : printable(device.pci_address, 32), number(device.calls),
                   number(device.errors), format_duration(device.total_ns), number(device.processes)});
  }
  return table.render(colour, 2);
}

// The first ten: explain --json has all.
std::string kernels_text(const std::vector<KernelFigures>& kernels, bool colour) {
  constexpr size_t kMaxShown = 10;
  Table table({{"KERNEL", Align::kLeft}, {"LAUNCHES"}, {"ERRORS"}, {"LAUNCHING"}, {"WAITS"}, {"WAITED"}, {"COPIED"}});
  for (size_t i = 0; i < std::min(kMaxShown, kernels.size()); ++i) {
    const KernelFigures& kernel = kernels[i];
    const auto whole = [](double value) { return static_cast<uint64_t>(value + 0.5); };
    table.add_row({kernel.untrusted_name.empty() ? "(no name)" : printable(kernel_title(kernel.untrusted_name), 80),
                   number(kernel.launches), number(kernel.failed), format_duration(kernel.launch_ns),
                   number(kernel.waits), format_duration(whole(kernel.wait_ns)),
                   format_bytes(whole(kernel.copied_bytes))});
  }
  std::string text = table.render(colour, 2);
  if (kernels.size() > kMaxShown)
    text += fmt::format("  and {} more: explain --json has all\n", kernels.size() - kMaxShown);
  return text;
}

struct View {
  const Report& report;
  bool per_process, colour;
};

// A part of the report under a heading; left out where it has no text.
struct Section {
  std::string_view heading;
  std::string (*text)(const View& view);
};
constexpr Section kSections[] = {
    {"What stands out", [](const View& view) { return stands_out_text(view.report); }},
    {"Calls and host events, by process",
     [](const View& view) {
       const Report& report = view.report;
       if (!view.per_process) return std::string();
       return stats_table(report, report.per_process, true, report.holds.off_cpu, false, view.colour);
     }},
    {"GPU calls, most time first (a call made inside another is in both)",
     [](const View& view) {
       const Report& report = view.report;
       if (view.per_process || report.calls.empty()) return std::string();
       return stats_table(report, report.calls, false, report.holds.off_cpu, false, view.colour);
     }},
    {"Kernels, most waiting first (their threads' waits and copies, shared among the launches before each wait)",
     [](const View& view) -> std::string {
       if (!view.report.kernels_known) return "  Not listed: the query exceeded --timeout.\n";
       return view.report.kernels.empty() ? std::string() : kernels_text(view.report.kernels, view.colour);
     }},
    {"What the host did",
     [](const View& view) {
       const Report& report = view.report;
       if (view.per_process || report.host.empty()) return std::string();
       return stats_table(report, report.host, false, false, true, view.colour);
     }},
    {"Processes (figures of each: --per-process)",
     [](const View& view) {
       if (view.per_process || view.report.processes.size() <= 1) return std::string();
       return processes_text(view.report, view.colour);
     }},
    {"Devices (calls made inside others left out)",
     [](const View& view) {
       return view.report.devices.empty() ? std::string() : devices_text(view.report, view.colour);
     }},
    {"Collectives, as the ranks on this host called them",
     [](const View& view) -> std::string {
       if (!view.report.collectives_known) return "  Not listed: the query exceeded --timeout.\n";
       return collectives_text(view.report.collectives, view.colour);
     }},
    {"Inference: launches and graph launches are those of a step",
     [](const View& view) {
       return view.report.inference.empty() ? std::string() : inference_text(view.report.inference, view.colour);
     }},
    {"Errors", [](const View& view) { return failures_text(view.report); }},
    {"Slowest calls",
     [](const View& view) {
       if (view.report.slowest.empty()) return std::string();
       return std::string(view.report.notes.off_cpu) + slowest_text(view.report, view.colour);
     }},
    {"Calls that never returned",
     [](const View& view) -> std::string {
       if (!view.report.unfinished.empty()) return unfinished_text(view.report, view.colour);
       return std::string(view.report.notes.no_unfinished);
     }},
    {"What was lost", [](const View& view) { return losses_text(view.report, view.colour); }},
};

}  // namespace

std::string report_text(const Report& report, bool per_process, bool colour) {
  std::string out = heading(report);
  if (report.events == 0) {
    // Adapters, devices and the machine are looked at also where no call is made; and why there is none may be a loss.
    if (!report.diagnosis.chains.empty()) out += incidents_text(report, colour);
    if (!report.losses.empty()) {
      add_heading(out, "What was lost", colour);
      out += losses_text(report, colour);
    }
    return out;
  }
  // What ended a program or holds it for ever comes before where its time went.
  const auto& chains = report.diagnosis.chains;
  const bool is_critical = std::any_of(chains.begin(), chains.end(), [](const ReportedChain& one) {
    return one.severity == "CRITICAL" || one.rule == rule(correlate::RuleId::process_failed).name;
  });
  if (is_critical) out += incidents_text(report, colour);
  out += time_text(report.time, colour);
  if (!report.time_known) {
    out +=
        "\nWhere the time went: not computed, only a part of the calls became rows; the view \"budget\" has what was "
        "computed while recording.\n";
  }
  if (!is_critical) out += incidents_text(report, colour);
  for (const Section& section : kSections) {
    const std::string text = section.text({report, per_process, colour});
    if (text.empty()) continue;
    add_heading(out, section.heading, colour);
    out += text;
  }
  if (report.chains > chains.size()) {
    out += fmt::format("\nThe recording also holds {}: ingero explain --chains shows them.\n",
                       counted(report.chains, "causal chain"));
  }
  return out;
}

}  // namespace ingero::report
