// The sender against receivers on loopback: good ones, busy ones, hostile ones, and none at all.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include "otlp_receiver.h"
#include "serve/metrics/metric_names.h"
#include "serve/otlp/exporter.h"
#include "temp_folder.h"

namespace ingero::serve::otlp {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class OtlpSender : public ::testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    options_.queue.directory = folder_ + "/queue";
    options_.receiver.protocol = Protocol::kHttpJson;
    options_.is_gzip = false;
    options_.interval_ns = 50'000'000;
    options_.timeout_ns = 2'000'000'000;
    options_.stop_ns = 1'000'000'000;
  }
  void TearDown() override { exporter_.reset(); }
  void to(const std::string& url) {
    const auto endpoint = parse_endpoint(url, {.protocol = options_.receiver.protocol});
    ASSERT_TRUE(endpoint.ok()) << endpoint.error().text();
    options_.receiver.endpoint = *endpoint;
  }
  void start() {
    auto opened = Exporter::open(options_);
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    exporter_ = std::move(*opened);
    exporter_->start({.fill =
                          [this](metrics::MetricSet& page) {
                            ++collections_;
                            page.add(metrics::kEvents, {}, static_cast<double>(collections_));
                          },
                      .lose = [this](hal::Loss loss, uint64_t count) { losses_[loss] += count; },
                      .say =
                          [this](const std::string& sentence) {
                            const std::scoped_lock lock(said_mutex_);
                            said_ += sentence + "\n";
                          }});
  }
  template <typename Condition>
  bool until(Condition condition, std::chrono::milliseconds limit = 8s) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      if (condition()) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  std::string said() {
    const std::scoped_lock lock(said_mutex_);
    return said_;
  }
  // The numbers that were collected and arrived, in order; the counter says which collection it was.
  static std::vector<int> arrived(const std::vector<RawReceiver::Request>& requests) {
    std::vector<int> out;
    for (const auto& request : requests) {
      const auto json = nlohmann::json::parse(request.body);
      out.push_back(json["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]["sum"]["dataPoints"][0]["asDouble"]);
    }
    return out;
  }
  const TempFolder temp_;
  const std::string& folder_ = temp_.path();
  ExporterOptions options_;
  std::unique_ptr<Exporter> exporter_;
  std::atomic<int> collections_{0};
  std::map<hal::Loss, uint64_t> losses_;  // the exporter's thread; read after stop()
  std::mutex said_mutex_;
  std::string said_;
};

std::string accept(const RawReceiver::Request&, size_t, int) { return RawReceiver::http("200 OK", "", "{}"); }

TEST_F(OtlpSender, SendsEveryCollectionWithItsHeaders) {
  RawReceiver receiver(accept);
  to(receiver.url() + "/base");
  options_.receiver.metrics_headers = {{"authorization", "Bearer abc"}};
  options_.receiver.agent = "ingero/test";
  start();
  ASSERT_TRUE(until([&] { return receiver.requests().size() >= 3; }));
  exporter_->stop();
  const auto requests = receiver.requests();
  EXPECT_EQ(requests.size(), static_cast<size_t>(collections_));  // the last one at stop() among them
  for (size_t i = 0; i < requests.size(); ++i) EXPECT_EQ(arrived(requests)[i], static_cast<int>(i) + 1);
  EXPECT_THAT(requests[0].head, HasSubstr("POST /base/v1/metrics HTTP/1.1\r\n"));
  EXPECT_THAT(requests[0].head, HasSubstr("authorization: Bearer abc\r\n"));
  EXPECT_THAT(requests[0].head, HasSubstr("User-Agent: ingero/test\r\n"));
  EXPECT_THAT(requests[0].head, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(requests[0].head, Not(HasSubstr("Content-Encoding")));
  const auto health = exporter_->health();
  EXPECT_EQ(health.accepted_items, requests.size());
  EXPECT_EQ(health.waiting_requests, 0U);
  EXPECT_TRUE(health.last_error.empty());
  EXPECT_TRUE(losses_.empty());
}

TEST_F(OtlpSender, MakesNoConnectionBeforeItIsStarted) {
  RawReceiver receiver(accept);
  to(receiver.url());
  auto opened = Exporter::open(options_);
  ASSERT_TRUE(opened.ok());
  std::this_thread::sleep_for(200ms);
  (*opened)->stop();
  EXPECT_TRUE(receiver.requests().empty());
}

TEST_F(OtlpSender, ABusyReceiverGetsItAllLaterInOrderAndOnce) {
  RawReceiver receiver([](const auto&, size_t number, int) {
    if (number == 0) return RawReceiver::http("503 Busy");
    if (number == 1) return RawReceiver::http("429 Slow down", "Retry-After: 0\r\n");
    return RawReceiver::http("200 OK", "", "{}");
  });
  to(receiver.url());
  start();
  ASSERT_TRUE(until([&] { return receiver.requests().size() >= 20 && exporter_->health().waiting_requests == 0; }));
  exporter_->stop();
  const auto numbers = arrived(receiver.requests());
  ASSERT_GE(numbers.size(), 20U);
  EXPECT_EQ(numbers[0], 1);  // the same one three times: refused twice
  EXPECT_EQ(numbers[1], 1);
  for (size_t i = 2; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<int>(i) - 1);
  const auto health = exporter_->health();
  EXPECT_EQ(health.failed_tries, 2U);
  EXPECT_EQ(health.accepted_items, static_cast<uint64_t>(collections_));
  EXPECT_THAT(said(), HasSubstr("HTTP 503"));
  EXPECT_THAT(said(), HasSubstr("answers again"));
}

TEST_F(OtlpSender, WaitsAsLongAsTheReceiverAsks) {
  RawReceiver receiver([](const auto&, size_t number, int) {
    return number == 0 ? RawReceiver::http("503 Busy", "Retry-After: 2\r\n") : RawReceiver::http("200 OK", "", "{}");
  });
  to(receiver.url());
  start();
  ASSERT_TRUE(until([&] { return receiver.requests().size() == 1; }));
  const auto began = std::chrono::steady_clock::now();
  ASSERT_TRUE(until([&] { return receiver.requests().size() > 1; }));
  EXPECT_GE(std::chrono::steady_clock::now() - began, 1900ms);
}

TEST_F(OtlpSender, WhatIsRefusedIsNotSentAgainAndCounted) {
  for (const char* status : {"400 Bad", "401 Who", "404 Where", "413 Large", "500 Broken", "501 No"}) {
    RawReceiver receiver([&](const auto&, size_t, int) {
      return RawReceiver::http(status, "", R"({"code":3,"message":"bad \u001b[31m point"})");
    });
    to(receiver.url());
    losses_.clear();
    said_.clear();
    collections_ = 0;
    start();
    ASSERT_TRUE(until([&] { return receiver.requests().size() >= 2; }));
    exporter_->stop();
    EXPECT_EQ(exporter_->health().refused_items, static_cast<uint64_t>(collections_)) << status;
    EXPECT_EQ(losses_[hal::Loss::otlp_refused], static_cast<uint64_t>(collections_));
    EXPECT_EQ(exporter_->health().waiting_requests, 0U);
    EXPECT_THAT(said(), HasSubstr("bad ?[31m point"));
    EXPECT_EQ(said().find("bad"), said().rfind("bad"));  // said once
    exporter_.reset();
  }
}

TEST_F(OtlpSender, PartialSuccessIsCountedAndShown) {
  RawReceiver receiver([](const auto&, size_t, int) {
    return RawReceiver::http("200 OK", "", R"({"partialSuccess":{"rejectedDataPoints":"1","errorMessage":"too old"}})");
  });
  to(receiver.url());
  start();
  ASSERT_TRUE(until([&] { return receiver.requests().size() >= 2; }));
  exporter_->stop();
  const auto health = exporter_->health();
  EXPECT_EQ(health.rejected_items, static_cast<uint64_t>(collections_));
  EXPECT_EQ(health.accepted_items, 0U);
  EXPECT_EQ(losses_[hal::Loss::otlp_refused], static_cast<uint64_t>(collections_));
  EXPECT_EQ(health.warning, "too old");
  metrics::MetricSet page;
  exporter_->write(page);
  EXPECT_THAT(page.text(), HasSubstr(fmt::format("ingero_otlp_items_total{{outcome=\"rejected\"}} {}",
                                                 static_cast<int>(collections_))));
}

TEST_F(OtlpSender, RedirectsAreNotFollowed) {
  RawReceiver elsewhere(accept);
  RawReceiver receiver([&](const auto&, size_t, int) {
    return RawReceiver::http("307 Elsewhere", "Location: " + elsewhere.url() + "/v1/metrics\r\n");
  });
  to(receiver.url());
  options_.receiver.metrics_headers = {{"authorization", "Bearer secret"}};
  start();
  ASSERT_TRUE(until([&] { return receiver.requests().size() >= 2; }));
  exporter_->stop();
  EXPECT_TRUE(elsewhere.requests().empty());
  EXPECT_GT(exporter_->health().refused_items, 0U);
}

TEST_F(OtlpSender, WithoutAReceiverEverythingWaitsOnDiskForTheNextRun) {
  uint16_t port = 0;
  {
    const RawReceiver receiver(accept);
    port = receiver.port();
  }
  to("http://127.0.0.1:" + std::to_string(port));
  start();
  ASSERT_TRUE(until([&] { return collections_ >= 10; }));
  exporter_->add({.name = "incident", .start_wall_ns = 1, .end_wall_ns = 2});
  exporter_->stop();
  const auto before = exporter_->health();
  EXPECT_EQ(before.accepted_items, 0U);
  EXPECT_EQ(before.dropped_items, 0U);
  EXPECT_EQ(before.waiting_requests, static_cast<uint64_t>(collections_) + 1);
  EXPECT_THAT(before.last_error, HasSubstr("refused"));
  exporter_.reset();

  RawReceiver receiver(accept, port);
  start();
  ASSERT_TRUE(until([&] { return exporter_->health().waiting_requests == 0 && receiver.requests().size() > 12; }));
  exporter_->stop();
  auto requests = receiver.requests();
  EXPECT_EQ(requests.size(), static_cast<size_t>(collections_) + 1);
  size_t spans = 0;
  std::erase_if(requests, [&](const auto& one) {
    const bool is_traces = one.head.find("POST /v1/traces ") == 0;
    spans += is_traces ? 1 : 0;
    return is_traces;
  });
  EXPECT_EQ(spans, 1U);
  const auto numbers = arrived(requests);
  for (size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<int>(i) + 1);
  EXPECT_TRUE(losses_.empty());
}

TEST_F(OtlpSender, AQueueThatIsTooSmallDropsTheOldestAndSaysSo) {
  to("http://127.0.0.1:1");
  options_.queue.max_files = 3;
  start();
  ASSERT_TRUE(until([&] { return collections_ >= 12; }));
  exporter_->stop();
  const auto health = exporter_->health();
  EXPECT_EQ(health.waiting_requests, 3U);
  EXPECT_EQ(health.dropped_items, static_cast<uint64_t>(collections_) - 3);
  EXPECT_EQ(losses_[hal::Loss::otlp_dropped], health.dropped_items);
}

TEST_F(OtlpSender, SpansPastTheCapAreDroppedAndCountedAndNobodyWaits) {
  RawReceiver receiver(accept);
  to(receiver.url());
  options_.interval_ns = 3'600'000'000'000;
  start();
  const auto began = std::chrono::steady_clock::now();
  for (size_t i = 0; i < Exporter::kMaxSpans + 10; ++i) exporter_->add({.name = "s"});
  EXPECT_LT(std::chrono::steady_clock::now() - began, 1s);
  exporter_->stop();
  const auto health = exporter_->health();
  EXPECT_EQ(health.dropped_items, 10U);
  EXPECT_EQ(losses_[hal::Loss::otlp_dropped], 10U);
  EXPECT_EQ(health.accepted_items, Exporter::kMaxSpans + 1);  // and one point
}

TEST_F(OtlpSender, AReceiverThatNeverAnswersHoldsUpTheEndNoLongerThanItMay) {
  RawReceiver* self = nullptr;
  RawReceiver receiver([&](const auto&, size_t, int) {
    while (!self->is_stopped()) std::this_thread::sleep_for(5ms);
    return std::string();
  });
  self = &receiver;
  to(receiver.url());
  options_.timeout_ns = 60'000'000'000;
  options_.stop_ns = 300'000'000;
  start();
  ASSERT_TRUE(until([&] { return receiver.requests().size() == 1; }));
  const auto began = std::chrono::steady_clock::now();
  exporter_->add({.name = "s"});
  EXPECT_LT(std::chrono::steady_clock::now() - began, 100ms);
  exporter_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
  const auto health = exporter_->health();
  EXPECT_EQ(health.dropped_items + health.accepted_items, 0U);
  EXPECT_EQ(health.waiting_requests, static_cast<uint64_t>(collections_) + 1);  // nothing is lost
}

// Each answer is bounded in bytes and in time, and none of them is taken for more than it is.
TEST_F(OtlpSender, HostileAnswersEndInTime) {
  const std::string good = RawReceiver::http("200 OK", "", "{}");
  const auto flood = [](int connection, const std::string& bytes, std::chrono::milliseconds pause) {
    for (int i = 0; i < 20'000; ++i) {
      if (::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) return;
      if (pause > 0ms) std::this_thread::sleep_for(pause);
    }
  };
  struct Case {
    const char* what;
    RawReceiver::Answer answer;
    SendResult send_result;
  };
  const Case cases[] = {
      {"closes", [](auto&, size_t, int) { return std::string(); }, SendResult::kRetry},
      {"garbage", [](auto&, size_t, int) { return std::string("\x00\xff what\r\n\r\n", 11); }, SendResult::kRetry},
      {"no status", [](auto&, size_t, int) { return std::string("HTTP/1.1 abc\r\n\r\n"); }, SendResult::kRetry},
      {"status 999", [](auto&, size_t, int) { return std::string("HTTP/1.1 999 x\r\n\r\n"); }, SendResult::kRetry},
      {"endless interim",
       [&](auto&, size_t, int fd) { return flood(fd, "HTTP/1.1 100 C\r\n\r\n", 0ms), std::string(); },
       SendResult::kRetry},
      {"one endless header",
       [&](auto&, size_t, int fd) {
         return flood(fd, "HTTP/1.1 200 OK\r\nX: ", 0ms), flood(fd, std::string(4096, 'x'), 0ms), std::string();
       },
       SendResult::kRetry},
      {"a header a moment", [&](auto&, size_t, int fd) { return flood(fd, "x", 20ms), std::string(); },
       SendResult::kRetry},
      {"endless headers",
       [&](auto&, size_t, int fd) { return flood(fd, "HTTP/1.1 200 OK\r\nX: y\r\n", 0ms), std::string(); },
       SendResult::kRetry},
      {"wrong length", [](auto&, size_t, int) { return std::string("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"); },
       SendResult::kRetry},
      {"huge length",
       [](auto&, size_t, int) {
         return std::string("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n{}");
       },
       SendResult::kAccepted},
      {"endless body",
       [&](auto&, size_t, int fd) {
         (void)!::send(fd, "HTTP/1.1 200 OK\r\n\r\n", 19, MSG_NOSIGNAL);
         return flood(fd, std::string(4096, '{'), 0ms), std::string();
       },
       SendResult::kAccepted},
      {"a byte of body a moment",
       [&](auto&, size_t, int fd) {
         (void)!::send(fd, "HTTP/1.1 200 OK\r\n\r\n", 19, MSG_NOSIGNAL);
         return flood(fd, "{", 20ms), std::string();
       },
       SendResult::kAccepted},
      {"broken chunks",
       [](auto&, size_t, int) {
         return std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nxx");
       },
       SendResult::kAccepted},
      {"good chunks",
       [](auto&, size_t, int) {
         return std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\n{\r\n1\r\n}\r\n0\r\n\r\n");
       },
       SendResult::kAccepted},
      {"good after an interim one", [&](auto&, size_t, int) { return "HTTP/1.1 100 Continue\r\n\r\n" + good; },
       SendResult::kAccepted},
  };
  for (const Case& one : cases) {
    RawReceiver receiver(one.answer);
    to(receiver.url());
    const auto transport = make_transport(options_.receiver, nullptr, system_clock());
    const Stop stop;
    const auto began = std::chrono::steady_clock::now();
    const Answer answer = transport->send({Signal::kMetrics, false, 1, "{}"}, began + 500ms, stop);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 2s) << one.what;
    EXPECT_EQ(answer.send_result, one.send_result) << one.what << ": " << answer.message;
    EXPECT_LT(answer.message.size(), 1000U) << one.what;
    EXPECT_EQ(answer.rejected, 0U) << one.what;
  }
}

// Certificates of an authority made for the test, by the openssl program.
class OtlpTls : public OtlpSender {
 protected:
  void SetUp() override {
    OtlpSender::SetUp();
    const std::string script = "cd " + folder_ + R"( && exec 2>/dev/null
      new() { openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $1.key -out $1.csr -subj /CN=$1 &&
              printf "$2" > $1.ext && openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 \
              -extfile $1.ext -out $1.pem; }
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 1 -subj /CN=ca &&
      cp ca.pem other.pem && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key \
        -out other.pem -days 1 -subj /CN=other &&
      new server 'subjectAltName=DNS:localhost,IP:127.0.0.1' && new named 'subjectAltName=DNS:elsewhere.example' &&
      new client 'extendedKeyUsage=clientAuth' && chmod 600 client.key)";
    if (std::system(script.c_str()) != 0) GTEST_SKIP() << "the openssl program makes no certificates here";
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  // Serves until it is destroyed.
  struct Server {
    Server(const std::string& certificate, const std::string& key, const std::string& clients)
        : http(certificate.c_str(), key.c_str(), clients.empty() ? nullptr : clients.c_str()) {
      http.Post("/v1/metrics", [this](const httplib::Request&, httplib::Response& response) {
        ++requests;
        response.set_content("{}", "application/json");
      });
      port = http.bind_to_any_port("127.0.0.1");
      thread = std::thread([this] { http.listen_after_bind(); });
    }
    ~Server() {
      http.stop();
      thread.join();
    }
    httplib::SSLServer http;
    std::atomic<int> requests{0};
    int port = 0;
    std::thread thread;
  };
  Answer send(const Server& server, const TlsFiles& files, const std::string& host = "127.0.0.1") {
    to("https://" + host + ":" + std::to_string(server.port));
    const auto tls = TlsContext::make(files);
    EXPECT_TRUE(tls.ok()) << (tls.ok() ? "" : tls.error().text());
    const auto transport = make_transport(options_.receiver, &*tls, system_clock());
    const Stop stop;
    return transport->send({Signal::kMetrics, false, 1, "{}"}, std::chrono::steady_clock::now() + 3s, stop);
  }
};

TEST_F(OtlpTls, AcceptsTheAuthoritysCertificateByNameAndByAddress) {
  Server server(file("server.pem"), file("server.key"), "");
  for (const char* host : {"127.0.0.1", "localhost"}) {
    const Answer answer = send(server, {.authorities = file("ca.pem"), .certificate = {}, .key = {}}, host);
    EXPECT_EQ(answer.send_result, SendResult::kAccepted) << answer.message;
  }
  EXPECT_EQ(server.requests, 2);
}

TEST_F(OtlpTls, RefusesAnotherAuthoritysOrAnotherHostsCertificate) {
  Server server(file("server.pem"), file("server.key"), "");
  for (const std::string& authority : {file("other.pem"), std::string()}) {
    const Answer answer = send(server, {.authorities = authority, .certificate = {}, .key = {}});
    EXPECT_EQ(answer.send_result, SendResult::kRetry);
    EXPECT_THAT(answer.message, HasSubstr("certificate is not accepted"));
  }
  Server named(file("named.pem"), file("named.key"), "");
  EXPECT_THAT(send(named, {.authorities = file("ca.pem"), .certificate = {}, .key = {}}).message,
              HasSubstr("certificate is not accepted"));
  EXPECT_EQ(server.requests + named.requests, 0);
}

TEST_F(OtlpTls, ShowsItsOwnCertificateWhereOneIsAskedFor) {
  Server server(file("server.pem"), file("server.key"), file("ca.pem"));
  EXPECT_EQ(send(server, {.authorities = file("ca.pem"), .certificate = {}, .key = {}}).send_result,
            SendResult::kRetry);
  EXPECT_EQ(server.requests, 0);
  const Answer answer =
      send(server, {.authorities = file("ca.pem"), .certificate = file("client.pem"), .key = file("client.key")});
  EXPECT_EQ(answer.send_result, SendResult::kAccepted) << answer.message;
  EXPECT_EQ(server.requests, 1);
}

// Nothing of a call, headers with a token included, is sent to a server that does not speak HTTP/2.
TEST_F(OtlpTls, GrpcIsNotSentByHttp1) {
  options_.receiver.protocol = Protocol::kGrpc;
  options_.receiver.metrics_headers = {{"authorization", "Bearer secret"}};
  Server server(file("server.pem"), file("server.key"), "");
  std::atomic<int> any{0};
  server.http.set_pre_routing_handler([&](const httplib::Request&, httplib::Response&) {
    ++any;
    return httplib::Server::HandlerResponse::Unhandled;
  });
  const Answer answer = send(server, {.authorities = file("ca.pem"), .certificate = {}, .key = {}});
  EXPECT_EQ(answer.send_result, SendResult::kRetry);
  EXPECT_THAT(answer.message, HasSubstr("does not speak HTTP/2"));
  EXPECT_EQ(any, 0);
}

// libcurl would write the secrets of each connection into it.
TEST_F(OtlpTls, NoKeyIsLogged) {
  ::setenv("SSLKEYLOGFILE", file("keys.log").c_str(), 1);
  Server server(file("server.pem"), file("server.key"), "");
  const Answer answer = send(server, {.authorities = file("ca.pem"), .certificate = {}, .key = {}});
  ::unsetenv("SSLKEYLOGFILE");
  EXPECT_EQ(answer.send_result, SendResult::kAccepted) << answer.message;
  std::ifstream log(file("keys.log"));
  const std::string text((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text, "");
}

TEST_F(OtlpTls, FilesThatCannotBeUsedAreErrorsBeforeAnythingIsSent) {
  const auto error = [](const TlsFiles& files) {
    const auto tls = TlsContext::make(files);
    return tls.ok() ? std::string("none") : tls.error().text();
  };
  EXPECT_THAT(error({file("missing.pem"), "", ""}), HasSubstr("missing.pem"));
  EXPECT_THAT(error({"", file("client.pem"), "", false, "--otlp-cert and --otlp-key"}), HasSubstr("--otlp-key"));
  EXPECT_THAT(error({"", "", file("client.key"), false, "--otlp-cert and --otlp-key"}), HasSubstr("--otlp-cert"));
  EXPECT_THAT(error({"", file("ca.pem"), file("client.key")}), HasSubstr("client.key"));
  EXPECT_THAT(error({"", file("client.csr"), file("client.key")}), HasSubstr("client.csr"));
  ::chmod(file("client.key").c_str(), 0644);
  EXPECT_THAT(error({"", file("client.pem"), file("client.key")}), HasSubstr("chmod 600"));
}

}  // namespace
}  // namespace ingero::serve::otlp
