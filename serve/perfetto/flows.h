// Which call waited for which work: arrows from launches to the synchronisation that covered them, and between the
// ranks of one collective.
//
// A synchronisation of a stream covers what its stream was given before; one of an event covers what the event's stream
// was given before the event was recorded; one of a device covers all streams of its process, of the same device where
// both are known. Of each stream the last kMaxPending launches get an arrow. Calls made inside other calls have none.
// What one stream waits for on another is not followed. Pure; one thread; memory bounded: what does not fit has no
// arrow.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "serve/perfetto/recording.h"
#include "serve/perfetto/trace_writer.h"

namespace ingero::serve::perfetto {

class Flows {
 public:
  static constexpr size_t kMaxPending = 64;        // per stream
  static constexpr size_t kMaxStreams = 4096;      // per process
  static constexpr size_t kMaxMarks = 65536;       // per process
  static constexpr size_t kMaxCollectives = 4096;  // seen from one rank, awaited from others

  // The arrows at this event's slice; valid until the next call.
  const std::vector<Flow>& of_call(const RecordedEvent& event, size_t process);
  const std::vector<Flow>& of_collective(const RecordedEvent& event);

 private:
  struct Launch {
    uint64_t number;
    int64_t seq;
    std::optional<int64_t> device;
  };
  struct Process {
    uint64_t launches = 0;
    std::map<int64_t, std::deque<Launch>> streams;
    struct Mark {
      int64_t stream;
      uint64_t launches;
    };
    std::unordered_map<int64_t, Mark> marks;  // by the event's handle
  };
  struct Collective {
    int64_t hash, sequence;
    auto operator<=>(const Collective&) const = default;
  };

  void cover(std::deque<Launch>& pending, uint64_t up_to, std::optional<int64_t> device);

  std::unordered_map<size_t, Process> processes_;
  std::map<Collective, int64_t> ranks_;  // how many came
  std::deque<Collective> order_;
  std::vector<Flow> flows_;
};

}  // namespace ingero::serve::perfetto
