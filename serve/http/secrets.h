// Who may ask: bearer tokens and passwords, compared in constant time. Immutable after it is made; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ingero::serve::http {

class Secrets {
 public:
  // Lines "bearer TOKEN" or "basic USER:PASSWORD"; any one opens. A file that others than its owner can use is refused.
  Status add_file(const std::string& path);
  // A file that holds one token and nothing else, on the same condition.
  Status add_token_file(const std::string& path);
  Status add_token(std::string_view token, const std::string& from);

  bool empty() const { return values_.empty(); }
  // Whether the value of an Authorization header opens. True for everything when there is no secret.
  bool open(const std::string& authorization) const;

 private:
  std::vector<std::string> values_;  // of the Authorization header
};

// kInvalid when others than its owner can use the file: keys and secrets are nobody else's.
Status check_private(const std::string& path);
// What such a file holds, at most 64 KiB.
Result<std::string> read_private(const std::string& path);

}  // namespace ingero::serve::http
