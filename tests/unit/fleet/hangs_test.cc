// Who is named when a job hangs: exactly the ranks that the others wait for, soon, by any clocks; and no others.
#include "fleet/detect/hangs.h"

#include <cstdlib>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "unit/fleet/hang_world.h"

namespace ingero::fleet::detect {

void PrintTo(const Hang& hang, std::ostream* out) {
  *out << fmt::format("{} {} in {:x} at {}, of {} ranks:", name_of(hang.kind), name_of(hang.state), hang.communicator,
                      hang.number, hang.ranks.size());
  for (const auto& rank : hang.ranks) *out << " " << rank.rank;
}

namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kHangSecond_ns = 1'000'000'000, kHangPeriod_ns = 5 * kHangSecond_ns,
                   kHangAfter_ns = 10 * kHangSecond_ns;
constexpr double kWindow_s = 5, kSettled_s = 2;
constexpr uint64_t kHangStart_ns = 1'800'000'000 * kHangSecond_ns;

uint64_t drawn_seed() {
  const char* given = std::getenv("INGERO_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

Progress progress_of(const HangWorld::Report& report) {
  Progress progress;
  progress.communicator = report.communicator;
  progress.rank = report.rank;
  progress.comm_rank = report.comm_rank;
  progress.nranks = report.nranks;
  progress.node = report.node;
  progress.end_ns = kHangStart_ns + static_cast<uint64_t>(report.end_s * 1e9);
  progress.entered = report.entered;
  progress.left = report.left;
  progress.operation = report.operation;
  progress.is_gone = report.is_gone;
  return progress;
}

std::set<uint32_t> ranks_of(const Hang& hang) {
  std::set<uint32_t> ranks;
  for (const HangingRank& rank : hang.ranks) ranks.insert(rank.rank);
  return ranks;
}

// A detector that gets what a world reports, as that of the server does.
class Watched {
 public:
  explicit Watched(HangWorld& world) : world_(world) {}
  void windows(uint32_t count, const std::function<void(Progress&)>& change = {}) {
    for (uint32_t i = 0; i < count; ++i) {
      ++number_;
      for (const auto& report : world_.window(number_)) {
        Progress progress = progress_of(report);
        if (change) change(progress);
        EXPECT_TRUE(hangs.add(progress));
        if (hangs.is_due()) note(hangs.advance(false), kWindow_s * number_);
      }
      note(hangs.advance(true), kWindow_s * number_ + kSettled_s);
    }
  }
  double now_s() const { return kWindow_s * number_; }

  Hangs hangs{kHangAfter_ns, kHangPeriod_ns};
  std::vector<Hang> changes;
  double first_s = 0;  // when the first change came

 private:
  void note(const std::vector<Hang>& some, double now_s) {
    if (changes.empty() && !some.empty()) first_s = now_s;
    changes.insert(changes.end(), some.begin(), some.end());
  }
  HangWorld& world_;
  uint32_t number_ = 0;
};

constexpr uint32_t kManyNodes = 2048, kFirstStep = 22;  // 16,384 ranks

// `count` ranks stop; who is accused, and of what?
void expect_exactly(Stop stop, HangKind kind, uint32_t nodes, uint64_t seed, double lost = 0.002) {
  SCOPED_TRACE(fmt::format("INGERO_TEST_SEED={} {}", seed, name_of(kind)));
  std::mt19937_64 random(seed);
  const auto draw = [&](uint32_t low, uint32_t high) {
    return std::uniform_int_distribution<uint32_t>(low, high)(random);
  };
  HangPlan plan;
  plan.stop = stop;
  plan.step = kFirstStep + draw(0, 9);
  plan.phase = draw(0, HangWorld::kPhases - 1);
  const uint32_t count = draw(1, 16), home = draw(0, nodes - 1);
  while (plan.ranks.size() < count) {
    // Of two operations the smaller number is wrong only within one collective: there less than half.
    if (stop == Stop::kOtherOperation && plan.ranks.size() == (plan.phase == 0 ? 3 : 16)) break;
    uint32_t rank = draw(0, nodes * HangWorld::kPlaces - 1);
    if (stop == Stop::kOtherOperation && plan.phase == 0) rank = home * HangWorld::kPlaces + rank % HangWorld::kPlaces;
    if (stop == Stop::kOtherOperation && plan.phase == 1) rank = rank / HangWorld::kPlaces * HangWorld::kPlaces;
    plan.ranks.insert(rank);
  }
  std::set<uint32_t> expected = plan.ranks;
  if (stop == Stop::kNodeEnds) {
    for (const uint32_t rank : plan.ranks) {
      for (uint32_t place = 0; place < HangWorld::kPlaces; ++place) {
        expected.insert(rank / HangWorld::kPlaces * HangWorld::kPlaces + place);
      }
    }
  }
  HangWorld world(nodes, plan, seed);
  world.lost = lost;
  Watched run(world);
  run.windows(plan.step / 5);
  EXPECT_THAT(run.changes, IsEmpty()) << "before anything hangs";
  while (run.changes.empty() && run.now_s() < plan.step + 60) run.windows(1);
  // The wait began in step `step`. A node that ended has to send nothing for three periods, and where a report of the
  // only ranks that wait for the cause was lost, it takes one more.
  const double more_s = (stop == Stop::kNodeEnds ? kWindow_s : 0) + (lost > 0 ? kWindow_s : 0);
  EXPECT_LE(run.first_s, plan.step + 1 + 1e-9 * kHangAfter_ns + 10 + more_s);
  run.windows(4);
  ASSERT_THAT(run.hangs.open(), SizeIs(1));
  const Hang& hang = run.hangs.open().front();
  EXPECT_EQ(ranks_of(hang), expected);
  EXPECT_EQ(name_of(hang.kind), std::string(name_of(kind)));
  EXPECT_GT(hang.waiting, size_t{nodes} * HangWorld::kPlaces / 2);
  EXPECT_DOUBLE_EQ(hang.confidence, 0.95);
  for (const Hang& change : run.changes) EXPECT_EQ(change.kind, kind) << "nothing else was ever reported";
}

TEST(Hangs, OfOneToSixteenMissingOf16384ExactlyThoseAreNamed) {
  const uint64_t seed = drawn_seed();
  for (uint64_t i = 0; i < 3; ++i)
    expect_exactly(Stop::kBeforeEntering, HangKind::kMissingEnter, kManyNodes, seed + i, 0);
  for (uint64_t i = 3; i < 5; ++i) expect_exactly(Stop::kBeforeEntering, HangKind::kMissingEnter, kManyNodes, seed + i);
}

TEST(Hangs, OfEveryKindExactlyTheCauseIsNamed) {
  const uint64_t seed = drawn_seed();
  for (uint64_t i = 0; i < 12; ++i) {
    expect_exactly(Stop::kBeforeEntering, HangKind::kMissingEnter, 64, seed + i);
    expect_exactly(Stop::kInside, HangKind::kMissingExit, 64, seed + i);
    expect_exactly(Stop::kOtherOperation, HangKind::kMismatch, 64, seed + i);
    expect_exactly(Stop::kProcessEnds, HangKind::kProcessGone, 64, seed + i);
    expect_exactly(Stop::kNodeEnds, HangKind::kNodeSilent, 64, seed + i);
  }
  expect_exactly(Stop::kNodeEnds, HangKind::kNodeSilent, kManyNodes, seed);
  expect_exactly(Stop::kInside, HangKind::kMissingExit, kManyNodes, seed);
}

// Of a node that is held up by the hang two reports in a row are lost: it is not yet silent, and waits as it did.
TEST(Hangs, ANodeThatMissesTwoWindowsIsNotAccused) {
  expect_exactly(Stop::kInside, HangKind::kMissingExit, 64, 852214785);
}

TEST(Hangs, AJobThatGoesOnHasNone) {
  const uint64_t seed = drawn_seed();
  SCOPED_TRACE(seed);
  HangPlan pause{Stop::kBeforeEntering, {5}, 30, 2, 8};  // all wait for 8 s
  HangWorld world(256, pause, seed);
  world.lost = 0.02;
  Watched run(world);
  run.windows(60);
  EXPECT_THAT(run.changes, IsEmpty());
}

TEST(Hangs, AreOverWhenTheRankComes) {
  HangPlan plan{Stop::kBeforeEntering, {5, 9}, 30, 2, 40};
  HangWorld world(8, plan, 1);
  Watched run(world);
  run.windows(25);
  ASSERT_THAT(run.changes, SizeIs(2));
  EXPECT_EQ(ranks_of(run.changes[0]), (std::set<uint32_t>{5, 9}));
  EXPECT_EQ(run.changes[0].state, State::kOpen);
  EXPECT_EQ(run.changes[0].number, 31);
  EXPECT_EQ(run.changes[0].operation, "AllReduce");
  EXPECT_EQ(run.changes[1].state, State::kOver);
  EXPECT_THAT(run.hangs.open(), IsEmpty());
}

// What some nodes say first of its end makes the others no cause.
TEST(Hangs, AreOverWithoutAnotherWhicheverNodeIsHeardFirst) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto stop = seed % 2 == 0 ? Stop::kBeforeEntering : Stop::kInside;
    HangPlan plan{stop, {5}, 30, static_cast<uint32_t>(seed % 3), seed % 5 == 0 ? 100U : 40U};
    HangWorld world(3, plan, seed);
    Watched run(world);
    run.windows(36);
    ASSERT_THAT(run.changes, SizeIs(2));
    EXPECT_EQ(ranks_of(run.changes[0]), std::set<uint32_t>{5});
    EXPECT_EQ(run.changes[1].state, State::kOver);
  }
}

TEST(Hangs, AreSilentWhereNothingMoreComes) {
  HangPlan plan{Stop::kBeforeEntering, {5}, 30, 2};
  HangWorld world(8, plan, 1);
  Watched run(world);
  run.windows(12);
  ASSERT_THAT(run.changes, SizeIs(1));
  EXPECT_THAT(run.hangs.advance(true), IsEmpty());
  const auto ended = run.hangs.end_silent();
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended.front().state, State::kSilent);
  EXPECT_THAT(run.hangs.end_silent(), IsEmpty());
}

