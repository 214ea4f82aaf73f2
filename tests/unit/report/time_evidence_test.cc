// What is said of the reason for a budget comes from the part of the recording that is asked about.
#include "unit/report/time_evidence.h"

#include <cstring>

#include <gmock/gmock.h>

namespace ingero::report::testing {
namespace {

TEST_F(TimeEvidenceTest, ThePreemptorOfTheSelectedPartIsNamed) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  using ::testing::Not;
  EXPECT_THAT(because({}), Contains(HasSubstr("had the CPU for 50%")));
  store::Selection first, second, nothing;
  first.to_wall_ns = kWall + 20 * kSecond;
  second.from_wall_ns = kWall + 40 * kSecond;
  nothing.from_wall_ns = kWall + 100 * kSecond;
  EXPECT_THAT(because(first), Contains(HasSubstr("stress (pid 11) had the CPU for 100%")));
  EXPECT_THAT(because(second), Contains(HasSubstr("backup (pid 22) had the CPU for 100%")));
  EXPECT_THAT(because(nothing), Not(Contains(HasSubstr("had the CPU"))));
}

TEST_F(TimeEvidenceTest, WhoHadTheCpuOfAProcessThatItWaitsForIsNamed) {
  const auto because_of = [&](correlate::TimeClass root) {
    std::vector<ProcessTime> times(1);
    ProcessTime& time = times[0];
    time.node = "n";
    time.budget.pid = time.budget.tid = kPid + 1;
    time.budget.end_ns = 25 * kSecond;
    time.budget.result.limit = correlate::Limit::kInputBound;
    time.budget.evaluated.sums.of(correlate::TimeClass::kPipe) = {kSecond, kSecond, kSecond};
    BlameNode own, other;
    own.is = correlate::TimeClass::kPipe;
    other.is = root;
    other.role = "loader";
    other.pids = {kPid};
    time.blame.push_back({{own, other}, kSecond, kSecond, kSecond});
    add_time_evidence(*reader_, {}, times);
    return time.because;
  };
  EXPECT_THAT(
      because_of(correlate::TimeClass::kCpuWait),
      ::testing::Contains("stress (pid 11) had the CPU for 100% of the 1s for which loader (pid 4000) waited for "
                          "one"));
  EXPECT_THAT(because_of(correlate::TimeClass::kHost), ::testing::IsEmpty());
}

TEST_F(TimeEvidenceTest, ALibraryThatSleepsTriesAgain) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  using ::testing::IsEmpty;
  using ::testing::StartsWith;
  for (const bool is_in_library : {true, false}) {
    std::vector<ProcessTime> times(1);
    ProcessTime& time = times[0];
    time.node = "n";
    time.budget.pid = time.budget.tid = kPid;
    time.budget.steps = 100;
    time.budget.slept_percent = 63;
    time.budget.result.limit = correlate::Limit::kDeviceBound;
    time.budget.evaluated.sums.of(correlate::TimeClass::kDeviceWait) = {kSecond, 0, 0};
    correlate::SlowStep slow;
    slow.is = correlate::TimeClass::kSleep;
    time.budget.slow.push_back(slow);
    BlameNode node;
    node.is = correlate::TimeClass::kSleep;
    node.line = "record() at train.py:14";
    if (is_in_library) node.within = "sqlite3_step() of libsqlite3";
    time.slow_blame.push_back({{{node}, kSecond, kSecond, kSecond}});
    add_time_evidence(*reader_, {}, times);
    if (is_in_library) {
      EXPECT_THAT(time.because, Contains(StartsWith("It slept in sqlite3_step() of libsqlite3, called from record() at "
                                                    "train.py:14")));
      EXPECT_THAT(time_text(times, false), HasSubstr("Do: see what sqlite3_step() of libsqlite3 waits for"));
    } else {
      EXPECT_THAT(time.because, Contains(StartsWith("It slept in record() at train.py:14: no loss if it had no work")));
      EXPECT_THAT(time.remedy, IsEmpty());
    }
  }
}

TEST_F(TimeEvidenceTest, ThePreemptorOfWhatIsEvaluatedIsNamed) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  EXPECT_THAT(because({}, 40 * kSecond, 60 * kSecond), Contains(HasSubstr("backup (pid 22) had the CPU for 100%")));
}

// Of its settings only those whose value slows, on the CPUs that this machine has.
TEST_F(TimeEvidenceTest, ASettingIsNamedForItsValue) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  using ::testing::Not;
  EXPECT_THAT(because({}), Contains(HasSubstr("OMP_NUM_THREADS=16 is set in its environment: more threads than CPUs")));
  EXPECT_THAT(because({}), Not(Contains(HasSubstr("PYTHONMALLOC"))));
}

// Only where it may be the cause of most of what was lost; what the share is of is said.
TEST_F(TimeEvidenceTest, ASettingIsTheRemedyOnlyWhereItsClassIsTheLargestLoss) {
  using correlate::TimeClass;
  const auto remedy_with = [&](uint64_t cpu_wait_ns) {
    std::vector<ProcessTime> times(1);
    times[0].node = "n";
    times[0].budget.pid = times[0].budget.tid = kPid;
    times[0].budget.result.limit = correlate::Limit::kInputBound;
    times[0].remedy = "prepare more input";
    times[0].budget.evaluated.sums.of(TimeClass::kCpuWait) = {cpu_wait_ns, cpu_wait_ns, cpu_wait_ns};
    times[0].budget.evaluated.sums.of(TimeClass::kPipe) = {kSecond, kSecond, kSecond};
    add_time_evidence(*reader_, {}, times);
    EXPECT_THAT(times[0].because,
                ::testing::Contains(::testing::HasSubstr("of the time is waiting for a CPU, of which")));
    return times[0].remedy;
  };
  EXPECT_EQ(remedy_with(kSecond / 10), "prepare more input");
  EXPECT_EQ(remedy_with(2 * kSecond), "unset OMP_NUM_THREADS");
}

