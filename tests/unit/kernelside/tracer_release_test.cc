// Probes come back when no process maps their file any more, and not before; a user's copies use up his own share; and
// a file that has a deleted one's number is another file.
#include "kernelside/probe_numbers.h"
#include "tracer_fixture.h"

namespace ingero::kernelside {
namespace {

class TracerReleaseTest : public TracerTest {
 protected:
  // A copy of the library that `pid`, a process of `uid`, maps.
  std::string copy(const std::string& name) {
    const std::string path = fmt::format("{}/libfixture-{}.so", folder_.path(), name);
    std::filesystem::copy_file(library_, path);
    return path;
  }
  std::string map_copy(uint32_t pid, const std::string& name, uint32_t uid = 0) {
    std::string path = copy(name);
    tree_.process(pid, "user", 1, 100, uid);
    mapped_.insert(path);
    EXPECT_TRUE(tracer_->consider(pid, map(pid, path), 0)) << path;
    return path;
  }
  void unmap(const std::string& path, bool is_deleted = true) {
    mapped_.erase(path);
    if (is_deleted) std::filesystem::remove(path);
  }
  // As many seconds as it takes.
  void sweep(int times = 2) {
    for (int i = 0; i < times; ++i) {
      clock_.now_ns += 1'000'000'000;
      tracer_->sweep();
    }
  }
  void free_retired() { tracer_->give_back(tracer_->take_retired()); }
  size_t links() const { return links_.open_links(FakeLinks::kEnter) + links_.open_links(FakeLinks::kReturn); }
  static size_t own_descriptors() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  }
};

TEST_F(TracerReleaseTest, WhatOnlyAsksForTheDeviceIsProbedForAWhileInWhatRanBefore) {
  start(kOnlyAsking);
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  EXPECT_EQ(links_.open_links(FakeLinks::kEnter), 2U);
  EXPECT_EQ(row_of(only_report(), "weak_one").state, hal::RowState::kResolved);
  clock_.now_ns += 1'900'000'000;
  tracer_->sweep();
  EXPECT_EQ(links_.open_links(FakeLinks::kEnter), 2U);
  clock_.now_ns += 200'000'000;
  tracer_->sweep();
  EXPECT_EQ(links_.open_links(FakeLinks::kEnter), 1U);
  EXPECT_EQ(links_.open_links(FakeLinks::kReturn), 1U);
  tracer_->detach();
  EXPECT_EQ(links_.open_links(FakeLinks::kEnter), 0U);
}

TEST_F(TracerReleaseTest, WhatOnlyAsksForTheDeviceIsNotProbedWhereAllCallsAreSeen) {
  start(kOnlyAsking);
  const hal::Mapping mapping = map(100, library_);
  EXPECT_TRUE(tracer_->consider(100, mapping, clock_.now_ns));
  EXPECT_EQ(links_.open_links(FakeLinks::kEnter), 1U);
  EXPECT_EQ(row_of(only_report(), "weak_one").state, hal::RowState::kRefused);
  EXPECT_EQ(ledger_.count(hal::Loss::attach_refused), 0U);
}

TEST_F(TracerReleaseTest, ADeletedFileThatNobodyMapsGivesItsProbesBack) {
  const std::string path = map_copy(100, "a");
  EXPECT_EQ(links(), 2U);
  sweep(5);
  EXPECT_EQ(links(), 2U) << "while it is mapped";
  unmap(path);
  sweep(1);
  EXPECT_EQ(links(), 2U) << "one look may miss a mapping";
  sweep(1);
  EXPECT_EQ(links(), 0U);
  EXPECT_TRUE(tracer_->reports().empty());
  EXPECT_EQ(tracer_->take_retired(), (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_TRUE(tracer_->take_retired().empty()) << "once";
}

TEST_F(TracerReleaseTest, AFileThatIsMappedAgainBetweenTheLooksKeepsThem) {
  const std::string path = map_copy(100, "a");
  unmap(path, false);
  deleted_.insert(path);
  sweep(1);
  mapped_.insert(path);
  sweep(1);
  mapped_.erase(path);
  sweep(1);
  EXPECT_EQ(links(), 2U);
  sweep(1);
  EXPECT_EQ(links(), 0U);
}

TEST_F(TracerReleaseTest, WhoMapsItAfterTheDecisionKeepsItsProbes) {
  const std::string path = map_copy(100, "a");
  unmap(path);
  sweep(1);
  const size_t before = looks_;
  while_looking_ = [&] {
    if (looks_ == before + 2) mapped_.insert(path);  // the look behind the mark
  };
  sweep(1);
  EXPECT_EQ(looks_, before + 2);
  EXPECT_EQ(links(), 2U);
  EXPECT_EQ(tracer_->reports().size(), 1U);
  EXPECT_TRUE(tracer_->take_retired().empty());
}

TEST_F(TracerReleaseTest, AMappingThatComesWhileTheProbesAreRemovedGetsNewOnesBehindThat) {
  const std::string path = map_copy(100, "a");
  unmap(path, false);
  deleted_.insert(path);
  sweep(1);
  hal::Mapping again;
  const size_t before = looks_;
  while_looking_ = [&] {
    if (looks_ != before + 2) return;  // it is marked by now
    tree_.process(200, "late", 1, 100, 0);
    again = map(200, path);
    EXPECT_TRUE(tracer_->consider(200, again, clock_.now_ns)) << "it is a described library's";
  };
  sweep(1);
  while_looking_ = nullptr;
  EXPECT_EQ(links(), 2U) << "those of the second time";
  EXPECT_EQ(links_.made.size(), 4U);
  EXPECT_EQ(attached_, 2U);
  EXPECT_EQ(only_report().pids, (std::set<uint32_t>{200}));
  EXPECT_EQ(ledger_.count(hal::Loss::attach_window), 1U) << "it was late for its new probes";
  const std::vector<uint32_t> retired = tracer_->take_retired();
  EXPECT_EQ(retired, (std::vector<uint32_t>{0, 1, 2, 3}));
  for (const uint64_t cookie : links_.made.back()->cookies) EXPECT_GE(cookie, kProbes) << "none of the old numbers";
}

TEST_F(TracerReleaseTest, AnotherUsersFileStaysForFiveMinutesAndRootsForGood) {
  const std::string users = map_copy(100, "users", 1000), roots = map_copy(200, "roots", 0);
  unmap(users, false);
  unmap(roots, false);
  sweep(10);
  EXPECT_EQ(links(), 4U);
  clock_.now_ns += 300'000'000'000;
  sweep(2);
  EXPECT_EQ(links(), 2U);
  EXPECT_EQ(only_report().path, roots);
}

TEST_F(TracerReleaseTest, AFileThatTheUserNamedKeepsItsProbesUntilItIsDeleted) {
  const std::string path = copy("named");
  ASSERT_TRUE(tracer_->add_library(path).ok());
  clock_.now_ns += 3'600'000'000'000;
  sweep(5);
  EXPECT_EQ(links(), 2U);
  std::filesystem::remove(path);
  sweep(2);
  EXPECT_EQ(links(), 0U);
}

TEST_F(TracerReleaseTest, ANumberIsAnothersOnlyAfterItCameBack) {
  unmap(map_copy(100, "a"));
  sweep();
  const std::vector<uint32_t> retired = tracer_->take_retired();
  ASSERT_EQ(retired.size(), kProbes);
  map_copy(200, "b");
  for (const NamedProbe& probe : tracer_->take_new_probes()) {
    EXPECT_TRUE(probe.index < kProbes ? probe.probe.library_path.find("-a.so") != std::string::npos : true);
  }
  EXPECT_EQ(tracer_->probe_table().size(), 2 * kProbes);
  tracer_->give_back(retired);
  EXPECT_EQ(tracer_->probe_table()[0].since_mono_ns + 2'000'000'000, clock_.now_ns);
}

TEST_F(TracerReleaseTest, ACopyAfterTheOtherNeedsNoMoreNumbersThanThereAre) {
  constexpr size_t kRounds = WIRE_MAX_PROBES / kProbes / 100 + 2;
  size_t descriptors = 0;
  for (size_t round = 0; round < kRounds; ++round) {
    std::vector<std::string> paths;
    for (uint32_t i = 0; i < 100; ++i) paths.push_back(map_copy(1000 + i, fmt::format("{}-{}", round, i), 1000));
    for (const std::string& path : paths) unmap(path);
    for (int i = 0; i < 4; ++i) sweep(1);
    free_retired();
    (void)tracer_->take_new_probes();
    maps_.clear();
    links_.made.clear();
    if (round == 0) descriptors = own_descriptors();
  }
  EXPECT_EQ(ledger_.count(hal::Loss::probe_quota), 0U);
  EXPECT_EQ(ledger_.count(hal::Loss::attach_refused), 0U);
  EXPECT_TRUE(tracer_->reports().empty());
  EXPECT_EQ(own_descriptors(), descriptors);
  EXPECT_LE(tracer_->probe_table().size(), static_cast<uint32_t>(WIRE_MAX_PROBES));
  const std::string last = map_copy(5, "last");
  EXPECT_EQ(only_report().probes, kProbes);
  EXPECT_EQ(tracer_->library_of(tracer_->take_new_probes()[0].index), last);
}

TEST_F(TracerReleaseTest, ALookupThatFailsLeavesEverythingAttached) {
  const std::string path = map_copy(100, "a");
  unmap(path);
  no_uses_ = true;
  sweep(5);
  EXPECT_EQ(links(), 2U);
  no_uses_ = false;
  sweep(2);
  EXPECT_EQ(links(), 0U);
}

TEST_F(TracerReleaseTest, WhereRemovingIsSlowOnlyAShortageRemoves) {
  removes_slowly_ = true;
  start();
  unmap(map_copy(100, "a"));
  sweep(5);
  EXPECT_EQ(links(), 2U);
}

TEST_F(TracerReleaseTest, TheReportOfAFileWithoutProbesGoesWithItsLastProcess) {
  no_attach_ = true;
  map_copy(100, "a");
  sweep(2);
  EXPECT_EQ(tracer_->reports().size(), 1U);
  std::filesystem::remove_all(tree_.root() + "/100");
  sweep(1);
  EXPECT_TRUE(tracer_->reports().empty());
}

TEST_F(TracerReleaseTest, AfterTheEndNothingIsRemoved) {
  const std::string path = map_copy(100, "a");
  unmap(path);
  sweep(1);
  tracer_->stop_examining();
  sweep(3);
  EXPECT_EQ(links(), 2U);
  tracer_->stop_entries();
  tracer_->detach();
  EXPECT_EQ(links(), 0U);
}

// 16,384 numbers, four a file.
TEST_F(TracerReleaseTest, AUsersCopiesLeaveRoomForOthersAndAreCountedAndServedLater) {
  constexpr size_t kFit = (ProbeNumbers::kAll - ProbeNumbers::kReserve - ProbeNumbers::kShare) / kProbes;
  std::vector<std::string> paths;
  for (uint32_t i = 0; i < kFit; ++i) {
    paths.push_back(map_copy(10'000 + i, fmt::format("greedy-{}", i), 1000));
    if (links_.made.size() > 100) links_.made.clear();
  }
  EXPECT_EQ(ledger_.count(hal::Loss::probe_quota), 0U);
  const std::string refused = map_copy(9'000, "one-more", 1000);
  EXPECT_EQ(ledger_.count(hal::Loss::probe_quota), 1U);
  EXPECT_NE(ledger_.sentence(hal::Loss::probe_quota).find(refused + " in process 9000 of user 1000"), std::string::npos)
      << ledger_.sentence(hal::Loss::probe_quota);
  const auto note_of = [&](const std::string& path) {
    for (const FileReport& report : tracer_->reports()) {
      if (report.path == path) return report.note;
    }
    return std::string("not reported");
  };
  EXPECT_TRUE(
      note_of(refused).starts_with("not traced yet: it needs 4 probes; 8192 of 16384 are free, and user 1000 has"))
      << note_of(refused);
  EXPECT_EQ(note_of(map_copy(8'000, "another-users", 1001)), "");
  EXPECT_EQ(note_of(map_copy(7'000, "roots", 0)), "");
  EXPECT_EQ(ledger_.count(hal::Loss::probe_quota), 1U);

  unmap(paths[0], false);  // kept on the disk, but probes are short
  unmap(paths[1], false);
  unmap(paths[2], false);
  sweep(2);
  EXPECT_NE(note_of(refused), "") << "the numbers may be in records";
  free_retired();
  sweep(1);
  EXPECT_EQ(note_of(refused), "");
  EXPECT_EQ(ledger_.count(hal::Loss::probe_quota), 1U) << "each once";
  EXPECT_EQ(ledger_.count(hal::Loss::attach_refused), 0U);
}

TEST_F(TracerReleaseTest, ANumberThatGoesToAnotherFileIsAnotherFile) {
  const std::string path = folder_.path() + "/libfixture-x.so";
  tree_.file("elsewhere", "nothing described");
  std::filesystem::copy_file(tree_.root() + "/elsewhere", path);
  hal::Mapping mapping = map(100, path);
  EXPECT_FALSE(tracer_->consider(100, mapping, 0, 71));
  // The same number from now on, whatever the file system would give.
  const hal::FileId id = mapping.file;
  const std::string library = copy("y");
  mapping = map(200, library);
  mapping.file = id;
  EXPECT_FALSE(tracer_->consider(200, mapping, 0, 71)) << "it is the same file";
  EXPECT_TRUE(tracer_->consider(200, mapping, 0, 72));
  EXPECT_EQ(only_report().probes, kProbes);
}

TEST_F(TracerReleaseTest, WithoutGenerationsTheTimeOfMakingDecides) {
  const std::string path = folder_.path() + "/libfixture-x.so";
  tree_.file("elsewhere", "nothing described");
  std::filesystem::copy_file(tree_.root() + "/elsewhere", path);
  hal::Mapping mapping = map(100, path);
  EXPECT_FALSE(tracer_->consider(100, mapping, 0));
  const hal::FileId id = mapping.file;
  usleep(20'000);  // the clock of the file system has no finer steps than that of the timer
  const std::string library = copy("y");
  mapping = map(200, library);
  mapping.file = id;
  EXPECT_FALSE(tracer_->consider(200, mapping, 0, Tracer::kKnownGeneration)) << "a child's, of what is known";
  EXPECT_TRUE(tracer_->consider(200, mapping, 0));
  EXPECT_EQ(only_report().probes, kProbes);
}

TEST_F(TracerReleaseTest, AFileOfAKnownNumberWhoseProcessIsGoneIsCounted) {
  const std::string path = folder_.path() + "/libfixture-x.so";
  tree_.file("elsewhere", "nothing described");
  std::filesystem::copy_file(tree_.root() + "/elsewhere", path);
  hal::Mapping mapping = map(100, path);
  EXPECT_FALSE(tracer_->consider(100, mapping, 0));
  std::filesystem::remove_all(tree_.root() + "/100");
  mapping.untrusted_path = "/nowhere/libfixture.so.7";
  EXPECT_FALSE(tracer_->consider(100, mapping, clock_.now_ns));
  EXPECT_EQ(ledger_.count(hal::Loss::process_unprobed), 1U);
}

}  // namespace
}  // namespace ingero::kernelside