TEST(Hangs, RanksWithoutATracerAreNotAccused) {
  HangPlan plan{Stop::kBeforeEntering, {5}, 30, 2};
  HangWorld world(8, plan, 1);
  world.not_traced = {5, 6};
  Watched run(world);
  run.windows(16);
  EXPECT_THAT(run.changes, IsEmpty()) << "a device may be busy for as long";
  run.windows(6);
  ASSERT_THAT(run.hangs.open(), SizeIs(1));
  const Hang& hang = run.hangs.open().front();
  EXPECT_EQ(hang.kind, HangKind::kUnknown);
  EXPECT_THAT(hang.ranks, IsEmpty());
  EXPECT_EQ(hang.observed, 62U);
  EXPECT_EQ(hang.nranks, 64U);
  EXPECT_NEAR(hang.confidence, 0.95 * 62 / 64 / 2, 1e-9);
}

TEST(Hangs, LostRecordsAndMatchedNumbersLowerTheConfidence) {
  HangPlan plan{Stop::kBeforeEntering, {5}, 30, 2};
  HangWorld world(8, plan, 1);
  Watched run(world);
  run.windows(14, [](Progress& progress) {
    progress.is_matched = true;
    progress.is_lost = progress.rank >= 32;
    if (progress.is_lost) progress.entered -= 7;  // what is lost is not missing
  });
  ASSERT_THAT(run.hangs.open(), SizeIs(1));
  const Hang& hang = run.hangs.open().front();
  EXPECT_EQ(ranks_of(hang), std::set<uint32_t>{5});
  EXPECT_NEAR(hang.confidence, 0.95 / 2 / 2, 1e-9);
}

