// The names of what threads wait for, as stored and shown.
#include "hal/wait.h"

namespace ingero::hal {

std::string_view name_of(WaitKind kind) {
  static constexpr std::array<std::string_view, kWaitKinds> kNames = {
      "unknown", "preempted",  "throttled", "stopped",  "traced",     "frozen",   "disk",
      "reclaim", "page fault", "pipe",      "socket",   "futex",      "poll",     "child",
      "sleep",   "driver",     "file",      "terminal", "event file", "io_uring", "other"};
  const auto at = static_cast<size_t>(kind);
  return at < kNames.size() ? kNames[at] : "unknown";
}

}  // namespace ingero::hal
