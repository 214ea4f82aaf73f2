// One BPF ring buffer, read by this program.
//
// Not libbpf's ring_buffer: that one maps the data twice in a row, so that a record across the end can be read in one
// piece, and the kernel counts both copies as the agent's memory: a ring's pages are all there from mmap(2) on. Here
// only a window of kWindowBytes is mapped, and moved as the reader goes on; a record across a window's end, one in
// thousands, is put together in a buffer. While a ring has many records a second it is mapped whole, as the moves would
// be a part of what each record costs (fit()). Source of the layout: kernel/bpf/ringbuf.c (ringbuf_map_mmap_kern()
// allows any part to be mapped for reading, and only the first page for writing) and <linux/bpf.h> (BPF_RINGBUF_*): a
// page with the consumer's position, a page with the producer's, then the data; a record is a header of 8 bytes (length
// and two flags, page offset) and its bytes, padded to 8.
//
// Failure: where the next window cannot be mapped (the process has too many mappings, or the address space is limited)
// the reader keeps the one it has and stops in front of it; nothing is skipped, and consume() tries again.
//
// One thread at a time. The content of records is not checked here; the consumer does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace ingero::kernelside {

class Ring {
 public:
  // Large enough that a move, some 60 us, costs little for each of its thousands of records; unmapping 33 pages or
  // fewer makes the kernel forget their addresses one by one, which is slow in a virtual machine
  // (tlb_single_page_flush_ceiling of arch/x86/mm/tlb.c).
  static constexpr uint64_t kWindowBytes = 512 << 10;

  Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // `map_fd`, a map of type BPF_MAP_TYPE_RINGBUF, must outlive this. `name` is for errors, and must outlive this too.
  Status open(int map_fd, const char* name);
  // A ring of `data_bytes` (a power of two) in any memory that is laid out as above; `ready_fd` is readable when its
  // writer wakes the reader. Both descriptors must outlive this.
  Status open(int memory_fd, int ready_fd, uint64_t data_bytes, const char* name);
  // For epoll: readable when the kernel side woke its reader.
  int fd() const { return fd_; }

  // Calls `take(std::span<const std::byte>) -> bool` with each complete record until none can be read (true), or take()
  // returns false; that record is consumed. The bytes are there until take() returns.
  template <typename Take>
  bool consume(const Take& take) {
    readable_ = {};
    for (Record record; next(record);) {
      const bool go_on = record.is_discarded || take(record.bytes);
      release(record);
      if (!go_on) return false;
    }
    return true;
  }
  // Why the last consume() stopped in front of a record: the system's error where it could not be mapped.
  const Status& readable() const { return readable_; }

  // Bytes that the kernel side has begun to write since the beginning, and that were taken.
  uint64_t produced() const;
  uint64_t consumed() const;
  // Records that were begun before `end`, a position of produced(), and have not been taken. Where not all of them can
  // be mapped, the rest counts as one.
  uint64_t unread(uint64_t end) const;
  // Of the data, as mapped by now.
  uint64_t mapped_bytes() const { return window_.bytes(); }

 private:
  // Part of a descriptor's memory.
  class Mapping {
   public:
    Mapping() = default;
    ~Mapping();
    Mapping(Mapping&& from) noexcept { swap(from); }
    Mapping& operator=(Mapping&& from) noexcept {
      swap(from);
      return *this;
    }
    // False, with errno, leaves what is mapped as it is; else that is unmapped.
    bool map(int fd, uint64_t offset, uint64_t bytes, int protection);
    std::byte* begin() const { return begin_; }

   private:
    void swap(Mapping& other);
    std::byte* begin_ = nullptr;
    uint64_t bytes_ = 0;
  };
  // Part of the data. A place is that of a byte in the data, from 0 to its size.
  class Window {
   public:
    // The window of `bytes` (a power of two) with `place` in it is the one that is mapped. False, with errno, leaves
    // it.
    bool move(int fd, uint64_t place, uint64_t bytes);
    bool has(uint64_t place) const { return place - from_ < bytes_; }
    // For a place in it.
    const std::byte* at(uint64_t place) const { return mapping_.begin() + (place - from_); }
    uint64_t end() const { return from_ + bytes_; }
    uint64_t bytes() const { return bytes_; }

   private:
    Mapping mapping_;
    uint64_t from_ = 0, bytes_ = 0;
  };
  struct Record {
    std::span<const std::byte> bytes;
    uint64_t end = 0;  // position behind it
    bool is_discarded = false;
  };
  // False: no complete record is there, or it could not be mapped.
  bool next(Record& record);
  // Its bytes are the kernel side's again.
  void release(const Record& record);
  // `place` is in the window. False: it could not be mapped.
  bool reach(uint64_t place) { return window_.has(place) || move_to(place); }
  bool move_to(uint64_t place);
  bool read(uint64_t place, uint64_t length, std::span<const std::byte>& bytes);

  int fd_ = -1, memory_fd_ = -1;
  const char* name_ = "";
  uint64_t size_ = 0;          // of the data, a power of two
  uint64_t window_bytes_ = 0;  // of a window, likewise, at most size_
  Mapping consumer_, producer_;
  Window window_;
  Status readable_;
  std::vector<std::byte> pieced_;  // a record across a window's end
};

}  // namespace ingero::kernelside
