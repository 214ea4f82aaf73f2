// The tool for stacks: calls grouped by the call site and callers that made them.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/text.h"
#include "report/frame_text.h"
#include "report/stack_shares.h"
#include "serve/tools/tool_list.h"
#include "store/read/call_names.h"
#include "store/read/selection_sql.h"

namespace ingero::serve::tools {
namespace {

using store::Bound;

struct Stack {
  report::StackShare share;
  std::set<std::string> processes;
};

// The shares of processes of different names added up, most time first.
std::vector<Stack> by_call_and_stack(const report::StackShares& shares) {
  std::map<std::pair<int64_t, std::string>, Stack> merged;
  const auto add = [](auto& to, const auto& more) {
    to = to || more ? std::optional(to.value_or(0) + more.value_or(0)) : to;
  };
  for (const report::StackShare& share : shares.stacks) {
    const auto [found, is_new] = merged.try_emplace({share.hash, share.op}, Stack{share, {}});
    Stack& stack = found->second;
    if (!share.untrusted_process.empty()) stack.processes.insert(share.untrusted_process);
    if (is_new) continue;
    stack.share.taken += share.taken;
    stack.share.calls += share.calls;
    stack.share.taken_ns += share.taken_ns;
    add(stack.share.total_ns, share.total_ns);
    add(stack.share.sum_arg0, share.sum_arg0);
    if (share.min_ns) stack.share.min_ns = std::min(*share.min_ns, stack.share.min_ns.value_or(*share.min_ns));
    if (share.max_ns) stack.share.max_ns = std::max(*share.max_ns, stack.share.max_ns.value_or(*share.max_ns));
  }
  std::vector<Stack> stacks;
  for (auto& [key, stack] : merged) stacks.push_back(std::move(stack));
  std::stable_sort(stacks.begin(), stacks.end(), [](const Stack& a, const Stack& b) {
    return std::pair(a.share.total_ns, a.share.calls) > std::pair(b.share.total_ns, b.share.calls);
  });
  return stacks;
}

Result<Json> row_of(Question& question, const Stack& stack) {
  const auto rows =
      rows_of(question, "SELECT frames FROM stack_traces WHERE hash = ?", {Bound::of(stack.share.hash)}, 1, "stacks");
  if (!rows.ok()) return rows.error();
  const bool is_known = !rows->empty() && (*rows)[0]["frames"].is_string();
  const auto us = [](const std::optional<uint64_t>& ns) {
    return ns ? Json(static_cast<double>(*ns) / 1000.0) : Json(nullptr);
  };
  const auto number = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  const report::StackShare& share = stack.share;
  std::string processes;
  for (const std::string& name : stack.processes) processes += (processes.empty() ? "" : ",") + name;
  return Json{
      {"hash", share.hash},
      {"op", share.op},
      {"n", share.calls},
      {"taken", share.taken},
      {"avg_us", share.total_ns && share.taken > 0
                     ? Json(static_cast<double>(share.taken_ns) / 1000.0 / static_cast<double>(share.taken))
                     : Json(nullptr)},
      {"min_us", us(share.min_ns)},
      {"max_us", us(share.max_ns)},
      {"total_ns", number(share.total_ns)},
      {"sum_arg0", number(share.sum_arg0)},
      {"processes", processes.empty() ? Json(nullptr) : Json(processes)},
      {"frames", is_known ? Json(report::frame_texts((*rows)[0]["frames"].get<std::string>())) : Json(nullptr)}};
}

// A layer that the recording does not have: an answer without stacks would not say why.
Status note_unknown_source(Question& question, const std::string& typed) {
  std::vector<std::string> known;
  const auto outcome = question.reader->query("SELECT name FROM sources UNION SELECT layer FROM calls", question.limits,
                                              [&](std::span<const store::Value> row) {
                                                if (row[0].type == store::Value::Type::kText)
                                                  known.emplace_back(row[0].text);
                                                return true;
                                              });
  if (!outcome.ok()) return outcome.error();
  const auto is_typed = [&](const std::string& one) { return edit_distance(one, typed) == 0; };
  if (known.empty() || std::any_of(known.begin(), known.end(), is_typed)) return {};
  question.cuts.push_back(
      fmt::format("no source of the recording is named \"{}\"{}", printable(typed, 64), did_you_mean(typed, known)));
  return {};
}

Result<Json> stacks(Question& question) {
  const Json& input = question.input;
  const auto selection = rows_selection(question, input, *question.reader, kViewedRows, "the stacks");
  if (!selection.ok()) return selection.error();
  store::Conditions conditions;
  conditions.add("(coalesce(e.kind, '') <> 'host' OR e.stack_hash <> 0)");
  conditions.add_events(*selection);
  if (input.contains("source")) {
    INGERO_TRY(note_unknown_source(question, input["source"].get<std::string>()));
    conditions.add("(lower(e.layer) = lower(?) OR e.source IN (SELECT id FROM sources WHERE lower(name) = lower(?)))",
                   Bound::of(input["source"].get<std::string>()));
  }
  if (!selection->op.empty()) {
    const auto names = store::calls_named(*question.reader, selection->op, question.limits);
    INGERO_TRY(names);
    conditions.add(store::is_of_calls(*names));
  }
  auto shares = report::gather_stack_shares(*question.reader, conditions, question.limits);
  if (!shares.ok()) return shares.error();
  auto stacks = by_call_and_stack(*shares);
  const auto most = input["limit"].get<size_t>();
  if (stacks.size() > most) {
    question.cuts.push_back(fmt::format("the first {} stacks are given; there are more", most));
    stacks.resize(most);
  }
  Json list = Json::array();
  for (const Stack& stack : stacks) {
    auto row = row_of(question, stack);
    if (!row.ok()) return row.error();
    list.push_back(std::move(*row));
  }
  return Json{{"stacks", std::move(list)},
              {"calls", shares->calls},
              {"calls_with_stack", shares->calls_with_stack},
              {"calls_covered", shares->calls_covered},
              {"total_ns", shares->total_ns},
              {"total_with_stack_ns", shares->total_with_stack_ns},
              {"total_covered_ns", shares->total_covered_ns},
              {"note",
               "By time spent, greatest first; frames innermost first. Not every call has a stack (trace --stack): n "
               "and total_ns include the calls that a sampled stack stands for, taken are those whose own it is. Of "
               "all calls and their time, calls_covered and total_covered_ns are in some stack."}};
}

}  // namespace

std::vector<Tool> stack_tools() {
  Json properties = range_properties();
  properties["source"] =
      property("string", "Only calls of this layer, a name of table sources", {{"minLength", 1}, {"maxLength", 64}});
  properties["op"] = property("string", "Only this call", {{"minLength", 1}, {"maxLength", 128}});
  properties["pid"] = property("integer", "Only this process", {{"minimum", 1}, {"maximum", 4294967295U}});
  properties["limit"] =
      property("integer", "Maximum number of stacks", {{"default", 10}, {"minimum", 1}, {"maximum", 100}});
  Json output = object_of(
      "note:string calls:integer calls_with_stack:integer calls_covered:integer total_ns:integer "
      "total_with_stack_ns:integer total_covered_ns:integer");
  output["properties"]["stacks"] = list_of(object_of(
      "hash:integer op:string n:integer taken:integer avg_us:number? min_us:number? max_us:number? total_ns:integer? "
      "sum_arg0:integer? processes:string? frames:array?"));
  output["required"].push_back("stacks");
  return {
      {"get_stacks", "Stacks",
       "Where calls were made from: per call and stack how often and how long, with frames in the program's own words.",
       input_of(std::move(properties)), std::move(output), true, true, stacks, nullptr}};
}

}  // namespace ingero::serve::tools
