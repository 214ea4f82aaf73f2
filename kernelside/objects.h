// The BPF objects, opened, configured and loaded as one: shared maps, one choice of attach mechanism.
//
// Spec in, live object out: nothing is attached to any library yet (file_probes.h) and nothing is drained (drain.h).
// Owns every program and map; destroying it detaches all that it attached. Not thread-safe, except where said. Failure:
// the system's, with the verifier's words where a program does not load; kNotSupported where an optional program is not
// there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bpf/wire.h"
#include "hal/loss.h"
#include "kernelside/mechanism.h"

struct bpf_program;  // libbpf's

namespace ingero::kernelside {

struct ObjectOptions {
  std::optional<Mechanism> mechanism;  // none: the best that works
  wire_stack_mode stacks = WIRE_STACKS_OFF;
  uint32_t ring_bytes = 8 << 20;     // power of two, at least a page
  std::vector<uint32_t> pids;        // only these, and their children
  std::optional<uint32_t> uid;       // only this user's
  std::vector<uint64_t> cgroup_ids;  // only below these
  uint32_t own_pid = 0;
};

// A host-side program that could not be loaded or attached.
struct ProgramStatus {
  std::string name;
  bool attached = false;
  std::string reason;
};

// Runs of a program and the time in them, counted by the kernel.
struct ProgramCost {
  std::string name;
  uint64_t runs = 0;
  uint64_t run_time_ns = 0;
};

// Identifies a Python code object on the kernel side: the key of its map.
struct PythonCode {
  uint64_t code = 0;
  uint32_t pid = 0;
  uint32_t generation = 0;
};

class Objects {
 public:
  static Result<std::unique_ptr<Objects>> load(const ObjectOptions& options);
  ~Objects();
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  Mechanism mechanism() const;
  // The scheduler, exit and exec programs, each reported.
  std::vector<ProgramStatus> attach_thread_programs();
  // Detaches them, except the dumps; they can be attached again.
  void detach_thread_programs();
  // Call it before probes of returns are removed at the end of a trace: a call in which its thread ends from now on
  // stays in flight, since it may have returned unseen. Thread-safe.
  void note_returns_unseen();

  // Descriptors, valid while this lives. -1 where the program is not part of the chosen mechanism.
  int session_program() const;
  int enter_program() const;
  int return_program() const;
  bpf_program* enter_handle() const;  // kPerf: libbpf's own attach wants these
  bpf_program* return_handle() const;
  int name_program() const;  // -1: names cannot be read here (see degraded())
  bpf_program* name_handle() const;
  const std::string& names_reason() const;  // why not; empty when they can
  // Why stacks of calls that do not return are not available; empty when they are. Blocks until that is known: call it
  // before privileges are dropped, on the thread that loaded this.
  const std::string& waiting_reason() const;
  // Starts loading the programs that take stacks of calls that do not return; waiting_reason() waits for it. Done in
  // the background, because the verifier needs long for the Python frames. Call it when nothing else is being loaded:
  // each load reads the kernel's BTF, 12 MB.
  void start_loading_waiting();
  int map_fd(std::string_view name) const;  // -1: no such map
  // A fresh read of the in-flight or processes dump: whole records.
  Result<std::vector<wire_call_record>> calls_in_flight() const;
  // Of processes those that have not ended: the last counters of one that has are in the critical ring.
  Result<std::vector<wire_process>> processes() const;
  // How long each followed thread waited in all; forgets wakers that woke none for long.
  Result<std::vector<wire_totals>> totals() const;
  // What a file is called in its folder that a followed thread waited for; empty: not known (any more). Untrusted.
  std::string file_name(uint32_t file_system, uint64_t inode) const;
  // Whether wake-ups are looked at, which finds wakers and costs every wake-up of the machine a little. On the thread
  // that drains. Not supported: the reason.
  Status watch_wakers(bool on);
  // Writes the stack of a thread that sleeps inside a call to the ring of stacks, with the tid and the start of its
  // outermost call; writes nothing if the thread is not in a call, or runs. Capture thread.
  Status take_waiting_stack(uint32_t tid);
  // The same for threads that run inside a call: a timer interrupts each, which takes some milliseconds in total (and
  // some tenths of a second the first time, when its program is loaded). Capture thread.
  Status take_running_stacks(std::span<const uint32_t> tids);
  // Whether followed threads that compute are sampled, kSamplesPerSecond times on each CPU: their stacks come by the
  // ring of stacks. Loaded the first time (some tenths of a second). Asked for again, it follows the CPUs that came
  // online since. On the thread that drains. Not supported: why.
  static constexpr uint64_t kSamplesPerSecond = 49;
  Status sample_cpus(bool on);
  // Enables run time statistics while this lives, for all BPF programs of the machine (some tens of ns per run).
  Status keep_program_costs();
  // Programs that ran while statistics were on, by keep_program_costs() or kernel.bpf_stats_enabled. Thread-safe.
  std::vector<ProgramCost> program_costs() const;
  // Runs the kernel skipped because the program was running on that CPU already, by all programs. Thread-safe.
  uint64_t skipped_runs() const;
  // Sets the recipe of `probe`; thread-safe.
  Status set_recipe(uint32_t probe, const wire_recipe& recipe);
  // No call of these probes begins any more; those that are open may return. At once, which closing their links is not.
  void end_recipes(std::span<const uint32_t> probes);
  // Python frames of `pid` are read by this layout from now on, or no more. Thread-safe.
  Status set_python(uint32_t pid, const wire_python_layout& layout);
  void forget_python(uint32_t pid);
  // The layout's generation; nothing: the process has ended, or has executed another program since. Thread-safe.
  std::optional<uint32_t> python_generation(uint32_t pid) const;
  // The kernel side sends this code object again on its next use. Thread-safe.
  void forget_code(const PythonCode& code);
  // Traces process `pid` and its children from now on, calls or not.
  Status mark_traced(uint32_t pid);
  // Adds the kernel side's counters to the ledger (sets totals); thread-safe.
  void read_losses(hal::LossLedger& ledger) const;
  // Calls lost to a full ring, by probe; only probes below `probes` with losses. Thread-safe.
  std::vector<std::pair<uint32_t, uint64_t>> probe_losses(uint32_t probes) const;
  // The same by process: of the latest WIRE_LOSS_PROCESSES that lost any. One that is evicted begins at 0 again.
  // Thread-safe.
  std::vector<std::pair<uint32_t, uint64_t>> process_losses() const;
  // From 0 again, of a probe that was removed.
  void clear_probe_losses(uint32_t probe) const;

 private:
  struct Impl;
  explicit Objects(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::kernelside
