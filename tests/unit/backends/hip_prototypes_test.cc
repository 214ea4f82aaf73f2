// Every HIP row against the vendor's headers, where those are installed.
#include <cstddef>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "backends/registry.h"
#include "prototype_check.h"

#if __has_include(<hip/hip_runtime_api.h>) && __has_include(<hip/hip_ext.h>)
#define __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_HCC__
#define __HIP_DISABLE_CPP_FUNCTIONS__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#pragma GCC diagnostic pop
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // what is deprecated is still called

// clang-format off
#define HIP(X) \
  X(hipArray3DCreate) X(hipArrayCreate) X(hipArrayDestroy) X(hipCtxCreate) X(hipCtxDestroy) \
  X(hipCtxDisablePeerAccess) X(hipCtxEnablePeerAccess) X(hipCtxPopCurrent) X(hipCtxPushCurrent) \
  X(hipCtxSetCurrent) X(hipCtxSynchronize) X(hipDestroyExternalMemory) X(hipDestroyExternalSemaphore) \
  X(hipDeviceDisablePeerAccess) X(hipDeviceEnablePeerAccess) X(hipDeviceGet) X(hipDevicePrimaryCtxRelease) \
  X(hipDevicePrimaryCtxReset) X(hipDevicePrimaryCtxRetain) X(hipDeviceReset) X(hipDeviceSetMemPool) \
  X(hipDeviceSynchronize) X(hipDrvMemcpy2DUnaligned) X(hipDrvMemcpy3D) X(hipDrvMemcpy3DAsync) X(hipEventCreate) \
  X(hipEventCreateWithFlags) X(hipEventDestroy) X(hipEventElapsedTime) X(hipEventQuery) X(hipEventRecord) \
  X(hipEventSynchronize) X(hipExtLaunchKernel) X(hipExtMallocWithFlags) X(hipExtModuleLaunchKernel) \
  X(hipExtStreamCreateWithCUMask) X(hipExternalMemoryGetMappedBuffer) X(hipFree) X(hipFreeArray) X(hipFreeAsync) \
  X(hipFreeHost) X(hipFreeMipmappedArray) X(hipFuncGetAttribute) X(hipFuncGetAttributes) X(hipFuncSetAttribute) \
  X(hipFuncSetCacheConfig) X(hipFuncSetSharedMemConfig) X(hipGetDevice) X(hipGetDeviceCount) \
  X(hipGetDeviceProperties) X(hipGraphClone) X(hipGraphCreate) X(hipGraphDestroy) X(hipGraphExecDestroy) \
  X(hipGraphExecUpdate) X(hipGraphInstantiate) X(hipGraphInstantiateWithFlags) X(hipGraphLaunch) \
  X(hipGraphicsMapResources) X(hipGraphicsUnmapResources) X(hipGraphicsUnregisterResource) \
  X(hipHccModuleLaunchKernel) X(hipHostAlloc) X(hipHostFree) X(hipHostMalloc) X(hipHostRegister) \
  X(hipHostUnregister) X(hipImportExternalMemory) X(hipImportExternalSemaphore) X(hipInit) \
  X(hipIpcCloseMemHandle) X(hipIpcGetEventHandle) X(hipIpcGetMemHandle) X(hipIpcOpenEventHandle) \
  X(hipIpcOpenMemHandle) X(hipLaunchByPtr) X(hipLaunchCooperativeKernel_spt) X(hipLaunchHostFunc) \
  X(hipLaunchKernel) X(hipLaunchKernel_spt) X(hipMalloc) X(hipMalloc3D) X(hipMalloc3DArray) X(hipMallocArray) \
  X(hipMallocHost) X(hipMallocManaged) X(hipMallocMipmappedArray) X(hipMallocPitch) X(hipMemAddressFree) \
  X(hipMemAddressReserve) X(hipMemAdvise) X(hipMemAllocHost) X(hipMemAllocPitch) X(hipMemCreate) \
  X(hipMemExportToShareableHandle) X(hipMemGetInfo) X(hipMemImportFromShareableHandle) X(hipMemMap) \
  X(hipMemMapArrayAsync) X(hipMemPoolCreate) X(hipMemPoolDestroy) X(hipMemPoolExportPointer) \
  X(hipMemPoolExportToShareableHandle) X(hipMemPoolImportFromShareableHandle) X(hipMemPoolImportPointer) \
  X(hipMemPoolSetAccess) X(hipMemPoolTrimTo) X(hipMemPrefetchAsync) X(hipMemRelease) \
  X(hipMemRetainAllocationHandle) X(hipMemSetAccess) X(hipMemUnmap) X(hipMemcpy) X(hipMemcpy2D) \
  X(hipMemcpy2DAsync) X(hipMemcpy2DFromArray) X(hipMemcpy2DFromArrayAsync) X(hipMemcpy2DFromArray_spt) \
  X(hipMemcpy2DToArray) X(hipMemcpy2DToArrayAsync) X(hipMemcpy2DToArray_spt) X(hipMemcpy2D_spt) X(hipMemcpy3D) \
  X(hipMemcpy3DAsync) X(hipMemcpy3D_spt) X(hipMemcpyAsync) X(hipMemcpyAsync_spt) X(hipMemcpyAtoH) \
  X(hipMemcpyDtoD) X(hipMemcpyDtoDAsync) X(hipMemcpyDtoH) X(hipMemcpyDtoHAsync) X(hipMemcpyFromArray) \
  X(hipMemcpyFromSymbol_spt) X(hipMemcpyHtoA) X(hipMemcpyHtoD) X(hipMemcpyHtoDAsync) X(hipMemcpyParam2D) \
  X(hipMemcpyParam2DAsync) X(hipMemcpyPeer) X(hipMemcpyPeerAsync) X(hipMemcpyToArray) X(hipMemcpyToSymbol_spt) \
  X(hipMemcpyWithStream) X(hipMemcpy_spt) X(hipMemset) X(hipMemset2D) X(hipMemset2DAsync) X(hipMemset2D_spt) \
  X(hipMemset3D) X(hipMemset3DAsync) X(hipMemset3D_spt) X(hipMemsetAsync) X(hipMemsetD16) X(hipMemsetD16Async) \
  X(hipMemsetD32) X(hipMemsetD32Async) X(hipMemsetD8) X(hipMemsetD8Async) X(hipMemset_spt) \
  X(hipMipmappedArrayCreate) X(hipMipmappedArrayDestroy) X(hipModuleGetFunction) X(hipModuleGetGlobal) \
  X(hipModuleLaunchKernel) X(hipModuleLoad) X(hipModuleLoadData) X(hipModuleLoadDataEx) \
  X(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) X(hipModuleOccupancyMaxPotentialBlockSize) \
  X(hipModuleOccupancyMaxPotentialBlockSizeWithFlags) X(hipModuleUnload) X(hipSetDevice) X(hipSetDeviceFlags) \
  X(hipSignalExternalSemaphoresAsync) X(hipStreamAddCallback) X(hipStreamAttachMemAsync) X(hipStreamBeginCapture) \
  X(hipStreamCreate) X(hipStreamCreateWithFlags) X(hipStreamCreateWithPriority) X(hipStreamDestroy) \
  X(hipStreamEndCapture) X(hipStreamQuery) X(hipStreamQuery_spt) X(hipStreamSynchronize) \
  X(hipStreamSynchronize_spt) X(hipStreamWaitEvent) X(hipStreamWaitEvent_spt) X(hipStreamWaitValue32) \
  X(hipStreamWaitValue64) X(hipStreamWriteValue32) X(hipStreamWriteValue64) X(hipWaitExternalSemaphoresAsync)
