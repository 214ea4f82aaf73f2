// Our own format.
#include "store/read/format.h"

#include "store/db/schema_check.h"

namespace ingero::store {
namespace {

Status create_own_views(Database& database) {
  const Result<std::string> views = own_views_sql(database);
  INGERO_TRY(views);
  return database.execute(*views);
}

Status scan_own_rows(Database& database, const Names& names, const Filter& filter, const OnScanned& on) {
  return scan_rows(database, names, filter, filter.first_seq(), on);
}

}  // namespace

constinit const Format kOwnFormat = {
    .layout = Layout::kCurrent,
    .holds = {},
    .has_blocks = true,
    .has_totals = true,
    .span_sql = "SELECT min(start_wall_ns), max(end_wall_ns) FROM blocks",
    .create_views = create_own_views,
    .load_names = Names::load,
    .scan = scan_own_rows,
    .replay = replay_rows,
    .make_timeline_rows = make_stored_timeline_rows,
};

}  // namespace ingero::store
