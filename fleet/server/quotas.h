// What one token may send: points and bytes a second, and how many time series in an hour, so that one sender among
// many cannot fill the store or take the server's time.
//
// A rate is a bucket that the token's senders share (shared_bucket.h): nodes the points; the bytes, which are counted
// before it is known whose they are, the addresses that they come from. A request is taken while anything is left, and
// may overdraw it, so that every request can be taken some time. So it is with series. A series is a node's metric with
// its attributes; the windows of ranks are none, nor are causal chains, which would each be a new one. Times are of a
// monotonic clock, in ns. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "fleet/server/shared_bucket.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::server {

// Of each token. 0: no limit.
struct QuotaOptions {
  uint64_t points_per_second = 200'000, bytes_per_second = 32 << 20;
  uint64_t series_per_hour = 1 << 20;
  bool has_tokens = false;  // senders differ by token; without, all are one
};

// What the largest job sends of a window (docs/fleet.md, "Windows"): of each rank, in each of four communicators the
// seven metrics and a state, and once its device, why it was off its CPU, and the sample of its arrivals.
inline constexpr uint64_t kLargestJob = 16'384, kPointsOfRank = 4 * (7 + 1) + 5 + 4 + 10;
static_assert(kLargestJob * kPointsOfRank <= QuotaOptions().points_per_second * SharedBucket::kBurst_s);

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
  // `address`: where it came from.
  std::optional<Refusal> take_bytes(const std::string& authorization, const std::string& address, uint64_t bytes,
                                    uint64_t mono_ns);
  // Of what it holds. Points of nodes with too many series go from the batch to its refusals.
  std::optional<Refusal> take_points(const std::string& authorization, wire::Batch& batch, uint64_t mono_ns);

  // Whose a batch is, for what is not a rate: the token's and the address's, or, without tokens, the address's alone.
  std::string sender_of(const std::string& authorization, const std::string& address) const {
    return options_.has_tokens ? authorization + '\n' + address : address;
  }

  // Requests that were refused, by Kind.
  std::array<uint64_t, kNames.size()> refused() const;

 private:
  struct Token {
    SharedBucket bytes, points;
    uint64_t hour = 0;
    std::map<std::string, std::unordered_set<uint64_t>> series = {};  // by cluster and node
    size_t series_count = 0;
  };

  Token& token_of(const std::string& authorization, uint64_t mono_ns);
  struct Part {
    std::string name;
    double count = 0;
  };
  using Parts = std::map<uint64_t, Part>;  // by member of the bucket
  std::optional<Refusal> take(SharedBucket& bucket, Kind kind, uint64_t per_second, const Parts& parts,
                              uint64_t mono_ns);
  static Parts parts_of(const wire::Batch& batch);
  std::optional<Refusal> take_series(Token& token, wire::Batch& batch, uint64_t mono_ns);

  const QuotaOptions options_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Token> tokens_;  // by the hash of the header, which the server's few tokens bound
  std::array<uint64_t, kNames.size()> refused_ = {};
};

}  // namespace ingero::fleet::server
