// One wide row a step and a second, because most classes are empty; views show them long.
#include "store/db/budget_schema.h"

#include <fmt/format.h>

#include "hal/time_class.h"

namespace ingero::store {
namespace {

std::string class_columns() {
  std::string sql;
  for (const hal::TimeClassRow& one : hal::kTimeClassTable) {
    sql += fmt::format(", {0} INTEGER, {0}_low INTEGER, {0}_high INTEGER", one.name);
  }
  return sql;
}

// A row for each class that is not empty.
std::string long_view(const char* name, const char* table, const char* columns) {
  std::string sql = fmt::format("CREATE VIEW {} AS ", name);
  bool is_first = true;
  for (const hal::TimeClassRow& one : hal::kTimeClassTable) {
    sql += fmt::format(
        "{0}SELECT {1}, '{2}' AS class, r.{2} AS ns, coalesce(r.{2}_low, 0) AS low, "
        "coalesce(r.{2}_high, 0) AS high FROM {3} r JOIN processes p ON p.id = r.process "
        "WHERE r.{2} IS NOT NULL",
        is_first ? "" : " UNION ALL ", columns, one.name, table);
    is_first = false;
  }
  return sql + ";\n";
}

}  // namespace

std::string budget_tables() {
  return "CREATE TABLE step_rows (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL, "
         "tid INTEGER NOT NULL, number INTEGER NOT NULL, timestamp INTEGER NOT NULL, start_mono_ns INTEGER NOT NULL, "
         "duration_ns INTEGER NOT NULL, content INTEGER NOT NULL, flags INTEGER NOT NULL, usual_ns INTEGER, "
         "slow_class TEXT, more_ns INTEGER, cause INTEGER, idle_low INTEGER NOT NULL, idle_high INTEGER NOT NULL, "
         "syncs INTEGER NOT NULL, submissions INTEGER NOT NULL" +
         class_columns() +
         ");\n"
         "CREATE INDEX idx_step_rows_timestamp ON step_rows(timestamp);\n"
         "CREATE TABLE second_rows (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL, "
         "tid INTEGER NOT NULL, timestamp INTEGER NOT NULL, start_mono_ns INTEGER NOT NULL, "
         "idle_low INTEGER NOT NULL, idle_high INTEGER NOT NULL, syncs INTEGER NOT NULL, "
         "submissions INTEGER NOT NULL" +
         class_columns() +
         ");\n"
         "CREATE INDEX idx_second_rows_timestamp ON second_rows(timestamp);\n"
         "CREATE TABLE causes (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, parent INTEGER, class TEXT NOT NULL, "
         "role TEXT, pids TEXT, object TEXT, stack_hash INTEGER, is_write INTEGER NOT NULL);\n"
         "CREATE TABLE cause_rows (id INTEGER PRIMARY KEY, process INTEGER NOT NULL, tid INTEGER NOT NULL, "
         "timestamp INTEGER NOT NULL, step INTEGER, cause INTEGER NOT NULL, times INTEGER NOT NULL, "
         "ns INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL);\n"
         "CREATE INDEX idx_cause_rows_timestamp ON cause_rows(timestamp);\n"
         "CREATE VIEW steps AS SELECT r.id AS id, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, "
         "p.comm AS comm, r.number AS number, r.duration_ns AS duration_ns, r.flags & 1 AS is_usual, "
         "(r.flags >> 1) & 1 AS is_slow, r.usual_ns AS usual_ns, r.slow_class AS slow_class, r.more_ns AS more_ns, "
         "r.cause AS cause, r.idle_low AS idle_low, r.idle_high AS idle_high, r.syncs AS syncs, "
         "r.submissions AS submissions, r.content AS content, r.start_mono_ns AS start_mono_ns, "
         "r.session AS session, r.process AS process FROM step_rows r JOIN processes p ON p.id = r.process;\n" +
         long_view("step_classes", "step_rows",
                   "r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number") +
         long_view("budget", "second_rows",
                   "r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session") +
         "CREATE VIEW blame AS SELECT c.timestamp AS timestamp, p.pid AS pid, c.tid AS tid, p.comm AS comm, "
         "c.step AS step, c.cause AS cause, (WITH RECURSIVE path(id, parent, text, depth) AS ("
         "SELECT id, parent, coalesce(role, '?') || ': ' || class || coalesce(' ' || object, ''), 0 FROM causes "
         "WHERE id = c.cause UNION ALL SELECT u.id, u.parent, coalesce(u.role, '?') || ': ' || u.class || "
         "coalesce(' ' || u.object, '') || ' <- ' || path.text, path.depth + 1 FROM causes u JOIN path "
         "ON u.id = path.parent WHERE path.depth < 8) SELECT text FROM path ORDER BY depth DESC LIMIT 1) AS path, "
         "c.times AS times, c.ns AS ns, c.low AS low, c.high AS high "
         "FROM cause_rows c JOIN processes p ON p.id = c.process;\n";
}

}  // namespace ingero::store
