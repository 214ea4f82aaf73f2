// Writes batches and incidents, each in one transaction, and answers questions: see sqlite_store.h.
#include "fleet/store/sqlite_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>

#include "base/log.h"
#include "base/text.h"
#include "fleet/store/rows.h"
#include "fleet/store/schema.h"
#include "fleet/wire/names.h"
#include "store/db/file_access.h"
#include "store/db/file_check.h"
#include "store/db/json_rows.h"
#include "store/db/sqlite.h"
#include "store/db/visible_rows.h"
#include "store/db/writer_lock.h"

namespace ingero::fleet::store {
namespace {

using ingero::store::Database;
using ingero::store::Statement;

constexpr const char* kInsertPoint = "INSERT OR IGNORE INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
constexpr const char* kInsertWindow =
    "INSERT OR IGNORE INTO windows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, "
    "?18, ?19, ?20, ?21, ?22, ?23)";
constexpr const char* kReplaceWindow =
    "INSERT OR REPLACE INTO windows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
    "?17, ?18, ?19, ?20, ?21, ?22, ?23)";
constexpr const char* kSelectWindow =
    "SELECT collectives, blocked, work_s, work_total_s, wait_s, bytes, last_entered, last_left, op_type, preempted_s, "
    "run_queue_s, blocked_s, io_s, entered_bytes, state FROM windows "
    "WHERE start_ns = ?1 AND node = ?2 AND job_id = ?3 AND rank = ?4 AND comm_id_hash = ?5";
constexpr const char* kInsertState =
    "INSERT OR IGNORE INTO device_states VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
constexpr const char* kInsertArrival =
    "INSERT OR IGNORE INTO arrivals VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
// Into a table of sums; they are added to.
constexpr const char* kUpsertSums =
    "INSERT INTO {0} VALUES (?1, ?2, ?3, ?4, ?5, ?12, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO UPDATE SET "
    "windows = windows + excluded.windows, collectives = collectives + excluded.collectives, blocked = blocked + "
    "excluded.blocked, "
    "work_us = work_us + excluded.work_us, wait_us = wait_us + excluded.wait_us, bytes = bytes + excluded.bytes, "
    "off_cpu_us = off_cpu_us + excluded.off_cpu_us";
constexpr const char* kUpsertNode =
    "INSERT INTO nodes (cluster_id, node_id, first_ns, last_ns) VALUES (?1, ?2, ?3, ?4) "
    "ON CONFLICT (cluster_id, node_id) DO UPDATE SET first_ns = min(first_ns, excluded.first_ns), "
    "last_ns = max(last_ns, excluded.last_ns) RETURNING id";
constexpr const char* kUpsertIncident =
    "INSERT OR REPLACE INTO incidents VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
constexpr int64_t kSecond_ns = 1'000'000'000;
constexpr int kStepsBetweenLooks = 10'000;  // of SQLite's machine, until the time is looked at
constexpr sqlite3_int64 kMemoryOfQuestion = 128'000'000;
constexpr uint64_t kBatchesBetweenPrunings = 64;
constexpr int kRowsOfStep = 100, kMaxSteps = 400;  // deleted for the room of one write; the next one goes on

// What goes to make room: of a table what began `kept_ns` before the newest window, or earlier.
struct Aging {
  const char *table, *column;
  int64_t length, second;  // of a row's time, in the column's unit
  uint64_t kept_ns;
};
// Of a table what is as much older than the newest of another, or of itself, in the column's unit; a second in
// that unit.
struct Aged {
  const char *table, *key, *column, *newest_of;
  int64_t kept, second;
};
constexpr int64_t kDay_s = 86'400;
constexpr Aged kAged[] = {
    {"windows", "start_ns, node, job_id, rank, comm_id_hash", "start_ns", "windows", kDay_s* kSecond_ns, kSecond_ns},
    {"device_states", "start_ns, node, job_id, rank", "start_ns", "windows", kDay_s* kSecond_ns, kSecond_ns},
    {"arrivals", "start_ns, node, job_id, rank, comm_id_hash, number", "start_ns", "windows", kDay_s* kSecond_ns,
     kSecond_ns},
    {"minutes", "start_s, node, job_id, rank, comm_id_hash", "start_s", "minutes", 30 * kDay_s, 1},
    {"hours", "start_s, node, job_id, rank, comm_id_hash", "start_s", "hours", 400 * kDay_s, 1},
    {"events", "rowid", "timestamp_ns", "events", 30 * kDay_s* kSecond_ns, kSecond_ns},
    {"incidents", "id", "to_ns", "incidents", 400 * kDay_s* kSecond_ns, kSecond_ns},
};
constexpr int64_t kRowsAged = 4000;  // deleted with one batch
constexpr Aging kFinestFirst[] = {
    {"windows", "start_ns", 1, kSecond_ns, kWindowsKept_ns},
    {"events", "timestamp_ns", 1, kSecond_ns, 0},
    {"minutes", "start_s", 60, 1, kWindowsKept_ns},
    {"hours", "start_s", 3600, 1, kWindowsKept_ns},
    // A restart finds less than it needs, where the file is too small for that.
    {"windows", "start_ns", 1, kSecond_ns, kWindowsLate_ns},
};

// When the statement of a connection has to end.
struct Limit {
  const std::chrono::nanoseconds time;
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  sqlite3_int64 bytes = INT64_MAX;  // that SQLite holds in this process, of all connections
  bool is_over_memory = false;
  std::atomic<bool> is_closing = false;

