// Who was waited for: lost time followed backwards through wake-ups to a root.
//
// A wait's time belongs to what the thread that ended it did meanwhile, and so on, until a thread ran, or waited for
// what no thread of this machine did. A path of such steps is a *cause*; causes form a tree, and a row's time lands on
// its leaves. Threads that do the same (same parent process, same name) are one *role*: four workers of a pool are one.
//
// Invariants:
// A1  Every nanosecond given to walk() is added to exactly one cause, or to kClient.
// A2  A path is at most kMaxDepth long, and no thread is in it twice. Where both ends of a connection wait for each
//     other, what was sent is on its way, and the path ends there.
// A3  Roles and causes are bounded by kMaxRoles and kMaxCauses; beyond them time stays with the parent, or where there
//     is none with one cause of each class and role, counted.
//
// Pure and deterministic; one thread.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "correlate/thread_time.h"
#include "hal/loss.h"
#include "hal/time_class.h"

namespace ingero::correlate {

struct CauseShare {
  uint32_t cause = 0;
  uint32_t times = 0;
  uint64_t ns = 0, low = 0, high = 0;
  bool operator==(const CauseShare&) const = default;
};

struct BlameRole {
  uint32_t parent_pid = 0;
  std::string comm;
  std::set<uint32_t> pids;  // at most kMaxPids of them
};

// What most of a time was, whatever else took part in it, in the room of one (Boyer and Moore's vote).
template <typename T>
struct Most {
  T value{};
  uint64_t lead_ns = 0, all_ns = 0;
  void add(const T& other, uint64_t ns) { add(Most{other, ns, ns}); }
  void add(const Most& other) {
    all_ns += other.all_ns;
    if (value == other.value) {
      lead_ns += other.lead_ns;
    } else if (lead_ns >= other.lead_ns) {
      lead_ns -= other.lead_ns;
    } else {
      value = other.value;
      lead_ns = other.lead_ns - lead_ns;
    }
  }
  // The value that surely had half of it, as one with three quarters surely does; T(): none.
  T value_of_most() const { return lead_ns * 2 >= all_ns ? value : T(); }
};

// What was waited for, as hal::Wait has it; 0: nothing known.
struct WaitedFor {
  uint64_t object = 0;  // of a lock: its line_of()
  uint32_t file_system = 0;
  auto operator<=>(const WaitedFor&) const = default;
};

struct Cause {
  uint32_t parent = 0;  // 0: none; ids begin with 1
  TimeClass is = TimeClass::kUnknown;
  uint32_t role = 0;  // index
  uint64_t stack_id = 0;
  uint8_t kind = 0;  // hal::WaitKind
  bool is_write = false;
  bool is_timed_out = false;   // of a poll, a lock, a socket: its timer ended it
  bool is_on_its_way = false;  // of a socket: who asked waits at the other end of the same connection
  hal::WaitPeer peer;          // of one of its waits
  Most<WaitedFor> object;
  Most<uint64_t> pid;  // which of the role's processes waited
};

// A condition has several words, all of them in one line of 64 bytes. The address of that.
inline uint64_t line_of(uint64_t futex) { return futex & ~uint64_t{63}; }

// "10.0.0.9:9000"; empty: no such address.
std::string peer_text(const hal::WaitPeer& peer);

class Blame {
 public:
  static constexpr size_t kMaxDepth = 8;
  static constexpr size_t kMaxRoles = 1024, kMaxCauses = 8192, kMaxPids = 64;

  struct Thread {
    const ThreadTime* time = nullptr;
    uint32_t tid = 0, role = 0, pid = 0;
  };
  // A thread of a process; its time is null where it is not watched, its tid 0 where nothing is known of the process.
  using Find = std::function<Thread(uint32_t tid, uint32_t pid)>;
  struct Share {
    uint32_t cause;  // kClient: somebody on the way waited for work, so nothing was lost
    uint64_t ns;
  };
  static constexpr uint32_t kClient = 0;

  // Whether a process waited for a client.
  using IsClient = std::function<bool(const OffSpan& wait, uint32_t pid)>;

  Blame(hal::LossLedger& ledger, IsClient is_client) : ledger_(ledger), is_client_(std::move(is_client)) {}
  // `is_own`: a role of `parent_pid`'s own threads, apart from its children's.
  uint32_t role(uint32_t parent_pid, const std::string& comm, uint32_t pid, bool is_own);
  // The causes of [from, to) of a thread's piece.
  void walk(const Thread& thread, const Piece& piece, uint64_t from_ns, uint64_t to_ns, const Find& find,
            std::vector<Share>& out);

  const std::vector<BlameRole>& roles() const { return roles_; }
  const std::vector<Cause>& causes() const { return causes_; }
  const Cause& cause(uint32_t id) const { return causes_[id - 1]; }

 private:
  using Key = std::tuple<uint32_t, uint8_t, uint32_t, uint64_t, WaitedFor>;
  uint32_t intern(uint32_t parent, const Piece& piece, const Thread& thread, bool is_on_its_way);
  void note(uint32_t cause, const Piece& piece, const Thread& thread, uint64_t ns);
  // `asked`: the wait that this thread ended; null: the walk begins here.
  void follow(const Thread& thread, const Piece& piece, uint32_t parent, const OffSpan* asked, const Find& find,
              std::vector<Share>& out);

  hal::LossLedger& ledger_;
  IsClient is_client_;
  std::vector<BlameRole> roles_;
  std::map<std::tuple<uint32_t, bool, std::string>, uint32_t> role_of_;
  std::vector<Cause> causes_;
  std::map<Key, uint32_t> cause_of_;
  std::vector<uint32_t> path_;  // threads, of the walk under way
};

}  // namespace ingero::correlate
