// The loss ledger: everything that can be lost, late, unpaired or cut, by name. One table; the counters, the labels of
// the metric of losses, the table `loss` and docs/limits.md are derived from it.
//
// The ledger owns its counters, is thread-safe, and never fails; who counts only adds.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ingero::hal {

enum class Severity : uint8_t { kInfo, kLoss, kError };

// name, room that counts it (tools/check_losses), severity, sentence. Order is the index; append only.
#define INGERO_LOSSES(X)                                                                                               \
  X(ring_full, "bpf", kLoss, "Calls not recorded: the ring buffer was full, or their process had used its share.")     \
  X(host_ring_full, "bpf", kLoss, "Host events not recorded because the ring buffer was full, or nearly.")             \
  X(critical_ring_full, "bpf", kError, "Process, exit or OOM events lost because the critical ring was full.")         \
  X(no_thread_state, "bpf", kLoss, "Calls not recorded because no state could be kept for their thread.")              \
  X(too_deep, "bpf", kLoss, "Calls nested deeper than the capture keeps.")                                             \
  X(unpaired_return, "bpf", kInfo, "Returns of calls that had started before their probe was attached.")               \
  X(no_recipe, "bpf", kError, "Probe hits with an attach cookie that has no recipe.")                                  \
  X(block_unpaired, "bpf", kInfo, "Block requests seen in part: issued before the trace, or of untraced processes.")   \
  X(name_unreadable, "bpf", kInfo, "Names of GPU kernels and communicator identities that could not be read.")         \
  X(record_malformed, "kernelside", kError, "Malformed records: unknown type, wrong length or impossible values.")     \
  X(word_unreadable, "kernelside", kInfo, "Call arguments that could not be read from the traced process.")            \
  X(unwound_call, "kernelside", kInfo, "Calls left without a return (longjmp or exception); stored as such.")          \
  X(name_truncated, "agent", kInfo, "Names of launched GPU kernels that could not be read to their end.")              \
  X(name_table_full, "agent", kInfo, "Names of GPU kernels not kept because the table was full.")                      \
  X(attach_refused, "kernelside", kError, "Probes the kernel refused to attach.")                                      \
  X(single_stepped, "kernelside", kInfo, "Probes on an instruction the kernel must single-step.")                      \
  X(attach_window, "kernelside", kInfo, "Libraries mapped for a while before their probes were attached.")             \
  X(mapping_lost, "agent", kLoss, "Notices of new mappings the kernel dropped; a full scan followed.")                 \
  X(communicator_unknown, "correlate", kInfo,                                                                          \
    "Communicators of which rank, size or identity is not known: made unseen, or before the start.")                   \
  X(communicator_lost, "correlate", kInfo, "Communicators, or their numbering, dropped: too many, or calls lost.")     \
  X(wait_forgotten, "correlate", kInfo, "Collectives whose wait was not measured: no synchronisation for too long.")   \
  X(store_failed, "store", kError, "Events the database refused.")                                                     \
  X(store_thinned, "store", kInfo, "Events counted but not stored, by the selective policy.")                          \
  X(store_pruned, "store", kInfo, "Stored events deleted to keep the file under its limit.")                           \
  X(kernel_log_lost, "agent", kLoss, "Kernel messages not read for device errors: overwritten, or too many.")          \
  X(stack_ring_full, "bpf", kLoss, "Stacks not kept because their ring was full; the calls themselves are recorded.")  \
  X(stack_skipped, "bpf", kInfo, "Stacks skipped by a call site's limit: 256 a second, 1,024 of slow calls.")          \
  X(stack_cut, "bpf", kInfo, "Stacks deeper than what is copied, or not fully readable: outer frames are missing.")    \
  X(python_unreadable, "bpf", kInfo, "Python frames or code objects that could not be read.")                          \
  X(python_cut, "bpf", kInfo, "Python stacks deeper than 64 frames: outer frames are missing.")                        \
  X(code_ring_full, "bpf", kLoss, "Python functions not named because the ring of stacks was full.")                   \
  X(code_forgotten, "agent", kInfo, "Python functions evicted to bound memory; reported again on next use.")           \
  X(engine_late, "correlate", kInfo, "Events that arrived too late for the causal engine; they are stored.")           \
  X(engine_forgotten, "correlate", kInfo,                                                                              \
    "Threads, calls, intervals, ranks or addresses that did not fit the causal engine's tables.")                      \
  X(budget_forgotten, "correlate", kInfo, "Calls, waits or causes that did not fit the tables of the time budget.")    \
  X(device_forgotten, "correlate", kInfo, "Threads and objects whose device was evicted to bound memory.")             \
  X(sample_lost, "agent", kLoss, "Samples of devices and fabrics not stored because the store was behind.")            \
  X(otlp_dropped, "serve", kLoss, "Data points and spans dropped because the queue, the disk or the list was full.")   \
  X(otlp_refused, "serve", kLoss, "Data points and spans rejected by the OTLP receiver.")                              \
  X(otlp_damaged, "serve", kLoss, "Queued OTLP requests that could not be read back from disk.")                       \
  X(annotation_refused, "agent", kInfo, "Annotations refused: malformed, or about another user's process.")            \
  X(annotation_dropped, "agent", kLoss,                                                                                \
    "Annotations dropped: more than the allowed number a second, or a full queue.")                                    \
  X(step_forgotten, "correlate", kInfo, "Streams, marks or workloads of inference evicted to bound memory.")           \
  X(engine_unread, "agent", kInfo, "Times the metrics of a model server could not be read, or were cut.")              \
  X(program_skipped, "agent", kLoss, "Upper bound of events that arrived while their BPF program was running.")        \
  X(block_lost, "bpf", kLoss, "Block requests of traced processes whose end, or whose owner, was lost.")               \
  X(file_unread, "kernelside", kLoss, "Libraries not read or not probed because their file system may not respond.")   \
  X(memory_unread, "kernelside", kInfo, "Processes whose memory was not read because the read might block.")           \
  X(ring_unread, "agent", kLoss, "Records left in a ring at the end: one was never finished, or could not be mapped.") \
  X(name_ring_full, "bpf", kLoss,                                                                                      \
    "Names of GPU kernels and communicator identities lost because the ring buffer was full.")                         \
  X(stack_unnamed, "agent", kLoss, "Stacks left without frames because too many waited for their names.")              \
  X(function_unnamed, "agent", kInfo, "Device functions left without a name because too many waited for one.")         \
  X(stack_mapping_lost, "agent", kInfo, "Mappings not kept for unwinding because too many came at once.")              \
  X(hang_stack_lost, "agent", kInfo, "Stacks of hanging calls not kept because too many calls hung at once.")          \
  X(process_forgotten, "agent", kInfo, "Processes evicted to bound memory; they are read again on their next event.")  \
  X(rank_forgotten, "agent", kInfo, "Processes with communicators evicted to bound memory; ranks are read again.")     \
  X(process_unlisted, "kernelside", kInfo, "Processes left out of a library's list because too many have mapped it.")  \
  X(sampler_event_lost, "agent", kLoss, "Device errors not stored as events: too many in one second.")                 \
  X(device_error_lost, "agent", kLoss, "Device errors not stored because the store was behind.")                       \
  X(engine_sample_lost, "agent", kLoss, "Samples that did not reach the causal engine because the store was behind.")  \
  X(inference_lost, "agent", kLoss, "Model servers or their metrics not stored because the store was behind.")         \
  X(host_state_full, "bpf", kLoss,                                                                                     \
    "What the host did and nothing could keep: off-CPU intervals, ends of leaders, requests of a device.")             \
  X(waker_unwatched, "bpf", kInfo, "Threads that woke traced ones and were not followed: 1,024 at once are.")          \
  X(process_unprobed, "kernelside", kLoss,                                                                             \
    "Programs that ended before probes were on a library that they had mapped.")                                       \
  X(library_unsupported, "kernelside", kLoss,                                                                          \
    "Libraries whose calls cannot be recorded: of another processor, or static and stripped.")                         \
  X(probe_quota, "kernelside", kLoss,                                                                                  \
    "Libraries not probed, or late, because their user's share of the probes, or all of them, were in use.")           \
  X(probe_reused, "kernelside", kLoss,                                                                                 \
    "Calls that ended long after their library was unmapped, when its probes were another's.")                         \
  X(fleet_unknown, "correlate", kInfo,                                                                                 \
    "Collectives left out of the windows for the cluster's server: rank or communicator not known.")                   \
  X(fleet_forgotten, "correlate", kInfo,                                                                               \
    "Ranks, waits, switches, steps or calls that did not fit the tables of these windows.")                            \
  X(fleet_dropped, "agent", kLoss, "Data points for the cluster's server dropped because its queue was full.")         \
  X(fleet_refused, "agent", kLoss, "Data points rejected by the cluster's server.")                                    \
  X(socket_unowned, "kernelside", kInfo,                                                                               \
    "Retransmissions stored without a process: the holder of their socket was not found.")                             \
  X(library_unlisted, "kernelside", kInfo,                                                                             \
    "Library folders, their files or configuration not read because there are too many; probed when they are mapped.") \
  X(library_off, "kernelside", kInfo,                                                                                  \
    "Libraries in use whose calls are recorded only with a flag that was not given.")                                  \
  X(library_32bit, "kernelside", kInfo,                                                                                \
    "32-bit libraries in use: what their calls pass in structures or behind pointers is not read.")                    \
  X(code_file_lost, "agent", kInfo,                                                                                    \
    "Mappings of code whose frames are unknown because too many files of code were in use.")                           \
  X(model_server_lost, "agent", kLoss,                                                                                 \
    "Times that a model server, or a process whose server was to be found, did not fit the tables of them.")           \
  X(stack_unjoined, "agent", kInfo,                                                                                    \
    "Calls and off-CPU intervals that came without their stack: it was read long before, or too many were.")

