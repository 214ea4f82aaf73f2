// The loop around poll(), TLS, tokens, and the threads that answer: see grpc.h.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <thread>
#include <tuple>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>

#include "base/log.h"
#include "base/text.h"
#include "serve/http/buckets.h"
#include "serve/http/connection.h"
#include "serve/http/grpc_session.h"
#include "serve/http/listener.h"
#include "serve/http/workers.h"
#include "serve/net/stop.h"

namespace ingero::serve::http {
namespace {

using GrpcTime = GrpcSession::Time;
constexpr auto kGrpcGrace = std::chrono::seconds(1);
constexpr auto kIdle = std::chrono::minutes(10);  // senders keep their connection between two pushes
constexpr int kGrpcAcceptedAtOnce = 64;
constexpr int kReadsAtOnce = 16;  // of one connection, before the others have their turn
constexpr double kWrongTokensPerSecond = 10;

int choose_h2(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
              unsigned int offered_size, void*) {
  static constexpr unsigned char kOurs[] = {2, 'h', '2'};
  auto* found = const_cast<unsigned char*>(*chosen);
  if (SSL_select_next_proto(&found, size, kOurs, sizeof(kOurs), offered, offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

struct GrpcServer::Impl {
  enum class Phase : uint8_t { kHandshake, kOpen };
  struct Peer {
    Peer(Fd socket, SSL_CTX* tls) : connection(std::move(socket), tls) {}
    Connection connection;
    std::unique_ptr<GrpcSession> session;
    std::string out;
    size_t written = 0;
    Phase phase = Phase::kHandshake;
    GrpcTime since, unsent_since;  // since: accepted, or last heard of; unsent_since: while `out` is not taken
    bool is_trusted = false;
  };
  struct Answer {
    uint64_t peer = 0;
    int32_t stream = 0;
    GrpcAnswer answer;
  };

  Impl(GrpcOptions given, const Clock& the_clock)
      : options(std::move(given)),
        clock(the_clock),
        wrong(kWrongTokensPerSecond),
        wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  GrpcOptions options;
  const Clock& clock;
  Buckets wrong;
  GrpcHandler handler;
  Address address;
  TlsContext tls;
  Fd socket, wake;
  net::Stop stop_;
  size_t held_bytes = 0;  // of messages; outlives `peers`
  std::map<uint64_t, Peer> peers;
  uint64_t next_id = 0;
  GrpcTime refused_until;
  std::mutex mutex;
  std::vector<Answer> answers;
  std::unique_ptr<Workers> workers;
  std::thread thread;

  Status make_tls_context() {
    if (options.certificate.empty() != options.key.empty()) {
      return Error(Errc::kInvalid, "TLS needs both a certificate and its key");
    }
    if (options.certificate.empty()) return {};
    const auto key = read_file(options.key, 1 << 20);
    INGERO_TRY(key);
    auto made = make_tls(options.certificate, options.key, *key, TLS1_2_VERSION);
    INGERO_TRY(made);
    tls = std::move(*made);
    SSL_CTX_set_alpn_select_cb(tls.get(), choose_h2, nullptr);
    return {};
  }

  // A token that this connection has shown before is compared again; a wrong one is compared ten times a second.
  std::optional<GrpcAnswer> why_not(Peer& peer, const GrpcCall& call) {
    if (options.secrets.empty()) return std::nullopt;
    GrpcAnswer refused;
    const auto shown = call.headers.find("authorization");
    const std::string token = shown == call.headers.end() ? "" : shown->second;
    const uint64_t now = clock.mono_ns();
    const std::string& client = peer.connection.client();
    if (!peer.is_trusted && !token.empty() && !wrong.has(client, now, false)) {
      refused.code = GrpcCode::kResourceExhausted;
      refused.why = "too many wrong secrets";
      return refused;
    }
    peer.is_trusted = options.secrets.open(token);
    if (peer.is_trusted) return std::nullopt;
    if (!token.empty()) (void)wrong.has(client, now, true);
    refused.code = GrpcCode::kUnauthenticated;
    refused.why = "authentication required: send the metadata authorization: Bearer TOKEN";
    return refused;
  }

  void submit(uint64_t id, int32_t stream, GrpcCall call) {
    workers->submit(
        [this, id, stream, call = std::move(call)] {
          GrpcAnswer answer;
          try {
            answer = handler(call);
          } catch (const std::exception& error) {
            answer.code = GrpcCode::kInternal;
            answer.why = printable(error.what(), 500);
          }
          {
            const std::scoped_lock lock(mutex);
            answers.push_back({id, stream, std::move(answer)});
          }
          const uint64_t one = 1;
          (void)!::write(wake.get(), &one, sizeof(one));
        },
        Weight::kUsual);
  }

  void take_answers() {
    std::vector<Answer> taken;
    {
      const std::scoped_lock lock(mutex);
      taken.swap(answers);
    }
    for (Answer& one : taken) {
      const auto at = peers.find(one.peer);
      if (at == peers.end()) continue;
      at->second.session->answer(one.stream, std::move(one.answer));
      if (!write(at->second, std::chrono::steady_clock::now())) peers.erase(at);
    }
  }

  // Of the client with most connections the one that has been idle longest.
  void displace_one() {
    std::map<std::string, size_t> counts;
    for (const auto& [id, peer] : peers) ++counts[peer.connection.client()];
    auto chosen = peers.end();
    const auto rank = [&](const Peer& peer) {
      const bool is_idle = peer.session == nullptr || peer.session->is_idle();
      return std::make_tuple(counts[peer.connection.client()], is_idle, GrpcTime::max() - peer.since);
    };
    for (auto at = peers.begin(); at != peers.end(); ++at) {
      if (chosen == peers.end() || rank(chosen->second) < rank(at->second)) chosen = at;
    }
    if (chosen != peers.end()) peers.erase(chosen);
  }

  void accept_all(GrpcTime now) {
    for (int i = 0; i < kGrpcAcceptedAtOnce; ++i) {
      Fd accepted(::accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!accepted.valid()) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
          log_warning("cannot accept a connection: {}", errno_error("accept").text());
          refused_until = now + kGrpcGrace;
        }
        return;
      }
      if (peers.size() >= options.connections) displace_one();
      const int yes = 1;
      ::setsockopt(accepted.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
      const uint64_t id = next_id++;
      Peer& peer = peers.try_emplace(id, std::move(accepted), tls.get()).first->second;
      peer.since = peer.unsent_since = now;
      if (!advance(id, peer, now)) peers.erase(id);
    }
  }

  void open(uint64_t id, Peer& peer) {
    peer.phase = Phase::kOpen;
    GrpcSessionCalls calls;
    calls.admit = [this, &peer](const GrpcCall& call) { return why_not(peer, call); };
    calls.submit = [this, id](int32_t stream, GrpcCall call) { submit(id, stream, std::move(call)); };
    peer.session = std::make_unique<GrpcSession>(options, std::move(calls), held_bytes);
  }

  // Whether the connection goes on.
  bool advance(uint64_t id, Peer& peer, GrpcTime now) {
    if (peer.phase == Phase::kHandshake) {
      const Step step = peer.connection.shake_hands();
      if (step != Step::kDone) return step == Step::kAgain;
      open(id, peer);
    }
    // Who does not take its answers is not read from: else what is answered to pings would grow.
    for (int i = 0; i < kReadsAtOnce && peer.out.empty(); ++i) {
      char bytes[16384];
      size_t got = 0;
      const Step step = peer.connection.read(bytes, sizeof(bytes), got);
      if (step == Step::kEnded) return false;
      if (step == Step::kAgain) break;
      if (!peer.session->receive({bytes, got}, now)) return false;
      if (peer.session->has_begun()) peer.since = now;
      if (!write(peer, now)) return false;
    }
    return write(peer, now);
  }

  bool write(Peer& peer, GrpcTime now) {
    if (peer.session == nullptr) return true;
    while (true) {
      if (peer.out.empty()) {
        peer.unsent_since = now;
        if (!peer.session->produce(peer.out)) return false;
        if (peer.out.empty()) return !peer.session->is_over();
      }
      const Step step = peer.connection.write(peer.out, peer.written);
      if (step != Step::kDone) return step == Step::kAgain;
      peer.out.clear();
      peer.written = 0;
    }
  }

  GrpcTime deadline_of(const Peer& peer) const {
    const std::chrono::seconds limit(options.seconds);
    GrpcTime deadline = peer.session != nullptr && peer.session->has_begun() ? peer.since + kIdle : peer.since + limit;
    if (!peer.out.empty()) deadline = std::min(deadline, peer.unsent_since + limit);
    if (peer.session == nullptr) return deadline;
    if (const auto oldest = peer.session->oldest()) deadline = std::min(deadline, *oldest + limit);
    return deadline;
  }

  bool expire(Peer& peer, GrpcTime now) {
    if (now < deadline_of(peer)) return true;
    if (peer.session == nullptr || !peer.session->has_begun()) return false;
    const std::chrono::seconds limit(options.seconds);
    if (now >= peer.since + kIdle || (!peer.out.empty() && now >= peer.unsent_since + limit)) return false;
    return peer.session->expire(now, now - limit) && write(peer, now);
  }

  void wait() {
    const GrpcTime now = std::chrono::steady_clock::now();
    GrpcTime until = now + std::chrono::minutes(1);
    std::vector<pollfd> wanted{{stop_.fd(), POLLIN, 0}, {wake.get(), POLLIN, 0}, {socket.get(), POLLIN, 0}};
    if (now < refused_until) {
      wanted[2].fd = -1;
      until = std::min(until, refused_until);
    }
    std::vector<uint64_t> ids;
    for (const auto& [id, peer] : peers) {
      wanted.push_back({peer.connection.fd(), peer.connection.wanted_events(), 0});
      ids.push_back(id);
      until = std::min(until, deadline_of(peer));
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
    if (::poll(wanted.data(), wanted.size(), static_cast<int>(std::clamp<int64_t>(left, 0, 60'000))) <= 0) return;
    uint64_t count = 0;
    if (wanted[1].revents != 0) (void)!::read(wake.get(), &count, sizeof(count));
    const GrpcTime then = std::chrono::steady_clock::now();
    for (size_t i = 0; i < ids.size(); ++i) {
      if (wanted[i + 3].revents == 0) continue;
      const auto peer = peers.find(ids[i]);
      if (peer != peers.end() && !advance(peer->first, peer->second, then)) peers.erase(peer);
    }
  }

  void run() {
    pthread_setname_np(pthread_self(), "ingero-grpc");
    sigset_t pipe;  // a connection that TLS finds closed
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    while (!stop_.is_signalled()) {
      wait();
      if (stop_.is_signalled()) break;
      const GrpcTime now = std::chrono::steady_clock::now();
      take_answers();
      for (auto at = peers.begin(); at != peers.end();) {
        at = expire(at->second, now) ? std::next(at) : peers.erase(at);
      }
      if (now >= refused_until) accept_all(now);
    }
    finish();
  }

  void finish() {
    socket.reset();
    workers->stop();
    take_answers();
    const GrpcTime end = std::chrono::steady_clock::now() + kGrpcGrace;
    for (auto& [id, peer] : peers) {
      if (peer.session != nullptr) peer.session->say_goodbye();
    }
    while (std::chrono::steady_clock::now() < end) {
      for (auto at = peers.begin(); at != peers.end();) {
        Peer& peer = at->second;
        const bool has_more = peer.session != nullptr && write(peer, end) && !peer.out.empty();
        at = has_more ? std::next(at) : peers.erase(at);
      }
      if (peers.empty()) break;
      std::vector<pollfd> wanted;
      for (const auto& [id, peer] : peers) wanted.push_back({peer.connection.fd(), peer.connection.wanted_events(), 0});
      if (::poll(wanted.data(), wanted.size(), 100) < 0 && errno != EINTR) break;
    }
    peers.clear();
  }
};

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcServer::~GrpcServer() { stop(); }

Result<std::unique_ptr<GrpcServer>> GrpcServer::bind(GrpcOptions options, const Clock& clock) {
  auto impl = std::make_unique<Impl>(std::move(options), clock);
  const auto address = parse_address(impl->options.address);
  INGERO_TRY(address);
  impl->address = *address;
  INGERO_TRY(impl->make_tls_context());
  auto socket = listen_on(address->host, impl->address.port);
  if (!socket.ok()) return socket.error();
  impl->socket = std::move(*socket);
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(impl)));
}

void GrpcServer::start(GrpcHandler handler) {
  impl_->handler = std::move(handler);
  impl_->workers = std::make_unique<Workers>(impl_->options.at_once);
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

void GrpcServer::stop() {
  if (impl_ == nullptr || !impl_->thread.joinable()) return;
  impl_->stop_.signal();
  impl_->thread.join();
}

std::string GrpcServer::where() const {
  const bool is_v6 = impl_->address.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", impl_->address.host, is_v6 ? "]" : "", impl_->address.port);
}

}  // namespace ingero::serve::http
