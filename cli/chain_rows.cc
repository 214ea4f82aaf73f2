// Chains between the engine, the table causal_chains and what is shown.
#include <algorithm>

#include "base/text.h"
#include "cli/incidents.h"
#include "cli/stack_frames.h"
#include "serve/tools/schema.h"

namespace ingero::cli {
namespace {

using serve::tools::Json;
using serve::tools::text_member;
using store::Value;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string text_of(const Value& value) {
  return value.type == Value::Type::kText ? std::string(value.text) : std::string();
}

uint64_t number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

// Stored JSON may be another program's: what does not have the documented shape is left out.
template <typename Take>
void each_of(std::string_view text, const Take& take) {
  if (text.empty()) return;
  const auto parsed = Json::parse(text, nullptr, false);
  if (!parsed.is_array()) return;
  for (const auto& item : parsed) take(item);
}

std::optional<uint64_t> natural(const Value& value) {
  if (value.type != Value::Type::kInteger) return std::nullopt;
  return static_cast<uint64_t>(value.integer);
}

}  // namespace

std::string StoredChain::Row::query() const {
  return start_mono_ns ? fmt::format("SELECT * FROM events WHERE tid = {} AND start_mono_ns = {}", tid, *start_mono_ns)
                       : fmt::format("SELECT * FROM events WHERE tid = {} AND timestamp = {}", tid, start_wall_ns);
}

store::Chain row_of(const correlate::Chain& chain) {
  store::Chain row;
  row.id = chain.id;
  row.detected_wall_ns = chain.onset_wall_ns();
  row.severity = name_of(chain.severity);
  row.summary = chain.summary;
  row.root_cause = chain.root_cause;
  row.explanation = chain.explanation;
  row.op = chain.op;
  row.p50_us = static_cast<int64_t>(chain.usual_ns / 1000);
  row.p99_us = static_cast<int64_t>(chain.slowest_ns / 1000);
  if (chain.usual_ns > 0) row.tail_ratio = static_cast<double>(chain.slowest_ns) / static_cast<double>(chain.usual_ns);
  Json recommendations = Json::array(), timeline = Json::array(), evidence = Json::array(), symptoms = Json::array();
  for (const std::string& one : chain.recommendations) recommendations.push_back(one);
  for (const auto& step : chain.timeline) {
    timeline.push_back(
        {{"layer", step.layer}, {"op", step.op}, {"detail", step.detail}, {"dur_us", step.duration_ns / 1000}});
  }
  for (const auto& one : chain.evidence) {
    evidence.push_back({{"pid", one.pid},
                        {"tid", one.tid},
                        {"start_mono_ns", one.start_mono_ns},
                        {"timestamp", one.start_mono_ns + static_cast<uint64_t>(one.wall_offset_ns)},
                        {"duration_ns", one.duration_ns},
                        {"op", one.op},
                        {"detail", one.detail}});
  }
  for (const std::string& one : chain.symptoms) symptoms.push_back(one);
  row.recommendations_json = dump(recommendations);
  row.timeline_json = dump(timeline);
  row.evidence_json = dump(evidence);
  row.symptoms_json = dump(symptoms);
  row.rule = correlate::rule(chain.rule).name;
  row.grade = name_of(chain.grade);
  row.confidence = chain.confidence;
  row.pid = chain.pid;
  row.tid = chain.tid;
  row.process = chain.process;
  row.rank = chain.rank;
  row.stack_hash = chain.stack_hash;
  row.onset_wall_ns = chain.onset_wall_ns();
  row.ended_wall_ns = chain.end_wall_ns();
  if (chain.resolved) row.resolved_wall_ns = chain.end_wall_ns();
  row.lost_ns = chain.lost_ns;
  return row;
}

StoredChain view_of(const correlate::Chain& chain, const std::string& node) {
  StoredChain view;
  view.id = node.empty() ? chain.id : node + ":" + chain.id;
  view.node = node;
  view.severity = name_of(chain.severity);
  view.summary = chain.summary;
  view.root_cause = chain.root_cause;
  view.explanation = chain.explanation;
  view.detected_wall_ns = chain.onset_wall_ns();
  view.recommendations = chain.recommendations;
  for (const auto& step : chain.timeline)
    view.timeline.push_back({step.layer, step.op, step.detail, step.duration_ns / 1000});
  view.rule = correlate::rule(chain.rule).name;
  view.grade = name_of(chain.grade);
  view.process = chain.process;
  view.op = chain.op;
  view.confidence = chain.confidence;
  view.pid = chain.pid;
  view.tid = chain.tid;
  view.rank = chain.rank;
  view.stack_hash = chain.stack_hash;
  view.onset_wall_ns = chain.onset_wall_ns();
  view.ended_wall_ns = chain.end_wall_ns();
  if (chain.resolved) view.resolved_wall_ns = chain.end_wall_ns();
  view.lost_ns = chain.lost_ns;
  if (chain.usual_ns > 0) {
    view.p50_us = chain.usual_ns / 1000;
    view.p99_us = chain.slowest_ns / 1000;
  }
  for (const auto& one : chain.evidence) {
    StoredChain::Row row{one.pid,         one.tid,      one.start_mono_ns + static_cast<uint64_t>(one.wall_offset_ns),
                         one.duration_ns, std::nullopt, one.op,
                         one.detail};
    if (one.wall_offset_ns != 0) row.start_mono_ns = one.start_mono_ns;
    view.evidence.push_back(std::move(row));
  }
  view.symptoms = chain.symptoms;
  return view;
}

Result<std::vector<StoredChain>> stored_chains(const store::Reader& reader, const store::Selection& selection,
                                               uint64_t time_ns, ChainParts parts) {
  const bool all = parts == ChainParts::kAll;
  std::string sql = fmt::format(
      "SELECT id, severity, summary, root_cause, explanation, {}, detected_at, rule, grade, process, op, confidence, "
      "pid, tid, rank, stack_hash, onset, ended, resolved_at, lost_ns, {}, p99_us, p50_us, node FROM chains",
      all ? "recommendations, timeline" : "NULL, NULL", all ? "evidence, symptoms" : "NULL, NULL");
  std::vector<store::Bound> bound;
  if (selection.from_wall_ns) {
    sql += " WHERE coalesce(ended, detected_at) >= ?";
    bound.push_back(store::Bound::of(static_cast<int64_t>(*selection.from_wall_ns)));
  }
  if (selection.to_wall_ns) {
    sql += bound.empty() ? " WHERE detected_at <= ?" : " AND detected_at <= ?";
    bound.push_back(store::Bound::of(static_cast<int64_t>(*selection.to_wall_ns)));
  }
  if (selection.pid) {
    sql += bound.empty() ? " WHERE" : " AND";
    sql += " (pid IS NULL OR pid = ?)";
    bound.push_back(store::Bound::of(static_cast<int64_t>(*selection.pid)));
  }
  sql += " ORDER BY detected_at, id";
  store::QueryLimits limits;
  limits.rows = 10'000;
  limits.time_ns = time_ns;
  std::vector<StoredChain> chains;
  const auto outcome = reader.query(
      sql, limits,
      [&](std::span<const Value> values) {
        StoredChain chain;
        std::string* const texts[] = {&chain.id, &chain.severity, &chain.summary, &chain.root_cause,
                                      &chain.explanation};
        for (size_t i = 0; i < std::size(texts); ++i) *texts[i] = text_of(values[i]);
        each_of(text_of(values[5]), [&](const Json& item) {
          if (item.is_string()) chain.recommendations.push_back(item.get<std::string>());
        });
        each_of(text_of(values[6]), [&](const Json& item) {
          if (!item.is_object()) return;
          chain.timeline.push_back({text_member(item, "layer"), text_member(item, "op"), text_member(item, "detail"),
                                    number(item, "dur_us")});
        });
        chain.detected_wall_ns = static_cast<uint64_t>(std::max<int64_t>(0, values[7].integer));
        chain.rule = text_of(values[8]);
        chain.grade = text_of(values[9]);
        chain.process = text_of(values[10]);
        chain.op = text_of(values[11]);
        if (values[12].type == Value::Type::kReal) chain.confidence = values[12].real;
        if (const auto pid = natural(values[13])) chain.pid = static_cast<uint32_t>(*pid);
        if (const auto tid = natural(values[14])) chain.tid = static_cast<uint32_t>(*tid);
        if (const auto rank = natural(values[15])) chain.rank = static_cast<int32_t>(*rank);
        chain.stack_hash = natural(values[16]);
        chain.onset_wall_ns = natural(values[17]);
        chain.ended_wall_ns = natural(values[18]);
        chain.resolved_wall_ns = natural(values[19]);
        chain.lost_ns = natural(values[20]);
        each_of(text_of(values[21]), [&](const Json& item) {
          if (!item.is_object()) return;
          StoredChain::Row row{static_cast<uint32_t>(number(item, "pid")),
                               static_cast<uint32_t>(number(item, "tid")),
                               number(item, "timestamp"),
                               number(item, "duration_ns"),
                               std::nullopt,
                               text_member(item, "op"),
                               text_member(item, "detail")};
          if (number(item, "start_mono_ns") != 0) row.start_mono_ns = number(item, "start_mono_ns");
          chain.evidence.push_back(std::move(row));
        });
        each_of(text_of(values[22]), [&](const Json& item) {
          if (item.is_string()) chain.symptoms.push_back(item.get<std::string>());
        });
        if (values[24].integer > 0) {
          chain.p99_us = natural(values[23]);
          chain.p50_us = natural(values[24]);
        }
        chain.node = text_of(values[25]);
        chains.push_back(std::move(chain));
        return true;
      },
      {}, bound);
  if (!outcome.ok()) return outcome.error();
  return chains;
}

void add_lines(const store::Reader& reader, std::vector<StoredChain>& chains) {
  constexpr size_t kMostLines = 4;
  for (StoredChain& chain : chains) {
    if (!chain.stack_hash) continue;
    const store::Bound bound[] = {store::Bound::of(static_cast<int64_t>(*chain.stack_hash))};
    const auto outcome = reader.query(
        "SELECT frames FROM stack_traces WHERE hash = ?", {},
        [&](std::span<const Value> values) {
          std::vector<std::string> native, python;
          for (const StackFrame& frame : parse_frames(text_of(values[0]))) {
            if (frame.is_python() || !frame.symbol.empty()) {
              (frame.is_python() ? python : native).push_back(frame_text(frame));
            }
          }
          // The program's own lines tell more than the library's.
          for (const auto& list : {python, native}) {
            for (const std::string& one : list) {
              if (chain.lines.size() < kMostLines) chain.lines.push_back(one);
            }
          }
          return true;
        },
        {}, bound);
    if (!outcome.ok()) chain.lines.clear();
  }
}

}  // namespace ingero::cli
