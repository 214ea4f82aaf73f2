// A tracer over a /proc of the test's own, a real library file, and links that are not the kernel's.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "fake_links.h"
#include "held_clock.h"
#include "kernelside/tracer.h"
#include "proc_tree.h"
#include "unit/hal/fixture.h"

namespace ingero::kernelside {

using testing::FakeLinks;
using testing::ProcTree;

inline constexpr std::string_view kSonames[] = {"libfixture*.so*"};
inline constexpr hal::Param kShape[] = {{hal::Abi::kI32, hal::Field::kBytes}};
inline constexpr hal::Row kRows[] = {
    {.name = "exported", .kind = hal::Kind::kAlloc, .shape = kShape},
    {.name = "aliased", .kind = hal::Kind::kAlloc, .shape = kShape},  // the same address as `exported`
    {.name = "copy", .kind = hal::Kind::kMemcpy, .shape = kShape, .variants = hal::kPtsz},
    {.name = "weak_one", .kind = hal::Kind::kSync, .shape = kShape, .flags = hal::kSynchronising},
    {.name = "not_there", .kind = hal::Kind::kFree, .shape = kShape},
};
// Another table that describes the same file.
inline constexpr hal::Row kOtherRows[] = {
    {.name = "exported", .kind = hal::Kind::kAlloc, .shape = kShape},
    {.name = "calls_local", .kind = hal::Kind::kFree, .shape = kShape},
};
inline constexpr hal::Library kLibraries[] = {
    {.name = "libfixture", .sonames = kSonames, .rows = kRows, .layer = "LIB"}};
inline constexpr hal::Library kOtherLibraries[] = {
    {.name = "libother", .sonames = kSonames, .rows = kOtherRows, .layer = "LIB"}};
// A third, of which the file has the name only.
inline constexpr hal::Row kElsewhereRows[] = {{.name = "elsewhere", .kind = hal::Kind::kFree, .shape = kShape}};
inline constexpr hal::Library kElsewhereLibraries[] = {
    {.name = "libelsewhere", .sonames = kSonames, .rows = kElsewhereRows, .layer = "LIB"}};
// Of a fourth: one that frameworks call around every launch.
inline constexpr hal::Row kAskingRows[] = {
    {.name = "exported", .kind = hal::Kind::kAlloc, .shape = kShape},
    {.name = "weak_one", .kind = hal::Kind::kDevice, .shape = kShape, .flags = hal::kAsksDevice},
};
inline constexpr hal::Library kAskingLibraries[] = {
    {.name = "libasking", .sonames = kSonames, .rows = kAskingRows, .layer = "LIB"}};
inline constexpr hal::Backend kAsking = {.name = "four", .vendor = "v", .libraries = kAskingLibraries};
inline constexpr hal::Backend kBackend = {.name = "one", .vendor = "v", .libraries = kLibraries};
inline constexpr hal::Backend kOther = {.name = "two", .vendor = "v", .libraries = kOtherLibraries};
inline constexpr hal::Backend kElsewhere = {.name = "three", .vendor = "v", .libraries = kElsewhereLibraries};

inline constexpr size_t kProbes = 4;  // exported, copy, copy_ptsz, weak_one

class TracerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto built = hal::fixture::library();
    if (!built) GTEST_SKIP() << "no C compiler (cc) to build the fixture with";
    std::filesystem::copy_file(*built, library_);
    mounts_ = read_file("/proc/self/mountinfo", 1 << 20).value();
    start();
  }
  // Who else maps a file that the tracer watches, and whether it has names: as the test has them, by path.
  Result<Fd> uses() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno_error("make a pipe");
    Fd from(ends[0]);
    const Fd to(ends[1]);
    ++looks_;
    if (while_looking_) while_looking_();
    if (no_uses_) return Error(Errc::kNotSupported, "look up the mapped files: not here");
    const std::string maps = read_file("/proc/self/maps", 16 << 20).value();
    for (const std::string_view line : split(maps, '\n')) {
      hal::Mapping own;
      if (line.find(" ---p ") == std::string_view::npos || !hal::parse_maps_line(line, own)) continue;
      if (!own.untrusted_path.starts_with(folder_.path())) continue;
      const std::string path = own.untrusted_path.substr(0, own.untrusted_path.find(" (deleted)"));
      const bool is_deleted = deleted_.contains(path) || !std::filesystem::exists(path);
      const wire_use use{own.start, is_deleted ? 0U : 1U, mapped_.contains(path) ? 1U : 0U};
      EXPECT_EQ(::write(to.get(), &use, sizeof(use)), static_cast<ssize_t>(sizeof(use)));
    }
    return from;
  }
  void start(std::span<const hal::Backend* const> backends = kOne, bool attaches = true) {
    tracer_.reset();
    foreign_.emplace(std::move(Helpers::start()).value(), ledger_, tree_.root(), clock_);  // a tracer's end is its own
    foreign_->start();
    calls_.emplace(backends);
    std::optional<ProbeTarget> target;
    if (attaches) {
      target = ProbeTarget{[this](uint32_t probe, const wire_recipe& recipe) -> Status {
                             if (no_recipe_) return Error(Errc::kIo, "the map is full");
                             recipes_[probe] = recipe;
                             return {};
                           },
                           [this](std::span<const uint32_t> probes) {
                             for (const uint32_t probe : probes) {
                               if (recipes_.contains(probe)) recipes_[probe].use = WIRE_RECIPE_ENDED;
                             }
                           },
                           [this](const std::string& path, std::span<const AttachPoint> probes,
                                  const std::function<void()>& working) -> Result<std::unique_ptr<FileProbes>> {
                             ++attached_;
                             if (while_attaching_) while_attaching_();
                             if (no_attach_) return Error(Errc::kIo, "attach: the kernel is out of memory");
                             return FileProbes::attach(links_.programs(Mechanism::kMulti), path, probes, working);
                           },
                           removes_slowly_};
    }
    TracerOptions options;
    options.proc_root = tree_.root();
    options.uses = {[]() -> Status { return {}; }, [this] { return uses(); }};
    options.unprobed = unprobed_;
    tracer_.emplace(options, backends, *calls_, std::move(target), *foreign_, ledger_, clock_);
  }

  // Process `pid` maps `path`, executable.
  hal::Mapping map(uint32_t pid, const std::string& path, const std::string& name = "") {
    hal::Mapping mapping;
    mapping.start = 0x7f0000000000 + 0x100000 * next_++;
    mapping.end = mapping.start + 0x3000;
    mapping.executable = true;
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    mapping.file = {status.st_dev, status.st_ino};
    mapping.untrusted_path = name.empty() ? path : name;
    maps_[pid] += fmt::format("{:x}-{:x} r-xp 00001000 {:x}:{:x} {}    {}\n", mapping.start, mapping.end,
                              major(status.st_dev), minor(status.st_dev), status.st_ino, mapping.untrusted_path);
    tree_.file(fmt::format("{}/maps", pid), maps_[pid]);
    tree_.file(fmt::format("{}/mountinfo", pid), mounts_);
    tree_.link(fmt::format("{}/map_files/{:x}-{:x}", pid, mapping.start, mapping.end), path);
    return mapping;
  }
  FileReport only_report() {
    const auto reports = tracer_->reports();
    EXPECT_EQ(reports.size(), 1U);
    return reports.empty() ? FileReport{} : reports[0];
  }
  static const RowReport& row_of(const FileReport& report, std::string_view symbol) {
    const auto found = std::find_if(report.rows.begin(), report.rows.end(),
                                    [&](const RowReport& row) { return row.symbol == symbol; });
    EXPECT_NE(found, report.rows.end()) << symbol;
    return found == report.rows.end() ? report.rows[0] : *found;
  }

  static constexpr const hal::Backend* kOne[] = {&kBackend};
  static constexpr const hal::Backend* kBoth[] = {&kBackend, &kOther};
  static constexpr const hal::Backend* kWithElsewhere[] = {&kElsewhere, &kBackend};
  static constexpr const hal::Backend* kOnlyAsking[] = {&kAsking};
  static constexpr const hal::Backend* kOnlyElsewhere[] = {&kElsewhere};
  std::vector<const hal::Backend*> unprobed_;
  ProcTree tree_;
  TempFolder folder_;
  const std::string library_ = folder_.path() + "/libfixture.so.7";
  std::string mounts_;
  std::map<uint32_t, std::string> maps_;
  uint64_t next_ = 0;
  FakeLinks links_;
  std::map<uint32_t, wire_recipe> recipes_;
  bool no_recipe_ = false, no_attach_ = false;
  std::atomic<size_t> attached_ = 0;
  bool removes_slowly_ = false;
  std::function<void()> while_attaching_;
  std::set<std::string> mapped_, deleted_;  // files that others map; those that have no name, as far as the tracer sees
  std::function<void()> while_looking_;
  bool no_uses_ = false;
  size_t looks_ = 0;
  hal::LossLedger ledger_;
  HeldClock clock_;
  std::optional<Foreign> foreign_;
  std::optional<hal::CallTable> calls_;
  std::optional<Tracer> tracer_;
};

}  // namespace ingero::kernelside
