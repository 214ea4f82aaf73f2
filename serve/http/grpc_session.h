// HTTP/2 and gRPC's framing on one connection, without its socket: bytes in, calls out; answers in, bytes out. Private
// to serve/http/; used by the server's thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <nghttp2/nghttp2.h>

#include "serve/http/grpc_server.h"
#include "serve/http/refusals.h"
#include "serve/http/shares.h"

namespace ingero::serve::http {

inline constexpr size_t kMaxGrpcHeaderBytes = 16 << 10;

struct GrpcSessionCalls {
  // When a call's headers are there: an answer instead of reading its message, or nothing.
  std::function<std::optional<GrpcAnswer>(const GrpcCall&)> admit;
  // A whole call, the bytes that it holds, and whether its client has given it up since.
  std::function<void(int32_t stream, GrpcCall call, size_t bytes, std::stop_token is_given_up)> submit;
};

class GrpcSession {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `held`: what all sessions hold of calls, counted by each until it submits them; beyond its client's share calls are
  // refused. `refusals`: what is refused is counted there.
  GrpcSession(const GrpcOptions& options, GrpcSessionCalls calls, Shares& held, Refusals& refusals, std::string client);
  ~GrpcSession();
  GrpcSession(const GrpcSession&) = delete;
  GrpcSession& operator=(const GrpcSession&) = delete;

  // False: what came is not HTTP/2, or too much of it; the connection must end.
  bool receive(std::string_view bytes, Time now);
  // Appends what is to be sent, until `out` has 64 KiB.
  bool produce(std::string& out);
  // Of a call that was submitted; nothing happens where the client has given it up.
  void answer(int32_t stream, GrpcAnswer answer, Time now);
  // Answers the calls that have taken too long to come, and ends those whose answers have not been taken. False: of one
  // not even the headers have come; the connection must end.
  bool expire(Time now, Time begun_before);
  void say_goodbye();

  bool is_over() const;                              // nothing is to be read or sent any more
  bool is_idle() const { return streams_.empty(); }  // no call is open
  bool has_begun() const { return has_begun_; }      // a call has ever come
  bool has_part() const;                             // of a call, the rest of which is to come
  std::optional<Time> oldest() const;                // of the calls that come, and the answers that are taken

 private:
  enum class Phase : uint8_t { kHeaders, kReading, kSubmitted, kAnswered };
  struct Stream {
    GrpcCall call;
    std::string data, out;
    std::vector<std::pair<std::string, std::string>> trailers;
    size_t header_bytes = 0, came = 0, held = 0, sent = 0;
    bool is_too_long = false;
    std::optional<GrpcAnswer> refused;  // what it will be answered
    std::stop_source given_up;
    Phase phase = Phase::kHeaders;
    Time begun;  // to come, or to be answered
  };
  struct Free {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  void count_reset(uint32_t reason);
  void count_sent(const nghttp2_frame& frame);
  void begin_frame(const nghttp2_frame_hd& frame);
  void begin(int32_t stream);
  int add_header(int32_t stream, std::string_view name, std::string_view value);
  void headers_are_there(int32_t id, Stream& stream, bool is_last);
  void add_data(int32_t stream, std::string_view bytes);
  void message_is_there(int32_t id, Stream& stream);
  void send(int32_t id, Stream& stream, const GrpcAnswer& answer);
  void refuse_status(int32_t id, Stream& stream, int status);
  void close(int32_t stream);
  bool hold(Stream& stream, size_t bytes);
  void refuse(Stream& stream, GrpcAnswer answer);
  void release(Stream& stream);
  static ssize_t read_out(nghttp2_session*, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                          nghttp2_data_source* source, void* self);
  static void set_callbacks(nghttp2_session_callbacks* callbacks);

  const GrpcOptions& options_;
  GrpcSessionCalls calls_;
  std::map<int32_t, Stream> streams_;
  std::unique_ptr<nghttp2_session, Free> session_;
  Shares& held_;
  Refusals& refusals_;
  const std::string client_;
  size_t resets_ = 0;
  double idle_bytes_ = 0;      // not yet forgotten
  double late_bytes_ = 0;      // that may still be under way, of calls that we have ended
  bool is_data_idle_ = false;  // of a frame of data nothing but padding has come
  Time now_;
  bool has_begun_ = false, is_broken_ = false;
};

}  // namespace ingero::serve::http
