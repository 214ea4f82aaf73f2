// Which mechanism works: what is said of one that does not, and how often; and, where this machine lets us, the real
// trials.
#include "kernelside/mechanism.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

class MechanismTest : public ::testing::Test {
 protected:
  // Each mechanism is refused as `refusals` has it; the rest work.
  MechanismTrial trial() {
    return {[this](Mechanism mechanism) -> std::optional<MechanismRefusal> {
              tried_.push_back(mechanism);
              const auto found = refusals_.find(mechanism);
              if (found == refusals_.end()) return std::nullopt;
              return found->second;
            },
            release_};
  }
  std::string reason_of(Mechanism mechanism) { return probe_mechanism(mechanism, trial()).reason; }

  std::map<Mechanism, MechanismRefusal> refusals_;
  std::vector<Mechanism> tried_;
  std::string release_ = "6.1.0-49-amd64";
};

TEST(MechanismName, IsReadAsItIsWritten) {
  for (const Mechanism mechanism : kMechanisms) EXPECT_EQ(mechanism_of(name_of(mechanism)), mechanism);
  EXPECT_EQ(mechanism_of("Session"), std::nullopt);
  EXPECT_EQ(mechanism_of(""), std::nullopt);
}

TEST_F(MechanismTest, AllAreTriedBestFirst) {
  refusals_[Mechanism::kSession] = {EINVAL, "attach: Invalid argument"};
  const auto probes = probe_mechanisms(trial());
  EXPECT_EQ(tried_, (std::vector<Mechanism>{Mechanism::kSession, Mechanism::kMulti, Mechanism::kPerf}));
  ASSERT_EQ(probes.size(), 3U);
  EXPECT_FALSE(probes[0].works);
  EXPECT_EQ(probes[0].words, "attach: Invalid argument");
  EXPECT_TRUE(probes[1].works);
  EXPECT_EQ(probes[1].mechanism, Mechanism::kMulti);
  EXPECT_EQ(probes[1].reason, "");
}

TEST_F(MechanismTest, ARefusalOnAnOlderKernelNamesTheReleaseThatHasIt) {
  for (const Mechanism mechanism : kMechanisms) refusals_[mechanism] = {EINVAL, "load: Invalid argument"};
  EXPECT_EQ(reason_of(Mechanism::kSession),
            "this kernel (6.1.0-49-amd64) has no uprobe session links: Linux 6.13 or newer has them");
  EXPECT_EQ(reason_of(Mechanism::kMulti),
            "this kernel (6.1.0-49-amd64) has no uprobe multi links: Linux 6.6 or newer has them");
  release_ = "5.14.21";
  EXPECT_EQ(reason_of(Mechanism::kPerf),
            "this kernel (5.14.21) has no perf probes with cookies: Linux 5.15 or newer has them");
}

TEST_F(MechanismTest, ARefusalWhereTheReleaseShouldHaveItGivesTheKernelsWords) {
  for (const Mechanism mechanism : kMechanisms) refusals_[mechanism] = {EINVAL, "load: Invalid argument"};
  for (const char* release : {"6.13.0", "6.18.44-fc", "7.0"}) {
    release_ = release;
    EXPECT_EQ(reason_of(Mechanism::kSession),
              "this kernel (" + release_ + ") refused uprobe session links: load: Invalid argument");
  }
  release_ = "6.9.1";  // numbers, not text: 6.9 comes before 6.13
  EXPECT_EQ(reason_of(Mechanism::kSession),
            "this kernel (6.9.1) has no uprobe session links: Linux 6.13 or newer has them");
}

TEST_F(MechanismTest, AReleaseThatIsNotANumberExplainsNothing) {
  refusals_[Mechanism::kPerf] = {EINVAL, "load: Invalid argument"};
  for (const char* release : {"", "custom", "5"}) {
    release_ = release;
    EXPECT_EQ(reason_of(Mechanism::kPerf),
              "this kernel (" + release_ + ") refused perf probes with cookies: load: Invalid argument");
  }
}

TEST_F(MechanismTest, MissingPrivilegesAreNoFaultOfTheKernels) {
  for (const int number : {EPERM, EACCES}) {
    refusals_[Mechanism::kSession] = {number, "load: not permitted"};
    const MechanismProbe probe = probe_mechanism(Mechanism::kSession, trial());
    EXPECT_TRUE(probe.is_forbidden);
    EXPECT_EQ(probe.reason, "not allowed: it takes root, or CAP_BPF and CAP_PERFMON (load: not permitted)");
  }
}

