// The subcommands: each function adds one to the tree and, when it is parsed, sets Context::action. One per cmd_*.cc.
#pragma once

#include "base/json.h"
#include "cli/app.h"

namespace ingero::cli {

void add_check(Command root, Context& context);
void add_trace(Command root, Context& context);
void add_version(Command root, Context& context);
void add_completion(Command root, Context& context);
void add_query(Command root, Context& context);
void add_annotate(Command root, Context& context);
void add_explain(Command root, Context& context);
void add_compare(Command root, Context& context);
void add_export(Command root, Context& context);
void add_merge(Command root, Context& context);
void add_demo(Command root, Context& context);
void add_ask(Command root, Context& context);
void add_mcp(Command root, Context& context);
void add_dashboard(Command root, Context& context);
void add_fleet(Command root, Context& context);
void add_fleet_push(Command root, Context& context);

// What two tools ask of this machine rather than of a recording, as their commands with --json print it.
Result<Json> check_document();
Result<Json> demo_document(const std::string& scenario, const Clock& clock);

}  // namespace ingero::cli
