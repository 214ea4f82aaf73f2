// The names of the ways in which a call can end, as stored and shown.
#include "hal/event.h"

namespace ingero::hal {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kReturned:
      return "returned";
    case Outcome::kUnwound:
      return "unwound";
    case Outcome::kExited:
      return "exited";
    case Outcome::kExeced:
      return "execed";
    case Outcome::kInFlight:
      return "in flight";
    case Outcome::kNeverReturned:
      return "never returned";
  }
  return "unknown";
}

}  // namespace ingero::hal
