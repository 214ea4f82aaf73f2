// The backend of HIP's run-time compiler: a library of its own, and up to ROCm 6 a part of libamdhip64 too.
// Its calls take up to seconds, and its return codes are not the runtime's.
#include "hal/shapes.h"

namespace ingero::backends::hiprtc {

using namespace hal;  // NOLINT(google-build-using-namespace): a table in the words of the model

namespace {

constexpr uint16_t kSource = 14;

// (program*, source, name, number of headers, headers, their names), (program, number of options, options), (program*)
constexpr Param kCreateProgram[] = {param::kOutHandle, param::kSkip, param::kSkip,
                                    param::kSkip32,    param::kSkip, param::kSkip};
constexpr Param kCompileProgram[] = {param::kHandle, param::kSkip32, param::kSkip};
constexpr Param kDestroyProgram[] = {param::kFirstHandle};

constexpr Row kRows[] = {
    {.name = "hiprtcCreateProgram", .kind = Kind::kModule, .shape = kCreateProgram},
    {.name = "hiprtcCompileProgram", .kind = Kind::kModule, .shape = kCompileProgram},
    {.name = "hiprtcDestroyProgram", .kind = Kind::kModule, .shape = kDestroyProgram},
    {.name = "hiprtcLinkCreate", .kind = Kind::kModule, .shape = shape::kLinkCreate},
    {.name = "hiprtcLinkAddData", .kind = Kind::kModule, .shape = shape::kLinkAddData},
    {.name = "hiprtcLinkAddFile", .kind = Kind::kModule, .shape = shape::kLinkAddFile},
    {.name = "hiprtcLinkComplete", .kind = Kind::kModule, .shape = shape::kLinkComplete},
    {.name = "hiprtcLinkDestroy", .kind = Kind::kModule, .shape = shape::kHandleOnly},
};

constexpr std::string_view kSonames[] = {"libhiprtc.so*", "libamdhip64.so*"};

constexpr Library kLibraries[] = {
    {.name = "libhiprtc", .sonames = kSonames, .rows = kRows, .layer = "HIPRTC", .source = kSource},
};

// hiprtcResult, by code.
constexpr StatusName kStatuses[] = {
    {0, "HIPRTC_SUCCESS"},
    {1, "HIPRTC_ERROR_OUT_OF_MEMORY"},
    {2, "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE"},
    {3, "HIPRTC_ERROR_INVALID_INPUT"},
    {4, "HIPRTC_ERROR_INVALID_PROGRAM"},
    {5, "HIPRTC_ERROR_INVALID_OPTION"},
    {6, "HIPRTC_ERROR_COMPILATION"},
    {7, "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE"},
    {8, "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION"},
    {9, "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION"},
    {10, "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID"},
    {11, "HIPRTC_ERROR_INTERNAL_ERROR"},
    {100, "HIPRTC_ERROR_LINKING"},
};

}  // namespace

extern const Backend kBackend;
constexpr Backend kBackend{.name = "hiprtc", .vendor = "amd", .libraries = kLibraries, .statuses = kStatuses};

}  // namespace ingero::backends::hiprtc
