// The HTTP API: the tools by POST, the earlier dashboard's endpoints by GET, and a description of both.
//
// docs/formats/http_api.md lists the endpoints. One table makes the routes and the OpenAPI document. Thread-safe.
#pragma once

#include <string>

#include "serve/http/server.h"
#include "serve/tools/desk.h"

namespace ingero::serve::api {

using tools::Json;

class Api {
 public:
  Api(tools::Desk& desk, std::string version) : desk_(desk), version_(std::move(version)) {}

  // Whether `path` is one of this room's: /api/...
  static bool owns(const std::string& path) { return path.starts_with("/api/"); }
  http::Response answer(const http::Request& request);
  // OpenAPI 3.1.
  Json description() const;

  tools::Desk& desk() { return desk_; }
  const std::string& version() const { return version_; }

 private:
  tools::Desk& desk_;
  std::string version_;
};

// The HTTP status of a failure: 400, 403, 404, 500 or 504.
int status_of(Errc code);

}  // namespace ingero::serve::api
