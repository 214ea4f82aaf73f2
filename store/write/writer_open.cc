// Opening for writing: the file and its owner, the lock, the schema, what a killed run left undone, the new session.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "base/fd.h"
#include "store/db/file_access.h"
#include "store/db/file_check.h"
#include "store/db/schema.h"
#include "store/db/schema_check.h"
#include "store/write/writer_impl.h"

namespace ingero::store {
namespace {

constexpr std::chrono::seconds kExamineTime{10};
constexpr int kOpeningSteps = 4000;

}  // namespace

Status Writer::Impl::prepare_file() {
  if (options.path.empty()) return Error(Errc::kInvalid, "the recording's file has no name", "name one with --db");
  if (options.batch_rows == 0) options.batch_rows = 1;
  if (options.max_buffered_rows < options.batch_rows) options.max_buffered_rows = options.batch_rows;
  if (options.sample_every == 0) options.sample_every = 1;
  // Before a directory is made below those that are there, and with what was made.
  INGERO_TRY(check_recording_place(options.path, options.owner));
  INGERO_TRY(make_directories(std::filesystem::path(options.path).parent_path().string(), options.owner));
  INGERO_TRY(check_recording_place(options.path, options.owner));
  // SQLite would use the umask's mode, and as root would leave the file to root.
  const Result<Fd> created = create_recording_file(options.path, options.owner, options.group);
  if (!created.ok()) return Error(created.error().code(), created.error().message(), "choose another path with --db");
  if (::access(options.path.c_str(), W_OK) != 0) {
    Error error = errno_error(fmt::format("{}: open for writing", options.path));
    return Error(error.code(), error.message(), "choose another file with --db");
  }
  INGERO_TRY(check_file(options.path));
  return keep_recording_private(options.path, options.group);
}

int Writer::Impl::check_opening(void* given) {
  const auto* writer = static_cast<const Impl*>(given);
  if (writer->options.is_cancelled && writer->options.is_cancelled()) return 1;
  return std::chrono::steady_clock::now() >= writer->opening_ends ? 1 : 0;
}

// What the file is, without a change to it. However its pages are made, this ends.
Result<FileKind> Writer::Impl::examine() {
  opening_ends = std::chrono::steady_clock::now() + kExamineTime;
  sqlite3_progress_handler(database.get(), kOpeningSteps, check_opening, this);
  Result<FileKind> kind = identify(database);
  if (!kind.ok()) return kind;
  INGERO_TRY(check_schema(database, *kind, Use::kWriting));
  // What follows may take long in a large recording, but it can be cancelled.
  opening_ends = std::chrono::steady_clock::time_point::max();
  return kind;
}

Status Writer::Impl::open_database() {
  Result<WriterLock> taken = WriterLock::take(options.path);
  if (!taken.ok()) return taken.error();
  lock = std::move(*taken);
  Result<Database> opened = Database::open(options.path, SQLITE_OPEN_READWRITE, options.path);
  if (!opened.ok()) return opened.error();
  database = std::move(*opened);
  sqlite3_busy_timeout(database.get(), 2000);
  // The file may be a stranger's: nothing that it brings runs here.
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  const Result<FileKind> kind = examine();
  if (!kind.ok()) return kind.error();
  switch (*kind) {
    case FileKind::kForeign:
      return foreign_error(database);
    case FileKind::kLegacy:
      return Error(Errc::kNotSupported,
                   fmt::format("{}: a legacy recording, which can be read but not extended", options.path),
                   "move it away, or record into another file with --db");
    case FileKind::kNewer: {
      Result<std::optional<int64_t>> version = database.integer("PRAGMA user_version");
      return newer_error(options.path, version.ok() ? version->value_or(0) : 0);
    }
    case FileKind::kEmpty:
      INGERO_TRY(database.execute(kNewFilePragmas));
      break;
    case FileKind::kOlder:
    case FileKind::kCurrent:
      break;
  }
  INGERO_TRY(
      database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF; "
                       "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2048; PRAGMA journal_size_limit = 16777216"));
  // Next to the file there are its log and shared memory now: they are ours, too.
  INGERO_TRY(check_recording_place(options.path, options.owner));
  Result<std::optional<int64_t>> pages = database.integer("PRAGMA page_size");
  if (!pages.ok()) return pages.error();
  page_bytes = pages->value_or(kPageBytes);
  // The log is part of what max_bytes limits: let it grow to an eighth of that, 16 MiB at most.
  int64_t log_pages = 1024;
  if (options.max_bytes != 0) {
    log_pages = std::min<int64_t>(log_pages, static_cast<int64_t>(options.max_bytes / 8) / page_bytes);
  }
  sqlite3_wal_autocheckpoint(database.get(), static_cast<int>(std::max<int64_t>(log_pages, 8)));
  INGERO_TRY(migrate_schema(database, clock.wall_ns()));
  INGERO_TRY(register_batch(database, batch));
  INGERO_TRY(image.attach(database));
  const auto prepare = [&](Statement& statement, const std::string& sql) -> Status {
    Result<Statement> prepared = database.prepare(sql, true);
    if (!prepared.ok()) return prepared.error();
    statement = std::move(*prepared);
    return {};
  };
  INGERO_TRY(prepare(insert_rows, insert_batch_sql()));
  RowBatch none(1);
  none[0].present = 0;
  INGERO_TRY(image.stage(database, none, 1));
  INGERO_TRY(prepare(insert_image, RowImage::kInsertSql));
  std::string assignments;
  for (size_t i = 0; i < kColumns; ++i) {
    assignments += fmt::format("{}{} = ?{}", i == 0 ? "" : ", ", kColumnNames[i], i + 1);
  }
  INGERO_TRY(prepare(update_row, fmt::format("UPDATE event_rows SET {} WHERE seq = ?{}", assignments, kColumns + 1)));
  INGERO_TRY(prepare(put_block, "INSERT OR REPLACE INTO blocks VALUES (?1, ?2, ?3, ?4)"));
  return prepare(stretch_block,
                 "UPDATE blocks SET end_wall_ns = max(end_wall_ns, ?1) "
                 "WHERE first = (SELECT max(first) FROM blocks WHERE first <= ?2)");
}

