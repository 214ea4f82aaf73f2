// Where the steps of a program begin: the period of what it submits, found without any hint.
//
// Each call is a token: what it does, not to which stream. The content between two calls is the sum of the hashes of
// the tokens between them, so that order and interleaving do not matter. A token whose content between one occurrence
// and the next is mostly the same marks a period; the longest such period is the step. Where a thread both launches and
// waits for the device, the steps are its: another one that only launches does so for it (PyTorch's backward pass, also
// where it waited once, for its kernels to be tried).
//
// Invariants:
// N1  A token equal to the one before adds nothing: a loop of equal launches may have any number of turns.
// N2  Steps tile the time from the anchor's choice on: each begins where the one before ended, at the end of a call.
// N3  Another anchor is taken only after kBetter of its periods; memory is bounded by kMaxTokens.
// N4  A period is over that was not seen for longer than it ever was: a warm-up or a search for the best kernel has
//     periods, too. An evaluation does not end the training around it.
//
// Pure and deterministic; one thread. Feed outermost calls in the order of their ends.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "correlate/device_time.h"
#include "correlate/facts.h"

namespace ingero::correlate {

struct StepBoundary {
  uint64_t mono_ns = 0;
  uint64_t content = 0;  // of the step that ends here
  uint32_t tid = 0;
  bool is_break = false;  // no step ends here: another anchor was taken
};

class StepFinder {
 public:
  static constexpr size_t kMaxTokens = 512;
  static constexpr size_t kKept = 32;   // occurrences of each token
  static constexpr size_t kEnough = 8;  // before a period is believed
  static constexpr size_t kBetter = 16;
  static constexpr uint64_t kShortestNs = 1'000'000, kLongestNs = 60'000'000'000;

  void add(const BudgetCall& call, const CallFacts& facts);
  // Once a second.
  void choose();
  std::vector<StepBoundary> take() { return std::exchange(boundaries_, {}); }
  bool has_anchor() const { return anchor_.has_value(); }
  hal::CallId anchor_call() const { return anchor_call_; }
  uint64_t usual_ns() const { return usual_ns_; }

 private:
  struct Occurrence {
    uint64_t ns = 0, content = 0;
  };
  struct Token {
    uint64_t first_ns = 0, last_ns = 0, last_sum = 0, count = 0;
    uint32_t tid = 0;  // of the last one
    hal::CallId call = hal::kNoCall;
    std::array<Occurrence, kKept> kept{};
    size_t n_kept = 0, next = 0;
  };
  struct Period {
    uint64_t token = 0, median_ns = 0, spread_ns = 0;
  };
  struct Thread {
    std::optional<uint64_t> last_token;
    bool launches = false;
    uint64_t waited_ns = 0;  // when it last did; 0: never
  };
  std::optional<Period> period_of(uint64_t token, const Token& of) const;
  Thread& thread_of(uint32_t tid);
  bool is_of_driver(const Token& token) const;

  std::unordered_map<uint64_t, Token> tokens_;
  std::unordered_map<uint32_t, Thread> threads_;
  uint64_t sum_ = 0, last_ns_ = 0;
  std::optional<uint64_t> anchor_;
  hal::CallId anchor_call_ = hal::kNoCall;
  uint64_t usual_ns_ = 0;
  std::optional<uint64_t> rival_;
  uint64_t rival_since_ = 0;
  std::vector<StepBoundary> boundaries_;
};

}  // namespace ingero::correlate
