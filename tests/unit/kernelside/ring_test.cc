// The reader of a ring over a real one: every record comes once, whole and in order, wherever a window or the data ends
// in it; what was begun and not taken is counted, and an end that was noted is reached.
#include "kernelside/ring.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/fd.h"

namespace ingero::kernelside {
namespace {

constexpr uint32_t kWindow = Ring::kWindowBytes;
constexpr uint32_t kLargest = 2 * kWindow + 4096;  // of a record: across two ends of windows, wherever it begins
constexpr uint32_t kShort = 24;                    // of a record of a program that reserves it
constexpr uint32_t kHeader = BPF_RINGBUF_HDR_SZ;

bpf_insn load_of_context(uint8_t into, int16_t offset) { return {BPF_LDX | BPF_MEM | BPF_DW, into, 1, offset, 0}; }
bpf_insn set(uint8_t reg, int32_t value) { return {BPF_ALU64 | BPF_MOV | BPF_K, reg, 0, 0, value}; }
bpf_insn copy(uint8_t to, uint8_t from) { return {BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0}; }
bpf_insn call(int32_t function) { return {BPF_JMP | BPF_CALL, 0, 0, 0, function}; }
bpf_insn skip_if_zero(uint8_t reg, int16_t skipped) { return {BPF_JMP | BPF_JEQ | BPF_K, reg, 0, skipped, 0}; }
bpf_insn skip_if_more(uint8_t reg, int32_t value, int16_t skipped) {
  return {BPF_JMP | BPF_JGT | BPF_K, reg, 0, skipped, value};
}
constexpr bpf_insn kNext = {0, 0, 0, 0, 0};  // the second half of a map
constexpr bpf_insn kExit = {BPF_JMP | BPF_EXIT, 0, 0, 0, 0};

// Programs of a few instructions write, run by hand.
class RingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "BPF maps need root";
    open(4096);
  }
  // A ring of `bytes`, empty, and its reader.
  void open(uint32_t bytes) {
    bytes_ = bytes;
    map_.reset(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "test_ring", 0, 0, bytes, nullptr));
    values_.reset(bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_values", 4, kLargest, 1, nullptr));
    if (!map_.valid() || !values_.valid()) GTEST_SKIP() << "this machine refuses BPF";
    read_fd_.reset(dup(map_.get()));
    // if (context[0] <= kLargest) bpf_ringbuf_output(&map, &value, context[0], 0)
    output_ = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0,
                   {load_of_context(3, 0), skip_if_more(3, static_cast<int32_t>(kLargest), 6), map(1, map_), kNext,
                    value(2), kNext, set(4, 0), call(BPF_FUNC_ringbuf_output), set(0, 0), kExit});
    // record = bpf_ringbuf_reserve(&map, kShort, 0), which is given up
    discard_ = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0,
                    {map(1, map_), kNext, set(2, kShort), set(3, 0), call(BPF_FUNC_ringbuf_reserve), skip_if_zero(0, 3),
                     copy(1, 0), set(2, 0), call(BPF_FUNC_ringbuf_discard), set(0, 0), kExit});
    ASSERT_TRUE(output_.valid() && discard_.valid()) << strerror(errno);
    ring_.emplace();
    ASSERT_TRUE(ring_->open(read_fd_.get(), "test").ok());
  }

  // record = bpf_ringbuf_reserve(&map, kShort, 0); bpf_copy_from_user(record, kShort, context[0]); submitted
  Fd load_slow() {
    return load(BPF_PROG_TYPE_SYSCALL, BPF_F_SLEEPABLE,
                {load_of_context(6, 0), map(1, map_), kNext, set(2, kShort), set(3, 0), call(BPF_FUNC_ringbuf_reserve),
                 skip_if_zero(0, 8), copy(7, 0), copy(1, 0), set(2, kShort), copy(3, 6), call(BPF_FUNC_copy_from_user),
                 copy(1, 7), set(2, 0), call(BPF_FUNC_ringbuf_submit), set(0, 0), kExit});
  }

  static int run(const Fd& program, uint64_t argument = 0) {
    LIBBPF_OPTS(bpf_test_run_opts, options);
    std::array<uint64_t, 2> context = {argument, 0};
    options.ctx_in = context.data();
    options.ctx_size_in = sizeof(context);
    return bpf_prog_test_run_opts(program.get(), &options);
  }
  // The number is in each byte of the record that is not there to tell it from its neighbours.
  static std::vector<std::byte> content(uint32_t number, uint32_t length) {
    std::vector<std::byte> bytes(length);
    for (uint32_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>((number * 131 + i * 7 + i / 256) & 0xff);
    return bytes;
  }
  // Writes the next record, and expects to read it.
  void write_record(uint32_t length) {
    std::vector<std::byte> bytes = content(written_, length);
    expected_.push_back(bytes);
    bytes.resize(kLargest);
    const uint32_t key = 0;
    ASSERT_EQ(bpf_map_update_elem(values_.get(), &key, bytes.data(), BPF_ANY), 0) << strerror(errno);
    ASSERT_EQ(run(output_, length), 0) << strerror(errno);
    ++written_;
  }
  void discard() { ASSERT_EQ(run(discard_), 0) << strerror(errno); }
  void write(int times) {
    for (int i = 0; i < times; ++i) ASSERT_EQ(run(output_, 16), 0) << strerror(errno);
  }
  int take(int at_most) {
    int taken = 0;
    ring_->consume([&](std::span<const std::byte> record) {
      EXPECT_EQ(record.size(), 16U);
      return ++taken < at_most;
    });
    return taken;
  }
  // Reads all that can be read: it is what was written, in order.
  void read_records() {
    size_t taken = 0;
    ring_->consume([&](std::span<const std::byte> record) {
      EXPECT_LT(taken, expected_.size());
      if (taken >= expected_.size()) return false;
      const auto& bytes = expected_[taken++];
      EXPECT_EQ(record.size(), bytes.size());
      EXPECT_TRUE(record.size() == bytes.size() && std::memcmp(record.data(), bytes.data(), bytes.size()) == 0)
          << "record of " << bytes.size() << " bytes at " << ring_->consumed();
      return true;
    });
    expected_.erase(expected_.begin(), expected_.begin() + static_cast<ptrdiff_t>(taken));
  }
  void read_all() {
    read_records();
    EXPECT_TRUE(ring_->readable().ok());
    EXPECT_TRUE(expected_.empty());
    EXPECT_EQ(ring_->consumed(), ring_->produced());
  }
  // Fills the ring so that the next record begins `before` bytes in front of the end of a window.
  void write_up_to(uint32_t before) {
    uint64_t target = (ring_->produced() / kWindow + 1) * kWindow - before;
    if (target < ring_->produced()) target += kWindow;
    while (ring_->produced() < target) {
      const uint64_t left = target - ring_->produced();
      write_record(static_cast<uint32_t>(left < 8192 + 2 * kHeader ? left - kHeader : 8192));
    }
    ASSERT_EQ(ring_->produced(), target);
  }

  static Fd load(bpf_prog_type type, uint32_t flags, const std::vector<bpf_insn>& code) {
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.prog_flags = flags;
    return Fd(bpf_prog_load(type, "write", "GPL", code.data(), code.size(), &options));
  }
  static bpf_insn map(uint8_t into, const Fd& map) {
    return {BPF_LD | BPF_DW | BPF_IMM, into, BPF_PSEUDO_MAP_FD, 0, map.get()};
  }
  bpf_insn value(uint8_t into) const {
    return {BPF_LD | BPF_DW | BPF_IMM, into, BPF_PSEUDO_MAP_VALUE, 0, values_.get()};
  }

  uint64_t bytes_ = 0;  // of the data
  Fd map_, values_, read_fd_, output_, discard_;
  std::optional<Ring> ring_;
  uint32_t written_ = 0;
  std::vector<std::vector<std::byte>> expected_;  // what write_record() wrote and was not read yet
};

