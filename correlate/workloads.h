// What a step of a workload usually takes, and which steps were slow.
//
// A workload is the steps of one phase on one stream of one process (and, where asked for, of one set of functions). Of
// its healthy steps it keeps an exponential mean, a histogram and from that the 95th percentile; once `warm` of them
// are known, a step is slow that takes 1.5, 2 or `slow_ratio` times the percentile.
//
// Invariants:
// B1  A slow step is not folded into its baseline. `warm` slow ones in a row are the workload as it is now: its
//     baseline starts over, so that a permanent change does not raise alarms indefinitely.
// B2  A step is classified by the baseline as it was before the step.
// B3  At most kMaxWorkloads are kept; the least recently used is reported a last time and evicted.
//
// Pure and deterministic; one thread; nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "correlate/baseline.h"
#include "correlate/phases.h"
#include "correlate/steps.h"
#include "hal/loss.h"

namespace ingero::correlate {

// How slow; exclusive.
enum class Slow : uint8_t { kNo, kHalfMore, kTwice, kThrice, kCount };
constexpr std::string_view name_of(Slow slow) {
  constexpr std::string_view kNames[] = {"", "1.5x", "2x", "3x"};
  return kNames[static_cast<size_t>(slow)];
}

struct WorkloadOptions {
  uint64_t warm = 30;       // healthy steps before any is called slow
  double slow_ratio = 3.0;  // of the slowest class
  PhaseLimits phases;
  bool has_phases = true;  // false: every step is of phase unknown
  bool by_functions = false;
  uint32_t keep_every = 1;  // of healthy steps, one in this many is kept; it stands for all of them
};

struct Workload {
  uint64_t id = 0;  // from 1
  uint32_t pid = 0;
  uint64_t cgroup_id = 0;  // 0: unknown
  std::optional<uint64_t> stream;
  Phase phase = Phase::kUnknown;
  std::optional<uint64_t> functions;
  uint64_t first_mono_ns = 0, last_mono_ns = 0;  // of its steps
  int64_t wall_offset_ns = 0;
  uint64_t steps = 0, total_ns = 0, min_ns = 0, max_ns = 0, idle_ns = 0;
  uint64_t launches = 0, graph_launches = 0, copied_bytes = 0;
  std::array<uint64_t, static_cast<size_t>(Slow::kCount)> by_slowness{};  // the first: healthy
  uint64_t relearned = 0;
  uint64_t healthy = 0;  // steps in the baseline
  double mean_ns = 0;    // exponential, of healthy steps
  uint64_t p95_ns = 0;   // likewise; the middle of a bin: at most an eighth off
  Baseline baseline;
};

// A step, classified.
struct ClassifiedStep {
  InferenceStep step;
  uint64_t workload = 0;
  Phase phase = Phase::kUnknown;
  Slow slow = Slow::kNo;
  std::optional<uint64_t> mean_ns, p95_ns;  // of the baseline, where it was warm
  uint32_t weight = 1;                      // how many steps it stands for; 0: another stands for it
};

class Workloads {
 public:
  static constexpr size_t kMaxWorkloads = 1024;
  static constexpr double kAlpha = 0.05;

  // `ledger` must outlive this.
  Workloads(WorkloadOptions options, hal::LossLedger& ledger) : options_(options), ledger_(ledger) {}

  ClassifiedStep evaluate(const InferenceStep& step);
  // Those with new steps since the last call, in the order in which they first appeared.
  std::vector<Workload> take_changes();
  size_t size() const { return order_.size(); }

 private:
  using Key = std::tuple<uint32_t, uint64_t, std::optional<uint64_t>, Phase, uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Kept {
    Key key;
    Workload shown;
    uint64_t slow_in_a_row = 0;
    bool is_changed = false;
  };
  Kept& find(const InferenceStep& step, Phase phase);

  const WorkloadOptions options_;
  hal::LossLedger& ledger_;
  uint64_t last_id_ = 0;
  std::list<Kept> order_;  // the most recently used comes first
  std::unordered_map<Key, std::list<Kept>::iterator, KeyHash> by_key_;
  std::vector<Workload> forgotten_;
};

}  // namespace ingero::correlate
