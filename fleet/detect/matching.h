// Which collective of one rank is which of another's, where their numbers do not say it: of a communicator that is
// older than its trace, of a library that keeps no count, and after records were lost.
//
// Each rank counts what it has seen, so its count and the numbers of the others differ by an *offset*. Ranks whose
// numbers are known say what those of the others are; where there are none, the counts of one of them are the numbers.
//
// O1  An offset stays as it is for as long as the rank loses nothing; then it counts from another base, and has none.
// O2  Where two ranks are at the end of a window says which offsets can be: the last collectives of both have to be the
//     same by operation and size, in their order, and what all left together was left at the same time, as exactly as
//     clocks and the time between two collectives say.
// O3  An offset holds where it could be in three of four windows, of at least kWindows, and no other in half of them.
//     Where that is not so, as where all collectives are alike and clocks are further apart than two of them, the rank
//     has no place: unknown, not guessed.
//
// Pure and deterministic; one object for each job; used by one thread. Bounded: kMaxMatched ranks in communicators;
// what comes beyond has no place. Times in nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::fleet::detect {

inline constexpr size_t kMaxMatched = 1 << 18;

// One rank in one communicator at the end of a window.
struct Counted {
  uint64_t communicator = 0;
  uint32_t rank = 0;
  uint64_t window = 0;  // its number
  int64_t base = 0;     // of the counts: another one where it has lost some; 0: these are the numbers
  int64_t entered = 0, left = 0;
  std::optional<int64_t> left_ns = {};  // when that was, by the server's clock
  int64_t within_ns = 0;                // how far wrong that can be
  std::string_view recent = {};         // kDigits for each of the last that were entered, newest at the end
  uint64_t collectives = 0;             // in the window
};

struct Place {
  int64_t entered = 0, left = 0;
};

class Matching {
 public:
  static constexpr size_t kDigits = 4;
  static constexpr uint32_t kWindows = 4, kMaxWindows = 12;  // until an offset holds, or all are tried anew
  static constexpr size_t kMinAlike = 4;                     // collectives that both know

  explicit Matching(uint64_t period_ns) : period_ns_(static_cast<int64_t>(period_ns)) {}

  // Where a rank that counts is in the numbers of the others; none: not known, or its numbers are.
  std::optional<Place> add(const Counted& counted);

 private:
  struct Member {
    uint64_t window = 0;
    int64_t base = 0, entered = 0, left = 0, within_ns = 0;
    std::optional<int64_t> left_ns;
    std::string recent;
    uint64_t collectives = 0;
    std::optional<int64_t> offset;      // of a number less the count
    std::map<int64_t, uint32_t> votes;  // windows, by offsets that could be
    uint32_t windows = 0, failed = 0;   // failed: in a row, in which the offset could not be
  };
  struct Communicator {
    std::map<uint32_t, Member> members;
    std::optional<uint32_t> reference;
    bool has_match = false;
  };

  bool is_needed(const Counted& counted) const;
  void choose_reference(Communicator& communicator, const Counted& counted);
  void compare(Communicator& communicator, const Member& reference, Member& member) const;
  std::vector<int64_t> possible(const Member& reference, const Member& member) const;
  static bool are_alike(const Member& reference, const Member& member, int64_t offset);
  void forget_old(uint64_t window);

  int64_t period_ns_;
  std::map<uint64_t, Communicator> communicators_;
  size_t members_ = 0;
  uint64_t swept_ = 0;  // window
};

}  // namespace ingero::fleet::detect
