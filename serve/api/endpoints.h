// The endpoints that are not tools. Private to serve/api/.
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

std::span<const Endpoint> legacy_endpoints();  // as the legacy agent's dashboard had them
std::span<const Endpoint> own_endpoints();

}  // namespace ingero::serve::api
