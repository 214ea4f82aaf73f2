// When the number of a removed probe may be another's: over a ring whose writer is the test.
#include "kernelside/probe_release.h"

#include <gtest/gtest.h>

#include "capture_records.h"

namespace ingero::kernelside {
namespace {

using testing::FakeRing;
using Numbers = std::vector<uint32_t>;

class ProbeReleaseTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(ring_.open(written_.memory(), written_.ready(), written_.bytes(), "test").ok()); }
  void write(int records) {
    for (int i = 0; i < records; ++i) written_.write(testing::record_of(testing::call_at(0), {1, 2}));
  }
  void read(int records) {
    ring_.consume([&](std::span<const std::byte>) { return --records > 0; });
  }
  Drain::Position now() const { return {{&ring_, ring_.produced()}}; }
  static wire_call_record open_call(uint32_t probe, uint32_t depth = 0, uint32_t parent = 0) {
    wire_call_record record{};
    record.call = testing::call_at(probe);
    record.call.depth = static_cast<uint8_t>(depth);
    record.call.parent_probe = parent;
    return record;
  }
  void add(const Numbers& numbers) { released_.add(numbers); }

  FakeRing written_;
  Ring ring_;
  ProbeRelease released_;
};

TEST_F(ProbeReleaseTest, NumbersPassWhenTheRingsHaveBeenReadPastThem) {
  write(3);
  add({4, 5});
  EXPECT_EQ(released_.take(), Numbers{}) << "open calls have not been looked at";
  released_.look({}, now());
  write(1);
  read(2);
  EXPECT_EQ(released_.take(), Numbers{});
  read(1);
  EXPECT_EQ(released_.take(), (Numbers{4, 5})) << "what came later cannot have them";
  EXPECT_EQ(released_.take(), Numbers{}) << "once";
}

TEST_F(ProbeReleaseTest, AnOpenCallKeepsItsNumberAndThatOfItsParent) {
  add({4, 5, 6, 7});
  const wire_call_record open[] = {open_call(5), open_call(2, 1, 7), open_call(3, 0, 4)};
  released_.look(open, now());
  EXPECT_EQ(released_.take(), (Numbers{4, 6})) << "an outermost call has no parent";
  released_.look(std::span(open).first(1), now());
  EXPECT_EQ(released_.take(), Numbers{7});
  released_.look({}, now());
  EXPECT_EQ(released_.take(), Numbers{5});
}

TEST_F(ProbeReleaseTest, EachGroupPassesByItself) {
  write(1);
  add({1});
  released_.look({}, now());
  write(1);
  add({2});
  released_.look({}, now());
  read(1);
  EXPECT_EQ(released_.take(), Numbers{1});
  read(1);
  EXPECT_EQ(released_.take(), Numbers{2});
}

}  // namespace
}  // namespace ingero::kernelside
