// Runs the command line inside the test, and makes the recordings it reads.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/app.h"
#include "temp_folder.h"

namespace ingero::cli {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

// As if typed: `ingero arguments...`, with stdout not a terminal and no INGERO_DB.
inline Outcome run_cli(std::vector<std::string> arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Context context(out, err);
  context.environment.variable = [](const char*) -> std::optional<std::string> { return std::nullopt; };
  const int status = run(std::move(arguments), context);
  return {status, out.str(), err.str()};
}

// One sentence on the error stream, nothing on the output stream, the wanted status.
inline void expect_refused(const Outcome& outcome, int status, const std::string& part) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("Error: ", 0), 0U) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

class TemporaryFolder : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  const TempFolder temp_;
  const std::string& folder_ = temp_.path();
};

// The published recordings of the legacy agent: INGERO_SAMPLES, or a folder next to the source tree.
inline std::string sample(const std::string& name) {
  const char* folder = std::getenv("INGERO_SAMPLES");
  return std::string(folder != nullptr ? folder : INGERO_SOURCE_DIR "/../shared/data") + "/" + name;
}
#define INGERO_NEEDS_SAMPLE(name)                                                                      \
  if (!std::filesystem::exists(sample(name))) {                                                        \
    GTEST_SKIP() << "the earlier agent's recording " << (name) << " is not here (set INGERO_SAMPLES)"; \
  }                                                                                                    \
  static_assert(true)

}  // namespace ingero::cli
