// A recording of a program that waited for CPUs, for tests of what is said of the reason.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/time_spent.h"
#include "store/read/reader.h"
#include "store/write/writer.h"
#include "temp_folder.h"
#include "unit/store/recording.h"

namespace ingero::report::testing {

inline constexpr uint64_t kSecond = 1'000'000'000, kWall = 1'795'228'000 * kSecond;
inline constexpr uint32_t kPid = 4000;

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
      event.preempted_by_pid = who(second);
      strcpy(event.preempted_by_comm.data(), event.preempted_by_pid == 11 ? "stress" : "backup");
      hal::Wait wait;
      wait.kind = hal::WaitKind::kPreempted;
      shape(event);
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
    add_more(**writer);
    ASSERT_TRUE((*writer)->close().ok());
    auto reader = store::Reader::open(options.path);
    ASSERT_TRUE(reader.ok()) << reader.error().text();
    reader_ = std::move(*reader);
  }

  virtual void add_more(store::Writer& /*writer*/) {}
  virtual void shape(hal::Event& /*event*/) {}
  virtual uint32_t who(uint64_t second) const { return second < 30 ? 11 : 22; }
  std::vector<std::string> because(const store::Selection& selection, uint64_t from_ns = 0, uint64_t to_ns = 0) const {
    std::vector<ProcessTime> times(1);
    times[0].node = "n";
    times[0].budget.pid = times[0].budget.tid = kPid;
    times[0].budget.start_ns = from_ns;
    times[0].budget.end_ns = to_ns;
    times[0].budget.result.limit = correlate::Limit::kStarvedOfCpu;
    times[0].budget.evaluated.sums.of(correlate::TimeClass::kCpuWait) = {kSecond, kSecond, kSecond};
    add_time_evidence(*reader_, selection, times);
    return times[0].because;
  }

  TempFolder folder_;
  std::unique_ptr<store::Reader> reader_;
};

}  // namespace ingero::report::testing
