// Rows in ClickHouse's RowBinary (clickhouse.com/docs/interfaces/formats), and the record of a batch in the spool: rows
// as they will be inserted, so that handing them on needs no second decoding. Private to fleet/store/. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/store/clickhouse/schema.h"
#include "fleet/store/rows.h"

namespace ingero::fleet::store::clickhouse {

// What one write() adds, a text of rows for each table.
struct RowBatch {
  std::string nodes, events, windows, incidents, states, arrivals;
  uint64_t first_start_ns = UINT64_MAX, last_start_ns = 0;  // of the windows
  uint64_t rows = 0, window_count = 0;

  void add_node(int64_t id, const NodeKey& key, const Span& span);
  void add(const wire::Point& point, int64_t version);
  // Without what came with it.
  void add(const wire::Window& window, int64_t node_id, int64_t version);
  void add(const wire::DeviceState& state, const wire::Window& of, int64_t node_id, int64_t version);
  void add(const wire::Arrival& arrival, const wire::Window& of, int64_t node_id, int64_t version);
  void add(const IncidentRow& incident, int64_t version);

  bool empty() const { return rows == 0; }
  std::string encoded() const;
};

// kCorrupt: it is not what encoded() made.
Result<RowBatch> decode_batch(std::string_view untrusted_record);

struct NodeRow {
  int64_t id = 0;
  NodeKey key;
  Span span;
};
// The next row is taken from the front; false: it is not one.
bool take_node(std::string_view& untrusted_rows, NodeRow& node);
bool take_incident(std::string_view& untrusted_rows, IncidentRow& incident, int64_t& version);
// Of the window that it came with only the job, the start and the rank are set.
bool take_state(std::string_view& untrusted_rows, wire::Window& of, int64_t& node_id);
// Of the sender only the job is set.
bool take_window(std::string_view& untrusted_rows, wire::Window& window, int64_t& node_id);

}  // namespace ingero::fleet::store::clickhouse
