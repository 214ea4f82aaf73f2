// Who was waited for: every nanosecond has one cause, paths end, and what is kept of them is bounded.
#include "correlate/blame.h"

#include <random>

#include <gtest/gtest.h>

#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

// Threads 1 to n, each a role of its own.
class Waiters {
 public:
  void sleep(uint32_t tid, uint64_t from_ns, uint64_t to_ns, uint32_t waker, TimeClass why = TimeClass::kFutex,
             uint64_t object = 0, uint32_t file_system = 0) {
    OffSpan off;
    off.out_ns = from_ns;
    off.woken_ns = off.in_ns = to_ns;
    off.why = why;
    off.waker_tid = waker;
    off.object = object;
    off.file_system = file_system;
    if (why == TimeClass::kFutex) off.kind = static_cast<uint8_t>(hal::WaitKind::kFutex);
    threads_[tid].add(off);
  }
  // In recv(2), on one end of a connection.
  void receive(uint32_t tid, uint64_t from_ns, uint64_t to_ns, uint32_t waker, uint16_t port, uint16_t peer_port,
               bool is_accepted) {
    OffSpan off;
    off.out_ns = from_ns;
    off.woken_ns = off.in_ns = to_ns;
    off.why = TimeClass::kSocket;
    off.waker_tid = waker;
    off.is_client = is_accepted;
    off.peer.local_port = port;
    off.peer.peer_port = peer_port;
    threads_[tid].add(off);
  }
  Blame::Thread thread(uint32_t tid) {
    const auto known = threads_.find(tid);
    if (known == threads_.end()) return {};
    return {&known->second, tid, blame.role(1, "thread-" + std::to_string(tid), tid, false)};
  }
  std::vector<Blame::Share> walk(uint32_t tid, uint64_t from_ns, uint64_t to_ns) {
    for (auto& [its, time] : threads_) time.sort();
    std::vector<Blame::Share> shares;
    for (const Piece& piece : thread(tid).time->pieces(from_ns, to_ns)) {
      const auto find = [this](uint32_t waker, uint32_t) { return thread(waker); };
      blame.walk(thread(tid), piece, piece.from_ns, piece.to_ns, find, shares);
    }
    return shares;
  }
  // The roles from the root to the cause.
  std::vector<uint32_t> roles(uint32_t cause) const {
    std::vector<uint32_t> found;
    for (uint32_t id = cause; id != 0; id = blame.cause(id).parent) found.push_back(blame.cause(id).role);
    return found;
  }

  hal::LossLedger ledger;
  Blame blame{ledger, [](const OffSpan& wait, uint32_t) { return wait.is_client; }};

 private:
  std::map<uint32_t, ThreadTime> threads_;
};

// (A1, A2)
TEST(Blame, EveryNanosecondHasOneCauseAndNoThreadIsOnItsPathTwice) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    Waiters some;
    for (uint32_t tid = 1; tid <= 12; ++tid) {
      for (uint64_t at = random() % 500; at < 10'000;) {
        const uint64_t end = at + 1 + random() % 900;
        some.sleep(tid, at, end, static_cast<uint32_t>(random() % 14));  // 0: no thread; 13: not followed
        at = end + random() % 200;
      }
    }
    const uint64_t from = random() % 1000, to = 8000 + random() % 1000;
    uint64_t sum = 0;
    for (const Blame::Share& share : some.walk(1, from, to)) {
      sum += share.ns;
      const std::vector<uint32_t> path = some.roles(share.cause);
      EXPECT_LE(path.size(), Blame::kMaxDepth) << "seed " << seed;
      EXPECT_EQ(std::set<uint32_t>(path.begin(), path.end()).size(), path.size()) << "seed " << seed;
    }
    EXPECT_EQ(sum, to - from) << "seed " << seed;
  }
}

