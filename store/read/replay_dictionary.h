// The dictionaries of a recording in memory, for its replay: what the small ids of a row refer to. Private to store/.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hal/event.h"
#include "store/db/sqlite.h"
#include "store/read/replay.h"

namespace ingero::store {

struct ReplayedClock {
  int64_t session = -1, mono_ns = 0, wall_ns = 0;
};
struct ReplayedThread {
  uint32_t pid = 0, tid = 0;
  int64_t process = -1;
  uint64_t cgroup_id = 0;
  std::array<char, 16> comm{};
};
struct ReplayedOther {  // who ran while a thread was preempted
  uint32_t pid = 0;
  std::array<char, 16> comm{};
};
struct ReplayedDevice {
  uint32_t ref = 0;                // Event::device_ref; 0: which of the machine's devices it was is not known
  std::optional<int32_t> ordinal;  // what the call named
};
struct ReplayedSession {
  std::string node;
  uint64_t cpus = 0;
  int64_t started_wall_ns = 0;
  int64_t stopped_wall_ns = 0;  // 0: it has not, or was killed
  uint64_t probe_ns = 0;        // 0: not known
  bool is_sampled_out = false;  // only a part of the calls became rows
};

// The dictionary entries that a row's small ids refer to.
class ReplayDictionary {
 public:
  // What is there now; again: what has been added since, and what has become known.
  Status load(Database& database);
  void emit_calls(ReplaySink& sink) const;
  void emit_processes(int64_t session, ReplaySink& sink);
  void emit(const ReplayedThread& thread, ReplaySink& sink) {
    if (thread.process == reported_last_ || thread.process < 0) return;
    reported_last_ = thread.process;
    int64_t& reported = reported_[thread.pid];
    if (reported == thread.process + 1) return;
    reported = thread.process + 1;
    if (static_cast<size_t>(thread.process) < processes_.size()) {
      sink.process(processes_[static_cast<size_t>(thread.process)].second);
    }
  }

  // Of a process that was reported and has changed since.
  void emit_changed(ReplaySink& sink);

  bool is_of(const ReplayedThread& thread, int64_t session) const {
    return thread.process >= 0 && static_cast<size_t>(thread.process) < processes_.size() &&
           processes_[static_cast<size_t>(thread.process)].first == session;
  }

  std::vector<ReplayedClock> clocks;
  std::vector<ReplayedThread> threads;
  std::vector<ReplayedOther> preemptors;
  std::vector<uint64_t> stacks;
  std::vector<hal::CallId> call_of_probe;
  std::vector<std::string> symbol_of_probe;
  std::vector<uint64_t> functions;  // handles
  std::vector<ReplayedDevice> devices;
  std::vector<hal::EventDevice> device_refs;  // by Event::device_ref - 1: one for each device, whatever calls named
  std::vector<hal::Kind> kinds;               // by call
  std::map<int64_t, ReplayedSession> sessions;

 private:
  struct CallText {
    std::string name, op, layer, vendor;
    hal::Kind kind;
    bool synchronising, asynchronous, below_runtime;
    hal::Memory memory;
  };
  Status load_processes(Database& database);
  Status load_devices(Database& database);
  uint32_t ref_of(hal::EventDevice device);

  std::map<hal::CallId, CallText> calls_;
  std::vector<std::pair<int64_t, hal::Process>> processes_;  // with their session
  std::vector<int64_t> changed_;                             // of these, since emit_changed()
  std::unordered_map<uint32_t, int64_t> reported_;
  int64_t reported_last_ = -1;
  std::map<std::tuple<std::string, int64_t, std::string, std::string>, uint32_t> ref_of_device_;
};

// Null: nothing has this id.
template <typename T>
const T* find_at(const std::vector<T>& values, int64_t id) {
  return id >= 0 && static_cast<size_t>(id) < values.size() ? &values[static_cast<size_t>(id)] : nullptr;
}

}  // namespace ingero::store
