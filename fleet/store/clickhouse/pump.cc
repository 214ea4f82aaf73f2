// One round after the other: rows, sums, what is old; an error ends a round, and the next begins where it ended. See
// pump.h.
#include "fleet/store/clickhouse/pump.h"

#include <algorithm>
#include <csignal>

#include "base/log.h"
#include "base/text.h"
#include "serve/net/thread.h"

namespace ingero::fleet::store::clickhouse {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr size_t kChunkBytes = 8 << 20;             // of one round
constexpr auto kBetweenRounds = milliseconds(500);  // many small inserts are more to merge
constexpr auto kFirstWait = milliseconds(250), kLongestWait = milliseconds(5000);  // until ClickHouse is tried again
constexpr auto kBetweenPrunings = seconds(60), kBetweenLooks = seconds(10);
constexpr int64_t kMinute_s = 60, kHour_s = 3600, kSecond_ns = 1'000'000'000;
constexpr int64_t kKept_ns = 34'560'000 * kSecond_ns;
constexpr double kFull = 0.9;

// The sums of windows, and of sums.
constexpr const char* kSumMinute =
    "INSERT INTO minutes_rows (start_s, node, job_id, rank, comm_id_hash, windows, collectives, blocked, work_us, "
    "wait_us, bytes, off_cpu_us, version) SELECT toInt64({0}) AS start_s, node, job_id, rank, comm_id_hash, "
    "toInt64(count()), sum(sum_collectives), sum(sum_blocked), sum(sum_work_us), sum(sum_wait_us), sum(sum_bytes), "
    "sum(sum_off_cpu_us), toUInt64(count()) FROM windows_rows FINAL WHERE start_ns >= {1} AND start_ns < {2} "
    "GROUP BY node, job_id, rank, comm_id_hash";
constexpr const char* kSumHour =
    "INSERT INTO hours_rows (start_s, node, job_id, rank, comm_id_hash, windows, collectives, blocked, work_us, "
    "wait_us, bytes, off_cpu_us, version) SELECT toInt64({0}), node, job_id, rank, comm_id_hash, sum(windows), "
    "sum(collectives), sum(blocked), sum(work_us), sum(wait_us), sum(bytes), sum(off_cpu_us), toUInt64(sum(windows)) "
    "FROM minutes_rows FINAL WHERE start_s >= {0} AND start_s < {1} GROUP BY node, job_id, rank, comm_id_hash";

// Without the windows that began before.
uint64_t leave_out(uint64_t before_ns, RowBatch& batch) {
  std::string kept;
  uint64_t left_out = 0;
  for (std::string_view rows = batch.windows; !rows.empty();) {
    const std::string_view before = rows;
    wire::Window window;
    int64_t node = 0;
    if (!take_window(rows, window, node)) break;
    if (window.start_ns < before_ns) {
      ++left_out;
    } else {
      kept += before.substr(0, before.size() - rows.size());
    }
  }
  batch.windows = std::move(kept);
  batch.first_start_ns = std::max(batch.first_start_ns, before_ns);
  return left_out;
}

uint64_t begin_of(const AgingTable& aging, int64_t partition) {
  return static_cast<uint64_t>(partition) * aging.length * (kSecond_ns / aging.second);
}

uint64_t number_at(const Json& rows, size_t row, size_t column) {
  const Json& value = rows.at(row).at(column);
  return value.is_number_integer() && value.get<int64_t>() > 0 ? value.get<uint64_t>() : 0;
}

}  // namespace

