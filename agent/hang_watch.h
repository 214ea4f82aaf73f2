// Calls that have not returned: which of them are shown, which are stored before they end, and where their threads are.
//
// look(): the capture thread, once a second. The others: any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "agent/batch_queue.h"
#include "bpf/wire.h"
#include "hal/call_table.h"
#include "hal/event.h"

namespace ingero::kernelside {
class Drain;
class Normaliser;
class Objects;
}  // namespace ingero::kernelside

namespace ingero::agent {

class CollectiveWatch;
class DeviceWatch;
class StackTable;

struct LiveCall {
  hal::Event event;  // outcome kInFlight
  uint64_t elapsed_ns = 0;
  std::optional<uint64_t> stack_id;  // where its thread waits
};

class HangWatch {
 public:
  // What a look needs of the recording.
  struct Parts {
    kernelside::Objects& objects;
    kernelside::Drain& drain;
    kernelside::Normaliser& normaliser;
    CollectiveWatch& collectives;
    DeviceWatch& devices;
    StackTable* stacks;  // null: --stack off
  };

  explicit HangWatch(const hal::CallTable& calls);

  // Takes the calls open at `now_ns` (monotonic). Those open for `after_ns` go into the batch, each once, and are shown
  // from now on; calls that should never wait do so a second before the engine evaluates them.
  void look(const Parts& parts, std::span<const wire_call_record> open, uint64_t now_ns, uint64_t after_ns,
            EventBatch& batch);

  // Longer than `after_ns` when last looked at; longest first.
  std::vector<LiveCall> hanging() const;
  // How many had not returned when last looked at, by call.
  std::map<hal::CallId, uint64_t> in_flight() const;

 private:
  using CallKey = std::pair<uint32_t, uint64_t>;  // tid, start

  static void take_stacks(const Parts& parts, std::vector<CallKey> of, EventBatch& batch);

  std::vector<bool> is_prompt_;  // by call: it never waits (correlate/facts.h)
  std::set<CallKey> reported_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::vector<LiveCall> hanging_;
  std::map<hal::CallId, uint64_t> in_flight_;
};

}  // namespace ingero::agent
