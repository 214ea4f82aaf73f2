// What is wrong with a command line, as one sentence that names the object and what to do. The parser's library says it
// in its own words ("Could not convert: --pid = abc"), which name neither.
//
// Pure; owns nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/parser.h"

namespace ingero::cli {

// `said`: the library's text. `command`: the one that was given, whose flags may be meant. `arguments`: as typed.
std::string refusal_text(std::string_view said, const CommandFacts& command, std::span<const std::string> arguments);

// "unknown command "qury", did you mean query?"
std::string unknown_command_text(std::string_view word, const CommandFacts& root);

}  // namespace ingero::cli
