// TLS, tokens, and a connection's calls: see grpc_server.h.
#include "serve/http/grpc_server.h"

#include <algorithm>

#include <openssl/ssl.h>

#include "base/text.h"
#include "serve/http/acceptor.h"
#include "serve/http/grpc_session.h"
#include "serve/http/wrong_secrets.h"

namespace ingero::serve::http {
namespace {

constexpr auto kIdle = std::chrono::minutes(10);  // senders keep their connection between two pushes
constexpr double kWrongTokensPerSecond = 10;

struct GrpcPeer : Accepted {
  using Accepted::Accepted;
  std::unique_ptr<GrpcSession> session;  // null: shaking hands
  std::string out;
  size_t written = 0;
  AcceptorTime unsent_since;  // while `out` is not taken
  bool is_trusted = false;
};

struct StreamAnswer {
  int32_t stream = 0;
  std::string client;
  size_t call_bytes = 0;
  GrpcAnswer answer;
};

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

Result<TlsContext> tls_of(const GrpcOptions& options) {
  if (options.certificate.empty() != options.key.empty()) {
    return Error(Errc::kInvalid, "TLS needs both a certificate and its key", "give both files, or none");
  }
  if (options.certificate.empty()) return TlsContext();
  const auto key = read_file(options.key, 1 << 20);
  INGERO_TRY(key);
  auto tls = make_tls(options.certificate, options.key, *key, TLS1_2_VERSION);
  INGERO_TRY(tls);
  SSL_CTX_set_alpn_select_cb(tls->get(), choose_h2, nullptr);
  return tls;
}

}  // namespace

struct GrpcServer::Impl final : Acceptor<GrpcPeer, StreamAnswer> {
  using Peer = GrpcPeer;

  Impl(Fd socket, TlsContext its_tls, Address its_address, GrpcOptions given, const Clock& the_clock)
      : Acceptor("ingero-grpc", std::move(socket), given.connections),
        options(std::move(given)),
        clock(the_clock),
        wrong(kWrongTokensPerSecond),
        address(std::move(its_address)),
        tls(std::move(its_tls)) {}
  ~Impl() override { stop(); }

  GrpcOptions options;
  const Clock& clock;
  WrongSecrets wrong;
  GrpcHandler handler;
  Address address;
  TlsContext tls;
  Shares held{kMaxAllMessageBytes};  // by calls: those that come, and those that wait for their answer

  // A token that this connection has shown before is compared again; a wrong one is compared ten times a second.
  std::optional<GrpcAnswer> why_not(Peer& peer, const GrpcCall& call) {
    if (options.secrets.empty()) return std::nullopt;
    GrpcAnswer refused;
    const auto shown = call.headers.find("authorization");
    const std::string token = shown == call.headers.end() ? "" : shown->second;
    const uint64_t now = clock.mono_ns();
    const std::string& client = peer.connection.client();
    if (!peer.is_trusted && !token.empty() && !wrong.may_try(client, token, now)) {
      refused.code = GrpcCode::kUnavailable;  // it may come again: RESOURCE_EXHAUSTED would be for good
      refused.why = "too many wrong secrets";
      return refused;
    }
    peer.is_trusted = options.secrets.open(token);
    if (peer.is_trusted) return std::nullopt;
    if (!token.empty()) wrong.was_wrong(client, token, now);
    refused.code = GrpcCode::kUnauthenticated;
    refused.why = "authentication required: send the metadata authorization: Bearer TOKEN";
    return refused;
  }

  // A call whose client is gone still counts until a worker has dropped it.
  void submit_call(uint64_t id, int32_t stream, GrpcCall call, size_t bytes, std::stop_token is_given_up) {
    const std::string client = call.network;
    held.add(client, bytes);
    submit(
        id, client,
        [this, stream, bytes, call = std::move(call), is_given_up = std::move(is_given_up)] {
          StreamAnswer made{stream, call.network, bytes, {}};
          if (is_given_up.stop_requested()) return made;
          try {
            made.answer = handler(call);
          } catch (const std::exception& error) {
            made.answer.code = GrpcCode::kInternal;
            made.answer.why = printable(error.what(), 500);
          }
          return made;
        },
        Weight::kUsual);
  }

  void answer_is_made(const StreamAnswer& made) override { held.remove(made.client, made.call_bytes); }

  bool take_answer(uint64_t, Peer& peer, StreamAnswer made, Time now) override {
    peer.session->answer(made.stream, std::move(made.answer), now);
    return write(peer, now);
  }