TEST(Hangs, AFailedCallIsTheCause) {
  HangPlan plan{Stop::kInside, {12}, 30, 2};
  HangWorld world(8, plan, 1);
  Watched run(world);
  run.windows(14, [](Progress& progress) {
    progress.has_failed = progress.rank == 12 && progress.entered == 31 && progress.nranks == 64;
  });
  ASSERT_THAT(run.hangs.open(), SizeIs(1));
  EXPECT_EQ(run.hangs.open().front().kind, HangKind::kFailed);
  EXPECT_EQ(ranks_of(run.hangs.open().front()), std::set<uint32_t>{12});
}

TEST(Hangs, AClockThatIsSetForwardIsNoWait) {
  HangWorld world(8, {}, 1);
  Watched run(world);
  // Each step takes 8 s here, so that ranks are often inside the same collective for two windows.
  run.windows(30, [](Progress& progress) {
    const uint64_t step = (progress.end_ns - kHangStart_ns) / (8 * kHangSecond_ns);
    progress.entered = static_cast<int64_t>(step) + 1;
    progress.left = static_cast<int64_t>(step);
    if (progress.node == 3 && progress.end_ns >= kHangStart_ns + 70 * kHangSecond_ns)
      progress.end_ns += 9 * kHangSecond_ns;
  });
  EXPECT_THAT(run.changes, IsEmpty());
}

