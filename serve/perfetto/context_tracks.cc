// Writes the tracks of sessions, causal chains, annotations and counters, with one query each.
#include "serve/perfetto/context_tracks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "store/read/selection_sql.h"

namespace ingero::serve::perfetto {
namespace {

using store::Value;
using Row = std::span<const Value>;

constexpr size_t kMaxText = 2000;

std::string text_of(const Value& value, size_t most = kMaxText) {
  return value.type == Value::Type::kText ? printable(value.text, most) : std::string();
}

// A time of the node by the clock that is drawn by; one that no clock shows, as a hostile file may have, stays as it
// is.
int64_t drawn_ns(const store::NodeClocks& clocks, const std::string& node, int64_t at_ns) {
  int64_t drawn_ns = 0;
  return __builtin_sub_overflow(at_ns, clocks.offset_ns(node), &drawn_ns) ? at_ns : drawn_ns;
}

// What is put on one track in the order of time, whatever its order in the recording.
class ContextTracks {
 public:
  ContextTracks(const Recording& recording, const TimelineOptions& options, const Extent& extent, TraceWriter& writer,
                Tracks& tracks, TimelineTotals& totals)
      : recording_(recording),
        options_(options),
        extent_(extent),
        writer_(writer),
        tracks_(tracks),
        totals_(totals),
        host_(recording.nodes().size() == 1 ? recording.nodes().front() : std::string()) {}

  Status write() {
    INGERO_TRY(clocks());
    INGERO_TRY(sessions());
    INGERO_TRY(chains());
    INGERO_TRY(annotations());
    INGERO_TRY(snapshots());
    if (!recording_.reader().holds().devices) return {};
    INGERO_TRY(devices());
    return fabric();
  }

 private:
  template <typename Take>
  Status each(const std::string& sql, const Take& take) {
    Status flushed;
    const auto outcome = recording_.reader().query(sql, no_limits(), [&](Row row) {
      take(row);
      flushed = writer_.flush();
      return flushed.ok();
    });
    if (!outcome.ok()) return outcome.error();
    return flushed;
  }
  std::string within(const char* column = "timestamp") const {
    return fmt::format(" {} BETWEEN {} AND {}", column, extent_.first_ns, extent_.last_ns);
  }
  // What lasts, a part of it being within.
  std::string overlaps(const char* start, const char* end) const {
    return fmt::format(" {} <= {} AND {} >= {}", start, extent_.last_ns, end, extent_.first_ns);
  }
  // On a track of the node, by whose clock the times are. A moment where it has no end, or ends as it begins.
  void put(const std::string& node, const char* track, int64_t from, std::optional<int64_t> to, Slice slice) {
    slice.start_ns = std::clamp(from, extent_.first_ns, extent_.last_ns);
    if (to && std::min(*to, extent_.last_ns) > slice.start_ns) {
      slice.duration_ns = static_cast<uint64_t>(std::min(*to, extent_.last_ns) - slice.start_ns);
    }
    slice.start_ns = drawn_ns(options_.clocks, node, slice.start_ns);
    totals_.shortened += tracks_.of_node(node, track).put(slice) ? 0 : 1;
  }
  std::string node_of(const Value& value) const { return value.is_null() ? host_ : text_of(value, 256); }

  // How far the clock of each of several nodes is known, over the whole of its runs.
  Status clocks() {
    if (!options_.clocks.are_several()) return {};
    return each("SELECT node, min(started_at), max(stopped_at) FROM sessions GROUP BY 1 ORDER BY 1", [&](Row row) {
      const store::NodeClock* clock = options_.clocks.find(row[0].as_text());
      if (clock == nullptr) return;
      const bool is_reference = clock == &options_.clocks.nodes().front() && clock->clock;
      std::string sentence = is_reference ? "times are by the clock of " + printable(clock->node)
                                          : store::clock_sentence(options_.clocks, *clock);
      std::vector<Argument> arguments;
      if (clock->clock) {
        if (!is_reference) sentence += "; taken off here";
        arguments.push_back({"offset_ns", clock->clock->offset_ns});
        arguments.push_back({"within_ns", static_cast<int64_t>(clock->clock->within_ns)});
      }
      Slice slice;
      slice.name = sentence;
      slice.category = "clock";
      slice.arguments = arguments;
      put(clock->node, "clock", row[1].integer, row[2].integer == 0 ? extent_.last_ns : row[2].integer, slice);
    });
  }

