// The calls of the HIP runtime (libamdhip64): launches, memory, copies, streams, events, graphs, devices, code.
//
// Prototypes are those of ROCm 4.2 to 6.4, and the shapes are mostly CUDA's: HIP is a list of symbols. Exports are thin
// wrappers over a dispatch table, so a probe fires once per call of the application and not for the runtime's own.
// The _spt variants use the per-thread default stream. A test compares every row with the vendor's header where that is
// installed.
#pragma once

#include "hal/shapes.h"

namespace ingero::backends::hip {

using namespace hal;  // NOLINT(google-build-using-namespace): a table in the words of the model

// Exported from 6.0 on, where two structures and the memory type codes changed.
inline constexpr std::string_view kSince6 = "hipGetDevicePropertiesR0600";

inline constexpr Param kLaunchCooperative[] = {param::kFunction, param::kGrid,          param::kBlock,
                                               param::kSkip,     param::kSharedBytes32, param::kStream};
// The launch shape, then start event, stop event and flags.
inline constexpr Param kLaunchTimed[] = {param::kFunction, param::kGrid,        param::kBlock,
                                         param::kSkip,     param::kSharedBytes, param::kStream,
                                         param::kSkip,     param::kSkip,        param::kSkip32};
// Sizes are work-items, not blocks; then start event, stop event and (not in the older variant) flags.
inline constexpr Param kThreadsX{Abi::kI32, Field::kThreadsX};
inline constexpr Param kThreadsY{Abi::kI32, Field::kThreadsY};
inline constexpr Param kThreadsZ{Abi::kI32, Field::kThreadsZ};
inline constexpr Param kLaunchWorkItems[] = {
    param::kFunction,    kThreadsX,      kThreadsY,    kThreadsZ,    param::kBlockX, param::kBlockY, param::kBlockZ,
    param::kSharedBytes, param::kStream, param::kSkip, param::kSkip, param::kSkip,   param::kSkip,   param::kSkip32};
inline constexpr Shape kLaunchWorkItemsOlder = Shape(kLaunchWorkItems).first(13);

// hip_Memcpy2D and HIP_MEMCPY3D: widths are bytes. Before 6.0 the memory types had other codes, several of them
// ambiguous with the later ones, so the direction stays unknown; and the 3D structure held 32-bit numbers.
inline constexpr Peek kMemcpy2DBefore6[] = {{Field::kWidth, 112}, {Field::kHeight, 120}};
inline constexpr Param kCopyParams2DBefore6[] = {{Abi::kPtr, Field::kNone, kMemcpy2DBefore6}};
inline constexpr Param kCopyParams2DAsyncBefore6[] = {{Abi::kPtr, Field::kNone, kMemcpy2DBefore6}, param::kStream};
inline constexpr Peek kMemcpy3D[] = {{Field::kSourcePlace, 32, 4},
                                     {Field::kDestinationPlace, 112, 4},
                                     {Field::kWidth, 160},
                                     {Field::kHeight, 168},
                                     {Field::kDepth, 176}};
inline constexpr Param kCopyParams3D[] = {{Abi::kPtr, Field::kNone, kMemcpy3D}};
inline constexpr Param kCopyParams3DAsync[] = {{Abi::kPtr, Field::kNone, kMemcpy3D}, param::kStream};
inline constexpr Peek kMemcpy3DBefore6[] = {{Field::kWidth, 112, 4}, {Field::kHeight, 116, 4}, {Field::kDepth, 120, 4}};
inline constexpr Param kCopyParams3DBefore6[] = {{Abi::kPtr, Field::kNone, kMemcpy3DBefore6}};
inline constexpr Param kCopyParams3DAsyncBefore6[] = {{Abi::kPtr, Field::kNone, kMemcpy3DBefore6}, param::kStream};

// A value, flags and a mask.
inline constexpr Param kWaitValue32[] = {
    param::kStream, param::kAddress, {Abi::kI32, Field::kValue}, param::kFlags32, param::kSkip32};
inline constexpr Param kWaitValue64[] = {
    param::kStream, param::kAddress, {Abi::kU64, Field::kValue}, param::kFlags32, param::kSkipU64};
inline constexpr Param kWriteValue32[] = {param::kStream, param::kAddress, {Abi::kI32, Field::kValue}, param::kFlags32};
inline constexpr Param kWriteValue64[] = {param::kStream, param::kAddress, {Abi::kU64, Field::kValue}, param::kFlags32};
inline constexpr Param kStreamCreateMask[] = {param::kOutStream, param::kSkip32, param::kSkip};
// hipGraphInstantiateParams: error node, flags, result, upload stream.
inline constexpr Peek kInstantiateParams[] = {{Field::kFlags, 8}, {Field::kStream, 24}};
inline constexpr Param kInstantiateWithParams[] = {
    param::kOutHandle, param::kHandle2, {Abi::kPtr, Field::kNone, kInstantiateParams}};
inline constexpr Param kOccupancyBest[] = {param::kSkip, param::kSkip, param::kFunction, param::kSharedBytes,
                                           param::kSkip32};
inline constexpr Param kOccupancyBestFlags[] = {param::kSkip,        param::kSkip,   param::kFunction,
                                                param::kSharedBytes, param::kSkip32, param::kFlags32};
inline constexpr Param kSetPool[] = {param::kDevice, param::kHandle};

// clang-format off
inline constexpr Row kRows[] = {
    // Launches.
    {.name = "hipLaunchKernel", .kind = Kind::kLaunch, .shape = shape::kLaunch, .variants = kSpt, .flags = kAsync},
    {.name = "hipLaunchKernelExC", .kind = Kind::kLaunch, .shape = shape::kLaunchExC, .variants = kSpt, .flags = kAsync},
    {.name = "hipExtLaunchKernel", .kind = Kind::kLaunch, .shape = kLaunchTimed, .flags = kAsync},
    {.name = "hipLaunchCooperativeKernel", .kind = Kind::kLaunch, .shape = kLaunchCooperative, .variants = kSpt,
     .flags = kAsync},
    {.name = "hipLaunchCooperativeKernelMultiDevice", .kind = Kind::kLaunch, .shape = shape::kLaunchMultiDevice,
     .flags = kAsync},
    {.name = "hipExtLaunchMultiKernelMultiDevice", .kind = Kind::kLaunch, .shape = shape::kLaunchMultiDevice,
     .flags = kAsync},
    {.name = "hipLaunchByPtr", .kind = Kind::kLaunch, .shape = shape::kLaunchFunctionOnly, .flags = kAsync},
    {.name = "hipModuleLaunchKernel", .kind = Kind::kLaunch, .shape = shape::kLaunchHandle, .flags = kAsync},
    {.name = "hipDrvLaunchKernelEx", .kind = Kind::kLaunch, .shape = shape::kLaunchEx, .flags = kAsync},
    {.name = "hipModuleLaunchCooperativeKernel", .kind = Kind::kLaunch, .shape = shape::kLaunchHandleCooperative,
     .flags = kAsync},
    {.name = "hipModuleLaunchCooperativeKernelMultiDevice", .kind = Kind::kLaunch,
     .shape = shape::kDriverLaunchMultiDevice, .flags = kAsync},
    {.name = "hipExtModuleLaunchKernel", .kind = Kind::kLaunch, .shape = kLaunchWorkItems,
     .flags = kAsync | kMangledVariants},
    {.name = "hipHccModuleLaunchKernel", .kind = Kind::kLaunch, .shape = kLaunchWorkItemsOlder,
     .flags = kAsync | kMangledVariants},
    {.name = "hipLaunchHostFunc", .kind = Kind::kLaunch, .shape = shape::kHostCallback, .variants = kSpt,
     .flags = kAsync},
    {.name = "hipStreamAddCallback", .kind = Kind::kLaunch, .shape = shape::kHostCallbackFlags, .variants = kSpt,
     .flags = kAsync},

    // Memory. Bytes are what was asked for; a pitched allocation is larger.
    {.name = "hipMalloc", .kind = Kind::kAlloc, .shape = shape::kAlloc},
    {.name = "hipExtMallocWithFlags", .kind = Kind::kAlloc, .shape = shape::kAllocFlags},
    {.name = "hipMallocManaged", .kind = Kind::kAlloc, .shape = shape::kAllocFlags},
    {.name = "hipMallocPitch", .kind = Kind::kAlloc, .shape = shape::kAllocPitch},
    {.name = "hipMemAllocPitch", .kind = Kind::kAlloc, .shape = shape::kDriverAllocPitch},
    {.name = "hipMalloc3D", .kind = Kind::kAlloc, .shape = shape::kAlloc3D},
    {.name = "hipMallocArray", .kind = Kind::kAlloc, .shape = shape::kAllocArray},
    {.name = "hipMalloc3DArray", .kind = Kind::kAlloc, .shape = shape::kAlloc3DArray},
    {.name = "hipMallocMipmappedArray", .kind = Kind::kAlloc, .shape = shape::kAllocMipmappedArray},
    {.name = "hipArrayCreate", .kind = Kind::kAlloc, .shape = shape::kArrayCreate},
    {.name = "hipArray3DCreate", .kind = Kind::kAlloc, .shape = shape::kArrayCreate},
    {.name = "hipMipmappedArrayCreate", .kind = Kind::kAlloc, .shape = shape::kMipmappedArrayCreate},
    {.name = "hipHostMalloc", .kind = Kind::kAlloc, .shape = shape::kAllocFlags, .flags = kHostMemory},
    {.name = "hipHostAlloc", .kind = Kind::kAlloc, .shape = shape::kAllocFlags, .flags = kHostMemory},
    {.name = "hipExtHostAlloc", .kind = Kind::kAlloc, .shape = shape::kAllocFlags, .flags = kHostMemory},
    {.name = "hipMallocHost", .kind = Kind::kAlloc, .shape = shape::kAlloc, .flags = kHostMemory},
    {.name = "hipMemAllocHost", .kind = Kind::kAlloc, .shape = shape::kAlloc, .flags = kHostMemory},
    {.name = "hipHostRegister", .kind = Kind::kAlloc, .shape = shape::kRegisterHost, .flags = kHostMemory},
    {.name = "hipMallocAsync", .kind = Kind::kAlloc, .shape = shape::kAllocAsync, .flags = kAsync},
    {.name = "hipMallocFromPoolAsync", .kind = Kind::kAlloc, .shape = shape::kAllocFromPool, .flags = kAsync},
    {.name = "hipMemPoolCreate", .kind = Kind::kAlloc, .shape = shape::kPoolCreate},
    {.name = "hipIpcOpenMemHandle", .kind = Kind::kAlloc, .shape = shape::kOpenIpcMemory},
    {.name = "hipFree", .kind = Kind::kFree, .shape = shape::kFree},
    {.name = "hipFreeArray", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "hipArrayDestroy", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "hipFreeMipmappedArray", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "hipMipmappedArrayDestroy", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "hipHostFree", .kind = Kind::kFree, .shape = shape::kFree, .flags = kHostMemory},
    {.name = "hipFreeHost", .kind = Kind::kFree, .shape = shape::kFree, .flags = kHostMemory},
    {.name = "hipHostUnregister", .kind = Kind::kFree, .shape = shape::kFree, .flags = kHostMemory},
    {.name = "hipFreeAsync", .kind = Kind::kFree, .shape = shape::kFreeAsync, .flags = kAsync},
    {.name = "hipMemPoolDestroy", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "hipMemPoolTrimTo", .kind = Kind::kFree, .shape = shape::kPoolTrim},
    {.name = "hipIpcCloseMemHandle", .kind = Kind::kFree, .shape = shape::kFree},
    {.name = "hipMemGetInfo", .kind = Kind::kDevice, .shape = shape::kMemoryInfo, .flags = kPolled},

    // Memory of other processes and of other interfaces.
    {.name = "hipIpcGetMemHandle", .kind = Kind::kDevice, .shape = shape::kExportAddress},
    {.name = "hipMemPoolExportToShareableHandle", .kind = Kind::kDevice, .shape = shape::kExportPool},
    {.name = "hipMemPoolImportFromShareableHandle", .kind = Kind::kAlloc, .shape = shape::kImportPool},
    {.name = "hipMemPoolExportPointer", .kind = Kind::kDevice, .shape = shape::kExportAddress},
    {.name = "hipMemPoolImportPointer", .kind = Kind::kAlloc, .shape = shape::kImportFromPool},
    {.name = "hipMemPoolSetAccess", .kind = Kind::kDevice, .shape = shape::kPoolSetAccess},
    {.name = "hipImportExternalMemory", .kind = Kind::kAlloc, .shape = shape::kImportExternal},
    {.name = "hipExternalMemoryGetMappedBuffer", .kind = Kind::kAlloc, .shape = shape::kMapExternal},
    {.name = "hipDestroyExternalMemory", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "hipGraphicsGLRegisterBuffer", .kind = Kind::kAlloc, .shape = shape::kRegisterBuffer},
    {.name = "hipGraphicsGLRegisterImage", .kind = Kind::kAlloc, .shape = shape::kRegisterTexture},
    {.name = "hipGraphicsUnregisterResource", .kind = Kind::kFree, .shape = shape::kHandleOnly},

    // Physical memory and address space apart: create and release, reserve and free, map and unmap are three pairs.
    {.name = "hipMemCreate", .kind = Kind::kAlloc, .shape = shape::kMemoryCreate},
    {.name = "hipMemAddressReserve", .kind = Kind::kAlloc, .shape = shape::kAddressReserve, .flags = kAddressSpace},
    {.name = "hipMemMap", .kind = Kind::kAlloc, .shape = shape::kMemoryMap},
    {.name = "hipMemImportFromShareableHandle", .kind = Kind::kAlloc, .shape = shape::kMemoryImport},
    {.name = "hipMemRetainAllocationHandle", .kind = Kind::kAlloc, .shape = shape::kMemoryRetain},
    {.name = "hipMemRelease", .kind = Kind::kFree, .shape = shape::kMemoryHandleOnly},
    {.name = "hipMemAddressFree", .kind = Kind::kFree, .shape = shape::kAddressRange, .flags = kAddressSpace},
    {.name = "hipMemUnmap", .kind = Kind::kFree, .shape = shape::kAddressRange},
    {.name = "hipMemMapArrayAsync", .kind = Kind::kDevice, .shape = shape::kMapArrays, .flags = kAsync},
    {.name = "hipMemSetAccess", .kind = Kind::kDevice, .shape = shape::kMemorySetAccess},
    {.name = "hipMemExportToShareableHandle", .kind = Kind::kDevice, .shape = shape::kMemoryExport},

    // Copies.
    {.name = "hipMemcpy", .kind = Kind::kMemcpy, .shape = shape::kCopyDirected, .variants = kSpt,
     .flags = kSynchronising},
    {.name = "hipMemcpyAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyDirectedAsync, .variants = kSpt,
     .flags = kAsync},
    {.name = "hipMemcpyWithStream", .kind = Kind::kMemcpy, .shape = shape::kCopyDirectedAsync,
     .flags = kSynchronising},
    {.name = "hipMemcpyHtoD", .kind = Kind::kMemcpy, .shape = shape::kCopy, .flags = kSynchronising,
     .direction = Direction::kHostToDevice},
    {.name = "hipMemcpyDtoH", .kind = Kind::kMemcpy, .shape = shape::kCopy, .flags = kSynchronising,
     .direction = Direction::kDeviceToHost},
    {.name = "hipMemcpyDtoD", .kind = Kind::kMemcpy, .shape = shape::kCopy, .direction = Direction::kDeviceToDevice},
    {.name = "hipMemcpyHtoDAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyAsync, .flags = kAsync,
     .direction = Direction::kHostToDevice},
    {.name = "hipMemcpyDtoHAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyAsync, .flags = kAsync,
     .direction = Direction::kDeviceToHost},
    {.name = "hipMemcpyDtoDAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyAsync, .flags = kAsync,
     .direction = Direction::kDeviceToDevice},
    {.name = "hipMemcpyPeer", .kind = Kind::kMemcpy, .shape = shape::kCopyPeer,
     .direction = Direction::kDeviceToDevice},
    {.name = "hipMemcpyPeerAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyPeerAsync, .flags = kAsync,
     .direction = Direction::kDeviceToDevice},
    {.name = "hipMemcpy2D", .kind = Kind::kMemcpy, .shape = shape::kCopy2D, .variants = kSpt, .flags = kSynchronising},
    {.name = "hipMemcpy2DAsync", .kind = Kind::kMemcpy, .shape = shape::kCopy2DAsync, .variants = kSpt, .flags = kAsync},
    {.name = "hipMemcpy3D", .kind = Kind::kMemcpy, .shape = shape::kCopy3D, .variants = kSpt, .flags = kSynchronising},
    {.name = "hipMemcpy3DAsync", .kind = Kind::kMemcpy, .shape = shape::kCopy3DAsync, .variants = kSpt, .flags = kAsync},
    {.name = "hipMemcpyParam2D", .kind = Kind::kMemcpy, .shape = shape::kDriverCopy2D,
     .flags = kSynchronising | kOnlyWhereTarget, .instead = kSince6},
    {.name = "hipMemcpyParam2D", .kind = Kind::kMemcpy, .shape = kCopyParams2DBefore6,
     .flags = kSynchronising | kNotWhereTarget, .instead = kSince6},
    {.name = "hipMemcpyParam2DAsync", .kind = Kind::kMemcpy, .shape = shape::kDriverCopy2DAsync,
     .flags = kAsync | kOnlyWhereTarget, .instead = kSince6},
    {.name = "hipMemcpyParam2DAsync", .kind = Kind::kMemcpy, .shape = kCopyParams2DAsyncBefore6,
     .flags = kAsync | kNotWhereTarget, .instead = kSince6},
    {.name = "hipDrvMemcpy2DUnaligned", .kind = Kind::kMemcpy, .shape = shape::kDriverCopy2D,
     .flags = kSynchronising | kOnlyWhereTarget, .instead = kSince6},
    {.name = "hipDrvMemcpy2DUnaligned", .kind = Kind::kMemcpy, .shape = kCopyParams2DBefore6,
     .flags = kSynchronising | kNotWhereTarget, .instead = kSince6},
    {.name = "hipDrvMemcpy3D", .kind = Kind::kMemcpy, .shape = kCopyParams3D,
     .flags = kSynchronising | kOnlyWhereTarget, .instead = kSince6},
    {.name = "hipDrvMemcpy3D", .kind = Kind::kMemcpy, .shape = kCopyParams3DBefore6,
     .flags = kSynchronising | kNotWhereTarget, .instead = kSince6},
    {.name = "hipDrvMemcpy3DAsync", .kind = Kind::kMemcpy, .shape = kCopyParams3DAsync,
     .flags = kAsync | kOnlyWhereTarget, .instead = kSince6},
    {.name = "hipDrvMemcpy3DAsync", .kind = Kind::kMemcpy, .shape = kCopyParams3DAsyncBefore6,
     .flags = kAsync | kNotWhereTarget, .instead = kSince6},
    {.name = "hipMemcpyToSymbol", .kind = Kind::kMemcpy, .shape = shape::kCopySymbol, .variants = kSpt,
     .flags = kSynchronising},
    {.name = "hipMemcpyToSymbolAsync", .kind = Kind::kMemcpy, .shape = shape::kCopySymbolAsync, .variants = kSpt,
     .flags = kAsync},
    {.name = "hipMemcpyFromSymbol", .kind = Kind::kMemcpy, .shape = shape::kCopySymbol, .variants = kSpt,
     .flags = kSynchronising},
    {.name = "hipMemcpyFromSymbolAsync", .kind = Kind::kMemcpy, .shape = shape::kCopySymbolAsync, .variants = kSpt,
     .flags = kAsync},
    {.name = "hipMemcpyToArray", .kind = Kind::kMemcpy, .shape = shape::kCopyToArray, .variants = kSpt,
     .flags = kSynchronising},
    {.name = "hipMemcpyFromArray", .kind = Kind::kMemcpy, .shape = shape::kCopyFromArray, .variants = kSpt,
     .flags = kSynchronising},
    {.name = "hipMemcpy2DToArray", .kind = Kind::kMemcpy, .shape = shape::kCopy2DToArray, .variants = kSpt,
     .flags = kSynchronising},
    {.name = "hipMemcpy2DToArrayAsync", .kind = Kind::kMemcpy, .shape = shape::kCopy2DToArrayAsync, .variants = kSpt,
     .flags = kAsync},
    {.name = "hipMemcpy2DFromArray", .kind = Kind::kMemcpy, .shape = shape::kCopy2DFromArray, .variants = kSpt,
     .flags = kSynchronising},
    {.name = "hipMemcpy2DFromArrayAsync", .kind = Kind::kMemcpy, .shape = shape::kCopy2DFromArrayAsync, .variants = kSpt,
     .flags = kAsync},
    {.name = "hipMemcpy2DArrayToArray", .kind = Kind::kMemcpy, .shape = shape::kCopy2DArrayToArray,
     .flags = kSynchronising},
    {.name = "hipMemcpyHtoA", .kind = Kind::kMemcpy, .shape = shape::kCopyIntoArray, .flags = kSynchronising,
     .direction = Direction::kHostToDevice},
    {.name = "hipMemcpyAtoH", .kind = Kind::kMemcpy, .shape = shape::kCopyOutOfArray, .flags = kSynchronising,
     .direction = Direction::kDeviceToHost},
    {.name = "hipMemcpyHtoAAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyIntoArrayAsync, .flags = kAsync,
     .direction = Direction::kHostToDevice},
    {.name = "hipMemcpyAtoHAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyOutOfArrayAsync, .flags = kAsync,
     .direction = Direction::kDeviceToHost},
    {.name = "hipMemcpyDtoA", .kind = Kind::kMemcpy, .shape = shape::kCopyIntoArray,
     .direction = Direction::kDeviceToDevice},
    {.name = "hipMemcpyAtoD", .kind = Kind::kMemcpy, .shape = shape::kCopyOutOfArray,
     .direction = Direction::kDeviceToDevice},
    {.name = "hipMemcpyAtoA", .kind = Kind::kMemcpy, .shape = shape::kCopyBetweenArrays,
     .direction = Direction::kDeviceToDevice},
    {.name = "hipMemPrefetchAsync", .kind = Kind::kMemcpy, .shape = shape::kPrefetchDevice, .flags = kAsync},
    {.name = "hipMemAdvise", .kind = Kind::kDevice, .shape = shape::kAdviseDevice},
    {.name = "hipMemset", .kind = Kind::kMemset, .shape = shape::kSet, .variants = kSpt},
    {.name = "hipMemsetAsync", .kind = Kind::kMemset, .shape = shape::kSetAsync, .variants = kSpt, .flags = kAsync},
    {.name = "hipMemset2D", .kind = Kind::kMemset, .shape = shape::kSet2D, .variants = kSpt},
    {.name = "hipMemset2DAsync", .kind = Kind::kMemset, .shape = shape::kSet2DAsync, .variants = kSpt, .flags = kAsync},
    {.name = "hipMemset3D", .kind = Kind::kMemset, .shape = shape::kSet3D, .variants = kSpt},
    {.name = "hipMemset3DAsync", .kind = Kind::kMemset, .shape = shape::kSet3DAsync, .variants = kSpt, .flags = kAsync},
    {.name = "hipMemsetD8", .kind = Kind::kMemset, .shape = shape::kSet},
    {.name = "hipMemsetD8Async", .kind = Kind::kMemset, .shape = shape::kSetAsync, .flags = kAsync},
    {.name = "hipMemsetD16", .kind = Kind::kMemset, .shape = shape::kSet, .element_bytes = 2},
    {.name = "hipMemsetD16Async", .kind = Kind::kMemset, .shape = shape::kSetAsync, .flags = kAsync,
     .element_bytes = 2},
    {.name = "hipMemsetD32", .kind = Kind::kMemset, .shape = shape::kSet, .element_bytes = 4},
    {.name = "hipMemsetD32Async", .kind = Kind::kMemset, .shape = shape::kSetAsync, .flags = kAsync,
     .element_bytes = 4},

    // Waits, streams, events.
    {.name = "hipStreamSynchronize", .kind = Kind::kSync, .shape = shape::kStreamOnly, .variants = kSpt,
     .flags = kSynchronising},
    {.name = "hipDeviceSynchronize", .kind = Kind::kSync, .shape = shape::kNothing, .flags = kSynchronising},
    {.name = "hipCtxSynchronize", .kind = Kind::kSync, .shape = shape::kNothing, .flags = kSynchronising},
    {.name = "hipEventSynchronize", .kind = Kind::kSync, .shape = shape::kHandleOnly, .flags = kSynchronising},
    {.name = "hipStreamCreate", .kind = Kind::kStream, .shape = shape::kStreamCreate},
    {.name = "hipStreamCreateWithFlags", .kind = Kind::kStream, .shape = shape::kStreamCreateFlags},
    {.name = "hipStreamCreateWithPriority", .kind = Kind::kStream, .shape = shape::kStreamCreatePriority},
    {.name = "hipExtStreamCreateWithCUMask", .kind = Kind::kStream, .shape = kStreamCreateMask},
    {.name = "hipStreamDestroy", .kind = Kind::kStream, .shape = shape::kStreamOnly},
    {.name = "hipStreamQuery", .kind = Kind::kStream, .shape = shape::kStreamOnly, .variants = kSpt, .flags = kPolled},
    {.name = "hipStreamAttachMemAsync", .kind = Kind::kStream, .shape = shape::kAttachMemory, .flags = kAsync},
    {.name = "hipStreamWaitEvent", .kind = Kind::kEvent, .shape = shape::kStreamWaitEvent, .variants = kSpt,
     .flags = kAsync | kAwaitsMark},
    {.name = "hipStreamWaitValue32", .kind = Kind::kEvent, .shape = kWaitValue32, .flags = kAsync},
    {.name = "hipStreamWaitValue64", .kind = Kind::kEvent, .shape = kWaitValue64, .flags = kAsync},
    {.name = "hipStreamWriteValue32", .kind = Kind::kEvent, .shape = kWriteValue32, .flags = kAsync},
    {.name = "hipStreamWriteValue64", .kind = Kind::kEvent, .shape = kWriteValue64, .flags = kAsync},
    {.name = "hipStreamBatchMemOp", .kind = Kind::kEvent, .shape = shape::kStreamBatch, .flags = kAsync},
    {.name = "hipEventCreate", .kind = Kind::kEvent, .shape = shape::kHandleCreate},
    {.name = "hipEventCreateWithFlags", .kind = Kind::kEvent, .shape = shape::kHandleCreateFlags},
    {.name = "hipEventRecord", .kind = Kind::kEvent, .shape = shape::kHandleOnStream, .variants = kSpt,
     .flags = kAsync | kMarksStream},
    {.name = "hipEventRecordWithFlags", .kind = Kind::kEvent, .shape = shape::kHandleOnStreamFlags,
     .flags = kAsync | kMarksStream},
    {.name = "hipEventQuery", .kind = Kind::kEvent, .shape = shape::kHandleOnly, .flags = kPolled},
    {.name = "hipEventElapsedTime", .kind = Kind::kEvent, .shape = shape::kElapsedTime},
    {.name = "hipEventDestroy", .kind = Kind::kEvent, .shape = shape::kHandleOnly},

    // Events, semaphores and resources shared with other processes and other interfaces.
    {.name = "hipIpcGetEventHandle", .kind = Kind::kEvent, .shape = shape::kExportHandle},
    {.name = "hipIpcOpenEventHandle", .kind = Kind::kEvent, .shape = shape::kOpenIpcEvent},
    {.name = "hipImportExternalSemaphore", .kind = Kind::kEvent, .shape = shape::kImportSemaphore},
    {.name = "hipSignalExternalSemaphoresAsync", .kind = Kind::kEvent, .shape = shape::kSemaphores, .flags = kAsync},
    {.name = "hipWaitExternalSemaphoresAsync", .kind = Kind::kEvent, .shape = shape::kSemaphores, .flags = kAsync},
    {.name = "hipDestroyExternalSemaphore", .kind = Kind::kEvent, .shape = shape::kHandleOnly},
    {.name = "hipGraphicsMapResources", .kind = Kind::kStream, .shape = shape::kMapResources},
    {.name = "hipGraphicsUnmapResources", .kind = Kind::kStream, .shape = shape::kMapResources},

    // Graphs.
    {.name = "hipStreamBeginCapture", .kind = Kind::kGraph, .shape = shape::kBeginCapture, .variants = kSpt,
     .flags = kBeginsCapture},
    {.name = "hipStreamBeginCaptureToGraph", .kind = Kind::kGraph, .shape = shape::kBeginCaptureToGraph,
     .flags = kBeginsCapture},
    {.name = "hipStreamEndCapture", .kind = Kind::kGraph, .shape = shape::kEndCapture, .variants = kSpt,
     .flags = kEndsCapture},
    {.name = "hipGraphCreate", .kind = Kind::kGraph, .shape = shape::kHandleCreateFlags},
    {.name = "hipGraphClone", .kind = Kind::kGraph, .shape = shape::kClone},
    {.name = "hipGraphInstantiate", .kind = Kind::kGraph, .shape = shape::kInstantiate},
    {.name = "hipGraphInstantiateWithFlags", .kind = Kind::kGraph, .shape = shape::kInstantiateFlags},
    {.name = "hipGraphInstantiateWithParams", .kind = Kind::kGraph, .shape = kInstantiateWithParams},
    {.name = "hipGraphUpload", .kind = Kind::kGraph, .shape = shape::kHandleOnStream, .flags = kAsync},
    {.name = "hipGraphLaunch", .kind = Kind::kGraph, .shape = shape::kHandleOnStream, .variants = kSpt, .flags = kAsync},
    {.name = "hipGraphExecUpdate", .kind = Kind::kGraph, .shape = shape::kUpdateErrorNode},
    {.name = "hipGraphExecDestroy", .kind = Kind::kGraph, .shape = shape::kHandleOnly},
    {.name = "hipGraphDestroy", .kind = Kind::kGraph, .shape = shape::kHandleOnly},

    // Devices and contexts.
    {.name = "hipInit", .kind = Kind::kDevice, .shape = shape::kFlagsOnly},
    {.name = "hipSetDevice", .kind = Kind::kDevice, .shape = shape::kDeviceOnly, .flags = kChoosesDevice},
    {.name = "hipGetDevice", .kind = Kind::kDevice, .shape = shape::kDeviceGet,
     .flags = kPolled | kChoosesDevice | kAsksDevice},
    {.name = "hipGetDeviceCount", .kind = Kind::kDevice, .shape = shape::kCountGet},
    {.name = "hipDeviceGet", .kind = Kind::kDevice, .shape = shape::kDeviceByOrdinal},
    {.name = "hipGetDeviceProperties", .kind = Kind::kDevice, .shape = shape::kDeviceOfProperties},
    {.name = "hipGetDevicePropertiesR0000", .kind = Kind::kDevice, .shape = shape::kDeviceOfProperties},
    {.name = "hipGetDevicePropertiesR0600", .kind = Kind::kDevice, .shape = shape::kDeviceOfProperties},
    {.name = "hipSetDeviceFlags", .kind = Kind::kDevice, .shape = shape::kFlagsOnly},
    {.name = "hipDeviceReset", .kind = Kind::kDevice, .shape = shape::kNothing, .flags = kSynchronising},
    {.name = "hipDeviceEnablePeerAccess", .kind = Kind::kDevice, .shape = shape::kEnablePeer},
    {.name = "hipDeviceDisablePeerAccess", .kind = Kind::kDevice, .shape = shape::kDisablePeer},
    {.name = "hipDeviceSetLimit", .kind = Kind::kDevice, .shape = shape::kSetLimit},
    {.name = "hipDeviceGraphMemTrim", .kind = Kind::kDevice, .shape = shape::kDeviceOnly},
    {.name = "hipDeviceSetMemPool", .kind = Kind::kDevice, .shape = kSetPool},
    {.name = "hipCtxCreate", .kind = Kind::kDevice, .shape = shape::kContextCreate, .flags = kPushesDevice},
    {.name = "hipCtxEnablePeerAccess", .kind = Kind::kDevice, .shape = shape::kEnableContextPeer},
    {.name = "hipCtxDisablePeerAccess", .kind = Kind::kDevice, .shape = shape::kHandleOnly},
    {.name = "hipCtxDestroy", .kind = Kind::kDevice, .shape = shape::kHandleOnly},
    {.name = "hipCtxPushCurrent", .kind = Kind::kDevice, .shape = shape::kHandleOnly, .flags = kPushesDevice},
    {.name = "hipCtxPopCurrent", .kind = Kind::kDevice, .shape = shape::kHandleCreate, .flags = kPopsDevice},
    {.name = "hipCtxSetCurrent", .kind = Kind::kDevice, .shape = shape::kHandleOnly, .flags = kChoosesDevice},
    {.name = "hipDevicePrimaryCtxRetain", .kind = Kind::kDevice, .shape = shape::kContextRetain},
    {.name = "hipDevicePrimaryCtxRelease", .kind = Kind::kDevice, .shape = shape::kDeviceOnly},
    {.name = "hipDevicePrimaryCtxReset", .kind = Kind::kDevice, .shape = shape::kDeviceOnly},

    // Code: what a launch's function handle is called.
    {.name = "__hipRegisterFatBinary", .kind = Kind::kModule, .shape = shape::kHandleOnly,
     .returns = Returns::kPointer},
    {.name = "__hipUnregisterFatBinary", .kind = Kind::kModule, .shape = shape::kHandleOnly,
     .returns = Returns::kVoid},
    {.name = "__hipRegisterFunction", .kind = Kind::kModule, .shape = shape::kRegisterFunction,
     .flags = kRegistersName, .returns = Returns::kVoid},
    {.name = "hipModuleLoad", .kind = Kind::kModule, .shape = shape::kLoad},
    {.name = "hipModuleLoadData", .kind = Kind::kModule, .shape = shape::kLoad},
    {.name = "hipModuleLoadDataEx", .kind = Kind::kModule, .shape = shape::kModuleLoadEx},
    {.name = "hipModuleUnload", .kind = Kind::kModule, .shape = shape::kHandleOnly},
    {.name = "hipModuleGetFunction", .kind = Kind::kModule, .shape = shape::kLookUpFunction, .flags = kRegistersName},
    {.name = "hipGetFuncBySymbol", .kind = Kind::kModule, .shape = shape::kAliasFunction, .flags = kAliasesFunction},
    {.name = "hipGetProcAddress", .kind = Kind::kModule, .shape = shape::kProcAddressStatus},
    {.name = "hipModuleGetGlobal", .kind = Kind::kModule, .shape = shape::kLookUpVariable},
    {.name = "hipGetSymbolAddress", .kind = Kind::kModule, .shape = shape::kLookUpSymbol},
    {.name = "hipGetSymbolSize", .kind = Kind::kModule, .shape = shape::kMemoryInfo},
    {.name = "hipLinkCreate", .kind = Kind::kModule, .shape = shape::kLinkCreate},
    {.name = "hipLinkAddData", .kind = Kind::kModule, .shape = shape::kLinkAddData},
    {.name = "hipLinkAddFile", .kind = Kind::kModule, .shape = shape::kLinkAddFile},
    {.name = "hipLinkComplete", .kind = Kind::kModule, .shape = shape::kLinkComplete},
    {.name = "hipLinkDestroy", .kind = Kind::kModule, .shape = shape::kHandleOnly},

    // What is asked or set of a function: the first call loads its code.
    {.name = "hipFuncGetAttribute", .kind = Kind::kModule, .shape = shape::kFunctionAttribute, .flags = kPolled},
    {.name = "hipFuncGetAttributes", .kind = Kind::kModule, .shape = shape::kFunctionInfo, .flags = kPolled},
    {.name = "hipFuncSetAttribute", .kind = Kind::kModule, .shape = shape::kSetFunctionAttribute, .flags = kPolled},
    {.name = "hipFuncSetCacheConfig", .kind = Kind::kModule, .shape = shape::kSetFunctionConfig, .flags = kPolled},
    {.name = "hipFuncSetSharedMemConfig", .kind = Kind::kModule, .shape = shape::kSetFunctionConfig, .flags = kPolled},
    {.name = "hipOccupancyMaxActiveBlocksPerMultiprocessor", .kind = Kind::kModule, .shape = shape::kOccupancy,
     .flags = kPolled},
    {.name = "hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", .kind = Kind::kModule,
     .shape = shape::kOccupancyFlags, .flags = kPolled},
    {.name = "hipOccupancyMaxPotentialBlockSize", .kind = Kind::kModule, .shape = kOccupancyBest, .flags = kPolled},
    {.name = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", .kind = Kind::kModule, .shape = shape::kOccupancy,
     .flags = kPolled},
    {.name = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", .kind = Kind::kModule,
     .shape = shape::kOccupancyFlags, .flags = kPolled},
    {.name = "hipModuleOccupancyMaxPotentialBlockSize", .kind = Kind::kModule, .shape = kOccupancyBest,
     .flags = kPolled},
    {.name = "hipModuleOccupancyMaxPotentialBlockSizeWithFlags", .kind = Kind::kModule, .shape = kOccupancyBestFlags,
     .flags = kPolled},
};
// clang-format on

}  // namespace ingero::backends::hip
