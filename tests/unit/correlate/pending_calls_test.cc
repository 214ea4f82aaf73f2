// Calls that wait for their windows (correlate/pending_calls.h): all come out as they went in, each with its window.
#include "correlate/pending_calls.h"

#include <algorithm>
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero::correlate {
namespace {

constexpr uint64_t kWindowNs = 1'000'000'000;

auto all_of(const BudgetCall& call) {
  return std::tie(call.end_ns, call.start_ns, call.stream, call.handle, call.function, call.bytes, call.stack_id,
                  call.tid, call.device_ref, call.call, call.direction, call.is_per_thread, call.failed, call.is_zero);
}

std::vector<BudgetCall> sorted(std::vector<BudgetCall> calls) {
  std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return all_of(a) < all_of(b); });
  return calls;
}

void expect_same(std::vector<BudgetCall> one, std::vector<BudgetCall> other) {
  one = sorted(std::move(one));
  other = sorted(std::move(other));
  ASSERT_EQ(one.size(), other.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(all_of(one[i]), all_of(other[i])) << i;
}

// Any values, the greatest too: a recording may hold them.
BudgetCall any_call(std::mt19937_64& random) {
  const auto any = [&] { return random() >> random() % 64; };
  BudgetCall call;
  call.start_ns = any() / 2;
  call.end_ns = call.start_ns + any() / 2;
  if (random() % 2 == 0) call.stream = any();
  if (random() % 2 == 0) call.handle = any();
  call.function = any();
  call.bytes = any();
  call.stack_id = any();
  call.tid = static_cast<uint32_t>(any());
  call.device_ref = static_cast<uint32_t>(any());
  call.call = static_cast<hal::CallId>(random());
  call.direction = static_cast<hal::Direction>(random() % 6);
  call.is_per_thread = random() % 2 == 0;
  call.failed = random() % 2 == 0;
  call.is_zero = random() % 2 == 0;
  return call;
}

TEST(PendingCallsTest, WhateverACallIsItComesOutAsItWas) {
  std::mt19937_64 random(7);
  PendingCalls pending(kWindowNs);
  std::vector<BudgetCall> given, taken;
  for (int i = 0; i < 3000; ++i) {
    given.push_back(any_call(random));
    pending.add(given.back());
  }
  given.emplace_back();
  given.back().end_ns = ~uint64_t{0} - 1;
  pending.add(given.back());
  pending.take(~uint64_t{0}, taken);
  expect_same(given, taken);
}

TEST(PendingCallsTest, AStreamThatIsZeroIsNotNone) {
  PendingCalls pending(kWindowNs);
  BudgetCall call;
  pending.add(call);
  call.stream = 0;
  pending.add(call);
  std::vector<BudgetCall> taken;
  pending.take(~uint64_t{0}, taken);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_NE(taken[0].stream, taken[1].stream);
}

TEST(PendingCallsTest, WhatEndsLaterStaysForItsWindow) {
  PendingCalls pending(kWindowNs);
  std::vector<BudgetCall> early, late;
  for (uint64_t i = 0; i < 100; ++i) {  // of two windows, in turn
    BudgetCall call;
    call.start_ns = 100 + i;
    call.end_ns = i % 2 == 0 ? 5 * kWindowNs - 1 - i : 5 * kWindowNs + i;
    (i % 2 == 0 ? early : late).push_back(call);
    pending.add(call);
  }
  std::vector<BudgetCall> taken;
  pending.take(4 * kWindowNs, taken);
  EXPECT_THAT(taken, testing::IsEmpty());
  pending.take(5 * kWindowNs, taken);
  expect_same(early, taken);
  pending.take(6 * kWindowNs, taken);  // behind what is there
  early.insert(early.end(), late.begin(), late.end());
  expect_same(early, taken);
  pending.take(~uint64_t{0}, taken);
  EXPECT_EQ(taken.size(), 100U);
}

}  // namespace
}  // namespace ingero::correlate