  Status sessions() {
    return each(
        "SELECT started_at, stopped_at, node, ingero_ver, kernel, gpu_model, gpu_driver, flags FROM sessions "
        "ORDER BY started_at",
        [&](Row row) {
          const int64_t from = row[0].integer, to = row[1].integer == 0 ? extent_.last_ns : row[1].integer;
          if (from > extent_.last_ns || to < extent_.first_ns) return;
          std::string texts[5];
          std::vector<Argument> arguments;
          constexpr const char* kNames[] = {"version", "kernel", "gpu_model", "gpu_driver", "flags"};
          for (size_t i = 0; i < 5; ++i) {
            texts[i] = text_of(row[i + 3], 256);
            if (!texts[i].empty()) arguments.push_back({kNames[i], std::string_view(texts[i])});
          }
          Slice slice;
          slice.name = "recording";
          slice.category = "recording";
          slice.arguments = arguments;
          put(text_of(row[2], 256), "recording", from, to, slice);
        });
  }

  Status chains() {
    const auto& pid = options_.selection.pid;
    return each(
        "SELECT coalesce(onset, detected_at) AS at, ended, severity, summary, root_cause, explanation, "
        "recommendations, node, id, pid, process FROM chains WHERE" +
            overlaps("coalesce(onset, detected_at)", "coalesce(ended, detected_at)") +
            (pid ? fmt::format(" AND (pid IS NULL OR pid = {})", *pid) : std::string()) + " ORDER BY at, ended DESC",
        [&](Row row) {
          const std::string severity = text_of(row[2], 32), summary = text_of(row[3], 300);
          const std::string texts[] = {text_of(row[8], 256), text_of(row[4]), text_of(row[5]), fixes(row[6]),
                                       text_of(row[10], 64)};
          constexpr const char* kNames[] = {"id", "root_cause", "explanation", "recommendations", "process"};
          std::vector<Argument> arguments{{"severity", std::string_view(severity)}};
          for (size_t i = 0; i < std::size(texts); ++i) {
            if (!texts[i].empty()) arguments.push_back({kNames[i], std::string_view(texts[i])});
          }
          if (!row[9].is_null()) arguments.push_back({"pid", row[9].integer});
          const std::string name = severity + ": " + summary;
          Slice slice;
          slice.name = name;
          slice.category = "causal_chain";
          slice.arguments = arguments;
          put(text_of(row[7], 256), "causal chains", row[0].integer,
              row[1].is_null() ? std::nullopt : std::optional<int64_t>(row[1].integer), slice);
          ++totals_.chains;
        });
  }
  // A JSON array of sentences.
  static std::string fixes(const Value& value) {
    if (value.type != Value::Type::kText) return {};
    const auto list = parse_json(value.text);
    std::string all;
    if (list.is_array()) {
      for (const auto& one : list) {
        if (one.is_string()) all += (all.empty() ? "" : "; ") + one.get<std::string>();
      }
    }
    return printable(all, kMaxText);
  }

