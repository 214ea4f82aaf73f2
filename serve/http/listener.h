// Accepts connections, reads requests from them and writes answers to them: one thread waits for all of them, so that
// a client that sends or takes a byte a second holds no thread, and workers only ever see whole requests.
//
// Bounds: connections (a new one displaces the one that waits longest of the client that has most); bytes of a request
// (request_reader.h); bytes of all bodies together; one time limit from the first byte of a request, or from accepting
// its connection, to its last. Created, started and stopped by one thread; callbacks as they say. Private to
// serve/http/.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serve/http/connection.h"
#include "serve/http/request_reader.h"
#include "serve/http/workers.h"
#include "serve/net/stop.h"

namespace ingero::serve::http {

struct ListenerOptions {
  size_t connections = 256, body_bytes = 0;
  bool takes_packed = false;           // bodies with a Content-Encoding, as they are
  size_t all_body_bytes = 16 << 20;    // of all connections together
  size_t all_answer_bytes = 32 << 20;  // not yet taken, of all together
  int seconds = 2;                     // to send a request; to take an answer, and a second more for each 32 KiB
  int idle_seconds = 1;                // between requests
  int requests = 1;                    // on one connection
  size_t workers = 4;
};

// What a connection is known by, across its requests.
struct Client {
  std::string address;
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

class Listener {
 public:
  Listener(Fd socket, TlsContext tls, const ListenerOptions& options, ListenerCalls calls);
  ~Listener();  // as stop()
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void start();
  // Ends connections without an open request at once, waits for the calls of `answer` that have begun, and a second at
  // most for answers to be taken.
  void stop();

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Phase : uint8_t { kHandshake, kReading, kAnswering, kWriting, kLingering };
  struct Peer {
    Peer(Fd socket, SSL_CTX* tls, const RequestReader& fresh)
        : connection(std::move(socket), tls), client{connection.client(), false}, reader(fresh) {}
    Connection connection;
    Client client;
    RequestReader reader;
    size_t submitted_bytes = 0;  // of the body that is being answered
    std::string rest;            // read, and of a later request
    Phase phase = Phase::kHandshake;
    Time deadline, since;  // since: of the phase, or of the request
    Raw answer;
    size_t written = 0;
    int left = 0;  // requests
  };
  using Peers = std::map<uint64_t, Peer>;

  void run();
  void wait();
  void accept_all(Time now);
  void displace_one();
  // Whether the connection goes on.
  bool advance(uint64_t id, Peer& peer, Time now);
  RequestReader fresh_reader() const { return RequestReader(options_.body_bytes, options_.takes_packed); }
  bool read(uint64_t id, Peer& peer, Time now);
  bool take(uint64_t id, Peer& peer, std::string_view bytes, Time now);
  void submit(uint64_t id, Peer& peer);
  void begin_answer(Peer& peer, Raw answer, Time now);
  void bound_answers(const Peer& newest);
  bool write(Peer& peer, Time now);
  bool after_answer(Peer& peer, Time now);
  bool expire(Peer& peer, Time now);
  void take_answers(Time now);
  void finish();
  size_t bodies() const;

  Fd socket_;
  TlsContext tls_;
  ListenerOptions options_;
  ListenerCalls calls_;
  net::Stop stop_;
  Fd wake_;  // an answer is there
  Peers peers_;
  uint64_t next_id_ = 0;
  Time refused_until_;  // no descriptor was left to accept with
  std::mutex mutex_;
  std::map<uint64_t, Raw> answers_;
  std::unique_ptr<Workers> workers_;
  std::thread thread_;
};

// A socket that listens on host and port (0: any free; `port` then says which).
Result<Fd> listen_on(const std::string& host, uint16_t& port);

}  // namespace ingero::serve::http
