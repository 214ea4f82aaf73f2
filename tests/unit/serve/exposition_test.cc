// Pages of metrics, read back and fetched.
#include "serve/prometheus/exposition.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "serve/net/peer.h"
#include "serve/prometheus/fetch.h"

namespace ingero::serve::prometheus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> read(std::string_view text, uint64_t* refused = nullptr) {
  std::vector<std::string> out;
  const auto counts = read_exposition(text, [&](const Sample& sample) {
    std::string line(sample.name);
    for (const auto& [name, value] : sample.labels) line += fmt::format(" {}={}", name, value);
    out.push_back(fmt::format("{} {}", line, sample.value));
  });
  if (refused != nullptr) *refused = counts.refused;
  EXPECT_EQ(counts.samples, out.size());
  return out;
}

TEST(ExpositionTest, SamplesHaveNamesLabelsAndValues) {
  EXPECT_THAT(read("# HELP a b\n# TYPE a counter\na 1\nvllm:b{x=\"1\",y=\"z, }\",} 2.5e-3 1700000000000\r\n"
                   "  c { k = \"a\\\"b\\\\c\\nd\" }  +Inf\nd{} -Inf\n\n"),
              ElementsAre("a 1", "vllm:b x=1 y=z, } 0.0025", "c k=a\"b\\c\nd inf", "d -inf"));
  EXPECT_TRUE(read("").empty());
}

TEST(ExpositionTest, WhatIsNoSampleIsCountedAndTheRestIsRead) {
  uint64_t refused = 0;
  EXPECT_THAT(read("a\n1 2\na{ 1\na{x} 1\na{x=\"1} 1\na{x=\"1\"\na 1e999\na 0x10\na one\nb 2", &refused),
              ElementsAre("b 2"));
  EXPECT_EQ(refused, 9U);
  const std::string many_labels = [] {
    std::string line = "a{";
    for (size_t i = 0; i <= kMaxLabels; ++i) line += fmt::format("l{}=\"\",", i);
    return line + "} 1\n";
  }();
  EXPECT_TRUE(read(many_labels + "a{x=\"" + std::string(kMaxLineBytes, 'x') + "\"} 1\n", &refused).empty());
  EXPECT_EQ(refused, 2U);
}

// Answers one connection with `answer`, `pause` after each of its bytes (none: all at once), and closes it unless it
// is to hold it.
class OneAnswer {
 public:
  OneAnswer(std::string answer, std::chrono::milliseconds pause, bool holds) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length), 0);
    port = ntohs(address.sin_port);
    thread_ = std::thread([this, answer = std::move(answer), pause, holds] {
      const int connection = ::accept(listener_, nullptr, nullptr);
      char request[4096];
      const ssize_t got = ::recv(connection, request, sizeof(request), 0);
      asked.assign(request, got > 0 ? static_cast<size_t>(got) : 0);
      const size_t step = pause.count() > 0 ? 1 : answer.size();
      for (size_t at = 0; at < answer.size() && !over; at += step) {
        if (::send(connection, answer.data() + at, std::min(step, answer.size() - at), MSG_NOSIGNAL) < 0) break;
        std::this_thread::sleep_for(pause);
      }
      while (holds && !over) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ::close(connection);
    });
  }
  ~OneAnswer() {
    over = true;
    thread_.join();
    ::close(listener_);
  }
  Result<std::string> fetch(size_t most = 1 << 20, uint64_t timeout_ns = 5'000'000'000) const {
    return fetch_page("127.0.0.1", port, "/metrics", timeout_ns, most);
  }
  uint16_t port = 0;
  std::string asked;

 private:
  std::atomic<bool> over{false};
  int listener_ = -1;
  std::thread thread_;
};

constexpr std::chrono::milliseconds kAtOnce{0};

TEST(FetchTest, AnAnswerIsReadWholeHoweverItsEndIsReported) {
  {
    OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na 1\nrest", kAtOnce, true);
    const auto page = server.fetch();
    ASSERT_TRUE(page.ok()) << page.error().text();
    EXPECT_EQ(*page, "a 1\n");
    EXPECT_THAT(server.asked, HasSubstr("GET /metrics HTTP/1.0\r\n"));
  }
  {
    OneAnswer server("HTTP/1.0 200 OK\r\n\r\na 1\nb 2\n", kAtOnce, false);
    EXPECT_EQ(*server.fetch(), "a 1\nb 2\n");
  }
  {
    OneAnswer server("HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: chunked\r\n\r\n4\r\na 1\n\r\n4;x=y\r\nb 2\n\r\n0\r\n\r\n",
                     kAtOnce, false);
    EXPECT_EQ(*server.fetch(), "a 1\nb 2\n");
  }
}

TEST(FetchTest, WhatIsNoAnswerOrTooMuchIsAnError) {
  const auto code_of = [](const std::string& answer, size_t most = 1 << 20) {
    OneAnswer server(answer, kAtOnce, false);
    const auto page = server.fetch(most);
    EXPECT_FALSE(page.ok()) << answer.substr(0, 60);
    return page.ok() ? Errc::kIo : page.error().code();
  };
  EXPECT_EQ(code_of("HTTP/1.1 404 No\r\n\r\n"), Errc::kInvalid);
  EXPECT_EQ(code_of("HTTP/1.1 302 There\r\nLocation: http://example.org/\r\n\r\n"), Errc::kInvalid);
  EXPECT_EQ(code_of("SSH-2.0-x\r\n"), Errc::kCorrupt);
  EXPECT_EQ(code_of("SSH-2.0-x\r\n\r\n"), Errc::kCorrupt);
  EXPECT_EQ(code_of("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na 1\n"), Errc::kCorrupt);
  EXPECT_EQ(code_of("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\na"), Errc::kCorrupt);
  EXPECT_EQ(code_of("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n"), Errc::kFull);
  EXPECT_EQ(code_of("HTTP/1.1 200 OK\r\n\r\n" + std::string(300'000, 'x'), 1000), Errc::kFull);
  EXPECT_EQ(code_of("HTTP/1.1 200 OK\r\n" + std::string(300'000, 'x')), Errc::kCorrupt) << "a head without end";
  EXPECT_EQ(fetch_page("192.0.2.1", 80, "/metrics", 1'000'000, 10).error().code(), Errc::kInvalid);
  EXPECT_FALSE(fetch_page("127.0.0.1", 1, "/metrics", 1'000'000'000, 10).ok()) << "nobody listens";
}

TEST(FetchTest, AByteNowAndThenDoesNotHoldItLonger) {
  OneAnswer server("HTTP/1.1 200 OK\r\n\r\n" + std::string(1000, 'x'), std::chrono::milliseconds(20), true);
  const auto begin = std::chrono::steady_clock::now();
  const auto page = server.fetch(1 << 20, 200'000'000);
  EXPECT_EQ(page.error().code(), Errc::kBusy);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
}

TEST(FetchTest, OnlyThisMachineIsAsked) {
  using net::is_loopback_host;
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1", "localhost"}) {
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
  for (const char* host : {"10.0.0.1", "0.0.0.0", "::2", "localhost.example.org", "", "128.0.0.1", "127.example.org"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

}  // namespace
}  // namespace ingero::serve::prometheus
