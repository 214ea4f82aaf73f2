// Every way a handle comes and goes, and what may be said of it in between.
#include "correlate/communicators.h"

#include <cstring>

#include "collective_calls.h"
#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

using ::testing::Optional;

constexpr uint64_t kChild = 0x2000;

TEST(FoldId, TakesAllOfThe128Bytes) {
  std::array<std::byte, 128> id{};
  const auto zeros = fold_id(id);
  ASSERT_TRUE(zeros);
  for (const size_t at : {size_t{0}, size_t{7}, size_t{8}, size_t{64}, size_t{127}}) {
    auto other = id;
    other[at] = std::byte{1};
    EXPECT_NE(fold_id(other), zeros) << at;
  }
  // Words that change places are another identity.
  auto one = id, two = id;
  one[0] = two[8] = std::byte{1};
  EXPECT_NE(fold_id(one), fold_id(two));
  EXPECT_FALSE(fold_id(std::span(id).first(127)));
}

TEST(Communicators, AnInitialisedOneIsKnownAndItsCollectivesAreNumbered) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 4);
  for (uint64_t number = 1; number <= 3; ++number) {
    const Exchange call = feeder.collect(kPid, kHandle);
    EXPECT_THAT(call.number, Optional(number));
    EXPECT_THAT(feeder.of(call).rank, Optional(0));  // rank 0 is a rank
    EXPECT_THAT(feeder.of(call).nranks, Optional(4));
    EXPECT_THAT(feeder.of(call).comm_id_hash, Optional(77U));
  }
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_unknown), 0U);
}

TEST(Communicators, TheSameHandleInAnotherProcessIsAnotherOne) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 2);
  feeder.init(kPid + 1, kHandle, 1, 2);
  EXPECT_THAT(feeder.at(kPid, kHandle).rank, Optional(0));
  EXPECT_THAT(feeder.at(kPid + 1, kHandle).rank, Optional(1));
  EXPECT_THAT(feeder.collect(kPid + 1, kHandle).number, Optional(2U));
}

TEST(Communicators, OneMadeBeforeTheRecordingIsUnknownAndCountedOnce) {
  Feeder feeder;
  const Exchange first = feeder.collect(kPid, kHandle);
  const Exchange second = feeder.collect(kPid, kHandle);
  EXPECT_FALSE(first.number || second.number);
  EXPECT_EQ(first.communicator_id, second.communicator_id);
  EXPECT_FALSE(feeder.of(first).rank || feeder.of(first).nranks || feeder.of(first).comm_id_hash);
  EXPECT_EQ(feeder.of(first).made_by, Role::kNone);
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_unknown), 1U);
}

TEST(Communicators, TheLibrarysOwnAnswersGiveALateOnesRankAndSize) {
  Feeder feeder;
  Exchange rank;
  rank.role = Role::kAsk;
  rank.communicator = kHandle;
  rank.rank = 3;
  feeder.manage(kPid, rank);
  Exchange size;
  size.role = Role::kAsk;
  size.communicator = kHandle;
  size.nranks = 8;
  feeder.manage(kPid, size);
  const hal::Communicator known = feeder.at(kPid, kHandle);
  EXPECT_THAT(known.rank, Optional(3));
  EXPECT_THAT(known.nranks, Optional(8));
  EXPECT_FALSE(known.comm_id_hash);
}

// (C1)
TEST(Communicators, AHandleUsedAgainInheritsNothing) {
  Feeder feeder;
  for (const Role gone : {Role::kDestroy}) {
    feeder.init(kPid, kHandle, 2, 4, 1);
    const Exchange before = feeder.collect(kPid, kHandle);
    feeder.on(kPid, kHandle, gone);
    const Exchange after = feeder.collect(kPid, kHandle);
    EXPECT_NE(before.communicator_id, after.communicator_id);
    EXPECT_FALSE(feeder.of(after).rank || feeder.of(after).comm_id_hash || after.number);
    EXPECT_TRUE(feeder.of(before).ended_mono_ns);
  }
  feeder.init(kPid, kHandle, 0, 2, 9);
  const Exchange again = feeder.collect(kPid, kHandle);
  EXPECT_THAT(again.number, Optional(1U));
  EXPECT_THAT(feeder.of(again).comm_id_hash, Optional(9U));
}

