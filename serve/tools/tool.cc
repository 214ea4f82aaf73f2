// The list of all tools, and what they share: members of every answer, common inputs, and classes of errors.
#include "serve/tools/tool.h"

#include <algorithm>

#include "base/text.h"
#include "serve/tools/tool_list.h"
#include "store/db/json_rows.h"
#include "store/read/labels.h"
#include "store/read/row_range.h"
#include "store/read/time_range.h"

namespace ingero::serve::tools {
namespace {

// The members that the query service adds to every answer.
void complete(Tool& tool) {
  const auto add = [&](const char* name, Json schema) {
    tool.output["properties"][name] = std::move(schema);
    tool.output["required"].push_back(name);
  };
  if (tool.needs_recording) {
    Json recording = object_of("file:string schema:string earlier_agent:boolean live:boolean not_ended:string?");
    const Json losses = list_of(object_of("name:string severity:string count:integer sentence:string"));
    recording["properties"]["lost_at_least"] = losses;
    // A node of an earlier release does not answer it.
    std::erase(recording["required"].get_ref<Json::array_t&>(), Json("not_ended"));
    add("recording", std::move(recording));
    Json lost = losses;
    lost["type"] = {"array", "null"};
    lost["description"] =
        "All that the recording lost, late or cut; null: not known, because a legacy agent kept no account, or because "
        "it "
        "has no proper end (recording.not_ended; recording.lost_at_least has what it says until then)";
    add("lost", std::move(lost));
  }
  Json cut = list_of({{"type", "string"}});
  cut["description"] = "What this answer leaves out, in sentences";
  add("cut", std::move(cut));
}

}  // namespace

const std::vector<Tool>& all_tools() {
  static const std::vector<Tool> tools = [] {
    std::vector<Tool> all;
    for (const auto family :
         {report_tools, compare_tools, collective_tools, inference_tools, stack_tools, graph_tools, memory_tools,
          timeline_tools, sample_tools, sql_tools, fleet_tools, alert_tools, host_tools}) {
      for (Tool& tool : family()) {
        complete(tool);
        all.push_back(std::move(tool));
      }
    }
    return all;
  }();
  return tools;
}

const Tool* find_tool(std::string_view name) {
  const auto& tools = all_tools();
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

std::string_view fault_name(Errc code) {
  switch (code) {
    case Errc::kInvalid:
      return "bad_input";
    case Errc::kNotFound:
      return "not_found";
    case Errc::kBusy:
      return "timed_out";
    case Errc::kPermission:
    case Errc::kNotSupported:
    case Errc::kFull:
      return "refused";
    case Errc::kIo:
    case Errc::kCorrupt:
      return "internal";
  }
  return "internal";
}

int fault_status(Errc code) {
  const std::string_view fault = fault_name(code);
  return fault == "bad_input"   ? 400
         : fault == "refused"   ? 403
         : fault == "not_found" ? 404
         : fault == "timed_out" ? 504
                                : 500;
}

Json clocks_schema() { return list_of(object_of("node:string offset_ns:integer? within_ns:integer?")); }

Json order_schema() {
  return list_of(object_of("node:string id:string onset:string within_ns:integer? is_certain:boolean"));
}

Json range_properties() {
  const Json text{{"maxLength", 64}};
  return {{"since", property("string", "Only the last 30s, 5m, 2h, 1d of the recording", text)},
          {"from", property("string", "From this time: \"2026-11-21T02:26:00Z\"", text)},
          {"to", property("string", "Up to this time", text)},
          {"run", property("string", "Run 1, 2, ... of the file, or all; default: the last", text)},
          {"label",
           property("string", "Only while this annotation held: \"step=17\"", {{"minLength", 3}, {"maxLength", 322}})}};
}

Json input_of(Json properties, Json required) {
  Json schema{{"type", "object"}, {"properties", std::move(properties)}};
  schema["properties"]["tsc"] = property("boolean", "Short keys, no empty values", {{"default", false}});
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

Result<Json> report_of(Question& question, const store::Reader& reader, const store::Selection& selection,
                       report::ReportOptions options) {
  options.time_ns = question.limits.time_ns;
  const auto report = report::gather_report(reader, selection, options, question.names);
  if (!report.ok()) return report.error();
  return report::report_document(*report);
}

Result<store::Selection> selection_of(const Json& input, const store::Reader& reader, const Clock& clock) {
  const auto text = [&](const char* name) { return input.value(name, std::string()); };
  const auto range = store::resolve_range({text("since"), text("from"), text("to"), text("run")}, reader, clock, 0, "");
  if (!range.ok()) return range.error();
  store::Selection selection;
  selection.from_wall_ns = range->from_wall_ns;
  selection.to_wall_ns = range->to_wall_ns;
  if (input.contains("pid")) selection.pid = input["pid"].get<uint32_t>();
  selection.op = text("op");
  if (const std::string label = text("label"); !label.empty()) {
    const Status narrowed = store::narrow_by_label(reader, label, selection);
    if (!narrowed.ok()) return narrowed.error();
  }
  return selection;
}

namespace {

Result<store::Selection> bounded_selection(Question& question, const Json& input, const store::Reader& reader,
                                           uint64_t most, std::string_view what, bool is_for_figures) {
  auto selection = selection_of(input, reader, question.clock);
  if (!selection.ok()) return selection;
  const bool keeps_histograms = is_for_figures && selection->whole();
  const auto from = store::select_rows(reader, *selection, most);
  if (!from.ok()) return from.error();
  if (!*from) return selection;
  if (!keeps_histograms) selection->from_wall_ns = **from;
  std::string cut = fmt::format(
      "the recording is being written: for {} only what ended since {} is read (the last {} events); name a "
      "time range (from, to) for another part, or ask again when it has ended",
      is_for_figures && !keeps_histograms ? "the figures" : what, format_wall(**from), most);
  // Both sides of a comparison may be cut alike.
  if (question.cuts.empty() || question.cuts.back() != cut) question.cuts.push_back(std::move(cut));
  return selection;
}

}  // namespace

Result<store::Selection> rows_selection(Question& question, const Json& input, const store::Reader& reader,
                                        uint64_t most, std::string_view what) {
  return bounded_selection(question, input, reader, most, what, false);
}

Result<store::Selection> figures_selection(Question& question, const Json& input, const store::Reader& reader,
                                           std::string_view what) {
  return bounded_selection(question, input, reader, kViewedRows, what, true);
}

Result<Json> rows_of(Question& question, const std::string& sql, const std::vector<store::Bound>& bound, uint64_t most,
                     std::string_view what) {
  std::vector<std::string> names;
  Json rows = Json::array();
  store::QueryLimits limits = question.limits;
  limits.rows = most;
  const auto outcome = question.reader->query(
      sql, limits,
      [&](std::span<const store::Value> values) {
        Json row = Json::object();
        for (size_t i = 0; i < values.size(); ++i) row[names[i]] = json_of(values[i]);
        rows.push_back(std::move(row));
        return true;
      },
      [&](std::span<const std::string_view> given) { names.assign(given.begin(), given.end()); }, bound);
  if (!outcome.ok()) return outcome.error();
  if (outcome->truncated) question.cuts.push_back(fmt::format("the first {} {} are given; there are more", most, what));
  return rows;
}

}  // namespace ingero::serve::tools
