// What a statement found, as JSON: the answer of run_sql at a node's interfaces and of a cluster's /api/v1/sql. Owns
// its values. One thread. Failure: that of `run`; what did not fit is not an error but a sentence in `cuts`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "store/db/guarded_query.h"

namespace ingero::store {

// Text as text, a blob in hexadecimal digits.
Json json_of(const Value& value);

struct JsonRows {
  Json columns = Json::array(), data = Json::array();  // names; an array of values for each row
  std::vector<std::string> cuts;                       // sentences: what was left out, and why

  // {"meta": {"rows", "truncated", "duration_ms"}, "columns", "data"}
  Json answer(uint64_t duration_ns) &&;
};

// Collects what `run` finds, up to 900 KiB of cells, so that an answer stays below a megabyte.
Result<JsonRows> collect_json(const std::function<Result<QueryOutcome>(const OnRow&, const OnColumns&)>& run);

}  // namespace ingero::store
