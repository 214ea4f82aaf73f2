// Threads that may run on few CPUs and wait for those, while others of the machine are idle.
#include "engine_stream.h"

namespace ingero::correlate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr uint32_t kOther = 900;

std::string with_remedies(const hal::CausalChain& chain) {
  std::string text = chain.summary + " | " + chain.root_cause;
  for (const std::string& fix : chain.recommendations) text += " | " + fix;
  return text;
}

// Two ranks of a job, one of which had the other's CPU.
Stream ranks() {
  Stream stream;
  stream.train(0, 12);
  hal::Process other = stream.processes[0];
  other.pid = kOther;
  other.start_mono_ns += kMilli;
  stream.processes[0].rank = 0;
  other.rank = 1;
  stream.processes[0].launcher_job = other.launcher_job = "job-7";
  stream.processes.push_back(other);
  for (uint64_t i = 0; i < 12; ++i) {
    stream.add(kLaunchCall, hal::Kind::kLaunch, i * kSecond + kMilli, kMicro, kOther);
  }
  for (uint64_t i = 0; i < 100; ++i) stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, kOther, "train");
  return stream;
}

TEST(AffinityRules, RanksThatMayUseFewCpusHaveThemNamed) {
  Stream stream = ranks();
  stream.allow(6 * kSecond, kPid, "2", 3);
  stream.allow(6 * kSecond, kOther, "2", 2);
  stream.busy(30);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::oversubscription);
  EXPECT_THAT(chains[0].summary, AllOf(HasSubstr("2 ranks share 1 CPU that they may use"),
                                       HasSubstr("it may run on CPU 2 only, 1 of the machine's 4")));
  EXPECT_THAT(chains[0].root_cause,
              AllOf(HasSubstr("Its CPU affinity allows CPU 2 only"), HasSubstr("which it shares with train (pid 900)"),
                    HasSubstr("5 threads waited for a CPU, while the machine's CPUs were 30% busy")));
  ASSERT_THAT(chains[0].recommendations, Not(IsEmpty()));
  EXPECT_THAT(chains[0].recommendations[0],
              AllOf(HasSubstr(fmt::format("taskset -acp 0-3 {}", kPid)), HasSubstr("CPUs of its own")));
  EXPECT_THAT(with_remedies(chains[0]), Not(HasSubstr("Run fewer ranks"))) << "the machine has CPUs for both";
}

TEST(AffinityRules, RanksThatSleepForTheirDevicesAreNotAdvisedTo) {
  Stream sleeping = ranks(), spinning = sleeping;
  for (hal::Event& event : spinning.events) event.off.blocked_ns = 0;
  const auto chains = run(sleeping), others = run(spinning);
  EXPECT_ONLY(chains, RuleId::oversubscription);
  EXPECT_ONLY(others, RuleId::oversubscription);
  EXPECT_THAT(with_remedies(chains[0]), Not(HasSubstr("instead of spin")));
  EXPECT_THAT(with_remedies(others[0]), HasSubstr("instead of spin"));
}

TEST(AffinityRules, RanksOnCpusOfTheirOwnShareNone) {
  Stream stream = ranks();
  stream.allow(6 * kSecond, kPid, "2", 3);
  stream.allow(6 * kSecond, kOther, "3", 2);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::oversubscription);
  EXPECT_THAT(chains[0].summary, AllOf(Not(HasSubstr("ranks share")), HasSubstr("it may run on CPU 2 only")));
  EXPECT_THAT(chains[0].root_cause, AllOf(Not(HasSubstr("shares with")), HasSubstr("3 threads waited")));
}

TEST(AffinityRules, WhereAllCpusAreBusyAWiderSetIsNoRemedy) {
  Stream stream = ranks();
  stream.allow(6 * kSecond, kPid, "2", 3);
  stream.allow(6 * kSecond, kOther, "2", 2);
  stream.busy(97);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::oversubscription);
  EXPECT_THAT(chains[0].summary, HasSubstr("2 ranks share 1 CPU that they may use"));
  EXPECT_THAT(with_remedies(chains[0]), Not(HasSubstr("affinity")));
}