TEST(Communicators, AFailedDestructionEndsItToo) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 2, 4);
  Exchange destroy;
  destroy.role = Role::kDestroy;
  destroy.communicator = kHandle;
  feeder.manage(kPid, destroy, true);
  EXPECT_FALSE(feeder.at(kPid, kHandle).rank);
}

TEST(Communicators, FinalizeAndRevokeLeaveItWhoItIs) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 2, 4);
  feeder.on(kPid, kHandle, Role::kRevoke);
  EXPECT_THAT(feeder.at(kPid, kHandle).rank, Optional(2));
  const Exchange finalize = feeder.on(kPid, kHandle, Role::kFinalize);
  EXPECT_THAT(feeder.of(finalize).rank, Optional(2));
}

// Destroying takes long: another thread can be given the handle before it returns. The record of the call that began
// first comes last.
TEST(Communicators, ADestructionThatEndsLateIsOfTheOldOne) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 4, 1);
  Event destroy = event_of("manage", kPid, feeder.now += 10'000);
  destroy.duration_ns = 1'000'000;
  feeder.init(kPid, kHandle, 1, 4, 2);
  Exchange exchange;
  exchange.role = Role::kDestroy;
  exchange.communicator = kHandle;
  feeder.feed(destroy, exchange);
  EXPECT_THAT(feeder.at(kPid, kHandle).comm_id_hash, Optional(2U));
}

TEST(Communicators, ACallThatBeganBeforeItsHandleWasMadeIsNotOnIt) {
  Feeder feeder;
  const Event early = event_of("collect", kPid, feeder.now);
  feeder.init(kPid, kHandle, 1, 4);
  const Exchange call = feeder.collect(early, kHandle);
  EXPECT_FALSE(call.communicator_id || call.number);
}

TEST(Communicators, AFailedMakingMakesNothing) {
  Feeder feeder;
  Exchange exchange;
  exchange.role = Role::kInit;
  exchange.new_communicator = kHandle;
  exchange.rank = 1;
  exchange.nranks = 2;
  feeder.manage(kPid, exchange, true);
  EXPECT_FALSE(feeder.at(kPid, kHandle).rank);
}

TEST(Communicators, RanksThatCannotBeAreNotKept) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 7, 4);
  EXPECT_FALSE(feeder.at(kPid, kHandle).rank);
  feeder.init(kPid, kHandle, -1, 4);
  EXPECT_FALSE(feeder.at(kPid, kHandle).rank);
}

// (C4)
TEST(Communicators, OnlyCollectivesThatCountAreNumbered) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 2);
  Event failed = event_of("collect", kPid, feeder.now += 10'000);
  failed.failed = true;
  EXPECT_FALSE(feeder.collect(failed, kHandle).number);
  Event part = event_of("collect", kPid, feeder.now += 10'000);
  part.parent_call = call_named("collect");
  part.set(Has::kParent);
  const Exchange inner = feeder.collect(part, kHandle);
  EXPECT_TRUE(inner.is_part);
  EXPECT_FALSE(inner.number);
  Event sent = event_of("send", kPid, feeder.now += 10'000);
  EXPECT_FALSE(feeder.collect(sent, kHandle).number);
  Event hanging = event_of("collect", kPid, feeder.now += 10'000);
  hanging.outcome = Outcome::kInFlight;
  EXPECT_THAT(feeder.collect(hanging, kHandle).number, Optional(1U));
  EXPECT_THAT(feeder.collect(kPid, kHandle).number, Optional(1U));  // the same call, returned
  EXPECT_THAT(feeder.collect(kPid, kHandle).number, Optional(2U));
}

// (C3)
TEST(Communicators, ACallLeftWithoutAReturnEndsTheNumbering) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 2);
  Event unwound = event_of("collect", kPid, feeder.now += 10'000);
  unwound.outcome = Outcome::kUnwound;
  feeder.collect(unwound, kHandle);
  const Exchange call = feeder.collect(kPid, kHandle);
  EXPECT_FALSE(call.number);
  EXPECT_THAT(feeder.of(call).rank, Optional(0));
}

// (C3)
TEST(Communicators, LostRecordsEndWhatDependsOnThem) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 2);
  feeder.communicators.take_changes();
  feeder.communicators.lost_collectives();
  const auto changes = feeder.communicators.take_changes();
  ASSERT_THAT(changes, ::testing::SizeIs(1)) << "before its next call, which may never come";
  EXPECT_TRUE(changes.front().numbers_lost);
  EXPECT_FALSE(feeder.collect(kPid, kHandle).number);
  EXPECT_THAT(feeder.at(kPid, kHandle).rank, Optional(0));
  feeder.communicators.lost_communicators();
  EXPECT_FALSE(feeder.at(kPid, kHandle).rank);
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_lost), 2U);
}

