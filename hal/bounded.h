// Bounds of containers that a traced process could make grow, and the count of what they drop.
//
// A bound without a count would hide that something is missing, so both come in one call, with the name in the loss
// ledger that this container has for itself. Thread-safe where the container is. Owns nothing. Failure: false, and the
// count.
#pragma once

#include <cstddef>

#include "hal/loss.h"

namespace ingero::hal {

// Whether `container` may take one more element. False: it is full, and the element that is dropped is counted.
template <typename Container>
[[nodiscard]] bool has_room(const Container& container, size_t max, Loss loss, LossLedger& ledger) {
  if (container.size() < max) return true;
  ledger.add(loss);
  return false;
}

// Empties a full container of what can be found out again, and counts what it held.
template <typename Container>
void clear_if_full(Container& container, size_t max, Loss loss, LossLedger& ledger) {
  if (container.size() < max) return;
  ledger.add(loss, container.size());
  container.clear();
}

}  // namespace ingero::hal
