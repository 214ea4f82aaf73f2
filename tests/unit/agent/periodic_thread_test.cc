// A thread that works at an interval ends when asked, says when it is stuck, and is never left behind.
#include "agent/periodic_thread.h"

#include <atomic>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace ingero::agent {
namespace {

using namespace std::chrono_literals;

std::chrono::steady_clock::time_point in(std::chrono::nanoseconds time) {
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
}

TEST(PeriodicThread, WorksAtOnceThenAtItsIntervalAndALastTime) {
  std::atomic<int> calls{0};
  PeriodicThread thread(1h, [&] { ++calls; });
  while (calls == 0) std::this_thread::yield();
  thread.request_stop();
  EXPECT_TRUE(thread.join_until(in(30s)));
  EXPECT_EQ(calls, 2);
  std::atomic<int> often{0};
  PeriodicThread quick(1ms, [&] { ++often; });
  while (often < 5) std::this_thread::yield();
}

// A driver that does not answer: the owner gets on with its own end, and the thread still has all that it uses.
TEST(PeriodicThread, OneThatIsStuckIsReportedAndNotLeftBehind) {
  std::promise<void> driver;
  const auto answers = driver.get_future().share();
  const auto used = std::make_shared<std::atomic<int>>(0);
  std::atomic<bool> is_inside{false};
  auto thread = std::make_unique<PeriodicThread>(1h, [&, used] {
    is_inside = true;
    answers.wait();
    ++*used;
  });
  while (!is_inside) std::this_thread::yield();
  thread->request_stop();
  EXPECT_FALSE(thread->join_until(in(20ms)));
  EXPECT_FALSE(thread->join_until(in(0ms)));
  EXPECT_EQ(*used, 0);
  driver.set_value();
  EXPECT_TRUE(thread->join_until(in(30s)));
  EXPECT_EQ(*used, 2);  // the call that was stuck, and the last one
  EXPECT_EQ(used.use_count(), 2);
  thread.reset();
  EXPECT_EQ(used.use_count(), 1) << "its thread is gone, and what it used";
}

TEST(PeriodicThread, DestroyingItWaitsForItsWork) {
  std::atomic<int> finished{0};
  {
    std::atomic<bool> is_inside{false};
    PeriodicThread thread(1h, [&] {
      is_inside = true;
      std::this_thread::sleep_for(20ms);
      ++finished;
    });
    while (!is_inside) std::this_thread::yield();
  }
  EXPECT_EQ(finished, 2);
}

}  // namespace
}  // namespace ingero::agent
