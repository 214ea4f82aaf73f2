// The six scenarios of `ingero demo`. Durations vary a little, always in the same way.
#include "agent/demo/demo_scenarios.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace ingero::agent {
namespace {

using hal::Has;

constexpr uint64_t kUs = 1000, kMs = 1'000'000;
constexpr uint32_t kPid = 12345, kRival = 23456, kBackup = 4242;

const DemoScenario kScenarios[] = {
    {"incident", {}, "A backup job takes the CPUs of a training run, and gives them back.", "cpu_preemption"},
    {"cold-start", {}, "The first allocations and launches of a process are slow.", "cold_start"},
    {"cpu-contention", {}, "Builds on the same machine preempt the training process.", "cpu_preemption"},
    {"gpu-steal",
     {"gpu-contention", "contention"},
     "A second process begins to use the same GPU.",
     "device_contention"},
    {"memcpy-bottleneck", {}, "A third of the time goes into copies from pageable memory.", "slow_copies"},
    {"periodic-spike", {}, "Every 200 operations a few allocations are slow.", "periodic_spike"},
};

// Numbers of calls in source 1, as recordings have them.
constexpr uint16_t kMalloc = 1, kFree = 2, kLaunch = 3, kMemcpy = 4, kStreamSync = 5;

// The calls by source and number (docs/formats/store.md): whichever vendor's table they are in.
class Maker {
 public:
  Maker(const hal::CallTable& calls, uint64_t mono_ns, uint64_t wall_ns, DemoTrace& trace)
      : calls_(calls), mono_ns_(mono_ns), wall_ns_(wall_ns), trace_(trace) {}

  uint64_t now = 0;
  uint32_t pid = kPid;

  hal::Event& call(uint16_t op, uint64_t duration_ns) {
    hal::Event event;
    for (size_t id = 0; id < calls_.size(); ++id) {
      const hal::Call& one = calls_[static_cast<hal::CallId>(id)];
      if (one.source != 1 || one.op != op) continue;
      event.call = static_cast<hal::CallId>(id);
      event.kind = one.kind;
      event.probe = op;
      break;
    }
    event.return_code = 0;
    event.set(Has::kReturnCode);
    event.set(Has::kOffCpu);
    return put(event, duration_ns);
  }
  hal::Event& alloc(uint64_t duration_ns) {
    hal::Event& event = call(kMalloc, duration_ns);
    event.bytes = 2 << 20;
    event.address = next_address_ += 2 << 20;
    event.set(Has::kBytes);
    event.set(Has::kAddress);
    return event;
  }
  void release(uint64_t duration_ns) {
    hal::Event& event = call(kFree, duration_ns);
    event.address = next_address_;
    event.set(Has::kAddress);
  }
  void launch(uint64_t duration_ns) { call(kLaunch, duration_ns); }
  void copy(uint64_t duration_ns, uint64_t bytes, hal::Direction direction) {
    hal::Event& event = call(kMemcpy, duration_ns);
    event.bytes = bytes;
    event.direction = direction;
    event.set(Has::kBytes);
    event.set(Has::kDirection);
  }
  hal::Event& sync(uint64_t duration_ns) {
    hal::Event& event = call(kStreamSync, duration_ns);
    event.off.blocked_ns = duration_ns * 9 / 10;
    return event;
  }
  // Somebody else has the CPU from now on, for `duration_ns`; time does not move: a call lies around it.
  void preempted(uint64_t at_ns, uint64_t duration_ns, uint32_t preempted_by, std::string_view name) {
    hal::Event event;
    event.call = calls_.id_of(hal::HostOp::kSchedSwitch);
    event.off.preempted_ns = duration_ns;
    event.set(Has::kOffCpu);
    blame(event, preempted_by, duration_ns, name);
    const uint64_t back = std::exchange(now, at_ns);
    put(event, duration_ns);
    now = back;
  }
  static void blame(hal::Event& event, uint32_t preempted_by, uint64_t ns, std::string_view name) {
    event.preempted_by_pid = preempted_by;
    event.preempted_by_ns = ns;
    std::copy_n(name.begin(), std::min<size_t>(name.size(), 15), event.preempted_by_comm.begin());
    event.set(Has::kPreemptedBy);
  }
  void pages(uint64_t bytes) {
    hal::Event event;
    event.call = calls_.id_of(hal::HostOp::kPageAlloc);
    event.bytes = bytes;
    event.arg0 = 1;
    event.set(Has::kBytes);
    event.set(Has::kArg0);
    put(event, 0);
  }
  void snapshot(double cpu_percent) {
    hal::SystemSnapshot one;
    one.wall_ns = wall_ns_ + now;
    one.cpu_percent = cpu_percent;
    one.mem_percent = 41;
    trace_.snapshots.push_back(one);
  }
  // -4 % to +4 %, without chance.
  uint64_t about(uint64_t ns) { return ns * (96 + ++turn_ * 7 % 9) / 100; }

