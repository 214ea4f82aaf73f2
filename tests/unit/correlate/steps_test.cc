// What is a step, when it begins, and what was put into it.
#include "correlate/steps.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

using hal::Event;
using hal::Has;
using hal::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Named {
  std::string name;
  Kind kind;
  bool synchronising = false;
};
const std::vector<Named>& names() {
  static const std::vector<Named> kNames = {
      {"launch", Kind::kLaunch},
      {"GraphLaunch", Kind::kGraph},
      {"copy", Kind::kMemcpy},
      {"copyAndWait", Kind::kMemcpy, true},
      {"set", Kind::kMemset},
      {"collect", Kind::kCollective},
      {"StreamSynchronize", Kind::kSync, true},
      {"DeviceSynchronize", Kind::kSync, true},
      {"EventSynchronize", Kind::kSync, true},
      {"EventRecord", Kind::kEvent},
      {"StreamWaitEvent", Kind::kEvent},
      {"EventQuery", Kind::kEvent},
      {"StreamQuery", Kind::kStream},
      {"StreamCreate", Kind::kStream},
      {"StreamBeginCapture", Kind::kGraph},
      {"StreamEndCapture", Kind::kGraph},
      {"malloc", Kind::kAlloc},
  };
  return kNames;
}

class StepsTest : public ::testing::Test {
 protected:
  StepsTest() {
    for (size_t id = 0; id < names().size(); ++id) {
      const Named& one = names()[id];
      steps.set_call(static_cast<hal::CallId>(id),
                     make_facts(one.name, one.name, "L", "v", one.kind, one.synchronising));
    }
  }
  // A call that begins now; time goes on by what it takes.
  Event call(std::string_view name, uint64_t takes_ns = 10'000, uint32_t tid = kPid) {
    Event event;
    for (size_t id = 0; id < names().size(); ++id) {
      if (names()[id].name == name) event.call = static_cast<hal::CallId>(id);
    }
    EXPECT_NE(event.call, hal::kNoCall) << name;
    event.kind = names()[event.call].kind;
    event.pid = kPid;
    event.tid = tid;
    event.start_mono_ns = now;
    event.duration_ns = takes_ns;
    event.set(Has::kDuration);
    event.set(Has::kReturnCode);
    now += takes_ns;
    return event;
  }
  static Event on(Event event, uint64_t stream) {
    event.stream = stream;
    event.set(Has::kStream);
    return event;
  }
  static Event with(Event event, uint64_t handle) {
    event.handle = handle;
    event.set(Has::kHandle);
    return event;
  }
  static Event of(Event event, uint64_t bytes) {
    event.bytes = bytes;
    event.set(Has::kBytes);
    return event;
  }
  std::vector<InferenceStep> after(const Event& event) {
    steps.add(event);
    return steps.take_steps();
  }
  // The only step that a synchronisation of `stream` ends.
  InferenceStep sync(uint64_t stream, uint64_t takes_ns = 5 * kMs, uint32_t tid = kPid) {
    const auto reported = after(on(call("StreamSynchronize", takes_ns, tid), stream));
    EXPECT_THAT(reported, SizeIs(1));
    return reported.empty() ? InferenceStep() : reported.front();
  }

  hal::LossLedger ledger;
  Steps steps{ledger};
  uint64_t now = kSecond;
};

