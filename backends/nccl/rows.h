// The calls of NCCL and RCCL. Prototypes: nccl.h of 2.30 and rccl.h (rccl 7), which repeats it.
//
// nccl* names are weak aliases of pnccl* at the same address: a probe on one sees both. ncclBcast enters ncclBroadcast,
// so it is an event with another one inside, and counts once (correlate/communicators.h).
#pragma once

#include <array>

#include "hal/shapes.h"

namespace ingero::backends::nccl {

using namespace hal;  // NOLINT(google-build-using-namespace): a table in the words of the model

namespace rows {

inline constexpr Param kComm{Abi::kPtr, Field::kCommunicator};
inline constexpr Param kElements{Abi::kSize, Field::kCount};
inline constexpr Param kType{Abi::kI32, Field::kDatatype};
inline constexpr Param kOp{Abi::kI32, Field::kReduceOp};
inline constexpr Param kRoot{.abi = Abi::kI32, .into = Field::kRoot, .is_signed = true};
inline constexpr Param kPeer{.abi = Abi::kI32, .into = Field::kPeer, .is_signed = true};
inline constexpr Param kRank{.abi = Abi::kI32, .into = Field::kRank, .is_signed = true};
inline constexpr Param kNRanks{.abi = Abi::kI32, .into = Field::kNRanks, .is_signed = true};
inline constexpr Param kColor{.abi = Abi::kI32, .into = Field::kColor, .is_signed = true};
inline constexpr Param kKey{.abi = Abi::kI32, .into = Field::kKey, .is_signed = true};
// ncclUniqueId: 128 bytes, by value or behind a pointer.
inline constexpr uint16_t kIdBytes = 128;
inline constexpr Param kIdByValue{.abi = Abi::kStruct, .into = Field::kId, .bytes = kIdBytes};
inline constexpr Param kIdPointer{.abi = Abi::kPtr, .into = Field::kId, .bytes = kIdBytes};
// int[]: the first 62 are read; a longer list leaves the new rank unknown.
inline constexpr Param kExcludedRanks{.abi = Abi::kPtr, .into = Field::kExcluded, .bytes = 248};

inline constexpr Peek kPeekNewComm[] = {{Field::kNewCommunicator, 0, 8, When::kReturn}};
inline constexpr Param kNewComm{Abi::kPtr, Field::kNone, kPeekNewComm};
// The array of ncclCommInitAll: its first entry says that the others were written.
inline constexpr Param kNewComms{Abi::kPtr, Field::kCommunicators, kPeekNewComm};
inline constexpr Peek kPeekRank[] = {{Field::kRank, 0, 4, When::kReturn, true}};
inline constexpr Peek kPeekNRanks[] = {{Field::kNRanks, 0, 4, When::kReturn, true}};

// Collectives: (send, receive, count, ...).
inline constexpr Param kReduceAll[] = {param::kSkip, param::kSkip, kElements, kType, kOp, kComm, param::kStream};
inline constexpr Param kReduceTo[] = {param::kSkip, param::kSkip, kElements, kType, kOp, kRoot, kComm, param::kStream};
inline constexpr Param kGatherAll[] = {param::kSkip, param::kSkip, kElements, kType, kComm, param::kStream};
inline constexpr Param kRooted[] = {param::kSkip, param::kSkip, kElements, kType, kRoot, kComm, param::kStream};
inline constexpr Param kInPlace[] = {param::kSkip, kElements, kType, kRoot, kComm, param::kStream};
// (send, counts, displacements, receive, counts, displacements, ...): as many as ranks, which a row cannot say.
inline constexpr Param kVaried[] = {param::kSkip, param::kSkip, param::kSkip, param::kSkip,  param::kSkip,
                                    param::kSkip, kType,        kComm,        param::kStream};
inline constexpr Param kRunAlgorithm[] = {param::kSkip, param::kSkip,   param::kSkip, param::kSkip,  param::kSkip,
                                          param::kSkip, kElements,      kType,        kRoot,         kPeer,
                                          kOp,          param::kSkip32, kComm,        param::kStream};

// Two ranks.
inline constexpr Param kPointToPoint[] = {param::kAddress, kElements, kType, kPeer, kComm, param::kStream};
inline constexpr Param kPut[] = {param::kAddress,  kElements,      kType,          kPeer,           param::kHandle,
                                 param::kSkipSize, param::kSkip32, param::kSkip32, param::kFlags32, kComm,
                                 param::kStream};
inline constexpr Param kSignal[] = {kPeer, param::kSkip32, param::kSkip32, param::kFlags32, kComm, param::kStream};
inline constexpr Param kWaitSignals[] = {param::kSkip32, param::kSkip, kComm, param::kStream};

// A communicator's life.
inline constexpr Param kInit[] = {kNewComm, kNRanks, kIdByValue, kRank};
inline constexpr Param kInitConfig[] = {kNewComm, kNRanks, kIdByValue, kRank, param::kSkip};
// The last says which of the ranks on one device this is.
inline constexpr Param kInitMulti[] = {kNewComm, kNRanks, kIdByValue, kRank, param::kSkip32};
// Several ids, of which the first names the communicator.
inline constexpr Param kInitScalable[] = {kNewComm, kNRanks, kRank, param::kSkip32, kIdPointer, param::kSkip};
inline constexpr Param kInitAll[] = {kNewComms, kNRanks, param::kSkip};
inline constexpr Param kSplit[] = {kComm, kColor, kKey, kNewComm, param::kSkip};
inline constexpr Param kShrink[] = {kComm, kExcludedRanks, param::kCount32, kNewComm, param::kSkip, param::kFlags32};
inline constexpr Param kGrow[] = {kComm, kNRanks, kIdPointer, kRank, kNewComm, param::kSkip};
inline constexpr Param kCommOnly[] = {kComm};
inline constexpr Param kCommFlags[] = {kComm, param::kFlags32};
inline constexpr Param kCommOut[] = {kComm, param::kSkip};
inline constexpr Param kAskRank[] = {kComm, {Abi::kPtr, Field::kNone, kPeekRank}};
inline constexpr Param kAskNRanks[] = {kComm, {Abi::kPtr, Field::kNone, kPeekNRanks}};
inline constexpr Param kDeviceComm[] = {kComm, param::kSkip, param::kSkip};
inline constexpr Param kMemoryStatistics[] = {kComm, param::kSkip32, param::kSkip};

// Memory and reductions.
inline constexpr Param kRegister[] = {kComm, param::kAddress, param::kBytes, param::kOutHandle};
inline constexpr Param kRegisterWindow[] = {kComm, param::kAddress, param::kBytes, param::kOutHandle, param::kFlags32};
inline constexpr Param kHandleOf[] = {kComm, param::kHandle};
inline constexpr Param kPointerOf[] = {kComm, param::kHandle, param::kSkip};
inline constexpr Param kMakeOp[] = {param::kSkip, param::kSkip, kType, param::kSkip32, kComm};
inline constexpr Param kDropOp[] = {kOp, kComm};
inline constexpr Param kOnePointer[] = {param::kSkip};
inline constexpr Param kLoadAlgorithm[] = {param::kSkip, param::kSkip, kRank};
inline constexpr Param kUnloadAlgorithm[] = {param::kSkip32};

// clang-format off
// Operation numbers as earlier recordings have them.
inline constexpr Row kShared[] = {
    // All ranks.
    {.name = "ncclAllReduce", .kind = Kind::kCollective, .shape = kReduceAll, .flags = kAsync, .op = 3},
    {.name = "ncclAllGather", .kind = Kind::kCollective, .shape = kGatherAll, .flags = kAsync, .op = 4},
    {.name = "ncclReduceScatter", .kind = Kind::kCollective, .shape = kReduceAll, .flags = kAsync, .op = 5},
    {.name = "ncclBcast", .kind = Kind::kCollective, .shape = kInPlace, .flags = kAsync, .op = 6},
    {.name = "ncclBroadcast", .kind = Kind::kCollective, .shape = kRooted, .flags = kAsync},
    {.name = "ncclReduce", .kind = Kind::kCollective, .shape = kReduceTo, .flags = kAsync},
    {.name = "ncclGather", .kind = Kind::kCollective, .shape = kRooted, .flags = kAsync},
    {.name = "ncclScatter", .kind = Kind::kCollective, .shape = kRooted, .flags = kAsync},
    // Two ranks.
    {.name = "ncclSend", .kind = Kind::kP2p, .shape = kPointToPoint, .flags = kAsync, .op = 7},
    {.name = "ncclRecv", .kind = Kind::kP2p, .shape = kPointToPoint, .flags = kAsync, .op = 8},
    // Calls that are one operation.
    {.name = "ncclGroupStart", .kind = Kind::kCommunicator, .shape = shape::kNothing, .role = Role::kGroupStart},
    {.name = "ncclGroupEnd", .kind = Kind::kCommunicator, .shape = shape::kNothing, .role = Role::kGroupEnd},
    // Communicators.
    {.name = "ncclGetUniqueId", .kind = Kind::kCommunicator, .shape = kOnePointer},
    {.name = "ncclCommInitRank", .kind = Kind::kCommunicator, .shape = kInit, .op = 1, .role = Role::kInit},
    {.name = "ncclCommInitRankConfig", .kind = Kind::kCommunicator, .shape = kInitConfig, .role = Role::kInit},
    {.name = "ncclCommInitRankScalable", .kind = Kind::kCommunicator, .shape = kInitScalable, .role = Role::kInit},
    {.name = "ncclCommInitAll", .kind = Kind::kCommunicator, .shape = kInitAll, .op = 9, .role = Role::kInitAll},
    {.name = "ncclCommSplit", .kind = Kind::kCommunicator, .shape = kSplit, .role = Role::kSplit},
    {.name = "ncclCommShrink", .kind = Kind::kCommunicator, .shape = kShrink, .role = Role::kShrink},
    {.name = "ncclCommGrow", .kind = Kind::kCommunicator, .shape = kGrow, .role = Role::kGrow},
    {.name = "ncclCommGetUniqueId", .kind = Kind::kCommunicator, .shape = kCommOut},
    {.name = "ncclCommFinalize", .kind = Kind::kCommunicator, .shape = kCommOnly, .role = Role::kFinalize},
    {.name = "ncclCommDestroy", .kind = Kind::kCommunicator, .shape = kCommOnly, .op = 2, .role = Role::kDestroy},
    {.name = "ncclCommAbort", .kind = Kind::kCommunicator, .shape = kCommOnly, .role = Role::kAbort},
    {.name = "ncclCommRevoke", .kind = Kind::kCommunicator, .shape = kCommFlags, .role = Role::kRevoke},
    {.name = "ncclCommSuspend", .kind = Kind::kCommunicator, .shape = kCommFlags},
    {.name = "ncclCommResume", .kind = Kind::kCommunicator, .shape = kCommOnly},
    {.name = "ncclCommMemStats", .kind = Kind::kCommunicator, .shape = kMemoryStatistics, .flags = kPolled},
    {.name = "ncclCommGetAsyncError", .kind = Kind::kCommunicator, .shape = kCommOut, .flags = kPolled},
    {.name = "ncclCommCount", .kind = Kind::kCommunicator, .shape = kAskNRanks, .flags = kPolled,
     .role = Role::kAsk},
    {.name = "ncclCommUserRank", .kind = Kind::kCommunicator, .shape = kAskRank, .flags = kPolled, .role = Role::kAsk},
    // Memory, reductions.
    {.name = "ncclMemAlloc", .kind = Kind::kAlloc, .shape = shape::kAlloc},
    {.name = "ncclMemFree", .kind = Kind::kFree, .shape = shape::kFree},
    {.name = "ncclCommRegister", .kind = Kind::kCommunicator, .shape = kRegister},
    {.name = "ncclCommDeregister", .kind = Kind::kCommunicator, .shape = kHandleOf},
    {.name = "ncclCommWindowRegister", .kind = Kind::kCommunicator, .shape = kRegisterWindow},
    {.name = "ncclCommWindowDeregister", .kind = Kind::kCommunicator, .shape = kHandleOf},
    {.name = "ncclRedOpCreatePreMulSum", .kind = Kind::kCommunicator, .shape = kMakeOp},
    {.name = "ncclRedOpDestroy", .kind = Kind::kCommunicator, .shape = kDropOp},
};

inline constexpr Row kOnlyNccl[] = {
    {.name = "ncclAlltoAll", .kind = Kind::kCollective, .shape = kGatherAll, .flags = kAsync},
    {.name = "ncclGroupSimulateEnd", .kind = Kind::kCommunicator, .shape = kOnePointer, .role = Role::kGroupEnd},
    {.name = "ncclPutSignal", .kind = Kind::kP2p, .shape = kPut, .flags = kAsync},
    {.name = "ncclSignal", .kind = Kind::kP2p, .shape = kSignal, .flags = kAsync},
    {.name = "ncclWaitSignal", .kind = Kind::kP2p, .shape = kWaitSignals, .flags = kAsync},
    {.name = "ncclDevCommCreate", .kind = Kind::kCommunicator, .shape = kDeviceComm},
    {.name = "ncclDevCommDestroy", .kind = Kind::kCommunicator, .shape = kCommOut},
    {.name = "ncclWinGetUserPtr", .kind = Kind::kCommunicator, .shape = kPointerOf, .flags = kPolled},
};

inline constexpr Row kOnlyRccl[] = {
    {.name = "ncclAllToAll", .kind = Kind::kCollective, .shape = kGatherAll, .flags = kAsync},
    {.name = "ncclAllToAllv", .kind = Kind::kCollective, .shape = kVaried, .flags = kAsync},
    {.name = "ncclCommInitRankMulti", .kind = Kind::kCommunicator, .shape = kInitMulti, .role = Role::kInit},
    {.name = "mscclLoadAlgo", .kind = Kind::kCommunicator, .shape = kLoadAlgorithm},
    {.name = "mscclRunAlgo", .kind = Kind::kCollective, .shape = kRunAlgorithm, .flags = kAsync},
    {.name = "mscclUnloadAlgo", .kind = Kind::kCommunicator, .shape = kUnloadAlgorithm},
};
// clang-format on

// Each library has rows of its own: a row is one call of one library.
template <size_t Own>
constexpr auto with_shared(const Row (&own)[Own]) {
  std::array<Row, std::size(kShared) + Own> all{};
  for (size_t i = 0; i < std::size(kShared); ++i) all[i] = kShared[i];
  for (size_t i = 0; i < Own; ++i) all[std::size(kShared) + i] = own[i];
  return all;
}

}  // namespace rows

}  // namespace ingero::backends::nccl
