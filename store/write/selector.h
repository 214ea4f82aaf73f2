// The selective policy: which finished events become rows. Everything slow for its call, failed, synchronising, about
// life and death, or host-critical; and one in N of the rest, so that counts can be scaled.
//
// "Slow for its call" adapts: slower than the p99 of all such calls so far, so that about one in a hundred is kept for
// it however wide their durations spread; the first calls of each are all kept. Deterministic. Threads: the writer's.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/call_table.h"
#include "hal/event.h"
#include "store/db/histogram.h"

namespace ingero::store {

class Selector {
 public:
  enum class Decision : uint8_t { kKeep, kKeepAsSample, kThin };

  Selector(const hal::CallTable& calls, uint32_t sample_every)
      : calls_(calls), every_(sample_every == 0 ? 1 : sample_every), states_(calls.size()) {}
  Decision decide(const hal::Event& event);

  static constexpr uint64_t kWarmUp = 200;         // calls of each that are all kept
  static constexpr uint64_t kRefreshEvery = 1024;  // calls after which thresholds are computed again

 private:
  struct State {
    Histogram histogram;
    uint64_t slow_ns = 0;
    uint64_t passed_over = 0;
  };
  bool always_kept(const hal::Event& event) const;

  const hal::CallTable& calls_;
  uint32_t every_;
  std::vector<State> states_;
};

}  // namespace ingero::store
