// The rows against real libraries, where some are installed: no exported variant of a described call is left out, and
// no symbol is described by two rows that hold at once.
//
// Not the machine's own driver, which may be newer than the tables: INGERO_VENDOR_LIBRARIES may name more files
// (colon-separated), such as other versions.
#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fnmatch.h>
#include <gtest/gtest.h>

#include "backends/registry.h"
#include "base/fd.h"
#include "base/text.h"
#include "hal/elf.h"

namespace ingero {
namespace {

std::vector<std::string> candidates() {
  std::vector<std::string> paths = {
      "/usr/local/cuda/lib64/libcudart.so.13",
      "/usr/local/cuda/lib64/libcudart.so.12",
      "/usr/local/cuda/lib64/stubs/libcuda.so",
      "/usr/lib/x86_64-linux-gnu/libcudart.so.11.0",
      "/usr/lib/x86_64-linux-gnu/libamdhip64.so.5",
      "/usr/lib/aarch64-linux-gnu/libamdhip64.so.5",
      "/opt/rocm/lib/libamdhip64.so",
      "/usr/lib/x86_64-linux-gnu/libibverbs.so.1",
      "/usr/lib/aarch64-linux-gnu/libibverbs.so.1",
  };
  if (const char* more = std::getenv("INGERO_VENDOR_LIBRARIES")) {
    for (const std::string_view path : split(more, ':')) paths.emplace_back(path);
  }
  std::erase_if(paths, [](const std::string& path) { return !std::filesystem::exists(path); });
  return paths;
}

std::set<std::string> exports_of(const std::string& path) {
  std::set<std::string> names;
  const Result<hal::ElfImage> image = hal::ElfImage::open(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path);
  EXPECT_TRUE(image.ok()) << image.error().text();
  if (!image.ok()) return names;
  for (const hal::Symbol& symbol : image->functions()) {
    if (!symbol.is_local) names.emplace(symbol.name);
  }
  return names;
}

// "f_v2_ptsz" -> "f_v2", "f" -> "".
std::string without_suffix(const std::string& name) {
  const size_t at = name.rfind('_');
  if (at == std::string::npos) return {};
  const std::string suffix = name.substr(at);
  const bool is_version = suffix.size() == 3 && suffix[1] == 'v' && suffix[2] >= '0' && suffix[2] <= '9';
  return is_version || suffix == "_ptsz" || suffix == "_ptds" || suffix == "_spt" ? name.substr(0, at) : "";
}

void check(const hal::Library& library, const std::set<std::string>& exports) {
  std::set<std::string> described;
  std::set<std::string> bases;
  size_t present = 0;
  for (const hal::Row& row : library.rows) {
    bases.emplace(row.name);
    const bool has_target = exports.count(std::string(row.instead)) != 0;
    if ((row.flags & hal::kNotWhereTarget) != 0 && has_target) continue;
    if ((row.flags & hal::kOnlyWhereTarget) != 0 && !has_target) continue;
    for (const std::string& symbol : hal::spellings(row)) {
      if (exports.count(symbol) == 0) continue;
      ++present;
      EXPECT_TRUE(described.insert(symbol).second) << symbol << " is described twice";
    }
  }
  EXPECT_GT(present, library.rows.size() / 3) << "hardly a row is in this file: is it the right library?";
  for (const hal::Row& row : library.rows) {  // wrappers that jump to a described call are described by it
    if ((row.flags & hal::kNotWhereTarget) == 0) continue;
    for (const std::string& symbol : hal::spellings(row)) described.insert(symbol);
  }
  for (const std::string& symbol : exports) {
    for (std::string base = symbol; !base.empty(); base = without_suffix(base)) {
      if (bases.count(base) == 0) continue;
      EXPECT_EQ(described.count(symbol), 1U) << symbol << " is a twin of " << base << " that no row names";
      break;
    }
  }
}

TEST(VendorLibraries, NoExportedVariantIsLeftOutAndNoneIsDescribedTwice) {
  std::string checked;
  for (const std::string& path : candidates()) {
    const std::string file = std::filesystem::path(path).filename();
    for (const hal::Backend* backend : backends::all_backends()) {
      for (const hal::Library& library : backend->libraries) {
        const bool is_it = std::any_of(library.sonames.begin(), library.sonames.end(), [&](std::string_view pattern) {
          return fnmatch(std::string(pattern).c_str(), file.c_str(), 0) == 0;
        });
        if (!is_it) continue;
        SCOPED_TRACE(path);
        check(library, exports_of(path));
        checked += path + " ";
      }
    }
  }
  if (checked.empty()) GTEST_SKIP() << "no vendor library is installed";
  std::cout << "checked " << checked << "\n";
}

}  // namespace
}  // namespace ingero
