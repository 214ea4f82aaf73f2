// One BPF ring buffer, read by this program.
//
// Not libbpf's ring_buffer: that one maps the data twice in a row, so that a record across the end can be read
// in one piece, and both copies count as the agent's memory. Here the data is mapped once, and the rare record
// across the end is put together in a buffer. Source of the layout: kernel/bpf/ringbuf.c and <linux/bpf.h>
// (BPF_RINGBUF_*): a page with the consumer's position, a page with the producer's, then the data; a record is a
// header of 8 bytes (length and two flags, page offset) and its bytes, padded to 8.
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
  Ring() = default;
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // `map_fd`, a map of type BPF_MAP_TYPE_RINGBUF, must outlive this. `name` is for the error.
  Status open(int map_fd, const char* name);
  // A ring of `data_bytes` (a power of two) in any memory that is laid out as above; `ready_fd` is readable when its
  // writer wakes the reader. Both descriptors must outlive this.
  Status open(int memory_fd, int ready_fd, uint64_t data_bytes, const char* name);
  // For epoll: readable when the kernel side woke its reader.
  int fd() const { return fd_; }

  // Calls `take(std::span<const std::byte>) -> bool` with each complete record until none is left (true), or take()
  // returns false; that record is consumed.
  template <typename Take>
  bool consume(const Take& take) {
    for (Record record; next(record);) {
      const bool go_on = record.is_discarded || take(record.bytes);
      release(record);
      if (!go_on) return false;
    }
    return true;
  }

  // Bytes that the kernel side has begun to write since the beginning, and that were taken.
  uint64_t produced() const;
  uint64_t consumed() const;
  // Records that were begun before `end`, a position of produced(), and have not been taken.
  uint64_t unread(uint64_t end) const;

 private:
  struct Record {
    std::span<const std::byte> bytes;
    uint64_t end = 0;  // position behind it
    bool is_discarded = false;
  };
  // False: no complete record is there.
  bool next(Record& record);
  // Its bytes are the kernel side's again.
  void release(const Record& record);

  int fd_ = -1;
  uint64_t size_ = 0;  // of the data, a power of two
  void* consumer_ = nullptr;
  const std::byte* producer_ = nullptr;
  const std::byte* data_ = nullptr;
  std::vector<std::byte> pieced_;  // a record across the end
};

}  // namespace ingero::kernelside
