// The reader of a ring over a real one: what was begun and not taken is counted, and an end that was noted is reached.
#include "kernelside/ring.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "base/fd.h"

namespace ingero::kernelside {
namespace {

constexpr uint32_t kBytes = 4096;

// A program of a few instructions writes, run by hand.
class RingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "BPF maps need root";
    map_.reset(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "test_ring", 0, 0, kBytes, nullptr));
    if (!map_.valid()) GTEST_SKIP() << "this machine refuses BPF";
    // bpf_ringbuf_output(&map, stack, 16, 0)
    const std::array<bpf_insn, 9> code = {{
        {BPF_ST | BPF_MEM | BPF_DW, 10, 0, -16, 7},
        {BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, 9},
        {BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map_.get()},
        {0, 0, 0, 0, 0},
        {BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0},
        {BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -16},
        {BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 16},
        {BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, 0},
        {BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ringbuf_output},
    }};
    std::vector<bpf_insn> program(code.begin(), code.end());
    program.push_back({BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0});
    program.push_back({BPF_JMP | BPF_EXIT, 0, 0, 0, 0});
    program_.reset(
        bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "write", "GPL", program.data(), program.size(), nullptr));
    ASSERT_TRUE(program_.valid()) << strerror(errno);
    ASSERT_TRUE(ring_.open(map_.get(), "test").ok());
  }

  void write(int times) {
    for (int i = 0; i < times; ++i) {
      LIBBPF_OPTS(bpf_test_run_opts, options);
      ASSERT_EQ(bpf_prog_test_run_opts(program_.get(), &options), 0) << strerror(errno);
    }
  }
  int take(int at_most) {
    int taken = 0;
    ring_.consume([&](std::span<const std::byte> record) {
      EXPECT_EQ(record.size(), 16U);
      return ++taken < at_most;
    });
    return taken;
  }

  Fd map_, program_;
  Ring ring_;
};

TEST_F(RingTest, WhatWasBegunAndNotTakenIsCounted) {
  write(5);
  EXPECT_EQ(ring_.unread(ring_.produced()), 5U);
  EXPECT_EQ(take(2), 2);
  EXPECT_EQ(ring_.unread(ring_.produced()), 3U);
  EXPECT_EQ(take(100), 3);
  EXPECT_EQ(ring_.unread(ring_.produced()), 0U);
  EXPECT_EQ(ring_.consumed(), ring_.produced());
}

TEST_F(RingTest, WhatIsWrittenAfterAnEndIsNotMissed) {
  write(3);
  const uint64_t end = ring_.produced();
  write(4);
  EXPECT_EQ(ring_.unread(end), 3U);
  EXPECT_EQ(take(3), 3);
  EXPECT_GE(ring_.consumed(), end);
  EXPECT_EQ(ring_.unread(end), 0U);
  EXPECT_EQ(ring_.unread(ring_.produced()), 4U);
}

TEST_F(RingTest, ARecordAcrossTheEndIsReadAndCounted) {
  const int fit = kBytes / (16 + 8);
  for (int round = 0; round < 3; ++round) {
    write(fit - 1);
    EXPECT_EQ(ring_.unread(ring_.produced()), static_cast<uint64_t>(fit - 1));
    EXPECT_EQ(take(fit), fit - 1);
  }
}

}  // namespace
}  // namespace ingero::kernelside
