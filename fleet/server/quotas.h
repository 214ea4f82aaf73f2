// What one token may send: points and bytes a second, and how many time series in an hour, so that one sender among
// many cannot fill the store or take the server's time.
//
// A rate is a bucket that holds two seconds of it; a request is taken while anything is left, and may overdraw it, so
// that every request can be taken some time. So it is with series. A series is a node's metric with its attributes;
// the windows of ranks are none, nor are causal chains, which would each be a new one. Times are of a monotonic clock,
// in ns. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "fleet/wire/point.h"
#include "serve/http/buckets.h"

namespace ingero::fleet::server {

// Of each token. 0: no limit.
struct QuotaOptions {
  uint64_t points_per_second = 200'000, bytes_per_second = 32 << 20;
  uint64_t series_per_hour = 1 << 20;
  bool has_tokens = false;  // senders differ by token; without, all are one
};

inline constexpr size_t kMaxNodeSeries = 4096;  // of one node in an hour; further ones are refused, point by point

class Quotas {
 public:
  enum class Kind : uint8_t { kBytes, kPoints, kSeries };
  static constexpr std::array<std::string_view, 3> kNames = {"bytes", "points", "series"};

  struct Refusal {
    Kind kind;
    std::string why;
    uint64_t wait_ns;  // until it is worth another try
  };

  explicit Quotas(QuotaOptions options) : options_(options) {}

  // Of a request as it came, before it is decoded. `authorization`: the header's value, which was checked.
  std::optional<Refusal> take_bytes(const std::string& authorization, uint64_t bytes, uint64_t mono_ns);
  // Of what it holds. Points of nodes with too many series go from the batch to its refusals.
  std::optional<Refusal> take_points(const std::string& authorization, wire::Batch& batch, uint64_t mono_ns);

  // Requests that were refused, by Kind.
  std::array<uint64_t, kNames.size()> refused() const;

 private:
  struct Token {
    serve::http::Bucket bytes, points;
    uint64_t hour = 0;
    std::map<std::string, std::unordered_set<uint64_t>> series = {};  // by cluster and node
    size_t series_count = 0;
  };

  Token& token_of(const std::string& authorization, uint64_t mono_ns);
  std::optional<Refusal> take(serve::http::Bucket& bucket, Kind kind, uint64_t per_second, uint64_t count,
                              uint64_t mono_ns);
  std::optional<Refusal> take_series(Token& token, wire::Batch& batch, uint64_t mono_ns);

  const QuotaOptions options_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Token> tokens_;  // by the hash of the header, which the server's few tokens bound
  std::array<uint64_t, kNames.size()> refused_ = {};
};

}  // namespace ingero::fleet::server
