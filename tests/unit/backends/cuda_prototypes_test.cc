// Every CUDA row against the vendor's headers, where those are installed.
//
// The driver's header declares each exported spelling, versions and per-thread-stream variants included, when asked as
// its own library asks.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "backends/registry.h"
#include "base/text.h"
#include "prototype_check.h"

#if __has_include("/usr/local/cuda/include/cuda_runtime_api.h") && __has_include("/usr/local/cuda/include/cuda.h")
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "/usr/local/cuda/include/cuda_runtime_api.h"
#define __CUDA_API_VERSION_INTERNAL
#include "/usr/local/cuda/include/cuda.h"
#define __CUDA_RUNTIME_H__  // not its templates, which overload what is compared
#if __has_include(<GL/gl.h>)
#include "/usr/local/cuda/include/cudaGL.h"
#include "/usr/local/cuda/include/cuda_gl_interop.h"
#endif
#if __has_include(<EGL/egl.h>) && __has_include(<EGL/eglext.h>)
#include "/usr/local/cuda/include/cudaEGL.h"
#include "/usr/local/cuda/include/cuda_egl_interop.h"
#endif
#if __has_include(<vdpau/vdpau.h>)
#include "/usr/local/cuda/include/cudaVDPAU.h"
#include "/usr/local/cuda/include/cuda_vdpau_interop.h"
#endif
#pragma GCC diagnostic pop
#endif

#if defined(CUDART_VERSION) && CUDART_VERSION >= 13000

// clang-format off
#define RUNTIME(X) \
  X(cudaCtxResetPersistingL2Cache) X(cudaDestroyExternalMemory) X(cudaDestroyExternalSemaphore) \
  X(cudaDeviceDisablePeerAccess) X(cudaDeviceEnablePeerAccess) X(cudaDeviceFlushGPUDirectRDMAWrites) \
  X(cudaDeviceGraphMemTrim) X(cudaDeviceReset) X(cudaDeviceSetLimit) X(cudaDeviceSynchronize) X(cudaEventCreate) \
  X(cudaEventCreateWithFlags) X(cudaEventDestroy) X(cudaEventElapsedTime) X(cudaEventQuery) X(cudaEventRecord) \
  X(cudaEventRecordWithFlags) X(cudaEventSynchronize) X(cudaExternalMemoryGetMappedBuffer) \
  X(cudaExternalMemoryGetMappedMipmappedArray) X(cudaFree) X(cudaFreeArray) X(cudaFreeAsync) X(cudaFreeHost) \
  X(cudaFreeMipmappedArray) X(cudaFuncGetAttributes) X(cudaFuncSetAttribute) X(cudaFuncSetCacheConfig) \
  X(cudaFuncSetSharedMemConfig) X(cudaGetDevice) X(cudaGetDeviceCount) X(cudaGetDeviceProperties) \
  X(cudaGetDriverEntryPoint) X(cudaGetDriverEntryPointByVersion) X(cudaGetFuncBySymbol) X(cudaGetKernel) \
  X(cudaGetSymbolAddress) X(cudaGetSymbolSize) X(cudaGraphClone) X(cudaGraphCreate) X(cudaGraphDestroy) \
  X(cudaGraphExecDestroy) X(cudaGraphExecUpdate) X(cudaGraphInstantiate) X(cudaGraphInstantiateWithFlags) \
  X(cudaGraphInstantiateWithParams) X(cudaGraphLaunch) X(cudaGraphUpload) X(cudaGraphicsMapResources) \
  X(cudaGraphicsUnmapResources) X(cudaGraphicsUnregisterResource) X(cudaHostAlloc) X(cudaHostRegister) \
  X(cudaHostUnregister) X(cudaImportExternalMemory) X(cudaImportExternalSemaphore) X(cudaInitDevice) \
  X(cudaIpcCloseMemHandle) X(cudaIpcGetEventHandle) X(cudaIpcGetMemHandle) X(cudaIpcOpenEventHandle) \
  X(cudaIpcOpenMemHandle) X(cudaKernelSetAttributeForDevice) X(cudaLaunchCooperativeKernel) X(cudaLaunchHostFunc) \
  X(cudaLaunchKernel) X(cudaLaunchKernelExC) X(cudaLibraryGetGlobal) X(cudaLibraryGetKernel) \
  X(cudaLibraryGetManaged) X(cudaLibraryGetUnifiedFunction) X(cudaLibraryLoadData) X(cudaLibraryLoadFromFile) \
  X(cudaLibraryUnload) X(cudaMalloc) X(cudaMalloc3D) X(cudaMalloc3DArray) X(cudaMallocArray) X(cudaMallocAsync) \
  X(cudaMallocFromPoolAsync) X(cudaMallocHost) X(cudaMallocManaged) X(cudaMallocMipmappedArray) \
  X(cudaMallocPitch) X(cudaMemAdvise) X(cudaMemDiscardAndPrefetchBatchAsync) X(cudaMemDiscardBatchAsync) \
  X(cudaMemGetInfo) X(cudaMemPoolCreate) X(cudaMemPoolDestroy) X(cudaMemPoolExportPointer) \
  X(cudaMemPoolExportToShareableHandle) X(cudaMemPoolImportFromShareableHandle) X(cudaMemPoolImportPointer) \
  X(cudaMemPoolSetAccess) X(cudaMemPoolTrimTo) X(cudaMemPrefetchAsync) X(cudaMemPrefetchBatchAsync) X(cudaMemcpy) \
  X(cudaMemcpy2D) X(cudaMemcpy2DArrayToArray) X(cudaMemcpy2DAsync) X(cudaMemcpy2DFromArray) \
  X(cudaMemcpy2DFromArrayAsync) X(cudaMemcpy2DToArray) X(cudaMemcpy2DToArrayAsync) X(cudaMemcpy3D) \
  X(cudaMemcpy3DAsync) X(cudaMemcpy3DBatchAsync) X(cudaMemcpy3DPeer) X(cudaMemcpy3DPeerAsync) \
  X(cudaMemcpyArrayToArray) X(cudaMemcpyAsync) X(cudaMemcpyBatchAsync) X(cudaMemcpyFromArray) \
  X(cudaMemcpyFromArrayAsync) X(cudaMemcpyFromSymbol) X(cudaMemcpyFromSymbolAsync) X(cudaMemcpyPeer) \
  X(cudaMemcpyPeerAsync) X(cudaMemcpyToArray) X(cudaMemcpyToArrayAsync) X(cudaMemcpyToSymbol) \
  X(cudaMemcpyToSymbolAsync) X(cudaMemset) X(cudaMemset2D) X(cudaMemset2DAsync) X(cudaMemset3D) \
  X(cudaMemset3DAsync) X(cudaMemsetAsync) X(cudaOccupancyAvailableDynamicSMemPerBlock) \
  X(cudaOccupancyMaxActiveBlocksPerMultiprocessor) X(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) \
  X(cudaOccupancyMaxActiveClusters) X(cudaOccupancyMaxPotentialClusterSize) X(cudaSetDevice) \
  X(cudaSetDeviceFlags) X(cudaSignalExternalSemaphoresAsync) X(cudaStreamAddCallback) X(cudaStreamAttachMemAsync) \
  X(cudaStreamBeginCapture) X(cudaStreamBeginCaptureToGraph) X(cudaStreamCreate) X(cudaStreamCreateWithFlags) \
  X(cudaStreamCreateWithPriority) X(cudaStreamDestroy) X(cudaStreamEndCapture) X(cudaStreamQuery) \
  X(cudaStreamSynchronize) X(cudaStreamWaitEvent) X(cudaWaitExternalSemaphoresAsync)