#if HIP_VERSION_MAJOR >= 6
#define HIP6(X) \
  X(hipDeviceGraphMemTrim) X(hipDeviceSetLimit) X(hipEventRecordWithFlags) X(hipEventRecord_spt) \
  X(hipGetDevicePropertiesR0600) X(hipGetFuncBySymbol) X(hipGetProcAddress) X(hipGraphInstantiateWithParams) \
  X(hipGraphLaunch_spt) X(hipGraphUpload) X(hipLaunchHostFunc_spt) X(hipLinkAddData) X(hipLinkAddFile) \
  X(hipLinkComplete) X(hipLinkCreate) X(hipLinkDestroy) X(hipMemcpy2DArrayToArray) X(hipMemcpy2DAsync_spt) \
  X(hipMemcpyAtoA) X(hipMemcpyAtoD) X(hipMemcpyAtoHAsync) X(hipMemcpyDtoA) X(hipMemcpyHtoAAsync) \
  X(hipModuleLaunchCooperativeKernel) X(hipModuleLaunchCooperativeKernelMultiDevice) X(hipStreamBatchMemOp) \
  X(hipStreamBeginCaptureToGraph) X(hipStreamBeginCapture_spt)
#define HIP5(X)
#else
#define HIP5(X) X(hipGraphicsGLRegisterBuffer) X(hipGraphicsGLRegisterImage)
#define HIP6(X)
#endif
#define COMPILER(X) X(hiprtcCompileProgram) X(hiprtcCreateProgram) X(hiprtcDestroyProgram)
#if HIP_VERSION_MAJOR > 5 || HIP_VERSION_MINOR > 2
#define LINKER(X) \
  X(hiprtcLinkAddData) X(hiprtcLinkAddFile) X(hiprtcLinkComplete) X(hiprtcLinkCreate) X(hiprtcLinkDestroy)