TEST_F(StepsTest, AStepIsTheWorkThatASynchronisationWaitsFor) {
  const uint64_t begin = now;
  steps.add(of(on(call("copy"), 7), 4096));
  for (int i = 0; i < 3; ++i) steps.add(on(call("launch"), 7));
  steps.add(on(with(call("GraphLaunch"), 9), 7));
  steps.add(on(call("set"), 7));
  steps.add(on(call("collect"), 7));
  steps.add(call("malloc"));
  const InferenceStep step = sync(7);
  EXPECT_EQ(step.start_mono_ns, begin);
  EXPECT_EQ(step.end_mono_ns, now);
  EXPECT_EQ(step.duration_ns(), now - begin);
  EXPECT_EQ(step.wait_ns, 5 * kMs);
  EXPECT_EQ(step.stream, 7U);
  EXPECT_EQ(step.launches, 3U);
  EXPECT_EQ(step.graph_launches, 1U);
  EXPECT_EQ(step.copies, 1U);
  EXPECT_EQ(step.copied_bytes, 4096U);
  EXPECT_EQ(step.sets, 1U);
  EXPECT_EQ(step.collectives, 1U);
  EXPECT_EQ(step.mean_gap_ns, 10'000U);
}

TEST_F(StepsTest, TimeBetweenRequestsIsNoPartOfAStep) {
  steps.add(on(call("launch"), 7));
  sync(7);
  now += 9 * kSecond;
  const uint64_t begin = now;
  steps.add(on(call("launch"), 7));
  const InferenceStep step = sync(7);
  EXPECT_EQ(step.start_mono_ns, begin);
  EXPECT_EQ(step.idle_ns, 0U);
  EXPECT_EQ(step.duration_ns(), 5 * kMs + 10'000);
}

// (S2)
TEST_F(StepsTest, WorkLeftOverBeforeAPauseDoesNotMakeTheNextStepLong) {
  steps.add(on(call("launch"), 7));
  sync(7);
  steps.add(on(call("set"), 7));  // cleared for the next request, which comes late
  now += 3 * kSecond;
  steps.add(on(call("launch"), 7));
  const InferenceStep step = sync(7);
  EXPECT_EQ(step.idle_ns, 3 * kSecond);
  EXPECT_EQ(step.duration_ns(), 5 * kMs + 20'000);
  // And a pause before the synchronisation.
  steps.add(on(call("launch"), 7));
  now += 2 * kSecond;
  EXPECT_EQ(sync(7).duration_ns(), 5 * kMs + 10'000);
  // Shorter ones are the program's own slowness.
  steps.add(on(call("launch"), 7));
  now += 100 * kMs;
  EXPECT_EQ(sync(7).duration_ns(), 105 * kMs + 10'000);
}

TEST_F(StepsTest, ASynchronisationWithoutWorkIsNoStep) {
  EXPECT_THAT(after(on(call("StreamSynchronize"), 7)), IsEmpty());
  EXPECT_THAT(after(call("DeviceSynchronize")), IsEmpty());
  steps.add(on(call("launch"), 7));
  EXPECT_THAT(after(on(call("StreamSynchronize"), 8)), IsEmpty());
  sync(7);
  EXPECT_THAT(after(on(call("StreamSynchronize"), 7)), IsEmpty());
}

TEST_F(StepsTest, CallsInsideCallsAndFailedOnesAreNotCounted) {
  steps.add(on(call("launch"), 7));
  Event nested = on(call("launch"), 7);
  nested.depth = 1;
  nested.set(Has::kParent);
  steps.add(nested);
  Event failed = on(call("launch"), 7);
  failed.failed = true;
  failed.return_code = 700;
  steps.add(failed);
  Event unfinished = on(call("launch"), 7);
  unfinished.outcome = hal::Outcome::kInFlight;
  steps.add(unfinished);
  Event inner = on(call("StreamSynchronize"), 7);
  inner.depth = 1;
  EXPECT_THAT(after(inner), IsEmpty());
  Event refused = on(call("StreamSynchronize"), 7);
  refused.failed = true;
  EXPECT_THAT(after(refused), IsEmpty());
  EXPECT_EQ(sync(7).launches, 1U);
}

TEST_F(StepsTest, AMarkerCoversTheWorkBeforeIt) {
  steps.add(on(call("launch"), 7));
  steps.add(on(with(call("EventRecord"), 55), 7));
  // The next one is launched before the first is waited for.
  steps.add(on(call("launch"), 7));
  steps.add(on(call("launch"), 7));
  steps.add(on(with(call("EventRecord"), 56), 7));
  const auto first = after(with(call("EventSynchronize", 8 * kMs), 55));
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].launches, 1U);
  EXPECT_EQ(first[0].stream, 7U);
  const uint64_t first_end = now;
  const auto second = after(with(call("EventSynchronize", 6 * kMs), 56));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].launches, 2U);
  // The device was busy with the first until it ended.
  EXPECT_EQ(second[0].start_mono_ns, first_end);
  EXPECT_EQ(second[0].duration_ns(), 6 * kMs);
  EXPECT_THAT(after(with(call("EventSynchronize"), 55)), IsEmpty());
  EXPECT_THAT(after(with(call("EventSynchronize"), 99)), IsEmpty()) << "a marker nobody saw recorded";
}

TEST_F(StepsTest, AStreamThatWaitsForAnotherCarriesItsWork) {
  for (int i = 0; i < 5; ++i) steps.add(on(call("launch"), 7));
  steps.add(on(with(call("EventRecord"), 55), 7));
  steps.add(on(with(call("StreamWaitEvent"), 55), 8));
  steps.add(of(on(call("copy"), 8), 64));
  const InferenceStep step = sync(8);
  EXPECT_EQ(step.launches, 5U);
  EXPECT_EQ(step.copies, 1U);
  EXPECT_EQ(step.stream, 8U);
  EXPECT_THAT(after(on(call("StreamSynchronize"), 7)), IsEmpty()) << "its work is done";
}

TEST_F(StepsTest, ADeviceIsAllOfItsStreams) {
  steps.add(on(call("launch"), 7));
  auto reported = after(call("DeviceSynchronize"));
  ASSERT_THAT(reported, SizeIs(1));
  EXPECT_EQ(reported[0].stream, 7U);
  steps.add(on(call("launch"), 7));
  steps.add(on(call("launch"), 8));
  reported = after(call("DeviceSynchronize"));
  ASSERT_THAT(reported, SizeIs(1));
  EXPECT_EQ(reported[0].stream, std::nullopt);
  EXPECT_EQ(reported[0].launches, 2U);
  // Another device's streams are not waited for.
  Event here = on(call("launch"), 7), there = on(call("launch"), 8), wait = call("DeviceSynchronize");
  here.device_ref = wait.device_ref = 1;
  there.device_ref = 2;
  steps.add(here);
  steps.add(there);
  reported = after(wait);
  ASSERT_THAT(reported, SizeIs(1));
  EXPECT_EQ(reported[0].stream, 7U);
  EXPECT_EQ(sync(8).launches, 1U);
}

TEST_F(StepsTest, ACopyToTheHostThatWaitsEndsAStep) {
  steps.add(on(call("launch"), 0));
  Event there = of(call("copyAndWait"), 8);
  there.direction = hal::Direction::kHostToDevice;
  there.set(Has::kDirection);
  EXPECT_THAT(after(there), IsEmpty());
  Event back = of(call("copyAndWait", 3 * kMs), 8);
  back.direction = hal::Direction::kDeviceToHost;
  back.set(Has::kDirection);
  const auto reported = after(back);
  ASSERT_THAT(reported, SizeIs(1));
  EXPECT_EQ(reported[0].launches, 1U);
  EXPECT_EQ(reported[0].copies, 2U);
  EXPECT_EQ(reported[0].wait_ns, 3 * kMs);
}

TEST_F(StepsTest, AQueryThatSaysDoneEndsAStepAndOneThatDoesNotDoesNot) {
  steps.add(on(call("launch"), 7));
  Event not_ready = on(call("StreamQuery"), 7);
  not_ready.return_code = 600;
  EXPECT_THAT(after(not_ready), IsEmpty());
  EXPECT_THAT(after(on(call("StreamQuery"), 7)), SizeIs(1));
  // Of an event: allocators ask for their own in the middle of things.
  steps.add(on(call("launch"), 7));
  steps.add(on(with(call("EventRecord"), 55), 7));
  EXPECT_THAT(after(with(call("EventQuery"), 55)), IsEmpty());
}

TEST_F(StepsTest, CallsKeptForAGraphAreNotWork) {
  steps.add(on(call("StreamBeginCapture"), 7));
  for (int i = 0; i < 40; ++i) steps.add(on(call("launch"), 7));
  steps.add(on(with(call("EventRecord"), 55), 7));
  steps.add(on(with(call("StreamWaitEvent"), 55), 8));
  steps.add(on(call("launch"), 8));
  steps.add(on(call("StreamEndCapture"), 7));
  steps.add(on(call("launch"), 8));
  steps.add(on(with(call("GraphLaunch"), 3), 7));
  EXPECT_EQ(sync(7).launches, 0U);
  EXPECT_EQ(sync(8).launches, 1U);
}

TEST_F(StepsTest, EachThreadHasItsOwnDefaultStreamWhereTheCallSaysSo) {
  steps.set_probe(3, true);
  Event mine = call("launch"), others = call("launch", 10'000, kPid + 1);
  mine.probe = others.probe = 3;
  steps.add(mine);
  steps.add(others);
  Event wait = call("StreamSynchronize");
  wait.probe = 3;
  const auto reported = after(on(wait, 0));
  ASSERT_THAT(reported, SizeIs(1));
  EXPECT_EQ(reported[0].launches, 1U);
  EXPECT_EQ(reported[0].stream, Steps::kPerThreadStream);
  // Named outright, it is the same one.
  EXPECT_EQ(sync(Steps::kPerThreadStream, kMs, kPid + 1).launches, 1U);
  // The default stream of old is everybody's.
  steps.add(call("launch"));
  steps.add(on(call("launch", 10'000, kPid + 1), Steps::kLegacyStream));
  EXPECT_EQ(sync(0).launches, 2U);
}

TEST_F(StepsTest, APidUsedAgainIsAnotherProcess) {
  hal::Process process;
  process.pid = kPid;
  process.start_mono_ns = kSecond;
  steps.add(on(call("launch"), 7));
  steps.add_process(process);
  process.start_mono_ns += 5 * kMs;  // the same, as /proc counts
  steps.add_process(process);
  steps.add(on(call("launch"), 7));
  process.start_mono_ns = 60 * kSecond;
  steps.add_process(process);
  EXPECT_THAT(after(on(call("StreamSynchronize"), 7)), IsEmpty());
}

// (S1)
TEST_F(StepsTest, HowEventsAreCutIntoBatchesDecidesNothing) {
  std::vector<Event> events;
  for (uint64_t i = 0; i < 200; ++i) {
    const uint64_t stream = 7 + i * i % 3;
    events.push_back(on(call("launch"), stream));
    if (i % 5 == 0) events.push_back(on(with(call("EventRecord"), 50 + i % 2), stream));
    if (i % 5 == 2) events.push_back(on(with(call("StreamWaitEvent"), 50 + i % 2), stream));
    if (i % 7 == 3) events.push_back(with(call("EventSynchronize", 2 * kMs), 50 + i % 2));
    if (i % 11 == 4) events.push_back(on(call("StreamSynchronize", kMs), stream));
    if (i % 40 == 39) now += 2 * kSecond;
  }
  const auto cut = [&](size_t size) {
    Steps some(ledger);
    for (size_t id = 0; id < names().size(); ++id) {
      const Named& one = names()[id];
      some.set_call(static_cast<hal::CallId>(id),
                    make_facts(one.name, one.name, "L", "v", one.kind, one.synchronising));
    }
    std::vector<std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, std::optional<uint64_t>>> found;
    for (size_t i = 0; i < events.size(); ++i) {
      some.add(events[i]);
      if ((i + 1) % size != 0 && i + 1 != events.size()) continue;
      for (const InferenceStep& step : some.take_steps()) {
        found.emplace_back(step.start_mono_ns, step.end_mono_ns, step.idle_ns, step.launches, step.stream);
      }
    }
    return found;
  };
  const auto whole = cut(events.size());
  EXPECT_GT(whole.size(), 20U);
  for (const size_t size : {1, 2, 3, 17}) EXPECT_EQ(cut(size), whole) << size;
}

// (S3)
TEST_F(StepsTest, MemoryStaysBounded) {
  for (uint64_t i = 0; i < 10 * Steps::kMaxParts; ++i) {
    steps.add(on(call("launch", 100), 7));
    steps.add(on(with(call("EventRecord", 100), i), 7));
  }
  const InferenceStep step = sync(7);
  EXPECT_EQ(step.launches, 10 * Steps::kMaxParts) << "parts are put together, not lost";
  EXPECT_EQ(step.mean_gap_ns, 200U);
  for (uint64_t i = 0; i < Steps::kMaxStreams + 10; ++i) steps.add(on(call("launch", 100), 1000 + i));
  EXPECT_EQ(ledger.count(hal::Loss::step_forgotten), 11U);  // stream 7 is one of them
  for (uint32_t i = 0; i < Steps::kMaxProcesses; ++i) {
    Event event = on(call("launch", 100), 7);
    event.pid = 1000 + i;
    steps.add(event);
  }
  EXPECT_EQ(ledger.count(hal::Loss::step_forgotten), 12U) << "the process met first made room";
}

TEST_F(StepsTest, TheSameFunctionsFoldToTheSameWhateverTheOrder) {
  const auto fold = [&](std::vector<uint64_t> functions) {
    for (const uint64_t function : functions) {
      Event event = on(call("launch"), 7);
      event.function = function;
      event.set(Has::kFunction);
      steps.add(event);
    }
    return sync(7).functions;
  };
  EXPECT_EQ(fold({1, 2, 3}), fold({3, 2, 1}));
  EXPECT_NE(fold({1, 2, 3}), fold({1, 2, 2}));
}

}  // namespace
}  // namespace ingero::correlate::testing
