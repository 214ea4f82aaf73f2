// --backend and --backends-dir: manifests that add backends to those of the program, for the commands that read
// libraries.
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

// Is it the name of a manifest that is part of the program?
bool is_shipped_backend(const std::string& name);

// The registry that the flags describe, with the shipped manifests. --backend may also name one of these, which changes
// nothing. A file named by it must load; a file of the folder that does not is left out and reported in `unusable`.
Result<std::unique_ptr<backends::Registry>> load_backends(const BackendOptions& options, std::vector<Error>& unusable);

// What the backends of the program call the codes in recordings.
const report::VendorNames& vendor_names();

}  // namespace ingero::cli