enum class Loss : uint8_t {
#define X(name, room, severity, sentence) name,
  INGERO_LOSSES(X)
#undef X
      kCount,
};

struct LossRow {
  std::string_view name;
  std::string_view room;
  Severity severity;
  std::string_view sentence;
};

inline constexpr LossRow kLossTable[] = {
#define X(name, room, severity, sentence) {#name, room, Severity::severity, sentence},
    INGERO_LOSSES(X)
#undef X
};

constexpr std::string_view name_of(Loss loss) { return kLossTable[static_cast<size_t>(loss)].name; }

inline constexpr std::string_view kNamesBegin = " Among them: ";  // in a sentence of the ledger: what was lost, by name

// A sentence with the first eight of its names, for a terminal.
inline std::string brief(std::string_view sentence) {
  constexpr size_t kMaxShown = 8;
  size_t end = sentence.find(kNamesBegin);
  if (end == sentence.npos) return std::string(sentence);
  size_t names = 1, shown = sentence.npos;
  for (end = sentence.find(", ", end); end != sentence.npos; end = sentence.find(", ", end + 2)) {
    if (++names == kMaxShown + 1) shown = end;
  }
  if (shown == sentence.npos) return std::string(sentence);
  return fmt::format("{} and {} more (table \"loss\").", sentence.substr(0, shown), names - kMaxShown);
}

