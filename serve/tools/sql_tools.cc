// SQL, held to reading by the engine (store/read/reader.h), with bounds on rows, bytes and time.
#include "serve/tools/tool_list.h"

namespace ingero::serve::tools {
namespace {

constexpr size_t kMaxBytes = 900 << 10;  // of cells, so that the whole answer stays below its bound

Result<Json> run_sql(Question& question) {
  store::QueryLimits limits = question.limits;
  limits.rows = question.input["limit"].get<uint64_t>();
  const uint64_t begin_ns = question.clock.mono_ns();
  Json columns = Json::array(), data = Json::array();
  size_t bytes = 0;
  bool full = false;
  const auto outcome = question.reader->query(
      question.input["query"].get<std::string>(), limits,
      [&](std::span<const store::Value> values) {
        for (const store::Value& value : values)
          bytes += 24 + value.text.size() * (value.type == store::Value::Type::kBlob ? 2 : 1);
        if (bytes > kMaxBytes) {
          full = true;
          return false;
        }
        Json row = Json::array();
        for (const store::Value& value : values) row.push_back(json_of(value));
        data.push_back(std::move(row));
        return true;
      },
      [&](std::span<const std::string_view> names) {
        for (const std::string_view name : names) columns.push_back(std::string(name));
      });
  if (!outcome.ok()) return outcome.error();
  if (outcome->truncated) {
    question.cuts.push_back(fmt::format("the first {} rows are given; there are more (limit)", limits.rows));
  }
  if (full) {
    question.cuts.push_back(
        fmt::format("the first {} rows are given: more are longer than an answer may be", data.size()));
  }
  return Json{{"meta",
               {{"rows", data.size()},
                {"truncated", outcome->truncated || full},
                {"duration_ms", (question.clock.mono_ns() - begin_ns) / 1'000'000}}},
              {"columns", std::move(columns)},
              {"data", std::move(data)}};
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
