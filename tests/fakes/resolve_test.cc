// The resolver against the stand-in libraries: in each file, every exported spelling of every row is resolved once, to
// the row whose prototype the file has, at the function's own address; wrappers are refused; nothing else is probed.
//
// The stand-ins come from the same rows by another way (make_fakes), so what is expected here is read from their symbol
// tables and fake_calls.c, not from the resolver's rules.
#include "hal/resolve.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "every_backend.h"
#include "fakes/fake_table.h"
#include "hal/elf.h"

namespace ingero::fakes {
namespace {

const hal::Library* library_of(const std::string& path) {
  for (const auto* backend : every_backend()) {
    for (const auto& library : backend->libraries) {
      if (hal::soname_matches(library, path.substr(path.rfind('/') + 1))) return &library;
    }
  }
  return nullptr;
}

bool same_prototype(const hal::Row& row, const fake_row& fake) {
  if (row.shape.size() != fake.n_params) return false;
  for (size_t i = 0; i < row.shape.size(); ++i) {
    if (static_cast<uint8_t>(row.shape[i].abi) != fake.params[i].abi) return false;
  }
  return true;
}

void check_file(const std::string& path) {
  SCOPED_TRACE(path);
  const hal::Library* library = library_of(path);
  ASSERT_NE(library, nullptr);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(fd.valid());
  auto image = hal::ElfImage::open(std::move(fd), path);
  ASSERT_TRUE(image.ok()) << image.error().text();

  // What this file's symbols are, by the table its source was written from.
  auto exports = [&](const char* name) { return *name != 0 && dlsym(handle, name) != nullptr; };
  std::map<std::string, const fake_row*> wanted;
  std::set<std::string> wrappers;
  for (unsigned i = 0; i < fake_row_count; ++i) {
    const fake_row& row = fake_rows[i];
    if (row.library != library->name || !exports(row.symbol)) continue;
    if (*row.only_with != 0 && !exports(row.only_with)) continue;
    if (exports(row.only_without)) continue;
    if (exports(row.jumps_to)) {
      wrappers.insert(row.symbol);
    } else {
      EXPECT_TRUE(wanted.emplace(row.symbol, &row).second) << row.symbol << " is described twice";
    }
  }

  std::map<std::string, int> resolved;
  for (const auto& found : hal::resolve(*library, *image, hal::kHostArch)) {
    if (found.state != hal::RowState::kResolved) {
      EXPECT_FALSE(found.reason.empty()) << found.symbol;
      continue;
    }
    ++resolved[found.symbol];
    const auto row = wanted.find(found.symbol);
    if (row == wanted.end()) {
      ADD_FAILURE() << found.symbol << (wrappers.contains(found.symbol) ? " is a wrapper" : " is another row's here");
      continue;
    }
    EXPECT_EQ(found.row->name, row->second->name) << found.symbol;
    EXPECT_TRUE(same_prototype(*found.row, *row->second)) << found.symbol << " has another prototype in this file";
    const auto definitions = image->find(found.symbol);
    ASSERT_FALSE(definitions.empty());
    EXPECT_EQ(found.file_offset, definitions[0].file_offset + found.point.delta) << found.symbol;
  }
  for (const auto& [symbol, row] : wanted) EXPECT_EQ(resolved[symbol], 1) << symbol << " is probed that often";
  dlclose(handle);
}

class ResolveStandIns : public testing::TestWithParam<const char*> {};

TEST_P(ResolveStandIns, EachExportIsProbedOnceWithItsOwnPrototype) {
  unsigned files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(FAKES_FOLDER "/") + GetParam())) {
    check_file(entry.path().string());
    ++files;
  }
  EXPECT_GT(files, 0U);
}
INSTANTIATE_TEST_SUITE_P(Flavours, ResolveStandIns, testing::Values("plain", "endbr", "old"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ingero::fakes
