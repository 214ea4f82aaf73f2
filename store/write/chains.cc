// Lists are stored as JSON (docs/formats/store.md); columns keep the names that the first recordings gave them.
#include "store/write/chains.h"

#include "base/json.h"
#include "store/db/schema.h"

namespace ingero::store {
namespace {

template <typename List, typename Make>
std::string list_json(const List& list, const Make& make) {
  Json json = Json::array();
  for (const auto& one : list) json.push_back(make(one));
  return dump(json);
}

Json json_of(const std::string& text) { return text; }
Json json_of(const hal::ChainStep& step) {
  return {{"layer", step.layer}, {"op", step.op}, {"detail", step.detail}, {"dur_us", step.duration_ns / 1000}};
}
Json json_of(const hal::ChainEvidence& one) {
  return {{"pid", one.pid},
          {"tid", one.tid},
          {"start_mono_ns", json_or_null(one.start_mono_ns)},
          {"timestamp", one.start_wall_ns},
          {"duration_ns", one.duration_ns},
          {"op", one.op},
          {"detail", one.detail},
          {"stack_hash", one.stack_hash ? Json(static_cast<int64_t>(*one.stack_hash)) : Json(nullptr)}};
}

}  // namespace

Status write_chains(Database& database, const std::string& node, const std::vector<hal::CausalChain>& chains) {
  const auto make = [](const auto& one) { return json_of(one); };
  return database.run_each(kUpsertChain, chains, [&](Statement& s, const hal::CausalChain& chain) {
    const auto onset = static_cast<int64_t>(chain.onset_wall_ns.value_or(0)),
               end = static_cast<int64_t>(chain.end_wall_ns.value_or(0));
    const std::string id = node + ":" + chain.id;
    const std::string recommendations = list_json(chain.recommendations, make),
                      timeline = list_json(chain.timeline, make);
    const std::string evidence = list_json(chain.evidence, make), symptoms = list_json(chain.symptoms, make);
    const double tail_ratio =
        chain.usual_ns > 0 ? static_cast<double>(chain.slowest_ns) / static_cast<double>(chain.usual_ns) : 0;
    s.bind(1, std::string_view(id)).bind(2, onset).bind(3, std::string_view(chain.severity));
    s.bind(4, std::string_view(chain.summary)).bind(5, std::string_view(chain.root_cause));
    s.bind(6, std::string_view(chain.explanation)).bind(7, std::string_view(recommendations));
    s.bind(8, std::string_view(chain.op)).bind(9, static_cast<int64_t>(chain.slowest_ns / 1000));
    s.bind(10, static_cast<int64_t>(chain.usual_ns / 1000)).bind(11, tail_ratio);
    s.bind(12, std::string_view(timeline)).bind(13, std::string_view(node));
    s.bind_if<std::string_view>(14, !chain.rule.empty(), chain.rule).bind(15, std::string_view(chain.grade));
    s.bind_if(16, chain.confidence.has_value(), chain.confidence.value_or(0));
    s.bind_if(17, chain.pid.has_value(), int64_t{chain.pid.value_or(0)});
    s.bind_if(18, chain.tid.has_value(), int64_t{chain.tid.value_or(0)});
    s.bind_if<std::string_view>(19, !chain.process.empty(), chain.process);
    s.bind_if(20, chain.rank.has_value(), int64_t{chain.rank.value_or(0)});
    s.bind_if(21, onset != 0, onset).bind_if(22, end != 0, end).bind_if(23, chain.resolved, end);
    s.bind_if(24, chain.lost_ns.has_value(), static_cast<int64_t>(chain.lost_ns.value_or(0)));
    s.bind(25, std::string_view(evidence)).bind(26, std::string_view(symptoms));
    s.bind_if(27, chain.stack_hash.has_value(), static_cast<int64_t>(chain.stack_hash.value_or(0)));
  });
}

}  // namespace ingero::store
