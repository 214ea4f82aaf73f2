// Sends each event over a connection of its own, since pages are rare and the answer decides what the tool reports.
#include "serve/alerts/pagerduty.h"

#include <algorithm>
#include <array>

#include <openssl/evp.h>

#include "base/json.h"
#include "base/text.h"
#include "serve/net/http_exchange.h"

namespace ingero::serve::alerts {
namespace {

constexpr size_t kMaxKey = 64;
constexpr size_t kMaxAnswerBytes = 64 << 10;
constexpr auto kLongest = std::chrono::seconds(10);

bool is_key(std::string_view key) {
  return !key.empty() && key.size() <= kMaxKey && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

std::string dedup_key_of(std::string_view source, std::string_view summary) {
  const std::string text = fmt::format("{}\n{}", source, summary);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  constexpr size_t kBytes = 16;
  std::string out = "ingero-";
  for (size_t i = 0; i < kBytes; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

// What PagerDuty said, for people.
std::string reason_in(const Json& body) {
  std::string reason = text_member(body, "message");
  if (body.is_object() && body.contains("errors") && body["errors"].is_array()) {
    for (const Json& one : body["errors"]) {
      if (one.is_string()) reason += (reason.empty() ? "" : "; ") + one.get<std::string>();
    }
  }
  return printable(reason, 300);
}

Error refusal_of(int status, const Json& body) {
  const std::string reason = reason_in(body);
  const std::string said = fmt::format("PagerDuty: HTTP {}{}{}", status, reason.empty() ? "" : ": ", reason);
  if (status == 400) return {Errc::kInvalid, said, "is INGERO_PAGERDUTY_KEY the key of an Events API v2 integration?"};
  if (status == 401 || status == 403) return {Errc::kPermission, said};
  return {status == 429 || status >= 500 ? Errc::kBusy : Errc::kIo, said};
}

}  // namespace

PagerDuty::PagerDuty(PagerDutyOptions options, net::Peer peer, std::string path, net::TlsContext tls)
    : options_(std::move(options)), peer_(std::move(peer)), path_(std::move(path)), tls_(std::move(tls)) {}

Result<std::shared_ptr<PagerDuty>> PagerDuty::make(PagerDutyOptions options) {
  if (!is_key(options.key)) return Error(Errc::kInvalid, "the PagerDuty key must be one word of letters and digits");
  net::Peer peer;
  std::string_view rest = options.url;
  if (!net::take_scheme(rest, peer)) {
    return Error(Errc::kInvalid, "the PagerDuty address must begin with https://");
  }
  peer.only_loopback = !peer.has_tls;
  peer.port = peer.has_tls ? 443 : 80;
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string path(rest.substr(slash));
  if (const Status read = net::parse_authority(rest.substr(0, slash), peer); !read.ok()) {
    return read.error().in("the address for PagerDuty");
  }
  if (peer.only_loopback && !net::is_loopback_host(peer.host)) {
    return Error(Errc::kInvalid, "the address for PagerDuty: the key would be sent unencrypted", "use https://");
  }
  if (!std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c <= '~'; })) {
    return Error(Errc::kInvalid, "the address for PagerDuty: its path has blanks or characters beyond ASCII",
                 "write them as %20 and so on");
  }
  INGERO_TRY(net::http_available(peer.has_tls));
  auto tls = net::TlsContext::make({});
  if (!tls.ok()) return tls.error();
  return std::shared_ptr<PagerDuty>(
      new PagerDuty(std::move(options), std::move(peer), path.empty() ? "/" : path, std::move(*tls)));
}

bool PagerDuty::may_page() {
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  while (!paged_.empty() && paged_.front() + kPagesWithin <= now) paged_.pop_front();
  if (paged_.size() >= kMaxPages) return false;
  paged_.push_back(now);
  return true;
}

Result<Json> PagerDuty::trigger(const Json& input, uint64_t time_ns) {
  const auto given = [&](const char* name, const std::string& otherwise) {
    const std::string text = text_member(input, name);
    return text.empty() ? otherwise : text;
  };
  const std::string summary = text_member(input, "summary");
  const std::string source = given("source", options_.source);
  Json event = {{"routing_key", options_.key},
                {"event_action", "trigger"},
                {"dedup_key", given("dedup_key", dedup_key_of(source, summary))},
                {"client", "ingero"},
                {"payload", {{"summary", summary}, {"source", source}, {"severity", given("severity", "error")}}}};
  if (input.contains("custom_details")) event["payload"]["custom_details"] = input["custom_details"];
  if (!may_page()) {
    return Error(Errc::kBusy,
                 fmt::format("limit reached: {} pages in the last minute; try again in a minute", kMaxPages));
  }

  constexpr uint64_t kLongestNs = std::chrono::nanoseconds(kLongest).count();
  const std::chrono::nanoseconds longest(time_ns == 0 ? kLongestNs : std::min(time_ns, kLongestNs));
  const net::Deadline deadline = std::chrono::steady_clock::now() + longest;
  const net::Stop stop;
  const std::string body = dump(event);
  const auto answer = net::http_ask(
      peer_, &tls_,
      {.path = path_, .headers = {{"Accept", "application/json"}}, .type = "application/json", .body = body},
      kMaxAnswerBytes, deadline, stop);
  if (!answer.ok()) return answer.error();
  const Json said = parse_json(answer->body);
  if (answer->status != 202 && answer->status != 200) return refusal_of(answer->status, said);
  const std::string status = text_member(said, "status");
  if (status.empty()) return Error(Errc::kCorrupt, "PagerDuty: unexpected response from the Events API");
  const std::string key = text_member(said, "dedup_key");
  return Json{{"status", printable(status, 64)},
              {"dedup_key", key.empty() ? event["dedup_key"] : Json(printable(key, 255))}};
}

}  // namespace ingero::serve::alerts