TEST(Communicators, AnEndedProcesssHandlesMeanNothing) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 2);
  const uint64_t ended = feeder.now + 5000;
  feeder.init(kPid, kChild, 1, 2);  // the next process of that number
  feeder.communicators.process_ended(kPid, ended);
  EXPECT_FALSE(feeder.at(kPid, kHandle).rank);
  EXPECT_THAT(feeder.at(kPid, kChild).rank, Optional(1));
}

TEST(Communicators, InitAllOfOneIsWhole) {
  Feeder feeder;
  Exchange all;
  all.role = Role::kInitAll;
  all.nranks = 1;
  all.new_communicator = kHandle;
  feeder.manage(kPid, all);
  EXPECT_THAT(feeder.at(kPid, kHandle).rank, Optional(0));
  EXPECT_THAT(feeder.at(kPid, kHandle).nranks, Optional(1));
}

TEST(Communicators, InitAllKnowsAnyNumberOfRanksFromTheCallersArray) {
  static constexpr uint64_t kMany = 20;
  Feeder feeder([](uint32_t pid, uint64_t address, std::span<uint64_t> words) {
    EXPECT_EQ(pid, kPid);
    EXPECT_EQ(address, 0x5000U);
    EXPECT_EQ(words.size(), kMany);
    for (size_t i = 0; i < words.size(); ++i) words[i] = 0x10000 + i * 64;
    return true;
  });
  Exchange all;
  all.role = Role::kInitAll;
  all.nranks = kMany;
  all.communicators = 0x5000;
  all.new_communicator = 0x10000;
  feeder.manage(kPid, all);
  std::set<uint64_t> identities;
  for (size_t i = 0; i < kMany; ++i) {
    const hal::Communicator known = feeder.at(kPid, 0x10000 + i * 64);
    EXPECT_THAT(known.rank, Optional(static_cast<int32_t>(i)));
    EXPECT_THAT(known.nranks, Optional(static_cast<int32_t>(kMany)));
    identities.insert(known.comm_id_hash.value_or(0));
  }
  EXPECT_EQ(identities.size(), 1U);
  EXPECT_FALSE(identities.contains(0));
}

TEST(Communicators, AnArrayThatSaysOtherwiseThanTheCallIsNotBelieved) {
  for (const uint64_t first : {0x10000UL, 0x99UL}) {
    Feeder feeder([first](uint32_t, uint64_t, std::span<uint64_t> words) {
      for (auto& word : words) word = first;  // written over, or the same handle everywhere
      return true;
    });
    Exchange all;
    all.role = Role::kInitAll;
    all.nranks = 3;
    all.communicators = 0x5000;
    all.new_communicator = 0x10000;
    feeder.manage(kPid, all);
    EXPECT_THAT(feeder.at(kPid, 0x10000).rank, Optional(0));
    EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_unknown), 1U);
  }
}