// Ten calls of one function, 50 ms each, of the calls that neither submit nor wait.
class OtherCallTest : public store::testing::RecordingTest {
 protected:
  ProcessTime record(std::string_view call, uint64_t other_ns) {
    constexpr uint64_t kMilli = 1'000'000;
    open();
    for (uint64_t i = 0; i < 10; ++i) {
      write({store::testing::event_of(call, 100 * i * kMilli, 50 * kMilli, kPid),
             store::testing::event_of("cudaEventRecord", (100 * i + 60) * kMilli, 30 * kMilli, kPid)});
    }
    close();
    auto reader = store::Reader::open(path);
    EXPECT_TRUE(reader.ok());
    std::vector<ProcessTime> times(1);
    times[0].node = "node-a";
    correlate::ProcessBudget& budget = times[0].budget;
    budget.pid = budget.tid = kPid;
    budget.result.limit = correlate::Limit::kHostBound;
    budget.evaluated.sums.of(correlate::TimeClass::kOtherCall) = {other_ns, other_ns, other_ns};
    budget.evaluated.sums.of(correlate::TimeClass::kHost) = {kSecond / 10, kSecond / 10, kSecond / 10};
    add_time_evidence(**reader, {}, times);
    return times[0];
  }
};

TEST_F(OtherCallTest, TheCallThatCompilesIsNamedWithWhatToDo) {
  const ProcessTime time = record("otherCompile", kSecond / 2);
  EXPECT_THAT(time.because, ::testing::ElementsAre("otherCompile took 100% of its time in other GPU calls (10 calls)"));
  EXPECT_THAT(time.remedy, ::testing::StartsWith("compile and load device code once"));
}

TEST_F(OtherCallTest, OneThatDoesNotCompileIsNamedOnly) {
  const ProcessTime time = record("cudaSetDevice", kSecond / 2);
  EXPECT_THAT(time.because,
              ::testing::ElementsAre("cudaSetDevice took 100% of its time in other GPU calls (10 calls)"));
  EXPECT_EQ(time.remedy, "");
}

TEST_F(OtherCallTest, WhatCostsLittleIsNotNamed) {
  EXPECT_THAT(record("otherCompile", kSecond / 100).because, ::testing::IsEmpty());
}

