// The engine: events in, causes out. One pass, bounded memory, no clock, no I/O, no vendor.
//
// Events are grouped by the second of event time in which they ended, a window. A window is closed, and only then
// evaluated, once a call or switch kLatenessNs later has been seen: how events were cut into batches does not matter,
// so a recording gives the same chains live and replayed.
//
// Invariants:
// E1  A window takes events until it is closed; what comes later is counted as engine_late and never evaluated.
// E2  Sums of a window do not depend on the order of its events.
// E3  A chain's id follows from rule family, process, subject (a graph, a thread, a port; often none) and onset alone.
// E4  An incident is open until kQuiet windows pass without a finding (a failure's, of a process that goes on or that
//     others may wait for: kFailureQuiet), or until its process is over that no other may wait for; then it is resolved
//     and kept.
// E5  Memory is bounded: processes, threads, call series, addresses and graphs have limits; what is forgotten is
// counted.
//
// One thread. Calls, processes and what is sampled come before the events they explain.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "correlate/facts.h"
#include "correlate/rules.h"
#include "hal/chain.h"
#include "hal/device.h"
#include "hal/event.h"
#include "hal/fabric.h"
#include "hal/loss.h"
#include "hal/wait.h"

namespace ingero::correlate {

struct EngineOptions {
  StatusOf status_of;
  MeaningOf meaning_of;
  EventOf event_of;
  uint64_t cpus = 0;      // 0: unknown
  bool windowed = false;  // a recording that has no off-CPU shares
};

class Engine {
 public:
  // `ledger` must outlive this.
  Engine(EngineOptions options, hal::LossLedger& ledger);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void set_call(hal::CallId id, CallFacts facts);
  // `is_per_thread`: calls of this probe that name no stream mean the thread's own (is_per_thread_symbol).
  void set_probe(uint32_t probe, bool is_per_thread);
  void add_process(const hal::Process& reported);
  void add(const hal::Event& event);
  // What the sched_switch given last was.
  void add_wait(const hal::Event& event, const hal::Wait& wait);
  // A collective's arrival: `comm_id_hash`, rank and place in the communicator's order, of an event given to add().
  void add_arrival(const hal::Event& event, uint64_t comm_id_hash, uint64_t number, std::optional<int32_t> rank);
  void add_snapshot(const hal::SystemSnapshot& snapshot, uint64_t mono_ns);
  void add_throttling(const hal::Throttling& throttling);
  void add_affinity(const hal::Affinity& affinity);
  void add_hang(const hal::CollectiveHang& hang, std::string_view call);
  void add_device_error(const hal::DeviceError& error);
  void add_device_sample(const hal::DeviceSample& sample, uint64_t mono_ns);
  void add_fabric_sample(const hal::FabricSample& sample, uint64_t mono_ns);

  // Everything that ended before `mono_ns` has been given: windows may close without a later event.
  void advance(uint64_t mono_ns);
  // The end of the recording: closes what is open. Incidents that are open then stay unresolved.
  void finish();

  // Chains opened, updated or resolved since the last call, oldest first.
  std::vector<hal::CausalChain> take_changes();

  // What was examined: reported for a recording without incidents, too.
  struct Examined {
    uint64_t events = 0, calls = 0, windows = 0, late = 0;
    size_t processes = 0;  // each once, those that are forgotten by now included
    size_t active = 0;     // of which something was examined: others were only announced
  };
  Examined examined() const;
  // Of which something is kept now.
  size_t known_processes() const;

  static constexpr size_t kMaxProcesses = 4096;             // live or announced; ended ones are removed within seconds
  static constexpr size_t kMaxThreads = 16384;              // that were seen in the last kActive windows
  static constexpr size_t kMaxSeries = 32768;               // some hundred bytes each
  static constexpr size_t kMaxAddresses = 262144;           // live allocations of one process
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 44;  // of one of them; all together fit 63 bits
  static constexpr size_t kMaxGraphs = 4096;                // of one process
  static constexpr size_t kMaxFlights = 65536;
  static constexpr size_t kMaxIncidents = 4096;  // open at once

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::correlate
