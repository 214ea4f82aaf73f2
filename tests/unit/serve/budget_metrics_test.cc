// Seconds and steps of threads become counters of their process; what is beyond the cap adds up, what ended leaves.
#include "serve/metrics/budget_metrics.h"

#include <gtest/gtest.h>

#include "serve/metrics/call_metrics.h"

namespace ingero::serve::metrics {
namespace {

using correlate::BudgetSecond;
using correlate::BudgetStep;
using hal::TimeClass;

BudgetSecond second_of(uint32_t pid, TimeClass is, correlate::ClassTime time) {
  BudgetSecond second;
  second.pid = second.tid = pid;
  second.sums.of(is) = time;
  return second;
}

BudgetStep step_of(uint32_t pid, uint64_t length_ns) {
  BudgetStep step;
  step.pid = step.tid = pid;
  step.start_ns = 1000;
  step.end_ns = 1000 + length_ns;
  return step;
}

std::string text_of(const BudgetMetrics& metrics) {
  MetricSet page;
  metrics.write(page);
  return page.text();
}

bool has(const std::string& text, const std::string& line) { return text.find(line + "\n") != std::string::npos; }

TEST(BudgetMetricsTest, ThreadsOfAProcessAddUpByClassWithWhatWasLost) {
  BudgetMetrics metrics;
  metrics.add(second_of(7, TimeClass::kPipe, {600'000'000, 400'000'000, 500'000'000}));
  BudgetSecond other_thread = second_of(7, TimeClass::kPipe, {400'000'000, 100'000'000, 250'000'000});
  other_thread.tid = 8;
  other_thread.sums.of(TimeClass::kDeviceWait) = {250'000'000, 0, 0};
  metrics.add(other_thread);
  const std::string text = text_of(metrics);
  EXPECT_TRUE(has(text, R"(ingero_thread_time_seconds_total{class="pipe",pid="7"} 1)")) << text;
  EXPECT_TRUE(has(text, R"(ingero_thread_time_lost_seconds_total{bound="low",class="pipe",pid="7"} 0.5)")) << text;
  EXPECT_TRUE(has(text, R"(ingero_thread_time_lost_seconds_total{bound="high",class="pipe",pid="7"} 0.75)")) << text;
  EXPECT_TRUE(has(text, R"(ingero_thread_time_seconds_total{class="device_wait",pid="7"} 0.25)")) << text;
  EXPECT_EQ(text.find(R"(bound="low",class="device_wait")"), std::string::npos) << "nothing of it was lost: " << text;
  EXPECT_EQ(text.find("ingero_steps_total"), std::string::npos) << "there were no steps: " << text;
}

TEST(BudgetMetricsTest, SlowStepsAreCountedApart) {
  BudgetMetrics metrics;
  metrics.add(step_of(7, 500'000'000), false);
  metrics.add(step_of(7, 500'000'000), false);
  metrics.add(step_of(7, 2'000'000'000), true);
  const std::string text = text_of(metrics);
  EXPECT_TRUE(has(text, R"(ingero_steps_total{pid="7",slow="false"} 2)")) << text;
  EXPECT_TRUE(has(text, R"(ingero_step_seconds_total{pid="7",slow="false"} 1)")) << text;
  EXPECT_TRUE(has(text, R"(ingero_steps_total{pid="7",slow="true"} 1)")) << text;
  EXPECT_TRUE(has(text, R"(ingero_step_seconds_total{pid="7",slow="true"} 2)")) << text;
}

TEST(BudgetMetricsTest, AtTheLimitTheOneLeastRecentlyHeardIsFolded) {
  BudgetMetrics metrics;
  const auto processes = static_cast<uint32_t>(BudgetMetrics::kMaxProcesses);
  for (uint32_t pid = 1; pid <= processes + 2; ++pid) {
    metrics.add(second_of(pid, TimeClass::kHost, {1'000'000'000, 0, 0}));
    metrics.add(second_of(1, TimeClass::kHost, {1'000'000'000, 0, 0}));  // heard of all the time
  }
  const std::string text = text_of(metrics);
  EXPECT_NE(text.find(R"({class="host",pid="1"})"), std::string::npos) << text;
  EXPECT_EQ(text.find(R"({class="host",pid="2"})"), std::string::npos) << text;
  EXPECT_EQ(text.find(R"({class="host",pid="3"})"), std::string::npos) << text;
  EXPECT_TRUE(has(text, R"(ingero_thread_time_seconds_total{class="host",pid="other"} 2)")) << text;
}

TEST(BudgetMetricsTest, AProcessThatEndedStaysForItsLastSecondsAndThenLeaves) {
  BudgetMetrics metrics;
  metrics.add(second_of(7, TimeClass::kHost, {1'000'000'000, 0, 0}));
  metrics.process_ended(7, 10);
  metrics.add(second_of(7, TimeClass::kHost, {500'000'000, 0, 0}));  // seconds come late
  metrics.forget_ended(9 + CallMetrics::kEndedKeptNs);
  EXPECT_TRUE(has(text_of(metrics), R"(ingero_thread_time_seconds_total{class="host",pid="7"} 1.5)"));
  metrics.forget_ended(10 + CallMetrics::kEndedKeptNs);
  EXPECT_EQ(text_of(metrics).find("pid=\"7\""), std::string::npos);
}

}  // namespace
}  // namespace ingero::serve::metrics
