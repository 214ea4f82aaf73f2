// Which processes are asked for their CPUs, how often, and what of that is news.
#include "agent/affinity_watch.h"

#include <map>

#include <gmock/gmock.h>

namespace ingero::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AffinityWatchTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kSecond = 1'000'000'000, kMilli = 1'000'000;
  std::vector<hal::Affinity> after(uint64_t second, const std::vector<CpuWait>& waits) {
    EventBatch batch;
    watch.every_second(waits, second * kSecond, batch);
    return batch.affinities;
  }
  static std::vector<std::string> cpus_of(const std::vector<hal::Affinity>& found) {
    std::vector<std::string> cpus;
    for (const hal::Affinity& one : found) cpus.push_back(one.cpus.text());
    return cpus;
  }

  std::map<uint32_t, std::string> allowed;  // by tid; others have ended
  std::vector<uint32_t> asked;
  AffinityWatch watch{{[this](uint32_t tid) -> Result<hal::CpuList> {
                         asked.push_back(tid);
                         const auto its = allowed.find(tid);
                         if (its == allowed.end()) return Error(Errc::kNotFound, "no such thread");
                         return *hal::CpuList::parse(its->second);
                       },
                       [] { return std::string("0-7\n"); }}};
};

TEST_F(AffinityWatchTest, AProcessThatWaitsForACpuIsAskedForThem) {
  allowed = {{100, "0-1"}, {101, "0-1"}, {102, "0-7"}, {200, "3"}};
  const auto found =
      after(10, {{100, 100, 400 * kMilli}, {100, 101, 300 * kMilli}, {100, 102, 100 * kMilli}, {200, 200, 5 * kMilli}});
  ASSERT_THAT(found, SizeIs(1)) << "5 ms of a second are little";
  EXPECT_EQ(found[0].pid, 100U);
  EXPECT_EQ(found[0].mono_ns, 10 * kSecond);
  EXPECT_EQ(found[0].cpus.text(), "0-1") << "of those with most of the wait";
  EXPECT_EQ(found[0].threads, 2U);
  EXPECT_EQ(found[0].online.count(), 8U);
}

TEST_F(AffinityWatchTest, AgainAfterSomeSecondsAndReportedWhenItIsNews) {
  allowed = {{100, "0-1"}, {101, "0-1"}};
  EXPECT_THAT(after(10, {{100, 100, kSecond}}), SizeIs(1));
  EXPECT_THAT(after(11, {{100, 100, kSecond}}), IsEmpty());
  EXPECT_THAT(asked, ElementsAre(100U)) << "not every second";
  EXPECT_THAT(after(15, {{100, 100, kSecond}}), IsEmpty()) << "the same";
  EXPECT_THAT(after(20, {{100, 100, kSecond}, {100, 101, kSecond}}), SizeIs(1)) << "more threads wait";
  EXPECT_THAT(after(25, {{100, 100, kSecond}}), IsEmpty()) << "fewer do";
  allowed[100] = "0-7";
  EXPECT_THAT(cpus_of(after(30, {{100, 100, kSecond}})), ElementsAre("0-7"));
  watch.process_ended(100);
  EXPECT_THAT(cpus_of(after(31, {{100, 100, kSecond}})), ElementsAre("0-7")) << "another process of that number";
}

TEST_F(AffinityWatchTest, HowMuchIsAskedForInASecondIsBounded) {
  std::vector<CpuWait> waits;
  for (uint32_t pid = 1; pid <= 100; ++pid) {
    for (uint32_t i = 0; i < 100; ++i) {
      waits.push_back({pid, pid * 1000 + i, kSecond / 2 + pid});
      allowed[pid * 1000 + i] = "0";
    }
  }
  EXPECT_THAT(after(10, waits), SizeIs(AffinityWatch::kMaxProcesses));
  EXPECT_THAT(asked, SizeIs(AffinityWatch::kMaxProcesses * AffinityWatch::kMaxThreads));
  EXPECT_EQ(asked[0] / 1000, 100U) << "who waits longest first";
  asked.clear();
  EXPECT_THAT(after(11, waits), SizeIs(AffinityWatch::kMaxProcesses));
  EXPECT_EQ(asked[0] / 1000, 84U) << "then the next";
}

TEST_F(AffinityWatchTest, ThreadsThatHaveEndedSayNothing) { EXPECT_THAT(after(10, {{100, 100, kSecond}}), IsEmpty()); }

}  // namespace
}  // namespace ingero::agent
