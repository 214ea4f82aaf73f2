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

// What the flags select, and of a live recording without them what came in the last `live_default_ns`.
inline constexpr uint64_t kLiveDefaultNs = 3'600ULL * 1'000'000'000;  // of what shows rows
using store::TimeRange;
inline Result<TimeRange> resolve_range(const RangeOptions& options, const store::Reader& reader, const Clock& clock,
                                       uint64_t live_default_ns) {
  return store::resolve_range(options, reader, clock, live_default_ns, "--");
}
using store::parse_time;
// On the error stream: which of several runs is shown.
void note_run(const TimeRange& range, const Context& context);

// `range`, narrowed to when --label held (empty: as it is); the pid too, where only one process said so.
Status select_label(const std::string& label, const store::Reader& reader, store::Selection& selection);

// Opens what --db, INGERO_DB or the default place says.
Result<std::unique_ptr<store::Reader>> open_recording(const std::string& database, const Context& context);

// --op: kInvalid where no call of the recording has this name, with the one that may be meant.
Status check_op(const std::string& op, const store::Reader& reader, uint64_t time_ns);

// --last N: from the start of the N-th event from the end.
Status select_last(const store::Reader& reader, uint64_t count, uint64_t time_ns, store::Selection& selection);

}  // namespace ingero::cli