TEST(Communicators, ASplitsRanksStandByKeyThenByTheirOldRank) {
  Feeder feeder;
  constexpr int32_t kRanks = 6;
  for (int32_t rank = 0; rank < kRanks; ++rank) feeder.init(kPid + static_cast<uint32_t>(rank), kHandle, rank, kRanks);
  // Colour 1: ranks 1, 3, 5 with keys 9, 0, 9. Colour 0: 0, 2 with one key. Rank 4 takes no part.
  const int32_t colors[] = {0, 1, 0, 1, -1, 1};
  const int32_t keys[] = {5, 9, 5, 0, 0, 9};
  for (int32_t rank = kRanks - 1; rank >= 0; --rank) {
    feeder.split(kPid + static_cast<uint32_t>(rank), kHandle, colors[rank], keys[rank], rank == 4 ? 0 : kChild);
    const bool is_last = rank == 0;
    if (rank == 5) {
      EXPECT_FALSE(feeder.at(kPid + 5, kChild).rank) << "not all have been here";
    }
    if (is_last) {
      EXPECT_THAT(feeder.at(kPid + 5, kChild).rank, Optional(2));
    }
  }
  const auto child = [&](uint32_t rank) { return feeder.at(kPid + rank, kChild); };
  EXPECT_THAT(child(3).rank, Optional(0));
  EXPECT_THAT(child(1).rank, Optional(1));
  EXPECT_THAT(child(0).rank, Optional(0));
  EXPECT_THAT(child(2).rank, Optional(1));
  EXPECT_THAT(child(1).nranks, Optional(3));
  EXPECT_THAT(child(2).nranks, Optional(2));
  EXPECT_EQ(child(1).comm_id_hash, child(5).comm_id_hash);
  EXPECT_NE(child(1).comm_id_hash, child(0).comm_id_hash);
  EXPECT_NE(child(1).comm_id_hash, feeder.at(kPid + 1, kHandle).comm_id_hash);
  EXPECT_TRUE(child(1).parent_id);
}

// (C2)
TEST(Communicators, ASplitWithRanksElsewhereHasAnIdentityButNoRank) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 4);
  feeder.init(kPid + 1, kHandle, 1, 4);
  feeder.split(kPid, kHandle, 0, 0, kChild);
  feeder.split(kPid + 1, kHandle, 0, 0, kChild);
  EXPECT_FALSE(feeder.at(kPid, kChild).rank || feeder.at(kPid, kChild).nranks);
  EXPECT_TRUE(feeder.at(kPid, kChild).comm_id_hash);
  EXPECT_EQ(feeder.at(kPid, kChild).comm_id_hash, feeder.at(kPid + 1, kChild).comm_id_hash);
  EXPECT_THAT(feeder.collect(kPid, kChild).number, Optional(5U));
}

TEST(Communicators, TwoSplitsOfOneColourAreTwoCommunicators) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 1);
  feeder.split(kPid, kHandle, 0, 0, kChild);
  feeder.split(kPid, kHandle, 0, 0, kChild + 8);
  EXPECT_NE(feeder.at(kPid, kChild).comm_id_hash, feeder.at(kPid, kChild + 8).comm_id_hash);
}

TEST(Communicators, AfterAFailedSplitItsSuccessorsAreNotMatched) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 1);
  feeder.split(kPid, kHandle, 0, 0, kChild, true);
  feeder.split(kPid, kHandle, 0, 0, kChild);
  EXPECT_FALSE(feeder.at(kPid, kChild).rank || feeder.at(kPid, kChild).comm_id_hash);
}

TEST(Communicators, ASplitOfALateOneSaysNothingOfItsRank) {
  Feeder feeder;
  feeder.split(kPid, kHandle, 0, 0, kChild);
  EXPECT_FALSE(feeder.at(kPid, kChild).rank || feeder.at(kPid, kChild).nranks || feeder.at(kPid, kChild).comm_id_hash);
}

