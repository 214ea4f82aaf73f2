// Environment variables that are known to slow or serialize the work of a program, by the class of time in which their
// effect is seen. The only ones of a traced process's environment, besides its rank and job, that are recorded.
//
// The tables are the backends', and one of what no vendor has. Their registry publishes them when it is made, before
// there are other threads; after that they are read by any thread. Strings live as long as the program. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/time_class.h"

namespace ingero::hal {

struct SlowSetting {
  std::string_view name;
  TimeClass shows_in;
  std::string_view effect;  // the rest of a sentence
  // "a,b": of other values there is none; empty: of any but 0.
  std::string_view only_values = {};
  bool is_thread_count = false;           // it slows where it is more than the CPUs that there are
  bool blocks_launches = false;           // each launch returns when its work is done
  std::string_view blocking_values = {};  // with which that is so; empty: with any that slows
};
// Whether that value of it slows a program down where there are `cpus` CPUs; 0: not known how many.
bool is_slow(const SlowSetting& setting, std::string_view value, uint64_t cpus);

void publish_slow_settings(std::span<const std::span<const SlowSetting>> tables);
std::span<const SlowSetting> slow_settings();
// Null: it is none.
const SlowSetting* find_slow_setting(std::string_view name);
// Of a process's settings, "NAME=value NAME=value": those that slow it down, each with its text. `untrusted` outlives
// it.
std::vector<std::pair<const SlowSetting*, std::string_view>> slow_settings_in(std::string_view untrusted,
                                                                              uint64_t cpus);
// Whether launches block with it, of a text that slow_settings_in() gave: "NAME=value".
bool blocks_launches(const SlowSetting& setting, std::string_view text);
// Is one among them with which launches block?
bool makes_launches_block(std::string_view settings);

}  // namespace ingero::hal
