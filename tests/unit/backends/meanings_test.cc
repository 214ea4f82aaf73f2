// What return codes mean: each is a code of a backend, listed once, with a sentence and a remedy.
#include <set>

#include <gtest/gtest.h>

#include "backends/registry.h"

namespace ingero::backends {
namespace {

std::set<std::string_view> known_statuses() {
  std::set<std::string_view> names;
  for (const hal::Backend* backend : known_backends()) {
    for (const hal::StatusName& one : backend->statuses) names.insert(one.name);
    for (const hal::Library& library : backend->libraries) {
      for (const hal::StatusName& one : library.statuses) names.insert(one.name);
    }
  }
  return names;
}

TEST(Meanings, EachIsOfACodeThatABackendHas) {
  const auto names = known_statuses();
  std::set<std::string_view> seen;
  for (const auto& table : all_meanings()) {
    EXPECT_FALSE(table.empty());
    for (const hal::StatusMeaning& one : table) {
      EXPECT_TRUE(names.contains(one.status)) << one.status;
      EXPECT_TRUE(seen.insert(one.status).second) << one.status << " is told twice";
      EXPECT_TRUE(one.meaning.ends_with('.')) << one.status;
      EXPECT_TRUE(one.remedy.ends_with('.')) << one.status;
    }
  }
}

TEST(Meanings, AreFoundByNameOnceARegistryIsThere) {
  const Registry registry;
  const hal::StatusMeaning* meaning = hal::find_status_meaning("cudaErrorIllegalAddress");
  ASSERT_NE(meaning, nullptr);
  EXPECT_EQ(meaning->effect, hal::StatusEffect::kFatalLater);
  ASSERT_NE(hal::find_status_meaning("CUDA_ERROR_ILLEGAL_ADDRESS"), nullptr);
  EXPECT_EQ(hal::find_status_meaning("CUDA_ERROR_ILLEGAL_ADDRESS")->meaning, meaning->meaning);
  EXPECT_EQ(hal::find_status_meaning("hipErrorIllegalAddress")->effect, hal::StatusEffect::kFatalLater);
  EXPECT_EQ(hal::find_status_meaning("ncclRemoteError")->effect, hal::StatusEffect::kFatal);
  // Memory or a link that broke: no launch did it.
  for (const char* broken :
       {"cudaErrorECCUncorrectable", "cudaErrorNvlinkUncorrectable", "hipErrorECCNotCorrectable"}) {
    EXPECT_EQ(hal::find_status_meaning(broken)->effect, hal::StatusEffect::kFatal) << broken;
  }
  EXPECT_EQ(hal::find_status_meaning("ZE_RESULT_ERROR_DEVICE_LOST")->effect, hal::StatusEffect::kFatalLater);
  EXPECT_EQ(hal::find_status_meaning("CL_OUT_OF_RESOURCES")->effect, hal::StatusEffect::kFatalLater);
  EXPECT_EQ(hal::find_status_meaning("ENODEV")->effect, hal::StatusEffect::kFatal);
  EXPECT_EQ(hal::find_status_meaning("notACode"), nullptr);
  for (const char* refused : {"cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory",
                              "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", "CL_MEM_OBJECT_ALLOCATION_FAILURE"}) {
    ASSERT_NE(hal::find_status_meaning(refused), nullptr) << refused;
    EXPECT_EQ(hal::find_status_meaning(refused)->effect, hal::StatusEffect::kOutOfDeviceMemory) << refused;
  }
}

}  // namespace
}  // namespace ingero::backends
