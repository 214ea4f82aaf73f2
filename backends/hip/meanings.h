// What HIP's return codes of consequence mean, and what to do.
#pragma once

#include "hal/status_meaning.h"

namespace ingero::backends::hip {

inline constexpr hal::StatusMeaning kMeanings[] = {
    {"hipErrorInvalidValue", hal::StatusEffect::kOrdinary, "A parameter is out of the range that the call accepts.",
     "Check sizes, pointers and handles of the call at the line shown."},
    {"hipErrorOutOfMemory", hal::StatusEffect::kOutOfDeviceMemory,
     "The device has not enough free memory for the allocation.",
     "Use smaller batches, free what is not needed, or see who else has memory of the device (rocm-smi)."},
    {"hipErrorNotInitialized", hal::StatusEffect::kFatal, "The runtime could not be initialised.",
     "Run rocminfo, and check the rights on /dev/kfd and /dev/dri (groups render and video)."},
    {"hipErrorInsufficientDriver", hal::StatusEffect::kFatal, "The installed driver is older than the runtime needs.",
     "Update the amdgpu driver, or use an older ROCm."},
    {"hipErrorPriorLaunchFailure", hal::StatusEffect::kFatalLater, "An earlier launch failed.",
     "Look for the first error of the process; run once with AMD_SERIALIZE_KERNEL=3 to see the kernel."},
    {"hipErrorInvalidDeviceFunction", hal::StatusEffect::kOrdinary, "The kernel was not built for this device.",
     "Compile for the device's architecture (--offload-arch, PYTORCH_ROCM_ARCH)."},
    {"hipErrorNoDevice", hal::StatusEffect::kFatal, "No device can be used.",
     "Check HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES, the rights on /dev/kfd, and rocminfo."},
    {"hipErrorInvalidDevice", hal::StatusEffect::kOrdinary, "The device number does not exist in this process.",
     "Check the local rank against HIP_VISIBLE_DEVICES."},
    {"hipErrorNoBinaryForGpu", hal::StatusEffect::kOrdinary, "The program holds no code for this device.",
     "Compile for the device's architecture (--offload-arch, PYTORCH_ROCM_ARCH)."},
    {"hipErrorECCNotCorrectable", hal::StatusEffect::kFatal, "Device memory has an error that cannot be corrected.",
     "Look for RAS errors in the kernel log (rocm-smi --showrasinfo); reset or replace the device."},
    {"hipErrorIllegalAddress", hal::StatusEffect::kFatalLater,
     "A kernel accessed memory that does not exist or is not the device's.",
     "Run once with AMD_SERIALIZE_KERNEL=3, or under rocgdb, to see the kernel. The process must be restarted."},
    {"hipErrorLaunchTimeOut", hal::StatusEffect::kFatalLater, "A kernel ran longer than the driver allows.",
     "Split the kernel; look for a reset of the device in the kernel log."},
    {"hipErrorContextIsDestroyed", hal::StatusEffect::kFatal,
     "The context was destroyed: by an earlier error, or by the program.", "Look for the first error of the process."},
    {"hipErrorAssert", hal::StatusEffect::kFatalLater, "A kernel's assertion failed.",
     "Read the assertion on the program's standard error. The process must be restarted."},
    {"hipErrorLaunchFailure", hal::StatusEffect::kFatalLater, "A kernel failed on the device.",
     "Look at the kernel log for a page fault or a reset, and run once with AMD_SERIALIZE_KERNEL=3. The process must "
     "be restarted."},
    {"hipErrorStreamCaptureInvalidated", hal::StatusEffect::kOrdinary,
     "A call that is not allowed during capture made the capture invalid.",
     "Look at the calls of the thread since the capture began."},
    {"hipErrorUnknown", hal::StatusEffect::kFatalLater, "The runtime failed for an unknown reason.",
     "Look at the kernel log; run with AMD_LOG_LEVEL=3."},
    {"hipErrorRuntimeMemory", hal::StatusEffect::kFatal, "The runtime below HIP failed to get or use memory.",
     "Look at the kernel log; check memory limits of the container."},
    {"hipErrorRuntimeOther", hal::StatusEffect::kFatal, "The runtime below HIP failed.",
     "Look at the kernel log; run with AMD_LOG_LEVEL=3."},
};

}  // namespace ingero::backends::hip
