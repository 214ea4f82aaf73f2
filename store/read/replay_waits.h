// What a recording holds of waiting, read in step with the rows of a replay. Private to store/.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "hal/wait.h"
#include "store/db/sqlite.h"
#include "store/read/replay_dictionary.h"

namespace ingero::store {

class ReplayWaits {
 public:
  // `dictionary` outlives this. Samples outside of the wall times are left out.
  ReplayWaits(const ReplayDictionary& dictionary, int64_t from_wall_ns, int64_t to_wall_ns)
      : dictionary_(dictionary), from_(from_wall_ns), to_(to_wall_ns) {}
  // From row `first_seq` on. The dictionary is loaded.
  Status open(Database& database, int64_t first_seq);
  // Totals and samples that stood before row `seq` and belong to `session`; a smaller seq never comes again.
  Status feed(int64_t seq, int64_t session, ReplaySink& sink);
  // What the interval of row `seq` was.
  Status take(int64_t seq, const hal::Event& event, ReplaySink& sink);

 private:
  // A statement in order of seq, and whether it stands at a row.
  struct Cursor {
    Statement statement;
    bool has_row = false;
    Status open(Database& database, const std::string& sql);
    Status next();
    bool is_before(int64_t seq) const { return has_row && statement.integer(0) < seq; }
  };
  Status feed_totals(int64_t seq, int64_t session, ReplaySink& sink);
  Status feed_samples(int64_t seq, int64_t session, ReplaySink& sink);

  const ReplayDictionary& dictionary_;
  const int64_t from_, to_;
  Cursor waits_, totals_, samples_;
};

}  // namespace ingero::store
