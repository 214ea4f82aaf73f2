// Queries all nodes for causal chains and prints them as `explain` does for one recording, with the node's name.
#include "cli/fleet_chains.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/fleet_rows.h"
#include "report/chains.h"

namespace ingero::cli {
namespace {

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
    out += fmt::format("\n[{}] {}", printable(text_member(chain, "node")),
                       report::chain_text(report::chain_of(chain), colour));
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