#define DRIVER(X) \
  X(cuArray3DCreate) X(cuArray3DCreate_v2) X(cuArrayCreate) X(cuArrayCreate_v2) X(cuArrayDestroy) \
  X(cuCheckpointProcessCheckpoint) X(cuCheckpointProcessLock) X(cuCheckpointProcessRestore) \
  X(cuCheckpointProcessUnlock) X(cuCtxAttach) X(cuCtxCreate) X(cuCtxCreate_v2) X(cuCtxCreate_v3) \
  X(cuCtxCreate_v4) X(cuCtxDestroy) X(cuCtxDestroy_v2) X(cuCtxDetach) X(cuCtxDisablePeerAccess) \
  X(cuCtxEnablePeerAccess) X(cuCtxPopCurrent) X(cuCtxPopCurrent_v2) X(cuCtxPushCurrent) X(cuCtxPushCurrent_v2) \
  X(cuCtxRecordEvent) X(cuCtxResetPersistingL2Cache) X(cuCtxSetCurrent) X(cuCtxSetLimit) X(cuCtxSynchronize) \
  X(cuCtxSynchronize_v2) X(cuCtxWaitEvent) X(cuDestroyExternalMemory) X(cuDestroyExternalSemaphore) \
  X(cuDeviceGet) X(cuDeviceGetCount) X(cuDeviceGraphMemTrim) X(cuDevicePrimaryCtxRelease) \
  X(cuDevicePrimaryCtxRelease_v2) X(cuDevicePrimaryCtxReset) X(cuDevicePrimaryCtxReset_v2) \
  X(cuDevicePrimaryCtxRetain) X(cuEventCreate) X(cuEventDestroy) X(cuEventDestroy_v2) X(cuEventElapsedTime) \
  X(cuEventElapsedTime_v2) X(cuEventQuery) X(cuEventRecord) X(cuEventRecordWithFlags) \
  X(cuEventRecordWithFlags_ptsz) X(cuEventRecord_ptsz) X(cuEventSynchronize) X(cuExternalMemoryGetMappedBuffer) \
  X(cuExternalMemoryGetMappedMipmappedArray) X(cuFlushGPUDirectRDMAWrites) X(cuFuncGetAttribute) X(cuFuncLoad) \
  X(cuFuncSetAttribute) X(cuFuncSetCacheConfig) X(cuFuncSetSharedMemConfig) X(cuGetProcAddress) \
  X(cuGetProcAddress_v2) X(cuGraphClone) X(cuGraphCreate) X(cuGraphDestroy) X(cuGraphExecDestroy) \
  X(cuGraphExecUpdate) X(cuGraphExecUpdate_v2) X(cuGraphInstantiate) X(cuGraphInstantiateWithFlags) \
  X(cuGraphInstantiateWithParams) X(cuGraphInstantiateWithParams_ptsz) X(cuGraphInstantiate_v2) X(cuGraphLaunch) \
  X(cuGraphLaunch_ptsz) X(cuGraphUpload) X(cuGraphUpload_ptsz) X(cuGraphicsMapResources) \
  X(cuGraphicsMapResources_ptsz) X(cuGraphicsUnmapResources) X(cuGraphicsUnmapResources_ptsz) \
  X(cuGraphicsUnregisterResource) X(cuGreenCtxCreate) X(cuGreenCtxDestroy) X(cuGreenCtxRecordEvent) \
  X(cuGreenCtxStreamCreate) X(cuGreenCtxWaitEvent) X(cuImportExternalMemory) X(cuImportExternalSemaphore) \
  X(cuInit) X(cuIpcCloseMemHandle) X(cuIpcGetEventHandle) X(cuIpcGetMemHandle) X(cuIpcOpenEventHandle) \
  X(cuIpcOpenMemHandle) X(cuIpcOpenMemHandle_v2) X(cuKernelGetFunction) \
  X(cuKernelSetAttribute) X(cuKernelSetCacheConfig) X(cuLaunch) X(cuLaunchCooperativeKernel) \
  X(cuLaunchCooperativeKernelMultiDevice) X(cuLaunchCooperativeKernel_ptsz) X(cuLaunchGrid) X(cuLaunchGridAsync) \
  X(cuLaunchHostFunc) X(cuLaunchHostFunc_ptsz) X(cuLaunchKernel) X(cuLaunchKernelEx) X(cuLaunchKernelEx_ptsz) \
  X(cuLaunchKernel_ptsz) X(cuLibraryGetGlobal) X(cuLibraryGetKernel) X(cuLibraryGetManaged) X(cuLibraryGetModule) \
  X(cuLibraryGetUnifiedFunction) X(cuLibraryLoadData) X(cuLibraryLoadFromFile) X(cuLibraryUnload) \
  X(cuLinkAddData) X(cuLinkAddData_v2) X(cuLinkAddFile) X(cuLinkAddFile_v2) X(cuLinkComplete) X(cuLinkCreate) \
  X(cuLinkCreate_v2) X(cuLinkDestroy) X(cuMemAddressFree) X(cuMemAddressReserve) X(cuMemAdvise) X(cuMemAdvise_v2) \
  X(cuMemAlloc) X(cuMemAllocAsync) X(cuMemAllocAsync_ptsz) X(cuMemAllocFromPoolAsync) \
  X(cuMemAllocFromPoolAsync_ptsz) X(cuMemAllocHost) X(cuMemAllocHost_v2) X(cuMemAllocManaged) X(cuMemAllocPitch) \
  X(cuMemAllocPitch_v2) X(cuMemAlloc_v2) X(cuMemBatchDecompressAsync) X(cuMemBatchDecompressAsync_ptsz) \
  X(cuMemCreate) X(cuMemDiscardAndPrefetchBatchAsync) X(cuMemDiscardAndPrefetchBatchAsync_ptsz) \
  X(cuMemDiscardBatchAsync) X(cuMemDiscardBatchAsync_ptsz) X(cuMemExportToShareableHandle) X(cuMemFree) \
  X(cuMemFreeAsync) X(cuMemFreeAsync_ptsz) X(cuMemFreeHost) X(cuMemFree_v2) X(cuMemGetHandleForAddressRange) \
  X(cuMemGetInfo) X(cuMemGetInfo_v2) X(cuMemHostAlloc) X(cuMemHostRegister) X(cuMemHostRegister_v2) \
  X(cuMemHostUnregister) X(cuMemImportFromShareableHandle) X(cuMemMap) X(cuMemMapArrayAsync) \
  X(cuMemMapArrayAsync_ptsz) X(cuMemPoolCreate) X(cuMemPoolDestroy) X(cuMemPoolExportPointer) \
  X(cuMemPoolExportToShareableHandle) X(cuMemPoolImportFromShareableHandle) X(cuMemPoolImportPointer) \
  X(cuMemPoolSetAccess) X(cuMemPoolTrimTo) X(cuMemPrefetchAsync) X(cuMemPrefetchAsync_ptsz) \
  X(cuMemPrefetchAsync_v2) X(cuMemPrefetchAsync_v2_ptsz) X(cuMemPrefetchBatchAsync) \
  X(cuMemPrefetchBatchAsync_ptsz) X(cuMemRelease) X(cuMemRetainAllocationHandle) X(cuMemSetAccess) X(cuMemUnmap) \
  X(cuMemcpy) X(cuMemcpy2D) X(cuMemcpy2DAsync) X(cuMemcpy2DAsync_v2) X(cuMemcpy2DAsync_v2_ptsz) \
  X(cuMemcpy2DUnaligned) X(cuMemcpy2DUnaligned_v2) X(cuMemcpy2DUnaligned_v2_ptds) X(cuMemcpy2D_v2) \
  X(cuMemcpy2D_v2_ptds) X(cuMemcpy3D) X(cuMemcpy3DAsync) X(cuMemcpy3DAsync_v2) X(cuMemcpy3DAsync_v2_ptsz) \
  X(cuMemcpy3DBatchAsync) X(cuMemcpy3DBatchAsync_ptsz) X(cuMemcpy3DBatchAsync_v2) X(cuMemcpy3DBatchAsync_v2_ptsz) \
  X(cuMemcpy3DPeer) X(cuMemcpy3DPeerAsync) X(cuMemcpy3DPeerAsync_ptsz) X(cuMemcpy3DPeer_ptds) X(cuMemcpy3D_v2) \
  X(cuMemcpy3D_v2_ptds) X(cuMemcpyAsync) X(cuMemcpyAsync_ptsz) X(cuMemcpyAtoA) X(cuMemcpyAtoA_v2) \
  X(cuMemcpyAtoA_v2_ptds) X(cuMemcpyAtoD) X(cuMemcpyAtoD_v2) X(cuMemcpyAtoD_v2_ptds) X(cuMemcpyAtoH) \
  X(cuMemcpyAtoHAsync) X(cuMemcpyAtoHAsync_v2) X(cuMemcpyAtoHAsync_v2_ptsz) X(cuMemcpyAtoH_v2) \
  X(cuMemcpyAtoH_v2_ptds) X(cuMemcpyBatchAsync) X(cuMemcpyBatchAsync_ptsz) X(cuMemcpyBatchAsync_v2) \
  X(cuMemcpyBatchAsync_v2_ptsz) X(cuMemcpyDtoA) X(cuMemcpyDtoA_v2) X(cuMemcpyDtoA_v2_ptds) X(cuMemcpyDtoD) \
  X(cuMemcpyDtoDAsync) X(cuMemcpyDtoDAsync_v2) X(cuMemcpyDtoDAsync_v2_ptsz) X(cuMemcpyDtoD_v2) \
  X(cuMemcpyDtoD_v2_ptds) X(cuMemcpyDtoH) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoHAsync_v2) \
  X(cuMemcpyDtoHAsync_v2_ptsz) X(cuMemcpyDtoH_v2) X(cuMemcpyDtoH_v2_ptds) X(cuMemcpyHtoA) X(cuMemcpyHtoAAsync) \
  X(cuMemcpyHtoAAsync_v2) X(cuMemcpyHtoAAsync_v2_ptsz) X(cuMemcpyHtoA_v2) X(cuMemcpyHtoA_v2_ptds) X(cuMemcpyHtoD) \
  X(cuMemcpyHtoDAsync) X(cuMemcpyHtoDAsync_v2) X(cuMemcpyHtoDAsync_v2_ptsz) X(cuMemcpyHtoD_v2) \
  X(cuMemcpyHtoD_v2_ptds) X(cuMemcpyPeer) X(cuMemcpyPeerAsync) X(cuMemcpyPeerAsync_ptsz) X(cuMemcpyPeer_ptds) \
  X(cuMemcpy_ptds) X(cuMemsetD16) X(cuMemsetD16Async) X(cuMemsetD16Async_ptsz) X(cuMemsetD16_v2) \
  X(cuMemsetD16_v2_ptds) X(cuMemsetD2D16) X(cuMemsetD2D16Async) X(cuMemsetD2D16Async_ptsz) X(cuMemsetD2D16_v2) \
  X(cuMemsetD2D16_v2_ptds) X(cuMemsetD2D32) X(cuMemsetD2D32Async) X(cuMemsetD2D32Async_ptsz) X(cuMemsetD2D32_v2) \
  X(cuMemsetD2D32_v2_ptds) X(cuMemsetD2D8) X(cuMemsetD2D8Async) X(cuMemsetD2D8Async_ptsz) X(cuMemsetD2D8_v2) \
  X(cuMemsetD2D8_v2_ptds) X(cuMemsetD32) X(cuMemsetD32Async) X(cuMemsetD32Async_ptsz) X(cuMemsetD32_v2) \
  X(cuMemsetD32_v2_ptds) X(cuMemsetD8) X(cuMemsetD8Async) X(cuMemsetD8Async_ptsz) X(cuMemsetD8_v2) \
  X(cuMemsetD8_v2_ptds) X(cuMipmappedArrayCreate) X(cuMipmappedArrayDestroy) X(cuModuleGetFunction) \
  X(cuModuleGetGlobal) X(cuModuleGetGlobal_v2) X(cuModuleLoad) X(cuModuleLoadData) X(cuModuleLoadDataEx) \
  X(cuModuleLoadFatBinary) X(cuModuleUnload) X(cuMulticastAddDevice) X(cuMulticastBindAddr) X(cuMulticastBindMem) \
  X(cuMulticastCreate) X(cuMulticastUnbind) X(cuOccupancyAvailableDynamicSMemPerBlock) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) \
  X(cuOccupancyMaxActiveClusters) X(cuOccupancyMaxPotentialBlockSize) \
  X(cuOccupancyMaxPotentialBlockSizeWithFlags) X(cuOccupancyMaxPotentialClusterSize) \
  X(cuSignalExternalSemaphoresAsync) X(cuSignalExternalSemaphoresAsync_ptsz) X(cuStreamAddCallback) \
  X(cuStreamAddCallback_ptsz) X(cuStreamAttachMemAsync) X(cuStreamAttachMemAsync_ptsz) X(cuStreamBatchMemOp) \
  X(cuStreamBatchMemOp_ptsz) X(cuStreamBatchMemOp_v2) X(cuStreamBatchMemOp_v2_ptsz) X(cuStreamBeginCapture) \
  X(cuStreamBeginCaptureToGraph) X(cuStreamBeginCaptureToGraph_ptsz) X(cuStreamBeginCapture_ptsz) \
  X(cuStreamBeginCapture_v2) X(cuStreamBeginCapture_v2_ptsz) X(cuStreamCreate) X(cuStreamCreateWithPriority) \
  X(cuStreamDestroy) X(cuStreamDestroy_v2) X(cuStreamEndCapture) X(cuStreamEndCapture_ptsz) X(cuStreamQuery) \
  X(cuStreamQuery_ptsz) X(cuStreamSynchronize) X(cuStreamSynchronize_ptsz) X(cuStreamWaitEvent) \
  X(cuStreamWaitEvent_ptsz) X(cuStreamWaitValue32) X(cuStreamWaitValue32_ptsz) X(cuStreamWaitValue32_v2) \
  X(cuStreamWaitValue32_v2_ptsz) X(cuStreamWaitValue64) X(cuStreamWaitValue64_ptsz) X(cuStreamWaitValue64_v2) \
  X(cuStreamWaitValue64_v2_ptsz) X(cuStreamWriteValue32) X(cuStreamWriteValue32_ptsz) X(cuStreamWriteValue32_v2) \
  X(cuStreamWriteValue32_v2_ptsz) X(cuStreamWriteValue64) X(cuStreamWriteValue64_ptsz) X(cuStreamWriteValue64_v2) \
  X(cuStreamWriteValue64_v2_ptsz) X(cuWaitExternalSemaphoresAsync) X(cuWaitExternalSemaphoresAsync_ptsz)

