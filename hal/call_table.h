// Every call that can be traced in this run, numbered densely: described rows of all backends, then host operations.
//
// CallId is an index, valid for one program run; the store keeps its own dictionary. Built once at start, immutable and
// shared by all threads after that.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/prototype.h"

namespace ingero::hal {

// A function that a parameter makes blocking or not (Field::kBlocking) is two calls, because the two have nothing in
// common but the name: the blocking one has the function's, the other one this behind it, and kAsync.
inline constexpr std::string_view kNonBlockingSuffix = " (non-blocking)";

using CallId = uint16_t;
inline constexpr CallId kNoCall = 0xffff;

struct Call {
  std::string_view name;     // "cudaMalloc", "sched_switch"
  std::string_view op_name;  // as recordings spell it ("cudaStreamSync"); equals name where they agree
  std::string_view vendor;   // "nvidia", "amd"; "host" for host operations
  std::string_view backend;  // "cuda"; "host"
  std::string_view layer;    // "CUDA", "DRIVER", "HOST", "IO", "NET", ...
  Kind kind = Kind::kHost;
  uint16_t source = 0;  // number of its source in recordings
  uint16_t op = 0;      // 0: none fixed
  std::underlying_type_t<RowFlag> flags = 0;
  const Row* row = nullptr;  // null for host operations
  const Backend* owner = nullptr;
  const Library* library = nullptr;
};

// What an allocation obtains, and its release gives back. Named so in recordings.
enum class Memory : uint8_t { kDevice, kHost, kAddressSpace };
Memory memory_of(const Call& call);
std::string_view name_of(Memory memory);
std::optional<Memory> memory_named(std::string_view name);

// The vendor's name of a return code of `call` ("outOfMemory"), or empty.
std::string_view status_name(const Call& call, int64_t code);

// The layer as old scripts and dashboards know it ("cuda", "driver", "cuda_graph"): `source` of JSON and metrics.
std::string source_name(const Call& call);

// The layer of host operations that happen to a thread: of the scheduler, of memory, of processes. Those of other
// layers happen to the machine's devices.
inline constexpr std::string_view kThreadLayer = "HOST";

// Host operations, in the order they are numbered after all rows. Names and ids are those of recordings.
enum class HostOp : uint8_t {
  kSchedSwitch,
  kPageAlloc,
  kOomKill,
  kExec,
  kExit,
  kFork,
  kBlockRead,
  kBlockWrite,
  kBlockDiscard,
  kBlockFlush,
  kBlockOther,
  kTcpRetransmit,
  kNetSend,
  kNetReceive,
  kDeviceError,  // a driver wrote an error to the kernel log; arg0 is its code
  kCount,
};

// The one of that name in a recording; some hold each event of what is a sum now ("net_send", "net_send_summary").
std::optional<HostOp> host_op_named(std::string_view name);

class CallTable {
 public:
  explicit CallTable(std::span<const Backend* const> backends);

  const Call& operator[](CallId id) const { return calls_[id]; }
  size_t size() const { return calls_.size(); }
  // `row` must belong to a backend given at construction. Rows of one name in one library share an id.
  CallId id_of(const Row& row) const;
  // The non-blocking one of a function's two calls; kNoCall where it has one.
  CallId non_blocking(CallId id) const;
  CallId id_of(HostOp op) const { return static_cast<CallId>(host_base_ + static_cast<size_t>(op)); }
  std::optional<HostOp> host_op(CallId id) const {
    if (id < host_base_ || id >= calls_.size()) return std::nullopt;
    return static_cast<HostOp>(id - host_base_);
  }
  std::span<const Call> calls() const { return calls_; }

 private:
  std::vector<Call> calls_;
  std::vector<std::pair<const Row*, CallId>> by_row_;  // sorted
  std::map<CallId, CallId> non_blocking_;
  std::deque<std::string> names_;  // those that no row has
  size_t host_base_ = 0;
};

}  // namespace ingero::hal
