// Converts wire records to events, one at a time, and finds in recent switches which task preempted a call.
#include "kernelside/normalise.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "hal/decode.h"
#include "kernelside/system_calls.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxIntervals = 4096;  // per thread, inside one call; beyond it the shortest goes
constexpr size_t kMaxThreads = 16384;   // inside a call, and preempted in it

hal::Outcome outcome_of(uint8_t wire) {
  switch (wire) {
    case WIRE_RETURNED:
      return hal::Outcome::kReturned;
    case WIRE_UNWOUND:
      return hal::Outcome::kUnwound;
    case WIRE_EXITED:
      return hal::Outcome::kExited;
    case WIRE_EXECED:
      return hal::Outcome::kExeced;
    default:
      return hal::Outcome::kInFlight;
  }
}

template <typename Record>
bool copy_record(std::span<const std::byte> bytes, Record& out) {
  if (bytes.size() < sizeof(Record)) return false;
  std::memcpy(&out, bytes.data(), sizeof(Record));
  return true;
}

// A word that could not be read says nothing: the call then bears the function's own name.
bool is_non_blocking(const ProbeMeaning& probe, const wire_call& call, std::span<const uint64_t> words) {
  if (probe.non_blocking == hal::kNoCall) return false;
  for (size_t i = 0; i < call.n_words && i < probe.lowered->words.size(); ++i) {
    if (probe.lowered->words[i].field != hal::Field::kBlocking) continue;
    return (call.valid >> i & 1) != 0 && static_cast<uint32_t>(words[i]) == 0;
  }
  return false;
}

static_assert(size_t{WIRE_WAIT_KINDS} == hal::kWaitKinds);
static_assert(WIRE_WAIT_SOCKET == static_cast<int>(hal::WaitKind::kSocket));
static_assert(WIRE_WAIT_OTHER == static_cast<int>(hal::WaitKind::kOther));

// ::ffff:a.b.c.d is IPv4 through a socket of both families.
void set_address(const wire_wait& wire, hal::WaitPeer& peer) {
  static constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (wire.family == AF_INET6 && std::equal(kMapped.begin(), kMapped.end(), wire.peer)) {
    peer.family = AF_INET;
    std::copy_n(wire.peer + kMapped.size(), 4, peer.peer.begin());
  } else if (wire.family == AF_INET || wire.family == AF_INET6) {
    std::copy_n(wire.peer, wire.family == AF_INET ? 4 : 16, peer.peer.begin());
  }
}

hal::Wait wait_of(const wire_wait& wire, bool was_runnable) {
  hal::Wait wait;
  const auto has = [&](int flag) { return (wire.flags & flag) != 0; };
  wait.kind = static_cast<hal::WaitKind>(wire.kind);
  if (has(WIRE_WAIT_HAS_FAULTS)) wait.minor_faults = wire.minor_faults;
  if (was_runnable) return wait;  // it waited for nothing
  wait.syscall = system_call_of(wire.syscall);
  if (has(WIRE_WAIT_HAS_OBJECT)) {
    wait.object = wire.object;
    if (wire.file_system != 0) wait.file_system = wire.file_system;
  }
  if (has(WIRE_WAIT_HAS_DESCRIPTOR)) wait.descriptor = wire.descriptor;
  wait.is_write = has(WIRE_WAIT_WRITES);
  wait.is_timed_out = has(WIRE_WAIT_TIMED_OUT);
  const bool may_be_lock = wait.kind == hal::WaitKind::kFile || wait.kind == hal::WaitKind::kFutex;
  wait.is_lock = may_be_lock && has(WIRE_WAIT_LOCKS);
  if (has(WIRE_WAIT_HAS_PEER)) {
    hal::WaitPeer& peer = wait.peer.emplace();
    peer.family = wire.family;
    peer.is_accepted = has(WIRE_WAIT_ACCEPTED);
    if (wire.family == AF_UNIX) {
      peer.inode = wire.peer_object;
    } else {
      peer.local_port = wire.local_port;
      peer.peer_port = wire.peer_port;
      set_address(wire, peer);
    }
  }
  if (has(WIRE_WAIT_HAS_WAKER)) {
    hal::Waker& waker = wait.waker.emplace();
    waker.pid = wire.waker_pid;
    waker.tid = wire.waker_tid;
    waker.syscall = system_call_of(wire.waker_syscall);
    waker.is_kernel_thread = has(WIRE_WAIT_WAKER_IS_KERNEL);
    std::memcpy(waker.comm.data(), wire.waker_comm, sizeof(wire.waker_comm));
    waker.comm.back() = '\0';
  }
  return wait;
}

}  // namespace

hal::WaitTotals totals_of(const wire_totals& wire) {
  hal::WaitTotals totals;
  totals.mono_ns = wire.ns;
  totals.pid = wire.pid;
  totals.tid = wire.tid;
  totals.queued_ns = wire.queued_ns;
  std::copy(std::begin(wire.waited), std::end(wire.waited), totals.ns.begin());
  return totals;
}

