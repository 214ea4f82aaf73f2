// From the vendors' manuals: CUDA, HIP and ROCr, NCCL and RCCL, oneAPI Level Zero, OpenCL's loader.
#include "backends/variables.h"

namespace ingero::backends {

std::span<const std::string_view> variable_beginnings() {
  static constexpr std::string_view kBeginnings[] = {"AMD_",    "CUDA_", "GPU_",  "HIP_",  "HSA_", "NCCL_",
                                                     "NVIDIA_", "OCL_",  "RCCL_", "ROCR_", "ZE_"};
  return kBeginnings;
}

}  // namespace ingero::backends
