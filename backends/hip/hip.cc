// The HIP backend: one library and what its codes mean.
#include "backends/hip/amdgpu.h"
#include "backends/hip/meanings.h"
#include "backends/hip/rows.h"
#include "backends/hip/status.h"
#include "hal/slow_settings.h"
#include "hal/visible_devices.h"

namespace ingero::backends::hip {
namespace {

constexpr uint16_t kSource = 10;

// hipMemoryType from 6.0 on, by code: unregistered, host, device, managed, then array and unified.
constexpr Place kPlaces[] = {Place::kUnknown, Place::kHost,    Place::kDevice,  Place::kEither,
                             Place::kUnknown, Place::kUnknown, Place::kUnknown, Place::kUnknown,
                             Place::kUnknown, Place::kUnknown, Place::kDevice,  Place::kEither};

constexpr int64_t kNotFailures[] = {600};  // hipErrorNotReady: a query found work pending

constexpr std::string_view kSonames[] = {"libamdhip64.so*"};

constexpr Library kLibraries[] = {
    {.name = "libamdhip64",
     .sonames = kSonames,
     .rows = kRows,
     .layer = "HIP",
     .source = kSource,
     .starts_on_first_device = true},
};

// ROCm, "GPU isolation techniques". HIP reads its own variable, and CUDA's where that one is not set; of
// GPU_DEVICE_ORDINAL the page says that HIP reads it, and its sources do not.
constexpr hal::VisibleList kVisible[] = {
    {.variable = "ROCR_VISIBLE_DEVICES"},
    {.variable = "GPU_DEVICE_ORDINAL", .empty_hides_all = false, .is_doubtful = true},
    {.variable = "HIP_VISIBLE_DEVICES", .empty_hides_all = false},
    {.variable = "CUDA_VISIBLE_DEVICES", .only_without = "HIP_VISIBLE_DEVICES", .empty_hides_all = false},
};
constexpr hal::DeviceNaming kNaming{.lists = kVisible, .uuid_prefix = "GPU-", .uuid_length = 20};

constexpr std::string_view kSmi[] = {"rocm-smi", "--showallinfo"};
constexpr Diagnostic kDiagnostics[] = {
    {.name = "rocm-smi.txt", .command = kSmi},
    {.name = "amdgpu-version.txt", .path = "/sys/module/amdgpu/version"},
};

// HIP's documentation, "Debugging with HIP".
constexpr SlowSetting kSettings[] = {
    {"HIP_LAUNCH_BLOCKING", TimeClass::kSubmit, "each launch waits for its work", {}, false, true},
    // Bit 0: before a kernel is enqueued, what came before is waited for; bit 1: behind it, the kernel itself.
    {"AMD_SERIALIZE_KERNEL", TimeClass::kSubmit, "kernels run one after the other, and launches wait for them", "1,2,3",
     false, true, "2,3"},
    {"AMD_SERIALIZE_COPY", TimeClass::kSubmit, "copies run one after the other"},
};

}  // namespace

extern const Backend kBackend;
constexpr Backend kBackend{.name = "hip",
                           .vendor = "amd",
                           .libraries = kLibraries,
                           .directions = kCopyDirections,
                           .statuses = kStatuses,
                           .meanings = kMeanings,
                           .slow_settings = kSettings,
                           .places = kPlaces,
                           .not_failures = kNotFailures,
                           .device_naming = &kNaming,
                           .open_devices = open_amdgpu,
                           .kernel_log_error = amdgpu_error_of,
                           .diagnostics = kDiagnostics};

}  // namespace ingero::backends::hip