  Status annotations() {
    const auto& pid = options_.selection.pid;
    return each(
        "SELECT coalesce(span_start, timestamp) AS at, span_end, labels, pid, (SELECT node FROM sessions WHERE id "
        "= a.session) FROM annotations a WHERE" +
            overlaps("coalesce(span_start, timestamp)", "coalesce(span_end, timestamp)") +
            (pid ? fmt::format(" AND pid IN (0, {})", *pid) : std::string()) + " ORDER BY at, span_end DESC",
        [&](Row row) {
          const auto labels = parse_json(row[2].type == Value::Type::kText ? row[2].text : "");
          if (!labels.is_object()) return;
          std::vector<std::pair<std::string, std::string>> texts;
          std::string name;
          for (const auto& [key, value] : labels.items()) {
            texts.emplace_back(printable(key, 64),
                               printable(value.is_string() ? value.get<std::string>() : dump(value)));
            name += (name.empty() ? "" : " ") + texts.back().first + "=" + texts.back().second;
          }
          std::vector<Argument> arguments;
          arguments.reserve(texts.size() + 1);
          for (const auto& [key, value] : texts) arguments.push_back({key, std::string_view(value)});
          if (row[3].integer != 0) arguments.push_back({"pid", row[3].integer});
          Slice slice;
          slice.name = name;
          slice.category = "annotation";
          slice.arguments = arguments;
          put(node_of(row[4]), "annotations", row[0].integer,
              row[1].is_null() ? std::nullopt : std::optional<int64_t>(row[1].integer), slice);
          ++totals_.annotations;
        });
  }

  // By the clock of the node.
  void count(const std::string& node, const std::string& name, Unit unit, const Value& at, const Value& value,
             double factor = 1) {
    const TrackId track = tracks_.counter(tracks_.node(node), name, unit);
    if (value.is_null() || at.is_null()) return;
    const double number = (value.type == Value::Type::kReal ? value.real : static_cast<double>(value.integer)) * factor;
    if (!std::isfinite(number)) return;
    writer_.counter(track, drawn_ns(options_.clocks, node, at.integer), number);
    ++totals_.counters;
  }

  Status snapshots() {
    struct Counter {
      const char *column, *name;
      Unit unit;
      double factor;
    };
    constexpr Counter kCounters[] = {{"cpu_pct", "CPU used", Unit::kPercent, 1},
                                     {"mem_pct", "memory used", Unit::kPercent, 1},
                                     {"mem_avail", "memory available", Unit::kBytes, 1 << 20},
                                     {"swap_mb", "swap used", Unit::kBytes, 1 << 20},
                                     {"load_avg", "load average", Unit::kNone, 1},
                                     {"psi_cpu_some", "CPU pressure", Unit::kPercent, 1},
                                     {"psi_io_some", "I/O pressure", Unit::kPercent, 1},
                                     {"psi_mem_some", "memory pressure", Unit::kPercent, 1},
                                     {"steal_pct", "CPU stolen", Unit::kPercent, 1},
                                     {"interrupt_pct", "CPU in interrupts", Unit::kPercent, 1}};
    std::string columns;
    for (const Counter& counter : kCounters) columns += std::string(", ") + counter.column;
    return each("SELECT timestamp" + columns +
                    ", (SELECT node FROM sessions WHERE id = w.session) FROM system_snapshots w WHERE" + within() +
                    " ORDER BY timestamp",
                [&](Row row) {
                  const std::string node = node_of(row[std::size(kCounters) + 1]);
                  for (size_t i = 0; i < std::size(kCounters); ++i) {
                    if (row[i + 1].is_null()) continue;
                    count(node, kCounters[i].name, kCounters[i].unit, row[0], row[i + 1], kCounters[i].factor);
                  }
                });
  }

  Status devices() {
    return each(
        "SELECT v.timestamp, v.name, v.part, v.value, d.position, d.id, s.node FROM device_values v JOIN devices d ON "
        "d.id = v.device LEFT JOIN sessions s ON s.id = d.session WHERE" +
            within("v.timestamp") + " ORDER BY v.timestamp",
        [&](Row row) {
          const std::string reading = text_of(row[1], 64), part = text_of(row[2], 64);
          const std::string name = fmt::format("GPU {} {}{}{}", row[4].is_null() ? row[5].integer : row[4].integer,
                                               reading, part.empty() ? "" : " ", part);
          const Unit unit = reading.ends_with("_bytes") ? Unit::kBytes : Unit::kNone;
          count(text_of(row[6], 256), name, unit, row[0], row[3]);
        });
  }

