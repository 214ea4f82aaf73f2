// Names the ranks that a hanging job waits for: those that did not come to a collective, or did not leave it.
//
// Each rank's node says, at the end of each window, which collective of a communicator the rank entered last and which
// it left last. Somebody that is in the same collective for `hang_after` waits; the ranks behind it are what it waits
// for. A rank that is behind in one communicator because it waits in another is held up, and not the cause: the cause
// are the ranks that wait nowhere. A job is one program: however many of its communicators hang, it is one hang of a
// kind.
//
// How long a rank waits is counted in windows of its own node, and whether a node is silent by the job's clock: the
// latest end of a window so far, in the order in which they came. So clocks need not agree, and may be set. Where
// nothing comes any more at all, the job's clock stands still and no rank is accused.
//
// Pure and deterministic; one object for each job; used by one thread at a time. Bounded: kMaxCommunicators,
// kMaxMembers, kMaxOperations. Times in nanoseconds since the Unix epoch.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/detect/detector.h"

namespace ingero::fleet::detect {

inline constexpr size_t kMaxCommunicators = 65536, kMaxMembers = 1 << 20, kMaxOperations = 1024;

enum class HangKind : uint8_t {
  kMissingEnter,  // alive, and in no collective
  kMissingExit,   // all entered, some left, these did not, and are waited for
  kMismatch,      // another operation or size under the same number
  kFailed,        // a call of theirs failed, or they aborted the communicator
  kProcessGone,   // has ended, or is not heard of any more while others of its node are
  kNodeSilent,    // their node sends nothing any more
  kDeadlock,      // ranks that wait for each other in several communicators
  kUnknown,       // all ranks that are observed entered, and none left for six times as long
};
const char* name_of(HangKind kind);

// What is known of one rank in one communicator at the end of a window.
struct Progress {
  uint64_t communicator = 0;
  uint32_t rank = 0, comm_rank = 0, nranks = 0, node = 0;  // rank: in the job
  uint64_t end_ns = 0;                                     // of the window, by the node's clock
  int64_t entered = 0, left = 0;                           // numbers of the last collective
  std::string_view operation = {};                         // that was entered
  int64_t bytes = 0;                                       // of it; 0: not known
  uint64_t alias = 0;                                      // another name that its communicator may have had; 0: none
  bool is_lost = false;                                    // the numbers are not known, or mean nothing
  bool is_matched = false;                                 // numbered by comparing calls, not by the library
  bool has_failed = false, is_gone = false;
};

struct HangingRank {
  uint32_t rank = 0, comm_rank = 0, node = 0;
  int64_t entered = 0, left = 0;
  std::string operation;
  uint64_t last_ns = 0;  // end of the last window that came of it
  bool is_gone = false;  // its process has ended; else it may only not be heard of
};

struct Hang {
  HangKind kind = HangKind::kUnknown;
  State state = State::kOpen;
  uint64_t communicator = 0;  // in which the wait began
  int64_t number = 0;         // of the collective that is waited in
  std::string operation;
  std::vector<HangingRank> ranks;     // the cause, lowest number first; of kUnknown none
  uint32_t observed = 0, nranks = 0;  // of the communicator
  size_t waiting = 0;                 // ranks that wait, for the cause or for each other
  size_t held_up = 0;                 // of them: behind in one communicator because they wait in another
  size_t communicators = 0;           // that hang
  uint64_t from_ns = 0, to_ns = 0;    // from: begin of the window that first showed the wait
  bool is_matched = false;            // of numbers that were found by comparing calls (matching.h)
  double confidence = 0;
};

class Hangs {
 public:
  Hangs(uint64_t hang_after_ns, uint64_t period_ns) : hang_after_ns_(hang_after_ns), period_ns_(period_ns) {}

  // False: a bound was reached, and the rank is not observed.
  bool add(const Progress& progress);
  // A node that sends nothing of its ranks says that it is there: those of which nothing comes are gone, and it is not
  // silent. Nothing where no rank of it is known.
  void hear_node(uint32_t node);
  // Whether the job's clock has gone on by a window since the last call of advance().
  bool is_due() const { return clock_ns_ >= evaluated_ns_ + period_ns_; }
  // Hangs that ended, then those that began or changed their ranks. `is_settled`: what nodes send of the latest window
  // has had time to come; else a node is not called silent for lack of it. `now_ns`: any clock that does not go back.
  // While most nodes are missing, and after a gap while those of before it are, nothing is found, for kReturn_ns.
  std::vector<Hang> advance(bool is_settled, uint64_t now_ns = UINT64_MAX);
  // To be called before what comes first after a gap in which nothing came, or after a restart.
  void resume(uint64_t now_ns);
  // Nothing comes of this job any more: what was open is silent, not over.
  std::vector<Hang> end_silent();

  const std::vector<Hang>& open() const { return open_; }  // at most one of a kind
  struct Known {
    size_t communicators = 0;     // of which numbers are known
    size_t unnumbered_ranks = 0;  // that are heard of, and whose numbers are not known in one of theirs
  };
  Known known() const;
  bool knows(uint64_t communicator, uint32_t rank) const;
  size_t member_count() const { return members_; }

