// The rules: what the engine calls a cause, and from when on: share, count and floor of each, and the constants that
// rules share or need besides. The code and docs/rules.md are made from the table. Its sentence and remedy are the
// general ones; a chain's own words are in wording*.cc.
//
// A rule compares the last kTrailing windows of event time. Its three numbers mean: `share`, percent of the observed
// time (of a rate: how much lower; of device_contention: how much longer waits are; of failing_calls: of the calls);
// `count`, how many (tools/docs_tables says of which rules a second); `floor_ms`, milliseconds lost at least, or how
// long something must last. 0: does not apply.
// An effect (rate drop, late rank) is a chain of its own only where no cause explains it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hal/chain.h"

namespace ingero::correlate {

// Rules of one family name the same thing ever more precisely: an incident keeps its id when a better one is found.
enum class Family : uint8_t {
  kCpu,
  kIo,
  kLock,
  kHang,
  kCollective,
  kPattern,
  kMemory,
  kFailure,
  kRate,
  kHost,
  kNetwork,
  kGraph,
  kDevice,
  kStart,
  kExit,
};
constexpr std::string_view name_of(Family family) {
  constexpr std::string_view kNames[] = {"cpu",     "io",     "lock",    "hang",  "collective",
                                         "pattern", "memory", "failure", "rate",  "host",
                                         "network", "graph",  "device",  "start", "exit"};
  return kNames[static_cast<size_t>(family)];
}
enum class Grades : uint8_t { kMeasured, kWindowed, kBoth };

// id, family, layer, severity, grades, is an effect, share, count, floor_ms, sentence, remedy
#define INGERO_RULES(X)                                                                                                \
  X(cpu_preemption, kCpu, "HOST", kMedium, kBoth, false, 10, 0, 100,                                                   \
    "Threads that make GPU calls were ready to run, and another program had their CPU.",                               \
    "Give the process CPUs of its own, or keep the process that ran instead off them.")                                \
  X(oversubscription, kCpu, "HOST", kMedium, kMeasured, false, 10, 0, 100,                                             \
    "Threads that make GPU calls waited for CPUs that other threads of the program, or ranks of its job, had.",        \
    "Start no more threads, or ranks of a job, than there are CPUs.")                                                  \
  X(run_queue_wait, kCpu, "HOST", kMedium, kMeasured, false, 10, 0, 100,                                               \
    "Threads that make GPU calls were woken and then waited for a CPU.", "Use fewer runnable threads, or more CPUs.")  \
  X(cgroup_throttling, kCpu, "SYSTEM", kHigh, kMeasured, false, 5, 1, 100,                                             \
    "The CPU limit of the process's cgroup stopped its threads.", "Raise cpu.max of the cgroup.")                      \
  X(noisy_neighbour, kCpu, "HOST", kMedium, kMeasured, false, 10, 0, 100,                                              \
    "A program of another container had the CPU that threads making GPU calls wanted.",                                \
    "Keep the two on different CPUs, or limit the other one.")                                                         \
  X(dataloader_starvation, kCpu, "HOST", kMedium, kBoth, false, 50, 2, 1000,                                           \
    "The process hardly made GPU calls while its worker processes competed for the CPUs.",                             \
    "Use fewer workers, keep them between epochs, or index the data directly.")                                        \
  X(cpu_steal, kHost, "SYSTEM", kMedium, kMeasured, false, 10, 0, 0,                                                   \
    "The hypervisor ran other guests on this machine's CPUs.", "Move to a host that is not shared.")                   \
  X(interrupt_load, kHost, "SYSTEM", kMedium, kMeasured, false, 25, 0, 0,                                              \
    "Interrupts and soft interrupts took the CPUs.", "Bind interrupts away from the process's CPUs.")                  \
  X(block_io, kIo, "IO", kMedium, kBoth, false, 10, 0, 50, "Threads that make GPU calls waited for disks.",            \
    "Prefetch, cache, or move reads and writes to other threads.")                                                     \
  X(lock_wait, kLock, "HOST", kMedium, kMeasured, false, 10, 0, 100,                                                   \
    "Calls that do not wait for the device slept inside: a lock held by another thread.",                              \
    "Find who holds the lock: calls of other threads of the process at the same time.")                                \
  X(never_returned, kHang, "HOST", kHigh, kMeasured, false, 0, 1, 10000, "A call has not returned.",                   \
    "Look at the thread's stack and at the device's state.")                                                           \
  X(collective_hang, kHang, "COLLECTIVE", kCritical, kMeasured, false, 0, 1, 10000,                                    \
    "Some ranks wait in a collective that others have not entered.", "Look at what the missing ranks do instead.")     \
  X(collective_mismatch, kCollective, "COLLECTIVE", kCritical, kBoth, false, 0, 1, 0,                                  \
    "A rank called another collective than the others at the same place, or with another size.",                       \
    "Look at that rank's code before it: it skipped a collective, made one more, or has data of another shape.")       \
  X(late_rank, kCollective, "COLLECTIVE", kMedium, kMeasured, true, 5, 1, 100,                                         \
    "The same rank came last to collectives, and the others waited for it.",                                           \
    "Look at what that rank's process does before it.")                                                                \
  X(sync_storm, kPattern, "HOST", kMedium, kMeasured, false, 20, 100, 300,                                             \
    "Many small copies to the host, each followed by a synchronisation: the device drains every time.",                \
    "Collect results on the device and copy them once; avoid item(), cpu() and numpy() in the loop.")                  \
  X(launch_bound, kPattern, "HOST", kLow, kMeasured, true, 40, 2000, 600,                                              \
    "The process spends its time launching tiny kernels, and the device never makes it wait.",                         \
    "Capture the loop in a graph, fuse kernels, or use larger batches.")                                               \
  X(slow_copies, kPattern, "HOST", kMedium, kMeasured, false, 20, 3, 600,                                              \
    "Copies between host and device take a large part of the time, as from pageable memory.",                          \
    "Pin the host memory, copy asynchronously, and copy less.")                                                        \
  X(allocation_churn, kMemory, "HOST", kMedium, kMeasured, false, 10, 100, 300,                                        \
    "The process allocates and frees device memory all the time.", "Reuse memory: a pool or a caching allocator.")     \
  X(memory_growth, kMemory, "HOST", kMedium, kMeasured, false, 0, 4, 0,                                                \
    "Device memory held by the process grows steadily while it works.",                                                \
    "Find the call site that allocates and does not free.")                                                            \
  X(memory_fragmentation, kMemory, "HOST", kHigh, kMeasured, false, 0, 1, 0,                                           \
    "An allocation failed although enough device memory was free or could be freed, but fragmented.",                  \
    "Let the allocator grow its segments (PyTorch: expandable_segments:True), or allocate the largest buffers first.") \
  X(device_out_of_memory, kMemory, "HOST", kHigh, kMeasured, false, 0, 1, 0,                                           \
    "Device memory ran out: an allocation failed.", "Use smaller batches, or free what is not needed.")                \
  X(host_memory_refused, kMemory, "HOST", kHigh, kMeasured, false, 0, 1, 0,                                            \
    "Memory of the host could not be pinned: it is used up, or a limit allows no more.",                               \
    "Pin less, or raise the limit: see free memory, that of the cgroup, and ulimit -l.")                               \
  X(fatal_error, kFailure, "HOST", kCritical, kBoth, false, 0, 1, 0,                                                   \
    "A call returned an error after which the process cannot use its device, context or communicator any more.",       \
    "The first error is the one that matters: later ones follow from it.")                                             \
  X(failing_calls, kFailure, "HOST", kMedium, kMeasured, false, 20, 10, 0, "Calls return errors.",                     \
    "The first failure is the one that matters: see where it was made.")                                               \
  X(rate_drop, kRate, "HOST", kMedium, kMeasured, true, 60, 10, 2000, "Much less work is submitted than before.",      \
    "Look at what the process does between its calls.")                                                                \
  X(full_stop, kRate, "HOST", kHigh, kMeasured, true, 0, 10, 8000,                                                     \
    "No work is submitted any more although some was left undone (high), or nothing of the process is recorded "       \
    "(low).",                                                                                                          \
    "Look at the stacks of its threads.")                                                                              \
  X(memory_pressure, kHost, "SYSTEM", kMedium, kMeasured, false, 10, 0, 0, "Tasks of the machine wait for memory.",    \
    "Free host memory, or stop what takes it.")                                                                        \
  X(page_allocation_storm, kHost, "HOST", kLow, kMeasured, false, 0, 3, 0,                                             \
    "The process takes gigabytes of host pages every second.", "Reuse host buffers.")                                  \
  X(oom_kill, kHost, "SYSTEM", kCritical, kBoth, false, 0, 1, 0,                                                       \
    "The kernel killed a process because memory ran out.", "Give the job more memory, or make it need less.")          \
  X(tcp_retransmits, kNetwork, "NET", kMedium, kBoth, false, 0, 5, 0,                                                  \
    "Segments of the job's own connections had to be sent again.", "Look for loss or congestion on the path.")         \
  X(fabric_port_down, kNetwork, "FABRIC", kHigh, kMeasured, false, 0, 1, 0,                                            \
    "A port of a fabric adapter lost its link.", "Check cable, transceiver and the switch's port.")                    \
  X(fabric_errors, kNetwork, "FABRIC", kMedium, kMeasured, false, 0, 1, 0,                                             \
    "Error counters of a fabric adapter grew: packets were corrupted, work requests "                                  \
    "rejected, or connections ended after their last retry.",                                                          \
    "Corrupted packets: check cable, port and switch. Rejected work requests: check keys, lengths and limits in "      \
    "the program.")                                                                                                    \
  X(fabric_loss, kNetwork, "FABRIC", kMedium, kMeasured, false, 0, 5, 0,                                               \
    "Packets on the fabric were lost or late, and were sent again.",                                                   \
    "Look for drops on the path: counters of switch ports, pause frames, an overloaded receiver.")                     \
  X(fabric_not_ready, kNetwork, "FABRIC", kMedium, kMeasured, false, 0, 10, 0,                                         \
    "Messages arrived while the receiver had no buffer posted (RNR): senders waited and retried.",                     \
    "Post more receive buffers, earlier; give the receiving process its CPUs.")                                        \
  X(fabric_congestion, kNetwork, "FABRIC", kLow, kMeasured, false, 0, 1000, 0,                                         \
    "Congestion control slowed senders down.",                                                                         \
    "Look for many senders to one receiver, and for links that are slower than others.")                               \
  X(periodic_spike, kPattern, "HOST", kLow, kMeasured, true, 1, 4, 100,                                                \
    "At regular intervals one call takes far longer than the others.", "Find what the program does periodically.")     \
  X(device_contention, kDevice, "DRIVER", kMedium, kMeasured, false, 40, 5, 300,                                       \
    "Waits for the device got longer after another process began to submit work.",                                     \
    "Give each process a device or a share of its own, or run them one after the other.")                              \
  X(shared_default_stream, kPattern, "HOST", kLow, kMeasured, false, 20, 10, 300,                                      \
    "Threads of one process put their work on the default stream, where it runs one after the other.",                 \
    "Give each thread a stream of its own, or build with per-thread default streams.")                                 \
  X(graph_recapture, kGraph, "GRAPH", kMedium, kMeasured, false, 10, 5, 300,                                           \
    "Graphs are captured and instantiated again and again.", "Keep shapes fixed, or update the graph instead.")        \
  X(graph_rate_collapse, kGraph, "GRAPH", kMedium, kBoth, true, 50, 5, 3000,                                           \
    "An executable graph is launched far less often than before.", "Look for a re-capture or another graph.")          \
  X(graph_contention, kGraph, "GRAPH", kMedium, kMeasured, true, 10, 5, 100,                                           \
    "Graph launches lost their CPU to other programs.",                                                                \
    "Give the process CPUs of its own, or keep the process that ran instead off them.")                                \
  X(graph_never_launched, kGraph, "GRAPH", kLow, kBoth, false, 0, 1, 30000,                                            \
    "A graph was instantiated and never launched.", "Its memory is wasted: destroy it.")                               \
  X(graph_capture_failed, kGraph, "GRAPH", kMedium, kBoth, false, 0, 1, 0, "A capture ended with an error.",           \
    "Something not allowed during capture ran: an allocation, a synchronisation, a lazy initialisation.")              \
  X(device_throttling, kDevice, "DRIVER", kMedium, kMeasured, false, 0, 1, 0,                                          \
    "The device throttled its clocks because of heat or its power supply.", "Check cooling and power.")                \
  X(device_error, kDevice, "DRIVER", kHigh, kMeasured, false, 0, 1, 0, "The driver reported a device error.",          \
    "Look the code up in the vendor's list; replace a device that keeps reporting it.")                                \
  X(cold_start, kStart, "HOST", kLow, kBoth, false, 0, 3, 800,                                                         \
    "The first calls of the process were much slower than later ones.",                                                \
    "Warm up before measuring; load modules and libraries early.")                                                     \
  X(process_crashed, kExit, "HOST", kCritical, kBoth, false, 0, 1, 0,                                                  \
    "A signal ended a process that made GPU calls, or a worker of one.",                                               \
    "Look at the core dump (coredumpctl debug) and the program's standard error.")                                     \
  X(process_failed, kExit, "HOST", kHigh, kBoth, false, 0, 1, 0,                                                       \
    "A process that made GPU calls ended with an exit status that means failure.",                                     \
    "Look at the program's standard error: what it printed last.")

enum class RuleId : uint8_t {
#define X(id, ...) id,
  INGERO_RULES(X)
#undef X
      kCount,
};

struct Rule {
  RuleId id;
  std::string_view name;  // "cpu_preemption"
  Family family;
  std::string_view layer;
  hal::ChainSeverity severity;
  Grades grades;
  bool is_effect;
  uint32_t share, count;
  uint64_t floor_ns;
  std::string_view sentence, remedy;
};

inline constexpr Rule kRules[] = {
#define X(id, family, layer, severity, grades, effect, share, count, floor_ms, sentence, remedy) \
  {RuleId::id,     #id,    Family::family, layer, hal::ChainSeverity::severity,                  \
   Grades::grades, effect, share,          count, uint64_t{floor_ms} * 1'000'000,                \
   sentence,       remedy},
    INGERO_RULES(X)
#undef X
};
// One event proves them: nothing that is inferred from sums takes their place in an incident.
constexpr bool is_certain(RuleId id) {
  return id == RuleId::fatal_error || id == RuleId::device_out_of_memory || id == RuleId::memory_fragmentation ||
         id == RuleId::host_memory_refused || id == RuleId::process_crashed || id == RuleId::process_failed ||
         id == RuleId::oom_kill || id == RuleId::collective_mismatch;
}
// Of a port, what comes first explains what comes after.
constexpr bool is_of_fabric(RuleId id) { return id >= RuleId::fabric_port_down && id <= RuleId::fabric_congestion; }
constexpr const Rule& rule(RuleId id) { return kRules[static_cast<size_t>(id)]; }
// These know who had the CPU, and not whether the device had work meanwhile: the budget of the process does
// (CpuCost::is_harmless).
constexpr bool is_of_cpu_alone(std::string_view rule_name) {
  for (const RuleId id : {RuleId::cpu_preemption, RuleId::oversubscription, RuleId::run_queue_wait,
                          RuleId::noisy_neighbour, RuleId::cgroup_throttling, RuleId::graph_contention}) {
    if (rule(id).name == rule_name) return true;
  }
  return false;
}
// What is found is time that was lost, and not a failure, a hang or memory: of a warm-up that is over it says nothing
// about the steps.
constexpr bool is_of_time(std::string_view rule_name) {
  for (const Rule& one : kRules) {
    if (one.name != rule_name) continue;
    return one.family != Family::kHang && one.family != Family::kCollective && one.family != Family::kMemory &&
           one.family != Family::kFailure && one.family != Family::kExit;
  }
  return false;
}

// What all rules share.
inline constexpr uint64_t kWindowNs = 1'000'000'000;  // events are evaluated by the second in which they ended
inline constexpr uint64_t kTrailing = 3;              // windows a rule looks at
inline constexpr uint64_t kLatenessNs = 500'000'000;  // how much later than others an event may come
inline constexpr uint64_t kQuiet = 5;                 // windows without a finding after which an incident is over
inline constexpr uint64_t kFailureQuiet = 30;         // of a failure: what its peers get for it comes later
inline constexpr uint64_t kActive = 30;               // windows after its last call in which a thread makes GPU calls
inline constexpr uint64_t kHighShare = 30;            // percent lost from which on MEDIUM becomes HIGH
inline constexpr uint64_t kSpikeTimes = 10;           // times its usual time make a call a spike
inline constexpr uint64_t kSpikeNs = 1'000'000;       // and this long at least
inline constexpr uint64_t kSmallCopyBytes = 65536;    // a copy this small is a result, not data
inline constexpr uint64_t kLargeCopyBytes = 1 << 20;  // and from here on it is data
inline constexpr uint64_t kShortWaitNs = 2'000'000;   // a longer wait is the device's work, not the price of asking
inline constexpr uint64_t kLongLaunchNs = 100'000;    // on average: more is a wait for room in the queue
inline constexpr uint64_t kLaunchesAResult = 4;       // between two results: with more of them a loop does real work
inline constexpr uint64_t kIdleSyncPercent = 2;       // less waiting than this: the device is never behind
inline constexpr double kBusyPercent = 90;            // of the machine's CPUs: it is busy,
inline constexpr uint64_t kSnapshotHoldsNs = 10'000'000'000;  // and is believed to be this long after the sample
inline constexpr size_t kSteady = 6;                          // windows of like work that make a rate to drop from
inline constexpr uint64_t kExplainsNs = 120'000'000'000;      // a failure of one process explains those of its peers
inline constexpr uint64_t kLongSilence = 20;        // windows without work, of a process that has done with it or hangs
inline constexpr uint64_t kGrowthBytes = 64 << 20;  // growth below it is noise
inline constexpr uint64_t kLeastLaunches = 4;       // a second, of a process that grows while it works
inline constexpr uint64_t kStuckNs = 2'500'000'000;  // how long a call that always was quick and never waits is stuck
inline constexpr uint64_t kStuckCalls = 100;         // and how many quick ones there were
// A port that loses fewer than one packet in this many is not worth an incident: a decision. Fabrics without flow
// control always lose some, and what they send again is then little.
inline constexpr uint64_t kPacketsPerLoss = 1000;
inline constexpr uint64_t kPagesPerSecond = uint64_t{2} << 30;  // bytes of host pages a second,
inline constexpr uint64_t kAllocationsPerSecond = 1 << 18;      // or this many: small ones cost more than large ones

}  // namespace ingero::correlate