Exchange shrinking(std::vector<int32_t> excluded, uint64_t count) {
  Exchange exchange;
  exchange.role = Role::kShrink;
  exchange.communicator = kHandle;
  exchange.new_communicator = kChild;
  exchange.count = count;
  exchange.excluded = std::move(excluded);
  return exchange;
}

TEST(Communicators, AShrunkOnesRanksCloseUp) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 5, 8);
  feeder.init(kPid + 1, kHandle, 0, 8);
  feeder.manage(kPid, shrinking({1, 7, 2, 0x7777}, 3));  // what is behind the list is not part of it
  feeder.manage(kPid + 1, shrinking({1, 7, 2}, 3));
  EXPECT_THAT(feeder.at(kPid, kChild).rank, Optional(3));
  EXPECT_THAT(feeder.at(kPid, kChild).nranks, Optional(5));
  EXPECT_THAT(feeder.at(kPid + 1, kChild).rank, Optional(0));
  EXPECT_TRUE(feeder.at(kPid, kChild).comm_id_hash);
  EXPECT_EQ(feeder.at(kPid, kChild).comm_id_hash, feeder.at(kPid + 1, kChild).comm_id_hash);
}

TEST(Communicators, AListThatCannotBeReadLeavesTheShrunkRankUnknown) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 5, 8);
  feeder.manage(kPid, shrinking({1, 2}, 3));
  EXPECT_FALSE(feeder.at(kPid, kChild).rank);
  EXPECT_THAT(feeder.at(kPid, kChild).nranks, Optional(5));
  feeder.manage(kPid, shrinking({1, 1, 2}, 3));
  EXPECT_FALSE(feeder.at(kPid, kChild).rank) << "a rank named twice";
}

TEST(Communicators, AGrownOneKeepsOldRanksAndTakesNewOnesAsReported) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 2);
  feeder.init(kPid + 1, kHandle, 1, 2);
  const auto grow = [&](uint32_t pid, uint64_t old, int32_t rank, std::optional<uint64_t> id) {
    Exchange exchange;
    exchange.role = Role::kGrow;
    exchange.communicator = old;
    exchange.new_communicator = kChild;
    exchange.rank = rank;
    exchange.nranks = 3;
    exchange.id_hash = id;
    feeder.manage(pid, exchange);
  };
  grow(kPid + 1, kHandle, -1, std::nullopt);
  EXPECT_FALSE(feeder.at(kPid + 1, kChild).comm_id_hash);
  grow(kPid, kHandle, -1, 55);  // the coordinator has the identity
  grow(kPid + 2, 0, 2, 55);
  for (uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(feeder.at(kPid + rank, kChild).rank, Optional(static_cast<int32_t>(rank)));
    EXPECT_THAT(feeder.at(kPid + rank, kChild).nranks, Optional(3));
    EXPECT_THAT(feeder.at(kPid + rank, kChild).comm_id_hash, Optional(55U));
  }
}

TEST(Communicators, AGroupIsFromItsOutermostBeginningToTheMatchingEnd) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 2);
  const auto bracket = [&](Role role) {
    Exchange exchange;
    exchange.role = role;
    return feeder.manage(kPid, exchange).group;
  };
  EXPECT_FALSE(feeder.collect(kPid, kHandle).group);
  const auto group = bracket(Role::kGroupStart);
  ASSERT_TRUE(group);
  EXPECT_EQ(bracket(Role::kGroupStart), group);
  EXPECT_EQ(feeder.collect(kPid, kHandle).group, group);
  EXPECT_FALSE(feeder.collect(event_of("collect", kPid, feeder.now += 10, kPid + 7), kHandle).group)
      << "another thread";
  EXPECT_EQ(bracket(Role::kGroupEnd), group);
  EXPECT_EQ(feeder.collect(kPid, kHandle).group, group);
  EXPECT_EQ(bracket(Role::kGroupEnd), group);
  EXPECT_FALSE(feeder.collect(kPid, kHandle).group);
  EXPECT_FALSE(bracket(Role::kGroupEnd)) << "an end without a beginning";
}

