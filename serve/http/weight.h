// How long a request may take: which of the threads that answer it may use (workers.h).
#pragma once

#include <cstdint>

namespace ingero::serve::http {

enum class Weight : uint8_t {
  kLight,  // answered at once: never waits for the others
  kUsual,
  kHeavy,  // as long as its time limit: half of the threads at most
};

}  // namespace ingero::serve::http
