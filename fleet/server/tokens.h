// The tokens of a cluster's server, and which clusters each of them reads and sends for: all, or those that its line
// names.
//
// Immutable once it is made; thread-safe. Failure: kInvalid names the file's line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/store/cluster_store.h"
#include "serve/http/secrets.h"

namespace ingero::fleet::server {

class Tokens {
 public:
  // Lines "TOKEN" or "TOKEN cluster=NAME,NAME"; empty ones and those that begin with # are left out. Refused unless
  // base/private_file.h accepts it.
  Status add_file(const std::string& path);
  // One of all clusters. `from`: where it was found.
  Status add(std::string_view token, const std::string& from);

  // What the servers compare.
  const serve::http::Secrets& secrets() const { return secrets_; }
  // Of the value of an Authorization header that was accepted; all where no token is asked for.
  const store::Clusters& clusters_of(std::string_view authorization) const;

 private:
  struct Limited {
    std::string authorization;
    store::Clusters clusters;
  };
  serve::http::Secrets secrets_;
  std::vector<Limited> limited_;
};

}  // namespace ingero::fleet::server
