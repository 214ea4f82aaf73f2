// The CUDA driver API (libcuda): the level every launch and allocation reaches, through the runtime or directly.
//
// The driver never changes a symbol's prototype: a new one is a new suffix. Names whose bare spelling still has the
// 32-bit prototype of CUDA 3.1 have a row of their own for it, below; the bare name of the other row is then kNotBase.
#pragma once

#include "backends/cuda/runtime_rows.h"

namespace ingero::backends::cuda {

inline constexpr Param kLaunchGrid[] = {param::kFunction, param::kGridX, param::kGridY};
inline constexpr Param kLaunchGridAsync[] = {param::kFunction, param::kGridX, param::kGridY, param::kStream};

inline constexpr Param kMulticastAddDevice[] = {shape::kMemoryHandle, param::kDevice};
inline constexpr Param kMulticastBindMemory[] = {shape::kMemoryHandle, param::kSkipSize, {Abi::kU64, Field::kHandle2},
                                                 param::kSkipSize,     param::kBytes,    param::kFlags64};
inline constexpr Param kMulticastBindAddress[] = {shape::kMemoryHandle, param::kSkipSize, param::kAddress,
                                                  param::kBytes, param::kFlags64};
inline constexpr Param kMulticastUnbind[] = {shape::kMemoryHandle, param::kDevice, param::kSkipSize, param::kBytes};

// Copies between a context's memory and another's: the contexts say the devices only through other calls.
inline constexpr Param kCopyContexts[] = {param::kAddress, param::kSkip, param::kSource, param::kSkip, param::kBytes};
inline constexpr Param kCopyContextsAsync[] = {param::kAddress, param::kSkip,  param::kSource,
                                               param::kSkip,    param::kBytes, param::kStream};
// CUDA_MEMCPY3D: widths are bytes; the two memory types say the direction.
inline constexpr Peek kMemcpy3D[] = {{Field::kSourcePlace, 32, 4},
                                     {Field::kDestinationPlace, 120, 4},
                                     {Field::kWidth, 176},
                                     {Field::kHeight, 184},
                                     {Field::kDepth, 192}};
inline constexpr Param kDriverCopy3D[] = {{Abi::kPtr, Field::kNone, kMemcpy3D}};
inline constexpr Param kDriverCopy3DAsync[] = {{Abi::kPtr, Field::kNone, kMemcpy3D}, param::kStream};

inline constexpr Param kStreamValue32[] = {
    param::kStream, param::kAddress, {Abi::kI32, Field::kValue}, param::kFlags32};
inline constexpr Param kStreamValue64[] = {
    param::kStream, param::kAddress, {Abi::kU64, Field::kValue}, param::kFlags32};

inline constexpr Param kContextCreateAffinity[] = {param::kOutHandle, param::kSkip, param::kSkip32, param::kFlags32,
                                                   param::kDevice};
inline constexpr Param kContextCreateParams[] = {param::kOutHandle, param::kSkip, param::kFlags32, param::kDevice};

inline constexpr Param kContextCreateVdpau[] = {param::kOutHandle, param::kFlags32, param::kDevice, param::kSkip32,
                                                param::kSkip};
inline constexpr Param kContextAttach[] = {param::kOutHandle, param::kFlags32};
inline constexpr Param kEventOfContext[] = {param::kHandle2, param::kHandle};
inline constexpr Param kGreenCreate[] = {param::kOutHandle, param::kSkip, param::kDevice, param::kFlags32};
inline constexpr Param kGreenStream[] = {param::kOutStream, param::kHandle, param::kFlags32, param::kSkip32};
inline constexpr Param kOfProcess[] = {param::kSkip32, param::kSkip};  // a pid, and arguments

inline constexpr Param kExportRange[] = {param::kSkip, param::kAddress, param::kBytes, param::kSkip32, param::kFlags64};
inline constexpr Param kExportPoolFlags64[] = {param::kSkip, param::kHandle, param::kSkip32, param::kFlags64};
inline constexpr Param kImportPoolFlags64[] = {param::kOutHandle, param::kSkip, param::kSkip32, param::kFlags64};
inline constexpr Param kDecompressBatch[] = {param::kSkip, param::kCount, param::kFlags32, param::kSkip,
                                             param::kStream};
inline constexpr Param kPresentDriverEglFrame[] = {
    param::kFirstHandle, {.abi = Abi::kStruct, .bytes = 64}, param::kSkip};  // struct CUeglFrame

inline constexpr Param kSetKernelAttribute[] = {param::kSkip32, param::kSkip32, param::kFunction, param::kDevice};
inline constexpr Param kSetKernelConfig[] = {param::kFunction, param::kSkip32, param::kDevice};
inline constexpr Param kOccupancyBest[] = {param::kSkip, param::kSkip,        param::kFunction,
                                           param::kSkip, param::kSharedBytes, param::kSkip32};
inline constexpr Param kOccupancyBestFlags[] = {param::kSkip,        param::kSkip,   param::kFunction, param::kSkip,
                                                param::kSharedBytes, param::kSkip32, param::kFlags32};

inline constexpr Param kModuleOfLibrary[] = {param::kOutHandle, param::kHandle2};
inline constexpr Param kProcAddress[] = {param::kSkip, param::kOutAddress, param::kSkip32, param::kFlags64};

// The 32-bit prototypes behind bare names: device addresses and sizes are unsigned int.
inline constexpr Peek kOutAddress32[] = {{Field::kAddress, 0, 4, When::kReturn}};
inline constexpr Param kAddress32{Abi::kI32, Field::kAddress};
inline constexpr Param kSource32{Abi::kI32, Field::kSource};
inline constexpr Param kOutDeviceAddress32{Abi::kPtr, Field::kNone, kOutAddress32};
inline constexpr Param kLookUpVariableV1[] = {kOutDeviceAddress32, param::kSkip, param::kHandle, param::kSkip};
inline constexpr Param kAllocV1[] = {kOutDeviceAddress32, param::kBytes32};
inline constexpr Param kAllocPitchV1[] = {kOutDeviceAddress32, param::kSkip, param::kWidth32, param::kHeight32,
                                          param::kSkip32};
inline constexpr Param kAllocHostV1[] = {param::kOutAddress, param::kBytes32};
inline constexpr Param kFreeV1[] = {kAddress32};
inline constexpr Param kCopyHtoDV1[] = {kAddress32, param::kSource, param::kBytes32};
inline constexpr Param kCopyDtoHV1[] = {param::kAddress, kSource32, param::kBytes32};
inline constexpr Param kCopyDtoDV1[] = {kAddress32, kSource32, param::kBytes32};
inline constexpr Param kCopyHtoDAsyncV1[] = {kAddress32, param::kSource, param::kBytes32, param::kStream};
inline constexpr Param kCopyDtoHAsyncV1[] = {param::kAddress, kSource32, param::kBytes32, param::kStream};
inline constexpr Param kCopyDtoDAsyncV1[] = {kAddress32, kSource32, param::kBytes32, param::kStream};
inline constexpr Param kCopyDtoAV1[] = {param::kHandle, param::kSkip32, kSource32, param::kBytes32};
inline constexpr Param kCopyAtoDV1[] = {kAddress32, param::kHandle, param::kSkip32, param::kBytes32};
inline constexpr Param kCopyHtoAV1[] = {param::kHandle, param::kSkip32, param::kSource, param::kBytes32};
inline constexpr Param kCopyAtoHV1[] = {param::kAddress, param::kHandle, param::kSkip32, param::kBytes32};
inline constexpr Param kCopyHtoAAsyncV1[] = {param::kHandle, param::kSkip32, param::kSource, param::kBytes32,
                                             param::kStream};
inline constexpr Param kCopyAtoHAsyncV1[] = {param::kAddress, param::kHandle, param::kSkip32, param::kBytes32,
                                             param::kStream};
inline constexpr Param kCopyAtoAV1[] = {param::kHandle, param::kSkip32, param::kHandle2, param::kSkip32,
                                        param::kBytes32};
inline constexpr Peek kMemcpy2DV1[] = {
    {Field::kSourcePlace, 8, 4}, {Field::kDestinationPlace, 52, 4}, {Field::kWidth, 84, 4}, {Field::kHeight, 88, 4}};
inline constexpr Peek kMemcpy3DV1[] = {{Field::kSourcePlace, 16, 4},
                                       {Field::kDestinationPlace, 80, 4},
                                       {Field::kWidth, 128, 4},
                                       {Field::kHeight, 132, 4},
                                       {Field::kDepth, 136, 4}};
inline constexpr Param kCopy2DV1[] = {{Abi::kPtr, Field::kNone, kMemcpy2DV1}};
inline constexpr Param kCopy2DAsyncV1[] = {{Abi::kPtr, Field::kNone, kMemcpy2DV1}, param::kStream};
inline constexpr Param kCopy3DV1[] = {{Abi::kPtr, Field::kNone, kMemcpy3DV1}};
inline constexpr Param kCopy3DAsyncV1[] = {{Abi::kPtr, Field::kNone, kMemcpy3DV1}, param::kStream};
inline constexpr Param kSetV1[] = {kAddress32, param::kSkip32, param::kBytes32};
inline constexpr Param kSet2DV1[] = {kAddress32, param::kSkip32, param::kSkip32, param::kWidth32, param::kHeight32};

inline constexpr uint8_t kOnlyV2 = kV2 | kNotBase;
inline constexpr uint8_t kOnlyV2Ptds = kV2 | kNotBase | kPtds;
inline constexpr uint8_t kOnlyV2Ptsz = kV2 | kNotBase | kPtsz;

// clang-format off
inline constexpr Row kDriverRows[] = {
    // Launches.
    {.name = "cuLaunchKernel", .kind = Kind::kLaunch, .shape = shape::kLaunchHandle, .variants = kPtsz, .flags = kAsync,
     .op = 1},
    {.name = "cuLaunchKernelEx", .kind = Kind::kLaunch, .shape = shape::kLaunchEx, .variants = kPtsz, .flags = kAsync},
    {.name = "cuLaunchCooperativeKernel", .kind = Kind::kLaunch, .shape = shape::kLaunchHandleCooperative,
     .variants = kPtsz, .flags = kAsync},
    {.name = "cuLaunchCooperativeKernelMultiDevice", .kind = Kind::kLaunch, .shape = shape::kDriverLaunchMultiDevice,
     .flags = kAsync},
    {.name = "cuLaunch", .kind = Kind::kLaunch, .shape = shape::kLaunchFunctionOnly, .flags = kAsync},
    {.name = "cuLaunchGrid", .kind = Kind::kLaunch, .shape = kLaunchGrid, .flags = kAsync},
    {.name = "cuLaunchGridAsync", .kind = Kind::kLaunch, .shape = kLaunchGridAsync, .flags = kAsync},
    {.name = "cuLaunchHostFunc", .kind = Kind::kLaunch, .shape = shape::kHostCallback, .variants = kPtsz, .flags = kAsync},
    {.name = "cuStreamAddCallback", .kind = Kind::kLaunch, .shape = shape::kHostCallbackFlags, .variants = kPtsz,
     .flags = kAsync},

    // Memory.
    {.name = "cuMemAlloc", .kind = Kind::kAlloc, .shape = shape::kAlloc, .variants = kOnlyV2, .op = 5},
    {.name = "cuMemAllocPitch", .kind = Kind::kAlloc, .shape = shape::kDriverAllocPitch, .variants = kOnlyV2},
    {.name = "cuMemAllocManaged", .kind = Kind::kAlloc, .shape = shape::kAllocFlags, .op = 6},
    {.name = "cuMemAllocHost", .kind = Kind::kAlloc, .shape = shape::kAlloc, .variants = kOnlyV2, .flags = kHostMemory},
    {.name = "cuMemHostAlloc", .kind = Kind::kAlloc, .shape = shape::kAllocFlags, .flags = kHostMemory},
    {.name = "cuMemHostRegister", .kind = Kind::kAlloc, .shape = shape::kRegisterHost, .variants = kV2, .flags = kHostMemory},
    {.name = "cuMemAllocAsync", .kind = Kind::kAlloc, .shape = shape::kAllocAsync, .variants = kPtsz, .flags = kAsync},
    {.name = "cuMemAllocFromPoolAsync", .kind = Kind::kAlloc, .shape = shape::kAllocFromPool, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cuMemPoolCreate", .kind = Kind::kAlloc, .shape = shape::kPoolCreate},
    {.name = "cuArrayCreate", .kind = Kind::kAlloc, .shape = shape::kArrayCreate, .variants = kV2},
    {.name = "cuArray3DCreate", .kind = Kind::kAlloc, .shape = shape::kArrayCreate, .variants = kV2},
    {.name = "cuMipmappedArrayCreate", .kind = Kind::kAlloc, .shape = shape::kMipmappedArrayCreate},
    {.name = "cuIpcOpenMemHandle", .kind = Kind::kAlloc, .shape = shape::kOpenIpcMemory, .variants = kV2},
    {.name = "cuMemFree", .kind = Kind::kFree, .shape = shape::kFree, .variants = kOnlyV2},
    {.name = "cuMemFreeHost", .kind = Kind::kFree, .shape = shape::kFree, .flags = kHostMemory},
    {.name = "cuMemHostUnregister", .kind = Kind::kFree, .shape = shape::kFree, .flags = kHostMemory},
    {.name = "cuMemFreeAsync", .kind = Kind::kFree, .shape = shape::kFreeAsync, .variants = kPtsz, .flags = kAsync},
    {.name = "cuMemPoolDestroy", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "cuMemPoolTrimTo", .kind = Kind::kFree, .shape = shape::kPoolTrim},
    {.name = "cuArrayDestroy", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "cuMipmappedArrayDestroy", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "cuIpcCloseMemHandle", .kind = Kind::kFree, .shape = shape::kFree},
    {.name = "cuMemGetInfo", .kind = Kind::kDevice, .shape = shape::kMemoryInfo, .variants = kV2, .flags = kPolled},

    // Memory of other processes and of other interfaces.
    {.name = "cuIpcGetMemHandle", .kind = Kind::kDevice, .shape = shape::kExportAddress},
    {.name = "cuMemGetHandleForAddressRange", .kind = Kind::kDevice, .shape = kExportRange},
    {.name = "cuMemPoolExportToShareableHandle", .kind = Kind::kDevice, .shape = kExportPoolFlags64},
    {.name = "cuMemPoolImportFromShareableHandle", .kind = Kind::kAlloc, .shape = kImportPoolFlags64},
    {.name = "cuMemPoolExportPointer", .kind = Kind::kDevice, .shape = shape::kExportAddress},
    {.name = "cuMemPoolImportPointer", .kind = Kind::kAlloc, .shape = shape::kImportFromPool},
    {.name = "cuMemPoolSetAccess", .kind = Kind::kDevice, .shape = shape::kPoolSetAccess},
    {.name = "cuImportExternalMemory", .kind = Kind::kAlloc, .shape = shape::kImportExternal},
    {.name = "cuExternalMemoryGetMappedBuffer", .kind = Kind::kAlloc, .shape = shape::kMapExternal},
    {.name = "cuExternalMemoryGetMappedMipmappedArray", .kind = Kind::kAlloc, .shape = shape::kMapExternalArray},
    {.name = "cuDestroyExternalMemory", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "cuGraphicsGLRegisterBuffer", .kind = Kind::kAlloc, .shape = shape::kRegisterBuffer},
    {.name = "cuGraphicsGLRegisterImage", .kind = Kind::kAlloc, .shape = shape::kRegisterTexture},
    {.name = "cuGraphicsEGLRegisterImage", .kind = Kind::kAlloc, .shape = kRegisterEglImage},
    {.name = "cuGraphicsVDPAURegisterVideoSurface", .kind = Kind::kAlloc, .shape = shape::kRegisterBuffer},
    {.name = "cuGraphicsVDPAURegisterOutputSurface", .kind = Kind::kAlloc, .shape = shape::kRegisterBuffer},
    {.name = "cuGraphicsUnregisterResource", .kind = Kind::kFree, .shape = shape::kHandleOnly},

    // Physical memory and address space apart: create and release, reserve and free, map and unmap are three pairs.
    {.name = "cuMemCreate", .kind = Kind::kAlloc, .shape = shape::kMemoryCreate},
    {.name = "cuMemAddressReserve", .kind = Kind::kAlloc, .shape = shape::kAddressReserve, .flags = kAddressSpace},
    {.name = "cuMemMap", .kind = Kind::kAlloc, .shape = shape::kMemoryMap},
    {.name = "cuMemImportFromShareableHandle", .kind = Kind::kAlloc, .shape = shape::kMemoryImport},
    {.name = "cuMemRetainAllocationHandle", .kind = Kind::kAlloc, .shape = shape::kMemoryRetain},
    {.name = "cuMulticastCreate", .kind = Kind::kAlloc, .shape = shape::kArrayCreate},
    {.name = "cuMemRelease", .kind = Kind::kFree, .shape = shape::kMemoryHandleOnly},
    {.name = "cuMemAddressFree", .kind = Kind::kFree, .shape = shape::kAddressRange, .flags = kAddressSpace},
    {.name = "cuMemUnmap", .kind = Kind::kFree, .shape = shape::kAddressRange},
    {.name = "cuMemMapArrayAsync", .kind = Kind::kDevice, .shape = shape::kMapArrays, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cuMemSetAccess", .kind = Kind::kDevice, .shape = shape::kMemorySetAccess},
    {.name = "cuMemExportToShareableHandle", .kind = Kind::kDevice, .shape = shape::kMemoryExport},
    {.name = "cuMulticastAddDevice", .kind = Kind::kDevice, .shape = kMulticastAddDevice},
    {.name = "cuMulticastBindMem", .kind = Kind::kDevice, .shape = kMulticastBindMemory},
    {.name = "cuMulticastBindAddr", .kind = Kind::kDevice, .shape = kMulticastBindAddress},
    {.name = "cuMulticastUnbind", .kind = Kind::kDevice, .shape = kMulticastUnbind},

    // Copies.
    {.name = "cuMemcpy", .kind = Kind::kMemcpy, .shape = shape::kCopy, .variants = kPtds, .flags = kSynchronising,
     .op = 2},
    {.name = "cuMemcpyAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyAsync, .variants = kPtsz, .flags = kAsync,
     .op = 3},
    {.name = "cuMemcpyHtoD", .kind = Kind::kMemcpy, .shape = shape::kCopy, .variants = kOnlyV2Ptds,
     .flags = kSynchronising, .direction = Direction::kHostToDevice},
    {.name = "cuMemcpyDtoH", .kind = Kind::kMemcpy, .shape = shape::kCopy, .variants = kOnlyV2Ptds,
     .flags = kSynchronising, .direction = Direction::kDeviceToHost},
    {.name = "cuMemcpyDtoD", .kind = Kind::kMemcpy, .shape = shape::kCopy, .variants = kOnlyV2Ptds,
     .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyDtoA", .kind = Kind::kMemcpy, .shape = shape::kCopyIntoArray, .variants = kOnlyV2Ptds,
     .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyAtoD", .kind = Kind::kMemcpy, .shape = shape::kCopyOutOfArray, .variants = kOnlyV2Ptds,
     .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyHtoA", .kind = Kind::kMemcpy, .shape = shape::kCopyIntoArray, .variants = kOnlyV2Ptds,
     .flags = kSynchronising, .direction = Direction::kHostToDevice},
    {.name = "cuMemcpyAtoH", .kind = Kind::kMemcpy, .shape = shape::kCopyOutOfArray, .variants = kOnlyV2Ptds,
     .flags = kSynchronising, .direction = Direction::kDeviceToHost},
    {.name = "cuMemcpyAtoA", .kind = Kind::kMemcpy, .shape = shape::kCopyBetweenArrays, .variants = kOnlyV2Ptds,
     .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyHtoDAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyAsync, .variants = kOnlyV2Ptsz,
     .flags = kAsync, .direction = Direction::kHostToDevice},
    {.name = "cuMemcpyDtoHAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyAsync, .variants = kOnlyV2Ptsz,
     .flags = kAsync, .direction = Direction::kDeviceToHost},
    {.name = "cuMemcpyDtoDAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyAsync, .variants = kOnlyV2Ptsz,
     .flags = kAsync, .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyHtoAAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyIntoArrayAsync, .variants = kOnlyV2Ptsz,
     .flags = kAsync, .direction = Direction::kHostToDevice},
    {.name = "cuMemcpyAtoHAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyOutOfArrayAsync, .variants = kOnlyV2Ptsz,
     .flags = kAsync, .direction = Direction::kDeviceToHost},
    {.name = "cuMemcpyPeer", .kind = Kind::kMemcpy, .shape = kCopyContexts, .variants = kPtds,
     .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyPeerAsync", .kind = Kind::kMemcpy, .shape = kCopyContextsAsync, .variants = kPtsz, .flags = kAsync,
     .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpy2D", .kind = Kind::kMemcpy, .shape = shape::kDriverCopy2D, .variants = kOnlyV2Ptds,
     .flags = kSynchronising},
    {.name = "cuMemcpy2DUnaligned", .kind = Kind::kMemcpy, .shape = shape::kDriverCopy2D, .variants = kOnlyV2Ptds,
     .flags = kSynchronising},
    {.name = "cuMemcpy2DAsync", .kind = Kind::kMemcpy, .shape = shape::kDriverCopy2DAsync, .variants = kOnlyV2Ptsz,
     .flags = kAsync},
    {.name = "cuMemcpy3D", .kind = Kind::kMemcpy, .shape = kDriverCopy3D, .variants = kOnlyV2Ptds,
     .flags = kSynchronising},
    {.name = "cuMemcpy3DAsync", .kind = Kind::kMemcpy, .shape = kDriverCopy3DAsync, .variants = kOnlyV2Ptsz,
     .flags = kAsync},
    {.name = "cuMemcpy3DPeer", .kind = Kind::kMemcpy, .shape = kDriverCopy3D, .variants = kPtds,
     .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpy3DPeerAsync", .kind = Kind::kMemcpy, .shape = kDriverCopy3DAsync, .variants = kPtsz, .flags = kAsync,
     .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyBatchAsync", .kind = Kind::kMemcpy, .shape = kCopyBatchFailIndex, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cuMemcpyBatchAsync", .kind = Kind::kMemcpy, .shape = kCopyBatch, .variants = kOnlyV2Ptsz, .flags = kAsync},
    {.name = "cuMemcpy3DBatchAsync", .kind = Kind::kMemcpy, .shape = kCopy3DBatchFailIndex, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cuMemcpy3DBatchAsync", .kind = Kind::kMemcpy, .shape = kCopy3DBatch, .variants = kOnlyV2Ptsz,
     .flags = kAsync},
    {.name = "cuMemBatchDecompressAsync", .kind = Kind::kMemcpy, .shape = kDecompressBatch, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cuMemPrefetchAsync", .kind = Kind::kMemcpy, .shape = shape::kPrefetchDevice, .variants = kPtsz, .flags = kAsync},
    {.name = "cuMemPrefetchAsync", .kind = Kind::kMemcpy, .shape = kPrefetchLocation, .variants = kOnlyV2Ptsz,
     .flags = kAsync},
    {.name = "cuMemPrefetchBatchAsync", .kind = Kind::kMemcpy, .shape = kPrefetchBatch, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cuMemDiscardAndPrefetchBatchAsync", .kind = Kind::kMemcpy, .shape = kPrefetchBatch, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cuMemDiscardBatchAsync", .kind = Kind::kDevice, .shape = kDiscardBatch, .variants = kPtsz, .flags = kAsync},
    {.name = "cuMemAdvise", .kind = Kind::kDevice, .shape = shape::kAdviseDevice},
    {.name = "cuMemAdvise", .kind = Kind::kDevice, .shape = kAdviseLocation, .variants = kOnlyV2},
    {.name = "cuMemsetD8", .kind = Kind::kMemset, .shape = shape::kSet, .variants = kOnlyV2Ptds},
    {.name = "cuMemsetD8Async", .kind = Kind::kMemset, .shape = shape::kSetAsync, .variants = kPtsz, .flags = kAsync},
    {.name = "cuMemsetD2D8", .kind = Kind::kMemset, .shape = shape::kSet2D, .variants = kOnlyV2Ptds},
    {.name = "cuMemsetD2D8Async", .kind = Kind::kMemset, .shape = shape::kSet2DAsync, .variants = kPtsz, .flags = kAsync},
    {.name = "cuMemsetD16", .kind = Kind::kMemset, .shape = shape::kSet, .variants = kOnlyV2Ptds, .element_bytes = 2},
    {.name = "cuMemsetD16Async", .kind = Kind::kMemset, .shape = shape::kSetAsync, .variants = kPtsz, .flags = kAsync,
     .element_bytes = 2},
    {.name = "cuMemsetD2D16", .kind = Kind::kMemset, .shape = shape::kSet2D, .variants = kOnlyV2Ptds, .element_bytes = 2},
    {.name = "cuMemsetD2D16Async", .kind = Kind::kMemset, .shape = shape::kSet2DAsync, .variants = kPtsz, .flags = kAsync,
     .element_bytes = 2},
    {.name = "cuMemsetD32", .kind = Kind::kMemset, .shape = shape::kSet, .variants = kOnlyV2Ptds, .element_bytes = 4},
    {.name = "cuMemsetD32Async", .kind = Kind::kMemset, .shape = shape::kSetAsync, .variants = kPtsz, .flags = kAsync,
     .element_bytes = 4},
    {.name = "cuMemsetD2D32", .kind = Kind::kMemset, .shape = shape::kSet2D, .variants = kOnlyV2Ptds, .element_bytes = 4},
    {.name = "cuMemsetD2D32Async", .kind = Kind::kMemset, .shape = shape::kSet2DAsync, .variants = kPtsz, .flags = kAsync,
     .element_bytes = 4},

    // Waits, streams, events.
    {.name = "cuCtxSynchronize", .kind = Kind::kSync, .shape = shape::kNothing, .flags = kSynchronising, .op = 4},
    {.name = "cuCtxSynchronize", .kind = Kind::kSync, .shape = shape::kHandleOnly, .variants = kOnlyV2,
     .flags = kSynchronising, .op = 4},
    {.name = "cuStreamSynchronize", .kind = Kind::kSync, .shape = shape::kStreamOnly, .variants = kPtsz,
     .flags = kSynchronising},
    {.name = "cuEventSynchronize", .kind = Kind::kSync, .shape = shape::kHandleOnly, .flags = kSynchronising},
    {.name = "cuStreamCreate", .kind = Kind::kStream, .shape = shape::kStreamCreateFlags},
    {.name = "cuStreamCreateWithPriority", .kind = Kind::kStream, .shape = shape::kStreamCreatePriority},
    {.name = "cuStreamDestroy", .kind = Kind::kStream, .shape = shape::kStreamOnly, .variants = kV2},
    {.name = "cuStreamQuery", .kind = Kind::kStream, .shape = shape::kStreamOnly, .variants = kPtsz, .flags = kPolled},
    {.name = "cuStreamAttachMemAsync", .kind = Kind::kStream, .shape = shape::kAttachMemory, .variants = kPtsz, .flags = kAsync},
    {.name = "cuStreamWaitEvent", .kind = Kind::kEvent, .shape = shape::kStreamWaitEvent, .variants = kPtsz,
     .flags = kAsync | kAwaitsMark},
    {.name = "cuStreamWaitValue32", .kind = Kind::kEvent, .shape = kStreamValue32, .variants = kV2 | kPtsz,
     .flags = kAsync},
    {.name = "cuStreamWaitValue64", .kind = Kind::kEvent, .shape = kStreamValue64, .variants = kV2 | kPtsz,
     .flags = kAsync},
    {.name = "cuStreamWriteValue32", .kind = Kind::kEvent, .shape = kStreamValue32, .variants = kV2 | kPtsz,
     .flags = kAsync},
    {.name = "cuStreamWriteValue64", .kind = Kind::kEvent, .shape = kStreamValue64, .variants = kV2 | kPtsz,
     .flags = kAsync},
    {.name = "cuStreamBatchMemOp", .kind = Kind::kEvent, .shape = shape::kStreamBatch, .variants = kV2 | kPtsz, .flags = kAsync},
    {.name = "cuEventCreate", .kind = Kind::kEvent, .shape = shape::kHandleCreateFlags},
    {.name = "cuEventRecord", .kind = Kind::kEvent, .shape = shape::kHandleOnStream, .variants = kPtsz,
     .flags = kAsync | kMarksStream},
    {.name = "cuEventRecordWithFlags", .kind = Kind::kEvent, .shape = shape::kHandleOnStreamFlags, .variants = kPtsz,
     .flags = kAsync | kMarksStream},
    {.name = "cuEventQuery", .kind = Kind::kEvent, .shape = shape::kHandleOnly, .flags = kPolled},
    {.name = "cuEventElapsedTime", .kind = Kind::kEvent, .shape = shape::kElapsedTime, .variants = kV2},
    {.name = "cuEventDestroy", .kind = Kind::kEvent, .shape = shape::kHandleOnly, .variants = kV2},
    {.name = "cuCtxRecordEvent", .kind = Kind::kEvent, .shape = kEventOfContext, .flags = kAsync},
    {.name = "cuCtxWaitEvent", .kind = Kind::kEvent, .shape = kEventOfContext, .flags = kAsync},
    {.name = "cuGreenCtxRecordEvent", .kind = Kind::kEvent, .shape = kEventOfContext, .flags = kAsync},
    {.name = "cuGreenCtxWaitEvent", .kind = Kind::kEvent, .shape = kEventOfContext, .flags = kAsync},
    {.name = "cuGreenCtxStreamCreate", .kind = Kind::kStream, .shape = kGreenStream},
    {.name = "cuFlushGPUDirectRDMAWrites", .kind = Kind::kSync, .shape = kFlushRemoteWrites,
     .flags = kSynchronising},

    // Events, semaphores and resources shared with other processes and other interfaces.
    {.name = "cuIpcGetEventHandle", .kind = Kind::kEvent, .shape = shape::kExportHandle},
    {.name = "cuIpcOpenEventHandle", .kind = Kind::kEvent, .shape = shape::kOpenIpcEvent},
    {.name = "cuImportExternalSemaphore", .kind = Kind::kEvent, .shape = shape::kImportSemaphore},
    {.name = "cuSignalExternalSemaphoresAsync", .kind = Kind::kEvent, .shape = shape::kSemaphores, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cuWaitExternalSemaphoresAsync", .kind = Kind::kEvent, .shape = shape::kSemaphores, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cuDestroyExternalSemaphore", .kind = Kind::kEvent, .shape = shape::kHandleOnly},
    {.name = "cuGraphicsMapResources", .kind = Kind::kStream, .shape = shape::kMapResources, .variants = kPtsz},
    {.name = "cuGraphicsUnmapResources", .kind = Kind::kStream, .shape = shape::kMapResources, .variants = kPtsz},
    {.name = "cuEGLStreamConsumerConnect", .kind = Kind::kEvent, .shape = kConnectEgl},
    {.name = "cuEGLStreamConsumerConnectWithFlags", .kind = Kind::kEvent, .shape = kConnectEglFlags},
    {.name = "cuEGLStreamConsumerDisconnect", .kind = Kind::kEvent, .shape = kDisconnectEgl},
    {.name = "cuEGLStreamConsumerAcquireFrame", .kind = Kind::kEvent, .shape = kAcquireEglFrame},
    {.name = "cuEGLStreamConsumerReleaseFrame", .kind = Kind::kEvent, .shape = kReturnEglFrame},
    {.name = "cuEGLStreamProducerConnect", .kind = Kind::kEvent, .shape = kConnectEglSize},
    {.name = "cuEGLStreamProducerDisconnect", .kind = Kind::kEvent, .shape = kDisconnectEgl},
    {.name = "cuEGLStreamProducerPresentFrame", .kind = Kind::kEvent, .shape = kPresentDriverEglFrame},
    {.name = "cuEGLStreamProducerReturnFrame", .kind = Kind::kEvent, .shape = kReturnEglFrame},

    // Graphs.
    {.name = "cuStreamBeginCapture", .kind = Kind::kGraph, .shape = shape::kStreamOnly, .variants = kPtsz,
     .flags = kBeginsCapture},
    {.name = "cuStreamBeginCapture", .kind = Kind::kGraph, .shape = shape::kBeginCapture, .variants = kOnlyV2Ptsz,
     .flags = kBeginsCapture},
    {.name = "cuStreamBeginCaptureToGraph", .kind = Kind::kGraph, .shape = shape::kBeginCaptureToGraph, .variants = kPtsz,
     .flags = kBeginsCapture},
    {.name = "cuStreamEndCapture", .kind = Kind::kGraph, .shape = shape::kEndCapture, .variants = kPtsz,
     .flags = kEndsCapture},
    {.name = "cuGraphCreate", .kind = Kind::kGraph, .shape = shape::kHandleCreateFlags},
    {.name = "cuGraphClone", .kind = Kind::kGraph, .shape = shape::kClone},
    {.name = "cuGraphInstantiate", .kind = Kind::kGraph, .shape = shape::kInstantiate, .variants = kV2},
    {.name = "cuGraphInstantiateWithFlags", .kind = Kind::kGraph, .shape = shape::kInstantiateFlags},
    {.name = "cuGraphInstantiateWithParams", .kind = Kind::kGraph, .shape = kInstantiateWithParams, .variants = kPtsz},
    {.name = "cuGraphUpload", .kind = Kind::kGraph, .shape = shape::kHandleOnStream, .variants = kPtsz, .flags = kAsync},
    {.name = "cuGraphLaunch", .kind = Kind::kGraph, .shape = shape::kHandleOnStream, .variants = kPtsz, .flags = kAsync},
    {.name = "cuGraphExecUpdate", .kind = Kind::kGraph, .shape = shape::kUpdateErrorNode},
    {.name = "cuGraphExecUpdate", .kind = Kind::kGraph, .shape = shape::kUpdateReport, .variants = kOnlyV2},
    {.name = "cuGraphExecDestroy", .kind = Kind::kGraph, .shape = shape::kHandleOnly},
    {.name = "cuGraphDestroy", .kind = Kind::kGraph, .shape = shape::kHandleOnly},

    // Devices and contexts.
    {.name = "cuInit", .kind = Kind::kDevice, .shape = shape::kFlagsOnly},
    {.name = "cuDeviceGet", .kind = Kind::kDevice, .shape = shape::kDeviceByOrdinal},
    {.name = "cuDeviceGetCount", .kind = Kind::kDevice, .shape = shape::kCountGet},
    {.name = "cuCtxCreate", .kind = Kind::kDevice, .shape = shape::kContextCreate, .variants = kV2, .flags = kPushesDevice},
    {.name = "cuCtxCreate", .kind = Kind::kDevice, .shape = kContextCreateAffinity, .variants = kV3 | kNotBase, .flags = kPushesDevice},
    {.name = "cuCtxCreate_v4", .kind = Kind::kDevice, .shape = kContextCreateParams, .flags = kPushesDevice},
    {.name = "cuGLCtxCreate", .kind = Kind::kDevice, .shape = shape::kContextCreate, .variants = kV2,
     .flags = kPushesDevice},
    {.name = "cuVDPAUCtxCreate", .kind = Kind::kDevice, .shape = kContextCreateVdpau, .variants = kV2,
     .flags = kPushesDevice},
    {.name = "cuCtxAttach", .kind = Kind::kDevice, .shape = kContextAttach},
    {.name = "cuCtxDetach", .kind = Kind::kDevice, .shape = shape::kHandleOnly},
    {.name = "cuGreenCtxCreate", .kind = Kind::kDevice, .shape = kGreenCreate},
    {.name = "cuGreenCtxDestroy", .kind = Kind::kDevice, .shape = shape::kHandleOnly},
    {.name = "cuCtxEnablePeerAccess", .kind = Kind::kDevice, .shape = shape::kEnableContextPeer},
    {.name = "cuCtxDisablePeerAccess", .kind = Kind::kDevice, .shape = shape::kHandleOnly},
    {.name = "cuCtxSetLimit", .kind = Kind::kDevice, .shape = shape::kSetLimit},
    {.name = "cuCtxResetPersistingL2Cache", .kind = Kind::kDevice, .shape = shape::kNothing},
    {.name = "cuDeviceGraphMemTrim", .kind = Kind::kDevice, .shape = shape::kDeviceOnly},
    {.name = "cuCheckpointProcessLock", .kind = Kind::kDevice, .shape = kOfProcess},
    {.name = "cuCheckpointProcessCheckpoint", .kind = Kind::kDevice, .shape = kOfProcess},
    {.name = "cuCheckpointProcessRestore", .kind = Kind::kDevice, .shape = kOfProcess},
    {.name = "cuCheckpointProcessUnlock", .kind = Kind::kDevice, .shape = kOfProcess},
    {.name = "cuCtxDestroy", .kind = Kind::kDevice, .shape = shape::kHandleOnly, .variants = kV2},
    {.name = "cuCtxPushCurrent", .kind = Kind::kDevice, .shape = shape::kHandleOnly, .variants = kV2, .flags = kPushesDevice},
    {.name = "cuCtxPopCurrent", .kind = Kind::kDevice, .shape = shape::kHandleCreate, .variants = kV2, .flags = kPopsDevice},
    {.name = "cuCtxSetCurrent", .kind = Kind::kDevice, .shape = shape::kHandleOnly, .flags = kChoosesDevice},
    {.name = "cuDevicePrimaryCtxRetain", .kind = Kind::kDevice, .shape = shape::kContextRetain},
    {.name = "cuDevicePrimaryCtxRelease", .kind = Kind::kDevice, .shape = shape::kDeviceOnly, .variants = kV2},
    {.name = "cuDevicePrimaryCtxReset", .kind = Kind::kDevice, .shape = shape::kDeviceOnly, .variants = kV2},

    // Code: what a launch's function handle is called.
    {.name = "cuModuleLoad", .kind = Kind::kModule, .shape = shape::kLoad},
    {.name = "cuModuleLoadData", .kind = Kind::kModule, .shape = shape::kLoad},
    {.name = "cuModuleLoadDataEx", .kind = Kind::kModule, .shape = shape::kModuleLoadEx},
    {.name = "cuModuleLoadFatBinary", .kind = Kind::kModule, .shape = shape::kLoad},
    {.name = "cuModuleUnload", .kind = Kind::kModule, .shape = shape::kHandleOnly},
    {.name = "cuModuleGetFunction", .kind = Kind::kModule, .shape = shape::kLookUpFunction, .flags = kRegistersName},
    {.name = "cuLibraryLoadData", .kind = Kind::kModule, .shape = kLibraryLoad},
    {.name = "cuLibraryLoadFromFile", .kind = Kind::kModule, .shape = kLibraryLoad},
    {.name = "cuLibraryUnload", .kind = Kind::kModule, .shape = shape::kHandleOnly},
    {.name = "cuLibraryGetKernel", .kind = Kind::kModule, .shape = shape::kLookUpFunction, .flags = kRegistersName},
    {.name = "cuLibraryGetModule", .kind = Kind::kModule, .shape = kModuleOfLibrary},
    {.name = "cuKernelGetFunction", .kind = Kind::kModule, .shape = shape::kAliasFunction, .flags = kAliasesFunction},
    {.name = "cuModuleGetGlobal", .kind = Kind::kModule, .shape = shape::kLookUpVariable, .variants = kOnlyV2},
    {.name = "cuLibraryGetGlobal", .kind = Kind::kModule, .shape = shape::kLookUpVariable},
    {.name = "cuLibraryGetManaged", .kind = Kind::kModule, .shape = shape::kLookUpVariable},
    {.name = "cuLibraryGetUnifiedFunction", .kind = Kind::kModule, .shape = kLookUpUnified},
    {.name = "cuLinkCreate", .kind = Kind::kModule, .shape = shape::kLinkCreate, .variants = kV2},
    {.name = "cuLinkAddData", .kind = Kind::kModule, .shape = shape::kLinkAddData, .variants = kV2},
    {.name = "cuLinkAddFile", .kind = Kind::kModule, .shape = shape::kLinkAddFile, .variants = kV2},
    {.name = "cuLinkComplete", .kind = Kind::kModule, .shape = shape::kLinkComplete},
    {.name = "cuLinkDestroy", .kind = Kind::kModule, .shape = shape::kHandleOnly},
    {.name = "cuFuncLoad", .kind = Kind::kModule, .shape = shape::kLaunchFunctionOnly},
    {.name = "cuGetProcAddress", .kind = Kind::kModule, .shape = kProcAddress},
    {.name = "cuGetProcAddress", .kind = Kind::kModule, .shape = shape::kProcAddressStatus, .variants = kOnlyV2},

    // What is asked or set of a function: the first call loads its code where loading is lazy.
    {.name = "cuFuncGetAttribute", .kind = Kind::kModule, .shape = shape::kFunctionAttribute, .flags = kPolled},
    {.name = "cuFuncSetAttribute", .kind = Kind::kModule, .shape = shape::kSetFunctionAttribute, .flags = kPolled},
    {.name = "cuFuncSetCacheConfig", .kind = Kind::kModule, .shape = shape::kSetFunctionConfig, .flags = kPolled},
    {.name = "cuFuncSetSharedMemConfig", .kind = Kind::kModule, .shape = shape::kSetFunctionConfig, .flags = kPolled},
    {.name = "cuKernelSetAttribute", .kind = Kind::kModule, .shape = kSetKernelAttribute, .flags = kPolled},
    {.name = "cuKernelSetCacheConfig", .kind = Kind::kModule, .shape = kSetKernelConfig, .flags = kPolled},
    {.name = "cuOccupancyMaxActiveBlocksPerMultiprocessor", .kind = Kind::kModule, .shape = shape::kOccupancy,
     .flags = kPolled},
    {.name = "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", .kind = Kind::kModule,
     .shape = shape::kOccupancyFlags, .flags = kPolled},
    {.name = "cuOccupancyMaxPotentialBlockSize", .kind = Kind::kModule, .shape = kOccupancyBest, .flags = kPolled},
    {.name = "cuOccupancyMaxPotentialBlockSizeWithFlags", .kind = Kind::kModule, .shape = kOccupancyBestFlags,
     .flags = kPolled},
    {.name = "cuOccupancyAvailableDynamicSMemPerBlock", .kind = Kind::kModule, .shape = shape::kOccupancyShared,
     .flags = kPolled},
    {.name = "cuOccupancyMaxPotentialClusterSize", .kind = Kind::kModule, .shape = shape::kOccupancyClusters,
     .flags = kPolled},
    {.name = "cuOccupancyMaxActiveClusters", .kind = Kind::kModule, .shape = shape::kOccupancyClusters,
     .flags = kPolled},

    // Bare names with the 32-bit prototype.
    {.name = "cuModuleGetGlobal", .kind = Kind::kModule, .shape = kLookUpVariableV1},
    {.name = "cuMemAlloc", .kind = Kind::kAlloc, .shape = kAllocV1, .op = 5},
    {.name = "cuMemAllocPitch", .kind = Kind::kAlloc, .shape = kAllocPitchV1},
    {.name = "cuMemAllocHost", .kind = Kind::kAlloc, .shape = kAllocHostV1, .flags = kHostMemory},
    {.name = "cuMemFree", .kind = Kind::kFree, .shape = kFreeV1},
    {.name = "cuMemcpyHtoD", .kind = Kind::kMemcpy, .shape = kCopyHtoDV1, .flags = kSynchronising,
     .direction = Direction::kHostToDevice},
    {.name = "cuMemcpyDtoH", .kind = Kind::kMemcpy, .shape = kCopyDtoHV1, .flags = kSynchronising,
     .direction = Direction::kDeviceToHost},
    {.name = "cuMemcpyDtoD", .kind = Kind::kMemcpy, .shape = kCopyDtoDV1, .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyDtoA", .kind = Kind::kMemcpy, .shape = kCopyDtoAV1, .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyAtoD", .kind = Kind::kMemcpy, .shape = kCopyAtoDV1, .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyHtoA", .kind = Kind::kMemcpy, .shape = kCopyHtoAV1, .flags = kSynchronising,
     .direction = Direction::kHostToDevice},
    {.name = "cuMemcpyAtoH", .kind = Kind::kMemcpy, .shape = kCopyAtoHV1, .flags = kSynchronising,
     .direction = Direction::kDeviceToHost},
    {.name = "cuMemcpyAtoA", .kind = Kind::kMemcpy, .shape = kCopyAtoAV1, .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyHtoDAsync", .kind = Kind::kMemcpy, .shape = kCopyHtoDAsyncV1, .flags = kAsync,
     .direction = Direction::kHostToDevice},
    {.name = "cuMemcpyDtoHAsync", .kind = Kind::kMemcpy, .shape = kCopyDtoHAsyncV1, .flags = kAsync,
     .direction = Direction::kDeviceToHost},
    {.name = "cuMemcpyDtoDAsync", .kind = Kind::kMemcpy, .shape = kCopyDtoDAsyncV1, .flags = kAsync,
     .direction = Direction::kDeviceToDevice},
    {.name = "cuMemcpyHtoAAsync", .kind = Kind::kMemcpy, .shape = kCopyHtoAAsyncV1, .flags = kAsync,
     .direction = Direction::kHostToDevice},
    {.name = "cuMemcpyAtoHAsync", .kind = Kind::kMemcpy, .shape = kCopyAtoHAsyncV1, .flags = kAsync,
     .direction = Direction::kDeviceToHost},
    {.name = "cuMemcpy2D", .kind = Kind::kMemcpy, .shape = kCopy2DV1, .flags = kSynchronising},
    {.name = "cuMemcpy2DUnaligned", .kind = Kind::kMemcpy, .shape = kCopy2DV1, .flags = kSynchronising},
    {.name = "cuMemcpy2DAsync", .kind = Kind::kMemcpy, .shape = kCopy2DAsyncV1, .flags = kAsync},
    {.name = "cuMemcpy3D", .kind = Kind::kMemcpy, .shape = kCopy3DV1, .flags = kSynchronising},
    {.name = "cuMemcpy3DAsync", .kind = Kind::kMemcpy, .shape = kCopy3DAsyncV1, .flags = kAsync},
    {.name = "cuMemsetD8", .kind = Kind::kMemset, .shape = kSetV1},
    {.name = "cuMemsetD2D8", .kind = Kind::kMemset, .shape = kSet2DV1},
    {.name = "cuMemsetD16", .kind = Kind::kMemset, .shape = kSetV1, .element_bytes = 2},
    {.name = "cuMemsetD2D16", .kind = Kind::kMemset, .shape = kSet2DV1, .element_bytes = 2},
    {.name = "cuMemsetD32", .kind = Kind::kMemset, .shape = kSetV1, .element_bytes = 4},
    {.name = "cuMemsetD2D32", .kind = Kind::kMemset, .shape = kSet2DV1, .element_bytes = 4},
};
// clang-format on

}  // namespace ingero::backends::cuda
