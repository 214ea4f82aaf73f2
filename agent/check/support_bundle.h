// ingero check --support-bundle: diagnostics for a bug report, in one file. README.md names the
// entries.
//
// A gzip-compressed tar file, readable by its owner only. What cannot be had becomes NAME.error.txt with the reason.
// Secrets in environment variables are redacted by their names. Programs (lscpu, bpftool, those of the backends'
// diagnostics) are run from the system's folders, without a shell, ten seconds and one MiB at most each.
#pragma once

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
};
// Writes the bundle to `path`, which is replaced if it is there.
Status write_support_bundle(const std::string& path, std::span<const hal::Backend* const> backends,
                            const BundleOptions& options);

// Must the value of this environment variable not leave the machine? By its name, or because it is a URL with a
// password.
bool is_secret(std::string_view name, std::string_view value);

// The last `lines` lines of `text`.
std::string_view last_lines(std::string_view text, size_t lines);

// The output of a program, standard error included, or why there is none. `command`: its name (looked for in the
// system's folders) and arguments.
Result<std::string> output_of(std::span<const std::string_view> command);

}  // namespace ingero::agent
