// Runs SQLite statements, and turns its result codes into errors that name the file, the fault and the remedy.
#include "store/db/sqlite.h"

#include <cerrno>
#include <cstring>

namespace ingero::store {
namespace {

struct Meaning {
  Errc code;
  std::string_view hint;
};

Meaning meaning_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {Errc::kFull, "the disk or quota is full: free some space, or lower --max-db"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Errc::kBusy, "another program holds the file; try again"};
    case SQLITE_INTERRUPT:
      return {Errc::kBusy, "the time limit was reached: narrow the query, or raise the limit"};
    case SQLITE_CORRUPT:
      return {Errc::kCorrupt, "the file is damaged; sqlite3's .recover may save what is left"};
    case SQLITE_NOTADB:
      return {Errc::kCorrupt, "the file is not an SQLite database"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {Errc::kPermission, "the file or its directory cannot be written; choose another path with --db"};
    case SQLITE_CANTOPEN:
      return {Errc::kPermission, "the file or its write-ahead log cannot be opened or created there"};
    case SQLITE_NOMEM:
      return {Errc::kFull, "the query needs more memory than is allowed: narrow it"};
    case SQLITE_AUTH:
      return {Errc::kInvalid, "only read-only statements are allowed"};
    case SQLITE_IOERR:
      return {Errc::kIo, "the disk failed; check its free space and the kernel log"};
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
    case SQLITE_RANGE:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
      return {Errc::kInvalid, {}};
    default:
      return {Errc::kIo, {}};
  }
}

}  // namespace

Error sqlite_error(sqlite3* db, int code, std::string_view path, std::string_view what) {
  Meaning meaning = meaning_of(code);
  std::string_view words = sqlite3_errstr(code);
  // The connection's message is the better one, when it is about this very error.
  if (db != nullptr && (sqlite3_errcode(db) & 0xff) == (code & 0xff)) words = sqlite3_errmsg(db);
  // Rows are behind views, of which SQLite says only that they are views.
  const bool is_writing = words.starts_with("cannot modify ");
  std::string message =
      fmt::format("{}: {}: {}{}", path, what, is_writing ? "only read-only statements are allowed: " : "", words);
  if ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN) {
    if (const int number = db == nullptr ? 0 : sqlite3_system_errno(db); number != 0) {
      message += fmt::format(" (errno {}, {})", number, std::strerror(number));
      if (number == ENOSPC || number == EDQUOT || number == EFBIG) meaning = meaning_of(SQLITE_FULL);
    }
  }
  return {meaning.code, std::move(message), std::string(meaning.hint)};
}

Result<bool> Statement::step() {
  sqlite3* db = sqlite3_db_handle(handle_);
  int code = bind_result_;
  if (code == SQLITE_OK) code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  Error error = sqlite_error(db, code, *path_, sqlite3_stmt_readonly(handle_) != 0 ? "read" : "write");
  reset();
  return error;
}

Status Statement::run() {
  Result<bool> row = step();
  if (!row.ok()) return row.error();
  if (*row) reset();
  return {};
}

Result<Database> Database::open(const std::string& path, int flags, const std::string& shown) {
  Database database;
  database.path_ = std::make_unique<const std::string>(shown);
  const int code = sqlite3_open_v2(path.c_str(), &database.handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) return sqlite_error(database.handle_, code, shown, "open");
  sqlite3_extended_result_codes(database.handle_, 1);
  return database;
}

Status Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return error(code, sql.size() > 60 ? sql.substr(0, 60) + "..." : sql);
}

Result<Statement> Database::prepare(std::string_view sql, bool kept) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      kept ? SQLITE_PREPARE_PERSISTENT : 0, &statement, nullptr);
  if (code != SQLITE_OK) return error(code, "prepare");
  return Statement(statement, path_.get());
}

Result<std::optional<int64_t>> Database::integer(std::string_view sql) {
  Result<Statement> statement = prepare(sql);
  if (!statement.ok()) return statement.error();
  Result<bool> row = statement->step();
  if (!row.ok()) return row.error();
  if (!*row || statement->is_null(0)) return std::optional<int64_t>();
  return std::optional<int64_t>(statement->integer(0));
}

Status Database::integer_into(std::string_view sql, int64_t& into) {
  const Result<std::optional<int64_t>> found = integer(sql);
  INGERO_TRY(found);
  into = found->value_or(0);
  return {};
}

}  // namespace ingero::store