// Two ranks in two communicators.
class Two {
 public:
  void say(uint32_t rank, uint64_t communicator, int64_t entered, int64_t left, const char* operation = "AllReduce") {
    Progress progress;
    progress.rank = progress.comm_rank = rank;
    progress.node = rank + 1;
    progress.communicator = communicator;
    progress.nranks = 2;
    progress.end_ns = now_ns;
    progress.entered = entered;
    progress.left = left;
    progress.operation = operation;
    ASSERT_TRUE(hangs.add(progress));
  }
  Hangs hangs{kHangAfter_ns, kHangPeriod_ns};
  uint64_t now_ns = kHangStart_ns;
};

struct Said {
  uint32_t rank;
  uint64_t communicator;
  int64_t entered, left;
};
struct Cross {
  const char* what;
  std::vector<Said> said;
  HangKind kind;
  std::set<uint32_t> ranks;
  size_t communicators;
};
const Cross kCrosses[] = {
    {"two ranks that wait for each other",
     {{0, 1, 4, 3}, {0, 2, 3, 3}, {1, 1, 3, 3}, {1, 2, 4, 3}},
     HangKind::kDeadlock,
     {0, 1},
     2},
    // Of those that are out of collective 5 of the first communicator one waits in the next there, and one for rank 0
    // in the second.
    {"a rank that is not out of a collective, where others are in the next",
     {{0, 1, 5, 4}, {1, 1, 6, 5}, {2, 1, 5, 5}, {0, 2, 8, 8}, {2, 2, 9, 8}},
     HangKind::kMissingExit,
     {0},
     2},
};

TEST(Hangs, AcrossCommunicatorsTheCauseIsFound) {
  for (const Cross& one : kCrosses) {
    SCOPED_TRACE(one.what);
    Two some;
    std::vector<Hang> changes;
    for (int i = 0; i < 8; ++i, some.now_ns += kHangPeriod_ns) {
      for (const Said& said : one.said) some.say(said.rank, said.communicator, said.entered, said.left);
      for (Hang& hang : some.hangs.advance(true)) changes.push_back(std::move(hang));
    }
    ASSERT_THAT(changes, SizeIs(1));
    EXPECT_EQ(changes.front().kind, one.kind);
    EXPECT_EQ(ranks_of(changes.front()), one.ranks);
    EXPECT_EQ(changes.front().communicators, one.communicators);
  }
}

