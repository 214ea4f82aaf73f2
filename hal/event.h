// The event: one call or one thing the host did, normalised. What capture produces, and the only thing the engine, the
// store and every interface consume. Plain data, no vendor; copying is cheap and shares nothing.
//
// Unknown is absent, never 0: a field counts only when its bit in `present` is set (has()).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/call_table.h"
#include "hal/cpu_list.h"
#include "hal/vocabulary.h"

namespace ingero::hal {

// How a call ended. Stored by these numbers (docs/formats/store.md).
enum class Outcome : uint8_t {
  kReturned = 0,
  kUnwound = 1,        // left without a return: longjmp, exception
  kExited = 2,         // its thread ended inside it
  kExeced = 3,         // its thread called exec inside it
  kInFlight = 4,       // had not returned when it was last looked at
  kNeverReturned = 5,  // had not returned when the recording ended
};
std::string_view name_of(Outcome outcome);

// A device as the machine knows it, whatever a process calls it. What is not known is absent.
struct EventDevice {
  std::string vendor;
  std::optional<uint32_t> gpu_id;  // its place in the driver's order: Device::position
  std::string uuid;                // of the partition, where a call ran on one
  std::string pci_address;
  bool operator==(const EventDevice&) const = default;
  bool is_known() const { return gpu_id.has_value() || !uuid.empty() || !pci_address.empty(); }
};

// Time a thread was not running, by cause. Nanoseconds. Measured for the call's own interval by the kernel side.
struct OffCpu {
  uint64_t preempted_ns = 0;  // still runnable, another task ran
  uint64_t runqueue_ns = 0;   // woken, waiting for a CPU
  uint64_t blocked_ns = 0;    // asleep
  uint64_t io_ns = 0;         // asleep in I/O wait
  uint64_t total_ns() const { return preempted_ns + runqueue_ns + blocked_ns + io_ns; }
};

// Fields of Event that can be absent; bit positions of Event::present.
enum class Has : uint8_t {
  kDuration,
  kReturnCode,
  kStream,
  kBytes,
  kAddress,
  kSourceAddress,
  kDirection,
  kFunction,
  kGrid,
  kBlock,
  kSharedBytes,
  kHandle,
  kHandle2,
  kDevice,
  kPeerDevice,
  kFlags,
  kOffCpu,
  kPreemptedBy,
  kParent,
  kStack,
  kArg0,
  kArg1,
  kSender,
};

struct Event {
  uint64_t start_mono_ns = 0;
  int64_t wall_offset_ns = 0;  // wall = mono + this, as measured nearest to the event
  uint64_t duration_ns = 0;    // kDuration
  uint64_t cgroup_id = 0;      // 0: unknown
  uint32_t present = 0;        // bits of Has
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint32_t probe = 0;  // index of the (call, library file) pair; 0: none (host events)
  CallId call = kNoCall;
  Kind kind = Kind::kHost;
  Outcome outcome = Outcome::kReturned;
  bool failed = false;  // the return code means failure
  Direction direction = Direction::kUnknown;
  uint8_t depth = 0;  // described calls of the same thread around this one
  CallId parent_call = kNoCall;
  int32_t device = 0;  // the number that the call named, as its process counts devices
  int32_t peer_device = 0;
  uint32_t device_ref = 0;  // the EventDevice that it was about, by the recorder's number; 0: not known
  int64_t return_code = 0;
  uint64_t parent_start_mono_ns = 0;  // with tid it names the parent event
  uint64_t stream = 0;
  uint64_t bytes = 0;
  uint64_t address = 0;
  uint64_t source_address = 0;
  uint64_t function = 0;
  uint64_t handle = 0;
  uint64_t handle2 = 0;
  uint64_t flags = 0;
  std::array<uint32_t, 3> grid{};
  std::array<uint32_t, 3> block{};
  uint64_t shared_bytes = 0;
  OffCpu off;
  uint32_t preempted_by_pid = 0;  // who ran longest while this thread was ready to run
  uint32_t stack_weight = 1;      // calls of its call site that its stack stands for, this one among them
  uint64_t preempted_by_ns = 0;
  std::array<char, 16> preempted_by_comm{};
  std::array<char, 16> comm{};  // host events only: the subject's name at the time
  uint32_t sender_pid = 0;      // of an exit: who sent the signal that ended the process
  std::array<char, 16> sender_comm{};
  uint64_t stack_id = 0;
  uint64_t arg0 = 0;  // host events: as docs/formats/store.md says
  uint64_t arg1 = 0;

