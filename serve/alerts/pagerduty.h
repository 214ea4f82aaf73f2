// Pages the person on call, through PagerDuty: the implementation of the tool pagerduty_trigger.
//
// The operator sets the key (INGERO_PAGERDUTY_KEY) and the address; without a key the tool is not offered and nothing
// is ever sent. What a model writes goes out as data of the event, bounded by the tool's schema. An incident reported
// twice stays one: without a dedup_key, one is derived from source and summary. At most kMaxPages in kPagesWithin, so
// that a model in a loop does not flood the person on call. Thread-safe. Facts: PagerDuty's Events API v2 (POST
// /v2/enqueue, answered 202; 400 for a wrong event, 429 for too many). Owns the key and the TLS context; the query
// service shares it.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "base/json.h"
#include "serve/net/peer.h"
#include "serve/net/tls_context.h"
#include "serve/tools/remote.h"

namespace ingero::serve::alerts {

inline constexpr size_t kMaxPages = 10;
inline constexpr auto kPagesWithin = std::chrono::minutes(1);

struct PagerDutyOptions {
  std::string key;                                              // routing key of an Events API v2 integration
  std::string url = "https://events.pagerduty.com/v2/enqueue";  // http:// to this machine only
  std::string source;                                           // of events that name none: this machine
};

class PagerDuty final : public tools::Pager {
 public:
  // kInvalid: no key, or no such address. The key is in no error.
  static Result<std::shared_ptr<PagerDuty>> make(PagerDutyOptions options);

  // kInvalid: PagerDuty does not take the event. kPermission: nor the key. kBusy: too many, or no answer in time.
  Result<Json> trigger(const Json& input, uint64_t time_ns) override;

 private:
  PagerDuty(PagerDutyOptions options, net::Peer peer, std::string path, net::TlsContext tls);
  bool may_page();

  const PagerDutyOptions options_;
  const net::Peer peer_;
  const std::string path_;
  const net::TlsContext tls_;
  std::mutex mutex_;
  std::deque<std::chrono::steady_clock::time_point> paged_;  // guarded by mutex_; the last minute's
};

}  // namespace ingero::serve::alerts
