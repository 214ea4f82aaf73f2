// Failures that one event proves: fatal errors, processes that die, ranks out of step; each next to what merely looks
// like it, and one chain for one fault.
#include "engine_stream.h"

namespace ingero::correlate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr uint32_t kPeer = 200;

Event& exits(Stream& stream, uint64_t at_ns, int64_t status, uint32_t pid = kPid) {
  Event& event = stream.add(kExit, hal::Kind::kHost, at_ns, 0, pid, pid);
  event.return_code = status;
  event.failed = status != 0;
  event.set(Has::kReturnCode);
  return event;
}

void fails(Event& event, int64_t code) {
  event.failed = true;
  event.return_code = code;
}

// Rounds of a collective of `ranks` processes, the first of them kPid; each rank's bytes may differ.
template <typename Change>
std::vector<hal::CausalChain> run_ranks(Stream& stream, uint32_t ranks, uint64_t rounds, Change change,
                                        uint64_t* forgotten = nullptr) {
  hal::LossLedger ledger;
  for (uint32_t rank = 1; rank < ranks; ++rank) {
    hal::Process process;
    process.pid = kPeer + rank - 1;
    process.start_mono_ns = kStart - kSecond + rank;
    process.comm = "train";
    stream.processes.push_back(process);
  }
  struct Arrived {
    uint64_t number;
    int32_t rank;
  };
  std::map<std::pair<uint64_t, uint32_t>, Arrived> arrivals;
  for (uint64_t number = 1; number <= rounds; ++number) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      const uint32_t pid = rank == 0 ? kPid : kPeer + rank - 1;
      Event& call = stream.add(kCollectCall, hal::Kind::kCollective, number * 100 * kMilli, 50 * kMicro, pid, pid);
      call.bytes = 1 << 20;
      call.set(Has::kBytes);
      change(call, number, rank);
      arrivals[{call.start_mono_ns, call.tid}] = {number, static_cast<int32_t>(rank)};
    }
  }
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) {
    engine->add(event);
    const auto known = arrivals.find({event.start_mono_ns, event.tid});
    if (event.kind == hal::Kind::kCollective && known != arrivals.end() && !event.failed) {
      engine->add_arrival(event, 0xbeef, known->second.number, known->second.rank);
    }
  }
  engine->finish();
  if (forgotten != nullptr) *forgotten = ledger.count(hal::Loss::engine_forgotten);
  return latest(engine->take_changes());
}

TEST(Ends, AFatalErrorIsFoundAtItsFirstOccurrenceWithTheLaunchThatLikelyDidIt) {
  Stream stream;
  stream.train(0, 8);
  Event& guilty = stream.launch(5 * kSecond + 7 * kMilli);
  guilty.stream = 9;
  guilty.set(Has::kStream);
  guilty.stack_id = 4711;
  guilty.set(Has::kStack);
  Event& innocent = stream.launch(5 * kSecond + 7500 * kMicro);
  innocent.stream = 3;
  innocent.set(Has::kStream);
  Event& sync = stream.sync(5 * kSecond + 8 * kMilli, kMilli);
  sync.stream = 9;
  sync.set(Has::kStream);
  fails(sync, 700);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::fatal_error);
  EXPECT_EQ(chains[0].severity, "CRITICAL");
  EXPECT_THAT(chains[0].summary, HasSubstr("xStreamSync returned 700"));
  EXPECT_THAT(chains[0].summary, HasSubstr("A kernel went astray."));
  EXPECT_THAT(chains[0].root_cause, HasSubstr("most likely the last: xLaunch, 1ms earlier on stream 0x9"));
  EXPECT_EQ(chains[0].stack_hash, 4711U) << "of the launch, not of the call that only reports it";
  ASSERT_THAT(chains[0].recommendations, SizeIs(1));
  EXPECT_EQ(chains[0].recommendations[0], "Restart the process.");
  ASSERT_THAT(chains[0].evidence, SizeIs(1));
  EXPECT_EQ(chains[0].evidence[0].op, "xLaunch");
}

TEST(Ends, TheOtherLaunchesThatMayHaveDoneItAreListed) {
  Stream stream;
  stream.train(0, 5);
  for (uint64_t i = 0; i < 3; ++i) stream.launch(5500 * kMilli + i * kMilli);
  fails(stream.sync(5503 * kMilli, kMilli), 700);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::fatal_error);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("most likely the last: xLaunch, 1ms earlier. Or one of the 2 before it "
                                              "since the last synchronisation: xLaunch 2ms, xLaunch 3ms earlier."));
}

TEST(Ends, AnOrdinaryFailureIsNoFatalError) {
  Stream stream;
  stream.train(0, 8);
  fails(stream.launch(5 * kSecond + 7 * kMilli), 1);
  fails(stream.launch(6 * kSecond + 7 * kMilli), 12345);
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

// (E4) Of one that has ended, and that no other waits for, nothing more is to be explained.
TEST(Ends, AFailureIsOpenForAsLongAsOthersMayFailForIt) {
  const auto is_resolved = [](bool ends, bool has_peers, uint64_t seconds) {
    Stream stream;
    stream.train(0, 3);
    if (has_peers) stream.add(kCollectCall, hal::Kind::kCollective, 2 * kSecond, kMicro);
    fails(stream.launch(3 * kSecond + kMilli), 700);
    if (ends) exits(stream, 3 * kSecond + 2 * kMilli, 0);
    // Another process goes on.
    for (uint64_t i = 0; i < 10 * seconds; ++i) {
      stream.add(kLaunchCall, hal::Kind::kLaunch, 3 * kSecond + i * 100 * kMilli, kMicro, kPeer, kPeer);
    }
    const auto chains = run(stream);
    EXPECT_THAT(chains, SizeIs(1)) << text_of(chains);
    return chains.size() == 1 && chains[0].rule == "fatal_error" && chains[0].resolved;
  };
  EXPECT_FALSE(is_resolved(true, false, 1));
  EXPECT_TRUE(is_resolved(true, false, 3));
  EXPECT_FALSE(is_resolved(true, true, 15));
  EXPECT_FALSE(is_resolved(false, false, 15));
  EXPECT_TRUE(is_resolved(true, true, 45));
}

TEST(Ends, TheErrorsAfterAFatalOneAndTheEndOfItsProcessAreItsEffects) {
  Stream stream;
  stream.train(0, 6);
  for (uint64_t i = 0; i < 2000; ++i) fails(stream.launch(6 * kSecond + i * kMilli), 700);
  exits(stream, 8 * kSecond + kMilli, 256);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::fatal_error);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("failed in all since"));
  ASSERT_THAT(chains[0].symptoms, SizeIs(1));
  EXPECT_THAT(chains[0].symptoms[0], HasSubstr("process_failed: train (pid 100) failed: exit status 1"));
}

