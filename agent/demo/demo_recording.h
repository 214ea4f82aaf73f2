// A demonstration as a recording: made-up events through the real store and the real engine.
//
// Blocks until it is written; the file belongs to the caller. Failure: the store's. One thread. A TemporaryFolder owns
// its directory and removes it with all it holds.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "agent/demo/demo_scenarios.h"
#include "base/clock.h"
#include "base/result.h"
#include "hal/call_table.h"

namespace ingero::agent {

// A folder that is gone when this is.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

struct DemoPace {
  double speed = 0;       // times real time; 0 does not wait
  uint64_t limit_ns = 0;  // of the scenario; 0: all of it
};

// Writes the recording `path`, which must not exist.
Status record_demo(const DemoScenario& scenario, const hal::CallTable& calls, const DemoPace& pace,
                   const std::string& path, const Clock& clock);

}  // namespace ingero::agent
