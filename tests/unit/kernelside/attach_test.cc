// Probes on one file: what is asked of the kernel and in which order, and that what it refuses costs nothing else.
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "fake_links.h"
#include "kernelside/file_probes.h"

namespace ingero::kernelside {
namespace {

using testing::FakeLinks;

class AttachTest : public ::testing::Test {
 protected:
  // `count` probes, of probes from 10 and at offsets from 1000 on.
  static std::vector<AttachPoint> probes(uint32_t count) {
    std::vector<AttachPoint> probes;
    for (uint32_t i = 0; i < count; ++i) probes.push_back({10 + i, 1000 + i});
    return probes;
  }
  std::unique_ptr<FileProbes> attach(Mechanism mechanism, const std::vector<AttachPoint>& probes,
                                     const std::function<void()>& working = {}) {
    auto attached = FileProbes::attach(links.programs(mechanism), "/proc/self/fd/7", probes, working);
    EXPECT_TRUE(attached.ok());
    return std::move(*attached);
  }
  static std::set<uint32_t> refused_probes(const FileProbes& file) {
    std::set<uint32_t> probes;
    for (const Refusal& refusal : file.refusals()) {
      EXPECT_TRUE(probes.insert(refusal.probe).second) << "a probe is refused once";
      EXPECT_FALSE(refusal.reason.empty());
    }
    return probes;
  }

  // Where a program is attached now.
  std::set<uint64_t> cookies_of(int program) const {
    std::set<uint64_t> cookies;
    for (const auto& link : links.made) {
      if (link->program == program && link->is_open()) cookies.insert(link->cookies.begin(), link->cookies.end());
    }
    return cookies;
  }

