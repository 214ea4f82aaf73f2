// Parses times and durations as users type them, and turns them into the range of a recording.
#include "store/read/time_range.h"

#include <algorithm>
#include <charconv>
#include <ctime>

#include "base/clock.h"
#include "base/text.h"
#include "store/read/runs.h"
#include "store/read/selection_sql.h"

namespace ingero::store {
namespace {

// Takes a number of `digits` digits off the front of `text`.
bool take_number(std::string_view& text, size_t digits, int& value) {
  if (text.size() < digits) return false;
  value = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, std::string_view choices) {
  if (text.empty() || choices.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text, tm& parts) {
  std::string_view rest = text;
  if (!take_number(rest, 4, parts.tm_year) || !take(rest, "-") || !take_number(rest, 2, parts.tm_mon) ||
      !take(rest, "-") || !take_number(rest, 2, parts.tm_mday)) {
    return false;
  }
  text = rest;
  return true;
}

bool take_clock(std::string_view& text, tm& parts, uint64_t& fraction_ns) {
  if (!take_number(text, 2, parts.tm_hour) || !take(text, ":") || !take_number(text, 2, parts.tm_min)) return false;
  if (!take(text, ":")) return true;
  if (!take_number(text, 2, parts.tm_sec)) return false;
  if (!take(text, ".")) return true;
  uint64_t scale = kSecond / 10;
  size_t digits = 0;
  for (int digit = 0; digits < 9 && take_number(text, 1, digit); ++digits) {
    fraction_ns += static_cast<uint64_t>(digit) * scale;
    scale /= 10;
  }
  return digits > 0;
}

// What follows the clock: nothing (local time), Z, or +HH:MM.
bool take_zone(std::string_view& text, std::optional<int>& offset_seconds) {
  if (take(text, "Zz")) {
    offset_seconds = 0;
    return true;
  }
  const bool behind = !text.empty() && text.front() == '-';
  if (!take(text, "+-")) return true;
  int hours = 0;
  int minutes = 0;
  if (!take_number(text, 2, hours) || !take(text, ":") || !take_number(text, 2, minutes)) return false;
  offset_seconds = (hours * 3600 + minutes * 60) * (behind ? -1 : 1);
  return true;
}

bool in_calendar(const tm& parts) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int year = parts.tm_year;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (parts.tm_mon < 1 || parts.tm_mon > 12 || parts.tm_hour > 23 || parts.tm_min > 59 || parts.tm_sec > 60)
    return false;
  const int days = kDays[parts.tm_mon - 1] + (leap && parts.tm_mon == 2 ? 1 : 0);
  return year >= 1970 && parts.tm_mday >= 1 && parts.tm_mday <= days;
}

// Recorded on one node, one after the other: then "the last one" has a meaning.
bool are_successive(const std::vector<Run>& runs) {
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].node != runs[0].node) return false;
    if (runs[i - 1].stopped_wall_ns.value_or(0) > runs[i].started_wall_ns) return false;
  }
  return true;
}

// Narrows the range to the run that is meant.
Status choose_run(const RangeText& text, const Reader& reader, const std::string& prefix, TimeRange& range) {
  if (!reader.holds().runs || text.run == "all") return {};
  const auto found = runs(reader);
  if (!found.ok()) return found.error();
  const bool has_time = !text.since.empty() || !text.from.empty() || !text.to.empty();
  const size_t count = found->size();
  size_t chosen = count;  // from 1
  if (!text.run.empty()) {
    const auto [end, failure] = std::from_chars(text.run.data(), text.run.data() + text.run.size(), chosen);
    if (failure != std::errc{} || end != text.run.data() + text.run.size() || chosen < 1 || chosen > count) {
      return Error(
          Errc::kInvalid,
          fmt::format("{}run {}: the recording holds {}", prefix, printable(text.run, 64), plural(count, "run")),
          count == 0 ? "leave it out" : fmt::format("give a number from 1 to {}, or all", count));
    }
  } else if (count < 2 || has_time || !are_successive(*found)) {
    return {};
  }
  if (count < 2) return {};
  if (!are_successive(*found)) {
    return Error(Errc::kInvalid,
                 fmt::format("{}run {}: the runs in this recording are of several nodes, or at the same time", prefix,
                             printable(text.run, 64)),
                 fmt::format("leave it out, or choose a time with {}from and {}to", prefix, prefix));
  }
  const Run& run = (*found)[chosen - 1];
  range.run = run.id;
  range.run_note = fmt::format("run {} of {} in this file; {}run 1 to {} shows another, {}run all every one", chosen,
                               count, prefix, count, prefix);
  range.from_wall_ns = std::max(range.from_wall_ns.value_or(0), run.started_wall_ns);
  if (chosen < count) {
    const uint64_t last = (*found)[chosen].started_wall_ns - 1;
    range.to_wall_ns = std::min(range.to_wall_ns.value_or(last), last);
  }
  return {};
}

}  // namespace

