// The pages that a browser is given, of a recording and of a cluster: files embedded in the program, and the headers
// that keep them to this server.
//
// Made from serve/page/source/ by serve/page/build.mjs; nothing in them was recorded or sent, so they need no secret:
// what they ask the API for does. Thread-safe; everything lives as long as the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serve/http/server.h"

namespace ingero::serve::page {

enum class About : uint8_t { kRecording, kCluster };

// The paths of the page's files ("/", "/page.js", ...) and of "/page.json", which says whether the API asks for a
// token.
std::vector<std::string> paths(About about);
// The file at `path`; absent: the page has none there.
std::optional<http::Response> answer(About about, const http::Request& request, bool asks_token);

}  // namespace ingero::serve::page
