// The engine as a whole: deterministic in any batching, silent when all is well, one chain for one cause.
#include "engine_stream.h"

namespace ingero::correlate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Training, with a competitor on its CPU from second 5 to 8.
Stream contended() {
  Stream stream;
  stream.train(0, 15);
  for (uint64_t i = 0; i < 150; ++i) stream.preempt((5000 + i * 20) * kMilli, 9 * kMilli, 999, "stress-ng");
  return stream;
}

TEST(Engine, AHealthyStreamIsSilent) {
  Stream stream;
  stream.train(0, 20);
  // The noise of a busy machine: preemptions of a millisecond, a late reader, one slow call.
  for (uint64_t i = 0; i < 200; ++i) stream.preempt(i * 100 * kMilli, kMilli, 7, "kworker/0:1");
  stream.launch(7 * kSecond, 30 * kMilli);
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

TEST(Engine, ACompetitorIsNamedWithWhatItTook) {
  const auto chains = run(contended());
  ASSERT_THAT(chains, SizeIs(1)) << text_of(chains);
  const hal::CausalChain& chain = chains[0];
  EXPECT_EQ(chain.rule, "cpu_preemption");
  EXPECT_EQ(chain.severity, "HIGH");
  EXPECT_EQ(chain.grade, "measured");
  EXPECT_EQ(chain.lost_ns, 150 * 9 * kMilli);
  EXPECT_EQ(chain.onset_wall_ns, kWallOffset + kStart + 5 * kSecond);
  EXPECT_THAT(chain.root_cause, HasSubstr("stress-ng (pid 999) 1.35s"));
  EXPECT_TRUE(chain.resolved);
  EXPECT_EQ(chain.pid, kPid);
}

// A program that has made a call once has no usual one to hold it against.
TEST(Engine, OnlyOfSomeCallsOneIsTheUsual) {
  for (const int calls : {1, 4, 5, 50}) {
    Stream stream;
    for (int i = 0; i < calls; ++i) stream.launch(kSecond + static_cast<uint64_t>(i) * kMilli, kMilli / 2);
    stream.events.back().duration_ns = 2 * kSecond;
    for (uint64_t i = 0; i < 150; ++i) stream.preempt(2 * kSecond + i * 10 * kMilli, 9 * kMilli, 999, "stress-ng");
    Event& slow = stream.events[static_cast<size_t>(calls) - 1];
    slow.off.preempted_ns = 150 * 9 * kMilli;
    Stream::blame(slow, 999, 150 * 9 * kMilli, "stress-ng");
    const auto chains = run(stream);
    ASSERT_THAT(chains, SizeIs(1)) << text_of(chains);
    EXPECT_THAT(chains[0].root_cause, HasSubstr("its slowest")) << calls;
    EXPECT_EQ(chains[0].root_cause.find("usually") != std::string::npos, calls >= 5) << chains[0].root_cause;
  }
}

TEST(Engine, ChainsAreTheSameInAnyBatchSize) {
  const Stream stream = contended();
  const std::string expected = text_of(run(stream));
  const auto events = sorted(stream.events);
  std::mt19937 random(42);
  for (int round = 0; round < 20; ++round) {
    hal::LossLedger ledger;
    const auto engine = engine_for(stream, ledger);
    std::vector<hal::CausalChain> changes;
    for (size_t at = 0; at < events.size();) {
      const size_t end = std::min(events.size(), at + 1 + random() % (round < 10 ? 50 : 5000));
      for (; at < end; ++at) engine->add(events[at]);
      // A live engine also gets the time that has come.
      if (round % 2 == 0) engine->advance(events[at - 1].end_mono_ns());
      for (hal::CausalChain& chain : engine->take_changes()) changes.push_back(std::move(chain));
    }
    engine->finish();
    for (hal::CausalChain& chain : engine->take_changes()) changes.push_back(std::move(chain));
    EXPECT_EQ(text_of(latest(changes)), expected) << "round " << round;
  }
}

// (E2)
TEST(Engine, OrderWithinTheLatenessDecidesNothing) {
  const Stream stream = contended();
  const std::string expected = text_of(run(stream));
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    auto events = sorted(stream.events);
    // Two rings drained in turn: within a tenth of a second anything may come first.
    std::vector<std::pair<uint64_t, size_t>> keys;
    for (size_t i = 0; i < events.size(); ++i)
      keys.emplace_back(events[i].end_mono_ns() + random() % (100 * kMilli), i);
    std::sort(keys.begin(), keys.end());
    hal::LossLedger ledger;
    const auto engine = engine_for(stream, ledger);
    for (const auto& [key, index] : keys) engine->add(events[index]);
    engine->finish();
    EXPECT_EQ(text_of(latest(engine->take_changes())), expected) << "round " << round;
    EXPECT_EQ(ledger.count(hal::Loss::engine_late), 0U);
  }
}