TEST(Ends, AProcessThatASignalEndedIsFoundWithItsLastCalls) {
  Stream stream;
  stream.train(0, 5);
  stream.alloc(5 * kSecond, 0x1000, 1 << 20);
  Event& inside = stream.launch(5 * kSecond + 2 * kMilli, kMilli);
  inside.outcome = hal::Outcome::kExited;
  inside.clear(Has::kReturnCode);
  exits(stream, 5 * kSecond + 3 * kMilli, 11 | 0x80);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::process_crashed);
  EXPECT_EQ(chains[0].severity, "CRITICAL");
  EXPECT_THAT(chains[0].summary, HasSubstr("signal SIGSEGV (11), inside xLaunch"));
  EXPECT_THAT(chains[0].root_cause, HasSubstr("and xMalloc"));
}

TEST(Ends, AnExitStatusThatMeansFailureIsFoundAndARequestToEndIsNot) {
  Stream failed;
  failed.train(0, 5);
  exits(failed, 5 * kSecond, 3 << 8);
  const auto chains = run(failed);
  EXPECT_ONLY(chains, RuleId::process_failed);
  EXPECT_THAT(chains[0].summary, HasSubstr("exit status 3"));
  for (const int64_t status : {0, 15, 2, 13, 1, 143 << 8, 130 << 8}) {  // the last two: it handled the signal
    Stream stream;
    stream.train(0, 5);
    exits(stream, 5 * kSecond, status);
    EXPECT_THAT(run(stream), IsEmpty()) << status << "\n" << text_of(run(stream));
  }
}

TEST(Ends, ATimerThatEndsAProgramAtWorkIsFoundAndOneThatEndsAnIdleOneIsNot) {
  for (const bool is_idle : {false, true}) {
    Stream stream;
    stream.train(0, 5);
    exits(stream, is_idle ? 8 * kSecond : 5 * kSecond, 14);
    const auto chains = run(stream);
    if (is_idle) {
      EXPECT_THAT(chains, IsEmpty()) << text_of(chains);
    } else {
      EXPECT_ONLY(chains, RuleId::process_crashed);
      EXPECT_THAT(chains[0].root_cause, HasSubstr("signal SIGALRM (14): a timer that it had set ran out"));
    }
  }
}

TEST(Ends, WhoSentTheSignalIsNamedAndAParentThatEndsItsOwnIsMinor) {
  constexpr uint32_t kSender = 70;
  const auto chains_of = [](uint32_t sender, int64_t status) {
    Stream stream;
    stream.train(0, 5);
    Event& exit = exits(stream, 5 * kSecond, status);
    exit.sender_pid = sender;
    std::memcpy(exit.sender_comm.data(), "watchdog", 9);
    exit.set(Has::kSender);
    stream.processes.front().parent_pid = kSender + 1;
    return run(stream);
  };
  auto chains = chains_of(kSender, 9);
  EXPECT_ONLY(chains, RuleId::process_crashed);
  EXPECT_EQ(chains[0].severity, "CRITICAL");
  EXPECT_THAT(chains[0].summary, HasSubstr("was killed: signal SIGKILL (9), which watchdog (pid 70) sent"));
  EXPECT_THAT(chains[0].recommendations, Contains(HasSubstr("why watchdog (pid 70) killed it")));
  chains = chains_of(kSender + 1, 9);
  EXPECT_ONLY(chains, RuleId::process_crashed);
  EXPECT_EQ(chains[0].severity, "LOW");
  EXPECT_THAT(chains[0].summary, HasSubstr("which watchdog (pid 71) sent, its parent"));
  chains = chains_of(kPid, 6);
  EXPECT_ONLY(chains, RuleId::process_crashed);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("it ended itself")) << "abort()";
}

TEST(Ends, TheErrorAmongTheLastCallsOfAProcessThatFailedIsSaid) {
  Stream stream;
  stream.train(0, 5);
  fails(stream.launch(5 * kSecond + kMilli), 12345);
  exits(stream, 5 * kSecond + 2 * kMilli, 256);
  auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::process_failed);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("before). xLaunch returned 12345"));
  Stream null;  // where a pointer is returned, there is no code
  null.train(0, 5);
  hal::Event& none = null.launch(5 * kSecond + kMilli);
  none.failed = true;
  none.clear(Has::kReturnCode);
  exits(null, 5 * kSecond + 2 * kMilli, 256);
  chains = run(null);
  EXPECT_ONLY(chains, RuleId::process_failed);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("before). xLaunch returned nothing (a null pointer)"));
  Stream survived;  // and went on
  survived.train(0, 5);
  fails(survived.launch(kMilli), 12345);
  exits(survived, 5 * kSecond + 2 * kMilli, 256);
  chains = run(survived);
  EXPECT_ONLY(chains, RuleId::process_failed);
  EXPECT_THAT(chains[0].root_cause, Not(HasSubstr("12345")));
}

