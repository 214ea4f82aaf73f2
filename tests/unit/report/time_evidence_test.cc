// What is said of the reason for a budget comes from the part of the recording that is asked about.
#include <cstring>

#include <gmock/gmock.h>

#include "report/time_spent.h"
#include "store/read/reader.h"
#include "store/write/writer.h"
#include "temp_folder.h"

namespace ingero::report {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kWall = 1'795'228'000 * kSecond;
constexpr uint32_t kPid = 4000;

// A minute of a program that was preempted once a second: by "stress" in the first half, by "backup" in the second.
class TimeEvidenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const hal::CallTable calls(std::span<const hal::Backend* const>{});
    hal::LossLedger ledger;
    store::WriterOptions options;
    options.path = folder_.path() + "/run.db";
    options.session.node = "n";
    options.session.cpu_cores = 2;
    auto writer = store::Writer::open(options, calls, ledger);
    ASSERT_TRUE(writer.ok()) << writer.error().text();
    hal::Process process;
    process.pid = kPid;
    process.comm = "python";
    process.settings = "OMP_NUM_THREADS=16 PYTHONMALLOC=pymalloc";
    (*writer)->add_process(process);
    for (uint64_t second = 0; second < 60; ++second) {
      hal::Event event;
      event.call = calls.id_of(hal::HostOp::kSchedSwitch);
      event.kind = hal::Kind::kHost;
      event.pid = event.tid = kPid;
      event.start_mono_ns = (second + 1) * kSecond;
      event.wall_offset_ns = static_cast<int64_t>(kWall);
      event.duration_ns = event.off.preempted_ns = event.preempted_by_ns = kSecond / 10;
      event.set(hal::Has::kDuration);
      event.set(hal::Has::kOffCpu);
      event.set(hal::Has::kPreemptedBy);
      event.preempted_by_pid = second < 30 ? 11 : 22;
      strcpy(event.preempted_by_comm.data(), second < 30 ? "stress" : "backup");
      hal::Wait wait;
      wait.kind = hal::WaitKind::kPreempted;
      ASSERT_TRUE((*writer)->write_wait(event, wait).ok());
    }
    hal::Event stop;
    stop.call = calls.id_of(hal::HostOp::kSchedSwitch);
    stop.kind = hal::Kind::kHost;
    stop.pid = stop.tid = kPid;
    stop.start_mono_ns = 50 * kSecond + kSecond / 2;
    stop.wall_offset_ns = static_cast<int64_t>(kWall);
    stop.duration_ns = stop.off.blocked_ns = kSecond / 10;
    stop.set(hal::Has::kDuration);
    stop.set(hal::Has::kOffCpu);
    hal::Wait wait;
    wait.kind = hal::WaitKind::kStopped;
    wait.waker.emplace();
    wait.waker->pid = wait.waker->tid = 33;
    strcpy(wait.waker->comm.data(), "limiter");
    ASSERT_TRUE((*writer)->write_wait(stop, wait).ok());
    ASSERT_TRUE((*writer)->close().ok());
    auto reader = store::Reader::open(options.path);
    ASSERT_TRUE(reader.ok()) << reader.error().text();
    reader_ = std::move(*reader);
  }

  std::vector<std::string> because(const store::Selection& selection) const {
    std::vector<ProcessTime> times(1);
    times[0].node = "n";
    times[0].budget.pid = times[0].budget.tid = kPid;
    times[0].budget.result.limit = correlate::Limit::kStarvedOfCpu;
    times[0].budget.evaluated.sums.of(correlate::TimeClass::kCpuWait) = {kSecond, kSecond, kSecond};
    add_time_evidence(*reader_, selection, times);
    return times[0].because;
  }

  TempFolder folder_;
  std::unique_ptr<store::Reader> reader_;
};

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

// Of its settings only those whose value slows, on the CPUs that this machine has.
TEST_F(TimeEvidenceTest, ASettingIsNamedForItsValue) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  using ::testing::Not;
  EXPECT_THAT(because({}), Contains(HasSubstr("OMP_NUM_THREADS=16 is set in its environment: more threads than CPUs")));
  EXPECT_THAT(because({}), Not(Contains(HasSubstr("PYTHONMALLOC"))));
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
  other.role = "train";
  EXPECT_EQ(other_text(other, time), "another thread of train (pid 4000)");
  other.pids = {12};
  EXPECT_EQ(other_text(other, time), "train (pid 12)");
  time.blame.push_back({{own}, 10, 10, 10});
  EXPECT_THAT(remedy_of(time), HasSubstr("move this work off the thread that submits"));
}

}  // namespace
}  // namespace ingero::report
