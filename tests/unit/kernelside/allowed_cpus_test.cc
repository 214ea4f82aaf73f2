// What the kernel says of threads of this process.
#include "kernelside/allowed_cpus.h"

#include <sched.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

TEST(AllowedCpus, AreThoseOfTheThread) {
  const auto all = allowed_cpus(static_cast<uint32_t>(gettid()));
  ASSERT_TRUE(all.ok()) << all.error().text();
  ASSERT_FALSE(all->empty());
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  EXPECT_EQ(all->count(), static_cast<size_t>(CPU_COUNT(&set)));
  int first = 0;
  while (!CPU_ISSET(first, &set)) ++first;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    const auto its = allowed_cpus(static_cast<uint32_t>(gettid()));
    ASSERT_TRUE(its.ok());
    EXPECT_EQ(its->text(), std::to_string(first));
  }).join();
  EXPECT_EQ(*allowed_cpus(static_cast<uint32_t>(gettid())), *all) << "another thread's";
}

TEST(AllowedCpus, OfNoThreadAreNotKnown) { EXPECT_FALSE(allowed_cpus(0x7ffffffe).ok()); }

}  // namespace
}  // namespace ingero::kernelside
