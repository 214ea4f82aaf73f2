// Which part of a recording a question is about: "the last 5m", "from 02:26 to 02:27". Wall nanoseconds. Thread-safe
// but for the reader.
//
// Owns its texts. Failure: kInvalid names the flag and what was expected; else the store's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::store {

// As typed; empty: not given.
struct RangeText {
  std::string since;
  std::string from;
  std::string to;
  std::string run;  // its number, or "all"
};

struct TimeRange {
  std::optional<uint64_t> from_wall_ns;
  std::optional<uint64_t> to_wall_ns;
  std::optional<int64_t> run;  // the one run that is meant, of a file with several
  std::string run_note;        // which of several runs is meant, and how to name another; empty: there is one
};
// `since` counts back from now in a live recording, from the last event in a finished one. With nothing given a
// finished recording is meant whole, a live one from `live_default_ns` ago (0: whole). Of a file with several runs the
// last is meant where no time is given: runs of one node, one after the other; a merged file has none to choose from.
// `prefix` precedes the names in errors.
Result<TimeRange> resolve_range(const RangeText& text, const Reader& reader, const Clock& clock,
                                uint64_t live_default_ns, const std::string& prefix);

// "2026-11-21 02:26[:36[.5]]", with T between, or the time alone (on the day of `day_wall_ns`); local time unless Z or
// an offset (+01:00) follows. Also a date alone.
Result<uint64_t> parse_time(std::string_view text, uint64_t day_wall_ns);

// Narrows it to what came from the start of the `count`-th of its events, from the end, on.
Status select_last(const Reader& reader, uint64_t count, uint64_t time_ns, Selection& selection);

}  // namespace ingero::store