  Status fabric() {
    return each(
        "SELECT v.timestamp, c.device, c.port, c.name, c.unit, v.value, s.node FROM fabric_values v JOIN "
        "fabric_counters c ON c.id = v.counter LEFT JOIN sessions s ON s.id = c.session WHERE" +
            within("v.timestamp") + " ORDER BY v.timestamp",
        [&](Row row) {
          const std::string port = row[2].is_null() ? std::string() : fmt::format(" port {}", row[2].integer);
          const std::string name = text_of(row[1], 64) + port + " " + text_of(row[3], 64);
          count(text_of(row[6], 256), name, row[4].text == "bytes" ? Unit::kBytes : Unit::kNone, row[0], row[5]);
        });
  }

  const Recording& recording_;
  const TimelineOptions& options_;
  const Extent& extent_;
  TraceWriter& writer_;
  Tracks& tracks_;
  TimelineTotals& totals_;
  std::string host_;  // empty: which node it was is not known
};

}  // namespace

Result<Extent> extent_of(const Recording& recording, const store::Selection& selection) {
  Extent extent{INT64_MAX, INT64_MIN};
  const auto take = [&](Row row) {
    if (!row[0].is_null()) extent.first_ns = std::min(extent.first_ns, row[0].integer);
    if (!row[1].is_null()) extent.last_ns = std::max(extent.last_ns, row[1].integer);
    return true;
  };
  for (const char* sql : {recording.extent_sql(), "SELECT min(timestamp), max(timestamp) FROM system_snapshots",
                          "SELECT min(coalesce(onset, detected_at)), max(coalesce(ended, detected_at)) FROM chains",
                          "SELECT min(started_at), max(nullif(stopped_at, 0)) FROM sessions"}) {
    const auto outcome = recording.reader().query(sql, no_limits(), take);
    if (!outcome.ok()) return outcome.error();
  }
  if (extent.first_ns > extent.last_ns) extent = {0, 0};
  extent.first_ns = std::max<int64_t>(extent.first_ns, 0);  // an earlier time cannot be
  if (selection.from_wall_ns) extent.first_ns = store::sql_wall_ns(*selection.from_wall_ns);
  if (selection.to_wall_ns) extent.last_ns = std::min(extent.last_ns, store::sql_wall_ns(*selection.to_wall_ns));
  extent.last_ns = std::max(extent.first_ns, extent.last_ns);
  return extent;
}

Result<int64_t> begin_of(const Recording& recording, const TimelineOptions& options, const Extent& extent) {
  // What is clamped to the part's begin is by each node's clock.
  if (options.selection.from_wall_ns) {
    return extent.first_ns - std::min(options.clocks.most_ahead_ns(), std::max<int64_t>(extent.first_ns, 0));
  }
  if (!options.clocks.is_any_known()) return extent.first_ns;
  int64_t begin_ns = extent.last_ns;
  const auto outcome = recording.reader().query(
      "SELECT k.node, min(b.start_wall_ns) FROM blocks b JOIN event_rows e ON e.seq = b.first JOIN clocks k ON k.id = "
      "e.clock GROUP BY 1 UNION ALL SELECT node, min(started_at) FROM sessions GROUP BY 1",
      no_limits(), [&](Row row) {
        begin_ns = std::min(begin_ns, drawn_ns(options.clocks, row[0].as_text(), row[1].integer));
        return true;
      });
  if (!outcome.ok()) return outcome.error();
  return begin_ns;
}

Status write_context_tracks(const Recording& recording, const TimelineOptions& options, const Extent& extent,
                            TraceWriter& writer, Tracks& tracks, TimelineTotals& totals) {
  return ContextTracks(recording, options, extent, writer, tracks, totals).write();
}

}  // namespace ingero::serve::perfetto
