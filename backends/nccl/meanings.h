// What the return codes of NCCL and RCCL mean, and what to do.
#pragma once

#include "hal/status_meaning.h"

namespace ingero::backends::nccl {

inline constexpr hal::StatusMeaning kMeanings[] = {
    {"ncclUnhandledCudaError", hal::StatusEffect::kFatalLater,
     "A call to the device's runtime failed inside the library.",
     "Look for the first error of the device's runtime in this process: the library only reports it."},
    {"ncclSystemError", hal::StatusEffect::kFatal,
     "A system call failed inside the library: network, shared memory or memory limits.",
     "Run once with NCCL_DEBUG=WARN to see which; check /dev/shm, ulimit -l and the network interface "
     "(NCCL_SOCKET_IFNAME)."},
    {"ncclInternalError", hal::StatusEffect::kFatal,
     "The library failed internally; after an error of the device or the network, too.",
     "Run once with NCCL_DEBUG=WARN to see what failed."},
    {"ncclInvalidArgument", hal::StatusEffect::kOrdinary, "A parameter of the call is wrong.",
     "Check counts, types, root and pointers."},
    {"ncclInvalidUsage", hal::StatusEffect::kOrdinary, "The call was made in a wrong way.",
     "Run once with NCCL_DEBUG=WARN. Two ranks on one device are a common reason."},
    {"ncclRemoteError", hal::StatusEffect::kFatal,
     "Another rank, or the network to it, failed: this rank is not the cause.",
     "Look for the rank that failed or ended first."},
};

}  // namespace ingero::backends::nccl