TEST(Communicators, ChangesAreReportedOnceWithTheirLatestState) {
  Feeder feeder;
  feeder.init(kPid, kHandle, 0, 1);
  feeder.on(kPid, kHandle, Role::kDestroy);
  const auto reported = feeder.communicators.take_changes();
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_TRUE(reported[0].ended_mono_ns);
  EXPECT_TRUE(feeder.communicators.take_changes().empty());
}

// (C5)
TEST(Communicators, ThoseThatHaveEndedAreForgottenFirstAndNotCounted) {
  Feeder feeder;
  feeder.init(kPid, 0x1000, 1, 2);
  const Exchange ended = feeder.collect(kPid, 0x1000);
  feeder.on(kPid, 0x1000, Role::kDestroy);
  for (uint64_t i = 0; i < Communicators::kMaxCommunicators; ++i) {
    feeder.init(kPid, 0x100000 + i * 8, 0, 1);
    feeder.communicators.take_changes();
  }
  EXPECT_EQ(feeder.communicators.find(*ended.communicator_id), nullptr);
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_lost), 0U);
  EXPECT_THAT(feeder.at(kPid, 0x100000).rank, Optional(0)) << "the oldest that lives";
}

TEST(Communicators, GroupsThatDoNotFitAreCounted) {
  Feeder feeder;
  Exchange begin;
  begin.role = Role::kGroupStart;
  for (uint32_t tid = 1; tid <= Communicators::kMaxGroups; ++tid) {
    feeder.feed(event_of("manage", kPid, feeder.now += 10, tid), begin);
  }
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_lost), 0U);
  feeder.feed(event_of("manage", kPid, feeder.now += 10, Communicators::kMaxGroups + 1), begin);
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_lost), Communicators::kMaxGroups);
}

// (C2)
TEST(Communicators, OneWhoseMakingWasNotSeenIsWhatItsLibrarySays) {
  std::map<uint64_t, hal::LiveCommunicator> memory = {{0x1000, {1, 4, 0xabc}}, {0x2000, {0, 2, std::nullopt}}};
  uint64_t asked = 0;
  Feeder feeder({}, [&](const Event&, uint64_t handle) -> std::optional<hal::LiveCommunicator> {
    ++asked;
    const auto found = memory.find(handle);
    return found == memory.end() ? std::nullopt : std::optional(found->second);
  });
  const hal::Communicator known = feeder.at(kPid, 0x1000);
  EXPECT_THAT(known.rank, Optional(1));
  EXPECT_THAT(known.nranks, Optional(4));
  EXPECT_THAT(known.comm_id_hash, Optional(0xabc));
  EXPECT_THAT(known.library_hash, Optional(0xabc));
  EXPECT_EQ(known.made_by, Role::kNone);
  EXPECT_FALSE(feeder.collect(kPid, 0x1000).number) << "how many there were before is not known";
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_unknown), 0U);
  EXPECT_EQ(asked, 1U) << "once for a handle";
  EXPECT_THAT(feeder.at(kPid, 0x2000).nranks, Optional(2));
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_unknown), 1U) << "without an identity";
  EXPECT_FALSE(feeder.at(kPid, 0x3000).rank);
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_unknown), 2U);
  memory[0x3000] = {1, 2, 0x333};
  feeder.communicators.take_changes();
  EXPECT_THAT(feeder.at(kPid, 0x3000).rank, Optional(1)) << "it was not made to the end before";
  EXPECT_THAT(feeder.communicators.take_changes(), ::testing::SizeIs(1));
  asked = 0;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(feeder.at(kPid, 0x5000).rank);
  EXPECT_EQ(asked, 3U) << "not for ever";
}

