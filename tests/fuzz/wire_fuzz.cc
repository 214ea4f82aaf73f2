// Any bytes as what the kernel side writes: records of the three rings, calls in flight, totals of threads, notices of
// mappings. Then what is made of them: stacks unwound, Python's code objects named, counters compared. Each record of a
// ring is kept or counted as malformed, and what is kept keeps its bounds.
//
// An input is records behind three bytes each: who reads it, and its length, which may be more than is left.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>
#include <span>

#include <nlohmann/json.hpp>

#include "every_backend.h"
#include "kernelside/drain.h"
#include "kernelside/host_events.h"
#include "kernelside/mapping_watch.h"
#include "symbols/python_names.h"
#include "symbols/unwind.h"
#include "unit/kernelside/capture_records.h"

using namespace ingero;
using namespace ingero::kernelside;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// A probe for every function that some backend describes.
struct Probes {
  Probes() : calls(every_backend()) {
    for (const hal::Backend* backend : every_backend()) {
      for (const hal::Library& library : backend->libraries) {
        for (const hal::Row& row : library.rows) {
          auto made = hal::lower(row, hal::kHostArch);
          if (!made.ok()) continue;
          lowered.push_back(*std::move(made));
          const hal::CallId call = calls.id_of(row);
          require(table.append({call, &lowered.back(), calls.non_blocking(call)}));
        }
      }
    }
  }
  const hal::CallTable calls;
  std::deque<hal::Lowered> lowered;
  ProbeTable table;
};

const Probes& probes() {
  static const Probes made;
  return made;
}

void check(const hal::Event& event) {
  require(event.call < probes().calls.size() && event.comm.back() == '\0' && event.preempted_by_comm.back() == '\0' &&
          event.sender_comm.back() == '\0');
  if (event.has(hal::Has::kDuration)) require(event.end_mono_ns() >= event.start_mono_ns);
}

void check(const hal::Wait& wait) {
  require(static_cast<size_t>(wait.kind) < hal::kWaitKinds);
  require(!wait.waker || wait.waker->comm.back() == '\0');
  require(!wait.syscall || *wait.syscall <= INT16_MAX);
}

// Text of a traced process goes into JSON as it is: an exception ends the harness.
void check_text(const std::string& text) { require(!nlohmann::json(text).dump().empty()); }

// A process whose only code is a small library, at a fixed address.
constexpr char kMaps[] = "10000-11000 r-xp 00000000 00:01 7 /library.so\n";

symbols::CodeFiles& code_files() {
  static symbols::CodeFiles files(
      [](uint32_t, const hal::Mapping&) -> Result<Fd> {
        Fd file(::open(INGERO_SOURCE_DIR "/tests/fuzz/unwound_library", O_RDONLY | O_CLOEXEC));
        require(file.valid());
        return file;
      },
      [](uint32_t) -> Result<std::string> { return std::string(kMaps); });
  return files;
}

void unwind(const StackRecord& stack) {
  require(stack.bytes.size() == stack.head.bytes && stack.head.n_returns <= WIRE_STACK_RETURNS &&
          stack.head.n_python <= WIRE_STACK_PYTHON);
  for (const hal::Arch arch : {hal::Arch::kX86_64, hal::Arch::kArm64}) {
    symbols::AddressSpace space(code_files(), stack.head.pid);
    const symbols::NativeStack found = symbols::Unwinder(arch).unwind(stack.head, stack.bytes, space);
    require(found.frames.size() <= symbols::Unwinder::kMaxFrames);
  }
}

void name_python(const RingRecords& batch) {
  symbols::PythonNames names(1 << 10);  // small enough that some are forgotten
  std::set<uint32_t> pids;
  for (const auto& code : batch.codes) {
    if (!names.add(code)) continue;
    wire_code head;
    std::memcpy(&head, code.data(), sizeof(head));
    pids.insert(head.pid);
    for (const uint32_t place : {0U, 2U, 100U, static_cast<uint32_t>(head.first_line)}) {
      const auto named = names.name(head.pid, {head.code, static_cast<uint32_t>(head.identity), place});
      require(named.has_value());
      check_text(named->untrusted_file);
      check_text(named->untrusted_function);
    }
  }
  for (const StackRecord& stack : batch.stacks) {
    for (size_t i = 0; i < stack.head.n_python; ++i) (void)names.name(stack.head.pid, stack.head.python[i]);
  }
  (void)names.take_forgotten();
  for (const uint32_t pid : pids) names.forget(pid);
  require(names.bytes() == 0);
}

