// What the drain is given, made by hand: calls of a made-up library, their probes and their records, and rings in plain
// memory, laid out as the kernel lays out its own.
#pragma once

#include <linux/bpf.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/fd.h"
#include "bpf/wire.h"
#include "hal/lower.h"
#include "kernelside/normalise.h"

namespace ingero::testing {

using kernelside::ProbeTable;

inline constexpr hal::Param kCopyShape[] = {{hal::Abi::kPtr, hal::Field::kAddress},
                                            {hal::Abi::kI64, hal::Field::kBytes}};
inline constexpr hal::Param kCollectShape[] = {{hal::Abi::kPtr, hal::Field::kCommunicator},
                                               {hal::Abi::kI64, hal::Field::kCount}};
inline constexpr hal::Row kRows[] = {
    {.name = "copy", .kind = hal::Kind::kMemcpy, .shape = kCopyShape},
    {.name = "collect", .kind = hal::Kind::kCollective, .shape = kCollectShape},
};
inline constexpr hal::Library kLibraries[] = {{.name = "lib", .sonames = {}, .rows = kRows, .layer = "LIB"}};
inline constexpr hal::Backend kBackend = {.name = "b", .vendor = "v", .libraries = kLibraries};
inline constexpr const hal::Backend* kBackends[] = {&kBackend};

enum : uint32_t { kCopyProbe = 0, kCollectProbe = 1, kProbes = 2 };

// One probe for each row, in the order of the rows.
class Probes {
 public:
  Probes() {
    for (const hal::Row& row : kRows) {
      lowered_.push_back(std::move(hal::lower(row, hal::kHostArch)).value());
    }
    for (size_t i = 0; i < std::size(kRows); ++i) table.append({calls.id_of(kRows[i]), &lowered_[i]});
  }
  const hal::CallTable calls{kBackends};
  ProbeTable table;

 private:
  std::vector<hal::Lowered> lowered_;
};

using Bytes = std::vector<std::byte>;

template <typename Record>
Bytes bytes_of(const Record& record) {
  const auto bytes = std::as_bytes(std::span(&record, 1));
  return {bytes.begin(), bytes.end()};
}

// A call of thread 101 of process 100 that took from 1000 to 1900 and returned 0.
inline wire_call call_at(uint32_t probe) {
  wire_call call{};
  call.type = WIRE_CALL;
  call.n_words = 2;
  call.outcome = WIRE_RETURNED;
  call.valid = 0xffff;
  call.probe = probe;
  call.pid = 100;
  call.tid = 101;
  call.start_ns = 1000;
  call.end_ns = 1900;
  call.cgroup_id = 7;
  return call;
}

inline Bytes record_of(const wire_call& call, std::initializer_list<uint64_t> tail) {
  Bytes record = bytes_of(call);
  for (const uint64_t word : tail) {
    const Bytes bytes = bytes_of(word);
    record.insert(record.end(), bytes.begin(), bytes.end());
  }
  return record;
}

// The same thread was off the CPU inside that call.
inline wire_sched sched_of(uint8_t off, uint64_t out_ns, uint64_t woken_ns, uint64_t in_ns, uint32_t preempted_by_pid) {
  wire_sched sched{};
  sched.type = WIRE_SCHED;
  sched.off = off;
  sched.in_call = 1;
  sched.cpu = 3;
  sched.pid = 100;
  sched.tid = 101;
  sched.out_ns = out_ns;
  sched.woken_ns = woken_ns;
  sched.in_ns = in_ns;
  sched.preempted_by_pid = preempted_by_pid;
  std::memcpy(sched.preempted_by_comm, "greedy", 7);
  std::memcpy(sched.comm, "trainer", 8);
  return sched;
}

// A ring whose writer is the test. `bytes`: of the data, a power of two and whole pages.
class FakeRing {
 public:
  explicit FakeRing(uint64_t bytes = 1 << 16)
      : bytes_(bytes),
        page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))),
        memory_(memfd_create("fake_ring", MFD_CLOEXEC)),
        ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    EXPECT_EQ(ftruncate(memory_.get(), static_cast<off_t>(2 * page_ + bytes_)), 0);
    pages_ = static_cast<std::byte*>(
        mmap(nullptr, 2 * page_ + bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0));
    EXPECT_NE(pages_, MAP_FAILED);
  }
  ~FakeRing() { munmap(pages_, 2 * page_ + bytes_); }
  FakeRing(const FakeRing&) = delete;
  FakeRing& operator=(const FakeRing&) = delete;

  int memory() const { return memory_.get(); }
  int ready() const { return ready_.get(); }
  uint64_t bytes() const { return bytes_; }

  // Begins a record; where its header is, for finish().
  uint64_t begin(std::span<const std::byte> record) {
    const uint64_t position = head_;
    for (size_t i = 0; i < record.size(); ++i) byte(position + BPF_RINGBUF_HDR_SZ + i) = record[i];
    set_header(position, static_cast<uint32_t>(record.size()) | BPF_RINGBUF_BUSY_BIT);
    head_ += (record.size() + BPF_RINGBUF_HDR_SZ + 7) & ~uint64_t{7};
    __atomic_store_n(reinterpret_cast<uint64_t*>(pages_ + page_), head_, __ATOMIC_RELEASE);
    return position;
  }
  void finish(uint64_t position, bool is_discarded = false) {
    uint32_t header = 0;
    std::memcpy(&header, &byte(position), sizeof(header));
    set_header(position,
               (header & ~uint32_t{BPF_RINGBUF_BUSY_BIT}) | (is_discarded ? uint32_t{BPF_RINGBUF_DISCARD_BIT} : 0U));
  }
  void write(std::span<const std::byte> record) { finish(begin(record)); }
  void wake() {
    const uint64_t one = 1;
    ASSERT_EQ(::write(ready_.get(), &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  }
  uint64_t consumed() const { return __atomic_load_n(reinterpret_cast<const uint64_t*>(pages_), __ATOMIC_ACQUIRE); }
  uint64_t produced() const { return head_; }

 private:
  std::byte& byte(uint64_t position) { return pages_[2 * page_ + position % bytes_]; }
  void set_header(uint64_t position, uint32_t header) {
    __atomic_store_n(reinterpret_cast<uint32_t*>(&byte(position)), header, __ATOMIC_RELEASE);
  }

  const uint64_t bytes_;
  const size_t page_;
  const Fd memory_, ready_;
  std::byte* pages_ = nullptr;
  uint64_t head_ = 0;
};

}  // namespace ingero::testing