  bool is_over_time() const { return std::chrono::steady_clock::now() > until; }
  // Of a statement that did not end by itself.
  std::optional<Error> reached() const {
    const char* const remedy = "narrow it: by cluster, by node, by time";
    if (is_over_memory) {
      return Error(Errc::kFull, fmt::format("the query needs more than {} of memory", format_bytes(kMemoryOfQuestion)),
                   remedy);
    }
    if (is_closing) return Error(Errc::kBusy, "the server is being stopped");
    if (!is_over_time()) return std::nullopt;
    const double seconds = std::chrono::duration<double>(time).count();
    return Error(Errc::kBusy, fmt::format("the query took longer than {:g} s", seconds), remedy);
  }
};

int is_over(void* given) {
  auto* limit = static_cast<Limit*>(given);
  if (limit->is_closing.load(std::memory_order_relaxed)) return 1;
  limit->is_over_memory = sqlite3_memory_used() > limit->bytes;
  return limit->is_over_memory || limit->is_over_time() ? 1 : 0;
}

Status connect(const std::string& path, int steps_between_looks, Limit& limit, Database& database) {
  // What it says goes to who asked: where the file is, is none of their business.
  auto opened = Database::open(path, SQLITE_OPEN_READONLY, "the cluster's store");
  INGERO_TRY(opened);
  database = std::move(*opened);
  sqlite3_progress_handler(database.get(), steps_between_looks, is_over, &limit);
  return {};
}

// For statements of strangers, which are not guarded yet.
Status connect_strangers(const std::string& path, Limit& limit, Database& database) {
  INGERO_TRY(connect(path, ingero::store::kStrangersSteps, limit, database));
  // Sorting must not fill the disk: in memory, where it has a limit.
  INGERO_TRY(database.execute("PRAGMA temp_store = MEMORY"));
  ingero::store::distrust_schema(database);
  return {};
}

// 'it''s': as a text in SQL.
std::string text_literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

// A connection for questions of one kind, one at a time: others do not wait for them.
struct Reader {
  explicit Reader(std::chrono::nanoseconds time) : limit{time} {}
  Limit limit;  // outlives the connection that looks at it
  Database database;
  std::mutex mutex;

  Status open(const std::string& path) { return connect(path, kStepsBetweenLooks, limit, database); }

  // What `work` answers with the connection, for as long as a question may take.
  template <typename Work>
  auto ask(const Work& work) -> decltype(work()) {
    const std::lock_guard guard(mutex);
    limit.until = std::chrono::steady_clock::now() + limit.time;
    limit.is_over_memory = false;
    auto answer = work();
    if (!answer.ok()) {
      if (auto reached = limit.reached()) return std::move(*reached);
    }
    return answer;
  }
};

}  // namespace

struct SqliteStore::Impl {
  Impl(StoreOptions given, const Clock& the_clock) : options(std::move(given)), clock(the_clock) {}
  const StoreOptions options;
  const Clock& clock;
  ingero::store::WriterLock lock;
  Database database;
  Reader events{options.question_ns}, incident_rows{options.question_ns}, bounds{options.question_ns},
      statements{options.question_ns};
  Statement insert_point, insert_window, replace_window, select_window, insert_state, insert_arrival, upsert_node,
      add_to_minute, add_to_hour;
  uint64_t windows_pruned_ns = 0;  // windows that began before were deleted
  std::map<NodeKey, KnownNode> nodes;
  std::atomic<size_t> node_count = 0;
  struct stat place {};  // of the file, as it was opened
  uint64_t batches = 0;
  bool has_aged = false;  // rows that are too old, and are deleted with the next batches

  // What is written to a file that has lost its name is gone when the server ends.
  Status check_name() const {
    struct stat now {};
    if (::stat(options.path.c_str(), &now) == 0 && now.st_dev == place.st_dev && now.st_ino == place.st_ino) return {};
    return Error(Errc::kIo,
                 fmt::format("{}: the file was removed or replaced while the server writes it", options.path),
                 "start the server again");
  }

