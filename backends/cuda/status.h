// Names of CUDA's return codes. Runtime and driver share the numbers and not the names.
#pragma once

#include <cstdint>
#include <string_view>

namespace ingero::backends::cuda {

// "cudaErrorMemoryAllocation" for 2; empty for a code not known here. Pure; thread-safe.
std::string_view runtime_status_name(int64_t code);
// "CUDA_ERROR_OUT_OF_MEMORY" for 2.
std::string_view driver_status_name(int64_t code);

}  // namespace ingero::backends::cuda
