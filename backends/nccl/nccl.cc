// The backend of NVIDIA's collective library and of AMD's, which repeats its interface: NCCL and RCCL.
#include "backends/nccl/rows.h"

namespace ingero::backends::nccl {

namespace {

constexpr uint16_t kNcclSource = 9;
constexpr uint16_t kRcclSource = 12;

constexpr auto kNcclRows = rows::with_shared(rows::kOnlyNccl);
constexpr auto kRcclRows = rows::with_shared(rows::kOnlyRccl);

constexpr std::string_view kNcclSonames[] = {"libnccl.so*"};
constexpr std::string_view kRcclSonames[] = {"librccl.so*"};
// Linked into frameworks' libraries statically.
constexpr std::string_view kAnchors[] = {"ncclCommInitRank"};

constexpr Library kLibraries[] = {
    {.name = "libnccl",
     .sonames = kNcclSonames,
     .rows = kNcclRows,
     .layer = "NCCL",
     .source = kNcclSource,
     .in_executables = true,
     .anchors = kAnchors},
    {.name = "librccl",
     .sonames = kRcclSonames,
     .rows = kRcclRows,
     .layer = "RCCL",
     .source = kRcclSource,
     .vendor = "amd"},
};

// ncclResult_t; ncclInProgress is the answer of a communicator that does not block.
constexpr int64_t kInProgress = 7;
constexpr std::string_view kStatusNames[] = {
    "ncclSuccess",         "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError",
    "ncclInvalidArgument", "ncclInvalidUsage",       "ncclRemoteError", "ncclInProgress",
};
constexpr int64_t kAccepted[] = {kInProgress};

// ncclDataType_t; the last two since 2.24.
struct Type {
  std::string_view name;
  uint32_t bytes;
};
constexpr Type kTypes[] = {
    {"int8", 1},    {"uint8", 1},   {"int32", 4},   {"uint32", 4},   {"int64", 8},      {"uint64", 8},
    {"float16", 2}, {"float32", 4}, {"float64", 8}, {"bfloat16", 2}, {"float8e4m3", 1}, {"float8e5m2", 1},
};

// ncclRedOp_t; codes above are made by ncclRedOpCreatePreMulSum.
constexpr std::string_view kReduceOps[] = {"sum", "prod", "max", "min", "avg"};

std::string_view status_name(int64_t code) {
  return code >= 0 && code < static_cast<int64_t>(std::size(kStatusNames)) ? kStatusNames[code] : std::string_view();
}

uint32_t element_bytes(uint64_t datatype) { return datatype < std::size(kTypes) ? kTypes[datatype].bytes : 0; }

std::string_view datatype_name(uint64_t code) {
  return code < std::size(kTypes) ? kTypes[code].name : std::string_view();
}

std::string_view reduce_op_name(uint64_t code) {
  return code < std::size(kReduceOps) ? kReduceOps[code] : std::string_view();
}

}  // namespace

extern const Backend kBackend;
constexpr Backend kBackend{.name = "nccl",
                           .vendor = "nvidia",
                           .libraries = kLibraries,
                           .status_name = status_name,
                           .not_failures = kAccepted,
                           .accepted = kAccepted,
                           .element_bytes = element_bytes,
                           .datatype_name = datatype_name,
                           .reduce_op_name = reduce_op_name};

}  // namespace ingero::backends::nccl
