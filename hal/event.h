// The event: one call or one thing the host did, normalised. What capture produces, and the only thing the engine, the
// store and every surface consume. Plain data, no vendor; copying is cheap and shares nothing.
//
// Unknown is absent, never 0: a field counts only when its bit in `present` is set (has()).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "hal/call_table.h"
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

// Time a thread was not running, by cause. Nanoseconds. Measured for the call's own interval by the kernel side.
struct OffCpu {
  uint64_t preempted_ns = 0;  // still runnable, somebody else ran
  uint64_t runqueue_ns = 0;   // woken, waiting for a CPU
  uint64_t blocked_ns = 0;    // asleep
  uint64_t io_ns = 0;         // asleep in I/O wait
  uint64_t total_ns() const { return preempted_ns + runqueue_ns + blocked_ns + io_ns; }
};

// Fields of Event that can be absent; bit positions of Event::present.
enum class Has : uint8_t {
  kDuration, kReturnCode, kStream, kBytes, kAddress, kSourceAddress, kDirection, kFunction, kGrid, kBlock,
  kSharedBytes, kHandle, kHandle2, kDevice, kPeerDevice, kFlags, kOffCpu, kCulprit, kParent, kStack, kArg0, kArg1,
};

struct Event {
  uint64_t start_mono_ns = 0;
  int64_t wall_offset_ns = 0;  // wall = mono + this, as measured nearest to the event
  uint64_t duration_ns = 0;    // kDuration
  uint64_t cgroup_id = 0;      // 0: unknown
  uint32_t present = 0;        // bits of Has
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint32_t site = 0;           // index of the (call, library file) pair; 0: none (host events)
  CallId call = kNoCall;
  Kind kind = Kind::kHost;
  Outcome outcome = Outcome::kReturned;
  bool failed = false;         // the return code means failure
  Direction direction = Direction::kUnknown;
  uint8_t depth = 0;           // described calls of the same thread around this one
  CallId parent_call = kNoCall;
  int32_t device = 0;
  int32_t peer_device = 0;
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
  uint32_t culprit_pid = 0;    // who ran longest while this thread was preempted or waited in the run queue
  uint64_t culprit_ns = 0;
  std::array<char, 16> culprit_comm{};
  std::array<char, 16> comm{};  // host events only: the subject's name at the time
  uint64_t stack_id = 0;
  uint64_t arg0 = 0;           // host events: compat.md 2.2's meaning
  uint64_t arg1 = 0;

  bool has(Has field) const { return (present >> static_cast<unsigned>(field)) & 1U; }
  void set(Has field) { present |= 1U << static_cast<unsigned>(field); }
  void clear(Has field) { present &= ~(1U << static_cast<unsigned>(field)); }
  uint64_t start_wall_ns() const { return start_mono_ns + static_cast<uint64_t>(wall_offset_ns); }
  uint64_t end_mono_ns() const { return start_mono_ns + (has(Has::kDuration) ? duration_ns : 0); }
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
  int32_t rank = -1, local_rank = -1, world_size = -1;  // -1: unknown
};

// One captured site: a call in one library file. Index is Event::site.
struct Site {
  CallId call = kNoCall;
  std::string symbol;        // the exported spelling that was probed ("cudaLaunchKernel_ptsz")
  std::string library_path;  // as the first process that mapped it sees it
  std::string library_version;
};

// One-second view of the machine. Values are absent (negative) when /proc does not give them.
struct SystemSnapshot {
  uint64_t wall_ns = 0;
  double cpu_percent = -1, mem_percent = -1;
  int64_t mem_available_mb = -1, swap_used_mb = -1;
  double load1 = -1;
  double psi_cpu_some = -1, psi_io_some = -1, psi_io_full = -1, psi_mem_some = -1, psi_mem_full = -1;  // avg10 percent
  int64_t major_faults = -1;  // since the previous snapshot
};

}  // namespace ingero::hal
