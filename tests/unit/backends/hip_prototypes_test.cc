// Every HIP row against the vendor's headers, where those are installed.
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
#pragma GCC diagnostic pop

// clang-format off
#define HIP(X) \
  X(hipDeviceSynchronize) X(hipEventCreate) X(hipEventCreateWithFlags) X(hipEventDestroy) X(hipEventQuery) \
  X(hipEventRecord) X(hipEventSynchronize) X(hipExtLaunchKernel) X(hipExtModuleLaunchKernel) X(hipFree) \
  X(hipFreeAsync) X(hipGetDevice) X(hipGetDeviceCount) X(hipGraphLaunch) X(hipHostFree) X(hipHostMalloc) \
  X(hipLaunchCooperativeKernel_spt) X(hipLaunchKernel) X(hipLaunchKernel_spt) \
  X(hipMalloc) X(hipMemcpy) X(hipMemcpy2D) X(hipMemcpy2D_spt) \
  X(hipMemcpyAsync) X(hipMemcpyAsync_spt) X(hipMemcpyDtoD) X(hipMemcpyDtoH) X(hipMemcpyHtoD) X(hipMemcpyWithStream) \
  X(hipMemcpy_spt) X(hipMemset) X(hipMemsetAsync) X(hipMemset_spt) X(hipModuleGetFunction) X(hipModuleLaunchKernel) \
  X(hipModuleLoadData) X(hipModuleUnload) X(hipSetDevice) X(hipStreamCreate) X(hipStreamCreateWithFlags) \
  X(hipStreamDestroy) X(hipStreamQuery) X(hipStreamQuery_spt) X(hipStreamSynchronize) X(hipStreamSynchronize_spt) \
  X(hipStreamWaitEvent) X(hipStreamWaitEvent_spt)
// clang-format on

#endif

namespace ingero::testing {
namespace {

const hal::Library& hip_library() {
  for (const hal::Backend* backend : backends::all_backends()) {
    if (backend->name == "hip") return backend->libraries[0];
  }
  std::abort();
}

#if defined(HIP)

TEST(HipPrototypes, RowsAreWhatTheHeaderDeclares) {
#define X(name) {#name, SignatureOf<decltype(&name)>::get()},
  Signatures header = {HIP(X)};
#undef X
  // Overloaded by templates of the header: the cast picks the exported function, or does not compile.
  using Managed = hipError_t (*)(void**, size_t, unsigned int);
  using Cooperative = hipError_t (*)(const void*, dim3, dim3, void**, unsigned int, hipStream_t);
  using Async = hipError_t (*)(void**, size_t, hipStream_t);
  header["hipMallocAsync"] = SignatureOf<decltype(static_cast<Async>(&hipMallocAsync))>::get();
  header["hipMallocManaged"] = SignatureOf<decltype(static_cast<Managed>(&hipMallocManaged))>::get();
  header["hipLaunchCooperativeKernel"] =
      SignatureOf<decltype(static_cast<Cooperative>(&hipLaunchCooperativeKernel))>::get();
  expect_library(hip_library(), header, {}, {"__hipRegisterFunction"});
}

TEST(HipPrototypes, CodesAreTheHeaders) {
  const hal::Backend* hip = nullptr;
  for (const hal::Backend* backend : backends::all_backends()) {
    if (backend->name == "hip") hip = backend;
  }
  ASSERT_NE(hip, nullptr);
#define EXPECT_STATUS(code) EXPECT_EQ(hip->status_name(code), #code)
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
  EXPECT_EQ(hip->direction_of(hipMemcpyHostToDevice), hal::Direction::kHostToDevice);
  EXPECT_EQ(hip->direction_of(hipMemcpyDeviceToHost), hal::Direction::kDeviceToHost);
  EXPECT_EQ(hip->direction_of(hipMemcpyDeviceToDevice), hal::Direction::kDeviceToDevice);
  EXPECT_EQ(hip->direction_of(hipMemcpyHostToHost), hal::Direction::kHostToHost);
  EXPECT_EQ(hip->direction_of(hipMemcpyDefault), hal::Direction::kDefault);
}

#else

TEST(HipPrototypes, RowsAreWhatTheHeaderDeclares) {
  GTEST_SKIP() << "no HIP headers: " << hip_library().rows.size() << " rows were not compared";
}

#endif

}  // namespace
}  // namespace ingero::testing
