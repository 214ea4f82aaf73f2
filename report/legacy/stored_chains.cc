// Groups the stored chains by call and severity, and says of each group what the rows say. And all sentences on what
// the legacy agent did not record.
#include "report/legacy/stored_chains.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "report/table.h"
#include "store/read/summary.h"

namespace ingero::report {
namespace {

constexpr uint64_t kLegacyWindowNs = 10'000'000'000;  // how far that agent looked back

// The legacy agent's summaries begin with the call: "NAME p99=25.8ms ...".
std::string op_of(const ReportedChain& chain) {
  return chain.op.empty() ? chain.summary.substr(0, chain.summary.find(' ')) : chain.op;
}

// What a stored chain says was the cause, as one of our families.
bool same_cause(const ReportedChain& legacy, const ReportedChain& found) {
  const auto says = [&](std::string_view word) { return legacy.root_cause.find(word) != std::string::npos; };
  const bool cpu = says("sched_switch") || says("CPU");
  const bool io = says("block I/O");
  const bool net = says("retransmit");
  return (cpu && (found.rule == "cpu_preemption" || found.rule == "dataloader_starvation" ||
                  found.rule == "run_queue_wait")) ||
         (io && found.rule == "block_io") || (net && found.rule == "tcp_retransmits");
}

}  // namespace

Status evaluate_stored(const store::Reader& reader, const store::Selection& selection, uint64_t time_ns,
                       Diagnosis& diagnosis) {
  if (reader.layout() != store::Layout::kLegacy) return {};
  auto stored = stored_chains(reader, selection, time_ns, ChainParts::kHeads);
  if (!stored.ok()) return stored.error();
  auto summary = store::summarise(reader, selection);
  if (!summary.ok()) return summary.error();
  struct Group {
    EvaluatedChain evaluated;
    uint64_t again = 0;
    std::string as;
  };
  std::map<std::tuple<std::string, int, std::string>, Group> groups;
  for (const ReportedChain& legacy : *stored) {
    Group& group = groups[{legacy.node, hal::severity_order(legacy.severity), op_of(legacy)}];
    if (group.evaluated.times++ == 0) group.evaluated.chain = legacy;
    for (const ReportedChain& found : diagnosis.chains) {
      const bool in_time = found.onset_wall_ns && found.end_wall_ns &&
                           legacy.detected_wall_ns + kLegacyWindowNs >= *found.onset_wall_ns &&
                           legacy.detected_wall_ns <= *found.end_wall_ns + kLegacyWindowNs;
      if (!in_time || found.node != legacy.node || !same_cause(legacy, found)) continue;
      ++group.again;
      group.as = found.id;
      break;
    }
  }
  for (auto& [key, group] : groups) {
    const std::string op = std::get<2>(key);
    const auto stats = std::find_if(summary->calls.begin(), summary->calls.end(),
                                    [&](const store::CallStats& call) { return call.op == op; });
    std::string& result = group.evaluated.result;
    if (group.again > 0) {
      result = fmt::format("its cause is found again ({} of {}): {}", group.again, group.evaluated.times, group.as);
    }
    const std::string both = result.empty() ? "" : "; ";
    if (stats == summary->calls.end() || stats->timed == 0) {
      result += both + "this recording has no row of the call: its tail cannot be checked";
    } else if (stats->p99_ns < kWorthReportingNs) {
      result += both + fmt::format("not a tail: a p99 of {} is below the threshold of {}",
                                   format_duration(stats->p99_ns), format_duration(kWorthReportingNs));
    } else if (result.empty()) {
      result = fmt::format(
          "not found again: in the stored rows {} took {} at most, and no CPU or disk use by others at "
          "that time exceeds the thresholds",
          op, format_duration(stats->max_ns));
    }
    diagnosis.evaluated.push_back(std::move(group.evaluated));
  }
  return {};
}

std::string evaluated_text(const Diagnosis& diagnosis, bool colour) {
  if (diagnosis.evaluated.empty()) return {};
  std::string out =
      "\n" + styled("Chains the legacy agent stored, checked against its rows", Style::kBold, colour) + "\n";
  for (const EvaluatedChain& evaluated : diagnosis.evaluated) {
    out += fmt::format(
        "  [{}] {}{}\n      {}\n", printable(evaluated.chain.severity), printable(evaluated.chain.summary, 300),
        evaluated.times > 1 ? fmt::format(" ({} times)", evaluated.times) : "", printable(evaluated.result, 500));
  }
  return out;
}

Json evaluated_json(const Report& report) {
  if (report.notes.made_by.empty()) return nullptr;
  Json list = Json::array();
  for (const EvaluatedChain& evaluated : report.diagnosis.evaluated) {
    list.push_back({{"id", evaluated.chain.id},
                    {"severity", evaluated.chain.severity},
                    {"summary", evaluated.chain.summary},
                    {"times", evaluated.times},
                    {"verdict", evaluated.result}});
  }
  return list;
}

FormatNotes notes_of(const store::Reader& reader) {
  if (reader.layout() != store::Layout::kLegacy) return {};
  return {.made_by = "the legacy agent",
          .off_cpu = "  (the legacy agent did not measure off-CPU time)\n",
          .no_unfinished = "  Not known: the legacy agent stored a call only when it returned.\n",
          .losses = "  Unknown: recordings of the legacy agent have no loss counters.\n"};
}

}  // namespace ingero::report
