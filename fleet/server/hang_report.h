// A hang as JSON and as a sentence: what incidents and the tool of hangs show. Pure.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "fleet/detect/hangs.h"
#include "fleet/server/rank_places.h"

namespace ingero::fleet::server {

using NodeName = std::function<const std::string&(uint32_t node)>;

// "rank 5 on gpu-01 has not come to collective 88121 (AllReduce); 16383 ranks wait; it sleeps, in load_batch() at
// train.py:61, and has made no GPU call since 2026-11-28T14:02:31Z". Names of nodes are printable.
std::string sentence_of(const detect::Hang& hang, const NodeName& node_name, const RankPlaces& places);
// At most kMaxListed ranks, and how many there are.
Json evidence_of(const detect::Hang& hang, const NodeName& node_name, const RankPlaces& places);

inline constexpr size_t kMaxListed = 64;

}  // namespace ingero::fleet::server
