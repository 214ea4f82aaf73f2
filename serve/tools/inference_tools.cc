// Inference: what the report says of workloads, slow steps and engines.
#include "serve/tools/tool_list.h"

namespace ingero::serve::tools {
namespace {

Result<Json> inference(Question& question) {
  const auto selection = selection_of(question.input, *question.reader, question.clock);
  if (!selection.ok()) return selection.error();
  report::ReportOptions parts = report::ReportOptions::nothing();
  parts.inference = true;
  auto found = report_of(question, *question.reader, *selection, parts);
  if (!found.ok()) return found.error();
  Json answer = (*found)["inference"];
  if (answer.is_null()) {
    answer = {{"workloads", Json::array()}, {"slow_steps", Json::array()}, {"engines", Json::array()}};
  }
  return answer;
}

}  // namespace

std::vector<Tool> inference_tools() {
  Json properties = range_properties();
  properties["pid"] = property("integer", "Only this process", {{"minimum", 1}, {"maximum", 4294967295U}});
  Json output = object_of("");
  output["properties"] = {
      {"workloads",
       list_of(object_of("pid:integer process:string? phase:string stream:integer? engine:string? model:string? "
                         "steps:integer slow_1_5x:integer slow_2x:integer slow_3x:integer mean_ns:integer? "
                         "p95_ns:integer? max_ns:integer idle_ns:integer launches:integer graph_launches:integer "
                         "copied_bytes:integer relearned:integer"))},
      {"slow_steps",
       list_of(object_of("id:integer start_wall_ns:integer pid:integer tid:integer phase:string slow:string "
                         "duration_ns:integer baseline_p95_ns:integer? wait_ns:integer launches:integer "
                         "graph_launches:integer incident:string?"))},
      {"engines", list_of(object_of("engine:string pid:integer model:string? name:string unit:string value:number? "
                                    "interval_mean:number? interval_p95:number?"))}};
  output["required"] = {"workloads", "slow_steps", "engines"};
  return {
      {"get_inference", "Steps of inference",
       "Of a recording made with --inference: per workload (process, stream, phase) how many steps it made, how long "
       "one usually takes and how many were slow, over the whole recording; the worst slow steps of the selection with "
       "the causal chain of their time; and the latest metrics of the model servers. Idle time between "
       "requests is part of no step. Empty without --inference.",
       input_of(std::move(properties)), std::move(output), true, true, inference, nullptr}};
}

}  // namespace ingero::serve::tools
