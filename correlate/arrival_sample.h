// A sample of one rank's collectives, which all ranks of a communicator choose alike: when it entered each, and when it
// left it.
//
// H1  Whether a collective is in the sample follows from its communicator and number alone: its level is the number of
//     times that 2 divides their hash, and a window's sample are those of at least the lowest level that leaves no
//     more than its limit. Ranks whose limits or windows differ choose samples of which one is in the other.
// H2  A collective is given once: with the window in which it was entered, or the next one where the rank had not left
//     it by then; when it left it is absent where it had not left it by then either.
//
// Pure; one thread; bounded by the limit for each window. Times in wall nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "hal/event.h"

namespace ingero::correlate {

struct SampledArrival {
  uint64_t communicator_id = 0;  // Communicator::id
  uint64_t number = 0;           // of the collective
  uint64_t entered_ns = 0;
  std::optional<uint64_t> left_ns;  // when a synchronisation that covered it ended
  hal::CallId call = hal::kNoCall;
  uint64_t bytes = 0;
};

class ArrivalSample {
 public:
  static constexpr size_t kMaxArrivals = 10;  // of a rank and window
  static constexpr uint64_t kManyRanks = 256;

  // `communicator`: what all of its ranks call it.
  static unsigned level_of(uint64_t communicator, uint64_t number);
  // By the size of the rank's largest communicator: fewer in large ones, since a cluster receives those of all.
  static size_t limit_of(uint64_t nranks);

  // `window`: its start.
  void enter(uint64_t window, unsigned level, size_t limit, const SampledArrival& arrival);
  // The rank has left that collective and all before it.
  void leave(uint64_t communicator_id, uint64_t number, uint64_t left_ns);
  // What the numbers of this communicator were is not known any more.
  void forget(uint64_t communicator_id);
  // Those on a communicator to be given with the window that began then. `all`: none will be left later.
  std::vector<SampledArrival> take(uint64_t communicator_id, uint64_t window, uint64_t period_ns, bool all);

 private:
  struct One {
    unsigned level;
    SampledArrival arrival;
  };
  struct Window {
    unsigned level = 0;  // the lowest that is taken
    std::vector<One> sample;
  };
  std::map<uint64_t, Window> windows_;
};

}  // namespace ingero::correlate
