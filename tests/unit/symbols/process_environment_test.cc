// The environment as a process has it now, read from this very process and from what cannot be read.
#include "symbols/process_environment.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ingero::symbols::testing {
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

TEST_F(ProcessEnvironmentTest, AProcessThatCannotBeReadHasNone) {
  readable = false;
  EXPECT_EQ(environment_of(view, kNames).error().code(), Errc::kNotFound);
  readable = true;
  mappings.clear();
  view.mappings = mappings;
  EXPECT_EQ(environment_of(view, kNames).error().code(), Errc::kNotFound);
}

}  // namespace
}  // namespace ingero::symbols::testing
