// A gRPC server of unary methods over HTTP/2 (nghttp2), for senders that speak nothing else. The protocol is
// github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md; why not grpc++: it takes twice the memory of a connection and
// of the package for the one method that is served here.
//
// Bounds: `connections`, of which a new one displaces the one that is idle longest of the client that has most; `calls`
// at a time on each; 16 KiB of headers; `message_bytes` of a message and kMaxAllMessageBytes of all calls together, of
// which each client has its share (shares.h), given-up ones that wait to be dropped too; bytes that carry nothing of
// a call; `seconds` for a call to come, for its answer to be taken, and for a connection to begin. One thread for all
// connections; handlers are called by `at_once` others. Created, started and stopped by one thread. Owns its sockets
// and threads, and joins these; the handlers' objects outlive stop(). Failure: bind() names the address or the file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "serve/http/address.h"
#include "serve/http/refusals.h"
#include "serve/http/secrets.h"

namespace ingero::serve::http {

// Of google.rpc.Code.
enum class GrpcCode : uint8_t {
  kOk = 0,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kResourceExhausted = 8,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kUnauthenticated = 16
};

struct GrpcCall {
  std::string path, message;                   // "/package.Service/Method"; the message as it came
  bool is_packed = false;                      // by the encoding that the header grpc-encoding names
  std::map<std::string, std::string> headers;  // names in lower case
  std::string network = {};                    // the client's address, of IPv6 the /64 of it
};

struct GrpcAnswer {
  GrpcCode code = GrpcCode::kOk;
  std::string body = {};     // of kOk: the message, not packed
  std::string why = {};      // of other codes
  std::string details = {};  // a google.rpc.Status, for grpc-status-details-bin
  std::vector<std::pair<std::string, std::string>> metadata = {};
  std::optional<Refused> reason = {};  // of other codes, where it is not what the code most often means
};

using GrpcHandler = std::function<GrpcAnswer(const GrpcCall&)>;

struct GrpcOptions {
  std::string address;
  std::string certificate = {}, key = {};  // PEM files; both or none
  Secrets secrets = {};                    // of the header authorization
  size_t connections = 256, calls = 16, message_bytes = 4 << 20, at_once = 2;
  int seconds = 10;
};

inline constexpr size_t kMaxAllMessageBytes = 64 << 20;

class GrpcServer {
 public:
  static Result<std::unique_ptr<GrpcServer>> bind(GrpcOptions options, const Clock& clock = system_clock());
  ~GrpcServer();  // as stop()
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // `handler` is not called any more once stop() has returned. Clients get a GOAWAY, and answers of
  // open calls have a second to be taken.
  void start(GrpcHandler handler);
  void stop();

  std::string where() const;  // "127.0.0.1:4317"
  const Refusals& refusals() const;

 private:
  struct Impl;
  explicit GrpcServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::serve::http