// Four seconds of steps; then another process goes on for `more_ns`, or the recording does.
class OpenWaitTest : public store::testing::RecordingTest {
 protected:
  std::vector<std::string> because(uint64_t more_ns, bool has_ended, bool others_go_on = true) {
    constexpr uint64_t kMilli = 1'000'000, kSteps = 400;
    using store::testing::event_of;
    open();
    writer->add_process(store::testing::process_of(kPid, store::testing::kMono, "python"));
    for (uint64_t step = 0; step < kSteps; ++step) {
      write({event_of("cudaLaunchKernel", step * 10 * kMilli, kMilli / 100, kPid),
             event_of("cudaStreamSynchronize", step * 10 * kMilli + kMilli / 10, 9 * kMilli, kPid)});
    }
    const uint64_t end_ns = kSteps * 10 * kMilli + more_ns;
    if (has_ended) {
      hal::Event exit = event_of("process_exit", kSteps * 10 * kMilli, 0, kPid);
      exit.return_code = 0;
      write({exit});
    }
    if (others_go_on) write({event_of("sched_switch", end_ns - kMilli, kMilli, kPid + 1)});
    clock.elapsed_ns = end_ns;
    close();
    for (const ProcessTime& time : replayed()) {
      if (time.budget.pid == kPid) return time.because;
    }
    ADD_FAILURE() << "no budget";
    return {};
  }
  // What its replay says, without the evidence that is read from its tables.
  std::vector<ProcessTime> replayed() {
    auto reader = store::Reader::open(path);
    EXPECT_TRUE(reader.ok());
    TimeSink sink;
    EXPECT_TRUE(replay_time(**reader, {}, sink).ok());
    return sink.take();
  }
  std::vector<ProcessTime> with_evidence() {
    std::vector<ProcessTime> times = replayed();
    auto reader = store::Reader::open(path);
    EXPECT_TRUE(reader.ok());
    add_time_evidence(**reader, {}, times);
    return times;
  }
  void open_with_two_devices() {
    open();
    writer->add_device(1, {"acme", 0, "GPU-1", ""});
    writer->add_device(2, {"acme", 1, "GPU-2", ""});
  }
  // One of 10 ms, on a stream of the thread's own: work for the device, and a wait for it.
  void write_step(uint64_t step, uint32_t tid, uint32_t pid, uint32_t device, uint64_t waits_ns) {
    const uint64_t at = step * 10'000'000;
    hal::Event launch = store::testing::event_of("cudaLaunchKernel", at, 10'000, pid, tid);
    hal::Event sync = store::testing::event_of("cudaStreamSynchronize", at + 100'000, waits_ns, pid, tid);
    launch.device_ref = device;
    for (hal::Event* one : {&launch, &sync}) {
      one->stream = tid;
      one->set(hal::Has::kStream);
    }
    write({launch, sync});
  }
};

TEST_F(OpenWaitTest, AThreadThatWaitsAtTheEndOfTheRecordingIsNamed) {
  EXPECT_THAT(because(4 * kSecond, false),
              ::testing::Contains(::testing::HasSubstr("its thread 4000 made no call, and no wait of it ended")));
}
TEST_F(OpenWaitTest, AlsoWhereNothingElseIsRecordedUntilItsEnd) {
  EXPECT_THAT(
      because(4 * kSecond, false, false),
      ::testing::Contains(::testing::HasSubstr("In the last 4s of the recording its thread 4000 made no call")));
}
TEST_F(OpenWaitTest, NotAfterAShortWait) { EXPECT_THAT(because(kSecond, false), ::testing::IsEmpty()); }
TEST_F(OpenWaitTest, NotOnceItsProcessHasEnded) { EXPECT_THAT(because(4 * kSecond, true), ::testing::IsEmpty()); }

// Two runs in one file, with a process of the same number: what slows it is set in the first, and time was stolen
// there.
TEST_F(OpenWaitTest, WhatIsOfAnotherRunIsNotOfThisOne) {
  const auto run = [&](std::string_view settings, double stolen) {
    store::WriterOptions given = options();
    given.session.cpu_cores = 2;
    open(given);
    hal::Process process = store::testing::process_of(kPid, store::testing::kMono + clock.elapsed_ns, "python");
    process.settings = settings;
    writer->add_process(process);
    for (uint64_t step = 0; step < 400; ++step) {
      const uint64_t at = clock.elapsed_ns + step * 10'000'000;
      write({store::testing::event_of("cudaLaunchKernel", at, 10'000, kPid),
             store::testing::event_of("cudaStreamSynchronize", at + 100'000, 4'000'000, kPid)});
    }
    clock.elapsed_ns += 2 * kSecond;
    hal::SystemSnapshot snapshot;
    snapshot.wall_ns = store::testing::kWall + clock.elapsed_ns;
    snapshot.steal_percent = stolen;
    writer->add_snapshot(snapshot);
    clock.elapsed_ns += 10 * kSecond;
    close();
  };
  run("PYTHONDEVMODE=1", 9);
  run("", 1);
  const std::vector<ProcessTime> times = with_evidence();
  ASSERT_EQ(times.size(), 2U);
  ASSERT_NE(times[0].session, times[1].session);
  EXPECT_THAT(times[0].because, ::testing::Contains(::testing::HasSubstr("PYTHONDEVMODE=1 is set")));
  EXPECT_THAT(times[0].because, ::testing::Contains(::testing::HasSubstr("took 9% of the machine's CPU time")));
  EXPECT_THAT(times[1].because, ::testing::Not(::testing::Contains(::testing::HasSubstr("is set in"))));
  EXPECT_THAT(times[1].because, ::testing::Not(::testing::Contains(::testing::HasSubstr("hypervisor"))));
}

// Two processes submit to one device, and one of them to another as well.
TEST_F(OpenWaitTest, WhatADeviceDoesForOthersAndSeveralDevicesAreSaid) {
  open_with_two_devices();
  for (uint64_t step = 0; step < 400; ++step) {
    write_step(step, kPid, kPid, step % 2 == 1 ? 2 : 1, 9'880'000);
    write_step(step, kPid + 1, kPid + 1, 1, 4'000'000);
  }
  clock.elapsed_ns = 4 * kSecond;
  close();
  const std::vector<ProcessTime> times = with_evidence();
  ASSERT_EQ(times.size(), 2U);
  const auto of = [&](uint32_t pid) {
    return *std::ranges::find(times, pid, [](const auto& one) { return one.budget.pid; });
  };
  EXPECT_THAT(of(kPid).because, ::testing::Contains(::testing::HasSubstr("It uses 2 devices")));
  EXPECT_THAT(time_text({of(kPid)}, false), ::testing::Not(::testing::HasSubstr("(healthy)")));
  EXPECT_THAT(time_text({of(kPid)}, false), ::testing::HasSubstr("its 2 devices together had nothing to do"));
  EXPECT_THAT(of(kPid + 1).because, ::testing::Contains(::testing::HasSubstr("(pid 4000), at least 9")));
  EXPECT_THAT(time_text({of(kPid + 1)}, false), ::testing::HasSubstr("had nothing to do for this program for"));
}

// One thread keeps a device busy; another gives a second one 4 ms of work in 10 ms.
TEST_F(OpenWaitTest, AThreadIsMeasuredByItsOwnDevice) {
  open_with_two_devices();
  for (uint64_t step = 0; step < 400; ++step) {
    write_step(step, kPid + 2, kPid, 2, 4'000'000);
    write_step(step, kPid + 1, kPid, 1, 9'880'000);
  }
  clock.elapsed_ns = 4 * kSecond;
  close();
  const std::vector<ProcessTime> times = with_evidence();
  ASSERT_EQ(times.size(), 1U);
  EXPECT_THAT(times[0].because,
              ::testing::Contains("It uses 2 devices, and the figures are of the one that this thread gives work"));
  const std::string text = time_text(times, false);
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("(healthy)")));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("together had nothing to do")));
  EXPECT_EQ(times[0].budget.tid, kPid + 2) << "it lost most";
}

TEST_F(TimeEvidenceTest, WhoEndedItsStopIsNamed) {
  std::vector<ProcessTime> times(1);
  times[0].node = "n";
  times[0].budget.pid = times[0].budget.tid = kPid;
  times[0].budget.result.limit = correlate::Limit::kStopped;
  add_time_evidence(*reader_, {}, times);
  EXPECT_THAT(times[0].because, ::testing::Contains("limiter (pid 33) ended its stop"));
  EXPECT_EQ(times[0].remedy, "see why limiter (pid 33) stops it");
}

TEST_F(TimeEvidenceTest, WhoEndedTheStopOfTheOneThatItWaitsForIsNamed) {
  std::vector<ProcessTime> times(1);
  times[0].node = "n";
  times[0].budget.pid = times[0].budget.tid = kPid + 1;
  times[0].budget.result.limit = correlate::Limit::kInputBound;
  BlameNode own, worker;
  own.is = correlate::TimeClass::kPipe;
  worker.is = correlate::TimeClass::kStopped;
  worker.role = "loader";
  worker.pids = {kPid};
  times[0].blame.push_back({{own, worker}, 9, 9, 9});
  EXPECT_EQ(remedy_of(times[0]),
            "see who stops loader (pid 4000): a signal (SIGSTOP), the cgroup freezer, or a debugger");
  add_time_evidence(*reader_, {}, times);
  EXPECT_THAT(times[0].because, ::testing::Contains("limiter (pid 33) ended the stop of loader (pid 4000)"));
  EXPECT_EQ(times[0].remedy, "see why limiter (pid 33) stops loader (pid 4000)");
}

// A server that does not accept: the kernel asks again a second later.
class RefusedTest : public TimeEvidenceTest {
 protected:
  void add_more(store::Writer& writer) override {
    static const hal::CallTable calls(std::span<const hal::Backend* const>{});
    for (uint64_t i = 0; i < 4; ++i) {
      hal::Event event;
      event.call = calls.id_of(hal::HostOp::kTcpRetransmit);
      event.kind = hal::Kind::kHost;
      event.pid = event.tid = kPid;
      event.start_mono_ns = (i + 5) * kSecond;
      event.wall_offset_ns = static_cast<int64_t>(kWall);
      hal::TcpDetail detail;
      detail.family = 2;
      detail.destination = {10, 0, 0, 9};
      detail.destination_port = i == 3 ? 81 : 80;
      detail.state = 2;
      ASSERT_TRUE(writer.write_tcp(event, detail).ok());
    }
  }
  ProcessTime waiting_for(const std::string& address) {
    std::vector<ProcessTime> times(1);
    times[0].node = "n";
    times[0].budget.pid = times[0].budget.tid = kPid;
    times[0].budget.result.limit = correlate::Limit::kHostBound;
    BlameNode own;
    own.is = correlate::TimeClass::kSocket;
    own.object = address;
    times[0].blame.push_back({{own}, 9, 9, 9});
    add_time_evidence(*reader_, {}, times);
    return times[0];
  }
};

TEST_F(RefusedTest, RequestsForAConnectionThatAreSentAgainAreSaid) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  const ProcessTime time = waiting_for("10.0.0.9:80");
  EXPECT_THAT(time.because, Contains(HasSubstr("a connection to 10.0.0.9:80 (SYN) were sent again 3 times")));
  EXPECT_THAT(time.remedy, HasSubstr("backlog"));
  EXPECT_THAT(waiting_for("10.0.0.8:80").because, ::testing::Not(Contains(HasSubstr("SYN"))));
}

TEST_F(TimeEvidenceTest, WhereItSleptNowAndThenIsSaid) {
  std::vector<ProcessTime> times(1);
  times[0].node = "n";
  times[0].budget.pid = times[0].budget.tid = kPid;
  times[0].budget.result.limit = correlate::Limit::kDeviceBound;
  times[0].budget.slept_percent = 60;
  times[0].budget.slow.emplace_back().is = correlate::TimeClass::kSleep;
  BlameNode own;
  own.is = correlate::TimeClass::kSleep;
  own.line = "record() at train.py:9";
  times[0].slow_blame.push_back({{{own}, 9, 9, 9}});
  add_time_evidence(*reader_, {}, times);
  EXPECT_THAT(times[0].because,
              ::testing::Contains(::testing::StartsWith("It slept in record() at train.py:9: no loss")));
}

// Nothing waits for the device: it is asked, three times a step.
TEST_F(OtherCallTest, ASleepBetweenTwoQuestionsWhetherTheDeviceIsDoneIsSaid) {
  open();
  for (uint64_t i = 0; i < 30; ++i) {
    write({store::testing::event_of("cudaEventQuery", i * kSecond / 100, kSecond / 100'000, kPid)});
  }
  close();
  auto reader = store::Reader::open(path);
  ASSERT_TRUE(reader.ok());
  std::vector<ProcessTime> times(1);
  times[0].node = "node-a";
  correlate::ProcessBudget& budget = times[0].budget;
  budget.pid = budget.tid = kPid;
  budget.steps = budget.evaluated.steps = 10;
  budget.result.why = correlate::NotKnown::kNobodyWaits;
  budget.evaluated.sums.of(correlate::TimeClass::kSleep) = {kSecond / 5, 0, kSecond / 10};
  add_time_evidence(**reader, {}, times);
  EXPECT_THAT(times[0].because,
              ::testing::Contains(::testing::HasSubstr("(cudaEventQuery, 3.0 times a step) and sleeps until it asks "
                                                       "again: up to 10ms of each step")));
  EXPECT_THAT(time_text(times, false), ::testing::HasSubstr("Do: wait for the device"));
}

TEST_F(OtherCallTest, WhatIsWaitedForAfterEachLaunchIsSaid) {
  open();
  for (uint64_t i = 0; i < 30; ++i) {
    write({store::testing::event_of("cudaStreamSynchronize", i * kSecond / 100, kSecond / 1000, kPid)});
  }
  close();
  auto reader = store::Reader::open(path);
  ASSERT_TRUE(reader.ok());
  const auto said = [&](uint64_t submissions, uint64_t host_ns, uint32_t syncs = 1) {
    std::vector<ProcessTime> times(1);
    times[0].node = "node-a";
    correlate::ProcessBudget& budget = times[0].budget;
    budget.pid = budget.tid = kPid;
    budget.steps = budget.evaluated.steps = 100;
    budget.evaluated.sums.syncs = 100 * syncs;
    budget.evaluated.sums.submissions = static_cast<uint32_t>(submissions);
    budget.result.limit = correlate::Limit::kHostBound;
    budget.evaluated.sums.of(correlate::TimeClass::kHost) = {host_ns, host_ns, host_ns};
    add_time_evidence(**reader, {}, times);
    return times[0];
  };
  const ProcessTime often = said(100, kSecond / 2);
  EXPECT_THAT(often.because,
              ::testing::Contains("It waits for the device after each launch or copy, 200 times a second "
                                  "(cudaStreamSynchronize): the device has nothing to do until the next"));
  EXPECT_THAT(often.remedy, ::testing::StartsWith("launch ahead"));
  EXPECT_THAT(said(500, kSecond / 2).because, ::testing::IsEmpty()) << "five launches each";
  const ProcessTime many = said(5000, kSecond / 2, 10);
  EXPECT_THAT(many.because, ::testing::Contains(::testing::StartsWith("It waits for the device 10 times a step")));
  EXPECT_THAT(many.remedy, ::testing::StartsWith("synchronise once a step"));
  EXPECT_THAT(said(100, 5 * kSecond).because, ::testing::IsEmpty()) << "20 times a second";
}

// What to do is about the one that is waited for.
TEST(Remedy, IsAboutWhoIsWaitedFor) {
  using ::testing::HasSubstr;
  ProcessTime time;
  time.name = "train";
  time.budget.pid = kPid;
  time.budget.result.limit = correlate::Limit::kHostBound;
  BlameNode own, other;
  own.is = correlate::TimeClass::kFutex;
  other.role = "decoder";
  other.pids = {kPid};
  other.is = correlate::TimeClass::kThrottled;
  time.blame.push_back({{own, other}, 9, 9, 9});
  EXPECT_EQ(other_text(other, time), "thread decoder of train (pid 4000)");
  EXPECT_THAT(remedy_of(time), HasSubstr("CPU quota of the cgroup of thread decoder of train (pid 4000)"));
  time.blame[0].nodes[1].is = correlate::TimeClass::kHost;
  time.blame[0].nodes[1].line = "decode() at train.cc:7";
  EXPECT_THAT(remedy_of(time), HasSubstr("speed up decode() at train.cc:7"));
  // A stage of a pipeline waits for the one before, which waits for its device.
  time.budget.result.limit = correlate::Limit::kInputBound;
  EXPECT_THAT(remedy_of(time), HasSubstr("prepare more input"));
  time.blame[0].nodes[1].is = correlate::TimeClass::kCpuWait;
  EXPECT_THAT(remedy_of(time), HasSubstr("give thread decoder of train (pid 4000) a CPU")) << "and no more workers";
  time.blame[0].nodes[1].is = correlate::TimeClass::kDeviceWait;
  EXPECT_THAT(remedy_of(time), HasSubstr("the device that thread decoder of train (pid 4000) waits for less work"));
  time.budget.result.limit = correlate::Limit::kHostBound;
  other.role = "train";
  EXPECT_EQ(other_text(other, time), "another thread of train (pid 4000)");
  other.pids = {12};
  EXPECT_EQ(other_text(other, time), "train (pid 12)");
  time.blame.push_back({{own}, 10, 10, 10});
  EXPECT_THAT(remedy_of(time), HasSubstr("move this work off the thread that submits"));
}

// Who holds a lock that processes share is not an input that more workers would prepare.
TEST(Remedy, OfALockThatAnotherProcessHoldsIsAboutThatProcess) {
  ProcessTime time;
  time.budget.pid = kPid;
  time.budget.result.limit = correlate::Limit::kInputBound;
  BlameNode own, holder;
  own.is = correlate::TimeClass::kFutex;
  holder.is = correlate::TimeClass::kHost;
  holder.line = "evaluator() at eval.py:7";
  holder.pids = {kPid + 1};
  time.blame.push_back({{own, holder}, 9, 9, 9});
  EXPECT_THAT(remedy_of(time), ::testing::StartsWith("speed up evaluator() at eval.py:7"));
  time.blame[0].nodes[1].pids = {kPid};
  EXPECT_THAT(remedy_of(time), ::testing::StartsWith("prepare more input"));
}

// Nothing is to be done sooner where a timer ends the wait.
TEST(Remedy, OfWaitsInVainIsAboutTheirTimeOut) {
  using ::testing::HasSubstr;
  ProcessTime time;
  time.budget.pid = kPid;
  time.budget.result.limit = correlate::Limit::kInputBound;
  BlameNode lock;
  lock.is = correlate::TimeClass::kFutex;
  lock.is_timed_out = true;
  time.blame.push_back({{lock}, 9, 9, 9});
  EXPECT_THAT(remedy_of(time), HasSubstr("what should have woken it"));
  time.blame[0].nodes[0].is = correlate::TimeClass::kSocket;
  EXPECT_THAT(remedy_of(time), HasSubstr("why no answer comes"));
  lock.is_timed_out = false;
  time.blame.push_back({{lock}, 10, 10, 10});
  EXPECT_THAT(remedy_of(time), HasSubstr("prepare more input"));
}

// More workers help nothing where the one there is waits for its own timer. It may have nothing to do.
TEST_F(TimeEvidenceTest, WhereWhoIsWaitedForSleepsThatMayBeNoLoss) {
  std::vector<ProcessTime> times(1);
  ProcessTime& time = times[0];
  time.node = "n";
  time.budget.pid = time.budget.tid = kPid;
  time.budget.result.limit = correlate::Limit::kInputBound;
  BlameNode own, child;
  own.is = correlate::TimeClass::kSocket;
  child.is = correlate::TimeClass::kSleep;
  child.pids = {12};
  child.role = "client";
  time.blame.push_back({{own, child}, 9, 9, 9});
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("see why client (pid 12) sleeps"));
  add_time_evidence(*reader_, {}, times);
  EXPECT_THAT(time.because, ::testing::Contains(::testing::HasSubstr("had nothing to pass on")));
  // Nor is it seen what the child does of one that is not traced; or who of many it was that poll waited for.
  time.blame[0].nodes[0].is = correlate::TimeClass::kPoll;
  time.blame[0].nodes[1].is = correlate::TimeClass::kChild;
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("see what client (pid 12) does meanwhile"));
  add_time_evidence(*reader_, {}, times);
  EXPECT_THAT(time.because, ::testing::Contains(::testing::HasSubstr("waited for a child process: whether that one")));
  time.blame[0].nodes[1].is = correlate::TimeClass::kSleep;
  time.because.clear();
  // Requests come through a queue of its own from a thread that waits for its timer.
  time.because.clear();
  time.blame[0].nodes[0].is = correlate::TimeClass::kFutex;
  time.blame[0].nodes[1].pids = {kPid};
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("see why thread client of"));
  add_time_evidence(*reader_, {}, times);
  EXPECT_THAT(time.because, ::testing::Contains(::testing::HasSubstr("had nothing to pass on")));
  time.budget.result.limit = correlate::Limit::kHostBound;  // within a step it is a lock that the other one holds
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("see why thread client of"));
  time.because.clear();
  time.budget.result.limit = correlate::Limit::kInputBound;
  time.blame[0].nodes[0].is = correlate::TimeClass::kSocket;
  time.blame[0].nodes[1].pids = {12};
  time.blame[0].nodes[0].object = "10.0.0.9:9000";  // it is the client itself
  add_time_evidence(*reader_, {}, times);
  EXPECT_THAT(time.because, ::testing::Not(::testing::Contains(::testing::HasSubstr("had nothing to pass on"))));
  time.blame[0].nodes[1].is = correlate::TimeClass::kHost;
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("ask for it, or send it,")) << "which of the two is not known";
  time.blame[0].nodes[1].is_on_its_way = true;
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("TCP_NODELAY"));
}

