// Which files get probes, once each, and what is said of those that do not: over a /proc of the test's own, a real
// library file, and links that are not the kernel's.
#include <chrono>
#include <thread>

#include "locked_pages.h"
#include "tracer_fixture.h"

namespace ingero::kernelside {
namespace {

TEST_F(TracerTest, AFileThatManyProcessesMapIsAttachedOnce) {
  map(100, library_);
  map(200, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  const FileReport report = only_report();
  EXPECT_EQ(attached_, 1U);
  EXPECT_EQ(report.backend, "one");
  EXPECT_EQ(report.library, "libfixture");
  EXPECT_EQ(report.path, library_);
  EXPECT_EQ(report.pids, (std::set<uint32_t>{100, 200}));
  EXPECT_EQ(report.first_pid, 100U);
  EXPECT_EQ(report.probes, kProbes);
  EXPECT_EQ(report.attached_mono_ns, clock_.now_ns);
  EXPECT_EQ(report.note, "");
  ASSERT_TRUE(tracer_->scan().ok());
  EXPECT_EQ(attached_, 1U) << "nor by another scan";
}

TEST_F(TracerTest, AliasesCostOneProbeAndWhatIsNotThereSaysSo) {
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  const FileReport report = only_report();
  ASSERT_FALSE(links_.made.empty());
  const std::set<unsigned long> offsets(links_.made[0]->offsets.begin(), links_.made[0]->offsets.end());
  EXPECT_EQ(offsets.size(), kProbes);
  EXPECT_EQ(links_.made[0]->offsets.size(), kProbes);
  const auto absent = std::count_if(report.rows.begin(), report.rows.end(), [](const RowReport& row) {
    return row.state == hal::RowState::kAbsent && row.row->name == "not_there" && !row.reason.empty();
  });
  EXPECT_EQ(absent, 1);
}

TEST_F(TracerTest, A32BitLibraryHasRecipesOfItsOwnAndSaysWhatItLacks) {
  const auto narrow = hal::fixture::library("cc", hal::fixture::kNarrow);
  if (!narrow || hal::kHostArch != hal::Arch::kX86_64) GTEST_SKIP() << "no 32-bit x86 here, or cc -m32 does not work";
  const std::string other = folder_.path() + "/libfixture32.so";
  std::filesystem::copy_file(*narrow, other);
  map(100, library_);
  map(101, other);
  ASSERT_TRUE(tracer_->scan().ok());
  const auto reports = tracer_->reports();
  ASSERT_EQ(reports.size(), 2U);
  for (const FileReport& report : reports) {
    const bool is_narrow = report.path == other;
    EXPECT_EQ(report.probes, kProbes) << report.path;
    EXPECT_EQ(report.arch, is_narrow ? hal::Arch::kX86_32 : hal::Arch::kX86_64);
    EXPECT_EQ(report.note, is_narrow ? "32-bit" : "");
  }
  const auto narrow_recipes =
      std::ranges::count_if(recipes_, [](const auto& one) { return one.second.is_narrow != 0; });
  EXPECT_EQ(static_cast<size_t>(narrow_recipes), kProbes);
  EXPECT_EQ(recipes_.size(), 2 * kProbes);
  EXPECT_EQ(ledger_.count(hal::Loss::library_32bit), 1U);
  EXPECT_NE(ledger_.sentence(hal::Loss::library_32bit).find(other + " in process 101"), std::string::npos);
  EXPECT_EQ(ledger_.count(hal::Loss::library_unsupported), 0U);
}

TEST_F(TracerTest, AnAddressThatTwoTablesDescribeGetsOneProbe) {
  start(kBoth);
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  EXPECT_EQ(tracer_->reports().size(), 2U);
  ASSERT_FALSE(links_.made.empty());
  EXPECT_EQ(links_.made[0]->offsets.size(), kProbes + 1) << "calls_local is the other table's only one";
  const std::set<unsigned long> offsets(links_.made[0]->offsets.begin(), links_.made[0]->offsets.end());
  EXPECT_EQ(offsets.size(), kProbes + 1);
  EXPECT_EQ(tracer_->probe_table().size(), kProbes + 1);
}

TEST_F(TracerTest, EachLibraryOfAFileHasItsOwnNumberOfProbes) {
  start(kBoth);
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  const auto reports = tracer_->reports();
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].probes, kProbes);
  EXPECT_EQ(reports[1].probes, 2U);
}

TEST_F(TracerTest, ALibraryThatOnlySharesAFilesNameIsNotReportedBesidesTheOneInIt) {
  start(kWithElsewhere);
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  EXPECT_EQ(only_report().library, "libfixture");
}

TEST_F(TracerTest, AFileOfADescribedNameWithNothingDescribedInItIsReported) {
  start(kOnlyElsewhere);
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  EXPECT_EQ(only_report().library, "libelsewhere");
  EXPECT_EQ(only_report().probes, 0U);
}

TEST_F(TracerTest, EachProbesProbeHasItsRecipeSymbolAndLibrary) {
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  const auto probes = tracer_->take_new_probes();
  ASSERT_EQ(probes.size(), kProbes);
  EXPECT_TRUE(tracer_->take_new_probes().empty()) << "once";
  for (const NamedProbe& probe : probes) {
    EXPECT_EQ(tracer_->symbol_of(probe.index), probe.probe.symbol);
    EXPECT_EQ(tracer_->library_of(probe.index), library_);
    EXPECT_EQ(tracer_->probe_table()[probe.index].call, probe.probe.call);
    const wire_recipe& recipe = recipes_.at(probe.index);
    EXPECT_EQ(recipe.use, WIRE_RECIPE_LIVE);
    EXPECT_EQ(recipe.n_words, 1);
    const bool synchronises = probe.probe.symbol == "weak_one", allocates = probe.probe.symbol == "exported";
    EXPECT_EQ((recipe.stack_when & WIRE_STACK_WHEN_DONE) != 0, synchronises || allocates) << probe.probe.symbol;
    EXPECT_NE(recipe.stack_when & WIRE_STACK_WHEN_NONZERO, 0);
  }
  EXPECT_EQ(tracer_->symbol_of(kProbes), "");
  EXPECT_EQ(tracer_->library_of(kProbes), "");
}

TEST_F(TracerTest, AProbeThatTheKernelRefusesIsReportedWithItsReasonAndCounted) {
  const hal::Mapping mapping = map(100, library_);
  start(kOne, false);
  ASSERT_TRUE(tracer_->consider(100, mapping, 0));
  const uint64_t offset = row_of(only_report(), "copy").file_offset;
  start();
  links_.refused = {static_cast<unsigned long>(offset)};
  ASSERT_TRUE(tracer_->consider(100, mapping, 0));
  const FileReport report = only_report();
  EXPECT_EQ(report.probes, kProbes - 1);
  EXPECT_EQ(row_of(report, "copy").state, hal::RowState::kRefused);
  EXPECT_EQ(row_of(report, "copy").reason, "this offset: Invalid argument");
  EXPECT_EQ(row_of(report, "exported").state, hal::RowState::kResolved);
  EXPECT_EQ(ledger_.count(hal::Loss::attach_refused), 1U);
}

TEST_F(TracerTest, AProbeWithoutARecipeIsNotAttached) {
  no_recipe_ = true;
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  const FileReport report = only_report();
  EXPECT_EQ(report.probes, 0U);
  EXPECT_EQ(row_of(report, "copy").state, hal::RowState::kRefused);
  EXPECT_EQ(row_of(report, "copy").reason, "the map is full");
  EXPECT_EQ(ledger_.count(hal::Loss::attach_refused), kProbes);
  EXPECT_EQ(links_.asked, 0U);
}

TEST_F(TracerTest, AFileThatCannotBeAttachedToSaysWhy) {
  no_attach_ = true;
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  const FileReport report = only_report();
  EXPECT_EQ(report.note, "attach: the kernel is out of memory");
  EXPECT_EQ(report.probes, 0U);
  EXPECT_EQ(report.attached_mono_ns, 0U);
}

// Of a file on a network file system.
TEST_F(TracerTest, CodeIsKeptInMemoryForTheProbesThatAreThere) {
  mounts_ = testing::on_network(mounts_);
  const auto until = [&](size_t attached) {
    for (int i = 0; i < 5000 && attached_ < attached; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    tracer_->stop_examining();
  };
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  until(1);
  ASSERT_EQ(attached_, 1U);
  EXPECT_GT(testing::locked_by_helpers(), 0U);
  no_attach_ = true;
  start();
  ASSERT_TRUE(tracer_->scan().ok());
  until(2);
  ASSERT_EQ(attached_, 2U);
  for (int i = 0; i < 5000 && testing::locked_by_helpers() > 0; ++i) usleep(1000);
  EXPECT_EQ(testing::locked_by_helpers(), 0U) << "the kernel refused them";
}

TEST_F(TracerTest, AMappingThatJustCameHasAWindowAndOneThatWaitedHasNone) {
  const hal::Mapping mapping = map(100, library_);
  EXPECT_TRUE(tracer_->consider(100, mapping, clock_.now_ns - 5));
  EXPECT_EQ(ledger_.count(hal::Loss::attach_window), 1U);
  EXPECT_EQ(tracer_->take_windows(), (std::map<uint32_t, uint64_t>{{100, clock_.now_ns}}));
  EXPECT_TRUE(tracer_->take_windows().empty());

  start();
  EXPECT_TRUE(tracer_->prepare(200, library_, library_));
  EXPECT_TRUE(only_report().held);
  EXPECT_EQ(ledger_.count(hal::Loss::attach_window), 1U);
  EXPECT_TRUE(tracer_->take_windows().empty());
}

TEST_F(TracerTest, AProcessThatMappedItBeforeTheProbesWereOnHasAWindowToo) {
  EXPECT_TRUE(tracer_->consider(100, map(100, library_), 0));
  (void)tracer_->take_windows();
  const uint64_t on = clock_.now_ns;
  clock_.now_ns += 1000;
  EXPECT_TRUE(tracer_->consider(200, map(200, library_), on - 1));
  EXPECT_TRUE(tracer_->consider(300, map(300, library_), on + 1));
  EXPECT_EQ(tracer_->take_windows(), (std::map<uint32_t, uint64_t>{{200, on}}));
}

TEST_F(TracerTest, AProcessThatMapsAFileWhileItIsBeingAttachedToIsOneOfItsProcessesAndHasAWindow) {
  const hal::Mapping first = map(100, library_), second = map(200, library_);
  while_attaching_ = [&] { EXPECT_FALSE(tracer_->consider(200, second, clock_.now_ns)) << "it is not known yet"; };
  EXPECT_TRUE(tracer_->consider(100, first, 0));
  EXPECT_EQ(attached_, 1U);
  EXPECT_EQ(only_report().pids, (std::set<uint32_t>{100, 200}));
  EXPECT_TRUE(tracer_->take_windows().contains(200));
}

TEST_F(TracerTest, FilesThatHoldNothingDescribedAreLookedAtOnce) {
  const std::string text = folder_.path() + "/libfixture-text.so";
  tree_.file("elsewhere", "no ELF file");
  std::filesystem::copy_file(tree_.root() + "/elsewhere", text);
  const hal::Mapping mapping = map(100, text);
  EXPECT_FALSE(tracer_->consider(100, mapping, 0));
  std::filesystem::copy_file(library_, text, std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(tracer_->consider(100, mapping, 0)) << "the same file: it is known";
  EXPECT_EQ(attached_, 0U);
  EXPECT_TRUE(tracer_->reports().empty());
}

TEST_F(TracerTest, AFileThatWasGoneIsLookedAtWhenItComesAgain) {
  hal::Mapping mapping = map(100, library_);
  std::filesystem::remove_all(tree_.root() + "/100");
  mapping.untrusted_path = "/nowhere/libfixture.so.7";
  EXPECT_FALSE(tracer_->consider(100, mapping, 0));
  EXPECT_TRUE(tracer_->consider(200, map(200, library_), 0));
  EXPECT_EQ(attached_, 1U);
}

TEST_F(TracerTest, WhatIsNoFileIsNotLookedFor) {
  hal::Mapping anonymous = map(100, library_), vdso = anonymous;
  anonymous.file.inode = 0;
  vdso.untrusted_path = "[vdso]";
  EXPECT_FALSE(tracer_->consider(100, anonymous, 0));
  EXPECT_FALSE(tracer_->consider(100, vdso, 0));
  EXPECT_EQ(attached_, 0U);
}

TEST_F(TracerTest, AFileWithOtherNumbersInProcThanByStatIsOneFile) {
  hal::Mapping mapping = map(100, library_);
  ASSERT_TRUE(tracer_->prepare(100, library_, library_));
  mapping.file.device = makedev(0, 44);  // as under an overlay of which nothing more is known
  EXPECT_TRUE(tracer_->consider(100, mapping, 0));
  EXPECT_EQ(attached_, 1U);
  const FileReport report = only_report();
  EXPECT_TRUE(report.pids.contains(100));

  tracer_.reset();  // and the other way around
  start();
  attached_ = 0;
  EXPECT_TRUE(tracer_->consider(100, mapping, 0));
  EXPECT_TRUE(tracer_->prepare(100, library_, library_));
  EXPECT_EQ(attached_, 1U);
}

TEST_F(TracerTest, ALibraryThatWasNotAskedForIsReportedWhenAProcessMapsIt) {
  static constexpr std::string_view kNames[] = {"libabsent.so*"};
  static constexpr hal::Library kAbsent[] = {
      {.name = "libabsent", .sonames = kNames, .rows = kElsewhereRows, .layer = "LIB"}};
  static constexpr hal::Backend kProbed = {.name = "four", .vendor = "v", .libraries = kAbsent};
  static constexpr hal::Backend kUnprobed = {
      .name = "five", .vendor = "v", .libraries = kLibraries, .opt_in = "--with-five"};
  static constexpr const hal::Backend* kOnly[] = {&kProbed};
  unprobed_ = {&kUnprobed};
  start(kOnly);
  EXPECT_FALSE(tracer_->consider(100, map(100, library_), 0));
  const FileReport report = only_report();
  EXPECT_EQ(report.note, "not traced: its calls are recorded with --with-five");
  EXPECT_EQ(report.probes, 0U);
  EXPECT_TRUE(report.pids.contains(100));
  EXPECT_EQ(attached_, 0U);
  EXPECT_EQ(ledger_.count(hal::Loss::library_off), 1U) << "so that the recording says it, too";
  EXPECT_NE(ledger_.sentence(hal::Loss::library_off).find(library_ + " in process 100 (recorded with --with-five)"),
            std::string::npos)
      << ledger_.sentence(hal::Loss::library_off);
  EXPECT_FALSE(tracer_->consider(200, map(200, library_), 0));
  EXPECT_EQ(ledger_.count(hal::Loss::library_off), 1U) << "once a file";
}

// Everything lies on a file system that a user's program serves, as the process's mounts have it.
TEST_F(TracerTest, AFileOfAUsersFileSystemIsReportedWithARemedyAndTriedAgainAMinuteLater) {
  const std::string real = mounts_;
  mounts_.clear();
  for (const std::string_view line : split(real, '\n')) {
    const size_t dash = line.find(" - ");
    if (dash != std::string_view::npos) mounts_ += fmt::format("{} - fuse.x x rw,user_id=1000\n", line.substr(0, dash));
  }
  hal::Mapping mapping = map(100, library_);
  EXPECT_FALSE(tracer_->consider(100, mapping, 0));
  for (int tries = 0; tries < 500 && tracer_->reports().empty(); ++tries) usleep(10'000);  // on a thread of its own
  FileReport report = only_report();
  EXPECT_TRUE(report.note.starts_with("not traced: its file system belongs to an ordinary user (fuse.x at "))
      << report.note;
  EXPECT_NE(report.note.find("--library"), std::string::npos) << report.note;
  EXPECT_EQ(report.probes, 0U);
  EXPECT_EQ(ledger_.count(hal::Loss::file_unread), 1U);
  EXPECT_EQ(attached_, 0U);

  mounts_ = real;
  mapping = map(200, library_);
  EXPECT_FALSE(tracer_->consider(200, mapping, 0));
  clock_.now_ns += 61'000'000'000;
  EXPECT_TRUE(tracer_->consider(200, mapping, 0));
  report = only_report();
  EXPECT_EQ(report.note, "") << "in place of the other report";
  EXPECT_EQ(report.probes, kProbes);
}

TEST_F(TracerTest, ADeletedFileIsTracedAndSaysThatItIs) {
  hal::Mapping mapping = map(100, library_, library_ + " (deleted)");
  mapping.deleted = true;
  EXPECT_TRUE(tracer_->consider(100, mapping, 0));
  EXPECT_EQ(only_report().note, "deleted");
  EXPECT_EQ(only_report().probes, kProbes);
}

TEST_F(TracerTest, AHostileNameIsPrintable) {
  EXPECT_TRUE(tracer_->consider(100, map(100, library_, "/x\x1b[31m/libfixture.so.7"), 0));
  EXPECT_EQ(only_report().path.find('\x1b'), std::string::npos);
}

TEST_F(TracerTest, ALibraryIsAddedByPathAndAFileWithoutOneIsRefusedWithItsName) {
  EXPECT_TRUE(tracer_->add_library(library_).ok());
  EXPECT_EQ(only_report().probes, kProbes);
  const std::string other = folder_.path() + "/other.txt";
  tree_.file("elsewhere", "nothing");
  std::filesystem::copy_file(tree_.root() + "/elsewhere", other);
  const Status refused = tracer_->add_library(other);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(), fmt::format("library {}: holds no described library's symbols", other));
  EXPECT_NE(refused.error().hint().find("check --rows"), std::string::npos);
  const Status missing = tracer_->add_library("/nowhere/libfixture.so");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().text().find("/nowhere/libfixture.so"), std::string::npos);
}

TEST_F(TracerTest, WithoutATargetRowsAreResolvedAndNothingIsAttached) {
  start(kOne, false);
  map(100, library_);
  ASSERT_TRUE(tracer_->scan().ok());
  const FileReport report = only_report();
  EXPECT_EQ(row_of(report, "weak_one").state, hal::RowState::kResolved);
  EXPECT_GT(row_of(report, "weak_one").file_offset, 0U);
  EXPECT_EQ(report.probes, 0U);
  EXPECT_EQ(links_.asked, 0U);
  EXPECT_EQ(tracer_->probe_table().size(), 0U);
}

TEST_F(TracerTest, AtTheEndCallsInFlightMayReturnNoneBeginsAndNothingIsAttachedAnyMore) {
  EXPECT_TRUE(tracer_->consider(100, map(100, library_), 0));
  for (const auto& [probe, recipe] : recipes_) EXPECT_EQ(recipe.use, WIRE_RECIPE_LIVE) << probe;
  tracer_->stop_entries();
  EXPECT_EQ(recipes_.size(), kProbes);
  for (const auto& [probe, recipe] : recipes_) EXPECT_EQ(recipe.use, WIRE_RECIPE_ENDED) << probe;
  EXPECT_EQ(links_.open_links(FakeLinks::kEnter), 1U);
  EXPECT_EQ(links_.open_links(FakeLinks::kReturn), 1U);
  tracer_->detach();
  EXPECT_EQ(links_.open_links(FakeLinks::kEnter) + links_.open_links(FakeLinks::kReturn), 0U);
  const std::string copy = folder_.path() + "/libfixture-2.so";
  std::filesystem::copy_file(library_, copy);
  EXPECT_FALSE(tracer_->consider(200, map(200, copy), 0));
  EXPECT_EQ(attached_, 1U);
  EXPECT_EQ(only_report().probes, kProbes) << "what was traced is still reported";
}

TEST_F(TracerTest, AProcThatCannotBeListedIsAnError) {
  TracerOptions options;
  options.proc_root = "/nowhere/proc";
  Tracer blind(options, kOne, *calls_, std::optional<ProbeTarget>(), *foreign_, ledger_, clock_);
  const Status listed = blind.scan();
  ASSERT_FALSE(listed.ok());
  EXPECT_TRUE(listed.error().text().starts_with("list processes in /nowhere/proc")) << listed.error().text();
}

}  // namespace
}  // namespace ingero::kernelside
