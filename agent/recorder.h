// One recording, live: attaches, drains, keeps the host's side, stores. Owns these threads:
//
//   discovery  new mappings -> probes
//   release    removes the probes of files that no process uses any more
//   capture    rings -> events, once a second the dumps, counters, clocks and the machine's snapshot
//   store      events -> database (store_thread.h)
//   names      symbols and lines of new stacks (stack_table.h)
//   files      copies of foreign files (kernelside/foreign.h); and, while it stops, one that detaches the host programs
//
// start() returns when probes are on everything mapped already; stop() removes the probes, drains the rings, and
// returns when all is committed. The const members may be called from any thread in between. A full store queue holds
// the capture thread back; the ring then fills and the kernel side counts what it loses, by call.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/batch_queue.h"
#include "agent/hang_watch.h"
#include "agent/live_stats.h"
#include "agent/stack_table.h"
#include "base/result.h"
#include "hal/call_table.h"
#include "hal/device.h"
#include "hal/event.h"
#include "hal/loss.h"
#include "kernelside/host_programs.h"
#include "kernelside/objects.h"
#include "kernelside/proc.h"
#include "kernelside/tracer.h"
#include "store/write/writer.h"

namespace ingero::agent {

class BudgetListener;
class EngineFeed;
class Recorder;
class StoreHook;

struct RecorderOptions {
  kernelside::ObjectOptions objects;
  kernelside::TracerOptions tracer;
  kernelside::HostOptions host;
  std::optional<store::WriterOptions> store;  // none: --record=false
  uint64_t hang_after_ns = 10'000'000'000;
  bool keep_program_costs = false;
  bool keep_secrets = false;     // in command lines
  bool drop_privileges = false;  // once everything that needs them is open
  bool files_elsewhere = false;  // the recording or the log lies in a folder of another user's
  // Each batch of events as captured (capture thread); for --json and --verbose.
  std::function<void(const EventBatch&, const Recorder&)> on_events;
  // Each causal chain found, changed or over (store thread). Only with a recording.
  std::function<void(const hal::CausalChain&)> on_chain;
  BudgetListener* on_budget = nullptr;  // outlives the recorder, as does the hook; only with a recording
  StoreHook* hook = nullptr;
};

class Recorder {
 public:
  // `backends` and `calls` must outlive this.
  static Result<std::unique_ptr<Recorder>> start(RecorderOptions options, std::span<const hal::Backend* const> backends,
                                                 const hal::CallTable& calls);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  Status stop();

  // A file about to be mapped by process `pid`, which is held until this returns (kernelside::Launch::OnFile).
  bool prepare(uint32_t pid, const std::string& open_path, const std::string& untrusted_path);
  // That took so long that the process went on without it.
  void held_too_long(uint32_t pid);
  kernelside::Tracer& tracer();
  const LiveStats& stats() const;
  const hal::LossLedger& losses() const;
  kernelside::Mechanism mechanism() const;
  // Calls in flight longer than hang_after, as of the last second; longest first.
  std::vector<LiveCall> hanging() const;
  // Collectives that some ranks of this host have entered and others have not, for longer than hang_after.
  std::vector<hal::CollectiveHang> waiting() const;
  hal::SystemSnapshot snapshot() const;
  // How many calls had not returned when last looked at (once a second), by call.
  std::map<hal::CallId, uint64_t> in_flight() const;
  std::vector<kernelside::FileReport> probe_reports() const;
  std::vector<kernelside::ProgramCost> program_costs() const;
  // An event that was not captured but read elsewhere; it joins the stream within a second.
  void add_event(const hal::Event& event);
  void add_loss(hal::Loss loss, uint64_t count);
  // Runs `work` on the store thread before the next commit; not at all without a recording. False: there is too much to
  // do, and it was not taken.
  bool with_writer(std::function<void(store::Writer&)> work);
  // Likewise, for the causal engine and the budgets.
  void with_feed(std::function<void(EngineFeed&)> work);
  // Names of the threads' programs and host programs that are not there, with reasons.
  std::vector<std::string> degraded() const;
  // Calls lost to a full ring: call name and count.
  std::vector<std::pair<std::string, uint64_t>> lost_by_call() const;
  uint64_t stored() const;
  uint64_t file_bytes() const;
  // Reads /proc where no process can hold it up; any thread, as long as this lives.
  kernelside::ProcFs proc() const;
  // A traced process's name, or empty. For on_events: the capture thread only.
  std::string process_name(uint32_t pid) const;
  // Of a thread that sleeps outside of calls. For on_events: the capture thread only.
  std::optional<StackTable::Asleep> asleep_at(uint32_t tid) const;
  // The frames of an event's stack, in on_events, or of a LiveCall's. Any thread.
  std::vector<symbols::StackFrame> frames_of(uint64_t stack_id) const;
  // The devices that a backend's sampler sees.
  void know_devices(std::string_view backend, const std::vector<hal::Device>& devices);
  // What is known of a communicator. For on_events: the capture thread only.
  std::optional<hal::Communicator> communicator(uint64_t id) const;
  // What an Event::device_ref means.
  hal::EventDevice device(uint32_t ref) const;
  // The library file of a probe, or empty. For on_events: the capture thread only.
  std::string library_of(uint32_t probe) const;
  // The first error of the store since it last worked; empty when it works.
  std::string store_error() const;

 private:
  struct Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::agent