// With what threads waited for, of the switches at these times.
std::vector<hal::CausalChain> run_with_waits(const Stream& stream, const std::map<uint64_t, hal::Wait>& waits) {
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) {
    engine->add(event);
    const auto known = waits.find(event.start_mono_ns);
    if (event.call == kSwitch && known != waits.end()) engine->add_wait(event, known->second);
  }
  engine->finish();
  return latest(engine->take_changes());
}

TEST(Ends, AProcessWhoseThreadWaitedForALockUntilItsEndHung) {
  constexpr uint64_t kStop = 5 * kSecond, kEnd = kStop + 4 * kSecond;
  constexpr uint32_t kFutexCall = 202, kExitCall = 231, kWatchdog = 199, kOther = 198, kIdle = 197;
  hal::Wait lock;
  lock.kind = hal::WaitKind::kFutex;
  lock.syscall = kFutexCall;
  lock.waker = hal::Waker{kPid, kWatchdog, kExitCall, false, {}};
  Stream stream;
  stream.train(0, 5);
  stream.add(kSwitch, hal::Kind::kHost, kStop, kEnd - kStop, kPid, kTid);
  exits(stream, kEnd + kMilli, 9 << 8);
  const std::map<uint64_t, hal::Wait> for_ever = {{kStart + kStop, lock}};
  const auto chains = run_with_waits(stream, for_ever);
  EXPECT_ONLY(chains, RuleId::process_failed);
  EXPECT_THAT(chains[0].summary, HasSubstr("train (pid 100) waited for a lock for its last 4s: exit status 9"));
  EXPECT_THAT(chains[0].root_cause, HasSubstr("Thread 101, which had made its calls, waited for a lock (futex)"));
  EXPECT_THAT(chains[0].root_cause, Not(HasSubstr("deadlock")));
  // Another thread that waits since then, too; one of a pool that has always been idle is not part of it.
  Stream locked_out = stream;
  locked_out.add(kSwitch, hal::Kind::kHost, kStop + 50 * kMilli, kEnd - kStop - 50 * kMilli, kPid, kOther);
  locked_out.add(kSwitch, hal::Kind::kHost, kSecond, kEnd - kSecond, kPid, kIdle);
  auto waits = for_ever;
  waits[kStart + kStop + 50 * kMilli] = waits[kStart + kSecond] = lock;
  EXPECT_THAT(text_of(run_with_waits(locked_out, waits)), HasSubstr("Thread 198 waited likewise"));
  // In a call it waited for the device.
  Stream inside = stream;
  Event& call = inside.add(kSyncCall, hal::Kind::kSync, kStop - kMilli, kEnd - kStop + kMilli);
  call.outcome = hal::Outcome::kExited;
  EXPECT_THAT(text_of(run_with_waits(inside, for_ever)), Not(HasSubstr("waited for a lock")));
  // A server without requests.
  Stream server = stream;
  server.add(kSwitch, hal::Kind::kHost, kStop - kSecond, kEnd - kStop + kSecond, kPid, kOther);
  waits = for_ever;
  waits[kStart + kStop - kSecond] = lock;
  waits[kStart + kStop - kSecond].kind = hal::WaitKind::kPoll;
  EXPECT_THAT(text_of(run_with_waits(server, waits)), Not(HasSubstr("waited for a lock")));
  // The lock was let go of; a time-out ended the wait; it waited for a socket; or the process ended well.
  const auto expect_no_hang = [&](const Stream& of, auto change) {
    hal::Wait other = lock;
    change(other);
    EXPECT_THAT(text_of(run_with_waits(of, {{kStart + kStop, other}})), Not(HasSubstr("waited for a lock")));
  };
  expect_no_hang(stream, [](hal::Wait& wait) { wait.waker->syscall = wait.syscall; });
  expect_no_hang(stream, [](hal::Wait& wait) { wait.is_timed_out = true; });
  expect_no_hang(stream, [](hal::Wait& wait) { wait.kind = hal::WaitKind::kSocket; });
  stream.events.back().return_code = 0;
  stream.events.back().failed = false;
  expect_no_hang(stream, [](hal::Wait&) {});
}

