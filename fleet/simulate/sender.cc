// Eight threads, or as many as can be started, each with a request at a time.
#include "fleet/simulate/sender.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/text.h"
#include "base/threads.h"
#include "fleet/wire/encode.h"

namespace ingero::fleet::simulate {
namespace {

constexpr auto kTimeout = std::chrono::seconds(30);
constexpr size_t kMaxAnswerBytes = 64 << 10;
constexpr size_t kSendingThreads = 8;  // threads

}  // namespace

Result<std::unique_ptr<Sender>> Sender::make(std::string_view endpoint, const std::string& token) {
  std::unique_ptr<Sender> sender(new Sender);
  std::string_view rest = endpoint;
  if (!serve::net::take_scheme(rest, sender->peer_) || sender->peer_.has_tls) {
    return Error(Errc::kInvalid, fmt::format("{}: not an http:// address", printable(endpoint)),
                 "a simulated job is sent to a server on this machine, with --insecure-no-tls");
  }
  sender->peer_.port = 4318;
  INGERO_TRY(serve::net::parse_authority(rest, sender->peer_));
  if (!token.empty()) sender->headers_.emplace_back("Authorization", "Bearer " + token);
  return sender;
}

void Sender::send(const std::string& body) {
  static const serve::net::Stop kNever;
  const auto answer = serve::net::http_ask(
      peer_, nullptr, {.path = "/v1/metrics", .headers = headers_, .type = "application/x-protobuf", .body = body},
      kMaxAnswerBytes, std::chrono::steady_clock::now() + kTimeout, kNever);
  if (answer.ok() && answer->status == 200) {
    ++sent_;
    bytes_ += body.size();
    return;
  }
  const std::lock_guard guard(mutex_);
  last_error_ = answer.ok() ? fmt::format("{}: HTTP {}", peer_.url(), answer->status) : answer.error().text();
}

void Sender::send(Plan& plan, uint32_t window) {
  plan.begin(window);
  std::atomic<uint32_t> next = 0;
  const auto work = [&] {
    for (uint32_t node = next++; node < plan.nodes(); node = next++) {
      const auto windows = plan.window(node, window);
      if (windows.empty()) {
        ++silent_;
      } else {
        send(wire::encode_windows(windows));
      }
    }
  };
  auto threads = start_threads(std::min<size_t>(kSendingThreads, plan.nodes()) - 1, work);
  work();
  for (auto& thread : threads) thread.join();
}

std::string Sender::last_error() const {
  const std::lock_guard guard(mutex_);
  return last_error_;
}

}  // namespace ingero::fleet::simulate
