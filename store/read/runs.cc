// Reads the table `sessions`, and looks for the log next to the file.
#include "store/read/runs.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/text.h"

namespace ingero::store {

Result<std::vector<Run>> runs(const Reader& reader) {
  std::vector<Run> found;
  const auto outcome = reader.query("SELECT id, started_at, stopped_at, node FROM sessions ORDER BY started_at, id", {},
                                    [&](std::span<const Value> row) {
                                      Run& run = found.emplace_back();
                                      run.id = row[0].integer;
                                      run.started_wall_ns = static_cast<uint64_t>(std::max<int64_t>(0, row[1].integer));
                                      if (row[2].integer > 0) {
                                        run.stopped_wall_ns = static_cast<uint64_t>(row[2].integer);
                                      }
                                      run.node = row[3].as_text();
                                      return true;
                                    });
  if (!outcome.ok()) return outcome.error();
  return found;
}

Ending ending_of(const Reader& reader, const std::vector<Run>& runs, std::optional<int64_t> run) {
  if (!reader.holds().losses) return Ending::kUnknown;
  // The log of an agent that did not end stays where it is; SQLite removes it at a proper end.
  const auto missing = [&] {
    struct stat status {};
    const bool has_log = ::stat((reader.path() + "-wal").c_str(), &status) == 0;
    return has_log || reader.is_live() ? Ending::kMissing : Ending::kLogIsLost;
  };
  if (runs.empty()) return reader.is_live() ? Ending::kLive : missing();  // killed before its first run began
  const auto newest =
      std::ranges::max_element(runs, [](const Run& one, const Run& other) { return one.id < other.id; });
  bool is_live = false;
  for (const Run& one : runs) {
    if (one.stopped_wall_ns || (run && one.id != *run)) continue;
    if (reader.is_live() && one.id == newest->id) {
      is_live = true;
      continue;
    }
    return missing();
  }
  return is_live ? Ending::kLive : Ending::kProper;
}

Result<std::vector<LossCount>> losses_of_run(const Reader& reader, int64_t run) {
  std::vector<LossCount> counts;
  const Bound bound[] = {Bound::of(run)};
  const auto outcome = reader.query(
      "SELECT name, severity, sentence, count FROM loss WHERE session = ? AND count > 0 ORDER BY 1", {},
      [&](std::span<const Value> row) {
        counts.push_back({row[0].as_text(), row[1].as_text(), row[2].as_text(), static_cast<uint64_t>(row[3].integer)});
        return true;
      },
      {}, bound);
  if (!outcome.ok()) return outcome.error();
  return counts;
}

std::string ending_sentence(Ending ending, const std::string& file) {
  if (ending == Ending::kMissing) {
    return "The recording has no proper end (the agent was killed, its disk was full or the machine stopped): what was "
           "captured last may be missing.";
  }
  if (ending == Ending::kLogIsLost) {
    return fmt::format(
        "The recording has no proper end, and its write-ahead log, {}-wal, is not next to it: what was captured last "
        "is "
        "in that file. Copy both files, or let ingero end first.",
        file);
  }
  return {};
}

}  // namespace ingero::store
