// One list over all backends' tables: a few entries, looked up when a process is first seen.
#include "hal/slow_settings.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace ingero::hal {
namespace {

// OpenMP API Specification 5.2, "Environment Variables"; Python documentation, "Command line and environment".
constexpr SlowSetting kOfNoVendor[] = {
    {"OMP_NUM_THREADS", TimeClass::kCpuWait, "more threads than CPUs", {}, true},
    {"OMP_WAIT_POLICY", TimeClass::kCpuWait, "threads of OpenMP keep their CPUs while they wait", "ACTIVE,active"},
    {"PYTHONDEVMODE", TimeClass::kHost, "Python checks each of its allocations"},
    {"PYTHONMALLOC", TimeClass::kHost, "Python checks each of its allocations", "debug,malloc_debug,pymalloc_debug"},
};

std::vector<SlowSetting>& list() {
  static std::vector<SlowSetting> all(std::begin(kOfNoVendor), std::end(kOfNoVendor));
  return all;
}

}  // namespace

void publish_slow_settings(std::span<const std::span<const SlowSetting>> tables) {
  // Not std::call_once(): an exception of it unwinds through the C library, which aborts where it cannot allocate.
  [[maybe_unused]] static const bool once = [&] {
    for (const auto& table : tables) list().insert(list().end(), table.begin(), table.end());
    return true;
  }();
}

bool is_slow(const SlowSetting& setting, std::string_view value, uint64_t cpus) {
  if (setting.is_thread_count) {
    const auto threads = parse_u64(value);
    return threads && cpus > 0 && *threads > cpus;
  }
  if (setting.only_values.empty()) return value != "0";
  const auto values = split(setting.only_values, ',');
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::span<const SlowSetting> slow_settings() { return list(); }

const SlowSetting* find_slow_setting(std::string_view name) {
  const auto found =
      std::find_if(list().begin(), list().end(), [&](const SlowSetting& one) { return one.name == name; });
  return found == list().end() ? nullptr : &*found;
}

bool makes_launches_block(std::string_view settings) {
  if (settings.empty()) return false;
  const auto words = split(settings, ' ');
  return std::any_of(words.begin(), words.end(), [](std::string_view word) {
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) return false;
    const SlowSetting* known = find_slow_setting(word.substr(0, equals));
    return known != nullptr && known->blocks_launches && is_slow(*known, word.substr(equals + 1), 0);
  });
}

}  // namespace ingero::hal