// A thread's number goes to another process's within a window, and the threads that are old are forgotten before the
// window closes.
TEST(Engine, AThreadThatIsForgottenTakesItsOpenWindowsAlong) {
  Stream stream;
  constexpr uint32_t kOther = 900, kReused = 901;
  const uint64_t forgetting = (30 - kStart / kSecond % 30) * kSecond;  // the start of a window in which they are
  for (uint64_t i = 0; i < 200; ++i) stream.launch(i * 200 * kMilli);
  stream.add(kSwitch, hal::Kind::kHost, forgetting + kSecond + 50 * kMilli, kMilli, kPid, kReused);
  stream.add(kSwitch, hal::Kind::kHost, forgetting + kSecond + 60 * kMilli, kMilli, kOther, kReused);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) engine->add(event);
  engine->finish();
  EXPECT_EQ(engine->examined().events, stream.events.size());
}

TEST(Engine, WhatComesTooLateIsCounted) {
  Stream stream;
  stream.train(0, 10);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) engine->add(event);
  engine->add(stream.events.front());
  EXPECT_EQ(ledger.count(hal::Loss::engine_late), 1U);
  EXPECT_EQ(engine->examined().late, 1U);
}

// (E1) A competitor whose whole second comes after its window was closed accuses no one.
TEST(Engine, WhatComesAfterItsWindowWasClosedIsCountedAndFoundInNothing) {
  Stream stream, competitor;
  stream.train(0, 15);
  for (uint64_t i = 0; i < 150; ++i) competitor.preempt((5000 + i * 20) * kMilli, 9 * kMilli, 999, "stress-ng");
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) engine->add(event);
  for (const Event& event : competitor.events) engine->add(event);
  engine->finish();
  EXPECT_THAT(engine->take_changes(), IsEmpty());
  EXPECT_EQ(ledger.count(hal::Loss::engine_late), 150U);
}

// Training, with a competitor for three seconds from each of `seconds` on.
Stream contended_at(std::initializer_list<uint64_t> seconds, uint64_t took_ns = 9 * kMilli, uint32_t pid = 999) {
  Stream stream;
  stream.train(0, 30);
  for (const uint64_t second : seconds) {
    for (uint64_t i = 0; i < 150; ++i) stream.preempt(second * kSecond + i * 20 * kMilli, took_ns, pid, "stress-ng");
  }
  return stream;
}

