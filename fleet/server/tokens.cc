// Reads the file of tokens: see tokens.h.
#include "fleet/server/tokens.h"

#include <algorithm>

#include "base/private_file.h"
#include "base/text.h"

namespace ingero::fleet::server {
namespace {

constexpr std::string_view kNames = "cluster=";
constexpr size_t kMaxNameBytes = 256;  // as of what nodes send

Result<store::Clusters> clusters_in(std::string_view text, const std::string& from) {
  const auto wrong = [&](const char* what) {
    return Error(Errc::kInvalid, fmt::format("{}: {}", from, what), "write TOKEN, or TOKEN cluster=NAME,NAME");
  };
  if (!text.starts_with(kNames)) return wrong("after a token only cluster= may follow");
  store::Clusters clusters;
  clusters.are_all = false;
  for (const std::string_view name : split(text.substr(kNames.size()), ',')) {
    if (trim(name).empty()) return wrong("cluster=: a name is missing");
    if (trim(name).size() > kMaxNameBytes) return wrong("cluster=: a name is longer than 256 bytes");
    clusters.names.emplace(trim(name));
  }
  return clusters;
}

}  // namespace

Status Tokens::add(std::string_view token, const std::string& from) { return secrets_.add_token(token, from); }

Status Tokens::add_file(const std::string& path) {
  const auto text = read_private(path);
  INGERO_TRY(text);
  size_t number = 0;
  std::vector<std::string> seen;
  for (const std::string_view raw : split(*text, '\n')) {
    const std::string from = fmt::format("{}:{}", path, ++number);
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string token(line.substr(0, end));
    INGERO_TRY(add(token, from));
    // Of two lines one would count, and it would not be clear which.
    if (std::ranges::count(seen, token) > 0) {
      return Error(Errc::kInvalid, from + ": the same token stands in a line before",
                   "name all of its clusters in one line");
    }
    seen.push_back(token);
    if (end == line.size()) continue;
    auto clusters = clusters_in(trim(line.substr(end)), from);
    INGERO_TRY(clusters);
    limited_.push_back({"Bearer " + token, std::move(*clusters)});
  }
  if (seen.empty()) {
    return Error(Errc::kInvalid, path + ": contains no token", "make one with: openssl rand -hex 32");
  }
  return {};
}

// The header was compared already, in constant time.
const store::Clusters& Tokens::clusters_of(std::string_view authorization) const {
  static const store::Clusters kAll;
  const auto found = std::ranges::find(limited_, authorization, &Limited::authorization);
  return found == limited_.end() ? kAll : found->clusters;
}

}  // namespace ingero::fleet::server
