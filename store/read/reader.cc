// Opens recordings without writing to them, and answers SQL.
#include "store/read/reader.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "base/text.h"
#include "store/db/file_check.h"
#include "store/db/file_lock.h"
#include "store/db/guarded_functions.h"
#include "store/db/schema.h"
#include "store/db/schema_check.h"
#include "store/read/legacy/legacy.h"
#include "store/read/reader_impl.h"

namespace ingero::store {
namespace {

constexpr int kMaxSqlBytes = 1 << 20;
constexpr int kStepsBetweenChecks = 4000;
constexpr int kStrangersSteps = 50;  // one step may search 128 KiB for 64 KiB
constexpr int64_t kMapBytes = int64_t{1} << 38;
constexpr sqlite3_int64 kLittleMapBytes = 16 << 20;

// What a statement may do: read. Anything not named here is refused while it is prepared.
int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
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

int check_watch(void* given) {
  for (const auto* watch = static_cast<const Watch*>(given); watch != nullptr; watch = watch->outer) {
    if (watch->cancel != nullptr && watch->cancel->load(std::memory_order_relaxed)) return 1;
    if (watch->timed && std::chrono::steady_clock::now() >= watch->end) return 1;
  }
  return 0;
}

// While another program holds the file: for two seconds, unless the watch ends sooner.
int wait_while_busy(void* given, int times) {
  constexpr int kTimes = 200;
  const auto* impl = static_cast<const Reader::Impl*>(given);
  if (times >= kTimes || check_watch(const_cast<Watch*>(impl->watch)) != 0) return 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return 1;
}

// One query's, or one answer's, time.
class Watched {
 public:
  Watched(Reader::Impl& impl, const QueryLimits& limits) : impl_(impl) {
    watch_.timed = limits.time_ns != 0;
    watch_.end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(limits.time_ns);
    watch_.cancel = limits.cancel;
    watch_.outer = impl.watch;
    impl_.set_watch(&watch_);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() { impl_.set_watch(watch_.outer); }

 private:
  Reader::Impl& impl_;
  Watch watch_;
};

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

// SQLite's URI file names: everything but the plainest characters is escaped.
std::string uri_of(const std::string& path, bool immutable) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                       c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return uri + (immutable ? "?immutable=1" : "?mode=ro");
}

Status Reader::Impl::open(const QueryLimits& limits) {
  INGERO_TRY(check_file(path));
  const Watched watched(*this, limits);
  live = is_being_written(path);
  // A file without a writer is opened as immutable: that needs no log, no shared memory and no write access, and leaves
  // no other file in its folder. A file with a log or a writer is read together with it.
  Status opened = open_as(!live && !has_log(path));
  if (opened.ok() || check_watch(const_cast<Watch*>(watch)) == 0) return opened;
  if (limits.cancel != nullptr && *limits.cancel) {
    return Error(Errc::kBusy, fmt::format("{}: interrupted while it was opened", path));
  }
  return Error(Errc::kBusy, fmt::format("{}: could not be opened within {}", path, format_duration(limits.time_ns)),
               "is it a recording of ingero?");
}

Status Reader::Impl::open_as(bool as_immutable) {
  immutable = as_immutable;
  Result<Database> opened = Database::open(uri_of(path, immutable), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path);
  if (!opened.ok()) return opened.error();
  database = std::move(*opened);
  set_watch(watch);
  sqlite3_busy_handler(database.get(), wait_while_busy, this);
  // A stranger's sorting must not fill the disk: in memory, which has a limit. (Before views: it drops what is TEMP.)
  if (trust == Trust::kStranger) INGERO_TRY(database.execute("PRAGMA temp_store = MEMORY"));
  // The schema of a file from elsewhere may hold anything: its views and triggers are not trusted.
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  Result<FileKind> kind = identify(database);
  if (!kind.ok()) {
    if (!immutable && has_log(path) && kind.error().code() == Errc::kPermission) {
      return Error(Errc::kPermission, fmt::format("{}: its write-ahead log cannot be read from here", path),
                   "copy the file and its -wal to a directory you can write, and open the copy");
    }
    return kind.error();
  }
  INGERO_TRY(check_schema(database, *kind, Use::kReading));
  switch (*kind) {
    case FileKind::kEmpty:
      return Error(Errc::kCorrupt, fmt::format("{}: the recording is empty", path),
                   "name another file, or record into it with 'sudo ingero trace --db FILE'");
    case FileKind::kForeign:
      return foreign_error(path);
    case FileKind::kNewer: {
      Result<std::optional<int64_t>> number = database.integer("PRAGMA user_version");
      return newer_error(path, number.ok() ? number->value_or(0) : 0);
    }
    case FileKind::kOlder:
      return Error(Errc::kNotSupported, fmt::format("{}: recorded with an older schema", path),
                   fmt::format("run 'ingero trace --db {}' once: it upgrades the schema", path));
    case FileKind::kCurrent: {
      layout = Layout::kCurrent;
      const Result<std::string> views = own_views_sql(database);
      INGERO_TRY(views);
      INGERO_TRY(database.execute(*views));
      break;
    }
    case FileKind::kLegacy:
      layout = Layout::kLegacy;
      INGERO_TRY(create_legacy_views(database));
      break;
  }
  Result<Statement> info = database.prepare("SELECT value FROM schema_info WHERE key = 'version'");
  if (!info.ok()) return info.error();
  Result<bool> row = info->step();
  if (!row.ok()) return row.error();
  version = *row ? info->text(0) : std::string();
  info->reset();
  return restrict();
}

void Reader::Impl::set_watch(const Watch* innermost) {
  watch = innermost;
  if (database.get() == nullptr) return;  // it is given to the connection when that is made
  const int steps = trust == Trust::kStranger ? kStrangersSteps : kStepsBetweenChecks;
  sqlite3_progress_handler(database.get(), watch == nullptr ? 0 : steps, watch == nullptr ? nullptr : check_watch,
                           const_cast<Watch*>(watch));
}

Status Reader::Impl::restrict() {
  INGERO_TRY(database.execute("PRAGMA query_only = ON; PRAGMA cell_size_check = ON"));
  // Pages of a file at rest cannot go away under a map of them.
  if (immutable) INGERO_TRY(database.execute(fmt::format("PRAGMA mmap_size = {}", kMapBytes)));
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
  sqlite3_set_authorizer(db, authorize, nullptr);
  return {};
}

Status Reader::Impl::refresh() {
  if (!immutable || !has_log(path)) return {};
  live = is_being_written(path);
  return open_as(false);
}

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::~Reader() = default;

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path, Trust trust, const QueryLimits& limits) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->trust = trust;
  INGERO_TRY(impl->open(limits));
  return std::unique_ptr<Reader>(new Reader(std::move(impl)));
}

