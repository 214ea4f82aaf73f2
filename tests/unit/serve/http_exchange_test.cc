// What libcurl could bring in with it: the environment, other schemes, redirects, compression, and answers without end.
// (What the callers make of answers is in their own tests.)
#include "serve/net/http_exchange.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <zlib.h>

#include "otlp_receiver.h"
#include "temp_folder.h"

namespace ingero::serve::net {
namespace {

using namespace std::chrono_literals;
using otlp::RawReceiver;
using Steady = std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr size_t kMaxBody = 1000;

class HttpExchange : public ::testing::Test {
 protected:
  void SetUp() override { ::signal(SIGPIPE, SIG_IGN); }
  Result<HttpAnswer> ask(const Peer& peer, const HttpRequest& request, std::chrono::milliseconds limit = 3s) {
    const auto began = Steady::now();
    auto answer = http_ask(peer, nullptr, request, kMaxBody, began + limit, stop_);
    took_ = Steady::now() - began;
    return answer;
  }
  Result<HttpAnswer> ask(const RawReceiver& receiver, std::chrono::milliseconds limit = 3s) {
    return ask(Peer{.has_tls = false, .only_loopback = true, .host = "127.0.0.1", .port = receiver.port()},
               {.path = "/"}, limit);
  }
  static std::string ok(const RawReceiver::Request&, size_t, int) { return RawReceiver::http("200 OK", "", "{}"); }
  // Sends `bytes` again and again until the client has had enough.
  static std::string flood(const RawReceiver& receiver, int connection, const std::string& bytes,
                           std::chrono::milliseconds pause = 0ms) {
    while (!receiver.is_stopped() && ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0) {
      std::this_thread::sleep_for(pause);
    }
    return {};
  }

  Stop stop_;
  Steady::duration took_{};
};

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name); old != nullptr) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST_F(HttpExchange, ARedirectIsAnAnswerWhereverItPoints) {
  RawReceiver elsewhere(ok);
  for (const std::string& target : {elsewhere.url() + "/", std::string("file:///etc/hostname")}) {
    RawReceiver receiver([&](const auto&, size_t, int) {
      return RawReceiver::http("302 Found", "Location: " + target + "\r\n", "there");
    });
    const auto answer = ask(receiver);
    ASSERT_TRUE(answer.ok()) << answer.error().text();
    EXPECT_EQ(answer->status, 302);
    EXPECT_EQ(answer->body, "there");
  }
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST_F(HttpExchange, TheEnvironmentAndTheHomeFolderSayNothing) {
  RawReceiver proxy(ok), receiver(ok);
  const TempFolder home;
  std::ofstream(home.path() + "/.netrc") << "machine 127.0.0.1 login someone password secret\n";
  std::ofstream(home.path() + "/.curlrc") << "proxy = " << proxy.url() << "\n";
  const Variable variables[] = {{"http_proxy", proxy.url()}, {"HTTP_PROXY", proxy.url()}, {"all_proxy", proxy.url()},
                                {"ALL_PROXY", proxy.url()},  {"HOME", home.path()},       {"no_proxy", ""}};
  ASSERT_TRUE(ask(receiver).ok());
  ASSERT_EQ(receiver.requests().size(), 1U);
  EXPECT_TRUE(proxy.requests().empty());
  EXPECT_THAT(receiver.requests()[0].head, Not(HasSubstr("Authorization")));
}

TEST_F(HttpExchange, TheRequestIsWhatTheCallerGaveAndNothingElse) {
  RawReceiver receiver(ok);
  const Peer peer{.has_tls = false, .host = "127.0.0.1", .port = receiver.port()};
  const std::string large(2 << 20, 'x');  // libcurl would ask "Expect: 100-continue" first
  ASSERT_TRUE(ask(peer, {.path = "/a/../b//c?d={e}",
                         .agent = "tester",
                         .headers = {{"X-Empty", ""}, {"X-One", "1"}},
                         .type = "text/plain",
                         .body = large})
                  .ok());
  EXPECT_EQ(receiver.requests()[0].head,
            fmt::format("POST /a/../b//c?d={{e}} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUser-Agent: tester\r\nX-Empty:\r\n"
                        "X-One: 1\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n",
                        receiver.port(), large.size()));
  EXPECT_EQ(receiver.requests()[0].body, large);
  for (const HttpRequest& request :
       {HttpRequest{.path = "/ HTTP/1.1\r\nX: y"}, HttpRequest{.path = "/", .agent = "a\n"},
        HttpRequest{.path = "/", .headers = {{"X", "a\r\nY: b"}}}}) {
    const auto answer = ask(peer, request);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code(), Errc::kInvalid);
  }
  EXPECT_EQ(receiver.requests().size(), 1U);
}

