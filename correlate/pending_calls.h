// Calls of one process that no window has taken yet, in some fifteen bytes each, not ninety: all calls of the last
// seconds wait so, and where programs are short those of a thousand programs.
//
// Owns its bytes; how many calls there may be is the caller's to bound. One thread. Failure: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "correlate/device_time.h"

namespace ingero::correlate {

class PendingCalls {
 public:
  // What ends in one window is taken at once.
  explicit PendingCalls(uint64_t window_ns) : window_ns_(window_ns) {}

  void add(const BudgetCall& call);
  // Where the window begins in which the first of them ended; ~0: there are none.
  uint64_t first_window_ns() const;
  // Puts those that ended before `mono_ns`, where a window begins, behind what is in `into`, in no certain order.
  void take(uint64_t mono_ns, std::vector<BudgetCall>& into);

 private:
  using Words = std::array<uint64_t, 10>;  // of a call
  struct Window {
    uint64_t number = 0;
    Words last{};
    std::string packed;  // each call as its difference from the one before it
  };
  static Words words_of(const BudgetCall& call);
  static BudgetCall call_of(const Words& words);

  uint64_t window_ns_;
  std::vector<Window> windows_;  // with something in them: as many as events may be late
};

}  // namespace ingero::correlate
