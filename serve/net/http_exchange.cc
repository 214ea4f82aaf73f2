// The HTTP client, over libcurl: see http_exchange.h.
//
// libcurl's defaults suit interactive tools: it follows the environment, supports thirty schemes and has no bound on
// bytes. set_up() lists what is switched off, each with its reason.
#include "serve/net/http_exchange.h"

#include <sys/socket.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <netinet/in.h>

#include "base/text.h"
#include "serve/net/curl.h"

namespace ingero::serve::net {
namespace {

constexpr std::string_view kLineEnds("\r\n\0", 3);
constexpr int64_t kLongestPollMs = 500;

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    return (ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24) == 127;
  }
  if (address.sa_family != AF_INET6) return false;
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

struct FreeMulti {
  const Curl* curl;
  void operator()(CURLM* multi) const { curl->multi_cleanup(multi); }
};
using Multi = std::unique_ptr<CURLM, FreeMulti>;  // has the connections that are kept

// One exchange: what libcurl's callbacks are given, and what they found.
class Exchange {
 public:
  // `kept`: the connection stays there; null: it ends with the exchange.
  Exchange(const Curl& curl, const Peer& peer, const TlsContext* tls, const HttpRequest& request, size_t max_body_bytes,
           Deadline deadline, const Stop& stop, CURLM* kept)
      : curl_(curl),
        peer_(peer),
        tls_(tls),
        request_(request),
        max_(max_body_bytes),
        deadline_(deadline),
        stop_(stop),
        headers_(nullptr, FreeList{&curl}),
        own_multi_(kept == nullptr ? curl.multi_init() : nullptr, FreeMulti{&curl}),
        multi_(kept == nullptr ? own_multi_.get() : kept),
        easy_(curl.easy_init(), FreeEasy{&curl}) {}

  Result<HttpAnswer> run();

 private:
  struct FreeEasy {
    const Curl* curl;
    void operator()(CURL* easy) const { curl->easy_cleanup(easy); }
  };
  struct FreeList {
    const Curl* curl;
    void operator()(curl_slist* list) const { curl->slist_free_all(list); }
  };

  template <typename T>
  void set(CURLoption option, T value) {
    static_assert(!std::is_same_v<T, int> && !std::is_same_v<T, bool>, "libcurl reads a long");
    const CURLcode code = curl_.easy_setopt(easy_.get(), option, value);
    if (set_up_ == CURLE_OK) set_up_ = code;
  }
  template <typename T>
  T info(CURLINFO what) const {
    T out{};
    (void)curl_.easy_getinfo(easy_.get(), what, &out);
    return out;
  }
  bool is_kept() const { return own_multi_ == nullptr; }
  bool is_h2() const { return request_.version == HttpVersion::k2; }

  void set_up();
  void add_header(const std::string& line);
  // How the exchange ended; nothing: the Stop was signalled.
  std::optional<CURLcode> transfer();
  Error failure(Errc code, std::string_view what, std::string hint = {}) const {
    return {code, fmt::format("{}: {}", peer_.url(), what), std::move(hint)};
  }
  Error error_of(CURLcode code) const;
  std::string words_of(CURLcode code) const;

  static curl_socket_t open_socket(void* self, curlsocktype, curl_sockaddr* address);
  static CURLcode on_tls(CURL*, void* context, void* self);
  static int on_connected(void* self, char*, char*, int, int);
  static size_t on_header(const char* bytes, size_t, size_t size, void* self);
  static size_t on_body(const char* bytes, size_t, size_t size, void* self);

  const Curl& curl_;
  const Peer& peer_;
  const TlsContext* const tls_;
  const HttpRequest& request_;
  const size_t max_;
  const Deadline deadline_;
  const Stop& stop_;
  char words_[CURL_ERROR_SIZE] = {};
  CURLcode set_up_ = CURLE_OK;

  HttpAnswer answer_;
  uint64_t length_ = 0;  // as the headers have it
  size_t head_bytes_ = 0;
  bool has_head_ = false;          // up to and with its empty line
  const char* refused_ = nullptr;  // why a callback ended the exchange
  bool is_resolved_ = false;
  bool is_elsewhere_ = false;  // an address that is not this machine's was not tried

