// What the return codes of the libraries in shipped manifests (OpenCL, Level Zero) mean, and what to do.
#pragma once

#include "hal/status_meaning.h"

namespace ingero::backends::manifests {

inline constexpr hal::StatusMeaning kMeanings[] = {
    {"CL_MEM_OBJECT_ALLOCATION_FAILURE", hal::StatusEffect::kOutOfDeviceMemory,
     "The device has not enough memory for the object.", "Use smaller buffers, or release what is not needed."},
    {"CL_OUT_OF_RESOURCES", hal::StatusEffect::kFatalLater,
     "The device ran out of resources; many drivers report a kernel's invalid memory access with it, too.",
     "Check the kernel's indices, then its use of registers and local memory."},
    {"CL_OUT_OF_HOST_MEMORY", hal::StatusEffect::kOrdinary, "The driver ran out of host memory.",
     "Look at the memory limit of the process."},
    {"CL_BUILD_PROGRAM_FAILURE", hal::StatusEffect::kOrdinary, "A program did not compile.",
     "Read the build log (clGetProgramBuildInfo)."},
    {"CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", hal::StatusEffect::kFatalLater,
     "Work that this waits for failed on the device.", "Look for the command that failed first."},
    {"CL_INVALID_COMMAND_QUEUE", hal::StatusEffect::kFatal,
     "The queue does not exist, or an earlier error made it invalid.", "Look for the first error of the process."},
    {"CL_INVALID_WORK_GROUP_SIZE", hal::StatusEffect::kOrdinary,
     "The work-group size does not fit the kernel or the device.",
     "Ask CL_KERNEL_WORK_GROUP_SIZE, or leave the local size to the driver."},
    {"CL_INVALID_BUFFER_SIZE", hal::StatusEffect::kOrdinary,
     "The size of a buffer is zero, or above the device's limit.", "Ask CL_DEVICE_MAX_MEM_ALLOC_SIZE."},
    {"ZE_RESULT_ERROR_DEVICE_LOST", hal::StatusEffect::kFatalLater,
     "The device was lost: it hung, was reset or was removed.",
     "Look at the kernel log for a reset of the device. The process must be restarted."},
    {"ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY", hal::StatusEffect::kOrdinary, "The driver ran out of host memory.",
     "Look at the memory limit of the process."},
    {"ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", hal::StatusEffect::kOutOfDeviceMemory,
     "The device has not enough free memory for the allocation.", "Use smaller batches, or free what is not needed."},
    {"ZE_RESULT_ERROR_MODULE_BUILD_FAILURE", hal::StatusEffect::kOrdinary, "A module did not compile.",
     "Read the build log (zeModuleBuildLogGetString)."},
    {"ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET", hal::StatusEffect::kFatal,
     "The device must be reset before it can be used.", "Reset the device, or reboot."},
    {"ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS", hal::StatusEffect::kFatal,
     "The process has no right to use the device.", "Check the rights on /dev/dri (group render)."},
    {"ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE", hal::StatusEffect::kFatal,
     "A library or driver that this needs is missing.", "Install the compute runtime of the device's driver."},
    {"ZE_RESULT_ERROR_UNINITIALIZED", hal::StatusEffect::kFatal, "The driver is not initialised.",
     "Check that a driver for the device is installed, and that zeInit succeeds."},
    {"ZE_RESULT_ERROR_UNKNOWN", hal::StatusEffect::kFatalLater, "The driver failed for an unknown reason.",
     "Look at the kernel log. The process must be restarted."},
};

}  // namespace ingero::backends::manifests
