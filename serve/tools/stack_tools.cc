// The tool for stacks: calls grouped by the call site and callers that made them.
#include "report/frame_text.h"
#include "serve/tools/tool_list.h"
#include "store/read/selection_sql.h"

namespace ingero::serve::tools {
namespace {

using store::Bound;

Result<Json> stacks(Question& question) {
  const Json& input = question.input;
  const auto selection = selection_of(input, *question.reader, question.clock);
  if (!selection.ok()) return selection.error();
  store::Conditions conditions;
  conditions.add("e.stack_hash IS NOT NULL AND e.stack_hash <> 0");
  conditions.add_events(*selection);
  if (input.contains("source")) {
    conditions.add("(lower(e.layer) = lower(?) OR e.source IN (SELECT id FROM sources WHERE lower(name) = lower(?)))",
                   Bound::of(input["source"].get<std::string>()));
  }
  if (!selection->op.empty()) {
    conditions.add("(lower(e.op_name) = lower(?) OR lower(e.call) = lower(?))", Bound::of(selection->op));
  }
  auto rows = rows_of(
      question,
      "SELECT g.*, (SELECT frames FROM stack_traces WHERE hash = g.hash) AS frames FROM (SELECT e.stack_hash AS hash, "
      "e.op_name AS op, count(*) AS n, avg(e.duration) / 1000.0 AS avg_us, min(e.duration) / 1000.0 AS min_us, "
      "max(e.duration) / 1000.0 AS max_us, sum(e.duration) AS total_ns, CASE WHEN e.kind IN ('alloc', 'memcpy', "
      "'memset', "
      "'host') THEN sum(e.arg0) END AS sum_arg0, group_concat(DISTINCT e.comm) AS processes FROM events e" +
          conditions.where() + " GROUP BY 1, 2) g ORDER BY g.total_ns DESC, g.n DESC, g.hash, g.op",
      conditions.bound(), input["limit"].get<uint64_t>(), "stacks");
  if (!rows.ok()) return rows.error();
  for (Json& row : *rows) {
    row["frames"] =
        row["frames"].is_string() ? Json(report::frame_texts(row["frames"].get<std::string>())) : Json(nullptr);
  }
  return Json{
      {"stacks", std::move(*rows)},
      {"note", "By time spent, greatest first; frames innermost first. Not every call has a stack (trace --stack)."}};
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
  Json output = object_of("note:string");
  output["properties"]["stacks"] = list_of(
      object_of("hash:integer op:string n:integer avg_us:number? min_us:number? max_us:number? total_ns:integer? "
                "sum_arg0:integer? processes:string? frames:array?"));
  output["required"].push_back("stacks");
  return {
      {"get_stacks", "Stacks",
       "Where calls were made from: per call and stack how often and how long, with frames in the program's own words.",
       input_of(std::move(properties)), std::move(output), true, true, stacks, nullptr}};
}

}  // namespace ingero::serve::tools
