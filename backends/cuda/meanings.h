// What CUDA's return codes of consequence mean, and what to do. Runtime and driver share the numbers.
//
// Which errors leave the context unusable: CUDA Runtime API, "cudaError_t" ("this leaves the process in an inconsistent
// state and any further CUDA work will return the same error").
#pragma once

#include <array>
#include <cstddef>

#include "hal/status_meaning.h"

namespace ingero::backends::cuda {

struct Meaning {
  std::string_view runtime, driver;  // its two names; empty: it has none there
  hal::StatusEffect effect;
  std::string_view meaning, remedy;
};

inline constexpr Meaning kRows[] = {
    {"cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", hal::StatusEffect::kOrdinary,
     "A parameter is out of the range that the call accepts.",
     "Check sizes, pointers and handles of the call at the line shown."},
    {"cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", hal::StatusEffect::kOutOfDeviceMemory,
     "The device has not enough free memory for the allocation.",
     "Use smaller batches, free what is not needed, or see who else has memory of the device (nvidia-smi)."},
    {"cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED", hal::StatusEffect::kFatal,
     "The driver could not be initialised.",
     "Run nvidia-smi: it says whether driver and device work. After fork() a child must not use its parent's context."},
    {"cudaErrorInvalidConfiguration", "", hal::StatusEffect::kOrdinary,
     "The launch asks for more threads or shared memory than the device has.",
     "Reduce the block size or the shared memory of the launch."},
    {"cudaErrorInsufficientDriver", "", hal::StatusEffect::kFatal,
     "The installed driver is older than the CUDA runtime needs.",
     "Update the driver, or use a runtime of the driver's version."},
    {"cudaErrorInvalidDeviceFunction", "", hal::StatusEffect::kOrdinary, "The kernel was not built for this device.",
     "Compile for the device's architecture (nvcc -arch, TORCH_CUDA_ARCH_LIST)."},
    {"cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE", hal::StatusEffect::kFatal, "No device can be used.",
     "Check CUDA_VISIBLE_DEVICES, the container's device access, and nvidia-smi."},
    {"cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", hal::StatusEffect::kOrdinary,
     "The device number does not exist in this process.", "Check the local rank against CUDA_VISIBLE_DEVICES."},
    {"cudaErrorNoKernelImageForDevice", "CUDA_ERROR_NO_BINARY_FOR_GPU", hal::StatusEffect::kOrdinary,
     "The program holds no code for this device.",
     "Compile for the device's architecture (nvcc -arch, TORCH_CUDA_ARCH_LIST)."},
    {"cudaErrorECCUncorrectable", "CUDA_ERROR_ECC_UNCORRECTABLE", hal::StatusEffect::kFatal,
     "Device memory has an error that cannot be corrected.",
     "Look for XID 48, 63, 64 or 94 in the kernel log, reset or drain the device; replace it if it happens again."},
    {"cudaErrorNvlinkUncorrectable", "CUDA_ERROR_NVLINK_UNCORRECTABLE", hal::StatusEffect::kFatal,
     "A link between devices (NVLink) has an error that cannot be corrected.",
     "Run nvidia-smi nvlink -e; reset the devices, and have the link checked."},
    {"cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS", hal::StatusEffect::kFatalLater,
     "A kernel accessed memory that does not exist or is not the device's.",
     "Run the program under compute-sanitizer, or once with CUDA_LAUNCH_BLOCKING=1, to see the kernel. The process "
     "must be restarted."},
    {"cudaErrorLaunchOutOfResources", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", hal::StatusEffect::kOrdinary,
     "The launch needs more registers or shared memory than the device has.",
     "Reduce the block size, or set __launch_bounds__ for the kernel."},
    {"cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT", hal::StatusEffect::kFatalLater,
     "A kernel ran longer than the device's watchdog allows.",
     "Split the kernel, or use a device without a display. The process must be restarted."},
    {"cudaErrorContextIsDestroyed", "CUDA_ERROR_CONTEXT_IS_DESTROYED", hal::StatusEffect::kFatal,
     "The context was destroyed: by an earlier error, or by the program.",
     "Look for the first error of the process; at exit, destroy objects before the runtime is unloaded."},
    {"cudaErrorAssert", "CUDA_ERROR_ASSERT", hal::StatusEffect::kFatalLater, "A kernel's assertion failed.",
     "Read the assertion on the program's standard error. Often an index is out of range (labels of a loss, an "
     "embedding). The process must be restarted."},
    {"cudaErrorHardwareStackError", "CUDA_ERROR_HARDWARE_STACK_ERROR", hal::StatusEffect::kFatalLater,
     "A kernel overflowed or corrupted its stack.",
     "Run the program under compute-sanitizer; raise cudaLimitStackSize for deep recursion."},
    {"cudaErrorIllegalInstruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION", hal::StatusEffect::kFatalLater,
     "A kernel ran an instruction that the device does not have.",
     "Compile for the device's architecture; run under compute-sanitizer."},
    {"cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS", hal::StatusEffect::kFatalLater,
     "A kernel accessed memory at an address that is not aligned to its type.",
     "Run the program under compute-sanitizer; check casts to vector types."},
    {"cudaErrorInvalidAddressSpace", "CUDA_ERROR_INVALID_ADDRESS_SPACE", hal::StatusEffect::kFatalLater,
     "A kernel used an address of the wrong address space.", "Run the program under compute-sanitizer."},
    {"cudaErrorInvalidPc", "CUDA_ERROR_INVALID_PC", hal::StatusEffect::kFatalLater,
     "A kernel jumped to an address without code.",
     "Run the program under compute-sanitizer; check function pointers in kernels."},
    {"cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", hal::StatusEffect::kFatalLater,
     "A kernel failed on the device.",
     "Run the program under compute-sanitizer, and look for an XID in the kernel log. The process must be restarted."},
    {"cudaErrorTensorMemoryLeak", "CUDA_ERROR_TENSOR_MEMORY_LEAK", hal::StatusEffect::kFatalLater,
     "A kernel ended without releasing its tensor memory.",
     "Check allocation and release of tensor memory in the kernel."},
    {"cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY", hal::StatusEffect::kFatal,
     "The system is not ready for work on the device.",
     "On machines with NVSwitch start nvidia-fabricmanager in the driver's version."},
    {"cudaErrorSystemDriverMismatch", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", hal::StatusEffect::kFatal,
     "Kernel driver and user library have different versions.",
     "Reboot or reload the driver after an update; in a container mount the host's libcuda."},
    {"cudaErrorCompatNotSupportedOnDevice", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", hal::StatusEffect::kFatal,
     "The forward-compatibility library does not support this device.",
     "Use the driver's own libcuda instead of the compat package."},
    {"cudaErrorMpsConnectionFailed", "CUDA_ERROR_MPS_CONNECTION_FAILED", hal::StatusEffect::kFatal,
     "The MPS server cannot be reached.",
     "Check that nvidia-cuda-mps-control runs as the same user, with the same CUDA_MPS_PIPE_DIRECTORY."},
    {"cudaErrorMpsClientTerminated", "CUDA_ERROR_MPS_CLIENT_TERMINATED", hal::StatusEffect::kFatal,
     "The MPS server ended this client after a fatal error of another one.",
     "Look at the log of the MPS control daemon for the client that failed first."},
    {"cudaErrorStreamCaptureInvalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", hal::StatusEffect::kOrdinary,
     "A call that is not allowed during capture made the capture invalid.",
     "Look at the calls of the thread since the capture began: allocations, synchronisations, the default stream."},
    {"cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", hal::StatusEffect::kFatalLater,
     "The driver failed for an unknown reason.",
     "Look for an XID in the kernel log; restart the process, then the driver."},
};

constexpr size_t count_names() {
  size_t names = 0;
  for (const Meaning& row : kRows) names += (row.runtime.empty() ? 0 : 1) + (row.driver.empty() ? 0 : 1);
  return names;
}

inline constexpr auto kMeanings = [] {
  std::array<hal::StatusMeaning, count_names()> all{};
  size_t next = 0;
  for (const Meaning& row : kRows) {
    if (!row.runtime.empty()) all[next++] = {row.runtime, row.effect, row.meaning, row.remedy};
    if (!row.driver.empty()) all[next++] = {row.driver, row.effect, row.meaning, row.remedy};
  }
  return all;
}();

}  // namespace ingero::backends::cuda
