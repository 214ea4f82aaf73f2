// Connections that are kept between requests, from both ends: the client of this program and its server.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "serve/http/server.h"
#include "serve/net/http_exchange.h"

namespace ingero::serve {
namespace {

using namespace std::chrono_literals;

class KeptConnection : public ::testing::Test {
 protected:
  void serve(int requests, int idle_seconds) {
    auto bound = http::Server::bind(
        {.address = "127.0.0.1:0", .body_bytes = 1 << 20, .keep_alive = requests, .idle_seconds = idle_seconds});
    ASSERT_TRUE(bound.ok()) << bound.error().text();
    server_ = std::move(*bound);
    server_->start(
        [](const http::Request& request) { return http::Response{.type = "text/plain", .body = request.body}; });
    const std::string url = server_->url();
    peer_ = {.has_tls = false,
             .only_loopback = true,
             .host = "127.0.0.1",
             .port = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)))};
  }
  // What the server says of the connection: "close" in the last answer on it.
  std::string ask(net::HttpConnection* kept, const std::string& body = "x") {
    const auto answer = net::http_ask(peer_, nullptr, {.path = "/", .type = "text/plain", .body = body}, 1 << 20,
                                      std::chrono::steady_clock::now() + 10s, stop_, kept);
    EXPECT_TRUE(answer.ok()) << answer.error().text();
    if (!answer.ok()) return {};
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, body);
    return std::string(answer->header("connection"));
  }

  std::unique_ptr<http::Server> server_;
  net::Peer peer_;
  net::Stop stop_;
};

TEST_F(KeptConnection, AsManyRequestsAsTheServerAllowsAreSentOverOne) {
  serve(3, 60);
  net::HttpConnection kept;
  for (const char* said : {"keep-alive", "keep-alive", "close", "keep-alive", "keep-alive", "close"}) {
    EXPECT_EQ(ask(&kept), said);
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(nullptr), "close") << "without one, each exchange has its own";
}

TEST_F(KeptConnection, OneThatTheServerHasClosedMeanwhileIsOpenedAgain) {
  serve(3, 1);
  net::HttpConnection kept;
  EXPECT_EQ(ask(&kept), "keep-alive");
  EXPECT_EQ(ask(&kept), "keep-alive");
  std::this_thread::sleep_for(2500ms);
  EXPECT_EQ(ask(&kept), "keep-alive") << "the first on its connection, not the third";
}

TEST_F(KeptConnection, HundredsThatSayNothingKeepNobodyWaiting) {
  serve(3, 60);
  std::vector<net::HttpConnection> kept(200);
  for (auto& one : kept) EXPECT_EQ(ask(&one), "keep-alive");
  const std::string longer(300'000, 'y');  // more than one packet: the server reads it in several steps
  for (size_t i = 0; i < kept.size(); i += 7) EXPECT_EQ(ask(&kept[i], longer), "keep-alive");
  EXPECT_EQ(ask(nullptr), "close");
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(ask(&kept[i]), i % 7 == 0 ? "close" : "keep-alive") << i;
}

}  // namespace
}  // namespace ingero::serve
