// Batches into the spool, and questions to ClickHouse: see store.h.
#include "fleet/store/clickhouse/store.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "base/text.h"
#include "fleet/store/clickhouse/pump.h"
#include "fleet/store/clickhouse/rows.h"
#include "fleet/store/clickhouse/schema.h"
#include "fleet/store/spool.h"
#include "fleet/wire/names.h"
#include "store/db/json_rows.h"

namespace ingero::fleet::store::clickhouse {
namespace {

using ingero::store::OnColumns;
using ingero::store::OnRow;
using ingero::store::QueryOutcome;
using ingero::store::Value;

constexpr auto kTimeOfQuestion = std::chrono::seconds(7);  // on the way, too
constexpr uint64_t kReorder_ns = 30'000'000'000;           // windows come less apart than this
constexpr size_t kMaxRecent = 1 << 19;                     // of one generation
constexpr size_t kMaxParts = 1 << 15;                      // likewise

int64_t id_of(const NodeKey& key) {
  return as_signed(Fnv1a().add(key.first).end_text().add(key.second).value() & INT64_MAX);
}

uint64_t identity_of(const wire::Point& point) {
  Fnv1a identity;
  identity.add(point.sender.cluster).end_text().add(point.sender.node).end_text().add(point.metric).end_text();
  return identity.add(point.time_ns).add(point.hash).value();
}

uint64_t identity_of(const wire::Window& window) {
  Fnv1a identity;
  identity.add(window.sender.cluster).end_text().add(window.sender.node).end_text().add(window.sender.job).end_text();
  return identity.add(window.start_ns).add(uint64_t{window.rank}).add(window.communicator).value();
}

// What came lately: between one and two generations of it.
class Recent {
 public:
  bool has(uint64_t identity) const { return newer_.count(identity) != 0 || older_.count(identity) != 0; }
  void add(const std::unordered_set<uint64_t>& identities) {
    for (const uint64_t identity : identities) {
      if (newer_.size() >= kMaxRecent) {
        older_ = std::move(newer_);
        newer_.clear();
      }
      newer_.insert(identity);
    }
  }

 private:
  std::unordered_set<uint64_t> newer_, older_;
};

// Windows that came lately, with the version of their rows: another part of one, where a sender between cut a batch in
// two, completes it. In two generations, the older of which is forgotten as a whole.
class RecentParts {
 public:
  struct Known {
    wire::Window window;  // without its sides
    int64_t version = 0;
  };
  const Known* find(uint64_t identity) const {
    for (const auto* some : {&newer_, &older_}) {
      if (const auto found = some->find(identity); found != some->end()) return &found->second;
    }
    return nullptr;
  }
  void add(std::unordered_map<uint64_t, Known> windows) {
    for (auto& [identity, known] : windows) {
      if (newer_.size() >= kMaxParts) {
        older_ = std::move(newer_);
        newer_.clear();
      }
      newer_.insert_or_assign(identity, std::move(known));
    }
  }

