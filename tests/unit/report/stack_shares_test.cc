// What a sampled stack stands for: counts and times of its call site, by the figures of the calls themselves.
#include "report/stack_shares.h"

#include "report/flame_graph.h"
#include "unit/cli/recording_fixture.h"

namespace ingero::report {
namespace {

// Of more bytes than any picture has room for, two each.
constexpr std::string_view kWide =
    "вычислитьвычислитьвычислитьвычислитьвычислитьвычислитьвычислитьвычислитьвычислитьвычислитьвычислитьвычислить";

// 100 frees of 2 us and 10 of 50 us, by two stacks: the first stands for 90 others, the second for 8; and one
// allocation of its own stack.
class StackSharesTest : public cli::Recording {
 protected:
  void record() override {
    const auto free = [&](uint64_t at, uint64_t ns, uint64_t stack, uint32_t weight) {
      hal::Event made = event("cudaFree", at, ns);
      if (stack != 0) {
        made.stack_id = stack;
        made.stack_weight = weight;
        made.set(hal::Has::kStack);
      }
      write(made);
    };
    free(1'000'000, 2'000, 1, 91);
    free(2'000'000, 50'000, 2, 9);
    for (uint64_t i = 0; i < 99; ++i) free(3'000'000 + i * 1'000'000, 2'000, 0, 0);
    for (uint64_t i = 0; i < 9; ++i) free(200'000'000 + i * 1'000'000, 50'000, 0, 0);
    hal::Event alloc = event("cudaMalloc", 300'000'000, 7'000);
    alloc.stack_id = 3;
    alloc.bytes = 64;
    alloc.set(hal::Has::kBytes);
    alloc.set(hal::Has::kStack);
    write(alloc);
    writer_->add_stack(1, "", R"([{"s":"cudaFree","f":"libcudart.so"},{"i":"0x4a31","f":"/usr/bin/clpeak"}])");
    writer_->add_stack(2, "", R"([{"s":"cudaFree","f":"libcudart.so"},{"s":"rare+0x2","f":"/usr/bin/clpeak"}])");
    writer_->add_stack(3, "", R"([{"s":"cudaMalloc","f":"libcudart.so"},{"s":")" + std::string(kWide) + R"("}])");
    ASSERT_TRUE(writer_->flush().ok());
  }

  std::unique_ptr<store::Reader> read() {
    auto reader = store::Reader::open(database_);
    EXPECT_TRUE(reader.ok()) << reader.error().text();
    return reader.ok() ? std::move(*reader) : nullptr;
  }
};

TEST_F(StackSharesTest, AStackHasTheCallsThatItStandsForAndTheirTime) {
  const auto reader = read();
  ASSERT_NE(reader, nullptr);
  const auto shares = gather_stack_shares(*reader, {}, {});
  ASSERT_TRUE(shares.ok()) << shares.error().text();
  ASSERT_EQ(shares->stacks.size(), 3U);
  EXPECT_EQ(shares->calls, 111U);
  EXPECT_EQ(shares->calls_with_stack, 3U);
  EXPECT_EQ(shares->calls_covered, 1U + 91 + 9);
  EXPECT_EQ(shares->total_ns, 100U * 2'000 + 10U * 50'000 + 7'000);
  EXPECT_EQ(shares->total_with_stack_ns, 59'000U);
  for (const StackShare& stack : shares->stacks) {
    EXPECT_EQ(stack.taken, 1U);
    // 648 us without a stack are shared out by what each stack stands for: 90 of 2 us, 8 of 50 us; 10 of 108 are of
    // none.
    const uint64_t expected[] = {0, 2'000 + 648'000 * 98 / 108 * 180 / 580, 50'000 + 648'000 * 98 / 108 * 400 / 580,
                                 7'000};
    EXPECT_EQ(stack.calls, (std::array<uint64_t, 4>{0, 91, 9, 1})[static_cast<size_t>(stack.hash)]);
    EXPECT_NEAR(static_cast<double>(*stack.total_ns), static_cast<double>(expected[stack.hash]), 2) << stack.hash;
  }
}

TEST_F(StackSharesTest, AFlameGraphIsAsWideAsWhatItsStacksStandForAndSaysOfHowMuchItSpeaks) {
  const auto reader = read();
  ASSERT_NE(reader, nullptr);
  const auto flames = gather_flames(*reader, {}, 0);
  ASSERT_TRUE(flames.ok()) << flames.error().text();
  uint64_t drawn = 0;
  for (const auto& [line, ns] : flames->folded) drawn += ns;
  EXPECT_EQ(drawn, flames->total_covered_ns);
  EXPECT_EQ(coverage_text(*flames),
            "stacks of 3 of 111 calls, 8% of their time; 92% with the calls that sampled stacks stand for");
  for (int ns = 1; ns < 40; ++ns) {  // boxes of every width
    Flames one;
    one.folded[std::string(kWide)] = static_cast<uint64_t>(ns);
    one.folded["other"] = 40;
    EXPECT_NO_THROW((void)nlohmann::json(flame_svg(one, "title")).dump()) << "cut within a character, at " << ns;
  }
  const std::string text = folded_text(*flames);
  EXPECT_NE(text.find(";clpeak+0x4a31;cudaFree "), std::string::npos) << text;
  EXPECT_NE(text.find(";rare;cudaFree "), std::string::npos) << text;
}

}  // namespace
}  // namespace ingero::report
