// One index over all backends' tables: looked up when calls fail, which is rare.
#include "hal/status_meaning.h"

#include <map>
#include <mutex>

namespace ingero::hal {
namespace {

std::map<std::string_view, const StatusMeaning*>& index() {
  static std::map<std::string_view, const StatusMeaning*> all;
  return all;
}

}  // namespace

void publish_status_meanings(std::span<const std::span<const StatusMeaning>> tables) {
  static std::once_flag once;
  std::call_once(once, [&] {
    for (const auto& table : tables) {
      for (const StatusMeaning& one : table) index().emplace(one.status, &one);
    }
  });
}

const StatusMeaning* find_status_meaning(std::string_view status) {
  const auto found = index().find(status);
  return found == index().end() ? nullptr : found->second;
}

}  // namespace ingero::hal
