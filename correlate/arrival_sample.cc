// Chooses by a hash, and lets go the lowest level where there are too many: see arrival_sample.h.
#include "correlate/arrival_sample.h"

#include <algorithm>
#include <bit>

namespace ingero::correlate {

// (H1) The finalizer of SplitMix64, so that the low bits depend on all others.
unsigned ArrivalSample::level_of(uint64_t communicator, uint64_t number) {
  uint64_t x = communicator ^ (number * 0x9e3779b97f4a7c15ULL);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<unsigned>(std::countr_zero(x ^ (x >> 31)));
}

size_t ArrivalSample::limit_of(uint64_t nranks) {
  return std::clamp<size_t>(kMaxArrivals * kManyRanks / std::max<uint64_t>(1, nranks), 1, kMaxArrivals);
}

void ArrivalSample::enter(uint64_t window, unsigned level, size_t limit, const SampledArrival& arrival) {
  Window& of = windows_[window];
  if (level < of.level) return;
  of.sample.push_back({level, arrival});
  while (of.sample.size() > limit) {
    ++of.level;
    std::erase_if(of.sample, [&](const One& one) { return one.level < of.level; });
  }
}

void ArrivalSample::leave(uint64_t communicator_id, uint64_t number, uint64_t left_ns) {
  for (auto& [start, window] : windows_) {
    for (auto& [level, arrival] : window.sample) {
      const bool is_left = arrival.communicator_id == communicator_id && arrival.number <= number;
      if (is_left && !arrival.left_ns && arrival.entered_ns <= left_ns) arrival.left_ns = left_ns;
    }
  }
}

void ArrivalSample::forget(uint64_t communicator_id) {
  for (auto& [start, window] : windows_) {
    std::erase_if(window.sample, [&](const One& one) { return one.arrival.communicator_id == communicator_id; });
  }
}

// (H2)
std::vector<SampledArrival> ArrivalSample::take(uint64_t communicator_id, uint64_t window, uint64_t period_ns,
                                                bool all) {
  std::vector<SampledArrival> taken;
  for (auto at = windows_.begin(); at != windows_.end() && at->first <= window;) {
    const bool is_late = all || at->first + period_ns <= window;
    std::erase_if(at->second.sample, [&](const One& one) {
      if (one.arrival.communicator_id != communicator_id || (!one.arrival.left_ns && !is_late)) return false;
      taken.push_back(one.arrival);
      return true;
    });
    const bool is_over = at->second.sample.empty() && at->first + 2 * period_ns <= window;
    at = is_over ? windows_.erase(at) : std::next(at);
  }
  return taken;
}

}  // namespace ingero::correlate