// Its own threads keep each other from it, however busy the others are.
TEST(AffinityRules, AProgramWhoseThreadsShareOneCpuHasThatNamed) {
  for (const uint32_t threads : {3U, 1U}) {
    Stream stream;
    stream.train(0, 12);
    for (uint64_t i = 0; i < 100; ++i) stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, kPid, "pool-7");
    stream.allow(6 * kSecond, kPid, "2", threads);
    stream.busy(97);
    const auto chains = run(stream);
    EXPECT_ONLY(chains, RuleId::oversubscription);
    if (threads == 1) {
      EXPECT_THAT(with_remedies(chains[0]), Not(HasSubstr("affinity")));
      continue;
    }
    EXPECT_THAT(chains[0].summary, HasSubstr("it may run on CPU 2 only, 1 of the machine's 4"));
    EXPECT_THAT(chains[0].root_cause, AllOf(HasSubstr("3 threads waited for a CPU"), Not(HasSubstr("97% busy"))));
    EXPECT_THAT(chains[0].recommendations[0], HasSubstr(fmt::format("taskset -acp 0-3 {}", kPid)));
  }
}

TEST(AffinityRules, WhoMayRunAnywhereIsNotConfined) {
  Stream stream = ranks();
  stream.allow(6 * kSecond, kPid, "0-3", 3);
  stream.allow(6 * kSecond, kOther, "2", 2);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::oversubscription);
  EXPECT_THAT(chains[0].summary, HasSubstr("2 ranks share 4 CPUs"));
  EXPECT_THAT(with_remedies(chains[0]), Not(HasSubstr("affinity")));
}

TEST(AffinityRules, APinnedProgramThatDoesNotWaitIsNotAccused) {
  Stream stream;
  stream.train(0, 12);
  stream.allow(6 * kSecond, kPid, "2", 1);
  EXPECT_THAT(run(stream), IsEmpty());
}

// A stranger that had the only CPU is named, and that the others were free.
TEST(AffinityRules, ANeighbourOnTheOnlyCpuIsNamedAndTheAffinityToo) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 100; ++i) stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, 777, "stress");
  stream.allow(6 * kSecond, kPid, "2", 1);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::cpu_preemption);
  EXPECT_THAT(chains[0].summary, AllOf(HasSubstr("to stress"), HasSubstr("it may run on CPU 2 only")));
  EXPECT_THAT(chains[0].recommendations[0], HasSubstr("taskset -acp 0-3"));
}

TEST(AffinityRules, WhatIsSaidOfAFormerProcessOfTheNumberIsNotIts) {
  Stream stream = ranks();
  stream.processes[0].start_mono_ns = kStart - kMilli;
  stream.allow(0, kPid, "2", 3);
  stream.affinities.back().mono_ns = kStart - 2 * kMilli;
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::oversubscription);
  EXPECT_THAT(with_remedies(chains[0]), Not(HasSubstr("affinity")));
}

// Three workers on one CPU: the process waits for them, and hardly for a CPU itself.
Stream workers() {
  Stream stream;
  for (uint32_t pid = 201; pid <= 203; ++pid) {
    hal::Process worker;
    worker.pid = pid;
    worker.parent_pid = kPid;
    worker.start_mono_ns = kStart - kMilli;
    worker.comm = "loader";
    stream.processes.push_back(worker);
  }
  stream.train(0, 3);
  for (uint64_t i = 0; i < 10; ++i) {
    Event& asleep = stream.add(kSwitch, hal::Kind::kHost, 3 * kSecond + i * kSecond, 900 * kMilli);
    asleep.off.blocked_ns = 900 * kMilli;
    asleep.set(Has::kOffCpu);
    stream.launch(3 * kSecond + i * kSecond + 950 * kMilli);
    for (uint32_t pid = 201; pid <= 203; ++pid) {
      for (uint64_t k = 0; k < 10; ++k) {
        stream.preempt(3 * kSecond + i * kSecond + k * 100 * kMilli, 66 * kMilli, 201 + (pid - 200) % 3, "loader", pid);
      }
    }
  }
  return stream;
}

TEST(AffinityRules, WorkersThatShareACpuAreNamed) {
  Stream stream = workers();
  EXPECT_THAT(find(run(stream), RuleId::dataloader_starvation), ::testing::IsNull())
      << "workers that wait for CPUs may still be quick enough";
  for (uint32_t pid = 201; pid <= 203; ++pid) stream.allow(4 * kSecond, pid, "1", 1);
  stream.busy(40);
  const auto chains = run(stream);
  const hal::CausalChain* chain = find(chains, RuleId::dataloader_starvation);
  ASSERT_NE(chain, nullptr) << text_of(chains);
  EXPECT_THAT(chain->summary, HasSubstr("they may run on CPU 1 only, 1 of the machine's 4"));
  EXPECT_THAT(chain->root_cause, AllOf(HasSubstr("The CPU affinity of its workers allows CPU 1 only"),
                                       HasSubstr("3 threads waited for a CPU")));
  EXPECT_THAT(chain->recommendations[0], HasSubstr("taskset -acp 0-3 201"));
}

}  // namespace
}  // namespace ingero::correlate::testing
