// Where the time went: rows of steps, seconds and causes as they were given, and the views over them.
#include <gmock/gmock.h>

#include "recording.h"

namespace ingero::store::testing {
namespace {

using hal::TimeClass;
using ::testing::ElementsAre;

class BudgetRowsTest : public RecordingTest {};

StoredTimes times() {
  StoredTimes times;
  times.classes[static_cast<size_t>(TimeClass::kDeviceWait)] = {30'000'000, 0, 0};
  times.classes[static_cast<size_t>(TimeClass::kPipe)] = {46'000'000, 45'000'000, 46'000'000};
  times.idle_low = 45'500'000;
  times.idle_high = 47'000'000;
  times.syncs = 2;
  times.submissions = 9;
  return times;
}

TEST_F(BudgetRowsTest, StepsAndCausesComeBackThroughTheirViews) {
  open();
  write({event_of("cudaLaunchKernel", 1000, 5000)});
  writer->add_cause({1, 0, TimeClass::kPipe, "train", "100", "", 0, false});
  writer->add_cause({2, 1, TimeClass::kSocket, "worker", "120,121", "10.0.0.9:9000", 77, true});
  StoredStep step;
  step.pid = 100;
  step.tid = 101;
  step.number = 412;
  step.start_wall_ns = kMono + kOffset;
  step.start_mono_ns = kMono;
  step.duration_ns = 260'000'000;
  step.is_slow = true;
  step.usual_ns = 31'000'000;
  step.slow_class = TimeClass::kPipe;
  step.more_ns = 229'000'000;
  step.cause = 2;
  step.times = times();
  writer->add_step_times(step);
  writer->add_second_times({100, 101, kMono + kOffset, kMono, times()});
  writer->add_share({100, 101, kMono + kOffset, 412, 2, 3, 46'000'000, 45'000'000, 46'000'000});
  close();
  EXPECT_THAT(rows(*read(),
                   "SELECT pid, tid, number, duration_ns, is_usual, is_slow, usual_ns, slow_class, more_ns, cause, "
                   "idle_low, idle_high, syncs, submissions FROM steps"),
              ElementsAre("100|101|412|260000000|0|1|31000000|pipe|229000000|2|45500000|47000000|2|9"));
  EXPECT_THAT(rows(*read(), "SELECT number, class, ns, low, high FROM step_classes ORDER BY class"),
              ElementsAre("412|device_wait|30000000|0|0", "412|pipe|46000000|45000000|46000000"));
  EXPECT_THAT(rows(*read(), "SELECT pid, class, ns, low, high FROM budget ORDER BY class"),
              ElementsAre("100|device_wait|30000000|0|0", "100|pipe|46000000|45000000|46000000"));
  EXPECT_THAT(rows(*read(), "SELECT step, path, times, ns, low, high FROM blame"),
              ElementsAre("412|train: pipe <- worker: socket 10.0.0.9:9000|3|46000000|45000000|46000000"));
}

TEST_F(BudgetRowsTest, CausesOfALaterSessionFollowThoseThatAreThere) {
  for (int session = 0; session < 2; ++session) {
    open();
    write({event_of("cudaLaunchKernel", 1000, 5000)});
    writer->add_cause({1, 0, TimeClass::kFutex, "train", "100", "", 0, false});
    writer->add_share({100, 101, kMono + kOffset, std::nullopt, 1, 1, 5, 5, 5});
    close();
  }
  EXPECT_THAT(rows(*read(), "SELECT id, class FROM causes ORDER BY id"), ElementsAre("1|futex", "2|futex"));
  EXPECT_THAT(rows(*read(), "SELECT cause FROM cause_rows ORDER BY id"), ElementsAre("1", "2"));
}

}  // namespace
}  // namespace ingero::store::testing