 private:
  std::unordered_map<uint64_t, Known> newer_, older_;
};

// Whole numbers beyond SQLite's, and lists, as text.
void set(Value& value, const Json& json, std::string& text) {
  value = {};
  if (json.is_boolean() || (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX) || json.is_structured()) {
    text = dump(json);
  } else if (json.is_number_integer()) {
    value.type = Value::Type::kInteger;
    value.integer = json.get<int64_t>();
    return;
  } else if (json.is_number()) {
    value.type = Value::Type::kReal;
    value.real = json.get<double>();
    return;
  } else if (json.is_string()) {
    text = json.get<std::string>();
  } else {
    return;
  }
  value.type = Value::Type::kText;
  value.text = text;
}

Result<QueryOutcome> pass_on(const Json& found, uint64_t limit, const OnRow& on_row, const OnColumns& on_columns) {
  std::vector<std::string> names;
  for (const Json& column : found["meta"]) names.push_back(text_member(column, "name"));
  const std::vector<std::string_view> views(names.begin(), names.end());
  on_columns(views);
  QueryOutcome outcome;
  std::vector<Value> values(names.size());
  std::vector<std::string> texts(names.size());
  for (const Json& row : found["data"]) {
    outcome.truncated = outcome.rows == limit;
    if (outcome.truncated) break;
    if (!row.is_array() || row.size() != names.size()) {
      return Error(Errc::kInvalid, "ClickHouse: the statement's answer has another form", "leave FORMAT out of it");
    }
    for (size_t i = 0; i < names.size(); ++i) set(values[i], row[i], texts[i]);
    ++outcome.rows;
    if (!on_row(values)) break;
  }
  return outcome;
}

RecentParts::Known without_sides(wire::Window window) {
  window.device.reset();
  window.arrivals.clear();
  window.activity.reset();
  return {std::move(window), 0};
}

IncidentRow incident_of(const Json& row) {
  IncidentRow one;
  one.id = row.at(0).get<std::string>();
  one.cluster = row.at(1).get<std::string>();
  one.job = row.at(2).get<std::string>();
  one.kind = row.at(3).get<std::string>();
  one.what = row.at(4).get<std::string>();
  one.state = row.at(5).get<std::string>();
  one.node = row.at(6).get<std::string>();
  one.rank = static_cast<uint32_t>(row.at(7).get<int64_t>());
  one.communicator = static_cast<uint64_t>(row.at(8).get<int64_t>());
  one.from_ns = static_cast<uint64_t>(row.at(9).get<int64_t>());
  one.to_ns = static_cast<uint64_t>(row.at(10).get<int64_t>());
  one.confidence = row.at(11).get<double>();
  one.evidence = parse_json(row.at(12).get<std::string>());
  return one;
}

// What the JSON library throws where ClickHouse answers in another shape, as an error.
template <typename Work>
auto understood(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    return Error(Errc::kCorrupt, fmt::format("ClickHouse: {}", error.what()));
  }
}

}  // namespace

struct Store::Impl {
  struct Incident {
    IncidentRow row;
    int64_t version = 0;
  };

  Impl(StoreOptions given, const Clock& given_clock, Client writing, Client reading)
      : options(std::move(given)), clock(given_clock), client(std::move(writing)), reader(std::move(reading)) {}

  const StoreOptions options;
  const Clock& clock;
  Client client, reader;  // of all that is the server's own; of SQL from outside
  std::unique_ptr<Spool> spool;
  std::mutex sql_mutex;

  std::atomic<int64_t> version_of_tables = 0;
  std::mutex nodes_mutex;  // of `nodes` and `keys`

  // Of what writes.
  std::map<NodeKey, KnownNode> nodes;
  uint32_t last_number = 0;
  std::unordered_map<int64_t, NodeKey> keys;  // by id
  std::atomic<size_t> node_count = 0;
  Recent recent_points, recent_windows;
  RecentParts recent_parts;
  int64_t last_version = 0;
  std::map<std::string, Incident> open_incidents;
  std::map<std::string, IncidentRow> restored;  // of the spool, in any state, until they were asked for
  std::atomic<uint64_t> refused = 0;
  std::unique_ptr<Pump> pump;  // ends first: its thread uses the others

  template <typename Answer>
  Answer counted(Answer answer) {
    refused += answer.ok() ? 0 : 1;
    return answer;
  }

  Status open() {
    SpoolOptions spooling{options.spool_directory, options.spool_bytes, options.keep_ns};
    spooling.first_record = [this] { return open_incidents_record(); };
    auto opened = Spool::open(std::move(spooling));
    INGERO_TRY(opened);
    spool = std::move(*opened);
    INGERO_TRY(read_spool());
    PumpOptions pumping{options.max_bytes, options.between_sums_ns, [this] { return read_tables(); }};
    pump = std::make_unique<Pump>(client, *spool, std::move(pumping), clock);
    pump->open();
    const Status connected = pump->connect();
    if (!connected.ok() && connected.error().code() != Errc::kBusy) return connected;
    pump->start();
    return {};
  }

