// The subcommands: each function adds one to the tree and, when it is parsed, sets Context::action. One per cmd_*.cc.
#pragma once

#include "base/json.h"
#include "cli/app.h"

namespace ingero::cli {

void add_check(CLI::App& root, Context& context);
void add_trace(CLI::App& root, Context& context);
void add_version(CLI::App& root, Context& context);
void add_completion(CLI::App& root, Context& context);
void add_query(CLI::App& root, Context& context);
void add_annotate(CLI::App& root, Context& context);
void add_explain(CLI::App& root, Context& context);
void add_export(CLI::App& root, Context& context);
void add_merge(CLI::App& root, Context& context);
void add_demo(CLI::App& root, Context& context);
void add_ask(CLI::App& root, Context& context);
void add_mcp(CLI::App& root, Context& context);
void add_dashboard(CLI::App& root, Context& context);

// What two tools ask of this machine rather than of a recording, as their commands with --json print it.
Result<Json> check_document();
Result<Json> demo_document(const std::string& scenario, const Clock& clock);

}  // namespace ingero::cli