TEST(Communicators, OneThatWasSeenToBeMadeIsWhatWasPassedThenAndHasItsLibrarysNumberToo) {
  std::optional<hal::LiveCommunicator> live = hal::LiveCommunicator{3, 8, 0xdef};
  uint64_t asked = 0;
  Feeder feeder({}, [&](const Event&, uint64_t) {
    ++asked;
    return live;
  });
  feeder.init(kPid, kHandle, 1, 2);
  EXPECT_THAT(feeder.at(kPid, kHandle).comm_id_hash, Optional(77));
  EXPECT_THAT(feeder.at(kPid, kHandle).rank, Optional(1));
  EXPECT_FALSE(feeder.at(kPid, kHandle).library_hash) << "what is read there now is another one";
  EXPECT_EQ(asked, 3U) << "not for ever";
  feeder.init(kPid, kHandle, 1, 2);
  live = {1, 2, 0xdef};
  asked = 0;
  feeder.communicators.take_changes();
  for (uint64_t number = 1; number <= 5; ++number) {
    EXPECT_THAT(feeder.collect(kPid, kHandle).number, Optional(number))
        << "its collectives are counted from its making";
  }
  EXPECT_THAT(feeder.communicators.take_changes(), ::testing::SizeIs(1));
  EXPECT_THAT(feeder.at(kPid, kHandle).comm_id_hash, Optional(77));
  EXPECT_THAT(feeder.at(kPid, kHandle).library_hash, Optional(0xdef));
  EXPECT_EQ(asked, 1U) << "once for a handle";
}

TEST(Communicators, AChildIsWhatItsLibrarySaysWhereverItsParentsRanksAre) {
  const std::map<uint64_t, hal::LiveCommunicator> memory = {
      {0x1000, {5, 8, 0xabc}}, {0x2000, {2, 4, 0x111}}, {0x3000, {1, 4, 0x222}}};
  Feeder feeder({}, [&](const Event&, uint64_t handle) -> std::optional<hal::LiveCommunicator> {
    const auto found = memory.find(handle);
    return found == memory.end() ? std::nullopt : std::optional(found->second);
  });
  feeder.collect(kPid, 0x1000);
  feeder.split(kPid, 0x1000, 1, 5, 0x2000);
  EXPECT_THAT(feeder.at(kPid, 0x2000).rank, Optional(2));
  EXPECT_THAT(feeder.at(kPid, 0x2000).comm_id_hash, Optional(0x111)) << "its parent's children before are not known";
  // Of a parent that is known from its making the identity is ours, as on the hosts that have it from there.
  feeder.init(kPid, 0x4000, 1, 8);
  const uint64_t parent = *feeder.at(kPid, 0x4000).comm_id_hash;
  feeder.split(kPid, 0x4000, 1, 1, 0x3000);
  EXPECT_THAT(feeder.at(kPid, 0x3000).rank, Optional(1));
  EXPECT_THAT(feeder.at(kPid, 0x3000).nranks, Optional(4));
  EXPECT_NE(feeder.at(kPid, 0x3000).comm_id_hash, 0x222U);
  EXPECT_NE(feeder.at(kPid, 0x3000).comm_id_hash, parent);
}

// A program that makes a collective of 1 us every `every_ns`, `before` of them unseen, and what its library counts.
class CountedTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kHandle = 0x1000, kBefore = 7;
  uint64_t every_ns = 30'000'000;
  uint64_t read_after_ns = 10'000'000;  // a call's end: its record is taken then
  uint64_t made = 0;                    // seen ones
  uint64_t counted_too = 0;             // what the library counts and no record shows, or the reverse
  unsigned reads = 0;
  Feeder feeder{{}, [this](const Event& call, uint64_t) -> std::optional<hal::LiveCommunicator> {
                  ++reads;
                  hal::LiveCommunicator live{.rank = 1, .nranks = 4, .identity = 0xabc};
                  live.read_from_mono_ns = live.read_to_mono_ns = call.end_mono_ns() + read_after_ns;
                  const uint64_t begun = (live.read_from_mono_ns - kFirst) / every_ns + 1;
                  live.collectives = kBefore + counted_too + begun;
                  return live;
                }};
  static constexpr uint64_t kFirst = 1'000'000'000;

  std::optional<uint64_t> next(std::string_view call = "collect") {
    Exchange exchange;
    exchange.communicator = kHandle;
    return feeder.feed(event_of(call, kPid, kFirst + every_ns * made++), exchange).number;
  }
  // How far the next one's number is from the library's.
  int64_t next_from_right() {
    const auto number = next();
    EXPECT_TRUE(number);
    return static_cast<int64_t>(number.value_or(0)) - static_cast<int64_t>(kBefore + made);
  }
  // The number of seen calls without a number, up to the first with one.
  size_t unnumbered() {
    for (size_t n = 0; n < 1000; ++n) {
      if (const auto number = next()) {
        EXPECT_EQ(*number, kBefore + made);
        return n;
      }
    }
    return 1000;
  }
};

