// Barrier waits: how long a program waited for a collective that it had put on a stream.
//
// From the return of the call, or of the call that ends the group it belongs to (until then it is only noted, not put
// on its stream), to the end of the first synchronisation that covers it, both on the monotonic clock. A
// synchronisation covers what its stream was given before, and what that stream waits for: a marker (an event) taken on
// another stream carries that stream's work with it. One of a device covers the streams of the device that the thread
// has chosen, where it was seen to choose. Calls kept for a graph are not run, so nothing waits for them.
//
// Only certain waits count: a call still running when the wait began is left out, and so is a device whose choice on
// another thread was not captured. Pure; one thread; memory is bounded and evictions are counted. Failure: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hal/call_table.h"
#include "hal/event.h"
#include "hal/loss.h"

namespace ingero::correlate {

// A synchronisation that waited for collectives or point-to-point calls: on which communicators, and the last of the
// collectives' numbers on each, where they have one.
struct CoveredSync {
  uint32_t pid = 0;
  uint64_t start_mono_ns = 0, end_mono_ns = 0;
  std::map<uint64_t, std::optional<uint64_t>> numbers = {};  // by Communicator::id
  std::map<uint64_t, uint64_t> submitted_mono_ns = {};       // likewise: when the last of the calls was
};

class Barriers {
 public:
  // The arguments must outlive this.
  Barriers(const hal::CallTable& calls, hal::LossLedger& ledger) : calls_(calls), ledger_(ledger) {}

  // Every event, in ring order; with its exchange, after Communicators::take, where it has one.
  void take(const hal::Event& event, const hal::Exchange* exchange);
  void process_ended(uint32_t pid) { processes_.erase(pid); }
  std::vector<hal::BarrierWait> take_waits() { return std::exchange(waits_, {}); }
  std::vector<CoveredSync> take_syncs() { return std::exchange(syncs_, {}); }

  static constexpr size_t kMaxPending = 4096;  // per stream, without a synchronisation
  static constexpr size_t kMaxMarks = 65536;   // per process
  static constexpr size_t kMaxStreams = 4096;
  static constexpr size_t kMaxThreads = 65536;  // that chose a device

 private:
  struct Pending {
    uint64_t exchange_id;
    hal::CallId call;
    uint64_t index, end_mono_ns;
    std::optional<uint64_t> group;  // not on its stream before that group's end
    uint32_t tid;
    std::optional<int32_t> device;
    std::optional<uint64_t> communicator_id, number;
  };
  using Reach = std::map<uint64_t, uint64_t>;  // stream: all of its work up to this index
  struct Stream {
    std::deque<Pending> pending;
    Reach waits_for;
    std::optional<uint64_t> captured_for;  // the stream whose capture this one takes part in
  };
  struct Mark {
    Reach reach;
    std::optional<uint64_t> captured_for;
  };
  struct Process {
    uint64_t next_index = 1;
    std::map<uint64_t, Stream> streams;
    std::unordered_map<uint64_t, Mark> marks;  // by handle
    std::unordered_map<uint32_t, int32_t> device_of_thread;
  };

  Reach reach_of(const Process& process, uint64_t stream, uint64_t before_mono_ns) const;
  void cover(Process& process, const Reach& reach, const hal::Event& sync);
  void cover_device(Process& process, const hal::Event& sync);
  void synchronised(Process& process, const hal::Event& sync);
  static void group_ended(Process& process, const hal::Event& end, uint64_t group);
  void covered(const Pending& work, const hal::Event& sync);
  Stream* stream_of(Process& process, uint64_t handle);

  const hal::CallTable& calls_;
  hal::LossLedger& ledger_;
  std::unordered_map<uint32_t, Process> processes_;  // only those that made a collective
  std::vector<hal::BarrierWait> waits_;
  std::vector<CoveredSync> syncs_;
};

}  // namespace ingero::correlate
