// Chains read from the table causal_chains, and from what another node answered.
#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "report/chains.h"
#include "report/frame_text.h"
#include "store/read/selection_sql.h"
#include "store/read/time_range.h"

namespace ingero::report {
namespace {

using store::Value;

uint64_t number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

uint64_t ns_of(uint64_t us) { return std::min<uint64_t>(us, INT64_MAX / 1000) * 1000; }

// Stored JSON may be another program's: what does not have the documented shape is left out.
template <typename Take>
void each_of(std::string_view text, const Take& take) {
  if (text.empty()) return;
  const auto parsed = Json::parse(text, nullptr, false);
  if (!parsed.is_array()) return;
  for (const auto& item : parsed) take(item);
}

std::vector<std::string> texts_in(const Json& object, const char* name) {
  std::vector<std::string> out;
  if (!object.contains(name) || !object[name].is_array()) return out;
  for (const Json& item : object[name]) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

std::optional<uint64_t> stack_hash_in(const Json& object) {
  const auto found = object.find("stack_hash");
  return found != object.end() && found->is_number_integer()
             ? std::optional(static_cast<uint64_t>(found->get<int64_t>()))
             : std::nullopt;
}

std::optional<uint64_t> time_in(const Json& object, const char* name) {
  const auto time = store::parse_time(text_member(object, name), 0);
  return time.ok() ? std::optional(*time) : std::nullopt;
}

}  // namespace

ReportedChain chain_of(const Json& untrusted) {
  ReportedChain chain;
  chain.severity = text_member(untrusted, "severity");
  chain.summary = text_member(untrusted, "summary");
  chain.root_cause = text_member(untrusted, "root_cause");
  chain.rule = text_member(untrusted, "rule");
  chain.grade = printable(text_member(untrusted, "grade"), 64);
  if (untrusted.contains("confidence") && untrusted["confidence"].is_number()) {
    chain.confidence = untrusted["confidence"].get<double>();
  }
  chain.onset_wall_ns = time_in(untrusted, "onset");
  chain.end_wall_ns = time_in(untrusted, "end");
  chain.lines = texts_in(untrusted, "stack");
  chain.symptoms = texts_in(untrusted, "symptoms");
  chain.recommendations = texts_in(untrusted, "recommendations");
  if (!untrusted.contains("timeline") || !untrusted["timeline"].is_array()) return chain;
  for (const Json& step : untrusted["timeline"]) {
    chain.timeline.push_back({text_member(step, "layer"), text_member(step, "op"), text_member(step, "detail"),
                              ns_of(number(step, "duration_us"))});
  }
  return chain;
}

Result<std::vector<ReportedChain>> stored_chains(const store::Reader& reader, const store::Selection& selection,
                                                 uint64_t time_ns, ChainParts parts) {
  const bool all = parts == ChainParts::kAll;
  store::Conditions conditions;
  conditions.add_range(selection, "detected_at", "coalesce(ended, detected_at)");
  if (selection.pid) conditions.add("(pid IS NULL OR pid = ?)", int64_t{*selection.pid});
  const std::string sql = fmt::format(
      "SELECT id, severity, summary, root_cause, explanation, {}, detected_at, rule, grade, process, op, confidence, "
      "pid, tid, rank, stack_hash, onset, ended, resolved_at, lost_ns, {}, p99_us, p50_us, node FROM chains{} ORDER BY "
      "detected_at, id",
      all ? "recommendations, timeline" : "NULL, NULL", all ? "evidence, symptoms" : "NULL, NULL", conditions.where());
  store::QueryLimits limits;
  limits.rows = 10'000;
  limits.time_ns = time_ns;
  std::vector<ReportedChain> chains;
  const auto outcome = reader.query(
      sql, limits,
      [&](std::span<const Value> values) {
        ReportedChain chain;
        std::string* const texts[] = {&chain.id, &chain.severity, &chain.summary, &chain.root_cause,
                                      &chain.explanation};
        for (size_t i = 0; i < std::size(texts); ++i) *texts[i] = values[i].as_text();
        each_of(values[5].as_text(), [&](const Json& item) {
          if (item.is_string()) chain.recommendations.push_back(item.get<std::string>());
        });
        each_of(values[6].as_text(), [&](const Json& item) {
          if (!item.is_object()) return;
          chain.timeline.push_back({text_member(item, "layer"), text_member(item, "op"), text_member(item, "detail"),
                                    ns_of(number(item, "dur_us"))});
        });
        chain.detected_wall_ns = static_cast<uint64_t>(std::max<int64_t>(0, values[7].integer));
        chain.rule = values[8].as_text();
        chain.grade = values[9].as_text();
        chain.process = values[10].as_text();
        chain.op = values[11].as_text();
        if (values[12].type == Value::Type::kReal) chain.confidence = values[12].real;
        if (const auto pid = values[13].as_uint64()) chain.pid = static_cast<uint32_t>(*pid);
        if (const auto tid = values[14].as_uint64()) chain.tid = static_cast<uint32_t>(*tid);
        if (const auto rank = values[15].as_uint64()) chain.rank = static_cast<int32_t>(*rank);
        chain.stack_hash = values[16].as_uint64();
        chain.onset_wall_ns = values[17].as_uint64();
        chain.end_wall_ns = values[18].as_uint64();
        chain.resolved = values[19].as_uint64().has_value();
        chain.lost_ns = values[20].as_uint64();
        each_of(values[21].as_text(), [&](const Json& item) {
          if (!item.is_object()) return;
          const uint64_t start_mono_ns = number(item, "start_mono_ns");
          chain.evidence.push_back({static_cast<uint32_t>(number(item, "pid")),
                                    static_cast<uint32_t>(number(item, "tid")), number(item, "timestamp"),
                                    number(item, "duration_ns"),
                                    start_mono_ns != 0 ? std::optional(start_mono_ns) : std::nullopt,
                                    text_member(item, "op"), text_member(item, "detail"), stack_hash_in(item)});
        });
        each_of(values[22].as_text(), [&](const Json& item) {
          if (item.is_string()) chain.symptoms.push_back(item.get<std::string>());
        });
        if (values[24].integer > 0) {
          chain.slowest_ns = ns_of(values[23].as_uint64().value_or(0));
          chain.usual_ns = ns_of(values[24].as_uint64().value_or(0));
        }
        chain.node = values[25].as_text();
        chains.push_back(std::move(chain));
        return true;
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  return chains;
}

namespace {

// The program's own lines first: they say more than the library's.
std::vector<std::string> lines_of(const store::Reader& reader, uint64_t stack_hash, size_t most) {
  std::vector<std::string> lines, native;
  const store::Bound bound[] = {store::Bound::of(static_cast<int64_t>(stack_hash))};
  const auto outcome = reader.query(
      "SELECT frames FROM stack_traces WHERE hash = ?", {},
      [&](std::span<const Value> values) {
        for (const symbols::StackFrame& frame : symbols::parse_frames(values[0].as_text())) {
          if (frame.is_python() || (!symbols::is_start_up(frame) && !(frame.symbol.empty() && frame.file.empty()))) {
            (frame.is_python() ? lines : native).push_back(frame_text(frame));
          }
        }
        return true;
      },
      {}, bound);
  if (!outcome.ok()) return {};
  lines.insert(lines.end(), native.begin(), native.end());
  if (lines.size() > most) lines.resize(most);
  return lines;
}

}  // namespace

void add_lines(const store::Reader& reader, std::vector<ReportedChain>& chains) {
  constexpr size_t kMaxLines = 4, kMaxEvidence = 8;
  for (ReportedChain& chain : chains) {
    if (chain.stack_hash) chain.lines = lines_of(reader, *chain.stack_hash, kMaxLines);
    // Of one about several processes: where each of them was.
    for (const hal::ChainEvidence& one : chain.evidence) {
      if (chain.stack_hash || !one.stack_hash || chain.lines.size() >= kMaxEvidence) continue;
      for (const std::string& line : lines_of(reader, *one.stack_hash, 1)) {
        chain.lines.push_back(fmt::format("{} ({}, {})", line, one.op, one.detail));
      }
    }
  }
}

}  // namespace ingero::report
