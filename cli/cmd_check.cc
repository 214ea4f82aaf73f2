// ingero check: can this machine be traced, and what would be found? Reads only; nothing is attached.

#include "agent/check/readiness.h"
#include "agent/check/readiness_text.h"
#include "agent/check/support_bundle.h"
#include "backends/variables.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/backend_flags.h"
#include "cli/commands.h"

namespace ingero::cli {
namespace {

struct CheckOptions {
  bool json = false;
  bool rows = false;
  std::vector<std::string> libraries;
  BackendOptions backends;
  std::string support_bundle;
};

// A manifest that is refused is a finding like any other: a failure where the user named it.
std::vector<agent::ReadinessCheck> add_backends(const BackendOptions& options, backends::Registry& registry) {
  std::vector<agent::ReadinessCheck> checks;
  for (const std::string& file : options.files) {
    std::vector<backends::ManifestProblem> problems;
    agent::ReadinessCheck check{
        fmt::format("backend {}", printable(file)), agent::CheckResult::kPass, false, {}, {}, {}};
    if (is_shipped_backend(file)) {
      check.value = "part of this program, and always used";
    } else if (const Status added = registry.add_file(file, &problems); added.ok()) {
      const hal::Backend& backend = *registry.all().back();
      size_t rows = 0;
      for (const auto& library : backend.libraries) rows += library.rows.size();
      check.value = fmt::format("{} ({}): valid, {} row{}", backend.name, backend.vendor, rows, rows == 1 ? "" : "s");
    } else {
      check.result = agent::CheckResult::kFail;
      check.value = problems.empty() ? added.error().message() : "refused";
      for (const auto& problem : problems) {
        check.detail += (check.detail.empty() ? "" : "; ") + problem.text(printable(file, 4096));
      }
      check.recommendation = "docs/formats/backend_manifest.md says what a manifest may hold";
    }
    checks.push_back(std::move(check));
  }
  for (const Error& error : registry.add_folder(options.folder)) {
    checks.push_back({"backend", agent::CheckResult::kFail, true, "not used", error.message(),
                      fmt::format("fix it, or remove it from {}", options.folder)});
  }
  registry.add_shipped();
  return checks;
}

Result<agent::Readiness> examine(const CheckOptions& options, backends::Registry& registry) {
  agent::ReadinessOptions examined;
  examined.backend_checks = add_backends(options.backends, registry);
  examined.backends = registry.all();
  examined.libraries = options.libraries;
  examined.file_of = [&registry](const hal::Backend& backend) { return registry.file_of(backend); };
  return agent::examine_readiness(examined);
}

Result<int> run_check(const CheckOptions& options, Context& context) {
  backends::Registry registry;
  const auto readiness = examine(options, registry);
  INGERO_TRY(readiness);
  if (!options.support_bundle.empty()) {
    agent::BundleOptions bundle{dump_indented(agent::readiness_json(*readiness)), {}, context.clock->wall_ns(), {}, {}};
    if (context.environment.entries) bundle.environment = context.environment.entries();
    bundle.variables = backends::variable_beginnings();
    if (const auto location = store::locate(context.environment); location.ok()) {
      bundle.log_folder = location->path.substr(0, location->path.rfind('/'));
    }
    INGERO_TRY(agent::write_support_bundle(options.support_bundle, registry.all(), bundle));
    context.err << fmt::format("ingero: wrote {}\n", printable(options.support_bundle, 4096));
  }
  context.out << (options.json ? dump_indented(agent::readiness_json(*readiness))
                               : agent::readiness_text(*readiness, options.rows, context.colour));
  return readiness->status();
}

}  // namespace

Result<Json> check_document() {
  backends::Registry registry;
  const auto readiness = examine({}, registry);
  INGERO_TRY(readiness);
  return agent::readiness_json(*readiness);
}

void add_check(Command root, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  const Command command = root.add_command("check", "Can this machine be traced, and what would be found?");
  command.add_flag("--json", options->json, "As JSON");
  command.add_flag("--rows", options->rows, "List every call, not only those that are not probed");
  command.add_option("--library", options->libraries, "Also look at this library file, mapped or not");
  add_backend_options(command, options->backends);
  command
      .add_option("--support-bundle", options->support_bundle,
                  "Write diagnostics for a bug report (this check, versions, logs; secrets redacted) as a tar.gz")
      .type_name("FILE");
  command.footer(
      "Exit status: 0 ready, 1 not ready, 2 unknown.\n\nExamples:\n  sudo ingero check\n"
      "  ingero check --json\n"
      "  ingero check --backend toy.yaml");
  command.on_parsed([options, &context] {
    context.action = [options, &context]() -> Result<int> { return run_check(*options, context); };
  });
}

}  // namespace ingero::cli
