// Opens recordings without writing to them, and answers SQL.
#include "store/read/reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/text.h"
#include "store/db/file_check.h"
#include "store/db/schema.h"
#include "store/db/schema_check.h"
#include "store/db/writer_lock.h"
#include "store/read/reader_impl.h"

namespace ingero::store {
namespace {

constexpr int kStepsBetweenChecks = 4000;
constexpr int64_t kMapBytes = int64_t{1} << 38;
constexpr sqlite3_int64 kLittleMapBytes = 16 << 20;

int check_watch(void* given) {
  for (const auto* watch = static_cast<const Watch*>(given); watch != nullptr; watch = watch->outer) {
    if (watch->cancel != nullptr && watch->cancel->load(std::memory_order_relaxed)) return 1;
    if (watch->timed && std::chrono::steady_clock::now() >= watch->end) return 1;
    watch->is_full = sqlite3_memory_used() > watch->memory_bytes;
    if (watch->is_full) return 1;
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
    if (limits.memory_bytes != 0) watch_.memory_bytes = static_cast<int64_t>(limits.memory_bytes);
    watch_.outer = impl.watch;
    impl_.set_watch(&watch_);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() { impl_.set_watch(watch_.outer); }
  bool is_full() const { return watch_.is_full; }

 private:
  Reader::Impl& impl_;
  Watch watch_;
};

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

std::string state_of_file(const std::string& path) {
  std::string out;
  for (const std::string& name : {path, path + "-wal"}) {
    struct stat status {};
    if (::stat(name.c_str(), &status) != 0) {
      if (name == path) return {};
      continue;
    }
    out += fmt::format("{}:{}:{}:{}.{};", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec);
  }
  return out;
}

Status Reader::Impl::open(const QueryLimits& limits) {
  INGERO_TRY(check_file(path));
  const Watched watched(*this, limits);
  state = state_of_file(path);
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
  distrust_schema(database);
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
      return foreign_error(database);
    case FileKind::kNewer: {
      Result<std::optional<int64_t>> number = database.integer("PRAGMA user_version");
      return newer_error(path, number.ok() ? number->value_or(0) : 0);
    }
    case FileKind::kOlder:
      INGERO_TRY(open_older());
      format = &kOwnFormat;
      break;
    case FileKind::kCurrent:
      format = &kOwnFormat;
      break;
    case FileKind::kLegacy:
      format = &kLegacyFormat;
      break;
  }
  INGERO_TRY(format->create_views(database));
  Result<Statement> info = database.prepare("SELECT value FROM schema_info WHERE key = 'version'");
  if (!info.ok()) return info.error();
  Result<bool> row = info->step();
  if (!row.ok()) return row.error();
  version = *row ? info->text(0) : std::string();
  info->reset();
  return restrict();
}

Status Reader::Impl::open_older() {
  Result<std::optional<int64_t>> number = database.integer("PRAGMA user_version");
  if (!number.ok()) return number.error();
  if (number->value_or(0) >= kOldestRead) {
    const Result<std::string> newer = newer_tables_sql(database);
    INGERO_TRY(newer);
    return database.execute(*newer);
  }
  return Error(Errc::kNotSupported,
               fmt::format("{}: recorded with schema {}, and the oldest that is read is {}", path, number->value_or(0),
                           kOldestRead),
               fmt::format("run 'ingero trace --db {}' once: it upgrades the schema", path));
}

void Reader::Impl::set_watch(const Watch* innermost) {
  watch = innermost;
  if (database.get() == nullptr) return;  // it is given to the connection when that is made
  const int steps = trust == Trust::kStranger ? kStrangersSteps : kStepsBetweenChecks;
  sqlite3_progress_handler(database.get(), watch == nullptr ? 0 : steps, watch == nullptr ? nullptr : check_watch,
                           const_cast<Watch*>(watch));
}

Status Reader::Impl::restrict() {
  // Pages of a file at rest cannot go away under a map of them.
  if (immutable) INGERO_TRY(database.execute(fmt::format("PRAGMA mmap_size = {}", kMapBytes)));
  return guard_statements(database, trust);
}

// A run that was recorded into the file since may have come and gone with its log.
Status Reader::Impl::refresh() {
  if (!immutable) return {};
  std::string now = state_of_file(path);
  if (now == state || now.empty()) return {};
  state = std::move(now);
  live = is_being_written(path);
  return open_as(!live && !has_log(path));
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

Layout Reader::layout() const { return impl_->format->layout; }
const Holds& Reader::holds() const { return impl_->format->holds; }
const std::string& Reader::version() const { return impl_->version; }
const std::string& Reader::path() const { return impl_->path; }
bool Reader::is_live() const { return impl_->live; }
bool Reader::is_current() const { return impl_->state == state_of_file(impl_->path); }

Result<std::optional<TimeSpan>> Reader::time_span() const {
  INGERO_TRY(impl_->refresh());
  Result<Statement> statement = impl_->database.prepare(impl_->format->span_sql);
  if (!statement.ok()) return statement.error();
  Result<bool> row = statement->step();
  if (!row.ok()) return row.error();
  if (!*row || statement->is_null(0)) return std::optional<TimeSpan>();
  // Before 1970 there is no time, and what comes after the last is one.
  const int64_t first = std::clamp(statement->integer(0), int64_t{0}, INT64_MAX - 1);
  const int64_t last = std::clamp(statement->integer(1), first, INT64_MAX - 1);
  return std::optional<TimeSpan>(TimeSpan{static_cast<uint64_t>(first), static_cast<uint64_t>(last)});
}

void Reader::map_little() const {
  if (!impl_->immutable) return;  // it is not mapped at all
  sqlite3_int64 bytes = kLittleMapBytes;
  sqlite3_file_control(impl_->database.get(), "main", SQLITE_FCNTL_MMAP_SIZE, &bytes);
}

Result<QueryOutcome> Reader::query(std::string_view sql, const QueryLimits& limits, const OnRow& on_row,
                                   const OnColumns& on_columns, std::span<const Bound> bound) const {
  INGERO_TRY(impl_->refresh());
  const Watched watched(*impl_, limits);  // preparing can take long too
  auto outcome = run_guarded(impl_->database, sql, limits, on_row, on_columns, bound);
  if (!outcome.ok() && watched.is_full()) return impl_->database.error(SQLITE_NOMEM, "query");
  return outcome;
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
