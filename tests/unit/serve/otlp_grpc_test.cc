// The unary call of gRPC against a server of HTTP/2 on loopback that answers as it is set up, and against bytes that
// are not HTTP/2. (tests/e2e/otlp.py has a real implementation of gRPC.)
#include <csignal>
#include <cstring>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <protozero/pbf_writer.hpp>

#include "otlp_receiver.h"
#include "serve/otlp/transport.h"

namespace ingero::serve::otlp {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Reply {
  Fields headers = {{":status", "200"}, {"content-type", "application/grpc"}};
  std::string data = {};
  Fields trailers = {};  // none: the headers end the stream, or the data does
};

struct Seen {
  std::map<std::string, std::string> headers;
  std::string data;
};

struct Server {
  Reply reply;
  Seen* seen = nullptr;
  size_t sent = 0;
  std::vector<nghttp2_nv> fields(const Fields& from) const {
    std::vector<nghttp2_nv> out;
    for (const auto& [name, value] : from) {
      out.push_back({reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
                     reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(), 0});
    }
    return out;
  }
};

ssize_t read_reply(nghttp2_session* session, int32_t stream, uint8_t* to, size_t size, uint32_t* flags,
                   nghttp2_data_source*, void* user) {
  auto& server = *static_cast<Server*>(user);
  const size_t now = std::min(size, server.reply.data.size() - server.sent);
  std::memcpy(to, server.reply.data.data() + server.sent, now);
  server.sent += now;
  if (server.sent < server.reply.data.size()) return static_cast<ssize_t>(now);
  *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (server.reply.trailers.empty()) return static_cast<ssize_t>(now);
  *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
  const auto trailers = server.fields(server.reply.trailers);
  nghttp2_submit_trailer(session, stream, trailers.data(), trailers.size());
  return static_cast<ssize_t>(now);
}

// Takes the request and answers with `reply`; the client's preface and what followed it have been read.
void serve(const RawReceiver::Request& request, int connection, const Reply& reply, Seen& seen) {
  const int on = 1;
  ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  Server server{.reply = reply, .seen = &seen};
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame*, const uint8_t* name, size_t name_size, const uint8_t* value,
                    size_t value_size, uint8_t, void* user) {
        static_cast<Server*>(user)->seen->headers[std::string(reinterpret_cast<const char*>(name), name_size)] =
            std::string(reinterpret_cast<const char*>(value), value_size);
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size, void* user) {
        static_cast<Server*>(user)->seen->data.append(reinterpret_cast<const char*>(bytes), size);
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, [](nghttp2_session* session,
                                                                     const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_DATA || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    auto& one = *static_cast<Server*>(user);
    one.sent = 0;
    const auto headers = one.fields(one.reply.headers);
    nghttp2_data_provider body{};
    body.read_callback = read_reply;
    const bool has_body = !one.reply.data.empty() || !one.reply.trailers.empty();
    nghttp2_submit_response(session, frame->hd.stream_id, headers.data(), headers.size(), has_body ? &body : nullptr);
    return 0;
  });
  nghttp2_session* session = nullptr;
  nghttp2_session_server_new(&session, callbacks, &server);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session, 0, nullptr, 0);
  std::string bytes = request.head + "\r\n" + request.body;
  while (true) {
    if (nghttp2_session_mem_recv(session, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()) < 0) break;
    const uint8_t* out = nullptr;
    for (ssize_t size = nghttp2_session_mem_send(session, &out); size > 0;
         size = nghttp2_session_mem_send(session, &out)) {
      if (::send(connection, out, static_cast<size_t>(size), MSG_NOSIGNAL) < 0) break;
    }
    bytes.resize(65536);
    const ssize_t got = ::recv(connection, bytes.data(), bytes.size(), 0);
    if (got <= 0) break;
    bytes.resize(static_cast<size_t>(got));
  }
  nghttp2_session_del(session);
}

Answer call(const RawReceiver::Answer& how, const Payload& payload = {Signal::kMetrics, false, 10, "request"},
            std::chrono::milliseconds limit = 3s) {
  ::signal(SIGPIPE, SIG_IGN);
  const RawReceiver receiver(how);
  Receiver to{.endpoint = *parse_endpoint(receiver.url(), {.protocol = Protocol::kGrpc}),
              .protocol = Protocol::kGrpc,
              .metrics_headers = {{"authorization", "Bearer abc"}},
              .traces_headers = {}};
  const auto transport = make_transport(to, nullptr, system_clock());
  const Stop stop;
  return transport->send(payload, std::chrono::steady_clock::now() + limit, stop);
}

