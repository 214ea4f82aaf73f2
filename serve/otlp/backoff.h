// How long to wait before the next try: twice as long each time, with jitter, and as long as the receiver asks. Pure;
// the random numbers are an argument.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ingero::serve::otlp {

class Backoff {
 public:
  static constexpr uint64_t kFirstNs = 1'000'000'000, kMaxNs = 60'000'000'000;

  // `random` is uniform over all of uint64_t: spreads the wait over half to one and a half of it, so that senders that
  // failed together do not come back together. A wait that the receiver named is kept, and only made longer.
  uint64_t next_ns(std::optional<uint64_t> retry_after_ns, uint64_t random) {
    const uint64_t base = wait_ns_;
    wait_ns_ = std::min(2 * wait_ns_, kMaxNs);
    const uint64_t spread = random % (base + 1);
    if (retry_after_ns) return *retry_after_ns + std::min(spread, kFirstNs);
    return base / 2 + spread;
  }
  void reset() { wait_ns_ = kFirstNs; }

 private:
  uint64_t wait_ns_ = kFirstNs;
};

}  // namespace ingero::serve::otlp