// Calls of other interfaces, declared where those have their headers.
#define GL_RUNTIME(X) X(cudaGLSetGLDevice) X(cudaGraphicsGLRegisterBuffer) X(cudaGraphicsGLRegisterImage)
#define GL_DRIVER(X) \
  X(cuGLCtxCreate) X(cuGLCtxCreate_v2) X(cuGraphicsGLRegisterBuffer) X(cuGraphicsGLRegisterImage)
#define EGL_RUNTIME(X) \
  X(cudaEGLStreamConsumerAcquireFrame) X(cudaEGLStreamConsumerConnect) X(cudaEGLStreamConsumerConnectWithFlags) \
  X(cudaEGLStreamConsumerDisconnect) X(cudaEGLStreamConsumerReleaseFrame) X(cudaEGLStreamProducerConnect) \
  X(cudaEGLStreamProducerDisconnect) X(cudaEGLStreamProducerPresentFrame) X(cudaEGLStreamProducerReturnFrame) \
  X(cudaEventCreateFromEGLSync) X(cudaGraphicsEGLRegisterImage)
#define EGL_DRIVER(X) \
  X(cuEGLStreamConsumerAcquireFrame) X(cuEGLStreamConsumerConnect) X(cuEGLStreamConsumerConnectWithFlags) \
  X(cuEGLStreamConsumerDisconnect) X(cuEGLStreamConsumerReleaseFrame) X(cuEGLStreamProducerConnect) \
  X(cuEGLStreamProducerDisconnect) X(cuEGLStreamProducerPresentFrame) X(cuEGLStreamProducerReturnFrame) \
  X(cuGraphicsEGLRegisterImage)
