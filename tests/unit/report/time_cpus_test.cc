// Who had the CPUs that a program, or one that it waits for, waited for, and on which they may run.
#include <cstring>

#include <gmock/gmock.h>

#include "unit/report/time_evidence.h"

namespace ingero::report::testing {
namespace {

// Of each its own threads had most, and of all less than half.
class SqueezedTest : public TimeEvidenceTest {
  uint32_t who(uint64_t second) const override {
    const uint32_t others[] = {kPid, kPid, 11, 22, 23};
    return others[second % 5];
  }
};

TEST_F(SqueezedTest, WhatManyOthersTakeIsNotItsOwnThreads) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  using ::testing::Not;
  EXPECT_THAT(because({}), Not(Contains(HasSubstr("Its own threads"))));
}

TEST_F(SqueezedTest, ThePartOfItsOwnThreadsIsReported) {
  using ::testing::Contains;
  using ::testing::StartsWith;
  EXPECT_THAT(because({}), Contains(StartsWith("Its own other threads had the CPU for 40% of the time")));
}

// What is said of the recording of a program that was slow on the CPUs.
ProcessTime host_bound_until(const store::Reader& reader, uint64_t end_ns) {
  std::vector<ProcessTime> times(1);
  ProcessTime& time = times[0];
  time.node = "n";
  time.budget.pid = time.budget.tid = kPid;
  time.budget.start_ns = kSecond;
  time.budget.end_ns = end_ns;
  time.budget.result.limit = correlate::Limit::kHostBound;
  time.budget.evaluated.sums.of(correlate::TimeClass::kHost) = {kSecond, kSecond, kSecond};
  add_time_evidence(reader, {}, times);
  return times[0];
}

// Its threads preempt each other all the time; the one that submits waits for them in a loop, and runs.
class CrowdedTest : public TimeEvidenceTest {
 protected:
  uint32_t who(uint64_t) const override { return kPid; }
  void add_more(store::Writer& writer) override {
    static const hal::CallTable calls(std::span<const hal::Backend* const>{});
    for (uint64_t second = 0; second < 60; ++second) {
      hal::Event event;
      event.call = calls.id_of(hal::HostOp::kSchedSwitch);
      event.kind = hal::Kind::kHost;
      event.pid = kPid;
      event.tid = kPid + 1;
      event.start_mono_ns = (second + 1) * kSecond;
      event.wall_offset_ns = static_cast<int64_t>(kWall);
      event.duration_ns = event.off.preempted_ns = event.preempted_by_ns = kSecond / 10 * 9;
      event.set(hal::Has::kDuration);
      event.set(hal::Has::kOffCpu);
      event.set(hal::Has::kPreemptedBy);
      event.preempted_by_pid = kPid;
      strcpy(event.preempted_by_comm.data(), "python");
      hal::Wait wait;
      wait.kind = hal::WaitKind::kPreempted;
      ASSERT_TRUE(writer.write_wait(event, wait).ok());
    }
  }
};

TEST_F(CrowdedTest, ThreadsThatKeepEachOtherFromTheCpusAreNamed) {
  const ProcessTime time = host_bound_until(*reader_, 61 * kSecond);
  EXPECT_THAT(time.because, ::testing::Contains(::testing::StartsWith("1.0 of its threads waited for a CPU")));
  EXPECT_THAT(time.remedy, ::testing::HasSubstr("start fewer threads"));
}

// Most records of its switches were lost; the kernel side counted them all the same.
class CountedTest : public TimeEvidenceTest {
 protected:
  uint32_t who(uint64_t) const override { return kPid; }
  void add_more(store::Writer& writer) override {
    for (const uint64_t second : {1, 60}) {
      hal::WaitTotals totals;
      totals.mono_ns = second * kSecond;
      totals.pid = kPid;
      totals.tid = kPid + 1;
      totals.queued_ns = second * kSecond;
      totals.ns[static_cast<size_t>(hal::WaitKind::kPreempted)] = second * kSecond;
      writer.add_totals(totals);
    }
  }
};

TEST_F(CountedTest, WhatWasLostOfItsThreadsWaitsForACpuCounts) {
  const ProcessTime time = host_bound_until(*reader_, 60 * kSecond);
  EXPECT_THAT(time.because, ::testing::Contains(::testing::StartsWith("2.0 of its threads waited for a CPU")));
}

// Each wait for a CPU came after a sleep: of a part of it is known who had the CPU.
class WokenTest : public TimeEvidenceTest {
 protected:
  void shape(hal::Event& event) override {
    event.off = {};
    event.off.runqueue_ns = event.duration_ns;
    event.preempted_by_ns = known_;
  }
  uint32_t who(uint64_t /*second*/) const override { return 11; }
  uint64_t known_ = kSecond / 1000;
};
class MostlyKnownTest : public WokenTest {
 protected:
  MostlyKnownTest() { known_ = kSecond * 7 / 100; }
  // One of that name had it once only.
  uint32_t who(uint64_t second) const override { return second == 7 ? 24 : second % 2 == 0 ? 22 : 23; }
};

TEST_F(WokenTest, NobodyIsNamedForASliverOfTheWait) {
  EXPECT_THAT(because({}), ::testing::Not(::testing::Contains(::testing::HasSubstr("had the CPU"))));
}

TEST_F(MostlyKnownTest, AShareIsOfTheWholeWaitAndWhatIsNotKnownIsSaid) {
  EXPECT_THAT(because({}), ::testing::Contains("2 processes named backup had the CPU for 70% of the time for which it "
                                               "waited for one, and for 30% it is not known who had it"));
}

// It, and a worker of it, may run on one of four CPUs; another program may run on the others.
class ConfinedTest : public TimeEvidenceTest {
 protected:
  static constexpr uint32_t kWorker = 4001;
  void add_more(store::Writer& writer) override {
    const auto add = [&](uint64_t second, uint32_t pid, const char* cpus, uint32_t threads) {
      hal::Affinity one;
      one.mono_ns = second * kSecond;
      one.wall_offset_ns = static_cast<int64_t>(kWall);
      one.pid = pid;
      one.threads = threads;
      one.cpus = *hal::CpuList::parse(cpus);
      one.online = *hal::CpuList::parse("0-3");
      writer.add_affinity(one);
    };
    hal::Process worker;
    worker.pid = kWorker;
    worker.comm = "loader";
    writer.add_process(worker);
    add(2, kPid, "1", 1);
    add(2, kWorker, "1", 2);
    add(2, 4002, "2-3", 5);
    add(40, kPid, "0-3", 1);
    for (uint64_t second = 0; second < 60; ++second) {
      hal::SystemSnapshot snapshot;
      snapshot.wall_ns = kWall + second * kSecond;
      snapshot.cpu_percent = second < 20 ? 30 : 95;
      writer.add_snapshot(snapshot);
    }
  }
  ProcessTime time_of(uint64_t from_ns, uint64_t to_ns, bool waits_itself) const {
    std::vector<ProcessTime> times(1);
    ProcessTime& time = times[0];
    time.node = "n";
    time.wall_offset_ns = static_cast<int64_t>(kWall);
    time.budget.pid = time.budget.tid = kPid;
    time.budget.start_ns = from_ns;
    time.budget.end_ns = to_ns;
    time.budget.result.limit = waits_itself ? correlate::Limit::kStarvedOfCpu : correlate::Limit::kInputBound;
    const auto is = waits_itself ? correlate::TimeClass::kCpuWait : correlate::TimeClass::kPipe;
    time.budget.evaluated.sums.of(is) = {kSecond, kSecond, kSecond};
    BlameNode own, worker;
    own.is = is;
    worker.is = correlate::TimeClass::kCpuWait;
    worker.role = "loader";
    worker.pids = {kWorker};
    time.blame.push_back({{own, worker}, kSecond, kSecond, kSecond});
    if (waits_itself) time.blame.back().nodes.pop_back();
    time.remedy = "other";
    add_time_evidence(*reader_, {}, times);
    return times[0];
  }
};

// The machine's other CPUs are busy, too; but those that it may use another one has that may use no others.
class SharedMaskTest : public ConfinedTest {
  uint32_t who(uint64_t /*second*/) const override { return kWorker; }
};

TEST_F(SharedMaskTest, WhoSharesFewCpusWithOthersHasThemNamedOnABusyMachineToo) {
  const ProcessTime busy = time_of(21 * kSecond, 38 * kSecond, true);
  EXPECT_THAT(busy.because, ::testing::Contains(::testing::HasSubstr("It may run on CPU 1 only")));
  EXPECT_THAT(busy.remedy, ::testing::StartsWith("widen the CPU affinity"));
}

TEST_F(ConfinedTest, WhoWaitsForTheCpusThatItMayUseHasThemNamed) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  const ProcessTime itself = time_of(kSecond, 19 * kSecond, true);
  EXPECT_THAT(
      itself.because,
      Contains(HasSubstr("It may run on CPU 1 only, 1 of the machine's 4, and so may loader (pid 4001): its CPU "
                         "affinity keeps it off the others, while the machine's CPUs were 30% busy; 3 threads "
                         "waited for a CPU")));
  EXPECT_THAT(itself.remedy, HasSubstr("taskset -acp 0-3 4000"));
  const ProcessTime through_a_worker = time_of(kSecond, 19 * kSecond, false);
  EXPECT_THAT(through_a_worker.because,
              Contains(HasSubstr("loader (pid 4001) may run on CPU 1 only, 1 of the machine's 4, and so may python")));
  EXPECT_THAT(through_a_worker.remedy, HasSubstr("taskset -acp 0-3 4001"));
}

