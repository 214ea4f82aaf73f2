// Figures, causal chains, slow and unfinished calls: members of the report that `ingero explain --json` prints.
#include <algorithm>
#include <cmath>
#include <set>

#include "serve/tools/compact.h"
#include "serve/tools/tool_list.h"
#include "store/read/time_order.h"
#include "store/read/time_range.h"
#include "store/read/timeline.h"

namespace ingero::serve::tools {
namespace {

constexpr const char* kFigures =
    "op:string call:string layer:string vendor:string kind:string count:integer errors:integer unfinished:integer "
    "avg_ns:integer? min_ns:integer? p50_ns:integer? p95_ns:integer? p99_ns:integer? max_ns:integer? total_ns:integer? "
    "percentiles_exact:boolean bytes:integer? off_cpu:object?";
constexpr const char* kCall =
    "id:string op:string call:string layer:string outcome:string? start:string start_ns:integer duration_ns:integer? "
    "pid:integer tid:integer process:string? return_code:integer? failed:boolean bytes:integer? off_cpu:object? "
    "culprit:object? parent_call:string?";
constexpr const char* kChain =
    "id:string severity:string summary:string root_cause:string detected_at:string explanation:string rule:string? "
    "grade:string? confidence:number? node:string? pid:integer? op:string? lost_ns:integer? onset:string? end:string? "
    "timeline:array recommendations:array symptoms:array stack:array evidence_rows:integer";

Json with(std::string_view members, std::initializer_list<std::pair<const char*, Json>> lists) {
  Json schema = object_of(members);
  for (const auto& [name, items] : lists) {
    schema["properties"][name] = list_of(items);
    schema["required"].push_back(name);
  }
  return schema;
}

Json ranged(const Json& properties) {
  Json all = range_properties();
  all.update(properties);
  return all;
}

Json pid_property() { return property("integer", "Only this process", {{"minimum", 1}, {"maximum", 4294967295U}}); }
Json op_property() {
  return property("string", "Only this call, upper or lower case", {{"minLength", 1}, {"maxLength", 128}});
}

Result<Json> report(Question& question, const Result<store::Selection>& selection, const report::ReportOptions& parts) {
  if (!selection.ok()) return selection.error();
  return report_of(question, *question.reader, *selection, parts);
}

Result<Json> trace_stats(Question& question) {
  report::ReportOptions parts = report::ReportOptions::nothing();
  parts.figures = parts.kernels = true;
  auto found =
      report(question, figures_selection(question, question.input, *question.reader, "failures and kernels"), parts);
  if (!found.ok()) return found.error();
  const Json& said = (*found)["recording"];
  return Json{{"first", said["first"]},
              {"last", said["last"]},
              {"events", said["events"]},
              {"rows_pruned", said["rows_pruned"]},
              {"calls", (*found)["calls"]},
              {"host", (*found)["host"]},
              {"processes", (*found)["processes"]},
              {"failures", (*found)["failures"]},
              {"kernels", (*found)["kernels"]}};
}

// {n, ops: [{op, n, p50, p95, p99, w%, ...}]}: microseconds.
Json short_stats(const Json& answer) {
  Json ops = Json::array();
  uint64_t all = 0;
  for (const char* list : {"calls", "host"}) {
    for (const Json& call : answer[list]) all += call["total_ns"].is_null() ? 0 : call["total_ns"].get<uint64_t>();
  }
  const auto us = [](const Json& ns) { return ns.is_null() ? Json(nullptr) : Json(ns.get<uint64_t>() / 1000); };
  for (const char* list : {"calls", "host"}) {
    for (const Json& call : answer[list]) {
      Json op{{"op", call["op"]},          {"n", call["count"]},        {"p50", us(call["p50_ns"])},
              {"p95", us(call["p95_ns"])}, {"p99", us(call["p99_ns"])}, {"max", us(call["max_ns"])}};
      if (all > 0 && !call["total_ns"].is_null()) {
        op["w%"] = std::round(1000.0 * call["total_ns"].get<double>() / static_cast<double>(all)) / 10;
      }
      if (call["errors"] != 0) op["errors"] = call["errors"];
      if (call["unfinished"] != 0) op["unfinished"] = call["unfinished"];
      ops.push_back(compact(op));
    }
  }
  Json out{{"n", answer["events"]}, {"ops", std::move(ops)}};
  for (const char* name : {"recording", "lost", "cut"}) out[name] = compact(answer[name]);
  return out;
}

// Everything of a chain but its evidence, which get_chain_evidence gives.
Json without_evidence(const Json& chain) {
  Json out = chain;
  out["evidence_rows"] = chain["evidence"].size();
  out.erase("evidence");
  return out;
}

std::set<uint32_t> wanted_pids(const Json& input) {
  std::set<uint32_t> pids;
  if (input.contains("pid")) pids.insert(input["pid"].get<uint32_t>());
  for (const Json& pid : input.value("pids", Json::array())) pids.insert(pid.get<uint32_t>());
  return pids;
}

// One run of the engine over the selection, for the list of chains and for the evidence of each.
Result<Json> all_chains(Question& question) {
  Json part = question.input;
  part.erase("pid");  // of several processes, and after the engine has seen all of them
  const auto selection = selection_of(part, *question.reader, question.clock);
  if (!selection.ok()) return selection.error();
  report::ReportOptions parts = report::ReportOptions::nothing();
  parts.incidents = parts.evaluates_stored = true;
  const auto text = [](const auto& bound) { return bound ? fmt::format("{}", *bound) : "-"; };
  const std::string name =
      fmt::format("chains {} {} {}", text(selection->from_wall_ns), text(selection->to_wall_ns), text(selection->pid));
  return question.shared(name, [&] { return report_of(question, *question.reader, *selection, parts); });
}

Json of_processes(Json& chains, const std::set<uint32_t>& pids) {
  Json kept = Json::array();
  for (Json& chain : chains) {
    if (pids.empty() || chain["pid"].is_null() || pids.count(chain["pid"].get<uint32_t>()) > 0) {
      kept.push_back(std::move(chain));
    }
  }
  return kept;
}

// Of chains of several nodes, which began first; where that is not known, it says so.
void add_order(Question& question, const Json& chains, Json& answer) {
  const auto clocks = question.timeline->clocks(*question.reader);
  if (!clocks.ok() || !clocks->are_several()) return;
  std::vector<store::Moment> moments;
  for (const Json& chain : chains) {
    const auto onset = store::parse_time(text_member(chain, "onset"), 0);
    const std::string node = text_member(chain, "node");
    if (onset.ok()) moments.push_back({node, text_member(chain, "id"), *onset, clocks->at(node, *onset)});
  }
  answer["order"] = store::order_json(store::in_order_of_nodes(std::move(moments)));
  answer["clocks"] = store::clocks_json(*clocks);
  answer["notes"] = Json::array({store::order_sentence(*clocks)});
}

Result<Json> causal_chains(Question& question) {
  auto found = all_chains(question);
  if (!found.ok()) return found.error();
  const Json chains = of_processes((*found)["incidents"], wanted_pids(question.input));
  const int64_t asked = question.input["top_n"].get<int64_t>();
  const size_t most = asked < 0 ? chains.size() : asked == 0 ? 10 : static_cast<size_t>(asked);
  Json given = Json::array();
  for (size_t i = 0; i < std::min(most, chains.size()); ++i) given.push_back(without_evidence(chains[i]));
  if (given.size() < chains.size()) {
    question.cuts.push_back(fmt::format("the worst {} of {} chains are given (top_n)", given.size(), chains.size()));
  }
  Json answer{{"chains", std::move(given)},
              {"total", chains.size()},
              {"examined", (*found)["examined"]},
              {"earlier_chains", (*found)["earlier_chains"]}};
  add_order(question, answer["chains"], answer);
  return answer;
}

Json short_chains(const Json& answer) {
  Json chains = Json::array();
  for (const Json& chain : answer["chains"]) {
    Json timeline = Json::array();
    for (const Json& step : chain["timeline"]) {
      timeline.push_back(compact({{"layer", step["layer"]}, {"op", step["op"]}, {"detail", step["detail"]}}));
    }
    chains.push_back(compact({{"id", chain["id"]},
                              {"severity", chain["severity"]},
                              {"summary", chain["summary"]},
                              {"root_cause", chain["root_cause"]},
                              {"recommendations", chain["recommendations"]},
                              {"timeline", std::move(timeline)}}));
  }
  Json out{{"chains", std::move(chains)}, {"total", answer["total"]}};
  for (const char* name : {"recording", "lost", "cut"}) out[name] = compact(answer[name]);
  if (!answer["earlier_chains"].is_null()) out["earlier_chains"] = compact(answer["earlier_chains"]);
  for (const char* name : {"order", "clocks", "notes"}) {
    if (answer.contains(name)) out[name] = compact(answer[name]);
  }
  return out;
}

Result<Json> chain_evidence(Question& question) {
  auto found = all_chains(question);
  if (!found.ok()) return found.error();
  const auto id = question.input["id"].get<std::string>();
  const Json& chains = (*found)["incidents"];
  const auto chain = std::find_if(chains.begin(), chains.end(), [&](const Json& one) { return one["id"] == id; });
  if (chain == chains.end()) {
    return Error(Errc::kNotFound, fmt::format("no causal chain has the id \"{}\"", id),
                 "get_causal_chains lists them; give the same since, from and to");
  }
  Json events = Json::array();
  for (const Json& row : (*chain)["evidence"]) {
    const auto rows = rows_of(question, row["query"].get<std::string>(), {}, 4, "rows of one event");
    if (!rows.ok()) return rows.error();
    for (const Json& event : *rows) events.push_back(event);
  }
  return Json{{"chain", *chain}, {"events", std::move(events)}};
}

Result<Json> time_spent(Question& question) {
  report::ReportOptions parts = report::ReportOptions::nothing();
  parts.time = true;
  auto found =
      report(question, rows_selection(question, question.input, *question.reader, kReplayedRows, "where the time went"),
             parts);
  if (!found.ok()) return found.error();
  Json processes = (*found)["time"];
  const bool is_known = !processes.is_null();
  if (!is_known) processes = Json::array();
  const auto limit = question.input["limit"].get<size_t>();
  const size_t total = processes.size();
  while (processes.size() > limit) processes.erase(processes.size() - 1);
  return Json{{"known", is_known}, {"total", total}, {"processes", std::move(processes)}};
}

Result<Json> slowest_calls(Question& question) {
  report::ReportOptions parts = report::ReportOptions::nothing();
  parts.slowest = question.input["limit"].get<uint32_t>();
  parts.per_call = question.input["per_call"].get<uint32_t>();
  auto found = report(
      question, rows_selection(question, question.input, *question.reader, kScannedRows, "the slowest calls"), parts);
  if (!found.ok()) return found.error();
  return Json{{"calls", (*found)["slowest"]}};
}

Result<Json> calls_in_flight(Question& question) {
  report::ReportOptions parts = report::ReportOptions::nothing();
  parts.unfinished = question.input["limit"].get<uint32_t>();
  auto found = report(question, selection_of(question.input, *question.reader, question.clock), parts);
  if (!found.ok()) return found.error();
  Json calls = (*found)["unfinished"];
  if (calls.is_null()) calls = Json::array();  // said by `known`
  return Json{{"known", !(*found)["unfinished"].is_null()}, {"calls", std::move(calls)}};
}

}  // namespace

std::vector<Tool> report_tools() {
  Json chains = with("total:integer examined:object? earlier_chains:array?", {{"chains", object_of(kChain)}});
  // Of a recording of several nodes.
  chains["properties"].update(
      {{"order", order_schema()}, {"clocks", clocks_schema()}, {"notes", list_of({{"type", "string"}})}});
  return {
      {"get_trace_stats", "Figures of the calls",
       "Per call (of GPU libraries and of the host): how often, how long (median, p95, p99, longest, total), errors, "
       "bytes, "
       "and how much of the time its threads were off the CPU; kernels by launches and by the waits behind them. Start "
       "here.",
       input_of(ranged({{"pid", pid_property()}, {"op", op_property()}})),
       with("first:string? last:string? events:integer rows_pruned:integer failures:array? processes:array "
            "kernels:array?",
            {{"calls", object_of(kFigures)}, {"host", object_of(kFigures)}}),
       true, true, trace_stats, short_stats},
      {"get_causal_chains", "Causal chains",
       "What was slow, failed or hung, and what caused it: worst first, with root cause, timeline and remedies. An "
       "empty "
       "list means that nothing stood out.",
       input_of(ranged({{"pid", pid_property()},
                        {"pids", property("array", "Only chains of these processes, and those of no one process",
                                          {{"items", {{"type", "integer"}, {"minimum", 1}, {"maximum", 4294967295U}}},
                                           {"maxItems", 256}})},
                        {"top_n", property("integer", "Only this many, the worst; negative: all",
                                           {{"default", 10}, {"minimum", -1000000}, {"maximum", 1000}})}})),
       std::move(chains), true, true, causal_chains, short_chains},
      {"get_time_spent", "Where the time went",
       "Why steps are slow although the device is idle, also when the reason lies between calls: per process the "
       "verdict "
       "in one sentence, what its submitting thread did (classes sum to the time), how long the device had nothing to "
       "do, what that was lost to, who was waited for, and slow steps. Begin here.",
       input_of(ranged({{"pid", pid_property()},
                        {"limit", property("integer", "Maximum number of processes",
                                           {{"default", 5}, {"minimum", 1}, {"maximum", 100}})}})),
       with("known:boolean total:integer",
            {{"processes", object_of("process:object interval:object steps:object? verdict:object idle_ns:object "
                                     "classes:array blame:array remedy:string? slow:array "
                                     "waiting_for_clients_ns:integer")}}),
       true, true, time_spent, nullptr},
      {"get_chain_evidence", "Evidence of one causal chain",
       "One causal chain by its id, with the recorded events that show it.",
       input_of(ranged({{"id",
                         property("string", "As get_causal_chains gives it", {{"minLength", 1}, {"maxLength", 256}})}}),
                {"id"}),
       with("chain:object", {{"events", Json{{"type", "object"}}}}), true, true, chain_evidence, nullptr},
      {"get_slowest_calls", "Slowest calls",
       "The slowest single calls: where their time went (preempted, waiting for a CPU, asleep, in I/O), who had the "
       "CPU "
       "meanwhile, and the stack they were made from.",
       input_of(ranged({{"pid", pid_property()},
                        {"op", op_property()},
                        {"limit", property("integer", "Maximum number of calls",
                                           {{"default", 10}, {"minimum", 1}, {"maximum", 100}})},
                        {"per_call", property("integer", "Maximum number for each call; 0: no limit",
                                              {{"default", 3}, {"minimum", 0}, {"maximum", 100}})}})),
       with("", {{"calls", object_of(kCall)}}), true, true, slowest_calls, nullptr},
      {"get_calls_in_flight", "Calls in flight",
       "Calls that have not returned, or never did, longest first: where a hung program hangs. \"known\" is false for "
       "a "
       "recording of an agent that stored a call only when it returned.",
       input_of(ranged({{"pid", pid_property()},
                        {"op", op_property()},
                        {"limit", property("integer", "Maximum number of calls",
                                           {{"default", 20}, {"minimum", 1}, {"maximum", 100}})}})),
       with("known:boolean", {{"calls", object_of(kCall)}}), true, true, calls_in_flight, nullptr},
  };
}

}  // namespace ingero::serve::tools