#define VDPAU_RUNTIME(X) \
  X(cudaGraphicsVDPAURegisterOutputSurface) X(cudaGraphicsVDPAURegisterVideoSurface) X(cudaVDPAUSetVDPAUDevice)
#define VDPAU_DRIVER(X) \
  X(cuGraphicsVDPAURegisterOutputSurface) X(cuGraphicsVDPAURegisterVideoSurface) X(cuVDPAUCtxCreate) \
  X(cuVDPAUCtxCreate_v2)
// clang-format on

#endif

namespace ingero::testing {
namespace {

const hal::Library& library_of(std::string_view name) {
  for (const hal::Backend* backend : backends::all_backends()) {
    for (const hal::Library& library : backend->libraries) {
      if (library.name == name) return library;
    }
  }
  std::abort();
}

#if defined(CUDART_VERSION) && CUDART_VERSION >= 13000

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // deprecated calls are traced like any other

// Adds what the headers of the other interfaces declare to `header`, and the rest to `undeclared`.
void add_interfaces(Signatures& runtime, Signatures& driver, std::set<std::string_view>& undeclared) {
#define DECLARED_RUNTIME(name) runtime[#name] = SignatureOf<decltype(&name)>::get();
#define DECLARED_DRIVER(name) driver[#name] = SignatureOf<decltype(&name)>::get();
#define UNDECLARED(name) undeclared.insert(#name);
#if __has_include(<GL/gl.h>)
  GL_RUNTIME(DECLARED_RUNTIME)
  GL_DRIVER(DECLARED_DRIVER)
#else
  GL_RUNTIME(UNDECLARED)
  GL_DRIVER(UNDECLARED)
#endif
#if __has_include(<EGL/egl.h>) && __has_include(<EGL/eglext.h>)
  EGL_RUNTIME(DECLARED_RUNTIME)
  EGL_DRIVER(DECLARED_DRIVER)
#else
  EGL_RUNTIME(UNDECLARED)
  EGL_DRIVER(UNDECLARED)
#endif
#if __has_include(<vdpau/vdpau.h>)
  VDPAU_RUNTIME(DECLARED_RUNTIME) VDPAU_DRIVER(DECLARED_DRIVER)
#else
  VDPAU_RUNTIME(UNDECLARED) VDPAU_DRIVER(UNDECLARED)
#endif
#undef DECLARED_RUNTIME
#undef DECLARED_DRIVER
#undef UNDECLARED
}

TEST(CudaPrototypes, RuntimeRowsAreWhatTheHeaderDeclares) {
#define X(name) {#name, SignatureOf<decltype(&name)>::get()},
  Signatures header = {RUNTIME(X)};
#undef X
  // Entry points of compiled code, in no public header; and calls that CUDA 13 no longer declares.
  std::set<std::string_view> undeclared = {"__cudaLaunchKernel",
                                           "__cudaLaunchKernel_ptsz",
                                           "__cudaRegisterFatBinary",
                                           "__cudaUnregisterFatBinary",
                                           "__cudaRegisterFunction",
                                           "__cudaGetKernel",
                                           "__cudaRegisterFatBinaryEnd",
                                           "__cudaInitModule",
                                           "cudaLaunchCooperativeKernelMultiDevice",
                                           "cudaThreadExit",
                                           "cudaThreadSynchronize"};
  std::set<std::string_view> of_interfaces;
  Signatures driver;
  add_interfaces(header, driver, of_interfaces);
  for (const std::string_view name : of_interfaces) {
    if (name.starts_with("cuda")) undeclared.insert(name);
  }
  expect_library(library_of("libcudart"), header, "__cudaGetKernel", undeclared);
}

TEST(CudaPrototypes, DriverRowsAreWhatTheHeaderDeclaresForEverySpelling) {
#define X(name) {#name, SignatureOf<decltype(&name)>::get()},
  Signatures header = {DRIVER(X)};
#undef X
  const hal::Library& library = library_of("libcuda");
  Signatures runtime;
  std::set<std::string_view> of_interfaces;
  add_interfaces(runtime, header, of_interfaces);
  std::set<std::string_view> undeclared;
  for (const hal::Row& row : library.rows) {
    if (of_interfaces.count(row.name) != 0) undeclared.insert(row.name);
  }
  expect_library(library, header, {}, undeclared);
  // Here no spelling is left uncompared.
  for (const hal::Row& row : library.rows) {
    if (undeclared.count(row.name) != 0) continue;
    for (const std::string& symbol : hal::spellings(row)) EXPECT_EQ(header.count(symbol), 1U) << symbol;
  }
}

TEST(CudaPrototypes, MembersReadBehindPointersAreWhereTheHeaderPutsThem) {
  using hal::Field;
  const auto runtime = library_of("libcudart").rows;
  const auto driver = library_of("libcuda").rows;
#define MEMBER(rows, call, field, type, member) \
  expect_member(rows, call, Field::field, offsetof(type, member), sizeof(type::member))
// A dim3 or a run of three integers is read as its first two in one word, then the third.
#define MEMBER_AT(rows, call, field, offset, bytes) expect_member(rows, call, Field::field, offset, bytes)
  MEMBER_AT(runtime, "cudaLaunchKernelExC", kGridXY, offsetof(cudaLaunchConfig_t, gridDim), 8);
  MEMBER_AT(runtime, "cudaLaunchKernelExC", kGridZ, offsetof(cudaLaunchConfig_t, gridDim) + offsetof(dim3, z), 4);
  MEMBER_AT(runtime, "cudaLaunchKernelExC", kBlockXY, offsetof(cudaLaunchConfig_t, blockDim), 8);
  MEMBER_AT(runtime, "cudaLaunchKernelExC", kBlockZ, offsetof(cudaLaunchConfig_t, blockDim) + offsetof(dim3, z), 4);
  MEMBER(runtime, "cudaLaunchKernelExC", kSharedBytes, cudaLaunchConfig_t, dynamicSmemBytes);
  MEMBER(runtime, "cudaLaunchKernelExC", kStream, cudaLaunchConfig_t, stream);
  MEMBER(runtime, "cudaMemcpy3D", kInElements, cudaMemcpy3DParms, srcArray);
  MEMBER(runtime, "cudaMemcpy3D", kInElements, cudaMemcpy3DParms, dstArray);
  MEMBER_AT(runtime, "cudaMemcpy3D", kSource, offsetof(cudaMemcpy3DParms, srcPtr) + offsetof(cudaPitchedPtr, ptr), 8);
  MEMBER_AT(runtime, "cudaMemcpy3D", kAddress, offsetof(cudaMemcpy3DParms, dstPtr) + offsetof(cudaPitchedPtr, ptr), 8);
  MEMBER_AT(runtime, "cudaMemcpy3D", kWidth, offsetof(cudaMemcpy3DParms, extent) + offsetof(cudaExtent, width), 8);
  MEMBER_AT(runtime, "cudaMemcpy3D", kHeight, offsetof(cudaMemcpy3DParms, extent) + offsetof(cudaExtent, height), 8);
  MEMBER_AT(runtime, "cudaMemcpy3D", kDepth, offsetof(cudaMemcpy3DParms, extent) + offsetof(cudaExtent, depth), 8);
  MEMBER(runtime, "cudaMemcpy3D", kDirection, cudaMemcpy3DParms, kind);
  MEMBER(runtime, "cudaMemcpy3DPeer", kInElements, cudaMemcpy3DPeerParms, srcArray);
  MEMBER(runtime, "cudaMemcpy3DPeer", kInElements, cudaMemcpy3DPeerParms, dstArray);
  MEMBER(runtime, "cudaMemcpy3DPeer", kPeerDevice, cudaMemcpy3DPeerParms, srcDevice);
  MEMBER(runtime, "cudaMemcpy3DPeer", kDevice, cudaMemcpy3DPeerParms, dstDevice);
  MEMBER_AT(runtime, "cudaMemcpy3DPeer", kWidth, offsetof(cudaMemcpy3DPeerParms, extent), 8);
  MEMBER_AT(runtime, "cudaMemcpy3DPeer", kHeight, offsetof(cudaMemcpy3DPeerParms, extent) + 8, 8);
  MEMBER_AT(runtime, "cudaMemcpy3DPeer", kDepth, offsetof(cudaMemcpy3DPeerParms, extent) + 16, 8);
  MEMBER(runtime, "cudaMemset3D", kAddress, cudaPitchedPtr, ptr);
  MEMBER(runtime, "cudaMemset3D", kWidth, cudaExtent, width);
  MEMBER(runtime, "cudaMemset3D", kHeight, cudaExtent, height);
  MEMBER(runtime, "cudaMemset3D", kDepth, cudaExtent, depth);
  MEMBER(runtime, "cudaMemPrefetchAsync", kDevice, cudaMemLocation, id);
  MEMBER(runtime, "cudaGraphInstantiateWithParams", kFlags, cudaGraphInstantiateParams, flags);
  MEMBER(runtime, "cudaGraphInstantiateWithParams", kStream, cudaGraphInstantiateParams, uploadStream);
  MEMBER_AT(driver, "cuLaunchKernelEx", kGridXY, offsetof(CUlaunchConfig, gridDimX), 8);
  MEMBER(driver, "cuLaunchKernelEx", kGridZ, CUlaunchConfig, gridDimZ);
  MEMBER_AT(driver, "cuLaunchKernelEx", kBlockXY, offsetof(CUlaunchConfig, blockDimX), 8);
  MEMBER(driver, "cuLaunchKernelEx", kBlockZ, CUlaunchConfig, blockDimZ);
  MEMBER(driver, "cuLaunchKernelEx", kSharedBytes, CUlaunchConfig, sharedMemBytes);
  MEMBER(driver, "cuLaunchKernelEx", kStream, CUlaunchConfig, hStream);
  const std::string_view multi = "cuLaunchCooperativeKernelMultiDevice";
  MEMBER(driver, multi, kFunction, CUDA_LAUNCH_PARAMS, function);
  MEMBER_AT(driver, multi, kGridXY, offsetof(CUDA_LAUNCH_PARAMS, gridDimX), 8);
  MEMBER(driver, multi, kGridZ, CUDA_LAUNCH_PARAMS, gridDimZ);
  MEMBER_AT(driver, multi, kBlockXY, offsetof(CUDA_LAUNCH_PARAMS, blockDimX), 8);
  MEMBER(driver, multi, kBlockZ, CUDA_LAUNCH_PARAMS, blockDimZ);
  MEMBER(driver, multi, kSharedBytes, CUDA_LAUNCH_PARAMS, sharedMemBytes);
  MEMBER(driver, multi, kStream, CUDA_LAUNCH_PARAMS, hStream);
  MEMBER(driver, "cuMemcpy2D", kSourcePlace, CUDA_MEMCPY2D_v2, srcMemoryType);
  MEMBER(driver, "cuMemcpy2D", kDestinationPlace, CUDA_MEMCPY2D_v2, dstMemoryType);
  MEMBER(driver, "cuMemcpy2D", kWidth, CUDA_MEMCPY2D_v2, WidthInBytes);
  MEMBER(driver, "cuMemcpy2D", kHeight, CUDA_MEMCPY2D_v2, Height);
  MEMBER(driver, "cuMemcpy2D", kSourcePlace, CUDA_MEMCPY2D_v1, srcMemoryType);
  MEMBER(driver, "cuMemcpy2D", kDestinationPlace, CUDA_MEMCPY2D_v1, dstMemoryType);
  MEMBER(driver, "cuMemcpy2D", kWidth, CUDA_MEMCPY2D_v1, WidthInBytes);
  MEMBER(driver, "cuMemcpy2D", kHeight, CUDA_MEMCPY2D_v1, Height);
  MEMBER(driver, "cuMemcpy3D", kSourcePlace, CUDA_MEMCPY3D_v2, srcMemoryType);
  MEMBER(driver, "cuMemcpy3D", kDestinationPlace, CUDA_MEMCPY3D_v2, dstMemoryType);
  MEMBER(driver, "cuMemcpy3D", kWidth, CUDA_MEMCPY3D_v2, WidthInBytes);
  MEMBER(driver, "cuMemcpy3D", kHeight, CUDA_MEMCPY3D_v2, Height);
  MEMBER(driver, "cuMemcpy3D", kDepth, CUDA_MEMCPY3D_v2, Depth);
  MEMBER(driver, "cuMemcpy3D", kSourcePlace, CUDA_MEMCPY3D_v1, srcMemoryType);
  MEMBER(driver, "cuMemcpy3D", kDestinationPlace, CUDA_MEMCPY3D_v1, dstMemoryType);
  MEMBER(driver, "cuMemcpy3D", kWidth, CUDA_MEMCPY3D_v1, WidthInBytes);
  MEMBER(driver, "cuMemcpy3D", kHeight, CUDA_MEMCPY3D_v1, Height);
  MEMBER(driver, "cuMemcpy3D", kDepth, CUDA_MEMCPY3D_v1, Depth);
  MEMBER(runtime, "cudaImportExternalMemory", kBytes, cudaExternalMemoryHandleDesc, size);
  MEMBER(runtime, "cudaExternalMemoryGetMappedBuffer", kBytes, cudaExternalMemoryBufferDesc, size);
  MEMBER(driver, "cuImportExternalMemory", kBytes, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size);
  MEMBER(driver, "cuExternalMemoryGetMappedBuffer", kBytes, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size);
  MEMBER(driver, "cuMemcpy3DPeer", kSourcePlace, CUDA_MEMCPY3D_PEER, srcMemoryType);
  MEMBER(driver, "cuMemcpy3DPeer", kDestinationPlace, CUDA_MEMCPY3D_PEER, dstMemoryType);
  MEMBER(driver, "cuMemcpy3DPeer", kWidth, CUDA_MEMCPY3D_PEER, WidthInBytes);
#undef MEMBER
#undef MEMBER_AT
}

// Types alone would let a row take the source for the destination or the height for the width.
TEST(CudaPrototypes, ParameterNamesFitTheFieldsTheyFill) {
  using hal::Field;
  const std::map<Field, std::set<std::string>> fitting = {
      {Field::kAddress, {"ptr", "devPtr", "dst", "symbol", "p", "dptr", "addr", "memptr", "dstDevice", "dstHost"}},
      {Field::kSource, {"src", "symbol", "srcHost", "srcDevice"}},
      {Field::kBytes, {"size", "count", "length", "bytesize", "ByteCount", "N"}},
      {Field::kWidth, {"width", "Width", "WidthInBytes"}},
      {Field::kHeight, {"height", "Height"}},
      {Field::kCount, {"count", "numOps", "numDevices", "numExtSems"}},
      {Field::kStream, {"stream", "hStream"}},
      {Field::kDirection, {"kind"}},
      {Field::kDevice, {"device", "dev", "dstDevice", "location"}},  // a location since CUDA 13
      {Field::kPeerDevice, {"srcDevice", "peerDevice"}},
      {Field::kSharedBytes, {"sharedMem", "sharedMemBytes", "dynamicSMemSize"}},
      {Field::kGridXY, {"gridDim"}},
      {Field::kBlockXY, {"blockDim"}},
      {Field::kGridX, {"gridDimX", "grid_width"}},
      {Field::kGridY, {"gridDimY", "grid_height"}},
      {Field::kGridZ, {"gridDimZ"}},
      {Field::kBlockX, {"blockDimX"}},
      {Field::kBlockY, {"blockDimY"}},
      {Field::kBlockZ, {"blockDimZ"}},
      {Field::kFlags, {"flags", "Flags", "deviceFlags", "advice", "mode"}},
      {Field::kValue, {"value"}},
      {Field::kName, {"name"}},
      {Field::kFunction, {"func", "fn", "callback", "entryFuncAddr", "symbolPtr", "f", "kernel", "function", "hfunc"}},
  };
  size_t compared = 0;
  for (const auto& [library, path] : {std::pair{"libcudart", "/usr/local/cuda/include/cuda_runtime_api.h"},
                                      std::pair{"libcuda", "/usr/local/cuda/include/cuda.h"}}) {
    const Result<std::string> header = read_file(path);
    ASSERT_TRUE(header.ok()) << header.error().text();
    for (const hal::Row& row : library_of(library).rows) {
      for (const std::vector<std::string>& names : declared_names(*header, std::string(row.name))) {
        if (names.size() != row.shape.size()) continue;  // another version's
        for (size_t i = 0; i < names.size(); ++i) {
          const auto at = fitting.find(row.shape[i].into);
          if (at == fitting.end()) continue;
          EXPECT_EQ(at->second.count(names[i]), 1U)
              << row.name << ": " << names[i] << " is taken for " << hal::name_of(row.shape[i].into);
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 500U) << "the headers were not understood";
}

TEST(CudaPrototypes, StatusNamesAreTheRuntimesOwn) {
  void* library = dlopen("/usr/local/cuda/lib64/libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "no libcudart.so.13 to ask";
  const auto name_of = reinterpret_cast<const char* (*)(int)>(dlsym(library, "cudaGetErrorName"));
  ASSERT_NE(name_of, nullptr);
  size_t known = 0;
  for (int code = 0; code < 1100; ++code) {
    const std::string_view ours = hal::status_name(library_of("libcudart").statuses, code);
    if (ours.empty()) continue;
    const std::string theirs = name_of(code);
    if (theirs.starts_with("unrecognized")) continue;  // gone from this version
    EXPECT_EQ(ours, theirs) << code;
    ++known;
  }
  EXPECT_GT(known, 90U);
  dlclose(library);
}

TEST(CudaPrototypes, DirectionAndPlaceCodesAreTheHeaders) {
  const hal::Backend* cuda = nullptr;
  for (const hal::Backend* backend : backends::all_backends()) {
    if (backend->name == "cuda") cuda = backend;
  }
  ASSERT_NE(cuda, nullptr);
  EXPECT_EQ(hal::direction_of(*cuda, cudaMemcpyHostToHost), hal::Direction::kHostToHost);
  EXPECT_EQ(hal::direction_of(*cuda, cudaMemcpyHostToDevice), hal::Direction::kHostToDevice);
  EXPECT_EQ(hal::direction_of(*cuda, cudaMemcpyDeviceToHost), hal::Direction::kDeviceToHost);
  EXPECT_EQ(hal::direction_of(*cuda, cudaMemcpyDeviceToDevice), hal::Direction::kDeviceToDevice);
  EXPECT_EQ(hal::direction_of(*cuda, cudaMemcpyDefault), hal::Direction::kDefault);
  EXPECT_EQ(hal::direction_of(*cuda, 5), hal::Direction::kUnknown);
  EXPECT_EQ(hal::place_of(*cuda, CU_MEMORYTYPE_HOST), hal::Place::kHost);
  EXPECT_EQ(hal::place_of(*cuda, CU_MEMORYTYPE_DEVICE), hal::Place::kDevice);
  EXPECT_EQ(hal::place_of(*cuda, CU_MEMORYTYPE_ARRAY), hal::Place::kDevice);
  EXPECT_EQ(hal::place_of(*cuda, CU_MEMORYTYPE_UNIFIED), hal::Place::kEither);
  EXPECT_EQ(hal::place_of(*cuda, 0), hal::Place::kUnknown);
  EXPECT_EQ(hal::status_name(cuda->statuses, cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_EQ(hal::status_name(cuda->statuses, cudaErrorInsufficientDriver), "cudaErrorInsufficientDriver");
  EXPECT_EQ(hal::status_name(library_of("libcuda").statuses, CUDA_ERROR_OUT_OF_MEMORY), "CUDA_ERROR_OUT_OF_MEMORY");
  ASSERT_EQ(cuda->not_failures.size(), 1U);
  EXPECT_EQ(cuda->not_failures[0], cudaErrorNotReady);
}

#else

TEST(CudaPrototypes, RowsAreWhatTheHeadersDeclare) {
  GTEST_SKIP() << "no CUDA 13 headers in /usr/local/cuda/include: " << library_of("libcudart").rows.size()
               << " runtime and " << library_of("libcuda").rows.size() << " driver rows were not compared";
}

#endif

}  // namespace
}  // namespace ingero::testing
