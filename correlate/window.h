// What one process did in one window of event time, and what was done to it. Sums: windows add up, in any order, so the
// order in which events come within the lateness does not matter.
//
// Owned by the engine, and copied freely. One thread. Failure: none; what is beyond a bound is summed up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/event.h"

namespace ingero::correlate {

// One call or interval kept to show: the one that lost most.
struct Sample {
  uint64_t lost_ns = 0;
  uint64_t start_mono_ns = 0, duration_ns = 0, stack_id = 0;
  int64_t wall_offset_ns = 0;
  uint32_t pid = 0, tid = 0, preempted_by_pid = 0;
  uint64_t preempted_by_ns = 0;
  hal::OffCpu off;
  hal::CallId call = hal::kNoCall;
  std::array<char, 16> preempted_by_comm{};
  bool has_stack = false;
  // Greater loss first; of equals the earlier, so that the order of arrival decides nothing.
  bool worse_than(const Sample& other) const {
    if (lost_ns != other.lost_ns) return lost_ns > other.lost_ns;
    if (start_mono_ns != other.start_mono_ns) return start_mono_ns < other.start_mono_ns;
    return tid < other.tid;
  }
};

inline void keep_worse(Sample& sample, const Sample& other) {
  if (other.call != hal::kNoCall && (sample.call == hal::kNoCall || other.worse_than(sample))) sample = other;
}

// The worst of some, if there are any: most windows have few of them, and none takes no room.
class Worst {
 public:
  Worst() = default;
  Worst(const Worst& other) : sample_(other.sample_ ? std::make_unique<Sample>(*other.sample_) : nullptr) {}
  Worst(Worst&& other) = default;
  Worst& operator=(Worst other) {
    sample_ = std::move(other.sample_);
    return *this;
  }
  ~Worst() = default;
  void add(const Sample& sample) {
    if (sample_ == nullptr && sample.call != hal::kNoCall) sample_ = std::make_unique<Sample>(sample);
    if (sample_ != nullptr) keep_worse(*sample_, sample);
  }
  // Of no call: there is none.
  const Sample& operator*() const {
    static const Sample nothing;
    return sample_ ? *sample_ : nothing;
  }
  const Sample* operator->() const { return &**this; }

 private:
  std::unique_ptr<Sample> sample_;
};

// A thread of the recorder, by its name.
inline bool is_recorder(std::string_view comm) { return comm.starts_with("ingero"); }

// Who ran instead. At most kMax; what comes after is in `others_ns`. The recorder is none of them: what it took is kept
// apart, because nothing that the traced program does brings it back.
class Preemptors {
 public:
  struct PreemptedBy {
    uint32_t pid;
    uint64_t ns;
    std::array<char, 16> comm;
  };
  void add(uint32_t pid, uint64_t ns, const std::array<char, 16>& comm) {
    total_ns_ += ns;
    if (is_recorder({comm.data(), comm.size()})) {
      recorder_ns_ += ns;
      return;
    }
    for (PreemptedBy& known : list_) {
      if (known.pid != pid) continue;
      known.ns += ns;
      known.comm = comm;
      return;
    }
    if (list_.size() < kMax) {
      list_.push_back({pid, ns, comm});
    } else {
      others_ns_ += ns;
    }
  }
  void add(const Preemptors& other) {
    for (const PreemptedBy& preempted_by : other.list_) add(preempted_by.pid, preempted_by.ns, preempted_by.comm);
    others_ns_ += other.others_ns_;
    recorder_ns_ += other.recorder_ns_;
    total_ns_ += other.others_ns_ + other.recorder_ns_;
  }
  // The process that ran longest, other than `own`; of equals the lowest pid. Null: none.
  const PreemptedBy* worst(uint32_t own) const {
    const PreemptedBy* worst = nullptr;
    for (const PreemptedBy& one : list_) {
      if (one.pid == own) continue;
      if (worst == nullptr || one.ns > worst->ns || (one.ns == worst->ns && one.pid < worst->pid)) worst = &one;
    }
    return worst;
  }
  // Those of one name that together had it for `ns` or more, other than `own`: workers and compilers take turns.
  struct Named {
    std::string name;
    uint64_t ns = 0;
    std::vector<uint32_t> pids;
  };
  Named named(uint32_t own, uint64_t ns) const;  // Without a name: none.
  // Of the process itself: its other threads.
  uint64_t own_ns(uint32_t own) const {
    const auto its = std::find_if(list_.begin(), list_.end(), [&](const PreemptedBy& one) { return one.pid == own; });
    return its == list_.end() ? 0 : its->ns;
  }
  // Threads of `own`, and those that are like it, had its CPUs for half of the time or more: others together may have
  // had them longer than each.
  bool is_mostly(uint32_t own, uint64_t like_it_ns) const {
    const uint64_t ns = own_ns(own) + like_it_ns;
    return ns > 0 && ns * 2 >= total_ns_ - recorder_ns_;
  }
  const std::vector<PreemptedBy>& list() const { return list_; }
  uint64_t total_ns() const { return total_ns_; }
  uint64_t recorder_ns() const { return recorder_ns_; }
  static constexpr size_t kMax = 256;

