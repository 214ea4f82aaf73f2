// Slows down who guesses secrets: a client whose wrong ones have used up their rate is not compared for a while.
//
// Other programs may share its address, behind a proxy or on one machine. One that is configured wrongly shows the same
// secret again and again, and guesses nothing: what is known to be wrong uses up nothing. Owns its counts; thread-safe;
// nothing can fail.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include "serve/http/buckets.h"

namespace ingero::serve::http {

class WrongSecrets {
 public:
  explicit WrongSecrets(double per_second) : rate_(per_second) {}

  // Whether `shown`, the value of an Authorization header, is to be compared.
  bool may_try(const std::string& client, const std::string& shown, uint64_t mono_ns) {
    return is_known(shown) || rate_.has(client, mono_ns, false);
  }
  void was_wrong(const std::string& client, const std::string& shown, uint64_t mono_ns) {
    if (is_known(shown)) return;
    (void)rate_.has(client, mono_ns, true);
    if (shown.size() > kMaxBytes) return;
    const std::scoped_lock lock(mutex_);
    if (known_.insert(shown).second) order_.push_back(shown);
    if (order_.size() <= kMaxKnown) return;
    known_.erase(order_.front());
    order_.pop_front();
  }

 private:
  static constexpr size_t kMaxKnown = 1024, kMaxBytes = 256;

  bool is_known(const std::string& shown) {
    const std::scoped_lock lock(mutex_);
    return known_.contains(shown);
  }

  Buckets rate_;
  std::mutex mutex_;
  std::set<std::string> known_;
  std::deque<std::string> order_;  // the oldest first
};

}  // namespace ingero::serve::http
