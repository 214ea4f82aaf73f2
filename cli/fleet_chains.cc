// Queries all nodes for causal chains and prints them as `explain` does for one recording, with the node's name.
#include "cli/fleet_chains.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/fleet_rows.h"
#include "report/chains.h"
#include "store/read/time_range.h"

namespace ingero::cli {
namespace {

// What a node says is hostile: members of another type are not there.
std::vector<std::string> texts_in(const Json& json, const char* name) {
  std::vector<std::string> out;
  if (!json.contains(name) || !json[name].is_array()) return out;
  for (const Json& item : json[name]) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

std::optional<uint64_t> time_in(const Json& json, const char* name) {
  const auto time = store::parse_time(text_member(json, name), 0);
  return time.ok() ? std::optional(*time) : std::nullopt;
}

report::StoredChain chain_of(const Json& json) {
  report::StoredChain chain;
  chain.severity = text_member(json, "severity");
  chain.summary = text_member(json, "summary");
  chain.root_cause = text_member(json, "root_cause");
  chain.rule = text_member(json, "rule");
  chain.grade = printable(text_member(json, "grade"), 64);
  if (json.contains("confidence") && json["confidence"].is_number())
    chain.confidence = json["confidence"].get<double>();
  chain.onset_wall_ns = time_in(json, "onset");
  chain.ended_wall_ns = time_in(json, "end");
  chain.lines = texts_in(json, "stack");
  chain.symptoms = texts_in(json, "symptoms");
  chain.recommendations = texts_in(json, "recommendations");
  for (const Json& step : json["timeline"]) {
    const bool is_timed = step.is_object() && step.contains("duration_us") && step["duration_us"].is_number_unsigned();
    chain.timeline.push_back(
        {text_member(step, "layer"), text_member(step, "op"), text_member(step, "detail"),
         is_timed ? std::min<uint64_t>(step["duration_us"].get<uint64_t>(), INT64_MAX / 1000) : 0});
  }
  return chain;
}

std::string text_of(const Json& answer, bool colour) {
  const Json& chains = answer["chains"];
  const auto all = answer["nodes"].size();
  const auto silent = std::count_if(answer["nodes"].begin(), answer["nodes"].end(),
                                    [](const Json& node) { return node["answered"] == false; });
  std::string out = fmt::format("FLEET CAUSAL CHAINS - {} from {}", plural(chains.size(), "chain"),
                                plural(all - static_cast<size_t>(silent), "node"));
  if (silent > 0) out += fmt::format("; {} did not answer", silent);
  out += "\n";
  for (const Json& chain : chains) {
    out += fmt::format("\n[{}] {}", printable(text_member(chain, "node")), report::chain_text(chain_of(chain), colour));
  }
  return out;
}

}  // namespace

Status explain_fleet(const fleet::Fleet& fleet, Json input, bool json, Context& context) {
  constexpr uint64_t kMaxChains = 10'000;
  input["action"] = "chains";
  input["limit"] = kMaxChains;
  const auto answer = ask_and_warn(fleet, input);
  if (!answer.ok()) return answer.error();
  context.out << (json ? (*answer)["chains"].dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                       : text_of(*answer, context.colour));
  return {};
}

}  // namespace ingero::cli
