// The last word of each rank's windows: see rank_places.h.
#include "fleet/server/rank_places.h"

namespace ingero::fleet::server {
namespace {

size_t stack_bytes_of(const RankPlace& place) { return place.activity ? place.activity->stack.size() : 0; }

}  // namespace

void RankPlaces::note(const wire::Window& window, bool with_stack) {
  if (places_.size() >= kMaxRanks && !places_.contains(window.rank)) return;
  RankPlace& place = places_[window.rank];
  stack_bytes_ -= stack_bytes_of(place);
  if (window.pid) place.pid = window.pid;
  if (window.device) place.device = window.device->id;
  place.activity = window.activity;
  if (place.activity && !with_stack) place.activity->stack.clear();
  stack_bytes_ += stack_bytes_of(place);
}

const RankPlace* RankPlaces::find(uint32_t rank) const {
  const auto found = places_.find(rank);
  return found == places_.end() ? nullptr : &found->second;
}

}  // namespace ingero::fleet::server
