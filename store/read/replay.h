// Replays a recording in the order in which it was stored: the engine's input when it evaluates a recording.
//
// Sessions and nodes come one after another. Processes come before their events, samples at the latest a moment before
// the events of their time. Streams: memory is that of the dictionaries. Threads: as Reader. Failure: the store's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "hal/call_table.h"
#include "hal/device.h"
#include "hal/event.h"
#include "hal/fabric.h"
#include "hal/wait.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::store {

struct ReplayedCall {
  std::string_view name, op, layer, vendor;
  hal::Kind kind = hal::Kind::kHost;
  bool synchronising = false;
  bool asynchronous = false;                  // by its name alone where the recording does not say
  bool below_runtime = false;                 // of a library whose calls a runtime makes (hal::Library)
  hal::Memory memory = hal::Memory::kDevice;  // of allocations, also where the recording does not say
};

// What is read, in the order of time. A sink takes what it wants of it.
class ReplaySink {
 public:
  virtual ~ReplaySink() = default;
  // A run of the agent on one node begins: nothing before it has to do with it. `windowed`: no off-CPU shares.
  virtual void begin(const std::string& /*node*/, uint64_t /*cpus*/, bool /*windowed*/) {}
  // Right behind begin(): its row in the table sessions, where the recording keeps runs apart by it.
  virtual void session(int64_t /*id*/) {}
  // When it began, where the recording says, or the time range that is read, where that begins later.
  virtual void started(uint64_t /*mono_ns*/) {}
  // Of each call's time, the part that its own probes take, where the recording says.
  virtual void probe_cost(uint64_t /*ns*/) {}
  virtual void call(hal::CallId /*id*/, const ReplayedCall& /*call*/) {}
  // The spelling that the calls of a probe were made by: Event::probe of what follows.
  virtual void probe(uint32_t /*probe*/, std::string_view /*symbol*/) {}
  virtual void process(const hal::Process& /*process*/) {}
  virtual void event(const hal::Event& /*event*/) {}
  virtual void arrival(const hal::Event& /*event*/, uint64_t /*comm_id_hash*/, uint64_t /*number*/,
                       std::optional<int32_t> /*rank*/) {}
  // Why the thread of an off-CPU interval was off, right behind its event(). Recordings of before schema 28 have none.
  virtual void wait(const hal::Event& /*event*/, const hal::Wait& /*wait*/) {}
  // Where they stood among the events.
  virtual void wait_totals(const hal::WaitTotals& /*totals*/) {}
  virtual void cpu_sample(const hal::CpuSample& /*sample*/) {}
  virtual void snapshot(const hal::SystemSnapshot& /*snapshot*/, uint64_t /*mono_ns*/) {}
  virtual void throttling(const hal::Throttling& /*throttling*/) {}
  virtual void affinity(const hal::Affinity& /*affinity*/) {}
  virtual void hang(const hal::CollectiveHang& /*hang*/, std::string_view /*call*/) {}
  virtual void device_error(const hal::DeviceError& /*error*/) {}
  virtual void device_sample(const hal::DeviceSample& /*sample*/, uint64_t /*mono_ns*/) {}
  // Without what its counters mean, which the adapter's backend knows (hal/fabric.h).
  virtual void fabric_sample(const hal::FabricSample& /*sample*/, uint64_t /*mono_ns*/) {}
  // `watermark_mono_ns`: nothing of the session that ended before is missing; unknown where it did not end by itself,
  // and of a part of a recording.
  virtual void end(std::optional<uint64_t> /*watermark_mono_ns*/) {}
};

// The time range of the selection decides; its process and call do not: what else happened is the evidence.
Status replay(const Reader& reader, const Selection& selection, ReplaySink& sink);

}  // namespace ingero::store
