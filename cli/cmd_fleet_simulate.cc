// ingero fleet simulate: a job of any size that does not exist, sent to a real server, with the truth in a file.
#include "cli/commands.h"
#include "fleet/simulate/plan.h"
#include "fleet/simulate/run.h"

namespace ingero::cli {

namespace simulate = fleet::simulate;

void add_fleet_simulate(Command fleet, Context& context) {
  const Command command = fleet.add_command("simulate", "Send the windows of a job that does not exist to a server");
  auto options = std::make_shared<simulate::SimulateOptions>();
  command.add_option("--endpoint", options->endpoint, "The server, over HTTP or gRPC; without TLS only on this machine")
      .type_name("URL")
      .show_default();
  command.add_option("--token-file", options->token_file, "Its bearer token; else that of INGERO_TOKEN")
      .type_name("FILE");
  command.add_option("--fleet-tls-ca", options->authorities, "CA certificates to trust (PEM)").type_name("FILE");
  command.add_option("--fleet-cluster-id", options->cluster, "The cluster's name").type_name("NAME").show_default();
  command.add_option("--ranks", options->ranks, "Ranks, eight to a node")
      .range(16U, simulate::kMaxRanks)
      .show_default();
  command.add_option("--windows", options->windows, "Windows of 5 s").range(1U, 700U).show_default();
  command.add_option("--plan", options->plan, "One of 256 ranks is slow; of 32 nodes, too; nothing; or it hangs")
      .one_of({"random", "nodes", "healthy", "hang"})
      .show_default();
  command.add_option("--noise", options->noise, "How much the steps of healthy ranks vary")
      .one_of({"quiet", "usual", "noisy"})
      .show_default();
  command.add_option("--effect", options->effect, "How slow the slow ranks are: 0.3 is 30 %; else drawn")
      .range(0.0, 10.0)
      .type_name("SHARE");
  command.add_option("--seed", options->seed, "Of its random numbers: one seed gives one job").show_default();
  command.add_option("--truth", options->truth, "Write which ranks are slow, when and why").type_name("FILE");
  command.add_flag("--live", options->is_live,
                   "In real time, with devices' states and arrivals; else windows alone, as fast as it goes");
  command.add_option("--speed", options->speed, "Of --live: how many times as fast as time goes")
      .range(1.0, 1000.0)
      .type_name("FACTOR")
      .show_default();
  command.footer(
      "Example:\n"
      "  ingero fleet simulate --ranks 2048 --truth truth.json --token-file token");
  command.on_parsed([&context, options] {
    context.action = [&context, options]() -> Result<int> {
      INGERO_TRY(simulate::run(*options, context.environment, *context.clock, context.out));
      return kExitDone;
    };
  });
}

}  // namespace ingero::cli
