// Whether a whole job has become slower than it was, while no rank of it is: where hosts run ahead of a slow device,
// it delays all ranks alike, and comparing ranks with each other is silent, as it must be.
//
// A window's pace is the time from one collective to the next, as own work and waits have it (windows have few steps,
// and their number alone says too little): the median over the ranks, in the largest communicator that they have. It is
// compared with the job's own median of the last kHistory windows, and summed up as a rank's
// effect is: S grows by clip((d - kPaceFloor) / 0.02, -2, +2), the job is slower from 7 on, and no longer at 0.
//
// J1  It is not one rank's share of the work: it counts only where all ranks wait longer, or the work of all is longer.
//     Where one rank does not wait, the others wait for it, and the rule that compares ranks names it; and so where
//     the work of some, a half or more of them, is as it was.
// J2  It is the same job: where the number of its ranks or the bytes of its collectives change, it begins anew.
// J3  What it is compared with are windows in which it was not slow; but a pace that lasts for kHistory windows is its
//     usual one, and then the change is over.
//
// Pure and deterministic; one thread at a time; bounded by kMaxSamplesOfWindow and kMaxOpenWindows. Failure: none; what
// is beyond a bound is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace ingero::fleet::detect {

// One rank in one communicator in one window.
struct PaceSample {
  uint64_t window = 0;  // its number
  uint32_t rank = 0, nranks = 0;
  uint64_t count = 0;  // collectives
  double work_s = 0;   // own work before each
  double wait_s = 0;   // of the whole window
  double bytes = 0;    // of each collective
};

struct PaceChange {
  uint64_t from_window = 0, last_window = 0;
  bool is_over = false;
  double effect = 0;  // the mean since it began, as what follows
  double pace_s = 0, usual_pace_s = 0;
  double more_work_s = 0;  // of each collective, than usual: of a rank that works less than nine in ten
  double more_wait_s = 0;  // of the rank that waits least
};

class Pace {
 public:
  static constexpr size_t kHistory = 120, kMinHistory = 12, kMaxSamplesOfWindow = 1 << 17, kMaxOpenWindows = 32;
  static constexpr double kPaceFloor = 0.05, kSlower = 7;

  void add(const PaceSample& sample);
  // Evaluates the windows to `window`. `has_suspects`: a rank may be what the others wait for. When the job has become
  // slower, each window while it is, and when it no longer is; else nothing.
  std::optional<PaceChange> advance(uint64_t window, bool has_suspects);
  // Nothing comes of the job any more: what was open, as it was last.
  std::optional<PaceChange> end();
  std::optional<PaceChange> open() const { return open_; }
  double score() const { return score_; }

 private:
  struct Window {
    std::vector<PaceSample> samples;
  };
  struct Measured {
    double pace_s = 0, little_work_s = 0, least_wait_s = 0;
  };
  std::optional<Measured> measure(const std::vector<PaceSample>& samples);
  Measured usual() const;
  std::optional<PaceChange> evaluate(uint64_t window, const Measured& now, bool has_suspects);
  void begin_anew();

  std::map<uint64_t, Window> pending_;
  std::deque<Measured> history_;
  size_t ranks_ = 0;
  int64_t octaves_ = 0;  // half ones, of the bytes of a collective
  double score_ = 0;
  // Since the score last was 0: sums.
  uint64_t from_window_ = 0;
  size_t windows_ = 0;
  Measured sum_;
  std::optional<PaceChange> open_;
};

}  // namespace ingero::fleet::detect
