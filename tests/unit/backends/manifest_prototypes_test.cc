// Every row of the shipped manifests against the vendors' headers, where those are installed.
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "backends/manifest.h"
#include "prototype_check.h"

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_egl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#endif
#if __has_include(<level_zero/ze_api.h>)
#include <level_zero/ze_api.h>
#endif
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // what is deprecated is still called
#pragma GCC diagnostic ignored "-Wignored-attributes"       // alignment is not part of how a value is passed

// clang-format off
#if defined(CL_SUCCESS)
#define OPENCL(X) \
  X(clBuildProgram) X(clCloneKernel) X(clCompileProgram) X(clCreateBuffer) X(clCreateBufferWithProperties) \
  X(clCreateCommandQueue) X(clCreateCommandQueueWithProperties) X(clCreateContext) X(clCreateContextFromType) \
  X(clCreateEventFromEGLSyncKHR) X(clCreateEventFromGLsyncKHR) X(clCreateFromEGLImageKHR) X(clCreateFromGLBuffer) X(clCreateFromGLRenderbuffer) \
  X(clCreateFromGLTexture) X(clCreateFromGLTexture2D) X(clCreateFromGLTexture3D) X(clCreateImage) \
  X(clCreateImage2D) X(clCreateImage3D) X(clCreateImageWithProperties) X(clCreateKernel) \
  X(clCreateKernelsInProgram) X(clCreatePipe) X(clCreateProgramWithBinary) X(clCreateProgramWithBuiltInKernels) \
  X(clCreateProgramWithIL) X(clCreateProgramWithSource) X(clCreateSubBuffer) X(clCreateSubDevices) \
  X(clCreateSubDevicesEXT) X(clCreateUserEvent) X(clEnqueueAcquireEGLObjectsKHR) X(clEnqueueAcquireGLObjects) \
  X(clEnqueueBarrier) X(clEnqueueBarrierWithWaitList) X(clEnqueueCopyBuffer) X(clEnqueueCopyBufferRect) \
  X(clEnqueueCopyBufferToImage) X(clEnqueueCopyImage) X(clEnqueueCopyImageToBuffer) X(clEnqueueFillBuffer) \
  X(clEnqueueFillImage) X(clEnqueueMapBuffer) X(clEnqueueMapImage) X(clEnqueueMarker) \
  X(clEnqueueMarkerWithWaitList) X(clEnqueueMigrateMemObjects) X(clEnqueueNDRangeKernel) X(clEnqueueNativeKernel) \
  X(clEnqueueReadBuffer) X(clEnqueueReadBufferRect) X(clEnqueueReadImage) X(clEnqueueReleaseEGLObjectsKHR) \
  X(clEnqueueReleaseGLObjects) X(clEnqueueSVMFree) X(clEnqueueSVMMap) X(clEnqueueSVMMemFill) \
  X(clEnqueueSVMMemcpy) X(clEnqueueSVMMigrateMem) X(clEnqueueSVMUnmap) X(clEnqueueTask) \
  X(clEnqueueUnmapMemObject) X(clEnqueueWaitForEvents) X(clEnqueueWriteBuffer) X(clEnqueueWriteBufferRect) \
  X(clEnqueueWriteImage) X(clFinish) X(clFlush) X(clGetDeviceIDs) X(clGetEventInfo) X(clGetEventProfilingInfo) \
  X(clGetExtensionFunctionAddress) X(clGetExtensionFunctionAddressForPlatform) X(clGetKernelInfo) X(clGetPlatformIDs) \
  X(clLinkProgram) X(clReleaseCommandQueue) X(clReleaseContext) X(clReleaseDevice) X(clReleaseDeviceEXT) \
  X(clReleaseEvent) X(clReleaseKernel) X(clReleaseMemObject) X(clReleaseProgram) X(clSVMAlloc) X(clSVMFree) \
  X(clSetEventCallback) X(clSetUserEventStatus) X(clUnloadCompiler) X(clUnloadPlatformCompiler) \
  X(clWaitForEvents)
