// One request to the receiver, one answer: over HTTP/1.1 (protobuf or JSON) or as a unary call of gRPC.
//
// Keeps its connection between requests: there is one every few seconds. Redirects are not followed, answers are
// bounded (16 KiB of headers, kMaxAnswerBytes of body). Used by one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "serve/net/http_exchange.h"
#include "serve/otlp/answer.h"
#include "serve/otlp/endpoint.h"
#include "serve/otlp/headers.h"
#include "serve/otlp/model.h"

namespace ingero::serve::otlp {

using net::Deadline;
using net::Stop;
using net::TlsContext;
using net::TlsFiles;

struct Receiver {
  Endpoint endpoint;
  Protocol protocol = Protocol::kHttpProtobuf;
  Headers metrics_headers, traces_headers;
  std::string agent = "ingero";  // of the User-Agent header

  const Headers& headers(Signal signal) const { return signal == Signal::kMetrics ? metrics_headers : traces_headers; }
};

// What a cluster's server says besides.
void take_headers(const net::HttpAnswer& from, Protocol protocol, Answer& to);

class Transport {
 public:
  virtual ~Transport() = default;
  // An error of the connection is an answer too: kRetry, with its sentence.
  virtual Answer send(const Payload& payload, Deadline deadline, const Stop& stop) = 0;
};

// `tls` may be null where the endpoint is plain. The arguments must outlive it.
std::unique_ptr<Transport> make_http_transport(const Receiver& receiver, const TlsContext* tls, const Clock& clock);
std::unique_ptr<Transport> make_grpc_transport(const Receiver& receiver, const TlsContext* tls);
inline std::unique_ptr<Transport> make_transport(const Receiver& receiver, const TlsContext* tls, const Clock& clock) {
  return receiver.protocol == Protocol::kGrpc ? make_grpc_transport(receiver, tls)
                                              : make_http_transport(receiver, tls, clock);
}

}  // namespace ingero::serve::otlp
