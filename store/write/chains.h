// Causal chains as rows of causal_chains. Private to store/write.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hal/chain.h"
#include "store/db/sqlite.h"

namespace ingero::store {

// Inside the writer's transaction; a chain whose id is there already takes that row's place. `node` begins their ids.
Status write_chains(Database& database, const std::string& node, const std::vector<hal::CausalChain>& chains);

}  // namespace ingero::store
