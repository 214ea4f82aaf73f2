// Drains the rings: records in kernel order become events in a batch.
//
// One thread calls poll(). Wake-ups are batched: the kernel side wakes only when its backlog crosses a mark; otherwise
// poll() returns after its timeout with the records present then. The critical ring (exec, exit, OOM) wakes at once.
//
// Failure: the system's when the rings cannot be waited for, or when what is in one cannot be mapped (ring.h); what had
// been drained by then is in the batch. Of the second kind only the first in a row is reported: poll() tries again each
// time, and what the kernel side finds no room for meanwhile it counts as it does behind any slow reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bpf/wire.h"
#include "hal/event.h"
#include "hal/loss.h"
#include "hal/wait.h"
#include "kernelside/normalise.h"
#include "kernelside/objects.h"
#include "kernelside/ring.h"

namespace ingero::kernelside {

struct TcpRecord {
  hal::TcpDetail detail;
  uint64_t socket_inode = 0;  // 0: none; finds the owner when the kernel side did not know it
};

struct EndedProcess {
  wire_process counters{};
  uint64_t mono_ns = 0;
};

// A stack as it was taken: unwinding it is symbols/' work.
struct StackRecord {
  wire_stack head{};
  std::vector<std::byte> bytes;  // head.bytes of them, from the stack pointer upwards
};

struct RingRecords {
  std::vector<hal::Event> events;
  std::vector<std::pair<size_t, TcpRecord>> tcp;            // index into events
  std::vector<std::pair<size_t, hal::Exchange>> exchanges;  // likewise, of each call that has one
  std::vector<std::pair<size_t, hal::Wait>> waits;          // likewise, of each off-CPU interval
  std::vector<hal::CpuSample> samples;
  std::vector<wire_task> tasks;     // exec, exit, fork, first call, OOM: also in events where stored
  std::vector<wire_name> names;     // kernel functions registered or looked up
  std::vector<EndedProcess> ended;  // last counters of processes that ended
  std::vector<StackRecord> stacks;  // of these events, or of ones that come with the next batch
  std::vector<std::vector<std::byte>>
      codes;  // WIRE_CODE records: the Python functions those stacks are the first to name
  void clear() {
    stacks.clear();
    codes.clear();
    events.clear();
    tcp.clear();
    exchanges.clear();
    waits.clear();
    samples.clear();
    tasks.clear();
    names.clear();
    ended.clear();
  }
};

// What is drained, opened.
struct EventRings {
  Ring critical, events, stacks;
};

class Drain {
 public:
  // The arguments must outlive this.
  static Result<std::unique_ptr<Drain>> open(const Objects& objects, const hal::CallTable& calls,
                                             Normaliser& normaliser, hal::LossLedger& ledger);
  static Result<std::unique_ptr<Drain>> open(std::unique_ptr<EventRings> rings, const hal::CallTable& calls,
                                             Normaliser& normaliser, hal::LossLedger& ledger);
  ~Drain();

  // Appends records to `batch` until the rings are empty or it holds `max_events`; waits up to `timeout_ms` for a
  // wake-up first. True when records may be left.
  Result<bool> poll(int timeout_ms, size_t max_events, RingRecords& batch);
  // Whether the last poll() and those before it took all that had been begun when it was called, but for stacks. False:
  // the batch was full, or a record that is not finished holds back those behind it, perhaps for as long as a page
  // takes to come from a disk.
  bool is_complete() const;
  // Appends the stacks and code objects that are in their ring by now, kStacksAtOnce of them at most. True when no more
  // were there.
  bool take_stacks(RingRecords& batch);
  static constexpr size_t kStacksAtOnce = 512;  // the ring holds megabytes of them, which would all be there twice
  // How far the rings have come by now, and whether all that was in them then has been read.
  using Position = std::map<const Ring*, uint64_t>;
  Position position() const;
  static bool is_past(const Position& position);
  // What is written from now on need not be read: the trace ends here. After that, whether all that was written before
  // has been read, and how many records have not.
  void end_here();
  bool is_past_end() const;
  uint64_t unread() const;
  // Ends a wait in poll(), now and from now on. From any thread.
  void wake();

 private:
  struct Impl;
  explicit Drain(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::kernelside
