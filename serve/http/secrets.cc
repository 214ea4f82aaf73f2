// Reads secrets from private files, and compares them in constant time so that timing does not reveal them.
#include "serve/http/secrets.h"

#include <openssl/crypto.h>
#include <strings.h>

#include "base/private_file.h"
#include "base/text.h"

namespace ingero::serve::http {
namespace {

constexpr size_t kMinToken = 16;

std::string base64(std::string_view text) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < text.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) bits = bits << 8 | (i + j < text.size() ? static_cast<uint8_t>(text[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) out += i + j > text.size() ? '=' : kDigits[bits >> (18 - 6 * j) & 63];
  }
  return out;
}

}  // namespace

std::string authorization_of(std::string_view value) {
  for (const std::string_view scheme : {"Bearer ", "Basic "}) {
    if (value.size() > scheme.size() && strncasecmp(value.data(), scheme.data(), scheme.size()) == 0) {
      return std::string(scheme).append(trim(value.substr(scheme.size())));
    }
  }
  return std::string(value);
}

Status Secrets::add_file(const std::string& path) {
  const auto text = read_private(path);
  INGERO_TRY(text);
  size_t number = 0, found = 0;
  for (const std::string_view raw : split(*text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const size_t space = line.find(' ');
    const std::string_view scheme = line.substr(0, space);
    const std::string_view secret = space == std::string_view::npos ? "" : trim(line.substr(space));
    if (scheme == "bearer" && !secret.empty()) {
      values_.push_back(fmt::format("Bearer {}", secret));
    } else if (scheme == "basic" && secret.find(':') != std::string_view::npos && !secret.starts_with(':')) {
      values_.push_back("Basic " + base64(secret));
    } else {
      return Error(Errc::kInvalid, fmt::format("{}:{}: neither 'bearer TOKEN' nor 'basic USER:PASSWORD'", path, number),
                   "write one of them in each line");
    }
    ++found;
  }
  if (found == 0)
    return Error(Errc::kInvalid, fmt::format("{}: contains no secret", path),
                 "write lines 'bearer TOKEN' or 'basic USER:PASSWORD'");
  return {};
}

Status Secrets::add_token_file(const std::string& path) {
  const auto text = read_private(path);
  INGERO_TRY(text);
  return add_token(trim(*text), path);
}

Status Secrets::add_token(std::string_view token, const std::string& from) {
  if (token.size() < kMinToken || token.find_first_of(" \t\r\n") != std::string_view::npos) {
    return Error(Errc::kInvalid, fmt::format("{}: a token is one word of at least {} characters", from, kMinToken),
                 "make one with: openssl rand -hex 32");
  }
  values_.push_back(fmt::format("Bearer {}", token));
  return {};
}

// Takes as long for a wrong secret as for the right one of that length.
bool Secrets::open(const std::string& authorization) const {
  bool is_open = values_.empty();
  for (const std::string& value : values_) {
    const bool same =
        value.size() == authorization.size() && CRYPTO_memcmp(value.data(), authorization.data(), value.size()) == 0;
    is_open = is_open || same;
  }
  return is_open;
}

}  // namespace ingero::serve::http
