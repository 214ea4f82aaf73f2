// The CUDA backend: two libraries and what their codes mean.
#include "backends/cuda/driver_rows.h"
#include "backends/cuda/meanings.h"
#include "backends/cuda/nvml.h"
#include "backends/cuda/runtime_rows.h"
#include "backends/cuda/status.h"
#include "backends/cuda/xid.h"
#include "hal/slow_settings.h"
#include "hal/visible_devices.h"

namespace ingero::backends::cuda {
namespace {

// CUmemorytype, by code: host, device, array, unified.
constexpr Place kPlaces[] = {Place::kUnknown, Place::kHost, Place::kDevice, Place::kDevice, Place::kEither};

constexpr int64_t kNotFailures[] = {600};  // cudaErrorNotReady, CUDA_ERROR_NOT_READY: a query found work pending

constexpr std::string_view kRuntimeSonames[] = {"libcudart.so*"};
constexpr std::string_view kRuntimeAnchors[] = {"cudaLaunchKernel", "__cudaRegisterFatBinary"};
constexpr std::string_view kRuntimeSections[] = {".nvFatBinSegment"};
constexpr std::string_view kDriverSonames[] = {"libcuda.so*"};

constexpr Library kLibraries[] = {
    {.name = "libcudart",
     .sonames = kRuntimeSonames,
     .rows = kRuntimeRows,
     .layer = "CUDA",
     .source = 1,
     .in_executables = true,
     .anchors = kRuntimeAnchors,
     .sections = kRuntimeSections,
     .statuses = kRuntimeStatuses,
     .starts_on_first_device = true},
    {.name = "libcuda",
     .sonames = kDriverSonames,
     .rows = kDriverRows,
     .layer = "DRIVER",
     .source = 4,
     .statuses = kDriverStatuses,
     .below_runtime = true},
};

// CUDA C++ Programming Guide, "CUDA Environment Variables"; the first is the container toolkit's.
constexpr hal::VisibleList kVisible[] = {
    {.variable = "NVIDIA_VISIBLE_DEVICES", .of_container = true},
    {.variable = "CUDA_VISIBLE_DEVICES"},
};
constexpr hal::DeviceNaming kNaming{.lists = kVisible,
                                    .order_variable = "CUDA_DEVICE_ORDER",
                                    .order_by_bus = "PCI_BUS_ID",
                                    .uuid_prefix = "GPU-",
                                    .uuid_length = 40,
                                    .partition_prefix = "MIG-"};

// The names that existing readers of support bundles know.
constexpr std::string_view kSmi[] = {"nvidia-smi"};
constexpr std::string_view kSmiQuery[] = {
    "nvidia-smi", "--query-gpu=index,uuid,name,driver_version,pci.bus_id,memory.total,memory.used,utilization.gpu",
    "--format=csv"};
constexpr Diagnostic kDiagnostics[] = {
    {.name = "nvidia-smi.txt", .command = kSmi},
    {.name = "nvidia-smi-query.csv", .command = kSmiQuery},
    {.name = "nvidia-driver-version.txt", .path = "/proc/driver/nvidia/version"},
};

// CUDA C++ Programming Guide and PyTorch's documentation, "CUDA Environment Variables".
constexpr SlowSetting kSettings[] = {
    {"CUDA_LAUNCH_BLOCKING", TimeClass::kSubmit, "each launch waits for its work", {}, false, true},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", TimeClass::kAllocate, "each tensor is allocated anew"},
};

// Of libcuda.so, seen with drivers 580.159.03 and .04: it waits for the device, runs cuLaunchHostFunc()'s functions and
// wakes who waits. XLA waits for it in place of synchronising.
constexpr std::string_view kCompletionThreads[] = {"cuda-EvtHandlr"};

}  // namespace

extern const Backend kBackend;
constexpr Backend kBackend{.name = "cuda",
                           .vendor = "nvidia",
                           .libraries = kLibraries,
                           .directions = kCopyDirections,
                           .statuses = kRuntimeStatuses,
                           .meanings = kMeanings,
                           .slow_settings = kSettings,
                           .completion_threads = kCompletionThreads,
                           .places = kPlaces,
                           .not_failures = kNotFailures,
                           .device_naming = &kNaming,
                           .open_devices = open_nvml,
                           .kernel_log_error = xid_of,
                           .diagnostics = kDiagnostics};

}  // namespace ingero::backends::cuda
