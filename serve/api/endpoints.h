// The endpoints that are no tools: for this folder only.
#pragma once

#include <span>
#include <string>

#include "serve/api/api.h"

namespace ingero::serve::api {

struct Endpoint {
  const char *method, *path, *summary;
  bool has_since;    // takes ?since=5m
  Json (*schema)();  // of the answer
  Result<Json> (*answer)(Api& api, const http::Request& request);
};

std::span<const Endpoint> earlier_endpoints();  // as the earlier agent's dashboard had them
std::span<const Endpoint> own_endpoints();

}  // namespace ingero::serve::api
