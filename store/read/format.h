// How the rows of a recording are read, by its format, and what it holds. Chosen once, when a recording is opened.
// Private to store/. Failure: the store's.
#pragma once

#include <memory>

#include "store/read/reader.h"
#include "store/read/replay.h"
#include "store/read/scan.h"
#include "store/read/timeline_rows.h"

namespace ingero::store {

struct Format {
  Layout layout;
  Holds holds;
  bool has_blocks;       // which know the times of their rows
  bool has_totals;       // of each call
  const char* span_sql;  // the first and the last wall time
  // TEMP views with the names that queries use.
  Status (*create_views)(Database& database);
  Result<Names> (*load_names)(Database& database);
  // All rows that the filter accepts, in order.
  Status (*scan)(Database& database, const Names& names, const Filter& filter, const OnScanned& on);
  Status (*replay)(Database& database, const Selection& selection, ReplaySink& sink);
  std::unique_ptr<TimelineRows> (*make_timeline_rows)();
};

// Our own rows: replay.cc.
Status replay_rows(Database& database, const Selection& selection, ReplaySink& sink);

extern const Format kOwnFormat;     // format.cc
extern const Format kLegacyFormat;  // legacy/format.cc

}  // namespace ingero::store
