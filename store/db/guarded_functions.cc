// SQLite's printf, run only after its format was checked, because a hostile one can ask for gigabytes of padding.
#include "store/db/guarded_functions.h"

#include <cctype>
#include <cstring>

namespace ingero::store {
namespace {

constexpr int kMax = 1000;
constexpr int kMaxArguments = 32;

// Whether every width and precision is a number in the format, at most kMax.
bool is_modest(std::string_view format) {
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    int number = 0;
    for (++i; i < format.size() && std::strchr("-+ #0,!.*123456789l", format[i]) != nullptr; ++i) {
      if (format[i] == '*') return false;
      number = std::isdigit(static_cast<unsigned char>(format[i])) != 0 ? number * 10 + (format[i] - '0') : 0;
      if (number > kMax) return false;
    }
  }
  return true;
}

// A connection of its own does the work: the guarded one has only the guard by that name.
struct Formatter {
  Database database;
};

void format(sqlite3_context* context, int count, sqlite3_value** values) {
  auto* formatter = static_cast<Formatter*>(sqlite3_user_data(context));
  if (count == 0) return;
  if (count > kMaxArguments) return sqlite3_result_error(context, "printf: too many arguments", -1);
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (text == nullptr) return;
  if (!is_modest({text, static_cast<size_t>(sqlite3_value_bytes(values[0]))})) {
    return sqlite3_result_error(context, "printf: a width or precision must be a number in the format, at most 1000",
                                -1);
  }
  std::string sql = "SELECT printf(?1";
  for (int i = 2; i <= count; ++i) sql += fmt::format(",?{}", i);
  Result<Statement> statement = formatter->database.prepare(sql + ")");
  if (!statement.ok()) return sqlite3_result_error(context, "printf: cannot be prepared", -1);
  for (int i = 0; i < count; ++i) sqlite3_bind_value(statement->get(), i + 1, values[i]);
  if (sqlite3_step(statement->get()) != SQLITE_ROW) return sqlite3_result_error(context, "printf: it failed", -1);
  sqlite3_result_value(context, sqlite3_column_value(statement->get(), 0));
}

}  // namespace

Status guard_functions(Database& database) {
  for (const char* name : {"printf", "format"}) {
    Result<Database> worker = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "printf");
    if (!worker.ok()) return worker.error();
    auto* formatter = new Formatter{std::move(*worker)};  // NOLINT: SQLite frees it, also when this fails
    const int code =
        sqlite3_create_function_v2(database.get(), name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, formatter, format,
                                   nullptr, nullptr, [](void* owned) { delete static_cast<Formatter*>(owned); });
    if (code != SQLITE_OK) return database.error(code, "guard printf");
  }
  return {};
}

}  // namespace ingero::store
