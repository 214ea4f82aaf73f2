// Capabilities of a process that is not this one: which are missing, which are given up and in which order, and what a
// refusal leaves.
#include "kernelside/privilege.h"

#include <bpf/btf.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

// Those that older headers do not have.
constexpr unsigned kPerfmon = 38, kBpf = 39, kCheckpointRestore = 40;
constexpr uint64_t kAll = (uint64_t{1} << 41U) - 1;

constexpr uint64_t bits(std::initializer_list<unsigned> numbers) {
  uint64_t all = 0;
  for (const unsigned number : numbers) all |= uint64_t{1} << number;
  return all;
}

constexpr uint64_t kKept = bits({kBpf, kPerfmon, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, kCheckpointRestore});

class PrivilegeTest : public ::testing::Test {
 protected:
  // Each call is noted; `fails` is the one that the kernel refuses.
  PrivilegeCalls calls() {
    const auto done = [this](const std::string& name) {
      made_.push_back(name);
      errno = EPERM;
      return name != fails_;
    };
    return {[this, done](CapabilitySets& sets) {
              sets = sets_;
              return done("get");
            },
            [this, done](const CapabilitySets& sets) {
              const bool is_done = done("set");
              if (is_done) sets_ = sets;
              return is_done;
            },
            [done] { return done("forbid_new"); }, [this](unsigned number) { return number <= newest_; },
            [this] { return (sets_.effective & timer_needs_) == timer_needs_; }};
  }
  std::vector<std::string> missing(uint64_t effective) {
    sets_ = {effective, effective, 0};
    return missing_capabilities(calls());
  }

  CapabilitySets sets_;
  unsigned newest_ = kCheckpointRestore;
  uint64_t timer_needs_ = bits({kPerfmon});
  std::string fails_;
  std::vector<std::string> made_;
};

TEST_F(PrivilegeTest, RootLacksNothing) { EXPECT_TRUE(missing(kAll).empty()); }

TEST_F(PrivilegeTest, AnOrdinaryProcessLacksThoseThatTracingNeedsAndNoOthers) {
  EXPECT_EQ(missing(0), (std::vector<std::string>{"CAP_BPF", "CAP_PERFMON", "CAP_SYS_PTRACE"}));
}

TEST_F(PrivilegeTest, EachIsMissedByItself) {
  EXPECT_EQ(missing(bits({kPerfmon, CAP_SYS_PTRACE})), std::vector<std::string>{"CAP_BPF"});
  EXPECT_EQ(missing(bits({kBpf, CAP_SYS_PTRACE})), std::vector<std::string>{"CAP_PERFMON"});
  EXPECT_EQ(missing(bits({kBpf, kPerfmon})), std::vector<std::string>{"CAP_SYS_PTRACE"});
  EXPECT_TRUE(missing(bits({kBpf, kPerfmon, CAP_SYS_PTRACE})).empty());
}

TEST_F(PrivilegeTest, SysAdminImpliesBpfAndPerfmonOnly) {
  EXPECT_EQ(missing(bits({CAP_SYS_ADMIN})), std::vector<std::string>{"CAP_SYS_PTRACE"});
}

TEST_F(PrivilegeTest, WhatIsPermittedAndNotInEffectIsMissing) {
  sets_ = {0, kAll, kAll};
  EXPECT_EQ(missing_capabilities(calls()).size(), 3U);
}

TEST_F(PrivilegeTest, WhatCannotBeReadIsNotCalledMissing) {
  fails_ = "get";
  EXPECT_TRUE(missing(0).empty());
}

TEST_F(PrivilegeTest, OnlyWhatRecordingNeedsIsKept) {
  sets_ = {kAll, kAll, kAll};
  ASSERT_TRUE(drop_capabilities(Keep::kRecording, {}, calls()).ok());
  EXPECT_EQ(sets_.effective, kKept);
  EXPECT_EQ(sets_.permitted, kKept);
  EXPECT_EQ(sets_.inheritable, 0U) << "a program that it starts gets none";
  EXPECT_TRUE(missing_capabilities(calls()).empty());
}