  Status open() {
    INGERO_TRY(ingero::store::check_recording_place(options.path, std::nullopt));
    INGERO_TRY(ingero::store::create_recording_file(options.path, std::nullopt, std::nullopt));
    auto taken = ingero::store::WriterLock::take(options.path);
    if (!taken.ok() && taken.error().code() == Errc::kBusy) {
      return Error(Errc::kBusy, fmt::format("{}: another program is writing this file", options.path),
                   "stop that one, or name another file with --db");
    }
    INGERO_TRY(taken);
    lock = std::move(*taken);
    INGERO_TRY(ingero::store::check_file(options.path));
    (void)::stat(options.path.c_str(), &place);
    auto opened = Database::open(options.path, SQLITE_OPEN_READWRITE, options.path);
    INGERO_TRY(opened);
    database = std::move(*opened);
    // The file may be a stranger's: no trigger that it brings runs here.
    sqlite3_db_config(database.get(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    INGERO_TRY(prepare_schema(database));
    // Pages of a node are written again every few seconds: in 32 MiB more of them are written home only once.
    INGERO_TRY(
        database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8000"));
    int64_t page_bytes = 0;
    INGERO_TRY(database.integer_into("PRAGMA page_size", page_bytes));
    const uint64_t pages = std::max<uint64_t>(64, options.max_bytes / static_cast<uint64_t>(page_bytes));
    INGERO_TRY(database.execute(fmt::format("PRAGMA max_page_count = {}", pages)));
    for (Reader* reader : {&events, &incident_rows, &bounds}) {
      INGERO_TRY(reader->open(options.path));
    }
    INGERO_TRY(open_for_sql());
    return prepare();
  }

  // One of its own for a statement.
  struct Scoped {
    std::unique_ptr<ingero::store::RowGuard> guard;  // outlives the connection
    Database database;
  };
  Status open_scoped(const Clusters& readable, Scoped& scoped);

  // Whose statements anybody with a token writes.
  Status open_for_sql() {
    INGERO_TRY(connect_strangers(options.path, statements.limit, statements.database));
    return ingero::store::guard_statements(statements.database, ingero::store::Trust::kStranger);
  }

  Status prepare() {
    const std::pair<Statement*, const char*> all[] = {
        {&insert_point, kInsertPoint},   {&insert_window, kInsertWindow}, {&replace_window, kReplaceWindow},
        {&select_window, kSelectWindow}, {&insert_state, kInsertState},   {&insert_arrival, kInsertArrival},
        {&upsert_node, kUpsertNode}};
    for (const auto& [statement, sql] : all) {
      auto prepared = database.prepare(sql, true);
      INGERO_TRY(prepared);
      *statement = std::move(*prepared);
    }
    for (const auto& [statement, table] : {std::pair(&add_to_minute, "minutes"), {&add_to_hour, "hours"}}) {
      auto prepared = database.prepare(fmt::format(fmt::runtime(kUpsertSums), table), true);
      INGERO_TRY(prepared);
      *statement = std::move(*prepared);
    }
    int64_t pruned_ns = 0;
    INGERO_TRY(database.integer_into("SELECT windows_before_ns FROM pruned", pruned_ns));
    windows_pruned_ns = windows_taken_from(static_cast<uint64_t>(pruned_ns), clock.wall_ns());
    INGERO_TRY(warn_of_clock());
    const Status status = database.each_row(
        fmt::format("SELECT cluster_id, node_id, id, first_ns, last_ns FROM nodes ORDER BY last_ns DESC LIMIT {}",
                    kMaxNodes),
        [this](Statement& row) {
          nodes[{row.text(0), row.text(1)}] = {static_cast<uint32_t>(row.integer(2)), {row.uint64(3), row.uint64(4)}};
        });
    node_count = nodes.size();
    return status;
  }

  template <typename Work>
  Status transaction(const Work& work) {
    INGERO_TRY(database.execute("BEGIN IMMEDIATE"));
    Status status = work();
    if (status.ok()) status = database.execute("COMMIT");
    if (!status.ok()) sqlite3_exec(database.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return status;
  }

  // Into `numbers` those for which there is room.
  Status put_nodes(const std::map<NodeKey, Span>& seen, std::map<NodeKey, uint32_t>& numbers) {
    size_t count = nodes.size();
    for (const auto& [key, span] : seen) {
      if (!nodes.contains(key) && count++ >= kMaxNodes) continue;
      upsert_node.bind(1, std::string_view(key.first)).bind(2, std::string_view(key.second));
      const auto row = upsert_node.bind(3, clipped(span.first_ns)).bind(4, clipped(span.last_ns)).step();
      INGERO_TRY(row);
      if (*row) numbers[key] = static_cast<uint32_t>(upsert_node.integer(0));
      upsert_node.reset();
    }
    return {};
  }

  Status put(const wire::Point& point, bool& is_new) {
    insert_point.bind(1, clipped(point.time_ns)).bind(2, std::string_view(point.sender.cluster));
    insert_point.bind(3, std::string_view(point.sender.node)).bind(4, std::string_view(point.metric));
    insert_point.bind_if(5, point.rank.has_value(), point.rank.value_or(0));
    insert_point.bind_if(6, point.nranks.has_value(), point.nranks.value_or(0));
    insert_point.bind_if(7, point.value_double.has_value(), point.value_double.value_or(0));
    insert_point.bind_if(8, point.value_int.has_value(), point.value_int.value_or(0));
    insert_point.bind(9, std::string_view(point.attributes)).bind(10, as_signed(point.hash));
    INGERO_TRY(insert_point.run());
    is_new = sqlite3_changes(database.get()) > 0;
    return {};
  }

  Status put(const wire::Window& window, uint32_t node, bool& is_new) {
    INGERO_TRY(put_row(insert_window, window, node));
    is_new = sqlite3_changes(database.get()) > 0;
    return {};
  }

  // A window that is known, with what this part of it adds; none: nothing.
  Result<std::optional<wire::Window>> complete(const wire::Window& more, uint32_t node) {
    Statement& row = select_window;
    row.bind(1, clipped(more.start_ns)).bind(2, int64_t{node}).bind(3, std::string_view(more.sender.job));
    const auto found = row.bind(4, int64_t{more.rank}).bind(5, as_signed(more.communicator)).step();
    INGERO_TRY(found);
    if (!*found) return std::optional<wire::Window>();
    wire::Window known = more;
    known.count = row.uint64(0);
    known.blocked = row.uint64(1);
    const auto real_if = [&](int at) { return row.is_null(at) ? std::nullopt : std::optional(row.real(at)); };
    const auto whole_if = [&](int at) { return row.is_null(at) ? std::nullopt : std::optional(row.integer(at)); };
    known.work_s = real_if(2);
    known.work_total_s = real_if(3);
    known.wait_s = row.real(4);
    known.bytes = row.integer(5);
    known.entered = whole_if(6);
    known.left = whole_if(7);
    known.operation = row.text(8);
    known.preempted_s = row.real(9);
    known.runqueue_s = row.real(10);
    known.blocked_s = row.real(11);
    known.io_s = row.real(12);
    known.entered_bytes = row.integer(13);
    set_state(known, row.integer(14));
    row.reset();
    auto addends = addends_of(known);
    if (!fill(known, more)) return std::optional<wire::Window>();
    INGERO_TRY(put_row(replace_window, known, node));
    const auto whole = addends_of(known);
    for (size_t i = 0; i < addends.size(); ++i) addends[i] = whole[i] - addends[i];
    INGERO_TRY(add_to_sums(known, node, addends, 0));
    return std::optional(std::move(known));
  }

  Status put_row(Statement& row, const wire::Window& window, uint32_t node) {
    row.bind(1, int64_t{node}).bind(2, std::string_view(window.sender.job)).bind(3, clipped(window.start_ns));
    row.bind(4, int64_t{window.rank}).bind(5, as_signed(window.communicator)).bind(6, clipped(window.end_ns));
    row.bind(7, int64_t{window.comm_rank}).bind(8, int64_t{window.nranks}).bind(9, clipped(window.count));
    row.bind(10, clipped(window.blocked));
    row.bind_if(11, window.work_s.has_value(), window.work_s.value_or(0));
    row.bind_if(12, window.work_total_s.has_value(), window.work_total_s.value_or(0));
    row.bind(13, window.wait_s).bind(14, window.bytes);
    row.bind_if(15, window.entered.has_value(), window.entered.value_or(0));
    row.bind_if(16, window.left.has_value(), window.left.value_or(0));
    row.bind(17, std::string_view(window.operation)).bind(18, window.preempted_s).bind(19, window.runqueue_s);
    row.bind(20, window.blocked_s).bind(21, window.io_s).bind(22, window.entered_bytes).bind(23, state_of(window));
    return row.run();
  }

  Status put(const wire::DeviceState& state, const wire::Window& window, uint32_t node) {
    Statement& row = insert_state;
    row.bind(1, int64_t{node}).bind(2, std::string_view(window.sender.job)).bind(3, clipped(window.start_ns));
    row.bind(4, int64_t{window.rank}).bind(5, std::string_view(state.id)).bind(6, std::string_view(state.model));
    int at = 7;
    for (const auto& value :
         {state.utilization_ratio, state.power_watts, state.temperature_celsius, state.sm_clock_hertz}) {
      row.bind_if(at++, value.has_value(), value.value_or(0));
    }
    row.bind_if(at, state.throttle_reasons.has_value(), int64_t{state.throttle_reasons.value_or(0)});
    return row.run();
  }

  Status put(const wire::Arrival& arrival, const wire::Window& window, uint32_t node) {
    Statement& row = insert_arrival;
    const int64_t entered_ns = clipped(arrival.entered_ns);
    row.bind(1, entered_ns - entered_ns % static_cast<int64_t>(wire::kWindow_ns))
        .bind(2, int64_t{node})
        .bind(3, std::string_view(window.sender.job));
    row.bind(4, int64_t{window.rank}).bind(5, as_signed(window.communicator)).bind(6, clipped(arrival.number));
    row.bind(7, entered_ns).bind_if(8, arrival.left_ns.has_value(), clipped(arrival.left_ns.value_or(0)));
    row.bind(9, std::string_view(arrival.operation)).bind(10, arrival.bytes);
    return row.run();
  }

  // What came with it; it may be new where the window is not, for senders between may cut batches anew.
  Status put_sides(const wire::Window& window, uint32_t node) {
    if (window.device) INGERO_TRY(put(*window.device, window, node));
    for (const wire::Arrival& arrival : window.arrivals) INGERO_TRY(put(arrival, window, node));
    return {};
  }

  // To the minute and the hour in which it began.
  Status add_to_sums(const wire::Window& window, uint32_t node, const std::array<int64_t, 6>& addends, int64_t count) {
    constexpr int64_t kMinute_s = 60, kHour_s = 3600;
    const auto start_s = static_cast<int64_t>(window.start_ns / 1'000'000'000);
    for (const auto& [row, length_s] : {std::pair(&add_to_minute, kMinute_s), {&add_to_hour, kHour_s}}) {
      row->bind(1, start_s / length_s * length_s).bind(2, int64_t{node}).bind(3, std::string_view(window.sender.job));
      row->bind(4, int64_t{window.rank}).bind(5, as_signed(window.communicator));
      for (size_t i = 0; i < addends.size(); ++i) row->bind(static_cast<int>(i) + 6, addends[i]);
      row->bind(12, count);
      INGERO_TRY(row->run());
    }
    return {};
  }

  Status put_batch(const wire::Batch& batch, const std::map<NodeKey, Span>& seen, Written& written,
                   std::map<NodeKey, uint32_t>& numbers) {
    INGERO_TRY(put_nodes(seen, numbers));
    const auto number_of = [&](const wire::Sender& sender) -> uint32_t {
      const auto found = numbers.find({sender.cluster, sender.node});
      return found == numbers.end() ? 0 : found->second;
    };
    const auto put_point = [this](const wire::Point& point) -> Result<bool> {
      bool is_new = false;
      INGERO_TRY(put(point, is_new));
      return is_new;
    };
    const auto put_window = [&](const wire::Window& window, uint32_t node) -> Result<bool> {
      bool is_new = false;
      INGERO_TRY(put(window, node, is_new));
      if (is_new) {
        INGERO_TRY(add_to_sums(window, node, addends_of(window), 1));
      } else {
        auto whole = complete(window, node);
        INGERO_TRY(whole);
        if (*whole) written.filled.emplace_back(std::move(**whole), node);
      }
      INGERO_TRY(put_sides(window, node));
      return is_new;
    };
    return put_each(batch, windows_pruned_ns, number_of, put_point, put_window, written);
  }

  Result<uint64_t> used_bytes() {
    int64_t pages = 0, free = 0, bytes = 0;
    INGERO_TRY(database.integer_into("PRAGMA page_count", pages));
    INGERO_TRY(database.integer_into("PRAGMA freelist_count", free));
    INGERO_TRY(database.integer_into("PRAGMA page_size", bytes));
    return static_cast<uint64_t>((pages - free) * bytes);
  }

  // Of a row that did not come under a clock that was wrong.
  int64_t latest_ns() const { return as_signed(clock.wall_ns() + wire::kMaxAhead_ns); }
  Result<int64_t> newest_window_ns() {
    int64_t newest_ns = 0;
    INGERO_TRY(database.integer_into("SELECT max(start_ns) FROM windows", newest_ns));
    return std::min(newest_ns, latest_ns());
  }
  Status warn_of_clock() {
    int64_t newest_ns = 0;
    INGERO_TRY(database.integer_into(
        "SELECT max(coalesce((SELECT max(start_ns) FROM windows), 0), coalesce((SELECT max(timestamp_ns) FROM events), "
        "0))",
        newest_ns));
    if (newest_ns > latest_ns()) {
      log_warning("{}: holds rows of a time that is {} ahead of this machine's clock, which was wrong then or is now",
                  options.path, format_duration(static_cast<uint64_t>(newest_ns) - clock.wall_ns()));
    }
    return {};
  }

  // No window that began before may come any more, or what was deleted would count again.
  Status refuse_windows(int64_t before_ns) {
    if (before_ns <= as_signed(windows_pruned_ns)) return {};
    INGERO_TRY(database.execute(fmt::format("UPDATE pruned SET windows_before_ns = {}", before_ns)));
    windows_pruned_ns = static_cast<uint64_t>(before_ns);
    return {};
  }

  // In one transaction.
  Status delete_windows(int64_t before_ns) {
    for (const char* table : {"windows", "device_states", "arrivals"}) {
      INGERO_TRY(database.execute(fmt::format("DELETE FROM {} WHERE start_ns < {}", table, before_ns)));
    }
    return refuse_windows(before_ns);
  }

  // Of each table what is older, oldest first, until `left` rows are deleted; what is left of it then goes next time.
  Status delete_aged(const Aged& aged, int64_t& left) {
    if (left <= 0) return {};
    INGERO_TRY(database.execute(fmt::format(
        "DELETE FROM {0} WHERE ({1}) IN (SELECT {1} FROM {0} WHERE {2} < min((SELECT max({2}) FROM {3}), "
        "{6}) - {4} ORDER BY {2} LIMIT {5})",
        aged.table, aged.key, aged.column, aged.newest_of, aged.kept, left, latest_ns() / (kSecond_ns / aged.second))));
    left -= sqlite3_changes(database.get());
    return {};
  }

  // Nodes that no row is of any more, with those that are forgotten. In one transaction.
  Status delete_nodes(std::vector<NodeKey>& forgotten) {
    int64_t oldest_ns = INT64_MAX;
    for (const auto& [table, time] : {std::pair("windows", "start_ns"),
                                      {"device_states", "start_ns"},
                                      {"arrivals", "start_ns"},
                                      {"events", "timestamp_ns"},
                                      {"minutes", "start_s * 1000000000"},
                                      {"hours", "start_s * 1000000000"}}) {
      int64_t its_ns = 0;
      INGERO_TRY(
          database.integer_into(fmt::format("SELECT coalesce(min({}), {}) FROM {}", time, INT64_MAX, table), its_ns));
      oldest_ns = std::min(oldest_ns, its_ns);
    }
    return database.each_row(
        fmt::format("DELETE FROM nodes WHERE last_ns < {} RETURNING cluster_id, node_id", oldest_ns),
        [&](Statement& row) {
          const NodeKey key{row.text(0), row.text(1)};
          if (nodes.erase(key) > 0) forgotten.push_back(key);
        });
  }

  // What is older than windows that are deleted may have been counted.
  Status delete_old(std::vector<NodeKey>& forgotten) {
    int64_t left = kRowsAged;
    const auto newest_ns = newest_window_ns();
    INGERO_TRY(newest_ns);
    INGERO_TRY(refuse_windows(*newest_ns - 86'400 * kSecond_ns));
    for (const Aged& aged : kAged) INGERO_TRY(delete_aged(aged, left));
    has_aged = left <= 0;
    return has_aged ? Status() : delete_nodes(forgotten);
  }

  // The oldest rows of a table, about kRowsOfStep; false: none of it may go. In one transaction.
  Result<bool> delete_step(const Aging& aging, int64_t newest_window_ns) {
    int64_t rows = 0, oldest = 0, newest = 0, first_left = 0;
    const auto look_up = [&](const char* what, int64_t& value) {
      return database.integer_into(fmt::format("SELECT {}({}) FROM {}", what, aging.column, aging.table), value);
    };
    INGERO_TRY(database.integer_into(fmt::format("SELECT EXISTS (SELECT 1 FROM {})", aging.table), rows));
    if (rows == 0) return false;
    INGERO_TRY(look_up("min", oldest));
    INGERO_TRY(look_up("max", newest));
    INGERO_TRY(
        database.integer_into(fmt::format("SELECT coalesce((SELECT {0} FROM {1} ORDER BY {0} LIMIT 1 OFFSET {2}), {3})",
                                          aging.column, aging.table, kRowsOfStep, newest + aging.length),
                              first_left));
    int64_t before = std::max(first_left, oldest + aging.length);
    if (aging.kept_ns > 0) {
      const int64_t kept = (newest_window_ns - as_signed(aging.kept_ns)) / (kSecond_ns / aging.second);
      before = std::min(before, kept / aging.length * aging.length);
    }
    if (before <= oldest) return false;
    if (std::string_view(aging.table) == "windows") {
      INGERO_TRY(delete_windows(before));
      return true;
    }
    INGERO_TRY(database.execute(fmt::format("DELETE FROM {} WHERE {} < {}", aging.table, aging.column, before)));
    if (aging.kept_ns > 0) INGERO_TRY(refuse_windows(before * (kSecond_ns / aging.second)));
    return true;
  }

  Result<bool> has_room() {
    constexpr double kFull = 0.9;
    const auto used = used_bytes();
    INGERO_TRY(used);
    return static_cast<double>(*used) < kFull * static_cast<double>(options.max_bytes);
  }

  // Room for what comes: the oldest of the finest goes.
  Status make_room() {
    auto enough = has_room();
    INGERO_TRY(enough);
    if (*enough) return {};
    return transaction([&]() -> Status {
      const auto newest_ns = newest_window_ns();
      INGERO_TRY(newest_ns);
      const Aging* aging = std::begin(kFinestFirst);
      for (int step = 0; step < kMaxSteps && !*enough && aging != std::end(kFinestFirst); ++step) {
        const auto deleted = delete_step(*aging, *newest_ns);
        INGERO_TRY(deleted);
        if (!*deleted) ++aging;
        enough = has_room();
        INGERO_TRY(enough);
      }
      return {};
    });
  }

  // `condition` on ?1, a time, and ?2, a cluster; newest first.
  Result<std::vector<IncidentRow>> incidents(const char* condition, const std::string& cluster, uint64_t since_ns,
                                             size_t limit) {
    std::vector<IncidentRow> rows;
    const Status status = incident_rows.ask([&]() -> Status {
      auto statement = incident_rows.database.prepare(
          fmt::format("SELECT id, cluster_id, job_id, kind, class, state, node_id, rank, comm_id_hash, from_ns, to_ns, "
                      "confidence, evidence FROM incidents WHERE {} ORDER BY to_ns DESC, id LIMIT ?3",
                      condition));
      INGERO_TRY(statement);
      statement->bind(1, clipped(since_ns)).bind(2, std::string_view(cluster)).bind(3, static_cast<int64_t>(limit));
      for (;;) {
        const auto more = statement->step();
        INGERO_TRY(more);
        if (!*more) return {};
        const Statement& row = *statement;
        rows.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(6), row.text(5),
                        static_cast<uint32_t>(row.integer(7)), row.uint64(8), row.uint64(9), row.uint64(10),
                        row.real(11), parse_json(row.bytes(12))});
      }
    });
    INGERO_TRY(status);
    return rows;
  }
};

SqliteStore::SqliteStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<ClusterStore>> SqliteStore::open(StoreOptions options, const Clock& clock) {
  auto impl = std::make_unique<Impl>(std::move(options), clock);
  INGERO_TRY(impl->open());
  return std::unique_ptr<ClusterStore>(new SqliteStore(std::move(impl)));
}

Result<Written> SqliteStore::write(const wire::Batch& batch) {
  Written written;
  std::map<NodeKey, uint32_t> numbers;
  const auto seen = nodes_of(batch);
  INGERO_TRY(impl_->check_name());
  INGERO_TRY(impl_->make_room());
  if (impl_->batches++ % kBatchesBetweenPrunings == 0 || impl_->has_aged) {
    INGERO_TRY(impl_->transaction([&] { return impl_->delete_old(written.forgotten); }));
  }
  for (NodeKey& key : forget_silent(seen, impl_->nodes)) written.forgotten.push_back(std::move(key));
  INGERO_TRY(impl_->transaction([&] { return impl_->put_batch(batch, seen, written, numbers); }));
  for (const auto& [key, number] : numbers) {
    KnownNode& node = impl_->nodes[key];
    node.number = number;
    node.span.add(seen.at(key));
  }
  impl_->node_count = impl_->nodes.size();
  return written;
}

Status SqliteStore::write(const std::vector<IncidentRow>& incidents) {
  if (incidents.empty()) return {};
  return impl_->transaction([&] {
    return impl_->database.run_each(kUpsertIncident, incidents, [](Statement& row, const IncidentRow& one) {
      row.bind(1, std::string_view(one.id)).bind(2, std::string_view(one.cluster)).bind(3, std::string_view(one.job));
      row.bind(4, std::string_view(one.kind)).bind(5, std::string_view(one.what)).bind(6, std::string_view(one.state));
      row.bind(7, std::string_view(one.node)).bind(8, int64_t{one.rank}).bind(9, as_signed(one.communicator));
      row.bind(10, clipped(one.from_ns)).bind(11, clipped(one.to_ns)).bind(12, one.confidence);
      const std::string evidence = dump(one.evidence);
      row.bind(13, std::string_view(evidence));
    });
  });
}

Status SqliteStore::each_window(uint64_t from_ns, const std::function<void(wire::Window, uint32_t)>& take) {
  constexpr const char* kSql =
      "SELECT n.cluster_id, n.node_id, w.job_id, w.start_ns, w.end_ns, w.rank, w.comm_id_hash, w.comm_rank, w.nranks, "
      "w.collectives, w.blocked, w.work_s, w.bytes, w.preempted_s, w.run_queue_s, w.io_s, w.node, "
      "w.last_entered, w.last_left, w.op_type, w.entered_bytes, w.state, w.blocked_s, d.hw_id, d.model, "
      "d.utilization_ratio, d.power_watts, d.temperature_celsius, d.sm_clock_hertz, d.throttle_reasons, w.wait_s "
      "FROM windows w JOIN nodes n ON n.id = w.node LEFT JOIN device_states d ON d.start_ns = w.start_ns AND "
      "d.node = w.node AND d.job_id = w.job_id AND d.rank = w.rank WHERE w.start_ns >= {} ORDER BY w.start_ns, w.node, "
      "w.rank";
  return impl_->database.each_row(fmt::format(fmt::runtime(kSql), clipped(from_ns)), [&](Statement& row) {
    wire::Window window;
    window.sender = {row.text(0), row.text(1), row.text(2)};
    window.start_ns = row.uint64(3);
    window.end_ns = row.uint64(4);
    window.rank = static_cast<uint32_t>(row.integer(5));
    window.communicator = row.uint64(6);
    window.comm_rank = static_cast<uint32_t>(row.integer(7));
    window.nranks = static_cast<uint32_t>(row.integer(8));
    window.count = row.uint64(9);
    window.blocked = row.uint64(10);
    if (!row.is_null(11)) window.work_s = row.real(11);
    window.bytes = row.integer(12);
    window.preempted_s = row.real(13);
    window.runqueue_s = row.real(14);
    window.io_s = row.real(15);
    if (!row.is_null(17)) window.entered = row.integer(17);
    if (!row.is_null(18)) window.left = row.integer(18);
    window.operation = row.text(19);
    window.entered_bytes = row.integer(20);
    set_state(window, row.integer(21));
    window.blocked_s = row.real(22);
    window.wait_s = row.real(30);
    if (!row.is_null(23)) {
      const auto real_if = [&](int at) { return row.is_null(at) ? std::nullopt : std::optional(row.real(at)); };
      window.device = {row.text(23), row.text(24), real_if(25), real_if(26), real_if(27), real_if(28), {}};
      if (!row.is_null(29)) window.device->throttle_reasons = static_cast<uint32_t>(row.integer(29));
    }
    take(std::move(window), static_cast<uint32_t>(row.integer(16)));
  });
}

std::optional<uint32_t> SqliteStore::node_number(const std::string& cluster, const std::string& node) const {
  const auto found = impl_->nodes.find({cluster, node});
  return found == impl_->nodes.end() ? std::nullopt : std::optional(found->second.number);
}

Result<History> SqliteStore::history(const HistoryQuery& query) {
  std::string sql =
      "SELECT timestamp_ns, cluster_id, node_id, metric_name, rank, nranks, value_double, value_int, attrs FROM events "
      "WHERE timestamp_ns BETWEEN ?1 AND ?2";
  std::vector<std::string_view> texts;
  const auto also = [&](const char* condition, const std::string& text) {
    if (text.empty()) return;
    sql += fmt::format(fmt::runtime(condition), texts.size() + 5);
    texts.push_back(text);
  };
  also(" AND cluster_id = ?{}", query.cluster);
  also(" AND node_id = ?{}", query.node);
  also(" AND metric_name = ?{}", query.metric);
  // json_extract of several paths gives an array.
  std::string is_operation = " AND ?{} IN (SELECT value FROM json_each(json_extract(attrs";
  for (const std::string_view name : wire::kOperationNames) is_operation += fmt::format(", '$.\"{}\"'", name);
  is_operation += ")))";
  also(is_operation.c_str(), query.operation);
  if (query.rank) sql += " AND rank = ?3";
  sql += " ORDER BY timestamp_ns DESC, node_id, metric_name, point_hash LIMIT ?4";
  const size_t limit = std::min(query.limit, kMaxHistoryRows);
  HistoryRows found(limit);
  const Status status = impl_->events.ask([&]() -> Status {
    auto statement = impl_->events.database.prepare(sql);
    INGERO_TRY(statement);
    statement->bind(1, clipped(query.from_ns)).bind(2, clipped(query.to_ns));
    if (query.rank) statement->bind(3, *query.rank);
    statement->bind(4, static_cast<int64_t>(limit) + 1);
    for (size_t i = 0; i < texts.size(); ++i) statement->bind(static_cast<int>(i) + 5, texts[i]);
    const auto integer = [&](int at) { return statement->is_null(at) ? Json(nullptr) : Json(statement->integer(at)); };
    for (;;) {
      const auto more = statement->step();
      INGERO_TRY(more);
      if (!*more) return {};
      size_t bytes = 0;
      for (const int at : {1, 2, 3, 8}) bytes += statement->bytes(at).size();
      const bool is_taken = found.add(bytes, [&] {
        return Json{{"timestamp_ns", statement->integer(0)},
                    {"cluster_id", statement->text(1)},
                    {"node_id", statement->text(2)},
                    {"metric_name", statement->text(3)},
                    {"rank", integer(4)},
                    {"nranks", integer(5)},
                    {"value_double", statement->is_null(6) ? Json(nullptr) : Json(statement->real(6))},
                    {"value_int", integer(7)},
                    {"attrs", parse_json(statement->bytes(8))}};
      });
      if (!is_taken) return {};
    }
  });
  INGERO_TRY(status);
  return found.take();
}

Result<std::vector<IncidentRow>> SqliteStore::incidents(const std::string& cluster, uint64_t since_ns, size_t limit) {
  return impl_->incidents("(state = 'open' OR to_ns >= ?1) AND state != 'merged' AND (?2 = '' OR cluster_id = ?2)",
                          cluster, since_ns, limit);
}

Result<std::vector<IncidentRow>> SqliteStore::ended_incidents(const std::string& cluster, uint64_t since_ns,
                                                              size_t limit) {
  return impl_->incidents("state NOT IN ('open', 'merged') AND to_ns >= ?1 AND (?2 = '' OR cluster_id = ?2)", cluster,
                          since_ns, limit);
}

Result<std::vector<IncidentRow>> SqliteStore::open_incidents() {
  return impl_->incidents("to_ns >= ?1 AND ?2 = '' AND state = 'open'", "", 0, kMaxOpenIncidents);
}

// A connection that reads some clusters only, for one statement: see store/db/visible_rows.h.
Status SqliteStore::Impl::open_scoped(const Clusters& readable, Scoped& scoped) {
  std::string names;
  for (const std::string& name : readable.names) names += (names.empty() ? "" : ", ") + text_literal(name);
  const std::string its = fmt::format("cluster_id IN ({})", names);
  const std::string of_its_nodes = fmt::format("node IN (SELECT id FROM main.nodes WHERE {})", its);
  std::vector<ingero::store::VisibleRows> visible;
  for (const char* table : {"nodes", "events", "incidents"}) visible.push_back({table, its});
  for (const char* table : {"windows", "device_states", "arrivals", "minutes", "hours"}) {
    visible.push_back({table, of_its_nodes});
  }
  INGERO_TRY(connect_strangers(options.path, statements.limit, scoped.database));
  auto guard = ingero::store::RowGuard::make(scoped.database, visible);
  INGERO_TRY(guard);
  scoped.guard = std::move(*guard);
  return {};
}

Result<Json> SqliteStore::sql(const std::string& statement, uint64_t rows, const Clusters& readable) {
  const auto begin = std::chrono::steady_clock::now();
  Reader& reader = impl_->statements;
  auto found = reader.ask([&]() -> Result<ingero::store::JsonRows> {
    Impl::Scoped scoped;
    if (!readable.are_all) INGERO_TRY(impl_->open_scoped(readable, scoped));
    Database& database = readable.are_all ? reader.database : scoped.database;
    // Of the process, since SQLite has no account for each connection; a hard limit would stop the writer, too.
    reader.limit.bytes = sqlite3_memory_used() + kMemoryOfQuestion;
    return ingero::store::collect_json([&](const auto& on_row, const auto& on_columns) {
      return ingero::store::run_guarded(database, statement, {rows, 0, nullptr}, on_row, on_columns);
    });
  });
  INGERO_TRY(found);
  return answer_of(std::move(*found), begin);
}

void SqliteStore::interrupt() {
  for (Reader* reader : {&impl_->events, &impl_->incident_rows, &impl_->bounds, &impl_->statements}) {
    reader->limit.is_closing = true;
  }
}

Result<Coverage> SqliteStore::coverage() {
  Coverage found;
  const Status status = impl_->bounds.ask([&]() -> Status {
    Database& database = impl_->bounds.database;
    int64_t points = 0, windows = 0, pages = 0, bytes = 0, minutes = 0, hours = 0;
    INGERO_TRY(database.integer_into("SELECT min(timestamp_ns) FROM events", points));
    INGERO_TRY(database.integer_into("SELECT min(start_ns) FROM windows", windows));
    INGERO_TRY(database.integer_into("SELECT min(start_s) FROM minutes", minutes));
    INGERO_TRY(database.integer_into("SELECT min(start_s) FROM hours", hours));
    INGERO_TRY(database.integer_into("PRAGMA page_count", pages));
    INGERO_TRY(database.integer_into("PRAGMA page_size", bytes));
    found = {static_cast<uint64_t>(points),
             static_cast<uint64_t>(windows),
             static_cast<uint64_t>(pages * bytes),
             impl_->node_count,
             static_cast<uint64_t>(minutes) * 1'000'000'000,
             static_cast<uint64_t>(hours) * 1'000'000'000};
    return {};
  });
  INGERO_TRY(status);
  return found;
}

}  // namespace ingero::fleet::store