// (E3)
TEST(Engine, AChainsIdIsOfItsFamilyProcessSubjectAndOnsetAlone) {
  const auto id_of = [](const Stream& stream) {
    const auto chains = run(stream);
    EXPECT_THAT(chains, SizeIs(1)) << text_of(chains);
    return chains.empty() ? std::string() : chains[0].id;
  };
  const std::string id = id_of(contended_at({5}));
  EXPECT_EQ(id_of(contended_at({5}, 12 * kMilli)), id) << "however much was lost";
  EXPECT_EQ(id_of(contended_at({5}, 9 * kMilli, 888)), id) << "and to whom";
  Stream with_more = contended_at({5});
  for (uint64_t i = 0; i < 1500; ++i) with_more.add(kLaunchCall, hal::Kind::kLaunch, i * 20 * kMilli, kMicro, 55, 55);
  EXPECT_EQ(id_of(with_more), id) << "whatever else ran";
  EXPECT_NE(id_of(contended_at({7})), id);
  Stream of_another = contended_at({5});
  of_another.processes[0].pid = 200;
  for (Event& event : of_another.events) event.pid = 200;
  EXPECT_NE(id_of(of_another), id);
  Stream graphs;
  graphs.train(0, 40);
  for (const uint64_t handle : {7, 8}) {
    Event& made = graphs.add(kInstantiateCall, hal::Kind::kGraph, kSecond + handle * kMilli, kMilli);
    made.handle = handle;
    made.set(Has::kHandle);
  }
  const auto never_launched = run(graphs);
  ASSERT_THAT(never_launched, SizeIs(2)) << text_of(never_launched);
  EXPECT_NE(never_launched[0].id, never_launched[1].id) << "two graphs of one process, in one second";
}

// (E4)
TEST(Engine, AnIncidentIsOverAfterFiveQuietSecondsAndNotBefore) {
  // The rule looks at three seconds at once: found last in the one that begins at 9, over when five more have passed.
  for (uint64_t second = 8; second < 20; ++second) {
    const auto chains = run(contended_at({5, second}));
    EXPECT_THAT(chains, SizeIs(second <= 9 + kQuiet ? 1 : 2)) << second << "\n" << text_of(chains);
    for (const hal::CausalChain& chain : chains) EXPECT_TRUE(chain.resolved);
  }
  const auto at_the_end = run(contended_at({27}));
  ASSERT_THAT(at_the_end, SizeIs(1)) << text_of(at_the_end);
  EXPECT_FALSE(at_the_end[0].resolved) << "the recording ended first";
}

TEST(Engine, WhatIsReportedAheadOfTheCallsMakesNoneOfThemLate) {
  const Stream stream = contended();
  const std::string expected = text_of(run(stream));
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  // Calls are read some seconds after they were made, and what was counted meanwhile comes first.
  const auto events = sorted(stream.events);
  Event counted = events.back();
  counted.call = kPages;
  counted.kind = hal::Kind::kHost;
  counted.present = 0;
  counted.start_mono_ns = events.back().end_mono_ns();
  counted.duration_ns = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    if (i == 100) engine->add(counted);
    engine->add(events[i]);
  }
  engine->finish();
  EXPECT_EQ(text_of(latest(engine->take_changes())), expected);
  EXPECT_EQ(ledger.count(hal::Loss::engine_late), 0U);
}

TEST(Engine, HostileTimesNeitherHangNorCrash) {
  Stream stream;
  stream.train(0, 2);
  stream.add(kLaunchCall, hal::Kind::kLaunch, 3 * kSecond, ~uint64_t{0} - kStart);
  stream.events.back().start_mono_ns = ~uint64_t{0} - 5;
  stream.add(kLaunchCall, hal::Kind::kLaunch, 3 * kSecond, uint64_t{1} << 62);
  stream.add(kLaunchCall, hal::Kind::kLaunch, uint64_t{1} << 61, 5);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : stream.events) engine->add(event);
  engine->finish();
  EXPECT_GE(ledger.count(hal::Loss::engine_late), 1U);
}