// A server that waits for its client has no work, unless it is that client who waits for the answer.
TEST(Blame, WhereBothEndsOfAConnectionWaitItIsOnItsWay) {
  Waiters some;
  some.receive(1, 100, 1000, 2, 40'000, 9000, false);
  some.receive(2, 50, 900, 0, 9000, 40'000, true);
  const auto shares = some.walk(1, 100, 1000);
  ASSERT_EQ(shares.size(), 2U);
  ASSERT_NE(shares[0].cause, Blame::kClient);
  EXPECT_EQ(shares[0].ns, 800U);
  EXPECT_TRUE(some.blame.cause(shares[0].cause).is_on_its_way);
  EXPECT_EQ(some.roles(shares[0].cause).size(), 2U);
  EXPECT_EQ(shares[1].ns, 100U) << "it answers";

  Waiters others;
  others.receive(1, 100, 1000, 2, 40'000, 9000, false);
  others.receive(2, 50, 900, 0, 9000, 40'001, true);  // another client's
  const auto of_others = others.walk(1, 100, 1000);
  ASSERT_EQ(of_others.size(), 2U);
  EXPECT_EQ(of_others[0].cause, Blame::kClient);
}

// (A2)
TEST(Blame, AChainOfWakersIsFollowedSoFarAndNoFarther) {
  Waiters some;
  for (uint32_t tid = 1; tid <= 2 * Blame::kMaxDepth; ++tid) some.sleep(tid, 0, 1000, tid + 1);
  const auto shares = some.walk(1, 0, 1000);
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_EQ(some.roles(shares.front().cause).size(), Blame::kMaxDepth);
}

// One with three quarters is found, whatever the order; one without half never is.
TEST(Blame, WhatMostOfATimeWasIsFoundInTheRoomOfOne) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    std::map<uint64_t, uint64_t> of;
    Most<uint64_t> both[2], found;
    uint64_t all = 0;
    for (size_t i = 0; i < 200; ++i) {
      const uint64_t value = random() % 100 < seed / 3 ? 7 : 1 + random() % 5, ns = 1 + random() % 100;
      of[value] += ns;
      all += ns;
      both[i % 2].add(value, ns);
    }
    found.add(both[0]);
    found.add(both[1]);
    EXPECT_EQ(found.all_ns, all);
    const uint64_t most = found.value_of_most();
    EXPECT_TRUE(most == 0 || 2 * of[most] >= all) << "seed " << seed;
    for (const auto& [value, ns] : of) EXPECT_TRUE(4 * ns < 3 * all || most == value) << "seed " << seed;
  }
}

// A lock is named where most of a wait was for that one; first comes one that hardly matters.
TEST(Blame, TheObjectOfACauseIsWhatMostOfItWasWaitedFor) {
  const auto object_of = [](uint64_t others_ns) {
    Waiters some;
    some.sleep(1, 0, others_ns, 0, TimeClass::kFutex, 0xa00);
    some.sleep(1, 1000, 1500, 0, TimeClass::kFutex, 0xb00);
    some.sleep(1, 1500, 2000, 0, TimeClass::kFutex, 0xb04);  // a condition's other word
    (void)some.walk(1, 0, 2000);
    return some.blame.cause(1).object.value_of_most().object;
  };
  EXPECT_EQ(object_of(100), 0xb00U);
  EXPECT_EQ(object_of(900), 0U);
}

TEST(Blame, FilesOfTwoFileSystemsAreTwoWhateverTheirInodes) {
  Waiters some;
  some.sleep(1, 0, 300, 0, TimeClass::kDisk, 4711, 27);
  some.sleep(1, 300, 700, 0, TimeClass::kDisk, 4711, 28);
  some.sleep(1, 700, 1000, 0, TimeClass::kDisk, 4711, 27);
  const auto shares = some.walk(1, 0, 1000);
  ASSERT_EQ(some.blame.causes().size(), 2U);
  EXPECT_EQ(some.blame.cause(1).object.value_of_most(), (WaitedFor{4711, 27}));
  EXPECT_EQ(some.blame.cause(1).object.all_ns, 600U);
  EXPECT_EQ(some.blame.cause(2).object.value_of_most(), (WaitedFor{4711, 28}));
}

// (A3)
TEST(Blame, RolesAndCausesAreBounded) {
  Waiters some;
  for (uint32_t pid = 1; pid <= Blame::kMaxRoles + 5; ++pid) {
    (void)some.blame.role(pid, "worker", pid, false);
    (void)some.blame.role(1, "pool", pid, false);
  }
  EXPECT_EQ(some.blame.roles().size(), Blame::kMaxRoles);
  for (const BlameRole& role : some.blame.roles()) EXPECT_LE(role.pids.size(), Blame::kMaxPids);
  EXPECT_GE(some.ledger.count(hal::Loss::budget_forgotten), 5U);

  // Each read is of another file: a cause of its own, of a thread that waits itself and of one that is waited for.
  for (const uint32_t tid : {1U, 2U}) {
    Waiters many;
    if (tid == 2) many.sleep(1, 0, 100 * Blame::kMaxCauses * 2, 2, TimeClass::kPipe);
    for (uint64_t i = 0; i < 2 * Blame::kMaxCauses; ++i) {
      many.sleep(tid, 100 * i, 100 * i + 50, 0, TimeClass::kDisk, 1 + i);
    }
    uint64_t sum = 0;
    for (const Blame::Share& share : many.walk(1, 0, 100 * Blame::kMaxCauses * 2)) sum += share.ns;
    EXPECT_EQ(sum, 100 * Blame::kMaxCauses * 2);
    EXPECT_LE(many.blame.causes().size(), Blame::kMaxCauses + kTimeClasses * many.blame.roles().size()) << tid;
    EXPECT_GE(many.ledger.count(hal::Loss::budget_forgotten), Blame::kMaxCauses - kTimeClasses) << tid;
  }
}

}  // namespace
}  // namespace ingero::correlate::testing
