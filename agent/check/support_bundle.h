// ingero check --support-bundle: diagnostics for a bug report, in one file. docs/formats/check_json.md names the
// entries.
//
// A gzip-compressed tar file, readable by its owner only. What cannot be had becomes NAME.error.txt with the reason. Of
// the environment it has the variables on a list, and of those not what looks like a secret. Programs (lscpu, bpftool,
// those of the backends' diagnostics) are run from the system's folders, without a shell, ten seconds and one MiB at
// most each. Owns nothing; what it is given must outlive the call. Any thread, one bundle at a time. Failure: the
// file's, with its path.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hal/prototype.h"

namespace ingero::agent {

struct BundleOptions {
  std::string check_json;                // what `check --json` says
  std::string log_folder;                // where the agent's logs are; empty: unknown
  uint64_t wall_ns = 0;                  // now
  std::vector<std::string> environment;  // the agent's own, as NAME=VALUE
  // How names of variables begin that may be in it, besides the system's and ingero's.
  std::span<const std::string_view> variables = {};
};
// Writes the bundle to `path`, which is replaced if it is there (base/trusted_path.h says what is refused).
Status write_support_bundle(const std::string& path, std::span<const hal::Backend* const> backends,
                            const BundleOptions& options);

// May this environment variable be in a bundle?
bool may_be_shown(std::string_view name, std::span<const std::string_view> beginnings);

// Must the value of this environment variable not leave the machine? By its name, or because it is a URL with a
// password.
bool is_secret(std::string_view name, std::string_view value);

// The last `lines` lines of `text`.
std::string_view last_lines(std::string_view text, size_t lines);

// The wait status of a child; nothing: it has not ended within this time.
std::optional<int> wait_status(pid_t child, uint64_t timeout_ns);

// The output of a program, standard error included, or why there is none. `command`: its name (looked for in the
// system's folders) and arguments.
Result<std::string> output_of(std::span<const std::string_view> command);

}  // namespace ingero::agent
