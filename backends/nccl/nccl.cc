// The backend of NVIDIA's collective library and of AMD's, which repeats its interface: NCCL and RCCL.
#include <algorithm>
#include <iterator>

#include "backends/nccl/meanings.h"
#include "backends/nccl/rows.h"
#include "hal/live_communicator.h"
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

// The layout of ncclComm by its offset of `rank` (NCCL's own header of it): nranks is behind it in all versions, and
// commHash, which all ranks compute alike, before it from 2.18 on (0x23d8, 2.19 0x24d8, 2.20 0x28d8, then rising, but
// for 0x4018 of 2.7 and 0x4030 of 2.9 to 2.12). From 2.21 on (0x34e0) a mark says that it is alive.
std::optional<hal::LiveLayout> layout_of(uint32_t rank, uint32_t nranks) {
  constexpr uint64_t kMark = 0x0280028002800280;  // NCCL_MAGIC
  constexpr uint32_t kWithHash[] = {0x23d8, 0x24d8, 0x28d8};
  constexpr uint32_t kOld[] = {0x4018, 0x4030};
  constexpr uint32_t kFirstMarked = 0x34e0;
  // seqNumber, from 2.26 on.
  struct CountsAt {
    uint32_t rank, behind;
  };
  constexpr CountsAt kCounts[] = {{0x784b8, 0x2058},  {0x1044b8, 0x2098}, {0x1044c8, 0x2540},
                                  {0x1044d0, 0x2540}, {0x1206d8, 0x27a0}, {0x1206f0, 0x27a8}};
  if (nranks != rank + 4) return std::nullopt;
  hal::LiveLayout layout{.rank = rank, .nranks = nranks};
  if (rank >= kFirstMarked && std::ranges::find(kOld, rank) == std::end(kOld)) layout.mark = kMark;
  const auto counts = std::ranges::find(kCounts, rank, &CountsAt::rank);
  if (counts != std::end(kCounts)) {
    layout.counts = rank + counts->behind;
    layout.n_counts = 5;  // NCCL_NUM_FUNCTIONS
  }
  if (layout.mark || std::ranges::find(kWithHash, rank) != std::end(kWithHash)) layout.identity = rank - 8;
  return layout;
}

// Where `rank` lies, by NCCL's own headers of each version; of those whose communicators have a mark, so that a wrong
// place is seen. It changed within 2.28, so that from there on a version is all of its three numbers.
std::optional<hal::LiveLayout> layout_of_version(std::string_view untrusted_version) {
  struct Of {
    std::string_view version;  // with a dot at its end: any that begins so
    uint32_t rank;
  };
  constexpr Of kRanks[] = {{"2.21.", 0x34e0},    {"2.22.", 0x34250},   {"2.23.", 0x3c4a8},  {"2.24.", 0x3c4a8},
                           {"2.25.", 0x784a8},   {"2.26.", 0x784b8},   {"2.27.", 0x1044b8}, {"2.28.3", 0x1044c8},
                           {"2.28.9", 0x1044d0}, {"2.29.7", 0x1206d8}, {"2.30.7", 0x1206f0}};
  const auto version = untrusted_version.substr(0, untrusted_version.find_first_not_of("0123456789."));
  for (const Of& one : kRanks) {
    const bool is_it = one.version.ends_with('.') ? version.starts_with(one.version) : version == one.version;
    if (is_it) return layout_of(one.rank, one.rank + 4);
  }
  return std::nullopt;
}

constexpr std::string_view kCounted[] = {"ncclAllReduce", "ncclBroadcast", "ncclBcast",
                                         "ncclReduce",    "ncclAllGather", "ncclReduceScatter"};

constexpr hal::CommunicatorAccessors kAccessors{.rank = "ncclCommUserRank",
                                                .nranks = "ncclCommCount",
                                                .layout = layout_of,
                                                .counted = kCounted,
                                                .before_version = "NCCL version ",
                                                .of_version = layout_of_version};
// Its versions are others.
constexpr hal::CommunicatorAccessors kRcclAccessors{
    .rank = "ncclCommUserRank", .nranks = "ncclCommCount", .layout = layout_of, .counted = kCounted};

constexpr Library kLibraries[] = {
    {.name = "libnccl",
     .sonames = kNcclSonames,
     .rows = kNcclRows,
     .layer = "NCCL",
     .source = kNcclSource,
     .in_executables = true,
     .anchors = kAnchors,
     .communicators = &kAccessors},
    {.name = "librccl",
     .sonames = kRcclSonames,
     .rows = kRcclRows,
     .layer = "RCCL",
     .source = kRcclSource,
     .vendor = "amd",
     .communicators = &kRcclAccessors},
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