  // What goes on where the last program ended: nodes, and incidents as they were last.
  Status read_spool() {
    Status status;
    const Status read = spool->each([&](std::string_view record, bool) {
      const auto batch = decode_batch(record);
      if (!batch.ok()) {
        status = batch.error();
        return;
      }
      NodeRow node;
      for (std::string_view rows = batch->nodes; !rows.empty() && take_node(rows, node);) remember(node.key, node.span);
      Incident one;
      for (std::string_view rows = batch->incidents; !rows.empty() && take_incident(rows, one.row, one.version);) {
        last_version = std::max(last_version, one.version);
        restored[one.row.id] = one.row;
        keep(one);
      }
    });
    INGERO_TRY(read);
    return status;
  }

  // Called by the pump's thread, or before it is there.
  Status read_tables() {
    const auto versions = client.rows("SELECT max(version) FROM incidents_rows");
    INGERO_TRY(versions);
    version_of_tables = (*versions)["data"].at(0).at(0).get<int64_t>();
    const auto found = client.rows(fmt::format(
        "SELECT cluster_id, node_id, first_ns, last_ns FROM nodes ORDER BY last_ns DESC LIMIT {}", kMaxNodes));
    INGERO_TRY(found);
    const std::lock_guard guard(nodes_mutex);
    for (const Json& row : (*found)["data"]) {
      remember({row.at(0).get<std::string>(), row.at(1).get<std::string>()},
               {row.at(2).get<uint64_t>(), row.at(3).get<uint64_t>()});
    }
    return {};
  }

  // Later ones are larger, whatever the clock was when those of the tables were written.
  int64_t next_version() {
    last_version = std::max({last_version + 1, version_of_tables + 1, clipped(clock.wall_ns())});
    return last_version;
  }

  void keep(const Incident& one) {
    if (one.row.state == "open") {
      open_incidents[one.row.id] = one;
    } else {
      open_incidents.erase(one.row.id);
    }
  }

  // As they were written before: the same rows again.
  std::string open_incidents_record() const {
    RowBatch rows;
    for (const auto& [id, one] : open_incidents) rows.add(one.row, one.version);
    return rows.encoded();
  }

  void remember(const NodeKey& key, const Span& span) {
    KnownNode& node = nodes[key];
    if (node.number == 0) node.number = ++last_number;
    node.span.add(span);
    keys[id_of(key)] = key;
    node_count = nodes.size();
  }

  // Numbers of the nodes of a batch; new ones are in `nodes` when it is written.
  std::map<NodeKey, uint32_t> numbers_of(const std::map<NodeKey, Span>& seen) const {
    std::map<NodeKey, uint32_t> numbers;
    size_t count = nodes.size();
    uint32_t number = last_number;
    for (const auto& [key, span] : seen) {
      const auto known = nodes.find(key);
      if (known != nodes.end()) {
        numbers[key] = known->second.number;
      } else if (count++ < kMaxNodes) {
        numbers[key] = ++number;
      }
    }
    return numbers;
  }

