// The writer: what an event becomes, calls in flight, identities, late events.
#include "store/write/writer.h"

#include <sys/wait.h>

#include <gmock/gmock.h>

#include "recording.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;

class WriterTest : public RecordingTest {};

TEST_F(WriterTest, EveryFieldOfAnEventComesBack) {
  open();
  writer->add_probe(3, {call_named("cudaLaunchKernel"), "cudaLaunchKernel_ptsz", "/opt/lib/libcudart.so.13", "13.0"});
  hal::Process process = process_of(100, 77, "train");
  process.rank = 2;
  process.world_size = 8;
  writer->add_process(process);
  writer->add_function_name(100, 0x7f00deadbeef, "gemm_kernel");
  Event event = event_of("cudaLaunchKernel", 1000, 5000, 100, 101);
  event.probe = 3;
  event.cgroup_id = 42;
  event.failed = true;
  event.return_code = -7;
  event.depth = 1;
  event.stream = 0xffff888800001234;
  event.function = 0x7f00deadbeef;
  event.grid = {4000000000, 2, 3};
  event.block = {256, 5, 1};
  event.shared_bytes = 49152;
  event.handle = 0x51;
  event.handle2 = 0x52;
  event.device = 1;
  event.peer_device = 6;
  event.device_ref = 7;
  writer->add_device(7, {"nvidia", 4, "GPU-1234", "0000:3b:00.0"});
  event.flags = 9;
  event.bytes = 123456789;
  event.address = 0x7fff00001000;
  event.source_address = 0x7fff00002000;
  event.direction = hal::Direction::kDeviceToHost;
  event.off = {1, 2, 3, 4};
  event.preempted_by_pid = 555;
  event.preempted_by_ns = 3;
  std::memcpy(event.preempted_by_comm.data(), "kworker/3", 9);
  event.parent_call = call_named("cudaMalloc");
  event.parent_start_mono_ns = kMono + 400;
  event.stack_id = 0x8000000000000001;
  for (Has field : {Has::kStream, Has::kBytes, Has::kAddress, Has::kSourceAddress, Has::kDirection, Has::kFunction,
                    Has::kGrid, Has::kBlock, Has::kSharedBytes, Has::kHandle, Has::kHandle2, Has::kDevice,
                    Has::kPeerDevice, Has::kFlags, Has::kOffCpu, Has::kPreemptedBy, Has::kParent, Has::kStack}) {
    event.set(field);
  }
  write({event});
  close();
  EXPECT_EQ(row("SELECT id, timestamp - 1767225600000000000, pid, tid, source, op, duration, gpu_id, arg0 = "
                "0x7f00deadbeef, arg1 = 0xffff888800001234, "
                "ret_code, stack_hash, node, rank, local_rank, world_size, comm, cgroup_id FROM events"),
            "node-a:1|1000|100|101|1|3|5000|4|1|1|-7|-9223372036854775807|node-a|2|NULL|8|"
            "train|42");
  EXPECT_EQ(row("SELECT kind, vendor, backend, layer, call, symbol, library, library_version, outcome, failed, "
                "direction, stream = 0xffff888800001234, bytes, address - 0x7fff00000000, source_address - "
                "0x7fff00000000 FROM events"),
            "launch|nvidia|cuda|CUDA|cudaLaunchKernel|cudaLaunchKernel_ptsz|/opt/lib/libcudart.so.13|13.0|returned|1|"
            "d2h|1|123456789|4096|8192");
  EXPECT_EQ(
      row("SELECT function = 0x7f00deadbeef, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, "
          "handle, "
          "handle2, peer_device, flags, start_mono_ns - 3600000000000, depth, parent_call, "
          "timestamp - parent_timestamp, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_pid, culprit_comm, "
          "culprit_ns, weight FROM events"),
      "1|gemm_kernel|4000000000|2|3|256|5|1|49152|81|82|6|9|1000|1|cudaMalloc|600|1|2|3|4|555|"
      "kworker/3|3|1");
  EXPECT_EQ(row("SELECT name FROM process_names WHERE pid = 100"), "train");
  EXPECT_EQ(row("SELECT gpu_uuid, gpu_pci_address, device_ordinal FROM events"), "GPU-1234|0000:3b:00.0|1");
}