Answer call(const Reply& reply, Seen& seen, const Payload& payload = {Signal::kMetrics, false, 10, "request"},
            std::chrono::milliseconds limit = 3s) {
  return call([&](const auto& request, size_t, int connection) { return serve(request, connection, reply, seen), ""; },
              payload, limit);
}

std::string framed(const std::string& message) {
  std::string out("\0\0\0\0", 4);
  return out + static_cast<char>(message.size()) + message;
}

TEST(OtlpGrpc, TheRequestIsAsTheProtocolSays) {
  Seen seen;
  const Answer answer =
      call({.data = framed(""), .trailers = {{"grpc-status", "0"}}}, seen, {Signal::kTraces, true, 3, "body"});
  EXPECT_EQ(answer.send_result, SendResult::kAccepted) << answer.message;
  EXPECT_EQ(answer.message, "");
  EXPECT_EQ(seen.headers[":path"], "/opentelemetry.proto.collector.trace.v1.TraceService/Export");
  EXPECT_EQ(seen.headers[":method"], "POST");
  EXPECT_EQ(seen.headers["te"], "trailers");
  EXPECT_EQ(seen.headers["content-type"], "application/grpc");
  EXPECT_EQ(seen.headers["grpc-encoding"], "gzip");
  EXPECT_FALSE(seen.headers.contains("authorization"));  // that is the metrics'
  EXPECT_EQ(seen.data, std::string("\1\0\0\0\4body", 9));
}

TEST(OtlpGrpc, MessagesOneAfterTheOtherAreTaken) {
  ::signal(SIGPIPE, SIG_IGN);
  Seen seen;
  const Reply reply{.data = framed(""), .trailers = {{"grpc-status", "0"}}};
  const RawReceiver receiver(
      [&](const auto& request, size_t, int connection) { return serve(request, connection, reply, seen), ""; });
  const Receiver to{.endpoint = *parse_endpoint(receiver.url(), {.protocol = Protocol::kGrpc}),
                    .protocol = Protocol::kGrpc,
                    .metrics_headers = {},
                    .traces_headers = {}};
  const auto transport = make_transport(to, nullptr, system_clock());
  const Stop stop;
  for (int i = 0; i < 3; ++i) {
    const Answer answer =
        transport->send({Signal::kMetrics, false, 1, "request"}, std::chrono::steady_clock::now() + 10s, stop);
    EXPECT_EQ(answer.send_result, SendResult::kAccepted) << i << ": " << answer.message;
  }
}

TEST(OtlpGrpc, ALargeRequestGoesThroughTheWindows) {
  Seen seen;
  const std::string body(3 << 20, 'x');
  const Answer answer =
      call({.data = framed(""), .trailers = {{"grpc-status", "0"}}}, seen, {Signal::kMetrics, false, 1, body});
  EXPECT_EQ(answer.send_result, SendResult::kAccepted) << answer.message;
  EXPECT_EQ(seen.data.substr(5), body);
  EXPECT_EQ(seen.headers["authorization"], "Bearer abc");
}

TEST(OtlpGrpc, PartialSuccessIsRead) {
  std::string response;
  {
    protozero::pbf_writer message(response);
    protozero::pbf_writer partial(message, 1);
    partial.add_int64(1, 4);
    partial.add_string(2, "too old");
  }
  Seen seen;
  const Answer answer = call({.data = framed(response), .trailers = {{"grpc-status", "0"}}}, seen);
  EXPECT_EQ(answer.send_result, SendResult::kAccepted);
  EXPECT_EQ(answer.rejected, 4U);
  EXPECT_EQ(answer.message, "too old");
}

TEST(OtlpGrpc, CodesAreRetriedAsOtlpSays) {
  for (int code = 1; code <= 17; ++code) {
    Seen seen;
    // As trailers alone, which is how refusals come.
    Reply reply;
    reply.headers.emplace_back("grpc-status", std::to_string(code));
    reply.headers.emplace_back("grpc-message", "50%25 %1b[31m%0Aof it");
    const Answer answer = call(reply, seen);
    const bool is_retry = code == 1 || code == 4 || code == 10 || code == 11 || code == 14 || code == 15;
    EXPECT_EQ(answer.send_result, is_retry ? SendResult::kRetry : SendResult::kRefused)
        << code << ": " << answer.message;
    EXPECT_FALSE(answer.retry_after_ns);
    if (code == 14) {
      EXPECT_THAT(answer.message, HasSubstr("UNAVAILABLE: "));
    }
    EXPECT_EQ(answer.message.find('\x1b'), std::string::npos);
    EXPECT_EQ(answer.message.find('\n'), std::string::npos);
  }
}

