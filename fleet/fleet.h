// Questions to all nodes of a fleet, and their answers as one: what the tool query_fleet, `ingero query --nodes` and
// `ingero explain --nodes` say. A server of a cluster may be among them: it answers in SQL, and with its incidents
// (fleet/incidents.h) where nodes answer with causal chains.
//
// A node that fails is named in `nodes` with its reason, and the rest is given; an error only when none answers.
// Thread-safe. Owns its client; `clock` outlives it.
#pragma once

#include <functional>
#include <memory>

#include "fleet/client.h"
#include "serve/tools/remote.h"

namespace ingero::fleet {

// Clocks of nodes that certainly differ by more are reported, unless the user says otherwise.
inline constexpr uint64_t kClockThresholdNs = 10'000'000;

struct FleetOptions {
  ClientOptions client;
  uint64_t clock_threshold_ns = kClockThresholdNs;  // 0: not checked
  std::string cluster = {};                         // what clusters' servers are asked about; empty: all of theirs
};

class Fleet final : public serve::tools::Nodes {
 public:
  static Result<std::shared_ptr<const Fleet>> make(FleetOptions options, const Clock& clock);

  // `input` fits the schema of query_fleet and has its defaults. kInvalid: what an action does not take, or no
  // statement. When no node answers: the class that all of them gave, else kIo.
  Result<Json> ask(const Json& input, const store::QueryLimits& limits, std::vector<std::string>& cuts) const override;
  // The SQL that `next` gives, until it gives none; `take` gets the rows of each. `nodes`: of an answer before; those
  // that did not answer are not asked. kIo: one that did does not answer one of these.
  Status ask_in_pages(const Json& nodes, const std::function<std::string()>& next,
                      const std::function<Status(const Json& rows)>& take) const;
  const std::vector<Node>& nodes() const { return client_.nodes(); }
  const std::string& cluster() const { return cluster_; }

 private:
  Fleet(Client client, uint64_t clock_threshold_ns, std::string cluster)
      : client_(std::move(client)), clock_threshold_ns_(clock_threshold_ns), cluster_(std::move(cluster)) {}

  Result<Json> ask(const Json& input, const Bounds& bounds, std::vector<std::string>& cuts) const;

  Client client_;
  uint64_t clock_threshold_ns_;
  std::string cluster_;
};

}  // namespace ingero::fleet
