// Prototypes that more than one vendor surface shares: the same C parameters under other names.
//
// `param` names how one parameter is passed and what it fills; `shape` puts them in order. A shape belongs here when a
// second vendor (or the runtime and driver level of one) repeats it; others are next to their rows. Device addresses
// count as 8-byte words whether the header spells them as pointers or as integers: both conventions pass them alike.
// Constant data; any thread.
#pragma once

#include "hal/prototype.h"

namespace ingero::hal {

namespace peek {
// What the callee leaves behind an out-pointer.
inline constexpr Peek kAddress[] = {{Field::kAddress, 0, 8, When::kReturn}};
inline constexpr Peek kHandle[] = {{Field::kHandle, 0, 8, When::kReturn}};
inline constexpr Peek kFunction[] = {{Field::kFunction, 0, 8, When::kReturn}};
inline constexpr Peek kStream[] = {{Field::kStream, 0, 8, When::kReturn}};
inline constexpr Peek kDevice[] = {{Field::kDevice, 0, 4, When::kReturn, true}};
inline constexpr Peek kCount32[] = {{Field::kCount, 0, 4, When::kReturn}};
// The first of an array, or the one behind a pointer, as the caller put it there.
inline constexpr Peek kFirstHandle[] = {{Field::kHandle, 0}};
}  // namespace peek

namespace param {
// Takes its place, not captured.
inline constexpr Param kSkip{Abi::kPtr};
inline constexpr Param kSkip32{Abi::kI32};
inline constexpr Param kSkipU64{Abi::kU64};
inline constexpr Param kSkipSize{Abi::kSize};

inline constexpr Param kFunction{Abi::kPtr, Field::kFunction};
inline constexpr Param kStream{Abi::kPtr, Field::kStream};
inline constexpr Param kAddress{Abi::kPtr, Field::kAddress};
inline constexpr Param kSource{Abi::kPtr, Field::kSource};
inline constexpr Param kHandle{Abi::kPtr, Field::kHandle};
inline constexpr Param kHandle2{Abi::kPtr, Field::kHandle2};
inline constexpr Param kName{Abi::kPtr, Field::kName};
inline constexpr Param kBytes{Abi::kSize, Field::kBytes};
inline constexpr Param kBytes32{Abi::kI32, Field::kBytes};
inline constexpr Param kWidth{Abi::kSize, Field::kWidth};
inline constexpr Param kWidth32{Abi::kI32, Field::kWidth};
inline constexpr Param kHeight{Abi::kSize, Field::kHeight};
inline constexpr Param kHeight32{Abi::kI32, Field::kHeight};
inline constexpr Param kCount{Abi::kSize, Field::kCount};
inline constexpr Param kCount32{Abi::kI32, Field::kCount};
inline constexpr Param kDirection{Abi::kI32, Field::kDirection};
inline constexpr Param kFlags32{Abi::kI32, Field::kFlags};
inline constexpr Param kFlags64{Abi::kU64, Field::kFlags};
inline constexpr Param kDevice{.abi = Abi::kI32, .into = Field::kDevice, .is_signed = true};
inline constexpr Param kPeerDevice{.abi = Abi::kI32, .into = Field::kPeerDevice, .is_signed = true};
inline constexpr Param kGrid{Abi::kDim3, Field::kGridXY};
inline constexpr Param kBlock{Abi::kDim3, Field::kBlockXY};
inline constexpr Param kGridX{Abi::kI32, Field::kGridX};
inline constexpr Param kGridY{Abi::kI32, Field::kGridY};
inline constexpr Param kGridZ{Abi::kI32, Field::kGridZ};
inline constexpr Param kBlockX{Abi::kI32, Field::kBlockX};
inline constexpr Param kBlockY{Abi::kI32, Field::kBlockY};
inline constexpr Param kBlockZ{Abi::kI32, Field::kBlockZ};
inline constexpr Param kSharedBytes{Abi::kSize, Field::kSharedBytes};
inline constexpr Param kSharedBytes32{Abi::kI32, Field::kSharedBytes};

inline constexpr Param kOutAddress{Abi::kPtr, Field::kNone, peek::kAddress};
inline constexpr Param kOutHandle{Abi::kPtr, Field::kNone, peek::kHandle};
inline constexpr Param kOutFunction{Abi::kPtr, Field::kNone, peek::kFunction};
inline constexpr Param kOutStream{Abi::kPtr, Field::kNone, peek::kStream};
inline constexpr Param kOutDevice{Abi::kPtr, Field::kNone, peek::kDevice};
inline constexpr Param kOutCount32{Abi::kPtr, Field::kNone, peek::kCount32};
inline constexpr Param kFirstHandle{Abi::kPtr, Field::kNone, peek::kFirstHandle};
}  // namespace param

namespace shape {
using namespace param;  // NOLINT(google-build-using-namespace): a shape is a list of them

inline constexpr Shape kNothing = {};

// Work on a queue.
inline constexpr Param kLaunch[] = {kFunction, kGrid, kBlock, kSkip, kSharedBytes, kStream};
inline constexpr Param kLaunchHandle[] = {kFunction, kGridX,         kGridY,  kGridZ, kBlockX, kBlockY,
                                          kBlockZ,   kSharedBytes32, kStream, kSkip,  kSkip};
inline constexpr Param kLaunchHandleCooperative[] = {kFunction, kGridX,  kGridY,         kGridZ,  kBlockX,
                                                     kBlockY,   kBlockZ, kSharedBytes32, kStream, kSkip};
inline constexpr Param kHostCallback[] = {kStream, kFunction, kSkip};
inline constexpr Param kHostCallbackFlags[] = {kStream, kFunction, kSkip, kFlags32};
inline constexpr Param kLaunchFunctionOnly[] = {kFunction};
// A launch configuration (cudaLaunchConfig_t): two dim3, shared bytes, stream.
inline constexpr Peek kLaunchConfig[] = {{Field::kGridXY, 0},     {Field::kGridZ, 8, 4},     {Field::kBlockXY, 12},
                                         {Field::kBlockZ, 20, 4}, {Field::kSharedBytes, 24}, {Field::kStream, 32}};
inline constexpr Param kLaunchExC[] = {{Abi::kPtr, Field::kNone, kLaunchConfig}, kFunction, kSkip};
// The first of a list of launches (cudaLaunchParams), one per device.
inline constexpr Peek kLaunchParams[] = {{Field::kFunction, 0}, {Field::kGridXY, 8},     {Field::kGridZ, 16, 4},
                                         {Field::kBlockXY, 20}, {Field::kBlockZ, 28, 4}, {Field::kSharedBytes, 40},
                                         {Field::kStream, 48}};
inline constexpr Param kLaunchMultiDevice[] = {{Abi::kPtr, Field::kNone, kLaunchParams}, kCount32, kFlags32};
// The same one level lower (CUlaunchConfig): six 32-bit dimensions, shared bytes, stream.
inline constexpr Peek kDriverLaunchConfig[] = {{Field::kGridXY, 0},          {Field::kGridZ, 8, 4},
                                               {Field::kBlockXY, 12},        {Field::kBlockZ, 20, 4},
                                               {Field::kSharedBytes, 24, 4}, {Field::kStream, 32}};
inline constexpr Param kLaunchEx[] = {{Abi::kPtr, Field::kNone, kDriverLaunchConfig}, kFunction, kSkip, kSkip};
// The first of a list of launches there (CUDA_LAUNCH_PARAMS), one per device.
inline constexpr Peek kDriverLaunchParams[] = {
    {Field::kFunction, 0},   {Field::kGridXY, 8},          {Field::kGridZ, 16, 4}, {Field::kBlockXY, 20},
    {Field::kBlockZ, 28, 4}, {Field::kSharedBytes, 32, 4}, {Field::kStream, 40}};
inline constexpr Param kDriverLaunchMultiDevice[] = {
    {Abi::kPtr, Field::kNone, kDriverLaunchParams}, kCount32, kFlags32};

// Memory.
inline constexpr Param kAlloc[] = {kOutAddress, kBytes};
inline constexpr Param kAllocFlags[] = {kOutAddress, kBytes, kFlags32};
inline constexpr Param kAllocAsync[] = {kOutAddress, kBytes, kStream};
inline constexpr Param kAllocFromPool[] = {kOutAddress, kBytes, kHandle, kStream};
inline constexpr Param kAllocPitch[] = {kOutAddress, kSkip, kWidth, kHeight};
inline constexpr Param kFree[] = {kAddress};
inline constexpr Param kFreeAsync[] = {kAddress, kStream};
inline constexpr Param kRegisterHost[] = {kAddress, kBytes, kFlags32};
inline constexpr Param kDriverAllocPitch[] = {kOutAddress, kSkip, kWidth, kHeight, kSkip32};
// By value: {ptr, pitch, xsize, ysize} (cudaPitchedPtr), {width, height, depth} (cudaExtent), a 64-byte IPC handle.
inline constexpr Peek kPitchedAddress[] = {{Field::kAddress, 0}};
inline constexpr Peek kExtent[] = {{Field::kWidth, 0}, {Field::kHeight, 8}, {Field::kDepth, 16}};
inline constexpr Param kPitchedByValue{.abi = Abi::kStruct, .peeks = kPitchedAddress, .bytes = 32};
inline constexpr Param kExtentByValue{.abi = Abi::kStruct, .peeks = kExtent, .bytes = 24};
inline constexpr Param kExtentSkipped{.abi = Abi::kStruct, .bytes = 24};  // counts elements of unknown size
inline constexpr Param kIpcHandle{.abi = Abi::kStruct, .bytes = 64};
inline constexpr Param kAlloc3D[] = {kOutAddress, kExtentByValue};
inline constexpr Param kAllocArray[] = {kOutHandle, kSkip, kSkipSize, kSkipSize, kFlags32};
inline constexpr Param kAlloc3DArray[] = {kOutHandle, kSkip, kExtentSkipped, kFlags32};
inline constexpr Param kAllocMipmappedArray[] = {kOutHandle, kSkip, kExtentSkipped, kSkip32, kFlags32};
inline constexpr Param kArrayCreate[] = {kOutHandle, kSkip};
inline constexpr Param kMipmappedArrayCreate[] = {kOutHandle, kSkip, kSkip32};
inline constexpr Param kOpenIpcMemory[] = {kOutAddress, kIpcHandle, kFlags32};
inline constexpr Param kPoolCreate[] = {kOutHandle, kSkip};
inline constexpr Param kPoolTrim[] = {kHandle, kSkipSize};

// Physical memory and address space apart. Memory handles are 64-bit integers or pointers: passed alike where a pointer
// has 64 bits, and the vendor with pointers has nothing else.
inline constexpr Param kMemoryHandle{Abi::kU64, Field::kHandle};
inline constexpr Param kMemoryCreate[] = {kOutHandle, kBytes, kSkip, kFlags64};
inline constexpr Param kMemoryHandleOnly[] = {kMemoryHandle};
inline constexpr Param kAddressReserve[] = {kOutAddress, kBytes, kSkipSize, kSkip, kFlags64};
inline constexpr Param kAddressRange[] = {kAddress, kBytes};
inline constexpr Param kMemoryMap[] = {kAddress, kBytes, kSkipSize, kMemoryHandle, kFlags64};
inline constexpr Param kMemorySetAccess[] = {kAddress, kBytes, kSkip, kSkipSize};
inline constexpr Param kMemoryExport[] = {kSkip, kMemoryHandle, kSkip32, kFlags64};
inline constexpr Param kMemoryImport[] = {kOutHandle, kSkip, kSkip32};
inline constexpr Param kMemoryRetain[] = {kOutHandle, kAddress};

// Memory, pools, events and semaphores of another process or of another interface.
inline constexpr Peek kExternalBytes[] = {{Field::kBytes, 24}};  // cudaExternalMemoryHandleDesc
inline constexpr Peek kMappedBytes[] = {{Field::kBytes, 8}};     // cudaExternalMemoryBufferDesc
inline constexpr Param kImportExternal[] = {kOutHandle, {Abi::kPtr, Field::kNone, kExternalBytes}};
inline constexpr Param kMapExternal[] = {kOutAddress, kHandle, {Abi::kPtr, Field::kNone, kMappedBytes}};
inline constexpr Param kMapExternalArray[] = {kOutHandle, kHandle2, kSkip};
inline constexpr Param kImportSemaphore[] = {kOutHandle, kSkip};
inline constexpr Param kSemaphores[] = {kFirstHandle, kSkip, kCount32, kStream};
inline constexpr Param kOpenIpcEvent[] = {kOutHandle, kIpcHandle};
inline constexpr Param kExportHandle[] = {kSkip, kHandle};
inline constexpr Param kExportAddress[] = {kSkip, kAddress};
inline constexpr Param kExportPool[] = {kSkip, kHandle, kSkip32, kFlags32};
inline constexpr Param kImportPool[] = {kOutHandle, kSkip, kSkip32, kFlags32};
inline constexpr Param kImportFromPool[] = {kOutAddress, kHandle, kSkip};
inline constexpr Param kPoolSetAccess[] = {kHandle, kSkip, kCount};
// Resources of a graphics interface, known here by its own 32-bit names.
inline constexpr Param kRegisterBuffer[] = {kOutHandle, kSkip32, kFlags32};
inline constexpr Param kRegisterTexture[] = {kOutHandle, kSkip32, kSkip32, kFlags32};
inline constexpr Param kMapResources[] = {kCount32, kFirstHandle, kStream};
// A part of an array gets or loses its memory: a list of such changes.
inline constexpr Param kMapArrays[] = {kSkip, kCount32, kStream};

// Hints.
inline constexpr Param kPrefetchDevice[] = {kAddress, kBytes, kDevice, kStream};
inline constexpr Param kAdviseDevice[] = {kAddress, kBytes, kFlags32, kDevice};

// Copies: the destination comes first.
inline constexpr Param kCopy[] = {kAddress, kSource, kBytes};
inline constexpr Param kCopyAsync[] = {kAddress, kSource, kBytes, kStream};
inline constexpr Param kCopyDirected[] = {kAddress, kSource, kBytes, kDirection};
inline constexpr Param kCopyDirectedAsync[] = {kAddress, kSource, kBytes, kDirection, kStream};
inline constexpr Param kCopy2D[] = {kAddress, kSkipSize, kSource, kSkipSize, kWidth, kHeight, kDirection};
inline constexpr Param kCopy2DAsync[] = {kAddress, kSkipSize, kSource, kSkipSize, kWidth, kHeight, kDirection, kStream};
inline constexpr Param kCopyPeer[] = {kAddress, kDevice, kSource, kPeerDevice, kBytes};
inline constexpr Param kCopyPeerAsync[] = {kAddress, kDevice, kSource, kPeerDevice, kBytes, kStream};
inline constexpr Param kCopySymbol[] = {kAddress, kSource, kBytes, kSkipSize, kDirection};
inline constexpr Param kCopySymbolAsync[] = {kAddress, kSource, kBytes, kSkipSize, kDirection, kStream};
// A 3D copy (cudaMemcpy3DParms). The extent's width counts elements, not bytes, when an array takes part.
inline constexpr Peek kCopy3DParms[] = {{Field::kInElements, 0}, {Field::kSource, 32},       {Field::kInElements, 64},
                                        {Field::kAddress, 96},   {Field::kWidth, 128},       {Field::kHeight, 136},
                                        {Field::kDepth, 144},    {Field::kDirection, 152, 4}};
inline constexpr Param kCopy3D[] = {{Abi::kPtr, Field::kNone, kCopy3DParms}};
inline constexpr Param kCopy3DAsync[] = {{Abi::kPtr, Field::kNone, kCopy3DParms}, kStream};
// A 2D copy one level lower (CUDA_MEMCPY2D): widths are bytes; the two memory types say the direction.
inline constexpr Peek kMemcpy2D[] = {
    {Field::kSourcePlace, 16, 4}, {Field::kDestinationPlace, 72, 4}, {Field::kWidth, 112}, {Field::kHeight, 120}};
inline constexpr Param kDriverCopy2D[] = {{Abi::kPtr, Field::kNone, kMemcpy2D}};
inline constexpr Param kDriverCopy2DAsync[] = {{Abi::kPtr, Field::kNone, kMemcpy2D}, kStream};
// Copies with an array on one side or both; offsets in it are not captured, widths are bytes.
inline constexpr Param kCopyToArray[] = {kHandle, kSkipSize, kSkipSize, kSource, kBytes, kDirection};
inline constexpr Param kCopyToArrayAsync[] = {kHandle, kSkipSize, kSkipSize, kSource, kBytes, kDirection, kStream};
inline constexpr Param kCopyFromArray[] = {kAddress, kHandle, kSkipSize, kSkipSize, kBytes, kDirection};
inline constexpr Param kCopyFromArrayAsync[] = {kAddress, kHandle, kSkipSize, kSkipSize, kBytes, kDirection, kStream};
inline constexpr Param kCopyArrayToArray[] = {kHandle,   kSkipSize, kSkipSize, kHandle2,
                                              kSkipSize, kSkipSize, kBytes,    kDirection};
inline constexpr Param kCopy2DToArray[] = {kHandle,   kSkipSize, kSkipSize, kSource,
                                           kSkipSize, kWidth,    kHeight,   kDirection};
inline constexpr Param kCopy2DToArrayAsync[] = {kHandle, kSkipSize, kSkipSize,  kSource, kSkipSize,
                                                kWidth,  kHeight,   kDirection, kStream};
inline constexpr Param kCopy2DFromArray[] = {kAddress,  kSkipSize, kHandle, kSkipSize,
                                             kSkipSize, kWidth,    kHeight, kDirection};
inline constexpr Param kCopy2DFromArrayAsync[] = {kAddress, kSkipSize, kHandle,    kSkipSize, kSkipSize,
                                                  kWidth,   kHeight,   kDirection, kStream};
inline constexpr Param kCopy2DArrayToArray[] = {kHandle,   kSkipSize, kSkipSize, kHandle2,  kSkipSize,
                                                kSkipSize, kWidth,    kHeight,   kDirection};
inline constexpr Param kCopyIntoArray[] = {kHandle, kSkipSize, kSource, kBytes};
inline constexpr Param kCopyIntoArrayAsync[] = {kHandle, kSkipSize, kSource, kBytes, kStream};
inline constexpr Param kCopyOutOfArray[] = {kAddress, kHandle, kSkipSize, kBytes};
inline constexpr Param kCopyOutOfArrayAsync[] = {kAddress, kHandle, kSkipSize, kBytes, kStream};
inline constexpr Param kCopyBetweenArrays[] = {kHandle, kSkipSize, kHandle2, kSkipSize, kBytes};
inline constexpr Param kSet[] = {kAddress, kSkip32, kBytes};
inline constexpr Param kSetAsync[] = {kAddress, kSkip32, kBytes, kStream};
inline constexpr Param kSet2D[] = {kAddress, kSkipSize, kSkip32, kWidth, kHeight};
inline constexpr Param kSet2DAsync[] = {kAddress, kSkipSize, kSkip32, kWidth, kHeight, kStream};
inline constexpr Param kSet3D[] = {kPitchedByValue, kSkip32, kExtentByValue};
inline constexpr Param kSet3DAsync[] = {kPitchedByValue, kSkip32, kExtentByValue, kStream};

// Streams and events.
inline constexpr Param kStreamOnly[] = {kStream};
inline constexpr Param kStreamCreate[] = {kOutStream};
inline constexpr Param kStreamCreateFlags[] = {kOutStream, kFlags32};
inline constexpr Param kStreamCreatePriority[] = {kOutStream, kFlags32, kSkip32};
inline constexpr Param kStreamWaitEvent[] = {kStream, kHandle, kFlags32};
inline constexpr Param kAttachMemory[] = {kStream, kAddress, kBytes, kFlags32};
inline constexpr Param kStreamBatch[] = {kStream, kCount32, kSkip, kFlags32};
inline constexpr Param kHandleOnly[] = {kHandle};
inline constexpr Param kHandleCreate[] = {kOutHandle};
inline constexpr Param kHandleCreateFlags[] = {kOutHandle, kFlags32};
inline constexpr Param kHandleOnStream[] = {kHandle, kStream};
inline constexpr Param kHandleOnStreamFlags[] = {kHandle, kStream, kFlags32};
inline constexpr Param kElapsedTime[] = {kSkip, kHandle, kHandle2};

// Graphs.
inline constexpr Param kBeginCapture[] = {kStream, kFlags32};
inline constexpr Param kBeginCaptureToGraph[] = {kStream, kHandle, kSkip, kSkip, kSkipSize, kFlags32};
inline constexpr Param kEndCapture[] = {kStream, kOutHandle};
inline constexpr Param kInstantiate[] = {kOutHandle, kHandle2, kSkip, kSkip, kSkipSize};
inline constexpr Param kInstantiateFlags[] = {kOutHandle, kHandle2, kFlags64};
inline constexpr Param kUpdateReport[] = {kHandle, kHandle2, kSkip};
inline constexpr Param kUpdateErrorNode[] = {kHandle, kHandle2, kSkip, kSkip};
inline constexpr Param kClone[] = {kOutHandle, kHandle2};

// Devices.
inline constexpr Param kDeviceOnly[] = {kDevice};
inline constexpr Param kDeviceGet[] = {kOutDevice};
inline constexpr Param kCountGet[] = {kOutCount32};
inline constexpr Param kFlagsOnly[] = {kFlags32};
inline constexpr Param kDeviceOfProperties[] = {kSkip, kDevice};
inline constexpr Param kDeviceByOrdinal[] = {kOutDevice, kSkip32};
inline constexpr Param kEnablePeer[] = {kPeerDevice, kFlags32};
inline constexpr Param kDisablePeer[] = {kPeerDevice};
inline constexpr Param kContextCreate[] = {kOutHandle, kFlags32, kDevice};
inline constexpr Param kContextRetain[] = {kOutHandle, kDevice};
inline constexpr Param kEnableContextPeer[] = {kHandle, kFlags32};
inline constexpr Param kSetLimit[] = {kSkip32, {Abi::kSize, Field::kValue}};
inline constexpr Param kMemoryInfo[] = {kSkip, kSkip};

// Code. A looked-up function is kFunction, what it was looked up in kHandle2.
inline constexpr Param kLoad[] = {kOutHandle, kSkip};
inline constexpr Param kModuleLoadEx[] = {kOutHandle, kSkip, kSkip32, kSkip, kSkip};
inline constexpr Param kProcAddressStatus[] = {kSkip, kOutAddress, kSkip32, kFlags64, kSkip};
inline constexpr Param kLookUpFunction[] = {kOutFunction, kHandle2, kName};
inline constexpr Param kAliasFunction[] = {kOutHandle, kFunction};  // the new handle of code known as kFunction
// What is asked or set of a function, whose code may be loaded for it.
inline constexpr Param kFunctionInfo[] = {kSkip, kFunction};
inline constexpr Param kFunctionAttribute[] = {kSkip, kSkip32, kFunction};
inline constexpr Param kSetFunctionAttribute[] = {kFunction, kSkip32, kSkip32};
inline constexpr Param kSetFunctionConfig[] = {kFunction, kSkip32};
// How many blocks of it fit: (answer, function, block size, shared bytes), and the block size that fits best.
inline constexpr Param kOccupancy[] = {kSkip, kFunction, kSkip32, kSharedBytes};
inline constexpr Param kOccupancyFlags[] = {kSkip, kFunction, kSkip32, kSharedBytes, kFlags32};
inline constexpr Param kOccupancyShared[] = {kSkip, kFunction, kSkip32, kSkip32};
inline constexpr Param kOccupancyClusters[] = {kSkip, kFunction, kSkip};
// A variable of loaded code: its address and size, the code it was looked up in, its name.
inline constexpr Param kLookUpVariable[] = {kOutAddress, kSkip, kHandle, kSkip};
inline constexpr Param kLookUpSymbol[] = {kOutAddress, kSkip};
// Code put together at run time.
inline constexpr Param kLinkCreate[] = {kSkip32, kSkip, kSkip, kOutHandle};
inline constexpr Param kLinkAddData[] = {kHandle, kSkip32, kSkip, kBytes, kSkip, kSkip32, kSkip, kSkip};
inline constexpr Param kLinkAddFile[] = {kHandle, kSkip32, kSkip, kSkip32, kSkip, kSkip};
inline constexpr Param kLinkComplete[] = {kHandle, kSkip, kSkip};
// binary, host stub, device function, device name, limit, and five dimensions that are not used
inline constexpr Param kRegisterFunction[] = {kSkip, kFunction, kSkip, kName, kSkip32,
                                              kSkip, kSkip,     kSkip, kSkip, kSkip};
}  // namespace shape

// What the codes of a copy's direction mean, where both ends are named (cudaMemcpyKind).
inline constexpr Direction kCopyDirections[] = {Direction::kHostToHost, Direction::kHostToDevice,
                                                Direction::kDeviceToHost, Direction::kDeviceToDevice,
                                                Direction::kDefault};

}  // namespace ingero::hal