TEST_F(HttpExchange, HeadersWithoutEndAreRefusedAtOnce) {
  const std::string parts[] = {"X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n", std::string(4096, 'x'),
                               "\r\nHTTP/1.1 100 Continue\r\n"};
  for (const std::string& part : parts) {
    RawReceiver* self = nullptr;
    RawReceiver receiver([&](const auto&, size_t, int connection) {
      const std::string first = "HTTP/1.1 100 Continue\r\n";
      (void)!::send(connection, first.data(), first.size(), MSG_NOSIGNAL);
      return flood(*self, connection, part);
    });
    self = &receiver;
    const auto answer = ask(receiver, 20s);
    ASSERT_FALSE(answer.ok()) << part.substr(0, 10);
    EXPECT_EQ(answer.error().code(), Errc::kCorrupt);
    EXPECT_THAT(answer.error().message(), HasSubstr("too many headers"));
    EXPECT_LT(took_, 5s);
  }
}

TEST_F(HttpExchange, ABodyWithoutEndIsCutAtOnce) {
  for (const std::string& begin : {std::string("HTTP/1.1 200 OK\r\n\r\n"),
                                   std::string("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")}) {
    RawReceiver* self = nullptr;
    RawReceiver receiver([&](const auto&, size_t, int connection) {
      (void)!::send(connection, begin.data(), begin.size(), MSG_NOSIGNAL);
      return flood(*self, connection, std::string(4096, 'x'));
    });
    self = &receiver;
    const auto answer = ask(receiver, 20s);
    ASSERT_TRUE(answer.ok()) << answer.error().text();
    EXPECT_TRUE(answer->is_over);
    EXPECT_FALSE(answer->is_whole);
    EXPECT_EQ(answer->body.size(), kMaxBody);
    EXPECT_LT(took_, 5s);
  }
}

TEST_F(HttpExchange, AByteASecondCostsTheDeadlineAndNoMore) {
  for (const std::string& begin : {std::string("HTTP/1.1 200"), std::string("HTTP/1.1 200 OK\r\n\r\n")}) {
    RawReceiver* self = nullptr;
    RawReceiver receiver([&](const auto&, size_t, int connection) {
      (void)!::send(connection, begin.data(), begin.size(), MSG_NOSIGNAL);
      return flood(*self, connection, "x", 1s);
    });
    self = &receiver;
    const auto answer = ask(receiver, 1500ms);
    EXPECT_GE(took_, 1490ms);
    EXPECT_LT(took_, 2500ms);
    if (begin.ends_with("\r\n\r\n")) {
      ASSERT_TRUE(answer.ok()) << answer.error().text();
      EXPECT_TRUE(answer->is_late);
      EXPECT_FALSE(answer->is_whole);
      EXPECT_EQ(answer->body.substr(0, 1), "x");
    } else {
      ASSERT_FALSE(answer.ok());
      EXPECT_EQ(answer.error().code(), Errc::kBusy);
      EXPECT_THAT(answer.error().message(), HasSubstr("in time"));
    }
  }
}

TEST_F(HttpExchange, NothingIsDecompressed) {
  std::string packed(64 << 10, '\0');
  const std::string zeros(10 << 20, '\0');
  auto size = static_cast<uLongf>(packed.size());
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(zeros.data()),
                     static_cast<uLong>(zeros.size())),
            Z_OK);
  packed.resize(std::min<size_t>(size, 500));
  {
    RawReceiver receiver(
        [&](const auto&, size_t, int) { return RawReceiver::http("200 OK", "Content-Encoding: deflate\r\n", packed); });
    const auto answer = ask(receiver);
    ASSERT_TRUE(answer.ok()) << answer.error().text();
    EXPECT_EQ(answer->body, packed);
  }
  RawReceiver receiver(
      [&](const auto&, size_t, int) { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: deflate\r\n\r\n" + packed; });
  const auto answer = ask(receiver);
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message(), HasSubstr("transfer encoding"));
}