  Result<Written> write(const wire::Batch& batch) {
    const std::lock_guard guard(nodes_mutex);
    Written written;
    RowBatch rows;
    const auto seen = nodes_of(batch);
    written.forgotten = forget_silent(seen, nodes);
    for (const NodeKey& key : written.forgotten) keys.erase(id_of(key));
    const auto numbers = numbers_of(seen);
    std::unordered_set<uint64_t> points, windows;
    const auto number_of = [&](const wire::Sender& sender) {
      const auto found = numbers.find({sender.cluster, sender.node});
      return found == numbers.end() ? 0 : found->second;
    };
    const auto put_point = [&](const wire::Point& point) -> Result<bool> {
      rows.add(point, INT64_MAX - next_version());  // of two, the first counts
      const uint64_t identity = identity_of(point);
      return !recent_points.has(identity) && points.insert(identity).second;
    };
    std::unordered_map<uint64_t, RecentParts::Known> parts;
    const auto put_window = [&](const wire::Window& window, uint32_t node) -> Result<bool> {
      const int64_t id = id_of({window.sender.cluster, window.sender.node});
      const uint64_t identity = identity_of(window);
      const auto now = parts.find(identity);
      const RecentParts::Known* known = now != parts.end() ? &now->second : recent_parts.find(identity);
      RecentParts::Known whole = known != nullptr ? *known : without_sides(window);
      const bool is_filled = known != nullptr && fill(whole.window, window);
      if (is_filled) {
        ++whole.version;  // it counts more than its first part
        written.filled.emplace_back(whole.window, node);
      } else if (known == nullptr) {
        whole.version = INT64_MAX - next_version();
      }
      if (is_filled || known == nullptr) rows.add(whole.window, id, whole.version);
      if (is_filled || known == nullptr) parts.insert_or_assign(identity, std::move(whole));
      if (window.device) rows.add(*window.device, window, id, INT64_MAX - next_version());
      for (const wire::Arrival& arrival : window.arrivals) rows.add(arrival, window, id, INT64_MAX - next_version());
      return !recent_windows.has(identity) && windows.insert(identity).second;
    };
    INGERO_TRY(put_each(batch, pump->windows_from_ns(), number_of, put_point, put_window, written));
    if (rows.empty()) return written;
    for (const auto& [key, number] : numbers) {
      Span span = seen.at(key);
      const auto known = nodes.find(key);
      if (known != nodes.end()) span.add(known->second.span);
      rows.add_node(id_of(key), key, span);
    }
    const auto end = counted(spool->append(rows.encoded()));
    INGERO_TRY(end);
    written.end = *end;
    for (const auto& [key, number] : numbers) remember(key, seen.at(key));
    recent_points.add(points);
    recent_windows.add(windows);
    recent_parts.add(std::move(parts));
    return written;
  }

  // Newest first.
  Result<std::vector<IncidentRow>> incidents(const std::string& condition, size_t limit) const {
    const auto rows = rows_of(
        fmt::format("SELECT id, cluster_id, job_id, kind, class, state, node_id, rank, comm_id_hash, from_ns, to_ns, "
                    "confidence, evidence FROM incidents_rows FINAL WHERE {} ORDER BY to_ns DESC, id LIMIT {}",
                    condition, limit));
    INGERO_TRY(rows);
    return understood([&]() -> Result<std::vector<IncidentRow>> {
      std::vector<IncidentRow> found;
      for (const Json& row : (*rows)["data"]) found.push_back(incident_of(row));
      return found;
    });
  }

