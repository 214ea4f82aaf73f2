// Which nodes are queried together with or instead of a recording, and how: flags, ingero.yaml, and the token's source.
//
// Secrets come from the environment or a file, never from the arguments. Threads: one at a time.
#pragma once

#include <memory>
#include <string>

#include "base/text.h"
#include "cli/app.h"
#include "fleet/fleet.h"

namespace ingero::cli {

struct FleetOptions {
  std::string nodes;  // a list with commas; "all": those of ingero.yaml
  std::string authorities, certificate, key, token_file;
  std::string cluster;  // of a cluster's server; empty: all that the token reads
  std::string clock_threshold = format_duration(fleet::kClockThresholdNs);
  bool requires_tls = true;
};

// --nodes, --ca-cert, --client-cert, --client-key, --nodes-token-file, --cluster-id, --clock-skew-threshold,
// --fleet-require-tls.
void add_fleet_options(Command command, FleetOptions& options,
                       const char* nodes =
                           "Ask these nodes ('ingero dashboard') or clusters ('ingero fleet serve'): "
                           "HOST:PORT,... (all: of ingero.yaml)");

// The fleet of --nodes; without the flag, and with `may_ask_file`, that of fleet.nodes in ingero.yaml, which is
// reported on the error stream. Null: no nodes. `timeout` is that of each node; empty: 5s.
Result<std::shared_ptr<const fleet::Fleet>> open_fleet(const FleetOptions& options, const std::string& timeout,
                                                       bool may_ask_file, Context& context);

}  // namespace ingero::cli