TEST_F(RingTest, WhatWasBegunAndNotTakenIsCounted) {
  write(5);
  EXPECT_EQ(ring_->unread(ring_->produced()), 5U);
  EXPECT_EQ(take(2), 2);
  EXPECT_EQ(ring_->unread(ring_->produced()), 3U);
  EXPECT_EQ(take(100), 3);
  EXPECT_EQ(ring_->unread(ring_->produced()), 0U);
  EXPECT_EQ(ring_->consumed(), ring_->produced());
}

TEST_F(RingTest, WhatIsWrittenAfterAnEndIsNotMissed) {
  write(3);
  const uint64_t end = ring_->produced();
  write(4);
  EXPECT_EQ(ring_->unread(end), 3U);
  EXPECT_EQ(take(3), 3);
  EXPECT_GE(ring_->consumed(), end);
  EXPECT_EQ(ring_->unread(end), 0U);
  EXPECT_EQ(ring_->unread(ring_->produced()), 4U);
}

TEST_F(RingTest, ARecordAcrossTheEndIsReadAndCounted) {
  const int fit = static_cast<int>(bytes_ / (16 + 8));
  for (int round = 0; round < 3; ++round) {
    write(fit - 1);
    EXPECT_EQ(ring_->unread(ring_->produced()), static_cast<uint64_t>(fit - 1));
    EXPECT_EQ(take(fit), fit - 1);
  }
}

