// Who may ask: bearer tokens and passwords, compared in constant time. Immutable once made; owns them; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ingero::serve::http {

// The value of an Authorization header, its scheme written as Secrets has it: `bearer` is `Bearer` (RFC 9110, 11.1).
std::string authorization_of(std::string_view value);

class Secrets {
 public:
  // Lines "bearer TOKEN" or "basic USER:PASSWORD"; any one grants access. Refused unless base/private_file.h accepts
  // it.
  Status add_file(const std::string& path);
  // A file that holds one token and nothing else, on the same condition.
  Status add_token_file(const std::string& path);
  Status add_token(std::string_view token, const std::string& from);

  bool empty() const { return values_.empty(); }
  // Whether the value of an Authorization header grants access. Always true without secrets.
  bool open(const std::string& authorization) const;

 private:
  std::vector<std::string> values_;  // of the Authorization header
};

}  // namespace ingero::serve::http