// A collective that was submitted long before its result is needed, while all go on in another communicator.
TEST(Hangs, WhereAllThatWaitGoOnElsewhereItTakesLongerAndIsDoubted) {
  Two some;
  const uint64_t begin_ns = some.now_ns;
  std::vector<Hang> changes;
  for (int64_t i = 1; changes.empty() && i < 100; ++i, some.now_ns += kHangPeriod_ns) {
    for (const uint32_t rank : {0U, 1U}) some.say(rank, 1, 10 * i, 10 * i);
    some.say(0, 2, 5, 4);
    some.say(1, 2, 4, 4);
    changes = some.hangs.advance(true);
  }
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_GE(some.now_ns, begin_ns + 6 * kHangAfter_ns);
  EXPECT_EQ(changes.front().kind, HangKind::kMissingEnter);
  EXPECT_DOUBLE_EQ(changes.front().confidence, 0.475);
}

// 16 ranks on two nodes, in one communicator; rank 0 is in another one, too, so that its node is always heard of.
class Sixteen {
 public:
  using Numbers = std::function<std::pair<int64_t, int64_t>(uint32_t rank)>;  // entered, left

  void windows(int count, const Numbers& numbers, const std::set<uint32_t>& missing = {},
               const std::set<uint32_t>& failed = {}) {
    for (; count > 0; --count, now_ns_ += kHangPeriod_ns) {
      for (uint32_t rank = 0; rank < 16; ++rank) {
        if (missing.count(rank) == 0) say(rank, 1, numbers(rank), failed.contains(rank));
      }
      say(0, 2, {1, 1});
      for (Hang& hang : hangs.advance(true)) changes.push_back(std::move(hang));
    }
  }
  Hangs hangs{kHangAfter_ns, kHangPeriod_ns};
  std::vector<Hang> changes;

 private:
  void say(uint32_t rank, uint64_t communicator, std::pair<int64_t, int64_t> numbers, bool has_failed = false) {
    Progress progress;
    progress.has_failed = has_failed;
    progress.rank = progress.comm_rank = rank;
    progress.node = 1 + rank / 8;
    progress.communicator = communicator;
    progress.nranks = 16;
    progress.end_ns = now_ns_;
    std::tie(progress.entered, progress.left) = numbers;
    EXPECT_TRUE(hangs.add(progress));
  }
  uint64_t now_ns_ = kHangStart_ns;
};

// The job of node 2 has ended there, and its agent has nothing to send: that is not silence.
TEST(Hangs, RanksOfANodeThatSaysThatItIsThereAreGoneAndTheNodeIsNotSilent) {
  const std::set<uint32_t> second_node{8, 9, 10, 11, 12, 13, 14, 15};
  for (const bool is_there : {false, true}) {
    Sixteen some;
    some.windows(3, [](uint32_t) { return std::pair(8, 8); });
    for (int i = 0; i < 10; ++i) {
      if (is_there) some.hangs.hear_node(2);
      some.windows(
          1, [](uint32_t) { return std::pair(9, 8); }, second_node);
    }
    ASSERT_THAT(some.hangs.open(), SizeIs(1));
    EXPECT_EQ(some.hangs.open().front().kind, is_there ? HangKind::kProcessGone : HangKind::kNodeSilent);
    EXPECT_EQ(ranks_of(some.hangs.open().front()), second_node);
  }
  Hangs none{kHangAfter_ns, kHangPeriod_ns};
  none.hear_node(7);  // of which nothing is known
  EXPECT_THAT(none.open(), SizeIs(0));
}

// All have come to the collective, and one was killed in it: nothing more comes of it.
TEST(Hangs, ARankThatIsNotHeardOfWhileOthersOfItsNodeAreIsGone) {
  Sixteen some;
  some.windows(3, [](uint32_t) { return std::pair(8, 8); });
  some.windows(1, [](uint32_t) { return std::pair(9, 8); });
  some.windows(8, [](uint32_t) { return std::pair(9, 8); }, {3});
  ASSERT_THAT(some.changes, SizeIs(1));
  EXPECT_EQ(some.changes.front().kind, HangKind::kProcessGone);
  EXPECT_EQ(ranks_of(some.changes.front()), std::set<uint32_t>{3});
}

