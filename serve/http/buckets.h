// A rate, and one for each client address: `per_second` come back, twice as many at most. Owns its counts; nothing can
// fail. Buckets is thread-safe, a Bucket its owner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace ingero::serve::http {

// Full when it is made.
class Bucket {
 public:
  Bucket(double per_second, uint64_t mono_ns) : left_(kBurst_s * per_second), mono_ns_(mono_ns) {}

  // What it has now, of what `per_second` gives back. Times may come a little out of order, from several threads.
  double fill(double per_second, uint64_t mono_ns) {
    const uint64_t passed_ns = mono_ns > mono_ns_ ? mono_ns - mono_ns_ : 0;
    left_ = std::min(kBurst_s * per_second, left_ + static_cast<double>(passed_ns) / 1e9 * per_second);
    mono_ns_ = std::max(mono_ns_, mono_ns);
    return left_;
  }
  // It may be overdrawn.
  void take(double count) { left_ -= count; }

 private:
  static constexpr double kBurst_s = 2;
  double left_;
  uint64_t mono_ns_;
};

class Buckets {
 public:
  explicit Buckets(double per_second) : per_second_(per_second) {}

  // Whether the client has one left; `take` takes it. Always true without a rate.
  bool has(const std::string& client, uint64_t mono_ns, bool take) {
    if (per_second_ <= 0) return true;
    const std::scoped_lock lock(mutex_);
    if (clients_.size() >= kMaxClients && !clients_.contains(client)) make_room(mono_ns);
    Bucket& bucket = clients_.try_emplace(client, per_second_, mono_ns).first->second;
    if (bucket.fill(per_second_, mono_ns) < 1) return false;
    if (take) bucket.take(1);
    return true;
  }

 private:
  static constexpr size_t kMaxClients = 1024;

  // A flood of addresses: the one that has used least of its rate is forgotten, and loses nothing by it.
  void make_room(uint64_t mono_ns) {
    auto fullest = clients_.begin();
    double most = -1;
    for (auto at = clients_.begin(); at != clients_.end(); ++at) {
      const double left = at->second.fill(per_second_, mono_ns);
      if (left > most) {
        most = left;
        fullest = at;
      }
    }
    clients_.erase(fullest);
  }

  double per_second_;
  std::mutex mutex_;
  std::map<std::string, Bucket> clients_;
};

}  // namespace ingero::serve::http
