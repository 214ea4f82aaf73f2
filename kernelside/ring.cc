// Positions count bytes since the beginning; a position's place in the data is its low bits.
#include "kernelside/ring.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include <fmt/format.h>

namespace ingero::kernelside {
namespace {

size_t page_size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

uint64_t load(const void* word) { return __atomic_load_n(static_cast<const uint64_t*>(word), __ATOMIC_ACQUIRE); }

// Where the record behind one at `position` begins.
uint64_t behind(uint64_t position, uint32_t header) {
  const uint64_t length = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
  return position + ((length + BPF_RINGBUF_HDR_SZ + 7) & ~uint64_t{7});
}

}  // namespace

Ring::~Ring() {
  if (consumer_ != nullptr) munmap(consumer_, page_size());
  if (producer_ != nullptr) munmap(const_cast<std::byte*>(producer_), page_size() + size_);
}

Status Ring::open(int map_fd, const char* name) {
  bpf_map_info info{};
  uint32_t info_bytes = sizeof(info);
  if (bpf_obj_get_info_by_fd(map_fd, &info, &info_bytes) != 0) return errno_error(fmt::format("query ring {}", name));
  return open(map_fd, map_fd, info.max_entries, name);
}

Status Ring::open(int memory_fd, int ready_fd, uint64_t data_bytes, const char* name) {
  void* const consumer = mmap(nullptr, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
  if (consumer == MAP_FAILED) return errno_error(fmt::format("map the consumer's page of ring {}", name));
  consumer_ = consumer;
  void* const producer =
      mmap(nullptr, page_size() + data_bytes, PROT_READ, MAP_SHARED, memory_fd, static_cast<off_t>(page_size()));
  if (producer == MAP_FAILED) return errno_error(fmt::format("map the data of ring {}", name));
  producer_ = static_cast<const std::byte*>(producer);
  data_ = producer_ + page_size();
  size_ = data_bytes;
  fd_ = ready_fd;
  return {};
}

uint64_t Ring::produced() const { return load(producer_); }
uint64_t Ring::consumed() const { return load(consumer_); }

uint64_t Ring::unread(uint64_t end) const {
  uint64_t count = 0;
  for (uint64_t position = consumed(); position < end; ++count) {
    const auto* header = reinterpret_cast<const uint32_t*>(data_ + (position & (size_ - 1)));
    position = behind(position, __atomic_load_n(header, __ATOMIC_ACQUIRE));
  }
  return count;
}

bool Ring::next(Record& record) {
  const uint64_t position = load(consumer_);
  if (position >= load(producer_)) return false;
  const uint64_t at = position & (size_ - 1);
  const uint32_t header = __atomic_load_n(reinterpret_cast<const uint32_t*>(data_ + at), __ATOMIC_ACQUIRE);
  if ((header & BPF_RINGBUF_BUSY_BIT) != 0) return false;
  const uint64_t length = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
  record.is_discarded = (header & BPF_RINGBUF_DISCARD_BIT) != 0;
  record.end = behind(position, header);
  const uint64_t start = (at + BPF_RINGBUF_HDR_SZ) & (size_ - 1);
  if (start + length <= size_) {
    record.bytes = {data_ + start, length};
  } else if (!record.is_discarded) {
    const uint64_t before = size_ - start;
    pieced_.resize(length);
    std::memcpy(pieced_.data(), data_ + start, before);
    std::memcpy(pieced_.data() + before, data_, length - before);
    record.bytes = pieced_;
  }
  return true;
}

void Ring::release(const Record& record) {
  __atomic_store_n(static_cast<uint64_t*>(consumer_), record.end, __ATOMIC_RELEASE);
}

}  // namespace ingero::kernelside