TEST_F(PrivilegeTest, WhatIsKeptFollowsFromWhatIsStillToBeDone) {
  const std::tuple<Keep, Needs, uint64_t> cases[] = {
      {Keep::kRecording, {.others_folders = true}, kKept | bits({CAP_DAC_OVERRIDE})},
      {Keep::kRecording, {.perf_probes = true}, kKept | bits({CAP_SYS_ADMIN})},
      {Keep::kRecording, {.admin_timers = true}, kKept | bits({CAP_SYS_ADMIN})},
      {Keep::kForeignFiles, {}, bits({CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH})},
      {Keep::kNothing, {}, 0},
  };
  for (const auto& [keep, needs, expected] : cases) {
    sets_ = {kAll, kAll, kAll};
    ASSERT_TRUE(drop_capabilities(keep, needs, calls()).ok());
    EXPECT_EQ(sets_.permitted, expected);
    EXPECT_EQ(sets_.effective, expected);
  }
}

TEST_F(PrivilegeTest, WhereTheKernelHasNoFinerOnesSysAdminIsKept) {
  newest_ = kBpf;  // Linux 5.8
  sets_ = {kAll, kAll, 0};
  ASSERT_TRUE(drop_capabilities(Keep::kRecording, {}, calls()).ok());
  EXPECT_EQ(sets_.permitted & bits({CAP_SYS_ADMIN}), bits({CAP_SYS_ADMIN}));
  sets_ = {kAll, kAll, 0};
  ASSERT_TRUE(drop_capabilities(Keep::kNothing, {}, calls()).ok());
  EXPECT_EQ(sets_.permitted, 0U);
}

TEST_F(PrivilegeTest, SysAdminIsKeptForTimersOnlyWhereItOpensThem) {
  sets_ = {kAll, kAll, 0};
  EXPECT_FALSE(timers_need_admin(calls())) << "CAP_PERFMON is enough";
  timer_needs_ = bits({CAP_SYS_ADMIN});
  EXPECT_TRUE(timers_need_admin(calls()));
  EXPECT_EQ(sets_.effective, kAll) << "it is tried without, and given back";
  sets_.effective = bits({kPerfmon});
  EXPECT_FALSE(timers_need_admin(calls())) << "it is not there";
  sets_.effective = kAll;
  timer_needs_ = bits({63});
  EXPECT_FALSE(timers_need_admin(calls())) << "it does not help";
}

TEST_F(PrivilegeTest, NothingIsGainedByGivingUp) {
  sets_ = {bits({kBpf, CAP_NET_ADMIN}), bits({kBpf, kPerfmon, CAP_NET_ADMIN}), 0};
  ASSERT_TRUE(drop_capabilities(Keep::kRecording, {}, calls()).ok());
  EXPECT_EQ(sets_.effective, bits({kBpf}));
  EXPECT_EQ(sets_.permitted, bits({kBpf, kPerfmon}));
}

TEST_F(PrivilegeTest, TheWayBackIsClosedBeforeAnythingIsGivenUp) {
  ASSERT_TRUE(drop_capabilities(Keep::kRecording, {}, calls()).ok());
  EXPECT_EQ(made_, (std::vector<std::string>{"get", "forbid_new", "set"}));
}

TEST_F(PrivilegeTest, ARefusalSaysWhatWasRefusedAndLeavesThemAsTheyWere) {
  const std::pair<const char*, const char*> cases[] = {
      {"get", "read capabilities: "}, {"forbid_new", "set no_new_privs: "}, {"set", "drop capabilities: "}};
  for (const auto& [call, sentence] : cases) {
    sets_ = {kAll, kAll, 0};
    made_.clear();
    fails_ = call;
    const Status dropped = drop_capabilities(Keep::kRecording, {}, calls());
    ASSERT_FALSE(dropped.ok()) << call;
    EXPECT_TRUE(dropped.error().message().starts_with(sentence)) << dropped.error().message();
    EXPECT_EQ(dropped.error().code(), Errc::kPermission);
    EXPECT_EQ(sets_.effective, kAll) << call;
    EXPECT_EQ(made_.back(), call) << "and nothing is tried after it";
  }
}

// The system calls themselves, without a change: setting what one has is always allowed.
TEST(Privileges, OfThisThreadAreReadAndSetWhole) {
  const PrivilegeCalls calls = system_privileges();
  CapabilitySets before, after;
  ASSERT_TRUE(calls.get(before));
  EXPECT_EQ(before.effective & ~before.permitted, 0U);
  EXPECT_EQ(before.permitted & ~kAll, 0U);
  ASSERT_TRUE(calls.set(before));
  ASSERT_TRUE(calls.get(after));
  EXPECT_EQ(after.effective, before.effective);
  EXPECT_EQ(after.permitted, before.permitted);
  EXPECT_EQ(after.inheritable, before.inheritable);
}

