// The cluster's tables in ClickHouse, in words that 18.16 and current versions understand, and the check that a
// database holds them. Private to fleet/store/.
//
// Each has a table NAME_rows, and a view NAME with the columns that the table has in SQLite. Rows of one identity (the
// table's ORDER BY) are one row in the view: that with the largest `version`. So all questions go through the views, or
// say FINAL themselves. Partitions are functions of the identity, or doubles would stay two rows, and of whole hours or
// days, so that what is old is dropped at once; there is no TTL, which goes by the clock of ClickHouse and would delete
// windows that others of their minute, still in the spool, are to be added to.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fleet/store/clickhouse/client.h"

namespace ingero::fleet::store::clickhouse {

inline constexpr int64_t kSchemaVersion = 3;

// Columns of a table of rows, as they are inserted; in RowBinary in this order.
struct RowTable {
  const char *name, *columns;
};
inline constexpr RowTable kNodeRows{"nodes_rows", "id, cluster_id, node_id, first_ns, last_ns, version"};
inline constexpr RowTable kEventRows{"events_rows",
                                     "timestamp_ns, cluster_id, node_id, metric_name, rank, nranks, value_double, "
                                     "value_int, attrs, point_hash, version"};
inline constexpr RowTable kWindowRows{
    "windows_rows",
    "node, job_id, start_ns, rank, comm_id_hash, end_ns, comm_rank, nranks, collectives, blocked, work_s, "
    "work_total_s, "
    "wait_s, bytes, last_entered, last_left, op_type, preempted_s, run_queue_s, blocked_s, io_s, entered_bytes, state, "
    "sum_collectives, sum_blocked, sum_work_us, sum_wait_us, sum_bytes, sum_off_cpu_us, version"};
inline constexpr RowTable kStateRows{"device_states_rows",
                                     "node, job_id, start_ns, rank, hw_id, model, utilization_ratio, power_watts, "
                                     "temperature_celsius, sm_clock_hertz, throttle_reasons, version"};
inline constexpr RowTable kArrivalRows{
    "arrivals_rows", "node, job_id, entered_ns, rank, comm_id_hash, number, left_ns, op_type, bytes, version"};
inline constexpr RowTable kIncidentRows{"incidents_rows",
                                        "id, cluster_id, job_id, kind, class, state, node_id, rank, comm_id_hash, "
                                        "from_ns, to_ns, confidence, evidence, version"};

// Tables whose partitions are dropped when they are old, the finest first. A partition is column / length.
struct AgingTable {
  const char *name, *column;
  uint64_t length;  // of a partition, in the column's unit
  uint64_t keep;    // what is older than the newest by more goes
  uint64_t second;  // in the column's unit
};
inline constexpr std::array<AgingTable, 6> kAgingTables{{
    {"arrivals_rows", "entered_ns", 3'600'000'000'000, 86'400'000'000'000, 1'000'000'000},
    {"device_states_rows", "start_ns", 3'600'000'000'000, 86'400'000'000'000, 1'000'000'000},
    {"windows_rows", "start_ns", 3'600'000'000'000, 86'400'000'000'000, 1'000'000'000},
    {"events_rows", "timestamp_ns", 86'400'000'000'000, 2'592'000'000'000'000, 1'000'000'000},
    {"minutes_rows", "start_s", 86'400, 2'592'000, 1},
    {"hours_rows", "start_s", 2'592'000, 34'560'000, 1},
}};
inline constexpr size_t kWindowsAging = 2;
static_assert(std::string_view(kAgingTables[kWindowsAging].name) == kWindowRows.name);

// Makes database and tables where there are none. kCorrupt: the database holds something else. kNotSupported: a newer
// version of this program made it.
Status prepare_schema(const Client& client);

}  // namespace ingero::fleet::store::clickhouse