TEST(Hangs, ARankThatAbortsIsTheCauseAndNotThoseThatGiveUpBecauseOfIt) {
  Sixteen some;
  some.windows(3, [](uint32_t) { return std::pair(8, 8); });
  const auto numbers = [](uint32_t rank) { return rank == 3 ? std::pair(8, 8) : std::pair(9, 8); };
  some.windows(6, numbers, {}, {3});
  ASSERT_THAT(some.changes, SizeIs(1));
  EXPECT_EQ(some.changes.front().kind, HangKind::kFailed);
  EXPECT_EQ(ranks_of(some.changes.front()), std::set<uint32_t>{3});
  some.windows(1, numbers, {}, {3, 4, 5});
  EXPECT_THAT(some.changes, SizeIs(1));
  // All have given up: no rank waits for another.
  std::set<uint32_t> all;
  for (uint32_t rank = 0; rank < 16; ++rank) all.insert(rank);
  some.windows(1, numbers, {}, all);
  EXPECT_EQ(some.changes.back().state, State::kOver);
}

TEST(Hangs, RanksThatGiveUpAtTheSameTimeAreNone) {
  Sixteen some;
  some.windows(3, [](uint32_t) { return std::pair(8, 8); });
  std::set<uint32_t> all;
  for (uint32_t rank = 0; rank < 16; ++rank) all.insert(rank);
  some.windows(
      8, [](uint32_t) { return std::pair(9, 8); }, {}, all);
  EXPECT_THAT(some.changes, IsEmpty());
}

// All waited for their devices once, and later only rank 0 did, as where one rank looks at the loss; then all pause.
TEST(Hangs, RanksThatDoNotLookWhetherTheyAreOutAreNotAccusedInAPause) {
  Sixteen some;
  some.windows(3, [](uint32_t) { return std::pair(6, 6); });
  some.windows(20, [](uint32_t rank) { return std::pair(9, rank == 0 ? 9 : 6); });
  EXPECT_THAT(some.changes, IsEmpty());
  // One that does not come is still found among them, and no other.
  some.windows(6, [](uint32_t rank) { return rank == 3 ? std::pair(9, 6) : std::pair(10, rank == 0 ? 9 : 6); });
  ASSERT_THAT(some.changes, SizeIs(1));
  EXPECT_EQ(ranks_of(some.changes.front()), std::set<uint32_t>{3});
}

// As where its agent was started anew while all wait: what it does not see is not over.
TEST(Hangs, ANodeOfWhichNoRankIsHeardOfInTheCommunicatorHasNoneGone) {
  Sixteen some;
  some.windows(3, [](uint32_t) { return std::pair(8, 8); });
  some.windows(1, [](uint32_t rank) { return rank == 12 ? std::pair(8, 8) : std::pair(9, 8); });
  some.windows(8, [](uint32_t rank) { return rank == 12 ? std::pair(8, 8) : std::pair(9, 8); },
               {0, 1, 2, 3, 4, 5, 6, 7});
  ASSERT_THAT(some.changes, SizeIs(1));
  EXPECT_EQ(some.changes.front().kind, HangKind::kMissingEnter);
  EXPECT_EQ(ranks_of(some.changes.front()), std::set<uint32_t>{12});
}

