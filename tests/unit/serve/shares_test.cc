// What one client may hold, and when it has its turn, while others wait.
#include "serve/http/shares.h"

#include <future>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "serve/http/workers.h"

namespace ingero::serve::http {
namespace {

TEST(Shares, OneClientHasHalfAndTheNextFindsAsMuchAsIsFree) {
  Shares shares(100);
  EXPECT_TRUE(shares.has_room("a", 50));
  EXPECT_FALSE(shares.has_room("a", 51));
  EXPECT_FALSE(shares.has_room("a", SIZE_MAX));
  shares.add("a", 50);
  EXPECT_FALSE(shares.has_room("a", 1));
  EXPECT_TRUE(shares.has_room("b", 25));
  EXPECT_FALSE(shares.has_room("b", 26));
  shares.add("b", 25);
  EXPECT_TRUE(shares.has_room("c", 12));
  EXPECT_EQ(shares.held(), 75U);
  shares.remove("a", 50);
  EXPECT_EQ(shares.held_by("a"), 0U);
  EXPECT_TRUE(shares.has_room("b", 25));
}

TEST(Shares, APartIsGivenBackWhereverItGoes) {
  Shares shares(100);
  {
    Share first(shares, "a");
    first.set(30);
    first.set(20);
    const Share second(std::move(first));
    EXPECT_EQ(shares.held_by("a"), 20U);
  }
  EXPECT_EQ(shares.held(), 0U);
}

class Order {
 public:
  Workers::Task task(const std::string& name) {
    return [this, name] {
      const std::scoped_lock lock(mutex_);
      names_ += name;
    };
  }
  std::string names() {
    const std::scoped_lock lock(mutex_);
    return names_;
  }

 private:
  std::mutex mutex_;
  std::string names_;
};

TEST(Workers, ClientsThatWaitTakeTurns) {
  Order order;
  std::promise<void> begun, goes_on, ended;
  Workers workers(1);
  workers.submit(
      [&] {
        begun.set_value();
        goes_on.get_future().wait();
      },
      Weight::kUsual, "a");
  begun.get_future().wait();
  for (int i = 0; i < 4; ++i) workers.submit(order.task("a"), Weight::kUsual, "a");
  for (int i = 0; i < 2; ++i) workers.submit(order.task("b"), Weight::kUsual, "b");
  workers.submit(order.task("c"), Weight::kUsual, "c");
  workers.submit([&] { ended.set_value(); }, Weight::kHeavy, "a");
  goes_on.set_value();
  ended.get_future().wait();
  EXPECT_EQ(order.names(), "bcabaaa");
}

TEST(Workers, HeavyRequestsOfOneClientLeaveAThreadToOthers) {
  std::promise<void> goes_on, other;
  const std::shared_future<void> waits = goes_on.get_future().share();
  Workers workers(4);
  for (int i = 0; i < 20; ++i) workers.submit([waits] { waits.wait(); }, Weight::kHeavy, "a");
  workers.submit([&] { other.set_value(); }, Weight::kHeavy, "b");
  EXPECT_EQ(other.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
  goes_on.set_value();
}

}  // namespace
}  // namespace ingero::serve::http
