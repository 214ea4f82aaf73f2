// Which work a wait covers: the streams of one process, the markers on them, and what depends on what.
//
// Work is counted in parts: a part is what was put on a stream between two markers, numbered from 1 for each stream. A
// wait reaches a stream up to a part: of a stream, everything put on it and on what it was made to wait for by markers;
// of a marker, the work before it was recorded; of a device, all of its streams. A stream without a handle of its own
// is one of each device; work and waits of which the device is not known are together where no more than one is known.
// Work put on a stream that is being captured for a graph is not run, and has no part.
//
// Shared by the steps of inference (steps.h) and by the device's idle time (device_time.h). Bounded; what does not fit
// is counted. Pure and deterministic; one thread. Feed calls in the order in which they ended.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hal/loss.h"

namespace ingero::correlate {

// A function that means the calling thread's own stream where it names none: the variants that a program built with
// per-thread default streams calls.
bool is_per_thread_symbol(std::string_view symbol);

// Which probes are at such functions.
class PerThreadProbes {
 public:
  void set(uint32_t probe, bool is_per_thread) {
    if (probe >= probes_.size()) {
      if (!is_per_thread || probe >= kMax) return;
      probes_.resize(probe + size_t{1});
    }
    probes_[probe] = is_per_thread;
  }
  bool has(uint32_t probe) const { return probe < probes_.size() && probes_[probe]; }
  static constexpr uint32_t kMax = 1 << 20;

 private:
  std::vector<bool> probes_;
};

class Streams {
 public:
  // Streams without a handle of their own: each thread has its own of this.
  static constexpr uint64_t kPerThreadStream = 2;
  static constexpr uint64_t kLegacyStream = 1;  // another name of the default stream
  static constexpr size_t kMaxStreams = 1024;
  static constexpr size_t kMaxMarks = 65536;

  struct Key {
    uint64_t stream = 0;
    uint32_t tid = 0;         // 0: any; else the thread whose own it is
    uint32_t device_ref = 0;  // hal::Event::device_ref, of one without a handle of its own; 0: not known
    auto operator<=>(const Key&) const = default;
    bool is_default() const { return stream == 0; }
  };
  // The stream that a call names; absent: none. `is_per_thread`: one that names none means the thread's own.
  static Key key_of(std::optional<uint64_t> stream, uint32_t tid, bool is_per_thread, uint32_t device_ref);

  using Reach = std::map<Key, uint64_t>;  // stream: its parts up to this number
  struct Mark {
    Key stream;
    Reach reach;
    std::optional<Key> captured_for;
  };

  // Work is put on a stream: its part. Absent: not run, or it did not fit.
  struct Part {
    uint64_t number = 0;
    bool is_new = false;
  };
  std::optional<Part> put(const Key& key, uint32_t device_ref, hal::LossLedger& ledger);
  // A marker after everything on the stream; later work of the stream waits for a marker.
  void mark(const Key& key, uint64_t handle, hal::LossLedger& ledger);
  void await_mark(const Key& key, uint64_t handle, hal::LossLedger& ledger);
  void capture(const Key& key, bool begins, hal::LossLedger& ledger);
  void erase(const Key& key) { streams_.erase(key); }  // a reused handle is a new stream
  // The next work on the stream begins another part.
  void close(const Key& key);

  Reach reach_of(const Key& key) const;
  const Mark* find_mark(uint64_t handle) const;
  // Streams with work that was not waited for, of this device where it is known. `only`: the stream, if it is one.
  Reach reach_of_device(uint32_t device_ref, std::optional<Key>& only) const;
  // What a wait has reached is done; the streams that nothing is left of begin another part.
  void cover(const Reach& reach);

 private:
  struct Stream {
    uint64_t next_number = 1, covered = 0;
    Reach waits_for;
    std::optional<Key> captured_for;  // the stream whose capture this one takes part in
    uint32_t device_ref = 0;
    bool is_closed = true;
  };
  Stream* stream_of(const Key& key, hal::LossLedger& ledger);
  std::vector<Key> same_as(const Key& key) const;
  // Whether work and waits that name no device are this one's: no other is known.
  bool is_only_device(uint32_t device_ref) const {
    const bool is_known = device_ref == 0 || only_device_ref_ == 0 || only_device_ref_ == device_ref;
    return is_known && !has_several_devices_;
  }

  std::map<Key, Stream> streams_;
  uint32_t only_device_ref_ = 0;  // of which work is known; 0: of none
  bool has_several_devices_ = false;
  std::unordered_map<uint64_t, Mark> marks_;  // by handle
};

}  // namespace ingero::correlate
