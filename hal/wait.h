// Why a thread of a traced process was off the CPU, and who ended it; accompanies a sched_switch event (hal/event.h),
// which has when and for how long. Also the samples of what a thread did on the CPU.
//
// Facts of the kernel at the moment the thread left and the moment it was woken, not guesses: what could not be read is
// absent. Plain data; addresses, inodes and ports are as the traced process has them: untrusted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ingero::hal {

// What a thread waited for. Stored by these numbers (docs/formats/store.md).
enum class WaitKind : uint8_t {
  kUnknown = 0,
  kPreempted = 1,  // could have run all the time
  kThrottled = 2,  // could have run, but its cgroup had used up its quota
  kStopped = 3,    // by a signal
  kTraced = 4,     // by a debugger
  kFrozen = 5,     // by the cgroup freezer
  kDisk = 6,       // in I/O wait
  kReclaim = 7,    // memory was being freed for it
  kPageFault = 8,  // asleep in a page fault, not in I/O wait
  kPipe = 9,
  kSocket = 10,
  kFutex = 11,   // a lock, a condition, or what a language makes of them (Python's GIL)
  kPoll = 12,    // poll, select, epoll on several descriptors, or on one that is neither pipe nor socket
  kChild = 13,   // its end; of one that vfork made, also that it runs a program
  kSleep = 14,   // a timer of its own
  kDriver = 15,  // a device driver: ioctl, or a read of a character device
  kFile = 16,    // a file without I/O wait: a lock on it, a file system that answers later
  kTerminal = 17,
  kEventFd = 18,
  kIoUring = 19,
  kOther = 20,
};
inline constexpr size_t kWaitKinds = 21;
std::string_view name_of(WaitKind kind);  // "pipe"

// Who woke a thread. Only a thread that was in a system call which can end this wait, or in a fault or exit of the same
// memory, is a waker: an interrupt that happened to come while somebody ran is none.
struct Waker {
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::optional<uint32_t> syscall;  // by the instruction set's own numbers
  bool is_kernel_thread = false;
  std::array<char, 16> comm{};
};

// exit(2) and exit_group(2), of x86-64 and of arm64: what has these numbers on the other of the two wakes no thread.
constexpr bool is_exit(uint32_t syscall) { return syscall == 60 || syscall == 231 || syscall == 93 || syscall == 94; }

// The other end of a socket.
struct WaitPeer {
  uint16_t family = 0;  // AF_INET, AF_INET6, AF_UNIX
  uint16_t local_port = 0, peer_port = 0;
  std::array<uint8_t, 16> peer{};  // network order; IPv4 in the first four bytes
  bool is_accepted = false;        // a client's connection to this process, or a socket that listens
  uint64_t inode = 0;              // AF_UNIX: of the other end; 0: not known
};

struct Wait {
  WaitKind kind = WaitKind::kUnknown;
  std::optional<uint32_t> syscall;  // that it slept in; absent: none (a fault, an interrupt)
  std::optional<uint64_t> object;   // inode of pipe, socket or file; address of a futex; pid of a child
  // Of an inode, which is unique in it alone: s_dev, major << 20 | minor, as /proc/PID/mountinfo has it. Of a file on
  // btrfs or overlay stat(2) says another device.
  std::optional<uint32_t> file_system;
  std::optional<int32_t> descriptor;
  std::optional<WaitPeer> peer;
  std::optional<Waker> waker;
  bool is_write = false;      // it waited for room (a pipe's or socket's reader)
  bool is_timed_out = false;  // a timer ended it although it waited for something else
  bool is_lock = false;       // of kFile: for a lock on it; of kFutex: that it is a lock, and no condition, is known
  std::optional<uint64_t> minor_faults;  // of the thread since the interval before this one
};

// Threads that vendors' libraries start to hand over what a device has done, by name: a thread
// that is woken by one of them waited for the device. Published as slow settings are (slow_settings.h).
void publish_completion_threads(std::span<const std::span<const std::string_view>> names);
bool is_completion_thread(std::string_view name);

// What a thread did on the CPU at one instant; each stands for `weight_ns` of it.
struct CpuSample {
  uint64_t mono_ns = 0;
  uint64_t weight_ns = 0;
  uint32_t pid = 0, tid = 0;
  uint64_t stack_id = 0;   // 0: none
  bool is_system = false;  // in the kernel
};

// How long a thread was off the CPU in all, by what it waited for, since it was first seen: counted by the kernel side
// whether or not the records of the single waits arrived. Only grows.
struct WaitTotals {
  uint64_t mono_ns = 0;
  uint32_t pid = 0, tid = 0;
  std::array<uint64_t, kWaitKinds> ns{};  // until woken, by WaitKind
  uint64_t queued_ns = 0;                 // from then on, waiting for a CPU
  bool operator==(const WaitTotals&) const = default;
};

// What an object that threads waited for is called, as /proc has it. Untrusted text, made printable.
struct WaitObject {
  WaitKind kind = WaitKind::kUnknown;
  uint64_t object = 0;  // Wait::object
  std::string name;     // a path, or an address and port
  std::optional<uint32_t> file_system = {};
};

}  // namespace ingero::hal