TEST_F(MechanismTest, PrivilegesThatAllLackAreSaidOnce) {
  for (const Mechanism mechanism : kMechanisms) refusals_[mechanism] = {EPERM, "load: Operation not permitted"};
  const Error error = no_mechanism_error({}, probe_mechanisms(trial()), trial());
  EXPECT_EQ(error.code(), Errc::kPermission);
  EXPECT_EQ(
      error.text(),
      "attach probes: not allowed: it takes root, or CAP_BPF and CAP_PERFMON (load: Operation not permitted) (see "
      "'ingero check')");
}

TEST_F(MechanismTest, ReasonsThatDifferAreAllGiven) {
  refusals_[Mechanism::kSession] = {EINVAL, "load: Invalid argument"};
  refusals_[Mechanism::kMulti] = {EINVAL, "load: Invalid argument"};
  refusals_[Mechanism::kPerf] = {EPERM, "load: Operation not permitted"};
  const Error error = no_mechanism_error({}, probe_mechanisms(trial()), trial());
  EXPECT_EQ(error.code(), Errc::kNotSupported);
  EXPECT_EQ(error.message(),
            "no way to attach probes on this kernel: "
            "this kernel (6.1.0-49-amd64) has no uprobe session links: Linux 6.13 or newer has them; "
            "this kernel (6.1.0-49-amd64) has no uprobe multi links: Linux 6.6 or newer has them; "
            "not allowed: it takes root, or CAP_BPF and CAP_PERFMON (load: Operation not permitted)");
  EXPECT_NE(error.hint().find("Linux 5.15"), std::string::npos) << error.hint();
}

TEST_F(MechanismTest, OneThatWasAskedForAndDoesNotWorkNamesTheBestThatDoes) {
  refusals_[Mechanism::kSession] = {EINVAL, "load: Invalid argument"};
  const MechanismProbe session[] = {probe_mechanism(Mechanism::kSession, trial())};
  EXPECT_EQ(no_mechanism_error(Mechanism::kSession, session, trial()).text(),
            "--attach session: this kernel (6.1.0-49-amd64) has no uprobe session links: Linux 6.13 or newer has them "
            "(leave --attach out: multi works here)");
  refusals_[Mechanism::kMulti] = refusals_[Mechanism::kPerf] = {EINVAL, "load: Invalid argument"};
  EXPECT_EQ(no_mechanism_error(Mechanism::kSession, session, trial()).hint(),
            "nothing else works here either; see 'ingero check'");
}

TEST_F(MechanismTest, OneThatWasAskedForWithoutPrivilegesIsNotCalledUnsupported) {
  for (const Mechanism mechanism : kMechanisms) refusals_[mechanism] = {EPERM, "load: not permitted"};
  const MechanismProbe perf[] = {probe_mechanism(Mechanism::kPerf, trial())};
  const Error error = no_mechanism_error(Mechanism::kPerf, perf, trial());
  EXPECT_EQ(error.code(), Errc::kPermission);
  EXPECT_EQ(error.text(),
            "--attach perf: not allowed: it takes root, or CAP_BPF and CAP_PERFMON (load: not permitted) (see 'ingero "
            "check')");
}

// For real: the trial attaches to a function of this program.
TEST(MechanismTrial, WorksForRootWithAtLeastOneAndGivesAReasonForTheRest) {
  if (geteuid() != 0) GTEST_SKIP() << "BPF programs need root";
  const auto probes = probe_mechanisms();
  if (std::all_of(probes.begin(), probes.end(), [](const auto& probe) { return !probe.works; })) {
    GTEST_SKIP() << no_mechanism_error({}, probes).text();
  }
  for (const MechanismProbe& probe : probes) {
    EXPECT_EQ(probe.reason.empty(), probe.works) << name_of(probe.mechanism);
    EXPECT_EQ(probe.words.empty(), probe.works) << name_of(probe.mechanism);
  }
}

TEST(MechanismTrial, WithoutPrivilegesAllHaveTheSameReason) {
  if (geteuid() == 0) GTEST_SKIP() << "root may";
  const auto probes = probe_mechanisms();
  ASSERT_EQ(probes.size(), 3U);
  for (const MechanismProbe& probe : probes) {
    EXPECT_TRUE(probe.is_forbidden) << name_of(probe.mechanism);
    EXPECT_EQ(probe.reason, probes[0].reason) << name_of(probe.mechanism);
  }
}

}  // namespace
}  // namespace ingero::kernelside
