// A receiver for tests, on loopback: takes whole requests of HTTP/1.1 and answers with the bytes that a test gives it.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>

#include "base/fd.h"
#include "base/text.h"

namespace ingero::serve::otlp {

class RawReceiver {
 public:
  struct Request {
    std::string head, body;
  };
  // Writes to the connection itself where bytes alone do not say it: return "" then.
  using Answer = std::function<std::string(const Request& request, size_t number, int connection)>;

  explicit RawReceiver(Answer answer, uint16_t port = 0) : answer_(std::move(answer)) {
    socket_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    socklen_t size = sizeof(address);
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket_.get(), 16) != 0 ||
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~RawReceiver() {
    stopped_ = true;
    thread_.join();
  }
  uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  bool is_stopped() const { return stopped_; }
  std::vector<Request> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

  static std::string http(const std::string& status, const std::string& headers = "", const std::string& body = "") {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" +
           body;
  }

 private:
  bool wait(int fd) const {
    while (!stopped_) {
      pollfd wanted{fd, POLLIN, 0};
      if (::poll(&wanted, 1, 10) == 1) return true;
    }
    return false;
  }
  void serve() {
    while (wait(socket_.get())) {
      const Fd connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      std::string bytes;
      Request request;
      while (request.head.empty() || request.body.size() > bytes.size()) {
        char part[65536];
        if (!wait(connection.get())) return;
        const ssize_t got = ::recv(connection.get(), part, sizeof(part), 0);
        if (got <= 0) break;
        bytes.append(part, static_cast<size_t>(got));
        const size_t end = bytes.find("\r\n\r\n");
        if (!request.head.empty() || end == std::string::npos) continue;
        request.head = bytes.substr(0, end + 2);
        bytes.erase(0, end + 4);
        const size_t length = request.head.find("Content-Length: ");
        request.body.resize(length == std::string::npos ? 0 : std::stoul(request.head.substr(length + 16)));
      }
      if (request.head.empty()) continue;
      request.body = bytes;
      size_t number = 0;
      {
        const std::scoped_lock lock(mutex_);
        number = requests_.size();
        requests_.push_back(request);
      }
      const std::string out = answer_(request, number, connection.get());
      (void)!::send(connection.get(), out.data(), out.size(), MSG_NOSIGNAL);
    }
  }

  Answer answer_;
  Fd socket_;
  uint16_t port_ = 0;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::thread thread_;
};

}  // namespace ingero::serve::otlp