  Result<Json> rows_of(const std::string& statement) const { return client.rows(statement, {}, kTimeOfQuestion); }
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<ClusterStore>> Store::open(StoreOptions options, const Clock& clock) {
  auto client = Client::make(options.server);
  INGERO_TRY(client);
  Server asked = options.server;
  asked.user = options.reader.value_or(asked.user);
  auto reader = Client::make(std::move(asked));
  INGERO_TRY(reader);
  auto impl = std::make_unique<Impl>(std::move(options), clock, std::move(*client), std::move(*reader));
  INGERO_TRY(understood([&] { return impl->open(); }));
  return std::unique_ptr<ClusterStore>(new Store(std::move(impl)));
}

Result<Written> Store::write(const wire::Batch& batch) { return impl_->write(batch); }

Status Store::write(const std::vector<IncidentRow>& incidents) {
  if (incidents.empty()) return {};
  RowBatch rows;
  std::vector<Impl::Incident> all;
  for (const IncidentRow& one : incidents) {
    all.push_back({one, impl_->next_version()});
    rows.add(one, all.back().version);
  }
  INGERO_TRY(impl_->counted(impl_->spool->append(rows.encoded())));
  for (const auto& one : all) impl_->keep(one);
  return {};
}

Status Store::settle(uint64_t end) { return impl_->counted(impl_->spool->settle(end)); }

Status Store::each_window(uint64_t from_ns, const std::function<void(wire::Window, uint32_t)>& take) {
  std::multimap<uint64_t, std::pair<wire::Window, uint32_t>> waiting;  // by start: senders are not in step
  const auto give = [&](uint64_t before_ns) {
    while (!waiting.empty() && waiting.begin()->first < before_ns) {
      auto [window, node] = std::move(waiting.begin()->second);
      waiting.erase(waiting.begin());
      take(std::move(window), node);
    }
  };
  const Status read = impl_->spool->each([&](std::string_view record, bool) {
    const auto batch = decode_batch(record);
    if (!batch.ok() || batch->last_start_ns < from_ns) return;  // open() has seen that all can be decoded
    std::map<std::tuple<int64_t, std::string, uint64_t, uint32_t>, wire::DeviceState> states;
    for (std::string_view rows = batch->states; !rows.empty();) {
      wire::Window of;
      int64_t id = 0;
      if (!take_state(rows, of, id)) break;
      states.insert_or_assign({id, of.sender.job, of.start_ns, of.rank}, std::move(*of.device));
    }
    for (std::string_view rows = batch->windows; !rows.empty();) {
      wire::Window window;
      int64_t id = 0;
      if (!take_window(rows, window, id)) break;
      if (auto its = states.extract({id, window.sender.job, window.start_ns, window.rank})) {
        window.device = std::move(its.mapped());
      }
      const std::lock_guard guard(impl_->nodes_mutex);
      const auto key = impl_->keys.find(id);
      if (window.start_ns < from_ns || key == impl_->keys.end()) continue;
      std::tie(window.sender.cluster, window.sender.node) = key->second;
      const uint64_t identity = identity_of(window);
      if (impl_->recent_windows.has(identity)) continue;
      impl_->recent_windows.add({identity});
      const uint64_t start_ns = window.start_ns;
      waiting.emplace(start_ns, std::pair(std::move(window), impl_->nodes.at(key->second).number));
    }
    if (!waiting.empty() && waiting.rbegin()->first > kReorder_ns) give(waiting.rbegin()->first - kReorder_ns);
  });
  give(UINT64_MAX);
  return read;
}

std::optional<uint32_t> Store::node_number(const std::string& cluster, const std::string& node) const {
  const std::lock_guard guard(impl_->nodes_mutex);
  const auto found = impl_->nodes.find({cluster, node});
  return found == impl_->nodes.end() ? std::nullopt : std::optional(found->second.number);
}

Result<History> Store::history(const HistoryQuery& query) {
  std::string sql = fmt::format(
      "SELECT timestamp_ns, cluster_id, node_id, metric_name, rank, nranks, value_double, value_int, attrs "
      "FROM events_rows FINAL WHERE timestamp_ns >= {} AND timestamp_ns <= {}",
      clipped(query.from_ns), clipped(query.to_ns));
  for (const auto& [column, text] :
       {std::pair("cluster_id", &query.cluster), {"node_id", &query.node}, {"metric_name", &query.metric}}) {
    if (!text->empty()) sql += fmt::format(" AND {} = {}", column, literal(*text));
  }
  if (!query.operation.empty()) {
    std::string any;
    for (const std::string_view name : wire::kOperationNames) {
      any += fmt::format("{}visitParamExtractString(attrs, {}) = {}", any.empty() ? "" : " OR ", literal(name),
                         literal(query.operation));
    }
    sql += fmt::format(" AND ({})", any);
  }
  if (query.rank) sql += fmt::format(" AND rank = {}", *query.rank);
  const size_t limit = std::min(query.limit, kMaxHistoryRows);
  sql += fmt::format(" ORDER BY timestamp_ns DESC, node_id, metric_name, point_hash LIMIT {}", limit + 1);
  const auto rows = impl_->rows_of(sql);
  INGERO_TRY(rows);
  return understood([&]() -> Result<History> {
    HistoryRows found(limit);
    for (const Json& row : (*rows)["data"]) {
      size_t bytes = 0;
      for (const size_t at : {1, 2, 3, 8}) bytes += row.at(at).get_ref<const std::string&>().size();
      const bool is_taken = found.add(bytes, [&] {
        return Json{{"timestamp_ns", row.at(0)},
                    {"cluster_id", row.at(1)},
                    {"node_id", row.at(2)},
                    {"metric_name", row.at(3)},
                    {"rank", row.at(4)},
                    {"nranks", row.at(5)},
                    {"value_double", row.at(6)},
                    {"value_int", row.at(7)},
                    {"attrs", parse_json(row.at(8).get_ref<const std::string&>())}};
      });
      if (!is_taken) break;
    }
    return found.take();
  });
}

Result<std::vector<IncidentRow>> Store::incidents(const std::string& cluster, uint64_t since_ns, size_t limit) {
  const std::string only = cluster.empty() ? "" : " AND cluster_id = " + literal(cluster);
  return impl_->incidents(
      fmt::format("(state = 'open' OR to_ns >= {}) AND state != 'merged'{}", clipped(since_ns), only), limit);
}

Result<std::vector<IncidentRow>> Store::ended_incidents(const std::string& cluster, uint64_t since_ns, size_t limit) {
  const std::string only = cluster.empty() ? "" : " AND cluster_id = " + literal(cluster);
  return impl_->incidents(fmt::format("state NOT IN ('open', 'merged') AND to_ns >= {}{}", clipped(since_ns), only),
                          limit);
}

// As the spool has them, which knows best; where it does not know one, as the table has it.
Result<std::vector<IncidentRow>> Store::open_incidents() {
  std::vector<IncidentRow> found;
  auto stored = impl_->incidents("state = 'open'", kMaxOpenIncidents);
  if (!stored.ok() && stored.error().code() != Errc::kBusy) return stored;
  if (stored.ok()) found = std::move(*stored);
  const auto is_known = [this](const IncidentRow& row) { return impl_->restored.count(row.id) != 0; };
  found.erase(std::remove_if(found.begin(), found.end(), is_known), found.end());
  for (const auto& [id, row] : impl_->restored) {
    if (row.state == "open") found.push_back(row);
  }
  impl_->restored.clear();
  return found;
}

Result<Coverage> Store::coverage() {
  Coverage coverage = impl_->pump->coverage();
  coverage.nodes = impl_->node_count;
  return coverage;
}

std::optional<Backlog> Store::backlog() {
  Backlog backlog = impl_->pump->backlog();
  backlog.waiting_bytes = impl_->spool->waiting_bytes();
  backlog.damaged_bytes = impl_->spool->damaged_bytes();
  backlog.max_bytes = impl_->options.spool_bytes;
  backlog.refused = impl_->refused;
  return backlog;
}

// The engine holds it to reading: `readonly` is set last, since no other setting can be changed after it. To some rows
// it would hold a user of its own only, by row policies, and not in 18.16.
Result<Json> Store::sql(const std::string& statement, uint64_t rows, const Clusters& readable) {
  if (!readable.are_all) {
    return Error(
        Errc::kPermission, "SQL in ClickHouse sees every cluster, and this token reads only some",
        "ask event_history, incidents or another tool, which answer about its clusters, or use a token that reads all");
  }
  const Client::Settings settings{{"max_execution_time", "5"},
                                  {"max_memory_usage", "1000000000"},
                                  {"max_result_rows", std::to_string(rows + 1)},
                                  {"max_result_bytes", "8000000"},
                                  {"result_overflow_mode", "break"},
                                  {"max_block_size", std::to_string(std::max<uint64_t>(rows + 1, 8192))},
                                  {"readonly", "1"}};
  const std::lock_guard guard(impl_->sql_mutex);
  const auto begin = std::chrono::steady_clock::now();
  const auto answered = impl_->reader.rows(statement, settings, kTimeOfQuestion);
  if (!answered.ok() && impl_->reader.is_stopped()) return Error(Errc::kBusy, "the server is being stopped");
  INGERO_TRY(answered);
  auto found = ingero::store::collect_json(
      [&](const OnRow& on_row, const OnColumns& on_columns) { return pass_on(*answered, rows, on_row, on_columns); });
  INGERO_TRY(found);
  return answer_of(std::move(*found), begin);
}

void Store::interrupt() {
  impl_->reader.stop();
  impl_->client.stop();
}

}  // namespace ingero::fleet::store::clickhouse
