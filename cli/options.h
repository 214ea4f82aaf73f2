// Flags that several commands share, and the part of a recording they select.
//
// Bad values are refused while parsing, with a sentence. Threads: none of this is shared between threads. Times are
// wall nanoseconds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "cli/app.h"
#include "store/reader.h"

namespace ingero::cli {

// Accepts what parse_duration_ns and parse_size_bytes accept; refuses with their sentence.
CLI::Validator duration_check();
CLI::Validator size_check();

struct RangeOptions {
  std::string since;
  std::string from;
  std::string to;
};
// --since, --from, --to. `live_default` is what help says --since is for a live recording.
void add_range_options(CLI::App& command, RangeOptions& options, const std::string& live_default);

// --db, also as -d.
void add_database_option(CLI::App& command, std::string& database);

struct TimeRange {
  std::optional<uint64_t> from_wall_ns;
  std::optional<uint64_t> to_wall_ns;
};
// What the flags select. --since counts back from now in a live recording, from the last event in a finished one. With
// none of the flags a finished recording is selected whole, a live one from `live_default_ns` ago.
Result<TimeRange> resolve_range(const RangeOptions& options, const store::Reader& reader, const Clock& clock,
                                uint64_t live_default_ns);

// "2026-11-21 02:26[:36[.5]]", with T between, or the time alone (on the day of `day_wall_ns`); local time unless Z or
// an offset (+01:00) follows. Also a date alone.
Result<uint64_t> parse_time(std::string_view text, uint64_t day_wall_ns);

// Opens what --db, INGERO_DB or the default place says.
Result<std::unique_ptr<store::Reader>> open_recording(const std::string& database, const Context& context);

}  // namespace ingero::cli
