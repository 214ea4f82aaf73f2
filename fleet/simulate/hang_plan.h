// Ranks that run through collectives until some of them stop: which collective each entered and left last follows from
// the collectives themselves. It knows the answer before the detector does, and shares nothing with it.
//
// Each step of a rank is one collective of each of its communicators, in the order in which they were given. A
// collective ends when all of its members are in it. Deterministic by its seed. advance() is called by one thread;
// what it left may then be read by several.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"

namespace ingero::fleet::simulate {

class HangPlan {
 public:
  static constexpr uint32_t kMaxStopped = 16;
  // Where a rank is in one of its communicators.
  struct Place {
    int64_t entered = 0, left = 0;
    bool has_other_operation = false;
  };

  // `communicators`: of each rank, by its number, as ranks enter them in a step. The hang begins in step `step`.
  HangPlan(std::vector<std::vector<uint32_t>> communicators, uint32_t ranks_of_node, uint64_t step, uint64_t seed);

  // All that can be done until `steps` steps are.
  void advance(uint64_t steps);
  Place place(uint32_t rank, size_t which) const;
  uint64_t steps_done(uint32_t rank) const { return ranks_[rank].done / phases_; }
  // Whether its node still sends; whether its process has ended.
  bool is_heard(uint32_t rank) const;
  bool is_gone(uint32_t rank) const;
  // {"kind", "ranks", "step"}
  Json truth() const;

 private:
  enum class Kind : uint8_t { kMissingEnter, kMissingExit, kMismatch, kProcessGone, kNodeSilent };
  struct Rank {
    uint64_t done = 0;  // collectives that it left, of all communicators
    bool is_inside = false, is_stopped = false;
  };
  struct Communicator {
    uint32_t members = 0;
    int64_t number = 0;  // of the collectives that ended
    std::vector<uint32_t> inside;
    bool is_mixed = false;
  };
  void choose(std::mt19937_64& random);
  bool stops(uint32_t rank) const { return ranks_[rank].is_stopped && ranks_[rank].done == stop_; }
  void enter(uint32_t rank, std::vector<uint32_t>& ready);
  uint32_t next(uint32_t rank) const { return communicators_of_[rank][ranks_[rank].done % phases_]; }

  std::vector<std::vector<uint32_t>> communicators_of_;
  size_t phases_;
  uint32_t ranks_of_node_;
  std::vector<Rank> ranks_;
  std::vector<Communicator> communicators_;
  Kind kind_ = Kind::kMissingEnter;
  uint64_t step_, stop_ = 0, steps_ = 0;  // stop_: the collective of a rank before or in which it stops
  std::vector<uint32_t> stopped_;
};

}  // namespace ingero::fleet::simulate
