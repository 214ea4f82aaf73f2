// The HTTP side, on cpp-httplib: prometheus-cpp's own server knows no bearer tokens.
#include "serve/prometheus/server.h"

#include <sys/stat.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <httplib.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>

#include "base/log.h"
#include "base/text.h"

namespace ingero::serve::prometheus {
namespace {

constexpr size_t kThreads = 4;
constexpr size_t kWaiting = 16;
constexpr size_t kMaxAuthFile = 64 << 10;
constexpr time_t kTimeoutSeconds = 2;

// A pool whose queue is bounded: a full one holds the accepting thread, so that connections wait in the kernel's
// backlog instead of taking the agent's file descriptors.
class BoundedPool : public httplib::TaskQueue {
 public:
  BoundedPool() {
    for (size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { work(); });
  }
  void enqueue(std::function<void()> task) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tasks_.size() < kWaiting || stopped_; });
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  void shutdown() override {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

 private:
  void work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !tasks_.empty() || stopped_; });
        if (tasks_.empty()) return;  // what was accepted is answered, or closed, by its task
        task = std::move(tasks_.front());
        tasks_.pop_front();
        changed_.notify_all();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool stopped_ = false;
};

std::string base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < text.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) bits = bits << 8 | (i + j < text.size() ? static_cast<uint8_t>(text[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) out += i + j > text.size() ? '=' : kDigits[bits >> (18 - 6 * j) & 63];
  }
  return out;
}

// The values of the Authorization header that open.
Result<std::vector<std::string>> read_secrets(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && (status.st_mode & 077) != 0) {
    return Error(Errc::kInvalid, fmt::format("{}: others than its owner can use this file", path),
                 fmt::format("chmod 600 {}", path));
  }
  const auto text = read_file(path, kMaxAuthFile);
  if (!text.ok()) return text.error();
  std::vector<std::string> secrets;
  size_t number = 0;
  for (const std::string_view raw : split(*text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const size_t space = line.find(' ');
    const std::string_view scheme = line.substr(0, space);
    const std::string_view secret = space == std::string_view::npos ? "" : trim(line.substr(space));
    if (scheme == "bearer" && !secret.empty()) {
      secrets.push_back(fmt::format("Bearer {}", secret));
    } else if (scheme == "basic" && secret.find(':') != std::string_view::npos && !secret.starts_with(':')) {
      secrets.push_back("Basic " + base64(secret));
    } else {
      return Error(Errc::kInvalid,
                   fmt::format("{}:{}: neither 'bearer TOKEN' nor 'basic USER:PASSWORD'", path, number));
    }
  }
  if (secrets.empty()) return Error(Errc::kInvalid, fmt::format("{}: no line says what opens", path));
  return secrets;
}

// Takes as long for a wrong secret as for the right one of that length.
bool opens(const std::vector<std::string>& secrets, const std::string& given) {
  bool open = false;
  for (const std::string& secret : secrets) {
    const bool same = secret.size() == given.size() && CRYPTO_memcmp(secret.data(), given.data(), secret.size()) == 0;
    open = open || same;
  }
  return open;
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

}  // namespace

Result<Address> parse_address(const std::string& address) {
  const auto wrong = [&] {
    return Error(Errc::kInvalid, fmt::format("{}: not an address to listen on", printable(address)),
                 "give HOST:PORT, or :PORT for this machine only");
  };
  Address out;
  std::string port = address;
  if (address.starts_with('[')) {
    const size_t end = address.find("]:");
    if (end == std::string::npos) return wrong();
    out.host = address.substr(1, end - 1);
    port = address.substr(end + 2);
  } else if (const size_t colon = address.rfind(':'); colon != std::string::npos) {
    out.host = address.substr(0, colon);
    port = address.substr(colon + 1);
    if (out.host.find(':') != std::string::npos) return wrong();
  }
  const auto number = parse_u64(port);
  if (!number || *number > 65535) return wrong();
  out.port = static_cast<uint16_t>(*number);
  if (out.host.empty()) out.host = "127.0.0.1";
  out.is_loopback = is_loopback(out.host);
  return out;
}

struct Server::Impl {
  std::unique_ptr<httplib::Server> http;
  std::vector<std::string> secrets;
  std::function<std::string()> page;
  std::mutex page_mutex;
  std::thread thread;
  Address address;
  bool has_tls = false;