Layout Reader::layout() const { return impl_->layout; }
const std::string& Reader::version() const { return impl_->version; }
const std::string& Reader::path() const { return impl_->path; }
bool Reader::is_live() const { return impl_->live; }

Result<std::optional<TimeSpan>> Reader::time_span() const {
  INGERO_TRY(impl_->refresh());
  const char* sql = impl_->layout == Layout::kCurrent ? "SELECT min(start_wall_ns), max(end_wall_ns) FROM blocks"
                                                      : "SELECT min(timestamp), max(timestamp) FROM main.events";
  Result<Statement> statement = impl_->database.prepare(sql);
  if (!statement.ok()) return statement.error();
  Result<bool> row = statement->step();
  if (!row.ok()) return row.error();
  if (!*row || statement->is_null(0)) return std::optional<TimeSpan>();
  return std::optional<TimeSpan>(TimeSpan{statement->uint64(0), statement->uint64(1)});
}

void Reader::map_little() const {
  if (!impl_->immutable) return;  // it is not mapped at all
  sqlite3_int64 bytes = kLittleMapBytes;
  sqlite3_file_control(impl_->database.get(), "main", SQLITE_FCNTL_MMAP_SIZE, &bytes);
}

Result<QueryOutcome> Reader::query(std::string_view sql, const QueryLimits& limits, const OnRow& on_row,
                                   const OnColumns& on_columns, std::span<const Bound> bound) const {
  INGERO_TRY(impl_->refresh());
  Database& database = impl_->database;
  if (sql.size() >= kMaxSqlBytes) return Error(Errc::kInvalid, "the SQL is longer than a megabyte");
  if (sql.find('\0') != std::string_view::npos) return Error(Errc::kInvalid, "the SQL holds a NUL character");
  const Watched watched(*impl_, limits);  // preparing can take long too
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

struct TimeLimit::State {
  Watched watched;
};

TimeLimit::TimeLimit(const Reader& reader, const QueryLimits& limits)
    : state_(new State{Watched(reader.impl(), limits)}) {}
TimeLimit::~TimeLimit() = default;

void limit_query_memory(uint64_t bytes) {
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(std::min<uint64_t>(bytes, INT64_MAX)));
}

}  // namespace ingero::store