TEST_F(WriterTest, RowsThatNoAggregateCountsAreBounded) {
  constexpr int64_t kMaxBehind = 65'536;  // between two intervals: the clock stands still
  open();
  const std::vector<Event> events(options().batch_rows, event_of("cudaMalloc", 1000, 50));
  for (int64_t written = 0; written < 5 * kMaxBehind;) {
    write(events);
    flush();
    written += static_cast<int64_t>(events.size());
    const std::string behind = "(SELECT max(seq) FROM event_rows) - value";
    EXPECT_EQ(row(fmt::format("SELECT {0} >= 0 AND {0} < {1} FROM store_state WHERE key = 'aggregated_through'", behind,
                              kMaxBehind)),
              "1")
        << written;
  }
  close();
  EXPECT_EQ(row("SELECT count FROM call_stats"), row("SELECT count(*) FROM event_rows"));
}

TEST_F(WriterTest, CallsAreCountedByDeviceExactlyOverSessionsAndWhateverIsKept) {
  WriterOptions given = options();
  given.policy = Policy::kSelective;
  for (int session = 0; session < 2; ++session) {
    open(given);
    writer->add_device(1, {"nvidia", 0, "GPU-a", ""});
    writer->add_device(2, {"amd", 0, "", "0000:41:00.0"});
    std::vector<Event> events;
    for (uint64_t i = 0; i < 1000; ++i) {
      Event event = event_of("cudaLaunchKernel", i * 100, 10);
      event.device_ref = i % 4 == 3 ? 2 : i % 2;  // none, the first, none, the second
      event.failed = i == 1;
      if (i % 100 == 1) event.depth = 1;  // made inside another call
      events.push_back(event);
    }
    write(events);
    close();
  }
  EXPECT_THAT(rows("SELECT vendor, gpu_id, gpu_uuid, gpu_pci_address, sum(calls), sum(errors), sum(total_ns) FROM "
                   "calls_by_device GROUP BY 1, 2, 3, 4 ORDER BY 1"),
              ElementsAre("amd|0|NULL|0000:41:00.0|500|0|5000", "nvidia|0|GPU-a|NULL|480|0|4800"));
  EXPECT_LT(std::stoi(row("SELECT count(*) FROM events")), 1000) << "the rows are thinned";
  EXPECT_EQ(row("SELECT count(DISTINCT device) FROM event_rows WHERE device IS NOT NULL"), "4")
      << "ids of each session";
}

TEST_F(WriterTest, WhatIsNotKnownIsNull) {
  open();
  Event event = event_of("cudaMalloc", 0, 10);
  event.present = 0;
  write({event});
  close();
  EXPECT_EQ(row("SELECT duration, gpu_id, arg0, arg1, ret_code, stack_hash, rank, comm, cgroup_id, library, failed, "
                "direction, stream, bytes, address, function, kernel, grid_x, block_x, shared_bytes, handle, flags, "
                "parent_call, preempted_ns, io_ns, culprit_pid FROM events"),
            "NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
            "NULL|NULL|NULL|NULL|NULL");
}

TEST_F(WriterTest, HostEventsKeepTheirWordsAndTheSubjectsName) {
  open();
  Event event = event_of("sched_switch", 0, 4711, 100, 103);
  event.arg0 = 2;
  event.arg1 = 9;
  event.set(Has::kArg0);
  event.set(Has::kArg1);
  std::memcpy(event.comm.data(), "loader", 6);
  write({event});
  close();
  EXPECT_EQ(row("SELECT kind, vendor, source, op, arg0, arg1, comm, tid, failed FROM events"),
            "host|host|3|1|2|9|loader|103|NULL");
}

TEST_F(WriterTest, OpsThatNobodyFixedAreNumberedOnceAndStayThatWay) {
  open();
  write({event_of("cudaEventRecord", 0, 1), event_of("otherLaunch", 1, 1)});
  close();
  const auto before = rows("SELECT source, op, call FROM events ORDER BY seq");
  open();
  write({event_of("cudaEventQuery", 2, 1), event_of("otherLaunch", 3, 1), event_of("cudaEventRecord", 4, 1)});
  close();
  const auto after = rows("SELECT source, op, call FROM events ORDER BY seq");
  ASSERT_EQ(after.size(), 5U);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[4], before[0]);
  EXPECT_EQ(after[3], before[1]);
  EXPECT_NE(after[2], before[0]);
  // The documented join finds every row, and each once.
  EXPECT_EQ(row("SELECT count(*) FROM events e JOIN sources s ON e.source = s.id JOIN ops o ON e.source = o.source_id "
                "AND e.op = o.op_id"),
            "5");
}

