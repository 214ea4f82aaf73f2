// Reads a recording in step with the agent that writes it: each call gives what was added since the one before.
//
// What is given is a replay's (replay.h), in the order in which it was stored, with the arguments of collectives and
// the communicators they were made on. A row that was a call in flight is given again when the call has returned. A
// recording whose oldest rows are deleted faster than they are read says so (gap()). Memory is that of the
// dictionaries, which it owns; reader and sink are the caller's. Threads: as Reader. Failure: the store's;
// kNotSupported: recordings of a legacy agent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "hal/event.h"
#include "store/read/reader.h"
#include "store/read/replay.h"

namespace ingero::store {

// One run of the agent, as it is followed.
struct FollowedRun {
  int64_t session = 0;
  std::string node;
  uint64_t started_wall_ns = 0;  // 0: not known
  bool is_sampled_out = false;   // only a part of the calls became rows
};

// Of ReplaySink call() and process() are called; event() is not, exchange() in its place.
class FollowSink : public ReplaySink {
 public:
  virtual void run(const FollowedRun& run) = 0;
  // All that is known of it now: new, or changed. Before the events of this reading.
  virtual void communicator(const hal::Communicator& communicator) = 0;
  // Calls of a process were lost; 0: of which is not known. Before the events of this reading.
  virtual void lost(uint32_t pid, uint64_t wall_ns) = 0;
  // `exchange`: null where the call has none. `was_open`: the
  // call was given before, when it was in flight; others that ended before it may still come.
  virtual void exchange(const hal::Event& event, const hal::Exchange* exchange, bool was_open) = 0;
  // What Event::device_ref of the events means. Before the events of this reading.
  virtual void event_device(uint32_t /*ref*/, const hal::EventDevice& /*device*/) {}
  // A sample of the run's devices, of one vendor: the readings that hal/device_state.h needs. Near the events of its
  // time, most of them before.
  virtual void devices(const hal::DeviceSample& /*sample*/) {}
  // Rows were deleted before they were read.
  virtual void gap() = 0;
  // The run has no more rows. When it stopped; unknown where it did not end by itself.
  virtual void stopped(std::optional<uint64_t> wall_ns) = 0;
};

struct Followed {
  uint64_t rows = 0;
  bool has_more = false;          // it was as many as were asked for
  uint64_t complete_wall_ns = 0;  // what ended before it, of the last run, was read by now; 0: not known
};

class Follower {
 public:
  static constexpr size_t kMaxInFlight = 65536, kMaxCommunicators = 65536;

  Follower();
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // At most `max_rows` more. The same recording each time.
  Result<Followed> read(const Reader& reader, uint64_t max_rows, FollowSink& sink);
  // No more will be written: the run that was read last is over.
  void finish(FollowSink& sink);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ingero::store
