// The CUDA backend: two libraries and what their codes mean.
#include "backends/cuda/driver_rows.h"
#include "backends/cuda/nvml.h"
#include "backends/cuda/runtime_rows.h"
#include "backends/cuda/status.h"
#include "backends/cuda/xid.h"

namespace ingero::backends::cuda {
namespace {

// enum cudaMemcpyKind
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

// CUmemorytype: host, device, array, unified
Place place_of(uint64_t code) {
  switch (code) {
    case 1:
      return Place::kHost;
    case 2:
    case 3:
      return Place::kDevice;
    case 4:
      return Place::kEither;
    default:
      return Place::kUnknown;
  }
}

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
     .status_name = runtime_status_name},
    {.name = "libcuda",
     .sonames = kDriverSonames,
     .rows = kDriverRows,
     .layer = "DRIVER",
     .source = 4,
     .status_name = driver_status_name},
};

}  // namespace

extern const Backend kBackend;
constexpr Backend kBackend{.name = "cuda",
                           .vendor = "nvidia",
                           .libraries = kLibraries,
                           .direction_of = direction_of,
                           .status_name = runtime_status_name,
                           .place_of = place_of,
                           .not_failures = kNotFailures,
                           .open_devices = open_nvml,
                           .kernel_log_error = xid_of};

}  // namespace ingero::backends::cuda
