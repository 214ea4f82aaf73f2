// The metrics server against real clients on loopback: addresses, secrets, TLS, and requests that are none.
#include "serve/prometheus/server.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include "base/fd.h"
#include "serve/net/gzip.h"
#include "temp_folder.h"

namespace ingero::serve::prometheus {
namespace {

class MetricsServer : public ::testing::Test {
 protected:
  void TearDown() override { server_.reset(); }
  std::string file(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  void serve(ServerOptions options) {
    options.address = "127.0.0.1:0";
    auto bound = Server::bind(options);
    ASSERT_TRUE(bound.ok()) << bound.error().text();
    server_ = std::move(*bound);
    server_->start([] { return "x 1\n"; });
  }
  uint16_t port() const {
    const std::string url = server_->url();
    return static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }
  Fd connected() const {
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
    return socket;
  }
  int status(const httplib::Headers& headers = {}, const std::string& path = "/metrics") {
    httplib::Client client("127.0.0.1", port());
    const auto answer = client.Get(path, headers);
    return answer ? answer->status : -1;
  }
  const TempFolder temp_;
  const std::string& folder_ = temp_.path();
  std::unique_ptr<Server> server_;
};

TEST_F(MetricsServer, AnswersMetricsAndNothingElse) {
  serve({});
  httplib::Client client("127.0.0.1", port());
  const auto answer = client.Get("/metrics");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "x 1\n");
  EXPECT_EQ(answer->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(status({}, "/"), 404);
  EXPECT_EQ(status({}, "/metrics/../etc/passwd"), 404);
  EXPECT_TRUE(server_->warning().empty());
}

TEST_F(MetricsServer, PacksThePageForWhoTakesGzip) {
  serve({});
  httplib::Client client("127.0.0.1", port());
  const auto packed = client.Get("/metrics", httplib::Headers{{"Accept-Encoding", "br, gzip;q=0.8"}});
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->get_header_value("Content-Encoding"), "gzip");
  EXPECT_EQ(packed->get_header_value("Vary"), "Accept-Encoding");
#ifdef CPPHTTPLIB_ZLIB_SUPPORT
  EXPECT_EQ(packed->body, "x 1\n");
#else
  EXPECT_EQ(packed->body, net::gzip("x 1\n"));
#endif
  for (const char* other : {"identity", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip", ""}) {
    const auto plain = client.Get("/metrics", httplib::Headers{{"Accept-Encoding", other}});
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->body, "x 1\n") << other;
    EXPECT_FALSE(plain->has_header("Content-Encoding")) << other;
  }
}

TEST_F(MetricsServer, AsksForASecretOfItsFile) {
  serve({.auth_file = file("auth", "# who may\nbearer s3cret\nbasic Aladdin:open sesame\n")});
  EXPECT_EQ(status(), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer s3cret"}}), 200);
  EXPECT_EQ(status({{"Authorization", "Bearer s3creT"}}), 401);
  EXPECT_EQ(status({{"Authorization", "Bearer s3cret "}, {"X", "y"}}), 200);  // a header's end is trimmed
  EXPECT_EQ(status({{"Authorization", "Bearer"}}), 401);
  EXPECT_EQ(status({{"Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}}), 200);  // RFC 7617's example
  EXPECT_EQ(status({{"Authorization", "Basic QWxhZGRpbjo="}}), 401);
}

TEST_F(MetricsServer, RefusesASecretFileThatIsNoSecret) {
  EXPECT_FALSE(Server::bind({.address = ":0", .auth_file = file("open", "bearer x\n", 0644)}).ok());
  EXPECT_FALSE(Server::bind({.address = ":0", .auth_file = file("empty", "# nothing\n")}).ok());
  const auto wrong = Server::bind({.address = ":0", .auth_file = file("wrong", "bearer x\ntoken y\n")});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().text().find("wrong:2:"), std::string::npos) << wrong.error().text();
  EXPECT_FALSE(Server::bind({.address = ":0", .auth_file = folder_ + "/none"}).ok());
}

TEST_F(MetricsServer, SpeaksTls) {
  const std::string key = folder_ + "/key.pem";
  const std::string certificate = folder_ + "/cert.pem";
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
      "/CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout " +
      key + " -out " + certificate + " 2>/dev/null";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no openssl command to make a certificate with";
  serve({.certificate = certificate, .key = key});
  EXPECT_EQ(server_->url().rfind("https://", 0), 0U);
  httplib::SSLClient client("127.0.0.1", port());
  client.set_ca_cert_path(certificate.c_str());
  client.enable_server_certificate_verification(true);
  const auto answer = client.Get("/metrics");
  ASSERT_TRUE(answer) << httplib::to_string(answer.error());
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(status(), -1) << "plain HTTP must not be answered";

  EXPECT_FALSE(Server::bind({.address = ":0", .certificate = certificate}).ok());
  EXPECT_FALSE(Server::bind({.address = ":0", .certificate = key, .key = certificate}).ok());
  EXPECT_FALSE(Server::bind({.address = ":0", .certificate = folder_ + "/none", .key = key}).ok());
}

TEST_F(MetricsServer, AnAddressInUseIsAnError) {
  serve({});
  const auto second = Server::bind({.address = "127.0.0.1:" + std::to_string(port())});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().text().find("in use"), std::string::npos) << second.error().text();
}

TEST_F(MetricsServer, SilentConnectionsDoNotKeepScrapersOut) {
  serve({});
  std::vector<Fd> silent;
  for (int i = 0; i < 12; ++i) silent.push_back(connected());
  httplib::Client client("127.0.0.1", port());
  client.set_read_timeout(20);
  const auto answer = client.Get("/metrics");
  ASSERT_TRUE(answer) << httplib::to_string(answer.error());
  EXPECT_EQ(answer->status, 200);
}

TEST_F(MetricsServer, ClientsThatSendAByteAtATimeDoNotKeepScrapersOut) {
  serve({});
  std::vector<Fd> slow;
  for (int i = 0; i < 64; ++i) slow.push_back(connected());
  const std::string text = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ";
  const auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < 20; ++i) {
    for (const Fd& one : slow) (void)::send(one.get(), &text[i], 1, MSG_NOSIGNAL);
    httplib::Client client("127.0.0.1", port());
    client.set_read_timeout(1);
    const auto answer = client.Get("/metrics");
    ASSERT_TRUE(answer) << i << ": " << httplib::to_string(answer.error());
    EXPECT_EQ(answer->status, 200);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  for (const Fd& one : slow) {  // after two seconds in all, whatever they still send
    char answer[64] = {};
    EXPECT_GT(::recv(one.get(), answer, sizeof(answer) - 1, 0), 0);
    EXPECT_EQ(std::string(answer).substr(0, 12), "HTTP/1.1 408");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(MetricsServer, PagesOfOtherOriginsAreRefused) {
  serve({});
  const std::string own = fmt::format("127.0.0.1:{}", port());
  EXPECT_EQ(status({{"Origin", "http://" + own}}), 200);
  EXPECT_EQ(status({{"Origin", "http://127.0.0.1:1"}}), 403);
  EXPECT_EQ(status({{"Origin", "https://" + own}}), 403);
  EXPECT_EQ(status({{"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(status({{"Origin", "null"}}), 403);
  EXPECT_EQ(status({{"Origin", "http://" + own}, {"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(status({{"Host", "evil.example"}}), 403) << "a name that another site made lead to this machine";
  EXPECT_EQ(status({{"Host", "localhost:9090"}}), 200);
}

TEST_F(MetricsServer, BodiesAndLongLinesAreRefused) {
  serve({});
  httplib::Client client("127.0.0.1", port());
  const auto answer = client.Post("/metrics", std::string(1 << 20, 'x'), "text/plain");
  EXPECT_TRUE(!answer || answer->status >= 400);
  EXPECT_TRUE(status({{"X", std::string(100000, 'x')}}) >= 400 || status({{"X", std::string(100000, 'x')}}) == -1);
  EXPECT_EQ(status(), 200) << "and the server is still there";
}

TEST_F(MetricsServer, StopsWhileClientsAreConnected) {
  serve({});
  std::atomic<bool> done{false};
  std::thread scraper([&] {
    while (!done) (void)status();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  done = true;
  server_->stop();
  scraper.join();
}

}  // namespace
}  // namespace ingero::serve::prometheus
