// The causal chains a recording holds, as `ingero explain --chains` shows them.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/report.h"
#include "cli/table.h"

namespace ingero::cli {
namespace {

using store::Value;

std::string text_of(const Value& value) {
  return value.type == Value::Type::kText ? std::string(value.text) : std::string();
}

std::string member(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Stored JSON is another program's: what does not have the documented shape is left out.
void read_timeline(std::string_view text, StoredChain& chain) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_array()) return;
  for (const auto& item : parsed) {
    if (!item.is_object()) continue;
    StoredChain::Step step{member(item, "layer"), member(item, "op"), member(item, "detail"), 0};
    const auto duration = item.find("dur_us");
    if (duration != item.end() && duration->is_number_unsigned()) step.duration_us = duration->get<uint64_t>();
    chain.timeline.push_back(std::move(step));
  }
}

void read_recommendations(std::string_view text, StoredChain& chain) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_array()) return;
  for (const auto& item : parsed) {
    if (item.is_string()) chain.recommendations.push_back(item.get<std::string>());
  }
}

Style style_of(const std::string& severity) {
  if (severity == "HIGH" || severity == "CRITICAL") return Style::kRed;
  return severity == "MEDIUM" ? Style::kYellow : Style::kPlain;
}

}  // namespace

Result<std::vector<StoredChain>> stored_chains(const store::Reader& reader, const store::Selection& selection,
                                               uint64_t time_ns) {
  std::string sql =
      "SELECT id, severity, summary, root_cause, explanation, recommendations, timeline, detected_at FROM "
      "causal_chains";
  std::vector<store::Bound> bound;
  if (selection.from_wall_ns) {
    sql += " WHERE detected_at >= ?";
    bound.push_back(store::Bound::of(static_cast<int64_t>(*selection.from_wall_ns)));
  }
  if (selection.to_wall_ns) {
    sql += bound.empty() ? " WHERE detected_at <= ?" : " AND detected_at <= ?";
    bound.push_back(store::Bound::of(static_cast<int64_t>(*selection.to_wall_ns)));
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
        chain.id = text_of(values[0]);
        chain.severity = text_of(values[1]);
        chain.summary = text_of(values[2]);
        chain.root_cause = text_of(values[3]);
        chain.explanation = text_of(values[4]);
        read_recommendations(text_of(values[5]), chain);
        read_timeline(text_of(values[6]), chain);
        chain.detected_wall_ns = static_cast<uint64_t>(std::max<int64_t>(0, values[7].integer));
        chains.push_back(std::move(chain));
        return true;
      },
      {}, bound);
  if (!outcome.ok()) return outcome.error();
  return chains;
}

std::string chains_text(const std::vector<StoredChain>& chains, bool colour) {
  if (chains.empty()) return "No causal chain is stored in the selected part.\n";
  std::string out = fmt::format("CAUSAL CHAINS - {} chain(s)\n", chains.size());
  for (const StoredChain& chain : chains) {
    out += "\n" + styled("[" + printable(chain.severity) + "]", style_of(chain.severity), colour) + " " +
           printable(chain.summary, 1000) + "\n";
    for (const StoredChain::Step& step : chain.timeline) {
      out += fmt::format(
          "    [{:<6}] {}{}{}\n", printable(step.layer), printable(step.op),
          step.detail.empty() ? "" : ": " + printable(step.detail, 500),
          step.detail.empty() && step.duration_us > 0 ? " (" + format_duration(step.duration_us * 1000) + ")" : "");
    }
    if (!chain.root_cause.empty()) out += "  Root cause: " + printable(chain.root_cause, 2000) + "\n";
    for (const std::string& fix : chain.recommendations) out += "  Fix: " + printable(fix, 1000) + "\n";
  }
  return out;
}

}  // namespace ingero::cli