void check(const RingRecords& batch) {
  for (const hal::Event& event : batch.events) check(event);
  for (const auto& [at, exchange] : batch.exchanges) {
    require(at < batch.events.size() && hal::has_exchange(batch.events[at].kind));
  }
  for (const auto& [at, wait] : batch.waits) {
    require(at < batch.events.size());
    check(wait);
  }
  for (const auto& [at, tcp] : batch.tcp) {
    require(at < batch.events.size() && (tcp.detail.family == AF_INET || tcp.detail.family == AF_INET6));
  }
  wire_process before{};
  for (const EndedProcess& ended : batch.ended) {
    for (const hal::Event& event : counter_events(before, ended.counters, ended.mono_ns, probes().calls)) check(event);
    before = ended.counters;
  }
  for (const StackRecord& stack : batch.stacks) unwind(stack);
  name_python(batch);
}

void in_flight(Normaliser& normaliser, std::span<const std::byte> bytes) {
  wire_call_record record{};
  std::memcpy(&record, bytes.data(), std::min(bytes.size(), sizeof(record)));
  hal::Event event;
  hal::Exchange exchange;
  if (normaliser.in_flight(record, event, exchange)) check(event);
}

void totals(std::span<const std::byte> bytes) {
  wire_totals record{};
  std::memcpy(&record, bytes.data(), std::min(bytes.size(), sizeof(record)));
  (void)totals_of(record);
}

void notices(std::span<const std::byte> bytes) {
  constexpr size_t kPage = 4096, kData = 1 << 16;
  std::vector<char> pages(kPage + kData);
  reinterpret_cast<perf_event_mmap_page*>(pages.data())->data_head = bytes.size();
  std::copy_n(reinterpret_cast<const char*>(bytes.data()), bytes.size(), pages.data() + kPage);
  std::vector<NewMapping> mappings;
  (void)read_mapping_ring(pages.data(), kPage, kData, mappings);
  for (const NewMapping& mapping : mappings) require(mapping.untrusted_path.size() <= bytes.size());
}

// Of a record in the batch there is one entry, but of a task that is an event, too: two.
size_t kept(const RingRecords& batch) {
  const auto calls = std::count_if(batch.tasks.begin(), batch.tasks.end(),
                                   [](const wire_task& task) { return task.type == WIRE_TRACED; });
  return batch.events.size() + static_cast<size_t>(calls) + batch.names.size() + batch.ended.size() +
         batch.stacks.size() + batch.codes.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 32 << 10) return 0;  // all fits into each ring
  hal::LossLedger ledger, other;
  Normaliser normaliser(probes().calls, probes().table, ledger), apart(probes().calls, probes().table, other);
  ingero::testing::FakeRing critical, events, stacks;
  auto rings = std::make_unique<EventRings>();
  require(rings->critical.open(critical.memory(), critical.ready(), critical.bytes(), "critical").ok() &&
          rings->events.open(events.memory(), events.ready(), events.bytes(), "events").ok() &&
          rings->stacks.open(stacks.memory(), stacks.ready(), stacks.bytes(), "stacks").ok());
  auto drain = Drain::open(std::move(rings), probes().calls, normaliser, ledger);
  require(drain.ok());
  size_t written = 0;
  for (auto rest = std::as_bytes(std::span(data, size)); rest.size() >= 3;) {
    const auto reader = std::to_integer<unsigned>(rest[0]) % 6;
    const size_t length = std::to_integer<size_t>(rest[1]) | std::to_integer<size_t>(rest[2]) << 8;
    rest = rest.subspan(3);
    const auto record = rest.first(std::min(length, rest.size()));
    rest = rest.subspan(record.size());
    ingero::testing::FakeRing* const of_reader[] = {&critical, &events, &stacks};
    if (reader < std::size(of_reader)) of_reader[reader]->write(record);
    if (reader < std::size(of_reader)) ++written;
    if (reader == 3) in_flight(apart, record);
    if (reader == 4) totals(record);
    if (reader == 5) notices(record);
  }
  RingRecords batch;
  const auto is_more = (*drain)->poll(0, SIZE_MAX / 2, batch);
  require(is_more.ok() && !*is_more);
  require(kept(batch) + ledger.count(hal::Loss::record_malformed) == written);
  check(batch);
  return 0;
}
