// The HTTP API: the tools by POST, the legacy dashboard's endpoints by GET, and a description of both.
//
// docs/formats/http_api.md lists the endpoints. One table makes the routes and the OpenAPI document. Thread-safe. Owns
// nothing; the query service outlives it. Failure is the answer's status, with a sentence and a class in JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "serve/http/server.h"
#include "serve/tools/query_service.h"

namespace ingero::serve::api {

class Api {
 public:
  Api(tools::QueryService& service, std::string version) : service_(service), version_(std::move(version)) {}

  // Whether `path` is one of this room's: /api/...
  static bool owns(const std::string& path) { return path.starts_with("/api/"); }
  http::Response answer(const http::Request& request);
  // OpenAPI 3.1.
  Json description() const;

  tools::QueryService& service() { return service_; }
  const std::string& version() const { return version_; }

 private:
  tools::QueryService& service_;
  std::string version_;
};

// SQL and questions to nodes are heavy; health and lists are light.
http::Weight weight_of(const std::string& path);

}  // namespace ingero::serve::api