TEST(OtlpGrpc, AHeaderThatNoneMayHoldEndsTheCallAtOnce) {
  Seen seen;
  Reply reply;
  reply.headers.emplace_back("grpc-message", "\x1b[31m");
  reply.headers.emplace_back("grpc-status", "0");
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(call(reply, seen).send_result, SendResult::kRetry);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 1s);
}

TEST(OtlpGrpc, ExhaustedIsRetriedWhenItSaysWhen) {
  Seen seen;
  Reply reply{.trailers = {{"grpc-status", "8"},
                           // google.rpc.Status{code 8, details {RetryInfo {retry_delay {seconds 3}}}}
                           {"grpc-status-details-bin",
                            "CAgaMAoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIECgIIAw"}}};
  const Answer answer = call(reply, seen);
  EXPECT_EQ(answer.send_result, SendResult::kRetry);
  EXPECT_EQ(answer.retry_after_ns, 3'000'000'000U);
}

TEST(OtlpGrpc, StatusesOfHttpWithoutOneOfGrpc) {
  for (const auto& [status, send_result] : std::map<std::string, SendResult>{{"404", SendResult::kRefused},
                                                                             {"401", SendResult::kRefused},
                                                                             {"503", SendResult::kRetry},
                                                                             {"429", SendResult::kRetry},
                                                                             {"200", SendResult::kRetry}}) {
    Seen seen;
    const Answer answer =
        call({.headers = {{":status", status}, {"content-type", "text/html"}}, .data = "<html>"}, seen);
    EXPECT_EQ(answer.send_result, send_result) << status;
    EXPECT_THAT(answer.message, HasSubstr("HTTP " + status));
  }
}

TEST(OtlpGrpc, BytesThatAreNoHttp2EndInTime) {
  const auto flood = [](int connection, const std::string& first, const std::string& bytes) {
    (void)!::send(connection, first.data(), first.size(), MSG_NOSIGNAL);
    for (int i = 0; i < 20'000 && ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0; ++i) {
    }
    return std::string();
  };
  const std::string settings("\0\0\0\4\0\0\0\0\0", 9);
  const std::string ping("\0\0\10\6\0\0\0\0\0pingpong", 17);
  const std::string continuation("\0\0\4\11\0\0\0\0\1xxxx", 13);
  const RawReceiver::Answer cases[] = {
      [](const auto&, size_t, int) { return std::string(); },
      [](const auto&, size_t, int) { return RawReceiver::http("400 Bad"); },
      [&](const auto&, size_t, int fd) { return flood(fd, "", std::string(4096, '\xff')); },
      [&](const auto&, size_t, int fd) { return flood(fd, settings, std::string(4096, '\0')); },
      [&](const auto&, size_t, int fd) { return flood(fd, settings, settings); },
      [&](const auto&, size_t, int fd) { return flood(fd, settings, ping); },
      [&](const auto&, size_t, int fd) { return flood(fd, settings, continuation); },
      [&](const auto&, size_t, int fd) {
        (void)!::send(fd, settings.data(), settings.size(), MSG_NOSIGNAL);
        std::this_thread::sleep_for(1s);  // and then nothing
        return std::string();
      },
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    const auto began = std::chrono::steady_clock::now();
    const Answer answer = call(cases[i], {Signal::kMetrics, false, 1, "x"}, 500ms);
    EXPECT_EQ(answer.send_result, SendResult::kRetry) << i;
    EXPECT_FALSE(answer.message.empty()) << i;
    EXPECT_LT(std::chrono::steady_clock::now() - began, 3s) << i;
  }
}

TEST(OtlpGrpc, HeadersAndTrailersAreBounded) {
  for (const bool are_trailers : {false, true}) {
    Seen seen;
    Reply reply;
    Fields& fields = are_trailers ? reply.trailers : reply.headers;
    for (int i = 0; i < 30; ++i) fields.emplace_back("x-" + std::to_string(i), std::string(1000, 'x'));
    fields.emplace_back("grpc-status", "0");
    const Answer answer = call(reply, seen);
    EXPECT_EQ(answer.send_result, SendResult::kRetry) << are_trailers;
    EXPECT_FALSE(answer.message.empty());
  }
}

TEST(OtlpGrpc, AnAnswerThatNeverEndsIsBounded) {
  Seen seen;
  const Answer answer = call({.data = std::string(20 << 20, 'x'), .trailers = {{"grpc-status", "0"}}}, seen,
                             {Signal::kMetrics, false, 10, "request"}, 60s);
  EXPECT_EQ(answer.send_result, SendResult::kAccepted) << answer.message;
  EXPECT_EQ(answer.rejected, 0U);
}

}  // namespace
}  // namespace ingero::serve::otlp