  FakeLinks links;
};

TEST_F(AttachTest, OfNothingNothingIsAsked) {
  const auto file = attach(Mechanism::kSession, {});
  EXPECT_EQ(file->attached(), 0U);
  EXPECT_EQ(links.asked, 0U);
}

TEST_F(AttachTest, ASessionIsOneLinkForTheWholeFile) {
  const auto file = attach(Mechanism::kSession, probes(3));
  EXPECT_EQ(file->attached(), 3U);
  ASSERT_EQ(links.made.size(), 1U);
  EXPECT_EQ(links.made[0]->program, FakeLinks::kSession);
  EXPECT_EQ(links.made[0]->kind, MultiKind::kSession);
  EXPECT_EQ(links.made[0]->path, "/proc/self/fd/7");
  EXPECT_EQ(links.made[0]->offsets, (std::vector<unsigned long>{1000, 1001, 1002}));
  EXPECT_EQ(links.made[0]->cookies, (std::vector<uint64_t>{10, 11, 12}));
}

TEST_F(AttachTest, MultiAttachesReturnsBeforeEntries) {
  const auto file = attach(Mechanism::kMulti, probes(2));
  EXPECT_EQ(file->attached(), 2U);
  ASSERT_EQ(links.made.size(), 2U);
  EXPECT_TRUE(links.made[0]->at_return);
  EXPECT_EQ(links.made[0]->program, FakeLinks::kReturn);
  EXPECT_FALSE(links.made[1]->at_return);
  EXPECT_EQ(links.made[1]->program, FakeLinks::kEnter);
}

TEST_F(AttachTest, TheNameProgramComesFirstAndOnlyWhereACallHasAName) {
  auto some = probes(3);
  some[1].has_name = true;
  const auto file = attach(Mechanism::kSession, some);
  ASSERT_EQ(links.made.size(), 2U);
  EXPECT_EQ(links.made[0]->program, FakeLinks::kName);
  EXPECT_EQ(links.made[0]->cookies, (std::vector<uint64_t>{11}));
  EXPECT_EQ(links.made[1]->program, FakeLinks::kSession);
}

TEST_F(AttachTest, ANameThatCannotBeProbedDoesNotCostTheCall) {
  auto one = probes(1);
  one[0].has_name = true;
  auto programs = links.programs(Mechanism::kSession);
  programs.name = -1;
  const auto without = FileProbes::attach(programs, "/x", one);
  ASSERT_TRUE(without.ok());
  EXPECT_EQ((*without)->attached(), 1U);
  EXPECT_TRUE((*without)->refusals().empty());
  EXPECT_EQ(links.made.size(), 1U);
}

TEST_F(AttachTest, ANameThatIsRefusedCostsNothingElse) {
  auto some = probes(2);
  some[0].has_name = true;
  for (const Mechanism mechanism : kMechanisms) {
    auto programs = links.programs(mechanism);
    programs.link = [link = programs.link](const MultiSpec& spec) -> Result<Fd> {
      if (spec.program_fd == FakeLinks::kName) return Error(Errc::kInvalid, "no names here");
      return link(spec);
    };
    programs.link_one = [link = programs.link_one,
                         name = programs.name_handle](const PerfSpec& spec) -> Result<std::unique_ptr<PerfLink>> {
      if (spec.program == name) return Error(Errc::kInvalid, "no names here");
      return link(spec);
    };
    const auto file = FileProbes::attach(programs, "/x", some);
    ASSERT_TRUE(file.ok());
    EXPECT_EQ((*file)->attached(), 2U) << name_of(mechanism);
    EXPECT_TRUE((*file)->refusals().empty()) << name_of(mechanism);
  }
}

TEST_F(AttachTest, OneRefusedProbeOfManyIsLeftOutAloneWithItsReason) {
  links.refused = {1037};
  const auto file = attach(Mechanism::kSession, probes(100));
  EXPECT_EQ(file->attached(), 99U);
  ASSERT_EQ(refused_probes(*file), (std::set<uint32_t>{47}));
  EXPECT_EQ(file->refusals()[0].reason, "this offset: Invalid argument");
  std::set<uint64_t> cookies;
  for (const auto& link : links.made) {
    for (const uint64_t cookie : link->cookies) EXPECT_TRUE(cookies.insert(cookie).second);
  }
  EXPECT_EQ(cookies.size(), 99U) << "each of the others once";
  EXPECT_LE(links.asked, 16U) << "found by halving, not one by one";
}

TEST_F(AttachTest, WhenAllAreRefusedNothingIsAttachedAndEachSaysWhy) {
  links.refused = {1000, 1001, 1002};
  const auto file = attach(Mechanism::kMulti, probes(3));
  EXPECT_EQ(file->attached(), 0U);
  EXPECT_EQ(refused_probes(*file), (std::set<uint32_t>{10, 11, 12}));
  EXPECT_TRUE(links.made.empty());
}

TEST_F(AttachTest, MultiAsksForNoEntryWhoseReturnWasRefused) {
  links.refused = {1001};
  const auto file = attach(Mechanism::kMulti, probes(3));
  EXPECT_EQ(file->attached(), 2U);
  EXPECT_EQ(refused_probes(*file), (std::set<uint32_t>{11}));
  EXPECT_EQ(cookies_of(FakeLinks::kReturn), (std::set<uint64_t>{10, 12}));
  EXPECT_EQ(cookies_of(FakeLinks::kEnter), (std::set<uint64_t>{10, 12}));
}

TEST_F(AttachTest, AnEntryThatIsRefusedIsCountedOnceAndItsReturnProbeGoesWithIt) {
  links.refused_entries = {1002};
  const auto file = attach(Mechanism::kMulti, probes(4));
  EXPECT_EQ(file->attached(), 3U);
  EXPECT_EQ(refused_probes(*file), (std::set<uint32_t>{12}));
  EXPECT_EQ(cookies_of(FakeLinks::kEnter), (std::set<uint64_t>{10, 11, 13}));
  EXPECT_EQ(cookies_of(FakeLinks::kReturn), (std::set<uint64_t>{10, 11, 13}));
}

TEST_F(AttachTest, NoReturnIsProbedTwiceWhileRefusedEntriesAreLookedFor) {
  links.refused_entries = {1002, 1005, 1006};
  const auto file = attach(Mechanism::kMulti, probes(8));
  EXPECT_EQ(file->attached(), 5U);
  for (const int program : {FakeLinks::kEnter, FakeLinks::kReturn}) {
    size_t open = 0;
    for (const auto& link : links.made) open += link->program == program && link->is_open() ? link->cookies.size() : 0;
    EXPECT_EQ(open, 5U) << program;
    EXPECT_EQ(cookies_of(program), (std::set<uint64_t>{10, 11, 13, 14, 17})) << program;
  }
}

TEST_F(AttachTest, AFileThatIsGivenUpLeavesNoProbe) {
  attach(Mechanism::kMulti, probes(2)).reset();
  EXPECT_EQ(links.made.size(), 2U);
  EXPECT_EQ(links.open_links(FakeLinks::kEnter) + links.open_links(FakeLinks::kReturn), 0U);
}

TEST_F(AttachTest, ManyFilesStopAtOnce) {
  std::vector<std::unique_ptr<FileProbes>> files;
  std::vector<FileProbes*> all;
  for (int i = 0; i < 40; ++i) all.push_back(files.emplace_back(attach(Mechanism::kMulti, probes(1))).get());
  FileProbes::stop(all);
  EXPECT_EQ(links.open_links(FakeLinks::kEnter) + links.open_links(FakeLinks::kReturn), 0U);
}

// Perf probes: two links for each, one by one.
class AttachPerfTest : public AttachTest {
 protected:
  // Waits, some seconds at most, until no link is open: a process of its own may hold them.
  bool all_close() const {
    for (int tries = 0; tries < 500; ++tries) {
      if (std::none_of(links.made.begin(), links.made.end(), [](const auto& link) { return link->is_open(); })) {
        return true;
      }
      usleep(10'000);
    }
    return false;
  }
};

TEST_F(AttachPerfTest, EachProbesReturnComesBeforeItsEntry) {
  const auto file = attach(Mechanism::kPerf, probes(2));
  EXPECT_EQ(file->attached(), 2U);
  ASSERT_EQ(links.made.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(links.made[i]->program, i % 2 == 0 ? FakeLinks::kReturn : FakeLinks::kEnter) << i;
    EXPECT_EQ(links.made[i]->at_return, i % 2 == 0) << i;
    EXPECT_EQ(links.made[i]->path, "/proc/self/fd/7");
    EXPECT_EQ(links.made[i]->offsets, (std::vector<unsigned long>{1000 + i / 2}));
    EXPECT_EQ(links.made[i]->cookies, (std::vector<uint64_t>{10 + i / 2}));
  }
}

TEST_F(AttachPerfTest, ANamesProbeComesBeforeAllOthers) {
  auto some = probes(3);
  some[2].has_name = true;
  const auto file = attach(Mechanism::kPerf, some);
  EXPECT_EQ(file->attached(), 3U);
  ASSERT_EQ(links.made.size(), 7U);
  EXPECT_EQ(links.made[0]->program, FakeLinks::kName);
  EXPECT_FALSE(links.made[0]->at_return);
  EXPECT_EQ(links.made[0]->cookies, (std::vector<uint64_t>{12}));
}

TEST_F(AttachPerfTest, ARefusedReturnIsCountedWithItsReasonAndItsEntryIsNotAskedFor) {
  links.refused = {1001};
  const auto file = attach(Mechanism::kPerf, probes(3));
  EXPECT_EQ(file->attached(), 2U);
  ASSERT_EQ(refused_probes(*file), (std::set<uint32_t>{11}));
  EXPECT_EQ(file->refusals()[0].reason, "return: Invalid argument");
  EXPECT_EQ(links.asked, 5U);
  EXPECT_EQ(cookies_of(FakeLinks::kEnter), (std::set<uint64_t>{10, 12}));
}

TEST_F(AttachPerfTest, ARefusedEntryTakesItsReturnProbeWithItAndIsCountedOnce) {
  links.refused_entries = {1000};
  const auto file = attach(Mechanism::kPerf, probes(2));
  EXPECT_EQ(file->attached(), 1U);
  ASSERT_EQ(refused_probes(*file), (std::set<uint32_t>{10}));
  EXPECT_EQ(file->refusals()[0].reason, "entry: Invalid argument");
  EXPECT_EQ(cookies_of(FakeLinks::kReturn), (std::set<uint64_t>{11}));
  EXPECT_EQ(cookies_of(FakeLinks::kEnter), (std::set<uint64_t>{11}));
}

TEST_F(AttachPerfTest, WorkingIsCalledBeforeEachProbe) {
  std::vector<size_t> asked;
  const auto file = attach(Mechanism::kPerf, probes(3), [&] { asked.push_back(links.asked); });
  EXPECT_EQ(asked, (std::vector<size_t>{0, 2, 4}));
}

TEST_F(AttachPerfTest, AFewAreRemovedHere) {
  const auto file = attach(Mechanism::kPerf, probes(4));
  FileProbes* const files[] = {file.get()};
  FileProbes::stop(files);
  EXPECT_EQ(links.open_links(FakeLinks::kEnter), 0U);
  EXPECT_EQ(links.open_links(FakeLinks::kReturn), 0U);
  for (const auto& link : links.made) EXPECT_FALSE(link->was_left);
}

TEST_F(AttachPerfTest, MoreAreLeftToAProcessThatEndsWithThem) {
  std::vector<std::unique_ptr<FileProbes>> files;
  std::vector<FileProbes*> all;
  for (int i = 0; i < 3; ++i) all.push_back(files.emplace_back(attach(Mechanism::kPerf, probes(2))).get());
  FileProbes::stop(all);
  for (const auto& link : links.made) EXPECT_TRUE(link->was_left) << "the last to close it waits for the kernel";
  EXPECT_TRUE(all_close());
  FileProbes::stop(all);  // nothing is left to stop
}

TEST_F(AttachPerfTest, AFileThatIsGivenUpLeavesNoProbe) {
  attach(Mechanism::kPerf, probes(20)).reset();
  EXPECT_EQ(links.made.size(), 40U);
  EXPECT_TRUE(all_close());
}

// The system call itself: what is refused says what was asked of which file.
TEST(Link, WhatContradictsItselfIsNotAsked) {
  const unsigned long offsets[] = {1, 2};
  const uint64_t cookies[] = {1};
  MultiSpec spec;
  spec.path = "/some/library.so";
  spec.offsets = offsets;
  spec.cookies = cookies;
  const auto uneven = link_multi(spec);
  ASSERT_FALSE(uneven.ok());
  EXPECT_EQ(uneven.error().code(), Errc::kInvalid);
  EXPECT_EQ(uneven.error().message(), "attach to /some/library.so: 2 offsets and 1 cookies");
  spec.offsets = {};
  spec.cookies = {};
  EXPECT_FALSE(link_multi(spec).ok());
}

TEST(Link, WhatTheKernelRefusesNamesTheFileAndTheKindOfLink) {
  const unsigned long offsets[] = {1};
  const uint64_t cookies[] = {1};
  MultiSpec spec;
  spec.path = "/some/library.so";
  spec.offsets = offsets;
  spec.cookies = cookies;
  spec.kind = MultiKind::kSession;  // without a program
  const auto refused = link_multi(spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().text().starts_with("attach 1 probes to /some/library.so (uprobe session)"))
      << refused.error().text();
}

}  // namespace
}  // namespace ingero::kernelside
