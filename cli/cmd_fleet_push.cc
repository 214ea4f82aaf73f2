// ingero fleet-push: sends to a cluster's server what a recording holds, as the trace that makes it would.
#include "agent/stop_signals.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/backend_flags.h"
#include "cli/commands.h"
#include "cli/legacy/legacy_flags.h"
#include "cli/trace_flags.h"
#include "fleet/push/push.h"
#include "store/db/location.h"

namespace ingero::cli {
namespace {

namespace push = fleet::push;

struct FleetPushOptions {
  std::string database, every = "500ms";
  fleet::send::Settings fleet;
  BackendOptions backends;
  bool is_stub = false;
};

Result<push::PushOptions> push_options(const FleetPushOptions& options, Context& context) {
  if (options.is_stub) {
    return Error(Errc::kInvalid, "--stub: a made-up node cannot be sent from a recording",
                 "'ingero fleet simulate' sends a job that does not exist");
  }
  const auto place = store::locate(context.environment, options.database);
  INGERO_TRY(place);
  const auto every = parse_duration_ns(options.every);
  if (!every.ok()) return every.error().in("--fleet-push-interval");
  push::PushOptions made;
  made.path = place->path;
  made.settings = options.fleet;
  made.agent = "ingero/" INGERO_VERSION;
  made.every_ns = *every;
  return made;
}

Result<int> run_fleet_push(const FleetPushOptions& options, Context& context) {
  const agent::StopSignals signals;  // before the sender's thread
  auto made = push_options(options, context);
  INGERO_TRY(made);
  std::vector<Error> unusable;
  const auto registry = load_backends(options.backends, unusable);
  INGERO_TRY(registry);
  for (const Error& error : unusable) log_warning("not used: {}", error.text());
  const hal::CallTable calls((*registry)->all());
  const std::string path = made->path;
  const auto opened = push::Push::open(std::move(*made), context.environment, *context.clock, calls);
  INGERO_TRY(opened);
  push::Push& pushing = **opened;
  context.err << fmt::format("ingero: windows of ranks in {} to {}, as node {}\n", printable(path, 4096), pushing.url(),
                             printable(pushing.node()));
  context.err.flush();
  bool is_interrupted = false;
  const auto wait = [&](uint64_t ns) {
    is_interrupted = is_interrupted || signals.wait(ns).number != 0;
    return is_interrupted;
  };
  const auto summary = pushing.run(wait, [](const std::string& sentence) { log_warning("{}", sentence); });
  INGERO_TRY(summary);
  for (const std::string& sentence : push::sentences_of(*summary, pushing.url())) {
    context.err << "ingero: " << sentence << '\n';
  }
  if (!is_interrupted) INGERO_TRY(push::all_sent(*summary, pushing.url()));
  return kExitDone;
}

}  // namespace

void add_fleet_push(Command root, Context& context) {
  const Command command =
      root.add_command("fleet-push", "Send what ranks did to the cluster's server, from a recording");
  auto options = std::make_shared<FleetPushOptions>();
  command
      .add_option("-d,--db,--signal-db-path", options->database,
                  "The recording, also while it is made (else $INGERO_DB, ~/.ingero/ingero.db)")
      .type_name("FILE");
  add_cluster_options(command, options->fleet, "as the recording says").required();
  command
      .add_option("--fleet-push-interval", options->every,
                  "Look at a live recording this often, at most 1s; what is sent are windows of 5s")
      .duration()
      .show_default()
      .group("Cluster");
  add_backend_options(command, options->backends);
  add_legacy_push_flags(command, context);
  command.add_flag("--stub", options->is_stub, "").hidden();
  command.rare_flags("fleet-push-interval fleet-tls backend");
  command.footer(
      "Example:\n"
      "  ingero fleet-push --db run.db --fleet-endpoint https://fleet:4318 \\\n"
      "      --fleet-cluster-id train --fleet-token-file token");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_fleet_push(*options, context); }; });
}

}  // namespace ingero::cli
