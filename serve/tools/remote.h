// What tools may reach beyond this machine. Where that is, the operator says; never an input.
//
// Thread-safe. Failure: classified by its code, as tools are. The query service shares the ownership of both; what is
// passed outlives the call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/tools/schema.h"
#include "store/read/reader.h"

namespace ingero::serve::tools {

// The configured nodes: `input` is that of query_fleet, the answer its answer. `cuts`: what it leaves out.
class Nodes {
 public:
  virtual ~Nodes() = default;
  virtual Result<Json> ask(const Json& input, const store::QueryLimits& limits,
                           std::vector<std::string>& cuts) const = 0;
};

// Who is on call: `input` is that of pagerduty_trigger, the answer its answer. `time_ns`: 0 for no limit of the
// caller's.
class Pager {
 public:
  virtual ~Pager() = default;
  virtual Result<Json> trigger(const Json& input, uint64_t time_ns) = 0;
};

}  // namespace ingero::serve::tools