  void answer(const httplib::Request& request, httplib::Response& response) {
    if (!secrets.empty() && !opens(secrets, request.get_header_value("Authorization"))) {
      response.status = 401;
      response.set_header("WWW-Authenticate", "Basic realm=\"ingero\", Bearer");
      response.set_content("authentication required\n", "text/plain");
      return;
    }
    const std::scoped_lock lock(page_mutex);
    response.set_content(page(), "text/plain; version=0.0.4; charset=utf-8");
  }
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { stop(); }

Result<std::unique_ptr<Server>> Server::bind(const ServerOptions& options) {
  auto impl = std::make_unique<Impl>();
  const auto address = parse_address(options.address);
  INGERO_TRY(address);
  impl->address = *address;
  if (options.certificate.empty() != options.key.empty()) {
    return Error(Errc::kInvalid, "TLS needs both a certificate and its key");
  }
  if (!options.auth_file.empty()) {
    auto secrets = read_secrets(options.auth_file);
    INGERO_TRY(secrets);
    impl->secrets = std::move(*secrets);
  }
  if (!options.certificate.empty()) {
    for (const std::string* file : {&options.certificate, &options.key}) INGERO_TRY(read_file(*file, 1 << 20));
    auto server = std::make_unique<httplib::SSLServer>(options.certificate.c_str(), options.key.c_str());
    if (!server->is_valid()) {
      return Error(Errc::kInvalid,
                   fmt::format("{} and {}: no certificate with its key", options.certificate, options.key),
                   "both in PEM format, belonging together");
    }
    SSL_CTX_set_min_proto_version(server->ssl_context(), TLS1_2_VERSION);
    impl->http = std::move(server);
    impl->has_tls = true;
  } else {
    impl->http = std::make_unique<httplib::Server>();
  }
  httplib::Server& http = *impl->http;
  http.new_task_queue = [] { return new BoundedPool(); };  // NOLINT: httplib owns it
  http.set_read_timeout(kTimeoutSeconds);
  http.set_write_timeout(kTimeoutSeconds);
  http.set_keep_alive_timeout(1);
  http.set_keep_alive_max_count(8);
  http.set_payload_max_length(0);
  // The library's default is SO_REUSEPORT: a second agent would take the first one's scrapes.
  http.set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  auto* raw = impl.get();
  http.Get("/metrics",
           [raw](const httplib::Request& request, httplib::Response& response) { raw->answer(request, response); });
  http.set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, std::exception_ptr) { response.status = 500; });
  errno = 0;
  if (address->port == 0) {
    const int port = http.bind_to_any_port(address->host);
    if (port <= 0) return errno_error(fmt::format("listen on {}", options.address), errno != 0 ? errno : EADDRNOTAVAIL);
    impl->address.port = static_cast<uint16_t>(port);
  } else if (!http.bind_to_port(address->host, address->port)) {
    return errno_error(fmt::format("listen on {}", options.address), errno != 0 ? errno : EADDRNOTAVAIL);
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

void Server::start(std::function<std::string()> page) {
  impl_->page = std::move(page);
  impl_->thread = std::thread([raw = impl_.get()] {
    if (!raw->http->listen_after_bind()) log_error("the metrics server stopped: {}", errno_error("accept").text());
  });
}

void Server::stop() {
  if (!impl_ || !impl_->thread.joinable()) return;
  // stop() before the thread has begun to listen would be forgotten.
  while (!impl_->http->is_running()) std::this_thread::yield();
  impl_->http->stop();
  impl_->thread.join();
}

std::string Server::url() const {
  const bool v6 = impl_->address.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}/metrics", impl_->has_tls ? "https" : "http", v6 ? "[" : "", impl_->address.host,
                     v6 ? "]" : "", impl_->address.port);
}

std::string Server::warning() const {
  if (impl_->address.is_loopback) return {};
  if (impl_->secrets.empty())
    return "metrics are open to everybody who reaches this address; --prometheus-auth asks for a secret";
  if (!impl_->has_tls)
    return "metrics and their secret travel in the clear; --prometheus-cert and --prometheus-key encrypt them";
  return {};
}

}  // namespace ingero::serve::prometheus
