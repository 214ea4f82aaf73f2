// One index over all backends' tables: looked up when calls fail, which is rare.
#include "hal/status_meaning.h"

#include <map>

namespace ingero::hal {
namespace {

std::map<std::string_view, const StatusMeaning*>& index() {
  static std::map<std::string_view, const StatusMeaning*> all;
  return all;
}

}  // namespace

void publish_status_meanings(std::span<const std::span<const StatusMeaning>> tables) {
  // Not std::call_once(): see slow_settings.cc.
  [[maybe_unused]] static const bool once = [&] {
    for (const auto& table : tables) {
      for (const StatusMeaning& one : table) index().emplace(one.status, &one);
    }
    return true;
  }();
}

const StatusMeaning* find_status_meaning(std::string_view status) {
  const auto found = index().find(status);
  return found == index().end() ? nullptr : found->second;
}

}  // namespace ingero::hal