#endif
#if defined(ZE_APIEXPORT)
#define LEVEL_ZERO(X) \
  X(zeCommandListAppendBarrier) X(zeCommandListAppendEventReset) X(zeCommandListAppendImageCopy) \
  X(zeCommandListAppendImageCopyFromMemory) X(zeCommandListAppendImageCopyFromMemoryExt) \
  X(zeCommandListAppendImageCopyRegion) X(zeCommandListAppendImageCopyToMemory) \
  X(zeCommandListAppendImageCopyToMemoryExt) X(zeCommandListAppendLaunchCooperativeKernel) \
  X(zeCommandListAppendLaunchKernel) X(zeCommandListAppendLaunchKernelIndirect) \
  X(zeCommandListAppendLaunchMultipleKernelsIndirect) X(zeCommandListAppendMemAdvise) \
  X(zeCommandListAppendMemoryCopy) X(zeCommandListAppendMemoryCopyFromContext) \
  X(zeCommandListAppendMemoryCopyRegion) X(zeCommandListAppendMemoryFill) X(zeCommandListAppendMemoryPrefetch) \
  X(zeCommandListAppendMemoryRangesBarrier) X(zeCommandListAppendQueryKernelTimestamps) \
  X(zeCommandListAppendSignalEvent) X(zeCommandListAppendWaitOnEvents) X(zeCommandListAppendWriteGlobalTimestamp) \
  X(zeCommandListClose) X(zeCommandListCreate) X(zeCommandListCreateImmediate) X(zeCommandListDestroy) \
  X(zeCommandListReset) X(zeCommandQueueCreate) X(zeCommandQueueDestroy) X(zeCommandQueueExecuteCommandLists) \
  X(zeCommandQueueSynchronize) X(zeContextCreate) X(zeContextCreateEx) X(zeContextDestroy) X(zeContextEvictImage) \
  X(zeContextEvictMemory) X(zeContextMakeImageResident) X(zeContextMakeMemoryResident) X(zeContextSystemBarrier) \
  X(zeDeviceGet) X(zeDriverGet) X(zeDriverGetExtensionFunctionAddress) X(zeEventCreate) X(zeEventDestroy) \
  X(zeEventHostReset) X(zeEventHostSignal) X(zeEventHostSynchronize) X(zeEventPoolCloseIpcHandle) \
  X(zeEventPoolCreate) X(zeEventPoolDestroy) X(zeEventPoolGetIpcHandle) X(zeEventPoolOpenIpcHandle) \
  X(zeEventQueryStatus) X(zeFenceCreate) X(zeFenceDestroy) X(zeFenceHostSynchronize) X(zeFenceQueryStatus) \
  X(zeFenceReset) X(zeImageCreate) X(zeImageDestroy) X(zeImageViewCreateExp) X(zeInit) X(zeKernelCreate) \
  X(zeKernelDestroy) X(zeMemAllocDevice) X(zeMemAllocHost) X(zeMemAllocShared) X(zeMemCloseIpcHandle) \
  X(zeMemFree) X(zeMemFreeExt) X(zeMemGetIpcHandle) X(zeMemOpenIpcHandle) X(zeModuleCreate) X(zeModuleDestroy) \
  X(zeModuleDynamicLink) X(zeModuleGetFunctionPointer) X(zeModuleGetGlobalPointer) X(zeModuleGetNativeBinary) \
  X(zePhysicalMemCreate) X(zePhysicalMemDestroy) X(zeVirtualMemFree) X(zeVirtualMemMap) X(zeVirtualMemReserve) \
  X(zeVirtualMemSetAccessAttribute) X(zeVirtualMemUnmap)
// Declared from some version after 1.8 on, all of them in 1.17.
#define LEVEL_ZERO_LATER(X) \
  X(zeCommandListAppendGraphExt) X(zeCommandListAppendHostFunction) \
  X(zeCommandListAppendLaunchKernelWithArguments) X(zeCommandListAppendLaunchKernelWithParameters) \
  X(zeCommandListAppendMemoryCopyWithParameters) X(zeCommandListAppendMemoryFillWithParameters) \
  X(zeCommandListAppendSignalExternalSemaphoreExt) X(zeCommandListAppendWaitExternalSemaphoreExt) \
  X(zeCommandListBeginCaptureIntoGraphExt) X(zeCommandListBeginGraphCaptureExt) X(zeCommandListCreateCloneExp) \
  X(zeCommandListEndGraphCaptureExt) X(zeCommandListHostSynchronize) \
  X(zeCommandListImmediateAppendCommandListsExp) X(zeCommandListImmediateAppendCommandListsWithParameters) \
  X(zeDeviceImportExternalSemaphoreExt) X(zeDeviceReleaseExternalSemaphoreExt) X(zeDeviceSynchronize) \
  X(zeEventCounterBasedCloseIpcHandle) X(zeEventCounterBasedCreate) X(zeEventCounterBasedGetIpcHandle) \
  X(zeEventCounterBasedOpenIpcHandle) X(zeExecutableGraphDestroyExt) X(zeGraphCreateExt) X(zeGraphDestroyExt) \
  X(zeGraphInstantiateExt) X(zeImageViewCreateExt) X(zeInitDrivers) X(zeMemGetIpcHandleWithProperties) \
  X(zeMemPutIpcHandle) X(zeRTASBuilderBuildExp) X(zeRTASBuilderBuildExt) X(zeRTASBuilderCommandListAppendCopyExt) \
  X(zeRTASParallelOperationJoinExp) X(zeRTASParallelOperationJoinExt)