#else
#define LINKER(X)
#endif
// clang-format on

#endif

namespace ingero::testing {
namespace {

const hal::Library& library_of(std::string_view name) {
  for (const hal::Backend* backend : backends::all_backends()) {
    if (backend->name == name) return backend->libraries[0];
  }
  std::abort();
}

const hal::Library& hip_library() { return library_of("hip"); }

#if defined(HIP)

TEST(HipPrototypes, RowsAreWhatTheHeaderDeclares) {
#define X(name) {#name, SignatureOf<decltype(&name)>::get()},
  Signatures header = {HIP(X) HIP5(X) HIP6(X)};
#undef X
  // Overloaded by templates of the header: the cast picks the exported function, or does not compile.
#define OVERLOADED(name, ...) \
  header[#name] = SignatureOf<decltype(static_cast<hipError_t (*)(__VA_ARGS__)>(&name))>::get()
  OVERLOADED(hipLaunchCooperativeKernel, const void*, dim3, dim3, void**, unsigned int, hipStream_t);
  OVERLOADED(hipLaunchCooperativeKernelMultiDevice, hipLaunchParams*, int, unsigned int);
  OVERLOADED(hipExtLaunchMultiKernelMultiDevice, hipLaunchParams*, int, unsigned int);
  OVERLOADED(hipMallocAsync, void**, size_t, hipStream_t);
  OVERLOADED(hipMallocFromPoolAsync, void**, size_t, hipMemPool_t, hipStream_t);
  OVERLOADED(hipMemcpyToSymbol, const void*, const void*, size_t, size_t, hipMemcpyKind);
  OVERLOADED(hipMemcpyToSymbolAsync, const void*, const void*, size_t, size_t, hipMemcpyKind, hipStream_t);
  OVERLOADED(hipMemcpyFromSymbol, void*, const void*, size_t, size_t, hipMemcpyKind);
  OVERLOADED(hipMemcpyFromSymbolAsync, void*, const void*, size_t, size_t, hipMemcpyKind, hipStream_t);
  OVERLOADED(hipGetSymbolAddress, void**, const void*);
  OVERLOADED(hipGetSymbolSize, size_t*, const void*);
  OVERLOADED(hipOccupancyMaxActiveBlocksPerMultiprocessor, int*, const void*, int, size_t);
  OVERLOADED(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int*, const void*, int, size_t, unsigned int);
  OVERLOADED(hipOccupancyMaxPotentialBlockSize, int*, int*, const void*, size_t, int);
#undef OVERLOADED
  std::set<std::string_view> undeclared = {
      "__hipRegisterFatBinary", "__hipUnregisterFatBinary", "__hipRegisterFunction",      "hipLaunchKernelExC",
      "hipDrvLaunchKernelEx",   "hipExtHostAlloc",          "hipGetDevicePropertiesR0000"};
#if HIP_VERSION_MAJOR >= 6
  undeclared.insert({"hipGraphicsGLRegisterBuffer", "hipGraphicsGLRegisterImage"});
#else
  undeclared.insert({"hipDeviceSetLimit", "hipDeviceGraphMemTrim", "hipLinkCreate", "hipLinkAddData", "hipLinkAddFile",
                     "hipLinkComplete", "hipLinkDestroy"});
  undeclared.insert({"hipModuleLaunchCooperativeKernel", "hipModuleLaunchCooperativeKernelMultiDevice",
                     "hipMemcpy2DArrayToArray", "hipMemcpyHtoAAsync", "hipMemcpyAtoHAsync", "hipMemcpyDtoA",
                     "hipMemcpyAtoD", "hipMemcpyAtoA", "hipStreamBatchMemOp", "hipEventRecordWithFlags",
                     "hipStreamBeginCaptureToGraph", "hipGraphInstantiateWithParams", "hipGraphUpload",
                     "hipGetFuncBySymbol", "hipGetProcAddress", "hipGetDevicePropertiesR0600"});
#endif
  expect_library(hip_library(), header, {}, undeclared);
}

TEST(HipPrototypes, RowsOfTheRunTimeCompilerAreWhatTheHeaderDeclares) {
#define X(name) {#name, SignatureOf<decltype(&name)>::get()},
  const Signatures header = {COMPILER(X) LINKER(X)};
#undef X
  std::set<std::string_view> undeclared;
  if (header.count("hiprtcLinkCreate") == 0) {
    undeclared = {"hiprtcLinkAddData", "hiprtcLinkAddFile", "hiprtcLinkComplete", "hiprtcLinkCreate",
                  "hiprtcLinkDestroy"};
  }
  expect_library(library_of("hiprtc"), header, {}, undeclared);
  for (const hal::Backend* backend : backends::all_backends()) {
    if (backend->name != "hiprtc") continue;
    EXPECT_EQ(hal::status_name(backend->statuses, HIPRTC_ERROR_COMPILATION), "HIPRTC_ERROR_COMPILATION");
    EXPECT_EQ(hal::status_name(backend->statuses, HIPRTC_ERROR_INTERNAL_ERROR), "HIPRTC_ERROR_INTERNAL_ERROR");
  }
}

// Fields behind pointers are where the header puts the members.
TEST(HipPrototypes, PeeksAreTheHeadersMembers) {
  const auto rows = hip_library().rows;
#define MEMBER(row, field, type, member) \
  expect_member(rows, row, hal::Field::field, offsetof(type, member), sizeof(type::member))
  MEMBER("hipLaunchCooperativeKernelMultiDevice", kFunction, hipLaunchParams, func);
  MEMBER("hipLaunchCooperativeKernelMultiDevice", kSharedBytes, hipLaunchParams, sharedMem);
  MEMBER("hipLaunchCooperativeKernelMultiDevice", kStream, hipLaunchParams, stream);
  MEMBER("hipMemcpy3D", kInElements, hipMemcpy3DParms, srcArray);
  MEMBER("hipMemcpy3D", kInElements, hipMemcpy3DParms, dstArray);
  MEMBER("hipMemcpy3D", kDirection, hipMemcpy3DParms, kind);
  MEMBER("hipMemcpyParam2D", kWidth, hip_Memcpy2D, WidthInBytes);
  MEMBER("hipMemcpyParam2D", kHeight, hip_Memcpy2D, Height);
  MEMBER("hipImportExternalMemory", kBytes, hipExternalMemoryHandleDesc, size);
  MEMBER("hipExternalMemoryGetMappedBuffer", kBytes, hipExternalMemoryBufferDesc, size);
  MEMBER("hipDrvMemcpy3D", kWidth, HIP_MEMCPY3D, WidthInBytes);
  MEMBER("hipDrvMemcpy3D", kHeight, HIP_MEMCPY3D, Height);
  MEMBER("hipDrvMemcpy3D", kDepth, HIP_MEMCPY3D, Depth);
  expect_member(rows, "hipLaunchCooperativeKernelMultiDevice", hal::Field::kGridXY, offsetof(hipLaunchParams, gridDim),
                8);
  expect_member(rows, "hipLaunchCooperativeKernelMultiDevice", hal::Field::kBlockXY,
                offsetof(hipLaunchParams, blockDim), 8);
  expect_member(rows, "hipMemcpy3D", hal::Field::kSource, offsetof(hipMemcpy3DParms, srcPtr), 8);
  expect_member(rows, "hipMemcpy3D", hal::Field::kAddress, offsetof(hipMemcpy3DParms, dstPtr), 8);
  expect_member(rows, "hipMemcpy3D", hal::Field::kWidth, offsetof(hipMemcpy3DParms, extent), 8);
#if HIP_VERSION_MAJOR >= 6
  MEMBER("hipMemcpyParam2D", kSourcePlace, hip_Memcpy2D, srcMemoryType);
  MEMBER("hipMemcpyParam2D", kDestinationPlace, hip_Memcpy2D, dstMemoryType);
  MEMBER("hipDrvMemcpy3D", kSourcePlace, HIP_MEMCPY3D, srcMemoryType);
  MEMBER("hipDrvMemcpy3D", kDestinationPlace, HIP_MEMCPY3D, dstMemoryType);
  MEMBER("hipGraphInstantiateWithParams", kFlags, hipGraphInstantiateParams, flags);
  MEMBER("hipGraphInstantiateWithParams", kStream, hipGraphInstantiateParams, uploadStream);
  MEMBER("hipModuleLaunchCooperativeKernelMultiDevice", kFunction, hipFunctionLaunchParams, function);
  MEMBER("hipModuleLaunchCooperativeKernelMultiDevice", kSharedBytes, hipFunctionLaunchParams, sharedMemBytes);
  MEMBER("hipModuleLaunchCooperativeKernelMultiDevice", kStream, hipFunctionLaunchParams, hStream);
#endif
#undef MEMBER
}

TEST(HipPrototypes, CodesAreTheHeaders) {
  const hal::Backend* hip = nullptr;
  for (const hal::Backend* backend : backends::all_backends()) {
    if (backend->name == "hip") hip = backend;
  }
  ASSERT_NE(hip, nullptr);
#define EXPECT_STATUS(code) EXPECT_EQ(hal::status_name(hip->statuses, code), #code)
  EXPECT_STATUS(hipSuccess);
  EXPECT_STATUS(hipErrorInvalidValue);
  EXPECT_STATUS(hipErrorOutOfMemory);
  EXPECT_STATUS(hipErrorNoDevice);
  EXPECT_STATUS(hipErrorInvalidDevice);
  EXPECT_STATUS(hipErrorNotReady);
  EXPECT_STATUS(hipErrorIllegalAddress);
  EXPECT_STATUS(hipErrorLaunchFailure);
#undef EXPECT_STATUS
  ASSERT_EQ(hip->not_failures.size(), 1U);
  EXPECT_EQ(hip->not_failures[0], hipErrorNotReady);
  EXPECT_EQ(hal::direction_of(*hip, hipMemcpyHostToDevice), hal::Direction::kHostToDevice);
  EXPECT_EQ(hal::direction_of(*hip, hipMemcpyDeviceToHost), hal::Direction::kDeviceToHost);
  EXPECT_EQ(hal::direction_of(*hip, hipMemcpyDeviceToDevice), hal::Direction::kDeviceToDevice);
  EXPECT_EQ(hal::direction_of(*hip, hipMemcpyHostToHost), hal::Direction::kHostToHost);
  EXPECT_EQ(hal::direction_of(*hip, hipMemcpyDefault), hal::Direction::kDefault);
#if HIP_VERSION_MAJOR >= 6
  EXPECT_EQ(hal::place_of(*hip, hipMemoryTypeHost), hal::Place::kHost);
  EXPECT_EQ(hal::place_of(*hip, hipMemoryTypeDevice), hal::Place::kDevice);
  EXPECT_EQ(hal::place_of(*hip, hipMemoryTypeManaged), hal::Place::kEither);
  EXPECT_EQ(hal::place_of(*hip, hipMemoryTypeArray), hal::Place::kDevice);
  EXPECT_EQ(hal::place_of(*hip, hipMemoryTypeUnified), hal::Place::kEither);
#endif
}

#else

TEST(HipPrototypes, RowsAreWhatTheHeaderDeclares) {
  GTEST_SKIP() << "no HIP headers: " << hip_library().rows.size() << " rows were not compared";
}

#endif

}  // namespace
}  // namespace ingero::testing
