// Files named by the user first: what stands in the folder cannot take their names.
#include "cli/backend_options.h"

namespace ingero::cli {

void add_backend_options(CLI::App& command, BackendOptions& options) {
  command.add_option("--backend", options.files, "Also describe libraries by this manifest (YAML)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("--backends-dir", options.folder, "And by every *.yaml in this folder")
      ->type_name("FOLDER")
      ->capture_default_str();
}

Result<std::unique_ptr<backends::Registry>> load_backends(const BackendOptions& options, std::vector<Error>& unusable) {
  auto registry = std::make_unique<backends::Registry>();
  for (const std::string& file : options.files) INGERO_TRY(registry->add_file(file));
  unusable = registry->add_folder(options.folder);
  return registry;
}

}  // namespace ingero::cli