// A timer, a user or a launcher ends what hangs: that it hung is said where two threads can have locked each other out.
TEST(Ends, AProcessThatWasAskedToEndHungOnlyWhereItsThreadsCanHaveLockedEachOtherOut) {
  constexpr uint64_t kStop = 5 * kSecond, kEnd = kStop + 4 * kSecond, kThen = kStop + 50 * kMilli;
  constexpr uint32_t kLogger = 198;
  hal::Wait lock;
  lock.kind = hal::WaitKind::kFutex;
  lock.syscall = 202;
  lock.object = 4000;
  hal::Wait other = lock;
  other.object = 8000;
  Stream stream;
  stream.train(0, 5);
  stream.add(kSwitch, hal::Kind::kHost, kStop, kEnd - kStop, kPid, kTid);
  stream.add(kSwitch, hal::Kind::kHost, kThen, kEnd - kThen, kPid, kLogger);
  exits(stream, kEnd + kMilli, 14);
  const auto chains = run_with_waits(stream, {{kStart + kStop, lock}, {kStart + kThen, other}});
  EXPECT_ONLY(chains, RuleId::process_crashed);
  EXPECT_THAT(chains[0].summary, HasSubstr("waited for a lock for its last 4s: signal SIGALRM (14)"));
  EXPECT_THAT(chains[0].root_cause, HasSubstr("Thread 198 waited likewise from about the same time on: a deadlock"));
  EXPECT_THAT(run_with_waits(stream, {{kStart + kStop, lock}}), IsEmpty()) << "a queue without work";
  EXPECT_THAT(run_with_waits(stream, {{kStart + kStop, lock}, {kStart + kThen, lock}}), IsEmpty()) << "the same lock";
  for (const hal::WaitKind kind : {hal::WaitKind::kSocket, hal::WaitKind::kPipe, hal::WaitKind::kPoll}) {
    Stream fed = stream;
    fed.add(kSwitch, hal::Kind::kHost, kThen + kMilli, kEnd - kThen - kMilli, kPid, 197);
    hal::Wait input = lock;
    input.kind = kind;
    EXPECT_THAT(
        run_with_waits(fed, {{kStart + kStop, lock}, {kStart + kThen, other}, {kStart + kThen + kMilli, input}}),
        IsEmpty())
        << "its input ended";
  }
  Stream pool = stream;
  pool.add(kLaunchCall, hal::Kind::kLaunch, kStop - kMilli, kMicro, kPid, kLogger).set(Has::kDuration);
  EXPECT_THAT(run_with_waits(pool, {{kStart + kStop, lock}, {kStart + kThen, other}}), IsEmpty()) << "idle workers";
}

TEST(Ends, AWaitThatIsNoLongerThanPausesBeforeIsNoHang) {
  hal::Wait lock;
  lock.kind = hal::WaitKind::kFutex;
  lock.syscall = 202;
  lock.waker = hal::Waker{kPid, 199, 231, false, {}};
  Stream stream;
  stream.train(0, 5);
  stream.train(9 * kSecond, 5);
  stream.add(kSwitch, hal::Kind::kHost, 14 * kSecond, 4 * kSecond, kPid, kTid);
  exits(stream, 18 * kSecond + kMilli, 9 << 8);
  const std::string text = text_of(run_with_waits(stream, {{kStart + 14 * kSecond, lock}}));
  EXPECT_THAT(text, HasSubstr("failed: exit status 9"));
  EXPECT_THAT(text, Not(HasSubstr("waited for a lock")));
}

TEST(Ends, AProgramWithoutGpuCallsMayFail) {
  Stream stream;
  stream.train(0, 8);
  exits(stream, 4 * kSecond, 1 << 8, 900);
  exits(stream, 5 * kSecond, 11, 901);
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

// Process 300, a worker of the main one.
void add_loader(Stream& stream) {
  hal::Process worker;
  worker.pid = 300;
  worker.parent_pid = kPid;
  worker.comm = "loader";
  worker.start_mono_ns = kStart;
  stream.processes.push_back(worker);
}

TEST(Ends, AWorkerThatCrashesIsFoundAndOneThatIsKilledAtItsEndIsNot) {
  Stream stream;
  stream.train(0, 8);
  add_loader(stream);
  Stream killed = stream;
  exits(killed, 4 * kSecond, 9, 300);
  EXPECT_THAT(run(killed), IsEmpty()) << text_of(run(killed));
  exits(stream, 4 * kSecond, 7, 300);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::process_crashed);
  EXPECT_THAT(chains[0].summary, HasSubstr("loader (pid 300) crashed: signal SIGBUS (7)"));
}

TEST(Ends, AKilledWorkerExplainsThatItsParentWaitsAndFails) {
  Stream stream;
  stream.train(0, 5);
  add_loader(stream);
  Stream cleared_up = stream;
  exits(stream, 5 * kSecond + 100 * kMilli, 9, 300);
  exits(stream, 5 * kSecond + 900 * kMilli, 1 << 8);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::process_crashed);
  EXPECT_EQ(chains[0].pid, 300U);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("(pid 100), whose worker it was, made no call in its last"));
  EXPECT_THAT(text_of(chains), HasSubstr("process_failed of pid 100"));
  // One that fails kills its workers then.
  exits(cleared_up, 5 * kSecond + 880 * kMilli, 9, 300);
  exits(cleared_up, 5 * kSecond + 900 * kMilli, 1 << 8);
  EXPECT_ONLY(run(cleared_up), RuleId::process_failed);
}

// It ended by itself, with a status that means failure; its parent had waited for it before.
TEST(Ends, AWorkerThatFailedIsFoundWhereItsParentSleepsFromThenOn) {
  Stream stream;
  stream.train(0, 5);
  add_loader(stream);
  for (uint64_t at = 0; at < 10; ++at) {
    stream.add(kLaunchCall, hal::Kind::kLaunch, at * kSecond + 500 * kMilli, kMicro, 700);
  }
  exits(stream, 4 * kSecond + 900 * kMilli, 1 << 8, 300);
  const auto chains_of = [&](bool has_fed_it) {
    hal::LossLedger ledger;
    const auto engine = engine_for(stream, ledger);
    hal::Wait fed;
    fed.kind = hal::WaitKind::kPipe;
    fed.waker.emplace();
    fed.waker->pid = fed.waker->tid = 300;
    for (const Event& event : sorted(stream.events)) {
      engine->add(event);
      if (has_fed_it && event.call == kSyncCall && event.start_mono_ns < kStart + kSecond) engine->add_wait(event, fed);
    }
    engine->finish();
    return latest(engine->take_changes());
  };
  EXPECT_THAT(chains_of(false), IsEmpty()) << "a helper: " << text_of(chains_of(false));
  const auto chains = chains_of(true);
  EXPECT_ONLY(chains, RuleId::process_failed);
  EXPECT_EQ(chains[0].pid, 300U);
  EXPECT_THAT(chains[0].summary, HasSubstr("exit status 1"));
  EXPECT_THAT(chains[0].summary, HasSubstr("(pid 100), whose worker it was, still runs: it has made no call since"));
}