// (C3)
TEST_F(CountedTest, NumbersGoOnFromTheLibrarysOwnCount) {
  EXPECT_EQ(unnumbered(), 3U) << "each reading is settled by the next call";
  EXPECT_EQ(next_from_right(), 0);
  const unsigned first = reads;
  for (int i = 0; i < 200; ++i) EXPECT_EQ(next_from_right(), 0);
  EXPECT_LE(reads, first + 7) << "once a second";
}

TEST_F(CountedTest, RecordsThatComeLateAreNoMatter) {
  every_ns = 1'000'000;
  read_after_ns = 50'500'000;  // 50 calls later
  EXPECT_LE(unnumbered(), 250U);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(next_from_right(), 0);
}

TEST_F(CountedTest, AReadingWhileACallRunsSaysNothing) {
  read_after_ns = every_ns - 1000;  // when the next begins
  EXPECT_EQ(unnumbered(), 1000U);
  EXPECT_LE(reads, 202U) << "not for ever";
}

TEST_F(CountedTest, WhatCountsOtherwiseEndsTheNumbers) {
  unnumbered();
  ++counted_too;
  size_t numbered = 0;
  while (next() && numbered < 1000) ++numbered;
  EXPECT_LE(numbered, 40U) << "within a second";
  EXPECT_EQ(unnumbered(), 1000U) << "and for good";
}

TEST_F(CountedTest, ACallThatTheLibraryDoesNotCountEndsTheNumbers) {
  unnumbered();
  EXPECT_FALSE(next("collect_uncounted"));
  EXPECT_EQ(unnumbered(), 1000U);
}

TEST_F(CountedTest, ReadingsAreBoundedOverAllCommunicators) {
  for (uint64_t one = 0; one < 1000; ++one) {
    Exchange exchange;
    exchange.communicator = kHandle + 0x1000 * one;
    feeder.feed(event_of("collect", kPid, kFirst + one * 2000), exchange);
  }
  EXPECT_EQ(reads, 1000U + 100U) << "each to find out what it is, and a hundred counts a second";
}

TEST_F(CountedTest, AfterALossTheyAreFoundAgain) {
  unnumbered();
  made += 5;
  feeder.communicators.lost_collectives();
  EXPECT_TRUE(feeder.communicators.find(1)->numbers_lost);
  EXPECT_FALSE(next());
  EXPECT_LE(unnumbered(), 40U);
  EXPECT_FALSE(feeder.communicators.find(1)->numbers_lost);
  EXPECT_EQ(next_from_right(), 0);
}

// (C5)
TEST(Communicators, MemoryIsBounded) {
  Feeder feeder;
  for (uint64_t i = 0; i < Communicators::kMaxCommunicators + 100; ++i) {
    feeder.init(kPid, 0x100000 + i * 8, 0, 1);
    feeder.communicators.take_changes();
  }
  EXPECT_EQ(feeder.ledger.count(hal::Loss::communicator_lost), 100U);
  EXPECT_FALSE(feeder.at(kPid, 0x100000).rank);
  EXPECT_THAT(feeder.at(kPid, 0x100000 + 5000 * 8).rank, Optional(0));
}

}  // namespace
}  // namespace ingero::correlate::testing
