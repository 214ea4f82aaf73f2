// The stacks of a recording: raw copies in, the id of the same place of the program out, and what it reads as.
//
// The capture thread unwinds (microseconds, from rules it has seen before) and gives each call its stack's id, a hash
// of the places: of build ids and addresses in files, so the same in every process and on every host. Names are looked
// up once for each id, on a thread of its own, for a large library's tables take their time.
//
// take(), add_process(), process_ended() and finish(): the capture thread. mapped(): any thread. Failure: none; what
// could not be unwound or named is left out of the frames or appears there as unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/batch_queue.h"
#include "hal/loss.h"
#include "hal/maps.h"
#include "kernelside/drain.h"
#include "kernelside/foreign.h"
#include "kernelside/objects.h"
#include "symbols/frame.h"

namespace ingero::agent {

class StackTable {
 public:
  // What the kernel side's probes are called: of the frame that is the call itself.
  struct ProbeName {
    std::string symbol, library;
  };
  using NameOfProbe = std::function<ProbeName(uint32_t probe)>;

  // The arguments must outlive this. `remembers`: for frames_of(); every stack is then kept in memory.
  StackTable(NameOfProbe name_of_probe, kernelside::Objects& objects, kernelside::Foreign& foreign,
             hal::LossLedger& ledger, bool remembers);
  ~StackTable();
  // Starts the thread that names; what comes before it waits.
  void start();
  StackTable(const StackTable&) = delete;
  StackTable& operator=(const StackTable&) = delete;

  // A process is there now: its mappings are read before it can end.
  void add_process(uint32_t pid);
  // A process that is not known yet has mapped, or is held before it maps, a library whose calls are traced: the Python
  // frames of its first call will be read. Any thread.
  void prepare(uint32_t pid);
  // It has ended, or runs another program.
  void process_ended(uint32_t pid);
  // A process, known or not, has mapped code.
  void mapped(uint32_t pid, const hal::Mapping& mapping);
  // Unwinds the batch's stacks, sets its events' stack ids, and adds what has been named since. The record of a code
  // object may come after a stack that names it, in which case `drain` is read once more. Likewise of what is in the
  // ring of stacks by now, whatever the batch holds. Of a batch that was taken before, the events keep what they have.
  void take(kernelside::Drain& drain, EventBatch& batch);
  // Looks up the program's symbol at `address`, the handle of a launch: if it is a function, its name comes with a
  // later batch.
  void name_function(uint32_t pid, uint64_t address);
  // The stack of a call that has not returned, taken while its thread waited inside; none: it runs, or was not looked
  // at. Capture thread.
  std::optional<uint64_t> hung_at(uint32_t tid, uint64_t start_ns) const;
  // The stack of a thread that sleeps outside of calls, and when it fell asleep (monotonic). Capture thread.
  struct Asleep {
    uint64_t since_ns = 0, stack_id = 0;
  };
  std::optional<Asleep> asleep_at(uint32_t tid) const;
  // The frames of a known stack, named now, for callers that cannot wait. Empty: not known, or not remembered
  // (stacks of calls that hang always are). Any thread.
  std::vector<symbols::StackFrame> frames_of(uint64_t stack_id);
  // Whether a lock is the process's global interpreter lock. Any thread.
  bool is_interpreter_lock(uint32_t pid, uint64_t address) const;
  // Waits until all is named.
  void finish(EventBatch& batch);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::agent
