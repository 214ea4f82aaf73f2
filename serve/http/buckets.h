// A rate for each client address: `per_second` come back, twice as many at most. Thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace ingero::serve::http {

class Buckets {
 public:
  explicit Buckets(double per_second) : per_second_(per_second) {}

  // Whether the client has one left; `take` takes it. Always true without a rate.
  bool has(const std::string& client, uint64_t mono_ns, bool take) {
    if (per_second_ <= 0) return true;
    const std::scoped_lock lock(mutex_);
    if (clients_.size() >= kMaxClients) clients_.clear();  // a flood of addresses: start anew rather than grow
    auto [at, is_new] = clients_.try_emplace(client, Bucket{2 * per_second_, mono_ns});
    Bucket& bucket = at->second;
    const double seconds = static_cast<double>(mono_ns - bucket.mono_ns) / 1e9;
    bucket.tokens = std::min(2 * per_second_, bucket.tokens + seconds * per_second_);
    bucket.mono_ns = mono_ns;
    if (bucket.tokens < 1) return false;
    if (take) bucket.tokens -= 1;
    return true;
  }

 private:
  static constexpr size_t kMaxClients = 1024;
  struct Bucket {
    double tokens;
    uint64_t mono_ns;
  };
  double per_second_;
  std::mutex mutex_;
  std::map<std::string, Bucket> clients_;
};

}  // namespace ingero::serve::http
