// Adapters, their ports and what happened to them, from samples of their counters and from the events that devices
// delivered to programs.
//
// Observations, in any order, wait until their window is evaluated; all that one window holds about one port is one
// finding. A port is down from the first that says so (an event delivered to a program, or a sampled state) to the
// first that says it is back. An event names no adapter: where the machine has several, it waits for the port that is
// seen down, kUnresolved at most. Private to correlate/; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/call_table.h"
#include "hal/fabric.h"

namespace ingero::correlate {

enum class RuleId : uint8_t;
struct Finding;
struct ProcessState;

// An event that a device delivered to a program.
struct FabricEvent {
  uint64_t mono_ns = 0;  // when the call that brought it returned
  uint64_t start_mono_ns = 0, duration_ns = 0;
  int64_t wall_offset_ns = 0;
  uint32_t pid = 0, tid = 0, port = 0;
  hal::CallId call = hal::kNoCall;
  std::string name, comm;
  bool is_error = false;
};

// What is known of one port, in a finding and, summed up, in an incident.
struct FabricPart {
  struct Counter {
    uint64_t grown = 0;
    hal::CounterMeaning meaning;
  };
  struct User {  // a process with queue pairs at that time
    std::string comm;
    uint64_t waited_ns = 0;  // in calls that wait for completions
  };
  std::string device;  // empty: not known
  uint32_t port = 0;   // 0: the device as a whole
  bool is_only_adapter = true;
  std::map<std::string, Counter> counters;  // those that say something is wrong
  uint64_t packets = 0;
  std::map<uint32_t, User> users;  // by pid
  std::vector<FabricEvent> events;
  bool is_down = false;
  bool is_back_exact = false;  // both ends of `down_ns` are those of events
  std::optional<uint64_t> down_ns;

  void add(const FabricPart& later);
  std::string name() const;  // "rxe0 port 1"
  static constexpr size_t kMaxShown = 64;
};

class FabricState {
 public:
  // False: too many observations wait to be evaluated; this one was dropped.
  bool add(const hal::FabricSample& sample, uint64_t mono_ns);
  bool add(FabricEvent event);
  // Times of the first and the last observation that wait; none where nothing does.
  std::optional<uint64_t> first_ns() const;
  uint64_t last_ns() const { return last_ns_; }
  // What was observed up to the end of `window`.
  using Processes = std::vector<std::unique_ptr<ProcessState>>;
  void evaluate(uint64_t window, const Processes& processes, std::vector<Finding>& findings);

  static constexpr size_t kMaxWaiting = 65536;
  static constexpr size_t kMaxPorts = 4096;
  static constexpr uint64_t kUnresolvedNs = 10'000'000'000;

 private:
  using Key = std::pair<std::string, uint32_t>;
  struct Observation {
    Key port;
    std::optional<uint32_t> state;
    std::vector<std::pair<std::string, FabricPart::Counter>> counters;
    uint64_t packets = 0;
    std::optional<FabricEvent> event;
  };
  struct Recent {
    uint64_t window = 0, packets = 0;
    std::array<uint64_t, 16> most{};  // by sense: what the counter that grew most grew by
  };
  struct Port {
    std::optional<uint32_t> added_state, state;
    bool is_down = false, is_notified = false;
    uint64_t down_since_ns = 0;
    uint64_t last_ns = 0, before_ns = 0;  // of the last two samples in which anything changed
    // And the last sample says so: of an event alone, nothing says that it still is.
    bool is_seen_down() const { return is_down && state && *state != hal::kPortActive; }
    std::deque<Recent> recent;
  };
  struct Seen {
    FabricPart part;
    bool changed_link = false;
    uint64_t onset_ns = 0;
  };

  void take(uint64_t mono_ns, Observation& one, const Processes& processes, std::map<Key, Seen>& seen);
  void take_event(const FabricEvent& event, const Processes& processes, std::map<Key, Seen>& seen);
  static void add_users(FabricPart& part, const Processes& processes, uint64_t from_ns, uint64_t to_ns);
  void note_fall(Port& port, Seen& seen, uint64_t mono_ns, bool is_notified);
  void note_return(Port& port, Seen& seen, uint64_t mono_ns, bool is_notified);
  void take_unresolved(uint32_t number, Port& port, Seen& seen);
  void give_up_unresolved(uint64_t end_ns, std::map<Key, Seen>& nameless);
  std::optional<Key> port_of(uint32_t number) const;
  std::optional<RuleId> rule_of(const Port& port, const Seen& seen) const;
  Seen& seen_of(const Key& key, std::map<Key, Seen>& seen) const;

  std::multimap<uint64_t, Observation> waiting_;  // by time
  std::map<Key, Port> ports_;
  std::deque<FabricEvent> unresolved_;
  uint64_t last_ns_ = 0;
  uint64_t sampled_ns_ = 0, gap_ns_ = ~uint64_t{0};  // the last sample evaluated, and the shortest time between two
};

}  // namespace ingero::correlate