TEST(Engine, ACallThatNeverReturnsIsTheSameLiveAndReplayed) {
  // Live it is fed twice: in flight, then ended. A recording holds the end alone, at the row of the first.
  const auto chains_of = [](bool live) {
    Stream stream;
    stream.train(0, 3);
    stream.train(16 * kSecond, 12);
    auto events = sorted(stream.events);
    Event hung = stream.sync(3500 * kMilli, 12 * kSecond);
    hal::LossLedger ledger;
    const auto engine = engine_for(stream, ledger);
    bool reported = false;
    for (const Event& event : events) {
      if (!reported && event.start_mono_ns > kStart + 10 * kSecond) {
        reported = true;
        Event first = hung;
        if (live) {
          first.outcome = hal::Outcome::kInFlight;
          first.clear(Has::kDuration);
        }
        engine->add(first);
        if (live) {
          engine->advance(kStart + 14 * kSecond);
          engine->add(hung);
        }
      }
      engine->add(event);
    }
    engine->finish();
    return latest(engine->take_changes());
  };
  const auto live = chains_of(true);
  const hal::CausalChain* chain = find(live, RuleId::never_returned);
  ASSERT_NE(chain, nullptr) << text_of(live);
  EXPECT_EQ(chain->onset_wall_ns, kWallOffset + kStart + 3500 * kMilli);
  EXPECT_THAT(chain->summary, HasSubstr("xStreamSync"));
  EXPECT_EQ(text_of(live), text_of(chains_of(false)));
}

// A process that trains, and one call of another of its threads that begins at 3.5 s.
std::vector<hal::CausalChain> with_one_long(Call call, hal::Kind kind, uint64_t duration_ns, uint64_t quick_seconds = 3,
                                            std::optional<uint64_t> slow_once_ns = {}) {
  Stream stream;
  stream.train((3 - quick_seconds) * kSecond, quick_seconds);
  if (slow_once_ns) stream.add(call, kind, kSecond, *slow_once_ns).tid = 78;
  stream.train(3 * kSecond, 9);
  stream.add(call, kind, 3500 * kMilli, duration_ns).tid = 77;
  return run(stream);
}

TEST(Engine, ALaunchThatAlwaysWasQuickIsStuckBeforeAWaitIs) {
  const auto chains = with_one_long(kLaunchCall, hal::Kind::kLaunch, 4 * kSecond);
  const hal::CausalChain* chain = find(chains, RuleId::never_returned);
  ASSERT_NE(chain, nullptr) << text_of(chains);
  EXPECT_EQ(chain->onset_wall_ns, kWallOffset + kStart + 3500 * kMilli);
  EXPECT_THAT(chain->summary, HasSubstr("took 4s")) << "it has returned";
  EXPECT_EQ(chain->severity, "MEDIUM");
  EXPECT_EQ(find(with_one_long(kSyncCall, hal::Kind::kSync, 4 * kSecond), RuleId::never_returned), nullptr)
      << "a wait for the device may take seconds";
  EXPECT_EQ(find(with_one_long(kLaunchCall, hal::Kind::kLaunch, 2 * kSecond), RuleId::never_returned), nullptr);
  EXPECT_EQ(find(with_one_long(kLaunchCall, hal::Kind::kLaunch, 4 * kSecond, 3, 900 * kMilli), RuleId::never_returned),
            nullptr)
      << "it was not always quick: modules are loaded in launches";
}

TEST(Engine, ACallSeenInFlightThatReturnsSoonDoesNotHang) {
  Stream stream;
  stream.train(0, 3);
  stream.train(6 * kSecond, 20);
  Event waits = stream.sync(3500 * kMilli, 2 * kSecond);
  waits.tid = 77;
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  Event first = waits;
  first.outcome = hal::Outcome::kInFlight;  // a short --hang-after reported it
  first.clear(Has::kDuration);
  bool reported = false;
  for (const Event& event : sorted(stream.events)) {
    if (!reported && event.start_mono_ns > kStart + 6 * kSecond) {
      reported = true;
      engine->add(first);
      engine->add(waits);
    }
    if (event.start_mono_ns != waits.start_mono_ns) engine->add(event);
  }
  engine->finish();
  const auto chains = latest(engine->take_changes());
  EXPECT_EQ(find(chains, RuleId::never_returned), nullptr) << text_of(chains);
}

}  // namespace
}  // namespace ingero::correlate::testing
