// The tool pagerduty_trigger: lets a model page a person about what it has found.
#include "base/json.h"
#include "serve/tools/remote.h"
#include "serve/tools/tool_list.h"

namespace ingero::serve::tools {
namespace {

constexpr size_t kMaxDetails = 256 << 10;

Result<Json> pagerduty_trigger(Question& question) {
  const Json& input = question.input;
  if (input.contains("custom_details") && dump(input["custom_details"]).size() > kMaxDetails) {
    return Error(Errc::kInvalid, "custom_details is longer than 256 KiB");
  }
  return question.pager->trigger(input, question.limits.time_ns);
}

}  // namespace

std::vector<Tool> alert_tools() {
  Json inputs = {
      {"summary", property("string", "What is wrong, in one sentence", {{"minLength", 1}, {"maxLength", 1024}})},
      {"severity",
       property("string", "How bad it is", {{"enum", {"info", "warning", "error", "critical"}}, {"default", "error"}})},
      {"source",
       property("string", "Which machine or job (default: this machine)", {{"minLength", 1}, {"maxLength", 255}})},
      {"dedup_key",
       property("string", "Pages with the same key are one incident (default: derived from source and summary)",
                {{"minLength", 1}, {"maxLength", 255}})},
      {"custom_details", property("object", "What else to show, at most 256 KiB")}};
  Tool tool{"pagerduty_trigger",
            "Page who is on call",
            "Opens an incident at PagerDuty with the operator's key, which may wake a person: use only for what needs "
            "immediate action. The same source and summary again is the same incident.",
            input_of(std::move(inputs), {"summary"}),
            object_of("status:string dedup_key:string"),
            false,
            false,
            pagerduty_trigger,
            nullptr};
  tool.requirement = Requirement::kPager;
  return {std::move(tool)};
}

}  // namespace ingero::serve::tools