TEST_F(WriterTest, ACallInFlightIsOneRowThatTheFinalEventCompletes) {
  open();
  Event event = event_of("cudaStreamSynchronize", 100, 1'000'000);
  write({in_flight(event)});
  flush();
  EXPECT_EQ(row("SELECT outcome, duration FROM events"), "in flight|1000000");
  event.duration_ns = 2'500'000;
  write({event, event_of("cudaMalloc", 3'000'000, 5)});
  close();
  EXPECT_THAT(rows("SELECT seq, call, outcome, duration, ret_code FROM events ORDER BY seq"),
              ElementsAre("1|cudaStreamSynchronize|returned|2500000|0", "2|cudaMalloc|returned|5|0"));
  const auto summary = summarise(*read(), {});
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(find(*summary, "cudaStreamSynchronize")->count, 1U);
  EXPECT_EQ(find(*summary, "cudaStreamSynchronize")->unfinished, 0U);
}

// (W1, W3)
TEST_F(WriterTest, TheFileNamesExactlyTheCallsThatAreInFlight) {
  open();
  std::vector<Event> begun;
  for (uint64_t i = 0; i < 300; ++i) {
    Event event = event_of("cudaStreamSynchronize", i, 7, 100, static_cast<uint32_t>(200 + i));
    if (i % 3 != 0) {
      begun.push_back(event);
      event = in_flight(event);
    }
    write({event});
    if (i % 5 == 4) {  // one of those that began a while ago, or just now
      const auto at = begun.begin() + static_cast<ptrdiff_t>(i * 31 % begun.size());
      write({*at});
      begun.erase(at);
    }
    if (i % 7 != 6) continue;
    flush();
    const std::string open_calls = std::to_string(begun.size());
    EXPECT_EQ(row("SELECT count(*) FROM in_flight"), open_calls) << i;
    EXPECT_EQ(row("SELECT count(*) FROM in_flight JOIN events USING (seq) WHERE outcome = 'in flight'"), open_calls)
        << i;
    EXPECT_EQ(row("SELECT count(*) FROM events WHERE outcome = 'in flight'"), open_calls) << i;
    EXPECT_EQ(row("SELECT count(*), max(seq) FROM events"), fmt::format("{0}|{0}", i + 1));
  }
  close();
}

TEST_F(WriterTest, ACallCompletedBeforeItsRowWasCommittedIsOneRow) {
  open();
  Event event = event_of("cudaStreamSynchronize", 100, 1);
  write({in_flight(event), event});
  close();
  EXPECT_THAT(rows("SELECT seq, outcome FROM events"), ElementsAre("1|returned"));
  EXPECT_EQ(row("SELECT count(*) FROM in_flight"), "0");
}

