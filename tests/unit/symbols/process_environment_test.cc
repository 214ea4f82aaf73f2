// The environment as a process has it now, read from this very process, from lists that no C library would make, and
// from what cannot be read.
#include "symbols/process_environment.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ingero::symbols {
namespace {

class ProcessEnvironmentTest : public ::testing::Test {
 protected:
  ProcessEnvironmentTest() {
    std::stringstream text;
    text << std::ifstream("/proc/self/maps").rdbuf();
    mappings = hal::executable_mappings(text.str());
    view.mappings = mappings;
    view.open_file = [](const hal::Mapping& mapping) -> Result<Fd> {
      Fd file(::open(mapping.untrusted_path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!file.valid()) return errno_error("open");
      return file;
    };
    view.read_memory = [this](uint64_t address, void* out, size_t size) {
      return readable && pread(memory.get(), out, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
    };
  }
  Fd memory{::open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};
  std::vector<hal::Mapping> mappings;
  ProcessView view;
  bool readable = true;
};

constexpr std::array<std::string_view, 3> kNames = {"INGERO_TEST_SET", "INGERO_TEST_EMPTY", "INGERO_TEST_NONE"};

TEST_F(ProcessEnvironmentTest, WhatTheProcessHasSetItselfIsThere) {
  const std::string long_value(1000, 'x');
  ASSERT_EQ(setenv("INGERO_TEST_SET", long_value.c_str(), 1), 0);
  ASSERT_EQ(setenv("INGERO_TEST_EMPTY", "", 1), 0);
  ASSERT_EQ(setenv("INGERO_TEST_SETTLED", "another", 1), 0);
  const auto found = environment_of(view, kNames);
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at("INGERO_TEST_SET"), long_value);
  EXPECT_EQ(found->at("INGERO_TEST_EMPTY"), "");
  ASSERT_EQ(setenv("INGERO_TEST_SET", "2,0", 1), 0);
  EXPECT_EQ(environment_of(view, kNames)->at("INGERO_TEST_SET"), "2,0");
  ASSERT_EQ(unsetenv("INGERO_TEST_SET"), 0);
  EXPECT_FALSE(environment_of(view, kNames)->contains("INGERO_TEST_SET"));
}

TEST_F(ProcessEnvironmentTest, AValueTooLongIsNotTaken) {
  ASSERT_EQ(setenv("INGERO_TEST_SET", std::string(10000, 'x').c_str(), 1), 0);
  const auto found = environment_of(view, kNames);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->contains("INGERO_TEST_SET"));
  unsetenv("INGERO_TEST_SET");
}

// The list that the C library of this process goes by, for as long as this lives.
class MadeList {
 public:
  explicit MadeList(std::vector<char*> entries) : entries_(std::move(entries)) { environ = entries_.data(); }
  ~MadeList() { environ = before_; }
  MadeList(const MadeList&) = delete;
  MadeList& operator=(const MadeList&) = delete;

 private:
  std::vector<char*> entries_;
  char** before_ = environ;
};

TEST_F(ProcessEnvironmentTest, TheFirstOfTwoValuesCountsAsItDoesForTheProcess) {
  std::string first = "INGERO_TEST_SET=1";
  std::string second = "INGERO_TEST_SET=2";
  const MadeList list({first.data(), second.data(), nullptr});
  EXPECT_STREQ(getenv("INGERO_TEST_SET"), "1");
  EXPECT_EQ(environment_of(view, kNames)->at("INGERO_TEST_SET"), "1");
}

TEST_F(ProcessEnvironmentTest, AddressesOfNothingAreNoVariables) {
  std::string good = "INGERO_TEST_SET=good";
  auto* const nowhere = reinterpret_cast<char*>(uintptr_t{0x10});  // NOLINT(performance-no-int-to-ptr)
  auto* const kernel = reinterpret_cast<char*>(~uintptr_t{7});     // NOLINT(performance-no-int-to-ptr)
  const MadeList list({nowhere, kernel, good.data(), nullptr});
  const auto found = environment_of(view, kNames);
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->at("INGERO_TEST_SET"), "good");
}

TEST_F(ProcessEnvironmentTest, AListWithoutEndIsNone) {
  std::string good = "INGERO_TEST_SET=good";
  const MadeList list(std::vector<char*>(100'000, good.data()));
  EXPECT_EQ(environment_of(view, kNames).error().code(), Errc::kNotFound);
}

TEST_F(ProcessEnvironmentTest, ValuesWithoutEndCostLittle) {
  std::string endless = "INGERO_TEST_SET=" + std::string(1 << 20, 'x');
  std::vector<char*> entries(4000, endless.data());
  entries.push_back(nullptr);
  const MadeList list(entries);
  auto least = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 5; ++i) {  // at best: a busy machine's time is not the reader's
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(environment_of(view, kNames).error().code(), Errc::kNotFound);
    least = std::min(least, std::chrono::steady_clock::now() - begin);
  }
  // Read whole, they would be a quarter of a million reads.
  EXPECT_LT(least, std::chrono::milliseconds(250));
}

TEST_F(ProcessEnvironmentTest, AProcessThatCannotBeReadHasNone) {
  readable = false;
  EXPECT_EQ(environment_of(view, kNames).error().code(), Errc::kNotFound);
  readable = true;
  mappings.clear();
  view.mappings = mappings;
  EXPECT_EQ(environment_of(view, kNames).error().code(), Errc::kNotFound);
}

}  // namespace
}  // namespace ingero::symbols
