// Reads PERF_RECORD_MMAP2 from one perf ring per CPU: how the tracer learns of libraries that are loaded later.
#include "kernelside/mapping_watch.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "base/fd.h"
#include "base/text.h"
#include "kernelside/privilege.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kDataPages = 32;  // per CPU; a power of two

// PERF_RECORD_MMAP2 behind its header, as perf_event.h documents it; a file name and the sample id follow.
struct Mmap2 {
  uint32_t pid, tid;
  uint64_t addr, len, pgoff;
  uint32_t maj, min;
  uint64_t ino, ino_generation;
  uint32_t prot, flags;
};
struct SampleId {  // PERF_SAMPLE_TID | PERF_SAMPLE_TIME
  uint32_t pid, tid;
  uint64_t time;
};
struct Lost {
  uint64_t id, lost;
};

// One record: how many notices were lost with it, or before it.
uint64_t take_record(const std::vector<char>& record, std::vector<NewMapping>& mappings) {
  perf_event_header header;
  std::memcpy(&header, record.data(), sizeof(header));
  const char* body = record.data() + sizeof(header);
  const size_t size = record.size() - sizeof(header);
  if (header.type == PERF_RECORD_LOST) {
    Lost lost{0, 1};
    if (size >= sizeof(lost)) std::memcpy(&lost, body, sizeof(lost));
    return lost.lost;
  }
  if (header.type != PERF_RECORD_MMAP2) return 0;
  if (size < sizeof(Mmap2) + sizeof(SampleId)) return 1;
  Mmap2 mmap2;
  SampleId id;
  std::memcpy(&mmap2, body, sizeof(mmap2));
  std::memcpy(&id, body + size - sizeof(id), sizeof(id));
  if (mmap2.ino == 0 || (mmap2.prot & PROT_EXEC) == 0) return 0;
  NewMapping& mapping = mappings.emplace_back();
  mapping.pid = mmap2.pid;
  mapping.tid = mmap2.tid;
  mapping.mono_ns = id.time;
  mapping.start = mmap2.addr;
  mapping.end = mmap2.addr + mmap2.len;
  mapping.file_offset = mmap2.pgoff;
  mapping.file = {makedev(mmap2.maj, mmap2.min), mmap2.ino};
  mapping.generation = mmap2.ino_generation;
  const char* name = body + sizeof(mmap2);
  mapping.untrusted_path.assign(name, strnlen(name, size - sizeof(mmap2) - sizeof(id)));
  return 0;
}

}  // namespace

uint64_t read_mapping_ring(char* pages, size_t page_bytes, size_t data_bytes, std::vector<NewMapping>& mappings) {
  auto* control = reinterpret_cast<perf_event_mmap_page*>(pages);
  const char* data = pages + page_bytes;
  const uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = control->data_tail;
  uint64_t lost = 0;
  const auto copy = [&](uint64_t from, char* to, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) to[i] = data[(from + i) % data_bytes];
  };
  std::vector<char> record;
  while (tail < head) {
    perf_event_header header;
    copy(tail, reinterpret_cast<char*>(&header), sizeof(header));
    if (header.size < sizeof(header) || header.size > head - tail) {
      ++lost;
      tail = head;
      break;
    }
    record.resize(header.size);
    copy(tail, record.data(), header.size);
    lost += take_record(record, mappings);
    tail += header.size;
  }
  __atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
  return lost;
}

struct MappingWatch::Impl {
  struct Cpu {
    Fd event;
    char* pages = nullptr;
  };
  const Clock& clock;
  const std::string online_path;
  std::string online;  // the CPUs whose events these are; one that goes offline and comes back needs a new one
  uint64_t looked_ns = 0;
  std::vector<Cpu> cpus;
  Fd wake;
  size_t page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));

  Impl(const Clock& time, std::string path) : clock(time), online_path(std::move(path)) {}
  ~Impl() { close_cpus(); }

  size_t ring_bytes() const { return kDataPages * page_bytes; }
  void close_cpus() {
    for (const Cpu& cpu : cpus) munmap(cpu.pages, ring_bytes() + page_bytes);
    cpus.clear();
  }
  Status open_cpus();
  Result<bool> follow_cpus();
};

Status MappingWatch::Impl::open_cpus() {
  looked_ns = clock.mono_ns();
  const auto listed = read_file(online_path, 4096);
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.mmap = 1;
  attributes.mmap2 = 1;
  attributes.sample_id_all = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.watermark = 1;
  attributes.wakeup_watermark = 1;
  const Raised raised;
  const long count = sysconf(_SC_NPROCESSORS_CONF);
  for (long number = 0; number < count; ++number) {
    Cpu cpu;
    cpu.event.reset(static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, -1, static_cast<int>(number), -1, PERF_FLAG_FD_CLOEXEC)));
    if (!cpu.event.valid()) {
      if (errno == ENODEV) continue;  // offline
      return errno_error(fmt::format("watch mappings on CPU {}", number));
    }
    void* pages = mmap(nullptr, ring_bytes() + page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cpu.event.get(), 0);
    if (pages == MAP_FAILED) return errno_error(fmt::format("map the mapping ring of CPU {}", number));
    cpu.pages = static_cast<char*>(pages);
    cpus.push_back(std::move(cpu));
  }
  online = listed.ok() ? *listed : "";
  return {};
}

// Once a second. True: the events are new, and what was mapped meanwhile is not known.
Result<bool> MappingWatch::Impl::follow_cpus() {
  if (clock.mono_ns() - looked_ns < kSecond) return false;
  looked_ns = clock.mono_ns();
  const auto listed = read_file(online_path, 4096);
  if (!listed.ok() || *listed == online) return false;
  close_cpus();
  online.clear();
  if (const Status opened = open_cpus(); !opened.ok()) return opened.error();
  return true;
}

MappingWatch::MappingWatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MappingWatch::~MappingWatch() = default;

Result<std::unique_ptr<MappingWatch>> MappingWatch::open(const Clock& clock, std::string online) {
  auto impl = std::make_unique<Impl>(clock, std::move(online));
  impl->wake.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!impl->wake.valid()) return errno_error("create the stop event of the mapping watch");
  if (const Status opened = impl->open_cpus(); !opened.ok()) return opened.error();
  return std::unique_ptr<MappingWatch>(new MappingWatch(std::move(impl)));
}

void MappingWatch::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(impl_->wake.get(), &one, sizeof(one));
}

Result<uint64_t> MappingWatch::read(int timeout_ms, std::vector<NewMapping>& mappings) {
  std::vector<pollfd> waits;
  waits.reserve(impl_->cpus.size() + 1);
  waits.push_back({impl_->wake.get(), POLLIN, 0});
  for (const auto& cpu : impl_->cpus) waits.push_back({cpu.event.get(), POLLIN, 0});
  if (::poll(waits.data(), waits.size(), timeout_ms) < 0 && errno != EINTR) return errno_error("wait for mappings");
  uint64_t lost = 0;
  for (const auto& cpu : impl_->cpus)
    lost += read_mapping_ring(cpu.pages, impl_->page_bytes, impl_->ring_bytes(), mappings);
  const auto are_new = impl_->follow_cpus();
  INGERO_TRY(are_new);
  return lost + (*are_new ? 1 : 0);
}

}  // namespace ingero::kernelside
