// Where accessors find what they answer, of code as compilers make it, and what is read there.
#include "hal/accessor.h"

#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hal/live_communicator.h"

namespace ingero::hal::accessors {
namespace {

using ::testing::Optional;
using Code = std::vector<uint8_t>;

constexpr uint32_t kMarkAt = 0, kRankAt = 64, kSizeAt = 68, kIdentityAt = 56, kCountsAt = 96;
constexpr uint64_t kMark = 0x0280028002800280;

Code operator+(Code left, const Code& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

const Code kKeepObject{0x49, 0x89, 0xfd};  // mov %rdi, %r13
const Code kKeepAnswer{0x49, 0x89, 0xf4};  // mov %rsi, %r12
const Code kCall{0xe8, 0, 0, 0, 0};
const Code kRestore{0x41, 0x5c, 0x41, 0x5d, 0xc3};               // pop %r12; pop %r13; ret
const Code kLoadFar{0x41, 0x8b, 0x85, 0xd0, 0x44, 0x10, 0x00};   // mov 0x1044d0(%r13), %eax
const Code kLoadOther{0x41, 0x8b, 0x45, 0x10};                   // mov 0x10(%r13), %eax
const Code kStore{0x41, 0x89, 0x04, 0x24};                       // mov %eax, (%r12)
const Code kLoadLeaf{0x8b, 0x47, 0x10}, kStoreLeaf{0x89, 0x06};  // mov 0x10(%rdi), %eax; mov %eax, (%rsi)
const Code kNop{0x90};

TEST(Accessor, TheLoadMayBeFarBehindChecksAndReturns) {
  const Code code = kKeepAnswer + kKeepObject + kCall + kRestore + kCall + kLoadFar + kNop + kStore + kRestore;
  EXPECT_THAT(offset_answered(code, Arch::kX86_64), Optional(0x1044d0));
  EXPECT_THAT(offset_answered(kLoadLeaf + kStoreLeaf, Arch::kX86_64), Optional(0x10));
}

TEST(Accessor, NothingIsGuessed) {
  const Code kept = kKeepAnswer + kKeepObject;
  const auto of = [&](const Code& code) { return offset_answered(kept + code, Arch::kX86_64); };
  EXPECT_FALSE(of({}));
  EXPECT_FALSE(of(kLoadFar)) << "not stored";
  EXPECT_FALSE(of(kLoadFar + kCall + kStore)) << "a call may have changed it";
  EXPECT_FALSE(of(kLoadFar + kNop + kNop + kNop + kNop + kStore)) << "too far apart";
  EXPECT_FALSE(of(kLoadFar + kStore + kLoadOther + kStore)) << "two";
  EXPECT_THAT(of(kLoadFar + kStore + kLoadFar + kStore), Optional(0x1044d0)) << "the same twice";
  EXPECT_FALSE(offset_answered(kCall + kLoadLeaf + kStoreLeaf, Arch::kX86_64)) << "a call preserves no argument";
  EXPECT_FALSE(of(Code{0x4d, 0x89, 0xfd} + kLoadFar + kStore)) << "mov %r15, %r13: another object";
  for (size_t length = 0; length < kept.size() + kLoadFar.size() + kStore.size(); ++length) {
    const Code whole = kept + kLoadFar + kStore;
    EXPECT_FALSE(offset_answered(std::span(whole).first(length), Arch::kX86_64)) << length;
  }
}

// int f(const struct object *, int *), compiled by gcc 12 -O2, with a check of each argument and a message before.
TEST(Accessor, OnArm64) {
  const std::vector<uint32_t> far = {
      0xa9bd7bfd, 0x910003fd, 0xa90153f3, 0x90000013, 0x91000273, 0xaa0003f4, 0xf90013f5, 0xaa0103f5,
      0xaa1303e1, 0x94000000, 0x340000a0, 0xa94153f3, 0xf94013f5, 0xa8c37bfd, 0xd65f03c0, 0xaa1303e1,
      0xaa1503e0, 0x94000000, 0x35ffff20, 0x90000000, 0xf9400000, 0xb9400000, 0x350001a0, 0x90000001,
      0xaa1403e0, 0x91000021, 0x94000000, 0x35fffe00, 0x91441294, 0xb944d281, 0xb90002a1, 0xa94153f3,
      0xf94013f5, 0xa8c37bfd, 0xd65f03c0, 0xaa1303e0, 0xaa1403e1, 0x94000000, 0x17fffff1, 0xd503201f,
  };
  const std::vector<uint32_t> near = {
      0xa9bd7bfd, 0x910003fd, 0xa90153f3, 0x90000013, 0x91000273, 0xaa0003f4, 0xf90013f5, 0xaa0103f5,
      0xaa1303e1, 0x94000000, 0x340000a0, 0xa94153f3, 0xf94013f5, 0xa8c37bfd, 0xd65f03c0, 0xaa1303e1,
      0xaa1503e0, 0x94000000, 0x35ffff20, 0x90000000, 0xf9400000, 0xb9400000, 0x35000180, 0x90000001,
      0xaa1403e0, 0x91000021, 0x94000000, 0x35fffe00, 0xb957b681, 0xb90002a1, 0xa94153f3, 0xf94013f5,
      0xa8c37bfd, 0xd65f03c0, 0xaa1303e0, 0xaa1403e1, 0x94000000, 0x17fffff2,
  };
  // mov w8, #0x44d0; movk w8, #0x10, lsl #16; ldr w8, [x0, x8]; str w8, [x1]
  const std::vector<uint32_t> indexed = {0x52889a08, 0x72a00208, 0xb8686808, 0xb9000028};
  const auto of = [](const std::vector<uint32_t>& words) {
    Code code(words.size() * sizeof(uint32_t));
    std::memcpy(code.data(), words.data(), code.size());
    return offset_answered(code, Arch::kArm64);
  };
  EXPECT_THAT(of(far), Optional(0x1044d0));
  EXPECT_THAT(of(near), Optional(0x17b4));
  EXPECT_THAT(of(indexed), Optional(0x1044d0));
}

class LiveCommunicatorTest : public ::testing::Test {
 protected:
  template <typename Word>
  void set(uint32_t at, Word word) {
    std::memcpy(memory.data() + at, &word, sizeof(word));
  }
  std::optional<LiveCommunicator> read() {
    return read_live({kRankAt, kSizeAt, kIdentityAt, kMark, kCountsAt, 2}, kHandle,
                     [this](uint64_t address, auto bytes) {
                       if (address < kHandle || address - kHandle + bytes.size() > memory.size()) return false;
                       if (on_read) on_read();
                       std::memcpy(bytes.data(), memory.data() + (address - kHandle), bytes.size());
                       return true;
                     });
  }
  void SetUp() override {
    set<uint64_t>(kMarkAt, kMark);
    set<uint64_t>(kIdentityAt, 0xabc);
    set<int32_t>(kRankAt, 3);
    set<int32_t>(kSizeAt, 8);
    set<uint64_t>(kCountsAt, 40);
    set<uint64_t>(kCountsAt + 8, 2);
  }
  static constexpr uint64_t kHandle = 0x7000;
  std::array<std::byte, 128> memory{};
  std::function<void()> on_read;
};

TEST_F(LiveCommunicatorTest, IsWhatItsMemorySays) {
  const auto found = read();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3);
  EXPECT_EQ(found->nranks, 8);
  EXPECT_THAT(found->identity, Optional(0xabc));
  EXPECT_THAT(found->collectives, Optional(42));
  set<uint64_t>(kIdentityAt, 0);
  EXPECT_FALSE(read()->identity) << "not computed yet";
}

TEST_F(LiveCommunicatorTest, WhatCannotBeTrueIsNothing) {
  const std::vector<std::pair<int32_t, int32_t>> wrong = {{0, 0}, {8, 8}, {-1, 8}, {3, -8}, {3, (1 << 20) + 1}};
  for (const auto& [rank, size] : wrong) {
    set(kRankAt, rank);
    set(kSizeAt, size);
    EXPECT_FALSE(read()) << rank << " of " << size;
  }
}

TEST_F(LiveCommunicatorTest, OneThatIsNotAliveOrChangesIsNothing) {
  set<uint64_t>(kMarkAt, 0);
  EXPECT_FALSE(read());
  SetUp();
  int reads = 0;
  on_read = [&] {
    if (++reads == 5) set<int32_t>(kRankAt, 4);
  };
  EXPECT_FALSE(read()) << "given back and made again meanwhile";
  on_read = nullptr;
  EXPECT_FALSE(read_live({1 << 20, (1 << 20) + 4, std::nullopt, std::nullopt}, kHandle,
                         [](uint64_t, std::span<std::byte>) { return false; }));
}

}  // namespace
}  // namespace ingero::hal::accessors