  // Last, so that they go first: libcurl knows the rest by address.
  std::unique_ptr<curl_slist, FreeList> headers_;
  const Multi own_multi_;
  CURLM* const multi_;
  const std::unique_ptr<CURL, FreeEasy> easy_;
};

curl_socket_t Exchange::open_socket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& exchange = *static_cast<Exchange*>(self);
  exchange.is_resolved_ = true;
  if (exchange.peer_.only_loopback && !is_loopback(address->addr)) {
    exchange.is_elsewhere_ = true;
    return CURL_SOCKET_BAD;
  }
  // Programs that are started meanwhile do not inherit it; libcurl's own way forgets that.
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// What make() read, into the context of this connection: libcurl would read the files anew for each.
CURLcode Exchange::on_tls(CURL*, void* context, void* self) {
  const auto& exchange = *static_cast<const Exchange*>(self);
  auto* const to = static_cast<SSL_CTX*>(context);
  SSL_CTX* const from = exchange.tls_->get();
  SSL_CTX_set1_cert_store(to, SSL_CTX_get_cert_store(from));
  SSL_CTX_set_verify(to, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_keylog_callback(to, nullptr);  // libcurl would obey SSLKEYLOGFILE
  bool is_set = SSL_CTX_set_min_proto_version(to, static_cast<int>(SSL_CTX_get_min_proto_version(from))) == 1;
  if (X509* const certificate = SSL_CTX_get0_certificate(from); certificate != nullptr) {
    STACK_OF(X509)* chain = nullptr;
    SSL_CTX_get0_chain_certs(from, &chain);
    is_set = is_set && SSL_CTX_use_cert_and_key(to, certificate, SSL_CTX_get0_privatekey(from), chain, 1) == 1;
  }
  // A peer that speaks HTTP/2 by another name alone, or none, is refused.
  constexpr unsigned char kH2[] = {2, 'h', '2'};
  if (exchange.is_h2()) is_set = is_set && SSL_CTX_set_alpn_protos(to, kH2, sizeof(kH2)) == 0;
  return is_set ? CURLE_OK : CURLE_SSL_CERTPROBLEM;
}

int Exchange::on_connected(void* self, char*, char*, int, int) {
  auto& exchange = *static_cast<Exchange*>(self);
  exchange.is_resolved_ = true;
  if (exchange.is_h2() && exchange.peer_.has_tls) {
    const auto* const session = exchange.info<curl_tlssessioninfo*>(CURLINFO_TLS_SSL_PTR);
    const unsigned char* agreed = nullptr;
    unsigned size = 0;
    if (session != nullptr && session->internals != nullptr) {
      SSL_get0_alpn_selected(static_cast<const SSL*>(session->internals), &agreed, &size);
    }
    if (std::string_view(reinterpret_cast<const char*>(agreed), size) != "h2") {
      exchange.refused_ = "it does not speak HTTP/2";
      return CURL_PREREQFUNC_ABORT;
    }
  }
  if (exchange.request_.on_connected) exchange.request_.on_connected();
  return CURL_PREREQFUNC_OK;
}

// One line with its end. libcurl bounds a line to 100 KiB, and is stopped before it keeps more.
size_t Exchange::on_header(const char* bytes, size_t, size_t size, void* self) {
  auto& exchange = *static_cast<Exchange*>(self);
  const std::string_view line = trim(std::string_view(bytes, size));
  exchange.head_bytes_ += size;
  if (exchange.head_bytes_ > kMaxHeadBytes) {
    exchange.refused_ = "its answer has too many headers";
    return 0;
  }
  if (!exchange.has_head_ && line.starts_with("HTTP/")) {
    exchange.answer_.untrusted_headers.clear();  // an interim answer's
    exchange.length_ = 0;
    return size;
  }
  if (line.empty()) {
    exchange.has_head_ = exchange.has_head_ || exchange.info<long>(CURLINFO_RESPONSE_CODE) >= 200;
    return size;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  auto& [name, value] =
      exchange.answer_.untrusted_headers.emplace_back(lower(trim(line.substr(0, colon))), trim(line.substr(colon + 1)));
  if (exchange.has_head_) return size;
  if (name == "content-length") {
    // libcurl takes one that it cannot count to for none at all.
    const auto length = parse_u64(value);
    if (!length) exchange.refused_ = "invalid HTTP response";
    if (!length) return 0;
    exchange.length_ = *length;
  }
  // libcurl decompresses what comes so, asked for or not.
  if (name == "transfer-encoding" && lower(value) != "chunked" && lower(value) != "identity") {
    exchange.refused_ = "its answer has a transfer encoding that was not asked for";
    return 0;
  }
  return size;
}

size_t Exchange::on_body(const char* bytes, size_t, size_t size, void* self) {
  auto& exchange = *static_cast<Exchange*>(self);
  std::string& body = exchange.answer_.body;
  const size_t fits = std::min(size, exchange.max_ - body.size());
  body.append(bytes, fits);
  if (fits == size) return size;
  exchange.answer_.is_over = true;
  return exchange.is_h2() ? size : 0;
}

void Exchange::add_header(const std::string& line) {
  curl_slist* const longer = curl_.slist_append(headers_.get(), line.c_str());
  if (longer == nullptr) {
    set_up_ = CURLE_OUT_OF_MEMORY;
    return;
  }
  (void)headers_.release();
  headers_.reset(longer);
}

void Exchange::set_up() {
  set(CURLOPT_ERRORBUFFER, static_cast<char*>(words_));
  set(CURLOPT_URL, (peer_.url() + "/").c_str());
  set(CURLOPT_REQUEST_TARGET, std::string(request_.path).c_str());  // as written, not as libcurl would normalise it
  set(CURLOPT_PROTOCOLS_STR, peer_.has_tls ? "https" : "http");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, "");  // else the environment names one
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  // No signal, and no wait for a resolver that does not answer: its thread ends by itself.
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);
  // libcurl 7.88 sends nothing on a kept connection whose HTTP/2 was not negotiated, and reports a fault of framing.
  if (!is_kept() || (is_h2() && !peer_.has_tls)) {
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now()).count();
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::clamp<int64_t>(left, 1, INT_MAX)));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::clamp<int64_t>(left, 1, INT_MAX)));

  set(CURLOPT_OPENSOCKETFUNCTION, open_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_PREREQFUNCTION, on_connected);
  set(CURLOPT_PREREQDATA, this);
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, this);
  if (peer_.has_tls) {
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_CAINFO, static_cast<const char*>(nullptr));  // on_tls brings them
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    set(CURLOPT_SSL_CTX_FUNCTION, on_tls);
    set(CURLOPT_SSL_CTX_DATA, this);
  }

  long version = CURL_HTTP_VERSION_1_1;
  if (request_.version == HttpVersion::k1_0) version = CURL_HTTP_VERSION_1_0;
  if (is_h2()) version = peer_.has_tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
  set(CURLOPT_HTTP_VERSION, version);
  set(CURLOPT_USERAGENT, std::string(request_.agent).c_str());
  // Without a value: what libcurl would add by itself. One that shall be sent without a value ends in ';'.
  for (const char* own : {"Accept:", "Expect:"}) add_header(own);
  for (const auto& [name, value] : request_.headers) {
    add_header(value.empty() ? fmt::format("{};", name) : fmt::format("{}: {}", name, value));
  }
  if (!is_h2() && !is_kept()) add_header("Connection: close");
  if (!request_.type.empty()) {
    add_header(fmt::format("Content-Type: {}", request_.type));
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.empty() ? "" : request_.body.data());
  }
  set(CURLOPT_HTTPHEADER, headers_.get());
}