// It makes as many steps, as long: it prepares no input for this one.
// Two of its three children were killed while it made steps, the third one ended by itself; a stranger was killed, too.
class KilledWorkersTest : public TimeEvidenceTest {
 protected:
  void add_more(store::Writer& writer) override {
    static const hal::CallTable calls(std::span<const hal::Backend* const>{});
    const auto add = [&](hal::HostOp op, uint32_t pid, uint64_t second, std::optional<uint64_t> child,
                         std::optional<int64_t> status) {
      hal::Event event;
      event.call = calls.id_of(op);
      event.kind = hal::Kind::kHost;
      event.pid = event.tid = pid;
      event.start_mono_ns = second * kSecond;
      event.wall_offset_ns = static_cast<int64_t>(kWall);
      if (status) {
        event.return_code = *status;
        event.set(hal::Has::kReturnCode);
      }
      if (child) {
        event.arg1 = *child;
        event.set(hal::Has::kArg1);
      }
      ASSERT_TRUE(writer.write(std::span(&event, 1)).ok());
    };
    for (const uint32_t child : {71, 72, 73}) add(hal::HostOp::kFork, kPid, 2, child, {});
    add(hal::HostOp::kExit, 71, 10, {}, 9);
    add(hal::HostOp::kExit, 72, 20, {}, 9);
    add(hal::HostOp::kExit, 73, 30, {}, 0);
    add(hal::HostOp::kExit, 99, 30, {}, 9);
  }
  std::vector<std::string> said(correlate::TimeClass is) const {
    std::vector<ProcessTime> times(1);
    ProcessTime& time = times[0];
    time.node = "n";
    time.budget.pid = time.budget.tid = kPid;
    time.budget.start_ns = 5 * kSecond;
    time.budget.end_ns = 50 * kSecond;
    time.budget.result.limit = correlate::Limit::kHostBound;
    time.budget.evaluated.sums.of(is) = {kSecond, kSecond, kSecond};
    BlameNode own;
    own.pids = {kPid};
    own.is = is;
    time.blame.push_back({{own}, kSecond, kSecond, kSecond});
    add_time_evidence(*reader_, {}, times);
    return times[0].because;
  }
};

