// Can this machine be traced, and what would be found? As a struct, for the command, the tool and the support bundle.
//
// Reads only; nothing is attached. Threads: one call at a time. Failure: only what keeps all of it from being examined;
// everything else is a check of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "hal/prototype.h"
#include "kernelside/tracer.h"

namespace ingero::agent {

enum class CheckResult : uint8_t { kPass, kInfo, kFail, kUnknown };

struct ReadinessCheck {
  std::string name;
  CheckResult result = CheckResult::kPass;
  bool optional = false;
  std::string value;
  std::string detail;
  std::string recommendation;
};

// Functions of a library by what became of them.
struct FunctionCounts {
  size_t resolved = 0, absent = 0, refused = 0, stepped = 0;
};
FunctionCounts counts_of(const kernelside::FileReport& file);
std::string_view state_name(hal::RowState state);
// What the user can do about a function; empty: nothing needs doing.
std::string remedy_of(const kernelside::RowReport& row);

struct ReadinessOptions {
  std::span<const hal::Backend* const> backends;
  std::vector<std::string> libraries;                       // files that are examined, mapped or not
  std::vector<ReadinessCheck> backend_checks;               // of the backends' own files, made by who read them
  std::function<std::string(const hal::Backend&)> file_of;  // which a backend came from; empty: compiled in
};

struct Readiness {
  std::vector<ReadinessCheck> checks;
  std::vector<kernelside::FileReport> files;
  struct BackendFile {
    const hal::Backend* backend;
    std::string file;
  };
  std::vector<BackendFile> backends;

  // 0 ready, 1 not ready, 2 could not tell: the exit status of `ingero check`.
  int status() const;
};

Result<Readiness> examine_readiness(const ReadinessOptions& options);
// The document of `ingero check --json` and of the tool get_check.
Json readiness_json(const Readiness& readiness);

}  // namespace ingero::agent