Normaliser::Normaliser(const hal::CallTable& calls, const ProbeTable& probes, hal::LossLedger& ledger)
    : calls_(calls), probes_(probes), ledger_(ledger) {}

bool Normaliser::call(std::span<const std::byte> record, hal::Event& event, hal::Exchange& exchange) {
  wire_call call;
  std::array<uint64_t, WIRE_CALL_TAIL> tail;  // the words, then the off-CPU times; filled as far as they reach
  if (!copy_record(record, call) || call.n_words > WIRE_MAX_WORDS || call.probe >= probes_.size() ||
      call.end_ns < call.start_ns) {
    ledger_.add(hal::Loss::record_malformed);
    return false;
  }
  const bool has_off = (call.flags & WIRE_CALL_HAS_OFF) != 0;
  const size_t n_tail = size_t{call.n_words} + (has_off ? WIRE_OFF_KINDS : 0);
  if (record.size() < sizeof(call) + n_tail * sizeof(uint64_t)) {
    ledger_.add(hal::Loss::record_malformed);
    return false;
  }
  std::memcpy(tail.data(), record.data() + sizeof(call), n_tail * sizeof(uint64_t));
  const ProbeMeaning& probe = probes_[call.probe];
  if (call.start_ns < probe.since_mono_ns) {
    if (call.outcome != WIRE_IN_FLIGHT) ledger_.add(hal::Loss::probe_reused);
    return false;
  }
  event = hal::Event{};
  event.start_mono_ns = call.start_ns;
  event.wall_offset_ns = wall_offset_ns_;
  event.cgroup_id = call.cgroup_id;
  event.pid = call.pid;
  event.tid = call.tid;
  event.probe = call.probe;
  event.call = is_non_blocking(probe, call, tail) ? probe.non_blocking : probe.call;
  event.kind = calls_[probe.call].kind;
  event.outcome = outcome_of(call.outcome);
  event.depth = call.depth;
  if (call.depth > 0 && call.parent_probe < probes_.size() &&
      call.parent_start_ns >= probes_[call.parent_probe].since_mono_ns) {
    event.parent_call = probes_[call.parent_probe].call;
    event.parent_start_mono_ns = call.parent_start_ns;
    event.set(hal::Has::kParent);
  }
  // Its probe may have been removed while it ran.
  if ((calls_[probe.call].flags & hal::kAsksDevice) != 0 && event.outcome != hal::Outcome::kReturned) return false;
  event.set(hal::Has::kOffCpu);
  if (has_off) {
    const auto off = std::span(tail).subspan(call.n_words, WIRE_OFF_KINDS);
    event.off = {off[WIRE_OFF_PREEMPTED], off[WIRE_OFF_RUNQUEUE], off[WIRE_OFF_BLOCKED], off[WIRE_OFF_IO]};
  }
  hal::decode(calls_[probe.call], *probe.lowered, std::span(tail).first(call.n_words), call.valid, call.ret, event,
              hal::has_exchange(event.kind) ? &exchange : nullptr);
  if ((call.flags & WIRE_CALL_HAS_STACK) != 0) event.set(hal::Has::kStack);  // its id is set where stacks are joined
  if (event.outcome == hal::Outcome::kInFlight) return true;  // the call's own record will come: nothing to count yet

  event.duration_ns = call.end_ns - call.start_ns;
  event.set(hal::Has::kDuration);
  if (has_off) blame(call.tid, call.depth == 0, event);
  if (event.outcome == hal::Outcome::kUnwound) ledger_.add(hal::Loss::unwound_call);
  const uint16_t all = static_cast<uint16_t>((1U << call.n_words) - 1U);
  if ((call.valid & all) != all) ledger_.add(hal::Loss::word_unreadable);
  return true;
}

void Normaliser::blame(uint32_t tid, bool outermost, hal::Event& event) {
  const auto found = intervals_.find(tid);
  if (found == intervals_.end()) return;
  struct Suspect {
    uint32_t pid;
    uint64_t ns;
    std::array<char, 16> comm;
  };
  std::vector<Suspect> suspects;
  const uint64_t start = event.start_mono_ns;
  const uint64_t end = event.end_mono_ns();
  for (const Interval& interval : found->second) {
    const uint64_t from = std::max(start, interval.start_ns);
    const uint64_t to = std::min(end, interval.end_ns);
    if (from >= to) continue;
    auto suspect = std::find_if(suspects.begin(), suspects.end(),
                                [&](const Suspect& other) { return other.pid == interval.preempted_by_pid; });
    if (suspect == suspects.end()) {
      suspects.push_back({interval.preempted_by_pid, to - from, interval.preempted_by_comm});
    } else {
      suspect->ns += to - from;
    }
  }
  const auto worst = std::max_element(suspects.begin(), suspects.end(),
                                      [](const Suspect& a, const Suspect& b) { return a.ns < b.ns; });
  if (worst != suspects.end()) {
    event.preempted_by_pid = worst->pid;
    event.preempted_by_ns = worst->ns;
    event.preempted_by_comm = worst->comm;
    event.set(hal::Has::kPreemptedBy);
  }
  if (outermost) intervals_.erase(found);
}

