// Who has come to a collective and who has not, over the ranks of this host.
//
// The ranks of a communicator make its collectives in one order. So when one has entered number n and another one has
// not for too long, they wait for each other, or the missing one is very late: here is where that is seen, while it
// lasts. A rank on another host is never reported as missing: its calls are not captured.
//
// Pure; one thread. Times are monotonic nanoseconds. A rank whose collectives lose their numbers is no longer watched.
// Owns what it remembers. Failure: none; what does not fit is not followed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "hal/event.h"

namespace ingero::correlate {

// A collective that all ranks of this host have entered: who came last, and by how much.
struct Arrival {
  uint64_t comm_id_hash = 0;
  uint64_t number = 0;
  hal::CallId call = hal::kNoCall;
  uint32_t ranks = 0;                // of this host: at least two
  uint64_t skew_ns = 0;              // from the first to the last
  uint64_t late_ns = 0;              // from the one before it to the last
  std::optional<int32_t> last_rank;  // unknown where its rank is
};

class Arrivals {
 public:
  // What became known of a communicator (Communicators::take_changes).
  void know(const hal::Communicator& communicator);
  // A call, after Communicators::take; one in flight has been entered.
  void take(const hal::Event& event, const hal::Exchange& exchange);
  // Collectives that ranks have waited for at least `after_ns`, or kGoneNs where each missing rank has ended or left
  // the communicator and so cannot come any more: each once when it is found, again when the missing ranks change, and
  // with is_over when the wait has ended.
  std::vector<hal::CollectiveHang> evaluate(uint64_t now_mono_ns, uint64_t after_ns);
  // Records were lost: which rank has entered what is unknown. Current waits are reported as over.
  void forget();
  // Collectives whose last rank has come since the last call.
  std::vector<Arrival> take_arrivals() { return std::exchange(arrivals_, {}); }
  // Those that hold now.
  std::vector<hal::CollectiveHang> hanging(uint64_t now_mono_ns) const;

  static constexpr size_t kMaxCommunicators = 65536;  // ranks of this host; beyond it no new ones are followed
  static constexpr uint64_t kGoneNs = 1'000'000'000;  // records of calls made before its end may still be read
  static constexpr size_t kMaxAhead = 65536;          // collectives one rank is ahead of another

 private:
  struct Member {
    std::optional<int32_t> rank;
    uint32_t pid = 0;
    uint64_t entered = 0;  // the last number
    bool is_evaluated = true;
    bool has_ended = false;
  };
  struct First {
    uint64_t mono_ns;
    hal::CallId call;
    uint64_t last_mono_ns = 0, before_mono_ns = 0;  // the latest to come, and the one before it
    std::optional<int32_t> last_rank = {};
    uint32_t ranks = 0;
  };
  struct Group {
    std::map<uint64_t, Member> members;  // by Communicator::id
    std::map<uint64_t, First> ahead;     // numbers that not all have entered, and who came first
    uint64_t all_entered = 0;            // every member has entered this number
    std::optional<int32_t> nranks;
    std::optional<hal::CollectiveHang> reported;
  };
  void settle(uint64_t hash, Group& group);

  std::map<uint64_t, Group> groups_;      // by comm_id_hash
  std::map<uint64_t, uint64_t> hash_of_;  // by Communicator::id
  std::vector<hal::CollectiveHang> over_;
  std::vector<Arrival> arrivals_;
};

}  // namespace ingero::correlate
