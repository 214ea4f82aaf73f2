// What a vendor's return code means for the program that gets it, and what to do about it; by the code's name, which no
// two vendors share.
//
// The tables are the backends'. Their registry publishes them when it is made, before there are other threads; after
// that they are read by any thread. Strings live as long as the program. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ingero::hal {

// Codes without a meaning are ordinary: the call failed, and nothing else did.
enum class StatusEffect : uint8_t {
  kOrdinary,
  kFatal,              // what the call was made on (context, communicator, device) cannot be used any more
  kFatalLater,         // likewise, and work submitted before did it (not hardware that broke): the call that returns
                       // the code is often innocent
  kOutOfDeviceMemory,  // an allocation on the device was refused; nothing else failed
};
constexpr bool is_fatal(StatusEffect effect) {
  return effect == StatusEffect::kFatal || effect == StatusEffect::kFatalLater;
}

struct StatusMeaning {
  std::string_view status;  // "illegalAddress": as the backend's table of return codes has it
  StatusEffect effect = StatusEffect::kOrdinary;
  std::string_view meaning;  // a sentence
  std::string_view remedy;   // one sentence or more
};

void publish_status_meanings(std::span<const std::span<const StatusMeaning>> tables);
// Null: nothing is known of it.
const StatusMeaning* find_status_meaning(std::string_view status);

}  // namespace ingero::hal
