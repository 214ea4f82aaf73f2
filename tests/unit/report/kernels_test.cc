// Kernels by launches, and by the waits and copies that go with them.
#include "report/kernels.h"

#include "report/report.h"
#include "unit/cli/recording_fixture.h"

namespace ingero::report {
namespace {

class KernelsTest : public cli::Recording {
 protected:
  static constexpr uint64_t kGemm = 0x1000, kRelu = 0x2000;

  void launch(uint64_t at, uint64_t function, uint32_t thread, bool failed = false) {
    hal::Event made = event("cudaLaunchKernel", at * 1'000'000, 5'000, failed ? 719 : 0);
    made.tid = thread;
    made.function = function;
    made.set(hal::Has::kFunction);
    write(made);
  }
  void copy(uint64_t at, uint64_t bytes, uint32_t thread) {
    hal::Event made = event("cudaMemcpyAsync", at * 1'000'000, 1'000);
    made.tid = thread;
    made.bytes = bytes;
    made.set(hal::Has::kBytes);
    write(made);
  }
  void wait(uint64_t at, uint64_t ns, uint32_t thread) {
    hal::Event made = event("cudaStreamSynchronize", at * 1'000'000, ns);
    made.tid = thread;
    write(made);
  }

  void record() override {
    writer_->add_function_name(kPid, kGemm, "gemm");
    launch(1, kGemm, 1);
    launch(2, kGemm, 1);
    launch(3, kRelu, 1);
    launch(4, kRelu, 2);        // another thread's
    launch(5, kGemm, 1, true);  // did not start
    copy(6, 3'000, 1);
    wait(7, 600'000, 1);  // 400 us behind gemm, 200 behind the other
    wait(8, 900'000, 1);  // behind nothing
    launch(9, kGemm, 1);
    hal::Event nested = event("cuLaunchKernel", 9'000'100, 1'000);
    nested.tid = 1;
    nested.function = kGemm;
    nested.set(hal::Has::kFunction);
    nested.depth = 1;
    nested.parent_call = id("cudaLaunchKernel");
    nested.parent_start_mono_ns = kMono + 9'000'000;
    nested.set(hal::Has::kParent);
    write(nested);
    wait(10, 100'000, 1);
    ASSERT_TRUE(writer_->flush().ok());
  }
};

TEST_F(KernelsTest, AWaitIsSharedAmongTheLaunchesOfItsThreadSinceTheWaitBefore) {
  auto reader = store::Reader::open(database_);
  ASSERT_TRUE(reader.ok()) << reader.error().text();
  const auto kernels = gather_kernels(**reader, {}, 0);
  ASSERT_TRUE(kernels.ok()) << kernels.error().text();
  ASSERT_EQ(kernels->size(), 2U);
  const KernelFigures& gemm = (*kernels)[0];
  EXPECT_EQ(gemm.untrusted_name, "gemm");
  EXPECT_EQ(gemm.launches, 4U) << "a launch inside a launch is the same one";
  EXPECT_EQ(gemm.failed, 1U);
  EXPECT_EQ(gemm.launch_ns, 20'000U);
  EXPECT_EQ(gemm.waits, 2U);
  EXPECT_NEAR(gemm.wait_ns, 500'000, 1);
  EXPECT_NEAR(gemm.copied_bytes, 2'000, 1);
  const KernelFigures& other = (*kernels)[1];
  EXPECT_EQ(other.untrusted_name, "") << "no name is known";
  EXPECT_EQ(other.launches, 2U);
  EXPECT_NEAR(other.wait_ns, 200'000, 1);

  const auto report = gather_report(**reader, {}, {}, VendorNames(backends::all_backends()));
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_NE(report_text(*report, false, false).find("  gemm"), std::string::npos) << report_text(*report, false, false);
  const Json json = report_document(*report);
  EXPECT_EQ(json["kernels"][0]["kernel"], "gemm");
  EXPECT_EQ(json["kernels"][0]["wait_ns"], 500'000);
  EXPECT_TRUE(json["kernels"][1]["kernel"].is_null());
}

class BlockingCopies : public KernelsTest {
 protected:
  void record() override {
    writer_->add_function_name(kPid, kGemm, "gemm");
    launch(1, kGemm, 1);
    hal::Event made = event("cudaMemcpy", 2'000'000, 700'000);
    made.tid = 1;
    made.bytes = 3'000;
    made.set(hal::Has::kBytes);
    write(made);
    wait(3, 100'000, 1);  // behind nothing
    ASSERT_TRUE(writer_->flush().ok());
  }
};

TEST_F(BlockingCopies, AreWaitsForTheLaunchesBeforeThem) {
  auto reader = store::Reader::open(database_);
  ASSERT_TRUE(reader.ok()) << reader.error().text();
  const auto kernels = gather_kernels(**reader, {}, 0);
  ASSERT_TRUE(kernels.ok()) << kernels.error().text();
  ASSERT_EQ(kernels->size(), 1U);
  EXPECT_EQ((*kernels)[0].waits, 1U);
  EXPECT_NEAR((*kernels)[0].wait_ns, 700'000, 1);
  EXPECT_NEAR((*kernels)[0].copied_bytes, 3'000, 1);
}

class WithoutKernelNames : public cli::Recording {};

TEST_F(WithoutKernelNames, NoTableIsShown) {
  auto reader = store::Reader::open(database_);
  ASSERT_TRUE(reader.ok()) << reader.error().text();
  const auto report = gather_report(**reader, {}, {}, VendorNames(backends::all_backends()));
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_TRUE(report->kernels.empty());
  EXPECT_EQ(report_text(*report, false, false).find("Kernels"), std::string::npos);
}

}  // namespace
}  // namespace ingero::report
