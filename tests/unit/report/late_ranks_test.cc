// Ranks that the others wait for, as explain sees them in a recording.
#include <cstring>

#include <gmock/gmock.h>

#include "report/time_spent.h"
#include "store/read/reader.h"
#include "store/write/writer.h"
#include "temp_folder.h"
#include "unit/store/recording.h"

namespace ingero::report::late_ranks {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kWall = 1'795'228'000 * kSecond;
constexpr uint32_t kPid = 4000;

// Sixty collectives of three ranks, 20 ms apart; a rank comes last by `late_ns(round, rank)`, and synchronised
// meanwhile.
class LateRankTest : public store::testing::RecordingTest {
 protected:
  static constexpr uint64_t kMilli = 1'000'000, kRounds = 60;
  uint64_t waited_ns = kRounds * 20 * kMilli;  // for the device, of each rank
  std::vector<ProcessTime> others;             // come before the ranks

  // `each`: collectives of a round, one after the other; more than one are covered by a synchronisation at its end.
  std::vector<ProcessTime> record(const std::function<uint64_t(uint64_t, uint32_t)>& late_ns, uint64_t each = 1,
                                  uint64_t first_number = 4) {
    open();
    for (uint32_t rank = 0; rank < 3; ++rank) {
      hal::Communicator made;
      made.id = rank + 1;
      made.pid = kPid + rank;
      made.handle = 0x1000;
      made.made_mono_ns = store::testing::kMono;
      made.comm_id_hash = 0xbeef;
      made.rank = static_cast<int32_t>(rank);
      made.nranks = 3;
      made.made_by = hal::Role::kInit;
      writer->add_communicator(made);
    }
    uint64_t exchange_id = 0;
    for (uint64_t round = 0; round < kRounds; ++round) {
      for (uint32_t rank = 0; rank < 3; ++rank) {
        const uint64_t late = late_ns(round, rank), at = round * 20 * kMilli;
        if (late > 2 * kMilli) {
          write({store::testing::event_of("cudaStreamSynchronize", at + kMilli, late - kMilli, kPid + rank)});
        }
        for (uint64_t i = 0; i < each; ++i) {
          const uint64_t enters = at + late + i * kMilli / 5, ends = enters + 1000;
          hal::Exchange exchange;
          exchange.exchange_id = ++exchange_id;
          exchange.communicator = 0x1000;
          exchange.communicator_id = rank + 1;
          exchange.number = first_number + round * each + i;
          EXPECT_TRUE(
              writer->write_exchange(store::testing::event_of("otherAllReduce", enters, 1000, kPid + rank), exchange)
                  .ok());
          if (each > 1) writer->add_wait({exchange_id, at + 19 * kMilli - std::min(ends, at + 19 * kMilli)});
        }
      }
    }
    close();
    auto reader = store::Reader::open(path);
    EXPECT_TRUE(reader.ok());
    std::vector<ProcessTime> times(3);
    for (uint32_t rank = 0; rank < 3; ++rank) {
      times[rank].node = "node-a";
      correlate::ProcessBudget& budget = times[rank].budget;
      budget.pid = budget.tid = kPid + rank;
      budget.steps = kRounds;
      budget.result.limit = correlate::Limit::kDeviceBound;
      budget.whole.of(correlate::TimeClass::kDeviceWait).ns = waited_ns;
      budget.whole.of(correlate::TimeClass::kHost).ns = kRounds * 20 * kMilli - waited_ns;
    }
    times.insert(times.begin(), others.begin(), others.end());
    add_time_evidence(**reader, {}, times);
    return times;
  }
};

// What ranks launch in the same steps, and what one does when it has none left.
using RanksTest = store::testing::RecordingTest;
TEST_F(RanksTest, OneThatLaunchesMoreAndOneThatWaitsAfterItsLastCallAreNamed) {
  constexpr uint64_t kMilli = 1'000'000, kSteps = 60;
  using store::testing::event_of;
  open();
  std::vector<ProcessTime> times(3);
  for (uint32_t rank = 0; rank < 3; ++rank) {
    hal::Process process;
    process.pid = kPid + rank;
    process.start_mono_ns = store::testing::kMono;
    writer->add_process(process);
    hal::Communicator made;
    made.id = rank + 1;
    made.pid = kPid + rank;
    made.made_mono_ns = store::testing::kMono;
    made.comm_id_hash = 0xbeef;
    made.rank = static_cast<int32_t>(rank);
    made.nranks = 3;
    made.made_by = hal::Role::kInit;
    writer->add_communicator(made);
    for (uint64_t step = 0; step < kSteps; ++step) {
      for (uint32_t i = 0; i < (rank == 1 ? 3 : 2); ++i) {
        write({event_of("cudaLaunchKernel", (step * 20 + i) * kMilli, kMilli / 100, kPid + rank)});
      }
    }
    times[rank].node = "node-a";
    correlate::ProcessBudget& budget = times[rank].budget;
    budget.pid = budget.tid = kPid + rank;
    budget.steps = kSteps;
    budget.start_ns = store::testing::kMono;
    budget.end_ns = store::testing::kMono + 2 * kSecond;
  }
  hal::Event waits = event_of("sched_switch", 1300 * kMilli, 5 * kSecond, kPid + 2);
  hal::Wait wait;
  wait.kind = hal::WaitKind::kSocket;
  ASSERT_TRUE(writer->write_wait(waits, wait).ok());
  close();
  add_peer_evidence(*read(), {}, times);
  EXPECT_THAT(times[0].because, ::testing::IsEmpty());
  EXPECT_THAT(times[1].because, ::testing::ElementsAre(::testing::StartsWith(
                                    "It launches 3.0 kernels a step, 1.5 times as many as any other rank (2.0 at")));
  EXPECT_THAT(times[2].because, ::testing::ElementsAre("After its last call (cudaLaunchKernel) its thread 4002 waited "
                                                       "5s for a socket"));
}

// In most collectives another rank is the last, by a little.
TEST_F(LateRankTest, ARankThatIsLateNowAndThenIsTheCauseOfWhatTheOthersWaitFor) {
  const auto times = record([](uint64_t round, uint32_t rank) -> uint64_t {
    if (rank == 1 && round % 10 == 9) return 15 * kMilli;
    return rank == round % 3 ? kMilli / 20 : 0;
  });
  EXPECT_EQ(times[0].budget.pid, kPid + 1);
  EXPECT_EQ(times[0].budget.result.limit, correlate::Limit::kLateRank);
  EXPECT_THAT(times[0].waits_for, ::testing::HasSubstr("rank 1 of 3, the last in 24 of 60 collectives, by 90"));
  EXPECT_THAT(times[0].because, ::testing::ElementsAre(::testing::HasSubstr("it was in cudaStreamSynchronize")));
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(times[i].budget.result.limit, correlate::Limit::kCommunicationBound);
    EXPECT_THAT(times[i].waits_for, ::testing::HasSubstr(fmt::format("rank 1 of 3 (pid {})", kPid + 1)));
  }
}

