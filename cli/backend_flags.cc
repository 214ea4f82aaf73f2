// Files named by the user come first, so that files in the folder cannot take their names.
#include "cli/backend_flags.h"

namespace ingero::cli {

void add_backend_options(Command command, BackendOptions& options) {
  command.add_option("--backend", options.files, "Also describe libraries by this manifest (YAML)")
      .type_name("FILE")
      .one_value_each();
  command.add_option("--backends-dir", options.folder, "And by every *.yaml in this folder")
      .type_name("FOLDER")
      .show_default();
}

Result<std::unique_ptr<backends::Registry>> load_backends(const BackendOptions& options, std::vector<Error>& unusable) {
  auto registry = std::make_unique<backends::Registry>();
  for (const std::string& file : options.files) INGERO_TRY(registry->add_file(file));
  unusable = registry->add_folder(options.folder);
  return registry;
}

const report::VendorNames& vendor_names() {
  static const report::VendorNames names(backends::all_backends());
  return names;
}

}  // namespace ingero::cli
