// What the engine keeps of processes and threads: those that have ended go, those that only a report named stay.
#include "correlate/rules.h"
#include "correlate/window.h"
#include "engine_stream.h"

namespace ingero::correlate::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

hal::Process process_at(uint32_t pid, uint64_t at_ns, std::string_view comm = "short") {
  hal::Process process;
  process.pid = pid;
  process.start_mono_ns = kStart + at_ns;
  process.comm = comm;
  return process;
}

// A program of 20 ms: calls, then its end.
void live(Engine& engine, Stream& stream, uint32_t pid, uint64_t at_ns) {
  engine.add_process(process_at(pid, at_ns));
  for (uint64_t i = 0; i < 10; ++i) {
    engine.add(stream.add(kLaunchCall, hal::Kind::kLaunch, at_ns + i * kMilli, 5 * kMicro, pid, pid));
  }
  engine.add(stream.add(kExit, hal::Kind::kHost, at_ns + 19 * kMilli, 0, pid, pid));
}

TEST(EngineMemory, ProcessesThatHaveEndedAreForgottenInSeconds) {
  Stream stream;
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  constexpr uint64_t kPrograms = 5000, kEach = 20 * kMilli;
  size_t most = 0;
  for (uint64_t i = 0; i < kPrograms; ++i) {
    stream.events.clear();
    live(*engine, stream, static_cast<uint32_t>(1000 + i), i * kEach);
    most = std::max(most, engine->known_processes());
  }
  // 50 end in a second, and are needed for the windows that rules look at.
  EXPECT_LT(most, 50 * 10U);
  EXPECT_EQ(engine->examined().processes, kPrograms + stream.processes.size());
  EXPECT_EQ(ledger.count(hal::Loss::engine_forgotten), 0U);
  engine->finish();
  EXPECT_THAT(latest(engine->take_changes()), IsEmpty());
}

TEST(EngineMemory, AProcessIsEvaluatedAfterItsEndAsLongAsItMatters) {
  // The program that took the CPU has ended when the window is evaluated, and so has the one that it was taken from.
  Stream stream;
  for (uint64_t i = 0; i < 100; ++i) stream.launch(10 * i * kMilli, 5 * kMicro);
  for (uint64_t i = 0; i < 40; ++i) stream.preempt((100 + i * 20) * kMilli, 15 * kMilli, 999, "stress-ng");
  stream.add(kExit, hal::Kind::kHost, 999 * kMilli, 0, kPid, kPid);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) engine->add(event);
  engine->advance(kStart + 60 * kSecond);
  const auto chains = latest(engine->take_changes());
  ASSERT_THAT(chains, SizeIs(1)) << text_of(chains);
  EXPECT_EQ(chains[0].rule, "cpu_preemption");
  EXPECT_EQ(chains[0].process, "train");
  EXPECT_TRUE(chains[0].resolved);
  EXPECT_EQ(engine->known_processes(), 0U);
}

// A fork is reported as /proc has it, to the tick; the program it runs as the kernel side has it, which ended
// meanwhile.
TEST(EngineMemory, AProcessThatRunsAnotherProgramAndEndsAtOnceIsOne) {
  Stream stream;
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  constexpr uint32_t kPrograms = 1000, kReused = 5000;
  for (uint32_t i = 0; i < kPrograms; ++i) {
    const uint64_t at_ns = i * 25 * kMilli;
    hal::Process reported = process_at(1000 + i, at_ns, "caller");
    engine->add_process(reported);
    reported.start_mono_ns += 7 * kMilli;
    engine->add_process(reported);
    engine->add(stream.add(kExit, hal::Kind::kHost, at_ns + 15 * kMilli, 0, 1000 + i, 1000 + i));
    // The end of this one is lost, its number used again.
    engine->add_process(process_at(kReused, at_ns));
    engine->advance(kStart + at_ns + 15 * kMilli);
  }
  EXPECT_EQ(engine->examined().processes, 2 * kPrograms + stream.processes.size());
  EXPECT_EQ(engine->examined().active, kPrograms) << "of those that were only announced nothing was examined";
  EXPECT_LT(engine->known_processes(), 2 * 50 * 10U);
}

TEST(EngineMemory, ANeighbourThatWasReportedOnceIsStillOneMuchLater) {
  Stream stream;
  stream.processes[0].container_id = "ours";
  hal::Process neighbour = process_at(999, 0, "batch");
  neighbour.container_id = "theirs";
  stream.processes.push_back(neighbour);
  stream.train(0, 95);
  for (uint64_t i = 0; i < 150; ++i) stream.preempt((90'000 + i * 20) * kMilli, 9 * kMilli, 999, "batch");
  const auto chains = run(stream);
  ASSERT_THAT(chains, SizeIs(1)) << text_of(chains);
  EXPECT_EQ(chains[0].rule, "noisy_neighbour") << text_of(chains);
}

// (E5)
TEST(EngineMemory, PastTheLimitThoseSilentLongestGoAndAreCounted) {
  Stream stream;
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  constexpr uint32_t kMore = 100;
  for (uint32_t i = 0; i < Engine::kMaxProcesses + kMore; ++i) {
    engine->add(stream.add(kLaunchCall, hal::Kind::kLaunch, i * kMilli, kMicro, 1000 + i, 1000 + i));
  }
  engine->advance(kStart + 20 * kSecond);
  EXPECT_EQ(engine->known_processes(), Engine::kMaxProcesses);
  EXPECT_GE(ledger.count(hal::Loss::engine_forgotten), kMore);
}

// (E5) Evidence of a recording without off-CPU shares; no other needs it.
TEST(EngineMemory, IntervalsOfAWindowThatDoNotFitAreCounted) {
  constexpr uint64_t kMore = 5;
  for (const bool windowed : {true, false}) {
    Stream stream;
    stream.windowed = windowed;
    for (uint64_t i = 0; i < kMaxIntervals + kMore; ++i) {
      stream.add(kSwitch, hal::Kind::kHost, i * 200 * kMicro, 100 * kMicro);
      stream.add(kRead, hal::Kind::kHost, i * 200 * kMicro, 100 * kMicro);
    }
    for (uint64_t i = 0; i < kMore; ++i) {
      stream.add(kSwitch, hal::Kind::kHost, i * 200 * kMicro, 100 * kMicro, kPid, kTid + 1);
    }
    hal::LossLedger ledger;
    const auto engine = engine_for(stream, ledger);
    for (const Event& event : sorted(stream.events)) engine->add(event);
    engine->finish();
    // Of the first thread, of the process's requests, and of the process's threads together.
    EXPECT_EQ(ledger.count(hal::Loss::engine_forgotten), windowed ? 3 * kMore : 0U);
  }
}

TEST(EngineMemory, TheIntervalsOfAllWindowsThatRulesLookAtFit) {
  ProcessWindow window, sum;
  for (uint64_t i = 0; i < kMaxIntervals; ++i) {
    window.off.emplace_back(i * 2, i * 2 + 1);
    window.io.emplace_back(i * 2, i * 2 + 1);
  }
  for (uint64_t i = 0; i < kTrailing + 1; ++i) sum.add(window);
  EXPECT_THAT(sum.off, SizeIs(kTrailing * kMaxIntervals));
  EXPECT_THAT(sum.io, SizeIs(kTrailing * kMaxIntervals));
}

}  // namespace
}  // namespace ingero::correlate::testing
