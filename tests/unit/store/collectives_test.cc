// What is kept of collectives besides their rows, and what the views make of it.
#include <gmock/gmock.h>

#include "recording.h"
#include "store/db/sqlite.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

hal::Communicator communicator_of(uint64_t id, uint32_t pid, int32_t rank) {
  hal::Communicator made;
  made.id = id;
  made.pid = pid;
  made.handle = 0xffff'0000'0000'1000;
  made.made_mono_ns = kMono;
  made.comm_id_hash = 0x8000'0000'0000'0001;
  made.rank = rank;
  made.nranks = 2;
  made.made_by = hal::Role::kInit;
  return made;
}

class CollectivesTest : public RecordingTest {
 protected:
  void collect(uint64_t at_ns, uint32_t pid, uint64_t communicator, uint64_t number, uint64_t exchange_id) {
    hal::Exchange exchange;
    exchange.exchange_id = exchange_id;
    exchange.communicator = 0xffff'0000'0000'1000;
    exchange.communicator_id = communicator;
    exchange.number = number;
    exchange.count = 10;
    exchange.root = 0;
    exchange.datatype = 7;
    const Status status = writer->write_exchange(event_of("otherAllReduce", at_ns, 100, pid), exchange);
    ASSERT_TRUE(status.ok()) << status.error().text();
  }
  static constexpr const char* kCalls =
      "SELECT rank, nranks, comm_id_hash, seq, count, datatype, reduce_op, root, peer, barrier_wait_ns FROM "
      "nccl_events "
      "ORDER BY timestamp_ns";
};

TEST_F(CollectivesTest, ACallHasItsCommunicatorsIdentity) {
  open();
  writer->add_communicator(communicator_of(1, 100, 0));
  writer->add_communicator(communicator_of(2, 200, 1));
  collect(10, 100, 1, 1, 1);
  collect(50, 200, 2, 1, 2);
  writer->add_wait({2, 777});
  close();
  // The type has no name here: its code; what was not given is NULL, the root 0 is 0.
  EXPECT_THAT(rows(kCalls), ElementsAre("0|2|-9223372036854775807|1|10|7|NULL|0|NULL|NULL",
                                        "1|2|-9223372036854775807|1|10|7|NULL|0|NULL|777"));
  EXPECT_THAT(rows("SELECT seq, ranks, nranks, skew_ns, late_ns, last_rank, last_pid FROM collective_arrivals"),
              ElementsAre("1|2|2|40|40|1|200"));
}

TEST_F(CollectivesTest, WhatBecomesKnownLaterIsKnownOfPreviousCalls) {
  open();
  hal::Communicator early = communicator_of(1, 100, 0);
  early.rank.reset();
  early.nranks.reset();
  writer->add_communicator(early);
  collect(10, 100, 1, 1, 1);
  flush();
  EXPECT_THAT(rows("SELECT rank, nranks FROM nccl_events"), ElementsAre("NULL|NULL"));
  writer->add_communicator(communicator_of(1, 100, 0));
  close();
  EXPECT_THAT(rows("SELECT rank, nranks FROM nccl_events"), ElementsAre("0|2"));
}

TEST_F(CollectivesTest, TheNextRunsNumbersDoNotCollideWithTheFirstOnes) {
  for (int run = 0; run < 2; ++run) {
    open();
    writer->add_communicator(communicator_of(1, 100, run));
    collect(10, 100, 1, 1, 1);
    writer->add_wait({1, static_cast<uint64_t>(run) + 5});
    close();
  }
  EXPECT_THAT(rows("SELECT rank, barrier_wait_ns FROM nccl_events ORDER BY id"), ElementsAre("0|5", "1|6"));
}

TEST_F(CollectivesTest, ACallThatHangsHasItsDetailsOnce) {
  open();
  hal::Exchange exchange;
  exchange.exchange_id = 1;
  exchange.count = 5;
  ASSERT_TRUE(writer->write_exchange(in_flight(event_of("otherAllReduce", 10, 100)), exchange).ok());
  flush();
  exchange.exchange_id = 2;
  ASSERT_TRUE(writer->write_exchange(event_of("otherAllReduce", 10, 5000), exchange).ok());
  close();
  EXPECT_THAT(rows("SELECT count, duration_ns, outcome FROM nccl_events"), ElementsAre("5|5000|returned"));
}

TEST_F(CollectivesTest, APartOfACollectiveIsNotOneOfItsOwn) {
  open();
  hal::Exchange exchange;
  exchange.exchange_id = 1;
  exchange.is_part = true;
  ASSERT_TRUE(writer->write_exchange(event_of("otherAllReduce", 10, 100), exchange).ok());
  close();
  EXPECT_THAT(rows("SELECT * FROM nccl_events"), IsEmpty());
  EXPECT_EQ(row("SELECT count(*) FROM events WHERE kind = 'collective'"), "1");
}

TEST_F(CollectivesTest, AHangIsReplacedByItsEnd) {
  open();
  hal::CollectiveHang hang;
  hang.comm_id_hash = 9;
  hang.number = 3;
  hang.call = call_named("otherAllReduce");
  hang.entered_mono_ns = kMono;
  hang.waited_ns = 5;
  hang.present = {{0, 100}, {2, 102}};
  hang.missing = {{std::nullopt, 104}, {1, 101}};
  writer->add_hang(hang);
  flush();
  hang.waited_ns = 9;
  hang.is_over = true;
  writer->add_hang(hang);
  close();
  EXPECT_THAT(rows("SELECT comm_id_hash, number, call, waited_ns, is_over, present, missing FROM collective_hangs"),
              ElementsAre("9|3|otherAllReduce|9|1|0,2|pid 104,1"));
}

