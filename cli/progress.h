// How far long work is: one line on standard error that is written over and over, on a terminal only, and gone at the
// end. One thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <fmt/format.h>

#include "cli/app.h"

namespace ingero::cli {

class Progress {
 public:
  explicit Progress(Context& context) : context_(context) {}
  ~Progress() {
    if (shown_) context_.err << "\r\x1b[K" << std::flush;
  }
  bool wanted() const { return context_.err_is_terminal; }
  void update(uint64_t done, uint64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    shown_ = true;
    context_.err << (all == 0 ? fmt::format("\r{} events\x1b[K", done)
                              : fmt::format("\r{} of {} events, {}%\x1b[K", done, all, 100 * std::min(done, all) / all))
                 << std::flush;
  }

 private:
  Context& context_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool shown_ = false;
};

}  // namespace ingero::cli
