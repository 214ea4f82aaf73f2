// Shortens an answer's keys by one table, because a model pays for every token of a repeated key.
#include "serve/tools/compact.h"

namespace ingero::serve::tools {
namespace {

// Keys that users of short answers know; a test holds docs/formats/tools.md to this table.
constexpr struct {
  const char *key, *letters;
} kShort[] = {
    {"timestamp", "t"},
    {"pid", "p"},
    {"operation", "op"},
    {"duration_us", "d_us"},
    {"flags", "f"},
    {"count", "n"},
    {"p50_us", "p50"},
    {"p95_us", "p95"},
    {"p99_us", "p99"},
    {"time_fraction", "tf"},
    {"correlated", "cor"},
    {"sched_switch", "ss"},
    {"off_cpu_us", "off"},
    {"severity", "sev"},
    {"summary", "sum"},
    {"root_cause", "rc"},
    {"recommendations", "rec"},
    {"layer", "l"},
    {"detail", "det"},
    {"cpu_percent", "cpu"},
    {"mem_percent", "mem"},
    {"swap_mb", "swp"},
    {"load_avg", "la"},
    {"anomaly_count", "an"},
    {"wall_percent", "w%"},
    {"command", "cmd"},
    {"process_name", "pn"},
    {"timeline", "tl"},
};

bool is_nothing(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         ((value.is_array() || value.is_object()) && value.empty());
}

}  // namespace

std::string short_key(const std::string& key) {
  for (const auto& row : kShort) {
    if (key == row.key) return row.letters;
  }
  return key;
}

Json compact(const Json& answer) {
  if (answer.is_object()) {
    Json out = Json::object();
    for (const auto& [key, value] : answer.items()) {
      if (!is_nothing(value)) out[short_key(key)] = compact(value);
    }
    return out;
  }
  if (answer.is_array()) {
    Json out = Json::array();
    for (const Json& value : answer) out.push_back(compact(value));
    return out;
  }
  return answer;
}

}  // namespace ingero::serve::tools
