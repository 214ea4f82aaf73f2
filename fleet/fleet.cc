// Which questions each action sends to a node, and how the answers are merged: see fleet.h.
#include "fleet/fleet.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "fleet/incidents.h"
#include "fleet/merge.h"
#include "fleet/wire/point.h"
#include "serve/tools/tool.h"
#include "store/read/time_order.h"
#include "store/read/time_range.h"

namespace ingero::fleet {
namespace {

constexpr size_t kMaxPairs = 5;  // of clocks, in sentences
constexpr size_t kMaxSentenceBytes = 1500;

NodeQuestion question(const char* tool, Json input) {
  return {tool, std::move(input), serve::tools::find_tool(tool)->output};
}

// Of the input what tools of a node take.
Json part_of(const Json& input) {
  Json part = Json::object();
  for (const char* name : {"since", "from", "to", "label", "pid"}) {
    if (input.contains(name)) part[name] = input[name];
  }
  return part;
}

Json with(Json part, const char* name, Json value) {
  part[name] = std::move(value);
  return part;
}

Result<std::vector<NodeQuestion>> questions_of(const Json& input) {
  const auto action = input["action"].get<std::string>();
  const bool has_statement = input.contains("query") || input.contains("sql");
  if (action != "sql") {
    if (has_statement) return Error(Errc::kInvalid, "\"query\" needs action \"sql\"");
    const Json part = part_of(input);
    if (action == "chains") return std::vector{question("get_causal_chains", with(part, "top_n", -1))};
    if (action == "ops") return std::vector{question("get_trace_stats", part)};
    return std::vector{question("get_trace_stats", part), question("get_causal_chains", with(part, "top_n", 1))};
  }
  if (!has_statement) return Error(Errc::kInvalid, "action \"sql\" needs a statement, in \"query\"");
  if (!part_of(input).empty()) {
    return Error(Errc::kInvalid, "since, from, to, label and pid do not apply to SQL",
                 "put the condition in the statement: WHERE pid = ...");
  }
  const Json& statement = input.contains("query") ? input["query"] : input["sql"];
  return std::vector{question("run_sql", {{"query", statement}, {"limit", input["limit"]}})};
}

// `input` is a question that nodes take.
Result<std::vector<NodeQuestion>> questions_of_cluster(const Json& input, const std::string& cluster) {
  const auto action = input["action"].get<std::string>();
  if (action == "sql") {
    const Json& statement = input.contains("query") ? input["query"] : input["sql"];
    Json rows = serve::tools::object_of("columns:array data:array");
    rows["properties"]["cut"] = serve::tools::list_of({{"type", "string"}});
    rows["required"].push_back("cut");
    return std::vector{
        NodeQuestion{"fleet.cluster.run_sql", {{"query", statement}, {"limit", input["limit"]}}, rows, "sql"}};
  }
  if (action != "chains") {
    return Error(Errc::kInvalid, "it is a cluster's server, which has windows and incidents, but no calls",
                 "ask it for chains or in SQL, and nodes for calls");
  }
  for (const char* name : {"from", "to", "label", "pid"}) {
    if (!input.contains(name)) continue;
    return Error(Errc::kInvalid,
                 fmt::format("it is a cluster's server, whose incidents cannot be chosen by \"{}\"", name),
                 "choose them by since, or ask the nodes");
  }
  Json chosen{{"top_n", kMaxIncidents}};
  if (!cluster.empty()) chosen["cluster_id"] = cluster;
  if (input.contains("since")) chosen["since"] = input["since"];
  return std::vector{NodeQuestion{"fleet.cluster.run_analysis", std::move(chosen), incidents_schema(), "analysis"}};
}

// What the schemas leave open.
Status check_answers(const std::string& action, std::optional<ServerKind> kind, uint64_t limit,
                     const std::vector<Json>& answers) {
  const Json& first = answers.front();
  if (action == "sql") return check_rows(first["columns"], first["data"], limit);
  if (action == "chains" || kind == ServerKind::kCluster) return {};
  INGERO_TRY(check_figures(first["calls"]));
  return check_figures(first["host"]);
}

Json overview_of(const std::string& node, const std::vector<Json>& answers) {
  const Json &stats = answers[0], &chains = answers[1];
  Json top;
  if (!chains["chains"].empty()) {
    const Json& worst = chains["chains"][0];
    for (const char* name : {"id", "severity", "summary", "root_cause", "recommendations"}) top[name] = worst[name];
  }
  return {{"node", node},
          {"events", stats["events"]},
          {"first", stats["first"]},
          {"last", stats["last"]},
          {"processes", stats["processes"].size()},
          {"chains", chains["total"]},
          {"top_chain", std::move(top)}};
}

Json line_of(const NodeAnswer& answer) {
  Json line{{"node", answer.node->name}, {"answered", answer.answers.ok()}};
  for (const char* name : {"kind", "error", "class", "recording", "lost", "clock_offset_ns", "clock_within_ns"}) {
    line[name] = nullptr;
  }
  if (answer.kind) line["kind"] = *answer.kind == ServerKind::kNode ? "node" : "cluster";
  if (!answer.answers.ok()) {
    line["error"] = printable(answer.answers.error().text(), 1000);
    line["class"] = serve::tools::fault_name(answer.answers.error().code());
    return line;
  }
  if (answer.kind == ServerKind::kNode) {
    line["recording"] = (*answer.answers)[0]["recording"];
    line["lost"] = (*answer.answers)[0]["lost"];
  }
  if (answer.clock) {
    line["clock_offset_ns"] = answer.clock->offset_ns;
    line["clock_within_ns"] = answer.clock->within_ns;
  }
  return line;
}

// One class when all gave that one: a wrong statement is wrong everywhere.
Error none_answered(const std::vector<NodeAnswer>& all) {
  Errc code = all.front().answers.error().code();
  std::string sentence = "no node answered";
  for (const NodeAnswer& one : all) {
    if (one.answers.error().code() != code) code = Errc::kIo;
    if (sentence.size() < kMaxSentenceBytes) {
      sentence += fmt::format("{} {}: {}", &one == &all.front() ? ":" : ";", one.node->name,
                              printable(one.answers.error().text(), 500));
    }
  }
  return {code, sentence, code == Errc::kIo ? "does 'ingero dashboard' or 'ingero fleet serve' run there?" : ""};
}

void say_clocks(const std::vector<NodeAnswer>& all, uint64_t threshold_ns, Json& notes) {
  std::vector<std::optional<ClockOffset>> offsets;
  for (const NodeAnswer& one : all) {
    offsets.push_back(one.answers.ok() ? one.clock : std::nullopt);
    if (one.answers.ok() && !one.clock) notes.push_back(fmt::format("{} does not say what time it is", one.node->name));
  }
  const auto pairs = clocks_apart(offsets, threshold_ns);
  for (size_t i = 0; i < std::min(pairs.size(), kMaxPairs); ++i) {
    notes.push_back(
        fmt::format("the clocks of {} and {} are {} apart (known within {}): do not compare their times more "
                    "closely",
                    all[pairs[i].first].node->name, all[pairs[i].second].node->name,
                    format_duration(pairs[i].difference_ns), format_duration(pairs[i].within_ns)));
  }
  if (pairs.size() > kMaxPairs)
    notes.push_back(fmt::format("{} more pairs of clocks are apart", pairs.size() - kMaxPairs));
}

// Which of the chains that are given began first, by the clocks of the nodes as they answered. With one node there is
// nothing to say.
Json order_of(const Json& chains, const std::vector<NodeAnswer>& all) {
  std::vector<store::Moment> moments;
  // Where a node answers from a merged recording, its clock is that of none of the nodes in it.
  std::map<std::string, std::set<std::string>> recorded;
  for (const Json& chain : chains)
    recorded[chain["node"].get<std::string>()].insert(text_member(chain, "recorded_node"));
  for (const Json& chain : chains) {
    const auto node = chain["node"].get<std::string>();
    const auto asked =
        std::ranges::find_if(all, [&](const NodeAnswer& one) { return one.node->name == node && one.answers.ok(); });
    const auto onset = store::parse_time(text_member(chain, "onset"), 0);
    if (asked == all.end() || !onset.ok()) continue;
    const bool is_cluster = asked->kind == ServerKind::kCluster;
    const bool is_merged = !is_cluster && recorded[node].size() > 1;
    moments.push_back({node, text_member(chain, "id"), *onset, is_merged ? std::nullopt : asked->clock,
                       is_cluster ? wire::kWindow_ns : 0, is_merged ? text_member(chain, "recorded_node") : ""});
  }
  return store::order_json(store::in_order_of_nodes(std::move(moments)));
}

void say_order(const Json& order, Json& notes) {
  size_t unknown = 0;
  std::string first;
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i]["is_certain"] == true || order[i]["node"] == order[i - 1]["node"]) continue;
    if (unknown++ > 0) continue;
    first = fmt::format("{} of {} and {} of {}", printable(order[i - 1]["id"].get<std::string>(), 64),
                        order[i - 1]["node"].get<std::string>(), printable(order[i]["id"].get<std::string>(), 64),
                        order[i]["node"].get<std::string>());
  }
  if (unknown == 0) return;
  notes.push_back(fmt::format("which of {} began first is not known: their clocks are not known that well{}", first,
                              unknown == 1 ? "" : fmt::format(" (and {} more)", plural(unknown - 1, "pair"))));
}