 private:
  hal::Event& put(hal::Event& event, uint64_t duration_ns) {
    event.pid = pid;
    event.tid = pid;
    event.start_mono_ns = mono_ns_ + now;
    event.wall_offset_ns = static_cast<int64_t>(wall_ns_) - static_cast<int64_t>(mono_ns_);
    if (duration_ns > 0) {
      event.duration_ns = duration_ns;
      event.set(Has::kDuration);
    }
    now += duration_ns;
    trace_.events.push_back(event);
    return trace_.events.back();
  }
  const hal::CallTable& calls_;
  uint64_t mono_ns_, wall_ns_, turn_ = 0, next_address_ = 0x7f0000000000;
  DemoTrace& trace_;
};

void iteration(Maker& m, uint64_t sync_ns) {
  m.launch(m.about(14 * kUs));
  m.copy(m.about(800 * kUs), 256 << 10, hal::Direction::kHostToDevice);
  m.sync(m.about(sync_ns));
  m.now += 2 * kMs;
}

// A synchronisation that is `stolen_ns` longer, in `slices` preemptions.
void stolen_sync(Maker& m, uint64_t sync_ns, uint64_t stolen_ns, unsigned slices, uint32_t preempted_by,
                 std::string_view name) {
  const uint64_t begin = m.now;
  for (unsigned i = 0; i < slices; ++i) {
    m.preempted(begin + (i + 1) * (sync_ns + stolen_ns) / (slices + 1), stolen_ns / slices, preempted_by, name);
  }
  hal::Event& event = m.sync(sync_ns + stolen_ns);
  event.off.blocked_ns = sync_ns * 9 / 10;
  event.off.preempted_ns = stolen_ns;
  Maker::blame(event, preempted_by, stolen_ns, name);
}

void incident(Maker& m) {
  for (int i = 0; i < 100; ++i) iteration(m, 16 * kMs);
  m.snapshot(98);
  for (int i = 0; i < 50; ++i) {
    m.launch(m.about(14 * kUs));
    m.copy(m.about(800 * kUs), 256 << 10, hal::Direction::kHostToDevice);
    stolen_sync(m, m.about(16 * kMs), 17 * 7400 * kUs, 17, kBackup, "backup-agent");
    m.pages(4 << 20);
    m.now += 2 * kMs;
  }
  m.snapshot(46);
  for (int i = 0; i < 50; ++i) iteration(m, 16 * kMs);
}

void cold_start(Maker& m) {
  for (const uint64_t ms : {340, 280, 220, 160, 100}) m.alloc(ms * kMs);
  for (const uint64_t ms : {150, 100, 50}) m.launch(ms * kMs);
  for (int i = 0; i < 200; ++i) {
    iteration(m, 16 * kMs);
    if (i % 20 == 0) m.alloc(m.about(20 * kUs));
  }
  m.now += 5 * kSecond;
  iteration(m, 16 * kMs);
}

void cpu_contention(Maker& m) {
  for (int i = 0; i < 50; ++i) iteration(m, 16 * kMs);
  m.snapshot(100);
  for (int i = 0; i < 100; ++i) {
    m.launch(m.about(14 * kUs));
    m.copy(m.about(800 * kUs), 256 << 10, hal::Direction::kHostToDevice);
    stolen_sync(m, m.about(16 * kMs), m.about(10 * kMs), 2, 5000 + static_cast<uint32_t>(i) % 3, "cc1plus");
    m.now += 2 * kMs;
  }
  m.snapshot(51);
  for (int i = 0; i < 50; ++i) iteration(m, 16 * kMs);
}

void gpu_steal(Maker& m) {
  const auto cycle = [&](uint64_t sync_ns) {
    m.launch(m.about(800 * kUs));
    for (int i = 0; i < 7; ++i) m.launch(m.about(14 * kUs));
    m.copy(m.about(800 * kUs), 256 << 10, hal::Direction::kHostToDevice);
    m.sync(m.about(sync_ns));
    m.sync(m.about(sync_ns * 2 / 3));
  };
  while (m.now < 10 * kSecond) cycle(12 * kMs);
  while (m.now < 18 * kSecond) {
    cycle(22 * kMs);
    m.pid = kRival;  // the other process's share of the same time
    const uint64_t back = m.now;
    m.now -= 20 * kMs;
    for (int i = 0; i < 8; ++i) m.launch(m.about(14 * kUs));
    m.now = back;
    m.pid = kPid;
  }
}

void memcpy_bottleneck(Maker& m) {
  // Of 20 operations 7 are copies of 5 ms.
  for (int i = 0; i < 1200; ++i) {
    if (i * 7 / 20 != (i + 1) * 7 / 20) {
      m.copy(m.about(5 * kMs), 16 << 20, hal::Direction::kHostToDevice);
    } else if (i % 3 == 0) {
      m.launch(m.about(14 * kUs));
    } else {
      m.sync(m.about(4 * kMs));
    }
  }
}

void periodic_spike(Maker& m) {
  for (int i = 0; i < 6000; ++i) {
    if (i % 200 >= 196 && i > 400) {
      m.alloc(m.about(2500 * kUs));
      m.release(m.about(6 * kUs));
    } else if (i % 4 == 0) {
      m.alloc(m.about(20 * kUs));
      m.release(m.about(6 * kUs));
    } else if (i % 4 == 1) {
      m.sync(m.about(3 * kMs));
    } else {
      m.launch(m.about(14 * kUs));
    }
    m.now += 300 * kUs;
  }
}

}  // namespace

