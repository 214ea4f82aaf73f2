// A thread's time in pieces: nothing is left out and nothing counts twice, whatever is given in whatever order.
#include "correlate/thread_time.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

struct SomeSpans {
  std::vector<OffSpan> off;
  std::vector<CallSpan> calls;
};

// Spans that overlap, are empty, or lie inside each other: those of an input that is wrong, too.
SomeSpans random_spans(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](uint64_t to) { return random() % (to + 1); };
  SomeSpans some;
  for (int i = 0; i < 60; ++i) {
    OffSpan off;
    off.out_ns = pick(10'000);
    off.in_ns = off.out_ns + pick(400);
    off.woken_ns = off.out_ns + pick(off.in_ns - off.out_ns);
    off.why = static_cast<TimeClass>(pick(kTimeClasses - 1));
    off.object = static_cast<uint64_t>(i);
    some.off.push_back(off);
    const uint64_t start = pick(10'000);
    some.calls.push_back({start, start + pick(300), pick(10'000), static_cast<CallUse>(pick(6))});
  }
  return some;
}

ThreadTime thread_of(const SomeSpans& some) {
  ThreadTime thread;
  for (const OffSpan& one : some.off) EXPECT_TRUE(thread.add(one));
  for (const CallSpan& one : some.calls) EXPECT_TRUE(thread.add(one));
  thread.sort();
  return thread;
}

// (T1)
TEST(ThreadTime, PiecesTileWhatIsAskedFor) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const ThreadTime thread = thread_of(random_spans(seed));
    const uint64_t from = seed * 7 % 3000, to = 10'500 - seed * 5 % 3000;
    uint64_t at = from;
    for (const Piece& piece : thread.pieces(from, to)) {
      ASSERT_EQ(piece.from_ns, at) << "seed " << seed;
      ASSERT_GT(piece.to_ns, piece.from_ns) << "seed " << seed;
      at = piece.to_ns;
    }
    ASSERT_EQ(at, to) << "seed " << seed;
  }
}

// (T2)
TEST(ThreadTime, TheOrderInWhichSpansComeDecidesNothing) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SomeSpans some = random_spans(seed);
    const ThreadTime first = thread_of(some);
    std::mt19937_64 random(seed);
    std::shuffle(some.off.begin(), some.off.end(), random);
    std::shuffle(some.calls.begin(), some.calls.end(), random);
    const ThreadTime second = thread_of(some);
    const auto one = first.pieces(0, 11'000), other = second.pieces(0, 11'000);
    ASSERT_EQ(one.size(), other.size()) << "seed " << seed;
    for (size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(one[i].from_ns, other[i].from_ns) << "seed " << seed;
      ASSERT_EQ(one[i].is, other[i].is) << "seed " << seed;
      ASSERT_EQ(one[i].off == nullptr, other[i].off == nullptr) << "seed " << seed;
    }
  }
}

// Of polls before a submission the last one decides: its timer ended it, and the thread went on; or somebody did, and
// the thread had looked for work now and then.
TEST(ThreadTime, APollThatItsTimerEndedIsASleepWhereTheThreadGoesOnFromIt) {
  const auto poll = [](uint64_t from, uint64_t to, bool is_timed_out) {
    OffSpan off;
    off.out_ns = from;
    off.woken_ns = off.in_ns = to;
    off.why = TimeClass::kPoll;
    off.is_timed_out = is_timed_out;
    return off;
  };
  const auto classes = [](const ThreadTime& thread) {
    std::vector<TimeClass> found;
    for (const Piece& piece : thread.pieces(0, 1000)) {
      if (piece.off != nullptr) found.push_back(piece.is);
    }
    return found;
  };
  using Classes = std::vector<TimeClass>;
  for (const bool is_timed_out : {false, true}) {
    ThreadTime thread;
    thread.add(poll(100, 200, true));
    thread.add(poll(210, 300, is_timed_out));
    thread.add(CallSpan{310, 320, 0, CallUse::kSubmit});
    thread.add(poll(400, 500, true));  // nothing is submitted behind it
    thread.sort();
    EXPECT_EQ(classes(thread), is_timed_out ? (Classes{TimeClass::kSleep, TimeClass::kSleep, TimeClass::kPoll})
                                            : (Classes{TimeClass::kPoll, TimeClass::kPoll, TimeClass::kPoll}));
  }
}

// (T3) What is dropped is not known, and does not look like time in which the thread ran.
TEST(ThreadTime, TheOldestSpansGiveWay) {
  ThreadTime thread;
  const auto add = [&](uint64_t i) {
    OffSpan off;
    off.out_ns = 100 * i;
    off.woken_ns = off.in_ns = 100 * i + 50;
    return thread.add(off);
  };
  for (uint64_t i = 0; i < ThreadTime::kMaxSpans; ++i) ASSERT_TRUE(add(i));
  EXPECT_FALSE(add(ThreadTime::kMaxSpans));
  EXPECT_EQ(thread.off().size(), ThreadTime::kMaxSpans);
  EXPECT_EQ(thread.known_from_ns(), 50U);
  EXPECT_EQ(thread.pieces(0, 90).front().is, TimeClass::kUnknown);
  EXPECT_EQ(thread.pieces(0, 90).back().is, TimeClass::kHost);

  ThreadTime calls;
  for (uint64_t i = 0; i < ThreadTime::kMaxSpans; ++i) ASSERT_TRUE(calls.add(CallSpan{100 * i, 100 * i + 10}));
  EXPECT_FALSE(calls.add(CallSpan{100 * ThreadTime::kMaxSpans, 100 * ThreadTime::kMaxSpans + 10}));
  EXPECT_EQ(calls.known_from_ns(), 10U);
}

// (T4) Also where more is dropped or given afterwards.
TEST(ThreadTime, PackingChangesNothing) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    ThreadTime plain = thread_of(random_spans(seed)), packed = plain;
    packed.pack();
    const auto expect_same = [&] {
      EXPECT_EQ(plain.known_from_ns(), packed.known_from_ns());
      const auto one = plain.pieces(0, 11'000), other = packed.pieces(0, 11'000);
      ASSERT_EQ(one.size(), other.size()) << "seed " << seed;
      for (size_t i = 0; i < one.size(); ++i) {
        ASSERT_EQ(one[i].from_ns, other[i].from_ns) << "seed " << seed;
        ASSERT_EQ(one[i].to_ns, other[i].to_ns) << "seed " << seed;
        ASSERT_EQ(one[i].is, other[i].is) << "seed " << seed;
      }
    };
    if (seed % 3 == 0) expect_same();
    for (ThreadTime* one : {&plain, &packed}) one->drop(seed * 97 % 9000);
    expect_same();
    packed.pack();
    for (ThreadTime* one : {&plain, &packed}) {
      ASSERT_TRUE(one->add(CallSpan{~uint64_t{0} - 500, ~uint64_t{0} - 3, 5, CallUse::kAllocate}));
      ASSERT_TRUE(one->add(CallSpan{10'900, 10'950, ~uint64_t{0}, CallUse::kBlockingCopy}));
      one->sort();
    }
    packed.pack();
    expect_same();
  }
}

}  // namespace
}  // namespace ingero::correlate::testing
