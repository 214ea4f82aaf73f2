// How many processes a report lists with a library is bounded, and those that it does not list are counted.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernelside/tracer.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxListed = 4096;
constexpr const char* kLibrary = "/lib/x86_64-linux-gnu/libc.so.6";
constexpr const char* kLibraryArm64 = "/lib/aarch64-linux-gnu/libc.so.6";

constexpr std::string_view kLibcSonames[] = {"libc.so*"};
constexpr hal::Param kParams[] = {{hal::Abi::kI64, hal::Field::kBytes}};
constexpr hal::Row kLibcRows[] = {{.name = "malloc", .kind = hal::Kind::kAlloc, .shape = kParams}};
constexpr hal::Library kLibcLibraries[] = {
    {.name = "libc", .sonames = kLibcSonames, .rows = kLibcRows, .layer = "C", .source = 200}};
constexpr hal::Backend kLibcBackend{.name = "c", .vendor = "gnu", .libraries = kLibcLibraries};

TEST(TracerProcesses, ThosePastTheBoundAreCountedOnce) {
  const char* library = std::filesystem::exists(kLibrary) ? kLibrary : kLibraryArm64;
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "no C library where Debian has it";
  const TempFolder proc;  // where a process is alive while it has a folder
  hal::LossLedger ledger;
  auto helpers = Helpers::start();
  ASSERT_TRUE(helpers.ok()) << helpers.error().text();
  Foreign foreign(std::move(*helpers), ledger);
  const hal::Backend* backends[] = {&kLibcBackend};
  const hal::CallTable calls(backends);
  TracerOptions options;
  options.proc_root = proc.path();
  Tracer tracer(options, backends, calls, nullptr, foreign, ledger);
  hal::Mapping mapping;
  mapping.untrusted_path = "/usr/lib/libc.so.6";
  const auto arrives = [&](uint32_t pid) {
    std::filesystem::create_directory(fmt::format("{}/{}", proc.path(), pid));
    EXPECT_TRUE(tracer.consider(pid, mapping, 0)) << pid;
  };
  std::filesystem::create_directory(proc.path() + "/1");
  ASSERT_TRUE(tracer.prepare(1, library, mapping.untrusted_path));
  ASSERT_EQ(tracer.reports().size(), 1U);
  mapping.file = tracer.reports()[0].file;
  for (uint32_t pid = 2; pid <= kMaxListed; ++pid) arrives(pid);
  EXPECT_EQ(tracer.reports()[0].pids.size(), kMaxListed);
  EXPECT_EQ(ledger.count(hal::Loss::process_unlisted), 0U);
  arrives(kMaxListed + 1);
  arrives(kMaxListed + 2);
  arrives(7);  // one that is listed
  EXPECT_EQ(tracer.reports()[0].pids.size(), kMaxListed);
  EXPECT_EQ(ledger.count(hal::Loss::process_unlisted), 2U);
  // One that has ended makes room.
  std::filesystem::remove(fmt::format("{}/9", proc.path()));
  arrives(kMaxListed + 3);
  EXPECT_TRUE(tracer.reports()[0].pids.contains(kMaxListed + 3));
  EXPECT_EQ(ledger.count(hal::Loss::process_unlisted), 2U);
}

}  // namespace
}  // namespace ingero::kernelside