// Ranks in communicators of any sizes, each on a node of its own.
class Some {
 public:
  struct In {
    uint32_t rank;
    uint64_t communicator;
    uint32_t nranks;
    int64_t entered, left;
  };
  void window(const std::vector<In>& all) {
    for (const In& one : all) {
      Progress progress;
      progress.rank = progress.comm_rank = one.rank;
      progress.node = one.rank + 1;
      progress.communicator = one.communicator;
      progress.nranks = one.nranks;
      progress.end_ns = now_ns_;
      progress.entered = one.entered;
      progress.left = one.left;
      progress.alias = alias;
      EXPECT_TRUE(hangs.add(progress));
    }
    for (Hang& hang : hangs.advance(true)) changes.push_back(std::move(hang));
    now_ns_ += kHangPeriod_ns;
  }
  Hangs hangs{kHangAfter_ns, kHangPeriod_ns};
  std::vector<Hang> changes;
  uint64_t alias = 0;

 private:
  uint64_t now_ns_ = kHangStart_ns;
};

TEST(Hangs, ACommunicatorOfOneRankHoldsNobodyUp) {
  Some some;
  for (int i = 0; i < 8; ++i) some.window({{0, 1, 2, 9, 8}, {1, 1, 2, 8, 8}, {1, 2, 1, 3, 2}});
  ASSERT_THAT(some.changes, SizeIs(1));
  EXPECT_EQ(some.changes.front().kind, HangKind::kMissingEnter);
  EXPECT_EQ(ranks_of(some.changes.front()), std::set<uint32_t>{1});
  EXPECT_DOUBLE_EQ(some.changes.front().confidence, 0.95);
}

// All entered the collective of their pair, whose call returned before it was done; then all but rank 1 came to the one
// of all.
TEST(Hangs, ACollectiveFromWhichTheOthersWentOnHoldsNobodyUp) {
  Some some;
  std::vector<Some::In> all;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    all.push_back({rank, 2 + rank / 2, 2, 9, 8});
    all.push_back({rank, 1, 4, rank == 1 ? 8 : 9, 8});
  }
  for (int i = 0; i < 8; ++i) some.window(all);
  ASSERT_THAT(some.changes, SizeIs(1));
  EXPECT_EQ(some.changes.front().kind, HangKind::kMissingEnter);
  EXPECT_EQ(ranks_of(some.changes.front()), std::set<uint32_t>{1});
  EXPECT_DOUBLE_EQ(some.changes.front().confidence, 0.95 / 2);
}

// Where the other member of the pair is nowhere else, the pair's collective may be what hangs.
TEST(Hangs, ACollectiveInWhichAllWaitHoldsThemUp) {
  Some some;
  for (int i = 0; i < 30; ++i) {
    some.window({{0, 1, 4, 8, 8}, {1, 1, 4, 8, 8}, {2, 1, 4, 9, 8}, {3, 1, 4, 9, 8}, {0, 2, 2, 9, 8}, {1, 2, 2, 9, 8}});
  }
  ASSERT_THAT(some.changes, SizeIs(1));
  EXPECT_EQ(some.changes.front().kind, HangKind::kUnknown);
}

// 16 ranks on 4 nodes wait for rank 5; each node is given of `count` windows.
class FourNodes {
 public:
  void node(uint32_t node, int count, uint64_t& end_ns) {
    for (; count > 0; --count, end_ns += kHangPeriod_ns) {
      for (uint32_t rank = 4 * node; rank < 4 * node + 4; ++rank) {
        Progress progress;
        progress.communicator = 1;
        progress.rank = progress.comm_rank = rank;
        progress.node = node + 1;
        progress.nranks = 16;
        progress.end_ns = end_ns;
        progress.entered = rank == 5 ? 8 : 9;
        progress.left = 8;
        EXPECT_TRUE(hangs.add(progress));
      }
      note(hangs.advance(false, now_ns));
    }
    note(hangs.advance(true, now_ns));
  }
  Hangs hangs{kHangAfter_ns, kHangPeriod_ns};
  std::vector<Hang> changes;
  uint64_t now_ns = 1;

 private:
  void note(const std::vector<Hang>& some) { changes.insert(changes.end(), some.begin(), some.end()); }
};

