// The authorizer, the limits and the loop over rows: see guarded_query.h.
#include "store/db/guarded_query.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "store/db/guarded_functions.h"

namespace ingero::store {
namespace {

constexpr int kMaxSqlBytes = 1 << 20;

Value value_of(sqlite3_stmt* row, int column) {
  Value value;
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
      value.type = Value::Type::kInteger;
      value.integer = sqlite3_column_int64(row, column);
      break;
    case SQLITE_FLOAT:
      value.type = Value::Type::kReal;
      value.real = sqlite3_column_double(row, column);
      break;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
      value.type = sqlite3_column_type(row, column) == SQLITE_TEXT ? Value::Type::kText : Value::Type::kBlob;
      const void* data = sqlite3_column_blob(row, column);
      const auto size = static_cast<size_t>(sqlite3_column_bytes(row, column));
      if (data != nullptr) value.text = {static_cast<const char*>(data), size};
      break;
    }
    default:
      break;
  }
  return value;
}

void bind(Statement& statement, std::span<const Bound> bound) {
  int index = 1;
  for (const Bound& value : bound) {
    switch (value.type) {
      case Value::Type::kNull:
        statement.bind_null(index);
        break;
      case Value::Type::kInteger:
        statement.bind(index, value.integer);
        break;
      case Value::Type::kReal:
        statement.bind(index, value.real);
        break;
      case Value::Type::kText:
        statement.bind(index, std::string_view(value.text));
        break;
      case Value::Type::kBlob:
        statement.bind_blob(index, value.text);
        break;
    }
    ++index;
  }
}

}  // namespace

// What a statement may do: read. Anything not named here is refused while it is prepared.
int authorize_reading(void*, int action, const char* first, const char* second, const char*, const char*) {
  const std::string_view name = first == nullptr ? std::string_view() : first;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION: {
      const std::string_view function = second == nullptr ? std::string_view() : second;
      return function == "load_extension" || function == "fts3_tokenizer" ? SQLITE_DENY : SQLITE_OK;
    }
    case SQLITE_PRAGMA: {
      constexpr std::string_view kDescribing[] = {"table_info", "table_xinfo", "table_list", "index_list",
                                                  "index_info"};
      constexpr std::string_view kAsking[] = {"user_version", "application_id", "page_count", "page_size"};
      const auto is = [&](std::string_view known) { return sqlite3_stricmp(known.data(), name.data()) == 0; };
      if (std::any_of(std::begin(kDescribing), std::end(kDescribing), is)) return SQLITE_OK;
      if (second == nullptr && std::any_of(std::begin(kAsking), std::end(kAsking), is)) return SQLITE_OK;
      return SQLITE_DENY;
    }
    default:
      return SQLITE_DENY;
  }
}

void distrust_schema(Database& database) {
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
}

Status guard_statements(Database& database, Trust trust) {
  INGERO_TRY(database.execute("PRAGMA query_only = ON; PRAGMA cell_size_check = ON"));
  sqlite3* db = database.get();
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, kMaxSqlBytes);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  if (trust == Trust::kStranger) {
    constexpr struct {
      int which, value;
    } kLimits[] = {
        {SQLITE_LIMIT_LENGTH, 128 << 10},        {SQLITE_LIMIT_SQL_LENGTH, 64 << 10}, {SQLITE_LIMIT_COLUMN, 200},
        {SQLITE_LIMIT_EXPR_DEPTH, 100},          {SQLITE_LIMIT_COMPOUND_SELECT, 50},  {SQLITE_LIMIT_VDBE_OP, 100'000},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 500}, {SQLITE_LIMIT_FUNCTION_ARG, 32},     {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (const auto& limit : kLimits) sqlite3_limit(db, limit.which, limit.value);
    INGERO_TRY(guard_functions(database));
  }
  // Table-valued functions are declared by their first use, which the authorizer takes for a change of the schema.
  INGERO_TRY(database.execute(
      "SELECT 1 FROM json_each('[]'), json_tree('[]'), pragma_table_info('x'), pragma_table_xinfo('x'), "
      "pragma_table_list('x'), pragma_index_list('x'), pragma_index_info('x')"));
  sqlite3_set_authorizer(db, authorize_reading, nullptr);
  return {};
}

Result<QueryOutcome> run_guarded(Database& database, std::string_view sql, const QueryLimits& limits,
                                 const OnRow& on_row, const OnColumns& on_columns, std::span<const Bound> bound) {
  if (sql.size() >= kMaxSqlBytes) return Error(Errc::kInvalid, "the SQL is longer than a megabyte");
  if (sql.find('\0') != std::string_view::npos) return Error(Errc::kInvalid, "the SQL holds a NUL character");
  sqlite3_stmt* handle = nullptr;
  const char* tail = nullptr;
  const auto prepare = [&](const char* text, const char* end) {
    return sqlite3_prepare_v2(database.get(), text, static_cast<int>(end - text), &handle, &tail);
  };
  const char* const end = sql.data() + sql.size();
  if (const int code = prepare(sql.data(), end); code != SQLITE_OK) {
    const Error error = database.error(code, "query");
    // Whatever SQLite calls it, at this point it is the statement that is wrong.
    const bool input = error.code() == Errc::kPermission || error.code() == Errc::kIo;
    return input ? Error(Errc::kInvalid, error.message(), "only one read-only statement is allowed") : error;
  }
  Statement statement(handle, &database.path());
  if (!statement) return Error(Errc::kInvalid, "the SQL holds no statement");
  // Only white space, comments and semicolons may follow.
  for (const char* rest = tail; rest != nullptr && rest < end;) {
    handle = nullptr;
    if (prepare(rest, end) != SQLITE_OK || handle != nullptr) {
      sqlite3_finalize(handle);
      return Error(Errc::kInvalid, "the SQL holds more than one statement", "send them one at a time");
    }
    if (tail == rest) break;
    rest = tail;
  }
  const int columns = sqlite3_column_count(statement.get());
  if (columns == 0 || sqlite3_stmt_readonly(statement.get()) == 0) {
    return Error(Errc::kInvalid, "the SQL is not a read-only statement", "only read-only statements are allowed");
  }
  if (bound.size() > static_cast<size_t>(sqlite3_bind_parameter_count(statement.get()))) {
    return Error(Errc::kInvalid, "more values were given than the SQL has parameters");
  }
  bind(statement, bound);
  if (on_columns) {
    std::vector<std::string_view> names;
    for (int i = 0; i < columns; ++i) {
      const char* name = sqlite3_column_name(statement.get(), i);
      names.emplace_back(name == nullptr ? "" : name);
    }
    on_columns(names);
  }
  QueryOutcome outcome;
  std::vector<Value> values(static_cast<size_t>(columns));
  for (;;) {
    Result<bool> row = statement.step();
    if (!row.ok()) return row.error();
    if (!*row) return outcome;
    if (limits.rows != 0 && outcome.rows == limits.rows) {
      outcome.truncated = true;
      return outcome;
    }
    for (int i = 0; i < columns; ++i) values[static_cast<size_t>(i)] = value_of(statement.get(), i);
    ++outcome.rows;
    if (!on_row(values)) return outcome;
  }
}

}  // namespace ingero::store