TEST_F(CollectivesTest, ARecordingOfTheSchemaBeforeIsBroughtUp) {
  open();
  Event chosen = event_of("cudaSetDevice", 20, 100);
  chosen.device = 1;
  chosen.set(Has::kDevice);
  write({event_of("cudaMalloc", 10, 100), chosen});
  close();
  {
    // As the first version left it: without what later steps add.
    auto database = Database::open(path, SQLITE_OPEN_READWRITE, path);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(
        database
            ->execute(
                "DROP VIEW inference_step_metrics; DROP VIEW inference_steps; DROP VIEW gen_ai_metrics; DROP VIEW "
                "inference_workloads; DROP TABLE inference_step_rows; DROP TABLE inference_workload_rows; DROP "
                "TABLE inference_engines; DROP TABLE inference_engine_metrics; DROP VIEW nccl_events; DROP VIEW "
                "collective_arrivals; DROP VIEW collectives; DROP TABLE "
                "exchanges; DROP TABLE communicators; DROP TABLE barrier_waits; DROP TABLE "
                "collective_hangs; CREATE VIEW nccl_events AS SELECT 1 AS one; DROP VIEW fabric_samples; "
                "DROP TABLE step_rows; DROP TABLE second_rows; DROP TABLE causes; DROP TABLE cause_rows; DROP TABLE "
                "wakers; "
                "DROP TABLE wait_peers; DROP TABLE waits; DROP TABLE wait_totals; DROP TABLE cpu_samples; DROP TABLE "
                "wait_objects; DROP VIEW device_samples; DROP TABLE fabric_links; DROP TABLE fabric_gids; DROP TABLE "
                "fabric_counters; DROP TABLE fabric_values; DROP TABLE devices; DROP TABLE device_values; "
                "DROP TABLE device_processes; DROP TABLE device_errors; DROP TABLE cgroup_throttling; DROP VIEW "
                "chains; DROP VIEW steps; DROP VIEW step_classes; DROP VIEW budget; DROP VIEW blame; DROP VIEW "
                "thread_waits; DROP VIEW calls_by_device; DROP VIEW cuda_events; DROP VIEW events; DROP VIEW "
                "tcp_events; DROP TABLE "
                "event_devices; DROP TABLE device_calls; CREATE VIEW events AS SELECT 1 AS one; CREATE VIEW tcp_events "
                "AS SELECT 1 AS one; "
                "UPDATE event_rows SET device = 3 WHERE seq = 2; DELETE FROM schema_migrations "
                "WHERE version > 20; PRAGMA user_version = 20")
            .ok());
    for (const char* column : {"rule", "grade", "confidence", "pid", "tid", "process", "rank", "onset", "ended",
                               "resolved_at", "lost_ns", "evidence", "symptoms", "stack_hash"}) {
      ASSERT_TRUE(database->execute(fmt::format("ALTER TABLE causal_chains DROP COLUMN {}", column)).ok()) << column;
    }
    ASSERT_TRUE(
        database
            ->execute("ALTER TABLE calls DROP COLUMN asynchronous; ALTER TABLE calls DROP COLUMN below_runtime; ALTER "
                      "TABLE calls "
                      "DROP COLUMN memory; ALTER "
                      "TABLE sites DROP COLUMN "
                      "single_stepped; ALTER TABLE sessions DROP COLUMN single_step_ns; ALTER TABLE sessions DROP "
                      "COLUMN probe_ns; DROP TABLE lost_calls; DROP TABLE cpu_affinity; "
                      "DROP TABLE cgroup_memory; DROP TABLE io_limits; DROP TABLE disk_use")
            .ok());
    for (const char* column : {"steal_pct", "interrupt_pct", "session"}) {
      ASSERT_TRUE(database->execute(fmt::format("ALTER TABLE system_snapshots DROP COLUMN {}", column)).ok()) << column;
    }
    ASSERT_TRUE(database->execute("ALTER TABLE processes DROP COLUMN settings").ok());
    ASSERT_TRUE(database->execute("ALTER TABLE annotations DROP COLUMN session").ok());
    ASSERT_TRUE(database->execute("ALTER TABLE clocks DROP COLUMN seq_offset").ok());
    // A second session, and what was seen before the first, in it, and in the second.
    ASSERT_TRUE(
        database
            ->execute(fmt::format(
                "INSERT INTO sessions (started_at, node, policy, sample_every) VALUES ({0} + 1000, 'node-a', "
                "'all', 1); INSERT INTO system_snapshots (timestamp) VALUES ({0} - 1), ({0} + 999), ({0} + 1000)",
                kWall))
            .ok());
  }
  open();
  writer->add_communicator(communicator_of(1, 100, 0));
  collect(10, 100, 1, 1, 1);
  close();
  EXPECT_THAT(rows("SELECT rank FROM nccl_events"), ElementsAre("0"));
  EXPECT_EQ(row("SELECT count(*) FROM events WHERE call = 'cudaMalloc'"), "1");
  EXPECT_EQ(row("SELECT group_concat(session) FROM (SELECT session FROM system_snapshots ORDER BY timestamp)"),
            "1,1,2");
  EXPECT_EQ(row("SELECT device_ordinal, gpu_id, arg0 FROM events WHERE call = 'cudaSetDevice'"), "3|NULL|3")
      << "what a call named is not the machine's number";
}

}  // namespace
}  // namespace ingero::store::testing