TEST_F(HttpExchange, AStopEndsAWaitAtOnce) {
  RawReceiver* self = nullptr;
  RawReceiver receiver([&](const auto&, size_t, int) {
    while (!self->is_stopped()) std::this_thread::sleep_for(5ms);
    return std::string();
  });
  self = &receiver;
  std::thread stopper([&] {
    std::this_thread::sleep_for(200ms);
    stop_.signal();
  });
  const auto answer = ask(receiver, 60s);
  stopper.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message(), HasSubstr("given up"));
  EXPECT_LT(took_, 450ms);
}

// The test is of the address: a name of this machine's own may mean another one.
TEST_F(HttpExchange, WhatIsForThisMachineAloneTestsTheAddress) {
  RawReceiver receiver(ok);
  Peer peer{.has_tls = false, .only_loopback = true, .host = "localhost", .port = receiver.port()};
  EXPECT_TRUE(ask(peer, {.path = "/"}).ok());
  ifaddrs* all = nullptr;
  ASSERT_EQ(::getifaddrs(&all), 0);
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, ::freeifaddrs);
  peer.host.clear();
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_LOOPBACK) != 0)
      continue;
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text, sizeof(text));
    peer.host = text;
  }
  if (peer.host.empty()) GTEST_SKIP() << "this machine has no other address than 127.0.0.1";
  const auto answer = ask(peer, {.path = "/"});
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message(), HasSubstr("does not mean this machine"));
  EXPECT_EQ(receiver.requests().size(), 1U);
}

TEST_F(HttpExchange, AnotherProgramInheritsNoConnection) {
  RawReceiver receiver(ok);
  bool is_inherited = true;
  const Peer peer{.has_tls = false, .host = "127.0.0.1", .port = receiver.port()};
  ASSERT_TRUE(ask(peer, {.path = "/",
                         .on_connected =
                             [&] {
                               is_inherited = false;
                               for (int fd = 0; fd < 256; ++fd) {
                                 sockaddr_in to{};
                                 socklen_t size = sizeof(to);
                                 if (::getpeername(fd, reinterpret_cast<sockaddr*>(&to), &size) != 0) continue;
                                 if (to.sin_family != AF_INET || ntohs(to.sin_port) != receiver.port()) continue;
                                 is_inherited = is_inherited || (::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
                               }
                             }})
                  .ok());
  EXPECT_FALSE(is_inherited);
}

// A network of its own, whose name server takes every question and answers none. False: not allowed here.
bool enter_silent_network(const std::string& folder) {
  if (::unshare(CLONE_NEWNS | CLONE_NEWNET) != 0) return false;
  std::ofstream(folder + "/resolv.conf") << "nameserver 127.0.0.1\n";
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  if (::mount((folder + "/resolv.conf").c_str(), "/etc/resolv.conf", nullptr, MS_BIND, nullptr) != 0) return false;
  const int server = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(53);
  return ::ioctl(server, SIOCSIFFLAGS, &loopback) == 0 &&
         ::bind(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
}

// getaddrinfo waits ten seconds and more, and cannot be interrupted.
TEST_F(HttpExchange, AResolverThatDoesNotAnswerCostsTheDeadlineAndEndsWithAStop) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!enter_silent_network(folder.path())) ::_exit(77);
    const Peer peer{.has_tls = false, .host = "somewhere.example", .port = 80};
    const auto late = ask(peer, {.path = "/"}, 300ms);
    const bool is_late = !late.ok() && late.error().code() == Errc::kBusy && took_ >= 290ms && took_ < 1s &&
                         late.error().message().find("not resolved in time") != std::string::npos;
    std::thread stopper([&] {
      std::this_thread::sleep_for(200ms);
      stop_.signal();
    });
    const auto stopped = ask(peer, {.path = "/"}, 60s);
    stopper.join();
    const bool is_stopped = !stopped.ok() && took_ < 1s;
    ::_exit(is_late && is_stopped ? 0 : is_late ? 1 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "a network namespace needs root";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: the stop, 2: the deadline";
}

TEST_F(HttpExchange, ErrorsNameTheAddressAndTheReason) {
  const auto error = [&](const std::string& host, uint16_t port) {
    const auto answer = ask({.has_tls = false, .host = host, .port = port}, {.path = "/"});
    return answer.ok() ? "answered" : answer.error().text();
  };
  EXPECT_EQ(error("127.0.0.1", 1), "http://127.0.0.1:1: Connection refused");
  EXPECT_THAT(error("nothing.invalid", 80), HasSubstr("http://nothing.invalid:80: the name "));
}

}  // namespace
}  // namespace ingero::serve::net
