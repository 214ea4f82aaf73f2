// The HIP backend: a first set of rows of the runtime, enough to trace what a program launches, moves and waits for.
//
// The runtime's exports are thin wrappers over a dispatch table, so a probe fires once per call of the application and
// not for the runtime's own. _spt twins are the per-thread default stream.
#include "backends/hip/amdgpu.h"
#include "backends/hip/status.h"
#include "hal/shapes.h"

namespace ingero::backends::hip {

using namespace hal;  // NOLINT(google-build-using-namespace): a table in the words of the model

namespace {

constexpr uint16_t kSource = 10;  // the first id after those of compat.md 2.1

constexpr Param kLaunchCooperative[] = {param::kFunction, param::kGrid,          param::kBlock,
                                        param::kSkip,     param::kSharedBytes32, param::kStream};
// The launch shape, then start event, stop event and flags.
constexpr Param kLaunchTimed[] = {param::kFunction, param::kGrid, param::kBlock, param::kSkip,  param::kSharedBytes,
                                  param::kStream,   param::kSkip, param::kSkip,  param::kSkip32};
// Sizes are work-items, not blocks.
constexpr Param kThreadsX{Abi::kI32, Field::kThreadsX};
constexpr Param kThreadsY{Abi::kI32, Field::kThreadsY};
constexpr Param kThreadsZ{Abi::kI32, Field::kThreadsZ};
constexpr Param kLaunchWorkItems[] = {
    param::kFunction,    kThreadsX,      kThreadsY,    kThreadsZ,    param::kBlockX, param::kBlockY, param::kBlockZ,
    param::kSharedBytes, param::kStream, param::kSkip, param::kSkip, param::kSkip,   param::kSkip,   param::kSkip32};

// clang-format off
constexpr Row kRows[] = {
    // Launches.
    {.name = "hipLaunchKernel", .kind = Kind::kLaunch, .shape = shape::kLaunch, .twins = kSpt, .flags = kAsync},
    {.name = "hipExtLaunchKernel", .kind = Kind::kLaunch, .shape = kLaunchTimed, .flags = kAsync},
    {.name = "hipLaunchCooperativeKernel", .kind = Kind::kLaunch, .shape = kLaunchCooperative, .twins = kSpt,
     .flags = kAsync},
    {.name = "hipModuleLaunchKernel", .kind = Kind::kLaunch, .shape = shape::kLaunchHandle, .flags = kAsync},
    {.name = "hipExtModuleLaunchKernel", .kind = Kind::kLaunch, .shape = kLaunchWorkItems,
     .flags = kAsync | kMangledTwins},

    // Memory.
    {.name = "hipMalloc", .kind = Kind::kAlloc, .shape = shape::kAlloc},
    {.name = "hipMallocManaged", .kind = Kind::kAlloc, .shape = shape::kAllocFlags},
    {.name = "hipHostMalloc", .kind = Kind::kAlloc, .shape = shape::kAllocFlags},
    {.name = "hipMallocAsync", .kind = Kind::kAlloc, .shape = shape::kAllocAsync, .flags = kAsync},
    {.name = "hipFree", .kind = Kind::kFree, .shape = shape::kFree},
    {.name = "hipHostFree", .kind = Kind::kFree, .shape = shape::kFree},
    {.name = "hipFreeAsync", .kind = Kind::kFree, .shape = shape::kFreeAsync, .flags = kAsync},

    // Copies.
    {.name = "hipMemcpy", .kind = Kind::kMemcpy, .shape = shape::kCopyDirected, .twins = kSpt,
     .flags = kSynchronising},
    {.name = "hipMemcpyAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyDirectedAsync, .twins = kSpt,
     .flags = kAsync},
    {.name = "hipMemcpyWithStream", .kind = Kind::kMemcpy, .shape = shape::kCopyDirectedAsync,
     .flags = kSynchronising},
    {.name = "hipMemcpy2D", .kind = Kind::kMemcpy, .shape = shape::kCopy2D, .twins = kSpt, .flags = kSynchronising},
    {.name = "hipMemcpyHtoD", .kind = Kind::kMemcpy, .shape = shape::kCopy, .flags = kSynchronising,
     .direction = Direction::kHostToDevice},
    {.name = "hipMemcpyDtoH", .kind = Kind::kMemcpy, .shape = shape::kCopy, .flags = kSynchronising,
     .direction = Direction::kDeviceToHost},
    {.name = "hipMemcpyDtoD", .kind = Kind::kMemcpy, .shape = shape::kCopy, .direction = Direction::kDeviceToDevice},
    {.name = "hipMemset", .kind = Kind::kMemset, .shape = shape::kSet, .twins = kSpt},
    {.name = "hipMemsetAsync", .kind = Kind::kMemset, .shape = shape::kSetAsync, .twins = kSpt, .flags = kAsync},

    // Waits, streams, events, graphs.
    {.name = "hipStreamSynchronize", .kind = Kind::kSync, .shape = shape::kStreamOnly, .twins = kSpt,
     .flags = kSynchronising},
    {.name = "hipDeviceSynchronize", .kind = Kind::kSync, .shape = shape::kNothing, .flags = kSynchronising},
    {.name = "hipEventSynchronize", .kind = Kind::kSync, .shape = shape::kHandleOnly, .flags = kSynchronising},
    {.name = "hipStreamCreate", .kind = Kind::kStream, .shape = shape::kStreamCreate},
    {.name = "hipStreamCreateWithFlags", .kind = Kind::kStream, .shape = shape::kStreamCreateFlags},
    {.name = "hipStreamDestroy", .kind = Kind::kStream, .shape = shape::kStreamOnly},
    {.name = "hipStreamQuery", .kind = Kind::kStream, .shape = shape::kStreamOnly, .twins = kSpt, .flags = kPolled},
    {.name = "hipStreamWaitEvent", .kind = Kind::kEvent, .shape = shape::kStreamWaitEvent, .twins = kSpt,
     .flags = kAsync},
    {.name = "hipEventCreate", .kind = Kind::kEvent, .shape = shape::kHandleCreate},
    {.name = "hipEventCreateWithFlags", .kind = Kind::kEvent, .shape = shape::kHandleCreateFlags},
    {.name = "hipEventRecord", .kind = Kind::kEvent, .shape = shape::kHandleOnStream, .twins = kSpt, .flags = kAsync},
    {.name = "hipEventQuery", .kind = Kind::kEvent, .shape = shape::kHandleOnly, .flags = kPolled},
    {.name = "hipEventDestroy", .kind = Kind::kEvent, .shape = shape::kHandleOnly},
    {.name = "hipGraphLaunch", .kind = Kind::kGraph, .shape = shape::kHandleOnStream, .twins = kSpt, .flags = kAsync},

    // Devices and code.
    {.name = "hipSetDevice", .kind = Kind::kDevice, .shape = shape::kDeviceOnly},
    {.name = "hipGetDevice", .kind = Kind::kDevice, .shape = shape::kDeviceGet, .flags = kPolled},
    {.name = "hipGetDeviceCount", .kind = Kind::kDevice, .shape = shape::kCountGet},
    {.name = "hipModuleLoadData", .kind = Kind::kModule, .shape = shape::kLoad},
    {.name = "hipModuleUnload", .kind = Kind::kModule, .shape = shape::kHandleOnly},
    {.name = "hipModuleGetFunction", .kind = Kind::kModule, .shape = shape::kLookUpFunction, .flags = kRegistersName},
    {.name = "__hipRegisterFunction", .kind = Kind::kModule, .shape = shape::kRegisterFunction,
     .flags = kRegistersName, .returns = Returns::kVoid},
};
// clang-format on

constexpr int64_t kNotFailures[] = {600};  // hipErrorNotReady: a query found work pending

constexpr std::string_view kSonames[] = {"libamdhip64.so*"};

constexpr Library kLibraries[] = {
    {.name = "libamdhip64", .sonames = kSonames, .rows = kRows, .layer = "HIP", .source = kSource},
};

// enum hipMemcpyKind
Direction direction_of(uint64_t code) {
  switch (code) {
    case 0:
      return Direction::kHostToHost;
    case 1:
      return Direction::kHostToDevice;
    case 2:
      return Direction::kDeviceToHost;
    case 3:
      return Direction::kDeviceToDevice;
    case 4:
      return Direction::kDefault;
    default:
      return Direction::kUnknown;
  }
}

}  // namespace

extern const Backend kBackend;
constexpr Backend kBackend{.name = "hip",
                           .vendor = "amd",
                           .libraries = kLibraries,
                           .direction_of = direction_of,
                           .status_name = status_name,
                           .not_failures = kNotFailures,
                           .open_devices = open_amdgpu,
                           .kernel_log_error = amdgpu_error_of};

}  // namespace ingero::backends::hip
