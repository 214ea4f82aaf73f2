// The HIP backend: one library and what its codes mean.
#include "backends/hip/amdgpu.h"
#include "backends/hip/rows.h"
#include "backends/hip/status.h"

namespace ingero::backends::hip {
namespace {

constexpr uint16_t kSource = 10;  // the first id after those of compat.md 2.1

// hipMemoryType from 6.0 on, by code: unregistered, host, device, managed, then array and unified.
constexpr Place kPlaces[] = {Place::kUnknown, Place::kHost,    Place::kDevice,  Place::kEither,
                             Place::kUnknown, Place::kUnknown, Place::kUnknown, Place::kUnknown,
                             Place::kUnknown, Place::kUnknown, Place::kDevice,  Place::kEither};

constexpr int64_t kNotFailures[] = {600};  // hipErrorNotReady: a query found work pending

constexpr std::string_view kSonames[] = {"libamdhip64.so*"};

constexpr Library kLibraries[] = {
    {.name = "libamdhip64", .sonames = kSonames, .rows = kRows, .layer = "HIP", .source = kSource},
};

constexpr std::string_view kSmi[] = {"rocm-smi", "--showallinfo"};
constexpr Diagnostic kDiagnostics[] = {
    {.name = "rocm-smi.txt", .command = kSmi},
    {.name = "amdgpu-version.txt", .path = "/sys/module/amdgpu/version"},
};

}  // namespace

extern const Backend kBackend;
constexpr Backend kBackend{.name = "hip",
                           .vendor = "amd",
                           .libraries = kLibraries,
                           .directions = kCopyDirections,
                           .statuses = kStatuses,
                           .places = kPlaces,
                           .not_failures = kNotFailures,
                           .open_devices = open_amdgpu,
                           .kernel_log_error = amdgpu_error_of,
                           .diagnostics = kDiagnostics};

}  // namespace ingero::backends::hip
