// Steps, workloads and model servers as SQL (schema step 25).
#pragma once

#include <string>

namespace ingero::store {

std::string inference_tables();

}  // namespace ingero::store