  Peer make_peer(Fd accepted, Time now) override {
    Peer peer(Connection(std::move(accepted), tls.get()));
    peer.since = peer.unsent_since = now;
    return peer;
  }

  void open(uint64_t id, Peer& peer) {
    GrpcSessionCalls calls;
    calls.admit = [this, &peer](const GrpcCall& call) { return why_not(peer, call); };
    calls.submit = [this, id, &peer](int32_t stream, GrpcCall call, size_t bytes, std::stop_token is_given_up) {
      call.network = peer.connection.network();
      submit_call(id, stream, std::move(call), bytes, std::move(is_given_up));
    };
    peer.session =
        std::make_unique<GrpcSession>(options, std::move(calls), held, refusals(), peer.connection.network());
  }

  bool advance(uint64_t id, Peer& peer, Time now) override {
    if (peer.session == nullptr) {
      const Step step = peer.connection.shake_hands();
      if (step == Step::kEnded) refusals().count(Refused::kHandshake);
      if (step != Step::kDone) return step == Step::kAgain;
      open(id, peer);
    }
    // Who does not take its answers is not read from: else what is answered to pings would grow.
    for (int i = 0; i < kReadsAtOnce && peer.out.empty(); ++i) {
      char bytes[16384];
      size_t got = 0;
      const Step step = peer.connection.read(bytes, sizeof(bytes), got);
      if (step == Step::kEnded && peer.session->has_part()) refusals().count(Refused::kTruncated);
      if (step == Step::kEnded) return false;
      if (step == Step::kAgain) break;
      if (!peer.session->receive({bytes, got}, now)) return false;
      if (peer.session->has_begun()) peer.since = now;  // last heard of
      if (!write(peer, now)) return false;
    }
    return write(peer, now);
  }

  bool write(Peer& peer, Time now) {
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

  std::optional<Time> deadline_of(const Peer& peer) const override {
    const std::chrono::seconds limit(options.seconds);
    Time deadline = peer.session != nullptr && peer.session->has_begun() ? peer.since + kIdle : peer.since + limit;
    if (!peer.out.empty()) deadline = std::min(deadline, peer.unsent_since + limit);
    if (peer.session == nullptr) return deadline;
    if (const auto oldest = peer.session->oldest()) deadline = std::min(deadline, *oldest + limit);
    return deadline;
  }

  bool expire(Peer& peer, Time now) override {
    if (peer.session == nullptr || !peer.session->has_begun()) {
      refusals().count(peer.session == nullptr ? Refused::kHandshake : Refused::kRequestTimeout);
      return false;
    }
    const std::chrono::seconds limit(options.seconds);
    const bool is_untaken = !peer.out.empty() && now >= peer.unsent_since + limit;
    if (is_untaken) refusals().count(Refused::kAnswerNotTaken);
    if (is_untaken || now >= peer.since + kIdle) return false;
    if (peer.session->expire(now, now - limit)) return write(peer, now);
    refusals().count(Refused::kRequestTimeout);
    return false;
  }

  bool is_idle(const Peer& peer) const override { return peer.session == nullptr || peer.session->is_idle(); }
  bool is_owed(const Peer& peer) const override { return peer.session != nullptr; }
  void say_goodbye(Peer& peer) override { peer.session->say_goodbye(); }
  bool flush(Peer& peer) override { return write(peer, std::chrono::steady_clock::now()) && !peer.out.empty(); }
};

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcServer::~GrpcServer() { stop(); }

Result<std::unique_ptr<GrpcServer>> GrpcServer::bind(GrpcOptions options, const Clock& clock) {
  auto address = parse_address(options.address);
  INGERO_TRY(address);
  auto tls = tls_of(options);
  INGERO_TRY(tls);
  auto socket = listen_on(address->host, address->port);
  if (!socket.ok()) return socket.error();
  return std::unique_ptr<GrpcServer>(new GrpcServer(
      std::make_unique<Impl>(std::move(*socket), std::move(*tls), std::move(*address), std::move(options), clock)));
}

void GrpcServer::start(GrpcHandler handler) {
  impl_->handler = std::move(handler);
  impl_->start(impl_->options.at_once);
}

const Refusals& GrpcServer::refusals() const { return impl_->refusals(); }

void GrpcServer::stop() {
  if (impl_ != nullptr) impl_->stop();
}

std::string GrpcServer::where() const {
  const bool is_v6 = impl_->address.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", impl_->address.host, is_v6 ? "]" : "", impl_->address.port);
}

}  // namespace ingero::serve::http
