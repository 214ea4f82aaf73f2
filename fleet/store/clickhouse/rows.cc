// Columns in the order of schema.h's RowTables; integers and numbers with the lowest byte first.
#include "fleet/store/clickhouse/rows.h"

#include <bit>
#include <cstring>

#include "base/varint.h"

namespace ingero::fleet::store::clickhouse {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr char kFormat = 2, kFormatWithoutSides = 1;  // the older one may be in a spool

class Row {
 public:
  explicit Row(std::string& out) : out_(out) {}
  Row& add(int64_t value) { return raw(value); }
  Row& add(double value) { return raw(value); }
  Row& add(std::string_view text) {
    put_varint(out_, text.size());
    out_ += text;
    return *this;
  }
  template <typename T>
  Row& add(const std::optional<T>& value) {  // Nullable
    out_.push_back(value ? 0 : 1);
    return value ? raw(*value) : *this;
  }

 private:
  template <typename T>
  Row& raw(T value) {
    static_assert(sizeof(T) == 8);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out_.append(bytes, sizeof(T));
    return *this;
  }
  std::string& out_;
};

class RowReader {
 public:
  explicit RowReader(std::string_view& rows) : rows_(rows) {}
  template <typename T>
  T take() {
    static_assert(sizeof(T) == 8);
    T value{};
    if (rows_.size() < sizeof(T)) return fail(value);
    std::memcpy(&value, rows_.data(), sizeof(T));
    rows_.remove_prefix(sizeof(T));
    return value;
  }
  template <typename T>
  std::optional<T> take_nullable() {
    if (rows_.empty()) return fail(std::optional<T>());
    const bool is_null = rows_.front() != 0;
    rows_.remove_prefix(1);
    return is_null ? std::nullopt : std::optional<T>(take<T>());
  }
  std::string take_text() {
    uint64_t size = 0;
    if (!get_varint(rows_, size) || size > rows_.size()) return fail(std::string());
    std::string text(rows_.substr(0, size));
    rows_.remove_prefix(size);
    return text;
  }
  uint64_t take_unsigned() { return static_cast<uint64_t>(take<int64_t>()); }
  uint32_t take_u32() { return static_cast<uint32_t>(take<int64_t>()); }
  bool ok() const { return is_ok_; }

 private:
  template <typename T>
  T fail(T value) {
    is_ok_ = false;
    rows_ = {};
    return value;
  }
  std::string_view& rows_;
  bool is_ok_ = true;
};

}  // namespace

void RowBatch::add_node(int64_t id, const NodeKey& key, const Span& span) {
  Row row(nodes);
  row.add(id).add(key.first).add(key.second).add(clipped(span.first_ns)).add(clipped(span.last_ns));
  row.add(clipped(span.last_ns));  // the version: the span that reaches furthest holds the others
  ++rows;
}

void RowBatch::add(const wire::Point& point, int64_t version) {
  Row row(events);
  row.add(clipped(point.time_ns)).add(point.sender.cluster).add(point.sender.node).add(point.metric);
  row.add(point.rank).add(point.nranks).add(point.value_double).add(point.value_int);
  row.add(point.attributes).add(as_signed(point.hash)).add(version);
  ++rows;
}

void RowBatch::add(const wire::Window& window, int64_t node_id, int64_t version) {
  Row row(windows);
  row.add(node_id).add(window.sender.job).add(clipped(window.start_ns)).add(int64_t{window.rank});
  row.add(as_signed(window.communicator)).add(clipped(window.end_ns)).add(int64_t{window.comm_rank});
  row.add(int64_t{window.nranks}).add(clipped(window.count)).add(clipped(window.blocked));
  row.add(window.work_s).add(window.work_total_s).add(window.wait_s).add(window.bytes);
  row.add(window.entered).add(window.left).add(window.operation).add(window.preempted_s).add(window.runqueue_s);
  row.add(window.blocked_s).add(window.io_s).add(window.entered_bytes).add(state_of(window));
  for (const int64_t addend : addends_of(window)) row.add(addend);
  row.add(version);
  first_start_ns = std::min(first_start_ns, window.start_ns);
  last_start_ns = std::max(last_start_ns, window.start_ns);
  ++window_count;
  ++rows;
}

void RowBatch::add(const wire::DeviceState& state, const wire::Window& of, int64_t node_id, int64_t version) {
  Row row(states);
  row.add(node_id).add(of.sender.job).add(clipped(of.start_ns)).add(int64_t{of.rank}).add(state.id).add(state.model);
  row.add(state.utilization_ratio).add(state.power_watts).add(state.temperature_celsius).add(state.sm_clock_hertz);
  row.add(state.throttle_reasons ? std::optional(int64_t{*state.throttle_reasons}) : std::nullopt).add(version);
  ++rows;
}

void RowBatch::add(const wire::Arrival& arrival, const wire::Window& of, int64_t node_id, int64_t version) {
  Row row(arrivals);
  row.add(node_id).add(of.sender.job).add(clipped(arrival.entered_ns)).add(int64_t{of.rank});
  row.add(as_signed(of.communicator)).add(clipped(arrival.number));
  row.add(arrival.left_ns ? std::optional(clipped(*arrival.left_ns)) : std::nullopt);
  row.add(arrival.operation).add(arrival.bytes).add(version);
  ++rows;
}

