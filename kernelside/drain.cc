// Polls the BPF rings and turns each record into an event or another entry of the batch; malformed ones are counted.
#include "kernelside/drain.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/fd.h"
#include "kernelside/host_events.h"

namespace ingero::kernelside {

struct Drain::Impl {
  std::unique_ptr<EventRings> rings;
  Fd ready, wake;  // an epoll set, and what ends a wait
  const hal::CallTable& calls;
  Normaliser& normaliser;
  hal::LossLedger& ledger;
  RingRecords* batch = nullptr;
  Position ends;                                  // end_here(): how far each had come
  uint64_t critical_begun = 0, events_begun = 0;  // as the last poll() began
  hal::Exchange exchange;                         // of the call at hand
  bool is_stalled = false;                        // the last poll() could not map what is in a ring

  Impl(std::unique_ptr<EventRings> from, const hal::CallTable& call_table, Normaliser& to_events,
       hal::LossLedger& losses)
      : rings(std::move(from)), calls(call_table), normaliser(to_events), ledger(losses) {}

  std::array<Ring*, 3> all() const { return {&rings->critical, &rings->events, &rings->stacks}; }

  // Until the rings may have records, or `timeout_ms` are over. One that cannot be read would always seem ready.
  Status wait(int timeout_ms) const {
    std::array<epoll_event, 4> events{};
    pollfd woken{wake.get(), POLLIN, 0};
    const int n = is_stalled ? ::poll(&woken, 1, timeout_ms)
                             : epoll_wait(ready.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
    if (n < 0 && errno != EINTR) return errno_error("wait for the rings");
    return {};
  }

  // False: the record is too short, which is counted.
  template <typename Record>
  bool keep(std::span<const std::byte> record, std::vector<Record>& into) {
    if (record.size() < sizeof(Record)) {
      ledger.add(hal::Loss::record_malformed);
      return false;
    }
    Record copy;
    std::memcpy(&copy, record.data(), sizeof(copy));
    into.push_back(copy);
    return true;
  }

  void take(std::span<const std::byte> record) {
    uint16_t type = 0;
    if (record.size() < sizeof(type)) {
      ledger.add(hal::Loss::record_malformed);
      return;
    }
    std::memcpy(&type, record.data(), sizeof(type));
    hal::Event event;
    const auto add = [&](bool understood) {
      if (!understood) {
        ledger.add(hal::Loss::record_malformed);
        return false;
      }
      event.wall_offset_ns = normaliser.wall_offset_ns();
      batch->events.push_back(event);
      return true;
    };
    switch (type) {
      case WIRE_CALL: {
        hal::Event& call = batch->events.emplace_back();
        if (!normaliser.call(record, call, exchange)) {
          batch->events.pop_back();
        } else if (hal::has_exchange(call.kind)) {
          batch->exchanges.emplace_back(batch->events.size() - 1, std::exchange(exchange, {}));
        }
        break;
      }
      case WIRE_SCHED:
        if (hal::Wait wait; normaliser.sched(record, batch->events.emplace_back(), wait)) {
          batch->waits.emplace_back(batch->events.size() - 1, wait);
        } else {
          batch->events.pop_back();
        }
        break;
      case WIRE_TRACED:
        keep(record, batch->tasks);
        break;
      case WIRE_EXEC:
      case WIRE_EXIT:
      case WIRE_FORK:
      case WIRE_OOM:
        if (keep(record, batch->tasks)) add(task_event(record, calls, event));
        break;
      case WIRE_BLOCK:
        add(block_event(record, calls, event));
        break;
      case WIRE_TCP: {
        TcpRecord tcp;
        if (add(tcp_event(record, calls, event, tcp.detail, tcp.socket_inode))) {
          batch->tcp.emplace_back(batch->events.size() - 1, tcp);
        }
        break;
      }
      case WIRE_PROCESS: {
        // A process's last counters: what it did since they were read last is the recorder's to work out.
        EndedProcess ended;
        if (process_end(record, ended.counters, ended.mono_ns)) {
          batch->ended.push_back(ended);
        } else {
          ledger.add(hal::Loss::record_malformed);
        }
        break;
      }
      case WIRE_NAME:
        keep(record, batch->names);
        break;
      default:
        ledger.add(hal::Loss::record_malformed);
        break;
    }
  }

  void take_stack(std::span<const std::byte> record) {
    StackRecord stack;
    uint16_t type = 0;
    if (record.size() >= sizeof(type)) std::memcpy(&type, record.data(), sizeof(type));
    if (type == WIRE_CODE) {
      batch->codes.emplace_back(record.begin(), record.end());
      return;
    }
    if (record.size() >= sizeof(stack.head)) std::memcpy(&stack.head, record.data(), sizeof(stack.head));
    const auto tail = record.subspan(std::min(record.size(), sizeof(stack.head)));
    if (stack.head.type != WIRE_STACK || stack.head.bytes > tail.size() || stack.head.n_returns > WIRE_STACK_RETURNS ||
        stack.head.n_python > WIRE_STACK_PYTHON) {
      ledger.add(hal::Loss::record_malformed);
      return;
    }
    stack.bytes.assign(tail.begin(), tail.begin() + stack.head.bytes);
    batch->stacks.push_back(std::move(stack));
  }
};

Drain::Drain(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Drain::~Drain() = default;

Result<std::unique_ptr<Drain>> Drain::open(const Objects& objects, const hal::CallTable& calls, Normaliser& normaliser,
                                           hal::LossLedger& ledger) {
  auto rings = std::make_unique<EventRings>();
  INGERO_TRY(rings->critical.open(objects.map_fd("critical_events"), "critical_events"));
  INGERO_TRY(rings->events.open(objects.map_fd("events"), "events"));
  INGERO_TRY(rings->stacks.open(objects.map_fd("stacks"), "stacks"));
  return open(std::move(rings), calls, normaliser, ledger);
}

Result<std::unique_ptr<Drain>> Drain::open(std::unique_ptr<EventRings> rings, const hal::CallTable& calls,
                                           Normaliser& normaliser, hal::LossLedger& ledger) {
  auto impl = std::make_unique<Impl>(std::move(rings), calls, normaliser, ledger);
  impl->ready.reset(epoll_create1(EPOLL_CLOEXEC));
  impl->wake.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  for (const int fd :
       {impl->rings->critical.fd(), impl->rings->events.fd(), impl->rings->stacks.fd(), impl->wake.get()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (epoll_ctl(impl->ready.get(), EPOLL_CTL_ADD, fd, &event) != 0) return errno_error("wait for the rings");
  }
  return std::unique_ptr<Drain>(new Drain(std::move(impl)));
}

void Drain::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(impl_->wake.get(), &one, sizeof(one));
}

Drain::Position Drain::position() const {
  Position position;
  for (const Ring* ring : impl_->all()) position[ring] = ring->produced();
  return position;
}

bool Drain::is_past(const Position& position) {
  return std::all_of(position.begin(), position.end(),
                     [](const auto& one) { return one.first->consumed() >= one.second; });
}

void Drain::end_here() { impl_->ends = position(); }

bool Drain::is_past_end() const { return is_past(impl_->ends); }

uint64_t Drain::unread() const {
  uint64_t count = 0;
  for (const auto& [ring, end] : impl_->ends) count += ring->unread(end);
  return count;
}

bool Drain::take_stacks(RingRecords& batch) {
  impl_->batch = &batch;
  size_t taken = 0;
  return impl_->rings->stacks.consume([&](std::span<const std::byte> record) {
    impl_->take_stack(record);
    return ++taken < kStacksAtOnce;
  });
}

bool Drain::is_complete() const {
  return impl_->rings->critical.consumed() >= impl_->critical_begun &&
         impl_->rings->events.consumed() >= impl_->events_begun;
}

Result<bool> Drain::poll(int timeout_ms, size_t max_events, RingRecords& batch) {
  impl_->batch = &batch;
  impl_->critical_begun = impl_->rings->critical.produced();
  impl_->events_begun = impl_->rings->events.produced();
  INGERO_TRY(impl_->wait(timeout_ms));
  // What is in the rings is taken whatever ended the wait.
  const auto take = [&](std::span<const std::byte> record) {
    impl_->take(record);
    return batch.events.size() < max_events;
  };
  const bool is_empty = impl_->rings->critical.consume(take) && impl_->rings->events.consume(take);
  // What says whose calls these are was written before them, but perhaps after the first look.
  impl_->rings->critical.consume([&](std::span<const std::byte> record) {
    impl_->take(record);
    return batch.events.size() < 2 * max_events;
  });
  // After the calls: a call's stack is written before the call, so those of the calls taken are all there, here or in
  // the ring.
  take_stacks(batch);
  const bool was_stalled = std::exchange(impl_->is_stalled, false);
  for (const Ring* ring : impl_->all()) {
    if (ring->readable().ok()) continue;
    impl_->is_stalled = true;
    if (!was_stalled) return ring->readable().error();
  }
  return !is_empty;
}

}  // namespace ingero::kernelside
