// Flags that several commands share, and the part of a recording they select.
//
// Bad values are refused while parsing, with a sentence. Threads: none of this is shared between threads. Times are
// wall nanoseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/app.h"
#include "store/read/labels.h"
#include "store/read/reader.h"
#include "store/read/summary.h"
#include "store/read/time_range.h"

namespace ingero::cli {

using RangeOptions = store::RangeText;
// --since, --from, --to. `live_default` is what help says --since is for a live recording.
void add_range_options(Command command, RangeOptions& options, const std::string& live_default);

// --label: of the part that --since, --from and --to select, when this label held.
void add_label_option(Command command, std::string& label);

// --db, also as -d.
void add_database_option(Command command, std::string& database);

// kInvalid: no name for a node, as `flag` has it.
Status check_node(const std::string& node, std::string_view flag);

// Whether a recording is named (--db, INGERO_DB), or is at the default place.
bool has_recording(const std::string& database, const Context& context);

// What a command's flags say of the part of a recording that it is about.
struct PartOptions {
  RangeOptions range;
  uint32_t pid = 0;
  bool pid_given = false;
  std::string label;
  uint64_t last = 0;  // --last N: from the start of the N-th event from the end; 0: all
  bool is_any() const {
    return pid_given || last > 0 || !label.empty() || !range.since.empty() || !range.from.empty() || !range.to.empty();
  }
};
struct SelectedPart {
  store::Selection selection;
  std::optional<int64_t> run;  // the one that is meant, of a file with several
};
// What they select, and of a live recording without them what came in the last `live_default_ns`. A label narrows the
// range to when it held, and the pid too, where only one process said so. Which of several runs is meant goes to the
// error stream.
inline constexpr uint64_t kLiveDefaultNs = 3'600ULL * 1'000'000'000;  // of what shows rows
Result<SelectedPart> select_part(const PartOptions& options, const store::Reader& reader, const Context& context,
                                 uint64_t live_default_ns, uint64_t time_ns);
using store::parse_time;

// Opens what --db, INGERO_DB or the default place says.
Result<std::unique_ptr<store::Reader>> open_recording(const std::string& database, const Context& context);

}  // namespace ingero::cli
