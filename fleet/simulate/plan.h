// A job that does not exist: its ranks and communicators, the noise of their work, and the ranks that are slow. It
// knows the answer before the detector does, and shares nothing with it.
//
// Ranks are eight to a node (one tensor parallel communicator), nodes are stages of a pipeline of four where their
// number allows it, and the ranks of one stage and place are data parallel. The last stage works 20 % longer than the
// others. Nodes' clocks are up to half a second apart and drift: a node's windows are cut by its own, so that one that
// is ahead has one step less in its first and enters every collective a window's end earlier. Deterministic by its
// seed. window() may run in several threads for different nodes. Owns all it makes. Failure: of make() only.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "fleet/simulate/delivery.h"
#include "fleet/simulate/hang_plan.h"
#include "fleet/wire/encode.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::simulate {

inline constexpr uint64_t kPeriod_ns = wire::kWindow_ns;
inline constexpr uint32_t kRanksOfNode = 8, kMaxRanks = 65536;

// Of healthy ranks: lognormal, one-sided and correlated in time, as on real machines.
struct Noise {
  double middle, sigma;      // of a step's delay, as a share of the step; and of its logarithm
  double correlation;        // of that logarithm, from one step to the next
  double hiccup, hiccup_of;  // how often a step has one; of which length, as a share of the step
  double spread;             // standard deviation of what a rank is for ever
};
inline constexpr Noise kQuietNoise = {0.01, 0.8, 0.3, 0.002, 0.5, 0.01};
inline constexpr Noise kUsualNoise = {0.02, 1, 0.3, 0.002, 0.5, 0.01};
inline constexpr Noise kNoisyNoise = {0.03, 1.2, 0.5, 0.005, 1, 0.015};

struct PlanOptions {
  std::string cluster = "sim";
  uint32_t ranks = 64;
  uint32_t windows = 120;
  uint64_t seed = 1;
  uint64_t first_ns = 0;  // when the first window begins
  Noise noise = kUsualNoise;
  bool has_stragglers = true;   // one of 256 ranks, at least one
  bool has_slow_nodes = false;  // and all ranks of one of 32 nodes, at least of one
  double effect = 0;            // of each of them; 0: of each another, from kMinEffect to kMaxEffect
  bool has_hang = false;        // from a window in the middle on
  bool has_arrivals = false;    // too (details.h)
};

inline constexpr double kMinEffect = 0.15, kMaxEffect = 0.5;

// A rank, or all of its node from it on.
struct Straggler {
  uint32_t rank = 0, ranks = 1;
  double effect = 0;
  uint32_t from = 0, to = 0;  // windows, `to` is the first that is not slow
  std::string what;           // class, as the detector is to find it
};

class Plan {
 public:
  // kInvalid: ranks are not whole nodes, or too many; too few windows.
  static Result<Plan> make(const PlanOptions& options);

  uint32_t nodes() const { return options_.ranks / kRanksOfNode; }
  // To be called before window(), by one thread.
  void begin(uint32_t number);
  // What node `node` sends of a window, empty where it is silent; windows of a node in ascending order.
  std::vector<wire::Window> window(uint32_t node, uint32_t number);
  // How far the node's clock is from the others', as it would have measured it: up to half a second, and drifting.
  wire::ClockOffset clock(uint32_t node, uint32_t number) const;
  // What the node's causal engine reports with that window: what slows a rank of class `memory` or `network`; and where
  // a rank of another class is slow, something of another rank and something too small to be the reason.
  std::vector<wire::Incident> incidents(uint32_t node, uint32_t number) const;
  wire::Sender sender(uint32_t node) const;
  const Deliveries& deliveries() const { return deliveries_; }
  const std::vector<Straggler>& stragglers() const { return stragglers_; }
  // What is planted; and the ranks whose spread alone makes them slower than their peers, as `always_slow`.
  Json truth() const;

 private:
  struct Rank {
    std::mt19937_64 random;
    double bias = 0, state = 0;
    const Straggler* slow = nullptr;
  };
  explicit Plan(const PlanOptions& options);
  Straggler draw_straggler(std::mt19937_64& random, uint32_t ranks) const;
  void plan_stragglers(std::mt19937_64& random);
  double median_step(Rank& rank, double longer) const;
  void plan_hang(uint64_t seed);
  bool is_ahead(uint32_t node) const { return clock(node, 0).offset_ns > 0; }
  const HangPlan& hang_of(uint32_t node) const { return is_ahead(node) ? *hang_before_ : *hang_; }
  void count_steps(uint64_t before, wire::Window& window) const;
  void report_progress(size_t which, wire::Window& window) const;

  PlanOptions options_;
  uint32_t stages_ = 1;
  std::vector<Straggler> stragglers_;
  std::vector<Rank> ranks_;
  Deliveries deliveries_;
  std::optional<HangPlan> hang_, hang_before_;  // at the end of the window, and a step before
};

}  // namespace ingero::fleet::simulate
