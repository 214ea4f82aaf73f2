// One request of HTTP and its answer, by libcurl, with every byte counted: nothing a peer sends can hold more memory or
// time than it is given.
//
// One connection for each exchange, resolved, opened and closed within the deadline and until the Stop is signalled,
// whichever comes first; or one that its user keeps for all exchanges with a peer. Redirects are not followed, proxies
// are not used (nor is the environment asked for any), no other scheme is spoken, nothing is decompressed, no cookie,
// password or certificate of the user is looked for. Where the peer is only_loopback, the address itself is tested, not
// its name. Everything in an answer is from the network: bounded, and hostile until checked. Thread-safe; blocks. Owns
// its connection; peer, TLS context and the request's texts are the caller's and outlive the call.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "serve/net/peer.h"
#include "serve/net/stop.h"
#include "serve/net/tls_context.h"

namespace ingero::serve::net {

using Deadline = std::chrono::steady_clock::time_point;

inline constexpr size_t kMaxHeadBytes = 16 << 10;  // status, headers and trailers of all answers to one request

enum class HttpVersion : uint8_t {
  k1_0,  // the answer comes without chunks
  k1_1,
  k2,  // without TLS: from the first byte on; with TLS: the peer must agree before anything is sent
};

// The texts are the caller's.
struct HttpRequest {
  std::string_view path;
  std::string_view agent = "ingero";
  std::vector<std::pair<std::string, std::string>> headers = {};  // besides those of the peer, connection and body
  std::string_view type = {}, body = {};                          // POST; with an empty type a GET without body
  HttpVersion version = HttpVersion::k1_1;
  std::function<void()> on_connected = {};  // connected, nothing sent yet
};

struct HttpAnswer {
  int status = 0;                                                           // 200 to 599
  std::string body = {};                                                    // at most the bytes that were allowed
  std::vector<std::pair<std::string, std::string>> untrusted_headers = {};  // names in lower case; trailers too
  bool is_whole = false;  // the body ended where its headers, its chunks or the connection said so
  bool is_over = false;   // it is longer than was allowed
  bool is_late = false;   // the time was over before its end

  // The last of that name; empty: there is none.
  std::string_view header(std::string_view name) const;
};

// Whether exchanges can be made here; kNotSupported says what is missing.
Status http_available(bool has_tls, HttpVersion version = HttpVersion::k1_1);

// Keeps the connection of an exchange for the next one, as long as both ends agree: a TLS handshake costs a server more
// than a request of some kilobytes. Where the peer has closed it meanwhile a new one is opened; so a request may come
// twice, if the peer took it and closed without a word. For one peer and one TLS context, both of which outlive it;
// used by one thread at a time.
class HttpConnection {
 public:
  HttpConnection();
  ~HttpConnection();
  HttpConnection(HttpConnection&& other) noexcept;
  HttpConnection& operator=(HttpConnection&&) = delete;

 private:
  friend Result<HttpAnswer> http_ask(const Peer&, const TlsContext*, const HttpRequest&, size_t, Deadline, const Stop&,
                                     HttpConnection*);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Sends `request` and reads the answer; interim answers (1xx) are skipped. `tls` is not used, and may be null, where
// the peer is plain. Errors begin with the peer's URL. kNotSupported: see http_available. kInvalid: a text would end
// its line. kCorrupt: not HTTP, or too many headers. kBusy: late. kIo: closed without an answer, and the rest. A body
// that stops early is an answer that is not whole. Over HTTP/2 what is longer than allowed is read on and dropped,
// because the trailers follow it.
Result<HttpAnswer> http_ask(const Peer& peer, const TlsContext* tls, const HttpRequest& request, size_t max_body_bytes,
                            Deadline deadline, const Stop& stop, HttpConnection* kept = nullptr);

}  // namespace ingero::serve::net