Pump::~Pump() {
  client_.stop();
  {
    const std::lock_guard guard(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Pump::open() {
  const Json note = parse_json(spool_.note());
  if (!note.is_object()) return;
  for (const auto& [name, due] : {std::pair("minutes", &minutes_), {"hours", &hours_}}) {
    const auto list = note.find(name);
    if (list == note.end() || !list->is_array()) continue;
    for (const Json& start : *list) {
      if (start.is_number_integer()) due->insert(start.get<int64_t>());
    }
  }
  const auto from = note.find("windows_from_ns");
  if (from != note.end() && from->is_number_unsigned()) keep_windows_from(from->get<uint64_t>());
  backlog_.due_minutes = minutes_.size();
}

void Pump::keep_windows_from(uint64_t ns) {
  windows_from_ns_ = std::max(windows_from_ns_.load(), windows_taken_from(ns, clock_.wall_ns()));
}

Status Pump::connect() {
  INGERO_TRY(prepare_schema(client_));
  const auto found = client_.rows("SELECT max(windows_before_ns) FROM pruned_rows");
  INGERO_TRY(found);
  keep_windows_from(number_at((*found)["data"], 0, 0));
  INGERO_TRY(options_.on_connected());
  INGERO_TRY(look());
  is_connected_ = true;
  return {};
}

// Signals are for the thread that will wait for them, which need not have blocked them yet.
void Pump::start() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Coverage Pump::coverage() const {
  const std::lock_guard guard(mutex_);
  return coverage_;
}

Backlog Pump::backlog() const {
  const std::lock_guard guard(mutex_);
  return backlog_;
}

void Pump::run() {
  serve::net::begin_thread("clickhouse");
  nanoseconds wait = kFirstWait;
  for (;;) {
    Status status;
    try {
      status = step();
    } catch (const std::exception& error) {  // of memory
      status = Error(Errc::kIo, text_of_exception(error));
    }
    std::unique_lock lock(mutex_);
    const std::string error = status.ok() ? "" : status.error().text();
    if (!is_stopping_ && !client_.is_stopped() && error.empty() != backlog_.last_error.empty()) {
      if (error.empty()) log_info("ClickHouse takes rows again");
      if (!error.empty()) log_warning("rows wait in the spool: {}", error);
    }
    backlog_.last_error = error;
    backlog_.due_minutes = minutes_.size();
    if (status.ok()) wait = kFirstWait;
    const nanoseconds pause = !status.ok() ? wait : has_more_ ? nanoseconds(0) : nanoseconds(kBetweenRounds);
    if (!status.ok()) wait = std::min<nanoseconds>(2 * wait, kLongestWait);
    changed_.wait_for(lock, pause, [this] { return is_stopping_; });
    if (is_stopping_) return;
  }
}

Status Pump::step() {
  if (!is_connected_) INGERO_TRY(connect());
  if (!has_chunk_) INGERO_TRY(fetch());
  const bool has_moved = has_chunk_;
  if (has_moved) INGERO_TRY(hand_on());
  const auto now = SteadyClock::now();
  const bool is_quiet = !has_moved && now >= inserted_ + kBetweenRounds;
  if (has_due() && (is_quiet || now >= summed_ + nanoseconds(options_.between_sums_ns))) {
    INGERO_TRY(sum_up());
    looked_ = {};
  }
  if (now >= pruned_ + kBetweenPrunings) {
    if (has_due()) INGERO_TRY(sum_up());  // before their windows may go
    INGERO_TRY(prune());
    pruned_ = now;
  }
  if (now >= looked_ + kBetweenLooks || (is_quiet && inserted_ > looked_)) INGERO_TRY(look());
  return {};
}

Status Pump::fetch() {
  INGERO_TRY(spool_.settle());
  const auto records = spool_.next(kChunkBytes);
  INGERO_TRY(records);
  RowBatch chunk;
  uint64_t expired = 0;
  size_t bytes = 0;
  for (const std::string& record : *records) {
    bytes += record.size();
    auto batch = decode_batch(record);
    INGERO_TRY(batch);
    if (batch->window_count > 0 && batch->first_start_ns < windows_from_ns_)
      expired += leave_out(windows_from_ns_, *batch);
    if (!batch->windows.empty()) {
      for (auto at = static_cast<int64_t>(batch->first_start_ns / kSecond_ns) / kMinute_s * kMinute_s;
           at * kSecond_ns <= clipped(batch->last_start_ns); at += kMinute_s) {
        minutes_.insert(at);
      }
    }
    chunk.nodes += batch->nodes;
    chunk.events += batch->events;
    chunk.windows += batch->windows;
    chunk.incidents += batch->incidents;
    chunk.states += batch->states;
    chunk.arrivals += batch->arrivals;
    chunk.rows += batch->rows;
  }
  has_more_ = bytes >= kChunkBytes;
  chunk_ = std::move(chunk);
  has_chunk_ = !records->empty();
  const std::lock_guard guard(mutex_);
  backlog_.expired_windows += expired;
  backlog_.due_minutes = minutes_.size();  // before the spool is empty: both are 0 only where all sums are right
  return {};
}

// The minutes are due from before the rows are there until after they were counted.
Status Pump::hand_on() {
  for (const auto& [table, rows] : {std::pair(&kNodeRows, &chunk_.nodes),
                                    {&kEventRows, &chunk_.events},
                                    {&kWindowRows, &chunk_.windows},
                                    {&kStateRows, &chunk_.states},
                                    {&kArrivalRows, &chunk_.arrivals},
                                    {&kIncidentRows, &chunk_.incidents}}) {
    if (!rows->empty()) INGERO_TRY(client_.insert(table->name, table->columns, *rows));
  }
  INGERO_TRY(spool_.done(note()));
  has_chunk_ = false;
  inserted_ = SteadyClock::now();
  const std::lock_guard guard(mutex_);
  backlog_.rows += chunk_.rows;
  chunk_ = {};
  return {};
}

std::string Pump::note() const {
  return dump(Json{{"minutes", minutes_}, {"hours", hours_}, {"windows_from_ns", windows_from_ns_.load()}});
}

Status Pump::sum_up() {
  for (const int64_t start_s : minutes_) {
    if (start_s * kSecond_ns < clipped(windows_from_ns_)) continue;  // some of its windows are gone: it stays as it is
    INGERO_TRY(sum_minute(start_s));
    hours_.insert(start_s / kHour_s * kHour_s);
  }
  for (const int64_t start_s : hours_) INGERO_TRY(sum_hour(start_s));
  minutes_.clear();
  hours_.clear();
  summed_ = SteadyClock::now();
  return spool_.done(note());
}

Status Pump::sum_minute(int64_t start_s) {
  return client_.run(
      fmt::format(fmt::runtime(kSumMinute), start_s, start_s * kSecond_ns, (start_s + kMinute_s) * kSecond_ns));
}

Status Pump::sum_hour(int64_t start_s) {
  return client_.run(fmt::format(fmt::runtime(kSumHour), start_s, start_s + kHour_s));
}

Result<Pump::Partitions> Pump::partitions() const {
  const auto found = client_.rows(fmt::format(
      "SELECT table, toInt64OrZero(partition) AS number, sum(bytes_on_disk) FROM system.parts WHERE active AND "
      "database = {} GROUP BY table, number ORDER BY number",
      literal(client_.database())));
  INGERO_TRY(found);
  Partitions partitions;
  for (const Json& row : (*found)["data"]) {
    const std::string table = row.at(0).get<std::string>();
    const Partition one{row.at(1).get<int64_t>(), row.at(2).get<uint64_t>()};
    partitions.bytes += one.bytes;
    for (size_t i = 0; i < kAgingTables.size(); ++i) {
      if (table == kAgingTables[i].name) partitions.of[i].push_back(one);
    }
  }
  return partitions;
}

// The oldest partition of a table; where windows or what they are summed into goes, none may come for it any more.
Status Pump::drop(size_t table, Partitions& partitions) {
  const AgingTable& aging = kAgingTables[table];
  auto& all = partitions.of[table];
  const Partition oldest = all.front();
  const bool is_summed =
      std::string_view(aging.name) == "windows_rows" || std::string_view(aging.name) == "minutes_rows";
  const uint64_t end_ns = begin_of(aging, oldest.number + 1);
  if (is_summed && end_ns > windows_from_ns_) {
    INGERO_TRY(client_.run(fmt::format("INSERT INTO pruned_rows VALUES ({})", end_ns)));
    windows_from_ns_ = end_ns;
  }
  INGERO_TRY(client_.run(fmt::format("ALTER TABLE {} DROP PARTITION {}", aging.name, oldest.number)));
  partitions.bytes -= std::min(partitions.bytes, oldest.bytes);
  all.erase(all.begin());
  return {};
}

// The newest partition stays, and so do those in which the newest windows, and their sums, can be.
bool Pump::may_drop(size_t table, const Partitions& partitions) const {
  const auto& all = partitions.of[table];
  if (all.size() < 2) return false;
  const auto& windows = partitions.of[kWindowsAging];
  if (std::string_view(kAgingTables[table].name) == kEventRows.name || windows.empty()) return true;
  return begin_of(kAgingTables[table], all.front().number + 1) + kWindowsKept_ns <=
         std::min(begin_of(kAgingTables[kWindowsAging], windows.back().number), latest_ns());
}

// What is older than it may be; then the oldest of the finest, until there is room.
Status Pump::prune() {
  auto found = partitions();
  INGERO_TRY(found);
  for (size_t i = 0; i < kAgingTables.size(); ++i) {
    auto& all = found->of[i];
    const AgingTable& aging = kAgingTables[i];
    const auto kept = static_cast<int64_t>(aging.keep / aging.length);
    const auto latest = static_cast<int64_t>(latest_ns() / (aging.length * (kSecond_ns / aging.second)));
    while (all.size() > 1 && all.front().number < std::min(all.back().number, latest) - kept) {
      INGERO_TRY(drop(i, *found));
    }
  }
  while (static_cast<double>(found->bytes) >= kFull * static_cast<double>(options_.max_bytes)) {
    size_t finest = 0;
    while (finest < kAgingTables.size() && !may_drop(finest, *found)) ++finest;
    if (finest == kAgingTables.size()) break;
    INGERO_TRY(drop(finest, *found));
  }
  INGERO_TRY(delete_old("incidents_rows", "to_ns"));
  return delete_old("nodes_rows", "last_ns");
}

// Of tables without partitions, as far back as hours are kept.
Status Pump::delete_old(const char* table, const char* column) {
  const auto newest = client_.rows(fmt::format("SELECT max({0}), min({0}) FROM {1}", column, table));
  INGERO_TRY(newest);
  const int64_t before_ns = clipped(std::min(number_at((*newest)["data"], 0, 0), latest_ns())) - kKept_ns;
  if (clipped(number_at((*newest)["data"], 0, 1)) >= before_ns) return {};
  return client_.run(fmt::format("ALTER TABLE {} DELETE WHERE {} < {}", table, column, before_ns));
}

Status Pump::look() {
  const auto found = partitions();
  INGERO_TRY(found);
  Coverage coverage;
  coverage.bytes = found->bytes;
  // Of the first ones nothing is said: they reach as far back as the windows that they came with.
  uint64_t* const from[kAgingTables.size()] = {nullptr,
                                               nullptr,
                                               &coverage.windows_from_ns,
                                               &coverage.points_from_ns,
                                               &coverage.minutes_from_ns,
                                               &coverage.hours_from_ns};
  for (size_t i = 0; i < kAgingTables.size(); ++i) {
    const AgingTable& aging = kAgingTables[i];
    if (found->of[i].empty() || from[i] == nullptr) continue;
    const uint64_t end = (static_cast<uint64_t>(found->of[i].front().number) + 1) * aging.length;
    const auto oldest =
        client_.rows(fmt::format("SELECT min({0}) FROM {1} WHERE {0} < {2}", aging.column, aging.name, end));
    INGERO_TRY(oldest);
    *from[i] = number_at((*oldest)["data"], 0, 0) * (kSecond_ns / aging.second);
  }
  looked_ = SteadyClock::now();
  const std::lock_guard guard(mutex_);
  coverage_ = coverage;
  return {};
}

}  // namespace ingero::fleet::store::clickhouse
