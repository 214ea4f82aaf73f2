// Ranks that count from when their traces came: which of their collectives are the same, and when that is not known.
#include "fleet/detect/matching.h"

#include <functional>
#include <list>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/detect/hangs.h"

namespace ingero::fleet::detect {
namespace {

constexpr int64_t kMillisecond = 1'000'000, kMatchedPeriod = 5000 * kMillisecond;

// Ranks that make the same collectives: each counts from another one on, and reads another clock.
struct MatchedJob {
  struct Of {
    int64_t first = 1;        // the collective that it counts as its first
    int64_t clock_ns = 0;     // less the server's, as it is
    int64_t measured_ns = 0;  // and as it was measured, within
    int64_t within_ns = kMillisecond;
    bool is_numbered = false;
    int64_t base = 1;
  };
  std::map<uint32_t, Of> ranks;
  int64_t between_ns = 100 * kMillisecond;
  std::function<int(int64_t)> operation = [](int64_t number) { return static_cast<int>(number % 7); };
  std::function<int64_t(int64_t)> left_ns = [this](int64_t number) { return number * between_ns; };
  int64_t stopped_ns = INT64_MAX;  // since when none leaves one

  // As of the window that ends at the rank's own `window` * 5 s.
  Counted at(uint32_t rank, uint64_t window) {
    const Of& of = ranks.at(rank);
    const int64_t end_ns = std::min(static_cast<int64_t>(window) * kMatchedPeriod - of.clock_ns, stopped_ns);
    int64_t last = 0;
    while (left_ns(last + 1) <= end_ns) ++last;
    texts.emplace_back();
    for (int64_t number = std::max(of.first, last - 15); number <= last; ++number) {
      texts.back() += fmt::format("{:04x}", operation(number));
    }
    Counted counted;
    counted.communicator = 7;
    counted.rank = rank;
    counted.window = window;
    counted.base = of.is_numbered ? 0 : of.base;
    counted.entered = counted.left = of.is_numbered ? last : last - of.first + 1;
    counted.left_ns = left_ns(last) + of.clock_ns - of.measured_ns;
    counted.within_ns = of.within_ns;
    counted.recent = texts.back();
    counted.collectives = static_cast<uint64_t>(kMatchedPeriod / between_ns);
    return counted;
  }
  // By rank, where it has a place: that of its last one less its number, which is the same for all.
  std::map<uint32_t, int64_t> run(Matching& matching, uint64_t from, uint64_t until) {
    std::map<uint32_t, int64_t> places;
    for (uint64_t window = from; window < until; ++window) {
      places.clear();
      for (const auto& [rank, of] : ranks) {
        const Counted counted = at(rank, window);
        const int64_t number = of.is_numbered ? counted.left : counted.left + of.first - 1;
        if (const auto place = matching.add(counted)) places[rank] = place->left - number;
      }
    }
    return places;
  }
  std::list<std::string> texts;
};

using ::testing::IsEmpty;
using ::testing::SizeIs;

void expect_alike(const std::map<uint32_t, int64_t>& places) {
  for (const auto& [rank, place] : places) EXPECT_EQ(place, places.begin()->second) << "rank " << rank;
}

TEST(Matching, CountsThatBeganAtDifferentTimesAreTheSameCollectives) {
  MatchedJob job;
  for (uint32_t rank = 0; rank < 8; ++rank) job.ranks[rank].first = 1 + 137 * rank;
  Matching matching(kMatchedPeriod);
  EXPECT_THAT(job.run(matching, 2, 4), IsEmpty()) << "too early to say";
  const auto places = job.run(matching, 30, 36);
  EXPECT_THAT(places, SizeIs(8));
  expect_alike(places);
}

TEST(Matching, NumbersOfOneRankAreThoseOfAll) {
  MatchedJob job;
  for (uint32_t rank = 0; rank < 8; ++rank) job.ranks[rank].first = 1 + 50 * rank;
  job.ranks[5].is_numbered = true;
  Matching matching(kMatchedPeriod);
  const auto places = job.run(matching, 30, 36);
  EXPECT_THAT(places, SizeIs(7)) << "the one that is numbered needs none";
  for (const auto& [rank, place] : places) EXPECT_EQ(place, 0);
}

TEST(Matching, WhereNoRankCountsNothingIsKept) {
  MatchedJob job;
  for (uint32_t rank = 0; rank < 8; ++rank) job.ranks[rank].is_numbered = true;
  Matching matching(kMatchedPeriod);
  EXPECT_THAT(job.run(matching, 2, 20), IsEmpty());
}

// (O3)
TEST(Matching, CollectivesThatAreAlikeDifferByTimeAsFarAsClocksAllow) {
  MatchedJob job;
  job.operation = [](int64_t) { return 1; };
  for (uint32_t rank = 0; rank < 4; ++rank)
    job.ranks[rank] = {1 + 10 * rank, rank * 3 * kMillisecond, rank * 3 * kMillisecond};
  Matching good(kMatchedPeriod);
  const auto places = job.run(good, 10, 30);
  EXPECT_THAT(places, SizeIs(4));
  expect_alike(places);
  // Two collectives are 100 ms apart: by clocks that may be 60 ms off each it can be this one or the next.
  for (auto& [rank, of] : job.ranks) of.within_ns = 60 * kMillisecond;
  Matching bad(kMatchedPeriod);
  EXPECT_THAT(job.run(bad, 30, 80), IsEmpty());
}

// (O2)
TEST(Matching, OperationsAndTheirOrderSayWhatClocksDoNot) {
  MatchedJob job;  // one of seven
  for (uint32_t rank = 0; rank < 4; ++rank) {
    job.ranks[rank] = {1 + 10 * rank, rank * 45 * kMillisecond, 0, 150 * kMillisecond};
  }
  Matching matching(kMatchedPeriod);
  const auto places = job.run(matching, 10, 30);
  EXPECT_THAT(places, SizeIs(4));
  expect_alike(places);
}

TEST(Matching, BurstsBetweenPausesAreMatched) {
  MatchedJob job;
  job.operation = [](int64_t) { return 1; };
  job.left_ns = [](int64_t number) { return number / 3 * 251 * kMillisecond + number % 3 * kMillisecond; };
  job.between_ns = 84 * kMillisecond;
  for (uint32_t rank = 0; rank < 4; ++rank)
    job.ranks[rank] = {1 + 7 * rank, rank * 2 * kMillisecond, 0, 5 * kMillisecond};
  Matching matching(kMatchedPeriod);
  const auto places = job.run(matching, 10, 40);
  EXPECT_THAT(places, SizeIs(4));
  expect_alike(places);
}

// (O1)
TEST(Matching, ARankThatHasLostSomeIsMatchedAnew) {
  MatchedJob job;
  for (uint32_t rank = 0; rank < 4; ++rank) job.ranks[rank].first = 1 + 10 * rank;
  Matching matching(kMatchedPeriod);
  EXPECT_THAT(job.run(matching, 10, 16), SizeIs(4));
  job.ranks[2].first = 333;
  job.ranks[2].base = 2;
  EXPECT_THAT(job.run(matching, 16, 17), SizeIs(3));
  const auto places = job.run(matching, 17, 24);
  EXPECT_THAT(places, SizeIs(4));
  expect_alike(places);
}

TEST(Matching, WhereTheReferenceEndsAnotherTakesItsPlaceAndNumbersStay) {
  MatchedJob job;
  for (uint32_t rank = 0; rank < 4; ++rank) job.ranks[rank].first = 1 + 10 * rank;
  Matching matching(kMatchedPeriod);
  const auto before = job.run(matching, 10, 16);
  job.ranks.erase(0);
  const auto after = job.run(matching, 16, 40);
  EXPECT_THAT(after, SizeIs(3));
  expect_alike(after);
  EXPECT_EQ(after.at(1), before.at(1));
}

TEST(Matching, OtherOperationsHaveNoPlace) {
  MatchedJob job;
  job.ranks[0] = job.ranks[1] = job.ranks[2] = {};
  Matching matching(kMatchedPeriod);
  for (uint64_t window = 2; window < 30; ++window) {
    for (uint32_t rank = 0; rank < 3; ++rank) {
      Counted counted = job.at(rank, window);
      const std::string others(counted.recent.size(), 'f');
      if (rank == 2) counted.recent = others;
      const auto place = matching.add(counted);
      EXPECT_FALSE(rank == 2 && place);
    }
  }
}

TEST(Matching, WithoutAClockOrAnythingLeftThereIsNoPlace) {
  MatchedJob job;
  for (uint32_t rank = 0; rank < 4; ++rank) job.ranks[rank].first = 1 + 10 * rank;
  Matching matching(kMatchedPeriod);
  for (uint64_t window = 2; window < 30; ++window) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      Counted counted = job.at(rank, window);
      counted.left_ns.reset();
      EXPECT_FALSE(matching.add(counted));
    }
  }
}