std::optional<CURLcode> Exchange::transfer() {
  if (curl_.multi_add_handle(multi_, easy_.get()) != CURLM_OK) return CURLE_OUT_OF_MEMORY;
  std::optional<CURLcode> ended;
  bool is_stopped = false;
  while (!ended && !is_stopped) {
    int running = 0;
    CURLMcode fault = curl_.multi_perform(multi_, &running);
    int left = 0;
    const CURLMsg* const message = curl_.multi_info_read(multi_, &left);
    if (message != nullptr && message->msg == CURLMSG_DONE) {
      ended = message->data.result;
      break;
    }
    // libcurl looks at its own clock between two waits; who keeps it busy is stopped here.
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline_) {
      ended = CURLE_OPERATION_TIMEDOUT;
      break;
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - now).count();
    curl_waitfd stop{stop_.fd(), CURL_WAIT_POLLIN, 0};
    if (fault == CURLM_OK) {
      // libcurl may have read more of an answer than it has handed on: it is asked again now and then.
      fault = curl_.multi_poll(multi_, &stop, 1, static_cast<int>(std::min<int64_t>(wait, kLongestPollMs)), nullptr);
    }
    if (fault != CURLM_OK) ended = CURLE_FAILED_INIT;
    is_stopped = stop_.is_signalled();
  }
  (void)curl_.multi_remove_handle(multi_, easy_.get());
  return ended;
}

// libcurl's words, without the path through OpenSSL in front. Names in a certificate are the peer's.
std::string Exchange::words_of(CURLcode code) const {
  std::string_view words = words_[0] != '\0' ? words_ : curl_.easy_strerror(code);
  constexpr std::string_view kRoutines = "routines::";
  if (const size_t path = words.find(kRoutines); path != std::string_view::npos) {
    words.remove_prefix(path + kRoutines.size());
  }
  constexpr std::string_view kKnown[] = {"SSL certificate problem: ", "SSL: "};
  for (const std::string_view known : kKnown) {
    if (words.starts_with(known)) words.remove_prefix(known.size());
  }
  return printable(words, 300);
}

