// The tool query_fleet: one question to all configured nodes, so that a client need not know or reach them.
#include "serve/tools/remote.h"
#include "serve/tools/tool_list.h"

namespace ingero::serve::tools {
namespace {

Result<Json> query_fleet(Question& question) {
  return question.nodes->ask(question.input, question.limits, question.cuts);
}

Json answer_schema() {
  Json nodes = object_of(
      "node:string answered:boolean kind:string? error:string? class:string? recording:object? lost:array? "
      "clock_offset_ns:integer? "
      "clock_within_ns:integer?");
  Json schema = object_of("action:string");
  const auto add = [&](const char* name, Json items, const char* what, bool always = false) {
    schema["properties"][name] = list_of(std::move(items));
    schema["properties"][name]["description"] = what;
    if (always) schema["required"].push_back(name);
  };
  add("nodes", std::move(nodes), "Every configured node, and why one gave no answer", true);
  add("notes", {{"type", "string"}}, "What to know before comparing nodes: clocks apart, columns that one lacks", true);
  add("chains", object_of("node:string severity:string summary:string root_cause:string"), "Of action chains");
  add("order", order_schema()["items"],
      "Of action chains of several nodes: when each began by the clock of who asked, the earliest first, and whether "
      "it certainly began after the one before it");
  add(
      "ops",
      [] {
        Json op = object_of(
            "op:string call:string layer:string vendor:string kind:string count:integer? errors:integer? "
            "unfinished:integer? total_ns:integer? min_ns:integer? max_ns:integer?");
        op["properties"]["nodes"] = list_of(
            object_of("node:string count:integer avg_ns:integer? p50_ns:integer? p95_ns:integer? p99_ns:integer?"));
        op["required"].push_back("nodes");
        return op;
      }(),
      "Of action ops: all nodes' counts and times together, percentiles of each node by itself");
  add("overview", object_of("node:string events:integer first:string? last:string? chains:integer top_chain:object?"),
      "For action overview");
  add("columns", {{"type", "string"}}, "For action sql: column names, \"node\" first");
  add("data", {{"type", "array"}}, "For action sql: the rows");
  return schema;
}

}  // namespace

std::vector<Tool> fleet_tools() {
  Json inputs = range_properties();
  inputs.update(
      {{"action",
        property("string", "What to ask", {{"enum", {"chains", "ops", "overview", "sql"}}, {"default", "overview"}})},
       {"pid", property("integer", "Only this process of each machine", {{"minimum", 1}, {"maximum", 4294967295U}})},
       {"query", property("string", "SQL statement for action \"sql\"; put time and pid conditions in it",
                          {{"minLength", 1}, {"maxLength", 65536}})},
       {"sql", property("string", "Alias of \"query\"", {{"minLength", 1}, {"maxLength", 65536}})},
       {"limit", property("integer", "Maximum number of rows per machine, of chains or of calls",
                          {{"default", 1000}, {"minimum", 1}, {"maximum", 10000}})}});
  Tool tool{"query_fleet",
            "Several machines at once",
            "Asks the machines that the operator configured, all at once: their causal chains, figures of calls, an "
            "overview, or one SQL statement that only reads. A machine that does not answer is named, with the reason. "
            "The input cannot choose the machines.",
            input_of(std::move(inputs)),
            answer_schema(),
            false,
            false,
            query_fleet,
            nullptr};
  tool.requirement = Requirement::kNodes;
  return {std::move(tool)};
}

}  // namespace ingero::serve::tools
