// The reader's state. For this room only.
#pragma once

#include "store/reader.h"
#include "store/sqlite.h"

namespace ingero::store {

struct Reader::Impl {
  std::string path;
  std::string version;
  Layout layout = Layout::kCurrent;
  bool live = false;
  bool immutable = false;  // opened as a file nobody writes
  mutable Database database;

  Status open();
  Status open_as(bool as_immutable);
  Status restrict();
  // A file that was at rest may have got a writer since: see it live from then on.
  Status refresh();
};

// compat_legacy.cc: TEMP views that give a recording of the earlier agent the names of ours.
Status create_legacy_views(Database& database);

}  // namespace ingero::store
