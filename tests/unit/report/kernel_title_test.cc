// Names of kernels as libraries have them (PyTorch 2.11, cuBLAS 13), cut ones, and ones that are none.
#include "report/kernel_title.h"

#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace ingero::report {
namespace {

TEST(KernelTitle, AMangledNameIsInItsWords) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIfffNS0_15binary_"
       "internal10MulFunctorIfEEEESt"
       "5arrayIPcLm3EEEEviT0_T1_",
       "at::native::vectorized_elementwise_kernel<BinaryFunctor, MulFunctor>"},
      {"_ZN2at6native53_GLOBAL__N__21739cd4_20_layer_norm_kernel_cu_9c5ada8a28vectorized_layer_norm_"
       "kernelIffLb0EEEviT0_",
       "at::native::vectorized_layer_norm_kernel<>"},
      {"_ZN2at6native29vectorized_elementwise_kernelILi4EZNS0_51_GLOBAL__N__b1108092_12_PowKernel_cu_751192d7_"
       "2139629pow"
       "_tensor_scalar_kernel_implIffEEvRNS_18TensorIteratorBaseET0_EUlfE_St5arrayIPcLm2EEEEviS6_T1_",
       "at::native::vectorized_elementwise_kernel<pow_tensor_scalar_kernel_impl>"},
      {"_Z26nvshmemi_init_array_kernelIhEvPT_iS0_", "nvshmemi_init_array_kernel<>"},
      {"_Z9saxpy_f32fPKfPf", "saxpy_f32"},
      {"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT", "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT"},
      {"", ""},
  };
  for (const auto& [name, title] : cases) EXPECT_EQ(kernel_title(name), title);
}

TEST(KernelTitle, OfACutNameThereIsWhatIsThere) {
  const std::string_view whole =
      "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIfffNS0_15binary_internal10MulFunctorIfEEEE";
  EXPECT_EQ(kernel_title(whole.substr(0, 30)), "at::native::vectorized_elem");
  EXPECT_EQ(kernel_title(whole.substr(0, 60)), "at::native::vectorized_elementwise_kernel<Binar>");
  for (size_t length = 0; length <= whole.size(); ++length) {
    EXPECT_LE(kernel_title(whole.substr(0, length)).size(), whole.size());
  }
}

TEST(KernelTitle, WhatIsNoNameIsBounded) {
  for (const char* odd : {"_Z", "_ZN", "_ZN0", "_ZNK", "_Z0", "_ZNS_", "_Z99999999999999999999a"}) {
    EXPECT_LE(kernel_title(odd).size(), std::string_view(odd).size()) << odd;
  }
  EXPECT_EQ(kernel_title("_ZN9999abc"), "abc");
  std::minstd_rand random(1);  // NOLINT(cert-msc51-cpp): the same names each time
  constexpr std::string_view kLetters = "0123456789NISTLEZ_abKV";
  for (size_t i = 0; i < 20'000; ++i) {
    std::string name = "_Z";
    for (size_t length = random() % 250; length > 0; --length) name += kLetters[random() % kLetters.size()];
    EXPECT_LE(kernel_title(name).size(), name.size() + 8) << name;
  }
}

}  // namespace
}  // namespace ingero::report
