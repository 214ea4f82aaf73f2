// Files named by the user come first, then the folder's, then the shipped ones: a later one cannot take an earlier
// one's name.
#include "cli/backend_flags.h"

#include <algorithm>

#include "backends/shipped_manifests.h"

namespace ingero::cli {

void add_backend_options(Command command, BackendOptions& options) {
  command.add_option("--backend", options.files, "Also describe libraries by this manifest (YAML)")
      .type_name("FILE")
      .one_value_each();
  command.add_option("--backends-dir", options.folder, "And by every *.yaml in this directory")
      .type_name("DIRECTORY")
      .show_default();
}

bool is_shipped_backend(const std::string& name) {
  return std::ranges::any_of(backends::shipped_manifests(), [&](const auto& shipped) { return shipped.name == name; });
}

Result<std::unique_ptr<backends::Registry>> load_backends(const BackendOptions& options, std::vector<Error>& unusable) {
  auto registry = std::make_unique<backends::Registry>();
  for (const std::string& file : options.files) {
    const auto added = is_shipped_backend(file) ? Status() : registry->add_file(file);
    if (!added.ok()) return added.error().in("--backend");
  }
  unusable = registry->add_folder(options.folder);
  registry->add_shipped();
  return registry;
}

const report::VendorNames& vendor_names() {
  static const report::VendorNames names(backends::known_backends());
  return names;
}

}  // namespace ingero::cli
