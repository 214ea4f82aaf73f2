// Who had the CPU instead of a traced process: read once, and only where that can be a neighbour.
#include "agent/neighbour_watch.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "unit/kernelside/proc_tree.h"

namespace ingero::agent {
namespace {

using testing::ProcTree;

constexpr uint64_t kMilli = 1'000'000;

hal::Event away(uint32_t pid, uint32_t preempted_by, const char* name, uint64_t ns) {
  hal::Event event;
  event.pid = pid;
  event.preempted_by_pid = preempted_by;
  event.preempted_by_ns = ns;
  const std::string text = name;
  std::copy(text.begin(), text.end(), event.preempted_by_comm.begin());
  event.set(hal::Has::kPreemptedBy);
  return event;
}

class NeighboursTest : public ::testing::Test {
 protected:
  NeighboursTest() {
    own_.pid = 100;
    own_.container_id = std::string(64, 'a');
    tree_.process(900, "stress", 1, 5, 0);
    tree_.file("900/cgroup", "0::/docker-" + std::string(64, 'b') + ".scope\n");
  }
  std::vector<hal::Process> take(const std::vector<hal::Event>& events, NeighbourWatch::Waits waits = {}) {
    std::vector<hal::Process> found;
    neighbours_.take(
        events, waits, [&](uint32_t pid) { return pid == own_.pid ? &own_ : nullptr; }, found);
    return found;
  }
  hal::Process own_;
  ProcTree tree_;
  kernelside::ProcFs proc_{kernelside::ProcRoots{tree_.root(), tree_.root() + "/cgroup", [] { return uint64_t{0}; }}};
  NeighbourWatch neighbours_{proc_};
};

TEST_F(NeighboursTest, APreemptedByIsReadOnceWithItsContainer) {
  const auto found = take({away(100, 900, "stress", 3 * kMilli), away(100, 900, "stress", 4 * kMilli)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, 900U);
  EXPECT_EQ(found[0].container_id, std::string(64, 'b'));
  EXPECT_TRUE(take({away(100, 900, "stress", 9 * kMilli)}).empty());
  // The number is another program's now.
  EXPECT_EQ(take({away(100, 900, "other", 9 * kMilli)}).size(), 1U);
}

TEST_F(NeighboursTest, WhoCannotBeANeighbourIsNotRead) {
  EXPECT_TRUE(take({away(100, 900, "stress", kMilli / 2)}).empty()) << "ran for nothing worth telling";
  EXPECT_TRUE(take({away(100, 0, "swapper/0", 9 * kMilli)}).empty()) << "nobody ran";
  EXPECT_TRUE(take({away(100, 901, "gone", 9 * kMilli)}).empty()) << "it has ended";
  EXPECT_TRUE(take({away(555, 900, "stress", 9 * kMilli)}).empty()) << "not of a traced process";
  own_.container_id.clear();
  EXPECT_TRUE(take({away(100, 900, "stress", 9 * kMilli)}).empty()) << "a process of the machine has no neighbours";
}

TEST_F(NeighboursTest, WhoWasWaitedForIsReadOnce) {
  tree_.process(901, "python3", 1, 5, 0);
  tree_.file("901/cmdline", std::string("python3\0server.py\0", 18));
  own_.container_id.clear();
  hal::Event event;
  event.pid = 100;
  event.duration_ns = 20 * kMilli;
  hal::Wait wait;
  wait.waker.emplace().pid = 901;
  const std::vector<std::pair<size_t, hal::Wait>> waits{{0, wait}};
  const auto found = take({event}, waits);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].command_line, "python3 server.py");
  EXPECT_TRUE(take({event}, waits).empty());
}

TEST_F(NeighboursTest, WhoUsedItsDisksIsReadOnce) {
  std::vector<hal::Process> found;
  hal::DiskUse all, one;
  one.pid = 900;
  one.comm = "stress";
  const std::vector<hal::DiskUse> uses{all, one};
  for (int second = 0; second < 2; ++second) {
    neighbours_.take(
        uses, [](uint32_t) { return nullptr; }, found);
  }
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, 900U);
}

TEST_F(NeighboursTest, WhoWasWaitedForBriefly) {
  hal::Event event;
  event.pid = 100;
  event.duration_ns = kMilli / 2;
  hal::Wait wait;
  wait.waker.emplace().pid = 900;
  EXPECT_TRUE(take({event}, std::vector<std::pair<size_t, hal::Wait>>{{0, wait}}).empty()) << "explains nothing";
  event.duration_ns = 20 * kMilli;
  wait.waker->is_kernel_thread = true;
  EXPECT_TRUE(take({event}, std::vector<std::pair<size_t, hal::Wait>>{{0, wait}}).empty()) << "is no program";
}

}  // namespace
}  // namespace ingero::agent
