// Names the rank that makes the others of a job wait, by comparing each rank's own work with that of its peers.
//
// What is compared is the time of a step less all waits that blocked: lateness in a communicator is inherited from the
// communicators inside it, and would accuse the waiting ones too. A rank's *cohort* are the members of one of its
// communicators that do the same (the same *role*: communicators of equal sizes and bytes); its effect is its work over
// their median. An effect is scored by its rank in the role's pool of the last windows (pool.h), and scores are summed
// up (two CUSUMs, of what is large and of what lasts) until they are evidence enough.
//
// Pure and deterministic: the same samples and times give the same incidents; no clock, no I/O. One object for each
// job; used by one thread at a time. Bounded: kMaxRanks, kMaxCommunicatorsOfRank, kMaxPending windows with kMaxSamples.
// Times in nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "fleet/detect/course.h"
#include "fleet/detect/incident.h"
#include "fleet/detect/pool.h"
#include "fleet/detect/slow_nodes.h"

namespace ingero::fleet::detect {

inline constexpr size_t kMaxRanks = 65536, kMaxCommunicatorsOfRank = 16, kMaxPending = 16, kMaxSamples = 1 << 20;
inline constexpr uint64_t kSilentAfter = 3;  // windows without data
inline constexpr uint64_t kUncompared = 6;   // windows
// Steps may be longer than windows: what comes so long after most of its cohort is compared with these, and a rank of
// which something comes as rarely is not silent.
inline constexpr uint64_t kMaxLag = 24;     // windows
inline constexpr size_t kRoleWindows = 12;  // after which a rank's role and cohort stay as they are
// A window is waited for as long as parts of it go on to come, and this long after each; and never longer than the
// other. That long it is waited for while most of its ranks are still to come, and for some time after parts came with
// a longer gap, or too late: then clocks are apart.
inline constexpr uint64_t kWaitForWindow_ns = 2'000'000'000, kMaxWaitForWindow_ns = 10'000'000'000;
inline constexpr uint64_t kPatientFor = 12;  // windows
// After a gap in which nothing came of a job, as where its server was away, its nodes come back one after the other:
// senders wait for as long between two tries.
inline constexpr uint64_t kReturn_ns = 90'000'000'000;

// One rank in one communicator in one window.
struct Sample {
  uint64_t window = 0;  // its number: start over period
  uint32_t rank = 0;    // in the job
  uint32_t node = 0;
  uint64_t communicator = 0;
  uint32_t nranks = 0;   // of the communicator; 0: not known
  uint64_t count = 0;    // collectives in the window: its steps
  double work_s = 0;     // own work before each, the median
  double bytes = 0;      // of each
  Reasons reasons;       // of the window
  uint64_t alias = 0;    // by what its communicator may have been known before; 0: by nothing else
  uint32_t process = 0;  // of its node; 0: not known
};

// A rank as it is now.
struct Standing {
  uint32_t rank = 0, node = 0;
  uint64_t communicator = 0, onset = 0;  // onset: the window in which its larger sum last left kOnset
  double effect = 0, score = 0, usual_s = 0;
  bool is_named = false, is_suspect = false;
  bool is_of_node = false;  // its node is slow: what there is to say is in that incident
  Incident incident;        // while it is named
};

// Ranks of one role whose work is longer than that of the others, who wait for them: it is their share of the work, not
// their nodes.
struct HeavyRole {
  std::vector<uint32_t> ranks;  // ascending
  double effect = 0;            // own work in the same time, more than the median of the others
};

// Its `course` is valid until the detector is given something, or advances.
struct RankCourse {
  uint32_t rank = 0, node = 0;
  const Course* course = nullptr;
};

struct Limits {
  double detectable_effect = 0;
  double effect = 0;      // from which on one is rare in a window, and large enough
  double usual = 0;       // the median of what is compared
  size_t ranks = 0;       // that are heard of
  size_t unobserved = 0;  // in the communicators of these: ranks that sent nothing of the last window
  size_t uncompared = 0;  // of `ranks`: that send work, and of kUncompared windows were compared with no other in any
  // Of `ranks`: come from several nodes by turns, or from two processes, lately: of several jobs that are taken for
  // one.
  size_t contested = 0;
  bool has_quorum = false;
};

// What a larger value means: of work it is a slow rank, of a health score a good one.
enum class Better : uint8_t { kLess, kMore };

class Detector {
 public:
  explicit Detector(Better better = Better::kLess, uint64_t period_ns = 5'000'000'000)
      : better_(better), period_ns_(period_ns) {}

  // `now_ns`: any clock that does not go back. False: the window was evaluated already, or a bound was reached.
  bool add(const Sample& sample, uint64_t now_ns);
  // To be called before what comes first after a gap, or after a restart, from which on `now_ns` may be another clock:
  // for kReturn_ns windows are waited for while most ranks are missing, and no rank is called silent.
  void resume(uint64_t now_ns);
  // Evaluates the windows that are complete, or have been waited for long enough; incidents that began, grew or ended.
  std::vector<Incident> advance(uint64_t now_ns);
  // Nothing comes of this job any more: no rank is heard of, and what was open is silent, not over.
  std::vector<Incident> end_all_silent();

  // All ranks that are heard of, the slowest first.
  std::vector<Standing> standings() const;
  // The incidents that are open, as they are now: of ranks, and of nodes.
  std::vector<Incident> named() const;
  bool knows(uint32_t rank) const { return ranks_.contains(rank); }
  size_t rank_count() const { return ranks_.size(); }
  size_t sample_count() const { return samples_; }  // that are pending
  // Whether the others may be waiting for one of them: it is named, or suspected.
  bool has_suspects() const;
  // Of all ranks that are not forgotten, silent ones too, by rank.
  std::vector<RankCourse> courses() const;
  // Of the largest role.
  Limits limits() const;
  // Those from kFloor on, the heaviest first.
  std::vector<HeavyRole> imbalance() const;
  // The ranks of a communicator that are heard of, ascending: all wait for its slowest.
  std::vector<uint32_t> members_of(uint64_t communicator) const;
  // In which these ranks are compared.
  std::set<uint64_t> cohorts_of(const std::vector<uint32_t>& ranks) const;
  uint64_t last_window() const { return last_window_; }
  uint64_t late() const { return late_; }        // samples of windows that had been evaluated
  uint64_t dropped() const { return dropped_; }  // samples for which there was no room

 private:
  struct Pending {
    uint64_t first_ns = 0, latest_ns = 0;  // when parts of it came
    bool has_gap = false;                  // of kWaitForWindow_ns and more
    std::map<uint32_t, std::vector<Sample>> ranks;
    size_t expected = 0;  // of them: those that are heard of
  };
  // Sums over the slow windows since the onset: one window's share would be that of its noise.
  struct Slow {
    size_t windows = 0;
    double effect = 0, lateness_s = 0, usual_s = 0;
    Reasons reasons;
  };
  struct Sum {
    double score = 0;
    uint64_t onset = 0;
    Slow slow;
  };
  // By its collectives in a communicator.
  struct Carried {
    uint64_t communicator = 0;
    uint32_t nranks = 0, windows = 0;  // windows: in which it has some
    double bytes = 0, count = 0;
    double load() const;  // half octaves of the bytes of each
  };
  struct Rank {
    std::set<uint64_t> communicators;
    uint64_t role = 0, cohort = 0, last_window = 0;
    uint32_t node = 0, nranks = 0, peers = 0;  // peers: its cohort in the last window, itself too
    std::optional<uint32_t> node_before;       // of the same rank
    uint64_t contested_window = 0;             // in which it came from another node, and had come from that before
    uint64_t shared = 0;                       // windows in a row in which it came from two processes of one node
    uint64_t uncompared = 0;                   // windows with work since it was compared last
    size_t windows = 0;                        // since its communicators are these; to kRoleWindows
    std::vector<Carried> carried;              // of its first kRoleWindows, by which its role is chosen
    uint64_t heard_ns = 0;                     // when something of a window came last
    uint64_t missed = 0;                       // windows since then that had most of the ranks
    uint64_t gap = 1;                          // windows between the last two of it
    uint64_t round = 0;                        // window in which it was compared last
    uint64_t joined_count = 0;
    double joined_work = 0;
    double effect = 0, usual_s = 0;
    double worked_s = 0;  // own work of a window, lately: comparable between roles, whose collectives differ
    Reasons reasons;      // more than the role's median
    std::array<Sum, kSums> sums;
    Course course;
    bool is_silent = false, is_named = false;
    size_t named_by = 0;       // which of its sums
    double usual = 0;          // effect, as it was when the rank was named
    uint64_t usual_until = 0;  // window from which on that does not matter any more
    Incident incident;
    bool is_often_in(const Carried& one) const;
    size_t largest() const;
    double score() const { return sums[largest()].score; }
  };
  // Most of a cohort, compared with each other.
  struct Round {
    uint64_t window = 0;
    size_t ranks = 0;
    double usual = 0;
  };
  struct Measured {
    uint32_t rank = 0;
    double work_s = 0;  // of a step
    Reasons reasons;    // of a step
    bool has_effect = false;
    bool is_of_half = false;  // of its cohort, that is slower than the other half
    bool is_late = false;     // compared with those of an earlier window
  };
  bool is_complete(const Pending& pending) const;
  bool hear(uint32_t number, uint64_t now_ns);
  bool is_due(uint64_t window, const Pending& pending, uint64_t now_ns) const;
  void note_late(uint64_t window, uint64_t now_ns);
  void evaluate(uint64_t window, const Pending& pending, uint64_t now_ns, std::vector<Incident>& changes);
  static bool is_new(Rank& rank, const Sample& sample);
  static void start_anew(Rank& rank, const std::vector<Sample>& samples);
  bool drop();
  bool has_most(const Pending& pending) const { return 2 * pending.ranks.size() >= followed_; }
  bool is_unheard(const Rank& rank, uint64_t without, uint64_t now_ns) const;
  void place(uint64_t window, const Pending& pending, std::vector<Incident>& changes);
  static void note_origin(Rank& rank, const std::vector<Sample>& samples, uint64_t window);
  static void note_carried(Rank& rank, const std::vector<Sample>& samples);
  void choose_roles(const Pending& pending);
  void choose_cohorts(const Pending& pending);
  std::vector<Measured> measure(const Pending& pending);
  static void note_worked(Rank& rank, double worked_s);
  void compare(uint64_t window, std::vector<Measured>& measured);
  bool come_late(uint64_t window, const std::vector<size_t>& members, const std::vector<Measured>& measured,
                 const Round& round) const;
  static Reasons usual_of(const std::vector<const Measured*>& members);
  void score(uint64_t window, const std::vector<Measured>& measured, std::vector<Incident>& changes);
  static double usual_effect(uint64_t window, const Rank& rank);
  static void add_window(uint64_t window, const SumRule& rule, double effect, double z, const Rank& rank, Sum& sum);
  void score_one(uint64_t window, const Measured& one, const Pool& pool, std::vector<Incident>& changes);
  void begin(uint32_t number, Rank& rank, uint64_t window);
  void update(Rank& rank, uint64_t window);
  void end_silent(uint64_t window, bool is_full, uint64_t now_ns, std::vector<Incident>& changes);
  static void silence(Rank& rank, std::vector<Incident>& changes);
  void fold(uint64_t window, const std::vector<Incident>& own, std::vector<Incident>& changes);

  std::map<uint64_t, Pending> pending_;
  std::map<uint32_t, Rank> ranks_;
  std::map<std::pair<uint64_t, uint64_t>, Round> rounds_;  // the last, by communicator and role
  std::map<uint64_t, Pool> pools_;                         // by role
  std::map<uint32_t, std::vector<double>> load_names_;     // by size of communicator
  std::map<uint64_t, uint32_t> heard_;                     // members in the last window, by communicator
  SlowNodes slow_nodes_;
  Better better_;
  uint64_t period_ns_, resumed_until_ns_ = 0;
  uint64_t last_window_ = 0, late_ = 0, dropped_ = 0;
  size_t samples_ = 0;                     // that are pending
  size_t expected_ = 0;                    // ranks of the last window that are not silent; 0: not known
  size_t followed_ = 0;                    // the same, which a late sample does not make unknown
  std::map<uint64_t, uint64_t> first_ns_;  // of the last windows that were evaluated: when parts of them came first
  uint64_t patient_until_ = 0;             // windows to it are waited for as long as may be
  bool has_evaluated_ = false;
};

}  // namespace ingero::fleet::detect
