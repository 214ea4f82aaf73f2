// All dictionaries of a recording as its writer holds them: what rows name by small ids.
//
// Looking an event's words up never touches the file; new entries wait until write(), inside the writer's transaction,
// and count as there only after committed(). Threads: the writer's.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "hal/call_table.h"
#include "hal/event.h"
#include "hal/loss.h"
#include "store/db/dictionary.h"
#include "store/db/sqlite.h"
#include "store/write/function_names.h"

namespace ingero::store {

// A call as the file knows it.
struct CallEntry {
  int64_t id = -1;  // not used yet
  int64_t source = 0, op = 0;
};

struct ClockEntry {
  int64_t id = 0;
  uint64_t mono_ns = 0;
  int64_t offset_ns = 0;
};

class Dictionaries {
 public:
  // `session` and `node` go with every clock and process. `calls` and `losses` outlive this.
  Dictionaries(const hal::CallTable& calls, hal::LossLedger& losses) : calls_(calls), losses_(losses) {}
  Status load(Database& database, int64_t session, std::string node, uint32_t sample_every);

  void add_probe(uint32_t index, const hal::Probe& probe);
  // Is one of those that events named single-stepped?
  bool has_single_stepped() const { return has_single_stepped_; }
  void add_process(const hal::Process& process);
  // No more events of it will come. Its entry stays for lookups by number until kEndedKept more have ended.
  void process_ended(uint32_t pid, uint64_t start_mono_ns);
  void add_function_name(uint32_t pid, uint64_t handle, std::string_view untrusted_name);

  bool knows(hal::CallId call) const { return call < calls_.size(); }
  const CallEntry& call(hal::CallId id);
  int64_t probe(uint32_t index, hal::CallId call);
  // The clock to which the event's offset belongs within kClockToleranceNs; a new one when there is none.
  const ClockEntry& clock(uint64_t start_mono_ns, int64_t offset_ns);
  bool has_clock() const { return !clocks_.empty(); }
  int64_t process(uint32_t pid);
  int64_t thread(const hal::Event& event, int64_t process);
  int64_t function(int64_t process, uint64_t handle);
  int64_t geometry(const hal::Event& event);
  int64_t detail(const hal::Event& event);
  int64_t device(const hal::Event& event);
  void add_device(uint32_t ref, const hal::EventDevice& device);
  int64_t preempted_by(uint32_t pid, const std::array<char, 16>& comm);
  int64_t stack(uint64_t hash);

  Status write(Database& database, uint64_t now_wall_ns);
  void committed();

 private:
  struct ProbeEntry {
    hal::CallId call = hal::kNoCall;
    int64_t id = -1;
    int64_t non_blocking_id = -1;  // of the other call that the function is
    std::string symbol, library, version;
    bool single_stepped = false;
  };
  struct PendingProbe {
    int64_t id;
    hal::CallId call;
    std::string symbol, library, version;
    bool single_stepped;
  };
  struct PendingSource {
    int64_t id;
    std::string name;
  };
  struct ProcessEntry {
    int64_t id = -1;
    uint64_t start_mono_ns = 0;      // 0: unknown
    std::array<uint64_t, 2> comm{};  // of its main thread
    uint64_t named_ns = 0;           // when that had this name
  };
  struct RecentProcess {
    uint32_t pid = 0;
    int64_t id = -1;
    std::array<uint64_t, 2> comm{};
  };

  int64_t probe_id(hal::CallId id, const ProbeEntry& probe);
  int64_t source_of(const hal::Call& call);
  int64_t op_of(const hal::Call& call, int64_t source);
  ProcessEntry& process_entry(uint32_t pid);
  void name_process(const hal::Event& event, const std::array<uint64_t, 2>& comm);
  static bool is_same(const ProcessEntry& entry, uint64_t start_mono_ns);
  void forget_ended();
  Status load_next_ids(Database& database);
  Status load_names(Database& database);
  Status write_calls(Database& database);
  Status write_processes(Database& database, uint64_t now_wall_ns);
  Status write_small(Database& database);

  const hal::CallTable& calls_;
  hal::LossLedger& losses_;
  int64_t session_ = 0;
  std::string node_;
  uint32_t sample_every_ = 1;

  std::vector<CallEntry> call_entries_;
  std::unordered_map<std::string, CallEntry> stored_calls_;
  int64_t next_call_ = 0;
  std::vector<hal::CallId> pending_calls_;
  std::unordered_map<std::string, int64_t> sources_;  // by name
  std::vector<PendingSource> pending_sources_;
  std::unordered_map<std::string, int64_t> ops_;  // "source op-name"
  std::unordered_map<int64_t, int64_t> next_op_;  // by source
  std::unordered_map<std::string, int64_t> stored_probes_;
  std::deque<ProbeEntry> probes_;
  std::vector<int64_t> host_probes_;  // by CallId
  std::vector<PendingProbe> pending_probes_;
  bool has_single_stepped_ = false;
  int64_t next_probe_ = 0;

  std::deque<ClockEntry> clocks_;  // newest first
  std::vector<ClockEntry> pending_clocks_;
  int64_t next_clock_ = 0;

  std::unordered_map<uint32_t, ProcessEntry> processes_;
  std::deque<std::pair<uint32_t, int64_t>>
      ended_;                       // pid and id: its number may still be named by an event that comes late
  std::vector<int64_t> ended_now_;  // since the last transaction: their names are still to be written
  std::array<RecentProcess, 64> recent_processes_{};
  std::vector<std::pair<int64_t, hal::Process>> pending_processes_;
  std::unordered_map<int64_t, std::pair<uint32_t, std::array<uint64_t, 2>>>
      pending_comms_;  // by processes.id: pid, name
  int64_t next_process_ = 0;

  FunctionNames names_;
  std::unordered_map<int64_t, std::string> pending_names_;  // functions.id: named after it was written

  Dictionary<6> threads_{8192};      // pid, tid, process, cgroup, comm, comm
  Dictionary<2> functions_{16384};   // process, handle
  Dictionary<5> geometries_{16384};  // grid and block in pairs, shared, presence
  Dictionary<4> details_;            // flags, peer device, handle2, presence
  Dictionary<3> devices_;            // ref, ordinal, presence of it
  std::unordered_map<uint32_t, hal::EventDevice> device_refs_;
  Dictionary<3> preemptors_;  // pid, comm, comm
  Dictionary<1> stacks_;
};

}  // namespace ingero::store
