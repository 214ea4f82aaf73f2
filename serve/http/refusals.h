// Why an interface answered requests with an error, or ended connections without an answer: how often, by reason.
// Owned by the server of the interface (acceptor.h). Thread-safe; nothing in it fails.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ingero::serve::http {

// The label `reason` of metrics, and what it means (docs/fleet.md).
#define INGERO_REFUSED(X)                                                                                        \
  X(kMalformed, "malformed", "What came is not HTTP, HTTP/2, gRPC, OTLP or an input as they are defined")        \
  X(kTruncated, "truncated", "The connection ended in the middle of a request")                                  \
  X(kTooLarge, "too_large", "A path, headers, or a body, as it came or unpacked, longer than allowed")           \
  X(kWrongType, "wrong_type", "A content type or an encoding that is not read here")                             \
  X(kUnauthenticated, "unauthenticated", "No token, or a wrong one")                                             \
  X(kForbidden, "forbidden", "A Host or Origin that is not allowed, or data that the token does not read")       \
  X(kNotFound, "not_found", "A path or a method of gRPC that is not served, or data that is not there")          \
  X(kWrongMethod, "wrong_method", "Another method of HTTP than the path has")                                    \
  X(kRequestTimeout, "request_timeout", "The request, or the first one of a connection, took too long to come")  \
  X(kAnswerTimeout, "answer_timeout", "The answer took longer to make than allowed")                             \
  X(kAnswerNotTaken, "answer_not_taken", "The client did not read its answer in time, or held too many of them") \
  X(kTooManyRequests, "too_many_requests", "More than a rate or a quota allows; or too many wrong tokens")       \
  X(kBusy, "busy", "More requests at a time than there is room for; or the store takes none")                    \
  X(kFailed, "failed", "The request could not be answered for another reason")                                   \
  X(kTooManyConnections, "too_many_connections", "A connection made room for a new one")                         \
  X(kHandshake, "handshake", "TLS did not come about")                                                           \
  X(kFlood, "flood", "More calls given up, errors, or frames that carry no call than one connection may have")

enum class Refused : uint8_t {
#define INGERO_REFUSED_ENUMERATOR(enumerator, name, meaning) enumerator,
  INGERO_REFUSED(INGERO_REFUSED_ENUMERATOR)
#undef INGERO_REFUSED_ENUMERATOR
};
inline constexpr std::string_view kRefusedNames[] = {
#define INGERO_REFUSED_NAME(enumerator, name, meaning) name,
    INGERO_REFUSED(INGERO_REFUSED_NAME)
#undef INGERO_REFUSED_NAME
};
inline constexpr size_t kRefusedCount = std::size(kRefusedNames);

// Of a status from 400 on.
constexpr Refused reason_of(int status) {
  switch (status) {
    case 400:
    case 417:
    case 505:
      return Refused::kMalformed;
    case 401:
      return Refused::kUnauthenticated;
    case 403:
      return Refused::kForbidden;
    case 404:
      return Refused::kNotFound;
    case 405:
      return Refused::kWrongMethod;
    case 408:
      return Refused::kRequestTimeout;
    case 413:
    case 414:
    case 431:
      return Refused::kTooLarge;
    case 415:
    case 501:
      return Refused::kWrongType;
    case 429:
      return Refused::kTooManyRequests;
    case 503:
      return Refused::kBusy;
    case 504:
      return Refused::kAnswerTimeout;
    default:
      return Refused::kFailed;
  }
}

class Refusals {
 public:
  void count(Refused reason) { counts_[static_cast<size_t>(reason)].fetch_add(1, std::memory_order_relaxed); }
  uint64_t of(Refused reason) const { return counts_[static_cast<size_t>(reason)].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<uint64_t>, kRefusedCount> counts_ = {};
};

}  // namespace ingero::serve::http
