// Rows of the spool and of ClickHouse: what was encoded is decoded, and what was cut or altered is refused.
#include <random>

#include <gtest/gtest.h>

#include "fleet/store/clickhouse/rows.h"

namespace ingero::fleet::store::clickhouse {
namespace {

wire::Window window(uint32_t rank) {
  wire::Window made;
  made.sender = {"train", "gpu-01", "j1"};
  made.start_ns = 1'800'000'000'000'000'000 + rank;
  made.end_ns = made.start_ns + 5'000'000'000;
  made.rank = rank;
  made.communicator = UINT64_MAX - 1;
  made.comm_rank = 3;
  made.nranks = 8;
  made.count = 5;
  made.blocked = 4;
  if (rank % 2 == 0) made.work_s = 0.25;
  made.work_total_s = 1.5;
  made.wait_s = 2.5;
  made.bytes = 1 << 20;
  if (rank % 2 == 1) made.entered = 7;
  made.left = 6;
  made.operation = std::string(200, 'o');
  made.entered_bytes = 99;
  made.is_lost = made.is_gone = true;
  made.preempted_s = 0.5;
  made.io_s = 0.125;
  return made;
}

RowBatch batch() {
  RowBatch made;
  made.add_node(42, {"train", "gpu-01"}, {5, 9});
  for (uint32_t rank = 0; rank < 4; ++rank) made.add(window(rank), 42, 1000 - rank);
  made.add(IncidentRow{"id", "train", "j1", "straggler", "host", "gpu-01", "open", 5, 7, 1, 2, 0.5, {{"a", 1}}}, 77);
  wire::Point point;
  point.sender = {"train", "gpu-01", ""};
  point.metric = "m";
  point.value_int = -1;
  made.add(point, 1);
  return made;
}

TEST(SpoolRows, AreDecodedAsTheyWere) {
  const auto decoded = decode_batch(batch().encoded());
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->rows, 7U);
  EXPECT_EQ(decoded->window_count, 4U);
  EXPECT_EQ(decoded->first_start_ns, window(0).start_ns);
  EXPECT_EQ(decoded->last_start_ns, window(3).start_ns);
  std::string_view rows = decoded->windows;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    wire::Window got;
    int64_t node = 0;
    ASSERT_TRUE(take_window(rows, got, node));
    const wire::Window wanted = window(rank);
    EXPECT_EQ(node, 42);
    EXPECT_EQ(got.sender.job, "j1");
    EXPECT_EQ(std::tuple(got.start_ns, got.end_ns, got.rank, got.communicator, got.comm_rank, got.nranks, got.count),
              std::tuple(wanted.start_ns, wanted.end_ns, rank, wanted.communicator, 3U, 8U, 5U));
    EXPECT_EQ(std::tuple(got.work_s, got.work_total_s, got.wait_s, got.bytes, got.entered, got.left, got.operation),
              std::tuple(wanted.work_s, wanted.work_total_s, 2.5, wanted.bytes, wanted.entered, wanted.left,
                         wanted.operation));
    EXPECT_EQ(std::tuple(got.entered_bytes, got.is_lost, got.is_matched, got.has_failed, got.is_gone, got.io_s),
              std::tuple(99, true, false, false, true, 0.125));
  }
  EXPECT_TRUE(rows.empty());
  NodeRow node;
  rows = decoded->nodes;
  ASSERT_TRUE(take_node(rows, node));
  EXPECT_EQ(node.key, NodeKey("train", "gpu-01"));
  EXPECT_EQ(std::tuple(node.id, node.span.first_ns, node.span.last_ns), std::tuple(42, 5U, 9U));
  IncidentRow incident;
  int64_t version = 0;
  rows = decoded->incidents;
  ASSERT_TRUE(take_incident(rows, incident, version));
  EXPECT_EQ(std::tuple(incident.id, incident.state, incident.node, incident.rank, version),
            std::tuple("id", "open", "gpu-01", 5U, 77));
  EXPECT_EQ(incident.evidence["a"], 1);
  EXPECT_TRUE(rows.empty());
}

TEST(SpoolRows, OfDevicesAndArrivalsAreDecodedAndAnOlderSpoolHasNone) {
  RowBatch made = batch();
  const wire::DeviceState state{"GPU-1", "H100", 0.5, {}, 71, 1.1e9, 9};
  made.add(state, window(2), 42, 5);
  made.add(wire::Arrival{7, 8, 9, "ALL_REDUCE", 64}, window(2), 42, 5);
  const std::string record = made.encoded();
  const auto decoded = decode_batch(record);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->rows, 9U);
  EXPECT_EQ(decoded->arrivals, made.arrivals);
  wire::Window of;
  int64_t node = 0;
  std::string_view rows = decoded->states;
  ASSERT_TRUE(take_state(rows, of, node));
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(node, 42);
  EXPECT_EQ(of.sender.job, "j1");
  EXPECT_EQ(of.start_ns, window(2).start_ns);
  EXPECT_EQ(of.rank, 2U);
  ASSERT_TRUE(of.device);
  EXPECT_EQ(of.device->id, "GPU-1");
  EXPECT_FALSE(of.device->power_watts);
  EXPECT_EQ(of.device->sm_clock_hertz, 1.1e9);
  EXPECT_EQ(of.device->throttle_reasons, 9U);
  // The format before had no such rows: what waits in a spool while the program is replaced is handed on.
  std::string older = batch().encoded();
  older.resize(older.size() - 2);  // the lengths of the two
  older.front() = 1;
  EXPECT_TRUE(decode_batch(older).ok());
  older.front() = 2;
  EXPECT_FALSE(decode_batch(older).ok());
}

TEST(SpoolRows, ThatAreCutOrAlteredAreRefusedOrRows) {
  const std::string whole = batch().encoded();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_batch(std::string_view(whole).substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(decode_batch(whole + "x").ok());
  std::mt19937 random(std::random_device{}());
  for (int round = 0; round < 20'000; ++round) {
    std::string altered = whole;
    altered[random() % altered.size()] = static_cast<char>(random());
    const auto decoded = decode_batch(altered);
    if (!decoded.ok()) continue;
    wire::Window got;
    IncidentRow incident;
    NodeRow node;
    int64_t number = 0;
    // Each ends, and none reads what is not there.
    for (std::string_view rows = decoded->windows; !rows.empty() && take_window(rows, got, number);) {
    }
    for (std::string_view rows = decoded->incidents; !rows.empty() && take_incident(rows, incident, number);) {
    }
    for (std::string_view rows = decoded->nodes; !rows.empty() && take_node(rows, node);) {
    }
  }
}

TEST(SpoolRows, TextIsALiteralWhateverIsInIt) {
  EXPECT_EQ(literal("plain"), "'plain'");
  EXPECT_EQ(literal("it's \\ \n\t"), "'it\\x27s \\x5C \\x0A\\x09'");
}

}  // namespace
}  // namespace ingero::fleet::store::clickhouse
