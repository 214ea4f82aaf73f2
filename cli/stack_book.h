// The stacks of a recording: raw copies in, the id of the same place of the program out, and what it reads as.
//
// The capture thread unwinds (microseconds, from rules it has seen before) and gives each call its stack's id, a hash
// of the places: of build ids and addresses in files, so the same in every process and on every host. Names are looked
// up once for each id, on a thread of its own, for a large library's tables take their time.
//
// take(), meet(), process_ended() and finish(): the capture thread. mapped(): any thread. Failure: none; what could not
// be unwound or named is left out of the frames or stands there as unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch_queue.h"
#include "cli/stack_frames.h"
#include "hal/loss.h"
#include "hal/maps.h"
#include "kernelside/drain.h"
#include "kernelside/foreign.h"
#include "kernelside/objects.h"

namespace ingero::cli {

class StackBook {
 public:
  // What the kernel side's sites are called: of the frame that is the call itself.
  struct SiteName {
    std::string symbol, library;
  };
  using NameOfSite = std::function<SiteName(uint32_t site)>;

  // The arguments must outlive this. `remembers`: for frames_of(); every stack is then kept in memory.
  StackBook(NameOfSite name_of_site, kernelside::Objects& objects, kernelside::Foreign& foreign,
            hal::LossLedger& ledger, bool remembers);
  ~StackBook();
  StackBook(const StackBook&) = delete;
  StackBook& operator=(const StackBook&) = delete;

  // A process is there now: its mappings are read before it can end.
  void meet(uint32_t pid);
  // A process that is not met yet has mapped, or is held before it maps, a library whose calls are traced: the Python
  // frames of its first call will be read. Any thread.
  void prepare(uint32_t pid);
  // It has ended, or runs another program.
  void process_ended(uint32_t pid);
  // A process, met or not, has mapped code.
  void mapped(uint32_t pid, const hal::Mapping& mapping);
  // Unwinds the parcel's stacks, sets its events' stack ids, and adds what has been named since. A code object that one
  // of the stacks names may be told behind it: `drain` is asked once more.
  void take(kernelside::Drain& drain, Parcel& parcel);
  // The same, of what is in the ring of stacks by now.
  void take_more(kernelside::Drain& drain, Parcel& parcel);
  // Looks up what the program calls the function at `address`, the handle of a launch: its name comes with a later
  // parcel, where the address is a function's.
  void name_function(uint32_t pid, uint64_t address);
  // The stack of a call that has not returned, taken while its thread waited inside; none: it runs, or was not looked
  // at. Capture thread.
  std::optional<uint64_t> hung_at(uint32_t tid, uint64_t start_ns) const;
  // The frames of a stack met before, named now; for those who cannot wait. Empty: not known, or not remembered
  // (stacks of calls that hang always are). Any thread.
  std::vector<StackFrame> frames_of(uint64_t stack_id);
  // Waits until all is named.
  void finish(Parcel& parcel);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::cli