TEST(Hangs, ANodeThatComesBackFirstMakesNoOtherSilent) {
  FourNodes some;
  uint64_t ends[4] = {kHangStart_ns, kHangStart_ns, kHangStart_ns, kHangStart_ns};
  for (int i = 0; i < 8; ++i, some.now_ns += kHangPeriod_ns) {
    for (uint32_t node = 0; node < 4; ++node) some.node(node, 1, ends[node]);
  }
  ASSERT_THAT(some.changes, SizeIs(1));
  some.now_ns += 12 * kHangPeriod_ns;
  some.hangs.resume(some.now_ns);
  for (const uint32_t node : {3, 2, 1, 0}) {
    some.node(node, 12, ends[node]);
    some.now_ns += 10 * kHangSecond_ns;
  }
  EXPECT_THAT(some.changes, SizeIs(1)) << "it is the same hang";
  EXPECT_EQ(ranks_of(some.hangs.open().front()), std::set<uint32_t>{5});
  // One that stays away is silent at last.
  some.hangs.resume(some.now_ns);
  for (int i = 0; i < 30; ++i, some.now_ns += kHangPeriod_ns) {
    for (uint32_t node = 1; node < 4; ++node) some.node(node, 1, ends[node]);
  }
  ASSERT_FALSE(some.hangs.open().empty());
  EXPECT_EQ(some.hangs.open().back().kind, HangKind::kNodeSilent);
}

TEST(Hangs, ACommunicatorOfAnotherNameKeepsItsMembers) {
  Some some;
  for (int i = 0; i < 8; ++i) some.window({{0, 1, 2, 9, 8}, {1, 1, 2, 8, 8}});
  ASSERT_THAT(some.changes, SizeIs(1));
  some.alias = 1;
  for (int i = 0; i < 8; ++i) some.window({{0, 991, 2, 9, 8}, {1, 991, 2, 8, 8}});
  EXPECT_THAT(some.changes, SizeIs(1));
  EXPECT_EQ(some.hangs.known().communicators, 1U);
  EXPECT_EQ(some.hangs.member_count(), 2U);
  EXPECT_TRUE(some.hangs.knows(991, 1));
}

TEST(Hangs, NamesOfOperationsThatNoRankIsInGiveWay) {
  Two two;
  for (uint32_t i = 0; i < kMaxOperations + 10; ++i) {
    Progress progress;
    progress.communicator = 100 + i;
    progress.nranks = 2;
    progress.node = 1;
    progress.end_ns = two.now_ns;
    progress.entered = progress.left = 1;
    progress.operation = "AllToAll";
    progress.bytes = 1 + i;
    ASSERT_TRUE(two.hangs.add(progress));
  }
  for (int i = 0; i < 8; ++i, two.now_ns += kHangPeriod_ns) {
    two.say(0, 1, 4, 3, "ReduceScatter");
    two.say(1, 1, 3, 3, "Broadcast");
    (void)two.hangs.advance(true);
  }
  ASSERT_THAT(two.hangs.open(), SizeIs(1));
  EXPECT_EQ(two.hangs.open().front().operation, "ReduceScatter");
  EXPECT_EQ(two.hangs.open().front().ranks[0].operation, "Broadcast");
}

TEST(Hangs, OfTwoThatDifferNoneIsRight) {
  Two two;
  for (int i = 0; i < 8; ++i, two.now_ns += kHangPeriod_ns) {
    two.say(0, 1, 4, 3);
    two.say(1, 1, 4, 3, "Broadcast");
    (void)two.hangs.advance(true);
  }
  ASSERT_THAT(two.hangs.open(), SizeIs(1));
  const Hang& hang = two.hangs.open().front();
  EXPECT_EQ(hang.kind, HangKind::kMismatch);
  EXPECT_EQ(ranks_of(hang), (std::set<uint32_t>{0, 1}));
  EXPECT_LE(hang.confidence, 0.5);
  EXPECT_EQ(hang.ranks[1].operation, "Broadcast");
}

}  // namespace
}  // namespace ingero::fleet::detect