// Its parent may wait for ever.
TEST(Ends, AKilledWorkerIsFoundWhereItsParentSleepsFromThenOn) {
  Stream stream;
  stream.train(0, 5);
  add_loader(stream);
  Stream long_before = stream, goes_on = stream, is_busy = stream;
  // Others of the machine run on.
  for (Stream* one : {&stream, &long_before, &goes_on, &is_busy}) {
    for (uint64_t at = 0; at < 10; ++at) {
      one->add(kLaunchCall, hal::Kind::kLaunch, at * kSecond + 500 * kMilli, kMicro, 700);
    }
  }
  Event& own_name = stream.add(kSwitch, hal::Kind::kHost, 2 * kSecond, kMilli, 300);
  std::string_view("loader-worker").copy(own_name.comm.data(), own_name.comm.size() - 1);
  exits(stream, 4 * kSecond + 900 * kMilli, 9, 300);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::process_crashed);
  EXPECT_EQ(chains[0].pid, 300U);
  EXPECT_THAT(chains[0].summary, HasSubstr("loader-worker (pid 300) was killed")) << "what it calls itself";
  EXPECT_THAT(
      chains[0].root_cause,
      HasSubstr("(pid 100), whose worker it was, still runs: it has made no call since, and its threads sleep"));

  exits(long_before, 2 * kSecond, 9, 300);
  EXPECT_THAT(run(long_before), IsEmpty()) << text_of(run(long_before));

  exits(goes_on, 4 * kSecond + 900 * kMilli, 9, 300);
  goes_on.train(6 * kSecond, 4);
  EXPECT_THAT(run(goes_on), IsEmpty()) << text_of(run(goes_on));

  // It makes no GPU call, but has something to do.
  exits(is_busy, 4 * kSecond + 900 * kMilli, 9, 300);
  for (uint64_t at = 5000; at < 10000; at += 10) {
    Event& reads = is_busy.add(kSwitch, hal::Kind::kHost, at * kMilli, kMilli);
    reads.off.blocked_ns = kMilli;
    reads.set(Has::kOffCpu);
  }
  EXPECT_THAT(run(is_busy), IsEmpty()) << text_of(run(is_busy));
}

TEST(Ends, OneRankThatDiesExplainsWhatItsPeersGet) {
  Stream stream;
  stream.train(0, 6);
  exits(stream, 4 * kSecond + 50 * kMilli, 6, kPeer);
  exits(stream, 4 * kSecond + 300 * kMilli, 256);
  const auto chains = run_ranks(stream, 2, 41, [](Event& call, uint64_t number, uint32_t rank) {
    if (number == 41 && rank == 0) fails(call, 6);
    if (number == 41 && rank == 1) call.outcome = hal::Outcome::kExited;
  });
  ASSERT_THAT(chains, SizeIs(1)) << text_of(chains);
  EXPECT_EQ(chains[0].rule, rule(RuleId::process_crashed).name) << text_of(chains);
  EXPECT_EQ(chains[0].pid, kPeer);
  EXPECT_THAT(text_of(chains), HasSubstr("fatal_error of pid 100"));
  EXPECT_THAT(text_of(chains), HasSubstr("process_failed of pid 100"));
}

void makes_a_call(Stream& stream, uint32_t pid) {
  stream.add(kLaunchCall, hal::Kind::kLaunch, kSecond, kMicro, pid, pid).set(Has::kDuration);
}

// The main process waits in a collective that its peer has not entered.
hal::CollectiveHang hang_on_peer(uint64_t entered_mono_ns) {
  hal::CollectiveHang hang;
  hang.comm_id_hash = 0xbeef;
  hang.number = 12;
  hang.entered_mono_ns = entered_mono_ns;
  hang.waited_ns = kSecond;
  hang.present = {{0, kPid}};
  hang.missing = {{1, kPeer}};
  return hang;
}

TEST(Ends, AHangOnARankThatIsGoneIsTheEndsEffectAndTakesNoTenSeconds) {
  Stream stream;
  stream.train(0, 6);
  exits(stream, 4 * kSecond + 50 * kMilli, 9, kPeer);
  makes_a_call(stream, kPeer);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  const hal::CollectiveHang hang = hang_on_peer(kStart + 4100 * kMilli);
  bool is_reported = false;
  for (const Event& event : sorted(stream.events)) {
    if (!is_reported && event.start_mono_ns > kStart + 5200 * kMilli) engine->add_hang(hang, "xAllReduce");
    is_reported |= event.start_mono_ns > kStart + 5200 * kMilli;
    engine->add(event);
  }
  engine->advance(kStart + 7 * kSecond);
  const auto chains = latest(engine->take_changes());
  EXPECT_ONLY(chains, RuleId::process_crashed);
  EXPECT_THAT(text_of(chains), HasSubstr("collective_hang: xAllReduce, number 12"));
}

// As when a rank skipped one: it ends well, the others wait in the last, and a launcher kills them.
TEST(Ends, AHangOnARankThatEndedWellComesBeforeTheEndOfThoseThatWait) {
  Stream stream;
  stream.train(0, 5);
  exits(stream, 4 * kSecond + 50 * kMilli, 0, kPeer);
  exits(stream, 5 * kSecond + 900 * kMilli, 9, kPid);
  makes_a_call(stream, kPeer);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  const hal::CollectiveHang hang = hang_on_peer(kStart + 4040 * kMilli);
  engine->add_hang(hang, "xAllReduce");
  for (const Event& event : sorted(stream.events)) engine->add(event);
  engine->advance(kStart + 8 * kSecond);
  const auto chains = latest(engine->take_changes());
  EXPECT_ONLY(chains, RuleId::collective_hang);
  EXPECT_THAT(chains[0].summary, HasSubstr("waiting for rank 1 (pid 200)"));
  EXPECT_THAT(text_of(chains), HasSubstr("process_crashed of pid 100"));
  EXPECT_THAT(chains[0].root_cause,
              HasSubstr("rank 1 (pid 200) has ended with status 0, 10ms after the first of the others"));
  EXPECT_THAT(chains[0].recommendations, ::testing::ElementsAre(HasSubstr("why the missing ranks ended before")));
}

