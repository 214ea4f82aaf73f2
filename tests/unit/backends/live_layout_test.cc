// Where libraries keep what a communicator is: by their own accessors, in real ones where some are installed
// (INGERO_VENDOR_LIBRARIES names more files, such as other versions), and by the tables of versions.
#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/registry.h"
#include "base/fd.h"
#include "base/text.h"
#include "hal/elf.h"
#include "hal/live_communicator.h"
#include "hal/resolve.h"

namespace ingero::backends {
namespace {

using hal::LiveLayout;
using ::testing::Optional;

constexpr uint64_t kMark = 0x0280028002800280;

const hal::Library& library(std::string_view name) {
  for (const hal::Backend* backend : all_backends()) {
    for (const hal::Library& one : backend->libraries) {
      if (one.name == name) return one;
    }
  }
  std::abort();
}

TEST(LiveLayout, RealLibrariesSayWhereTheyKeepACommunicator) {
  std::vector<std::string> paths = {"/usr/local/cuda/lib64/libnccl.so.2", "/usr/local/cuda/lib/libnccl.so.2",
                                    "/usr/lib/x86_64-linux-gnu/libnccl.so.2", "/usr/lib/x86_64-linux-gnu/librccl.so.1",
                                    "/opt/rocm/lib/librccl.so.1"};
  if (const char* more = std::getenv("INGERO_VENDOR_LIBRARIES")) {
    for (const std::string_view path : split(more, ':')) paths.emplace_back(path);
  }
  size_t tried = 0;
  for (const std::string& path : paths) {
    const auto name = std::filesystem::path(path).filename().string();
    const auto& one = library(hal::soname_matches(library("librccl"), name) ? "librccl" : "libnccl");
    if (!hal::soname_matches(one, name) || !std::filesystem::exists(path)) continue;
    const auto image = hal::ElfImage::open(Fd(open(path.c_str(), O_RDONLY | O_CLOEXEC)), path);
    ASSERT_TRUE(image) << image.error().text();
    const auto layout = hal::live_layout(*one.communicators, *image, hal::Arch::kX86_64);
    ++tried;
    ASSERT_TRUE(layout) << path;
    std::cout << path << ": rank at " << std::hex << layout->rank << std::dec
              << (layout->identity ? ", with an identity" : "") << (layout->mark ? ", with a mark\n" : "\n");
    EXPECT_EQ(layout->nranks, layout->rank + 4) << path;
    // What the table says of its version is what its accessors say.
    if (one.communicators->of_version == nullptr) continue;
    const auto versions = image->texts_after(one.communicators->before_version);
    for (const std::string& version : versions) {
      const auto by_version = one.communicators->of_version(version);
      EXPECT_EQ(by_version.value_or(*layout), *layout) << path << " " << version;
    }
    std::cout << path << ": " << (versions.empty() ? "no version" : versions.front()) << "\n";
  }
  if (tried == 0) GTEST_SKIP() << "no libnccl or librccl on this machine";
}
// By the offset of the rank, in NCCL's own headers.
TEST(LiveLayout, WhatIsNearTheRankIsByVersion) {
  const auto layout = library("libnccl").communicators->layout;
  EXPECT_FALSE(layout(0x17b0, 0x17b8)) << "no version is like that";
  for (const uint32_t old : {0x4018U, 0x4030U, 0x14b0U, 0x17b0U, 0x1db8U}) {  // 2.7 to 2.17
    EXPECT_EQ(layout(old, old + 4), (LiveLayout{old, old + 4, std::nullopt, std::nullopt}));
  }
  for (const uint32_t hashed : {0x23d8U, 0x24d8U, 0x28d8U}) {  // 2.18 to 2.20
    EXPECT_EQ(layout(hashed, hashed + 4), (LiveLayout{hashed, hashed + 4, hashed - 8, std::nullopt}));
  }
  for (const uint32_t marked : {0x34e0U, 0x34250U, 0x784a8U}) {  // 2.21 to 2.25
    EXPECT_EQ(layout(marked, marked + 4), (LiveLayout{marked, marked + 4, marked - 8, kMark}));
  }
  EXPECT_EQ(layout(0x784b8, 0x784bc), (LiveLayout{0x784b8, 0x784bc, 0x784b0, kMark, 0x7a510, 5}));        // 2.26
  EXPECT_EQ(layout(0x1206f0, 0x1206f4), (LiveLayout{0x1206f0, 0x1206f4, 0x1206e8, kMark, 0x122e98, 5}));  // 2.30.7
}

// The linker left the accessors out, as it does of a library that is linked in: this program is such a file.
TEST(LiveLayout, ACopyWithoutAccessorsIsKnownByItsVersion) {
  static const char* const volatile kVersion = "NCCL version 2.28.9+cuda13.0";
  ASSERT_NE(kVersion, nullptr);
  const auto image = hal::ElfImage::open(Fd(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), "itself");
  ASSERT_TRUE(image) << image.error().text();
  const auto& accessors = *library("libnccl").communicators;
  EXPECT_THAT(image->texts_after(accessors.before_version), ::testing::Contains("2.28.9+cuda13.0"));
  const auto layout = hal::live_layout(accessors, *image, hal::Arch::kX86_64);
  ASSERT_TRUE(layout);
  EXPECT_EQ(*layout, (LiveLayout{0x1044d0, 0x1044d4, 0x1044c8, kMark, 0x106a10, 5}));
  EXPECT_FALSE(hal::live_layout(*library("librccl").communicators, *image, hal::Arch::kX86_64));
}

TEST(LiveLayout, AVersionThatIsNotKnownHasNone) {
  const auto of = library("libnccl").communicators->of_version;
  EXPECT_TRUE(of("2.22.3+cuda12.1"));
  EXPECT_TRUE(of("2.26.5"));
  for (const char* version : {"2.28.4", "2.28.90", "2.9.6", "2.20.5", "3.0.1", "", "x", "2.31.1+cuda13.0"}) {
    EXPECT_FALSE(of(version)) << version;
  }
}

}  // namespace
}  // namespace ingero::backends
