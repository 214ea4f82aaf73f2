// SQL, held to reading by the engine (store/read/reader.h), with bounds on rows, bytes and time.
#include "serve/tools/tool_list.h"
#include "store/db/json_rows.h"

namespace ingero::serve::tools {
namespace {

// A question of somebody else's making leaves the other tools most of the process's memory (store::limit_query_memory).
constexpr uint64_t kSqlMemory = uint64_t{128} << 20;

Result<Json> run_sql(Question& question) {
  store::QueryLimits limits = question.limits;
  limits.rows = question.input["limit"].get<uint64_t>();
  limits.memory_bytes = kSqlMemory;
  const uint64_t begin_ns = question.clock.mono_ns();
  const auto sql = question.input["query"].get<std::string>();
  auto rows = store::collect_json([&](const store::OnRow& on_row, const store::OnColumns& on_columns) {
    return question.reader->query(sql, limits, on_row, on_columns);
  });
  if (!rows.ok()) return rows.error();
  question.cuts.insert(question.cuts.end(), rows->cuts.begin(), rows->cuts.end());
  return std::move(*rows).answer(question.clock.mono_ns() - begin_ns);
}

}  // namespace

std::vector<Tool> sql_tools() {
  Json output = object_of("columns:array data:array");
  output["properties"]["meta"] = object_of("rows:integer truncated:boolean duration_ms:integer");
  output["required"].push_back("meta");
  return {
      {"run_sql", "SQL",
       "One SQL statement that only reads (SQLite). The view events has every call; the resources ingero://schema and "
       "ingero://queries say what else there is. Times are nanoseconds.",
       input_of({{"query", property("string", "The statement", {{"minLength", 1}, {"maxLength", 65536}})},
                 {"limit", property("integer", "Maximum number of rows",
                                    {{"default", 1000}, {"minimum", 1}, {"maximum", 10000}})}},
                {"query"}),
       std::move(output), true, false, run_sql, nullptr}};
}

}  // namespace ingero::serve::tools
