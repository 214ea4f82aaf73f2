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

std::vector<std::pair<const SlowSetting*, std::string_view>> slow_settings_in(std::string_view untrusted,
                                                                              uint64_t cpus) {
  std::vector<std::pair<const SlowSetting*, std::string_view>> found;
  if (untrusted.empty()) return found;
  for (const std::string_view one : split(untrusted, ' ')) {
    const size_t equals = one.find('=');
    if (equals == std::string_view::npos) continue;
    const SlowSetting* known = find_slow_setting(one.substr(0, equals));
    if (known != nullptr && is_slow(*known, one.substr(equals + 1), cpus)) found.emplace_back(known, one);
  }
  return found;
}

bool blocks_launches(const SlowSetting& setting, std::string_view text) {
  if (!setting.blocks_launches || setting.blocking_values.empty()) return setting.blocks_launches;
  const auto values = split(setting.blocking_values, ',');
  return std::find(values.begin(), values.end(), text.substr(text.find('=') + 1)) != values.end();
}

bool makes_launches_block(std::string_view settings) {
  const auto found = slow_settings_in(settings, 0);
  return std::any_of(found.begin(), found.end(),
                     [](const auto& one) { return blocks_launches(*one.first, one.second); });
}

}  // namespace ingero::hal
