// --backend and --backends-dir: manifests that add backends to the compiled ones, for the commands that read libraries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/registry.h"
#include "base/result.h"
#include "cli/parser.h"
#include "report/vendor_names.h"

namespace ingero::cli {

struct BackendOptions {
  std::vector<std::string> files;
  std::string folder = "/etc/ingero/backends.d";
};
void add_backend_options(Command command, BackendOptions& options);

// The registry that the flags describe. A file named by --backend must load; a file of the folder that does not is left
// out and reported in `unusable`.
Result<std::unique_ptr<backends::Registry>> load_backends(const BackendOptions& options, std::vector<Error>& unusable);

// What the compiled backends call the codes in recordings.
const report::VendorNames& vendor_names();

}  // namespace ingero::cli