void Normaliser::remember(uint32_t tid, const Interval& interval) {
  // Of threads whose calls never end: who ran instead is then not known of some that do.
  if (intervals_.size() >= kMaxThreads && !intervals_.contains(tid)) {
    for (const auto& [thread, forgotten] : intervals_) ledger_.add(hal::Loss::engine_forgotten, forgotten.size());
    intervals_.clear();
  }
  const auto longer = [](const Interval& a, const Interval& b) {
    return a.end_ns - a.start_ns > b.end_ns - b.start_ns;
  };
  auto& intervals = intervals_[tid];
  intervals.push_back(interval);
  std::push_heap(intervals.begin(), intervals.end(), longer);
  if (intervals.size() <= kMaxIntervals) return;
  std::pop_heap(intervals.begin(), intervals.end(), longer);
  intervals.pop_back();
  ledger_.add(hal::Loss::engine_forgotten);
}

bool Normaliser::sched(std::span<const std::byte> record, hal::Event& event, hal::Wait& wait) {
  wire_sched wire;
  if (!copy_record(record, wire) || wire.in_ns < wire.out_ns || wire.wait.kind >= WIRE_WAIT_KINDS) {
    ledger_.add(hal::Loss::record_malformed);
    return false;
  }
  const hal::CallId call = calls_.id_of(hal::HostOp::kSchedSwitch);
  event = hal::Event{};
  event.call = call;
  event.kind = hal::Kind::kHost;
  event.start_mono_ns = wire.out_ns;
  event.wall_offset_ns = wall_offset_ns_;
  event.duration_ns = wire.in_ns - wire.out_ns;
  event.set(hal::Has::kDuration);
  event.pid = wire.pid;
  event.tid = wire.tid;
  std::memcpy(event.comm.data(), wire.comm, sizeof(wire.comm));
  event.comm.back() = '\0';
  const uint64_t woken_ns = wire.woken_ns > wire.out_ns && wire.woken_ns <= wire.in_ns ? wire.woken_ns : wire.in_ns;
  const uint64_t asleep_ns = woken_ns - wire.out_ns;
  if (wire.off == WIRE_OFF_PREEMPTED) {
    event.off.preempted_ns = event.duration_ns;
  } else {
    (wire.off == WIRE_OFF_IO ? event.off.io_ns : event.off.blocked_ns) = asleep_ns;
    event.off.runqueue_ns = event.duration_ns - asleep_ns;
  }
  event.set(hal::Has::kOffCpu);
  event.arg0 = wire.cpu;
  event.arg1 = wire.preempted_by_pid;
  event.set(hal::Has::kArg0);
  event.set(hal::Has::kArg1);
  wait = wait_of(wire.wait, wire.off == WIRE_OFF_PREEMPTED);
  if ((wire.wait.flags & WIRE_WAIT_HAS_STACK) != 0) event.set(hal::Has::kStack);  // it is in a ring of its own
  // Who had the CPU is of interest only while this thread wanted it: all the time, or at the end of its wait.
  const bool is_preempted = wire.off == WIRE_OFF_PREEMPTED;
  const uint64_t taken_ns =
      is_preempted ? event.duration_ns : std::min<uint64_t>(wire.preempted_by_ns, event.off.runqueue_ns);
  if (is_preempted || taken_ns > 0) {
    event.preempted_by_pid = wire.preempted_by_pid;
    event.preempted_by_ns = taken_ns;
    std::memcpy(event.preempted_by_comm.data(), wire.preempted_by_comm, sizeof(wire.preempted_by_comm));
    event.preempted_by_comm.back() = '\0';
    event.set(hal::Has::kPreemptedBy);
    if (wire.in_call > 0) {
      remember(wire.tid, {wire.in_ns - taken_ns, wire.in_ns, wire.preempted_by_pid, event.preempted_by_comm});
    }
  }
  return true;
}

bool Normaliser::in_flight(const wire_call_record& record, hal::Event& event, hal::Exchange& exchange) {
  // The dump takes the time of a thread once: this call began behind it, and will be in the next dump.
  if (record.call.outcome == WIRE_IN_FLIGHT && record.call.start_ns > record.call.end_ns) return false;
  return call(std::as_bytes(std::span(&record, 1)), event, exchange) && event.outcome == hal::Outcome::kInFlight;
}

}  // namespace ingero::kernelside