Status Writer::Impl::load_position() {
  Result<std::optional<int64_t>> last = database.integer("SELECT max(seq) FROM event_rows");
  if (!last.ok()) return last.error();
  committed_seq = last->value_or(0);
  Result<std::optional<int64_t>> through =
      database.integer("SELECT value FROM store_state WHERE key = 'aggregated_through'");
  if (!through.ok()) return through.error();
  aggregated_through = through->value_or(0);
  Result<Statement> newest =
      database.prepare("SELECT first, last, start_wall_ns, end_wall_ns FROM blocks ORDER BY first DESC LIMIT 1");
  if (!newest.ok()) return newest.error();
  Result<bool> row = newest->step();
  if (!row.ok()) return row.error();
  if (*row) block = Block{newest->integer(0), newest->integer(1), newest->integer(2), newest->integer(3)};
  Result<Statement> flights = database.prepare("SELECT tid, start_mono_ns, seq, site, process FROM in_flight");
  if (!flights.ok()) return flights.error();
  for (;;) {
    Result<bool> flight = flights->step();
    if (!flight.ok()) return flight.error();
    if (!*flight) break;
    in_flight[{static_cast<uint32_t>(flights->integer(0)), flights->uint64(1)}] = {
        flights->integer(2), flights->integer(3), flights->integer(4)};
  }
  return {};
}

// Counts the finished rows that the last run committed but did not get to aggregate (W2).
Status Writer::Impl::recover() {
  if (aggregated_through >= committed_seq) return {};
  INGERO_TRY(aggregate_rows_after(database, aggregated_through, aggregates));
  return commit(true);
}

Status Writer::Impl::begin_session() {
  if (options.policy == Policy::kSelective) selector.emplace(calls, options.sample_every);
  batch.reserve(options.batch_rows);
  const Session& s = options.session;
  Result<Statement> insert = database.prepare(kInsertSession);
  if (!insert.ok()) return insert.error();
  insert->bind(1, static_cast<int64_t>(clock.wall_ns())).bind(2, std::string_view(s.gpu_model));
  insert->bind(3, std::string_view(s.gpu_driver)).bind(4, std::string_view(s.cpu_model));
  insert->bind_if(5, s.cpu_cores >= 0, s.cpu_cores).bind_if(6, s.mem_total_mb >= 0, s.mem_total_mb);
  int index = 7;
  for (const std::string* text : {&s.kernel, &s.os_release, &s.runtime_version, &s.python_version, &s.agent_version,
                                  &s.pid_filter, &s.flags, &s.node}) {
    insert->bind(index++, std::string_view(*text));
  }
  insert->bind_if(15, s.rank >= 0, int64_t{s.rank}).bind_if(16, s.local_rank >= 0, int64_t{s.local_rank});
  insert->bind_if(17, s.world_size >= 0, int64_t{s.world_size});
  const bool selective = options.policy == Policy::kSelective;
  insert->bind(18, std::string_view(selective ? "selective" : "all"));
  insert->bind(19, selective ? int64_t{options.sample_every} : int64_t{1});
  INGERO_TRY(insert->run());
  session = sqlite3_last_insert_rowid(database.get());
  INGERO_TRY(samples.load(database, session));
  INGERO_TRY(collectives.load(database, session));
  INGERO_TRY(waits.load(database, session));
  INGERO_TRY(budget.load(database, session));
  INGERO_TRY(inference.load(database, session));
  return dictionaries.load(database, session, s.node, selective ? options.sample_every : 1);
}

}  // namespace ingero::store