void RowBatch::add(const IncidentRow& incident, int64_t version) {
  Row row(incidents);
  row.add(incident.id).add(incident.cluster).add(incident.job).add(incident.kind).add(incident.what);
  row.add(incident.state).add(incident.node).add(int64_t{incident.rank}).add(as_signed(incident.communicator));
  row.add(clipped(incident.from_ns)).add(clipped(incident.to_ns)).add(incident.confidence);
  row.add(dump(incident.evidence)).add(version);
  ++rows;
}

std::string RowBatch::encoded() const {
  std::string out(1, kFormat);
  Row(out).add(as_signed(first_start_ns)).add(as_signed(last_start_ns)).add(as_signed(rows));
  Row(out).add(as_signed(window_count)).add(nodes).add(events).add(windows).add(incidents);
  Row(out).add(states).add(arrivals);
  return out;
}

Result<RowBatch> decode_batch(std::string_view untrusted_record) {
  const Error wrong(Errc::kCorrupt, "a record of the spool is not one of this version");
  if (untrusted_record.empty()) return wrong;
  const char format = untrusted_record.front();
  if (format != kFormat && format != kFormatWithoutSides) return wrong;
  untrusted_record.remove_prefix(1);
  RowReader reader(untrusted_record);
  RowBatch batch;
  batch.first_start_ns = reader.take_unsigned();
  batch.last_start_ns = reader.take_unsigned();
  batch.rows = reader.take_unsigned();
  batch.window_count = reader.take_unsigned();
  for (std::string* text : {&batch.nodes, &batch.events, &batch.windows, &batch.incidents}) *text = reader.take_text();
  if (format == kFormat) {
    batch.states = reader.take_text();
    batch.arrivals = reader.take_text();
  }
  if (!reader.ok() || !untrusted_record.empty()) return wrong;
  return batch;
}

bool take_node(std::string_view& untrusted_rows, NodeRow& node) {
  RowReader row(untrusted_rows);
  node.id = row.take<int64_t>();
  node.key.first = row.take_text();
  node.key.second = row.take_text();
  node.span = {row.take_unsigned(), row.take_unsigned()};
  (void)row.take<int64_t>();  // the version
  return row.ok();
}

bool take_incident(std::string_view& untrusted_rows, IncidentRow& incident, int64_t& version) {
  RowReader row(untrusted_rows);
  for (std::string* text : {&incident.id, &incident.cluster, &incident.job, &incident.kind, &incident.what,
                            &incident.state, &incident.node}) {
    *text = row.take_text();
  }
  incident.rank = row.take_u32();
  incident.communicator = row.take_unsigned();
  incident.from_ns = row.take_unsigned();
  incident.to_ns = row.take_unsigned();
  incident.confidence = row.take<double>();
  incident.evidence = parse_json(row.take_text());
  version = row.take<int64_t>();
  return row.ok();
}

bool take_state(std::string_view& untrusted_rows, wire::Window& of, int64_t& node_id) {
  RowReader row(untrusted_rows);
  wire::DeviceState state;
  node_id = row.take<int64_t>();
  of.sender.job = row.take_text();
  of.start_ns = row.take_unsigned();
  of.rank = row.take_u32();
  state.id = row.take_text();
  state.model = row.take_text();
  for (auto* value :
       {&state.utilization_ratio, &state.power_watts, &state.temperature_celsius, &state.sm_clock_hertz}) {
    *value = row.take_nullable<double>();
  }
  if (const auto reasons = row.take_nullable<int64_t>()) state.throttle_reasons = static_cast<uint32_t>(*reasons);
  (void)row.take<int64_t>();  // the version
  of.device = std::move(state);
  return row.ok();
}

bool take_window(std::string_view& untrusted_rows, wire::Window& window, int64_t& node_id) {
  RowReader row(untrusted_rows);
  node_id = row.take<int64_t>();
  window.sender.job = row.take_text();
  window.start_ns = row.take_unsigned();
  window.rank = row.take_u32();
  window.communicator = row.take_unsigned();
  window.end_ns = row.take_unsigned();
  window.comm_rank = row.take_u32();
  window.nranks = row.take_u32();
  window.count = row.take_unsigned();
  window.blocked = row.take_unsigned();
  window.work_s = row.take_nullable<double>();
  window.work_total_s = row.take_nullable<double>();
  window.wait_s = row.take<double>();
  window.bytes = row.take<int64_t>();
  window.entered = row.take_nullable<int64_t>();
  window.left = row.take_nullable<int64_t>();
  window.operation = row.take_text();
  window.preempted_s = row.take<double>();
  window.runqueue_s = row.take<double>();
  window.blocked_s = row.take<double>();
  window.io_s = row.take<double>();
  window.entered_bytes = row.take<int64_t>();
  set_state(window, row.take<int64_t>());
  for (size_t i = 0; i < addends_of(window).size() + 1; ++i) (void)row.take<int64_t>();  // and the version
  return row.ok();
}

}  // namespace ingero::fleet::store::clickhouse
