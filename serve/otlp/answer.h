// What a receiver said to a request. Everything in it comes from the network: bounded and printable. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "serve/otlp/model.h"

namespace ingero::serve::otlp {

// Over gRPC without "x-".
inline constexpr const char *kTimeHeader = "x-ingero-time", *kThresholdHeader = "x-ingero-threshold",
                            *kQuorumHeader = "x-ingero-quorum-met", *kScoreHeader = "x-ingero-score";

enum class SendResult : uint8_t {
  kAccepted,  // all of it, or all but `rejected`
  kRetry,     // not now: send it again, not before `retry_after_ns` where it says so
  kRefused,   // never: sending it again would be refused again
};

struct Answer {
  SendResult send_result = SendResult::kRetry;
  uint64_t rejected = 0;  // items of an accepted request that the receiver dropped
  std::optional<uint64_t> retry_after_ns = {};
  std::string message = {};  // empty: nothing to say
  // Of headers that only a cluster's server sends: its clock (kTimeHeader), what nodes classify themselves by, and the
  // sender's score.
  std::string untrusted_time = {}, untrusted_threshold = {}, untrusted_quorum = {}, untrusted_score = {};
};

// Longest wait that is granted: a receiver cannot silence the sender for good.
inline constexpr uint64_t kMaxRetryAfterNs = 600'000'000'000;
inline constexpr size_t kMaxAnswerBytes = 64 << 10;

// Of Export...ServiceResponse: what partial_success says. An answer that is not understood is a full success, with a
// word about it.
Answer accepted_protobuf(std::string_view untrusted_body, uint32_t items);
Answer accepted_json(std::string_view untrusted_body, uint32_t items);
// The message of google.rpc.Status, which bodies of refusals hold; empty: there is none.
std::string status_message(std::string_view untrusted_body);
// The delay of a google.rpc.RetryInfo in the details of a google.rpc.Status.
std::optional<uint64_t> retry_delay_ns(std::string_view untrusted_status);

// A Retry-After header: seconds, or a date.
std::optional<uint64_t> parse_retry_after_ns(std::string_view untrusted_header, uint64_t wall_ns);

}  // namespace ingero::serve::otlp
