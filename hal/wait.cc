// The names of what threads wait for, as stored and shown.
#include "hal/wait.h"

#include <algorithm>
#include <vector>

namespace ingero::hal {
namespace {

std::vector<std::string_view>& completion_threads() {
  static std::vector<std::string_view> all;
  return all;
}

}  // namespace

void publish_completion_threads(std::span<const std::span<const std::string_view>> names) {
  // Not std::call_once(): see slow_settings.cc.
  [[maybe_unused]] static const bool once = [&] {
    for (const auto& of_one : names) {
      completion_threads().insert(completion_threads().end(), of_one.begin(), of_one.end());
    }
    return true;
  }();
}

bool is_completion_thread(std::string_view name) {
  const std::vector<std::string_view>& all = completion_threads();
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::string_view name_of(WaitKind kind) {
  static constexpr std::array<std::string_view, kWaitKinds> kNames = {
      "unknown", "preempted",  "throttled", "stopped",  "traced",     "frozen",   "disk",
      "reclaim", "page fault", "pipe",      "socket",   "futex",      "poll",     "child",
      "sleep",   "driver",     "file",      "terminal", "event file", "io_uring", "other"};
  const auto at = static_cast<size_t>(kind);
  return at < kNames.size() ? kNames[at] : "unknown";
}

}  // namespace ingero::hal