TEST_F(KilledWorkersTest, WhoWaitsForProcessesThatWereKilledIsSaidThat) {
  EXPECT_THAT(
      said(correlate::TimeClass::kPipe),
      ::testing::Contains("2 processes that it had started were killed meanwhile (SIGKILL: pids 71, 72), and it "
                          "waited for what no process brought"));
  EXPECT_THAT(said(correlate::TimeClass::kHost), ::testing::Not(::testing::Contains(::testing::HasSubstr("SIGKILL"))));
}

TEST_F(TimeEvidenceTest, WhoMakesTheSameStepsIsAPeer) {
  std::vector<ProcessTime> times(2);
  for (uint32_t i = 0; i < 2; ++i) {
    times[i].node = "n";
    times[i].name = "rank";
    times[i].budget.pid = times[i].budget.tid = kPid + i;
    times[i].budget.steps = times[i].budget.evaluated.steps = 300 + i;
    times[i].budget.usual_ns = kSecond / 50;
  }
  times[0].budget.result.limit = correlate::Limit::kInputBound;
  BlameNode own, peer;
  own.is = correlate::TimeClass::kSocket;
  peer.is = correlate::TimeClass::kHost;
  peer.pids = {kPid + 1};
  times[0].blame.push_back({{own, peer}, 9, 9, 9});
  std::vector<ProcessTime> other = times;
  other[1].budget.steps = 30;
  add_peer_evidence(*reader_, {}, times);
  EXPECT_EQ(times[0].budget.result.limit, correlate::Limit::kCommunicationBound);
  EXPECT_THAT(time_text({times[0]}, false), ::testing::HasSubstr("it waits for rank (pid 4001), which makes the same"));
  EXPECT_EQ(times[0].remedy, "see what rank (pid 4001) does meanwhile");
  add_peer_evidence(*reader_, {}, other);
  EXPECT_EQ(other[0].budget.result.limit, correlate::Limit::kInputBound);
}

