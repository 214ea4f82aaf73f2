// The rows and the causal chains of all nodes, as `ingero query --nodes` and `ingero explain --nodes` print them;
// warnings go to the error stream.
#pragma once

#include <string>

#include "base/json.h"
#include "cli/app.h"
#include "fleet/fleet.h"
#include "report/row_printer.h"

namespace ingero::cli {

// `limit`: rows of each node; 0: 10,000, which is also the most. Fails when no node answers, and then has printed
// nothing.
Status query_fleet(const fleet::Fleet& fleet, const std::string& sql, uint64_t limit, report::RowPrinter& printer);

// `input`: since, from, to, pid, as far as they were given. Fails when no node answers, and then has printed nothing.
Status explain_fleet(const fleet::Fleet& fleet, Json input, bool json, Context& context);

// The answer of `fleet`. Nodes without an answer, truncation and clock differences are reported on the error stream.
// Without any answer the error is never kInvalid: the nodes failed, but the command line was right.
Result<Json> ask_and_warn(const fleet::Fleet& fleet, const Json& input);

}  // namespace ingero::cli
