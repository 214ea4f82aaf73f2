// A POST for each statement, and what its answer means: see client.h.
#include "fleet/store/clickhouse/client.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::fleet::store::clickhouse {
namespace {

namespace net = serve::net;

constexpr size_t kMaxAnswerBytes = 32 << 20, kMaxReasonBytes = 500;
constexpr size_t kMaxWordBytes = 256;

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<uint8_t>(c));
  }
  return out;
}

// "Code: 62, e.displayText() = DB::Exception: Syntax error ...", "Code: 62. DB::Exception: ...".
int code_of(std::string_view said) {
  constexpr std::string_view kCode = "Code: ";
  const size_t at = said.find(kCode);
  if (at == std::string_view::npos) return 0;
  said.remove_prefix(at + kCode.size());
  return static_cast<int>(parse_u64(std::string(said.substr(0, said.find_first_not_of("0123456789")))).value_or(0));
}

// Of ClickHouse's src/Common/ErrorCodes.cpp.
Error refusal(int status, std::string_view untrusted_body) {
  const int code = code_of(untrusted_body);
  const std::string why = printable(trim(untrusted_body), kMaxReasonBytes);
  const std::string said = fmt::format("ClickHouse: {}", why.empty() ? fmt::format("HTTP {}", status) : why);
  switch (code) {
    case 159:  // TIMEOUT_EXCEEDED
    case 160:  // TOO_SLOW
      return {Errc::kBusy, "the query took longer than it may", "narrow it: by node, by time"};
    case 241:  // MEMORY_LIMIT_EXCEEDED
      return {Errc::kFull, "the query needs more memory than it may have", "narrow it: by node, by time"};
    case 192:  // UNKNOWN_USER
    case 193:  // WRONG_PASSWORD
    case 194:  // REQUIRED_PASSWORD
    case 516:  // AUTHENTICATION_FAILED
      return {Errc::kPermission, "ClickHouse does not know this user, or not with this password",
              "see --clickhouse-user-file"};
    case 164:  // READONLY
      return {Errc::kInvalid, "only statements that read are allowed: " + why};
    case 215:  // NOT_AN_AGGREGATE
      return {Errc::kInvalid, said, "before version 22.7 columns are grouped and ordered by name, not by number"};
    case 497:  // ACCESS_DENIED
    case 291:  // DATABASE_ACCESS_DENIED
      return {Errc::kPermission, said};
    case 202:  // TOO_MANY_SIMULTANEOUS_QUERIES
    case 252:  // TOO_MANY_PARTS
      return {Errc::kBusy, said};
    case 243:  // NOT_ENOUGH_SPACE
      return {Errc::kFull, said};
    default:
      return {code == 0 ? Errc::kIo : Errc::kInvalid, said};
  }
}

}  // namespace

std::string literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '\'' || c == '\\' || byte < 0x20) {
      out += fmt::format("\\x{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out + "'";
}

Result<Client> Client::make(Server server) {
  const auto is_word = [](const std::string& text) {
    return text.size() <= kMaxWordBytes &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  };
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const std::string& database = server.database;
  if (database.empty() || database.size() > 64 || !std::all_of(database.begin(), database.end(), is_name)) {
    return Error(Errc::kInvalid, "the name of the database has other characters than letters, digits and _");
  }
  if (!is_word(server.user.name) || !is_word(server.user.password)) {
    return Error(Errc::kInvalid, "the user's name or password has a space, a control character or is too long");
  }
  INGERO_TRY(net::http_available(server.peer.has_tls));
  auto tls = net::TlsContext::make({.authorities = server.authorities, .certificate = {}, .key = {}});
  INGERO_TRY(tls);
  return Client(std::move(server), std::move(*tls));
}

Result<std::string> Client::ask(const Settings& parameters, std::string_view body, Timeout timeout) const {
  std::string path = "/";
  for (const auto& [name, value] : parameters) {
    path += fmt::format("{}{}={}", path.size() == 1 ? '?' : '&', name, percent_encoded(value));
  }
  net::HttpRequest request{.path = path, .type = "application/octet-stream", .body = body};
  if (!server_.user.name.empty()) request.headers.emplace_back("X-ClickHouse-User", server_.user.name);
  if (!server_.user.password.empty()) request.headers.emplace_back("X-ClickHouse-Key", server_.user.password);
  auto answer =
      net::http_ask(server_.peer, &tls_, request, kMaxAnswerBytes, std::chrono::steady_clock::now() + timeout, *stop_);
  if (!answer.ok()) return Error(Errc::kBusy, "ClickHouse does not answer: " + answer.error().message());
  if (answer->status != 200) return refusal(answer->status, answer->body);
  if (answer->is_over) {
    return Error(Errc::kFull, fmt::format("the answer is longer than {}", format_bytes(kMaxAnswerBytes)),
                 "ask for fewer rows");
  }
  if (answer->is_late) return Error(Errc::kBusy, "ClickHouse does not answer in time");
  if (!answer->is_whole) return Error(Errc::kBusy, "ClickHouse does not answer: its answer is cut");
  return std::move(answer->body);
}

Status Client::run(const std::string& statement, bool anywhere) const {
  const auto done = ask(anywhere ? Settings{} : Settings{{"database", server_.database}}, statement, kUsual);
  INGERO_TRY(done);
  return {};
}

Result<Json> Client::rows(const std::string& statement, const Settings& settings, Timeout timeout) const {
  // Without waiting for the end, an error could follow an answer that has begun as a good one.
  Settings all{{"database", server_.database},
               {"default_format", "JSONCompact"},
               {"output_format_json_quote_64bit_integers", "0"},
               {"wait_end_of_query", "1"}};
  all.insert(all.end(), settings.begin(), settings.end());
  const auto body = ask(all, statement, timeout);
  INGERO_TRY(body);
  Json found = parse_json(*body);
  if (found.is_object() && found.contains("meta") && found.contains("data") && found["meta"].is_array() &&
      found["data"].is_array()) {
    return found;
  }
  return Error(Errc::kInvalid, "the answer is not a table of values", "leave FORMAT and INTO out of the statement");
}

Status Client::insert(std::string_view table, std::string_view columns, std::string_view rows) const {
  const std::string query = fmt::format("INSERT INTO {} ({}) FORMAT RowBinary", table, columns);
  const auto done = ask({{"database", server_.database}, {"query", query}}, rows, kUsual);
  INGERO_TRY(done);
  return {};
}

}  // namespace ingero::fleet::store::clickhouse