TEST_F(TimeEvidenceTest, ThatTheDeviceBecameSlowerIsSaid) {
  std::vector<ProcessTime> times(1);
  times[0].node = "n";
  times[0].budget.pid = times[0].budget.tid = kPid;
  times[0].budget.longer_waits = correlate::LongerWaits{5 * kSecond, kSecond / 100, kSecond / 50};
  add_peer_evidence(*reader_, {}, times);
  EXPECT_THAT(times[0].because, ::testing::Contains(::testing::HasSubstr(
                                    "a step waited 20ms for the device, and 10ms before: the device took 2.0 times")));
}

TEST(Remedy, OfWhatItSendsIsNotToAskForIt) {
  ProcessTime time;
  time.budget.pid = kPid;
  time.budget.result.limit = correlate::Limit::kHostBound;
  BlameNode own;
  own.is = correlate::TimeClass::kSocket;
  time.blame.push_back({{own}, 9, 9, 9});
  EXPECT_THAT(remedy_of(time), ::testing::StartsWith("ask for it, or send it,"));
  time.blame[0].nodes[0].is_write = true;
  EXPECT_THAT(remedy_of(time), ::testing::StartsWith("send it from another thread"));
}

TEST(Remedy, OfALockThatItSpinsForIsAboutItsHolder) {
  ProcessTime time;
  time.budget.pid = kPid;
  time.budget.result.limit = correlate::Limit::kHostBound;
  BlameNode own;
  own.is = correlate::TimeClass::kHost;
  own.line = "spin_lock() at stats.cpp:10";
  time.blame.push_back({{own}, 9, 9, 9});
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("which thread holds the lock"));
}

