// The CUDA runtime (libcudart): launches, memory, copies, streams, events, graphs, devices, code.
//
// Prototypes are those of CUDA 11 to 13; where they differ, one row per prototype, told apart by a symbol that only
// the newer libraries export. A test compares every row with the vendor's header where that is installed.
#pragma once

#include "hal/shapes.h"

namespace ingero::backends::cuda {

using namespace hal;  // NOLINT(google-build-using-namespace): a table in the words of the model

// Exported from CUDA 12.0 and 13.0 on, and there in every build of those, static ones included.
inline constexpr std::string_view kSince12 = "cudaGraphInstantiateWithParams";
inline constexpr std::string_view kSince13 = "__cudaGetKernel";

// struct cudaMemLocation {type, id}, by value.
inline constexpr Peek kLocationId[] = {{Field::kDevice, 4, 4, When::kEntry, true}};
inline constexpr Param kLocation{.abi = Abi::kStruct, .peeks = kLocationId, .bytes = 8};

// struct cudaMemcpy3DPeerParms. Addresses are left out: ten words are all a record holds.
inline constexpr Peek kCopy3DPeerParms[] = {{Field::kInElements, 0},  {Field::kPeerDevice, 64, 4, When::kEntry, true},
                                            {Field::kInElements, 72}, {Field::kDevice, 136, 4, When::kEntry, true},
                                            {Field::kWidth, 144},     {Field::kHeight, 152},
                                            {Field::kDepth, 160}};
inline constexpr Param kCopy3DPeer[] = {{Abi::kPtr, Field::kNone, kCopy3DPeerParms}};
inline constexpr Param kCopy3DPeerAsync[] = {{Abi::kPtr, Field::kNone, kCopy3DPeerParms}, param::kStream};

// Many copies in one call: their sizes are an array, so the count is known and the bytes are not.
inline constexpr Param kCopyBatch[] = {param::kSkip, param::kSkip, param::kSkip,     param::kCount,
                                       param::kSkip, param::kSkip, param::kSkipSize, param::kStream};
inline constexpr Param kCopyBatchFailIndex[] = {param::kSkip,     param::kSkip, param::kSkip,
                                                param::kCount,    param::kSkip, param::kSkip,
                                                param::kSkipSize, param::kSkip, param::kStream};
inline constexpr Param kCopy3DBatch[] = {param::kCount, param::kSkip, param::kFlags64, param::kStream};
inline constexpr Param kCopy3DBatchFailIndex[] = {param::kCount, param::kSkip, param::kSkip, param::kFlags64,
                                                  param::kStream};
inline constexpr Param kPrefetchBatch[] = {param::kSkip, param::kSkip,     param::kCount,   param::kSkip,
                                           param::kSkip, param::kSkipSize, param::kFlags64, param::kStream};
inline constexpr Param kDiscardBatch[] = {param::kSkip, param::kSkip, param::kCount, param::kFlags64, param::kStream};

inline constexpr Param kPrefetchLocation[] = {param::kAddress, param::kBytes, kLocation, param::kFlags32,
                                              param::kStream};
inline constexpr Param kAdviseLocation[] = {param::kAddress, param::kBytes, param::kFlags32, kLocation};

// struct cudaGraphInstantiateParams: flags, upload stream.
inline constexpr Peek kInstantiateParams[] = {{Field::kFlags, 0}, {Field::kStream, 8}};
inline constexpr Param kInstantiateWithParams[] = {
    param::kOutHandle, param::kHandle2, {Abi::kPtr, Field::kNone, kInstantiateParams}};

// EGL streams: the connection is behind its pointer. struct cudaEglFrame, by value.
inline constexpr Param kConnectEgl[] = {param::kOutHandle, param::kSkip};
inline constexpr Param kConnectEglFlags[] = {param::kOutHandle, param::kSkip, param::kFlags32};
inline constexpr Param kConnectEglSize[] = {param::kOutHandle, param::kSkip, param::kWidth32, param::kHeight32};
inline constexpr Param kDisconnectEgl[] = {param::kFirstHandle};
inline constexpr Param kAcquireEglFrame[] = {param::kFirstHandle, param::kSkip, param::kSkip, param::kSkip32};
inline constexpr Param kReturnEglFrame[] = {param::kFirstHandle, param::kSkip, param::kSkip};
inline constexpr Param kEglFrame{.abi = Abi::kStruct, .bytes = 280};
inline constexpr Param kPresentEglFrame[] = {param::kFirstHandle, kEglFrame, param::kSkip};
inline constexpr Param kRegisterEglImage[] = {param::kOutHandle, param::kSkip, param::kFlags32};
inline constexpr Param kSetVdpauDevice[] = {param::kDevice, param::kSkip32, param::kSkip};

inline constexpr Param kFlushRemoteWrites[] = {param::kSkip32, param::kSkip32};
inline constexpr Param kKernelAttributeOn[] = {param::kFunction, param::kSkip32, param::kSkip32, param::kDevice};
inline constexpr Param kLookUpUnified[] = {param::kOutAddress, param::kHandle, param::kSkip};

inline constexpr Param kInitDevice[] = {param::kDevice, param::kFlags32, param::kSkip32};

inline constexpr Param kLibraryLoad[] = {param::kOutHandle, param::kSkip, param::kSkip, param::kSkip,
                                         param::kSkip32,    param::kSkip, param::kSkip, param::kSkip32};
inline constexpr Param kEntryPoint[] = {param::kSkip, param::kOutAddress, param::kFlags64, param::kSkip};
inline constexpr Param kEntryPointByVersion[] = {param::kSkip, param::kOutAddress, param::kSkip32, param::kFlags64,
                                                 param::kSkip};

// clang-format off
inline constexpr Row kRuntimeRows[] = {
    // Launches. Compiled code of CUDA 13 calls __cudaLaunchKernel, which jumps to cudaLaunchKernel: one launch, one
    // event.
    {.name = "cudaLaunchKernel", .kind = Kind::kLaunch, .shape = shape::kLaunch, .variants = kPtsz, .flags = kAsync,
     .op = 3},
    {.name = "__cudaLaunchKernel", .kind = Kind::kLaunch, .shape = shape::kLaunch, .flags = kAsync | kNotWhereTarget,
     .instead = "cudaLaunchKernel"},
    {.name = "__cudaLaunchKernel_ptsz", .kind = Kind::kLaunch, .shape = shape::kLaunch,
     .flags = kAsync | kNotWhereTarget, .instead = "cudaLaunchKernel_ptsz"},
    {.name = "cudaLaunchKernelExC", .kind = Kind::kLaunch, .shape = shape::kLaunchExC, .variants = kPtsz, .flags = kAsync},
    {.name = "cudaLaunchCooperativeKernel", .kind = Kind::kLaunch, .shape = shape::kLaunch, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaLaunchCooperativeKernelMultiDevice", .kind = Kind::kLaunch, .shape = shape::kLaunchMultiDevice,
     .flags = kAsync},
    {.name = "cudaLaunchHostFunc", .kind = Kind::kLaunch, .shape = shape::kHostCallback, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaStreamAddCallback", .kind = Kind::kLaunch, .shape = shape::kHostCallbackFlags, .variants = kPtsz,
     .flags = kAsync},

    // Memory. Bytes are what was asked for; a pitched allocation is larger.
    {.name = "cudaMalloc", .kind = Kind::kAlloc, .shape = shape::kAlloc, .op = 1},
    {.name = "cudaMallocManaged", .kind = Kind::kAlloc, .shape = shape::kAllocFlags, .op = 8},
    {.name = "cudaMallocPitch", .kind = Kind::kAlloc, .shape = shape::kAllocPitch},
    {.name = "cudaMalloc3D", .kind = Kind::kAlloc, .shape = shape::kAlloc3D},
    {.name = "cudaMallocArray", .kind = Kind::kAlloc, .shape = shape::kAllocArray},
    {.name = "cudaMalloc3DArray", .kind = Kind::kAlloc, .shape = shape::kAlloc3DArray},
    {.name = "cudaMallocMipmappedArray", .kind = Kind::kAlloc, .shape = shape::kAllocMipmappedArray},
    {.name = "cudaMallocHost", .kind = Kind::kAlloc, .shape = shape::kAlloc, .flags = kHostMemory},
    {.name = "cudaHostAlloc", .kind = Kind::kAlloc, .shape = shape::kAllocFlags, .flags = kHostMemory},
    {.name = "cudaHostRegister", .kind = Kind::kAlloc, .shape = shape::kRegisterHost, .flags = kHostMemory},
    {.name = "cudaMallocAsync", .kind = Kind::kAlloc, .shape = shape::kAllocAsync, .variants = kPtsz, .flags = kAsync},
    {.name = "cudaMallocFromPoolAsync", .kind = Kind::kAlloc, .shape = shape::kAllocFromPool, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemPoolCreate", .kind = Kind::kAlloc, .shape = shape::kPoolCreate},
    {.name = "cudaIpcOpenMemHandle", .kind = Kind::kAlloc, .shape = shape::kOpenIpcMemory},
    {.name = "cudaFree", .kind = Kind::kFree, .shape = shape::kFree, .op = 2},
    {.name = "cudaFreeArray", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "cudaFreeMipmappedArray", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "cudaFreeHost", .kind = Kind::kFree, .shape = shape::kFree, .flags = kHostMemory},
    {.name = "cudaHostUnregister", .kind = Kind::kFree, .shape = shape::kFree, .flags = kHostMemory},
    {.name = "cudaFreeAsync", .kind = Kind::kFree, .shape = shape::kFreeAsync, .variants = kPtsz, .flags = kAsync},
    {.name = "cudaMemPoolDestroy", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "cudaMemPoolTrimTo", .kind = Kind::kFree, .shape = shape::kPoolTrim},
    {.name = "cudaIpcCloseMemHandle", .kind = Kind::kFree, .shape = shape::kFree},
    {.name = "cudaMemGetInfo", .kind = Kind::kDevice, .shape = shape::kMemoryInfo, .flags = kPolled},

    // Memory of other processes and of other interfaces.
    {.name = "cudaIpcGetMemHandle", .kind = Kind::kDevice, .shape = shape::kExportAddress},
    {.name = "cudaMemPoolExportToShareableHandle", .kind = Kind::kDevice, .shape = shape::kExportPool},
    {.name = "cudaMemPoolImportFromShareableHandle", .kind = Kind::kAlloc, .shape = shape::kImportPool},
    {.name = "cudaMemPoolExportPointer", .kind = Kind::kDevice, .shape = shape::kExportAddress},
    {.name = "cudaMemPoolImportPointer", .kind = Kind::kAlloc, .shape = shape::kImportFromPool},
    {.name = "cudaMemPoolSetAccess", .kind = Kind::kDevice, .shape = shape::kPoolSetAccess},
    {.name = "cudaImportExternalMemory", .kind = Kind::kAlloc, .shape = shape::kImportExternal},
    {.name = "cudaExternalMemoryGetMappedBuffer", .kind = Kind::kAlloc, .shape = shape::kMapExternal},
    {.name = "cudaExternalMemoryGetMappedMipmappedArray", .kind = Kind::kAlloc, .shape = shape::kMapExternalArray},
    {.name = "cudaDestroyExternalMemory", .kind = Kind::kFree, .shape = shape::kHandleOnly},
    {.name = "cudaGraphicsGLRegisterBuffer", .kind = Kind::kAlloc, .shape = shape::kRegisterBuffer},
    {.name = "cudaGraphicsGLRegisterImage", .kind = Kind::kAlloc, .shape = shape::kRegisterTexture},
    {.name = "cudaGraphicsEGLRegisterImage", .kind = Kind::kAlloc, .shape = kRegisterEglImage},
    {.name = "cudaGraphicsVDPAURegisterVideoSurface", .kind = Kind::kAlloc, .shape = shape::kRegisterBuffer},
    {.name = "cudaGraphicsVDPAURegisterOutputSurface", .kind = Kind::kAlloc, .shape = shape::kRegisterBuffer},
    {.name = "cudaGraphicsUnregisterResource", .kind = Kind::kFree, .shape = shape::kHandleOnly},

    // Copies.
    {.name = "cudaMemcpy", .kind = Kind::kMemcpy, .shape = shape::kCopyDirected, .variants = kPtds,
     .flags = kSynchronising, .op = 4},
    {.name = "cudaMemcpyAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyDirectedAsync, .variants = kPtsz,
     .flags = kAsync, .op = 7},
    {.name = "cudaMemcpy2D", .kind = Kind::kMemcpy, .shape = shape::kCopy2D, .variants = kPtds, .flags = kSynchronising,
     .op = 9},
    {.name = "cudaMemcpy2DAsync", .kind = Kind::kMemcpy, .shape = shape::kCopy2DAsync, .variants = kPtsz, .flags = kAsync,
     .op = 10},
    {.name = "cudaMemcpyPeer", .kind = Kind::kMemcpy, .shape = shape::kCopyPeer, .variants = kPtds,
     .direction = Direction::kDeviceToDevice, .op = 11},
    {.name = "cudaMemcpyPeerAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyPeerAsync, .variants = kPtsz,
     .flags = kAsync, .direction = Direction::kDeviceToDevice, .op = 12},
    {.name = "cudaMemcpy3D", .kind = Kind::kMemcpy, .shape = shape::kCopy3D, .variants = kPtds, .flags = kSynchronising},
    {.name = "cudaMemcpy3DAsync", .kind = Kind::kMemcpy, .shape = shape::kCopy3DAsync, .variants = kPtsz, .flags = kAsync},
    {.name = "cudaMemcpy3DPeer", .kind = Kind::kMemcpy, .shape = kCopy3DPeer, .variants = kPtds,
     .direction = Direction::kDeviceToDevice},
    {.name = "cudaMemcpy3DPeerAsync", .kind = Kind::kMemcpy, .shape = kCopy3DPeerAsync, .variants = kPtsz, .flags = kAsync,
     .direction = Direction::kDeviceToDevice},
    {.name = "cudaMemcpyToSymbol", .kind = Kind::kMemcpy, .shape = shape::kCopySymbol, .variants = kPtds,
     .flags = kSynchronising},
    {.name = "cudaMemcpyToSymbolAsync", .kind = Kind::kMemcpy, .shape = shape::kCopySymbolAsync, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemcpyFromSymbol", .kind = Kind::kMemcpy, .shape = shape::kCopySymbol, .variants = kPtds,
     .flags = kSynchronising},
    {.name = "cudaMemcpyFromSymbolAsync", .kind = Kind::kMemcpy, .shape = shape::kCopySymbolAsync, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemcpyToArray", .kind = Kind::kMemcpy, .shape = shape::kCopyToArray, .variants = kPtds,
     .flags = kSynchronising},
    {.name = "cudaMemcpyToArrayAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyToArrayAsync, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemcpyFromArray", .kind = Kind::kMemcpy, .shape = shape::kCopyFromArray, .variants = kPtds,
     .flags = kSynchronising},
    {.name = "cudaMemcpyFromArrayAsync", .kind = Kind::kMemcpy, .shape = shape::kCopyFromArrayAsync, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemcpyArrayToArray", .kind = Kind::kMemcpy, .shape = shape::kCopyArrayToArray, .variants = kPtds,
     .flags = kSynchronising},
    {.name = "cudaMemcpy2DToArray", .kind = Kind::kMemcpy, .shape = shape::kCopy2DToArray, .variants = kPtds,
     .flags = kSynchronising},
    {.name = "cudaMemcpy2DToArrayAsync", .kind = Kind::kMemcpy, .shape = shape::kCopy2DToArrayAsync, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemcpy2DFromArray", .kind = Kind::kMemcpy, .shape = shape::kCopy2DFromArray, .variants = kPtds,
     .flags = kSynchronising},
    {.name = "cudaMemcpy2DFromArrayAsync", .kind = Kind::kMemcpy, .shape = shape::kCopy2DFromArrayAsync, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemcpy2DArrayToArray", .kind = Kind::kMemcpy, .shape = shape::kCopy2DArrayToArray, .variants = kPtds,
     .flags = kSynchronising},
    {.name = "cudaMemcpyBatchAsync", .kind = Kind::kMemcpy, .shape = kCopyBatch, .variants = kPtsz,
     .flags = kAsync | kOnlyWhereTarget, .instead = kSince13},
    {.name = "cudaMemcpyBatchAsync", .kind = Kind::kMemcpy, .shape = kCopyBatchFailIndex, .variants = kPtsz,
     .flags = kAsync | kNotWhereTarget, .instead = kSince13},
    {.name = "cudaMemcpy3DBatchAsync", .kind = Kind::kMemcpy, .shape = kCopy3DBatch, .variants = kPtsz,
     .flags = kAsync | kOnlyWhereTarget, .instead = kSince13},
    {.name = "cudaMemcpy3DBatchAsync", .kind = Kind::kMemcpy, .shape = kCopy3DBatchFailIndex, .variants = kPtsz,
     .flags = kAsync | kNotWhereTarget, .instead = kSince13},
    {.name = "cudaMemPrefetchAsync", .kind = Kind::kMemcpy, .shape = kPrefetchLocation, .variants = kPtsz,
     .flags = kAsync | kOnlyWhereTarget, .instead = kSince13},
    {.name = "cudaMemPrefetchAsync", .kind = Kind::kMemcpy, .shape = kPrefetchLocation, .variants = kV2 | kPtsz | kNotBase,
     .flags = kAsync},
    {.name = "cudaMemPrefetchAsync", .kind = Kind::kMemcpy, .shape = shape::kPrefetchDevice, .variants = kPtsz,
     .flags = kAsync | kNotWhereTarget, .instead = kSince13},
    {.name = "cudaMemPrefetchBatchAsync", .kind = Kind::kMemcpy, .shape = kPrefetchBatch, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemDiscardAndPrefetchBatchAsync", .kind = Kind::kMemcpy, .shape = kPrefetchBatch, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemDiscardBatchAsync", .kind = Kind::kDevice, .shape = kDiscardBatch, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaMemAdvise", .kind = Kind::kDevice, .shape = kAdviseLocation, .flags = kOnlyWhereTarget,
     .instead = kSince13},
    {.name = "cudaMemAdvise", .kind = Kind::kDevice, .shape = kAdviseLocation, .variants = kV2 | kNotBase},
    {.name = "cudaMemAdvise", .kind = Kind::kDevice, .shape = shape::kAdviseDevice, .flags = kNotWhereTarget,
     .instead = kSince13},
    {.name = "cudaMemset", .kind = Kind::kMemset, .shape = shape::kSet, .variants = kPtds},
    {.name = "cudaMemsetAsync", .kind = Kind::kMemset, .shape = shape::kSetAsync, .variants = kPtsz, .flags = kAsync},
    {.name = "cudaMemset2D", .kind = Kind::kMemset, .shape = shape::kSet2D, .variants = kPtds},
    {.name = "cudaMemset2DAsync", .kind = Kind::kMemset, .shape = shape::kSet2DAsync, .variants = kPtsz, .flags = kAsync},
    {.name = "cudaMemset3D", .kind = Kind::kMemset, .shape = shape::kSet3D, .variants = kPtds},
    {.name = "cudaMemset3DAsync", .kind = Kind::kMemset, .shape = shape::kSet3DAsync, .variants = kPtsz, .flags = kAsync},

    // Waits, streams, events.
    {.name = "cudaStreamSynchronize", .kind = Kind::kSync, .shape = shape::kStreamOnly, .variants = kPtsz,
     .flags = kSynchronising, .op = 5, .op_name = "cudaStreamSync"},
    {.name = "cudaDeviceSynchronize", .kind = Kind::kSync, .shape = shape::kNothing, .flags = kSynchronising, .op = 6,
     .op_name = "cudaDeviceSync"},
    {.name = "cudaThreadSynchronize", .kind = Kind::kSync, .shape = shape::kNothing, .flags = kSynchronising},
    {.name = "cudaEventSynchronize", .kind = Kind::kSync, .shape = shape::kHandleOnly, .flags = kSynchronising},
    {.name = "cudaStreamCreate", .kind = Kind::kStream, .shape = shape::kStreamCreate},
    {.name = "cudaStreamCreateWithFlags", .kind = Kind::kStream, .shape = shape::kStreamCreateFlags},
    {.name = "cudaStreamCreateWithPriority", .kind = Kind::kStream, .shape = shape::kStreamCreatePriority},
    {.name = "cudaStreamDestroy", .kind = Kind::kStream, .shape = shape::kStreamOnly},
    {.name = "cudaStreamQuery", .kind = Kind::kStream, .shape = shape::kStreamOnly, .variants = kPtsz, .flags = kPolled},
    {.name = "cudaStreamAttachMemAsync", .kind = Kind::kStream, .shape = shape::kAttachMemory, .variants = kPtsz,
     .flags = kAsync},
    {.name = "cudaStreamWaitEvent", .kind = Kind::kEvent, .shape = shape::kStreamWaitEvent, .variants = kPtsz,
     .flags = kAsync | kAwaitsMark},
    {.name = "cudaEventCreate", .kind = Kind::kEvent, .shape = shape::kHandleCreate},
    {.name = "cudaEventCreateWithFlags", .kind = Kind::kEvent, .shape = shape::kHandleCreateFlags},
    {.name = "cudaEventRecord", .kind = Kind::kEvent, .shape = shape::kHandleOnStream, .variants = kPtsz,
     .flags = kAsync | kMarksStream},
    {.name = "cudaEventRecordWithFlags", .kind = Kind::kEvent, .shape = shape::kHandleOnStreamFlags, .variants = kPtsz,
     .flags = kAsync | kMarksStream},
    {.name = "cudaEventQuery", .kind = Kind::kEvent, .shape = shape::kHandleOnly, .flags = kPolled},
    {.name = "cudaEventElapsedTime", .kind = Kind::kEvent, .shape = shape::kElapsedTime, .variants = kV2},
    {.name = "cudaEventDestroy", .kind = Kind::kEvent, .shape = shape::kHandleOnly},
    {.name = "cudaDeviceFlushGPUDirectRDMAWrites", .kind = Kind::kSync, .shape = kFlushRemoteWrites,
     .flags = kSynchronising},

    // Events, semaphores and resources shared with other processes and other interfaces.
    {.name = "cudaIpcGetEventHandle", .kind = Kind::kEvent, .shape = shape::kExportHandle},
    {.name = "cudaIpcOpenEventHandle", .kind = Kind::kEvent, .shape = shape::kOpenIpcEvent},
    {.name = "cudaImportExternalSemaphore", .kind = Kind::kEvent, .shape = shape::kImportSemaphore},
    {.name = "cudaSignalExternalSemaphoresAsync", .kind = Kind::kEvent, .shape = shape::kSemaphores,
     .variants = kV2 | kPtsz, .flags = kAsync},
    {.name = "cudaWaitExternalSemaphoresAsync", .kind = Kind::kEvent, .shape = shape::kSemaphores,
     .variants = kV2 | kPtsz, .flags = kAsync},
    {.name = "cudaDestroyExternalSemaphore", .kind = Kind::kEvent, .shape = shape::kHandleOnly},
    {.name = "cudaGraphicsMapResources", .kind = Kind::kStream, .shape = shape::kMapResources},
    {.name = "cudaGraphicsUnmapResources", .kind = Kind::kStream, .shape = shape::kMapResources},
    {.name = "cudaEventCreateFromEGLSync", .kind = Kind::kEvent, .shape = kRegisterEglImage},
    {.name = "cudaEGLStreamConsumerConnect", .kind = Kind::kEvent, .shape = kConnectEgl},
    {.name = "cudaEGLStreamConsumerConnectWithFlags", .kind = Kind::kEvent, .shape = kConnectEglFlags},
    {.name = "cudaEGLStreamConsumerDisconnect", .kind = Kind::kEvent, .shape = kDisconnectEgl},
    {.name = "cudaEGLStreamConsumerAcquireFrame", .kind = Kind::kEvent, .shape = kAcquireEglFrame},
    {.name = "cudaEGLStreamConsumerReleaseFrame", .kind = Kind::kEvent, .shape = kReturnEglFrame},
    {.name = "cudaEGLStreamProducerConnect", .kind = Kind::kEvent, .shape = kConnectEglSize},
    {.name = "cudaEGLStreamProducerDisconnect", .kind = Kind::kEvent, .shape = kDisconnectEgl},
    {.name = "cudaEGLStreamProducerPresentFrame", .kind = Kind::kEvent, .shape = kPresentEglFrame},
    {.name = "cudaEGLStreamProducerReturnFrame", .kind = Kind::kEvent, .shape = kReturnEglFrame},

    // Graphs.
    {.name = "cudaStreamBeginCapture", .kind = Kind::kGraph, .shape = shape::kBeginCapture, .variants = kPtsz,
     .flags = kBeginsCapture,
     .source = kGraphSource, .op = 1, .op_name = "graphBeginCapture"},
    {.name = "cudaStreamBeginCaptureToGraph", .kind = Kind::kGraph, .shape = shape::kBeginCaptureToGraph,
     .variants = kPtsz, .flags = kBeginsCapture, .source = kGraphSource},
    {.name = "cudaStreamEndCapture", .kind = Kind::kGraph, .shape = shape::kEndCapture, .variants = kPtsz,
     .flags = kEndsCapture,
     .source = kGraphSource, .op = 2, .op_name = "graphEndCapture"},
    {.name = "cudaGraphCreate", .kind = Kind::kGraph, .shape = shape::kHandleCreateFlags, .source = kGraphSource},
    {.name = "cudaGraphClone", .kind = Kind::kGraph, .shape = shape::kClone, .source = kGraphSource},
    {.name = "cudaGraphInstantiate", .kind = Kind::kGraph, .shape = shape::kInstantiateFlags, .flags = kOnlyWhereTarget,
     .instead = kSince12, .source = kGraphSource, .op = 3, .op_name = "graphInstantiate"},
    {.name = "cudaGraphInstantiate", .kind = Kind::kGraph, .shape = shape::kInstantiate, .flags = kNotWhereTarget,
     .instead = kSince12, .source = kGraphSource, .op = 3, .op_name = "graphInstantiate"},
    {.name = "cudaGraphInstantiateWithFlags", .kind = Kind::kGraph, .shape = shape::kInstantiateFlags,
     .source = kGraphSource},
    {.name = "cudaGraphInstantiateWithParams", .kind = Kind::kGraph, .shape = kInstantiateWithParams, .variants = kPtsz,
     .source = kGraphSource},
    {.name = "cudaGraphUpload", .kind = Kind::kGraph, .shape = shape::kHandleOnStream, .variants = kPtsz, .flags = kAsync,
     .source = kGraphSource},
    {.name = "cudaGraphLaunch", .kind = Kind::kGraph, .shape = shape::kHandleOnStream, .variants = kPtsz, .flags = kAsync,
     .source = kGraphSource, .op = 4, .op_name = "graphLaunch"},
    {.name = "cudaGraphExecUpdate", .kind = Kind::kGraph, .shape = shape::kUpdateReport, .flags = kOnlyWhereTarget,
     .instead = kSince12, .source = kGraphSource},
    {.name = "cudaGraphExecUpdate", .kind = Kind::kGraph, .shape = shape::kUpdateErrorNode, .flags = kNotWhereTarget,
     .instead = kSince12, .source = kGraphSource},
    {.name = "cudaGraphExecDestroy", .kind = Kind::kGraph, .shape = shape::kHandleOnly, .source = kGraphSource},
    {.name = "cudaGraphDestroy", .kind = Kind::kGraph, .shape = shape::kHandleOnly, .source = kGraphSource},

    // Devices.
    {.name = "cudaSetDevice", .kind = Kind::kDevice, .shape = shape::kDeviceOnly, .flags = kChoosesDevice},
    {.name = "cudaGetDevice", .kind = Kind::kDevice, .shape = shape::kDeviceGet,
     .flags = kPolled | kChoosesDevice | kAsksDevice},
    {.name = "cudaGetDeviceCount", .kind = Kind::kDevice, .shape = shape::kCountGet},
    {.name = "cudaGetDeviceProperties", .kind = Kind::kDevice, .shape = shape::kDeviceOfProperties, .variants = kV2},
    {.name = "cudaInitDevice", .kind = Kind::kDevice, .shape = kInitDevice},
    {.name = "cudaSetDeviceFlags", .kind = Kind::kDevice, .shape = shape::kFlagsOnly},
    {.name = "cudaGLSetGLDevice", .kind = Kind::kDevice, .shape = shape::kDeviceOnly, .flags = kChoosesDevice},
    {.name = "cudaVDPAUSetVDPAUDevice", .kind = Kind::kDevice, .shape = kSetVdpauDevice, .flags = kChoosesDevice},
    {.name = "cudaDeviceSetLimit", .kind = Kind::kDevice, .shape = shape::kSetLimit},
    {.name = "cudaDeviceGraphMemTrim", .kind = Kind::kDevice, .shape = shape::kDeviceOnly},
    {.name = "cudaCtxResetPersistingL2Cache", .kind = Kind::kDevice, .shape = shape::kNothing},
    {.name = "cudaDeviceReset", .kind = Kind::kDevice, .shape = shape::kNothing, .flags = kSynchronising},
    {.name = "cudaThreadExit", .kind = Kind::kDevice, .shape = shape::kNothing, .flags = kSynchronising},
    {.name = "cudaDeviceEnablePeerAccess", .kind = Kind::kDevice, .shape = shape::kEnablePeer},
    {.name = "cudaDeviceDisablePeerAccess", .kind = Kind::kDevice, .shape = shape::kDisablePeer},

    // Code: what a launch's function handle is called.
    {.name = "__cudaRegisterFatBinary", .kind = Kind::kModule, .shape = shape::kHandleOnly,
     .returns = Returns::kPointer},
    {.name = "__cudaRegisterFatBinaryEnd", .kind = Kind::kModule, .shape = shape::kHandleOnly,
     .returns = Returns::kVoid},
    {.name = "__cudaInitModule", .kind = Kind::kModule, .shape = shape::kHandleOnly, .returns = Returns::kVoid},
    {.name = "__cudaUnregisterFatBinary", .kind = Kind::kModule, .shape = shape::kHandleOnly,
     .returns = Returns::kVoid},
    {.name = "__cudaRegisterFunction", .kind = Kind::kModule, .shape = shape::kRegisterFunction,
     .flags = kRegistersName, .returns = Returns::kVoid},
    {.name = "__cudaGetKernel", .kind = Kind::kModule, .shape = shape::kAliasFunction, .flags = kAliasesFunction},
    {.name = "cudaGetKernel", .kind = Kind::kModule, .shape = shape::kAliasFunction, .flags = kAliasesFunction},
    {.name = "cudaGetFuncBySymbol", .kind = Kind::kModule, .shape = shape::kAliasFunction, .flags = kAliasesFunction},
    {.name = "cudaLibraryLoadData", .kind = Kind::kModule, .shape = kLibraryLoad},
    {.name = "cudaLibraryLoadFromFile", .kind = Kind::kModule, .shape = kLibraryLoad},
    {.name = "cudaLibraryUnload", .kind = Kind::kModule, .shape = shape::kHandleOnly},
    {.name = "cudaLibraryGetKernel", .kind = Kind::kModule, .shape = shape::kLookUpFunction, .flags = kRegistersName},
    {.name = "cudaLibraryGetGlobal", .kind = Kind::kModule, .shape = shape::kLookUpVariable},
    {.name = "cudaLibraryGetManaged", .kind = Kind::kModule, .shape = shape::kLookUpVariable},
    {.name = "cudaLibraryGetUnifiedFunction", .kind = Kind::kModule, .shape = kLookUpUnified},
    {.name = "cudaGetSymbolAddress", .kind = Kind::kModule, .shape = shape::kLookUpSymbol},
    {.name = "cudaGetSymbolSize", .kind = Kind::kModule, .shape = shape::kMemoryInfo},
    {.name = "cudaGetDriverEntryPoint", .kind = Kind::kModule, .shape = kEntryPoint, .variants = kPtsz},
    {.name = "cudaGetDriverEntryPointByVersion", .kind = Kind::kModule, .shape = kEntryPointByVersion, .variants = kPtsz},

    // What is asked or set of a function: the first call loads its code where loading is lazy.
    {.name = "cudaFuncGetAttributes", .kind = Kind::kModule, .shape = shape::kFunctionInfo, .flags = kPolled},
    {.name = "cudaFuncSetAttribute", .kind = Kind::kModule, .shape = shape::kSetFunctionAttribute, .flags = kPolled},
    {.name = "cudaFuncSetCacheConfig", .kind = Kind::kModule, .shape = shape::kSetFunctionConfig, .flags = kPolled},
    {.name = "cudaFuncSetSharedMemConfig", .kind = Kind::kModule, .shape = shape::kSetFunctionConfig,
     .flags = kPolled},
    {.name = "cudaKernelSetAttributeForDevice", .kind = Kind::kModule, .shape = kKernelAttributeOn, .flags = kPolled},
    {.name = "cudaOccupancyMaxActiveBlocksPerMultiprocessor", .kind = Kind::kModule, .shape = shape::kOccupancy,
     .flags = kPolled},
    {.name = "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", .kind = Kind::kModule,
     .shape = shape::kOccupancyFlags, .flags = kPolled},
    {.name = "cudaOccupancyAvailableDynamicSMemPerBlock", .kind = Kind::kModule, .shape = shape::kOccupancyShared,
     .flags = kPolled},
    {.name = "cudaOccupancyMaxPotentialClusterSize", .kind = Kind::kModule, .shape = shape::kOccupancyClusters,
     .flags = kPolled},
    {.name = "cudaOccupancyMaxActiveClusters", .kind = Kind::kModule, .shape = shape::kOccupancyClusters,
     .flags = kPolled},
};
// clang-format on

}  // namespace ingero::backends::cuda