// A rank that does not come is one behind the others, who are in it: and it is named.
TEST(Matching, TheRankThatDoesNotComeIsNamed) {
  MatchedJob job;
  for (uint32_t rank = 0; rank < 8; ++rank) job.ranks[rank].first = 1 + 137 * rank;
  job.stopped_ns = 200'000 * kMillisecond + 50 * kMillisecond;
  Matching matching(kMatchedPeriod);
  Hangs hangs(10'000 * kMillisecond, kMatchedPeriod);
  std::vector<Hang> found;
  for (uint64_t window = 30; window < 46; ++window) {
    for (uint32_t rank = 0; rank < 8; ++rank) {
      Counted counted = job.at(rank, window);
      const bool is_stuck = static_cast<int64_t>(window) * kMatchedPeriod > job.stopped_ns && rank != 5;
      std::string recent(counted.recent);
      if (is_stuck) {  // in the next one, all but rank 5
        ++counted.entered;
        recent = recent.substr(4) + fmt::format("{:04x}", job.operation(2001));
        counted.recent = recent;
      }
      const auto place = matching.add(counted);
      Progress progress;
      progress.communicator = 7;
      progress.rank = progress.comm_rank = rank;
      progress.nranks = 8;
      progress.node = rank / 4;
      progress.end_ns = window * static_cast<uint64_t>(kMatchedPeriod);
      progress.is_lost = !place;
      progress.is_matched = place.has_value();
      if (place) {
        progress.entered = place->entered;
        progress.left = place->left;
      }
      hangs.add(progress);
    }
    for (const Hang& hang : hangs.advance(true)) found.push_back(hang);
  }
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, HangKind::kMissingEnter);
  ASSERT_THAT(found[0].ranks, SizeIs(1));
  EXPECT_EQ(found[0].ranks[0].rank, 5U);
  EXPECT_TRUE(found[0].is_matched);
  EXPECT_DOUBLE_EQ(found[0].confidence, 0.95 / 2);
}

}  // namespace
}  // namespace ingero::fleet::detect
