// The page that a browser is given: files embedded in the program, and the headers that keep it to this server.
//
// Made from serve/page/source/ by serve/page/build.mjs; nothing in it comes from a recording, so it needs no secret:
// what it asks the API does. Thread-safe; everything lives as long as the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serve/http/server.h"

namespace ingero::serve::page {

// The paths of the page's files ("/", "/page.js", ...) and of "/page.json", which says whether the API asks for a
// token.
std::vector<std::string> paths();
// The file at `path`; absent: the page has none there.
std::optional<http::Response> answer(const http::Request& request, bool asks_token);

}  // namespace ingero::serve::page
