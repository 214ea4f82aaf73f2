// Queries all nodes and prints their rows as one table, and their chains as one list, so that a fleet reads like one
// recording.
#include "cli/fleet_rows.h"

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "report/chains.h"

namespace ingero::cli {

constexpr uint64_t kMaxRows = 10'000;  // that a server gives

Result<Json> ask_and_warn(const fleet::Fleet& fleet, const Json& input) {
  store::QueryLimits limits;
  limits.time_ns = 0;  // each node has its own
  std::vector<std::string> cuts;
  auto answer = fleet.ask(input, limits, cuts);
  if (!answer.ok()) {
    const Error& error = answer.error();
    return error.code() == Errc::kInvalid ? Error(Errc::kIo, error.message(), error.hint()) : error;
  }
  for (const Json& node : (*answer)["nodes"]) {
    if (node["answered"] == true) continue;
    log_warning("{}: {}", node["node"].get<std::string>(), node["error"].get<std::string>());
  }
  for (const std::string& cut : cuts) log_warning("{}", cut);
  for (const Json& note : (*answer)["notes"]) log_warning("{}", note.get<std::string>());
  return answer;
}

Status query_fleet(const fleet::Fleet& fleet, const std::string& sql, uint64_t limit, report::RowPrinter& printer) {
  if (limit > kMaxRows) {
    return Error(Errc::kInvalid, fmt::format("--limit {}: a node returns at most {} rows", limit, kMaxRows),
                 "ask for less, or in parts: WHERE timestamp ...");
  }
  const auto answer =
      ask_and_warn(fleet, {{"action", "sql"}, {"query", sql}, {"limit", limit == 0 ? kMaxRows : limit}});
  if (!answer.ok()) return answer.error();
  std::vector<std::string_view> names;
  for (const Json& name : (*answer)["columns"]) names.push_back(name.get_ref<const std::string&>());
  printer.columns(names);
  std::vector<store::Value> values;
  for (const Json& row : (*answer)["data"]) {
    values.clear();
    for (const Json& cell : row) values.push_back(report::value_of(cell));
    printer.row(values);
  }
  printer.finish();
  return {};
}

Status explain_fleet(const fleet::Fleet& fleet, Json input, bool json, Context& context) {
  constexpr uint64_t kMaxChains = 10'000;
  input["action"] = "chains";
  input["limit"] = kMaxChains;
  const auto answer = ask_and_warn(fleet, input);
  if (!answer.ok()) return answer.error();
  context.out << (json ? (*answer)["chains"].dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                       : report::fleet_chains_text(*answer, context.colour));
  return {};
}

}  // namespace ingero::cli