Error Exchange::error_of(CURLcode code) const {
  if (refused_ != nullptr) return failure(Errc::kCorrupt, refused_);
  switch (code) {
    case CURLE_OK:
      return failure(Errc::kCorrupt, "its answer ends before its headers do");
    case CURLE_OPERATION_TIMEDOUT:
      return failure(Errc::kBusy, is_resolved_ ? "no answer in time" : "the name was not resolved in time");
    case CURLE_COULDNT_RESOLVE_HOST:
      return failure(Errc::kIo, "the name cannot be resolved", "check its spelling, or give an address");
    case CURLE_COULDNT_CONNECT:
      if (const long error = info<long>(CURLINFO_OS_ERRNO); error != 0) {
        return errno_error(peer_.url(), static_cast<int>(error));
      }
      if (is_elsewhere_) return failure(Errc::kIo, "not encrypted, and the name does not mean this machine");
      return failure(Errc::kIo, words_of(code));
    case CURLE_GOT_NOTHING:
      return failure(Errc::kIo, "it closed the connection without an answer");
    case CURLE_PEER_FAILED_VERIFICATION:
      return failure(Errc::kIo, fmt::format("its certificate is not accepted: {}", words_of(code)));
    case CURLE_SSL_CONNECT_ERROR:
      return failure(Errc::kIo, fmt::format("TLS handshake: {}", words_of(code)));
    case CURLE_UNSUPPORTED_PROTOCOL:  // HTTP/0.9: anything that is not a status line
    case CURLE_WEIRD_SERVER_REPLY:
      return failure(Errc::kCorrupt, "invalid HTTP response");
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return failure(Errc::kCorrupt, fmt::format("invalid HTTP/2 response: {}", words_of(code)));
    case CURLE_OUT_OF_MEMORY:  // what libcurl calls a line beyond its own bound
      return failure(Errc::kCorrupt, "its answer has too many headers");
    default:
      return failure(Errc::kIo, words_of(code));
  }
}

Result<HttpAnswer> Exchange::run() {
  if (multi_ == nullptr || easy_ == nullptr) return failure(Errc::kIo, "libcurl cannot be initialised: out of memory?");
  set_up();
  if (set_up_ != CURLE_OK) {
    return failure(Errc::kNotSupported, fmt::format("libcurl refuses an option: {}", curl_.easy_strerror(set_up_)));
  }
  const std::optional<CURLcode> ended = transfer();
  if (!has_head_) return ended ? error_of(*ended) : failure(Errc::kIo, "given up: the program ends");
  answer_.status = static_cast<int>(info<long>(CURLINFO_RESPONSE_CODE));
  if (answer_.status > 599) return failure(Errc::kCorrupt, "invalid HTTP response");
  if (length_ > max_) answer_.is_over = true;
  answer_.is_whole = ended == CURLE_OK && !answer_.is_over;
  answer_.is_late = ended == CURLE_OPERATION_TIMEDOUT;
  return std::move(answer_);
}

bool is_one_line(std::string_view text) { return text.find_first_of(kLineEnds) == std::string_view::npos; }

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
  const auto found = std::find_if(untrusted_headers.rbegin(), untrusted_headers.rend(),
                                  [&](const auto& header) { return header.first == name; });
  return found == untrusted_headers.rend() ? std::string_view() : found->second;
}

struct HttpConnection::Impl {
  Multi multi{nullptr, FreeMulti{nullptr}};  // none before the first exchange
};

HttpConnection::HttpConnection() : impl_(std::make_unique<Impl>()) {}
HttpConnection::~HttpConnection() = default;
HttpConnection::HttpConnection(HttpConnection&& other) noexcept = default;

Status http_available(bool has_tls, HttpVersion version) {
  const auto curl = load_curl();
  INGERO_TRY(curl);
  const std::string_view missing = has_tls && !(*curl)->has_our_tls                    ? "the OpenSSL of this program"
                                   : version == HttpVersion::k2 && !(*curl)->has_http2 ? "HTTP/2"
                                                                                       : "";
  if (missing.empty()) return {};
  return Error(Errc::kNotSupported, fmt::format("libcurl.so.4 was built without {}", missing),
               "install the distribution's libcurl4 with OpenSSL");
}

Result<HttpAnswer> http_ask(const Peer& peer, const TlsContext* tls, const HttpRequest& request, size_t max_body_bytes,
                            Deadline deadline, const Stop& stop, HttpConnection* kept) {
  INGERO_TRY(http_available(peer.has_tls, request.version));
  bool are_lines = is_one_line(request.path) && is_one_line(request.agent) && is_one_line(request.type);
  for (const auto& [name, value] : request.headers) are_lines = are_lines && is_one_line(name) && is_one_line(value);
  if (!are_lines) {
    return Error(Errc::kInvalid, fmt::format("{}: a header or the path contains a line break", peer.url()));
  }
  const Curl& curl = **load_curl();
  CURLM* multi = nullptr;
  if (kept != nullptr) {
    if (kept->impl_->multi == nullptr) kept->impl_->multi = Multi(curl.multi_init(), FreeMulti{&curl});
    multi = kept->impl_->multi.get();
  }
  return Exchange(curl, peer, tls, request, max_body_bytes, deadline, stop, multi).run();
}

}  // namespace ingero::serve::net
