// Where the steps of a program begin: the period of what it submits, found without any hint.
//
// Each call is a token: what it does, not to which stream. The content between two calls is the sum of the hashes of
// the tokens between them, so that order and interleaving do not matter. A token whose content between one occurrence
// and the next is mostly the same marks a period; the longest such period is the step. Only tokens of threads that both
// launch and wait for the device, again and again, mark periods, and of the first thread that launched, if it makes a
// sixteenth of the launches: another one that only launches does so for them (PyTorch's backward pass, also where it
// waits once, for its kernels to be tried). Of several, the first that launched gives the others their work.
//
// Text generation launches other kernels for each length of its cache: where no token marks a period by content, one
// does by about the same number of tokens between its occurrences. The contents of such steps are one.
//
// Invariants:
// N1  A token equal to the one before adds nothing: a loop of equal launches may have any number of turns.
// N2  Steps tile the time from the anchor's choice on: each begins where the one before ended, at the end of a call.
// N3  Another anchor is taken only after kBetter of its periods; memory is bounded by kMaxTokens.
// N4  A period by content comes before one by number, however long.
// N5  A period is over that was not seen for longer than it ever was: a warm-up or a search for the best kernel has
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
  uint64_t content = 0;  // of the step that ends here; one where its number of tokens is about the others'
  uint32_t tid = 0;
  bool is_break = false;  // no step ends here: another anchor was taken
};

class StepFinder {
 public:
  static constexpr uint32_t kFewTokens = 16;  // of a period by number, at least
  static constexpr size_t kMaxTokens = 512;
  static constexpr size_t kKept = 32;   // occurrences of each token
  static constexpr size_t kEnough = 8;  // before a period is believed
  static constexpr size_t kBetter = 16;
  static constexpr uint64_t kLatelyNs = 2'000'000'000;
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
    uint32_t tokens = 0;
  };
  struct Token {
    uint64_t first_ns = 0, last_ns = 0, last_sum = 0, last_number = 0, count = 0;
    uint32_t tid = 0;  // of the last one
    hal::CallId call = hal::kNoCall;
    std::vector<Occurrence> kept;  // a ring of kKept
    size_t next = 0;
  };
  struct Period {
    uint64_t token = 0, median_ns = 0, spread_ns = 0;
    uint32_t tokens = 0;  // 0: by content
  };
  struct Thread {
    std::optional<uint64_t> last_token;
    uint64_t first_launch_ns = 0;           // 0: it launches nothing
    double launches = 0;                    // of the last seconds
    std::array<uint64_t, kEnough> waits{};  // a ring: when it did
    size_t n_waits = 0;
    uint64_t waited_ns() const { return n_waits == 0 ? 0 : waits[(n_waits - 1) % kEnough]; }
  };
  std::optional<Period> by_content(uint64_t token, const Token& of) const;
  std::optional<Period> by_number(uint64_t token, const Token& of) const;
  std::optional<Period> period_with(uint64_t token, const Token& of, std::vector<uint64_t> lengths,
                                    uint64_t total_ns) const;
  Thread& thread_of(uint32_t tid);
  bool is_driver(const Thread& thread) const;
  bool leads(uint32_t tid, const Thread& thread) const;
  void choose_leaders();

  std::unordered_map<uint64_t, Token> tokens_;
  std::unordered_map<uint32_t, Thread> threads_;
  uint64_t sum_ = 0, number_ = 0, last_ns_ = 0;
  bool has_drivers_ = false;
  std::optional<uint32_t> leader_;  // tid of the first that launched
  std::optional<uint64_t> anchor_;
  uint32_t anchor_tokens_ = 0;  // of its period; 0: by content
  hal::CallId anchor_call_ = hal::kNoCall;
  uint64_t usual_ns_ = 0;
  std::optional<uint64_t> rival_;
  uint64_t rival_since_ = 0;
  std::vector<StepBoundary> boundaries_;
};

}  // namespace ingero::correlate
