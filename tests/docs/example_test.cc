// The example backend of docs/adding_a_backend.md is in this program's registry, with the real ones: the conformance
// tests linked with this file check it too.
#include <algorithm>

#include <gtest/gtest.h>

#include "backends/registry.h"

namespace ingero {
namespace {

TEST(DocsExample, TheRegistryHoldsTheBackendOfThePageAndAllOthers) {
  const auto backends = backends::all_backends();
  ASSERT_GE(backends.size(), 2U);
  const hal::Backend& example = *backends.back();
  EXPECT_EQ(example.name, "toy");
  ASSERT_EQ(example.libraries.size(), 1U);
  const auto& rows = example.libraries.front().rows;
  const auto launch =
      std::find_if(rows.begin(), rows.end(), [](const hal::Row& row) { return row.name == "toyLaunch"; });
  ASSERT_NE(launch, rows.end());
  EXPECT_EQ(launch->kind, hal::Kind::kLaunch);
  EXPECT_EQ(launch->shape.size(), 8U) << "the public prototype has eight parameters";
}

}  // namespace
}  // namespace ingero