 private:
  struct Member {
    uint32_t comm_rank = 0, node = 0;
    int64_t entered = 0, left = 0;
    uint64_t operation = 0;    // hash of name and size; 0: not known
    uint64_t end_ns = 0;       // of its last window, its node's clock
    uint64_t since_ns = 0;     // end of the first window with these numbers, its node's clock
    uint64_t since_clock = 0;  // the same, the job's clock
    uint64_t heard_clock = 0;
    uint32_t unchanged = 0;  // windows after that one with the same numbers
    bool is_lost = false, is_matched = false, has_failed = false, is_gone = false;

    bool is_inside() const { return entered > left; }
  };
  struct Communicator {
    uint32_t nranks = 0;
    int64_t left = INT64_MIN;            // the last that somebody left,
    uint64_t left_clock = 0;             // and when that was heard of first, by the job's clock
    std::map<uint32_t, Member> members;  // by rank
  };
  // A communicator in which somebody waits for too long.
  struct Stuck {
    uint64_t id = 0;
    int64_t number = 0;          // the last that somebody entered
    int64_t waited = INT64_MIN;  // the last that somebody waits in for too long
    uint64_t first_clock = UINT64_MAX, first_ns = 0;
    uint32_t observed = 0;
    bool is_matched = false, is_split = false;  // is_split: of two operations none has a majority
    bool is_undecided = false;
    bool has_waiter = false;   // that has not failed
    bool is_passed_by = true;  // all that wait in it go on in other communicators
    std::map<uint32_t, HangKind> suspects;
  };
  // What the communicators that hang have in common.
  struct Findings {
    std::map<HangKind, std::map<uint32_t, size_t>> causes;  // ranks, each with where it was found first
    std::set<uint32_t> held_up;
    std::set<uint32_t> doubtful;  // of the causes: those that might be held up
    bool is_undecided = false;
  };
  enum class Held : uint8_t { kNo, kDoubtful, kYes };
  using Waits = std::map<uint32_t, std::vector<uint64_t>>;  // communicators, by rank

  // In one of a single rank there is no other to wait for.
  static bool can_hang(const Communicator& communicator) { return communicator.nranks >= 2; }
  void forget_operations();
  bool is_fresh(const Member& member) const;
  bool is_silent(uint32_t node) const;
  bool waits_long(const Communicator& communicator, const Member& member) const;
  bool stands_still(uint32_t rank) const;
  bool is_in_time(const Stuck& stuck) const;
  bool find_stuck(uint64_t id, const Communicator& communicator, Stuck& stuck) const;
  void find_suspects(const Communicator& communicator, Stuck& stuck) const;
  static void drop_those_that_gave_up(const Communicator& communicator, Stuck& stuck);
  void find_late_exits(const Communicator& communicator, Stuck& stuck) const;
  void drop_exits_without_waiters(std::vector<Stuck>& stuck) const;
  void find_mismatch(const Communicator& communicator, Stuck& stuck) const;
  Waits waits() const;
  Findings find_causes(const std::vector<Stuck>& stuck, const Waits& waits) const;
  bool have_gone_on(const Stuck& stuck, const Stuck& here, uint32_t rank) const;
  Held waits_elsewhere(uint32_t rank, const Stuck& here, const std::map<uint64_t, const Stuck*>& stuck,
                       const Waits& waits, bool& is_undecided) const;
  std::vector<Hang> hangs_of(Findings findings, const std::vector<Stuck>& stuck, const Waits& waits) const;
  Hang describe(HangKind kind, const Stuck& where) const;
  std::string operation_name(uint64_t hash) const;
  bool is_still_inside(const Hang& hang) const;
  std::vector<Hang> find() const;
  void forget_old();
  void rename(const Progress& progress, Communicator& to);
  bool are_returning(uint64_t now_ns);

  uint64_t hang_after_ns_, period_ns_;
  uint64_t clock_ns_ = 0, evaluated_ns_ = 0, followed_ns_ = 0, swept_ns_ = 0, operations_swept_ns_ = 0;
  uint64_t before_ns_ = 0;   // the job's clock before its latest window
  uint64_t settled_ns_ = 0;  // up to which silence is counted
  std::map<uint64_t, Communicator> communicators_;
  std::map<uint32_t, uint64_t> nodes_;  // the job's clock when each was heard of last
  std::map<uint32_t, uint64_t> idle_;   // the same, where it sent nothing of its ranks
  std::map<uint32_t, uint64_t> moved_;  // the same, by rank: when it entered or left a collective last
  std::set<uint32_t> awaited_;          // nodes that were heard of before a gap, and not yet after it
  uint64_t awaited_until_ns_ = 0;       // by the clock of advance(), as the next
  uint64_t most_missing_ns_ = 0;        // since when most nodes are; 0: they are not
  std::map<uint64_t, std::string> operations_;
  size_t members_ = 0;
  std::vector<Hang> open_;
};

}  // namespace ingero::fleet::detect
