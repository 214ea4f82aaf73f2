// The rows of all nodes, as `ingero query --nodes` prints them; warnings go to the error stream.
#pragma once

#include <string>

#include "cli/row_printer.h"
#include "fleet/fleet.h"

namespace ingero::cli {

// `limit`: rows of each node; 0: 10,000, which is also the most. Fails when no node answers, and then has printed
// nothing.
Status query_fleet(const fleet::Fleet& fleet, const std::string& sql, uint64_t limit, RowPrinter& printer);

// What `fleet` answers; the nodes that gave none, what is cut, and clocks that are apart are told on the error stream.
// Whatever is wrong with the nodes, the command line was right: no answer at all is no kInvalid.
Result<serve::tools::Json> ask_and_warn(const fleet::Fleet& fleet, const serve::tools::Json& input);

}  // namespace ingero::cli