TEST(TimeText, ACallerIsSaidOnceAndCopiesBehindWorkAreNamed) {
  using ::testing::HasSubstr;
  ProcessTime time;
  time.name = "train";
  time.budget.pid = kPid;
  time.budget.steps = time.budget.evaluated.steps = 100;
  time.budget.result.limit = correlate::Limit::kHostBound;
  correlate::TimeSums& sums = time.budget.evaluated.sums;
  sums.of(correlate::TimeClass::kHost) = {kSecond / 2, kSecond / 2, kSecond / 2};
  sums.of(correlate::TimeClass::kUnknown) = {kSecond / 2, 0, kSecond / 2};
  sums.copy_or_wait_ns = kSecond / 2;
  BlameNode host, copies;
  host.is = correlate::TimeClass::kHost;
  copies.is = correlate::TimeClass::kUnknown;
  host.line = copies.line = "adam() at opt.py:5";
  host.caller = copies.caller = "called in step() at run.py:9";
  time.blame.push_back({{host}, kSecond / 2, kSecond / 2, kSecond / 2});
  time.blame.push_back({{copies}, kSecond / 2, 0, kSecond / 2});
  const std::string text = time_text({time}, false);
  EXPECT_THAT(text, HasSubstr("adam() at opt.py:5, called in step() at run.py:9, ran on the CPU for 5ms a step"));
  EXPECT_THAT(text, HasSubstr("adam() at opt.py:5 copied, or waited for the device before that, for 5ms a step"));
}

TEST(TimeText, WhereThreadsShareAStreamTheDeviceIsNotCalledHealthy) {
  ProcessTime time;
  time.budget.result.limit = correlate::Limit::kDeviceBound;
  time.budget.steps = time.budget.evaluated.steps = 100;
  time.budget.evaluated.sums.of(correlate::TimeClass::kDeviceWait).ns = 4 * kSecond;
  EXPECT_THAT(time_text({time}, false), ::testing::HasSubstr("(healthy)"));
  time.shares_its_stream = true;
  EXPECT_THAT(time_text({time}, false), ::testing::Not(::testing::HasSubstr("(healthy)")));
}

TEST(Remedy, OfItsOwnSleepIsAboutThat) {
  ProcessTime time;
  time.budget.pid = kPid;
  time.budget.result.limit = correlate::Limit::kHostBound;
  BlameNode own;
  own.is = correlate::TimeClass::kSleep;
  time.blame.push_back({{own}, 9, 9, 9});
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("why it sleeps"));
  own.is = correlate::TimeClass::kHost;
  time.blame.push_back({{own}, 10, 10, 10});
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("move this work off"));
}

// The holder of the lock waits for a process that computes, and holds nothing.
TEST(Remedy, OnlyWhoHoldsALockIsToHoldItForLess) {
  ProcessTime time;
  time.budget.pid = kPid;
  time.budget.result.limit = correlate::Limit::kHostBound;
  BlameNode lock, holder, worker;
  lock.is = holder.is = correlate::TimeClass::kFutex;
  lock.object = "a lock";
  holder.pids = {kPid};
  worker.is = correlate::TimeClass::kHost;
  worker.pids = {12};
  worker.role = "worker";
  time.blame.push_back({{lock, worker}, 9, 9, 9});
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("have worker (pid 12) hold it for less time"));
  // More input ahead of time would not help either: it is the lock of the interpreter.
  time.budget.result.limit = correlate::Limit::kInputBound;
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("have worker (pid 12) hold it for less time"));
  time.budget.result.limit = correlate::Limit::kHostBound;
  time.blame[0].nodes = {lock, holder, worker};
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("speed up what worker (pid 12) does"));
}

// A process that is started in each step, and what it waits for itself.
TEST(Remedy, OfWaitsForAChildIsNotToWait) {
  ProcessTime time;
  time.budget.pid = kPid;
  time.budget.result.limit = correlate::Limit::kHostBound;
  BlameNode own, child;
  own.is = correlate::TimeClass::kChild;
  child.is = correlate::TimeClass::kSleep;
  child.pids = {12};
  child.role = "nvidia-smi";
  time.blame.push_back({{own}, 9, 9, 9});
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("run it in another thread"));
  time.blame[0].nodes.push_back(child);
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("wait for nvidia-smi (pid 12) in another thread"));
}

