// Two parts of a recording, or two recordings, side by side.
#include <algorithm>
#include <cmath>
#include <map>

#include "serve/tools/tool_list.h"

namespace ingero::serve::tools {
namespace {

struct Side {
  Json report;
  double seconds = 0;
};

Result<Side> side_of(Question& question, const char* name) {
  const Json& input = question.input[name];
  const bool is_other = input.contains("recording");
  const store::Reader& reader = is_other ? *question.other : *question.reader;
  const auto selection = figures_selection(question, input, reader, "failures");
  if (!selection.ok()) return selection.error().in(name);
  report::ReportOptions parts = report::ReportOptions::nothing();
  parts.figures = parts.incidents = true;
  auto report = report_of(question, reader, *selection, parts);
  if (!report.ok()) return report.error().in(name);
  const auto span = reader.time_span();
  if (!span.ok()) return span.error();
  Side side{std::move(*report), 0};
  if (*span) {
    const uint64_t from = std::max(selection->from_wall_ns.value_or(0), (*span)->first_wall_ns);
    const uint64_t to = std::min(selection->to_wall_ns.value_or(UINT64_MAX), (*span)->last_wall_ns);
    if (to > from) side.seconds = static_cast<double>(to - from) / 1e9;
  }
  return side;
}

using ByOp = std::map<std::pair<std::string, std::string>, const Json*>;  // layer and op

ByOp by_op(const Json& report) {
  ByOp found;
  for (const char* list : {"calls", "host"}) {
    for (const Json& call : report[list]) {
      found[{call["layer"].get<std::string>(), call["op"].get<std::string>()}] = &call;
    }
  }
  return found;
}

Json rate(const Json* call, double seconds) {
  if (call == nullptr || seconds <= 0) return nullptr;
  return std::round(100 * (*call)["count"].get<double>() / seconds) / 100;
}

Json figure(const Json* call, const char* name) { return call == nullptr ? Json(nullptr) : (*call)[name]; }

Json ratio(const Json& before, const Json& after) {
  if (!before.is_number() || !after.is_number() || before.get<double>() == 0) return nullptr;
  return std::round(1000 * after.get<double>() / before.get<double>()) / 1000;
}

Json side_json(const Side& side) {
  Json chains = Json::array();
  for (const Json& chain : side.report["incidents"]) {
    chains.push_back(
        {{"id", chain["id"]}, {"severity", chain["severity"]}, {"rule", chain["rule"]}, {"summary", chain["summary"]}});
    if (chains.size() == 20) break;
  }
  const Json& said = side.report["recording"];
  return {{"first", said["first"]},      {"last", said["last"]},
          {"events", said["events"]},    {"seconds", std::round(side.seconds * 1000) / 1000},
          {"chains", std::move(chains)}, {"chains_total", side.report["incidents"].size()}};
}

Result<Json> compare(Question& question) {
  const auto before = side_of(question, "before");
  if (!before.ok()) return before.error();
  const auto after = side_of(question, "after");
  if (!after.ok()) return after.error();
  const ByOp a = by_op(before->report), b = by_op(after->report);
  ByOp both = a;
  both.insert(b.begin(), b.end());
  Json calls = Json::array();
  for (const auto& entry : both) {
    const auto& key = entry.first;
    const auto at = [&](const ByOp& side) { return side.count(key) > 0 ? side.at(key) : nullptr; };
    const Json *one = at(a), *other = at(b);
    Json call{{"op", key.second}, {"layer", key.first}};
    for (const char* name : {"count", "p50_ns", "p99_ns", "max_ns", "total_ns", "errors"}) {
      call[name] = {{"before", figure(one, name)}, {"after", figure(other, name)}};
    }
    call["per_second"] = {{"before", rate(one, before->seconds)}, {"after", rate(other, after->seconds)}};
    for (const char* name : {"p50_ns", "p99_ns", "per_second"}) {
      call[name]["ratio"] = ratio(call[name]["before"], call[name]["after"]);
    }
    calls.push_back(std::move(call));
  }
  // What changed most comes first; what is on one side only counts as a great change.
  const auto change = [](const Json& call) {
    const Json& ratio = call["p99_ns"]["ratio"];
    if (call["count"]["before"].is_null() || call["count"]["after"].is_null()) return 1e9;
    return ratio.is_null() || ratio.get<double>() <= 0 ? 0.0 : std::abs(std::log(ratio.get<double>()));
  };
  std::stable_sort(calls.begin(), calls.end(),
                   [&](const Json& one, const Json& other) { return change(one) > change(other); });
  return Json{{"before", side_json(*before)}, {"after", side_json(*after)}, {"calls", std::move(calls)}};
}

Json side_property(std::string_view what) {
  Json properties = range_properties();
  properties["recording"] = property("string", "Another recording: the name it was given with --with",
                                     {{"minLength", 1}, {"maxLength", 256}});
  return {{"type", "object"},
          {"description", what},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

}  // namespace

std::vector<Tool> compare_tools() {
  Json output = object_of("before:object after:object");
  output["properties"]["calls"] = list_of(object_of(
      "op:string layer:string count:object per_second:object p50_ns:object p99_ns:object max_ns:object total_ns:object "
      "errors:object"));
  output["required"].push_back("calls");
  return {{"compare", "Compare two parts",
           "Compares two time ranges of this recording, or this recording with another: count and durations of each "
           "call before and after, largest change first, and the causal chains of each.",
           input_of({{"before", side_property("The baseline")},
                     {"after", side_property("The selection that is compared with the baseline")}},
                    {"before", "after"}),
           std::move(output), true, true, compare, nullptr}};
}

}  // namespace ingero::serve::tools
