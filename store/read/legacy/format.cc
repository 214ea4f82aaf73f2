// The legacy format: rows with one time and a duration, and little besides.
#include "store/read/format.h"

#include "store/read/legacy/legacy.h"

namespace ingero::store {

constinit const Format kLegacyFormat = {
    .layout = Layout::kLegacy,
    .holds = {.runs = false,
              .losses = false,
              .off_cpu = false,
              .unfinished = false,
              .devices = false,
              .kernels = false,
              .collectives = false,
              .inference = false},
    .has_blocks = false,
    .has_totals = false,
    .span_sql = "SELECT min(timestamp), max(timestamp) FROM main.events",
    .create_views = create_legacy_views,
    .load_names = load_legacy_names,
    .scan = scan_legacy,
    .replay = replay_legacy,
    .make_timeline_rows = make_legacy_timeline_rows,
};

}  // namespace ingero::store