TEST(TimeText, WhereTooLittleWasRecordedItSaysSo) {
  std::vector<ProcessTime> times(2);
  for (ProcessTime& time : times) {
    time.name = "train";
    time.budget.pid = kPid;
    time.budget.result.why = correlate::NotKnown::kTooShort;
  }
  times[1].budget.pid = kPid + 1;
  times[1].budget.evaluated.sums.of(correlate::TimeClass::kHost).ns = kSecond / 5;
  EXPECT_EQ(time_text(times, false),
            "\nNOT KNOWN: too little was recorded, 200ms of train (pid 4001), the longest of 2 processes. Trace it for "
            "longer, or select more of it.\n");
  EXPECT_EQ(time_text({}, false), "");
  times[0].budget.result.why = correlate::NotKnown::kPoll;
  EXPECT_THAT(time_text(times, false), ::testing::Not(::testing::HasSubstr("too little was recorded")));
}

TEST(TimeText, WhatOtherThreadsOfTheProcessLoseIsSaid) {
  using ::testing::HasSubstr;
  using ::testing::Not;
  ProcessTime time;
  time.name = "serve";
  time.budget.pid = kPid;
  correlate::TimeSums& sums = time.budget.evaluated.sums;
  time.budget.steps = time.budget.evaluated.steps = 100;
  time.budget.result.limit = correlate::Limit::kHostBound;
  sums.of(correlate::TimeClass::kFutex) = {kSecond * 3 / 4, kSecond / 4, kSecond / 4};
  sums.of(correlate::TimeClass::kDeviceWait).ns = kSecond / 4;
  time.budget.together = {4, 0.96, 0.96};
  EXPECT_THAT(time_text({time}, false),
              HasSubstr("4 of its threads submit work: of each 10ms step the one below lost 2.5ms itself, and all "
                        "together lost 9.6ms (96%); each gap of the device is charged to the thread that ends it."));
  const Json json = time_json({time});
  EXPECT_EQ(json[0]["threads"]["submitting"], 4);
  EXPECT_EQ(json[0]["threads"]["lost_ns"]["low"], kSecond * 96 / 100);
  time.budget.together = {4, 0.26, 0.27};
  EXPECT_THAT(time_text({time}, false), Not(HasSubstr("threads submit"))) << "hardly more than this one";
  time.budget.together = {1, 0.25, 0.25};
  EXPECT_THAT(time_text({time}, false), Not(HasSubstr("threads submit")));
}

TEST(TimeText, WhatIsNotKnownOfTheDeviceIsNotSaidAsBounds) {
  ProcessTime time;
  time.name = "train";
  time.budget.pid = kPid;
  correlate::TimeSums& sums = time.budget.evaluated.sums;
  time.budget.steps = time.budget.evaluated.steps = 100;
  sums.of(correlate::TimeClass::kHost).ns = kSecond / 5;
  sums.of(correlate::TimeClass::kDeviceWait).ns = kSecond * 4 / 5;
  sums.idle_high = kSecond;
  sums.syncs = 100;
  sums.queued_behind = 300;
  const auto says = [&](correlate::Limit limit, std::string_view text) {
    time.budget.result.limit = limit;
    EXPECT_THAT(time_text({time}, false), ::testing::HasSubstr(std::string(text)));
  };
  says(correlate::Limit::kDeviceBound,
       "DEVICE-BOUND, as far as is known: it was waited for 8ms of each 10ms step (80%). How long the device had "
       "nothing to do is not known, because more work is queued whenever it waits.");
  says(correlate::Limit::kHostBound,
       "HOST-BOUND, as far as is known. How long the device had nothing to do is not known, because more work is "
       "queued whenever it waits.");
  sums.queued_behind = 0;
  sums.idle_low = kSecond / 4;
  time.budget.result.low_ns = time.budget.result.high_ns = kSecond / 4;
  says(correlate::Limit::kHostBound,
       "HOST-BOUND: the device had nothing to do for at least 2.5ms of each 10ms step (25%), and how much longer is "
       "not known, because a wait says that the device is done, not since when.");
  sums.syncs = 50;
  says(correlate::Limit::kHostBound, "not known, because it does not wait for all that it submits.");
  time.budget.result.why = correlate::NotKnown::kPoll;
  says(correlate::Limit::kNotKnown,
       "it may have had no work. The device had nothing to do for at least 2.5ms of each 10ms step (25%), and how "
       "much longer is not known.");
  sums.idle_high = kSecond / 2;
  says(correlate::Limit::kHostBound,
       "HOST-BOUND: the device had nothing to do for 2.5ms to 5ms of each 10ms step (25 to 50%).");
}

TEST(Remedy, OfManyProcessesNamesTheirKind) {
  ProcessTime time;
  time.budget.pid = kPid;
  time.budget.result.limit = correlate::Limit::kHostBound;
  BlameNode own, other;
  own.is = correlate::TimeClass::kChild;
  other.role = "cc1plus";
  other.pids = {12, 13};
  other.is = correlate::TimeClass::kHost;
  other.line = "cc1plus+0x7cffec";
  time.blame.push_back({{own, other}, 9, 9, 9});
  EXPECT_THAT(remedy_of(time), ::testing::HasSubstr("keep what the processes named cc1plus make,"));
  EXPECT_EQ(other_text(other, time), "2 processes named cc1plus (pids 12 to 13)");
  for (uint32_t pid = 14; other.pids.size() < correlate::Blame::kMaxPids; ++pid) other.pids.push_back(pid);
  EXPECT_EQ(other_text(other, time), "64 or more processes named cc1plus (pids 12 to 75 among them)");
}

}  // namespace
}  // namespace ingero::report::testing
