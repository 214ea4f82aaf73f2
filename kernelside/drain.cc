// Ring consumers.
#include "kernelside/drain.h"

#include <bpf/libbpf.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "kernelside/host_events.h"

namespace ingero::kernelside {
namespace {

constexpr int kBatchFull = -ECANCELED;  // our own stop, told apart from libbpf's errors

struct RingDeleter {
  void operator()(ring_buffer* rings) const { ring_buffer__free(rings); }
};

}  // namespace

struct Drain::Impl {
  std::unique_ptr<ring_buffer, RingDeleter> rings, stacks;
  Fd wake;
  const hal::CallTable& calls;
  Normaliser& normaliser;
  hal::LossLedger& ledger;
  Batch* batch = nullptr;
  hal::Exchange exchange;  // of the call at hand
  size_t max_events = 0;

  Impl(const hal::CallTable& call_table, Normaliser& to_events, hal::LossLedger& losses)
      : calls(call_table), normaliser(to_events), ledger(losses) {}

  template <typename Record>
  void keep(std::span<const std::byte> record, std::vector<Record>& into) {
    if (record.size() < sizeof(Record)) {
      ledger.add(hal::Loss::record_malformed);
      return;
    }
    Record copy;
    std::memcpy(&copy, record.data(), sizeof(copy));
    into.push_back(copy);
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
        if (!normaliser.sched(record, batch->events.emplace_back())) batch->events.pop_back();
        break;
      case WIRE_TRACED:
        keep(record, batch->tasks);
        break;
      case WIRE_EXEC:
      case WIRE_EXIT:
      case WIRE_FORK:
      case WIRE_OOM:
        keep(record, batch->tasks);
        add(task_event(record, calls, event));
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

  static int on_stack(void* context, void* data, size_t size) {
    static_cast<Impl*>(context)->take_stack({static_cast<const std::byte*>(data), size});
    return 0;
  }

  static int on_record(void* context, void* data, size_t size) {
    auto* self = static_cast<Impl*>(context);
    self->take({static_cast<const std::byte*>(data), size});
    return self->batch->events.size() >= self->max_events ? kBatchFull : 0;
  }
};

Drain::Drain(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Drain::~Drain() = default;

Result<std::unique_ptr<Drain>> Drain::open(const Objects& objects, const hal::CallTable& calls, Normaliser& normaliser,
                                           hal::LossLedger& ledger) {
  auto impl = std::make_unique<Impl>(calls, normaliser, ledger);
  impl->rings.reset(ring_buffer__new(objects.map_fd("critical_events"), &Impl::on_record, impl.get(), nullptr));
  if (!impl->rings) return errno_error("map the critical ring");
  if (const int error = ring_buffer__add(impl->rings.get(), objects.map_fd("events"), &Impl::on_record, impl.get());
      error != 0) {
    return errno_error("map the event ring", -error);
  }
  impl->stacks.reset(ring_buffer__new(objects.map_fd("stacks"), &Impl::on_stack, impl.get(), nullptr));
  if (!impl->stacks) return errno_error("map the stack ring");
  impl->wake.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  epoll_event event{};
  event.events = EPOLLIN;
  const int set = ring_buffer__epoll_fd(impl->rings.get());
  if (!impl->wake.valid() || epoll_ctl(set, EPOLL_CTL_ADD, impl->wake.get(), &event) != 0 ||
      epoll_ctl(set, EPOLL_CTL_ADD, ring_buffer__epoll_fd(impl->stacks.get()), &event) != 0) {
    return errno_error("make the rings' stop event");
  }
  return std::unique_ptr<Drain>(new Drain(std::move(impl)));
}

void Drain::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(impl_->wake.get(), &one, sizeof(one));
}

Result<bool> Drain::poll(int timeout_ms, size_t max_events, Batch& batch) {
  impl_->batch = &batch;
  impl_->max_events = max_events;
  // Our own wait, because the stop event is in the same set; what is in the rings is taken whatever ended it.
  std::array<epoll_event, 4> ready{};
  int got = epoll_wait(ring_buffer__epoll_fd(impl_->rings.get()), ready.data(), ready.size(), timeout_ms);
  got = got < 0 ? -errno : ring_buffer__consume(impl_->rings.get());
  // After the calls: a call's stack is written before the call, so those of the calls taken are all there.
  (void)ring_buffer__consume(impl_->stacks.get());
  if (got == kBatchFull) return true;
  if (got < 0 && got != -EINTR && got != -EAGAIN) return errno_error("drain the rings", -got);
  return false;
}

}  // namespace ingero::kernelside
