// The short form of answers: for models that pay by the token. Pure; thread-safe.
#pragma once

#include "serve/tools/schema.h"

namespace ingero::serve::tools {

// The same answer with short keys (docs/formats/tools.md has the map), without what is null, empty or nothing.
Json compact(const Json& answer);
// The short key, or `key` itself.
std::string short_key(const std::string& key);

}  // namespace ingero::serve::tools
