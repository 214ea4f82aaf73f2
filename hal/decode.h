// Decodes captured words into event fields: the counterpart of lower.h. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "hal/call_table.h"
#include "hal/event.h"
#include "hal/lower.h"

namespace ingero::hal {

// Fills `event`'s vendor fields from the words of one call of `call` (which must have a row). `untrusted_words` come
// from the traced process; bit i of `valid` says whether word i could be read; unreadable ones stay absent. Also sets
// return_code, failed and kReturnCode from the raw return register when the call returned (event.outcome). Words
// written by the callee count only when the call succeeded. Derives bytes of 2D and 3D copies (width*height*depth,
// saturating at INT64_MAX) and of typed counts, the grid of work-item launches, and the direction through the backend's
// table. `exchange`, where given, gets what only calls of collective libraries say.
void decode(const Call& call, const Lowered& lowered, std::span<const uint64_t> untrusted_words, uint16_t valid,
            uint64_t raw_return, Event& event, Exchange* exchange = nullptr);

}  // namespace ingero::hal
