// How help and refusals read: descriptions wrapped in a column of their own, one plain type word per flag, one line per
// refusal. Text in, text out; the parser calls it.
#pragma once

#include <string>

namespace ingero::cli {

// An entry of help: `names` ("  -d,--db FILE"), and `description` in the column at their right.
std::string help_entry(std::string names, const std::string& description);

// A parser's type name has type and checks, "TEXT:DURATION" or "UINT:UINT in [1 - 9]"; help shows the most specific
// word only. Empty: a flag without a value.
std::string type_word(const std::string& type);

// Parsers may say things in several lines; a user reads one sentence.
std::string one_line(std::string text);

}  // namespace ingero::cli