Result<uint64_t> parse_time(std::string_view text, uint64_t day_wall_ns) {
  const Error bad{Errc::kInvalid, fmt::format("time \"{}\": not understood", printable(text, 64)),
                  "write it like \"2026-11-21 02:26:36\" or \"02:26\", with a Z for UTC"};
  tm parts{};
  std::string_view rest = trim(text);
  uint64_t fraction_ns = 0;
  std::optional<int> offset_seconds;
  const bool dated = take_date(rest, parts);
  const bool timed = !dated || !rest.empty();
  if (dated && timed && !take(rest, "T ")) return bad;
  if (timed && (!take_clock(rest, parts, fraction_ns) || !take_zone(rest, offset_seconds))) return bad;
  if (!rest.empty()) return bad;
  if (!dated) {
    // The day is read in the same zone as the time.
    const auto day = static_cast<time_t>(day_wall_ns / kSecond) + offset_seconds.value_or(0);
    tm today{};
    if ((offset_seconds ? gmtime_r(&day, &today) : localtime_r(&day, &today)) == nullptr) return bad;
    parts.tm_year = today.tm_year + 1900;
    parts.tm_mon = today.tm_mon + 1;
    parts.tm_mday = today.tm_mday;
  }
  if (!in_calendar(parts)) return bad;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  parts.tm_isdst = -1;
  const time_t seconds = offset_seconds ? timegm(&parts) - *offset_seconds : mktime(&parts);
  if (seconds < 0) return bad;
  constexpr uint64_t kLast = INT64_MAX;  // in the year 2262: a later time is as good
  if (static_cast<uint64_t>(seconds) >= kLast / kSecond) return kLast;
  return static_cast<uint64_t>(seconds) * kSecond + fraction_ns;
}

Result<TimeRange> resolve_range(const RangeText& text, const Reader& reader, const Clock& clock,
                                uint64_t live_default_ns, const std::string& prefix) {
  const uint64_t now = clock.wall_ns();
  uint64_t end = now;
  if (!reader.is_live()) {
    const auto span = reader.time_span();
    if (!span.ok()) return span.error();
    if (*span) end = (*span)->last_wall_ns;
  }
  TimeRange range;
  const auto back = [&](uint64_t span_ns) { range.from_wall_ns = end > span_ns ? end - span_ns : 0; };
  if (!text.from.empty()) {
    const auto from = parse_time(text.from, end);
    if (!from.ok()) return from.error().in(prefix + "from");
    range.from_wall_ns = *from;
  }
  if (!text.to.empty()) {
    const auto to = parse_time(text.to, end);
    if (!to.ok()) return to.error().in(prefix + "to");
    range.to_wall_ns = *to;
  }
  if (range.from_wall_ns && range.to_wall_ns && *range.from_wall_ns > *range.to_wall_ns) {
    return Error{Errc::kInvalid, prefix + "from is later than " + prefix + "to"};
  }
  if (!text.since.empty()) {
    const auto since = parse_duration_ns(text.since);
    if (!since.ok()) return since.error().in(prefix + "since");
    back(*since);
  } else if (text.from.empty() && text.to.empty() && reader.is_live() && live_default_ns != 0) {
    back(live_default_ns);
  }
  INGERO_TRY(choose_run(text, reader, prefix, range));
  return range;
}

Status select_last(const Reader& reader, uint64_t count, uint64_t time_ns, Selection& selection) {
  QueryLimits limits;
  limits.time_ns = time_ns;
  Conditions part;
  part.add_range(selection, "e.timestamp", "e.timestamp");
  part.add_pid(selection, "e.pid");
  const auto skipped = static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX)) - 1;
  const auto outcome = reader.query(
      fmt::format("SELECT e.timestamp FROM events e{} ORDER BY 1 DESC LIMIT 1 OFFSET {}", part.where(), skipped),
      limits,
      [&](std::span<const Value> values) {
        if (values[0].is_null()) return true;
        const auto from_ns = static_cast<uint64_t>(std::max<int64_t>(0, values[0].integer));
        selection.from_wall_ns = std::max(selection.from_wall_ns.value_or(0), from_ns);
        return true;
      },
      {}, part.bound());
  return outcome.ok() ? Status{} : Status{outcome.error()};
}

}  // namespace ingero::store
