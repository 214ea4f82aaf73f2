// Words an incident as a chain: see incidents.h.
#include "fleet/incidents.h"

#include <set>
#include <string>

#include "base/text.h"
#include "hal/chain.h"
#include "serve/tools/schema.h"

namespace ingero::fleet {
namespace {

using hal::ChainSeverity;

constexpr const char* kHang = "hang";  // class of all kinds of hangs
constexpr const char* kOpen = "open";
constexpr size_t kMaxNamed = 16;  // ranks in a sentence

std::optional<uint64_t> count_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<uint64_t>();
}

Json time_in(const Json& object, const char* name) {
  const auto ns = count_in(object, name);
  return ns && *ns <= INT64_MAX ? Json(format_wall(*ns)) : Json(nullptr);
}

// What there is one of at a time.
std::string name_of(const Json& incident) {
  std::string name;
  const std::string kind = incident.at("kind").get<std::string>();
  const bool is_of_node = kind == "slow_node" || kind == "low_health_score";
  for (const char* part : {"cluster_id", "job_id", "kind", is_of_node ? "node_id" : "rank"}) {
    const Json& value = incident.at(part);
    name += (name.empty() ? "" : "/") + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return name;
}

ChainSeverity severity_of(const Json& incident) {
  const bool is_open = incident.at("state") == kOpen;
  if (incident.at("class") == kHang) return is_open ? ChainSeverity::kCritical : ChainSeverity::kMedium;
  if (incident.at("kind") == "straggler" || incident.at("kind") == "slow_node")
    return is_open ? ChainSeverity::kHigh : ChainSeverity::kMedium;
  return is_open ? ChainSeverity::kMedium : ChainSeverity::kLow;
}

std::string summary_of(const Json& incident) {
  std::string summary = text_member(incident.at("evidence"), "sentence");
  if (summary.empty()) summary = "an incident of kind " + incident.at("kind").get<std::string>();
  if (incident.at("state") == "over") summary += "; it is over";
  if (incident.at("state") == "silent") summary += "; nothing comes of it any more";
  return summary;
}

// Who was delayed, and who was not seen.
Json symptoms_of(const Json& evidence) {
  Json symptoms = Json::array();
  const auto delayed = count_in(evidence, "delayed_count");
  if (delayed && *delayed > 0) {
    std::string sentence = fmt::format("{} {} for it", plural(*delayed, "rank"), *delayed == 1 ? "waits" : "wait");
    const Json list = evidence.value("delayed", Json::array());
    size_t named = 0;
    for (const Json& rank : list.is_array() ? list : Json::array()) {
      if (!rank.is_number_unsigned() || named == kMaxNamed) break;
      sentence += fmt::format("{}{}", named++ == 0 ? ": " : ", ", rank.get<uint64_t>());
    }
    if (named > 0 && named < *delayed) sentence += fmt::format(" and {} more", *delayed - named);
    symptoms.push_back(sentence);
  }
  const auto unseen = count_in(evidence, "not_observed_ranks");
  if (unseen && *unseen > 0) {
    symptoms.push_back(
        fmt::format("{} of the communicator {} not observed", plural(*unseen, "rank"), *unseen == 1 ? "is" : "are"));
  }
  return symptoms;
}

// Of the ranks that are waited for, the first of which more is known than who it is; null: none.
Json first_with(const Json& evidence, const char* name) {
  const Json ranks = evidence.value("ranks", Json::array());
  for (const Json& rank : ranks.is_array() ? ranks : Json::array()) {
    if (!rank.is_object()) continue;  // of a slow node they are numbers
    const auto found = rank.find(name);
    if (found != rank.end() && !found->is_null()) return *found;
  }
  return nullptr;
}

Json chain_of(const Json& incident) {
  Json chain{{"id", incident.at("id")},
             {"severity", name_of(severity_of(incident))},
             {"summary", summary_of(incident)},
             {"root_cause", text_member(incident, "cause")},
             {"detected_at", time_in(incident.at("evidence"), "named_ns")},
             {"explanation", ""},
             {"rule", incident.at("kind")},
             {"grade", name_of(hal::Grade::kMeasured)},
             {"confidence", incident.at("confidence")},
             {"node", incident.at("node_id")},
             {"pid", first_with(incident.at("evidence"), "pid")},
             {"tid", nullptr},
             {"process", nullptr},
             {"rank", incident.at("rank")},
             {"op", json_or_null(text_member(incident.at("evidence"), "op_type"))},
             {"onset", time_in(incident, "from_ns")},
             {"end", time_in(incident, "to_ns")},
             {"resolved_at", incident.at("state") == "over" ? time_in(incident, "to_ns") : Json(nullptr)},
             {"timeline", Json::array()},
             {"symptoms", symptoms_of(incident.at("evidence"))},
             {"incident", incident}};
  if (const Json stack = first_with(incident.at("evidence"), "stack"); stack.is_array()) chain["stack"] = stack;
  if (chain["detected_at"].is_null()) chain["detected_at"] = chain["onset"];
  chain["recommendations"] = Json::array();
  if (incident.at("node_id").is_string()) {
    chain["recommendations"].push_back(fmt::format("look at that time in the recording of {} with ingero explain there",
                                                   incident.at("node_id").get<std::string>()));
  }
  return chain;
}

// A rank that is named now, as the incident that it is.
Json incident_of(const Json& outlier) {
  Json evidence = outlier.at("evidence");
  for (const char* name : {"sentence", "delayed_count", "delayed"}) evidence[name] = outlier.at(name);
  Json incident{{"id", name_of(outlier)},
                {"state", kOpen},
                {"from_ns", outlier.at("since_ns")},
                {"to_ns", nullptr},
                {"evidence", std::move(evidence)},
                {"cause", text_member(outlier, "cause")}};
  for (const char* name : {"cluster_id", "job_id", "kind", "class", "node_id", "rank", "confidence"}) {
    incident[name] = outlier.at(name);
  }
  return incident;
}

}  // namespace

Json incidents_schema() {
  using serve::tools::list_of;
  const Json incident = serve::tools::object_of(
      "id:string cluster_id:string job_id:string? kind:string class:string state:string node_id:string? rank:integer? "
      "from_ns:integer to_ns:integer confidence:number evidence:object");
  const Json outlier = serve::tools::object_of(
      "cluster_id:string job_id:string? kind:string class:string state:string node_id:string? rank:integer? "
      "since_ns:integer confidence:number? delayed_count:integer delayed:array evidence:object sentence:string");
  Json schema = serve::tools::object_of("");
  for (const auto& [name, items] : {std::pair<const char*, Json>{"incidents", incident},
                                    {"hangs", incident},
                                    {"outliers", outlier},
                                    {"cut", {{"type", "string"}}}}) {
    schema["properties"][name] = list_of(items);
    schema["required"].push_back(name);
  }
  return schema;
}

Json chains_of_cluster(const Json& analysis) {
  Json chains = Json::array();
  std::set<std::string> known, open;
  const auto add = [&](const Json& incident) {
    if (!known.insert(incident.at("id").get<std::string>()).second) return;
    if (incident.at("state") == kOpen) open.insert(name_of(incident));
    chains.push_back(chain_of(incident));
  };
  for (const Json& hang : analysis.at("hangs")) add(hang);
  for (const Json& incident : analysis.at("incidents")) add(incident);
  for (const Json& outlier : analysis.at("outliers")) {
    if (outlier.at("state") == "named" && !open.contains(name_of(outlier))) add(incident_of(outlier));
  }
  return chains;
}

}  // namespace ingero::fleet
