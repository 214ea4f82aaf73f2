// The backend of NVIDIA's collective library and of AMD's, which repeats its interface: NCCL and RCCL.
#include "backends/nccl/meanings.h"
#include "backends/nccl/rows.h"
#include "hal/slow_settings.h"

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
constexpr StatusName kStatuses[] = {
    {0, "ncclSuccess"},         {1, "ncclUnhandledCudaError"}, {2, "ncclSystemError"}, {3, "ncclInternalError"},
    {4, "ncclInvalidArgument"}, {5, "ncclInvalidUsage"},       {6, "ncclRemoteError"}, {7, "ncclInProgress"},
};
constexpr int64_t kAccepted[] = {kInProgress};

// ncclDataType_t; the last two since 2.24.
constexpr DataType kTypes[] = {
    {"int8", 1},    {"uint8", 1},   {"int32", 4},   {"uint32", 4},   {"int64", 8},      {"uint64", 8},
    {"float16", 2}, {"float32", 4}, {"float64", 8}, {"bfloat16", 2}, {"float8e4m3", 1}, {"float8e5m2", 1},
};

// ncclRedOp_t; codes above are made by ncclRedOpCreatePreMulSum.
constexpr std::string_view kReduceOps[] = {"sum", "prod", "max", "min", "avg"};

// NCCL User Guide and PyTorch's documentation of torch.distributed, "Environment Variables".
constexpr SlowSetting kSettings[] = {
    {"NCCL_P2P_DISABLE", TimeClass::kCommunication, "ranks of a host do not exchange data directly"},
    {"NCCL_SHM_DISABLE", TimeClass::kCommunication, "ranks of a host do not exchange data through shared memory"},
    {"NCCL_IB_DISABLE", TimeClass::kCommunication, "ranks of several hosts exchange data over sockets"},
    {"NCCL_DEBUG", TimeClass::kSubmit, "each call is logged", "TRACE"},
    {"TORCH_NCCL_BLOCKING_WAIT", TimeClass::kCommunication, "the host waits for each collective"},
    {"TORCH_DISTRIBUTED_DEBUG", TimeClass::kCommunication, "each collective is checked before it is made", "DETAIL"},
};

}  // namespace

extern const Backend kBackend;
constexpr Backend kBackend{.name = "nccl",
                           .vendor = "nvidia",
                           .libraries = kLibraries,
                           .statuses = kStatuses,
                           .meanings = kMeanings,
                           .slow_settings = kSettings,
                           .not_failures = kAccepted,
                           .accepted = kAccepted,
                           .datatypes = kTypes,
                           .reductions = kReduceOps};

}  // namespace ingero::backends::nccl