  bool has(Has field) const { return (present >> static_cast<unsigned>(field)) & 1U; }
  void set(Has field) { present |= 1U << static_cast<unsigned>(field); }
  void clear(Has field) { present &= ~(1U << static_cast<unsigned>(field)); }
  uint64_t start_wall_ns() const { return start_mono_ns + static_cast<uint64_t>(wall_offset_ns); }
  uint64_t end_mono_ns() const { return start_mono_ns + (has(Has::kDuration) ? duration_ns : 0); }
};

// What a call of a collective library adds to the event's own fields; accompanies kCollective, kP2p and
// kCommunicator events. Handles and codes are as the traced process passed them: untrusted. Absent is unknown.
struct Exchange {
  Role role = Role::kNone;
  std::optional<uint64_t> communicator;         // the call's
  std::optional<uint64_t> new_communicator;     // what it gave out
  std::optional<uint64_t> communicators;        // address of the array it filled
  std::optional<uint64_t> count;                // elements, or entries of a list
  std::optional<uint32_t> datatype, reduce_op;  // vendor codes
  std::optional<int32_t> root, peer;
  std::optional<int32_t> rank, nranks;  // as passed, or as the library answered
  std::optional<int32_t> color, key;
  // Read in addition to the arguments: the hash of its 128-byte identity, the excluded ranks (those readable).
  std::optional<uint64_t> id_hash;
  std::vector<int32_t> excluded;
  // Given by correlate/: which communicator of the recording this was made on, the place of a collective in its order
  // on it (from 1), and the group that the call belongs to.
  std::optional<uint64_t> communicator_id;
  std::optional<uint64_t> number;
  std::optional<uint64_t> group;  // when the thread's outermost group began, mono ns
  uint64_t exchange_id = 0;       // names this call until the recording ends; never 0
  bool is_part = false;           // made inside a collective: part of that one
};

// One rank's end of a communicator, from its making to its destruction. Reported again when more becomes known.
struct Communicator {
  uint64_t id = 0;  // by this run, never 0
  uint32_t pid = 0;
  uint64_t handle = 0;
  uint64_t made_mono_ns = 0;
  std::optional<uint64_t> ended_mono_ns;
  std::optional<uint64_t> comm_id_hash;  // the same on all of its ranks, on all hosts
  std::optional<uint64_t> library_hash;  // the same, as the library keeps it: joins ranks whose making was not seen
  std::optional<int32_t> rank, nranks;
  std::optional<uint64_t> parent_id;
  Role made_by = Role::kNone;  // kNone: made before the recording began
  bool numbers_lost = false;   // records of its collectives were lost: which was its last is not known
};

// How long a thread waited for a collective: from the return of the call that put it on its stream to the end of the
// synchronisation that covered it.
struct BarrierWait {
  uint64_t exchange_id = 0;
  uint64_t wait_ns = 0;
  CallId call = kNoCall;  // the collective
};

// A collective that some ranks have entered and others have not. Reported again when it is over.
struct CollectiveHang {
  uint64_t comm_id_hash = 0;
  uint64_t number = 0;
  CallId call = kNoCall;         // what the first to enter called
  uint64_t entered_mono_ns = 0;  // when that was
  uint64_t waited_ns = 0;        // so far
  bool is_over = false;
  // The ranks seen on this host, ascending; one whose rank is not known has its process's number alone.
  struct Rank {
    std::optional<int32_t> rank;
    uint32_t pid = 0;
    auto operator<=>(const Rank&) const = default;
  };
  std::vector<Rank> present, missing;
  std::optional<int32_t> nranks;
};

// A TCP retransmission's socket; accompanies a kTcpRetransmit event.
struct TcpDetail {
  uint16_t family = 0;  // AF_INET, AF_INET6
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint32_t state = 0;
  uint32_t sequence = 0;
  std::array<uint8_t, 16> source{};  // network order; IPv4 in the first four bytes
  std::array<uint8_t, 16> destination{};
};

// A traced process, as /proc and the kernel side know it. pid is reused; (pid, start_mono_ns) is not.
struct Process {
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint64_t start_mono_ns = 0;
  uint32_t uid = 0;
  std::string comm;
  std::string command_line;  // arguments joined by spaces, bounded
  std::string cgroup_path;
  uint64_t cgroup_id = 0;
  std::string container_id;  // 64 hex digits, or empty
  std::string pod_uid;
  std::string slurm_job;
  std::string launcher_job;  // what else it was started with that is the same on all ranks of one job, and on no others
  int32_t rank = -1, local_rank = -1, world_size = -1;  // -1: unknown
  std::string settings;  // of its environment, those known to slow or serialize: hal/slow_settings.h
};

// One captured probe: a call in one library file. Index is Event::probe.
struct Probe {
  CallId call = kNoCall;
  std::string symbol;        // the exported spelling that was probed ("cudaLaunchKernel_ptsz")
  std::string library_path;  // as the first process that mapped it sees it
  std::string library_version;
  bool single_stepped = false;  // the kernel steps the probed instruction: each call's time includes that
};

// One-second view of the machine. Values are absent (negative) when /proc does not give them.
struct SystemSnapshot {
  uint64_t wall_ns = 0;
  double cpu_percent = -1, mem_percent = -1;
  int64_t mem_available_mb = -1, swap_used_mb = -1;
  double load1 = -1;
  double psi_cpu_some = -1, psi_io_some = -1, psi_io_full = -1, psi_mem_some = -1,
         psi_mem_full = -1;                           // percent of two seconds
  int64_t major_faults = -1;                          // since the previous snapshot
  double steal_percent = -1, interrupt_percent = -1;  // of all CPUs: other virtual machines; interrupts, hard and soft
};

// On which CPUs threads of a process may run, as was seen when they waited for one: those of most of that wait.
// Reported when it changes.
struct Affinity {
  uint64_t mono_ns = 0;
  int64_t wall_offset_ns = 0;
  uint32_t pid = 0;
  uint32_t threads = 0;  // the most of its threads that were seen to wait for a CPU and may run on no others
  CpuList cpus;
  CpuList online;  // CPUs of the machine; empty: not known
};

// What a cgroup's CPU limit did since the sample before; only cgroups that were held back have one.
struct Throttling {
  uint64_t mono_ns = 0;
  int64_t wall_offset_ns = 0;
  uint64_t cgroup_id = 0;  // 0: unknown
  uint32_t pid = 0;        // one of the processes in it; each has a row of its own
  std::string path;        // below the cgroup mount; below the cpu controller's where that is mounted apart
  uint64_t periods = 0;    // in which the limit was reached
  uint64_t throttled_ns = 0;
};

// A limit of a cgroup on what its processes may ask of a disk a second; reported when it is new to the process.
struct IoLimit {
  uint64_t mono_ns = 0;
  int64_t wall_offset_ns = 0;
  uint32_t pid = 0;
  uint32_t device = 0;     // dev_t: major << 20 | minor
  std::string path;        // as Throttling has it
  std::string limit_name;  // the file, and in version 2 the key: "io.max rbps", "blkio.throttle.read_bps_device"
  bool is_write = false, is_bytes = false;  // else requests
  uint64_t limit = 0;                       // a second
};

// What processes that are not traced asked of a disk since the sample before; only of disks that traced ones used.
struct DiskUse {
  uint64_t mono_ns = 0;
  int64_t wall_offset_ns = 0;
  uint32_t device = 0;  // dev_t: major << 20 | minor
  uint32_t pid = 0;     // 0: all of them, and the kernel's writeback
  std::string comm;
  // What was asked for; of all: what was done, and the traced processes' part.
  uint64_t requests = 0, bytes = 0, own_bytes = 0;
};

// What a cgroup's limit on memory did since the sample before; only cgroups that are at their limit, and for which it
// did something, have one.
struct MemoryLimit {
  uint64_t mono_ns = 0;
  int64_t wall_offset_ns = 0;
  uint32_t pid = 0;        // one of the processes in it; each has a row of its own
  std::string path;        // as Throttling has it
  std::string limit_name;  // the file that sets the limit: "memory.max", "memory.high", "memory.limit_in_bytes"
  uint64_t limit_bytes = 0, used_bytes = 0;
  uint64_t reread_bytes = 0;  // evicted before, and read or swapped in again (workingset_refault of memory.stat)
  uint64_t hits = 0;          // how often it was reached (max and high of memory.events, memory.failcnt)
  int64_t stalled_ns = -1;    // in which some process of it waited for memory (memory.pressure); -1: not known
};

}  // namespace ingero::hal