 private:
  std::vector<PreemptedBy> list_;
  uint64_t total_ns_ = 0, others_ns_ = 0, recorder_ns_ = 0;
};

// Device memory by where it was allocated, net of what was freed. Only allocations whose stacks were taken count.
// At most kMax places; what comes after is not kept.
class Places {
 public:
  struct Place {
    uint64_t stack_id = 0;
    int64_t bytes = 0;
    Sample largest;  // allocation
  };
  // The place, for its bytes to change; null: there are too many.
  Place* at(uint64_t stack_id);
  void add(const Places& other);
  // The one that holds most; of equals the lowest id. Null: none holds anything.
  const Place* most() const;
  static constexpr size_t kMax = 64;

 private:
  std::vector<Place> list_;
};

// Threads that put work on the default stream of a device, and how long each waited for it. At most kMax; later ones
// are not kept.
class StreamUsers {
 public:
  struct User {
    uint32_t tid, device_ref;  // as hal::Event has them
    uint64_t launches, waited_ns;
  };
  void add(const User& user);
  void add(const StreamUsers& other);
  using ByThread = std::map<std::pair<uint32_t, uint32_t>, User>;
  const ByThread& all() const { return all_; }
  static constexpr size_t kMax = 64;

 private:
  ByThread all_;  // by tid and device
};

// Calls of one kind in a process's window.
struct KindSum {
  uint64_t calls = 0, ns = 0, bytes = 0;
};

// Intervals, where causes were not measured: only windowed evidence needs them.
using Intervals = std::vector<std::pair<uint64_t, uint64_t>>;
inline constexpr size_t kMaxIntervals = 4096;  // of one window

struct ProcessWindow {
  // Calls that no other call made.
  uint64_t calls = 0, call_ns = 0, failed = 0;
  KindSum launches, syncs, copies, small_results, allocations, frees, collectives, graph_launches, captures;
  uint64_t allocated_bytes = 0, freed_bytes = 0;
  Places places;
  StreamUsers default_stream;
  hal::OffCpu in_calls;          // of those, off-CPU shares
  uint64_t sync_blocked_ns = 0;  // of in_calls.blocked: waiting for the device
  uint64_t unusual_blocked_ns = 0;
  Preemptors call_preemptors;
  Worst worst_cpu, worst_io, worst_blocked, worst_copy, worst_graph, first_failed;
  // Switches of threads that make calls, and of the others.
  hal::OffCpu threads, others;
  uint64_t switches = 0, other_switches = 0, switch_ns = 0;
  Preemptors thread_preemptors, other_preemptors;
  // Block requests, and what else the host did for it.
  KindSum reads, writes;
  uint64_t slowest_io_ns = 0;
  uint64_t retransmits = 0, page_bytes = 0, page_allocs = 0, forks = 0;
  uint64_t graph_lost_ns = 0;
  // Threads that made calls, and what the one that lost most lost: many threads lose a little each on any machine.
  uint64_t callers = 0, busy_windows = 0, worst_thread_ns = 0, worst_thread_io_ns = 0;
  Intervals off, io;  // only without shares
  uint64_t windows = 0;

  void add(const ProcessWindow& other);
  uint64_t wanted_cpu_ns() const;  // preempted or queued: the greater of what calls and what switches say
  uint64_t preempted_ns() const;
  uint64_t io_ns() const;
  // Of one thread.
  uint64_t thread_wanted_ns() const;
  uint64_t thread_io_ns() const;
  uint64_t threads_at_once() const;
  const Preemptors& preemptors() const;
  uint64_t io_overlap_ns() const;
  bool empty() const { return calls == 0 && switches == 0 && reads.calls + writes.calls == 0; }
};

}  // namespace ingero::correlate