TEST_F(WriterTest, ACallInFlightIsCompletedByTheNextRunOfTheAgent) {
  Event event = event_of("cudaStreamSynchronize", 100, 1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto opened = Writer::open(options(), calls(), losses, clock);
    const std::vector<Event> events = {in_flight(event)};
    if (!opened.ok() || !(*opened)->write(events).ok() || !(*opened)->flush().ok()) ::_exit(1);
    ::_exit(0);  // no close: as if killed
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  open();
  event.duration_ns = 99;
  write({event});
  close();
  EXPECT_THAT(rows("SELECT seq, outcome, duration FROM events"), ElementsAre("1|returned|99"));
}

TEST_F(WriterTest, ACallThatNeverReturnsIsSaidToAtTheEnd) {
  open();
  write({in_flight(event_of("cudaStreamSynchronize", 100, 7))});
  close();
  EXPECT_EQ(row("SELECT outcome, ret_code FROM events"), "never returned|NULL");
  const std::unique_ptr<Reader> reader = read();
  const auto summary = summarise(*reader, {});
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(find(*summary, "cudaStreamSynchronize")->count, 0U);
  EXPECT_EQ(find(*summary, "cudaStreamSynchronize")->unfinished, 1U);
  const auto list = unfinished(*reader, {});
  ASSERT_TRUE(list.ok());
  ASSERT_EQ(list->size(), 1U);
  EXPECT_EQ(list->front().outcome, "never returned");
}

TEST_F(WriterTest, AReusedPidIsAnotherProcess) {
  open();
  hal::Process process = process_of(100, 1'000'000'000, "first");
  writer->add_process(process);
  write({event_of("cudaMalloc", 0, 1)});
  process.comm = "renamed";  // exec: the same process
  writer->add_process(process);
  write({event_of("cudaMalloc", 1, 1)});
  process.start_mono_ns = 5'000'000'000;
  process.comm = "second";
  writer->add_process(process);
  write({event_of("cudaMalloc", 2, 1)});
  close();
  EXPECT_THAT(rows("SELECT comm FROM events ORDER BY seq"), ElementsAre("renamed", "renamed", "second"));
  const auto summary = summarise(*read(), {}, true);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->calls.size(), 2U);
}

TEST_F(WriterTest, ARankReportedLaterReplacesAllThatThePreviousLauncherSaid) {
  open();
  hal::Process process;
  process.pid = 100;
  process.start_mono_ns = 5;
  process.rank = 0;  // the batch system's: the only task
  process.local_rank = 0;
  process.world_size = 1;
  writer->add_process(process);
  write({event_of("cudaMalloc", 0, 1)});
  flush();
  process.rank = 3;  // the framework's: it does not say how many there are
  process.local_rank = process.world_size = -1;
  writer->add_process(process);
  flush();
  EXPECT_EQ(row("SELECT rank, local_rank, world_size FROM events"), "3|NULL|NULL");
  process.rank = -1;  // nothing is known: what was stays
  writer->add_process(process);
  close();
  EXPECT_EQ(row("SELECT rank, local_rank, world_size FROM events"), "3|NULL|NULL");
}

TEST_F(WriterTest, ProcessesFirstSeenThroughTheirCallsGetTheirNameLater) {
  open();
  write({event_of("cudaMalloc", 0, 1)});
  flush();
  writer->add_process(process_of(100, 5, "late"));
  close();
  EXPECT_EQ(row("SELECT comm FROM events"), "late");
}

TEST_F(WriterTest, ForkedChildrenInheritKernelNamesAndLateNamesReachPreviousRows) {
  open();
  hal::Process parent = process_of(100, 1, "p");
  writer->add_process(parent);
  writer->add_function_name(100, 0x10, "inherited");
  hal::Process child = parent;
  child.pid = 200;
  child.parent_pid = 100;
  child.start_mono_ns = 900'000'000;
  writer->add_process(child);
  Event launch = event_of("cudaLaunchKernel", 0, 1, 200);
  launch.function = 0x10;
  launch.set(Has::kFunction);
  Event unnamed = launch;
  unnamed.function = 0x20;
  write({launch, unnamed});
  flush();
  EXPECT_THAT(rows("SELECT kernel FROM events ORDER BY seq"), ElementsAre("inherited", "NULL"));
  writer->add_function_name(200, 0x20, "late \x01name");
  close();
  EXPECT_THAT(rows("SELECT kernel FROM events ORDER BY seq"), ElementsAre("inherited", "late ?name"));
}

TEST_F(WriterTest, SteppingTheWallClockNeitherMovesNorReordersWhatWasRecorded) {
  open();
  Event before = event_of("cudaMalloc", 1000, 1);
  Event stepped = event_of("cudaMalloc", 2000, 1);
  stepped.wall_offset_ns = kOffset - 3'600'000'000'000;
  Event drifted = event_of("cudaMalloc", 3000, 1);
  drifted.wall_offset_ns = kOffset + 40'000;  // within the tolerance: the same clock
  write({before, stepped, drifted});
  close();
  EXPECT_THAT(rows("SELECT timestamp - 1767225600000000000, start_mono_ns - 3600000000000 FROM events ORDER BY seq"),
              ElementsAre("1000|1000", "-3599999998000|2000", "3000|3000"));
  EXPECT_EQ(row("SELECT count(*) FROM clocks"), "2");
}

TEST_F(WriterTest, EventsBeforeTheClocksFirstOneKeepTheirTime) {
  open();
  write({event_of("cudaMalloc", 5'000'000'000, 1), event_of("cudaMalloc", 0, 6'000'000'000)});
  close();
  EXPECT_THAT(rows("SELECT timestamp - 1767225600000000000 FROM events ORDER BY seq"), ElementsAre("5000000000", "0"));
}

TEST_F(WriterTest, RetransmissionsShowTheirSocket) {
  open();
  hal::TcpDetail detail;
  detail.family = 2;
  detail.source = {10, 0, 0, 1};
  detail.destination = {10, 0, 0, 2};
  detail.source_port = 40000;
  detail.destination_port = 443;
  detail.sequence = 4000000000;
  detail.state = 1;
  ASSERT_TRUE(writer->write_tcp(event_of("tcp_retransmit", 10, 0), detail).ok());
  detail.family = 10;
  detail.source = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  ASSERT_TRUE(writer->write_tcp(event_of("tcp_retransmit", 11, 0), detail).ok());
  close();
  EXPECT_THAT(rows("SELECT timestamp_ns - 1767225600000000000, event, family, saddr, sport, daddr, dport, seq, pid "
                   "FROM tcp_events ORDER BY 1"),
              ElementsAre("10|tcp_retransmit_skb|ipv4|10.0.0.1|40000|10.0.0.2|443|4000000000|100",
                          "11|tcp_retransmit_skb|ipv6|2001:db8::1|40000|a00:2::|443|4000000000|100"));
}

TEST_F(WriterTest, LateEventsJoinTheirMinuteAndDoNotReplaceIt) {
  open();
  Event first = event_of("cudaMemcpyAsync", 0, 100);
  first.bytes = 1000;
  first.set(Has::kBytes);
  write({first});
  clock.elapsed_ns = 120'000'000'000;
  flush();
  Event next = event_of("cudaMemcpyAsync", 61'000'000'000, 5);
  write({next});
  clock.elapsed_ns += 10'000'000'000;
  flush();
  Event late = event_of("cudaMemcpyAsync", 1000, 300);
  late.bytes = 500;
  late.set(Has::kBytes);
  write({late});
  close();
  EXPECT_THAT(rows("SELECT (bucket - 1767225600000000000) / 60000000000, source, op, pid, count, stored, sum_dur, "
                   "min_dur, max_dur, sum_arg0 FROM event_aggregates ORDER BY bucket"),
              ElementsAre("0|1|7|100|2|2|400|100|300|1500", "1|1|7|100|1|1|5|5|5|0"));
}

TEST_F(WriterTest, SnapshotsChainsStacksLossesAndSessionsAreThere) {
  WriterOptions given = options();
  given.session.gpu_model = "H";
  given.session.cpu_cores = 2;
  open(given);
  hal::SystemSnapshot snapshot;
  snapshot.wall_ns = kWall;
  snapshot.cpu_percent = 12.5;
  snapshot.swap_used_mb = 0;
  writer->add_snapshot(snapshot);
  hal::CausalChain chain;
  chain.id = "tail-1";
  chain.severity = "HIGH";
  chain.summary = "slow";
  chain.op = "cudaMalloc";
  chain.usual_ns = 1000;
  chain.slowest_ns = 2500;
  writer->add_chain(chain);
  chain.summary = "slower";
  writer->add_chain(chain);
  writer->add_stack(77, "[\"0x1\"]", "[]");
  losses.add(hal::Loss::ring_full, 3);
  clock.elapsed_ns = 1000;
  close();
  EXPECT_EQ(row("SELECT cpu_pct, mem_pct, swap_mb, load_avg FROM system_snapshots"), "12.5|NULL|0|NULL");
  EXPECT_EQ(row("SELECT id, severity, summary, cuda_op, tail_ratio, node FROM causal_chains"),
            "node-a:tail-1|HIGH|slower|cudaMalloc|2.5|node-a");
  EXPECT_EQ(row("SELECT hash, ips FROM stack_traces"), "77|[\"0x1\"]");
  EXPECT_EQ(row("SELECT name, severity, count FROM loss"), "ring_full|loss|3");
  EXPECT_EQ(row("SELECT started_at - 1767225600000000000, stopped_at - 1767225600000000000, gpu_model, cpu_cores, "
                "mem_total, node, rank, policy FROM sessions"),
            "0|1000|H|2|NULL|node-a|NULL|all");
  const auto lost = store::losses(*read());
  ASSERT_TRUE(lost.ok());
  ASSERT_EQ(lost->size(), 1U);
  EXPECT_EQ(lost->front().count, 3U);
}

TEST_F(WriterTest, UntrustedNamesAreMadePrintableAndBounded) {
  open();
  hal::Process process = process_of(100, 1, "a\nb\xff");
  process.command_line = std::string(1 << 20, 'x');
  writer->add_process(process);
  close();
  EXPECT_EQ(row("SELECT comm, length(command_line) <= 4200 FROM processes"), "a?b?|1");
}

TEST_F(WriterTest, CgroupsGetTheirOffCpuTimes) {
  open();
  std::vector<Event> events;
  for (uint64_t i = 1; i <= 100; ++i) {
    Event event = event_of("sched_switch", i * 1000, i * 1000);
    event.cgroup_id = 9;
    events.push_back(event);
  }
  write(events);
  close();
  EXPECT_EQ(row("SELECT cgroup_id, total_off_cpu, event_count, abs(p99_off_cpu - 99000) < 800 FROM cgroup_schedstat"),
            "9|5050000|100|1");
}

}  // namespace
}  // namespace ingero::store::testing