#endif
// clang-format on

namespace ingero::testing {
namespace {

const hal::Backend& shipped(const std::string& name) {
  static std::map<std::string, std::unique_ptr<backends::Manifest>> read;  // for the whole program
  if (read.count(name) == 0) {
    auto manifest = backends::Manifest::read(INGERO_SOURCE_DIR "/backends/manifests/" + name + ".yaml");
    if (!manifest.ok()) std::abort();
    read[name] = std::move(*manifest);
  }
  return read[name]->backend();
}

#define X(name) {#name, SignatureOf<decltype(&name)>::get()},

TEST(ManifestPrototypes, OpenClRowsAreWhatTheHeaderDeclares) {
#if defined(OPENCL)
  const Signatures header = {OPENCL(X)};
  expect_library(shipped("opencl").libraries[0], header, {}, {});
  const auto& statuses = shipped("opencl").statuses;
  EXPECT_EQ(hal::status_name(statuses, CL_INVALID_VALUE), "CL_INVALID_VALUE");
  EXPECT_EQ(hal::status_name(statuses, CL_OUT_OF_HOST_MEMORY), "CL_OUT_OF_HOST_MEMORY");
  EXPECT_EQ(hal::status_name(statuses, CL_MAX_SIZE_RESTRICTION_EXCEEDED), "CL_MAX_SIZE_RESTRICTION_EXCEEDED");
  EXPECT_EQ(hal::status_name(statuses, CL_INVALID_WORK_GROUP_SIZE), "CL_INVALID_WORK_GROUP_SIZE");
#else
  GTEST_SKIP() << "no OpenCL headers: " << shipped("opencl").libraries[0].rows.size() << " rows were not compared";
#endif
}

TEST(ManifestPrototypes, LevelZeroRowsAreWhatTheHeaderDeclares) {
#if defined(LEVEL_ZERO)
  Signatures header = {LEVEL_ZERO(X)};
  std::set<std::string_view> undeclared;
#if defined(ZE_API_VERSION_CURRENT_M) && ZE_API_VERSION_CURRENT_M >= ZE_MAKE_VERSION(1, 17)
  header.insert({LEVEL_ZERO_LATER(X)});
#else
#define UNDECLARED(name) #name,
  undeclared = {LEVEL_ZERO_LATER(UNDECLARED)};
#undef UNDECLARED
#endif
  const hal::Library& library = shipped("level_zero").libraries[0];
  expect_library(library, header, {}, undeclared);
  EXPECT_EQ(hal::status_name(shipped("level_zero").statuses, ZE_RESULT_ERROR_UNINITIALIZED),
            "ZE_RESULT_ERROR_UNINITIALIZED");
  EXPECT_EQ(hal::status_name(shipped("level_zero").statuses, ZE_RESULT_NOT_READY), "ZE_RESULT_NOT_READY");
  expect_member(library.rows, "zeCommandListAppendLaunchKernel", hal::Field::kGridZ,
                offsetof(ze_group_count_t, groupCountZ), sizeof(ze_group_count_t::groupCountZ));
  expect_member(library.rows, "zeCommandListAppendMemoryCopyRegion", hal::Field::kWidth,
                offsetof(ze_copy_region_t, width), sizeof(ze_copy_region_t::width));
  expect_member(library.rows, "zeCommandListAppendMemoryCopyRegion", hal::Field::kHeight,
                offsetof(ze_copy_region_t, height), sizeof(ze_copy_region_t::height));
  expect_member(library.rows, "zeCommandListAppendMemoryCopyRegion", hal::Field::kInElements,
                offsetof(ze_copy_region_t, depth), sizeof(ze_copy_region_t::depth));
  expect_member(library.rows, "zePhysicalMemCreate", hal::Field::kBytes, offsetof(ze_physical_mem_desc_t, size),
                sizeof(ze_physical_mem_desc_t::size));
#else
  GTEST_SKIP() << "no Level Zero headers: " << shipped("level_zero").libraries[0].rows.size()
               << " rows were not compared";
#endif
}

#undef X

}  // namespace
}  // namespace ingero::testing