// Longer than what else is known of the rank's process is kept.
TEST(Ends, AHangOnARankThatHasEndedLastsAsLongAsTheOthersWait) {
  Stream stream;
  stream.train(0, 5);
  exits(stream, 4 * kSecond + 50 * kMilli, 0, kPeer);
  stream.add(kCollectCall, hal::Kind::kCollective, kSecond, kMicro, kPeer, kPeer).set(Has::kDuration);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  engine->add_hang(hang_on_peer(kStart + 4040 * kMilli), "xAllReduce");
  for (const Event& event : sorted(stream.events)) engine->add(event);
  engine->advance(kStart + 19 * kSecond);
  hal::CollectiveHang over = hang_on_peer(kStart + 4040 * kMilli);
  over.is_over = true;
  over.waited_ns = 16 * kSecond;
  engine->add_hang(over, "xAllReduce");
  engine->advance(kStart + 25 * kSecond);
  const auto chains = latest(engine->take_changes());
  EXPECT_ONLY(chains, RuleId::collective_hang);
  EXPECT_EQ(chains[0].lost_ns, 16 * kSecond);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("rank 1 (pid 200) has ended with status 0, 10ms after the first"));
}

// Twenty collectives of both ranks on each of two communicators, at the end one more of each rank as `last` says.
std::vector<hal::CausalChain> run_stuck(const Stream& stream, const std::vector<std::pair<uint32_t, uint64_t>>& last,
                                        uint64_t until_ns) {
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  Event event;
  event.call = kCollectCall;
  event.kind = hal::Kind::kCollective;
  const auto arrives = [&](uint32_t pid, uint64_t comm, uint64_t number, uint64_t at_ns) {
    event.pid = event.tid = pid;
    event.start_mono_ns = kStart + at_ns;
    event.stack_id = pid * 7U;
    event.set(Has::kStack);
    engine->add_arrival(event, comm, number, pid == kPid ? 0 : 1);
  };
  for (uint64_t number = 1; number <= 20; ++number) {
    for (const uint64_t comm : {0xaULL, 0xbULL}) {
      for (const uint32_t pid : {kPid, kPeer}) arrives(pid, comm, number, number * 100 * kMilli);
    }
  }
  for (uint64_t i = 0; i < last.size(); ++i) arrives(last[i].first, last[i].second, 21, 2100 * kMilli + i * kMicro);
  for (const Event& one : sorted(stream.events)) engine->add(one);
  engine->advance(kStart + until_ns);
  engine->finish();
  return latest(engine->take_changes());
}

// From 2.2 s on in a synchronisation.
Event& waits_on(Stream& stream, uint32_t pid, hal::Outcome outcome, uint64_t duration_ns) {
  Event& event = stream.add(kSyncCall, hal::Kind::kSync, 2200 * kMilli, duration_ns, pid, pid);
  event.outcome = outcome;
  return event;
}

TEST(Ends, RanksThatWaitForEachOtherOnTwoCommunicatorsAreADeadlock) {
  Stream stream;
  stream.train(0, 2);
  for (const uint32_t pid : {kPid, kPeer}) {
    waits_on(stream, pid, hal::Outcome::kNeverReturned, 0).clear(Has::kDuration);
  }
  const auto chains = run_stuck(stream, {{kPid, 0xa}, {kPeer, 0xb}}, 9 * kSecond);
  EXPECT_ONLY(chains, RuleId::collective_hang);
  EXPECT_EQ(chains[0].severity, "CRITICAL");
  for (const char* part :
       {"number 21 on communicator 000000000000000a: rank 0 (pid 100) waiting for rank 1 (pid 200)",
        "number 21 on communicator 000000000000000b: rank 1 (pid 200) waiting for rank 0 (pid 100)", "deadlock"}) {
    EXPECT_THAT(chains[0].summary, HasSubstr(part));
  }
  EXPECT_THAT(chains[0].summary,
              HasSubstr("enter in opposite orders: rank 0 (pid 100) entered 000000000000000a (xAllReduce, number 21) "
                        "before 000000000000000b, rank 1 (pid 200) entered 000000000000000b (xAllReduce, number 21) "
                        "before 000000000000000a"));
  EXPECT_THAT(chains[0].recommendations[0], HasSubstr("same order"));
  ASSERT_THAT(chains[0].evidence, SizeIs(2));
  EXPECT_EQ(chains[0].evidence[0].pid, kPid);
  EXPECT_EQ(chains[0].evidence[0].stack_hash, kPid * 7U) << "where each of them was";
  EXPECT_EQ(chains[0].evidence[1].pid, kPeer);
  EXPECT_EQ(chains[0].evidence[1].stack_hash, kPeer * 7U);
  EXPECT_THAT(chains[0].evidence[1].detail, HasSubstr("entered number 21 on communicator 000000000000000b"));
  // One of them does something else: it may come yet.
  Stream late;
  late.train(0, 2);
  waits_on(late, kPid, hal::Outcome::kNeverReturned, 0).clear(Has::kDuration);
  const auto none = run_stuck(late, {{kPid, 0xa}}, 9 * kSecond);
  EXPECT_THAT(none, IsEmpty()) << text_of(none);
}

