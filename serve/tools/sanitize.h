// Text of traced processes made harmless, and answers made short enough. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "serve/tools/schema.h"

namespace ingero::serve::tools {

// Every string of `answer`, keys included, printable and at most `text_bytes` long (names of processes 256), without
// the words that mark traced data. `cuts` says how many were shortened.
void clean(Json& answer, std::vector<std::string>& cuts, size_t text_bytes = 4096);

// Takes items off the end of the longest list until `answer` has at most `bytes`; `cuts` names each list. False:
// it is still too long.
bool shorten(Json& answer, size_t bytes, std::vector<std::string>& cuts);

// The marks around data of traced processes where a model reads it.
inline constexpr std::string_view kOpens = "[traced-data]";
inline constexpr std::string_view kCloses = "[/traced-data]";

}  // namespace ingero::serve::tools
