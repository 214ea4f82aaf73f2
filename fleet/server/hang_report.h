// A hang as JSON and as a sentence: what incidents and the tool of hangs show. Pure.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "fleet/detect/hangs.h"

namespace ingero::fleet::server {

using NodeName = std::function<const std::string&(uint32_t node)>;

// "ranks 5 and 9 have not come to collective 88121 (AllReduce); 16382 ranks wait". Names of nodes are printable.
std::string sentence_of(const detect::Hang& hang, const NodeName& node_name);
// At most kMaxListed ranks, and how many there are.
Json evidence_of(const detect::Hang& hang, const NodeName& node_name);

inline constexpr size_t kMaxListed = 64;

}  // namespace ingero::fleet::server