// A merged recording: another node's processes may have the same numbers.
TEST_F(LateRankTest, AProcessOfThatNumberOnAnotherNodeIsNotTheRank) {
  others.resize(3);
  for (uint32_t i = 0; i < 3; ++i) {
    others[i].node = "node-b";
    others[i].budget.pid = others[i].budget.tid = kPid + i;
    others[i].budget.result.limit = correlate::Limit::kDeviceBound;
  }
  const auto times = record([](uint64_t, uint32_t rank) -> uint64_t { return rank == 1 ? 10 * kMilli : 0; });
  for (const ProcessTime& time : times) {
    EXPECT_EQ(time.budget.result.limit == correlate::Limit::kDeviceBound, time.node == "node-b") << time.budget.pid;
  }
}

TEST_F(LateRankTest, WhereEachRankIsLateInTurnNoneIsTheCause) {
  const auto times =
      record([](uint64_t round, uint32_t rank) -> uint64_t { return rank == round % 3 ? 5 * kMilli : 0; });
  for (const ProcessTime& time : times) EXPECT_EQ(time.budget.result.limit, correlate::Limit::kDeviceBound);
}

// The hosts run ahead of their devices: they wait once a step, for the latest.
TEST_F(LateRankTest, InAStepOfManyCollectivesARankIsLateOnce) {
  const auto late = record([](uint64_t, uint32_t rank) -> uint64_t { return rank == 1 ? 10 * kMilli : 0; }, 25);
  EXPECT_EQ(late[0].budget.result.limit, correlate::Limit::kLateRank);
  EXPECT_EQ(late[0].budget.result.low_ns, kRounds * 10 * kMilli);
  EXPECT_THAT(late[0].waits_for, ::testing::HasSubstr("the last in 1500 of 1500 collectives, by 600"));
}

