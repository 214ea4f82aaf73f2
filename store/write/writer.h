// The one writer of a recording: events in, committed rows out.
//
// Ownership: one Writer per file, machine-wide (a second one is refused with kBusy). Threads: every call from one
// thread. Units: nanoseconds; wall times since the Unix epoch.
// Failure: nothing throws. write() and flush() report why a transaction failed and keep its rows; the next call tries
// again. Only when `max_buffered_rows` wait are further events dropped, counted as store_failed. What was committed is
// there on the next open, however the program ended. The caller ignores SIGXFSZ if it runs under a file size limit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "hal/call_table.h"
#include "hal/chain.h"
#include "hal/device.h"
#include "hal/event.h"
#include "hal/fabric.h"
#include "hal/loss.h"
#include "hal/wait.h"
#include "store/db/budget_rows.h"
#include "store/db/inference_rows.h"
#include "store/db/location.h"

namespace ingero::store {

enum class Policy : uint8_t {
  kAll,        // every event is a row
  kSelective,  // aggregates exact for all; rows for what matters and one in `sample_every` of the rest
};

// One run of the agent: a row of `sessions`. Empty or negative: unknown, stored as NULL or ''.
struct Session {
  std::string node;  // events.id is "node:sequence"
  std::string gpu_model, gpu_driver, cpu_model, kernel, os_release;
  std::string runtime_version;  // of the vendor's runtime: column cuda_ver
  std::string python_version, agent_version, pid_filter, flags;
  int64_t cpu_cores = -1;
  int64_t mem_total_mb = -1;
  int32_t rank = -1, local_rank = -1, world_size = -1;
};

struct WriterOptions {
  std::string path;
  std::optional<Owner> owner;     // who gets directory and files; unset: the user that runs
  std::optional<uint32_t> group;  // whose members may read the files
  Session session;
  Policy policy = Policy::kAll;
  uint32_t sample_every = 100;
  uint64_t max_bytes = 0;  // 0: unlimited; oldest rows go first
  uint32_t batch_rows = 8192;
  uint32_t max_buffered_rows = 65536;
  // Histograms and buckets are written at most this often; kSelective writes them with every transaction.
  uint64_t aggregate_interval_ns = 2'000'000'000;
  std::function<bool()> is_cancelled;  // asked while a file is opened; true: open() ends with kBusy
};

// What a program said of itself: a row of `annotations`. Checked by the service that received it.
struct Annotation {
  uint64_t wall_ns = 0;
  std::string labels_json;  // an object of texts
  uint32_t pid = 0;         // 0: of the whole machine
  uint64_t start_time = 0;  // of that process, in ticks, as /proc has it; 0: unknown
  std::optional<uint64_t> span_start_wall_ns, span_end_wall_ns;
  uint32_t peer_uid = 0, peer_gid = 0, peer_pid = 0;  // who sent it
};

class Writer {
 public:
  // Creates directory (0755) and file (0600, with a group 0640) where needed, migrates an older schema of ours,
  // completes what a killed run left. `calls`, `losses` and `clock` outlive the Writer. kNotSupported: recorded by a
  // newer version, or by the legacy agent (read-only here). kCorrupt: not a recording, or one with a trigger or a view
  // in the place of a table. kPermission: a place where another user could exchange the file (base/trusted_path.h).
  // kBusy: another agent writes it, or is_cancelled().
  static Result<std::unique_ptr<Writer>> open(WriterOptions options, const hal::CallTable& calls,
                                              hal::LossLedger& losses, const Clock& clock = system_clock());
  ~Writer();  // as close(), its error lost
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Event::probe's meaning. Before the first event that names it; the same index may be reused with a new meaning.
  void add_probe(uint32_t index, const hal::Probe& probe);
  // Event::device_ref's meaning. Before the first event that names it.
  void add_device(uint32_t ref, const hal::EventDevice& device);
  // A process, or more about a known one. A pid with another start time is another process.
  void add_process(const hal::Process& process);
  // All of its events have been written: its state is released.
  void process_ended(uint32_t pid, uint64_t start_mono_ns);
  // The name of a device function of a process, by host stub or handle. Children of a fork inherit it. Untrusted text.
  void add_function_name(uint32_t pid, uint64_t handle, std::string_view untrusted_name);
  void add_stack(uint64_t stack_id, std::string_view ips_json, std::string_view frames_json);
  void add_snapshot(const hal::SystemSnapshot& snapshot);
  void add_chain(const hal::CausalChain& chain);
  void add_annotation(Annotation annotation);
  // Has a call been written whose probe is single-stepped? Then set_single_step() says what a step takes here.
  bool has_single_stepped() const;
  void set_single_step(uint64_t ns);
  // Of each call's time, the part that its own probes take here.
  void set_probe_cost(uint64_t ns);
  void add_throttling(const hal::Throttling& throttling);
  void add_memory_limit(const hal::MemoryLimit& limit);
  void add_disk_use(const hal::DiskUse& use);
  void add_io_limit(const hal::IoLimit& limit);
  void add_affinity(const hal::Affinity& affinity);
  void add_lost_calls(const hal::LostCalls& lost);
  void add_sample(const hal::FabricSample& sample);
  void add_sample(const hal::DeviceSample& sample);
  void add_device_error(const hal::DeviceError& error);
  // More about collectives; a repeated report replaces the one before.
  void add_communicator(const hal::Communicator& communicator);
  void add_wait(const hal::BarrierWait& wait);
  void add_hang(const hal::CollectiveHang& hang);
  // Inference. A workload or model server reported again replaces the one before.
  void add_step(const InferenceStep& step);
  void add_workload(InferenceWorkload workload);
  void add_model_server(InferenceModelServer server);
  void add_model_server_metric(ModelServerMetric metric);

  // Takes the events over; commits whenever a batch is full. An event with Outcome::kInFlight is a row that the final
  // event of the same (tid, start_mono_ns) completes.
  Status write(std::span<const hal::Event> events);
  Status write_tcp(const hal::Event& event, const hal::TcpDetail& detail);
  Status write_exchange(const hal::Event& event, const hal::Exchange& exchange);
  // An off-CPU interval, with why it was.
  Status write_wait(const hal::Event& event, const hal::Wait& wait);
  // Replayed behind the events written so far.
  void add_totals(const hal::WaitTotals& totals);
  void add_sample(const hal::CpuSample& sample, int64_t wall_offset_ns);
  void add_object(const hal::WaitObject& object);
  // Where the time went. A cause comes before what names it.
  void add_cause(StoredCause cause);
  void add_step_times(const StoredStep& step);
  void add_second_times(const StoredSecond& second);
  void add_share(const StoredShare& share);

  // Nothing that ended before `wall_ns` is still to come. The last word is when the session stopped, for its row;
  // without one that is when it was closed.
  void set_watermark(uint64_t wall_ns);
  // Commits everything taken over so far. Call it on a timer (100 ms).
  Status flush();
  // One bounded step (about 10 ms) of pruning and space recovery; true when more is to be done. Call it between
  // flushes; does nothing without max_bytes.
  Result<bool> maintain();
  // Moves what is committed to the file, as far as readers allow, so that close() has less to move.
  Status checkpoint();

  // Marks calls still in flight as never returned, ends the session, checkpoints. Later calls do nothing.
  Status close();

  uint64_t rows_committed() const;
  uint64_t file_bytes() const;  // database and write-ahead log, as on disk

 private:
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::store
