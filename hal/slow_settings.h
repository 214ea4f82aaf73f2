// Environment variables that are known to slow or serialize the work of a program, by the class of time in which their
// effect is seen. The only ones of a traced process's environment, besides its rank and job, that are recorded.
//
// Sources: NVIDIA's CUDA C++ Programming Guide (environment variables), AMD's HIP documentation (debugging), NCCL's
// user guide (environment variables), PyTorch's documentation (CUDA environment variables). Constants only.
#pragma once

#include <string_view>

#include "hal/time_class.h"

namespace ingero::hal {

struct SlowSetting {
  std::string_view name;
  TimeClass shows_in;
  std::string_view effect;  // the rest of a sentence
};

inline constexpr SlowSetting kSlowSettings[] = {
    {"CUDA_LAUNCH_BLOCKING", TimeClass::kSubmit, "each launch waits for its work"},
    {"HIP_LAUNCH_BLOCKING", TimeClass::kSubmit, "each launch waits for its work"},
    {"AMD_SERIALIZE_KERNEL", TimeClass::kSubmit, "kernels run one after the other"},
    {"AMD_SERIALIZE_COPY", TimeClass::kSubmit, "copies run one after the other"},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", TimeClass::kAllocate, "each tensor is allocated anew"},
    {"NCCL_P2P_DISABLE", TimeClass::kCommunication, "ranks of a host do not exchange data directly"},
    {"NCCL_SHM_DISABLE", TimeClass::kCommunication, "ranks of a host do not exchange data through shared memory"},
    {"NCCL_IB_DISABLE", TimeClass::kCommunication, "ranks of several hosts exchange data over sockets"},
};

}  // namespace ingero::hal