// By 0.2 ms of 20: nothing, although it is the last in all of them.
TEST_F(LateRankTest, ARankThatIsAlwaysBehindByALittleIsNone) {
  const auto times = record([](uint64_t, uint32_t rank) -> uint64_t { return rank == 1 ? kMilli / 5 : 0; }, 25);
  for (const ProcessTime& time : times) {
    EXPECT_EQ(time.budget.result.limit, correlate::Limit::kDeviceBound) << time.waits_for;
  }
}

TEST_F(LateRankTest, ARankThatStartsLateIsNone) {
  const auto times = record(
      [](uint64_t round, uint32_t rank) -> uint64_t { return rank == 1 && round == 0 ? 15 * kMilli * kRounds : 0; }, 1,
      1);
  for (const ProcessTime& time : times) {
    EXPECT_EQ(time.budget.result.limit, correlate::Limit::kDeviceBound) << time.waits_for;
  }
}

TEST_F(LateRankTest, WhereTheOthersHardlyWaitNoneIsTheCause) {
  waited_ns = kMilli;
  const auto times = record([](uint64_t, uint32_t rank) -> uint64_t { return rank == 1 ? 10 * kMilli : 0; });
  for (const ProcessTime& time : times) EXPECT_NE(time.budget.result.limit, correlate::Limit::kLateRank);
}

// Rank 0 comes 300 ms after rank 1 to each collective, and waits for its device meanwhile; both waited for a CPU.
class LateAndStarvedTest : public store::testing::RecordingTest {
 protected:
  static constexpr uint64_t kRounds = 20, kLate = kSecond * 3 / 10;
  void SetUp() override {
    open();
    for (const uint32_t pid : {100U, 200U}) {
      hal::Communicator made;
      made.id = pid;
      made.pid = pid;
      made.handle = 0x1000;
      made.made_mono_ns = store::testing::kMono;
      made.comm_id_hash = 7;
      made.rank = pid == 100 ? 0 : 1;
      made.nranks = 2;
      made.made_by = hal::Role::kInit;
      writer->add_communicator(made);
    }
    for (uint64_t round = 1; round <= kRounds; ++round) {
      enter(round, 200, round * kSecond);
      write({store::testing::event_of("cudaStreamSynchronize", round * kSecond - 1000, kLate)});
      enter(round, 100, round * kSecond + kLate);
    }
    close();
  }
  std::vector<ProcessTime> times(uint64_t cpu_wait_ns) {
    std::vector<ProcessTime> found(2);
    for (ProcessTime& time : found) {
      time.node = "node-a";
      time.budget.pid = time.budget.tid = &time == found.data() ? 100 : 200;
      time.budget.result.limit = correlate::Limit::kStarvedOfCpu;
      time.budget.whole.of(correlate::TimeClass::kCpuWait) = {cpu_wait_ns, cpu_wait_ns, cpu_wait_ns};
      time.budget.whole.of(correlate::TimeClass::kDeviceWait).ns = kRounds * kSecond - cpu_wait_ns;
    }
    const auto reader = read();
    if (reader != nullptr) add_time_evidence(*reader, {}, found);
    return found;
  }

 private:
  void enter(uint64_t round, uint32_t pid, uint64_t at_ns) {
    hal::Exchange exchange;
    exchange.exchange_id = 2 * round + (pid == 100 ? 0 : 1);
    exchange.communicator = 0x1000;
    exchange.communicator_id = pid;
    exchange.number = round;
    exchange.count = 10;
    const Status status =
        writer->write_exchange(store::testing::event_of("otherAllReduce", at_ns, 1000, pid), exchange);
    ASSERT_TRUE(status.ok()) << status.error().text();
  }
};

TEST_F(LateAndStarvedTest, ALateRankComesBeforeWaitsForACpuThatCostLess) {
  const std::vector<ProcessTime> late = times(kSecond), starved = times(kRounds * kSecond * 9 / 10);
  EXPECT_EQ(late[0].budget.result.limit, correlate::Limit::kLateRank);
  EXPECT_EQ(late[0].budget.result.second, correlate::Limit::kStarvedOfCpu);
  EXPECT_THAT(late[0].because, ::testing::Contains(::testing::HasSubstr("that it was in cudaStreamSynchronize")));
  EXPECT_EQ(late[1].budget.result.limit, correlate::Limit::kCommunicationBound);
  for (const ProcessTime& one : starved) EXPECT_EQ(one.budget.result.limit, correlate::Limit::kStarvedOfCpu);
}

}  // namespace
}  // namespace ingero::report::late_ranks