std::span<const DemoScenario> demo_scenarios() { return kScenarios; }

const DemoScenario* find_demo(std::string_view name) {
  for (const DemoScenario& one : kScenarios) {
    if (one.name == name || std::find(one.aliases.begin(), one.aliases.end(), name) != one.aliases.end()) return &one;
  }
  return nullptr;
}

DemoTrace make_demo(const DemoScenario& scenario, const hal::CallTable& calls, uint64_t start_mono_ns,
                    uint64_t start_wall_ns) {
  constexpr void (*kMakers[])(Maker&) = {incident,  cold_start,        cpu_contention,
                                         gpu_steal, memcpy_bottleneck, periodic_spike};
  static_assert(std::size(kMakers) == std::size(kScenarios));
  DemoTrace trace;
  for (const auto& [pid, comm] : {std::pair{kPid, "train.py"}, std::pair{kRival, "inference"}}) {
    hal::Process process;
    process.pid = pid;
    process.start_mono_ns = start_mono_ns - kSecond;
    process.comm = comm;
    if (pid == kPid || scenario.name == "gpu-steal") trace.processes.push_back(process);
  }
  Maker maker(calls, start_mono_ns, start_wall_ns, trace);
  kMakers[&scenario - kScenarios](maker);
  std::stable_sort(trace.events.begin(), trace.events.end(),
                   [](const hal::Event& a, const hal::Event& b) { return a.end_mono_ns() < b.end_mono_ns(); });
  return trace;
}

}  // namespace ingero::agent
