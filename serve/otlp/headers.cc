// Parses the headers, and refuses those that frame a request, which only the exporter may set.
#include "serve/otlp/headers.h"

#include <algorithm>
#include <optional>

#include "base/private_file.h"
#include "base/text.h"

namespace ingero::serve::otlp {
namespace {

constexpr size_t kMaxHeaders = 64, kMaxBytes = 8 << 10;

// The ones that say how a request is framed are the sender's.
constexpr std::string_view kOurs[] = {"host",          "content-length",    "content-type", "content-encoding",
                                      "connection",    "transfer-encoding", "te",           "user-agent",
                                      "grpc-encoding", "grpc-timeout"};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

bool is_token(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
  });
}

// Nothing that would end the header and begin another one.
bool is_value(std::string_view value) {
  return value.size() <= kMaxBytes &&
         std::all_of(value.begin(), value.end(),
                     [](char c) { return c == '\t' || static_cast<unsigned char>(c) >= 0x20; }) &&
         value.find('\x7f') == std::string_view::npos;
}

Status add(Headers& headers, std::string_view name, std::string_view value, const std::string& where) {
  const std::string key = lower(trim(name));
  if (!is_token(key)) return Error(Errc::kInvalid, where + ": not a header's name before the value");
  if (!is_value(value)) return Error(Errc::kInvalid, where + ": the value has characters that are invalid in a header");
  if (std::find(std::begin(kOurs), std::end(kOurs), key) != std::end(kOurs)) {
    return Error(Errc::kInvalid, fmt::format("{}: {} is set by the exporter", where, key));
  }
  if (headers.size() >= kMaxHeaders) {
    return Error(Errc::kInvalid, fmt::format("{}: more than {} headers", where, kMaxHeaders));
  }
  merge_headers(headers, {{key, std::string(value)}});
  return {};
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto digits = text.substr(i + 1, 2);
    if (digits.size() < 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
      return std::nullopt;
    }
    out += static_cast<char>(parse_u64("0x" + std::string(digits)).value_or(0));
    i += 2;
  }
  return out;
}

}  // namespace

void merge_headers(Headers& into, const Headers& more) {
  for (const auto& header : more) {
    std::erase_if(into, [&](const auto& known) { return known.first == header.first; });
    into.push_back(header);
  }
}

Result<Headers> read_headers_file(const std::string& path) {
  const auto text = read_private(path);
  INGERO_TRY(text);
  Headers out;
  size_t number = 0;
  for (const std::string_view raw : split(*text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Error(Errc::kInvalid, where + ": expected a line 'Name: value'");
    INGERO_TRY(add(out, line.substr(0, colon), trim(line.substr(colon + 1)), where));
  }
  return out;
}

Result<Headers> parse_pairs(std::string_view text, std::string_view from) {
  Headers out;
  size_t number = 0;
  for (const std::string_view part : split(text, ',')) {
    ++number;
    if (trim(part).empty()) continue;
    const std::string where = fmt::format("{}, entry {}", from, number);
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || trim(part.substr(0, equals)).empty()) {
      return Error(Errc::kInvalid, where + ": not name=value");
    }
    const auto value = percent_decoded(trim(part.substr(equals + 1)));
    if (!value) return Error(Errc::kInvalid, where + ": '%' is not followed by two hexadecimal digits");
    if (out.size() >= kMaxHeaders)
      return Error(Errc::kInvalid, fmt::format("{}: more than {} headers", from, kMaxHeaders));
    out.emplace_back(trim(part.substr(0, equals)), *value);
  }
  return out;
}

Result<Headers> parse_headers_variable(std::string_view text, std::string_view from) {
  const auto pairs = parse_pairs(text, from);
  INGERO_TRY(pairs);
  Headers out;
  for (const auto& [name, value] : *pairs) INGERO_TRY(add(out, name, value, std::string(from)));
  return out;
}

}  // namespace ingero::serve::otlp
