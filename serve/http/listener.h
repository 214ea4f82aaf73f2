// Reads requests of HTTP/1.1 from connections and writes answers to them: workers only ever see whole requests.
//
// Bounds: connections (acceptor.h); bytes of a request (request_reader.h); bytes of all bodies together, of which each
// client has its share (shares.h); one time limit from the first byte of a request, or from accepting its connection,
// to its last. Created, started and stopped by one thread; callbacks as they say. Private to serve/http/.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "serve/http/acceptor.h"
#include "serve/http/request_reader.h"
#include "serve/http/shares.h"

namespace ingero::serve::http {

struct ListenerOptions {
  size_t connections = 256, body_bytes = 0;
  bool takes_packed = false;           // bodies with a Content-Encoding, as they are
  size_t all_body_bytes = 32 << 20;    // of all connections together
  size_t all_answer_bytes = 32 << 20;  // not yet taken, of all together
  int seconds = 2;                     // to send a request; to take an answer, and a second more for each 32 KiB
  int idle_seconds = 1;                // between requests
  int requests = 1;                    // on one connection
  size_t workers = 4;
};

// What a connection is known by, across its requests.
struct Client {
  std::string address;
  std::string network;      // its rates are of all its addresses (Connection::network)
  bool is_trusted = false;  // it has shown a secret
};

struct Raw {
  std::string text;   // of the whole answer
  bool ends = false;  // the connection
};

struct ListenerCalls {
  // On the listener's thread, when a head is there: an answer instead of reading the body, or nothing.
  std::function<std::optional<Raw>(const Head&, Client&)> admit;
  // On the listener's thread: for what cannot be understood, or took too long.
  std::function<Raw(const Head&, const Client&, int status, const std::string& reason)> refuse;
  // On the listener's thread, when a request is whole.
  std::function<Weight(const Head&, const std::string& body)> weight;
  // On a worker's thread. `goes_on`: further requests may follow on the connection.
  std::function<Raw(const Head&, std::string body, const Client&, bool goes_on)> answer;
};

struct ListenerPeer : Accepted {
  ListenerPeer(Connection its_connection, RequestReader fresh, Shares& bodies, Shares& answers)
      : Accepted(std::move(its_connection)),
        client{connection.client(), connection.network(), false},
        reader(std::move(fresh)),
        body_bytes(bodies, client.network),
        answer_bytes(answers, client.network) {}

  enum class Phase : uint8_t { kHandshake, kReading, kAnswering, kWriting, kLingering };
  Client client;
  RequestReader reader;
  Share body_bytes, answer_bytes;  // of all connections'
  std::string rest;                // read, and of a later request
  Phase phase = Phase::kHandshake;
  Weight weight = Weight::kLight;  // of the request that is answered
  AcceptorTime deadline;
  Raw answer;
  size_t written = 0;
  int left = 0;  // requests
};

class Listener final : private Acceptor<ListenerPeer, Raw> {
 public:
  Listener(Fd socket, TlsContext tls, const ListenerOptions& options, ListenerCalls calls)
      : Acceptor("ingero-http", std::move(socket), options.connections),
        tls_(std::move(tls)),
        options_(options),
        calls_(std::move(calls)),
        bodies_(options.all_body_bytes),
        answers_(options.all_answer_bytes) {}
  ~Listener() override { stop(); }

  void start() { Acceptor::start(options_.workers); }
  using Acceptor::refusals;
  using Acceptor::stop;

 private:
  using Peer = ListenerPeer;
  using Phase = Peer::Phase;

  Peer make_peer(Fd accepted, Time now) override;
  bool advance(uint64_t id, Peer& peer, Time now) override;
  bool take_answer(uint64_t id, Peer& peer, Raw answer, Time now) override;
  bool expire(Peer& peer, Time now) override;
  bool flush(Peer& peer) override;
  std::optional<Time> deadline_of(const Peer& peer) const override;
  bool is_idle(const Peer& peer) const override;
  bool is_owed(const Peer& peer) const override;

  RequestReader fresh_reader() const { return RequestReader(options_.body_bytes, options_.takes_packed); }
  bool read(uint64_t id, Peer& peer, Time now);
  bool take(uint64_t id, Peer& peer, std::string_view bytes, Time now);
  void submit_request(uint64_t id, Peer& peer, Time now);
  bool has_too_many_heavy(const Peer& newest) const;
  void begin_answer(Peer& peer, Raw answer, Time now);
  void bound_answers(const Peer& newest);  // drops others
  bool write(Peer& peer, Time now);
  bool after_answer(Peer& peer, Time now);
  TlsContext tls_;
  ListenerOptions options_;
  ListenerCalls calls_;
  Shares bodies_, answers_;
};

}  // namespace ingero::serve::http
