// nghttp2's callbacks, and what gRPC makes of a request: see grpc_session.h.
#include "serve/http/grpc_session.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <openssl/evp.h>

#include "serve/http/secrets.h"

namespace ingero::serve::http {
namespace {

constexpr size_t kPrefixBytes = 5;  // of a message: whether it is packed, and its length
constexpr size_t kMaxResets = 200;  // calls of one connection that the client gave up, or that it made us end
constexpr size_t kOutBytes = 64 << 10;
constexpr double kFrameBytes = 9;  // of a frame's header
// Bytes that carry nothing of a call, as pings, empty data and padding: clients send some each second, and with each
// call. Nineteen hundred pings at once, 240 a second.
constexpr double kMaxIdleBytes = 32 << 10, kIdleBytesPerSecond = 4 << 10, kIdleBytesOfCall = 64;
constexpr uint32_t kStreamWindow = 1 << 20, kConnectionWindow = 4 << 20;

GrpcSession& session_of(void* self) { return *static_cast<GrpcSession*>(self); }

std::string_view text_of(const uint8_t* bytes, size_t size) { return {reinterpret_cast<const char*>(bytes), size}; }

nghttp2_nv header(const std::string& name, const std::string& value) {
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// Printable ASCII but '%', the rest as %XX.
std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%') {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string unpadded_base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(size));
  while (!out.empty() && out.back() == '=') out.pop_back();
  return out;
}

GrpcAnswer refusal(GrpcCode code, std::string why) {
  GrpcAnswer answer;
  answer.code = code;
  answer.why = std::move(why);
  return answer;
}

Refused reason_of(const GrpcAnswer& answer) {
  if (answer.reason) return *answer.reason;
  switch (answer.code) {
    case GrpcCode::kInvalidArgument:
      return Refused::kMalformed;
    case GrpcCode::kDeadlineExceeded:
      return Refused::kRequestTimeout;
    case GrpcCode::kResourceExhausted:
      return Refused::kTooManyRequests;
    case GrpcCode::kUnimplemented:
      return Refused::kNotFound;
    case GrpcCode::kUnavailable:
      return Refused::kBusy;
    case GrpcCode::kUnauthenticated:
      return Refused::kUnauthenticated;
    default:
      return Refused::kFailed;
  }
}

}  // namespace

GrpcSession::GrpcSession(const GrpcOptions& options, GrpcSessionCalls calls, Shares& held, Refusals& refusals,
                         std::string client)
    : options_(options), calls_(std::move(calls)), held_(held), refusals_(refusals), client_(std::move(client)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  const std::unique_ptr<nghttp2_session_callbacks, decltype(&nghttp2_session_callbacks_del)> owner(
      callbacks, nghttp2_session_callbacks_del);
  set_callbacks(callbacks);
  nghttp2_session* made = nullptr;
  if (nghttp2_session_server_new(&made, callbacks, this) != 0) throw std::bad_alloc();
  session_.reset(made);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<uint32_t>(options.calls)},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMaxGrpcHeaderBytes}};
  nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(made, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

GrpcSession::~GrpcSession() {
  for (auto& [id, stream] : streams_) {
    release(stream);
    stream.given_up.request_stop();
  }
}

void GrpcSession::set_callbacks(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_on_begin_headers_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
          session_of(self).begin(frame->hd.stream_id);
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t, void* self) {
        return session_of(self).add_header(frame->hd.stream_id, text_of(name, name_size), text_of(value, value_size));
      });
  nghttp2_session_callbacks_set_on_begin_frame_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame_hd* frame, void* self) {
        session_of(self).begin_frame(*frame);
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, uint8_t, int32_t stream, const uint8_t* bytes, size_t size, void* self) {
        session_of(self).add_data(stream, text_of(bytes, size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        GrpcSession& session = session_of(self);
        if (frame->hd.type == NGHTTP2_RST_STREAM) session.count_reset(frame->rst_stream.error_code);
        const auto found = session.streams_.find(frame->hd.stream_id);
        if (found == session.streams_.end()) return 0;
        const bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
        if (frame->hd.type == NGHTTP2_HEADERS && found->second.phase == Phase::kHeaders) {
          session.headers_are_there(found->first, found->second, is_last);
        } else if ((frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) && is_last &&
                   found->second.phase == Phase::kReading) {
          session.message_is_there(found->first, found->second);
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      callbacks, [](nghttp2_session* session, const nghttp2_frame* frame, void* self) {
        session_of(self).count_sent(*frame);
        // Answered because it is too long: the rest is not wanted.
        const bool is_last = frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
        const auto found = session_of(self).streams_.find(frame->hd.stream_id);
        if (is_last && found != session_of(self).streams_.end() && found->second.is_too_long) {
          nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                         [](nghttp2_session*, int32_t stream, uint32_t, void* self) {
                                                           session_of(self).close(stream);
                                                           return 0;
                                                         });
}

bool GrpcSession::receive(std::string_view bytes, Time now) {
  const double since_s = std::chrono::duration<double>(now - now_).count();
  idle_bytes_ = std::max(0.0, idle_bytes_ - kIdleBytesPerSecond * since_s) + static_cast<double>(bytes.size());
  now_ = now;
  const ssize_t taken =
      nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  const bool is_flood = is_broken_ || idle_bytes_ > kMaxIdleBytes;
  if (taken == static_cast<ssize_t>(bytes.size()) && !is_flood) return true;
  refusals_.count(taken == NGHTTP2_ERR_BAD_CLIENT_MAGIC ? Refused::kMalformed : Refused::kFlood);
  return false;
}

bool GrpcSession::produce(std::string& out) {
  while (out.size() < kOutBytes) {
    const uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) return false;
    if (size == 0) return true;
    out.append(text_of(bytes, static_cast<size_t>(size)));
  }
  return true;
}

bool GrpcSession::is_over() const {
  return nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0;
}

void GrpcSession::say_goodbye() { nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR); }

// Sent or received. What is refused because too many are open costs nothing, and comes of a client that has not read
// our settings yet.
void GrpcSession::count_reset(uint32_t reason) {
  if (reason != NGHTTP2_REFUSED_STREAM && ++resets_ > kMaxResets) is_broken_ = true;
}

// What ends a call or the connection without an answer. Headers that are too long were counted as they came
// (NGHTTP2_INTERNAL_ERROR), and calls that were answered with an error then: some clients that go on to send break off.
void GrpcSession::count_sent(const nghttp2_frame& frame) {
  uint32_t error = NGHTTP2_NO_ERROR;
  if (frame.hd.type == NGHTTP2_GOAWAY) error = frame.goaway.error_code;
  if (frame.hd.type == NGHTTP2_RST_STREAM) {
    error = frame.rst_stream.error_code;
    count_reset(error);
    late_bytes_ += kStreamWindow;
  }
  switch (error) {
    case NGHTTP2_NO_ERROR:
    case NGHTTP2_INTERNAL_ERROR:
      return;
    case NGHTTP2_CANCEL:
      return refusals_.count(Refused::kAnswerNotTaken);
    case NGHTTP2_REFUSED_STREAM:
      return refusals_.count(Refused::kBusy);
    case NGHTTP2_ENHANCE_YOUR_CALM:
      return refusals_.count(Refused::kFlood);
    default:
      break;
  }
  const auto found = streams_.find(frame.hd.stream_id);
  const bool is_answered = found != streams_.end() && found->second.phase == Phase::kAnswered;
  if (!is_answered) refusals_.count(Refused::kMalformed);
}

// What has come was counted as idle. A frame of data is, until more of it has come than padding.
void GrpcSession::begin_frame(const nghttp2_frame_hd& frame) {
  is_data_idle_ = frame.type == NGHTTP2_DATA;
  const double bytes = kFrameBytes + static_cast<double>(frame.length);
  if (frame.type == NGHTTP2_HEADERS) idle_bytes_ -= bytes;
  if (is_data_idle_ && !streams_.contains(frame.stream_id)) {
    const double late = std::min(bytes, late_bytes_);
    late_bytes_ -= late;
    idle_bytes_ -= late;
  }
}

void GrpcSession::begin(int32_t stream) {
  has_begun_ = true;
  Stream& made = streams_[stream];
  made.begun = now_;
}

int GrpcSession::add_header(int32_t id, std::string_view name, std::string_view value) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || found->second.phase != Phase::kHeaders) return 0;
  Stream& stream = found->second;
  stream.header_bytes += name.size() + value.size() + 32;  // as HTTP/2 counts them
  if (stream.header_bytes > kMaxGrpcHeaderBytes) {
    refusals_.count(Refused::kTooLarge);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  stream.call.headers.emplace(name, name == "authorization" ? authorization_of(value) : std::string(value));
  return 0;
}

void GrpcSession::headers_are_there(int32_t id, Stream& stream, bool is_last) {
  auto& headers = stream.call.headers;
  stream.call.path = headers[":path"];
  stream.phase = Phase::kReading;
  if (headers[":method"] != "POST") return refuse_status(id, stream, 405);
  const std::string& type = headers["content-type"];
  if (type != "application/grpc" && !type.starts_with("application/grpc+proto") &&
      !type.starts_with("application/grpc;")) {
    return refuse_status(id, stream, 415);
  }
  if (auto refused = calls_.admit(stream.call)) {
    refuse(stream, std::move(*refused));
  } else {
    hold(stream, stream.header_bytes);
  }
  if (is_last) message_is_there(id, stream);
}

void GrpcSession::add_data(int32_t id, std::string_view bytes) {
  idle_bytes_ -= static_cast<double>(bytes.size()) + (std::exchange(is_data_idle_, false) ? kFrameBytes : 0);
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  Stream& stream = found->second;
  stream.came += bytes.size();
  const bool is_too_long = stream.came > options_.message_bytes + kPrefixBytes;
  if (stream.phase != Phase::kReading) {
    // It has its answer, and goes on to send: some clients expect that what they have begun to send is read.
    if (is_too_long && !stream.is_too_long) {
      nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
    }
    stream.is_too_long = stream.is_too_long || is_too_long;
    return;
  }
  if (is_too_long) {
    stream.is_too_long = true;
    auto too_long = refusal(GrpcCode::kResourceExhausted,
                            fmt::format("the message is longer than {} bytes", options_.message_bytes));
    too_long.reason = Refused::kTooLarge;
    return send(id, stream, stream.refused.value_or(std::move(too_long)));
  }
  if (hold(stream, bytes.size())) stream.data += bytes;
}

// Whether there is room, and the call is not refused; without room it is.
bool GrpcSession::hold(Stream& stream, size_t bytes) {
  if (stream.refused) return false;
  if (!held_.has_room(client_, bytes)) {
    refuse(stream, refusal(GrpcCode::kUnavailable, "too many messages are being sent at once"));
    return false;
  }
  stream.held += bytes;
  held_.add(client_, bytes);
  return true;
}

// Says so when the message has come, of which nothing is kept: a client that has its answer before it has sent all may
// not look at it (libcurl waits until its time is over).
void GrpcSession::refuse(Stream& stream, GrpcAnswer answer) {
  stream.refused = std::move(answer);
  release(stream);
}

void GrpcSession::message_is_there(int32_t id, Stream& stream) {
  if (stream.refused) return send(id, stream, *stream.refused);
  const std::string& data = stream.data;
  uint32_t length = 0;
  if (data.size() >= kPrefixBytes) {
    for (size_t i = 1; i < kPrefixBytes; ++i) length = length << 8 | static_cast<uint8_t>(data[i]);
  }
  if (data.size() != kPrefixBytes + size_t{length} || static_cast<uint8_t>(data[0]) > 1) {
    return send(id, stream, refusal(GrpcCode::kInvalidArgument, "the call has not exactly one message, whole"));
  }
  idle_bytes_ -= kIdleBytesOfCall;
  stream.call.is_packed = data[0] == 1;
  stream.call.message = data.substr(kPrefixBytes);
  stream.phase = Phase::kSubmitted;
  const size_t bytes = stream.held;
  GrpcCall call = std::move(stream.call);
  release(stream);
  calls_.submit(id, std::move(call), bytes, stream.given_up.get_token());
}

void GrpcSession::answer(int32_t id, GrpcAnswer answer, Time now) {
  now_ = now;
  const auto found = streams_.find(id);
  if (found != streams_.end() && found->second.phase == Phase::kSubmitted) send(id, found->second, answer);
}

ssize_t GrpcSession::read_out(nghttp2_session* session, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                              nghttp2_data_source* source, void*) {
  Stream& stream = *static_cast<Stream*>(source->ptr);
  const size_t count = std::min(size, stream.out.size() - stream.sent);
  std::memcpy(buffer, stream.out.data() + stream.sent, count);
  stream.sent += count;
  if (stream.sent < stream.out.size()) return static_cast<ssize_t>(count);
  *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
  std::vector<nghttp2_nv> trailers;
  for (const auto& [name, value] : stream.trailers) trailers.push_back(header(name, value));
  nghttp2_submit_trailer(session, id, trailers.data(), trailers.size());
  return static_cast<ssize_t>(count);
}

// With a message: headers, the message, and the code in trailers; else all in the headers ("Trailers-Only").
void GrpcSession::send(int32_t id, Stream& stream, const GrpcAnswer& answer) {
  if (answer.code != GrpcCode::kOk) refusals_.count(reason_of(answer));
  stream.phase = Phase::kAnswered;
  stream.begun = now_;
  release(stream);
  std::vector<std::pair<std::string, std::string>> headers{{":status", "200"}, {"content-type", "application/grpc"}};
  headers.insert(headers.end(), answer.metadata.begin(), answer.metadata.end());
  auto& trailers = stream.trailers;
  trailers = {{"grpc-status", std::to_string(static_cast<int>(answer.code))}};
  if (!answer.why.empty()) trailers.emplace_back("grpc-message", percent_encoded(answer.why));
  if (!answer.details.empty()) trailers.emplace_back("grpc-status-details-bin", unpadded_base64(answer.details));
  const bool has_message = answer.code == GrpcCode::kOk;
  if (!has_message) headers.insert(headers.end(), trailers.begin(), trailers.end());
  std::vector<nghttp2_nv> fields;
  for (const auto& [name, value] : headers) fields.push_back(header(name, value));
  if (has_message) {
    const auto length = static_cast<uint32_t>(answer.body.size());
    stream.out.assign(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) stream.out += static_cast<char>(length >> shift & 0xff);
    stream.out += answer.body;
  }
  nghttp2_data_provider provider{};
  provider.source.ptr = &stream;
  provider.read_callback = read_out;
  nghttp2_submit_response(session_.get(), id, fields.data(), fields.size(), has_message ? &provider : nullptr);
}

void GrpcSession::refuse_status(int32_t id, Stream& stream, int status) {
  refusals_.count(http::reason_of(status));
  stream.phase = Phase::kAnswered;
  stream.begun = now_;
  release(stream);
  const std::string name = ":status", value = std::to_string(status);
  const nghttp2_nv field = header(name, value);
  nghttp2_submit_response(session_.get(), id, &field, 1, nullptr);
}

void GrpcSession::release(Stream& stream) {
  held_.remove(client_, stream.held);
  stream.held = 0;
  stream.call = {};
  std::string().swap(stream.data);
}

void GrpcSession::close(int32_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  release(found->second);
  found->second.given_up.request_stop();
  streams_.erase(found);
}

bool GrpcSession::has_part() const {
  return std::any_of(streams_.begin(), streams_.end(), [](const auto& one) {
    return one.second.phase == Phase::kHeaders || one.second.phase == Phase::kReading;
  });
}

std::optional<GrpcSession::Time> GrpcSession::oldest() const {
  std::optional<Time> oldest;
  for (const auto& [id, stream] : streams_) {
    if (stream.phase == Phase::kSubmitted || (oldest && *oldest <= stream.begun)) continue;
    oldest = stream.begun;
  }
  return oldest;
}

bool GrpcSession::expire(Time now, Time begun_before) {
  now_ = now;
  for (auto& [id, stream] : streams_) {
    if (stream.phase == Phase::kSubmitted || stream.begun > begun_before) continue;
    if (stream.phase == Phase::kHeaders) return false;
    if (stream.phase == Phase::kAnswered) {
      const bool is_whole = stream.sent == stream.out.size();  // the client goes on to send; else takes nothing
      nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, is_whole ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
      stream.begun = now;  // once
      continue;
    }
    send(id, stream, stream.refused.value_or(refusal(GrpcCode::kDeadlineExceeded, "the call took too long to come")));
  }
  return true;
}

}  // namespace ingero::serve::http