// In a process that has them all, of a user namespace of its own: no root is needed.
TEST(Privileges, OfAnotherProcessAreGivenUpForGood) {
  constexpr int kRefused = 77;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const PrivilegeCalls calls = system_privileges();
    CapabilitySets before, after;
    if (unshare(CLONE_NEWUSER) != 0) _exit(kRefused);
    if (!calls.get(before) || (before.effective & kAll) != kAll) _exit(1);
    if (!drop_capabilities(Keep::kRecording).ok() || !calls.get(after)) _exit(2);
    if (after.effective != kKept || after.permitted != kKept) _exit(3);
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) _exit(4);
    _exit(calls.set(before) ? 5 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kRefused) GTEST_SKIP() << "this machine refuses user namespaces";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Likewise: `work` in a process with all capabilities and a user namespace of its own, of which only what it returns is
// seen: 0, or the number of what went wrong.
void expect_zero_in_own_process(int (*work)()) {
  constexpr int kRefused = 77;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(unshare(CLONE_NEWUSER) != 0 ? kRefused : work());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == kRefused) GTEST_SKIP() << "this machine refuses user namespaces";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

CapabilitySets own_sets() {
  CapabilitySets sets;
  (void)system_privileges().get(sets);
  return sets;
}

TEST(Privileges, AreInEffectWhileRaisedAndOnNoOtherThread) {
  expect_zero_in_own_process([] {
    { const Raised too_early; }
    if (own_sets().effective == 0) return 1;
    if (!drop_capabilities(Keep::kRecording).ok() || !lower_capabilities().ok()) return 2;
    if (own_sets().effective != 0 || own_sets().permitted != kKept) return 3;
    {
      const Raised raised;
      { const Raised again; }
      errno = E2BIG;
      if (own_sets().effective != kKept) return 4;
      int other = 0;
      std::thread([&other] { other = own_sets().effective == kKept ? 0 : 5; }).join();  // it began as this one was
      if (other != 0) return other;
    }
    if (errno != E2BIG || own_sets().effective != 0) return 6;
    int other = 0;
    std::thread([&other] {
      if (own_sets().effective != 0 || own_sets().permitted != kKept) other = 7;
    }).join();
    return other;
  });
}

TEST(Privileges, OfAThreadWithoutAnyCannotBeRaisedNorOfThoseThatItStarts) {
  expect_zero_in_own_process([] {
    if (!drop_capabilities(Keep::kRecording).ok() || !lower_capabilities().ok()) return 1;
    int status = 2;
    without_capabilities([&status] {
      std::thread([&status] {
        const Raised raised;
        status = own_sets().permitted == 0 && own_sets().effective == 0 ? 0 : 3;
      }).join();
    });
    if (status == 0 && own_sets().permitted != kKept) status = 4;
    return status;
  });
}

TEST(TracepointsPresent, AreThoseWithATypeOfTheirOwn) {
  btf* const types = btf__new_empty();
  const int number = btf__add_int(types, "unsigned int", 4, 0);
  ASSERT_GT(btf__add_typedef(types, "btf_trace_sched_switch", number), 0);
  ASSERT_GT(btf__add_typedef(types, "block_rq_issue", number), 0);            // without the prefix
  ASSERT_GT(btf__add_struct(types, "btf_trace_mark_victim", 4), 0);           // of another kind
  ASSERT_GT(btf__add_typedef(types, "btf_trace_sched_waking_x", number), 0);  // longer
  const auto found = tracepoints_present(types);
  btf__free(types);
  EXPECT_EQ(found.size(), tracepoints_present(nullptr).size());
  for (const auto& [name, is_present] : found) EXPECT_EQ(is_present, name == "sched_switch") << name;
}

TEST(TracepointsPresent, WithoutTypesNoneIsKnown) {
  const auto found = tracepoints_present(nullptr);
  EXPECT_FALSE(found.empty());
  EXPECT_TRUE(std::none_of(found.begin(), found.end(), [](const auto& one) { return one.second; }));
}

}  // namespace
}  // namespace ingero::kernelside
