// Positions count bytes since the beginning; a position's place in the data is its low bits.
#include "kernelside/ring.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace ingero::kernelside {
namespace {

size_t page_size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

uint64_t load(const void* word) { return __atomic_load_n(static_cast<const uint64_t*>(word), __ATOMIC_ACQUIRE); }

uint32_t load_header(const std::byte* at) {
  return __atomic_load_n(reinterpret_cast<const uint32_t*>(at), __ATOMIC_ACQUIRE);
}

uint64_t length_of(uint32_t header) { return header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT); }

// Where the record behind one at `position` begins.
uint64_t behind(uint64_t position, uint32_t header) {
  return position + ((length_of(header) + BPF_RINGBUF_HDR_SZ + 7) & ~uint64_t{7});
}

}  // namespace

Ring::Mapping::~Mapping() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

void Ring::Mapping::swap(Mapping& other) {
  std::swap(begin_, other.begin_);
  std::swap(bytes_, other.bytes_);
}

bool Ring::Mapping::map(int fd, uint64_t offset, uint64_t bytes, int protection) {
  void* const begin = mmap(nullptr, bytes, protection, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (begin == MAP_FAILED) return false;
  Mapping old(std::move(*this));
  begin_ = static_cast<std::byte*>(begin);
  bytes_ = bytes;
  return true;
}

bool Ring::Window::move(int fd, uint64_t place, uint64_t bytes) {
  const uint64_t from = place & ~(bytes - 1);
  if (!mapping_.map(fd, 2 * page_size() + from, bytes, PROT_READ)) return false;
  from_ = from;
  bytes_ = bytes;
  return true;
}

Status Ring::open(int map_fd, const char* name) {
  bpf_map_info info{};
  uint32_t info_bytes = sizeof(info);
  if (bpf_obj_get_info_by_fd(map_fd, &info, &info_bytes) != 0) return errno_error(fmt::format("query ring {}", name));
  return open(map_fd, map_fd, info.max_entries, name);
}

Status Ring::open(int memory_fd, int ready_fd, uint64_t data_bytes, const char* name) {
  if (!consumer_.map(memory_fd, 0, page_size(), PROT_READ | PROT_WRITE)) {
    return errno_error(fmt::format("map the consumer's page of ring {}", name));
  }
  if (!producer_.map(memory_fd, page_size(), page_size(), PROT_READ)) {
    return errno_error(fmt::format("map the producer's page of ring {}", name));
  }
  memory_fd_ = memory_fd;
  name_ = name;
  size_ = data_bytes;
  window_bytes_ = std::min(size_, kWindowBytes);
  if (!move_to(consumed() & (size_ - 1))) return readable_;
  fd_ = ready_fd;
  return {};
}

uint64_t Ring::produced() const { return load(producer_.begin()); }
uint64_t Ring::consumed() const { return load(consumer_.begin()); }

uint64_t Ring::unread(uint64_t end) const {
  Window window;
  uint64_t count = 0;
  for (uint64_t position = consumed(); position < end; ++count) {
    const uint64_t place = position & (size_ - 1);
    if (!window.has(place) && !window.move(memory_fd_, place, window_bytes_)) return count + 1;
    position = behind(position, load_header(window.at(place)));
  }
  return count;
}

bool Ring::move_to(uint64_t place) {
  if (window_.move(memory_fd_, place, window_bytes_)) return true;
  readable_ = errno_error(fmt::format("map data of ring {}", name_));
  return false;
}

bool Ring::next(Record& record) {
  const uint64_t position = consumed();
  if (position >= produced()) return false;
  const uint64_t place = position & (size_ - 1);
  if (!reach(place)) return false;
  const uint32_t header = load_header(window_.at(place));
  if ((header & BPF_RINGBUF_BUSY_BIT) != 0) return false;
  record.is_discarded = (header & BPF_RINGBUF_DISCARD_BIT) != 0;
  record.end = behind(position, header);
  return record.is_discarded || read((place + BPF_RINGBUF_HDR_SZ) & (size_ - 1), length_of(header), record.bytes);
}

bool Ring::read(uint64_t place, uint64_t length, std::span<const std::byte>& bytes) {
  if (!reach(place)) return false;
  if (place + length <= window_.end()) {
    bytes = {window_.at(place), length};
    return true;
  }
  pieced_.clear();
  while (pieced_.size() < length) {
    const uint64_t at = (place + pieced_.size()) & (size_ - 1);
    if (!reach(at)) return false;
    const uint64_t here = std::min(length - pieced_.size(), window_.end() - at);
    pieced_.insert(pieced_.end(), window_.at(at), window_.at(at) + here);
  }
  bytes = pieced_;
  return true;
}

void Ring::release(const Record& record) {
  __atomic_store_n(reinterpret_cast<uint64_t*>(consumer_.begin()), record.end, __ATOMIC_RELEASE);
}

}  // namespace ingero::kernelside