// Calls of one process that the kernel side lost in about a second: a full ring had no room for their records.
struct LostCalls {
  uint64_t wall_ns = 0;  // the end of that second
  uint32_t pid = 0;      // 0: which process is not known
  std::string comm;      // printable; empty: not known
  uint64_t calls = 0;
  uint64_t waited_ns = 0;  // for how long the recorder's thread that reads the ring waited for a CPU meanwhile
};

// Counters by loss. Thread-safe; totals only grow.
class LossLedger {
 public:
  void add(Loss loss, uint64_t count = 1) {
    counts_[static_cast<size_t>(loss)].fetch_add(count, std::memory_order_relaxed);
  }
  // For counters kept elsewhere (the kernel side's): the total as it is now.
  void set(Loss loss, uint64_t total) { counts_[static_cast<size_t>(loss)].store(total, std::memory_order_relaxed); }
  uint64_t count(Loss loss) const { return counts_[static_cast<size_t>(loss)].load(std::memory_order_relaxed); }
  // What was lost, where that has a name (a file): the first 64. The text must be printable.
  void name(Loss loss, std::string what) {
    const std::scoped_lock lock(names_mutex_);
    if (auto& names = names_[loss]; names.size() < kMaxNames) names.push_back(std::move(what));
  }
  // The table's sentence, and the names.
  std::string sentence(Loss loss) const {
    std::string text(kLossTable[static_cast<size_t>(loss)].sentence);
    const std::scoped_lock lock(names_mutex_);
    const auto found = names_.find(loss);
    if (found == names_.end()) return text;
    const char* separator = kNamesBegin.data();
    for (const std::string& name : found->second) text.append(std::exchange(separator, ", ")).append(name);
    return text + ".";
  }

 private:
  static constexpr size_t kMaxNames = 64;
  std::array<std::atomic<uint64_t>, static_cast<size_t>(Loss::kCount)> counts_{};
  mutable std::mutex names_mutex_;
  std::map<Loss, std::vector<std::string>> names_;  // guarded by names_mutex_
};

}  // namespace ingero::hal