void shorten(Json& list, uint64_t most, std::string_view what, std::vector<std::string>& cuts) {
  if (list.size() <= most) return;
  cuts.push_back(fmt::format("the first {} of {} {} are given (limit)", most, list.size(), what));
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(most), list.end());
}

}  // namespace

Result<std::shared_ptr<const Fleet>> Fleet::make(FleetOptions options, const Clock& clock) {
  constexpr size_t kMaxClusterBytes = 128;
  const std::string& cluster = options.cluster;
  if (cluster.size() > kMaxClusterBytes || cluster.find_first_of("'\"\\") != std::string::npos) {
    return Error(Errc::kInvalid, fmt::format("--cluster-id {}: not the name of a cluster", printable(cluster)),
                 "give at most 128 characters, without quotes");
  }
  auto client = Client::make(std::move(options.client), clock);
  if (!client.ok()) return client.error();
  return std::shared_ptr<const Fleet>(
      new Fleet(std::move(*client), options.clock_threshold_ns, std::move(options.cluster)));
}

Status Fleet::ask_in_pages(const Json& nodes, const std::function<std::string()>& next,
                           const std::function<Status(const Json& rows)>& take) const {
  std::set<std::string> silent;
  for (const Json& node : nodes) {
    if (node["answered"] != true) silent.insert(node["node"].get<std::string>());
  }
  Bounds bounds;  // of time each node has its own
  bounds.silent = &silent;
  for (std::string sql = next(); !sql.empty(); sql = next()) {
    std::vector<std::string> cuts;
    const auto page = ask({{"action", "sql"}, {"query", sql}, {"limit", 10'000}}, bounds, cuts);
    INGERO_TRY(page);
    if (!cuts.empty()) return Error(Errc::kFull, "a page is longer than an answer may be: " + cuts.front());
    for (const Json& node : (*page)["nodes"]) {
      const auto name = node["node"].get<std::string>();
      if (node["answered"] != true && !silent.contains(name)) {
        return Error(Errc::kIo, fmt::format("{}: {}", name, node["error"].get<std::string>()), "ask again");
      }
    }
    INGERO_TRY(take((*page)["data"]));
  }
  return {};
}

Result<Json> Fleet::ask(const Json& input, const store::QueryLimits& limits, std::vector<std::string>& cuts) const {
  return ask(input, Bounds{limits.time_ns, limits.cancel}, cuts);
}

Result<Json> Fleet::ask(const Json& input, const Bounds& bounds, std::vector<std::string>& cuts) const {
  auto of_node = questions_of(input);
  if (!of_node.ok()) return of_node.error();
  const Questions questions{std::move(of_node), questions_of_cluster(input, cluster_)};
  const auto action = input["action"].get<std::string>();
  const auto limit = input["limit"].get<uint64_t>();
  std::vector<NodeAnswer> all = client_.ask(questions, clock_threshold_ns_ > 0, bounds);
  if (bounds.cancel != nullptr && bounds.cancel->load()) return Error(Errc::kBusy, "cancelled");
  Json out{{"action", action}, {"nodes", Json::array()}, {"notes", Json::array()}};
  std::vector<NodeRows> rows;
  std::vector<NodeFigures> figures;
  std::vector<NodeChains> chains;
  Json overview = Json::array();
  bool any = false;
  for (NodeAnswer& one : all) {
    if (one.answers.ok()) {
      if (const Status good = check_answers(action, one.kind, limit, *one.answers); !good.ok())
        one.answers = good.error();
    }
    out["nodes"].push_back(line_of(one));
    if (!one.answers.ok()) continue;
    any = true;
    const std::string& node = one.node->name;
    if (action == "overview") overview.push_back(overview_of(node, *one.answers));
    Json& first = one.answers->front();
    if (action != "overview") {  // of the overview's chains one is wanted
      for (const Json& cut : first["cut"])
        cuts.push_back(fmt::format("{}: {}", node, printable(cut.get<std::string>(), 300)));
    }
    if (action == "sql") rows.push_back({node, std::move(first["columns"]), std::move(first["data"])});
    if (action == "chains") {
      chains.push_back(
          {node, one.kind == ServerKind::kCluster ? chains_of_cluster(first) : std::move(first["chains"])});
    }
    if (action == "ops") figures.push_back({node, std::move(first["calls"]), std::move(first["host"])});
  }
  if (!any) return none_answered(all);
  if (clock_threshold_ns_ > 0) say_clocks(all, clock_threshold_ns_, out["notes"]);
  if (action == "sql") {
    MergedRows merged = merge_rows(rows);
    for (std::string& note : merged.notes) out["notes"].push_back(std::move(note));
    out["columns"] = std::move(merged.columns);
    out["data"] = std::move(merged.data);
  } else if (action == "chains") {
    out["chains"] = merge_chains(chains);
    shorten(out["chains"], limit, "chains", cuts);
    out["order"] = order_of(out["chains"], all);
    if (clock_threshold_ns_ > 0) say_order(out["order"], out["notes"]);
  } else if (action == "ops") {
    out["ops"] = merge_figures(figures);
    shorten(out["ops"], limit, "calls", cuts);
  } else {
    out["overview"] = std::move(overview);
  }
  return out;
}

}  // namespace ingero::fleet