TEST_F(RingTest, RecordsOfAnyLengthAreWholeManyTimesAround) {
  open(4 * kWindow);
  uint32_t random = 1;
  for (int i = 0; ring_->produced() < 5 * bytes_; ++i) {
    random = random * 1664525 + 1013904223;
    write_record(i % 50 == 0 ? 100'000 + (random >> 8) % 400'000 : (random >> 8) % 20'000);
    if (random >> 30 == 0) discard();
    if (i % 7 == 0) read_all();
  }
  EXPECT_EQ(ring_->mapped_bytes(), kWindow);
}

TEST_F(RingTest, ARecordMayEndBeginOrLieAcrossTheEndOfAWindow) {
  open(4 * kWindow);
  for (int round = 0; round < 8; ++round) {  // of windows: twice around the data
    for (const uint32_t before : {8U, 16U, 24U, 72U, 80U, 4096U}) {
      write_up_to(before);
      write_record(64);
      write_record(64);
      EXPECT_EQ(ring_->unread(ring_->produced()), expected_.size());
      read_all();
    }
  }
}

TEST_F(RingTest, ALargestRecordIsWholeWhereverItBegins) {
  open(4 * kWindow);
  for (const uint32_t before : {8U, 16U, 4096U, kWindow / 2, kWindow - 8}) {
    for (int window = 0; window < 4; ++window) {
      write_up_to(before);
      read_all();
      write_record(kLargest);
      EXPECT_EQ(ring_->unread(ring_->produced()), 1U);
      read_all();
    }
  }
}

TEST_F(RingTest, ARecordThatWasGivenUpIsPassedOverInEveryWindow) {
  open(4 * kWindow);
  for (int window = 0; window < 9; ++window) {
    for (const uint32_t before : {8U, 16U, 32U}) {  // its bytes in the next window, across, in the one before
      write_up_to(before);
      discard();
      write_record(64);
      EXPECT_EQ(ring_->unread(ring_->produced()), expected_.size() + 1);
      read_all();
    }
  }
}

// The writer waits for a page that this test fills in (userfaultfd(2)) in the middle of its record.
TEST_F(RingTest, ARecordThatIsBeingWrittenHoldsBackThoseBehindItInEveryWindow) {
  open(4 * kWindow);
  const Fd slow = load_slow();
  if (!slow.valid()) GTEST_SKIP() << "no program may wait here: " << strerror(errno);
  const Fd faults(static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC)));
  if (!faults.valid()) GTEST_SKIP() << "no userfaultfd: " << strerror(errno);
  uffdio_api api{};
  api.api = UFFD_API;
  ASSERT_EQ(ioctl(faults.get(), UFFDIO_API, &api), 0);
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (int window = 0; window < 5; ++window) {
    write_up_to(16);  // across the end
    void* const missing = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(missing, MAP_FAILED);
    uffdio_register range{};
    range.range = {reinterpret_cast<uint64_t>(missing), page};
    range.mode = UFFDIO_REGISTER_MODE_MISSING;
    ASSERT_EQ(ioctl(faults.get(), UFFDIO_REGISTER, &range), 0);
    int status = -1;
    std::thread writer([&] { status = run(slow, reinterpret_cast<uint64_t>(missing)); });
    pollfd asked{faults.get(), POLLIN, 0};
    EXPECT_EQ(poll(&asked, 1, 30'000), 1) << "it has begun";
    uffd_msg message{};
    EXPECT_EQ(::read(faults.get(), &message, sizeof(message)), static_cast<ssize_t>(sizeof(message)));
    read_records();
    EXPECT_TRUE(expected_.empty()) << "those in front of it";
    std::vector<std::byte> filled = content(written_, kShort);
    expected_.push_back(filled);
    ++written_;
    write_record(100);
    EXPECT_EQ(ring_->unread(ring_->produced()), 2U);
    read_records();
    EXPECT_EQ(expected_.size(), 2U) << "none of them could be read";
    filled.resize(page);
    uffdio_copy copied{};
    copied.dst = reinterpret_cast<uint64_t>(missing);
    copied.src = reinterpret_cast<uint64_t>(filled.data());
    copied.len = page;
    EXPECT_EQ(ioctl(faults.get(), UFFDIO_COPY, &copied), 0);
    writer.join();
    EXPECT_EQ(status, 0);
    read_all();
    munmap(missing, page);
  }
}

TEST_F(RingTest, ItStopsWhereTheNextWindowCannotBeMappedAndGoesOnWhenItCan) {
  open(4 * kWindow);
  for (const uint32_t before : {0U, 16U}) {  // at the beginning of a record, and within one
    write_up_to(before);
    write_record(64);
    write_record(64);
    const int number = read_fd_.release();
    close(number);
    read_records();
    EXPECT_FALSE(ring_->readable().ok());
    EXPECT_EQ(expected_.size(), 2U) << "those in the next window";
    EXPECT_EQ(ring_->mapped_bytes(), kWindow) << "it keeps the one that it has";
    EXPECT_EQ(ring_->unread(ring_->produced()), 1U) << "what they are is not known";
    ASSERT_EQ(dup3(map_.get(), number, O_CLOEXEC), number);
    read_fd_.reset(number);
    EXPECT_EQ(ring_->unread(ring_->produced()), 2U);
    read_all();
  }
}

TEST_F(RingTest, AWindowOfItIsMappedHoweverManyRecordsItHas) {
  open(4 * kWindow);
  write(60'000);
  ASSERT_EQ(take(60'001), 60'000);
  EXPECT_EQ(ring_->mapped_bytes(), kWindow);
}

TEST_F(RingTest, ASmallRingIsMappedWhole) { EXPECT_EQ(ring_->mapped_bytes(), bytes_); }

}  // namespace
}  // namespace ingero::kernelside
