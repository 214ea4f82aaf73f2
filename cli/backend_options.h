// --backend and --backends-dir: backends from files beside the compiled ones, for the commands that look at libraries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "backends/registry.h"
#include "base/result.h"

namespace ingero::cli {

struct BackendOptions {
  std::vector<std::string> files;
  std::string folder = "/etc/ingero/backends.d";
};
void add_backend_options(CLI::App& command, BackendOptions& options);

// The registry the flags describe. A file named by --backend must load; a file of the folder that does not is left out
// and told in `unusable`.
Result<std::unique_ptr<backends::Registry>> load_backends(const BackendOptions& options, std::vector<Error>& unusable);

}  // namespace ingero::cli
