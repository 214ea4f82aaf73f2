// What a model may read before it asks: the recording's tables, queries to start from, the rules of causes.
#include <map>

#include "base/text.h"
#include "correlate/rules.h"
#include "serve/mcp/recording_provider.h"

namespace ingero::serve::mcp {
namespace {

struct Example {
  const char *what, *sql;
};
// A test runs every one on every sample.
constexpr Example kExamples[] = {
    {"Calls by kind and vendor", "SELECT kind, vendor, count(*) AS calls FROM events GROUP BY 1, 2 ORDER BY 3 DESC"},
    {"Slowest calls, with what their threads waited for",
     "SELECT timestamp, pid, comm, op_name, duration / 1e6 AS ms, preempted_ns, runqueue_ns, blocked_ns, io_ns, "
     "culprit_comm "
     "FROM events WHERE kind <> 'host' ORDER BY duration DESC LIMIT 20"},
    {"Events by process", "SELECT comm, pid, count(*) AS events FROM events GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 20"},
    {"Copies by direction",
     "SELECT direction, count(*) AS copies, sum(bytes) AS bytes, sum(duration) / 1e6 AS ms FROM events WHERE kind = "
     "'memcpy' "
     "GROUP BY 1"},
    {"Failed calls",
     "SELECT op_name, ret_code, count(*) AS times FROM events WHERE failed = 1 GROUP BY 1, 2 ORDER BY 3 DESC"},
    {"Calls per second, second by second",
     "SELECT timestamp / 1000000000 AS second, count(*) AS calls FROM events WHERE kind = 'launch' GROUP BY 1 ORDER BY "
     "1"},
    {"Causal chains as stored",
     "SELECT id, severity, summary, root_cause FROM causal_chains ORDER BY detected_at DESC LIMIT 20"},
    {"The host's load while recording",
     "SELECT timestamp, cpu_pct, mem_pct, swap_mb, load_avg FROM system_snapshots ORDER BY timestamp LIMIT 100"},
};

struct Entry {
  const char *uri, *name, *title, *description;
};
constexpr Entry kEntries[] = {
    {"ingero://schema", "schema", "Tables and columns", "What run_sql can ask: tables and views of the recording"},
    {"ingero://queries", "queries", "Queries to start from", "SQL that works on every recording"},
    {"ingero://rules", "rules", "Rules of causes", "What the engine calls a cause, and from when on"},
};

Result<std::string> schema_text(tools::QueryService& service) {
  auto lease = service.acquire();
  if (!lease.ok()) return lease.error();
  std::map<std::string, std::string> tables;
  auto outcome = (*lease)->query(
      "SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.name NOT LIKE 'sqlite_%' "
      "ORDER "
      "BY t.name, c.cid",
      {}, [&](std::span<const store::Value> row) {
        std::string& columns = tables[printable(row[0].text, 100)];
        columns += (columns.empty() ? "" : ", ") + printable(row[1].text, 100);
        return columns.size() < 16384 && tables.size() < 200;
      });
  if (!outcome.ok()) return outcome.error();
  std::string text =
      "Times are integers in nanoseconds: timestamp is wall time since 1970, duration NULL when unknown. Unknown is "
      "NULL. The "
      "view events has every stored call and host event.\n\n";
  for (const auto& [name, columns] : tables) text += name + "(" + columns + ")\n";
  text += "\nNotes of the recording:\n";
  outcome = (*lease)->query("SELECT key, value FROM schema_info ORDER BY key LIMIT 50", {},
                            [&](std::span<const store::Value> row) {
                              text += printable(row[0].text, 100) + ": " + printable(row[1].text, 500) + "\n";
                              return true;
                            });
  if (!outcome.ok()) return outcome.error();
  return text;
}

std::string queries_text() {
  std::string text;
  for (const Example& example : kExamples) text += fmt::format("-- {}\n{};\n\n", example.what, example.sql);
  return text;
}

std::string rules_text() {
  std::string text;
  for (const auto& rule : correlate::kRules) {
    text +=
        fmt::format("{} ({}{})\n  {}\n  What helps: {}\n", rule.name, name_of(rule.family),
                    rule.is_effect ? ", an effect: shown where no cause explains it" : "", rule.sentence, rule.remedy);
  }
  return text;
}

}  // namespace

Json RecordingProvider::resources() const {
  Json all = Json::array();
  for (const Entry& entry : kEntries) {
    all.push_back({{"uri", entry.uri},
                   {"name", entry.name},
                   {"title", entry.title},
                   {"description", entry.description},
                   {"mimeType", "text/plain"}});
  }
  return all;
}

Result<std::string> RecordingProvider::resource_text(const std::string& uri) {
  if (uri == kEntries[0].uri) return schema_text(service_);
  if (uri == kEntries[1].uri) return queries_text();
  if (uri == kEntries[2].uri) return rules_text();
  return Provider::resource_text(uri);
}

}  // namespace ingero::serve::mcp