TEST(Ends, RanksThatPutTwoCollectivesInOppositeOrdersAreADeadlock) {
  const auto waiting = [](const std::vector<std::pair<uint32_t, uint64_t>>& last) {
    Stream stream;
    stream.train(0, 2);
    for (const uint32_t pid : {kPid, kPeer}) {
      Event& event = waits_on(stream, pid, hal::Outcome::kNeverReturned, 0);
      event.clear(Has::kDuration);
    }
    return run_stuck(stream, last, 15 * kSecond);
  };
  const std::vector<std::pair<uint32_t, uint64_t>> crossed = {{kPid, 0xa}, {kPid, 0xb}, {kPeer, 0xb}, {kPeer, 0xa}};
  const auto chains = waiting(crossed);
  const hal::CausalChain* chain = find(chains, RuleId::collective_hang);
  ASSERT_NE(chain, nullptr) << text_of(chains);
  EXPECT_THAT(chain->summary,
              HasSubstr("rank 0 (pid 100) entered 000000000000000a (xAllReduce, number 21) before 000000000000000b "
                        "(xAllReduce, number 21), rank 1 (pid 200) the other way round"));
  EXPECT_THAT(chain->recommendations[0], HasSubstr("same order on all ranks"));
  ASSERT_THAT(chain->evidence, SizeIs(4));
  EXPECT_EQ(chain->evidence[2].detail, "rank 1 (pid 200) entered 000000000000000b first");
  EXPECT_EQ(chain->evidence[2].stack_hash, kPeer * 7U);
  const auto same = waiting({{kPid, 0xa}, {kPid, 0xb}, {kPeer, 0xa}, {kPeer, 0xb}});
  EXPECT_EQ(find(same, RuleId::collective_hang), nullptr) << "in one order: they wait for something else";
}

TEST(Ends, AHangComesBeforeTheKillThatItsLauncherAnswersWith) {
  const auto chains_of = [](uint64_t waited_ns) {
    Stream stream;
    stream.train(0, 2);
    waits_on(stream, kPid, hal::Outcome::kExited, waited_ns);
    makes_a_call(stream, kPeer);
    exits(stream, 2200 * kMilli + waited_ns, 9);
    exits(stream, 2250 * kMilli + waited_ns, 9, kPeer);
    return run_stuck(stream, {{kPid, 0xa}}, 9 * kSecond + waited_ns);
  };
  const auto chains = chains_of(5 * kSecond);
  EXPECT_ONLY(chains, RuleId::collective_hang);
  EXPECT_THAT(chains[0].summary, HasSubstr("rank 0 (pid 100) waiting for rank 1 (pid 200), for 5.1s"));
  EXPECT_THAT(text_of(chains), HasSubstr("process_crashed of pid 100"));
  EXPECT_THAT(text_of(chains), HasSubstr("process_crashed of pid 200"));
  EXPECT_THAT(text_of(chains), HasSubstr("was killed: signal SIGKILL (9)"));
  const auto killed = chains_of(300 * kMilli);
  EXPECT_EQ(find(killed, RuleId::collective_hang), nullptr) << "it had waited no longer than usual";
}

TEST(Ends, ARankThatCallsWithAnotherSizeIsNamedAtOnceWithAllSizes) {
  Stream stream;
  stream.train(0, 6);
  const auto chains = run_ranks(stream, 3, 30, [](Event& call, uint64_t number, uint32_t rank) {
    if (number == 25 && rank == 1) call.bytes = 1 << 19;
  });
  EXPECT_ONLY(chains, RuleId::collective_mismatch);
  EXPECT_EQ(chains[0].pid, kPeer);
  EXPECT_THAT(chains[0].summary, HasSubstr("collective 25 of communicator 000000000000beef differs"));
  EXPECT_THAT(chains[0].summary, HasSubstr("rank 0 (pid 100) xAllReduce of 1.05 MB"));
  EXPECT_THAT(chains[0].summary, HasSubstr("rank 1 (pid 200) xAllReduce of 524 kB"));
}

TEST(Ends, ASizeThatIsNotKnownHidesNoOther) {
  Stream stream;
  stream.train(0, 6);
  const auto chains = run_ranks(stream, 4, 30, [](Event& call, uint64_t number, uint32_t rank) {
    if (rank == 0) call.present &= ~(1U << static_cast<unsigned>(Has::kBytes));
    if (number == 25 && rank == 1) call.bytes = 1 << 19;
  });
  EXPECT_ONLY(chains, RuleId::collective_mismatch);
  EXPECT_EQ(chains[0].pid, kPeer);
}

TEST(Ends, ARankBehindThoseThatFitIsNamedAndTheUnlistedOnesAreCounted) {
  Stream stream;
  stream.train(0, 2);
  constexpr uint32_t kRanks = 70, kOdd = 68;
  uint64_t forgotten = 0;
  const auto chains = run_ranks(
      stream, kRanks, 12,
      [](Event& call, uint64_t number, uint32_t rank) {
        if (number == 8 && rank == kOdd) call.bytes = 1 << 19;
      },
      &forgotten);
  EXPECT_ONLY(chains, RuleId::collective_mismatch);
  EXPECT_EQ(chains[0].pid, kPeer + kOdd - 1);
  EXPECT_THAT(chains[0].summary, HasSubstr("rank 0 (pid 100) xAllReduce of 1.05 MB"));
  EXPECT_THAT(chains[0].summary, HasSubstr("rank 68 (pid 267) xAllReduce of 524 kB, and 6 more"));
  EXPECT_EQ(forgotten, 6U);
}

