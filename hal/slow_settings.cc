// One list over all backends' tables: a few entries, looked up when a process is first seen.
#include "hal/slow_settings.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace ingero::hal {
namespace {

std::vector<SlowSetting>& list() {
  static std::vector<SlowSetting> all;
  return all;
}

}  // namespace

void publish_slow_settings(std::span<const std::span<const SlowSetting>> tables) {
  static std::once_flag once;
  std::call_once(once, [&] {
    for (const auto& table : tables) list().insert(list().end(), table.begin(), table.end());
  });
}

std::span<const SlowSetting> slow_settings() { return list(); }

const SlowSetting* find_slow_setting(std::string_view name) {
  const auto found =
      std::find_if(list().begin(), list().end(), [&](const SlowSetting& one) { return one.name == name; });
  return found == list().end() ? nullptr : &*found;
}

}  // namespace ingero::hal
