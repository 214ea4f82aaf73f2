// A folder's names, and the error where there is none.
#include "base/folder.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace ingero {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(ListFolder, GivesTheNamesSorted) {
  const TempFolder folder;
  for (const char* name : {"b", "a", ".hidden"}) std::ofstream(folder.path() + "/" + name) << name;
  const auto names = list_folder(folder.path(), 10);
  ASSERT_TRUE(names.ok()) << names.error().text();
  EXPECT_THAT(*names, ElementsAre(".hidden", "a", "b"));
  EXPECT_THAT(*list_folder(folder.path(), 2), SizeIs(2));
}

TEST(ListFolder, NamesWhatItCannotList) {
  const TempFolder folder;
  const auto missing = list_folder(folder.path() + "/" + "none", 10);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code(), Errc::kNotFound);
  EXPECT_THAT(missing.error().text(), HasSubstr(folder.path() + "/" + "none"));
  std::ofstream(folder.path() + "/" + "file") << "x";
  EXPECT_FALSE(list_folder(folder.path() + "/" + "file", 10).ok());
}

}  // namespace
}  // namespace ingero