TEST(Ends, RanksThatCallAlikeAreInStep) {
  Stream stream;
  stream.train(0, 6);
  EXPECT_THAT(run_ranks(stream, 3, 30, [](Event& call, uint64_t number, uint32_t) { call.bytes = number * 4096; }),
              IsEmpty());
}

TEST(Ends, LatenessToSeveralCollectivesOfAStepCountsOnce) {
  Stream stream;
  stream.train(0, 10);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) {
    engine->add(event);
    if (event.start_mono_ns % (100 * kMilli) != 0 || event.call != kLaunchCall) continue;
    const uint64_t step = (event.start_mono_ns - kStart) / (100 * kMilli);
    for (uint64_t of_step = 0; of_step < 4; ++of_step) {
      for (uint32_t rank = 0; rank < 2; ++rank) {
        Event arrival = event;
        arrival.call = kCollectCall;
        arrival.pid = rank == 0 ? kPid : kPeer;
        arrival.start_mono_ns += of_step * 10 * kMicro + (rank == 0 ? 30 * kMilli : 0);
        engine->add_arrival(arrival, 0xbeef + of_step % 2, 10 + step * 2 + of_step / 2, static_cast<int32_t>(rank));
      }
    }
  }
  engine->finish();
  const auto chains = latest(engine->take_changes());
  EXPECT_ONLY(chains, RuleId::late_rank);
  EXPECT_EQ(chains[0].pid, kPid);
  const uint64_t late_ns = 100 * 30 * kMilli;  // a hundred steps
  EXPECT_NEAR(static_cast<double>(*chains[0].lost_ns), static_cast<double>(late_ns), 0.02 * late_ns) << text_of(chains);
  EXPECT_THAT(chains[0].summary, HasSubstr("to enter 400 collectives"));
}

TEST(Ends, MemoryThatGrewUntilItWasGoneIsAnOutOfMemory) {
  Stream stream;
  stream.train(0, 14);
  for (uint64_t i = 0; i < 100; ++i) stream.alloc(i * 100 * kMilli + 7 * kMilli, 0x1000 + i * 0x10000000, 32 << 20);
  Event& refused = stream.alloc(10 * kSecond + 500 * kMilli, 0, 64 << 20);
  refused.clear(Has::kAddress);
  fails(refused, 2);
  exits(stream, 10 * kSecond + 600 * kMilli, 256);
  const auto chains = run(stream);
  ASSERT_THAT(chains, SizeIs(1)) << text_of(chains);
  EXPECT_EQ(chains[0].rule, rule(RuleId::device_out_of_memory).name);
  EXPECT_EQ(chains[0].severity, "CRITICAL");  // it ended the process
  EXPECT_THAT(text_of(chains), HasSubstr("process_failed: train (pid 100) failed: exit status 1"));
}

TEST(Ends, APeriodOfALimitIsCountedOnce) {
  Stream stream;
  stream.train(0, 15);
  for (uint64_t i = 0; i < 80; ++i) stream.preempt((5000 + i * 100) * kMilli, 60 * kMilli, 0, "swapper/0");
  for (uint64_t second = 5; second < 13; ++second) {
    hal::Throttling one;
    one.mono_ns = kStart + second * kSecond + 900 * kMilli;
    one.pid = kPid;
    one.path = "/job";
    one.periods = 10;
    one.throttled_ns = 600 * kMilli;
    stream.throttling.push_back(one);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::cgroup_throttling);
  EXPECT_THAT(chains[0].summary, HasSubstr("4.8s lost in 80 periods"));
}

TEST(Ends, SilenceAfterTheWorkIsNoStopWhileTheProcessUploadsOrOnceItHasEnded) {
  Stream stream;
  stream.train(0, 12);
  Stream ended = stream;
  for (uint64_t second = 12; second < 19; ++second) ended.add(kPages, hal::Kind::kHost, second * kSecond, 0);
  exits(ended, 19 * kSecond, 0);
  for (uint64_t second = 20; second < 23; ++second) ended.add(kRead, hal::Kind::kHost, second * kSecond, 0, 900, 900);
  EXPECT_THAT(run(ended), IsEmpty()) << text_of(run(ended));
  Stream uploads = stream;
  for (uint64_t second = 12; second < 19; ++second) uploads.add(kRead, hal::Kind::kHost, second * kSecond, kMilli);
  EXPECT_THAT(run(uploads), IsEmpty()) << text_of(run(uploads));
}

// What the recorder took is not a cause at all: nothing that the program does brings it back.
TEST(Ends, ARemedyNamesNeitherAThreadOfTheKernelNorTheRecorder) {
  for (const std::string name : {"rcu_preempt", "kworker/1:2", "ingero-capture"}) {
    Stream stream;
    stream.train(0, 12);
    for (uint64_t i = 0; i < 100; ++i) stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, 15, name);
    const auto chains = run(stream);
    if (name.starts_with("ingero")) {
      EXPECT_THAT(chains, IsEmpty());
      continue;
    }
    EXPECT_ONLY(chains, RuleId::cpu_preemption);
    for (const std::string& fix : chains[0].recommendations) EXPECT_THAT(fix, Not(HasSubstr("15"))) << name;
  }
}

TEST(Ends, AServerWhoseRequestsTakeTheDeviceLongIsNoSyncStorm) {
  Stream stream;
  for (uint64_t i = 0; i < 500; ++i) {
    stream.launch(i * 20 * kMilli);
    stream.copy(kCopyAsyncCall, i * 20 * kMilli + 50 * kMicro, 100 * kMicro, hal::Direction::kDeviceToHost, 4096);
    stream.sync(i * 20 * kMilli + 200 * kMicro, 19 * kMilli);
  }
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

}  // namespace
}  // namespace ingero::correlate::testing