TEST_F(ConfinedTest, NotWhereAllCpusAreBusyOrItMayUseAll) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  using ::testing::Not;
  const ProcessTime busy = time_of(25 * kSecond, 35 * kSecond, true), widened = time_of(kSecond, 50 * kSecond, true);
  for (const ProcessTime& time : {busy, widened}) {
    EXPECT_THAT(time.because, Not(Contains(HasSubstr("affinity"))));
    EXPECT_THAT(time.remedy, Not(HasSubstr("affinity")));
  }
}

// All CPUs are busy, but its own threads had the one that it may use.
class ConfinedThreadsTest : public ConfinedTest {
  uint32_t who(uint64_t) const override { return kPid; }
  void add_more(store::Writer& writer) override {
    ConfinedTest::add_more(writer);
    hal::Affinity one;
    one.mono_ns = 26 * kSecond;
    one.wall_offset_ns = static_cast<int64_t>(kWall);
    one.pid = kPid;
    one.threads = 4;
    one.cpus = *hal::CpuList::parse("1");
    one.online = *hal::CpuList::parse("0-3");
    writer.add_affinity(one);
  }
};

TEST_F(ConfinedThreadsTest, ThreadsThatShareOneCpuHaveThatNamed) {
  using ::testing::AllOf;
  using ::testing::Contains;
  using ::testing::HasSubstr;
  using ::testing::Not;
  const ProcessTime time = time_of(25 * kSecond, 35 * kSecond, true);
  EXPECT_THAT(time.because, Contains(AllOf(HasSubstr("It may run on CPU 1 only"), Not(HasSubstr("% busy")))));
  EXPECT_THAT(time.remedy, AllOf(HasSubstr("taskset -acp 0-3 4000"), HasSubstr("or start fewer threads")));
}

}  // namespace
}  // namespace ingero::report::testing
