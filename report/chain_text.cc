// Formats causal chains as text and as JSON, so that the command line and the tools word them alike.
#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "report/chains.h"
#include "report/table.h"

namespace ingero::report {
namespace {

Style style_of(std::string_view severity) {
  if (severity == "HIGH" || severity == "CRITICAL") return Style::kRed;
  return severity == "MEDIUM" ? Style::kYellow : Style::kPlain;
}

Json time_or_null(const std::optional<uint64_t>& wall_ns) {
  return wall_ns ? Json(format_wall(*wall_ns)) : Json(nullptr);
}

// The precision that recordings keep.
uint64_t whole_us(const hal::ChainStep& step) { return step.duration_ns / 1000; }

std::string query_of(const hal::ChainEvidence& event) {
  return event.start_mono_ns
             ? fmt::format("SELECT * FROM events WHERE tid = {} AND start_mono_ns = {}", event.tid,
                           *event.start_mono_ns)
             : fmt::format("SELECT * FROM events WHERE tid = {} AND timestamp = {}", event.tid, event.start_wall_ns);
}

}  // namespace

std::string clock_time(uint64_t wall_ns) {
  const std::string full = format_wall(wall_ns);
  return full.size() < 23 ? full : full.substr(11, 12);
}

std::string severity_text(std::string_view severity, bool colour) {
  return styled("[" + printable(severity) + "]", style_of(severity), colour);
}

std::string chain_text(const ReportedChain& chain, bool colour) {
  std::string out = severity_text(chain.severity, colour) + " " + printable(chain.summary, 1000) + "\n";
  for (const hal::ChainStep& step : chain.timeline) {
    out += fmt::format(
        "    [{:<6}] {}{}{}\n", printable(step.layer), printable(step.op),
        step.detail.empty() ? "" : ": " + printable(step.detail, 500),
        step.detail.empty() && whole_us(step) > 0 ? " (" + format_duration(whole_us(step) * 1000) + ")" : "");
  }
  if (!chain.root_cause.empty()) out += "  Root cause: " + printable(chain.root_cause, 2000) + "\n";
  for (const std::string& line : chain.lines) out += "    at " + printable(line, 500) + "\n";
  if (!chain.labels.empty()) out += "    during " + labels_text(chain.labels) + "\n";
  for (const std::string& symptom : chain.symptoms) out += "  Explains: " + printable(symptom, 1000) + "\n";
  for (const std::string& fix : chain.recommendations) out += "  Fix: " + printable(fix, 1000) + "\n";
  if (!chain.rule.empty()) {
    out += fmt::format("  ({}{}, {}{})\n", chain.grade,
                       chain.confidence ? fmt::format(", confidence {:.0f}%", 100 * *chain.confidence) : "",
                       chain.onset_wall_ns ? "from " + clock_time(*chain.onset_wall_ns) : "",
                       chain.end_wall_ns ? " to " + clock_time(*chain.end_wall_ns) : "");
  }
  return out;
}

std::string chains_text(const std::vector<ReportedChain>& chains, const store::NodeClocks& clocks, bool colour) {
  if (chains.empty()) return "No causal chain is stored in the selected part.\n";
  std::string out = fmt::format("CAUSAL CHAINS - {}\n", plural(chains.size(), "chain"));
  for (const ReportedChain& chain : chains) out += "\n" + chain_text(chain, colour);
  return out + order_text(chains, clocks);
}

std::vector<store::Ordered> order_of(const std::vector<ReportedChain>& chains, const store::NodeClocks& clocks) {
  std::vector<store::Moment> moments;
  for (const ReportedChain& chain : chains) {
    const uint64_t onset_ns = chain.onset_wall_ns.value_or(chain.detected_wall_ns);
    if (onset_ns == 0) continue;
    moments.push_back({chain.node, chain.id, onset_ns, clocks.at(chain.node, onset_ns)});
  }
  return store::in_order_of_nodes(std::move(moments));
}

namespace {

std::string order_heading(std::string_view whose_clock) {
  return fmt::format(
      "\nIN ORDER OF TIME, by {} clock (~: it may have begun before the one above it; clocks are not known that "
      "well)\n",
      whose_clock);
}

// "2026-11-25T13:21:45.120000000Z [gpu-01] a1"
std::string order_line(bool is_certain, std::string_view onset, std::string_view node, std::string_view id) {
  return fmt::format("{} {} [{}] {}\n", is_certain ? " " : "~", printable(onset), printable(node), printable(id));
}

std::string fleet_order_text(const Json& order) {
  if (order.size() < 2) return {};
  std::string out = order_heading("this machine's");
  for (size_t i = 0; i < order.size(); ++i) {
    const Json& one = order.at(i);
    out += order_line(i == 0 || one.at("is_certain") == true, text_member(one, "onset"), text_member(one, "node"),
                      text_member(one, "id"));
  }
  return out;
}

}  // namespace

std::string order_text(const std::vector<ReportedChain>& chains, const store::NodeClocks& clocks) {
  const std::vector<store::Ordered> order = order_of(chains, clocks);
  if (order.empty()) return {};
  std::string out =
      order_heading(clocks.is_any_known() ? printable(clocks.reference(), 256) + "'s" : "each node's own");
  std::map<std::string_view, std::string_view> summaries;
  for (const ReportedChain& chain : chains) summaries[chain.id] = chain.summary;
  for (const store::Ordered& one : order) {
    out += order_line(&one == &order.front() || one.is_certain, format_wall(one.ours_ns.value_or(one.moment.wall_ns)),
                      one.moment.node, printable(summaries[one.moment.id], 120));
  }
  return out;
}

std::string fleet_chains_text(const Json& answer, bool colour) {
  const Json& chains = answer["chains"];
  const auto all = answer["nodes"].size();
  const auto silent = std::count_if(answer["nodes"].begin(), answer["nodes"].end(),
                                    [](const Json& node) { return node["answered"] == false; });
  std::string out = fmt::format("FLEET CAUSAL CHAINS - {} from {}", plural(chains.size(), "chain"),
                                plural(all - static_cast<size_t>(silent), "node"));
  if (silent > 0) out += fmt::format("; {} did not answer", silent);
  out += "\n";
  for (const Json& chain : chains) {
    out += fmt::format("\n[{}] {}", printable(text_member(chain, "node")), chain_text(chain_of(chain), colour));
  }
  return out + fleet_order_text(answer.value("order", Json::array()));
}

Json chain_json(const ReportedChain& chain) {
  Json json{{"id", chain.id},
            {"severity", chain.severity},
            {"summary", chain.summary},
            {"root_cause", chain.root_cause},
            {"detected_at", format_wall(chain.detected_wall_ns)},
            {"explanation", chain.explanation},
            {"rule", json_or_null(chain.rule)},
            {"grade", json_or_null(chain.grade)},
            {"confidence", json_or_null(chain.confidence)},
            {"node", json_or_null(chain.node)},
            {"pid", json_or_null(chain.pid)},
            {"tid", json_or_null(chain.tid)},
            {"process", json_or_null(chain.process)},
            {"rank", json_or_null(chain.rank)},
            {"op", json_or_null(chain.op)},
            {"usual_us", chain.usual_ns > 0 ? Json(chain.usual_ns / 1000) : Json(nullptr)},
            {"slowest_us", chain.usual_ns > 0 ? Json(chain.slowest_ns / 1000) : Json(nullptr)},
            {"lost_ns", json_or_null(chain.lost_ns)},
            {"onset", time_or_null(chain.onset_wall_ns)},
            {"end", time_or_null(chain.end_wall_ns)},
            {"resolved_at", time_or_null(chain.resolved ? chain.end_wall_ns : std::nullopt)},
            {"stack_hash", chain.stack_hash ? Json(static_cast<int64_t>(*chain.stack_hash)) : Json(nullptr)}};
  json["timeline"] = Json::array();
  for (const auto& step : chain.timeline) {
    json["timeline"].push_back(
        {{"layer", step.layer}, {"op", step.op}, {"detail", step.detail}, {"duration_us", whole_us(step)}});
  }
  json["recommendations"] = chain.recommendations;
  json["symptoms"] = chain.symptoms;
  json["stack"] = chain.lines;
  if (!chain.labels.empty()) json["labels"] = labels_json(chain.labels);
  json["evidence"] = Json::array();
  for (const auto& row : chain.evidence) {
    json["evidence"].push_back({{"pid", row.pid},
                                {"tid", row.tid},
                                {"op", json_or_null(row.op)},
                                {"start", format_wall(row.start_wall_ns)},
                                {"duration_ns", row.duration_ns},
                                {"detail", row.detail},
                                {"query", query_of(row)}});
  }
  return json;
}

std::string chains_json(const std::vector<ReportedChain>& chains) {
  Json json = Json::array();
  for (const ReportedChain& chain : chains) json.push_back(chain_json(chain));
  return dump_indented(json);
}

}  // namespace ingero::report
